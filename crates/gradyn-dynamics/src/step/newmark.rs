//! The generalised-α family (Newmark, HHT, generalised-α) on a formulation, with velocity and acceleration
//! projections in mixed form.
//!
//! ```text
//! v*, a* from q and (q₀, v₀, a₀, â₀)                            (1), (2)  [`Scheme`, (4), (5); A22, Eq. 4]
//! F(t, q, v*, a*, λ*) = 0                                       (3)  unknowns (q, λ*)
//! [P̄ (v - v*) + Φ_qᵀσ_v ; Φ̇(t, q, v) - c σ_v] = 0               (4)  [A22, Eq. 2]  P̄ is M, or [`tangent`]
//! [P̄ (a - a*) + Φ_qᵀσ_a ; Φ̈(t, q, v, a) - c σ_a] = 0            (5)  [A22, Eq. 3]
//! λ = λ* + σ_a                                                  (6)
//! z = z₀ + h/2 (g₀ + g)                                         (7)  [A22, Eqs. 14, 15]
//! (1 - α_m) â + α_m â₀ = (1 - α_f) a + α_f a₀                   (8)  â = a at record 0
//! ```
//! (6) are the multipliers of the projected accelerations: with P̄ = M, (3) and (5) add up to M a + Φ_qᵀ(λ* +
//! σ_a) = Q, while λ* alone belongs to a*, which is first-order accurate normal to the constraints. (8) is
//! not stored where â = a. (3) is solved scaled: momentum rows times βh², unknown βh²λ [A22, Eq. 29]. (4) and
//! (5) share one factor.
//!
//! ALI3-P. The augmented Lagrangian iteration [A22, Eq. 1] on index 3, with λ ← λ + αΦ at the new q, is in
//! mixed form
//!
//! ```text
//! [A Φ_qᵀ; Φ_q -1/α] (Δq, Δλ) = -(F, Φ),   A = F_q + γ/(βh) F_v + s/(βh²) F_a        (9)
//! ```
//! Δλ = α (Φ + Φ_q Δq); without Δλ it is (A + αΦ_qᵀΦ_q) Δq = -(F + αΦ_qᵀΦ). 1/α is in the matrix only, so the
//! fixed point is that of index 3, `linearise` has its tangent [A22, Eq. 16], and only the number of
//! iterations depends on α. c = 1/(ςα) of (4), (5) is in the residual.
//!
//! Without projections v = v*, a = a*, σ = 0, λ = λ*: index 3 is then weakly unstable unless the scheme
//! dissipates. Whether a step projects may depend on the violation at its start: a choice of the plan.

mod linear;
mod motion;
mod residual;
mod scheme;
mod sweeps;
mod tangent;

pub(crate) use linear::NewmarkLinear;
pub use residual::Work;
pub use scheme::Scheme;
pub(crate) use tangent::Projector;

use super::memory::Visit;
use super::{Bound, Counts, Equations, Layout, Report, Span, StartLaw, StepArgs, Stepper, Tolerance};
use crate::block::Integrated;
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange};
use crate::kkt::MotionMatrix;
use crate::plan::Frozen;
use crate::projection::violation;
use gradyn_model::{At, FunctionalSet, RunScalar, Setup};

const MAX_ITERATIONS: usize = 30;

/// When velocities and accelerations are projected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// At every step.
    On,
    /// Never; the record has no σ and no λ*.
    Off,
    /// At steps that begin with a violation |Φ̇| above this part of |Φ_q| |v|.
    Conditional(f64),
}

/// How (3) is iterated: what the number of iterations depends on, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Relative correction of q at which it stops; 0: at stagnation.
    pub tolerance: f64,
    /// 1/α of (9); none is Newton.
    pub compliance: Compliance,
    /// Leaves g_q = (M a + Φ_qᵀλ)_q out of A [A22, footnote 3].
    pub truncated: bool,
    /// Factor of the multipliers of the step before, where the iteration begins [A22, footnote 2].
    pub reduction: f64,
}
impl Iteration {
    /// Newton to rounding.
    pub const NEWTON: Self =
        Self { tolerance: 0.0, compliance: Compliance::NONE, truncated: false, reduction: 1.0 };
}

/// P̄ of the projections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectionMatrix {
    /// The mass matrix M.
    Mass,
    /// The tangent of the scheme.
    Tangent,
}

