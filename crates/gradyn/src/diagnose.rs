//! What is said about a run after it has ended, and about one that stopped: free functions of a model and a
//! run that return warnings, or the reason behind an error.

mod along;
mod branch;
mod cuts;
mod decisions;
mod ends;
mod energy;
mod freedoms;
mod geometry;
mod guards;
mod inexact;
mod kept_rows;
mod lost_energy;
mod near;
mod null_vectors;
mod plastic;
mod redundancy;
mod shared_load;
mod singular;
mod steps;
mod unstable;
mod watch;

pub(crate) use branch::on_another_branch;
pub(crate) use redundancy::{
    check_redundant_outputs, check_redundant_parameters, check_static_outputs, minimum_norm,
};
pub(crate) use singular::explain;
pub(crate) use watch::Acting;

use crate::error::Error;
use crate::prepare::{Jump, Passed, Prepared, Run, undefined_force};
use along::Along;
use gradyn_dynamics::Trajectory;
use gradyn_model::RowChoice;

/// Measures a run that has ended and adds what there is to know about it; what it must not have passed is an
/// error.
pub(crate) fn inspect(model: &Prepared, run: &mut Run, p: &[f64]) -> Result<(), Error> {
    let mut along = Along::look(model, run, p);
    if let Some((t, outside)) = along.undefined.take() {
        return Err(undefined_force(t, outside).into());
    }
    geometry::check_values(model, run, &along)?;
    model.check_durations(run)?;
    redundancy::check_redundancy(model, run)?;
    along.decisions.check(model, &run.trajectory)?;
    (run.drift, run.energy) = (along.drift, along.energy);

    // warnings of the steps, then of the positions
    let mut terms = model.model.system.evaluator(p);
    let mut warnings = steps::newmark(model, run, along.growth, &mut terms);
    warnings.extend(steps::stiff(model, run));
    warnings.extend(unstable::unstable(model, run));
    warnings.extend(shared_load::shared_load(model, run));
    warnings.extend(geometry::geometry(run, &along));
    let (singular, found) = singular::singular(model, run, p, &mut along);
    warnings.extend(found);
    lost_energy::check_energy(model, run, singular, p)?;
    warnings.extend(energy::energy(model, run, p));
    warnings.extend(steps::impacts(run));
    warnings.extend(plastic::plastic(model, run, p));
    warnings.extend(ends::not_reached(model, run));
    warnings.extend(inexact::inexact_events(model, run));
    warnings.extend(freedoms::freedoms(model, run, p)?);

    // jumps at declared times, and at the ends of clamped splines
    let jump = watch::declared_jump(model, run, &mut terms);
    let clamped = watch::spline_jumps(model, run, &mut terms);
    warnings.extend(jump.iter().chain(&clamped).map(Jump::warning));

    // cuts, poles and kinks between the nodes
    let passed = along.passed;
    warnings.extend(passed.iter().map(Passed::warning));

    run.singular = singular;
    run.jump = jump;
    run.passed = passed.into_iter().next();
    run.warnings.extend(warnings);
    Ok(())
}

/// Rows that record `n` of a run has and those that it leaves out.
fn rows_of<'a>(model: &'a Prepared, run: &'a Trajectory, n: usize) -> &'a RowChoice {
    run.plan.rows(n).unwrap_or(model.model.system.row_choice())
}
