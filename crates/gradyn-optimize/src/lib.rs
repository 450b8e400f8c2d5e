//! Optimisers of Gradyn, independent of mechanics: ask and tell, deterministic, replayable.
//!
//! ```
//! use gradyn_optimize::{Evaluation, Method, Problem, Settings, Variable, drive};
//!
//! // (x - 2)² with x ≤ 1
//! let problem = Problem::new(vec![Variable::between("x", 0.0, 1.0)])?;
//! let mut optimizer = Method::Lbfgsb.start(&problem, Settings::default(), &[0.5])?;
//! let report = drive(optimizer.as_mut(), |trial| {
//!     let x = trial.x[0];
//!     Ok(Evaluation::new((x - 2.0).powi(2), vec![2.0 * (x - 2.0)]))
//! });
//! assert_eq!(report.x, [1.0]);
//! assert_eq!(report.active[0].name, "x");
//! # Ok::<(), gradyn_optimize::Error>(())
//! ```

mod adapter;
mod bfgs;
mod error;
mod evaluation;
mod identification;
mod lbfgsb;
mod least_squares;
mod line_search;
mod multistart;
mod named;
mod optima;
mod optimality;
mod optimizer;
mod oracle;
mod problem;
mod progress;
mod qp;
mod registry;
mod report;
mod run;
mod sampling;
mod settings;
mod slsqp;
mod space;
mod sqp;
mod status;
mod student;
mod vector;

pub use error::Error;
pub use evaluation::{Evaluation, Failed, Outcome, Residuals};
pub use identification::{Direction, Estimate, Identification};
pub use multistart::{Multistart, Starts};
pub use optima::{Optimum, optima};
pub use optimizer::{Ask, Optimizer, Record, Trial, drive, replay};
pub use problem::{Constraint, ConstraintKind, Problem, Side, Transform, Variable};
pub use registry::Method;
pub use report::{ActiveBound, Failure, Multiplier, Report};
pub use sampling::{Sampling, latin_hypercube};
pub use settings::Settings;
pub use status::Status;
