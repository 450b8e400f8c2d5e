//! Energy that constraints take where they give way.
//!
//! Constraint forces -Φ_qᵀλ have the power -λ·Φ̇ beside that of drivers, which is zero where Φ̇ is. Rows that
//! give way (`penalty`) or drift (`index1`) take
//!
//! ```text
//! W = ∫ λ·Φ̇ dt                                                                                        (1)
//! ```
//! by the trapezoidal rule over the nodes. Beyond a singular position loops may have gone on along branches
//! that do not fit together: the mechanism is then locked, and its stabilisation brakes it to rest. A run
//! whose (1) after such a position is more than 1 % of its largest kinetic energy is refused.

use crate::prepare::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_dynamics::StepError;
use gradyn_model::{Evaluator, Level};

/// Part of the largest kinetic energy that constraints may take.
const MOST: f64 = 1e-2;

/// Refuses a run whose constraints took its motion after the singular position at `t`.
pub(super) fn check_energy(model: &Prepared, run: &Run, t: Option<f64>, p: &[f64]) -> Result<(), StepError> {
    let gives_way = matches!(run.method.formulation, Formulation::Penalty | Formulation::Index1);
    let Some(t) = t.filter(|_| gives_way) else { return Ok(()) };
    let mut terms = model.model.every_row().evaluator(p);
    let plan = &run.trajectory.plan;
    let lay = run.trajectory.layout;
    // (1) from t on, and max ½ v·Mv
    let mut taken = 0.0;
    let mut kinetic = 0.0f64;
    let mut before = None;
    let mut dphi = vec![0.0; lay.m];
    for n in 0..=plan.steps() {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        kinetic = kinetic.max(kinetic_energy(model, at.v, &terms));
        dphi.fill(0.0);
        terms.constraint(&at, Level::VELOCITY, &mut dphi);
        let power: f64 = at.lam.iter().zip(&dphi).map(|(lam, dphi)| lam * dphi).sum();
        if let Some(last) = before.filter(|_| at.t > t) {
            taken += 0.5 * plan.h[n - 1] * (last + power);
        }
        before = Some(power);
    }
    if taken.abs() > MOST * kinetic {
        return Err(StepError::EnergyLost { t, taken, kinetic });
    }
    Ok(())
}

/// ½ v·Mv where the terms are.
pub(super) fn kinetic_energy(model: &Prepared, v: &[f64], terms: &Evaluator<f64>) -> f64 {
    let nn = &model.model.system.patterns().nn;
    let mass = terms.mass();
    let row = |i: usize| nn.row(i).map(|pos| mass[pos] * v[nn.col(pos)]).sum::<f64>();
    (0..v.len()).map(|i| 0.5 * v[i] * row(i)).sum()
}
