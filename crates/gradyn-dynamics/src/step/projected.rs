//! A state step whose node is projected onto the constraints, instead of stabilising them.
//!
//! ```text
//! R̃(x̃, past) = 0                                   the step, with the node ñ = (q̃, ṽ, ã, λ̃)              (1)
//! [ M (q - q̃) + Φ_qᵀ σ_q ; Φ(t, q) ] = 0                                                                (2)
//! [ M (v - ṽ) + Φ_qᵀ σ_v ; Φ̇(t, q, v) ] = 0                                                             (3)  [A22, Eq. 2, rewritten]
//! F(t, q, v, a, λ; p) = 0                           Φ̈ = 0                                               (4)
//! ```
//! (2) and (3) are orthogonal with respect to M; rows of velocity level take no part in (2). The next step
//! begins at the projected node. A record is that of the step with the projected node in front, then ñ, σ_q,
//! σ_v.

use super::{Equations, Layout, Report, Span, Step, Tolerance};
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange, Linear, release};
use crate::initial::{self, Initial, prepare_kkt, refactor_kkt, row_or_coordinate};
use crate::plan::Frozen;
use gradyn_model::{At, Data, KernelScalar, LEVEL, RunScalar, Setup, System};
use gradyn_num::{Kkt, Saddle, largest};

/// Iterations of (2).
const MAX_ITERATIONS: usize = 30;

/// A step with projections.
pub struct Projected<T> {
    /// The step, on a formulation with Φ̈ = 0.
    pub step: T,
}

/// Memory of the residual.
pub struct Work<T: Step, S: RunScalar> {
    inner: T::Work<S>,
    data: Data<S>,
    x: Vec<S>,
    r: Vec<S>,
    diff: Vec<S>,
}

/// Memory of the linearised step.
pub struct ProjectedLinear<T: Step> {
    initial: Initial,
    first: bool,
    inner: T::Linear,
    node: Linear,
    position: Saddle,
    kkt: Kkt,
    /// Φ_q without rows of velocity level, Φ̇_q, and (M w + Φ_qᵀ σ)_q of (2), (3).
    held: Vec<f64>,
    dphi_q: Vec<f64>,
    balance: [Vec<f64>; 2],
    /// The node, q - q̃, v - ṽ, σ_q, σ_v.
    point: Vec<f64>,
    t: f64,
    diff: Vec<f64>,
    sigma: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    r: Vec<f64>,
}

/// Is row k of position level?
fn holonomic(sys: &Setup, k: usize) -> bool {
    k < sys.dims().m - sys.dims().m_vel
}

/// Rows of velocity level say -σ_k = 0 in (2).
fn release_rates<S: KernelScalar>(sys: &Setup, sigma: &[S], rows: &mut [S]) {
    (0..sys.dims().m).filter(|&k| !holonomic(sys, k)).for_each(|k| rows[k] = -sigma[k]);
}

