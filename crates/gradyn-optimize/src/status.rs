//! Every way of ending.

use crate::named::named;

named! {
    /// How a run ended.
    Status, "status":
    Optimal "optimal" "the first-order conditions hold: projected gradient, violation and complementarity \
        are below their tolerances",
    ValueConverged "value-converged"
        "the value changed by less than its tolerance in two iterations in a row, at a feasible design",
    Stagnated "stagnated" "no progress above the accuracy of the evaluations is possible at this design",
    IterationLimit "iteration-limit" "the limit of iterations was reached",
    EvaluationLimit "evaluation-limit" "the limit of evaluations was reached",
    LineSearchFailed "line-search-failed" "no step along the search direction lowers the value, \
        although the gradient promises it: the gradient may be wrong",
    TooManyFailures "too-many-failures"
        "too many trials could not be evaluated, or no step was left beside them",
    StartFailed "start-failed" "the start could not be evaluated",
    Infeasible "infeasible" "no step lowers the violation of the constraints: locally infeasible",
    Unbounded "unbounded"
        "the value fell below its limit: the problem has no minimum, or a bound is missing",
    NumericalFailure "numerical-failure" "the subproblem of the method could not be solved",
    Interrupted "interrupted" "the run was not finished",
}

impl Status {
    /// Is the design a local optimum, up to the tolerances or the accuracy of the evaluations?
    pub fn converged(self) -> bool {
        matches!(self, Status::Optimal | Status::ValueConverged | Status::Stagnated)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.name(), self.about())
    }
}
