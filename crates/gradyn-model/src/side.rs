//! Conditions of a model whose sides are data of a run.
//!
//! ```text
//! g(t, q, v, a, λ; p) = u - v        side 1 where g > 0, 0 where g < 0                                   (1)
//! ```
//! A side is read by forces, functions of time, constraints and integrands ([`Edge`]), and changes only where
//! the run says so: where g passes zero, or at a declared time. Sides of forces that events switch have no
//! condition.

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
    /// Do events happen where it becomes 0, and where it becomes 1?
    pub events: [bool; 2],
    /// Whether a force acts at the start: no condition, but what events switch.
    pub mode: Option<bool>,
}

impl Side {
    /// Does an event happen where it changes?
    pub fn has_events(&self) -> bool {
        self.events.contains(&true)
    }
    /// Does something jump or happen where it changes from one side to the other?
    pub fn jumps_from(&self, side: f64) -> bool {
        self.edge == Edge::Jump || self.events[usize::from(side < 0.5)]
    }
    /// A condition of the motion whose changes steps must meet exactly.
    pub fn is_exact(&self) -> bool {
        self.time.is_none() && self.mode.is_none() && (self.has_events() || self.edge != Edge::Joined)
    }
    /// A condition of the motion at which something jumps or happens.
    pub fn is_jump(&self) -> bool {
        self.is_exact() && (self.has_events() || self.edge == Edge::Jump)
    }
    /// A condition of the motion whose changes move with the parameters.
    pub fn is_moving(&self) -> bool {
        self.is_jump() || (self.is_exact() && self.edge == Edge::Root)
    }
}
