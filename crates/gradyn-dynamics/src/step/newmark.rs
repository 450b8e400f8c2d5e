//! The generalised-α family (Newmark, HHT, generalised-α) on a formulation, with velocity and acceleration
//! projections in mixed form.
//!
//! ```text
//! v*, a* from q and (q₀, v₀, a₀, â₀)                                                (1), (2)  [`Scheme`, (4), (5); A22, Eq. 4]
//! F(t, q, v*, a*, λ*) = 0                                                           (3)  unknowns (q, λ*)
//! [P̄ (v - v*) + Φ_qᵀσ_v ; Φ̇(t, q, v) - c σ_v] = 0                                   (4)  [A22, Eq. 2]  P̄ is M, or [`tangent`]
//! [P̄ (a - a*) + Φ_qᵀσ_a ; Φ̈(t, q, v, a) - c σ_a] = 0                                (5)  [A22, Eq. 3]
//! λ = λ* + σ_a                                                                      (6)
//! z = z₀ + h/2 (g₀ + g)                                                             (7)  [A22, Eqs. 14, 15]
//! (1 - α_m) â + α_m â₀ = (1 - α_f) a + α_f a₀                                       (8)  â = a at record 0
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

pub use linear::NewmarkLinear;
pub use residual::Work;
pub use scheme::Scheme;
pub use tangent::Projector;

use super::{Equations, Layout, Report, Span, Step};
use crate::block::State;
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange};
use crate::initial::Initial;
use crate::plan::Frozen;
use crate::projection::violation;
use gradyn_model::{RunScalar, Set, Setup, System};

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
    /// M.
    Mass,
    /// The tangent of the scheme.
    Tangent,
}

/// A scheme on a formulation.
pub struct Newmark<'a> {
    /// The system.
    pub sys: &'a Setup,
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

impl<'a> Newmark<'a> {
    /// With projections, Newton to rounding, and Φ̈ = 0 at the start.
    pub fn new(sys: &'a Setup, f: Lagrange, scheme: Scheme) -> Self {
        let (projection, iteration, start) = (Projection::On, Iteration::NEWTON, Lagrange::ACCELERATION);
        let (matrix, compliance) = (ProjectionMatrix::Mass, Compliance::NONE);
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
    fn star<S: RunScalar>(&self, h: S, q: &[S], past: &[S], star: &mut [S]) {
        let (n, aux, c) = (q.len(), self.auxiliary(), self.scheme.coefficients(h));
        let (v, a) = star.split_at_mut(n);
        for i in 0..n {
            let d = past[i] - q[i];
            v[i] = c[0][0] * d + c[0][1] * past[n + i] + c[0][2] * past[aux + i];
            a[i] = c[1][0] * d + c[1][1] * past[n + i] + c[1][2] * past[aux + i] + c[1][3] * past[2 * n + i];
        }
    }
}

impl Step for Newmark<'_> {
    type Work<S: RunScalar> = Work<S>;
    type Linear = NewmarkLinear;

