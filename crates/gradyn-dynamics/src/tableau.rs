//! Butcher tableaus as data, with references; their order conditions are tests.
//!
//! ```text
//! (q̂, v̂)_i = (q, v)_0 + h Σ_j a_ij (v, a)_j,   i = 1 … s,   block 0 the past node, block s the node, a_sj = b_j  (1)
//! ```
//! One shape serves all schemes. Explicit: a_ij = 0 for j ≥ i. Diagonally implicit: a_ii ≠ 0. Coupled: the
//! first `coupled` blocks see each other. A scheme whose last stage is the node (stiffly accurate) has a_ss =
//! b_s ≠ 0.

mod explicit;
mod implicit;
mod rosenbrock;

pub use explicit::{DOP853, DOPRI5, RK4};
pub use implicit::{GAUSS4, RADAU3, RADAU5, SDIRK4, TRAPEZOIDAL};
pub use rosenbrock::{RODAS4, ROS3, Rosenbrock, Scheme};

use std::ops::Range;

/// Coefficients of a scheme (1), as data.
#[derive(Debug, PartialEq)]
pub struct Tableau {
    /// Name in the registry.
    pub name: &'static str,
    /// a_ij over blocks 0 … s; the last row is b.
    pub rows: &'static [&'static [f64]],
    /// c_i of each row; 1 for the node.
    pub nodes: &'static [f64],
    /// Blocks at the start that are solved together; the others are solved one by one.
    pub coupled: usize,
    /// Estimated error over ẏ_0 … ẏ_s; empty without an estimate.
    pub error: &'static [f64],
    /// A second estimate of lower order, which weighs the first; empty without one.
    pub lower: &'static [f64],
    /// γ₀ of the filter of the estimate; 0: no filter.
    pub filter: f64,
    /// Power of h in the estimate.
    pub estimate: usize,
    /// d_i of the continuous extension of order 4, over ẏ_0 … ẏ_s; empty: cubic Hermite.
    pub dense: &'static [f64],
    /// Order of the scheme.
    pub order: usize,
    /// Part of the negative real axis on which an adaptive explicit scheme is stable.
    pub stability: Option<f64>,
}

impl Tableau {
    /// All known schemes.
    pub const ALL: [&'static Self; 8] =
        [&RK4, &DOPRI5, &DOP853, &GAUSS4, &RADAU3, &RADAU5, &SDIRK4, &TRAPEZOIDAL];
    /// a_ij of row i = 0 … s-1 and block j = 0 … s.
    #[inline]
    pub fn a(&self, i: usize, j: usize) -> f64 {
        self.rows[i].get(j).copied().unwrap_or(0.0)
    }
    /// Rows that are solved together.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator + use<> {
        let (s, first) = (self.rows.len(), self.coupled);
        (first - 1..s).map(move |last| if last + 1 == first { 0..first } else { last..last + 1 })
    }
    /// Do the blocks of these rows depend on their own slopes?
    pub fn is_implicit(&self, rows: Range<usize>) -> bool {
        rows.clone().any(|i| rows.clone().any(|j| self.a(i, j + 1) != 0.0))
    }
    /// Can constraints be imposed at the level of positions? The node must be an implicit stage, and so must
    /// all the others.
    pub fn takes_positions(&self) -> bool {
        self.coupled == self.rows.len() && self.is_implicit(0..self.coupled)
    }
}
