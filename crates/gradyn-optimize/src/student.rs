//! Student's t distribution with a whole number of degrees of freedom ν.
//!
//! ```text
//! P(|T| ≤ t) = A(θ),   tan θ = t/√ν
//! A = 2/π (θ + sin θ (cos θ + 2/3 cos³θ + … + (2·4…(ν-3))/(3·5…(ν-2)) cos^(ν-2) θ))       ν odd      (1)
//! A = sin θ (1 + 1/2 cos²θ + … + (1·3…(ν-3))/(2·4…(ν-2)) cos^(ν-2) θ)                     ν even     (2)
//! ```
//! [Abramowitz & Stegun, 26.7.3, 26.7.4]. The sums stop where terms no longer count.

use std::f64::consts::{FRAC_PI_2, PI};

/// P(|T| ≤ √ν tan θ) by (1) or (2).
fn central_probability(θ: f64, nu: usize) -> f64 {
    let (sin, cos) = θ.sin_cos();
    let odd = nu % 2;
    let mut term = if odd == 1 { cos } else { 1.0 };
    let mut sum = 0.0;
    for k in (2 + odd..=nu).step_by(2) {
        sum += term;
        term *= cos * cos * (k - 1) as f64 / k as f64;
        if term < f64::EPSILON * sum * 1e-3 {
            break;
        }
    }
    if odd == 1 { 2.0 / PI * (θ + sin * sum) } else { sin * sum }
}

/// t with P(|T| ≤ t) = p, 0 < p < 1, by bisection in θ.
pub(crate) fn quantile(p: f64, nu: usize) -> f64 {
    let mut lo = 0.0;
    let mut hi = FRAC_PI_2;
    for _ in 0..80 {
        let θ = 0.5 * (lo + hi);
        if central_probability(θ, nu) < p {
            lo = θ;
        } else {
            hi = θ;
        }
    }
    lo.tan() * (nu as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::quantile;

    /// Printed tables of t, two-sided.
    #[test]
    fn quantiles_of_the_tables() {
        for (p, nu, t) in [
            (0.95, 1, 12.706),
            (0.95, 2, 4.303),
            (0.95, 3, 3.182),
            (0.95, 10, 2.228),
            (0.99, 7, 3.499),
            (0.90, 30, 1.697),
            (0.95, 120, 1.980),
            (0.95, 1_000_000, 1.960),
        ] {
            assert!((quantile(p, nu) - t).abs() < 6e-4, "{p} {nu}: {}", quantile(p, nu));
        }
    }
}
