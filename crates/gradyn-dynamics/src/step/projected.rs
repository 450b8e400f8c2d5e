//! A state step whose node is projected onto the constraints, instead of stabilising them.
//!
//! ```text
//! R̃(x̃, past) = 0                                   the step, with the node ñ = (q̃, ṽ, ã, λ̃)  (1)
//! [ M (q - q̃) + Φ_qᵀ σ_q ; Φ(t, q) ] = 0                                                    (2)
//! [ M (v - ṽ) + Φ_qᵀ σ_v ; Φ̇(t, q, v) ] = 0                                                 (3)  [A22, Eq. 2, rewritten]
//! F(t, q, v, a, λ; p) = 0                           Φ̈ = 0                                   (4)
//! ```
//! (2) and (3) are orthogonal with respect to M; rows of velocity level take no part in (2). The next step
//! begins at the projected node. A record is that of the step with the projected node in front, then ñ, σ_q,
//! σ_v.

mod sweeps;

use super::memory::Visit;
use super::{Bound, Counts, Layout, Report, Residual, Span, StepArgs, Stepper, Tolerance};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange, Linear, release};
use crate::kkt::{MotionMatrix, refactor_kkt, row_or_coordinate};
use crate::plan::Frozen;
use gradyn_model::{Evaluator, KernelScalar, Level, RunScalar, Setup};
use gradyn_num::{Saddle, largest};

/// Iterations of (2).
const MAX_ITERATIONS: usize = 30;

/// Projections around a step on a formulation with Φ̈ = 0.
pub(crate) struct Projected {
    /// System that is integrated.
    pub sys: Setup,
    /// Where things are in a record of the step.
    pub inner: Layout,
}

/// Memory of the residual.
pub(crate) struct Work<S: RunScalar> {
    inner: Box<dyn Residual<S>>,
    terms: Evaluator<S>,
    x: Vec<S>,
    r: Vec<S>,
    diff: Vec<S>,
}

