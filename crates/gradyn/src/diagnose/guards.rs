//! Forces that are not defined everywhere: tyres at rest, and beyond the end of their road.
//!
//! Forces are not checked while a run goes on. Where it stops, the last record is continued a little,
//!
//! ```text
//! q + τ v + ½ τ² a,   v + τ a,   0 ≤ τ ≤ 2 h                                                           (1)
//! ```
//! and where it ends, neighbouring records are compared ([`super::along`]): a step may have passed over the
//! place.

use super::singular::is_numerical;
use crate::prepare::{Prepared, undefined_force};
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::{At, Evaluator};
use gradyn_num::largest;

/// The error as it is, or the force that is not defined where it happened.
pub(crate) fn explain_undefined(model: &Prepared, e: StepError, run: &Trajectory, p: &[f64]) -> StepError {
    // found = what is undefined at the start, or ahead of the last record
    if !model.model.system.guarded() || !is_numerical(&e) {
        return e;
    }
    let found =
        if run.plan.steps() == 0 { undefined_start(model, &e, p) } else { undefined_ahead(model, run, p) };
    found.unwrap_or(e)
}

/// Without steps there are no velocities: what is not defined at the start is so at rest.
fn undefined_start(model: &Prepared, e: &StepError, p: &[f64]) -> Option<StepError> {
    let StepError::NotFinite { t, .. } = *e else { return None };
    let q = &model.assembled.q;
    let zero = vec![0.0; model.assembled.q.len()];
    let at = At { t, q, v: &zero, a: &zero, lam: &[] };
    let outside = evaluator_at(model, &model.model.angles, p, &at).undefined_force(&at, &at)?;
    Some(undefined_force(t, outside))
}

/// What is undefined on the way ahead of the last record (1), if anything.
fn undefined_ahead(model: &Prepared, run: &Trajectory, p: &[f64]) -> Option<StepError> {
    const PARTS: usize = 40;
    let last = run.plan.steps();
    let lay = run.layout;
    let from = lay.node(run.plan.t[last], run.last());
    let far = 2.0 * largest(run.plan.h[last.saturating_sub(20)..].iter().copied());
    (1..=PARTS).find_map(|k| {
        let τ = far * k as f64 / PARTS as f64;
        let q: Vec<f64> = (0..lay.n).map(|i| from.q[i] + τ * (from.v[i] + 0.5 * τ * from.a[i])).collect();
        let v: Vec<f64> = (0..lay.n).map(|i| from.v[i] + τ * from.a[i]).collect();
        let to = At { t: from.t + τ, q: &q, v: &v, ..from };
        let mut d = evaluator_at(model, &run.branches(last), p, &to);
        d.undefined_force(&from, &to).map(|outside| undefined_force(to.t, outside))
    })
}

fn evaluator_at(model: &Prepared, angles: &[f64], p: &[f64], at: &At) -> Evaluator<f64> {
    let sys = &model.model.system;
    let mut terms = sys.evaluator(p);
    terms.set_branches(angles);
    terms.at_time(at.t);
    terms
}
