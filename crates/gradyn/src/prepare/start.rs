//! The start of a model: what an equilibrium settles, what loads share, and what is refused.

use crate::error::{ALL_PRESCRIBED, Error};
use gradyn_dynamics::StepError;
use gradyn_dynamics::assembly::Assembled;
use gradyn_dynamics::equilibrium::Equilibrium;
use gradyn_model::mechanism::Text;
use gradyn_model::{
    Kinematics, Level, Mechanics, Model, ModelError, Outside, RowName, Undefined, Warning, WarningCode,
};
use gradyn_num::Dependent;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The model at its equilibrium: angles, balanced coordinates, velocities of rest, of which `freedom` are
/// open.
pub(super) fn settle(model: &mut Model, e: &Equilibrium, freedom: usize, p: &[f64], t: f64) {
    model.angles.clone_from(&e.angles);
    model.system.start = Arc::new(model.system.start.with_balanced(&e.balanced));
    if model.rest {
        model.system.start = Arc::new(model.system.start_at_rest(p, t, &e.angles));
        let names = (0..freedom).map(|k| model.system.condition_name(Kinematics::Velocity, k));
        model.conditions.1 = names.map(|text| Text { text, place: None }).collect();
    }
    let code = WarningCode::UnstableEquilibrium;
    model.warnings.retain(|w| w.code != code);
    let warning = |c: &String| {
        Warning::new(code, format!("the equilibrium is unstable: a small push at `{c}` leaves it"))
    };
    model.warnings.extend(e.unstable.as_ref().map(warning));
}

/// A load that is not finite, by the name of its force, or with the reason.
pub(super) fn undefined(model: &Model, e: StepError, t: f64, p: &[f64]) -> StepError {
    match &e {
        StepError::NotFinite { .. } if model.system.statics().is_some() => {
            match model.system.undefined_at_rest(p, t, &model.angles) {
                Some(Undefined::Force(name)) => {
                    StepError::NotFinite { t, equation: format!("{name} at rest") }
                }
                Some(Undefined::Place(outside)) => undefined_force(t, outside),
                None => e,
            }
        }
        _ => e,
    }
}

/// The error of a force that has no value at a time [s].
pub(crate) fn undefined_force(t: f64, Outside { force, why }: Outside) -> StepError {
    StepError::Undefined { t, force, what: why }
}

/// Rows that take part in a dependency, each once.
pub(crate) fn shared_rows(redundant: &[Dependent]) -> Vec<usize> {
    let parts = redundant.iter().flat_map(|r| r.on.iter().map(|o| o.0).chain([r.row]));
    parts.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Does anything read the multiplier of such a row?
pub(crate) fn reads_shared(sys: &Mechanics, redundant: &[Dependent]) -> bool {
    shared_rows(redundant).into_iter().any(|k| sys.reads_multiplier(k))
}

/// What to give instead of `velocity = "rest"`.
fn velocity_help(freedom: usize) -> &'static str {
    match freedom {
        0 => ALL_PRESCRIBED,
        _ => "give the velocity conditions one by one",
    }
}

/// Beside rows of velocity level, or in equilibrium: a row whose rate is not zero at rest, because it depends
/// on time or asks for a velocity.
fn moving_row(sys: &Mechanics, t: f64, p: &[f64], q: &[f64], angles: &[f64]) -> Option<RowName> {
    let dims = sys.dims();
    if dims.m_vel == 0 && sys.statics().is_none() {
        return None;
    }
    let mut terms = sys.evaluator(p);
    let mut r = vec![0.0; dims.m];
    let zero = vec![0.0; dims.n.max(dims.m)];
    terms.set_branches(angles);
    terms.at(t, q);
    let v = &zero[..dims.n];
    let lam = &zero[..dims.m];
    terms.constraint(&gradyn_model::At { t, q, v, a: v, lam }, Level::VELOCITY, &mut r);
    // 1e-12: a spline that starts at rest has a rate of some roundings
    r.iter().position(|r| r.abs() > 1e-12).map(|k| sys.row_names()[k].clone())
}

/// Refuses a start that is on another branch, cannot be at rest, or where a force has no direction.
pub(super) fn check_start(model: &Model, assembled: &Assembled, t: f64, p: &[f64]) -> Result<(), Error> {
    // angles are those that were asked for
    let sys = &model.system;
    let is_off = |name: &String| sys.rows_of(name).iter().any(|k| sys.row_choice().off.contains(k));
    if let Some(name) = sys.flipped(p, &assembled.q).into_iter().find(|name| !is_off(name)) {
        let e = ModelError::new(format!("`{name}` was assembled half a turn off its angle"))
            .at(&model.place(&name));
        return Err(e.help("give the assembly a better start with `initial.near`").into());
    }
    // everything can be at rest, if it should be
    if model.rest
        && let Some(row) = moving_row(&model.system, t, p, &assembled.q, &model.angles)
    {
        let e = ModelError::new(format!(
            "velocity = \"rest\": `{row}` moves by itself, so that not everything can be at rest"
        ));
        let e = e.about(row.owner, &row.element);
        return Err(e.help(velocity_help(assembled.velocity_freedom)).into());
    }
    // forces have a direction
    if let Some(name) = model.system.collapsed_force(p, &assembled.q) {
        let e = ModelError::new(format!("force `{name}`: its ends coincide at the start"))
            .at(&model.place(&name));
        return Err(e
            .help("the direction of its force is not defined there; move one end or the initial position")
            .into());
    }
    Ok(())
}
