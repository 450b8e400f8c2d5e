//! Moved differences: does the gradient say what happens to other designs?
//!
//! ```text
//! D(δ) = (ψ(ρ + δd) - ψ(ρ - δd))/2δ              designs with runs of their own                          (1)
//!      = (4ψ(ρ + δd/2) - ψ(ρ + δd) - 3ψ(ρ))/δ    where bounds leave one side                             (2)
//! R = (4 D(δ/2) - D(δ))/3,   bar = |D(δ) - D(δ/2)|                                                       (3)
//! agrees:   bar ≤ 5 % of the size,   |g·d - R| ≤ 3 (bar + ±)                                             (4)
//! ```
//! Of a fit ψ and g·d are r and r_ρ d, and |·| is the norm over all residuals (`claim`).
//! The size is the larger of |R| and |g·d|, and at least 1 % of that of the objective. δ begins at 1 % and
//! falls by 10 until (4) holds, but not below 20 times the error of ψ: with less, events move within one
//! step, and differences of frozen steps agree with their frozen derivative. The largest δ where (4) holds is
//! the range of the gradient. At a jump D doubles as δ halves, and the bar never settles.

use super::claim::{Claim, norm};
use super::direction::Direction;
use super::errors::Errors;
use crate::error::Error;

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
    /// g·d, the gradient along the direction; of a fit the norm of r_ρ d.
    pub along: f64,
    /// R, the difference; of a fit its norm.
    pub difference: f64,
    /// |g·d - R|.
    pub distance: f64,
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
    along: Vec<f64>,
    error: f64,
    /// Size of ψ, or of r.
    size: f64,
    /// The least δ.
    least: f64,
}

/// (4) for every objective.
pub(super) fn moved(claim: &Claim, direction: &Direction, errors: &Errors) -> Vec<Moved> {
    let known = known(claim, direction, errors);
    let mut results: Vec<Option<Moved>> = vec![None; known.len()];
    // δ falls until every objective agrees or has reached its least
    let first = known.iter().fold(FIRST, |first, k| first.max(k.least.min(LARGEST)));
    let mut delta = first.min(direction.most);
    loop {
        let values = direction.moves().then(|| Differences::new(claim, direction, delta).ok()).flatten();
        for (j, k) in known.iter().enumerate() {
            let open = results[j].as_ref().is_none_or(|m| m.outcome != Outcome::Agrees);
            if open && (delta >= k.least.min(LARGEST) || results[j].is_none()) {
                let new = k.judge(values.as_ref().map(|v| v.of(j)), delta);
                // a difference that settled says more than a later one that did not, but for a jump
                let settled = results[j].as_ref().is_some_and(|m| m.outcome == Outcome::Differs);
                let jumps = new.outcome == Outcome::Unsettled && new.doubles();
                let open = matches!(new.outcome, Outcome::Unsettled | Outcome::NotRun);
                if jumps || !(settled && open) {
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
fn known(claim: &Claim, direction: &Direction, errors: &Errors) -> Vec<Known> {
    let one = |(j, along): (usize, Vec<f64>)| {
        let [_, size] = claim.sizes[j];
        Known {
            along,
            error: errors.along(claim, j, direction),
            size,
            least: (ABOVE_ERROR * errors.of_y(claim, j) / size).max(LEAST),
        }
    };
    claim.along(&direction.d).into_iter().enumerate().map(one).collect()
}

impl Known {
    /// (3) and (4) from D(δ) and D(δ/2).
    fn judge(&self, values: Option<[&[f64]; 2]>, change: f64) -> Moved {
        let along = length(&self.along);
        let Some([coarse, fine]) = values else {
            let [difference, distance] = [f64::NAN; 2];
            let bar = f64::INFINITY;
            return Moved { along, difference, distance, bar, change, outcome: Outcome::NotRun };
        };
        let pairs = || fine.iter().zip(coarse);
        let richardson: Vec<f64> = pairs().map(|(fine, coarse)| (4.0 * fine - coarse) / 3.0).collect();
        let bar = length(&pairs().map(|(fine, coarse)| fine - coarse).collect::<Vec<_>>()).abs();
        let apart: Vec<f64> = self.along.iter().zip(&richardson).map(|(g, r)| g - r).collect();
        let distance = length(&apart).abs();
        let difference = length(&richardson);
        let size = difference.abs().max(along.abs()).max(LEAST_SIZE * self.size);
        let outcome = if bar.is_nan() || bar > SETTLED * size {
            Outcome::Unsettled
        } else if distance <= 3.0 * (bar + self.error) {
            Outcome::Agrees
        } else {
            Outcome::Differs
        };
        Moved { along, difference, distance, bar, change, outcome }
    }
}

/// A number itself, or the norm of several.
fn length(x: &[f64]) -> f64 {
    if let [x] = x { *x } else { norm(x) }
}

/// D(δ) and D(δ/2) of all objectives.
struct Differences([Vec<Vec<f64>>; 2]);

impl Differences {
    /// (1) or (2), by runs of moved designs.
    fn new(claim: &Claim, direction: &Direction, delta: f64) -> Result<Self, Error> {
        let at = |change: f64| -> Result<Vec<Vec<f64>>, Error> {
            let model = claim.model.at_on_branch(&direction.moved(claim.model.rho(), change))?;
            claim.y(&model, &model.uninspected(&claim.run.method)?)
        };
        if !direction.one_sided {
            let central = |delta: f64| -> Result<Vec<Vec<f64>>, Error> {
                let [above, below] = [at(delta)?, at(-delta)?];
                Ok(combined([(&above, 0.5 / delta), (&below, -0.5 / delta)]))
            };
            return Ok(Self([central(delta)?, central(0.5 * delta)?]));
        }
        let own = claim.y(claim.model, claim.run)?;
        let [whole, half, quarter] = [at(delta)?, at(0.5 * delta)?, at(0.25 * delta)?];
        let one_sided = |near: &Vec<Vec<f64>>, far: &Vec<Vec<f64>>, delta: f64| {
            combined([(near, 4.0 / delta), (far, -1.0 / delta), (&own, -3.0 / delta)])
        };
        Ok(Self([one_sided(&half, &whole, delta), one_sided(&quarter, &half, 0.5 * delta)]))
    }
    /// Those of an objective.
    fn of(&self, j: usize) -> [&[f64]; 2] {
        [&self.0[0][j], &self.0[1][j]]
    }
}

/// Σ w y, objective by objective.
fn combined<const N: usize>(terms: [(&Vec<Vec<f64>>, f64); N]) -> Vec<Vec<f64>> {
    let first = terms[0].0;
    let sum = |j: usize, i: usize| terms.iter().map(|(y, w)| w * y[j][i]).sum();
    (0..first.len()).map(|j| (0..first[j].len()).map(|i| sum(j, i)).collect()).collect()
}
