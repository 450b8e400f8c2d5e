//! Residuals of the records of a run, on any scalar of the program.
//!
//! Record 0 and restarts are those of [`initial`], other records those of the step; the time of a record has
//! the row (2) of [`clock`](super::clock).

use super::{Residual, Span, StepArgs, StepRecipe};
use crate::initial::{self, restart};
use crate::plan::ClockRow;
use crate::record::Layout;
use gradyn_model::{Evaluator, FunctionalSet, RowChoice, RunScalar};

/// Residuals of the records of a run, on any scalar of the program.
pub struct ChainResidual<S: RunScalar> {
    plain: PlainResidual<S>,
    layout: Layout,
    /// Conditions whose changes are events.
    conditions: Vec<S>,
}

impl<S: RunScalar> ChainResidual<S> {
    /// Memory of record 0 and of steps with the rows of the system.
    pub(super) fn new(recipe: &StepRecipe, p: &[S]) -> Self {
        let layout = recipe.layout();
        Self { plain: PlainResidual::new(recipe, p), layout, conditions: vec![S::zero(); layout.sides] }
    }
    /// g of a condition at the node of a record.
    fn condition(&mut self, side: u32, t: S, branches: &[f64], x: &[S]) -> S {
        let terms = &mut self.plain.terms;
        terms.set_branches(branches);
        terms.at_time(t);
        terms.measure(FunctionalSet::Condition, &self.layout.node(t, x), &mut self.conditions);
        self.conditions[side as usize]
    }
}

impl<S: RunScalar> Residual<S> for ChainResidual<S> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Some(len) = self.layout.time() else { return self.plain.residual(a, r) };
        // (1) of the clock
        let time = a.x[len];
        let span = match a.past.get(len) {
            None => Span { t: time, h: S::zero() },
            Some(&past) => Span { t: past, h: time - past },
        };
        self.plain.residual(&StepArgs { span, ..a.without_tail(len) }, &mut r[..len]);
        // (2) of the clock
        r[len] = match a.frozen.clock {
            ClockRow::Fixed | ClockRow::Declared(_) => time - a.span.end(),
            ClockRow::Past => time - span.t,
            ClockRow::Event(side) => self.condition(side, time, a.frozen.branches, &a.x[..len]),
        };
    }
}

/// Residuals of records without their times.
pub(super) struct PlainResidual<S: RunScalar> {
    recipe: StepRecipe,
    p: Vec<S>,
    /// Terms for record 0 and restarts.
    terms: Evaluator<S>,
    /// Memory of the steps for each choice of rows that was met, the first for that of the system.
    steps: Vec<(Option<RowChoice>, Box<dyn Residual<S>>)>,
}

impl<S: RunScalar> PlainResidual<S> {
    /// Memory of record 0 and of steps with the rows of the system.
    pub(super) fn new(recipe: &StepRecipe, p: &[S]) -> Self {
        let terms = recipe.system().evaluator(p);
        let steps = vec![(None, recipe.step_residual(p))];
        Self { recipe: recipe.clone(), p: p.to_vec(), terms, steps }
    }
    /// The step for a choice of rows; memory for a new one is made where it is first met.
    fn step_with(&mut self, rows: Option<&RowChoice>) -> &mut dyn Residual<S> {
        let known = self.steps.iter().position(|s| s.0.as_ref() == rows);
        let at = known.unwrap_or_else(|| {
            let with = |r| self.recipe.with_rows(r).expect("a choice that the run made steps with");
            let recipe = rows.map_or_else(|| self.recipe.clone(), with);
            self.steps.push((rows.cloned(), recipe.step_residual(&self.p)));
            self.steps.len() - 1
        });
        &mut *self.steps[at].1
    }
    /// Record 0, which has no impulses.
    fn start(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { recipe, terms, .. } = self;
        let (start, layout) = (recipe.start(), recipe.step_layout());
        terms.set_branches(a.frozen.branches);
        initial::residual(recipe.system(), &start.law, &layout, a.span.t, a.x, terms, r);
        if start.auxiliary {
            initial::auxiliary_rows(&layout, a.x, r);
        }
    }
    /// A restart, with the rows of its record.
    fn restart(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let (start, layout) = (self.recipe.restart_law(), self.recipe.plain_layout());
        let records = [a.past, a.x];
        let when = (a.span, a.frozen);
        match a.frozen.rows {
            None => {
                self.terms.set_branches(a.frozen.branches);
                let sys = self.recipe.system();
                restart::residual(sys, &start, &layout, when, records, &mut self.terms, r);
            }
            Some(rows) => {
                let recipe = self.recipe.with_rows(rows).expect("a choice that the run made steps with");
                let mut terms = recipe.system().evaluator(&self.p);
                terms.set_branches(a.frozen.branches);
                restart::residual(recipe.system(), &start, &layout, when, records, &mut terms, r);
            }
        }
    }
}

impl<S: RunScalar> Residual<S> for PlainResidual<S> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        if a.frozen.restart && !a.is_start() {
            return self.restart(a, r);
        }
        // impulses are those of events
        let len = self.recipe.step_layout().len;
        let (r, impulses) = r.split_at_mut(len);
        impulses.copy_from_slice(&a.x[len..]);
        let plain = a.without_tail(len);
        match a.is_start() {
            true => self.start(&plain, r),
            false => self.step_with(a.frozen.rows).residual(&plain, r),
        }
    }
}
