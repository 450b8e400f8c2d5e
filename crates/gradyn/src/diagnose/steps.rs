//! What steps lose: stability that limits them, velocities without projections, accelerations at short steps.

use super::watch::scales;
use crate::prepare::{Prepared, Run};
use crate::registry::Projections;
use gradyn_dynamics::formulation::largest_mass;
use gradyn_model::{Evaluator, Warning, WarningCode};

/// Steps at the border of stability go to and fro across it: from this part on they count as limited by it.
const BORDER: f64 = 0.8;

/// Iterations of a step that has lost its way: those that have not need fewer than ten.
const WANDERING: usize = 20;

/// Steps of an explicit integrator that stability limited.
pub(super) fn stiff(model: &Prepared, run: &Run) -> Vec<Warning> {
    let recipe = run.method.build(&model.model);
    let traj = &run.trajectory;
    let mut s = traj.statistics;
    if run.method.adapts() {
        let limited =
            |n: &usize| recipe.stability(traj.plan.h[n - 1], &traj.record(*n)).is_some_and(|x| x > BORDER);
        s.limited = s.limited.max((1..=traj.plan.steps()).filter(limited).count());
    }
    if !s.is_stiff() {
        return vec![];
    }
    let text = format!(
        "stability, not accuracy, limited {} of {} steps; an implicit integrator may need fewer, and \
         gradients may be off by more than the tolerance",
        s.limited, s.steps
    );
    vec![Warning::new(WarningCode::Stiff, text)]
}

/// Steps of `ali3p` that no division saved from an impact.
pub(super) fn impacts(run: &Run) -> Vec<Warning> {
    let s = &run.trajectory.statistics;
    if s.impacts == 0 {
        return vec![];
    }
    let (share, n) = s.hardest;
    let text = format!(
        "projections changed the velocities by {:.1} % in the step to t = {} s: the energy falls there, and \
         what follows depends on the step",
        100.0 * share,
        run.trajectory.plan.t[n.min(run.trajectory.plan.steps())]
    );
    vec![Warning::new(WarningCode::Singular, text)]
}

/// What a coordinate step loses: velocities without projections, accelerations at short steps.
pub(super) fn newmark(
    model: &Prepared,
    run: &Run,
    growth: [f64; 2],
    terms: &mut Evaluator<f64>,
) -> Vec<Warning> {
    let mut warnings = vec![];
    let Some(scheme) = run.method.scheme() else { return warnings };
    let [q, v, forces, accelerations, _] = scales(run, terms);
    let plan = &run.trajectory.plan;
    let steps = (1..=plan.steps()).filter(|&n| !plan.restarts[n]);
    let h = steps.fold(f64::INFINITY, |s, n| s.min(plan.h[n - 1]));
    let m = &run.method;
    warnings.extend(slow_newton(run));
    if m.formulation.position_level() && m.projections() == Projections::Off && !scheme.dissipates() {
        // q̇ = γ Δq/(βh): rounding of Φ̇ = Φ_q q̇, of which some hundred add up
        let rounding = 100.0 * f64::EPSILON * q * v.max(q * scheme.gamma / (scheme.beta * h));
        warnings.extend(growing_violation(growth, rounding));
    }
    // a = Δq/(βh²): rounding of q is amplified. At rest accelerations are small against those of the
    // forces alone; where nothing acts either, they are nothing but rounding and there is nothing to
    // compare with.
    let noise = f64::EPSILON * q / (scheme.beta * h * h);
    let alone = forces / largest_mass(&model.model.system, &model.model.slots(&model.rho));
    let scale = accelerations.max(alone);
    if model.model.system.reads_dynamics()
        && noise > 1e-6 * scale
        && (alone > 0.0 || accelerations > 10.0 * noise)
    {
        let text = format!(
            "at h = {h:.1e} s rounding makes accelerations and reactions uncertain by {noise:.1e} of \
             {scale:.1e}"
        );
        warnings.push(Warning::new(WarningCode::SmallStep, text));
    }
    warnings
}

/// A step that needed many iterations.
fn slow_newton(run: &Run) -> Option<Warning> {
    let (iterations, n) = run.trajectory.statistics.slowest;
    let text = format!(
        "the step to t = {} s needed {iterations} iterations; it may have come to another solution of its \
         equations: take shorter steps",
        run.trajectory.plan.t[n]
    );
    (iterations >= WANDERING).then(|| Warning::new(WarningCode::SlowNewton, text))
}

/// |Φ̇| of the second half of a run beyond that of the first, and beyond rounding.
fn growing_violation(growth: [f64; 2], rounding: f64) -> Option<Warning> {
    let grew = growth[1] / growth[0].max(f64::MIN_POSITIVE);
    // 3: what begins at zero doubles by itself
    let grows = grew > 3.0 && growth[1] > rounding;
    let text = format!(
        "without projections the velocity violation |Φ̇| grows ({:.1e} in the first half of the \
         run, {:.1e} in the second, × {grew:.1}); use projection=on",
        growth[0], growth[1]
    );
    grows.then(|| Warning::new(WarningCode::UnstableIndex3, text))
}
