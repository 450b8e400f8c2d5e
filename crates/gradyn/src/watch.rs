//! What a run may have passed without noticing: jumps at declared times and singular positions.
//!
//! A jump of y at t does not shrink with the distance from t, a kink does:
//!
//! ```text
//! |y(t + ε/10) - y(t - ε/10)| > ½ |y(t + ε) - y(t - ε)|                                               (1)
//! ```
//! with y the forces, the integrands and Φ, Φ̇, Φ̈ at fixed q, q̇, q̈. A jump of Φ or Φ̇ is an impact, which no step applies.
//!
//! The sine s of the smallest angle between a constraint row and those before it falls to zero on a line where the
//! rows become dependent. Between two nodes it may pass zero if a line through neighbouring nodes does:
//!
//! ```text
//! s_n ≤ 3 h_{n+1} (s_{n-1} - s_n)/h_n    or the same from the right                                   (2)
//! ```
//! and there its minimum is searched, on the cubic through q and q̇ of both nodes.

use crate::prepared::{Prepared, Run};
use gradyn_model::{LEVEL, ModelError, Natural, Set, System};
use gradyn_num::largest;

type Data = <Natural as System>::Data<f64>;

/// Something that jumps at a declared time.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// When [s].
    pub t: f64,
    /// What, with its verb.
    pub what: String,
    /// Is it the value or the rate of a driver or of a constraint: an impact?
    pub impact: bool,
}

impl Jump {
    /// For the warnings of a run.
    pub fn warning(&self) -> String {
        let Jump { t, what, impact } = self;
        let then = match impact {
            true => "the impact that this means is not applied: the motion after it is wrong",
            false => "only kinks are handled there: the run is of first order and has no gradient",
        };
        format!("jump: {what} at the declared time t = {t} s; {then}")
    }
    /// For gradients.
    pub fn refusal(&self) -> ModelError {
        let e = ModelError::new(format!("{} at t = {} s: the gradient across a jump is not available", self.what, self.t));
        e.help(match self.impact {
            true => "let the driven value begin and end smoothly, with its rate; a spline does",
            false => "make the law continuous, for example a ramp between two break times",
        })
    }
}

/// Independence of the rows (sine of the angle between one and the others) below which a position is singular.
const SINGULAR: f64 = 1e-4;

