//! Events whose times have an error of their own: multipliers and accelerations that follow from positions.

use crate::prepare::{Prepared, Run};
use gradyn_model::{Owner, Warning, WarningCode};

/// Events that happened at a multiplier or an acceleration, where the method does not hold velocities.
pub(super) fn inexact_events(model: &Prepared, run: &Run) -> Vec<Warning> {
    let Some(advice) = run.method.exact_dynamics() else { return vec![] };
    let happened = &run.trajectory.plan.happened;
    let events = model.model.system.events().iter().enumerate();
    let inexact = events.filter(|(k, e)| e.reads_dynamics && happened.iter().any(|h| h.1 as usize == *k));
    let m = &run.method;
    let names = format!("{} + {}", m.formulation.name(), m.integrator.name());
    let warning = |name: &String| {
        let text = format!(
            "event `{name}` is where a multiplier or an acceleration passes zero, whose error with {names} \
             moves its time; {advice}"
        );
        Warning::new(WarningCode::InexactEvent, text).about(Owner::Event, name)
    };
    inexact.map(|(_, e)| warning(&e.name)).collect()
}
