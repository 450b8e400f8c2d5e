//! Eigenvalues and singular values of a small matrix, for analysis.

use faer::Side;

/// Eigenvalues or singular values and their vectors.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Eigenvalues, which increase, or singular values, which decrease.
    pub values: Vec<f64>,
    /// A vector of unit length for each value.
    pub vectors: Vec<Vec<f64>>,
}

impl Spectrum {
    /// Eigenvalues of the symmetric part of an n × n matrix, by rows; nothing if it does not converge.
    pub fn new(n: usize, a: &[f64]) -> Option<Self> {
        let matrix = faer::Mat::from_fn(n, n, |i, j| 0.5 * (a[i * n + j] + a[j * n + i]));
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let u = eigen.U();
        let s = eigen.S().column_vector();
        let vectors = (0..n).map(|k| (0..n).map(|i| u[(i, k)]).collect()).collect();
        Some(Self { values: (0..n).map(|k| s[k]).collect(), vectors })
    }
    /// Singular values of an n × n matrix, by rows, with the vectors that it maps to multiples of the others.
    pub fn singular(n: usize, a: &[f64]) -> Option<Self> {
        let svd = faer::Mat::from_fn(n, n, |i, j| a[i * n + j]).svd().ok()?;
        let v = svd.V();
        let s = svd.S().column_vector();
        let vectors = (0..n).map(|k| (0..n).map(|i| v[(i, k)]).collect()).collect();
        Some(Self { values: (0..n).map(|k| s[k]).collect(), vectors })
    }
}
