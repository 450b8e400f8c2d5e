//! Singular positions: a run that passes one is told so, a run that stops at one says so.
//!
//! The independence s of the constraint rows (`gradyn_num::Independence`) falls to zero on a line where rows
//! become dependent. Between two nodes it may pass zero if a line through neighbouring nodes does:
//!
//! ```text
//! s_n ≤ 3 h_{n+1} (s_{n-1} - s_n)/h_n    or the same from the right                                   (1)
//! ```
//! and there its minimum is searched, on the cubic through q and q̇ of both nodes. Where a run stops, it is
//! searched on
//!
//! ```text
//! q + τ v   and   q + τ v + ½ τ² a,   |τ| ≤ max(2h, 0.05 |q|/|v|)                                      (2)
//! ```
//! of one of the last nodes: the rows amplify rounding by 1/s, so that steps may fail before s is zero, and a
//! may be lost already.

use super::along::Along;
use super::cuts::ahead;
use super::freedoms::explain_freedoms;
use super::geometry::massless;
use super::guards::explain_undefined;
use super::kept_rows::KeptRows;
use super::unstable::explodes;
use crate::method::Method;
use crate::prepare::{Prepared, Run};
use crate::registry::Integrator;
use gradyn_dynamics::step::hermite;
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::{Evaluator, Mechanics, Warning, WarningCode};
use gradyn_num::{Dependent, Independence, largest, row_dependencies};

/// Independence of the rows below which a position is singular.
const SINGULAR: f64 = 1e-4;

/// Independence below which a position is near a singular one.
pub(crate) const NEAR: f64 = 1e-2;

/// How far from the end of a run that stopped a singular position is looked for, relative to the positions.
const FAR: f64 = 0.05;

/// Steps in which a run that has passed a singular position may stop because of it.
const LATE: usize = 20;

/// Most coordinates for which the sign of a determinant is worth its n³/3 products.
pub(crate) const DETERMINANT: usize = 400;

/// When the run passes a position in which the constraint rows are dependent, and the warning about it or
/// about the nearest one: what follows may be on either branch.
pub(super) fn singular(
    model: &Prepared,
    run: &Run,
    p: &[f64],
    along: &mut Along,
) -> (Option<f64>, Vec<Warning>) {
    let Some((s, t)) = first_singular(run, along) else { return (None, vec![]) };
    if s < SINGULAR {
        let branch = branch(model, run, (t, p), &mut along.terms);
        let text = format!(
            "the run passes a position at t = {t} s where the constraints are dependent ({s:.0e}){branch}; \
             beyond it there is no gradient"
        );
        return (Some(t), vec![Warning::new(WarningCode::Singular, text)]);
    }
    if s < NEAR {
        let text = format!(
            "the constraints are nearly dependent at t = {t} s ({s:.0e}); the motion after it and its \
             gradient may not be trustworthy"
        );
        return (None, vec![Warning::new(WarningCode::NearSingular, text)]);
    }
    (None, vec![])
}

/// s and t of the first singular position, or of the one that is closest to it; `None` where s stays
/// above [`NEAR`].
fn first_singular(run: &Run, along: &mut Along) -> Option<(f64, f64)> {
    let plan = &run.trajectory.plan;
    let list = independence_along(run, along);
    let Along { rows, terms, .. } = along;
    // a neighbour that is not in the list is not as low
    let is_low = |i: &usize| {
        let (place, s, _) = list[*i];
        let around = &list[i.saturating_sub(1)..(i + 2).min(list.len())];
        around.iter().filter(|x| x.0.abs_diff(place) <= 1).all(|x| x.1 >= s)
    };
    // many rows: pivots may be small although the rows are independent, and so may those of one choice
    let confirmed = |i: usize| {
        let (_, s, (n, θ)) = list[i];
        independence(run, (n, θ), rows, terms);
        let t = plan.t[n] + θ * plan.h.get(n).copied().unwrap_or(0.0);
        (s.max(rows.condition(record_of(n, θ), terms)), t)
    };
    let found: Vec<(f64, f64)> = (0..list.len()).filter(is_low).map(confirmed).collect();
    let closest = found.iter().copied().reduce(|a, b| if b.0 < a.0 { b } else { a });
    found.iter().copied().find(|f| f.0 < SINGULAR).or(closest)
}

