//! One factorisation of a square matrix on a fixed pattern, dense or sparse.
//!
//! ```text
//! refactor: P A Q = L U      solve: b ← A⁻¹ b      solve_t: b ← A⁻ᵀ b
//! ```
//! [`Factor::new`] takes the dense one for n ≤ 24, and for n ≤ 400 where the sparse one multiplies more than
//! a third as often. A matrix that is singular to rounding, or has a value that is not finite, is an error of
//! `refactor`; a solve is never NaN because of A.

use crate::dense::DenseLu;
use crate::sparse::{Pivots, SparseLu};
use crate::{FactorError, Pattern, Singular};
use std::cell::Cell;
use std::sync::Arc;

/// Size up to which the dense factorisation is taken, whatever the pattern.
const LARGEST_DENSE: usize = 24;

/// How many times longer a multiplication of the sparse factorisation takes.
const SPARSE_SLOWDOWN: usize = 3;

thread_local!(static DENSE_UP_TO: Cell<usize> = const { Cell::new(LARGEST_DENSE) });

/// Runs `f`, in which [`Factor::new`] takes the dense factorisation up to size `n`: how tests compare the two
/// on one model.
pub fn dense_up_to<R>(n: usize, f: impl FnOnce() -> R) -> R {
    let before = DENSE_UP_TO.replace(n);
    let result = f();
    DENSE_UP_TO.set(before);
    result
}

/// LU of a square matrix on a fixed pattern.
#[derive(Clone, Debug)]
pub struct Factor {
    kind: FactorKind,
}

#[derive(Clone, Debug)]
enum FactorKind {
    /// The dense one, and the place of each position in the row-major matrix.
    Dense(DenseLu, Arc<[u32]>),
    Sparse(Box<SparseLu>),
}

impl Factor {
    /// The faster factorisation for the pattern.
    pub fn new(pattern: &Pattern) -> Result<Self, FactorError> {
        Self::with_optional(pattern, &[])
    }

    /// The faster factorisation where some positions may be zero in all matrices.
    pub(crate) fn with_optional(pattern: &Pattern, optional: &[u32]) -> Result<Self, FactorError> {
        let n = pattern.rows();
        if n <= DENSE_UP_TO.get() {
            return Self::dense(pattern);
        }
        let lu = SparseLu::with_optional(pattern, optional)?;
        if n <= 400 && SPARSE_SLOWDOWN * lu.work() > n * n * n / 3 {
            return Self::dense(pattern);
        }
        Ok(Self { kind: FactorKind::Sparse(Box::new(lu)) })
    }

    /// The dense factorisation.
    pub fn dense(pattern: &Pattern) -> Result<Self, FactorError> {
        let n = pattern.rows();
        if n != pattern.cols() {
            return Err(FactorError::NotSquare { rows: n, cols: pattern.cols() });
        }
        let places = pattern.iter().map(|(i, j, _)| (i * n + j) as u32).collect();
        Ok(Self { kind: FactorKind::Dense(DenseLu::new(n), places) })
    }

    /// The sparse factorisation.
    pub fn sparse(pattern: &Pattern) -> Result<Self, FactorError> {
        Ok(Self { kind: FactorKind::Sparse(Box::new(SparseLu::new(pattern)?)) })
    }

    /// What the pivots in use were chosen for: all that a factorisation remembers of earlier matrices. The
    /// dense one remembers nothing.
    pub fn pivots(&mut self) -> Option<Arc<Pivots>> {
        match &mut self.kind {
            FactorKind::Dense(..) => None,
            FactorKind::Sparse(lu) => lu.pivots(),
        }
    }

    /// Goes back to pivots that `pivots` gave, or to none; a refactor follows.
    pub fn restore(&mut self, pivots: Option<&Arc<Pivots>>) {
        if let FactorKind::Sparse(lu) = &mut self.kind {
            lu.restore(pivots);
        }
    }

    /// True if this is the sparse factorisation.
    pub fn is_sparse(&self) -> bool {
        matches!(self.kind, FactorKind::Sparse(_))
    }

    /// Factorises A with new values, one per position of the pattern. The error names the column without a
    /// pivot, or with a value that is not finite.
    #[inline]
    pub fn refactor(&mut self, values: &[f64]) -> Result<(), Singular> {
        match &mut self.kind {
            FactorKind::Dense(lu, places) => {
                assert!(
                    values.len() == places.len(),
                    "{} values on a pattern of {}",
                    values.len(),
                    places.len()
                );
                let a = lu.matrix_mut();
                for (&place, &value) in places.iter().zip(values) {
                    a[place as usize] = value;
                }
                lu.factor()
            }
            FactorKind::Sparse(lu) => lu.refactor(values),
        }
    }

    /// b ← A⁻¹ b.
    ///
    /// # Panics
    /// If the last `refactor` failed.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        match &mut self.kind {
            FactorKind::Dense(lu, _) => lu.solve(b),
            FactorKind::Sparse(lu) => lu.solve(b),
        }
    }

    /// b ← A⁻ᵀ b.
    ///
    /// # Panics
    /// If the last `refactor` failed.
    #[inline]
    pub fn solve_t(&mut self, b: &mut [f64]) {
        match &mut self.kind {
            FactorKind::Dense(lu, _) => lu.solve_t(b),
            FactorKind::Sparse(lu) => lu.solve_t(b),
        }
    }
}
