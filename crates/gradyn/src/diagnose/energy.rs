//! Energy of motions that nothing brakes or drives.
//!
//! ```text
//! |Σ (E_q v + E_v a)_i| ≤ 1e-6 Σ |(E_q v + E_v a)_i|       at every node that is asked                  (1)
//! max |E - E₀| ≤ 1 % of max ½ v·Mv                                                                     (2)
//! ```
//! Where (1) holds the motion keeps its energy, whatever its forces are, and (2) is what steps lose or gain.
//! Events and jumps may take energy, and are left out; so are long trees, which have no M.

use super::lost_energy::kinetic_energy;
use crate::prepare::{Prepared, Run};
use gradyn_model::{FunctionalSet, Warning, WarningCode};

/// The part of the largest kinetic energy that steps may lose or gain.
const MOST: f64 = 1e-2;
/// Powers that cancel to this part of their sum of sizes are no power.
const BALANCED: f64 = 1e-6;
/// Nodes that are asked for their power, at most.
const ASKED: usize = 50;

/// Steps that change the energy of a motion that keeps it.
pub(super) fn energy(model: &Prepared, run: &Run, p: &[f64]) -> Option<Warning> {
    let plan = &run.trajectory.plan;
    let deviation = run.energy.1;
    if deviation == 0.0 || plan.restarts.contains(&true) || model.model.system.is_long() {
        return None;
    }
    // max ½ v·Mv at nodes that are asked, and (1)
    let sys = &model.model.system;
    let lay = run.trajectory.layout;
    let mut terms = sys.evaluator(p);
    let mut kinetic = 0.0f64;
    let mut row = vec![0.0; lay.z() + sys.support(FunctionalSet::Output).len()];
    let last = sys.functionals(FunctionalSet::Output) - 1;
    for n in (0..=plan.steps()).step_by(plan.steps().div_ceil(ASKED).max(1)) {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        kinetic = kinetic.max(kinetic_energy(model, at.v, &terms));
        terms.measure_row(FunctionalSet::Output, last, &at, &mut row);
        let rates = at.v.iter().chain(at.a);
        let powers = row[..2 * lay.n].iter().zip(rates).map(|(slope, rate)| slope * rate);
        let [sum, sizes] = powers.fold([0.0f64; 2], |[sum, sizes], x| [sum + x, sizes + x.abs()]);
        if sum.abs() > BALANCED * sizes {
            return None;
        }
    }
    // (2)
    if deviation <= MOST * kinetic {
        return None;
    }
    let text = format!(
        "nothing brakes or drives this motion, and its energy changes by {deviation:.1e} J, {:.0} % of its largest \
         kinetic energy: take shorter steps or smaller tolerances",
        100.0 * deviation / kinetic
    );
    Some(Warning::new(WarningCode::Energy, text))
}