/// A scheme on a formulation.
#[derive(Clone)]
pub struct Newmark {
    /// System that is integrated.
    pub sys: Setup,
    /// The formulation.
    pub f: Lagrange,
    /// β, γ, α_m, α_f.
    pub scheme: Scheme,
    /// Velocity and acceleration projections.
    pub projection: Projection,
    /// P̄ of (4), (5).
    pub matrix: ProjectionMatrix,
    /// c of (4), (5).
    pub compliance: Compliance,
    /// How (3) is iterated.
    pub iteration: Iteration,
    /// The law of the initial accelerations [A22, Eqs. 34–36].
    pub start: Lagrange,
    /// Solves it by Maggi's matrices; its compliance is then none.
    pub matrix_r: bool,
}

impl Newmark {
    /// With projections, Newton to rounding, and Φ̈ = 0 at the start.
    pub fn new(sys: &Setup, f: Lagrange, scheme: Scheme) -> Self {
        let (projection, iteration, start) = (Projection::On, Iteration::NEWTON, Lagrange::ACCELERATION);
        let (matrix, compliance) = (ProjectionMatrix::Mass, Compliance::NONE);
        let sys = sys.clone();
        Self { sys, f, scheme, projection, matrix, compliance, iteration, start, matrix_r: false }
    }
    /// Offsets of σ_v and σ_a, if they are stored.
    fn sigma(&self) -> Option<[usize; 2]> {
        let l = self.layout();
        (self.projection != Projection::Off).then_some([l.head(), l.head() + l.m])
    }
    /// Offset of λ*: after the σ, or λ itself.
    fn multiplier(&self) -> usize {
        let l = self.layout();
        if self.projection == Projection::Off { l.lam() } else { l.head() + 2 * l.m }
    }
    /// Offset of â: the last block, or a itself.
    fn auxiliary(&self) -> usize {
        let l = self.layout();
        if self.scheme.auxiliary() { l.len - l.n } else { l.a() }
    }
    /// Does this step project?
    fn projects(&self, frozen: Frozen) -> bool {
        match self.projection {
            Projection::On => true,
            Projection::Off => false,
            Projection::Conditional(_) => frozen.choice[0] == 1,
        }
    }
    /// (1), (2) into `star` = (v*, a*).
    #[inline]
    pub(crate) fn star<S: RunScalar>(&self, h: S, q: &[S], past: &[S], star: &mut [S]) {
        let n = q.len();
        let aux = self.auxiliary();
        let c = self.scheme.coefficients(h);
        let (v, a) = star.split_at_mut(n);
        for i in 0..n {
            let d = past[i] - q[i];
            v[i] = c[0][0] * d + c[0][1] * past[n + i] + c[0][2] * past[aux + i];
            a[i] = c[1][0] * d + c[1][1] * past[n + i] + c[1][2] * past[aux + i] + c[1][3] * past[2 * n + i];
        }
    }
}

impl Newmark {
    pub(crate) fn layout(&self) -> Layout {
        let d = self.sys.dims();
        let sigma = self.projection != Projection::Off;
        let auxiliary = self.scheme.auxiliary();
        Layout::of(&self.sys, if sigma { 3 * d.m } else { 0 } + if auxiliary { d.n } else { 0 })
    }
    pub(crate) fn order(&self) -> usize {
        self.scheme.order()
    }
    pub(crate) fn equations(&self) -> Equations {
        let law = if self.f.level[2] == 0.0 {
            Lagrange { level: Lagrange::ACCELERATION.level, ..self.f }
        } else {
            self.f
        };
        Equations {
            law,
            state: Integrated::Full,
            scheme: &crate::tableau::TRAPEZOIDAL,
            positions: self.f.level[2] == 0.0,
        }
    }
    pub(crate) fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        // a = q/(βh²)
        let mut noise = super::noise_of_positions(128.0 / (self.scheme.beta * h * h), h, size, mass, row);
        noise[3] += self.f.shared(&self.sys) * noise[2];
        noise
    }
    pub(crate) fn choices(&self) -> usize {
        usize::from(matches!(self.projection, Projection::Conditional(_)))
    }
    /// What record 0 obeys.
    pub(crate) fn start_law(&self) -> StartLaw {
        let law = Lagrange { wrong_tangent: self.f.wrong_tangent, ..self.start };
        StartLaw { law, auxiliary: self.scheme.auxiliary(), matrix_r: self.matrix_r }
    }
    /// Memory of the residual.
    pub(crate) fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        Work::new(self, p)
    }
    /// Memory of the steps; `kkt` is prepared.
    pub(crate) fn memory(&self, p: &[f64], kkt: &MotionMatrix) -> Result<NewmarkLinear, StepError> {
        NewmarkLinear::new(self, p, kkt)
    }
}

