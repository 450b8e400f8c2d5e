//! Constraints that do not hold, ends of springs that meet, bodies without mass, objectives without value.

use super::along::Along;
use crate::error::Error;
use crate::prepare::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_dynamics::StepError;
use gradyn_model::build::Positive;
use gradyn_model::{ModelError, Owner, Subject, Warning, WarningCode};

/// Constraints that do not hold, springs whose ends pass through each other.
pub(super) fn geometry(run: &Run, along: &Along) -> Vec<Warning> {
    let mut warnings = vec![];
    // drift against the size of the mechanism
    let size = along.size;
    if run.drift[0] > 1e-3 * size * size.max(1.0) {
        let penalty = run.method.formulation == Formulation::Penalty;
        let advice = if penalty { "raise alpha, or take smaller steps" } else { "take smaller steps" };
        let text = format!("the constraints are violated by up to {:.1e}; {advice}", run.drift[0]);
        warnings.push(Warning::new(WarningCode::Drift, text));
    }
    // forces whose ends changed sides within a step
    if let Some((k, name)) = &along.met {
        let t = run.trajectory.plan.t[*k];
        let text = format!(
            "the ends of force `{name}` pass through each other near t = {t} s, where it is not defined"
        );
        warnings.push(Warning::new(WarningCode::EndsMeet, text).about(Owner::Force, name));
    }
    warnings
}

/// A singular matrix at a coordinate of a body without mass or inertia.
pub(super) fn massless(model: &Prepared, e: StepError, p: &[f64]) -> StepError {
    let StepError::Singular { t, equation } = e else { return e };
    let lack = |body: String| {
        let subject = Subject::new(Owner::Body, &body);
        let zero = |x: &&Positive| {
            let inert = ["mass", "inertia", "Ixx", "Iyy", "Izz"].contains(&x.what.as_str());
            x.subject == subject && inert && p[x.slot as usize] == 0.0
        };
        let lacking = model.model.positive.iter().find(zero)?;
        Some((body, if lacking.what == "mass" { "mass" } else { "inertia" }))
    };
    match model.model.system.moved_by(&equation).into_iter().find_map(lack) {
        Some((body, lacks)) => StepError::Massless { t, equation, body, lacks },
        None => StepError::Singular { t, equation },
    }
}

/// An objective that is not a number is an error, at the time when it stopped being one.
pub(super) fn check_values(model: &Prepared, run: &Run, along: &Along) -> Result<(), Error> {
    let plan = &run.trajectory.plan;
    // first node where the integral is not finite, or the last one
    for (k, name) in model.objectives().iter().enumerate() {
        if let Some(n) = along.not_finite[k].or_else(|| (!run.psi[k].is_finite()).then_some(plan.steps())) {
            // a smooth maximum has a remedy of its own
            if model.model.maxima[k].is_some() {
                let message = format!(
                    "objective `{name}`: the exponential of its smooth maximum leaves the range of numbers"
                );
                return Err(ModelError::new(message)
                    .about(Owner::Objective, name)
                    .help("give `near`, roughly the maximum, or a lower `sharpness`")
                    .into());
            }
            return Err(StepError::NotFinite { t: plan.t[n], equation: format!("objective {name}") }.into());
        }
    }
    Ok(())
}
