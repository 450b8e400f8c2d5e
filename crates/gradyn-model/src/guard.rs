//! Guards: what a force needs to be defined.
//!
//! ```text
//! y(x, ẋ, t; p) keeps its sign along a run; where it does not, the force has no value                    (1)
//! ```
//! Nothing is checked while forces are evaluated: they are not finite there, or the run has stepped over.
//! Guards say what it was.

use crate::force::ForceAt;
use crate::load::{Load, LoadScratch};

/// What is not defined at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Undefined {
    /// A force, by its name.
    Force(String),
    /// A force that its place does not allow.
    Place(Outside),
}

/// A force where it has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    /// Name of the force.
    pub force: String,
    /// What has happened, as a sentence.
    pub why: String,
}

/// (1) for some quantities of one force.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// The quantities: a load that does no work.
    pub load: Load,
    /// For each, whether zero is excluded too, and what has happened where it passes zero.
    pub list: Vec<(bool, String)>,
}

impl Guard {
    /// What has happened between two points, the earlier one first; of one point twice, what is not defined
    /// there.
    pub(crate) fn passed(&self, [from, to]: [&ForceAt<f64>; 2], w: &mut LoadScratch<f64>) -> Option<Outside> {
        let before = self.load.values(from, w);
        let after = self.load.values(to, w);
        let passes = |k: &usize| before[*k] * after[*k] < 0.0 || (self.list[*k].0 && after[*k] == 0.0);
        (0..self.list.len()).find(|k| passes(k) || self.beyond(&after, *k)).map(|k| self.outside(k))
    }
    /// What does not allow a place, whatever the velocity there.
    pub(crate) fn excluded(&self, at: &ForceAt<f64>, w: &mut LoadScratch<f64>) -> Option<Outside> {
        let values = self.load.values(at, w);
        (0..self.list.len()).find(|k| self.beyond(&values, *k)).map(|k| self.outside(k))
    }
    fn outside(&self, k: usize) -> Outside {
        Outside { force: self.load.name.clone(), why: self.list[k].1.clone() }
    }
    fn beyond(&self, values: &[f64], k: usize) -> bool {
        !self.list[k].0 && values[k] < 0.0
    }
}