impl Stepper for Bound<Newmark, NewmarkLinear> {
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        if let Projection::Conditional(tolerance) = spec.projection {
            let at = spec.layout().node(span.t, past);
            l.motion.terms.at(span.t, at.q);
            choice[0] = u32::from(violation(&at, &mut l.motion.terms, &mut l.b[at.q.len()..]) > tolerance);
        }
        Ok(())
    }
    fn choose_again(&mut self, _span: Span<f64>, _past: &[f64], _failed: bool, _choice: &mut [u32]) -> bool {
        false
    }
    fn reach(&self) -> f64 {
        0.0
    }
    fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let h = span.h;
        let (n, o, z) = (lay.n, lay.o, lay.z());
        // g₀
        l.motion.terms.set_branches(frozen.branches);
        if o > 0 {
            l.motion.terms.at_time(span.t);
            l.motion.terms.measure(FunctionalSet::Integrand, &lay.node(span.t, past), &mut x[z..z + o]);
        }
        // predict
        for i in 0..n {
            x[i] = past[i] + h * (past[n + i] + 0.5 * h * past[2 * n + i]);
        }
        let star = spec.multiplier();
        x[star..star + lay.m]
            .iter_mut()
            .zip(&past[lay.lam()..z])
            .for_each(|(x, lam)| *x = spec.iteration.reduction * lam);
        let report = spec.motion(span, past, l, x)?;
        spec.projections(span, spec.projects(frozen), l, x)?;
        spec.filter(past, x);
        // (7)
        if o > 0 {
            let (head, tail) = x.split_at_mut(z);
            l.motion.terms.measure(FunctionalSet::Integrand, &lay.node(span.end(), head), &mut l.integrands);
            for k in 0..o {
                tail[k] = past[z + k] + 0.5 * h * (tail[k] + l.integrands[k]);
            }
        }
        Ok(report)
    }
    /// Cubic Hermite through (q, v) at both ends.
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let lay = spec.layout();
        super::hermite(&lay, span.h, theta, past, x, &mut out[..2 * lay.n]);
        super::complete(
            &spec.sys,
            &Lagrange { compliance: spec.start.compliance, ..Lagrange::ACCELERATION },
            &lay,
            span.t + theta * span.h,
            frozen.branches,
            &mut l.motion.terms,
            &mut l.projector.kkt,
            out,
        )
    }
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        let t = span.end();
        l.h = span.h;
        l.t = t;
        l.motion.terms.set_branches(frozen.branches);
        // (7)
        let known = l.gradients(&lay, span, frozen.branches, x, past);
        // (3): the evaluator goes to the node
        let at = lay.node(t, x);
        spec.star(span.h, at.q, past, &mut l.star);
        let (v_star, a_star) = l.star.split_at(lay.n);
        let star = spec.multiplier();
        l.motion.set(sys, &At { v: v_star, a: a_star, lam: &x[star..star + lay.m], ..at });
        if !known {
            l.g.at[1].set(&at, &mut l.motion.terms);
        }
        spec.factor_motion(t, span.h, spec.f.compliance.rows(sys), l)?;
        // (4), (5)
        l.project = spec.projects(frozen);
        if l.project { spec.projection_partials(&at, span.h, frozen, x, l) } else { Ok(()) }
    }
    fn counts(&self) -> Counts {
        let l = &self.memory;
        let factorizations = l.newton.factorizations() + l.projector.factorizations();
        Counts { visits: l.motion.terms.visits(), factorizations: Some(factorizations) }
    }
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError> {
        let l = &mut self.memory;
        visit.factor(l.newton.factor());
        l.projector.visit(visit);
        Ok(())
    }
    fn error(&mut self, _a: &StepArgs, _tol: Tolerance) -> Option<(f64, usize)> {
        None
    }
    fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        control.factor(error, self.spec.order())
    }
    fn limited(&self) -> bool {
        false
    }
}
