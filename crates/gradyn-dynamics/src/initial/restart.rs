//! The record after a jump: the motion goes on, accelerations and multipliers are new.
//!
//! ```text
//! q = q⁻ + h v⁻,   v = v⁻ + h a⁻,   z = z⁻ + h g⁻              h = 0, or a sliver                        (1)
//! F₀(t, q, v, a, λ; p) = 0                                     with the sides that follow                (2)
//! extras = 0,   â = a                                          as in record 0                            (3)
//! ```
//! A change that follows a node by less than what a step can be has a restart with a length before it, of
//! first order. (2) and (3) are those of record 0.

use super::{Initial, auxiliary_rows};
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::record::{Layout, Report, Span};
use gradyn_model::{At, Evaluator, FunctionalSet, RunScalar, Setup};
use gradyn_num::largest;

/// Sweeps of (2), which is linear in (a, λ): a second one refines the first.
const SWEEPS: usize = 3;

/// (1)–(3) on any scalar; `terms` have the slots and the sides.
pub(crate) fn residual<S: RunScalar>(
    sys: &Setup,
    law: &Lagrange,
    layout: &Layout,
    span: Span<S>,
    [past, x]: [&[S]; 2],
    terms: &mut Evaluator<S>,
    r: &mut [S],
) {
    let n = layout.n;
    r.copy_from_slice(x); // (3)
    // (1): (q, v) and z
    (0..2 * n).for_each(|i| r[i] = x[i] - (past[i] + past[n + i] * span.h));
    let z = layout.z();
    if layout.o > 0 {
        let mut g = vec![S::zero(); layout.o];
        terms.at_time(span.t);
        terms.measure(FunctionalSet::Integrand, &layout.node(span.t, past), &mut g);
        (0..layout.o).for_each(|k| r[z + k] = x[z + k] - (past[z + k] + g[k] * span.h));
    }
    // (2)
    let at = layout.node(span.end(), x);
    terms.at(span.end(), at.q);
    law.residual(sys, &at, terms, &mut r[2 * n..z]);
}

impl Initial {
    /// Solves (1)–(3) for x.
    pub(crate) fn restart(
        &mut self,
        sys: &Setup,
        span: Span<f64>,
        branches: &[f64],
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (n, layout) = (self.layout.n, self.layout);
        let (z, head) = (layout.z(), layout.head());
        // (1) and (3), with (a, λ) of the past to begin with
        x.copy_from_slice(past);
        x[head..].fill(0.0);
        let mut r = std::mem::take(&mut self.scratch);
        self.acceleration.terms.set_branches(branches);
        for _ in 0..SWEEPS {
            residual(sys, &self.law, &layout, span, [past, x], &mut self.acceleration.terms, &mut r);
            if self.auxiliary {
                auxiliary_rows(&layout, x, &mut r);
            }
            self.linearise_restart(sys, span, branches, [past, x])?;
            self.solve_restart(sys, &mut r);
            x.iter_mut().zip(&r).for_each(|(x, r)| *x -= r);
            if largest(r[2 * n..z].iter().copied()) <= f64::EPSILON * largest(x[2 * n..z].iter().copied()) {
                break;
            }
        }
        let bad = r.iter().position(|r| !r.is_finite());
        self.scratch = r;
        match bad {
            Some(bad) => Err(StepError::NotFinite { t: span.end(), equation: self.unknown(sys, bad) }),
            None => Ok(Report { iterations: SWEEPS, factorizations: SWEEPS }),
        }
    }
    /// Partials of (1) and (2) at x.
    pub(crate) fn linearise_restart(
        &mut self,
        sys: &Setup,
        span: Span<f64>,
        branches: &[f64],
        [past, x]: [&[f64]; 2],
    ) -> Result<(), StepError> {
        self.acceleration.terms.set_branches(branches);
        let (n, m) = (self.layout.n, self.layout.m);
        // g_x⁻ of (1)
        self.h = span.h;
        if span.h != 0.0 && self.layout.o > 0 {
            self.acceleration.terms.at_time(span.t);
            self.past_g.set(&self.layout.node(span.t, past), &mut self.acceleration.terms);
        }
        // (2)
        let t = span.end();
        self.t = t;
        self.point.copy_from_slice(&x[..self.layout.z()]);
        let at = At::of(t, &self.point, n, m);
        self.acceleration.set(sys, &at);
        self.solver.refactor(sys, t, &self.acceleration.terms, self.law.compliance)
    }
    /// b ← R_x⁻¹ b: positions and velocities as they are, then accelerations.
    pub(crate) fn solve_restart(&mut self, sys: &Setup, b: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        let (state, rest) = b.split_at_mut(2 * n);
        let (q, v) = state.split_at(n);
        let u = &mut rest[..n + m];
        self.acceleration.state_mul(sys, -1.0, q, v, u);
        self.solver.solve(sys, &self.acceleration.terms, u);
        self.auxiliary_plain(b);
    }
    /// b ← R_x⁻ᵀ b.
    pub(crate) fn solve_restart_t(&mut self, sys: &Setup, b: &mut [f64]) {
        self.state_t(sys, b);
    }
    /// r += R_past s.
    pub(crate) fn restart_past_mul(&self, s: &[f64], r: &mut [f64]) {
        let (n, z, h) = (self.layout.n, self.layout.z(), self.h);
        (0..2 * n).for_each(|i| r[i] -= s[i] + h * s[n + i]);
        for k in 0..self.layout.o {
            r[z + k] -= s[z + k];
            if h != 0.0 {
                r[z + k] -= h * self.past_g.mul(k, s);
            }
        }
    }
    /// out += R_pastᵀ μ.
    pub(crate) fn restart_past_mul_t(&self, mu: &[f64], out: &mut [f64]) {
        let (n, z, h) = (self.layout.n, self.layout.z(), self.h);
        for i in 0..2 * n {
            out[i] -= mu[i];
            out[n + i] -= h * mu[i];
        }
        for k in 0..self.layout.o {
            out[z + k] -= mu[z + k];
            if h != 0.0 {
                self.past_g.mul_t(k, -h * mu[z + k], out);
            }
        }
    }
    /// r += R_p δ.
    pub(crate) fn restart_slot_mul(&mut self, sys: &Setup, delta: &[f64], r: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        self.acceleration.slot_mul(delta, &mut r[2 * n..z]);
        if self.h != 0.0 {
            (0..self.layout.o).for_each(|k| r[z + k] -= self.h * self.past_g.slot_mul(sys, k, delta));
        }
    }
    /// grad += s R_pᵀ μ.
    pub(crate) fn restart_slot_mul_t(&mut self, sys: &Setup, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        self.acceleration.slot_mul_t(&mu[2 * n..z], s, grad);
        if self.h != 0.0 {
            let weight = -s * self.h;
            (0..self.layout.o).for_each(|k| self.past_g.slot_mul_t(sys, k, weight * mu[z + k], grad));
        }
    }
}
