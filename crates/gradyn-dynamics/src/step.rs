//! A step is a residual: R(x_n, x_{n-1}, t, h; p) = 0, block lower triangular, with its products and
//! transposes.
//!
//! A record x holds everything that the step produced and begins with the node:
//!
//! ```text
//! x = (q, v, a, λ | z | extras)                                                                   (1)
//! z_n = z_{n-1} + h Σ_j b_j g(t_j, q_j, v_j, a_j, λ_j; p)       quadrature rows, strictly last      (2)  [A22, Eqs. 14, 15]
//! ```
//! `past = None` is record 0: assembly, velocities, accelerations and λ₀ as residuals like any other.
//! Products are plain: `past_mul` adds R_past s, `slot_mul` adds R_p δ, `_t` their transposes; signs are the
//! caller's. R_h and R_t are columns that any caller gets from `residual` on duals.

pub mod adams;
pub mod newmark;
pub mod projected;
pub mod rosenbrock;
pub mod runge_kutta;
mod second;

use crate::block::State;
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::initial::Initial;
use crate::plan::Frozen;
use crate::tableau::Tableau;
use gradyn_model::{At, Data, KernelScalar, RunScalar, Set, Setup, System};
use gradyn_num::Dual;

/// Where things are in a record, (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Coordinates.
    pub n: usize,
    /// Constraint rows.
    pub m: usize,
    /// Objectives.
    pub o: usize,
    /// Length of a record.
    pub len: usize,
}
impl Layout {
    /// Sizes of a system, with `extras` numbers after the head.
    pub fn of(sys: &Setup, extras: usize) -> Self {
        let (d, o) = (sys.dims(), sys.functionals(Set::Integrand));
        Self { n: d.n, m: d.m, o, len: 3 * d.n + d.m + o + extras }
    }
    /// Offset of v.
    pub fn v(&self) -> usize {
        self.n
    }
    /// Offset of a.
    pub fn a(&self) -> usize {
        2 * self.n
    }
    /// Offset of λ.
    pub fn lam(&self) -> usize {
        3 * self.n
    }
    /// Offset of z: the length of a node.
    pub fn z(&self) -> usize {
        3 * self.n + self.m
    }
    /// Offset of the extras.
    pub fn head(&self) -> usize {
        self.z() + self.o
    }
    /// The node of a record.
    pub fn node<'a, S: Copy>(&self, t: S, x: &'a [S]) -> At<'a, S> {
        At::of(t, x, self.n, self.m)
    }
    /// Names and ends of the blocks of a record.
    pub fn blocks(&self) -> [(&'static str, std::ops::Range<usize>); 6] {
        let (v, a, l, z, h) = (self.v(), self.a(), self.lam(), self.z(), self.head());
        [("q", 0..v), ("v", v..a), ("a", a..l), ("λ", l..z), ("z", z..h), ("extras", h..self.len)]
    }
}

/// From t to t + h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<S> {
    /// Start of the step [s].
    pub t: S,
    /// Step size [s]; 0 for record 0.
    pub h: S,
}
impl<S: RunScalar> Span<S> {
    /// End of the step.
    pub fn end(&self) -> S {
        self.t + self.h
    }
}

/// The ordinary differential equations behind a step, and the scheme that integrates equations along its
/// runs.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    /// The law of (a, λ), with constraints at the level of accelerations.
    pub law: Lagrange,
    /// What is integrated.
    pub state: State,
    /// A scheme of the order of the step.
    pub scheme: &'static Tableau,
    /// Does the step impose its constraints at the level of positions?
    pub positions: bool,
}

/// What one step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Newton iterations, or evaluations.
    pub iterations: usize,
    /// Factorisations.
    pub factorizations: usize,
}

/// An integrator on a formulation: R(x, past, h; p) = 0.
pub trait Step: Sync {
    /// Memory of the residual on a scalar.
    type Work<S: RunScalar>: Send;
    /// Memory of `advance`, `linearise` and the products.
    type Linear: Send;

