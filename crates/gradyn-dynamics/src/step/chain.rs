//! The records of a run, one after the other: record 0 is the start, every other record a step.
//!
//! A start has no past. [`Chain`] and [`ChainResidual`] send it to [`Initial`] and all other records to the
//! step: nobody else knows the difference.

use super::{Counts, Report, Residual, Span, StepArgs, StepRecipe, Stepper, Tolerance};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::initial::{self, Initial};
use crate::plan::{Frozen, Plan};
use crate::turns::Turns;
use gradyn_model::{Evaluator, RowChoice, RunScalar};

/// What record 0 obeys.
#[derive(Clone, Copy, Debug)]
pub struct StartLaw {
    /// The law of the accelerations and multipliers at the start.
    pub law: Lagrange,
    /// Has the record an auxiliary acceleration?
    pub auxiliary: bool,
    /// Are the accelerations solved for by Maggi's matrices?
    pub matrix_r: bool,
}

/// Memory of the records of a run: forward steps, linearised records and their products.
pub struct Chain {
    /// The start of a run, record 0.
    pub start: Initial,
    recipe: StepRecipe,
    p: Vec<f64>,
    /// Memory of the steps for each choice of rows that was met, the first for that of the system, and which
    /// of them is at work.
    steps: Vec<(Option<RowChoice>, Box<dyn Stepper>)>,
    current: usize,
    /// Was record 0 linearised last?
    at_start: bool,
    /// Turns of angles in a run that is replayed; made by the first one.
    turns: Option<Turns>,
}

impl Chain {
    /// Memory of record 0 and of steps with the rows of the system.
    pub(super) fn new(recipe: &StepRecipe, p: &[f64], start: Initial, step: Box<dyn Stepper>) -> Self {
        let steps = vec![(None, step)];
        Self { start, recipe: recipe.clone(), p: p.to_vec(), steps, current: 0, at_start: true, turns: None }
    }
    /// The step at work.
    fn step(&mut self) -> &mut dyn Stepper {
        &mut *self.steps[self.current].1
    }
    /// The step for a choice of rows; memory for a new one is made where it is first met.
    fn step_with(&mut self, rows: Option<&RowChoice>) -> Result<&mut dyn Stepper, StepError> {
        if self.steps[self.current].0.as_ref() != rows {
            self.current = match (self.steps.iter().position(|s| s.0.as_ref() == rows), rows) {
                (None, Some(choice)) => {
                    let step = self.recipe.stepper_with(choice, &self.p)?;
                    self.steps.push((Some(choice.clone()), step));
                    self.steps.len() - 1
                }
                (found, _) => found.unwrap_or(0),
            };
        }
        Ok(self.step())
    }
    /// The choices of the step that begins at `past` with some rows, given those of the attempt before,
    /// `since` steps after the last declared time or knot; forward runs only.
    pub(crate) fn decide(
        &mut self,
        span: Span<f64>,
        rows: Option<&RowChoice>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        self.step_with(rows)?.decide(span, past, since, choice)
    }
    /// Solves R = 0 for x; without a past it is record 0.
    pub fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        match past {
            [] => self.start.advance(self.recipe.system(), span.t, frozen.branches, x),
            _ => self.step_with(frozen.rows)?.advance(span, frozen, past, x),
        }
    }
    /// After record `n` of a run that is replayed: the references of the next record are those of this run.
    pub(crate) fn turn(
        &mut self,
        n: usize,
        span: Span<f64>,
        x: &[f64],
        plan: &mut Plan,
    ) -> Result<(), StepError> {
        let angles = self.recipe.system().dims().angles;
        if angles == 0 {
            return Ok(());
        }
        let new = || Turns::new(self.recipe.system(), &self.p, 0.0, &vec![0.0; angles]);
        let turns = self.turns.get_or_insert_with(new);
        if n == 0 {
            turns.set(plan.branches(0));
        }
        turns.look(span, &self.recipe.layout().node(span.end(), x))?;
        turns.follow();
        if n < plan.steps() {
            plan.branches_mut(n + 1).copy_from_slice(turns.references());
        }
        Ok(())
    }
    /// Exact partials at a converged record.
    pub fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        self.at_start = a.is_start();
        match self.at_start {
            true => self.start.linearise(self.recipe.system(), a.span.t, a.frozen.branches, a.x),
            false => self.step_with(a.frozen.rows)?.linearise(a),
        }
    }
    /// Solves with the linearised record: b ← R_x⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        match self.at_start {
            true => self.start.solve(self.recipe.system(), b),
            false => self.step().solve(b),
        }
    }
    /// Solves with its transpose: b ← R_x⁻ᵀ b.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        match self.at_start {
            true => self.start.solve_t(self.recipe.system(), b),
            false => self.step().solve_t(b),
        }
    }
    /// r += R_past s; record 0 has no past.
    pub fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        if !self.at_start {
            self.step().past_mul(s, r);
        }
    }
    /// out += R_pastᵀ μ; record 0 has no past.
    pub fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        if !self.at_start {
            self.step().past_mul_t(mu, out);
        }
    }
    /// Adds the slots along δ: r += R_p δ.
    pub fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        match self.at_start {
            true => self.start.slot_mul(self.recipe.system(), delta, r),
            false => self.step().slot_mul(delta, r),
        }
    }
    /// grad += s R_pᵀ μ.
    pub fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        match self.at_start {
            true => self.start.slot_mul_t(self.recipe.system(), mu, s, grad),
            false => self.step().slot_mul_t(mu, s, grad),
        }
    }
    /// Error of the embedded method relative to the tolerances, and the coordinate where it is largest.
    pub(crate) fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        self.step().error(a, tol)
    }
    /// The factor of the step size after an attempt with that error; above 1 it was rejected.
    pub(crate) fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        self.step().resize(control, error)
    }
    /// Was the last step limited by stability instead of accuracy?
    pub(crate) fn limited(&self) -> bool {
        self.steps[self.current].1.limited()
    }
    /// (q, v) at t + θh by the scheme's own interpolant of order ≥ 3; `out` is a node whose (a, λ) follow
    /// from the equations.
    pub fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        self.step_with(a.frozen.rows)?.interpolate(a, theta, out)
    }
    /// What was counted in the steps, without record 0.
    pub fn counts(&self) -> Counts {
        let counts = self.steps.iter().map(|s| s.1.counts());
        let sum = |a: Counts, b: Counts| Counts {
            visits: a.visits + b.visits,
            factorizations: a.factorizations.zip(b.factorizations).map(|(a, b)| a + b),
        };
        counts.reduce(sum).unwrap_or_default()
    }
}

/// Residuals of the records of a run, on any scalar of the program.
pub struct ChainResidual<S: RunScalar> {
    recipe: StepRecipe,
    p: Vec<S>,
    /// Terms for record 0.
    terms: Evaluator<S>,
    /// Memory of the steps for each choice of rows that was met, the first for that of the system.
    steps: Vec<(Option<RowChoice>, Box<dyn Residual<S>>)>,
}

impl<S: RunScalar> ChainResidual<S> {
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
}

impl<S: RunScalar> Residual<S> for ChainResidual<S> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        if !a.is_start() {
            return self.step_with(a.frozen.rows).residual(a, r);
        }
        // record 0
        let Self { recipe, terms, .. } = self;
        let (start, layout) = (recipe.start(), recipe.layout());
        terms.set_branches(a.frozen.branches);
        initial::residual(recipe.system(), &start.law, &layout, a.span.t, a.x, terms, r);
        if start.auxiliary {
            initial::auxiliary_rows(&layout, a.x, r);
        }
    }
}
