//! Rows orthogonalised in the order in which they come.
//!
//! ```text
//! a_i = Σ_{j ≤ i} l_ij e_j,   e orthonormal,   l_ii = |remainder of a_i|                                (1)
//! x = Σ d_i a_i:   Lᵀ d = (e_j·x)                                                                      (2)
//! ```
//! Each projection is done twice: orthogonal to rounding.

use super::norm;

/// (1).
#[derive(Clone, Debug, Default)]
pub struct Basis {
    e: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

impl Basis {
    /// The length of what the rows before leave of a row, which is added if that is more than `least`.
    pub fn add(&mut self, mut row: Vec<f64>, least: f64) -> f64 {
        let mut l = vec![0.0; self.e.len()];
        for _ in 0..2 {
            for (l, e) in l.iter_mut().zip(&self.e) {
                let along = dot(e, &row);
                *l += along;
                row.iter_mut().zip(e).for_each(|(x, e)| *x -= along * e);
            }
        }
        let rest = norm(&row);
        if rest > least {
            l.push(rest);
            row.iter_mut().for_each(|x| *x /= rest);
            self.e.push(row);
            self.l.push(l);
        }
        rest
    }
    /// d of (2), for x in the span of the rows that were added.
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

/// a·b in four sums.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, b4) = (a.chunks_exact(4), b[..a.len()].chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a4.zip(b4) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + rest
}
