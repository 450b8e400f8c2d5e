//! The one list of optimisers: names, what they are, what they take. [`Method::start`] is in `run.rs`.

use crate::error::Error;
use crate::named::named;
use crate::space::Space;

named! {
    /// A local optimiser.
    Method, "optimizer":
    Lbfgsb "lbfgsb" "limited-memory quasi-Newton with bounds, L-BFGS-B 3.0",
    Slsqp "slsqp" "sequential least-squares programming of Kraft; dense",
    Sqp "sqp" "sequential quadratic programming: damped BFGS, interior-point subproblems, elastic mode, \
        second-order correction",
    Bfgs "bfgs" "quasi-Newton with a full matrix and a Wolfe line search; no bounds",
    GaussNewton "gauss-newton" "least squares: linearised residuals, line search, bounds by projection",
    LevenbergMarquardt "levenberg-marquardt"
        "least squares: linearised residuals, damped, bounds by projection",
}

impl Method {
    /// Does it take bounds?
    pub fn bounds(self) -> bool {
        self != Method::Bfgs
    }
    /// Does it take constraints?
    pub fn constraints(self) -> bool {
        matches!(self, Method::Slsqp | Method::Sqp)
    }
    /// Does it need residuals?
    pub fn least_squares(self) -> bool {
        matches!(self, Method::GaussNewton | Method::LevenbergMarquardt)
    }
    /// Refuses problems that it does not take.
    pub(crate) fn check(self, space: &Space) -> Result<(), Error> {
        let refuse = |what, takes: fn(Method) -> bool| {
            let others =
                Self::ALL.iter().filter(|m| takes(**m)).map(|m| m.name()).collect::<Vec<_>>().join(", ");
            Err(Error::Method { method: self.name(), what, others: format!("these do: {others}") })
        };
        match self {
            _ if space.m > 0 && !self.constraints() => refuse("takes no constraints", Method::constraints),
            _ if space.bounded() && !self.bounds() => refuse("takes no bounds", Method::bounds),
            _ => Ok(()),
        }
    }
}
