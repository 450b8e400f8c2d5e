//! Where expressions of a model may jump or kink without a condition.
//!
//! ```text
//! g(t, q, v, a, λ; p) = 0        values y of the expression may jump or kink there                      (1)
//! ```
//! The functionals of [`FunctionalSet::Cut`](crate::FunctionalSet) are the values of each expression,
//! followed by the functions g of its cuts. No step looks at them: a run is examined when it has ended.

pub use crate::program::CutKind;
use std::ops::Range;

/// A place where an expression may jump or kink, (1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What it stands in, for messages.
    pub what: String,
    /// What its function does there.
    pub kind: CutKind,
    /// Numbers of the values y of the expression.
    pub values: Range<usize>,
    /// Number of g.
    pub zero: usize,
    /// Does the second rate of y count? That of constraints and drivers does.
    pub rates: bool,
}
