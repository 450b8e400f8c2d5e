//! The motion within a step, as polynomials through its records.
//!
//! ```text
//! q: degree 5 through q, q̇, q̈ at both ends;   q̇: degree 3 through q̇, q̈;   q̈, λ: straight lines          (1)
//! ```
//! They go on beyond the step. Steps that the time hardly resolves have straight lines only.

use gradyn_dynamics::{Layout, Numbers, Trajectory};
use gradyn_num::Dual;

/// Steps that are shorter, relative to the time, have straight lines.
const SHORT: f64 = 1e-9;

/// The polynomials of one step.
pub(super) struct Piece<'a> {
    layout: Layout,
    t: f64,
    h: f64,
    x: [Numbers<'a>; 2],
}

impl<'a> Piece<'a> {
    /// Those of step `n` of a run.
    pub(super) fn new(run: &'a Trajectory, n: usize) -> Self {
        let x = [run.record(n - 1), run.record(n)];
        Self { layout: run.layout, t: run.plan.t[n - 1], h: run.plan.h[n - 1], x }
    }
    /// (q, v, a, λ) at θ of the step with their rates, and the time.
    pub(super) fn at(&self, θ: f64, node: &mut [Dual<f64, 1>]) -> Dual<f64, 1> {
        let n = self.layout.n;
        let θ = Dual::along(θ, 1.0 / self.h);
        let smooth = self.h > SHORT * self.t.abs();
        for (i, to) in node.iter_mut().enumerate() {
            *to = match i / n.max(1) {
                0 if smooth => self.fifth(i, θ),
                1 if smooth => self.third(i, θ),
                _ => polynomial([self.x[0][i], self.x[1][i] - self.x[0][i]], θ),
            };
        }
        polynomial([self.t, self.h], θ)
    }
    /// A number with its first and second rates at both ends.
    fn fifth(&self, i: usize, θ: Dual<f64, 1>) -> Dual<f64, 1> {
        let n = self.layout.n;
        let h = self.h;
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
        let [[x, v], [y, w]] = self.x.each_ref().map(|x| [x[i], x[n + i] * self.h]);
        let r = y - x - v;
        let s = w - v;
        polynomial([x, v, 3.0 * r - s, s - 2.0 * r], θ)
    }
}

/// Σ c_k θᵏ.
fn polynomial<const N: usize>(c: [f64; N], θ: Dual<f64, 1>) -> Dual<f64, 1> {
    c.into_iter().rev().fold(Dual::from(0.0), |sum, c| sum * θ + Dual::from(c))
}