impl Prepared {
    /// What jumps at a declared time inside the run, (1).
    pub(crate) fn find_jump(&self, run: &Run, d: &mut Data) -> Option<Jump> {
        let plan = &run.trajectory.plan;
        let declared: Vec<usize> = (1..plan.steps()).filter(|&n| plan.declared[n].is_some()).collect();
        let scales = if declared.is_empty() { [0.0; 5] } else { self.scales(run, d) };
        declared.into_iter().find_map(|n| self.jump_at(run, n, &scales, d))
    }
    /// What a jump of each quantity is small against: its size at some fifty nodes, that of q, q̇, q̈ for Φ, Φ̇, Φ̈,
    /// which are zero up to rounding.
    fn scales(&self, run: &Run, d: &mut Data) -> [f64; 5] {
        let (lay, plan) = (run.trajectory.layout, &run.trajectory.plan);
        let mut scales = [0.0f64; 5];
        for n in (0..=plan.steps()).step_by(1 + plan.steps() / 50) {
            let at = lay.node(plan.t[n], run.trajectory.record(n));
            let [.., f, _, g] = self.quantities(run, n, at.t, d);
            let sizes = [at.q, at.v, &f, at.a, &g].map(size);
            scales.iter_mut().zip(sizes).for_each(|(s, y)| *s = s.max(y));
        }
        scales
    }
    fn jump_at(&self, run: &Run, n: usize, scales: &[f64; 5], d: &mut Data) -> Option<Jump> {
        let t = run.trajectory.plan.t[n];
        let side = 1e-8 * (1.0 + t.abs());
        let mut gap = |side: f64| {
            let (before, after) = (self.quantities(run, n, t - side, d), self.quantities(run, n, t + side, d));
            let pairs = before.into_iter().zip(after);
            pairs.map(|(a, b)| (size(&a).max(size(&b)), a.iter().zip(&b).map(|(a, b)| (a - b).abs()).collect())).collect()
        };
        let (far, near): (Vec<(f64, Vec<f64>)>, Vec<(f64, Vec<f64>)>) = (gap(side), gap(0.1 * side));
        let (k, row) = (0..near.len()).find_map(|k| {
            let least = 1e-9 * near[k].0.max(scales[k]);
            let jumps = |i: &usize| near[k].1[*i] > 0.5 * far[k].1[*i] && near[k].1[*i] > least;
            (0..near[k].1.len()).find(jumps).map(|row| (k, row))
        })?;
        let row = |what: &str| format!("the {what} of `{}` jumps", self.model.system.row_name(row));
        let what = match k {
            0 => row("value"),
            1 => row("speed"),
            2 => "forces jump".into(),
            3 => row("acceleration"),
            _ => "integrands jump".into(),
        };
        Some(Jump { t, what, impact: k < 2 })
    }
    /// Φ, Φ̇, forces, Φ̈ and integrands with the coordinates of node `n` at another time.
    fn quantities(&self, run: &Run, n: usize, t: f64, d: &mut Data) -> [Vec<f64>; 5] {
        let (sys, lay) = (&self.model.system, run.trajectory.layout);
        let at = lay.node(t, run.trajectory.record(n));
        sys.set_angles(run.trajectory.plan.angles(n), d);
        sys.place(t, at.q, d);
        let (mut f, mut g, mut c) = (vec![0.0; lay.n], vec![0.0; lay.o], [(); 3].map(|()| vec![0.0; lay.m]));
        System::forces(sys, &at, d, &mut f);
        sys.measure(Set::Integrand, &at, d, &mut g);
        c.iter_mut().zip(LEVEL).for_each(|(c, level)| sys.constraint(&at, level, d, c));
        let [phi, dphi, ddphi] = c;
        [phi, dphi, f, ddphi, g]
    }
    /// A position in which the constraint rows are nearly dependent: what follows may be on either branch.
    pub(crate) fn warn_singular(&self, run: &mut Run, d: &mut Data) {
        let (lay, plan) = (run.trajectory.layout, &run.trajectory.plan);
        if lay.m > 50 {
            return; // the check is dense
        }
        let nodes: Vec<f64> = (0..=plan.steps()).map(|n| self.independence_at(run, n, 0.0, d)).collect();
        let mut least = nodes.iter().zip(&plan.t).fold((f64::INFINITY, 0.0), |a, (&s, &t)| if s < a.0 { (s, t) } else { a });
        for n in (0..plan.steps()).filter(|&n| may_vanish(&nodes, &plan.h, n)) {
            let (s, theta) = minimum(|theta| self.independence_at(run, n, theta, d));
            if s < least.0 {
                least = (s, plan.t[n] + theta * plan.h[n]);
            }
        }
        let (s, t) = least;
        if s < SINGULAR {
            run.singular = Some(t);
            let smooth = self.turns_over(run, t, d);
            let branch = if smooth { "goes on along its branch" } else { "turns back or changes to the other branch" };
            run.warnings.push(format!(
                "singular: the run passes a position at t = {t} s where the constraints are dependent ({s:.0e}) and {branch}; beyond it there is no gradient"
            ));
        } else if s < 1e-2 {
            run.warnings.push(format!(
                "near-singular: the constraints are nearly dependent at t = {t} s ({s:.0e}); the motion after it and its gradient may not be trustworthy"
            ));
        }
    }
    /// s between nodes `n` and n + 1, at θ of the step.
    /// Does the determinant of [Φ_q; B] change its sign between the nodes before and after t? So it does on a smooth branch.
    fn turns_over(&self, run: &Run, t: f64, d: &mut Data) -> bool {
        let (sys, lay, plan) = (&self.model.system, run.trajectory.layout, &run.trajectory.plan);
        let after = plan.t.partition_point(|x| *x <= t).clamp(1, plan.steps());
        let rows = sys.independent(true);
        let mut matrix = |n: usize, picked: Option<Vec<u32>>| {
            sys.place(plan.t[n], &run.trajectory.record(n)[..lay.n], d);
            let picked = picked.unwrap_or_else(|| gradyn_num::unpivoted_columns(&sys.patterns().mn, sys.phi_q(d), rows));
            let mn = &sys.patterns().mn;
            let mut a = vec![vec![0.0; lay.n]; lay.n];
            for (row, &k) in a.iter_mut().zip(rows) {
                mn.row(k as usize).for_each(|p| row[mn.col(p)] = sys.phi_q(d)[p]);
            }
            a[rows.len()..].iter_mut().zip(&picked).for_each(|(row, &i)| row[i as usize] = 1.0);
            (sign(a), picked)
        };
        let (before, picked) = matrix(after - 1, None);
        before * matrix(after, Some(picked)).0 < 0.0
    }
    fn independence_at(&self, run: &Run, n: usize, theta: f64, d: &mut Data) -> f64 {
        let (sys, lay, plan) = (&self.model.system, run.trajectory.layout, &run.trajectory.plan);
        if theta == 0.0 {
            sys.place(plan.t[n], &run.trajectory.record(n)[..lay.n], d);
        } else {
            let (a, b, h) = (run.trajectory.record(n), run.trajectory.record(n + 1), plan.h[n]);
            let (θ, η) = (theta, 1.0 - theta);
            // cubic Hermite
            let q = |i: usize| {
                let (v0, v1) = (h * a[lay.n + i], h * b[lay.n + i]);
                η * η * (1.0 + 2.0 * θ) * a[i] + θ * θ * (1.0 + 2.0 * η) * b[i] + θ * η * (η * v0 - θ * v1)
            };
            let q: Vec<f64> = (0..lay.n).map(q).collect();
            sys.place(plan.t[n] + theta * h, &q, d);
        }
        independence(&sys.patterns().mn, sys.independent(false), sys.phi_q(d))
    }
}

