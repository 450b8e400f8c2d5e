//! Evaluations as a function call, although they come from outside.
//!
//! An iteration is written as a plain loop that calls [`Oracle::at`]. Where the oracle does not know a point,
//! it pauses the iteration; the point is asked for, told, and the iteration begins again with one more known
//! point. An iteration is a function of its state and of what it is told, so it comes to the same place with
//! the same bits.

use crate::progress::Progress;
use crate::space::{Point, Space};
use crate::status::Status;

/// A point that must be evaluated before the iteration can go on.
#[derive(Debug)]
pub(crate) struct Pause(pub Vec<f64>);

/// What is known since the iteration began.
pub(crate) struct Oracle<'a> {
    pub space: &'a Space,
    /// Points and their evaluations; `None` is a failed trial.
    pub known: &'a [(Vec<f64>, Option<Point>)],
}

impl Oracle<'_> {
    /// The evaluation at z; `None` if it failed.
    pub(crate) fn at(&self, z: &[f64]) -> Result<Option<Point>, Pause> {
        let found = self.known.iter().rev().find(|(known, _)| known == z);
        found.map(|(_, told)| told.clone()).ok_or_else(|| Pause(z.to_vec()))
    }
}

/// What an iteration leads to.
pub(crate) enum Step {
    /// The next iteration.
    Next(Box<dyn Iteration>),
    /// The end of the run.
    End(Status),
}

/// The state of a method between two iterations.
pub(crate) trait Iteration: Send {
    /// From one accepted point to the next, which it reports to `progress`.
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause>;
}