/// s at (n, θ) where it is below [`NEAR`]: among the nodes and, where it may vanish, the minima between them,
/// in the order of time; with the place among all of them.
fn independence_along(run: &Run, along: &mut Along) -> Vec<(usize, f64, (usize, f64))> {
    let plan = &run.trajectory.plan;
    let Along { independence: nodes, rows, terms, .. } = along;
    let mut list = vec![];
    let mut place = 0;
    let mut add = |s: f64, at: (usize, f64)| {
        if s < NEAR {
            list.push((place, s, at));
        }
        place += 1;
    };
    for (n, &s) in nodes.iter().enumerate() {
        add(s, (n, 0.0));
        if n < plan.steps() && may_vanish(nodes, &plan.h, n) {
            let (least, θ) = minimum(|θ| independence(run, (n, θ), rows, terms));
            add(least, (n, θ));
        }
    }
    list
}

/// Where the motion goes on beyond a singular position: the determinant of [Φ_q; B] changes its sign on a
/// smooth branch.
fn branch(model: &Prepared, run: &Run, (t, p): (f64, &[f64]), terms: &mut Evaluator<f64>) -> &'static str {
    if run.trajectory.layout.n > DETERMINANT {
        return "";
    }
    if turns_over(model, run, (t, p), terms) {
        " and goes on along its branch"
    } else {
        " and turns back or changes to the other branch"
    }
}

/// Does the determinant of [Φ_q; B] change its sign between the nodes before and after t?
fn turns_over(model: &Prepared, run: &Run, (t, p): (f64, &[f64]), terms: &mut Evaluator<f64>) -> bool {
    let sys = &model.model.system;
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let after = plan.t.partition_point(|x| *x <= t).clamp(1, plan.steps());
    let rows = KeptRows::new(model, &run.method, &run.trajectory, p);
    let rows = rows.rows(after);
    // sign of det [Φ_q ; B] at a node, and the columns that B picks
    let mut matrix = |n: usize, picked: Option<Vec<u32>>| {
        terms.at(plan.t[n], &run.trajectory.record(n)[..lay.n]);
        let picked =
            picked.unwrap_or_else(|| gradyn_num::unpivoted_columns(&sys.patterns().mn, terms.phi_q(), rows));
        let mn = &sys.patterns().mn;
        let mut a = vec![vec![0.0; lay.n]; lay.n];
        for (row, &k) in a.iter_mut().zip(rows) {
            mn.row(k as usize).for_each(|p| row[mn.col(p)] = terms.phi_q()[p]);
        }
        a[rows.len()..].iter_mut().zip(&picked).for_each(|(row, &i)| row[i as usize] = 1.0);
        (sign(a), picked)
    };
    // turned over = the signs before and after t differ
    let (before, picked) = matrix(after - 1, None);
    before * matrix(after, Some(picked)).0 < 0.0
}

/// The record whose rows hold at θ of the step from node n.
fn record_of(n: usize, theta: f64) -> usize {
    n + usize::from(theta > 0.0)
}

/// s at θ of the step from node n.
fn independence(run: &Run, (n, theta): (usize, f64), rows: &mut KeptRows, terms: &mut Evaluator<f64>) -> f64 {
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    // Φ_q at a node, or between two of them
    if theta == 0.0 {
        terms.at(plan.t[n], &run.trajectory.record(n)[..lay.n]);
        rows.learn(n, terms);
    } else {
        let h = plan.h[n];
        let mut q = vec![0.0; lay.n];
        hermite(&lay, h, theta, &run.trajectory.record(n), &run.trajectory.record(n + 1), &mut q);
        terms.at(plan.t[n] + theta * h, &q);
    }
    rows.measure(record_of(n, theta), terms)
}

/// Errors of the numbers of a step, which something else may have caused.
pub(super) fn is_numerical(e: &StepError) -> bool {
    use StepError::*;
    matches!(
        e,
        Newton { .. }
            | Positions { .. }
            | Singular { .. }
            | NotFinite { .. }
            | StepTooSmall { .. }
            | Stalled { .. }
            | NotFollowed { .. }
    )
}

