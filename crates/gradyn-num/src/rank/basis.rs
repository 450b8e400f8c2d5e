//! Rows orthogonalised in the order in which they come.
//!
//! ```text
//! a_i = Σ_{j ≤ i} l_ij e_j,   e orthonormal,   l_ii = |remainder of a_i|                            (1)
//! x = Σ d_i a_i:   Lᵀ d = (e_j·x)                                                                   (2)
//! ```
//! Each projection is done twice: orthogonal to rounding.

use super::norm;
use crate::lanes::{LANES, lane_products};

/// Orthonormal vectors e and the triangle L of (1).
#[derive(Clone, Debug, Default)]
pub struct Basis {
    e: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

impl Basis {
    /// The length of what the rows before leave of a row, which is added if that is more than `least`.
    pub fn add(&mut self, mut row: Vec<f64>, least: f64) -> f64 {
        // l_ij = e_j·a_i,  a_i -= l_ij e_j
        let mut l = vec![0.0; self.e.len()];
        for _ in 0..2 {
            for (l, e) in l.iter_mut().zip(&self.e) {
                let along = dot(e, &row);
                *l += along;
                row.iter_mut().zip(e).for_each(|(x, e)| *x -= along * e);
            }
        }

        // e_i = remainder / l_ii
        let rest = norm(&row);
        if rest > least {
            l.push(rest);
            row.iter_mut().for_each(|x| *x /= rest);
            self.e.push(row);
            self.l.push(l);
        }
        rest
    }
    /// Coefficients d of (2), for x in the span of the rows that were added.
    pub fn coefficients(&self, x: &[f64]) -> Vec<f64> {
        let mut d: Vec<f64> = self.e.iter().map(|e| dot(e, x)).collect();
        for i in (0..d.len()).rev() {
            d[i] /= self.l[i][i];
            let di = d[i];
            d[..i].iter_mut().zip(&self.l[i]).for_each(|(d, l)| *d -= di * l);
        }
        d
    }
}

/// Scalar product a·b of vectors of any length, in four sums and the rest.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let b = &b[..a.len()];
    let a_rest = a.as_chunks::<LANES>().1;
    let b_rest = b.as_chunks::<LANES>().1;
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lane_products(a, b).iter().sum::<f64>() + rest
}
