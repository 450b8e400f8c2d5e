//! Rosenbrock: linearly implicit stages on the formulation's state.
//!
//! ```text
//! K_i = (v, a)_i + (v', a')_i                                                                    (1)
//! (q̂, v̂)_i = (q, v)_0 + h Σ_{j<i} α_ij K_j,   rows of block i = 0                                  (2)
//! d/dε rows(t_0 + ε h γ_i, block 0 + ε w_i; defects ε (P_i)) = 0,   P_i = (q', v') - h Σ_{j≤i} γ_ij K_j  (3)
//! (q̂, v̂) = (q, v)_0 + h Σ b_i K_i,   rows of the node = 0                                        (4)
//! z = z_0 + h Σ b_i (g(block i) + d/dε g(t_0 + ε h γ_i, block 0 + ε w_i))                             (5)
//! ```
//! [Hairer & Wanner II, IV.7, Eq. 7.4]: (3) is J Σ γ_ij k_j + γ_i f_t of the state's own f, because w_i =
//! (q', v', a', λ')_i is the derivative of the solution of the block's rows. So (3) is the same residual on
//! one more dual level, for every state, and the derivatives of (3) over the past are derivatives of its
//! partials along w_i: the partials on duals, `Second`. Block 1 is the past node (α_1j = 0). The matrix of
//! (3) is that of one implicit block with a_ii = γ: one factor per step.
//!
//! A record is (q, v, a, λ | z | blocks 2 … s | w_1 … w_s).

mod forward;
mod sweeps;

use super::memory::Visit;
use super::runge_kutta::coupled::Coupled;
use super::second::Second;
use super::{
    Bound, Counts, Equations, IntegrandRows, Layout, Report, Residual, Span, StartLaw, StepArgs, Stepper,
    Tolerance,
};
use crate::block::{self, Block, Chooser, Integrated};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::kkt::MotionMatrix;
use crate::plan::Frozen;
use crate::tableau::Scheme;
use gradyn_model::{Evaluator, FunctionalSet, KernelScalar, RunScalar, Setup};

/// A scheme on a formulation.
#[derive(Clone)]
pub struct Rosenbrock {
    /// System that is integrated.
    pub sys: Setup,
    /// The formulation; its c₂ is 1.
    pub f: Lagrange,
    /// What is integrated.
    pub state: Integrated,
    /// Independent coordinates that the user named; empty: they are chosen.
    pub freedoms: Vec<u32>,
    /// Coefficients of the scheme.
    pub scheme: Scheme,
    /// Order of the scheme, and power of h in its estimate.
    pub orders: [usize; 2],
}

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    terms: Evaluator<S>,
    g: Vec<S>,
    scratch: Vec<S>,
    slopes: Vec<S>,
    along: Along<S>,
}

/// Memory of (3): the rows on one more dual level.
pub(super) struct Along<S: RunScalar> {
    terms: Evaluator<S::Along>,
    point: Vec<S::Along>,
    rows: Vec<S::Along>,
    scratch: Vec<S::Along>,
    g: Vec<S::Along>,
}

impl<S: RunScalar> Along<S> {
    fn new(sys: &Setup, p: &[S]) -> Self {
        let zero = S::Along::from(0.0);
        let d = sys.dims();
        let o = sys.functionals(FunctionalSet::Integrand);
        let terms = sys.evaluator(&p.iter().map(|&p| S::along(p, S::zero())).collect::<Vec<_>>());
        let z = 3 * d.n + d.m;
        Self {
            terms,
            point: vec![zero; z],
            rows: vec![zero; z],
            scratch: vec![zero; d.n + d.m],
            g: vec![zero; o],
        }
    }
}

/// Memory of a linearised step.
pub(crate) struct RosenbrockLinear {
    h: f64,
    chooser: Chooser,
    /// Block 1, the past, with the matrix of (3); blocks 2 … s; the node.
    base: Block,
    matrix: Coupled,
    blocks: Vec<Block>,
    node: Block,
    along: Along<f64>,
    second: Second,
    /// g_x at blocks 1 … s.
    g: Vec<IntegrandRows>,
    /// K_i and its (co)tangents, s × 2n.
    slopes: Vec<f64>,
    part: Vec<f64>,
    values: Vec<f64>,
    /// Σ (b_i - b̂_i) of the integrands.
    gap: Vec<f64>,
}

