//! A step is a residual: R(x_n, x_{n-1}, t, h; p) = 0, block lower triangular, with its products and
//! transposes.
//!
//! A record x holds everything that the step produced and begins with the node:
//!
//! ```text
//! x = (q, v, a, λ | z | extras)                                                               (1)
//! z_n = z_{n-1} + h Σ_j b_j g(t_j, q_j, v_j, a_j, λ_j; p)       quadrature rows, strictly last  (2)  [A22, Eqs. 14, 15]
//! ```
//! Record 0 has no past: assembly, velocities, accelerations and λ₀ as residuals like any other ([`Chain`]).
//!
//! Products are plain: `past_mul` adds R_past s, `slot_mul` adds R_p δ, `_t` their transposes; signs are the
//! caller's. R_h and R_t are columns that any caller gets from `residual` on duals.

pub mod adams;
mod chain;
mod chain_residual;
mod clock;
pub(crate) mod memory;
pub mod newmark;
mod projected;
mod recipe;
pub mod rosenbrock;
pub mod runge_kutta;
mod second;

pub use crate::initial::StartLaw;
pub use crate::integrand::IntegrandRows;
pub use crate::record::{Layout, Report, Span, Tolerance};
pub use chain::Chain;
pub(crate) use chain::Snapshot;
pub use chain_residual::ChainResidual;
pub use recipe::{StepKind, StepRecipe};

use crate::block::Integrated;
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::plan::Frozen;
use crate::tableau::Tableau;
use gradyn_model::{Evaluator, Setup};
use memory::Visit;

/// The ordinary differential equations behind a step, and the scheme that integrates equations along its
/// runs.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    /// The law of (a, λ), with constraints at the level of accelerations.
    pub law: Lagrange,
    /// What is integrated.
    pub state: Integrated,
    /// A scheme of the order of the step.
    pub scheme: &'static Tableau,
    /// Does the step impose its constraints at the level of positions?
    pub positions: bool,
}

/// What was counted since the memory of a step was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Elements evaluated.
    pub visits: usize,
    /// Matrices of steps factorised, without record 0 and what is factorised once per run; `None` where they
    /// are not counted.
    pub factorizations: Option<usize>,
}

/// A record with what it follows from.
#[derive(Clone, Copy, Debug)]
pub struct StepArgs<'a, S = f64> {
    /// From the past node to the node of the record.
    pub span: Span<S>,
    /// What the forward run decided for this step.
    pub frozen: Frozen<'a>,
    /// Record at the end of the step.
    pub x: &'a [S],
    /// The record before; record 0 has none, and this is empty.
    pub past: &'a [S],
}
impl<S: Copy> StepArgs<'_, S> {
    /// Is this record 0, the start of a run?
    pub fn is_start(&self) -> bool {
        self.past.is_empty()
    }
    /// The first `len` numbers of its records: all but their impulses or times.
    fn without_tail(&self, len: usize) -> Self {
        let past = if self.past.is_empty() { self.past } else { &self.past[..len] };
        Self { x: &self.x[..len], past, ..*self }
    }
}

/// R(x, past, t, h; p) on a scalar.
pub trait Residual<S>: Send {
    /// Writes R to `r`.
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]);
}

/// Products of a linearised step.
pub trait Products {
    /// Solves with the linearised step: b ← R_x⁻¹ b.
    fn solve(&mut self, b: &mut [f64]);
    /// Solves with its transpose: b ← R_x⁻ᵀ b.
    fn solve_t(&mut self, b: &mut [f64]);
    /// r += R_past s.
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]);
    /// out += R_pastᵀ μ.
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]);
    /// Adds the slots along δ: r += R_p δ.
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]);
    /// grad += s R_pᵀ μ.
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]);
}

