//! Sizes of steps beside a root, a place where a power begins whose exponent is no integer.
//!
//! ```text
//! h ≤ max(s/2, h₀)      s after the last root, or what is left to the next one after the step            (1)
//! h₀ = rtol^(2/3) T/10  the step that ends at a root, and the first one after it                        (2)
//! e ≤ s/T               the error of a step, where others may have 1; not less than roundings           (3)
//! ```
//! Steps are chosen for the error e of a step. What the gradient has is its slope e/s, since a root moves
//! with the parameters and nodes do not: with (3) it is e/T as elsewhere. Estimates know (3) where h is less
//! than s, (1); the error of the steps (2) grows like h₀^2.5, so that its slope is like rtol.

use crate::control::Controller;
use crate::record::Span;

/// The largest step beside a root, relative to its distance from the root.
const PART: f64 = 0.5;

/// Steps of schemes of positions divide roundings by h²: none is shorter than this part of the run.
const SHORTEST: f64 = 5e-6;

/// Relative errors of steps that are roundings.
const ROUNDING: f64 = 100.0 * f64::EPSILON;

/// The roots beside the present time.
pub(super) struct Roots {
    /// The last one [s].
    last: f64,
    /// The next one, as the rates of its condition say [s].
    expected: f64,
    /// The next one, as a step has met it that was too long [s].
    met: f64,
    /// (2) [s]; none where steps are fixed.
    least: Option<f64>,
    /// Length of the run [s], and the least error of (3).
    length: f64,
    rounding: f64,
}

impl Roots {
    /// No root so far, in a run of some length [s], by steps that may be of `positions`.
    pub(super) fn new(control: &Controller, length: f64, positions: bool) -> Self {
        let rtol = control.tolerance.map(|tol| tol.rtol);
        let least = rtol.map(|rtol| 0.1 * rtol.powf(2.0 / 3.0) * length);
        let least = least.map(|least| if positions { least.max(SHORTEST * length) } else { least });
        let rounding = rtol.map_or(1.0, |rtol| (ROUNDING / rtol).min(1.0));
        Self { last: f64::NEG_INFINITY, expected: f64::INFINITY, met: f64::INFINITY, least, length, rounding }
    }
    /// The error that a step may have, (3).
    pub(super) fn error(&self, span: Span<f64>) -> f64 {
        let distance = (span.end() - self.last).min(self.next() - span.t);
        (distance / self.length).clamp(self.rounding, 1.0)
    }
    /// The largest step at t, (1).
    pub(super) fn largest(&self, t: f64) -> f64 {
        let Some(least) = self.least else { return f64::INFINITY };
        let after = PART * (t - self.last);
        let before = (self.next() - t) * PART / (1.0 + PART);
        after.min(before).max(least)
    }
    /// A root is expected at t, as seen from now.
    pub(super) fn expect(&mut self, now: f64, t: f64) {
        self.expected = t;
        // one that was met and did not come
        if now >= self.met {
            self.met = f64::INFINITY;
        }
    }
    /// The next root [s].
    fn next(&self) -> f64 {
        self.expected.min(self.met)
    }
    /// Is a root that is met a time h after t so far away that steps are to shrink first?
    pub(super) fn is_ahead(&mut self, t: f64, h: f64) -> bool {
        let far = self.least.is_some_and(|least| h > 2.0 * least);
        if far {
            self.met = t + h;
        }
        far
    }
    /// A root is passed at t.
    pub(super) fn pass(&mut self, t: f64) {
        self.last = t;
        self.met = f64::INFINITY;
    }
}
