//! Energy of motions that nothing brakes or drives.
//!
//! ```text
//! |Σ (E_q v + E_v a)_i| ≤ 1e-6 Σ |(E_q v + E_v a)_i|       at every node                                (1)
//! max |E - E₀| ≤ 1 % of max ½ v·Mv                                                                     (2)
//! ```
//! Where (1) holds the motion keeps its energy, whatever its forces are, and (2) is what steps lose or gain.
//! Events and jumps may take energy, and are left out; so are long trees, which have no M.

use super::lost_energy::kinetic_energy;
use crate::prepare::{Prepared, Run};
use gradyn_model::{Evaluator, FunctionalSet, Warning, WarningCode};

/// The part of the largest kinetic energy that steps may lose or gain.
const MOST: f64 = 1e-2;
/// Changes below this part of the energy are rounding: a motion that is balanced has hardly any kinetic
/// energy.
const ROUNDING: f64 = 1e-12;
/// Powers that cancel to this part of their sum of sizes are no power.
const BALANCED: f64 = 1e-6;
/// Nodes that are asked at first, at most: motions that are driven or braked show there, and the others are
/// asked only where (2) fails.
const ASKED: usize = 50;

/// Steps that change the energy of a motion that keeps it.
pub(super) fn energy(model: &Prepared, run: &Run, p: &[f64]) -> Option<Warning> {
    let plan = &run.trajectory.plan;
    let (first, deviation) = run.energy;
    if deviation <= ROUNDING * first.abs() || plan.restarts.contains(&true) || model.model.system.is_long() {
        return None;
    }
    // (1), and (2) by the nodes that are asked, then by all of them
    let mut powers = Powers::new(model, run, p);
    let stride = plan.steps().div_ceil(ASKED).max(1);
    for stride in [stride, 1] {
        if !(0..=plan.steps()).step_by(stride).all(|n| powers.cancel(n)) || deviation <= MOST * powers.kinetic
        {
            return None;
        }
    }
    let kinetic = powers.kinetic;
    if kinetic == 0.0 {
        return None;
    }
    let text = format!(
        "nothing brakes or drives this motion, and its energy changes by {deviation:.1e} J, {:.0} % of its largest \
         kinetic energy: take shorter steps or smaller tolerances",
        100.0 * deviation / kinetic
    );
    Some(Warning::new(WarningCode::Energy, text))
}

/// The powers of (1) along a run.
struct Powers<'a> {
    model: &'a Prepared,
    run: &'a Run,
    terms: Evaluator<f64>,
    /// Partials of the energy.
    row: Vec<f64>,
    /// Largest kinetic energy so far.
    kinetic: f64,
}

impl<'a> Powers<'a> {
    fn new(model: &'a Prepared, run: &'a Run, p: &[f64]) -> Self {
        let sys = &model.model.system;
        let width = run.trajectory.layout.z() + sys.support(FunctionalSet::Output).len();
        Self { model, run, terms: sys.evaluator(p), row: vec![0.0; width], kinetic: 0.0 }
    }
    /// (1) at node `n`.
    fn cancel(&mut self, n: usize) -> bool {
        let plan = &self.run.trajectory.plan;
        let lay = self.run.trajectory.layout;
        let record = self.run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        self.terms.set_branches(&self.run.trajectory.branches(n));
        self.terms.at(at.t, at.q);
        self.kinetic = self.kinetic.max(kinetic_energy(self.model, at.v, &self.terms));
        let last = self.model.model.system.functionals(FunctionalSet::Output) - 1;
        self.terms.measure_row(FunctionalSet::Output, last, &at, &mut self.row);
        let rates = at.v.iter().chain(at.a);
        let powers = self.row[..2 * lay.n].iter().zip(rates).map(|(slope, rate)| slope * rate);
        let [sum, sizes] = powers.fold([0.0f64; 2], |[sum, sizes], x| [sum + x, sizes + x.abs()]);
        sum.abs() <= BALANCED * sizes
    }
}