    fn system(&self) -> &Setup {
        self.sys
    }
    fn layout(&self) -> Layout {
        let d = self.sys.dims();
        let (sigma, auxiliary) = (self.projection != Projection::Off, self.scheme.auxiliary());
        Layout::of(self.sys, if sigma { 3 * d.m } else { 0 } + if auxiliary { d.n } else { 0 })
    }
    fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        Work::new(self, p)
    }
    fn linear(&self, p: &[f64]) -> Result<NewmarkLinear, StepError> {
        NewmarkLinear::new(self, p)
    }
    fn initial<'l>(&self, l: &'l mut NewmarkLinear) -> &'l mut Initial {
        &mut l.initial
    }
    fn visits(&self, l: &NewmarkLinear) -> usize {
        self.sys.visits(&l.motion.data)
    }
    fn factorizations(&self, l: &NewmarkLinear) -> Option<usize> {
        Some(l.newton.factorizations() + l.projector.factorizations())
    }
    fn order(&self) -> usize {
        self.scheme.order()
    }
    fn equations(&self) -> Equations {
        let law = if self.f.level[2] == 0.0 {
            Lagrange { level: Lagrange::ACCELERATION.level, ..self.f }
        } else {
            self.f
        };
        Equations {
            law,
            state: State::Full,
            scheme: &crate::tableau::TRAPEZOIDAL,
            positions: self.f.level[2] == 0.0,
        }
    }
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        // a = q/(βh²)
        let mut noise = super::noise_of_positions(128.0 / (self.scheme.beta * h * h), h, size, mass, row);
        noise[3] += self.f.shared(self.sys) * noise[2];
        noise
    }
    fn residual<S: RunScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<S>,
        r: &mut [S],
    ) {
        self.equations(span, frozen, x, past, w, r);
    }
    fn choices(&self) -> usize {
        usize::from(matches!(self.projection, Projection::Conditional(_)))
    }
    fn decide(
        &self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        l: &mut NewmarkLinear,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        if let Projection::Conditional(tolerance) = self.projection {
            let at = self.layout().node(span.t, past);
            self.sys.place(span.t, at.q, &mut l.motion.data);
            choice[0] =
                u32::from(violation(self.sys, &at, &mut l.motion.data, &mut l.b[at.q.len()..]) > tolerance);
        }
        Ok(())
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut NewmarkLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (sys, lay, h) = (self.sys, self.layout(), span.h);
        let (n, o, z) = (lay.n, lay.o, lay.z());
        let Some(past) = past else { return l.initial.advance(sys, span.t, frozen.angles, x) };
        // g₀
        sys.set_angles(frozen.angles, &mut l.motion.data);
        if o > 0 {
            sys.set_time(span.t, &mut l.motion.data);
            sys.measure(Set::Integrand, &lay.node(span.t, past), &mut l.motion.data, &mut x[z..z + o]);
        }
        // predict
        for i in 0..n {
            x[i] = past[i] + h * (past[n + i] + 0.5 * h * past[2 * n + i]);
        }
        let star = self.multiplier();
        x[star..star + lay.m]
            .iter_mut()
            .zip(&past[lay.lam()..z])
            .for_each(|(x, lam)| *x = self.iteration.reduction * lam);
        let report = self.motion(span, past, l, x)?;
        self.projections(span, self.projects(frozen), l, x)?;
        self.filter(past, x);
        // (7)
        if o > 0 {
            let (head, tail) = x.split_at_mut(z);
            sys.measure(Set::Integrand, &lay.node(span.end(), head), &mut l.motion.data, &mut l.integrands);
            for k in 0..o {
                tail[k] = past[z + k] + 0.5 * h * (tail[k] + l.integrands[k]);
            }
        }
        Ok(report)
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut NewmarkLinear,
    ) -> Result<(), StepError> {
        self.partials(span, frozen, x, past, l)
    }
    fn solve(&self, l: &mut NewmarkLinear, b: &mut [f64]) {
        self.down(l, b);
    }
    fn solve_t(&self, l: &mut NewmarkLinear, b: &mut [f64]) {
        self.up(l, b);
    }
    fn past_mul(&self, l: &mut NewmarkLinear, s: &[f64], r: &mut [f64]) {
        self.past(l, s, r);
    }
    fn past_mul_t(&self, l: &mut NewmarkLinear, mu: &[f64], out: &mut [f64]) {
        self.past_t(l, mu, out);
    }
    fn slot_mul(&self, l: &mut NewmarkLinear, delta: &[f64], r: &mut [f64]) {
        self.slots(l, delta, r);
    }
    fn slot_mul_t(&self, l: &mut NewmarkLinear, mu: &[f64], s: f64, grad: &mut [f64]) {
        self.slots_t(l, mu, s, grad);
    }
    /// Cubic Hermite through (q, v) at both ends.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut NewmarkLinear,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let lay = self.layout();
        super::hermite(&lay, span.h, theta, past, x, &mut out[..2 * lay.n]);
        super::complete(
            self.sys,
            &Lagrange { compliance: self.start.compliance, ..Lagrange::ACCELERATION },
            &lay,
            span.t + theta * span.h,
            frozen.angles,
            &mut l.motion.data,
            &mut l.projector.kkt,
            out,
        )
    }
}
