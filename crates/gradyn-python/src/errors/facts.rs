//! What an error of a run says of it: its time, and the equation or joint.

use gradyn::{EventError, StepError};

/// Time of the failure [s]; nothing where it has none, such as at the assembly.
pub(super) fn time(e: &StepError) -> Option<f64> {
    use StepError as E;
    match e {
        E::Newton { t, .. }
        | E::Positions { t, .. }
        | E::Singular { t, .. }
        | E::SingularPosition { t, .. }
        | E::EnergyLost { t, .. }
        | E::Freedoms { t, .. }
        | E::Massless { t, .. }
        | E::NotFollowed { t, .. }
        | E::NotFinite { t, .. }
        | E::Undefined { t, .. }
        | E::Unstable { t, .. }
        | E::StepTooSmall { t, .. }
        | E::AlreadyMet { t, .. }
        | E::NeverMet { t, .. }
        | E::Grazes { t, .. }
        | E::JumpsOver { t, .. }
        | E::Cut { t, .. }
        | E::Moved { t, .. }
        | E::Turn { t, .. }
        | E::Stalled { t, .. }
        | E::Memory { t, .. }
        | E::NotTheSame { t }
        | E::TooManySteps { t, .. }
        | E::Stiff { t, .. } => Some(*t),
        E::Event(e) => of_event(e),
        _ => None,
    }
}

/// Time of an event that a run does not go on from [s].
fn of_event(e: &EventError) -> Option<f64> {
    match e {
        EventError::Sliding { t, .. }
        | EventError::EdgeGrazed { t, .. }
        | EventError::ConditionJumps { t, .. }
        | EventError::Together { t, .. }
        | EventError::Blocked { t, .. }
        | EventError::PlacedInPart { t, .. }
        | EventError::NotPlaced { t, .. }
        | EventError::PlacedBeyond { t, .. }
        | EventError::StaysInContact { t, .. }
        | EventError::BeyondStop { t, .. }
        | EventError::Before { t, .. }
        | EventError::DoesNotHold { t, .. }
        | EventError::Opposed { t, .. }
        | EventError::TooMany { t, .. } => Some(*t),
        _ => None,
    }
}

/// Equation, coordinate, joint or force that the failure is at.
pub(super) fn element(e: &StepError) -> Option<String> {
    use StepError as E;
    match e {
        E::Newton { worst: name, .. }
        | E::Positions { worst: name, .. }
        | E::Singular { equation: name, .. }
        | E::Massless { equation: name, .. }
        | E::NotFollowed { coordinate: name, .. }
        | E::NotFinite { equation: name, .. }
        | E::Undefined { force: name, .. }
        | E::StepTooSmall { worst: name, .. }
        | E::Cut { what: name, .. }
        | E::Turn { angle: name, .. }
        | E::Stalled { worst: name, .. }
        | E::Assembly { worst: name, .. }
        | E::Undetermined { equation: name, .. } => Some(name.clone()),
        E::SingularPosition { rows, .. } | E::Inconsistent { rows } | E::SingularStart { rows } => {
            rows.first().map(|row| row.0.clone())
        }
        E::EquilibriumFree { free, .. } => free.first().cloned(),
        _ => None,
    }
}