/// An integrator on a formulation, with its memory: R(x, past, h; p) = 0.
pub(crate) trait Stepper: Products + Send {
    /// The choices of the step that begins at `past`, given those of the attempt before, `since` steps after
    /// the last declared time or knot; forward runs only.
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError>;
    /// Makes the choices anew for the step that was attempted, where it has `failed` or the present ones do
    /// not follow its motion. Says whether the step is to be solved again.
    fn choose_again(&mut self, span: Span<f64>, past: &[f64], failed: bool, choice: &mut [u32]) -> bool;
    /// How far the choices of the last step reach: the largest entry of R in its blocks; 0 without.
    fn reach(&self) -> f64;
    /// Solves R = 0 for x.
    fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError>;
    /// Exact partials at a converged record.
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError>;
    /// Error of the embedded method relative to the tolerances, and the coordinate where it is largest.
    fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)>;
    /// The factor of the step size after an attempt with that error; above 1 it was rejected.
    fn resize(&mut self, control: &Controller, error: f64) -> f64;
    /// Was the last step limited by stability instead of accuracy?
    fn limited(&self) -> bool;
    /// (q, v) at t + θh by the scheme's own interpolant of order ≥ 3; `out` is a node whose (a, λ) follow
    /// from the equations.
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError>;
    /// What was counted so far.
    fn counts(&self) -> Counts;
    /// Visits all factorisations of forward steps.
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError>;
}

/// A scheme with the memory of its steps, or of its residual.
pub(crate) struct Bound<T, M> {
    /// The scheme, which does not change.
    pub spec: T,
    /// What it writes.
    pub memory: M,
}

/// What belongs to the past node and to the node of a step. Steps that follow each other, in either
/// direction, share a node: what is known there is not evaluated again.
pub struct Pair<T> {
    /// At the past node, at the node.
    pub at: [T; 2],
    nodes: [(f64, Vec<f64>); 2],
    /// Sides of the conditions at each node, in the step that it was met in.
    sides: [Vec<f64>; 2],
}
impl<T> Pair<T> {
    /// Nothing is known yet.
    pub(crate) fn new(lay: &Layout, at: [T; 2]) -> Self {
        let nodes = [(); 2].map(|()| (f64::NAN, vec![0.0; lay.z()]));
        Self { at, nodes, sides: [(); 2].map(|()| vec![f64::NAN; lay.sides]) }
    }
    /// Moves on to the nodes of another step; says which of them are known.
    pub(crate) fn turn(
        &mut self,
        lay: &Layout,
        span: Span<f64>,
        branches: &[f64],
        past: &[f64],
        x: &[f64],
    ) -> [bool; 2] {
        let sides = lay.sides(branches);
        let [past, node] = [(span.t, &past[..lay.z()]), (span.end(), &x[..lay.z()])];
        let is_at = |have: &(f64, Vec<f64>), (t, x): (f64, &[f64])| have.0 == t && have.1 == x;
        if is_at(&self.nodes[0], node) || is_at(&self.nodes[1], past) {
            self.at.swap(0, 1);
            self.nodes.swap(0, 1);
            self.sides.swap(0, 1);
        }
        let known = [is_at(&self.nodes[0], past), is_at(&self.nodes[1], node)];
        let known = [0, 1]
            .map(|k| known[k] && self.sides[k].iter().zip(sides).all(|(a, b)| a.to_bits() == b.to_bits()));
        self.sides.iter_mut().for_each(|s| s.copy_from_slice(sides));
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
    let h00 = (1.0 + 2.0 * θ) * (1.0 - θ).powi(2);
    let h10 = θ * (1.0 - θ).powi(2);
    let h01 = θ * θ * (3.0 - 2.0 * θ);
    let h11 = θ * θ * (θ - 1.0);
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
    terms: &mut Evaluator<f64>,
    kkt: &mut crate::kkt::MotionMatrix,
    out: &mut [f64],
) -> Result<(), StepError> {
    let (n, m) = (lay.n, lay.m);
    out[2 * n..lay.z()].fill(0.0);
    terms.set_branches(angles);
    terms.at(t, &out[..n]);
    // F at a = 0, λ = 0, then the solution of the law
    let mut u = vec![0.0; n + m];
    law.residual(sys, &lay.node(t, out), terms, &mut u);
    crate::kkt::refactor_kkt(sys, t, terms, law.compliance, kkt)?;
    kkt.solve(&mut u);
    out[2 * n..lay.z()].iter_mut().zip(&u).for_each(|(o, u)| *o = -u);
    Ok(())
}