/// Memory of the linearised step.
pub(crate) struct ProjectedLinear {
    inner: Box<dyn Stepper>,
    node: Linear,
    position: Saddle,
    kkt: MotionMatrix,
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

impl Projected {
    /// Offsets of ñ, σ_q, σ_v.
    fn offsets(&self) -> [usize; 3] {
        let inner = self.inner;
        [inner.len, inner.len + inner.z(), inner.len + inner.z() + inner.m]
    }
    /// The record of the step: ñ in place of the node.
    pub(crate) fn unproject<S: Copy>(&self, x: &[S], out: &mut [S]) {
        let (inner, [tilde, ..]) = (self.inner, self.offsets());
        out.copy_from_slice(&x[..inner.len]);
        out[..inner.z()].copy_from_slice(&x[tilde..tilde + inner.z()]);
    }
    /// Rows of the step back into those of the record.
    fn spread(&self, from: &[f64], r: &mut [f64]) {
        let (inner, [tilde, ..]) = (self.inner, self.offsets());
        r[tilde..tilde + inner.z()].copy_from_slice(&from[..inner.z()]);
        r[inner.z()..inner.len].copy_from_slice(&from[inner.z()..]);
    }
    /// (2) and (3), for q from the prediction q̃ in `x`.
    fn project(&self, t: f64, l: &mut ProjectedLinear, x: &mut [f64]) -> Result<Report, StepError> {
        let sys = &self.sys;
        let lay = self.layout();
        let [_, sq, sv] = self.offsets();
        let (n, m) = (lay.n, lay.m);
        x[sq..sq + m].fill(0.0);
        let mut last = f64::INFINITY;
        let mut report = Report::default();
        loop {
            l.node.terms.at(t, &x[..n]);
            self.residual_q(&lay, t, x, l);
            self.factor_q(t, l, None)?;
            l.position.solve(&mut l.b);
            x[..n].iter_mut().zip(&l.b).for_each(|(q, d)| *q -= d);
            x[sq..sq + m].iter_mut().zip(&l.b[n..]).for_each(|(s, d)| *s -= d);
            report = Report { iterations: report.iterations + 1, factorizations: report.factorizations + 1 };
            let size = largest(l.b[..n].iter().copied()) / sys.size_of(&x[..n]).max(f64::MIN_POSITIVE);
            if !size.is_finite() || report.iterations == MAX_ITERATIONS {
                let worst = (0..m).fold(0, |w, k| if l.r[k].abs() > l.r[w].abs() { k } else { w });
                let iterations = report.iterations;
                let residual = l.r[worst].abs();
                return Err(StepError::Positions { t, iterations, residual, worst: sys.row_name(worst) });
            }
            if size <= 4.0 * f64::EPSILON || (size < 1e-11 && size > 0.3 * last) {
                break;
            }
            last = size;
        }
        l.node.terms.at(t, &x[..n]);
        refactor_kkt(sys, t, &l.node.terms, Compliance::NONE, &mut l.kkt)?;
        // M (v - ṽ) + Φ_qᵀ σ = 0, Φ̇(ṽ) + Φ_q (v - ṽ) = 0
        l.b.fill(0.0);
        l.node.terms.constraint(&lay.node(t, x), Level::VELOCITY, &mut l.b[n..]);
        l.b[n..].iter_mut().for_each(|b| *b = -*b);
        l.kkt.solve(&mut l.b);
        x[n..2 * n].iter_mut().zip(&l.b).for_each(|(v, d)| *v += d);
        x[sv..sv + m].copy_from_slice(&l.b[n..]);
        // (4), linear in (a, λ)
        x[2 * n..lay.z()].fill(0.0);
        Lagrange::ACCELERATION.residual(sys, &lay.node(t, x), &mut l.node.terms, &mut l.b);
        l.kkt.solve(&mut l.b);
        x[2 * n..lay.z()].iter_mut().zip(&l.b).for_each(|(u, d)| *u = -d);
        Ok(report)
    }
    /// Rows (2) into `l.b`; Φ into the head of `l.r`.
    fn residual_q(&self, lay: &Layout, t: f64, x: &[f64], l: &mut ProjectedLinear) {
        let sys = &self.sys;
        let n = lay.n;
        let m = lay.m;
        let [tilde, sq, _] = self.offsets();
        (0..n).for_each(|i| l.diff[i] = x[i] - x[tilde + i]);
        l.b.fill(0.0);
        let (top, bottom) = l.b.split_at_mut(n);
        l.node.terms.balance(&l.diff[..n], &x[sq..sq + m], top);
        l.node.terms.constraint(&lay.node(t, x), Level::POSITION, bottom);
        release(sys, &x[sq..sq + m], bottom);
        release_rates(sys, &x[sq..sq + m], bottom);
        l.r[..m].copy_from_slice(bottom);
    }
    /// The matrix of (2) with (M w + Φ_qᵀ σ)_q, or without it for the iteration.
    fn factor_q(&self, t: f64, l: &mut ProjectedLinear, balance_q: Option<usize>) -> Result<(), StepError> {
        let sys = &self.sys;
        let mass = l.node.terms.mass();
        let mn = &sys.patterns().mn;
        l.held.copy_from_slice(l.node.terms.phi_q());
        (0..mn.rows()).filter(|&k| !holonomic(sys, k)).for_each(|k| l.held[mn.row(k)].fill(0.0));
        let curvature = |k: usize| balance_q.map_or(0.0, |i| l.balance[i][k]);
        l.position
            .refactor(|k| mass[k] + curvature(k), |k| l.held[k], &l.held, |_| 0.0, 1.0)
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) })
    }
    /// Where things are in a record, around that of the step.
    pub(crate) fn record(inner: &Layout) -> Layout {
        Layout { len: inner.len + inner.z() + 2 * inner.m, ..*inner }
    }
    /// Where things are in a record.
    pub(crate) fn layout(&self) -> Layout {
        Self::record(&self.inner)
    }
    /// Memory of the residual, around that of the step.
    pub(crate) fn work<S: RunScalar>(&self, p: &[S], inner: Box<dyn Residual<S>>) -> Work<S> {
        let zero = S::zero();
        let terms = self.sys.evaluator(p);
        let record = vec![zero; self.inner.len];
        Work { inner, terms, x: record.clone(), r: record, diff: vec![zero; self.inner.n] }
    }
    /// Memory of the steps, around that of the step; `kkt` is prepared.
    pub(crate) fn memory(
        &self,
        p: &[f64],
        kkt: &MotionMatrix,
        inner: Box<dyn Stepper>,
    ) -> Result<ProjectedLinear, StepError> {
        let sys = &self.sys;
        let lay = self.layout();
        let pat = sys.patterns();
        // the node, and the rows that (2) leaves out
        let node = Linear::new(sys, Lagrange::ACCELERATION, p);
        let free: Vec<u32> = (0..lay.m as u32)
            .filter(|&k| sys.dropped().contains(&k) || !holonomic(sys, k as usize))
            .collect();
        Ok(ProjectedLinear {
            inner,
            node,
            position: Saddle::new(&pat.nn, &pat.mn)?.released(&free),
            kkt: kkt.clone(),
            held: vec![0.0; pat.mn.nnz()],
            dphi_q: vec![0.0; pat.mn.nnz()],
            balance: [vec![0.0; pat.nn.nnz()], vec![0.0; pat.nn.nnz()]],
            point: vec![0.0; lay.z()],
            t: 0.0,
            diff: vec![0.0; 2 * lay.n],
            sigma: vec![0.0; 2 * lay.m],
            b: vec![0.0; lay.n + lay.m],
            x: vec![0.0; self.inner.len],
            r: vec![0.0; self.inner.len.max(lay.m)],
        })
    }
}