/// The reason behind an error of a step: a body without mass, a singular position, freedoms that
/// determine nothing.
pub(crate) fn explain(
    model: &Prepared,
    e: StepError,
    method: &Method,
    run: &Trajectory,
    p: &[f64],
) -> StepError {
    let e = massless(model, e, p);
    let numerical = is_numerical(&e);
    let turned = matches!(e, StepError::Turn { .. });
    let explicit = method.integrator == Integrator::Bashforth;
    let n = run.plan.steps();
    // before guards, which an explosion passes too; named freedoms may be the reason
    if explicit && (numerical || turned) && method.freedoms.is_empty() && explodes(run) {
        return StepError::Unstable { t: run.plan.t[n], h: run.plan.h[n - 1] };
    }
    let e = explain_undefined(model, e, run, p);
    let named = matches!(e, StepError::Undefined { .. });
    if !(numerical || turned) || named || n == 0 {
        return e;
    }
    // a singular position near the end of the run, or freedoms that end there
    let sys = &model.model.every_row();
    let mut terms = sys.evaluator(p);
    terms.set_branches(&run.branches(run.plan.steps()));
    let mut rows = KeptRows::stopped(model, run, p);
    let (s, t, n) = nearest(sys, run, turned, &mut rows, &mut terms);
    let s = if s < NEAR { s.max(rows.condition(n, &terms)) } else { s };
    if s < NEAR {
        let kept = rows.rows(n).to_vec();
        return StepError::SingularPosition {
            t,
            reached: run.plan.t[run.plan.steps()],
            rows: dependent_rows(sys, s, &kept, rows.of(n), &terms),
        };
    }
    // a pole or a jump just ahead
    if let Some(passed) = ahead(model, run, p) {
        let reason = e.to_string();
        return StepError::Cut { t: passed.t, what: passed.what, cut: passed.kind.text(), reason };
    }
    explain_freedoms(model, e, method, run, &mut terms)
}

/// s, t and the record of the position that is nearest to a singular one: near the end of a run that stopped,
/// (2), or one of its nodes, of the last ones only if it did not turn; the evaluator stays there.
fn nearest(
    sys: &Mechanics,
    run: &Trajectory,
    turned: bool,
    rows: &mut KeptRows,
    terms: &mut Evaluator<f64>,
) -> (f64, f64, usize) {
    let last = run.plan.steps();
    let late = last.saturating_sub(LATE);
    let place =
        |n: usize, terms: &mut Evaluator<f64>| terms.at(run.plan.t[n], &run.record(n)[..run.layout.n]);
    // the last nodes may be those of a run that explodes
    for n in 0..=late {
        place(n, terms);
        rows.learn(n, terms);
    }
    let first = if turned { 0 } else { late };
    let mut least = f64::INFINITY;
    let mut node = first;
    for n in first..=last {
        place(n, terms);
        let s = rows.measure(n, terms);
        if s < least {
            (least, node) = (s, n);
        }
    }
    let (ahead, t) = nearest_minimum(sys, run, terms, |terms| rows.measure(last + 1, terms));
    if ahead < least {
        return (ahead, t, last + 1);
    }
    place(node, terms);
    (least, run.plan.t[node], node)
}

