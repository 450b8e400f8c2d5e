//! How independent the constraint rows are that each record of a run has.

use crate::method::Method;
use crate::prepare::Prepared;
use crate::registry::Formulation;
use gradyn_dynamics::{Trajectory, rows_along};
use gradyn_model::{Evaluator, Kinematics, Mechanics, RowChoice};
use gradyn_num::Independence;

/// The rows of each record, and a measure of their independence for every choice of rows.
pub(super) struct KeptRows<'a> {
    /// The system with all rows.
    sys: &'a Mechanics,
    /// Choices of rows, the first that of the system, and the number of that of each record.
    choices: Vec<RowChoice>,
    numbers: Vec<u32>,
    measures: Vec<Option<Independence>>,
}

impl<'a> KeptRows<'a> {
    /// Those of a run that ended. Penalty has all rows: its run is looked at with those that others would
    /// keep.
    pub(super) fn new(model: &'a Prepared, method: &Method, run: &Trajectory, p: &[f64]) -> Self {
        if method.formulation == Formulation::Penalty {
            return Self::stopped(model, run, p);
        }
        Self::of_choices(model, run.plan.row_choices.clone(), run.plan.rows.iter().collect())
    }
    /// Those of a run that stopped, and of the step that it could not do, which comes after the last record.
    pub(super) fn stopped(model: &'a Prepared, run: &Trajectory, p: &[f64]) -> Self {
        let (others, numbers) = rows_along(&model.model.system, p, run);
        Self::of_choices(model, others, numbers)
    }
    /// Nothing is measured yet.
    fn of_choices(model: &'a Prepared, others: Vec<RowChoice>, numbers: Vec<u32>) -> Self {
        let own = &model.model.system;
        let choices: Vec<RowChoice> = std::iter::once(own.row_choice().clone()).chain(others).collect();
        let measures = choices.iter().map(|_| None).collect();
        Self { sys: model.model.whole(), choices, numbers, measures }
    }
    /// Rows of record `n`.
    pub(super) fn rows(&self, n: usize) -> &[u32] {
        &self.choices[self.numbers[n] as usize].independent[Kinematics::Velocity.index()]
    }
    /// The measure of the rows of record `n`.
    pub(super) fn of(&mut self, n: usize) -> &mut Independence {
        self.of_choice(self.numbers[n] as usize)
    }
    /// The measure of a choice of rows.
    fn of_choice(&mut self, number: usize) -> &mut Independence {
        let mn = &self.sys.patterns().mn;
        let rows = &self.choices[number].independent[Kinematics::Velocity.index()];
        self.measures[number].get_or_insert_with(|| Independence::new(mn, rows))
    }
    /// Takes the lengths of the rows of record `n`, where the terms are, for usual ones.
    pub(super) fn learn(&mut self, n: usize, terms: &Evaluator<f64>) {
        let mn = &self.sys.patterns().mn;
        self.of(n).learn(mn, terms.phi_q());
    }
    /// Independence of the rows of record `n` where the terms are.
    pub(super) fn measure(&mut self, n: usize, terms: &Evaluator<f64>) -> f64 {
        let mn = &self.sys.patterns().mn;
        self.of(n).measure(mn, terms.phi_q())
    }
    /// σ_min/σ_max of rows of length 1 where the terms are, of the choice that has the largest: of those for
    /// which the same rows are on as in record `n`. Between two nodes the rows of a record may pass a
    /// dependency that the mechanism does not have.
    pub(super) fn condition(&mut self, n: usize, terms: &Evaluator<f64>) -> f64 {
        let mn = &self.sys.patterns().mn;
        let off = &self.choices[self.numbers[n] as usize].off;
        let same: Vec<usize> = (0..self.choices.len()).filter(|&k| self.choices[k].off == *off).collect();
        same.into_iter().map(|number| self.of_choice(number).condition(mn, terms.phi_q())).fold(0.0, f64::max)
    }
}