impl<S: RunScalar> Residual<S> for Bound<Projected, Work<S>> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { spec, memory: w } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        let inner = spec.inner;
        let (n, m, [tilde, sq, sv]) = (lay.n, lay.m, spec.offsets());
        w.terms.set_branches(frozen.branches);
        // (1)
        spec.unproject(x, &mut w.x);
        let inside = StepArgs { span, frozen, x: &w.x, past: &past[..inner.len] };
        w.inner.residual(&inside, &mut w.r);
        r[tilde..tilde + inner.z()].copy_from_slice(&w.r[..inner.z()]);
        r[inner.z()..inner.len].copy_from_slice(&w.r[inner.z()..]);
        // (2), (3)
        let at = lay.node(span.end(), x);
        w.terms.at(at.t, at.q);
        for (level, s) in [sq, sv].into_iter().enumerate() {
            let o = level * n;
            (0..n).for_each(|i| w.diff[i] = x[o + i] - x[tilde + o + i]);
            r[o..o + n].fill(S::zero());
            w.terms.balance(&w.diff, &x[s..s + m], &mut r[o..o + n]);
            r[s..s + m].fill(S::zero());
            w.terms.constraint(&at, Level::ALL[level], &mut r[s..s + m]);
            release(sys, &x[s..s + m], &mut r[s..s + m]);
        }
        release_rates(sys, &x[sq..sq + m], &mut r[sq..sq + m]);
        // (4)
        Lagrange::ACCELERATION.residual(sys, &at, &mut w.terms, &mut r[2 * n..lay.z()]);
    }
}

impl Stepper for Bound<Projected, ProjectedLinear> {
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        self.memory.inner.decide(span, &past[..self.spec.inner.len], since, choice)
    }
    fn choose_again(&mut self, span: Span<f64>, past: &[f64], failed: bool, choice: &mut [u32]) -> bool {
        self.memory.inner.choose_again(span, &past[..self.spec.inner.len], failed, choice)
    }
    fn reach(&self) -> f64 {
        self.memory.inner.reach()
    }
    fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let Self { spec, memory: l } = self;
        let (inner, [tilde, ..]) = (spec.inner, spec.offsets());
        let first = l.inner.advance(span, frozen, &past[..inner.len], &mut x[..inner.len])?;
        x.copy_within(..inner.z(), tilde);
        l.node.terms.set_branches(frozen.branches);
        let then = spec.project(span.end(), l, x)?;
        Ok(Report {
            iterations: first.iterations + then.iterations,
            factorizations: first.factorizations + then.factorizations + 1,
        })
    }
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        let inner = spec.inner;
        let (n, m, [tilde, sq, _]) = (lay.n, lay.m, spec.offsets());
        // (1)
        spec.unproject(x, &mut l.x);
        l.inner.linearise(&StepArgs { span, frozen, x: &l.x, past: &past[..inner.len] })?;
        // (4), and the matrices of (2), (3)
        l.t = span.end();
        let at = lay.node(l.t, x);
        l.node.terms.set_branches(frozen.branches);
        l.node.set(sys, &at);
        l.point.copy_from_slice(&x[..lay.z()]);
        (0..2 * n).for_each(|i| l.diff[i] = x[i] - x[tilde + i]);
        l.sigma.copy_from_slice(&x[sq..sq + 2 * m]);
        l.dphi_q.fill(0.0);
        l.node.terms.constraint_q(&at, Level::VELOCITY, &mut l.dphi_q);
        for (k, out) in l.balance.iter_mut().enumerate() {
            out.fill(0.0);
            l.node.terms.balance_q(&at, &l.diff[k * n..(k + 1) * n], &l.sigma[k * m..(k + 1) * m], out);
        }
        spec.factor_q(l.t, l, Some(0))?;
        refactor_kkt(sys, l.t, &l.node.terms, Compliance::NONE, &mut l.kkt)
    }
    fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        let Self { spec, memory: l } = self;
        spec.unproject(a.x, &mut l.x);
        l.inner.error(&StepArgs { x: &l.x, past: &a.past[..spec.inner.len], ..*a }, tol)
    }
    fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        self.memory.inner.resize(control, error)
    }
    fn limited(&self) -> bool {
        self.memory.inner.limited()
    }
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        let len = self.spec.inner.len;
        let inside = StepArgs { x: &a.x[..len], past: &a.past[..len], ..*a };
        self.memory.inner.interpolate(&inside, theta, out)
    }
    fn counts(&self) -> Counts {
        let inner = self.memory.inner.counts();
        Counts { visits: inner.visits + self.memory.node.terms.visits(), ..inner }
    }
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError> {
        let l = &mut self.memory;
        l.inner.visit(visit)?;
        visit.factor(l.position.factor());
        visit.motion(&mut l.kkt);
        Ok(())
    }
}