impl Rosenbrock {
    fn stages(&self) -> usize {
        self.scheme.stages()
    }
    /// Offset of block i = 1 … s-1 (0 is the past).
    fn at(&self, lay: &Layout, i: usize) -> usize {
        lay.head() + (i - 1) * lay.z()
    }
    /// Offset of w_i, i = 0 … s-1.
    fn direction(&self, lay: &Layout, i: usize) -> usize {
        lay.head() + (self.stages() - 1 + i) * lay.z()
    }
    /// Block i of a step: the past node, or a stage.
    fn block<'x, S>(&self, lay: &Layout, i: usize, x: &'x [S], past: &'x [S]) -> &'x [S] {
        if i == 0 { &past[..lay.z()] } else { &x[self.at(lay, i)..self.at(lay, i) + lay.z()] }
    }
    /// (1) into `out`.
    fn slope<S: KernelScalar>(&self, lay: &Layout, i: usize, x: &[S], past: &[S], out: &mut [S]) {
        let y = &self.block(lay, i, x, past)[lay.v()..lay.lam()];
        let w = &x[self.direction(lay, i) + lay.v()..];
        out.iter_mut().zip(y.iter().zip(w)).for_each(|(o, (y, w))| *o = *y + *w);
    }
    /// (3) and the integrands along w: leaves rows and g in `a`.
    fn along<S: RunScalar>(
        &self,
        lay: &Layout,
        (t, τ): (S, S),
        frozen: Frozen,
        (past, w): (&[S], &[S]),
        shift: &[S],
        a: &mut Along<S>,
    ) {
        let sys = &self.sys;
        let n = lay.n;
        // the past along w, and the defects of (3)
        for (p, (x, w)) in a.point.iter_mut().zip(past.iter().zip(w)) {
            *p = S::along(*x, *w);
        }
        for i in 0..2 * n {
            a.rows[i] = S::along(S::zero(), w[i] - shift[i]);
        }
        // rows and integrands there
        let at = lay.node(S::along(t, τ), &a.point);
        a.terms.set_branches(frozen.branches);
        a.terms.at(at.t, at.q);
        self.state.residual(sys, &self.f, &at, frozen.choice, &mut a.terms, &mut a.rows, &mut a.scratch);
        if lay.o > 0 {
            a.terms.measure(FunctionalSet::Integrand, &at, &mut a.g);
        }
    }
    /// Defects of a prediction (q, v)_0 + h Σ c_j K_j.
    fn defects<S: KernelScalar>(
        &self,
        lay: &Layout,
        c: &[f64],
        h: S,
        x: &[S],
        past: &[S],
        slopes: &[S],
        r: &mut [S],
    ) {
        let n2 = 2 * lay.n;
        for d in 0..n2 {
            r[d] = x[d] - past[d];
        }
        for (j, c) in c.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            (0..n2).for_each(|d| r[d] -= h * slopes[j * n2 + d] * *c);
        }
    }
}

