//! The one list of optimisers: names, what they are, what they take.

use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::problem::Problem;
use crate::run::Run;
use crate::settings::Settings;
use crate::space::Space;

/// Declares an enum whose values have a name and a description.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($variant:ident $name:literal $about:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $about] $variant,)*
        }
        impl $type {
            /// All of them.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
            /// The names of all.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
            /// Name on the command line and in model files.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
            /// What it is.
            pub fn about(self) -> &'static str {
                match self { $($type::$variant => $about),* }
            }
            /// The one of that name.
            pub fn parse(name: &str) -> Result<Self, $crate::error::Error> {
                Self::ALL.iter().copied().find(|x| x.name() == name).ok_or_else(|| {
                    let valid = Self::ALL.iter().map(|x| x.name()).collect::<Vec<_>>().join(", ");
                    $crate::error::Error::Unknown { what: $what, name: name.to_string(), valid }
                })
            }
        }
    };
}
pub(crate) use named;

named! {
    /// A local optimiser.
    Method, "optimizer":
    Lbfgsb "lbfgsb" "limited-memory quasi-Newton with bounds, L-BFGS-B 3.0",
    Slsqp "slsqp" "sequential least-squares programming of Kraft; dense",
    Sqp "sqp" "sequential quadratic programming: damped BFGS, interior-point subproblems, elastic mode, second-order correction",
    Bfgs "bfgs" "quasi-Newton with a full matrix and a Wolfe line search; no bounds",
    GaussNewton "gauss-newton" "least squares: linearised residuals, line search, bounds by projection",
    LevenbergMarquardt "levenberg-marquardt" "least squares: linearised residuals, damped, bounds by projection",
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
    fn check(self, space: &Space) -> Result<(), Error> {
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
