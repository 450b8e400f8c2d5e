//! What is said about a run after it has ended, and about one that stopped: free functions of a model and a
//! run that return warnings, or the reason behind an error.

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
pub(crate) use watch::acting;

use crate::error::Error;
use crate::prepare::{Jump, Passed, Prepared, Run};
use gradyn_dynamics::Trajectory;
use gradyn_model::{Evaluator, FunctionalSet, Level, RowChoice};
use gradyn_num::largest;

/// Measures a run that has ended and adds what there is to know about it; what it must not have passed is an
/// error.
pub(crate) fn inspect(model: &Prepared, run: &mut Run, p: &[f64]) -> Result<(), Error> {
    guards::check_defined(model, run, p)?;
    geometry::check_values(model, run)?;
    model.check_durations(run)?;
    redundancy::check_redundancy(model, run)?;
    decisions::check_decisions(model, run, p)?;

    // |Φ|, |Φ̇|, E along the run
    let growth = measure(model, run, &mut model.model.every_row().evaluator(p));

    // warnings of the steps, then of the positions
    let mut terms = model.model.system.evaluator(p);
    let mut warnings = steps::newmark(model, run, growth, &mut terms);
    warnings.extend(steps::stiff(model, run));
    warnings.extend(unstable::unstable(model, run));
    warnings.extend(shared_load::shared_load(model, run));
    warnings.extend(geometry::geometry(run, &mut terms));
    let (singular, found) = singular::singular(model, run, p);
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
    let passed = cuts::passed(model, &run.trajectory, p);
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

/// Drift and energy of a run; returns the largest |Φ̇| in its first and in its second half.
fn measure(model: &Prepared, run: &mut Run, d: &mut Evaluator<f64>) -> [f64; 2] {
    let sys = &model.model.system;
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let mut r = vec![0.0; lay.m];
    let mut y = vec![0.0; sys.functionals(FunctionalSet::Output)];
    let mut growth = [0.0f64; 2];
    let mut e0 = 0.0;
    for n in 0..=plan.steps() {
        let at = lay.node(plan.t[n], run.trajectory.record(n));
        d.set_branches(plan.branches(n));
        d.at(at.t, at.q);

        // drift = max |Φ|, max |Φ̇|
        for level in 0..2 {
            r.fill(0.0);
            d.constraint(&at, Level::ALL[level], &mut r);
            rows_of(model, &run.trajectory, n).off.iter().for_each(|&k| r[k as usize] = 0.0);
            let rows = if level == 0 { lay.m - sys.dims().m_vel } else { lay.m };
            let size = largest(r[..rows].iter().copied());
            run.drift[level] = run.drift[level].max(size);
            if level == 1 {
                let late = 2 * n > plan.steps();
                growth[usize::from(late)] = growth[usize::from(late)].max(size);
            }
        }

        // energy = (E₀, max |E - E₀|)
        d.measure(FunctionalSet::Output, &at, &mut y);
        let energy = *y.last().expect("the energy is always there");
        if n == 0 {
            e0 = energy;
        }
        run.energy = (e0, run.energy.1.max((energy - e0).abs()));
    }
    growth
}
