//! Objectives that are smooth maxima: values, the chain rule, and the maximum itself.

use crate::error::Error;
use crate::prepare::{Prepared, Run};
use gradyn_model::maximum::Maximum;
use gradyn_model::{FunctionalSet, ModelError, Owner};
use gradyn_sensitivity::Gradient;

/// What a smooth maximum stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Largest {
    /// max y over the nodes of the run.
    pub value: f64,
    /// Time at which it is reached [s].
    pub t: f64,
    /// The most that the smooth maximum is above max y.
    pub excess: f64,
}

impl Prepared {
    /// The smooth maxima among the objectives, with their places.
    fn maxima(&self) -> impl Iterator<Item = (usize, Maximum)> {
        self.model.maxima.iter().enumerate().filter_map(|(k, m)| Some((k, (*m)?)))
    }
    /// ψ of z: the logarithm where an objective is a smooth maximum.
    pub(crate) fn outer(&self, mut z: Vec<f64>) -> Vec<f64> {
        self.maxima().for_each(|(k, m)| z[k] = m.value(z[k]));
        z
    }
    /// ψ' = ψ_z z', row by row.
    pub(crate) fn chained(&self, run: &Run, mut rows: Gradient) -> Gradient {
        for (k, slope) in self.slopes(run) {
            rows[k].iter_mut().for_each(|x| *x *= slope);
        }
        rows
    }
    /// ψ_z of the smooth maxima, with their places.
    pub(crate) fn slopes(&self, run: &Run) -> Vec<(usize, f64)> {
        let z = |k: usize| run.trajectory.last()[run.trajectory.layout.z() + k];
        self.maxima().map(|(k, m)| (k, m.slope(z(k)))).collect()
    }
    /// Refuses a smooth maximum over a longer time than the run has: no level lasts so long, and ψ would be
    /// below the largest value that there is.
    pub(crate) fn check_durations(&self, run: &Run) -> Result<(), Error> {
        let plan = &run.trajectory.plan;
        let duration = plan.t[plan.steps()] - plan.t[0];
        // a run that is as long as the maximum may be a rounding shorter
        let longer = |m: &Maximum| m.duration > duration * (1.0 + 1e-9);
        let Some((k, m)) = self.maxima().find(|(_, m)| longer(m)) else { return Ok(()) };
        let name = &self.objectives()[k];
        let message = format!(
            "objective `{name}` is a maximum over {} s, longer than the run of {duration} s",
            m.duration
        );
        let e = ModelError::new(message).about(Owner::Objective, name);
        Err(e.help("give a `duration` that is short beside the run, or a later end").into())
    }
    /// For each objective, the maximum over the nodes if it is a smooth one.
    pub fn largest(&self, run: &Run) -> Vec<Option<Largest>> {
        let mut all = vec![None; self.objectives().len()];
        if self.maxima().next().is_none() {
            return all;
        }
        // integrands at every node
        let sys = &self.model.system;
        let lay = run.trajectory.layout;
        let plan = &run.trajectory.plan;
        let mut terms = sys.evaluator(&self.model.slots(&run.rho));
        let mut g = vec![0.0; lay.o];
        for n in 0..=plan.steps() {
            let record = run.trajectory.record(n);
            let at = lay.node(plan.t[n], &record);
            terms.set_branches(&run.trajectory.branches(n));
            terms.at(at.t, at.q);
            terms.measure(FunctionalSet::Integrand, &at, &mut g);
            // the largest level, and how far ψ may be above
            for (k, m) in self.maxima() {
                let value = m.level(g[k]);
                let excess = m.excess(plan.t[plan.steps()] - plan.t[0]);
                if all[k].is_none_or(|l: Largest| l.value < value) {
                    all[k] = Some(Largest { value, t: at.t, excess });
                }
            }
        }
        all
    }
}