/// Smallest value of a function of the terms along (2), and its time; the evaluator stays there.
pub(crate) fn nearest_minimum(
    sys: &Mechanics,
    run: &Trajectory,
    terms: &mut Evaluator<f64>,
    mut f: impl FnMut(&Evaluator<f64>) -> f64,
) -> (f64, f64) {
    const PARTS: usize = 24;
    let n = run.layout.n;
    let h = &run.plan.h;
    let longest = largest(run.plan.h.iter().copied());
    // velocities after very short steps are lost in rounding
    let node = h.iter().rposition(|h| *h >= 0.01 * longest).map_or(run.plan.steps(), |k| k + 1);
    let t = run.plan.t[node];
    let h = h[node - 1];
    let x = run.record(node);
    let size = sys.size_of(&x[..n]);
    let speed = largest(x[n..2 * n].iter().copied());
    let far = if speed > 0.0 { FAR * size / speed } else { 0.0 }.max(2.0 * h);
    let mut at = |τ: f64, curved: f64| {
        let q: Vec<f64> = (0..n).map(|i| x[i] + τ * x[n + i] + 0.5 * curved * τ * τ * x[2 * n + i]).collect();
        terms.at(t + τ, &q);
        f(terms)
    };
    // the best of a grid, then the minimum beside it
    let grid = |k: usize| far * (2.0 * k as f64 / PARTS as f64 - 1.0);
    let [line, parabola] = [0.0, 1.0].map(|curved| {
        let (_, k) = (0..=PARTS)
            .map(|k| (at(grid(k), curved), k))
            .fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a });
        let left = grid(k.saturating_sub(1));
        let right = grid((k + 1).min(PARTS));
        let (s, θ) = minimum(|θ| at(left + θ * (right - left), curved));
        (s, left + θ * (right - left), curved)
    });
    let (_, τ, curved) = if line.0 < parabola.0 { line } else { parabola };
    (at(τ, curved), t + τ)
}

/// Rows that depend on others where their independence is s, or else those that vanish, by name.
fn dependent_rows(
    sys: &Mechanics,
    s: f64,
    rows: &[u32],
    measure: &Independence,
    terms: &Evaluator<f64>,
) -> Vec<(String, Vec<String>)> {
    let mn = &sys.patterns().mn;
    let pattern = mn.part(rows);
    let values = mn.part_values(rows, terms.phi_q());
    let name = |i: usize| sys.row_name(rows[i] as usize);
    // s is measured in another order than the one in which rows are found dependent
    let found = [2.0, 10.0, 50.0].map(|c| row_dependencies(&pattern, &values, (c * s).max(1e-6)).dependent);
    match found.into_iter().find(|f| !f.is_empty()) {
        Some(first) => {
            let on = |r: &Dependent| r.on.iter().filter(|o| o.1.abs() > 0.01).map(|o| name(o.0)).collect();
            first.iter().map(|r| (name(r.row), on(r))).collect()
        }
        None => measure.vanishing(mn, terms.phi_q(), NEAR).into_iter().map(|i| (name(i), vec![])).collect(),
    }
}

/// Sign of a determinant.
pub(crate) fn sign(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    let mut sign = 1.0;
    for k in 0..n {
        let pivot = (k..n).fold(k, |p, i| if a[i][k].abs() > a[p][k].abs() { i } else { p });
        if pivot != k {
            a.swap(pivot, k);
            sign = -sign;
        }
        sign *= if a[k][k] < 0.0 { -1.0 } else { 1.0 };
        let (head, tail) = a.split_at_mut(k + 1);
        for row in tail.iter_mut().filter(|_| head[k][k] != 0.0) {
            let s = row[k] / head[k][k];
            row.iter_mut().zip(&head[k]).for_each(|(x, p)| *x -= s * p);
        }
    }
    sign
}

/// (1): may s vanish in step n, from node n to n + 1?
fn may_vanish(s: &[f64], h: &[f64], n: usize) -> bool {
    let left = n > 0 && s[n] <= 3.0 * h[n] * (s[n - 1] - s[n]) / h[n - 1];
    let right = n + 2 < s.len() && s[n + 1] <= 3.0 * h[n] * (s[n + 2] - s[n + 1]) / h[n + 1];
    left || right
}

/// Minimum of a function with one minimum in [0, 1] by golden sections: value and place.
fn minimum(mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut a = 0.0;
    let mut b = 1.0;
    let mut inner = [1.0 - GOLDEN, GOLDEN].map(|x| (f(x), x));
    // 0.618²⁵ ≈ 6e-6 of the step
    for _ in 0..25 {
        if inner[0].0 < inner[1].0 {
            b = inner[1].1;
            let x = b - GOLDEN * (b - a);
            inner = [(f(x), x), inner[0]];
        } else {
            a = inner[0].1;
            let x = a + GOLDEN * (b - a);
            inner = [inner[1], (f(x), x)];
        }
    }
    if inner[0].0 < inner[1].0 { inner[0] } else { inner[1] }
}
