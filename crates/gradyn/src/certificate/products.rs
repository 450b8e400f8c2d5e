//! Are products of the steps, forward and backward, the same and those of the residual?
//!
//! ```text
//! ψ' of some records by the program, by forward products, by R_x⁻ᵀ, and by all transposes               (1)
//! distance = largest difference of two of them that follow each other / size of ψ'                      (2)
//! ```
//! The records are the first, the last, those of events and restarts, and others at equal distances. The size
//! of ψ' is the largest of all records, by the program: what is small at a record says little about a
//! gradient.

use super::claim::Claim;
use super::direction::Direction;
use super::squares::check_transposes;
use crate::error::Error;
use gradyn_sensitivity::{Case, Confirm, Sample, Share, shares};

/// Records that are looked at, and how many of them may be those of events and restarts.
const RECORDS: usize = 16;
const EVENTS: usize = 6;
/// Largest slopes below so many roundings of a value are zero.
const ZERO: f64 = 1e3 * f64::EPSILON;

/// Products of steps, compared at some records.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductCheck {
    /// Number of records.
    pub records: usize,
    /// The largest distance (2).
    pub distance: f64,
    /// Time of the record where it is [s].
    pub time: f64,
    /// Its objective.
    pub objective: String,
    /// Which of (1) it is between.
    pub between: Between,
}

/// Two of (1) that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// The residual, and forward products.
    Residual,
    /// R_x⁻¹ and R_x⁻ᵀ.
    Solves,
    /// Other products and their transposes.
    Transposes,
}

impl Between {
    const ALL: [Self; 3] = [Self::Residual, Self::Solves, Self::Transposes];

    /// What differs, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Residual => "forward products of steps and a complex step through them",
            Self::Solves => "solves with a matrix of a step and with its transpose",
            Self::Transposes => "products of a step and their transposes",
        }
    }
}

/// s of the records that are looked at.
pub(super) struct Samples {
    /// Numbers of the records, increasing.
    wanted: Vec<usize>,
    before: Vec<f64>,
    taken: Vec<Sample>,
}

impl Samples {
    /// Chooses the records of a case.
    pub(super) fn new(case: &Case) -> Self {
        let plan = &case.run.plan;
        let last = plan.steps();
        let special = |n: &usize| plan.restarts[*n] || plan.edges[*n].is_some();
        let mut wanted: Vec<usize> = (0..=last).filter(special).take(EVENTS).collect();
        // others, of which s is confirmed
        let even = RECORDS - wanted.len();
        let confirmed = |n: &usize| Confirm::Some.asks(case, *n);
        let evenly = (0..even).map(|k| k * last / (even - 1));
        wanted.extend(evenly.filter_map(|n| (0..=n).rev().find(confirmed)));
        wanted.sort_unstable();
        wanted.dedup();
        Self { wanted, before: vec![0.0; case.run.layout.len], taken: vec![] }
    }
    /// s of record `n`; all records come in their order, from record 0 on once more.
    pub(super) fn take(&mut self, n: usize, s: &[f64]) {
        if n == 0 {
            self.taken.clear();
            self.before.fill(0.0);
        }
        if self.wanted.binary_search(&n).is_ok() {
            self.taken.push(Sample { record: n, past: self.before.clone(), s: s.to_vec() });
        }
        self.before.copy_from_slice(s);
    }
}

impl Claim<'_> {
    /// (1) and (2) at the records of `samples`, and transposes of a fit: what is farthest apart.
    pub(super) fn check_products(
        &self,
        direction: &Direction,
        samples: &Samples,
    ) -> Result<ProductCheck, Error> {
        let fitted = self.fit.zip(self.numbers.residuals.as_ref());
        let fitted = fitted.map(|f| check_transposes(self.model, self.run, f, &direction.d)).transpose()?;
        match fitted {
            Some(fit) if self.run.psi.is_empty() => Ok(fit),
            Some(fit) => {
                let steps = self.check_steps(direction, samples)?;
                Ok(if fit.distance > steps.distance || fit.distance.is_nan() { fit } else { steps })
            }
            None => self.check_steps(direction, samples),
        }
    }
    /// (1) and (2) at the records of `samples`.
    fn check_steps(&self, direction: &Direction, samples: &Samples) -> Result<ProductCheck, Error> {
        // (1), with the final time at rest
        let Self { model, run, .. } = *self;
        let recipe = run.method.build(&model.model);
        let case = model.case(&recipe, run);
        let mut d = direction.d.clone();
        d.resize(run.rho.len(), 0.0);
        let shares = shares(&case, &d, &samples.taken)?;
        // (2)
        let mut check = ProductCheck {
            records: samples.taken.len(),
            distance: 0.0,
            time: run.trajectory.plan.t[0],
            objective: model.model.objectives.first().cloned().unwrap_or_default(),
            between: Between::Residual,
        };
        let sizes = sizes(&shares, run.trajectory.layout.o);
        for share in &shares {
            let size = sizes[share.objective];
            for (pair, between) in share.slopes.windows(2).zip(Between::ALL) {
                let distance = (pair[1] - pair[0]).abs() / size;
                if size > 0.0 && (distance > check.distance || distance.is_nan()) {
                    let time = run.trajectory.plan.t[share.record];
                    let objective = model.model.objectives[share.objective].clone();
                    check = ProductCheck { distance, time, objective, between, ..check };
                }
            }
        }
        Ok(check)
    }
}

/// Size of ψ' of each objective, by the program.
fn sizes(shares: &[Share], objectives: usize) -> Vec<f64> {
    let mut sizes = vec![0.0f64; objectives];
    for share in shares {
        let size = &mut sizes[share.objective];
        *size = size.max(share.slopes[0].abs());
    }
    sizes.iter().map(|s| if *s > ZERO { *s } else { 0.0 }).collect()
}
