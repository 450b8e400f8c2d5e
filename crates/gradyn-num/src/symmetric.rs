//! Eigenvalues of a symmetric matrix, for analysis.

use faer::Side;

/// Eigenvalues, increasing, and their vectors.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Increasing.
    pub values: Vec<f64>,
    /// One of unit length for each.
    pub vectors: Vec<Vec<f64>>,
}

impl Spectrum {
    /// Of the symmetric part of an n × n matrix, by rows; nothing if it does not converge.
    pub fn new(n: usize, a: &[f64]) -> Option<Self> {
        let matrix = faer::Mat::from_fn(n, n, |i, j| 0.5 * (a[i * n + j] + a[j * n + i]));
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let (u, s) = (eigen.U(), eigen.S().column_vector());
        let vectors = (0..n).map(|k| (0..n).map(|i| u[(i, k)]).collect()).collect();
        Some(Self { values: (0..n).map(|k| s[k]).collect(), vectors })
    }
}
