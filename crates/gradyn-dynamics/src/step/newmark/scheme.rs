//! The generalised-α family: v* and a* are affine in q and the past node.
//!
//! ```text
//! q  = q₀ + h v₀ + h² ((½ - β) â₀ + β â)                                            (1)  [A22, Eq. 4]
//! v* = v₀ + h ((1 - γ) â₀ + γ â)                                                   (2)
//! (1 - α_m) â + α_m â₀ = (1 - α_f) a* + α_f a₀                                     (3)  [Arnold & Brüls 2007]
//! v* = γ/(βh) (q - q₀) + (1 - γ/β) v₀ + (1 - γ/2β) h â₀                             (4)
//! a* = s/(βh²) (q - q₀) - s/(βh) v₀ + (s (1 - 1/2β) + α_m/(1 - α_f)) â₀ - α_f/(1 - α_f) a₀  (5)
//!      with s = (1 - α_m)/(1 - α_f)
//! ```
//! (4), (5) are (1)–(3) without â. α_m = α_f = 0 is Newmark: â = a, nothing is stored. The record's â follows
//! from (3) with the projected a in place of a*. Order 2 where γ = ½ - α_m + α_f; unconditionally stable for
//! linear systems where also β ≥ (½ + γ)²/4 and α_m ≤ α_f ≤ ½.

use gradyn_num::ProgramScalar;

/// β, γ, α_m, α_f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Weight β of the new acceleration in q.
    pub beta: f64,
    /// Weight γ of the new acceleration in v.
    pub gamma: f64,
    /// Weight α_m of the past auxiliary acceleration.
    pub alpha_m: f64,
    /// Weight α_f of the past acceleration.
    pub alpha_f: f64,
}

impl Scheme {
    /// The trapezoidal rule.
    pub const TRAPEZOIDAL: Self = Self::newmark(0.25, 0.5);
    /// Newmark's scheme, without auxiliary acceleration.
    pub const fn newmark(beta: f64, gamma: f64) -> Self {
        Self { beta, gamma, alpha_m: 0.0, alpha_f: 0.0 }
    }
    /// β = (1 - ξ)²/4, γ = (1 - 2ξ)/2 [A22, Eq. 5, corrected]: ξ = 0 is the trapezoidal rule, ξ < 0
    /// dissipates.
    pub fn dissipative(xi: f64) -> Self {
        Self::newmark((1.0 - xi).powi(2) / 4.0, (1.0 - 2.0 * xi) / 2.0)
    }
    /// β = (1 - α_m + α_f)²/4, γ = ½ - α_m + α_f: order 2 and the most dissipation of high frequencies.
    fn second_order(alpha_m: f64, alpha_f: f64) -> Self {
        let δ = alpha_f - alpha_m;
        Self { beta: (1.0 + δ).powi(2) / 4.0, gamma: 0.5 + δ, alpha_m, alpha_f }
    }
    /// Hilber, Hughes & Taylor: α_m = 0, α_f in [0, 1/3].
    pub fn hht(alpha_f: f64) -> Self {
        Self::second_order(0.0, alpha_f)
    }
    /// Chung & Hulbert by the spectral radius at infinite frequency, in [0, 1]; 1 conserves.
    pub fn generalized_alpha(rho_inf: f64) -> Self {
        let ρ = rho_inf;
        Self::second_order((2.0 * ρ - 1.0) / (ρ + 1.0), ρ / (ρ + 1.0))
    }
    /// Is â stored, or is it a?
    pub(crate) fn auxiliary(&self) -> bool {
        self.alpha_m != 0.0 || self.alpha_f != 0.0
    }
    /// Does it damp high frequencies?
    pub fn dissipates(&self) -> bool {
        self.gamma > 0.5
    }
    /// Order in q and v.
    pub(crate) fn order(&self) -> usize {
        // rounding of the sum
        if (self.gamma + self.alpha_m - self.alpha_f - 0.5).abs() < 1e-14 { 2 } else { 1 }
    }
    /// ∂(v*, a*)/∂(q₀, v₀, â₀, a₀), (4) and (5); ∂/∂q is minus the first of each.
    pub(crate) fn coefficients<S: ProgramScalar>(&self, h: S) -> [[S; 4]; 2] {
        let Self { beta: β, gamma: γ, alpha_m, alpha_f } = *self;
        let c = S::one() / (h * h * β);
        let s = (1.0 - alpha_m) / (1.0 - alpha_f);
        let f = 1.0 / (1.0 - alpha_f);
        let velocity = [-(c * h * γ), S::from(1.0 - γ / β), h * (1.0 - 0.5 * γ / β), S::zero()];
        let acceleration =
            [-(c * s), -(c * h * s), S::from(s * (1.0 - 0.5 / β) + alpha_m * f), S::from(-alpha_f * f)];
        [velocity, acceleration]
    }
    /// ∂â/∂(a, a₀, â₀), (3).
    pub(crate) fn filter(&self) -> [f64; 3] {
        [1.0 - self.alpha_f, self.alpha_f, -self.alpha_m].map(|c| c / (1.0 - self.alpha_m))
    }
}
