//! Events of a run, by name and time.

use crate::prepare::{Prepared, Run};

/// An event that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Name of the event.
    pub event: String,
    /// When it happened [s].
    pub t: f64,
}

impl Prepared {
    /// The events of a run in their order.
    pub fn happened(&self, run: &Run) -> Vec<Happened> {
        let events = self.model.system.events();
        let plan = &run.trajectory.plan;
        let one = |&(n, e): &(usize, u32)| Happened { event: events[e as usize].name.clone(), t: plan.t[n] };
        plan.happened.iter().map(one).collect()
    }
}
