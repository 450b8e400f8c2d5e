//! Moved differences: does the gradient say what happens to other designs?
//!
//! ```text
//! D(δ) = (ψ(ρ + δd) - ψ(ρ - δd))/2δ              designs with runs of their own                          (1)
//!      = (4ψ(ρ + δd/2) - ψ(ρ + δd) - 3ψ(ρ))/δ    where bounds leave one side                             (2)
//! R = (4 D(δ/2) - D(δ))/3,   bar = |D(δ) - D(δ/2)|                                                       (3)
//! agrees:   bar ≤ 5 % of the size,   |g·d - R| ≤ 3 (bar + ±)                                             (4)
//! ```
//! The size is the larger of |R| and |g·d|, and at least 1 % of that of the objective. δ begins at 1 % and falls
//! by 10 until (4) holds, but not below 20 times the error of ψ: with less, events move within one step, and
//! differences of frozen steps agree with their frozen derivative. The largest δ where (4) holds is the range
//! of the gradient. At a jump D doubles as δ halves, and the bar never settles.

use super::direction::Direction;
use super::errors::Errors;
use crate::error::Error;
use crate::prepared::{Prepared, Run};
use gradyn_sensitivity::Gradient;

/// The first δ.
const FIRST: f64 = 0.01;
/// The largest δ, for runs whose errors ask for more.
const LARGEST: f64 = 0.1;
/// The least δ.
const LEAST: f64 = 1e-6;
/// Errors of ψ, relative to its size, are this many times smaller than δ.
const ABOVE_ERROR: f64 = 20.0;
/// A bar below this part of the size has settled.
const SETTLED: f64 = 0.05;
/// The least size, relative to that of the objective.
const LEAST_SIZE: f64 = 0.01;

/// The moved difference of an objective, by (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// g·d, the gradient along the direction.
    pub along: f64,
    /// R, the difference.
    pub difference: f64,
    /// What the difference is known to.
    pub bar: f64,
    /// How far designs were moved, relative to the scales of the parameters: the range of the gradient, where
    /// it agrees.
    pub change: f64,
    /// What it says.
    pub outcome: Outcome,
}

impl Moved {
    /// Does D double as δ halves, as at a jump?
    pub(super) fn doubles(&self) -> bool {
        // D(δ/2) = 2 D(δ) gives R = 7/3 D(δ) and bar = |D(δ)|
        (self.bar / self.difference.abs() - 3.0 / 7.0).abs() < 0.1
    }
}

/// What a moved difference says about a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The gradient is right for designs up to the range.
    Agrees,
    /// The difference settles, at another value.
    Differs,
    /// The difference does not settle, however small the change is.
    Unsettled,
    /// Moved designs do not run, or bounds leave no room to move.
    NotRun,
}

/// What is known of an objective before designs are moved.
struct Known {
    /// g·d and what it is known to.
    along: f64,
    error: f64,
    /// Size of the objective.
    size: f64,
    /// The least δ.
    least: f64,
}

/// (4) for every objective.
pub(super) fn moved(
    model: &Prepared,
    run: &Run,
    rows: &Gradient,
    direction: &Direction,
    errors: &Errors,
) -> Vec<Moved> {
    let known = known(model, run, rows, direction, errors);
    let mut results: Vec<Option<Moved>> = vec![None; known.len()];
    // δ falls until every objective agrees or has reached its least
    let first = known.iter().fold(FIRST, |first, k| first.max(k.least.min(LARGEST)));
    let mut delta = first.min(direction.most);
    loop {
        let values = direction.moves().then(|| Differences::new(model, run, direction, delta).ok()).flatten();
        for (j, k) in known.iter().enumerate() {
            let open = results[j].as_ref().is_none_or(|m| m.outcome != Outcome::Agrees);
            if open && (delta >= k.least.min(LARGEST) || results[j].is_none()) {
                let new = k.judge(values.as_ref().map(|v| v.of(j)), delta);
                // a difference that settled says more than a later one that did not
                let settled = results[j].as_ref().is_some_and(|m| m.outcome == Outcome::Differs);
                if !(settled && matches!(new.outcome, Outcome::Unsettled | Outcome::NotRun)) {
                    results[j] = Some(new);
                }
            }
        }
        delta /= 10.0;
        let open = |(m, k): (&Option<Moved>, &Known)| {
            delta >= k.least && m.as_ref().is_none_or(|m| m.outcome != Outcome::Agrees)
        };
        if !results.iter().zip(&known).any(open) {
            return results.into_iter().flatten().collect();
        }
    }
}

/// What is known of each objective.
fn known(model: &Prepared, run: &Run, rows: &Gradient, direction: &Direction, errors: &Errors) -> Vec<Known> {
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    let one = |(j, row): (usize, &Vec<f64>)| {
        let size = super::size(run.psi[j], row, &scales);
        Known {
            along: direction.dot(row),
            error: errors.along(j, direction),
            size,
            least: (ABOVE_ERROR * errors.values[j] / size).max(LEAST),
        }
    };
    rows.iter().enumerate().map(one).collect()
}

impl Known {
    /// (3) and (4) from D(δ) and D(δ/2).
    fn judge(&self, values: Option<[f64; 2]>, change: f64) -> Moved {
        let Some([coarse, fine]) = values else {
            let difference = f64::NAN;
            return Moved {
                along: self.along,
                difference,
                bar: f64::INFINITY,
                change,
                outcome: Outcome::NotRun,
            };
        };
        let difference = (4.0 * fine - coarse) / 3.0;
        let bar = (coarse - fine).abs();
        let size = difference.abs().max(self.along.abs()).max(LEAST_SIZE * self.size);
        let outcome = if bar.is_nan() || bar > SETTLED * size {
            Outcome::Unsettled
        } else if (self.along - difference).abs() <= 3.0 * (bar + self.error) {
            Outcome::Agrees
        } else {
            Outcome::Differs
        };
        Moved { along: self.along, difference, bar, change, outcome }
    }
}

/// D(δ) and D(δ/2) of all objectives.
struct Differences([Vec<f64>; 2]);

impl Differences {
    /// (1) or (2), by runs of moved designs.
    fn new(model: &Prepared, run: &Run, direction: &Direction, delta: f64) -> Result<Self, Error> {
        let at = |change: f64| -> Result<Vec<f64>, Error> {
            model.at_on_branch(&direction.moved(model.rho(), change))?.values(&run.method)
        };
        let combine = |lists: [&[f64]; 3], weights: [f64; 3]| -> Vec<f64> {
            let sum = |j: usize| lists.iter().zip(weights).map(|(list, w)| w * list[j]).sum();
            (0..run.psi.len()).map(sum).collect()
        };
        if !direction.one_sided {
            let central = |delta: f64| -> Result<Vec<f64>, Error> {
                let [above, below] = [at(delta)?, at(-delta)?];
                Ok(combine([&above, &below, &run.psi], [0.5 / delta, -0.5 / delta, 0.0]))
            };
            return Ok(Self([central(delta)?, central(0.5 * delta)?]));
        }
        let [whole, half, quarter] = [at(delta)?, at(0.5 * delta)?, at(0.25 * delta)?];
        let one_sided = |near: &[f64], far: &[f64], delta: f64| {
            combine([near, far, &run.psi], [4.0 / delta, -1.0 / delta, -3.0 / delta])
        };
        Ok(Self([one_sided(&half, &whole, delta), one_sided(&quarter, &half, 0.5 * delta)]))
    }
    /// Those of an objective.
    fn of(&self, j: usize) -> [f64; 2] {
        [self.0[0][j], self.0[1][j]]
    }
}
