//! BFGS with a full matrix.
//!
//! ```text
//! d = -H g,   s = z⁺ - z,   y = g⁺ - g,   ρ = 1/(yᵀs)
//! H⁺ = (I - ρ s yᵀ) H (I - ρ y sᵀ) + ρ s sᵀ                                  (1)
//! H₀ = (yᵀs / yᵀy) I   before the first (1)                                   (2)
//! ```
//! A pair without curvature is left out. Where no step is found along d, H starts again from the gradient.

use crate::line_search::wolfe;
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::progress::{Progress, allowance};
use crate::vector::{diagonal, dot, largest, minus, mul};

/// State between two iterations.
pub(crate) struct Bfgs {
    /// H; nothing: no curvature is known.
    pub h: Option<Vec<f64>>,
}

impl Iteration for Bfgs {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let from = &progress.point;

        // d = -H g; the first step has length 1 at most
        let d: Vec<f64> = match &self.h {
            Some(h) => mul(h, &from.g).iter().map(|x| -x).collect(),
            None => from.g.iter().map(|x| -x).collect(),
        };
        let first = if self.h.is_some() { 1.0 } else { (1.0 / largest(from.g.iter().copied())).min(1.0) };
        let slope = dot(&from.g, &d);

        // z⁺ = z + α d
        let noise = allowance(oracle.space, from.f, first * slope);
        let found = if slope < 0.0 { wolfe(oracle, from, &d, first, noise)? } else { None };
        let Some(to) = found else {
            return Ok(match self.h {
                Some(_) => Step::Next(Box::new(Bfgs { h: None })),
                None => Step::End(progress.stuck(oracle.space, first * slope)),
            });
        };

        // H⁺
        let s = minus(&to.z, &from.z);
        let y = minus(&to.g, &from.g);
        let h = update(self.h.as_deref(), &s, &y);
        progress.accept(oracle.space, to, vec![]);
        Ok(Step::Next(Box::new(Bfgs { h })))
    }
}

/// H⁺ of the pair s, y by (1), or from (2) where no curvature was known.
fn update(h: Option<&[f64]>, s: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let n = s.len();
    let ys = dot(y, s);
    let yy = dot(y, y);
    if ys <= f64::EPSILON * (yy * dot(s, s)).sqrt() {
        return h.map(|h| h.to_vec());
    }
    let mut h = h.map_or_else(|| diagonal(n, ys / yy), |h| h.to_vec());
    let hy = mul(&h, y);
    let scale = (1.0 + dot(y, &hy) / ys) / ys;
    for i in 0..n {
        for j in 0..n {
            h[i * n + j] += scale * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / ys;
        }
    }
    Some(h)
}
