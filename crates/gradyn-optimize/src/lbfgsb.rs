//! L-BFGS-B of basin, one evaluation at a time.
//!
//! basin calls back. Its state cannot be copied, but written and read without loss: between two iterations it
//! is kept as bytes, and every evaluation begins the iteration again from there.
//!
//! A failed trial shortens the step: the search of Moré and Thuente starts again with
//!
//! ```text
//! α_max = (α_first + α_failed)/2   where the first trial succeeded,   else α_failed/2                (1)
//! ```
//! and finds the trials it has made before among the known ones.

use crate::adapter::{Boxed, Trouble};
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::progress::{Progress, allowance};
use crate::vector::{dot, minus};
use basin::line_search::{LineSearch, LineSearchBounds, LineSearchOutcome, LineSearchResult, MoreThuente};
use basin::solver::lbfgs::Bounded;
use basin::{ConstraintSolveError, FirstOrderState, Lbfgs, Problem, Solver as _, State};
use serde::{Deserialize, Serialize};

/// Most times that (1) shortens a step: 2⁻⁵⁰ of it is rounding.
const MOST_SHORTENINGS: usize = 50;

/// State between two iterations, written by `write`; nothing before the first.
pub(crate) struct Lbfgsb {
    pub state: Option<Vec<u8>>,
}

type Solver = Lbfgs<Vec<f64>, f64, Bounded, Shortening>;
type Accepted = FirstOrderState<Vec<f64>, f64>;

fn write(solver: &Solver, accepted: &Accepted) -> Vec<u8> {
    postcard::to_allocvec(&(solver, accepted)).expect("the state is numbers and lists of known length")
}

fn read(state: &[u8]) -> (Solver, Accepted) {
    postcard::from_bytes(state).expect("the bytes come from `write` of the same types")
}

/// The search of Moré and Thuente with (1).
#[derive(Serialize, Deserialize)]
struct Shortening {
    search: MoreThuente<f64>,
    /// Decrease that the last direction promised.
    predicted: f64,
}

impl<'a> LineSearch<Boxed<'a>, Vec<f64>, f64> for Shortening {
    type Error = Trouble;

    fn next(
        &mut self,
        problem: &mut Problem<Boxed<'a>>,
        z: &Vec<f64>,
        f: f64,
        g: &Vec<f64>,
        d: &Vec<f64>,
    ) -> Result<f64, Trouble> {
        self.search.next(problem, z, f, g, d)
    }

    fn next_with_bounds(
        &mut self,
        problem: &mut Problem<Boxed<'a>>,
        z: &Vec<f64>,
        f: f64,
        g: &Vec<f64>,
        d: &Vec<f64>,
        bounds: LineSearchBounds<f64>,
    ) -> Result<LineSearchResult<Vec<f64>, f64>, Trouble> {
        let mut first = bounds.initial();
        let mut most = bounds.max();
        self.predicted = first * dot(g, d);
        let f_max = f + allowance(problem.inner().0.space, f, self.predicted);

        // the search, again with (1) after a failed trial
        for _ in 0..MOST_SHORTENINGS {
            match self.search.next_with_bounds(problem, z, f, g, d, LineSearchBounds::new(first, most)) {
                Err(Trouble::Failed(at)) => {
                    let step = dot(&minus(&at, z), d) / dot(d, d);
                    most = 0.5 * if step > 1.001 * first { first + step } else { step }; // (1)
                    first = first.min(most);
                }
                Ok(found) => return Ok(if lost(&found, z, f_max) { failed() } else { found }),
                pause => return pause,
            }
        }
        Ok(failed())
    }
}

fn failed() -> LineSearchResult<Vec<f64>, f64> {
    LineSearchResult::new(LineSearchOutcome::Failed)
}

/// The search of Moré and Thuente returns the step where it is lost, with a warning that basin does not pass
/// on: a value above the first, or a step that rounding takes away.
fn lost(found: &LineSearchResult<Vec<f64>, f64>, z: &[f64], most: f64) -> bool {
    found.evaluation.as_ref().is_some_and(|e| e.cost > most || e.param == z)
}

impl Iteration for Lbfgsb {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let space = oracle.space;
        let mut problem = Problem::new(Boxed(oracle));

        // the start; the tests of convergence are ours
        let Some(state) = &self.state else {
            let mut solver =
                Lbfgs::with_line_search(Shortening { search: MoreThuente::new(), predicted: 0.0 })
                    .with_absolute_projected_gradient_tolerance(None)
                    .with_relative_cost_reduction_tolerance(None);
            let start = FirstOrderState::new(progress.point.z.clone());
            let accepted = solver.init(&mut problem, start).map_err(pause)?;
            return Ok(Step::Next(Box::new(Lbfgsb { state: Some(write(&solver, &accepted)) })));
        };

        // z⁺
        let (mut solver, accepted) = read(state);
        let step = solver.next_iter(&mut problem, accepted).map_err(pause)?;
        if step.termination.is_some() {
            return Ok(Step::End(progress.stuck(space, solver.line_search().predicted)));
        }
        let mut accepted = step.state;
        accepted.increment_iter();
        if let Some(point) = oracle.at(accepted.param())? {
            progress.accept(space, point, vec![]);
        }
        Ok(Step::Next(Box::new(Lbfgsb { state: Some(write(&solver, &accepted)) })))
    }
}

/// What basin's callback ended with: a pause, since (1) takes the failed trials and bounds were checked
/// before.
pub(crate) fn pause(error: ConstraintSolveError<Trouble>) -> Pause {
    match error {
        ConstraintSolveError::Evaluation(Trouble::Pause(pause)) => pause,
        other => unreachable!("a failed trial was accepted or checked bounds are refused: {other:?}"),
    }
}
