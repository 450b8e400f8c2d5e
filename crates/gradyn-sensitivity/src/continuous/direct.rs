//! The tangent linear model, integrated along a run.
//!
//! The tangent of a Runge–Kutta step has the form of the step: its stages hold the run at their times,
//! instead of stages of their own.

use super::States;
use crate::discrete::direct::{Direct, direct as tangent};
use crate::objective::Case;
use gradyn_dynamics::{Plan, RungeKutta, Step, StepError, Trajectory};

/// ∇ψ by (2) of [`super`].
pub fn direct<T: Step>(case: &Case<T>) -> Result<Direct, StepError> {
    let eq = case.step.equations();
    let step = RungeKutta {
        sys: case.step.system(),
        f: eq.law,
        state: eq.state,
        freedoms: vec![],
        tableau: eq.scheme,
    };
    let run = stages(case, &step)?;
    tangent(&Case { step: &step, design: case.design, rho: case.rho, run: &run }, |_, _| {})
}

/// The run as records of another scheme.
fn stages<T: Step>(case: &Case<T>, step: &RungeKutta) -> Result<Trajectory, StepError> {
    let (p, from, to) = (case.slots(), case.run.layout, step.layout());
    let (mut states, steps) = (States::new(case, &p)?, case.run.plan.steps());
    let mut x = vec![0.0; (steps + 1) * to.len];
    x[..to.head()].copy_from_slice(&case.run.record(0)[..from.head()]);
    for n in 1..=steps {
        let record = &mut x[n * to.len..(n + 1) * to.len];
        record[..to.head()].copy_from_slice(&case.run.record(n)[..from.head()]);
        for (stage, c) in record[to.head()..].chunks_exact_mut(to.z()).zip(step.tableau.nodes) {
            stage.copy_from_slice(states.at(case, &p, n, *c)?);
        }
    }
    let count = step.choices();
    let choices = (0..=steps).flat_map(|n| &case.run.plan.frozen(n).choice[..count]).copied().collect();
    let plan = Plan { choices, choice_count: count, ..case.run.plan.clone() };
    Ok(Trajectory { plan, layout: to, x, statistics: case.run.statistics })
}
