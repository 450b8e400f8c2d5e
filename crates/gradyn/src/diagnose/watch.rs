//! What a run may have passed without noticing: jumps at declared times and where conditions change, and
//! where a clamped spline begins and ends.
//!
//! A jump of y at t does not shrink with the distance from t, a kink does:
//!
//! ```text
//! |y(t + ε/10) - y(t - ε/10)| > ½ |y(t + ε) - y(t - ε)|                                               (1)
//! ```
//! with y the forces, the integrands and Φ, Φ̇, Φ̈ at fixed q, q̇, q̈. A jump of Φ or Φ̇ is an impact, which
//! no step applies; other jumps are no news where the run restarts. Accelerations jump where a clamped spline
//! that drives begins or ends: the node has those of one side, so that the step on the other is of first
//! order.

use crate::prepare::{Jump, Prepared, Run};
use gradyn_dynamics::Numbers;
use gradyn_dynamics::motion::Piece;
use gradyn_model::spline::Kind;
use gradyn_model::{Evaluator, FunctionalSet, Level, Owner, Subject};
use gradyn_num::{Dual, largest};

/// What jumps at a declared time inside the run, (1).
pub(crate) fn declared_jump(model: &Prepared, run: &Run, terms: &mut Evaluator<f64>) -> Option<Jump> {
    let plan = &run.trajectory.plan;
    let changes = |n: usize| run.trajectory.changes_side(n);
    let asked = |n: &usize| !plan.restarts[*n] && (plan.declared[*n].is_some() || changes(*n));
    let declared: Vec<usize> = (1..plan.steps()).filter(asked).collect();
    let scales = if declared.is_empty() { [0.0; 5] } else { scales(run, terms) };
    declared.into_iter().find_map(|n| jump_at(model, run, n, &scales, terms))
}

/// What jumps where a clamped spline begins or ends inside the run, unless that is a declared time.
pub(crate) fn spline_jumps(model: &Prepared, run: &Run, terms: &mut Evaluator<f64>) -> Vec<Jump> {
    let plan = &run.trajectory.plan;
    let start = plan.t[0];
    let end = plan.t[plan.steps()];
    let clamped = model.model.splines.iter().filter(|s| s.kind == Kind::Clamped);
    let near = |t: f64| (1..plan.steps()).find(|&n| (plan.t[n] - t).abs() <= 1e-12 * (end - start));
    let mut nodes: Vec<usize> = clamped.flat_map(|s| [s.t0, s.t0 + s.length]).filter_map(near).collect();
    nodes.retain(|&n| plan.declared[n].is_none());
    nodes.sort_unstable();
    nodes.dedup();
    let scales = if nodes.is_empty() { [0.0; 5] } else { scales(run, terms) };
    nodes.into_iter().filter_map(|n| jump_at(model, run, n, &scales, terms)).collect()
}

/// What a jump of each quantity is small against: its size at some fifty nodes, that of q, q̇, q̈ for Φ,
/// Φ̇, Φ̈, which are zero up to rounding.
pub(crate) fn scales(run: &Run, d: &mut Evaluator<f64>) -> [f64; 5] {
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let mut scales = [0.0f64; 5];
    for n in (0..=plan.steps()).step_by(1 + plan.steps() / 50) {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        let [.., f, _, g] = quantities(run, n, (at.t, n), d);
        let sizes = [at.q, at.v, &f, at.a, &g].map(size);
        scales.iter_mut().zip(sizes).for_each(|(s, y)| *s = s.max(y));
    }
    scales
}