impl<T: Step> Projected<T> {
    /// Offsets of ñ, σ_q, σ_v.
    fn offsets(&self) -> [usize; 3] {
        let inner = self.step.layout();
        [inner.len, inner.len + inner.z(), inner.len + inner.z() + inner.m]
    }
    /// The record of the step: ñ in place of the node.
    fn unproject<S: Copy>(&self, x: &[S], out: &mut [S]) {
        let (inner, [tilde, ..]) = (self.step.layout(), self.offsets());
        out.copy_from_slice(&x[..inner.len]);
        out[..inner.z()].copy_from_slice(&x[tilde..tilde + inner.z()]);
    }
    /// Rows of the step back into those of the record.
    fn spread(&self, from: &[f64], r: &mut [f64]) {
        let (inner, [tilde, ..]) = (self.step.layout(), self.offsets());
        r[tilde..tilde + inner.z()].copy_from_slice(&from[..inner.z()]);
        r[inner.z()..inner.len].copy_from_slice(&from[inner.z()..]);
    }
    /// (2) and (3), for q from the prediction q̃ in `x`.
    fn project(&self, t: f64, l: &mut ProjectedLinear<T>, x: &mut [f64]) -> Result<Report, StepError> {
        let (sys, lay, [_, sq, sv]) = (self.step.system(), self.layout(), self.offsets());
        let (n, m) = (lay.n, lay.m);
        x[sq..sq + m].fill(0.0);
        let (mut last, mut report) = (f64::INFINITY, Report::default());
        loop {
            sys.place(t, &x[..n], &mut l.node.data);
            self.residual_q(&lay, t, x, l);
            self.factor_q(t, l, None)?;
            l.position.solve(&mut l.b);
            x[..n].iter_mut().zip(&l.b).for_each(|(q, d)| *q -= d);
            x[sq..sq + m].iter_mut().zip(&l.b[n..]).for_each(|(s, d)| *s -= d);
            report = Report { iterations: report.iterations + 1, factorizations: report.factorizations + 1 };
            let size = largest(l.b[..n].iter().copied()) / sys.size_of(&x[..n]).max(f64::MIN_POSITIVE);
            if !size.is_finite() || report.iterations == MAX_ITERATIONS {
                let worst = (0..m).fold(0, |w, k| if l.r[k].abs() > l.r[w].abs() { k } else { w });
                let (iterations, residual) = (report.iterations, l.r[worst].abs());
                return Err(StepError::Positions { t, iterations, residual, worst: sys.row_name(worst) });
            }
            if size <= 4.0 * f64::EPSILON || (size < 1e-11 && size > 0.3 * last) {
                break;
            }
            last = size;
        }
        sys.place(t, &x[..n], &mut l.node.data);
        refactor_kkt(sys, t, &l.node.data, Compliance::NONE, &mut l.kkt)?;
        // M (v - ṽ) + Φ_qᵀ σ = 0, Φ̇(ṽ) + Φ_q (v - ṽ) = 0
        l.b.fill(0.0);
        sys.constraint(&lay.node(t, x), LEVEL[1], &mut l.node.data, &mut l.b[n..]);
        l.b[n..].iter_mut().for_each(|b| *b = -*b);
        l.kkt.solve(&mut l.b);
        x[n..2 * n].iter_mut().zip(&l.b).for_each(|(v, d)| *v += d);
        x[sv..sv + m].copy_from_slice(&l.b[n..]);
        // (4), linear in (a, λ)
        x[2 * n..lay.z()].fill(0.0);
        Lagrange::ACCELERATION.residual(sys, &lay.node(t, x), &mut l.node.data, &mut l.b);
        l.kkt.solve(&mut l.b);
        x[2 * n..lay.z()].iter_mut().zip(&l.b).for_each(|(u, d)| *u = -d);
        Ok(report)
    }
    /// Rows (2) into `l.b`; Φ into the head of `l.r`.
    fn residual_q(&self, lay: &Layout, t: f64, x: &[f64], l: &mut ProjectedLinear<T>) {
        let (sys, n, m, [tilde, sq, _]) = (self.step.system(), lay.n, lay.m, self.offsets());
        (0..n).for_each(|i| l.diff[i] = x[i] - x[tilde + i]);
        l.b.fill(0.0);
        let (top, bottom) = l.b.split_at_mut(n);
        sys.balance(&l.diff[..n], &x[sq..sq + m], &l.node.data, top);
        sys.constraint(&lay.node(t, x), LEVEL[0], &mut l.node.data, bottom);
        release(sys, &x[sq..sq + m], bottom);
        release_rates(sys, &x[sq..sq + m], bottom);
        l.r[..m].copy_from_slice(bottom);
    }
    /// The matrix of (2) with (M w + Φ_qᵀ σ)_q, or without it for the iteration.
    fn factor_q(
        &self,
        t: f64,
        l: &mut ProjectedLinear<T>,
        balance_q: Option<usize>,
    ) -> Result<(), StepError> {
        let sys = self.step.system();
        let (mass, mn) = (sys.mass(&l.node.data), &sys.patterns().mn);
        l.held.copy_from_slice(sys.phi_q(&l.node.data));
        (0..mn.rows()).filter(|&k| !holonomic(sys, k)).for_each(|k| l.held[mn.row(k)].fill(0.0));
        let curvature = |k: usize| balance_q.map_or(0.0, |i| l.balance[i][k]);
        l.position
            .refactor(|k| mass[k] + curvature(k), |k| l.held[k], &l.held, |_| 0.0, 1.0)
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) })
    }
}

impl<T: Step> Step for Projected<T> {
    type Work<S: RunScalar> = Work<T, S>;
    type Linear = ProjectedLinear<T>;

