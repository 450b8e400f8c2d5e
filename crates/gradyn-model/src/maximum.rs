//! The smooth maximum of a quantity over time.
//!
//! ```text
//! ψ = y₀ + (1/κ) ln z,   z = ∫ g dt,   g = e^{κ (y - y₀)}/τ                                          (1)
//! y_τ ≤ ψ ≤ max y + (1/κ) ln(T/τ)                                                                  (2)
//! ψ' = z'/(κ z)                                                                                    (3)
//! ```
//! y_τ is the highest level that y exceeds for the time τ in total, T the duration of the run. Left side of
//! (2): g ≥ e^{κ (y_τ - y₀)}/τ for the time τ; right side: g is nowhere larger than at max y. Peaks shorter
//! than τ count less; at τ = T (1) is never above the maximum. y₀ changes nothing in (1): it keeps the
//! exponential within the range of numbers, |κ (y - y₀)| < 700. (2) holds for the integral; rules with
//! positive weights, such as the trapezoidal one, keep its right side for max y over the points that they
//! take.

use crate::program::Sym;

/// κ, τ and y₀ of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maximum {
    /// κ > 0 [1/unit of y].
    pub sharpness: f64,
    /// The time τ > 0 that counts as a peak [s].
    pub duration: f64,
    /// y₀, near the maximum.
    pub near: f64,
}

impl Maximum {
    /// The integrand g of a level y.
    pub(crate) fn integrand<'g>(&self, y: Sym<'g>) -> Sym<'g> {
        ((y - self.near) * self.sharpness).exp() * (1.0 / self.duration)
    }
    /// The level y of an integrand g.
    pub fn level(&self, g: f64) -> f64 {
        self.value(g * self.duration)
    }
    /// The maximum ψ of an integral z.
    pub fn value(&self, z: f64) -> f64 {
        self.near + z.ln() / self.sharpness
    }
    /// The slope ψ_z of (3).
    pub fn slope(&self, z: f64) -> f64 {
        1.0 / (self.sharpness * z)
    }
    /// The most that ψ is above the maximum, (2).
    pub fn excess(&self, time: f64) -> f64 {
        (time / self.duration).ln() / self.sharpness
    }
}