impl Rosenbrock {
    pub(crate) fn layout(&self) -> Layout {
        let d = self.sys.dims();
        Layout::of(&self.sys, (2 * self.stages() - 1) * (3 * d.n + d.m))
    }
    /// Memory of the residual.
    pub(crate) fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        let d = self.sys.dims();
        let o = self.sys.functionals(FunctionalSet::Integrand);
        let terms = self.sys.evaluator(p);
        let zeros = |n: usize| vec![S::zero(); n];
        let slopes = zeros((self.stages() + 1) * 2 * d.n);
        Work { terms, g: zeros(o), scratch: zeros(d.n + d.m), slopes, along: Along::new(&self.sys, p) }
    }
    /// Memory of the steps; `kkt` is prepared.
    pub(crate) fn memory(&self, p: &[f64], kkt: &MotionMatrix) -> Result<RosenbrockLinear, StepError> {
        let sys = &self.sys;
        let lay = self.layout();
        let s = self.stages();
        let block = || Block::new(sys, self.f, self.state, p, kkt);
        Ok(RosenbrockLinear {
            h: 0.0,
            chooser: Chooser::new(&self.freedoms),
            base: block(),
            matrix: Coupled::new(sys, &self.f, self.state, vec![self.scheme.gamma[0][0]])?,
            blocks: (1..s).map(|_| block()).collect(),
            node: block(),
            along: Along::new(sys, p),
            second: Second::new(sys, self.f, self.state, p, s),
            g: (0..s).map(|_| IntegrandRows::new(sys)).collect(),
            slopes: vec![0.0; (s + 1) * 2 * lay.n],
            part: vec![0.0; 2 * lay.n],
            values: vec![0.0; lay.o],
            gap: vec![0.0; lay.o],
        })
    }
    pub(crate) fn stage_times(&self) -> Vec<Option<f64>> {
        (1..self.stages()).map(|i| Some(self.scheme.node(i))).collect()
    }
    pub(crate) fn order(&self) -> usize {
        self.orders[0]
    }
    pub(crate) fn equations(&self) -> Equations {
        // a Rosenbrock scheme needs one Jacobian per step, and equations along a run have one at every time
        let scheme = if self.orders[0] == 3 { &crate::tableau::RADAU3 } else { &crate::tableau::SDIRK4 };
        Equations { law: self.f, state: self.state, scheme, positions: false }
    }
    pub(crate) fn estimate_order(&self) -> usize {
        self.orders[1]
    }
    pub(crate) fn choices(&self) -> usize {
        self.state.choices(&self.sys)
    }
    pub(crate) fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        block::noise(&self.f, self.f.shared(&self.sys), true, h, size, mass, row)
    }
    /// What record 0 obeys.
    pub(crate) fn start_law(&self) -> StartLaw {
        StartLaw { law: self.f, auxiliary: false, matrix_r: false }
    }
}

impl<S: RunScalar> Residual<S> for Bound<Rosenbrock, Work<S>> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { spec, memory: w } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let (sys, lay, n2) = (&spec.sys, spec.layout(), 2 * spec.sys.dims().n);
        let (z, s) = (lay.z(), spec.stages());
        w.terms.set_branches(frozen.branches);
        for k in 0..lay.o {
            r[z + k] = x[z + k] - past[z + k];
        }
        let (slopes, shift) = w.slopes.split_at_mut(s * n2);
        for i in 0..s {
            spec.slope(&lay, i, x, past, &mut slopes[i * n2..(i + 1) * n2]);
        }
        for i in 0..=s {
            // (2), (4)
            let (t, o) = match i {
                i if i == s => (span.end(), 0),
                0 => (span.t, 0),
                _ => (span.t + span.h * spec.scheme.node(i), spec.at(&lay, i)),
            };
            let block = if i == s { &x[..z] } else { spec.block(&lay, i, x, past) };
            let at = lay.node(t, block);
            w.terms.at(t, at.q);
            if i > 0 {
                let c = if i == s { &spec.scheme.b } else { &spec.scheme.alpha[i] };
                spec.defects(&lay, c, span.h, block, past, slopes, &mut r[o..o + n2]);
                spec.state.residual(
                    sys,
                    &spec.f,
                    &at,
                    frozen.choice,
                    &mut w.terms,
                    &mut r[o..o + z],
                    &mut w.scratch,
                );
            }
            if i == s {
                break;
            }
            // (3), (5)
            for d in 0..n2 {
                shift[d] = S::zero();
                (0..=i).for_each(|j| shift[d] += span.h * slopes[j * n2 + d] * spec.scheme.gamma[i][j]);
            }
            let o = spec.direction(&lay, i);
            let τ = span.h * spec.scheme.slope(i);
            let b = spec.scheme.b[i];
            spec.along(&lay, (span.t, τ), frozen, (&past[..z], &x[o..o + z]), shift, &mut w.along);
            r[o..o + z].iter_mut().zip(&w.along.rows).for_each(|(r, a)| *r = S::slope(a));
            if lay.o > 0 {
                w.terms.measure(FunctionalSet::Integrand, &at, &mut w.g);
                (0..lay.o).for_each(|k| r[z + k] -= span.h * (w.g[k] + S::slope(&w.along.g[k])) * b);
            }
        }
    }
}