    fn system(&self) -> &Setup {
        self.step.system()
    }
    fn layout(&self) -> Layout {
        let inner = self.step.layout();
        Layout { len: inner.len + inner.z() + 2 * inner.m, ..inner }
    }
    fn work<S: RunScalar>(&self, p: &[S]) -> Work<T, S> {
        let (inner, zero) = (self.step.layout(), S::zero());
        let mut data = self.system().data();
        self.system().prepare(p, &mut data);
        Work {
            inner: self.step.work(p),
            data,
            x: vec![zero; inner.len],
            r: vec![zero; inner.len],
            diff: vec![zero; inner.n],
        }
    }
    fn linear(&self, p: &[f64]) -> Result<ProjectedLinear<T>, StepError> {
        let (sys, lay, pat) = (self.system(), self.layout(), self.system().patterns());
        let mut node = Linear::new(sys, Lagrange::ACCELERATION);
        sys.prepare(p, &mut node.data);
        let kkt = prepare_kkt(sys, &node.data)?;
        let free: Vec<u32> = (0..lay.m as u32)
            .filter(|&k| sys.dropped().contains(&k) || !holonomic(sys, k as usize))
            .collect();
        Ok(ProjectedLinear {
            initial: Initial::new(sys, Lagrange::ACCELERATION, lay, p, kkt.clone())?,
            first: true,
            inner: self.step.linear(p)?,
            node,
            position: Saddle::new(&pat.nn, &pat.mn)?.released(&free),
            kkt,
            held: vec![0.0; pat.mn.nnz()],
            dphi_q: vec![0.0; pat.mn.nnz()],
            balance: [vec![0.0; pat.nn.nnz()], vec![0.0; pat.nn.nnz()]],
            point: vec![0.0; lay.z()],
            t: 0.0,
            diff: vec![0.0; 2 * lay.n],
            sigma: vec![0.0; 2 * lay.m],
            b: vec![0.0; lay.n + lay.m],
            x: vec![0.0; self.step.layout().len],
            r: vec![0.0; self.step.layout().len.max(lay.m)],
        })
    }
    fn initial<'l>(&self, l: &'l mut ProjectedLinear<T>) -> &'l mut Initial {
        &mut l.initial
    }
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        self.step.noise(h, size, mass, row)
    }
    fn stability(&self, h: f64, x: &[f64]) -> Option<f64> {
        let mut inner = vec![0.0; self.step.layout().len];
        self.unproject(x, &mut inner);
        self.step.stability(h, &inner)
    }
    fn stage_times(&self) -> Vec<Option<f64>> {
        self.step.stage_times()
    }
    fn visits(&self, l: &ProjectedLinear<T>) -> usize {
        self.step.visits(&l.inner) + self.system().visits(&l.node.data)
    }
    fn order(&self) -> usize {
        self.step.order()
    }
    fn equations(&self) -> Equations {
        self.step.equations()
    }
    fn estimate_order(&self) -> usize {
        self.step.estimate_order()
    }
    fn choices(&self) -> usize {
        self.step.choices()
    }
    fn decide(
        &self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        l: &mut ProjectedLinear<T>,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        self.step.decide(span, &past[..self.step.layout().len], since, &mut l.inner, choice)
    }
    fn residual<S: RunScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<T, S>,
        r: &mut [S],
    ) {
        let (sys, lay, inner) = (self.system(), self.layout(), self.step.layout());
        let (n, m, [tilde, sq, sv]) = (lay.n, lay.m, self.offsets());
        sys.set_angles(frozen.angles, &mut w.data);
        let Some(past) = past else {
            return initial::residual(sys, &Lagrange::ACCELERATION, &lay, span.t, x, &mut w.data, r);
        };
        // (1)
        self.unproject(x, &mut w.x);
        self.step.residual(span, frozen, &w.x, Some(&past[..inner.len]), &mut w.inner, &mut w.r);
        r[tilde..tilde + inner.z()].copy_from_slice(&w.r[..inner.z()]);
        r[inner.z()..inner.len].copy_from_slice(&w.r[inner.z()..]);
        // (2), (3)
        let at = lay.node(span.end(), x);
        sys.place(at.t, at.q, &mut w.data);
        for (level, s) in [sq, sv].into_iter().enumerate() {
            let o = level * n;
            (0..n).for_each(|i| w.diff[i] = x[o + i] - x[tilde + o + i]);
            r[o..o + n].fill(S::zero());
            sys.balance(&w.diff, &x[s..s + m], &w.data, &mut r[o..o + n]);
            r[s..s + m].fill(S::zero());
            sys.constraint(&at, LEVEL[level], &mut w.data, &mut r[s..s + m]);
            release(sys, &x[s..s + m], &mut r[s..s + m]);
        }
        release_rates(sys, &x[sq..sq + m], &mut r[sq..sq + m]);
        // (4)
        Lagrange::ACCELERATION.residual(sys, &at, &mut w.data, &mut r[2 * n..lay.z()]);
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut ProjectedLinear<T>,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (inner, [tilde, ..]) = (self.step.layout(), self.offsets());
        let Some(past) = past else { return l.initial.advance(self.system(), span.t, frozen.angles, x) };
        let first =
            self.step.advance(span, frozen, Some(&past[..inner.len]), &mut l.inner, &mut x[..inner.len])?;
        x.copy_within(..inner.z(), tilde);
        self.system().set_angles(frozen.angles, &mut l.node.data);
        let then = self.project(span.end(), l, x)?;
        Ok(Report {
            iterations: first.iterations + then.iterations,
            factorizations: first.factorizations + then.factorizations + 1,
        })
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut ProjectedLinear<T>,
    ) -> Result<(), StepError> {
        let (sys, lay, inner) = (self.system(), self.layout(), self.step.layout());
        let (n, m, [tilde, sq, _]) = (lay.n, lay.m, self.offsets());
        l.first = past.is_none();
        let Some(past) = past else { return l.initial.linearise(sys, span.t, frozen.angles, x) };
        self.unproject(x, &mut l.x);
        self.step.linearise(span, frozen, &l.x, Some(&past[..inner.len]), &mut l.inner)?;
        l.t = span.end();
        let at = lay.node(l.t, x);
        sys.set_angles(frozen.angles, &mut l.node.data);
        l.node.set(sys, &at);
        l.point.copy_from_slice(&x[..lay.z()]);
        (0..2 * n).for_each(|i| l.diff[i] = x[i] - x[tilde + i]);
        l.sigma.copy_from_slice(&x[sq..sq + 2 * m]);
        l.dphi_q.fill(0.0);
        sys.constraint_q(&at, LEVEL[1], &mut l.node.data, &mut l.dphi_q);
        for (k, out) in l.balance.iter_mut().enumerate() {
            out.fill(0.0);
            sys.balance_q(
                &at,
                &l.diff[k * n..(k + 1) * n],
                &l.sigma[k * m..(k + 1) * m],
                &mut l.node.data,
                out,
            );
        }
        self.factor_q(l.t, l, Some(0))?;
        refactor_kkt(sys, l.t, &l.node.data, Compliance::NONE, &mut l.kkt)
    }
    fn solve(&self, l: &mut ProjectedLinear<T>, b: &mut [f64]) {
        let (sys, lay) = (self.system(), self.layout());
        if l.first {
            return l.initial.solve(sys, b);
        }
        let (n, m, p, [tilde, sq, sv]) = (lay.n, lay.m, sys.patterns(), self.offsets());
        self.unproject(b, &mut l.x);
        self.step.solve(&mut l.inner, &mut l.x);
        self.spread(&l.x, b);
        for (level, s) in [sq, sv].into_iter().enumerate() {
            // rows + M δñ, and for velocities what q changes
            let (o, mass) = (level * n, sys.mass(&l.node.data));
            l.b[..n].copy_from_slice(&b[o..o + n]);
            l.b[n..].copy_from_slice(&b[s..s + m]);
            p.nn.mul(mass, 1.0, &b[tilde + o..tilde + o + n], &mut l.b[..n]);
            if level == 0 {
                l.position.solve(&mut l.b);
            } else {
                p.nn.mul(&l.balance[1], -1.0, &b[..n], &mut l.b[..n]);
                p.mn.mul(&l.dphi_q, -1.0, &b[..n], &mut l.b[n..]);
                l.kkt.solve(&mut l.b);
            }
            b[o..o + n].copy_from_slice(&l.b[..n]);
            b[s..s + m].copy_from_slice(&l.b[n..]);
        }
        let (y, u) = b[..lay.z()].split_at_mut(2 * n);
        l.node.state_mul(sys, -1.0, &y[..n], &y[n..], u);
        l.kkt.solve(u);
    }
    fn solve_t(&self, l: &mut ProjectedLinear<T>, b: &mut [f64]) {
        let (sys, lay) = (self.system(), self.layout());
        if l.first {
            return l.initial.solve_t(sys, b);
        }
        let (n, m, p, [tilde, sq, sv]) = (lay.n, lay.m, sys.patterns(), self.offsets());
        let (y, u) = b[..lay.z()].split_at_mut(2 * n);
        l.kkt.solve(u);
        let (q, v) = y.split_at_mut(n);
        l.node.state_mul_t(sys, -1.0, u, q, v);
        for (level, s) in [(1, sv), (0, sq)] {
            let o = level * n;
            l.b[..n].copy_from_slice(&b[o..o + n]);
            l.b[n..].copy_from_slice(&b[s..s + m]);
            if level == 0 {
                l.position.solve_t(&mut l.b);
            } else {
                l.kkt.solve(&mut l.b);
                p.nn.mul_t(&l.balance[1], -1.0, &l.b[..n], &mut b[..n]);
                p.mn.mul_t(&l.dphi_q, -1.0, &l.b[n..], &mut b[..n]);
            }
            p.nn.mul_t(sys.mass(&l.node.data), 1.0, &l.b[..n], &mut b[tilde + o..tilde + o + n]);
            b[o..o + n].copy_from_slice(&l.b[..n]);
            b[s..s + m].copy_from_slice(&l.b[n..]);
        }
        self.unproject(b, &mut l.x);
        self.step.solve_t(&mut l.inner, &mut l.x);
        self.spread(&l.x, b);
    }
    fn past_mul(&self, l: &mut ProjectedLinear<T>, s: &[f64], r: &mut [f64]) {
        if l.first {
            return;
        }
        self.unproject(r, &mut l.x);
        self.step.past_mul(&mut l.inner, &s[..self.step.layout().len], &mut l.x);
        self.spread(&l.x, r);
    }
    fn past_mul_t(&self, l: &mut ProjectedLinear<T>, mu: &[f64], out: &mut [f64]) {
        if l.first {
            return;
        }
        self.unproject(mu, &mut l.x);
        self.step.past_mul_t(&mut l.inner, &l.x, &mut out[..self.step.layout().len]);
    }
    fn slot_mul(&self, l: &mut ProjectedLinear<T>, delta: &[f64], r: &mut [f64]) {
        let (sys, lay) = (self.system(), self.layout());
        if l.first {
            return l.initial.slot_mul(sys, delta, r);
        }
        let (n, m, [_, sq, sv]) = (lay.n, lay.m, self.offsets());
        self.unproject(r, &mut l.x);
        self.step.slot_mul(&mut l.inner, delta, &mut l.x);
        self.spread(&l.x, r);
        l.node.slot_mul(sys, delta, &mut r[2 * n..lay.z()]);
        let at = At::of(l.t, &l.point, n, m);
        for (level, s) in [sq, sv].into_iter().enumerate() {
            let (w, sigma) = (&l.diff[level * n..(level + 1) * n], &l.sigma[level * m..(level + 1) * m]);
            sys.balance_p(&at, w, sigma, delta, &mut l.node.data, &mut r[level * n..(level + 1) * n]);
            l.b[n..].fill(0.0);
            sys.constraint_p(&at, LEVEL[level], delta, &mut l.node.data, &mut l.b[n..]);
            let counts = |k: &usize| level == 1 || holonomic(sys, *k);
            (0..m).filter(counts).for_each(|k| r[s + k] += l.b[n + k]);
        }
    }
    fn slot_mul_t(&self, l: &mut ProjectedLinear<T>, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (sys, lay) = (self.system(), self.layout());
        if l.first {
            return l.initial.slot_mul_t(sys, mu, s, grad);
        }
        let (n, m, [_, sq, sv]) = (lay.n, lay.m, self.offsets());
        self.unproject(mu, &mut l.x);
        self.step.slot_mul_t(&mut l.inner, &l.x, s, grad);
        l.node.slot_mul_t(sys, &mu[2 * n..lay.z()], s, grad);
        let at = At::of(l.t, &l.point, n, m);
        for (level, o) in [sq, sv].into_iter().enumerate() {
            let (w, sigma) = (&l.diff[level * n..(level + 1) * n], &l.sigma[level * m..(level + 1) * m]);
            sys.balance_p_t(&at, w, sigma, &mu[level * n..(level + 1) * n], s, &mut l.node.data, grad);
            let counts = |k: usize| level == 1 || holonomic(sys, k);
            (0..m).for_each(|k| l.b[n + k] = if counts(k) { mu[o + k] } else { 0.0 });
            sys.constraint_p_t(&at, LEVEL[level], &l.b[n..], s, &mut l.node.data, grad);
        }
    }
    fn error(
        &self,
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        l: &mut ProjectedLinear<T>,
    ) -> Option<(f64, usize)> {
        let inner = self.step.layout();
        self.unproject(x, &mut l.x);
        self.step.error(span, &l.x, &past[..inner.len], tol, &mut l.inner)
    }
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut ProjectedLinear<T>,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let inner = self.step.layout();
        self.step.interpolate(span, theta, &x[..inner.len], &past[..inner.len], frozen, &mut l.inner, out)
    }
}
