//! Does a run obey what it decided? Every derivative follows the decisions of its plan, so that none of them
//! sees a wrong one.
//!
//! ```text
//! θ₁ - θ₀ within half a turn of h (ω₀ + ω₁)/2 + h² (α₀ - α₁)/12        turns, from node to node          (1)
//! g ≥ 0 on the side above, g ≤ 0 on the side below                     sides, at every node              (2)
//! Φ_r = 0 of rows that are left out                                    in `redundancy`
//! ```
//! Where no time passes angles and conditions may be given anew, and a condition that is zero to rounding is on both sides.

use crate::error::Error;
use crate::prepare::{Prepared, Run};
use gradyn_model::{AngleMotion, Evaluator, FunctionalSet, ModelError};
use std::f64::consts::PI;

/// |g| below this part of its largest value is no side.
const NEAR: f64 = 1e-6;

/// (1) and (2) of a run.
pub(super) fn check_decisions(model: &Prepared, run: &Run, p: &[f64]) -> Result<(), Error> {
    let dims = model.model.system.dims();
    if dims.angles > 0 {
        check_turns(model, run, p)?;
    }
    if dims.sides > 0 {
        check_sides(model, run, p)?;
    }
    Ok(())
}

/// The terms at record `n`, with its branches.
fn place(terms: &mut Evaluator<f64>, run: &Run, n: usize) {
    let record = run.trajectory.record(n);
    let at = run.trajectory.layout.node(run.trajectory.plan.t[n], &record);
    terms.set_branches(&run.trajectory.branches(n));
    terms.at(at.t, at.q);
}

/// (1) of every angle that anything reads.
fn check_turns(model: &Prepared, run: &Run, p: &[f64]) -> Result<(), Error> {
    let sys = &model.model.system;
    let plan = &run.trajectory.plan;
    let count = sys.dims().angles;
    let mut terms = sys.evaluator_with(p);
    let mut angles = vec![0.0; count];
    let mut motion: Vec<Option<AngleMotion>> = vec![None; count];
    let mut before = motion.clone();
    for n in 0..=plan.steps() {
        // θ with its turn, ω and α at this node
        place(&mut terms, run, n);
        let record = run.trajectory.record(n);
        let at = run.trajectory.layout.node(plan.t[n], &record);
        terms.angles(at.q, &mut angles);
        terms.angle_motion(&at, &mut motion);
        motion.iter_mut().zip(&angles).for_each(|(m, angle)| {
            *m = m.map(|m| AngleMotion { angle: *angle, ..m });
        });
        // (1) from the node before
        let h = if n == 0 { 0.0 } else { plan.t[n] - plan.t[n - 1] };
        for (k, (a, b)) in before.iter().zip(&motion).enumerate() {
            let (Some(a), Some(b)) = (a, b) else { continue };
            let expected = 0.5 * h * (a.rate + b.rate) + h * h * (a.second - b.second) / 12.0;
            if h != 0.0 && !plan.restarts[n] && (b.angle - a.angle - expected).abs() > PI {
                let name = sys.angle_name(k).text;
                let message = format!("{name} has another turn at t = {} s than its rate leads to", at.t);
                return Err(wrong(message));
            }
        }
        before.copy_from_slice(&motion);
    }
    Ok(())
}

/// (2) of every condition whose changes steps meet exactly.
fn check_sides(model: &Prepared, run: &Run, p: &[f64]) -> Result<(), Error> {
    let sys = &model.model.system;
    let plan = &run.trajectory.plan;
    let conditions = sys.sides();
    let mut terms = sys.evaluator_with(p);
    // the largest |g| of each, and g on the side of its step where that is least
    let mut g = vec![0.0; conditions.len()];
    let mut largest = g.clone();
    let mut least = vec![(f64::INFINITY, 0); g.len()];
    for n in 0..=plan.steps() {
        place(&mut terms, run, n);
        let record = run.trajectory.record(n);
        let branches = run.trajectory.branches(n);
        let sides = run.trajectory.layout.sides(&branches);
        terms.measure(FunctionalSet::Condition, &run.trajectory.layout.node(plan.t[n], &record), &mut g);
        for (k, g) in g.iter().enumerate() {
            let f = if sides[k] > 0.5 { *g } else { -*g };
            largest[k] = f64::max(largest[k], g.abs());
            // an event may move conditions without time between
            if f < least[k].0 && plan.given_by[n].is_none() {
                least[k] = (f, n);
            }
        }
    }
    // (2)
    for (k, condition) in conditions.iter().enumerate().filter(|(_, c)| c.is_exact()) {
        let (f, n) = least[k];
        if f < -NEAR * largest[k] {
            let message =
                format!("{} is on another side at t = {} s than the step has", condition.what, plan.t[n]);
            return Err(wrong(message));
        }
    }
    Ok(())
}

/// The error of a decision that the run does not obey.
fn wrong(message: String) -> Error {
    let help = "the run is not that of the model: take shorter steps, and report it with the model file";
    ModelError::new(message).help(help).into()
}
