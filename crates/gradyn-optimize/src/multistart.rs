//! A local method from many starts.
//!
//! The first start is the user's, the others are samples between the bounds: uniform in x, or in ln x where
//! the transform is log. The starts know nothing of each other, so that their trials can be evaluated in any
//! order and on any number of threads with the same result. Of two equal values the first start wins.

use crate::error::Error;
use crate::evaluation::Outcome;
use crate::identification::Identification;
use crate::optimizer::{Ask, Optimizer, Trial};
use crate::problem::{Problem, Transform, Variable};
use crate::registry::Method;
use crate::report::{Failure, Report};
use crate::sampling::Sampling;
use crate::settings::Settings;
use crate::status::Status;

/// How many starts, and how they are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// How many, the user's included.
    pub count: usize,
    /// Seed of the samples.
    pub seed: u64,
    /// How the samples are spread.
    pub sampling: Sampling,
}

/// Runs of one method from many starts.
pub struct Multistart {
    runs: Vec<Box<dyn Optimizer>>,
    violation_tol: f64,
}

/// The value of a variable that belongs to a number u in (0, 1).
fn sampled(v: &Variable, u: f64) -> Result<f64, Error> {
    let refuse = |what: &str| Err(Error::Variable { name: v.name.clone(), what: what.into() });
    match v.transform {
        _ if !(v.lower.is_finite() && v.upper.is_finite()) => {
            refuse("multistart draws between bounds, and there are not two")
        }
        Transform::Log if v.lower <= 0.0 => {
            refuse("multistart draws log variables above a positive lower bound")
        }
        Transform::Log => Ok((v.lower * (v.upper / v.lower).powf(u)).clamp(v.lower, v.upper)),
        Transform::Identity | Transform::Bounded => {
            Ok((v.lower + (v.upper - v.lower) * u).clamp(v.lower, v.upper))
        }
    }
}

impl Multistart {
    /// Runs of a method from all starts; `settings` are those of each run.
    pub fn new(
        method: Method,
        problem: &Problem,
        settings: Settings,
        start: &[f64],
        starts: Starts,
    ) -> Result<Self, Error> {
        let mut runs = vec![method.start(problem, settings, start)?];
        for u in starts.sampling.points(problem.n(), starts.count.saturating_sub(1), starts.seed)? {
            let x = problem
                .variables()
                .iter()
                .zip(u)
                .map(|(v, u)| sampled(v, u))
                .collect::<Result<Vec<_>, _>>()?;
            runs.push(method.start(problem, settings, &x)?);
        }
        Ok(Self { runs, violation_tol: settings.violation_tol })
    }
    /// The start with the best design: the least value of those without violation, else the least violation.
    fn best(&self) -> usize {
        let key = |report: Report| {
            let feasible = report.violation <= self.violation_tol;
            if feasible { (0.0, report.value) } else { (report.violation, report.value) }
        };
        let keys: Vec<(f64, f64)> = self.starts().into_iter().map(key).collect();
        let less = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        (0..keys.len()).min_by(|i, j| less(&keys[*i], &keys[*j])).unwrap_or(0)
    }
}

impl Optimizer for Multistart {
    fn ask(&self) -> Ask {
        let mut trials = vec![];
        for (start, run) in self.runs.iter().enumerate() {
            if let Ask::Evaluate(asked) = run.ask() {
                trials.extend(asked.into_iter().map(|trial| Trial { start, ..trial }));
            }
        }
        if trials.is_empty() { Ask::Finished(self.report().status) } else { Ask::Evaluate(trials) }
    }

    fn tell(&mut self, start: usize, outcome: Outcome) {
        self.runs[start].tell(0, outcome);
    }

    /// The design of the best start, the counts of all.
    fn report(&self) -> Report {
        let reports = self.starts();
        let best = reports[self.best()].clone();
        let running = reports.iter().any(|r| r.status == Status::Interrupted);
        let of = |(start, r): (usize, &Report)| {
            r.failures.iter().map(|f| Failure { start, ..f.clone() }).collect::<Vec<_>>()
        };
        let failures = reports.iter().enumerate().flat_map(of).collect();
        Report {
            status: if running { Status::Interrupted } else { best.status },
            iterations: reports.iter().map(|r| r.iterations).sum(),
            evaluations: reports.iter().map(|r| r.evaluations).sum(),
            failures,
            ..best
        }
    }

    fn starts(&self) -> Vec<Report> {
        self.runs.iter().map(|run| run.report()).collect()
    }

    fn identification(&self, confidence: f64) -> Option<Identification> {
        self.runs[self.best()].identification(confidence)
    }
}
