//! The motion within a step, as polynomials through its records.
//!
//! ```text
//! q: degree 5 through q, q̇, q̈ at both ends;   q̇: degree 3 through q̇, q̈;   q̈, λ: straight lines          (1)
//! ```
//! They go on beyond the step. Steps that the time hardly resolves have straight lines only.

use crate::record::{Layout, Span};
use crate::trajectory::{Numbers, Trajectory};
use gradyn_num::Dual;

/// Steps that are shorter, relative to the time, have straight lines.
const SHORT: f64 = 1e-9;

/// The polynomials of one step.
pub struct Piece<'a> {
    layout: Layout,
    span: Span<f64>,
    x: [Numbers<'a>; 2],
}

impl<'a> Piece<'a> {
    /// Those of a step between two records.
    pub fn new(layout: Layout, span: Span<f64>, x: [&'a [f64]; 2]) -> Self {
        Self { layout, span, x: x.map(Numbers::Kept) }
    }
    /// Those of step `n` of a run.
    pub fn of_step(run: &'a Trajectory, n: usize) -> Self {
        let span = Span { t: run.plan.t[n - 1], h: run.plan.h[n - 1] };
        Self { layout: run.layout, span, x: [run.record(n - 1), run.record(n)] }
    }
    /// (q, v, a, λ) at θ of the step with their rates, and the time.
    pub fn at(&self, θ: f64, node: &mut [Dual<f64, 1>]) -> Dual<f64, 1> {
        let n = self.layout.n;
        let θ = Dual::along(θ, 1.0 / self.span.h);
        let smooth = self.span.h > SHORT * self.span.t.abs();
        for (i, to) in node.iter_mut().enumerate() {
            *to = match i / n.max(1) {
                0 if smooth => self.fifth(i, θ),
                1 if smooth => self.third(i, θ),
                _ => polynomial([self.x[0][i], self.x[1][i] - self.x[0][i]], θ),
            };
        }
        polynomial([self.span.t, self.span.h], θ)
    }
    /// A number with its first and second rates at both ends.
    fn fifth(&self, i: usize, θ: Dual<f64, 1>) -> Dual<f64, 1> {
        let n = self.layout.n;
        let h = self.span.h;
        let [[x, v, a], [y, w, b]] = self.x.each_ref().map(|x| [x[i], x[n + i] * h, x[2 * n + i] * h * h]);
        // x + v θ + ½ a θ², and what is left of y, w, b beside it at θ = 1
        let r = y - x - v - 0.5 * a;
        let s = w - v - a;
        let c = b - a;
        let third = 10.0 * r - 4.0 * s + 0.5 * c;
        let fourth = -15.0 * r + 7.0 * s - c;
        let fifth = 6.0 * r - 3.0 * s + 0.5 * c;
        polynomial([x, v, 0.5 * a, third, fourth, fifth], θ)
    }
    /// A number with its first rate at both ends.
    fn third(&self, i: usize, θ: Dual<f64, 1>) -> Dual<f64, 1> {
        let n = self.layout.n;
        let [[x, v], [y, w]] = self.x.each_ref().map(|x| [x[i], x[n + i] * self.span.h]);
        let r = y - x - v;
        let s = w - v;
        polynomial([x, v, 3.0 * r - s, s - 2.0 * r], θ)
    }
}

/// Σ c_k θᵏ.
fn polynomial<const N: usize>(c: [f64; N], θ: Dual<f64, 1>) -> Dual<f64, 1> {
    c.into_iter().rev().fold(Dual::from(0.0), |sum, c| sum * θ + Dual::from(c))
}
