//! The tangent linear model, integrated along a run.
//!
//! The tangent of a Runge–Kutta step has the form of the step: its stages hold the run at their times,
//! instead of stages of their own.

use super::States;
use crate::discrete::direct::{Direct, direct as tangent};
use crate::objective::Case;
use gradyn_dynamics::{Changes, RungeKutta, StepError, StepRecipe, Trajectory};

/// ∇ψ by (2) of [`super`].
pub fn direct(case: &Case) -> Result<Direct, StepError> {
    let eq = case.recipe.equations();
    let scheme = RungeKutta {
        sys: case.recipe.system().clone(),
        f: eq.law,
        state: eq.state,
        freedoms: vec![],
        tableau: eq.scheme,
    };
    let recipe = StepRecipe::from(scheme);
    let run = stages(case, &recipe, eq.scheme.nodes)?;
    tangent(&Case::new(&recipe, case.design, case.rho, &run), |_, _| {})
}

/// The run as records of another scheme, whose stages are at `nodes`.
fn stages(case: &Case, recipe: &StepRecipe, nodes: &[f64]) -> Result<Trajectory, StepError> {
    let p = case.slots();
    let from = case.run.layout;
    let to = recipe.layout();
    let mut states = States::new(case, &p)?;
    let steps = case.run.plan.steps();
    // x = records with heads of the run and states at the stages
    let mut x = vec![0.0; (steps + 1) * to.len];
    x[..to.head()].copy_from_slice(&case.run.record(0)[..from.head()]);
    for n in 1..=steps {
        let record = &mut x[n * to.len..(n + 1) * to.len];
        record[..to.head()].copy_from_slice(&case.run.record(n)[..from.head()]);
        for (stage, c) in record[to.head()..].chunks_exact_mut(to.z()).zip(nodes) {
            stage.copy_from_slice(states.at(case, &p, n, *c)?);
        }
    }
    // times that are numbers of the records
    if let Some((time, own)) = to.time().zip(from.time()) {
        (0..=steps).for_each(|n| x[n * to.len + time] = case.run.record(n)[own]);
    }
    // plan = that of the run with the choices of this step
    let count = recipe.choices();
    let choices = Changes::of((0..=steps).map(|n| &case.run.plan.choice(n)[..count]));
    let mut plan = case.run.plan.clone();
    plan.choices = choices;
    plan.choice_count = count;
    Ok(Trajectory::whole(plan, to, x, case.run.statistics))
}
