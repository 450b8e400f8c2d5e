//! What a backward sweep starts from.
//!
//! ```text
//! ψ = ∫ g dt + w(x_N, t_N; p)                      objectives: seeds at record N only                    (1)
//! ψ = Σ_i w_iᵀ y(x_n, t_n; p),   n = n(i)          samples: seeds at the records of the samples          (2)
//! ```
//! The record at a declared time moves with it: ψ_p has w_iᵀ y_t t_n' there.

use crate::objective::{Case, TerminalRows, slopes};
use gradyn_model::{Evaluator, FunctionalSet};

/// Values ψ of a run by their derivatives over its records and over slots.
pub(crate) trait Seeds {
    /// Number of values ψ.
    fn count(&self) -> usize;
    /// b += ∂ψ/∂x_n of value `j`, over record `n`.
    fn add_state(&self, n: usize, j: usize, b: &mut [f64]);
    /// grad += ∂ψ/∂p of value `j`, over slots, with the declared times of its records.
    fn add_slots(&self, j: usize, grad: &mut [f64]);
}

/// The objectives of a case, (1).
pub(crate) struct ObjectiveSeeds<'a> {
    case: &'a Case<'a>,
    terminal: TerminalRows,
}

impl<'a> ObjectiveSeeds<'a> {
    /// Terminal rows at the end of the run, on slots `p`.
    pub(crate) fn new(case: &'a Case<'a>, p: &[f64]) -> Self {
        Self { case, terminal: TerminalRows::new(case, p) }
    }
}

impl Seeds for ObjectiveSeeds<'_> {
    fn count(&self) -> usize {
        self.case.objectives()
    }
    fn add_state(&self, n: usize, j: usize, b: &mut [f64]) {
        if n == self.case.run.plan.steps() {
            b[self.case.run.layout.z() + j] += 1.0;
            self.terminal.add_state(j, b);
        }
    }
    fn add_slots(&self, j: usize, grad: &mut [f64]) {
        self.terminal.add_slots(self.case, j, grad);
    }
}

/// One weighted sum of outputs at records, (2).
pub(crate) struct SampleSeeds {
    /// (n, Σ w_iᵀ y_x over the samples of record n), n increasing.
    rows: Vec<(usize, Vec<f64>)>,
    /// Σ w_iᵀ (y_p + y_t t'), over slots.
    slots: Vec<f64>,
}

impl SampleSeeds {
    /// Outputs at some records with their weights, sample by sample, on slots `p`.
    pub(crate) fn new(case: &Case, p: &[f64], records: &[usize], weights: &[f64]) -> Self {
        let sys = case.recipe.system();
        let mut new = Self { rows: vec![], slots: vec![0.0; sys.dims().args] };
        let mut terms = sys.evaluator_with(p);
        let columns = weights.len() / records.len().max(1);
        for (&n, weights) in records.iter().zip(weights.chunks_exact(columns.max(1))) {
            new.add(case, p, n, weights, &mut terms);
        }
        new
    }
    /// Adds wᵀ y of record `n`, with terms on the slots `p`.
    fn add(&mut self, case: &Case, p: &[f64], n: usize, weights: &[f64], terms: &mut Evaluator<f64>) {
        let sys = case.recipe.system();
        let plan = &case.run.plan;
        let lay = case.run.layout;
        let support = sys.support(FunctionalSet::Output);
        // the record, and room for a row of y_x and y_p
        let record = case.run.record(n);
        let x = &*record;
        let t = lay.time().map_or_else(|| plan.node(n, p), |time| x[time]);
        let at = lay.node(t, x);
        terms.set_branches(&case.run.branches(n));
        terms.at(t, at.q);
        let mut row = vec![0.0; lay.z() + support.len()];
        let place = self.place_of(n, lay.len);
        // b += wᵀ y_x, slots += wᵀ y_p, column by column
        for (k, &weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            row.fill(0.0);
            terms.measure_row(FunctionalSet::Output, k, &at, &mut row);
            let (y_x, y_p) = row.split_at(lay.z());
            self.rows[place].1.iter_mut().zip(y_x).for_each(|(b, y)| *b += weight * y);
            support.iter().zip(y_p).for_each(|(&s, y)| self.slots[s as usize] += weight * y);
        }
        // slots += wᵀ y_t t'
        if plan.declared[n].is_none() && lay.time().is_none() {
            return;
        }
        let y_t = slopes(case.recipe, FunctionalSet::Output, p, &case.run.branches(n), &at);
        // what is not asked for may have no slope
        let asked = weights.iter().zip(y_t).filter(|(w, _)| **w != 0.0);
        let slope = asked.map(|(w, y)| w * y).sum::<f64>();
        match (lay.time(), plan.declared[n]) {
            (Some(time), _) => self.rows[place].1[time] += slope,
            (None, Some(slot)) => self.slots[slot as usize] += slope,
            (None, None) => {}
        }
    }
    /// Place of the row of record `n`, of that length; made where there is none.
    fn place_of(&mut self, n: usize, len: usize) -> usize {
        let place = self.rows.binary_search_by_key(&n, |r| r.0);
        place.unwrap_or_else(|place| {
            self.rows.insert(place, (n, vec![0.0; len]));
            place
        })
    }
}

impl Seeds for SampleSeeds {
    fn count(&self) -> usize {
        1
    }
    fn add_state(&self, n: usize, _j: usize, b: &mut [f64]) {
        if let Ok(place) = self.rows.binary_search_by_key(&n, |r| r.0) {
            b.iter_mut().zip(&self.rows[place].1).for_each(|(b, y)| *b += y);
        }
    }
    fn add_slots(&self, _j: usize, grad: &mut [f64]) {
        grad.iter_mut().zip(&self.slots).for_each(|(g, y)| *g += y);
    }
}
