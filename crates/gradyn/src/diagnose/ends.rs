//! Events that would end a run and did not happen.

use crate::prepare::{Prepared, Run};
use gradyn_model::{Owner, Warning, WarningCode};

/// A warning for each event that would end the run, where none of them did.
pub(super) fn not_reached(model: &Prepared, run: &Run) -> Vec<Warning> {
    let events = model.model.system.events();
    let plan = &run.trajectory.plan;
    if plan.happened.iter().any(|&(_, e)| events[e as usize].end) {
        return vec![];
    }
    let t = plan.t[plan.steps()];
    let warning = |name: &String| {
        let text = format!("event `{name}` would end the run, and did not happen until t = {t} s");
        Warning::new(WarningCode::NotReached, text).about(Owner::Event, name)
    };
    events.iter().filter(|e| e.end).map(|e| warning(&e.name)).collect()
}