fn jump_at(
    model: &Prepared,
    run: &Run,
    n: usize,
    scales: &[f64; 5],
    terms: &mut Evaluator<f64>,
) -> Option<Jump> {
    let plan = &run.trajectory.plan;
    let t = plan.t[n];
    let restarts = plan.restarts[n + 1] && (plan.declared[n].is_some() || plan.edges[n].is_some());
    let side = 1e-8 * (1.0 + t.abs());
    // gap = what changes from t - side to t + side
    let mut gap = |side: f64| {
        let before = quantities(run, n, (t - side, n), terms);
        let after = quantities(run, n, (t + side, n + 1), terms);
        let pairs = before.into_iter().zip(after);
        pairs
            .map(|(a, b)| (size(&a).max(size(&b)), a.iter().zip(&b).map(|(a, b)| (a - b).abs()).collect()))
            .collect()
    };
    let far: Vec<(f64, Vec<f64>)> = gap(side);
    let near: Vec<(f64, Vec<f64>)> = gap(0.1 * side);
    // (k, row) = what changes as much over a tenth of the side
    let news = |k: &usize| *k < 2 || !restarts;
    let (k, row) = (0..near.len()).filter(news).find_map(|k| {
        let least = 1e-9 * near[k].0.max(scales[k]);
        let jumps = |i: &usize| near[k].1[*i] > 0.5 * far[k].1[*i] && near[k].1[*i] > least;
        (0..near[k].1.len()).find(jumps).map(|row| (k, row))
    })?;
    // name of it
    let name = &model.model.system.row_names().get(row);
    let subject = name.filter(|_| [0, 1, 3].contains(&k)).map(|r| Subject::new(r.owner, &r.element));
    let row = |what: &str| format!("the {what} of `{}` jumps", model.model.system.row_name(row));
    let what = match k {
        0 => row("value"),
        1 => row("speed"),
        2 => "forces jump".into(),
        3 => row("acceleration"),
        _ => "integrands jump".into(),
    };
    Some(Jump { t, what, subject, impact: k < 2, declared: plan.declared[n].is_some() })
}

/// What acts on the way through a step.
pub(crate) struct Acting<'a> {
    run: &'a Run,
    n: usize,
    /// The begin of the step, and the way through it.
    begin: Numbers<'a>,
    way: Piece<'a>,
    /// Do rows follow the time?
    timed: bool,
}

impl<'a> Acting<'a> {
    /// Of step `n` of a run.
    pub(crate) fn new(run: &'a Run, n: usize, terms: &mut Evaluator<f64>) -> Self {
        terms.set_branches(&run.trajectory.branches(n));
        // rows of bodies and joints are those of positions alone
        let by_time = |owner: Owner| matches!(owner, Owner::Driver | Owner::Constraint);
        let timed = run.system.row_names().iter().any(|row| by_time(row.owner));
        let way = Piece::of_step(&run.trajectory, n);
        Self { run, n, begin: run.trajectory.record(n - 1), way, timed }
    }
    /// Forces and integrands at θ of the step where the motion is, and Φ̈ there as a function of time alone,
    /// with the coordinates of the begin of the step.
    pub(crate) fn at(&self, θ: f64, terms: &mut Evaluator<f64>) -> [Vec<f64>; 3] {
        let plan = &self.run.trajectory.plan;
        let lay = self.run.trajectory.layout;
        let t = plan.t[self.n - 1] + θ * plan.h[self.n - 1];
        let mut rows = vec![0.0; if self.timed { lay.m } else { 0 }];
        if self.timed {
            let at = lay.node(t, &self.begin);
            terms.at(at.t, at.q);
            terms.constraint(&at, Level::ACCELERATION, &mut rows);
        }
        // on the polynomials of the step
        let mut moving = vec![Dual::from(0.0); lay.z()];
        self.way.at(θ, &mut moving);
        let node: Vec<f64> = moving.iter().map(|x| x.re).collect();
        let at = lay.node(t, &node);
        terms.at(at.t, at.q);
        let mut forces = vec![0.0; lay.n];
        let mut integrands = vec![0.0; lay.o];
        terms.forces(&at, &mut forces);
        terms.measure(FunctionalSet::Integrand, &at, &mut integrands);
        [forces, rows, integrands]
    }
}

/// Φ, Φ̇, forces, Φ̈ and integrands with the coordinates of node `n` at another time, on the branches of
/// another record.
fn quantities(run: &Run, n: usize, (t, on): (f64, usize), d: &mut Evaluator<f64>) -> [Vec<f64>; 5] {
    let lay = run.trajectory.layout;
    let record = run.trajectory.record(n);
    let at = lay.node(t, &record);
    d.set_branches(&run.trajectory.branches(on));
    d.at(t, at.q);
    let mut f = vec![0.0; lay.n];
    let mut g = vec![0.0; lay.o];
    let mut c = [(); 3].map(|()| vec![0.0; lay.m]);
    d.forces(&at, &mut f);
    d.measure(FunctionalSet::Integrand, &at, &mut g);
    c.iter_mut().zip(Level::ALL).for_each(|(c, level)| d.constraint(&at, level, c));
    let [phi, dphi, ddphi] = c;
    [phi, dphi, f, ddphi, g]
}

fn size(x: &[f64]) -> f64 {
    largest(x.iter().copied())
}
