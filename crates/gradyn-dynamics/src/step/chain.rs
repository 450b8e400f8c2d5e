//! The records of a run, one after the other: record 0 is the start, every other record a step.
//!
//! A start has no past. [`Chain`] and [`ChainResidual`] send it to [`Initial`] and all other records to the
//! step: nobody else knows the difference.

use super::{Counts, Layout, Report, Residual, Span, StepArgs, Stepper, Tolerance};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::initial::{self, Initial};
use crate::plan::Frozen;
use gradyn_model::{Evaluator, RunScalar, Setup};

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
    pub(super) sys: Setup,
    pub(super) step: Box<dyn Stepper>,
    /// Was record 0 linearised last?
    pub(super) at_start: bool,
}

impl Chain {
    /// The choices of the step that begins at `past`, given those of the attempt before, `since` steps after
    /// the last declared time or knot; forward runs only.
    pub(crate) fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        self.step.decide(span, past, since, choice)
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
            [] => self.start.advance(&self.sys, span.t, frozen.angles, x),
            _ => self.step.advance(span, frozen, past, x),
        }
    }
    /// Exact partials at a converged record.
    pub fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        self.at_start = a.is_start();
        match self.at_start {
            true => self.start.linearise(&self.sys, a.span.t, a.frozen.angles, a.x),
            false => self.step.linearise(a),
        }
    }
    /// Solves with the linearised record: b ← R_x⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        match self.at_start {
            true => self.start.solve(&self.sys, b),
            false => self.step.solve(b),
        }
    }
    /// Solves with its transpose: b ← R_x⁻ᵀ b.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        match self.at_start {
            true => self.start.solve_t(&self.sys, b),
            false => self.step.solve_t(b),
        }
    }
    /// r += R_past s; record 0 has no past.
    pub fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        if !self.at_start {
            self.step.past_mul(s, r);
        }
    }
    /// out += R_pastᵀ μ; record 0 has no past.
    pub fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        if !self.at_start {
            self.step.past_mul_t(mu, out);
        }
    }
    /// Adds the slots along δ: r += R_p δ.
    pub fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        match self.at_start {
            true => self.start.slot_mul(&self.sys, delta, r),
            false => self.step.slot_mul(delta, r),
        }
    }
    /// grad += s R_pᵀ μ.
    pub fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        match self.at_start {
            true => self.start.slot_mul_t(&self.sys, mu, s, grad),
            false => self.step.slot_mul_t(mu, s, grad),
        }
    }
    /// Error of the embedded method relative to the tolerances, and the coordinate where it is largest.
    pub(crate) fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        self.step.error(a, tol)
    }
    /// The factor of the step size after an attempt with that error; above 1 it was rejected.
    pub(crate) fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        self.step.resize(control, error)
    }
    /// Was the last step limited by stability instead of accuracy?
    pub(crate) fn limited(&self) -> bool {
        self.step.limited()
    }
    /// (q, v) at t + θh by the scheme's own interpolant of order ≥ 3; `out` is a node whose (a, λ) follow
    /// from the equations.
    pub fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        self.step.interpolate(a, theta, out)
    }
    /// What was counted in the steps, without record 0.
    pub fn counts(&self) -> Counts {
        self.step.counts()
    }
}

/// Residuals of the records of a run, on any scalar of the program.
pub struct ChainResidual<S: RunScalar> {
    pub(super) sys: Setup,
    pub(super) layout: Layout,
    pub(super) start: StartLaw,
    /// Terms for record 0.
    pub(super) terms: Evaluator<S>,
    pub(super) step: Box<dyn Residual<S>>,
}

impl<S: RunScalar> Residual<S> for ChainResidual<S> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        if !a.is_start() {
            return self.step.residual(a, r);
        }
        self.terms.set_angles(a.frozen.angles);
        initial::residual(&self.sys, &self.start.law, &self.layout, a.span.t, a.x, &mut self.terms, r);
        if self.start.auxiliary {
            initial::auxiliary_rows(&self.layout, a.x, r);
        }
    }
}
