//! One local method from one start: counts, limits, and the loop over iterations.

use crate::error::Error;
use crate::evaluation::{Evaluation, Failed, Outcome};
use crate::identification::{Identification, identify};
use crate::optimizer::{Ask, Optimizer, Trial};
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::registry::Method;
use crate::report::{Failure, Report};
use crate::settings::Settings;
use crate::space::{Point, Space};
use crate::status::Status;
use crate::{bfgs, lbfgsb, least_squares, slsqp, sqp};

/// What a run waits for, or how it ended.
enum Next {
    Evaluate(Vec<f64>),
    End(Status),
}

/// A run of a method.
pub(crate) struct Run {
    method: Method,
    space: Space,
    next: Next,
    /// What was told since the iteration began.
    known: Vec<(Vec<f64>, Option<Point>)>,
    state: Option<(Progress, Box<dyn Iteration>)>,
    evaluations: usize,
    failures: Vec<Failure>,
    /// Failed trials since the last iteration without one.
    recent_failures: usize,
}

/// The first iteration of a method.
fn first(method: Method, space: &Space, start: &Point) -> Box<dyn Iteration> {
    match method {
        Method::Lbfgsb => Box::new(lbfgsb::Lbfgsb { state: None }),
        Method::Slsqp => Box::new(slsqp::Slsqp::new()),
        Method::Sqp => Box::new(sqp::Restart::new(space)),
        Method::Bfgs => Box::new(bfgs::Bfgs { h: None }),
        Method::GaussNewton => Box::new(least_squares::GaussNewton),
        Method::LevenbergMarquardt => Box::new(least_squares::LevenbergMarquardt::new(start)),
    }
}

impl Method {
    /// An optimiser of a problem, from a start. One of least squares must be told residuals.
    pub fn start(
        self,
        problem: &Problem,
        settings: Settings,
        start: &[f64],
    ) -> Result<Box<dyn Optimizer>, Error> {
        problem.check_start(start)?;
        settings.check()?;
        let space = Space::new(problem.clone(), settings);
        self.check(&space)?;
        Ok(Box::new(Run::new(self, space, start)))
    }
}

/// Did every trial fail? The accepted point is not one.
fn none_told(known: &[(Vec<f64>, Option<Point>)], from: &Point) -> bool {
    known.iter().all(|(z, told)| told.is_none() || *z == from.z)
}

impl Run {
    /// From a start that was checked.
    pub(crate) fn new(method: Method, space: Space, start: &[f64]) -> Self {
        let next = Next::Evaluate(space.to_z(start));
        Self {
            method,
            space,
            next,
            known: vec![],
            state: None,
            evaluations: 0,
            failures: vec![],
            recent_failures: 0,
        }
    }

    /// The evaluation at z, or why there is none.
    fn point(&self, z: &[f64], outcome: Outcome) -> Result<Point, Failed> {
        let e = outcome?;
        self.check_lengths(&e);
        if let Some(reason) = e.not_finite() {
            return Err(Failed { reason: reason.into() });
        }
        let point = self.space.point(z, e);
        match self.space.stranded(&point) {
            _ if !point.is_finite() => {
                Err(Failed { reason: "the scales make numbers that are not finite".into() })
            }
            Some(name) => Err(Failed {
                reason: format!("{name} is where its transform is flat, and the minimum is not"),
            }),
            None => Ok(point),
        }
    }

    /// Panics where lengths do not fit: an error of the caller's program, not of its model.
    fn check_lengths(&self, e: &Evaluation) {
        let Space { n, m, .. } = self.space;
        assert_eq!(e.gradient.len(), n, "length of the gradient");
        assert_eq!(
            (e.constraints.len(), e.jacobian.len()),
            (m, m * n),
            "length of constraints and their Jacobian"
        );
        assert!(
            e.residuals.as_ref().is_none_or(|r| r.jacobian.len() == r.values.len() * n),
            "length of the residuals' Jacobian"
        );
        assert!(
            e.residuals.is_some() || !self.method.least_squares(),
            "{} needs residuals",
            self.method.name()
        );
    }

    /// Iterates with what is known, to the next point that is not or to the end.
    fn advance(&mut self) -> Next {
        let Some((progress, iteration)) = &mut self.state else { return Next::End(Status::StartFailed) };
        loop {
            // stopping tests
            let failed = self.known.iter().any(|(_, told)| told.is_none());
            if let Some(status) = progress.test(&self.space) {
                return Next::End(status);
            }

            // the next iteration; no step beside failed trials is their fault
            let oracle = Oracle { space: &self.space, known: &self.known };
            match iteration.iterate(&oracle, progress) {
                Ok(Step::Next(next)) => *iteration = next,
                Ok(Step::End(Status::LineSearchFailed)) if failed => {
                    return Next::End(Status::TooManyFailures);
                }
                Ok(Step::End(Status::Stagnated)) if failed && none_told(&self.known, &progress.point) => {
                    return Next::End(Status::TooManyFailures);
                }
                Ok(Step::End(status)) => return Next::End(status),
                Err(Pause(z)) => return Next::Evaluate(z),
            }

            // forget what was told for this one
            self.known.clear();
            self.recent_failures = if failed { self.recent_failures } else { 0 };
        }
    }
}

impl Optimizer for Run {
    fn ask(&self) -> Ask {
        match &self.next {
            Next::Evaluate(z) => Ask::Evaluate(vec![Trial { start: 0, x: self.space.to_x(z) }]),
            Next::End(status) => Ask::Finished(*status),
        }
    }

    fn tell(&mut self, start: usize, outcome: Outcome) {
        assert_eq!(start, 0, "a run has one start");
        let Next::Evaluate(z) = &self.next else { panic!("the run is finished") };
        let z = z.clone();
        let told = self.point(&z, outcome);
        self.evaluations += 1;

        // count, and begin where the start is told
        match &told {
            Ok(point) => {
                if self.state.is_none() {
                    let progress = Progress::new(&self.space, point.clone());
                    self.state = Some((progress, first(self.method, &self.space, point)));
                }
            }
            Err(Failed { reason }) => {
                self.recent_failures += 1;
                let reason = reason.clone();
                self.failures.push(Failure { start: 0, evaluation: self.evaluations, reason });
            }
        }
        self.known.push((z, told.ok()));

        // iterate, within the limits
        self.next = self.advance();
        let settings = &self.space.settings;
        if let Next::Evaluate(_) = self.next {
            if self.recent_failures >= settings.max_failures {
                self.next = Next::End(Status::TooManyFailures);
            } else if self.evaluations >= settings.max_evaluations {
                self.next = Next::End(Status::EvaluationLimit);
            }
        }
    }

    fn report(&self) -> Report {
        let status = if let Next::End(status) = self.next { status } else { Status::Interrupted };
        let progress = self.state.as_ref().map(|(progress, _)| progress);
        Report::new(&self.space, status, progress, self.evaluations, self.failures.clone())
    }

    fn identification(&self, confidence: f64) -> Option<Identification> {
        let (progress, _) =
            self.state.as_ref().filter(|_| matches!(self.next, Next::End(status) if status.converged()))?;
        identify(&self.space, &progress.point, &progress.lam, confidence)
    }
}
