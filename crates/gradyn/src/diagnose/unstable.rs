//! Fixed steps of explicit integrators beyond their stability.
//!
//! With adams-bashforth accelerations go up and down from step to step. A Runge–Kutta scheme whose last stage
//! is at the end of the step tells h |∂f/∂y| itself.

use crate::prepare::{Prepared, Run};
use crate::registry::Integrator;
use gradyn_dynamics::Trajectory;
use gradyn_model::{Warning, WarningCode};
use gradyn_num::largest;

/// Alternations in a row that a kink of the forces does not make.
const MANY: usize = 20;

/// Steps of a Runge–Kutta run that are asked for their stability, at most.
const ASKED: usize = 200;

/// Fixed steps beyond the stability of the integrator.
pub(super) fn unstable(model: &Prepared, run: &Run) -> Vec<Warning> {
    if !run.method.adapts()
        && let Some(warning) = beyond_stability(model, run)
    {
        return vec![warning];
    }
    if run.method.integrator == Integrator::Bashforth
        && let Some(t) = alternation(&run.trajectory)
    {
        let text = format!(
            "near t = {t} s accelerations alternate from step to step; the step is too long for \
            adams-bashforth: take a shorter one, a lower adams_order, or an implicit integrator"
        );
        return vec![Warning::new(WarningCode::Unstable, text)];
    }
    vec![]
}

/// Most steps of a Runge–Kutta run beyond its stability.
fn beyond_stability(model: &Prepared, run: &Run) -> Option<Warning> {
    let recipe = run.method.build(&model.model);
    let traj = &run.trajectory;
    let stride = traj.plan.steps().div_ceil(ASKED).max(1);
    // steps whose stability can be told, and those beyond it
    let told: Vec<f64> = (1..=traj.plan.steps())
        .step_by(stride)
        .filter(|&n| !traj.plan.restarts[n])
        .filter_map(|n| recipe.stability(traj.plan.h[n - 1], &traj.record(n)))
        .collect();
    let beyond = told.iter().filter(|x| **x > 1.0).count();
    let most = told.iter().fold(0.0f64, |most, x| most.max(*x));
    if 2 * beyond <= told.len() || told.is_empty() {
        return None;
    }
    let text = format!(
        "{beyond} of {} steps that were asked are beyond the stability of {}, the worst by {most:.1} times: \
         take shorter steps, tolerances, or an implicit integrator",
        told.len(),
        run.method.integrator.name()
    );
    Some(Warning::new(WarningCode::Unstable, text))
}

/// Have the accelerations grown a hundredfold in the last ten steps, or do they alternate?
pub(super) fn explodes(run: &Trajectory) -> bool {
    let n = run.plan.steps();
    let lay = run.layout;
    let size = |n: usize| largest(run.record(n)[lay.a()..lay.lam()].iter().copied());
    let before = size(n.saturating_sub(10));
    n > 0 && ((before > 0.0 && size(n) > 100.0 * before) || alternation(run).is_some())
}

/// When an acceleration first goes up and down from step to step [`MANY`] times in a row, and not less in the
/// end. A motion that steps resolve turns once in half a period, a root of the scheme beyond -1 at every
/// step. Noise is what changes no velocity by 1e-9 of the largest, or is below 1e-4 of the largest
/// acceleration of its coordinate.
fn alternation(traj: &Trajectory) -> Option<f64> {
    let lay = traj.layout;
    let plan = &traj.plan;
    // the largest velocity, and the largest acceleration of each coordinate
    let mut speed = 0.0f64;
    let mut top = vec![0.0f64; lay.n];
    for n in 0..=plan.steps() {
        let record = traj.record(n);
        speed = speed.max(largest(record[lay.v()..lay.a()].iter().copied()));
        top.iter_mut().zip(&record[lay.a()..lay.lam()]).for_each(|(top, a)| *top = top.max(a.abs()));
    }
    // for each coordinate the difference before, how many in a row alternate, and the first of them
    let mut rows = vec![(0.0, 0usize, 0.0f64); lay.n];
    let found = (1..=plan.steps()).find(|&n| {
        let [before, record] = [traj.record(n - 1), traj.record(n)];
        let mut found = false;
        for (i, (last, count, begin)) in rows.iter_mut().enumerate() {
            let x = record[lay.a() + i] - before[lay.a() + i];
            let loud = x.abs() > 1e-4 * top[i] && x.abs() * plan.h[n - 1] > 1e-9 * speed;
            if loud && x * *last < 0.0 {
                *count += 1;
            } else {
                (*count, *begin) = (0, x.abs());
            }
            *last = x;
            found |= *count >= MANY && x.abs() >= *begin;
        }
        found
    });
    found.map(|n| plan.t[n])
}
