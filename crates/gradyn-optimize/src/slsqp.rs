//! SLSQP of basin, one evaluation at a time.
//!
//! Its state can be copied: an iteration begins again from the last accepted point. Failed trials have an
//! infinite value, which its line search answers by half the step. The tests of convergence are ours. Where
//! gradients are large its subproblem has few digits near the optimum and promises no descent any more: that
//! is stagnation, and a scale of the value helps. Equalities with dependent gradients it cannot take.

use crate::adapter::Constrained;
use crate::lbfgsb::pause;
use crate::optimality::violation;
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::progress::Progress;
use crate::space::Space;
use crate::status::Status;
use basin::{Problem, SelectedFirstOrderState, SlsqpFailure, Solver, State};

/// State between two iterations.
pub(crate) struct Slsqp {
    solver: basin::Slsqp<f64>,
    /// Nothing before the first iteration.
    state: Option<SelectedFirstOrderState<Vec<f64>, f64>>,
}

impl Slsqp {
    /// The state before the first iteration.
    pub(crate) fn new() -> Self {
        Self { solver: basin::Slsqp::new().with_absolute_accuracy_tolerance(None), state: None }
    }
    /// λ of the last subproblem.
    fn lam(&self, m: usize) -> Vec<f64> {
        let parts = [self.solver.equality_multipliers(), self.solver.inequality_multipliers()];
        parts[0].zip(parts[1]).map_or(vec![0.0; m], |(eq, ineq)| [eq, ineq].concat())
    }
    /// How a failure of the subproblem or the search ends the run.
    fn end(&self, space: &Space, progress: &Progress) -> Status {
        match self.solver.failure() {
            Some(SlsqpFailure::IncompatibleConstraints) => Status::Infeasible,
            Some(SlsqpFailure::NonDescentDirection)
                if violation(space, &progress.point) > space.settings.violation_tol =>
            {
                Status::Infeasible
            }
            // no step at all is no progress that has ended
            Some(SlsqpFailure::NonDescentDirection) if progress.iterations == 0 => Status::NumericalFailure,
            Some(SlsqpFailure::NonDescentDirection) => Status::Stagnated,
            Some(SlsqpFailure::LineSearchFailed) => Status::LineSearchFailed,
            _ => Status::NumericalFailure,
        }
    }
}

impl Iteration for Slsqp {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let space = oracle.space;
        let mut problem = Problem::new(Constrained(oracle));
        let mut next = Slsqp { solver: self.solver.clone(), state: None };

        // the first subproblem
        let Some(state) = &self.state else {
            let start = SelectedFirstOrderState::new(progress.point.z.clone());
            next.state = Some(next.solver.init(&mut problem, start).map_err(pause)?);
            progress.lam = next.lam(space.m);
            return Ok(Step::Next(Box::new(next)));
        };

        // z⁺ and the next subproblem
        let step = next.solver.next_iter(&mut problem, state.clone()).map_err(pause)?;
        if step.termination.is_some() {
            return Ok(Step::End(next.end(space, progress)));
        }
        if let Some(point) = oracle.at(step.state.param())? {
            progress.accept(space, point, next.lam(space.m));
        }
        next.state = Some(step.state);
        Ok(Step::Next(Box::new(next)))
    }
}
