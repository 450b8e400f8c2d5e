//! Velocities after an event: an impact, a reset, or constraints that begin to hold.
//!
//! ```text
//! V = [ M (v - v⁻) + Φ_qᵀ Λ + Σ_j w_jᵥᵀ ν_j                    momentum                                  (1)
//!       Φ̇(t, q, v) - c Λ                                       the rows that hold after the event        (2)
//!       w_j(t, q, v) - r_j(t, x⁻) ] = 0                        velocities that the event gives           (3)
//! V_(v,Λ,ν) = [ K Wᵀ ; W 0 ],   K = [ M Φ_qᵀ ; Φ_q -c ],   W_j = w_jᵥ                                    (4)
//! S = W K⁻¹ Wᵀ,   S ν = W K⁻¹ b - d,   u = K⁻¹ (b - Wᵀ ν)                                               (5)
//! V_q = [ (M (v - v⁻) + Φ_qᵀ Λ)_q + Σ ν_j (w_jᵥ)_q ; Φ̇_q ; w_jq ]                                        (6)
//! ```
//! Λ and ν are impulses, at the end of the record; those of rows that are left out are zero. K is that of the
//! accelerations at the same positions. Second derivatives of w, in (6) and over slots, are duals of its
//! gradient. (4) is symmetric, so that (5) solves its transpose too.

use super::Solver;
use crate::error::{EventError, StepError};
use crate::formulation::{Lagrange, release};
use crate::record::Layout;
use gradyn_model::{At, Evaluator, EventRule, FunctionalSet, KernelScalar, Level, Setup};
use gradyn_num::{Dual, Factor, Pattern, largest};

/// The numbers of the functionals w and r of row `j`.
fn pair(j: usize) -> [usize; 2] {
    [2 * j, 2 * j + 1]
}

/// Rows (3) of an event: numbers among those of all events.
fn rows(rule: &EventRule) -> std::ops::Range<usize> {
    let (first, count) = rule.rows;
    first as usize..(first + count) as usize
}

/// (1)–(3) in the places of v and of the impulses, on any scalar; `terms` are at the positions of x, `before`
/// are the functionals of events at the record before.
pub(super) fn residual<S: KernelScalar>(
    sys: &Setup,
    law: &Lagrange,
    layout: &Layout,
    event: u32,
    (t, [past, x], before): (S, [&[S]; 2], &[S]),
    terms: &mut Evaluator<S>,
    r: &mut [S],
) {
    let (n, m, lam) = (layout.n, layout.m, layout.impulse());
    let rule = &sys.events()[event as usize];
    let at = layout.node(t, x);
    let impulses = &x[lam..lam + m];
    // (1) without ν
    let change: Vec<S> = (n..2 * n).map(|i| x[i] - past[i]).collect();
    let momentum = &mut r[n..2 * n];
    momentum.fill(S::zero());
    terms.balance(&change, impulses, momentum);
    // (2)
    let c = law.compliance.rows(sys);
    (0..m).for_each(|k| r[lam + k] = impulses[k] * -c(k));
    terms.constraint(&at, Level::VELOCITY, &mut r[lam..lam + m]);
    release(sys, impulses, &mut r[lam..lam + m]);
    // (3), and ν in (1)
    let mut after = vec![S::zero(); before.len()];
    terms.measure(FunctionalSet::Event, &at, &mut after);
    let mut gradient = vec![S::zero(); layout.z() + sys.support(FunctionalSet::Event).len()];
    for (k, j) in rows(rule).enumerate() {
        let [w, given] = pair(j);
        let nu = x[lam + m + k];
        r[lam + m + k] = after[w] - before[given];
        terms.measure_row(FunctionalSet::Event, w, &at, &mut gradient);
        (n..2 * n).for_each(|i| r[i] += gradient[i] * nu);
    }
}

/// (1)–(3) linearised at a record.
pub(super) struct Impact {
    layout: Layout,
    p: Vec<f64>,
    /// Terms along a direction.
    along: Evaluator<Dual<f64, 1>>,
    event: usize,
    t: f64,
    branches: Vec<f64>,
    /// The record, and v - v⁻.
    x: Vec<f64>,
    change: Vec<f64>,
    /// M on n × n, (M (v - v⁻) + Φ_qᵀ Λ)_q there, and Φ̇_q on m × n.
    mass: Vec<f64>,
    top_q: Vec<f64>,
    bottom_q: Vec<f64>,
    /// Gradients of w at the record and of r at that before, over (q, v, a, λ | support).
    gradients: Vec<[Vec<f64>; 2]>,
    /// K⁻¹ Wᵀ, one row after the other, and the factor of S.
    columns: Vec<Vec<f64>>,
    schur: Option<Factor>,
}

