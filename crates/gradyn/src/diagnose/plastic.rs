//! Impacts of constraints that events switch on: what they take from the motion.

use super::lost_energy::kinetic_energy;
use crate::prepare::{Prepared, Run};
use gradyn_model::{EventRule, Owner, Warning, WarningCode};

/// A smaller part of the kinetic energy is that of a constraint which held already.
const FELT: f64 = 1e-9;
/// A smaller energy is rounding [J].
const LEAST: f64 = 1e-12;

/// The largest change of energy by constraints that each event switches on, where it is felt.
pub(super) fn plastic(model: &Prepared, run: &Run, p: &[f64]) -> Vec<Warning> {
    let events = model.model.system.events();
    let plan = &run.trajectory.plan;
    let lay = run.trajectory.layout;
    let mut terms = model.model.system.evaluator(p);
    let mut energy = |n: usize| {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        kinetic_energy(model, at.v, &terms)
    };
    let mut warnings = vec![];
    let begins = |e: &EventRule| !e.is_place() && e.constraints.iter().any(|c| c.1);
    for (k, event) in events.iter().enumerate().filter(|(_, e)| begins(e)) {
        // records of this event, and what each of them took
        let own = (1..=plan.steps()).filter(|&n| plan.given_by[n] == Some(k as u32));
        let taken = own.map(|n| (n, energy(n - 1), energy(n)));
        let size = |x: &(usize, f64, f64)| (x.1 - x.2).abs();
        let Some((n, before, after)) = taken.max_by(|a, b| size(a).total_cmp(&size(b))) else { continue };
        if (before - after).abs() > FELT * before.max(after) + LEAST {
            let text = format!(
                "the constraints of event `{}` begin with an impact, the largest at t = {} s: the kinetic energy changes \
                 from {before:.6} J to {after:.6} J",
                event.name, plan.t[n]
            );
            warnings.push(Warning::new(WarningCode::Impact, text).about(Owner::Event, &event.name));
        }
    }
    warnings
}