/// Sign of a determinant.
fn sign(mut a: Vec<Vec<f64>>) -> f64 {
    let (n, mut sign) = (a.len(), 1.0);
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

fn size(x: &[f64]) -> f64 {
    largest(x.iter().copied())
}

/// (2): may s vanish in step n, from node n to n + 1?
fn may_vanish(s: &[f64], h: &[f64], n: usize) -> bool {
    let left = n > 0 && s[n] <= 3.0 * h[n] * (s[n - 1] - s[n]) / h[n - 1];
    let right = n + 2 < s.len() && s[n + 1] <= 3.0 * h[n] * (s[n + 2] - s[n + 1]) / h[n + 1];
    left || right
}

/// Minimum of a function with one minimum in [0, 1] by golden sections: value and place.
fn minimum(mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (0.0, 1.0);
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

/// Smallest distance of a row of length 1 from the span of those before it: the sine of the angle between them. Rows that are
/// redundant by themselves do not count.
fn independence(pattern: &gradyn_num::Pattern, rows: &[u32], values: &[f64]) -> f64 {
    let (mut kept, mut least): (Vec<Vec<f64>>, f64) = (vec![], f64::INFINITY);
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    for &i in rows {
        let mut x = vec![0.0; pattern.cols()];
        pattern.row(i as usize).for_each(|pos| x[pattern.col(pos)] = values[pos]);
        let length = norm(&x);
        for k in &kept {
            let dot: f64 = k.iter().zip(&x).map(|(a, b)| a * b).sum();
            x.iter_mut().zip(k).for_each(|(x, k)| *x -= dot * k);
        }
        let rest = norm(&x);
        least = least.min(rest / length.max(f64::MIN_POSITIVE));
        kept.push(x.iter().map(|x| x / rest.max(f64::MIN_POSITIVE)).collect());
    }
    least
}
