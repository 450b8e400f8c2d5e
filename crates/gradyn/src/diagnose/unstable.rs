//! Steps of adams-bashforth beyond its stability: accelerations go up and down from step to step.

use crate::prepare::Run;
use crate::registry::Integrator;
use gradyn_dynamics::Trajectory;
use gradyn_model::{Warning, WarningCode};
use gradyn_num::largest;

/// Alternations in a row that a kink of the forces does not make.
const MANY: usize = 20;

/// Steps of adams-bashforth beyond its stability.
pub(super) fn unstable(run: &Run) -> Vec<Warning> {
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
    let (a, v) =
        (|n: usize, i: usize| traj.record(n)[lay.a() + i], |n: usize, i: usize| traj.record(n)[lay.v() + i]);
    let speed = largest((0..=plan.steps()).flat_map(|n| (0..lay.n).map(move |i| v(n, i))));
    let first = |i: usize| {
        let top = largest((0..=plan.steps()).map(|n| a(n, i)));
        // differences in a row, and the first of them
        let mut count = 0;
        let mut begin = 0.0f64;
        let mut before = 0.0;
        (1..=plan.steps()).find(|&n| {
            let x = a(n, i) - a(n - 1, i);
            let loud = x.abs() > 1e-4 * top && x.abs() * plan.h[n - 1] > 1e-9 * speed;
            if loud && x * before < 0.0 {
                count += 1;
            } else {
                (count, begin) = (0, x.abs());
            }
            before = x;
            count >= MANY && x.abs() >= begin
        })
    };
    (0..lay.n).filter_map(first).min().map(|n| plan.t[n])
}