    /// The system.
    fn system(&self) -> &Setup;
    /// Where things are in a record.
    fn layout(&self) -> Layout;
    /// Memory of the residual.
    fn work<S: RunScalar>(&self, p: &[S]) -> Self::Work<S>;
    /// Memory of the linearised step.
    fn linear(&self, p: &[f64]) -> Result<Self::Linear, StepError>;
    /// Record 0 of a linearised step.
    fn initial<'l>(&self, l: &'l mut Self::Linear) -> &'l mut Initial;
    /// Rounding level of the blocks (q, v, a, λ, z) of a record whose sizes are `size`: smaller corrections
    /// are noise. `mass` is the largest entry of M and `row` that of the smallest row of Φ_q, which relate a
    /// and λ.
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5];

    /// R; `None` is record 0. `frozen` is what the forward run decided for this step.
    fn residual<S: RunScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Self::Work<S>,
        r: &mut [S],
    );
    /// Choices per record.
    fn choices(&self) -> usize {
        0
    }
    /// The choices of the step that begins at `past`, given those of the attempt before, `since` steps after
    /// the last declared time or knot; forward runs only.
    fn decide(
        &self,
        _span: Span<f64>,
        _past: &[f64],
        _since: usize,
        _l: &mut Self::Linear,
        _choice: &mut [u32],
    ) -> Result<(), StepError> {
        Ok(())
    }
    /// Solves R = 0 for x.
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut Self::Linear,
        x: &mut [f64],
    ) -> Result<Report, StepError>;
    /// Exact partials at a converged record.
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut Self::Linear,
    ) -> Result<(), StepError>;
    /// b ← R_x⁻¹ b.
    fn solve(&self, l: &mut Self::Linear, b: &mut [f64]);
    /// b ← R_x⁻ᵀ b.
    fn solve_t(&self, l: &mut Self::Linear, b: &mut [f64]);
    /// r += R_past s.
    fn past_mul(&self, l: &mut Self::Linear, s: &[f64], r: &mut [f64]);
    /// out += R_pastᵀ μ.
    fn past_mul_t(&self, l: &mut Self::Linear, mu: &[f64], out: &mut [f64]);
    /// r += R_p δ.
    fn slot_mul(&self, l: &mut Self::Linear, delta: &[f64], r: &mut [f64]);
    /// grad += s R_pᵀ μ.
    fn slot_mul_t(&self, l: &mut Self::Linear, mu: &[f64], s: f64, grad: &mut [f64]);

    /// Error of the embedded method relative to the tolerances, and the coordinate where it is largest.
    fn error(
        &self,
        _span: Span<f64>,
        _x: &[f64],
        _past: &[f64],
        _tol: Tolerance,
        _l: &mut Self::Linear,
    ) -> Option<(f64, usize)> {
        None
    }
    /// The factor of the step size after an attempt with that error; above 1 it was rejected.
    fn resize(&self, control: &Controller, error: f64, _l: &mut Self::Linear) -> f64 {
        control.factor(error, self.estimate_order())
    }
    /// Was the last step limited by stability instead of accuracy?
    fn limited(&self, _l: &Self::Linear) -> bool {
        false
    }
    /// h |∂f/∂y| over what the scheme is stable for, from the record of a step; above 1 it is stability that
    /// limits the step. `None` where nothing limits it, or where it cannot be told.
    fn stability(&self, _h: f64, _x: &[f64]) -> Option<f64> {
        None
    }
    /// Times (t_i - t)/h of the stages (q, v, a, λ) that a record keeps, one after the other from
    /// [`Layout::head`] on; `None`: of a stage that no quadrature reads.
    fn stage_times(&self) -> Vec<Option<f64>> {
        vec![]
    }
    /// First step of a smooth piece that begins at record x [s]; `None`: as the piece before ended.
    fn first_step(&self, _tol: Tolerance, _x: &[f64]) -> Option<f64> {
        None
    }
    /// How often the first fixed step of a smooth piece is halved in a run of so many steps.
    fn halvings(&self, _steps: f64) -> u32 {
        0
    }
    /// Elements evaluated so far, for counters.
    fn visits(&self, l: &Self::Linear) -> usize;
    /// Matrices of steps factorised so far, for counters, without record 0 and what is factorised once per
    /// run; `None` where they are not counted.
    fn factorizations(&self, _l: &Self::Linear) -> Option<usize> {
        None
    }
    /// Order p of the step.
    fn order(&self) -> usize;
    /// What continuous sensitivities differentiate.
    fn equations(&self) -> Equations;
    /// Order of a step and number of nodes before it that it knows, of a method whose order varies.
    fn variable_order(&self, _frozen: Frozen) -> Option<(usize, usize)> {
        None
    }
    /// Power of h in the estimate, for the controller.
    fn estimate_order(&self) -> usize {
        self.order()
    }
    /// (q, v) at t + θh by the scheme's own interpolant of order ≥ 3; `out` is a node whose (a, λ) follow
    /// from the equations.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut Self::Linear,
        out: &mut [f64],
    ) -> Result<(), StepError>;
}

/// Tolerances of an adaptive run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative.
    pub rtol: f64,
    /// Absolute.
    pub atol: f64,
}

