//! Steps of any size from a record, to find where something changes its sign within a step.
//!
//! ```text
//! f(h) = 0,   f(a) f(b) ≤ 0        regula falsi, and bisection where that is slow                       (1)
//! ```

use crate::error::StepError;
use crate::plan::{Decided, Frozen};
use crate::record::Span;
use crate::step::Chain;
use crate::step::adams::coefficients::SIZE;
use crate::trajectory::Trajectory;
use gradyn_model::RowChoice;

/// An extreme of the cubic polynomial that comes so near to zero, relative to the ends, is looked at.
const NEAR: f64 = 0.1;
/// Iterations of (1).
const MAX_ITERATIONS: usize = 100;

/// Steps of any size from a record.
pub(crate) struct Trial {
    pub t: f64,
    pub past: Vec<f64>,
    pub branches: Vec<f64>,
    choice: Vec<u32>,
    rows: Option<RowChoice>,
    before: Vec<f64>,
    /// A step up to this size is a restart with a length [s].
    sliver: f64,
    /// Record at the end of the step that was tried last.
    pub x: Vec<f64>,
}

impl Trial {
    /// Steps from record `n` with what was decided for them.
    pub(crate) fn new(run: &Trajectory, n: usize, Decided { branches, choice, rows }: Decided) -> Self {
        let past = run.present(n).to_vec();
        let before = run.plan.h[n.saturating_sub(SIZE)..n].to_vec();
        Self {
            t: run.plan.t[n],
            x: past.clone(),
            past,
            branches: branches.to_vec(),
            choice: choice.to_vec(),
            rows: run.plan.row_choice(rows).cloned(),
            before,
            sliver: 0.0,
        }
    }
    /// Steps up to a size [s] are restarts with a length, as they will be in the run: the scheme divides
    /// roundings by h².
    pub(crate) fn restarting_below(self, sliver: f64) -> Self {
        Self { sliver, ..self }
    }
    /// A step h.
    pub(crate) fn advance(&mut self, h: f64, chain: &mut Chain) -> Result<(), StepError> {
        let Self { branches, choice, rows, before, .. } = self;
        let restart = h <= self.sliver;
        let past_branches: &[f64] = if restart { branches } else { &[] };
        let rows = rows.as_ref();
        let frozen = Frozen { branches, past_branches, choice, rows, before, restart, ..Frozen::default() };
        chain.begin_trial();
        chain.advance(Span { t: self.t, h }, frozen, &self.past, &mut self.x)?;
        Ok(())
    }
    /// Smallest change of h that changes the time at its end.
    pub(crate) fn least(&self, h: f64) -> f64 {
        2.0 * f64::EPSILON * (self.t + h).abs()
    }
}

/// (1) from a bracket and the values at its ends, up to changes `least` of h, or until |f| ≤ `enough`;
/// `guess` is tried first. The weight of an end that stays is halved.
pub(crate) fn root(
    [mut a, mut b]: [f64; 2],
    [mut fa, mut fb]: [f64; 2],
    guess: Option<f64>,
    (least, enough): (f64, f64),
    at: &mut dyn FnMut(f64) -> Result<f64, StepError>,
) -> Result<f64, StepError> {
    for k in 0..MAX_ITERATIONS {
        if fb.abs() <= enough || (b - a).abs() <= 3.0 * least {
            break;
        }
        let h = match guess {
            Some(guess) if k == 0 => guess,
            _ if k % 3 == 2 => 0.5 * (a + b),
            _ => b - fb * (b - a) / (fb - fa),
        };
        // not on an end: the other one would never move
        let h = h.clamp(a.min(b) + least, a.max(b) - least);
        let f = at(h)?;
        if f.signum() != fb.signum() {
            (a, fa) = (b, fb);
        } else {
            fa *= 0.5;
        }
        (b, fb) = (h, f);
    }
    Ok(b)
}

/// The cubic polynomial through f and ḟ times the step at both ends of a step, on 0 ≤ θ ≤ 1.
pub(crate) struct Cubic {
    f: [f64; 2],
    d: [f64; 2],
}

impl Cubic {
    /// From (f, ḟ) at both ends of a step of some size.
    pub(crate) fn new([f0, d0]: [f64; 2], [f1, d1]: [f64; 2], size: f64) -> Self {
        Self { f: [f0, f1], d: [d0 * size, d1 * size] }
    }
    /// The value at θ.
    pub(crate) fn at(&self, θ: f64) -> f64 {
        let (Self { f: [f0, f1], d: [d0, d1] }, a, b) = (self, 1.0 - θ, θ);
        a * a * ((1.0 + 2.0 * b) * f0 + b * d0) + b * b * ((1.0 + 2.0 * a) * f1 - a * d1)
    }
    /// The value at θ = ½, and the derivative over θ.
    pub(crate) fn middle(&self) -> [f64; 2] {
        let Self { f: [f0, f1], d: [d0, d1] } = self;
        [0.5 * (f0 + f1) + 0.125 * (d0 - d1), 1.5 * (f1 - f0) - 0.25 * (d0 + d1)]
    }
    /// Zeros of its derivative within the step: 3 a θ² + 2 b θ + d₀ = 0.
    pub(crate) fn extremes(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { f: [f0, f1], d: [d0, d1] } = self;
        let a = 2.0 * (f0 - f1) + d0 + d1;
        let b = 3.0 * (f1 - f0) - 2.0 * d0 - d1;
        let root = (b * b - 3.0 * a * d0).max(0.0).sqrt();
        let q = -(b + root.copysign(b));
        let mut extremes = [q / (3.0 * a), d0 / q];
        extremes.sort_by(f64::total_cmp);
        extremes.into_iter().filter(|θ| *θ > 0.0 && *θ < 1.0)
    }
    /// Is it so near to zero there, or beyond, that f itself must say?
    pub(crate) fn is_near(&self, θ: f64) -> bool {
        self.at(θ) * self.f[0].signum() < NEAR * self.f[0].abs().min(self.f[1].abs())
    }
    /// Where f may have another sign than at the beginning: at extremes, and at the end.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = f64> {
        let [f0, f1] = self.f;
        let end = (f1.signum() != f0.signum() || f1 == 0.0).then_some(1.0);
        self.extremes().filter(|θ| self.is_near(*θ)).chain(end)
    }
    /// The first zero of the polynomial before θ, where it is negative, by bisection.
    pub(crate) fn first_zero(&self, θ: f64) -> f64 {
        let mut low = 0.0;
        let mut high = θ;
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.at(middle) < 0.0 { high = middle } else { low = middle }
        }
        high
    }
}
