//! Where a run is, and the stopping tests of every method.

use crate::optimality::{complementarity, projected_gradient, violation};
use crate::space::{Point, Space};
use crate::status::Status;

/// Rounding of a value, relative to max(1, |f|): a thousand operations × 2⁻⁵².
const ROUNDING: f64 = 1000.0 * f64::EPSILON;

/// The accepted point, its multipliers and what the tests need of the points before.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub point: Point,
    pub lam: Vec<f64>,
    pub iterations: usize,
    /// Iterations in a row whose change was below the tolerance.
    small: usize,
    /// Iterations in a row whose change was below the noise.
    noisy: usize,
}

/// Projected gradient, violation and complementarity are below their tolerances.
fn optimal(space: &Space, point: &Point, lam: &[f64]) -> bool {
    let settings = &space.settings;
    projected_gradient(space, point, lam) <= settings.gradient_tol
        && violation(space, point) <= settings.violation_tol
        && complementarity(space, point, lam) <= settings.gradient_tol
}

impl Progress {
    /// The progress at the start, without multipliers.
    pub(crate) fn new(space: &Space, point: Point) -> Self {
        Self { point, lam: vec![0.0; space.m], iterations: 0, small: 0, noisy: 0 }
    }
    /// Moves on to the next point.
    pub(crate) fn accept(&mut self, space: &Space, point: Point, lam: Vec<f64>) {
        let settings = &space.settings;
        let change = (point.f - self.point.f).abs();
        let feasible = violation(space, &point).max(violation(space, &self.point)) <= settings.violation_tol;
        let count =
            |times: usize, limit: f64| if feasible && change <= limit && limit > 0.0 { times + 1 } else { 0 };
        self.small = count(self.small, settings.value_tol * point.f.abs().max(1.0));
        self.noisy = count(self.noisy, settings.noise / space.problem.scale_of_value());
        self.iterations += 1;
        self.point = point;
        self.lam = lam;
    }
    /// The stopping test that fires here, if any.
    pub(crate) fn test(&self, space: &Space) -> Option<Status> {
        let settings = &space.settings;
        let tests = [
            (optimal(space, &self.point, &self.lam), Status::Optimal),
            (self.point.f < settings.least_value, Status::Unbounded),
            (self.noisy >= 2, Status::Stagnated),
            (self.small >= 2, Status::ValueConverged),
            (self.iterations >= settings.max_iterations, Status::IterationLimit),
        ];
        tests.into_iter().find(|(fires, _)| *fires).map(|(_, status)| status)
    }
    /// The end where no step was found although a decrease was predicted.
    pub(crate) fn stuck(&self, space: &Space, predicted: f64) -> Status {
        if predicted.abs() <= noise(space, self.point.f) {
            Status::Stagnated
        } else {
            Status::LineSearchFailed
        }
    }
}

/// Accuracy of f, scaled.
fn noise(space: &Space, f: f64) -> f64 {
    (space.settings.noise / space.problem.scale_of_value()).max(ROUNDING * f.abs().max(1.0))
}

/// How much a line search lets f rise: the noise, where the predicted decrease is not clearly above it.
pub(crate) fn allowance(space: &Space, f: f64, predicted: f64) -> f64 {
    let noise = noise(space, f);
    if predicted.abs() <= 10.0 * noise { noise } else { 0.0 }
}