/// Gradients of the integrands at one point, over (q, v, a, λ | support).
pub struct IntegrandRows<S = f64> {
    /// One row per objective.
    rows: Vec<S>,
    width: usize,
    node: usize,
}
impl<S: KernelScalar> IntegrandRows<S> {
    /// Memory.
    pub fn new(sys: &Setup) -> Self {
        let d = sys.dims();
        let node = 3 * d.n + d.m;
        let width = node + sys.support(Set::Integrand).len();
        Self { rows: vec![S::zero(); width * sys.functionals(Set::Integrand)], width, node }
    }
    /// Evaluates the gradients at a point.
    pub fn set(&mut self, sys: &Setup, at: &At<S>, d: &mut Data<S>) {
        for (k, row) in self.rows.chunks_exact_mut(self.width.max(1)).enumerate() {
            sys.measure_row(Set::Integrand, k, at, d, row);
        }
    }
}
impl<const N: usize> IntegrandRows<Dual<f64, N>> {
    /// The derivatives of the gradients in direction `k`.
    pub fn along(&self, k: usize, out: &mut IntegrandRows) {
        out.rows.iter_mut().zip(&self.rows).for_each(|(o, r)| *o = r.eps[k]);
    }
}
impl IntegrandRows {
    /// g_x · s for objective `k` and a node `s`.
    #[inline]
    pub fn mul(&self, k: usize, s: &[f64]) -> f64 {
        let row = &self.rows[k * self.width..k * self.width + self.node];
        row.iter().zip(s).map(|(g, s)| g * s).sum()
    }
    /// out += s g_xᵀ.
    #[inline]
    pub fn mul_t(&self, k: usize, s: f64, out: &mut [f64]) {
        let row = &self.rows[k * self.width..k * self.width + self.node];
        out.iter_mut().zip(row).for_each(|(o, g)| *o += s * g);
    }
    /// g_p · δ.
    pub fn slot_mul(&self, sys: &Setup, k: usize, delta: &[f64]) -> f64 {
        let row = &self.rows[k * self.width + self.node..(k + 1) * self.width];
        row.iter().zip(sys.support(Set::Integrand)).map(|(g, &s)| g * delta[s as usize]).sum()
    }
    /// grad += s g_pᵀ.
    pub fn slot_mul_t(&self, sys: &Setup, k: usize, s: f64, grad: &mut [f64]) {
        let row = &self.rows[k * self.width + self.node..(k + 1) * self.width];
        row.iter().zip(sys.support(Set::Integrand)).for_each(|(g, &slot)| grad[slot as usize] += s * g);
    }
}

/// What belongs to the past node and to the node of a step. Steps that follow each other, in either
/// direction, share a node: what is known there is not evaluated again.
pub struct Pair<T> {
    /// At the past node, at the node.
    pub at: [T; 2],
    nodes: [(f64, Vec<f64>); 2],
}
impl<T> Pair<T> {
    /// Nothing is known yet.
    pub fn new(lay: &Layout, at: [T; 2]) -> Self {
        Self { at, nodes: [(); 2].map(|()| (f64::NAN, vec![0.0; lay.z()])) }
    }
    /// Moves on to the nodes of another step; says which of them are known.
    pub fn turn(&mut self, lay: &Layout, span: Span<f64>, past: &[f64], x: &[f64]) -> [bool; 2] {
        let [past, node] = [(span.t, &past[..lay.z()]), (span.end(), &x[..lay.z()])];
        let is_at = |have: &(f64, Vec<f64>), (t, x): (f64, &[f64])| have.0 == t && have.1 == x;
        if is_at(&self.nodes[0], node) || is_at(&self.nodes[1], past) {
            self.at.swap(0, 1);
            self.nodes.swap(0, 1);
        }
        let known = [is_at(&self.nodes[0], past), is_at(&self.nodes[1], node)];
        for (have, (t, x)) in self.nodes.iter_mut().zip([past, node]) {
            have.0 = t;
            have.1.copy_from_slice(x);
        }
        known
    }
}

/// Rounding level of a step that imposes Φ = 0: v = q/h, a = q/h² and Φ_qᵀλ ~ m a amplify the rounding of q.
fn noise_of_positions(amplified: f64, h: f64, [q, v, a, lam, z]: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
    let few = 2e4;
    let a = few * (a + lam / mass) + amplified * q;
    let lam = few * lam + mass * a / row;
    [few * q, few * v + amplified * h * q, a, lam, amplified.max(few) * z].map(|x| x * f64::EPSILON)
}

/// The first numbers of (q, v) by cubic Hermite interpolation of (q, v) and of (v, a), θ of the way from a
/// record to the next.
pub fn hermite(lay: &Layout, h: f64, θ: f64, past: &[f64], x: &[f64], out: &mut [f64]) {
    let (h00, h10) = ((1.0 + 2.0 * θ) * (1.0 - θ).powi(2), θ * (1.0 - θ).powi(2));
    let (h01, h11) = (θ * θ * (3.0 - 2.0 * θ), θ * θ * (θ - 1.0));
    let n = lay.n;
    for (i, out) in out.iter_mut().enumerate() {
        *out = h00 * past[i] + h * h10 * past[n + i] + h01 * x[i] + h * h11 * x[n + i];
    }
}

/// (a, λ) of a node at (q, v) from a law that is linear in them.
fn complete(
    sys: &Setup,
    law: &Lagrange,
    lay: &Layout,
    t: f64,
    angles: &[f64],
    d: &mut Data<f64>,
    kkt: &mut gradyn_num::Kkt,
    out: &mut [f64],
) -> Result<(), StepError> {
    let (n, m) = (lay.n, lay.m);
    out[2 * n..lay.z()].fill(0.0);
    sys.set_angles(angles, d);
    sys.place(t, &out[..n], d);
    let mut u = vec![0.0; n + m];
    law.residual(sys, &lay.node(t, out), d, &mut u);
    crate::initial::refactor_kkt(sys, t, d, law.compliance, kkt)?;
    kkt.solve(&mut u);
    out[2 * n..lay.z()].iter_mut().zip(&u).for_each(|(o, u)| *o = -u);
    Ok(())
}
