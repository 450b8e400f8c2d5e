//! What a run says about its design.

use crate::optimality::{lagrangian_gradient, projected_gradient, violation};
use crate::problem::Kind;
use crate::progress::Progress;
use crate::space::Space;
use crate::status::Status;

/// Side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// x = l.
    Lower,
    /// x = u.
    Upper,
}

/// A variable on a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveBound {
    /// Name of the variable.
    pub name: String,
    /// Which bound.
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
    pub kind: Kind,
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
    /// Why.
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
    /// Iterations.
    pub iterations: usize,
    /// Evaluations, failed trials included.
    pub evaluations: usize,
    /// Failed trials.
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
        let Some(Progress { point, lam, iterations, .. }) = progress else {
            let (x, active, multipliers, none) = (vec![], vec![], vec![], f64::INFINITY);
            let (value, optimality, violation, iterations) = (none, none, none, 0);
            return Self {
                status,
                x,
                value,
                optimality,
                violation,
                active,
                multipliers,
                iterations,
                evaluations,
                failures,
            };
        };
        let s_f = space.problem.scale_of_value();
        let rows = space.problem.constraints().iter().zip(lam);
        let multiplier = |(c, lam): (&crate::Constraint, &f64)| Multiplier {
            name: c.name.clone(),
            kind: c.kind,
            value: lam * s_f / c.scale,
        };
        Self {
            status,
            x: space.to_x(&point.z),
            value: point.f * s_f,
            optimality: projected_gradient(space, point, lam),
            violation: violation(space, point),
            active: active(space, progress),
            multipliers: rows.map(multiplier).collect(),
            iterations: *iterations,
            evaluations,
            failures,
        }
    }
}

/// Variables on their bounds, with the multipliers π = ∇L s_f/x_z.
fn active(space: &Space, progress: Option<&Progress>) -> Vec<ActiveBound> {
    let Some(Progress { point, lam, .. }) = progress else { return vec![] };
    let (l_z, x_z) = (lagrangian_gradient(point, lam), space.x_z(&point.z));
    let bound = |(i, side): (usize, Side)| ActiveBound {
        name: space.problem.variables()[i].name.clone(),
        side,
        multiplier: l_z[i] * space.problem.scale_of_value() / x_z[i],
    };
    (0..space.n).filter_map(|i| space.x_on_bound(&point.z, i).map(|side| (i, side))).map(bound).collect()
}
