//! Conditions of a model whose sides are data of a run.
//!
//! ```text
//! g(t, q, v, a, λ; p) = u - v        side 1 where g > 0, 0 where g < 0                                   (1)
//! ```
//! A side is read by forces, functions of time, constraints and integrands ([`Edge`]), and changes only where
//! the run says so: where g passes zero, or at a declared time.

pub use crate::program::Edge;

/// A condition u > v of a model, (1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it stands in, for messages.
    pub what: String,
    /// What happens where it changes.
    pub edge: Edge,
    /// Slot of the time at which it changes, where nothing but time decides.
    pub time: Option<u32>,
}