impl Stepper for Bound<Rosenbrock, RosenbrockLinear> {
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        l.chooser.decide(&spec.sys, (span, past), &mut l.node, true, choice)
    }
    fn choose_again(&mut self, span: Span<f64>, past: &[f64], failed: bool, choice: &mut [u32]) -> bool {
        let Self { spec, memory: l } = self;
        l.chooser.choose_again(&spec.sys, (span, past), failed, &mut l.node, choice)
    }
    fn reach(&self) -> f64 {
        self.memory.chooser.reach()
    }
    fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        self.spec.forward(span, frozen, past, &mut self.memory, x)
    }
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        l.h = span.h;
        // block 1, the past
        spec.set_base(&lay, span, frozen, past, l)?;
        // blocks 2 … s, and g_x of all
        for i in 0..spec.stages() {
            let at = lay.node(span.t + spec.scheme.node(i) * span.h, spec.block(&lay, i, x, past));
            let block = if i == 0 { &mut l.base } else { &mut l.blocks[i - 1] };
            if i > 0 {
                block.linear.terms.set_branches(frozen.branches);
                block.set(sys, &at, frozen.choice)?;
            }
            if lay.o > 0 {
                l.g[i].set(&at, &mut block.linear.terms);
            }
        }
        // the node
        l.node.linear.terms.set_branches(frozen.branches);
        l.node.set(sys, &lay.node(span.end(), x), frozen.choice)?;
        // (3) along w_i
        let directions = &x[spec.direction(&lay, 0)..];
        let τ = |i: usize| span.h * spec.scheme.slope(i);
        l.second.set(sys, &lay, span.t, τ, frozen, past, directions);
        Ok(())
    }
    /// RMS over (q, v, z) of h Σ (b_i - b̂_i) K_i, after `advance`.
    fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, x, past, .. } = *a;
        let (lay, n2) = (spec.layout(), 2 * spec.sys.dims().n);
        let size =
            |e: f64, i: usize| (span.h * e / (tol.atol + tol.rtol * x[i].abs().max(past[i].abs()))).powi(2);
        let mut sum = 0.0;
        let mut worst = (0.0, 0);
        // (q, v)
        for d in 0..n2 {
            let e: f64 = (0..spec.stages()).map(|i| spec.scheme.error[i] * l.slopes[i * n2 + d]).sum();
            let s = size(e, d);
            sum += s;
            if s > worst.0 || s.is_nan() {
                worst = (s, d % lay.n);
            }
        }
        // z
        sum += (0..lay.o).map(|k| size(l.gap[k], lay.z() + k)).sum::<f64>();
        let error = (sum / (n2 + lay.o) as f64).sqrt();
        Some((if error.is_nan() { f64::INFINITY } else { error }, worst.1))
    }
    /// Cubic Hermite through (q, v) at both ends.
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        super::hermite(&spec.layout(), span.h, theta, past, x, &mut out[..2 * spec.layout().n]);
        l.node.linear.terms.set_branches(frozen.branches);
        l.node.evaluate(&spec.sys, span.t + theta * span.h, frozen.choice, out)
    }
    fn counts(&self) -> Counts {
        let l = &self.memory;
        let blocks = l.blocks.iter().chain([&l.base, &l.node]);
        let visits = blocks.map(|b| b.linear.terms.visits()).sum();
        Counts { visits, factorizations: None }
    }
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let mut blocks = l.blocks.iter_mut().chain([&mut l.base, &mut l.node]);
        blocks.try_for_each(|block| block.visit(&spec.sys, visit))?;
        l.matrix.visit(&spec.sys, &spec.f, spec.state, visit)
    }
    fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        control.factor(error, self.spec.estimate_order())
    }
    fn limited(&self) -> bool {
        false
    }
}
