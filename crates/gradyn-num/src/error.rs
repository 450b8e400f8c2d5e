//! Errors of the factorisations.

/// A matrix has no usable factorisation at its present values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("singular matrix: no usable pivot at index {index}")]
pub struct Singular {
    /// Column whose pivot vanished, or the column that holds a non-finite value. In [`Kkt`](crate::Kkt) see
    /// [`Kkt::refactor`](crate::Kkt::refactor).
    pub index: usize,
}

/// A factorisation cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactorError {
    /// The matrix is not square.
    #[error("a square matrix is needed, this one is {rows} × {cols}")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// J of `[A Jᵀ; J -c]` does not fit A.
    #[error("A has {n} columns and J has {cols}")]
    Mismatch {
        /// Number of columns of A.
        n: usize,
        /// Number of columns of J.
        cols: usize,
    },
    /// A value is NaN or infinite.
    #[error("value at position {position} of the pattern is not finite")]
    NotFinite {
        /// Position in the pattern.
        position: usize,
    },
    /// The sparse back end failed: memory or index overflow.
    #[error("sparse factorisation: {0}")]
    Sparse(String),
}