impl Impact {
    /// Memory; `p` are the slots.
    pub(super) fn new(sys: &Setup, layout: Layout, p: &[f64]) -> Self {
        let patterns = sys.patterns();
        Self {
            layout,
            p: p.to_vec(),
            along: sys.evaluator_with(p),
            event: 0,
            t: 0.0,
            branches: vec![],
            x: vec![0.0; layout.len],
            change: vec![0.0; layout.n],
            mass: vec![],
            top_q: vec![0.0; patterns.nn.nnz()],
            bottom_q: vec![0.0; patterns.mn.nnz()],
            gradients: vec![],
            columns: vec![],
            schur: None,
        }
    }
    /// Number of rows (3).
    fn count(&self) -> usize {
        self.gradients.len()
    }
    /// Gradients of r at the record before, where `terms` are at its time with its branches.
    pub(super) fn look_back(&mut self, sys: &Setup, event: u32, before: &At, terms: &mut Evaluator<f64>) {
        let width = self.layout.z() + sys.support(FunctionalSet::Event).len();
        let rows = rows(&sys.events()[event as usize]);
        self.gradients.resize(rows.len(), [vec![0.0; width], vec![0.0; width]]);
        for (j, [_, r]) in rows.zip(&mut self.gradients) {
            terms.measure_row(FunctionalSet::Event, pair(j)[1], before, r);
        }
    }
    /// Partials at x; `terms` and `solver` are there.
    pub(super) fn linearise(
        &mut self,
        sys: &Setup,
        event: u32,
        (t, branches): (f64, &[f64]),
        [past, x]: [&[f64]; 2],
        terms: &mut Evaluator<f64>,
        solver: &mut Solver,
    ) -> Result<(), StepError> {
        let (n, m, lam) = (self.layout.n, self.layout.m, self.layout.impulse());
        self.event = event as usize;
        self.t = t;
        self.branches = branches.to_vec();
        self.x.copy_from_slice(x);
        (0..n).for_each(|i| self.change[i] = x[n + i] - past[n + i]);
        // (6) without w, and M
        let at = self.layout.node(t, x);
        self.mass = terms.mass().to_vec();
        self.top_q.fill(0.0);
        self.bottom_q.fill(0.0);
        terms.balance_q(&at, &self.change, &x[lam..lam + m], &mut self.top_q);
        terms.constraint_q(&at, Level::VELOCITY, &mut self.bottom_q);
        // gradients of w
        for (j, [w, _]) in rows(&sys.events()[self.event]).zip(&mut self.gradients) {
            terms.measure_row(FunctionalSet::Event, pair(j)[0], &at, w);
        }
        self.border(sys, terms, solver)
    }
    /// K⁻¹ Wᵀ and the factor of S.
    fn border(&mut self, sys: &Setup, terms: &Evaluator<f64>, solver: &mut Solver) -> Result<(), StepError> {
        let (n, m, count) = (self.layout.n, self.layout.m, self.count());
        self.columns.clear();
        self.schur = None;
        if count == 0 {
            return Ok(());
        }
        for [w, _] in &self.gradients {
            let mut column = vec![0.0; n + m];
            column[..n].copy_from_slice(&w[n..2 * n]);
            solver.solve(sys, terms, &mut column);
            self.columns.push(column);
        }
        // S, with rows and columns over their sizes
        let rule = &sys.events()[self.event];
        let wrong = || EventError::Blocked { t: self.t, event: rule.name.clone() };
        let mut s = vec![0.0; count * count];
        for j in 0..count {
            for k in 0..count {
                s[j * count + k] = self.along_row(j, &self.columns[k]);
            }
        }
        let length = |j: usize| largest(self.gradients[j][0][n..2 * n].iter().copied());
        let reach = |j: usize| length(j) * largest(self.columns[j][..n].iter().copied());
        if (0..count).any(|j| s[j * count + j] <= 1e-12 * reach(j) || !s[j * count + j].is_finite()) {
            return Err(wrong().into());
        }
        let dense = (0..count).flat_map(|j| (0..count).map(move |k| (j, k)));
        let mut factor = Factor::new(&Pattern::from_entries(count, count, dense))?;
        factor.refactor(&s).map_err(|_| wrong())?;
        self.schur = Some(factor);
        Ok(())
    }
    /// W_j u of the velocities in u.
    fn along_row(&self, j: usize, u: &[f64]) -> f64 {
        let n = self.layout.n;
        self.gradients[j][0][n..2 * n].iter().zip(u).map(|(w, u)| w * u).sum()
    }
    /// (5): (v, Λ, ν) in the places of v and of the impulses.
    fn solve_bordered(&mut self, sys: &Setup, terms: &Evaluator<f64>, solver: &mut Solver, b: &mut [f64]) {
        let (n, m, lam) = (self.layout.n, self.layout.m, self.layout.impulse());
        // K⁻¹ b
        let mut u = [&b[n..2 * n], &b[lam..lam + m]].concat();
        solver.solve(sys, terms, &mut u);
        // ν, and what it takes
        if let Some(mut schur) = self.schur.take() {
            let count = self.count();
            let mut nu: Vec<f64> = (0..count).map(|j| self.along_row(j, &u) - b[lam + m + j]).collect();
            schur.solve(&mut nu);
            for (column, nu) in self.columns.iter().zip(&nu) {
                u.iter_mut().zip(column).for_each(|(u, c)| *u -= c * nu);
            }
            b[lam + m..lam + m + count].copy_from_slice(&nu);
            self.schur = Some(schur);
        }
        b[n..2 * n].copy_from_slice(&u[..n]);
        b[lam..lam + m].copy_from_slice(&u[n..]);
    }
    /// Velocities and impulses of R_x⁻¹ b, after its positions.
    pub(super) fn solve(&mut self, sys: &Setup, terms: &Evaluator<f64>, solver: &mut Solver, b: &mut [f64]) {
        let (n, m, lam) = (self.layout.n, self.layout.m, self.layout.impulse());
        let q = b[..n].to_vec();
        // b - V_q q
        let patterns = sys.patterns();
        patterns.nn.mul(&self.top_q, -1.0, &q, &mut b[n..2 * n]);
        patterns.mn.mul(&self.bottom_q, -1.0, &q, &mut b[lam..lam + m]);
        for (j, [w, _]) in self.gradients.iter().enumerate() {
            b[lam + m + j] -= dot(&w[..n], &q);
        }
        let curved = self.curved(sys, Direction::Positions(&q));
        (0..n).for_each(|i| b[n + i] -= curved[n + i]);
        self.solve_bordered(sys, terms, solver, b);
    }
    /// Velocities and impulses of R_x⁻ᵀ b, and what they take from its positions.
    pub(super) fn solve_t(
        &mut self,
        sys: &Setup,
        terms: &Evaluator<f64>,
        solver: &mut Solver,
        b: &mut [f64],
    ) {
        let (n, m, lam) = (self.layout.n, self.layout.m, self.layout.impulse());
        self.solve_bordered(sys, terms, solver, b);
        // b_q - V_qᵀ μ
        let mu = b[n..2 * n].to_vec();
        let rows = b[lam..lam + m].to_vec();
        let patterns = sys.patterns();
        patterns.nn.mul_t(&self.top_q, -1.0, &mu, &mut b[..n]);
        patterns.mn.mul_t(&self.bottom_q, -1.0, &rows, &mut b[..n]);
        for (j, [w, _]) in self.gradients.iter().enumerate() {
            let weight = b[lam + m + j];
            (0..n).for_each(|i| b[i] -= w[i] * weight);
        }
        let curved = self.curved(sys, Direction::Velocities(&mu));
        (0..n).for_each(|i| b[i] -= curved[i]);
    }
    /// Σ ν_j times the derivative of the gradient of w_j along a direction, over (q, v, a, λ | support).
    fn curved(&mut self, sys: &Setup, direction: Direction) -> Vec<f64> {
        let (n, z) = (self.layout.n, self.layout.z());
        let first = self.layout.impulse() + self.layout.m;
        let width = z + sys.support(FunctionalSet::Event).len();
        let mut sum = vec![0.0; width];
        if self.count() == 0 {
            return sum;
        }
        // the record and the slots along the direction
        let mut x: Vec<Dual<f64, 1>> = self.x.iter().map(|&x| Dual::from(x)).collect();
        let mut p: Vec<Dual<f64, 1>> = self.p.iter().map(|&p| Dual::from(p)).collect();
        let (to, d) = match direction {
            Direction::Positions(d) => (&mut x[..n], d),
            Direction::Velocities(d) => (&mut x[n..2 * n], d),
            Direction::Slots(d) => (&mut p[..], d),
        };
        to.iter_mut().zip(d).for_each(|(x, d)| x.eps[0] = *d);
        self.along.set_slots(&p);
        self.along.set_branches(&self.branches);
        let t = Dual::from(self.t);
        self.along.at(t, &x[..n]);
        // gradients there
        let at = self.layout.node(t, &x);
        let mut gradient = vec![Dual::from(0.0); width];
        for (k, j) in rows(&sys.events()[self.event]).enumerate() {
            self.along.measure_row(FunctionalSet::Event, pair(j)[0], &at, &mut gradient);
            let nu = self.x[first + k];
            sum.iter_mut().zip(&gradient).for_each(|(s, g)| *s += nu * g.eps[0]);
        }
        sum
    }
    /// r += V_past s.
    pub(super) fn past_mul(&mut self, sys: &Setup, s: &[f64], r: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        let first = self.layout.impulse() + self.layout.m;
        sys.patterns().nn.mul(&self.mass, -1.0, &s[n..2 * n], &mut r[n..2 * n]);
        for (j, [_, given]) in self.gradients.iter().enumerate() {
            r[first + j] -= dot(&given[..z], &s[..z]);
        }
    }
    /// out += V_pastᵀ μ.
    pub(super) fn past_mul_t(&mut self, sys: &Setup, mu: &[f64], out: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        let first = self.layout.impulse() + self.layout.m;
        sys.patterns().nn.mul_t(&self.mass, -1.0, &mu[n..2 * n], &mut out[n..2 * n]);
        for (j, [_, given]) in self.gradients.iter().enumerate() {
            (0..z).for_each(|i| out[i] -= given[i] * mu[first + j]);
        }
    }
    /// r += V_p δ; `terms` are at the record.
    pub(super) fn slot_mul(&mut self, sys: &Setup, terms: &mut Evaluator<f64>, delta: &[f64], r: &mut [f64]) {
        let (n, m, lam, z) = (self.layout.n, self.layout.m, self.layout.impulse(), self.layout.z());
        let at: At = self.layout.node(self.t, &self.x);
        terms.balance_p(&at, &self.change, &self.x[lam..lam + m], delta, &mut r[n..2 * n]);
        terms.constraint_p(&at, Level::VELOCITY, delta, &mut r[lam..lam + m]);
        let support = sys.support(FunctionalSet::Event);
        for (j, [w, given]) in self.gradients.iter().enumerate() {
            let change = (z..w.len()).map(|i| (w[i] - given[i]) * delta[support[i - z] as usize]);
            r[lam + m + j] += change.sum::<f64>();
        }
        let curved = self.curved(sys, Direction::Slots(delta));
        (0..n).for_each(|i| r[n + i] += curved[n + i]);
    }
    /// grad += s V_pᵀ μ; `terms` are at the record.
    pub(super) fn slot_mul_t(
        &mut self,
        sys: &Setup,
        terms: &mut Evaluator<f64>,
        mu: &[f64],
        s: f64,
        grad: &mut [f64],
    ) {
        let (n, m, lam, z) = (self.layout.n, self.layout.m, self.layout.impulse(), self.layout.z());
        let at: At = self.layout.node(self.t, &self.x);
        terms.balance_p_t(&at, &self.change, &self.x[lam..lam + m], &mu[n..2 * n], s, grad);
        terms.constraint_p_t(&at, Level::VELOCITY, &mu[lam..lam + m], s, grad);
        let support = sys.support(FunctionalSet::Event);
        for (j, [w, given]) in self.gradients.iter().enumerate() {
            let weight = s * mu[lam + m + j];
            (z..w.len()).for_each(|i| grad[support[i - z] as usize] += weight * (w[i] - given[i]));
        }
        let curved = self.curved(sys, Direction::Velocities(&mu[n..2 * n]));
        (z..curved.len()).for_each(|i| grad[support[i - z] as usize] += s * curved[i]);
    }
}

/// What second derivatives are taken along.
enum Direction<'a> {
    Positions(&'a [f64]),
    Velocities(&'a [f64]),
    Slots(&'a [f64]),
}

/// aᵀ b.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
