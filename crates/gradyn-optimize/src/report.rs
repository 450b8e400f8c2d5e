//! What a run says about its design.

use crate::optimality::{lagrangian_gradient, projected_gradient, violation};
use crate::problem::{Constraint, ConstraintKind, Side};
use crate::progress::Progress;
use crate::space::{Point, Space};
use crate::status::Status;

/// A variable on a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveBound {
    /// Name of the variable.
    pub name: String,
    /// The bound that it is on.
    pub side: Side,
    /// ∂L/∂x there: what f would gain by moving the bound, positive at the lower and negative at the upper
    /// one.
    pub multiplier: f64,
}

/// Multiplier λ of a constraint: df/db where h = b or g ≤ b, with the opposite sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiplier {
    /// Name of the constraint.
    pub name: String,
    /// Equality or inequality.
    pub kind: ConstraintKind,
    /// λ of L = f + λᵀc.
    pub value: f64,
}

/// A trial that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which start it belongs to; 0 but for multistart.
    pub start: usize,
    /// Number of the evaluation of that start, from 1.
    pub evaluation: usize,
    /// Why it could not be evaluated.
    pub reason: String,
}

/// Where a run is or ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended; `interrupted` while it has not.
    pub status: Status,
    /// The design; empty if the start failed or was not told.
    pub x: Vec<f64>,
    /// f, ∞ without a design.
    pub value: f64,
    /// Projected gradient of the Lagrangian, scaled.
    pub optimality: f64,
    /// Largest violation of the constraints, scaled.
    pub violation: f64,
    /// Variables on their bounds.
    pub active: Vec<ActiveBound>,
    /// Multipliers of the constraints.
    pub multipliers: Vec<Multiplier>,
    /// Number of iterations.
    pub iterations: usize,
    /// Number of evaluations, failed trials included.
    pub evaluations: usize,
    /// The failed trials.
    pub failures: Vec<Failure>,
}

impl Report {
    pub(crate) fn new(
        space: &Space,
        status: Status,
        progress: Option<&Progress>,
        evaluations: usize,
        failures: Vec<Failure>,
    ) -> Self {
        let none = Self::without_design(status, evaluations, failures);
        let Some(Progress { point, lam, iterations, .. }) = progress else { return none };

        // λ = λ̂ s_f/s_c
        let s_f = space.problem.scale_of_value();
        let rows = space.problem.constraints().iter().zip(lam);
        let multiplier = |(c, lam): (&Constraint, &f64)| Multiplier {
            name: c.name.clone(),
            kind: c.kind,
            value: lam * s_f / c.scale,
        };

        // x, f, and the conditions of optimality
        Self {
            x: space.to_x(&point.z),
            value: point.f * s_f,
            optimality: projected_gradient(space, point, lam),
            violation: violation(space, point),
            active: active(space, point, lam),
            multipliers: rows.map(multiplier).collect(),
            iterations: *iterations,
            ..none
        }
    }
    /// The report of a run whose start failed or was not told.
    fn without_design(status: Status, evaluations: usize, failures: Vec<Failure>) -> Self {
        Self {
            status,
            x: vec![],
            value: f64::INFINITY,
            optimality: f64::INFINITY,
            violation: f64::INFINITY,
            active: vec![],
            multipliers: vec![],
            iterations: 0,
            evaluations,
            failures,
        }
    }
}

/// Variables on their bounds, with the multipliers π = ∇L s_f/x_z.
fn active(space: &Space, point: &Point, lam: &[f64]) -> Vec<ActiveBound> {
    let l_z = lagrangian_gradient(point, lam);
    let x_z = space.x_z(&point.z);
    let bound = |(i, side): (usize, Side)| ActiveBound {
        name: space.problem.variables()[i].name.clone(),
        side,
        multiplier: l_z[i] * space.problem.scale_of_value() / x_z[i],
    };
    (0..space.n).filter_map(|i| space.x_on_bound(&point.z, i).map(|side| (i, side))).map(bound).collect()
}
