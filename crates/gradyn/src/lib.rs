//! Gradyn: multibody dynamics with exact gradients.
//!
//! ```
//! use gradyn::{Method, Prepared};
//! let file = gradyn::file::read_toml(gradyn::examples::find("pendulum").unwrap()).unwrap();
//! let model = Prepared::new(&file.mechanism).unwrap();
//! let method = Method::new("index1", "rk4").unwrap().step(0.01);
//! let run = model.run(&method).unwrap();
//! let gradient = model.gradient(&run, gradyn::Sensitivity::DiscreteAdjoint).unwrap();
//! assert_eq!(gradient.rows.len(), model.model.objectives.len());
//! ```

mod branch;
pub mod equilibrium;
pub mod error;
pub mod examples;
pub mod file;
mod freedoms;
pub mod gradient;
mod guards;
pub mod jacobian;
mod maximum;
pub mod method;
pub mod mobility;
pub mod optimize;
pub mod penalty;
pub mod prepared;
mod progress;
pub mod reach;
mod redundancy;
pub mod registry;
pub mod report;
mod singular;
pub mod study;
mod unstable;
mod until;
pub mod user;
pub mod verify;
pub mod watch;

pub use error::{Error, ErrorKind, Place};
pub use gradient::{Certificate, GradientReport};
pub use gradyn_model::expression::constant;
pub use gradyn_model::mechanism;
pub use gradyn_model::{Coordinates, Mechanism, ModelError, Owner, Subject, Warning, WarningCode};
pub use gradyn_num::{ProgramScalar, Scalar};
pub use gradyn_sensitivity::check::{Kernel, Mismatch, check_kernel, check_system};
pub use jacobian::Jacobian;
pub use maximum::Largest;
pub use method::{Method, Stepping};
pub use mobility::{Counts, Family, Mobility};
pub use penalty::PenaltyError;
pub use prepared::{Prepared, Run};
pub use progress::Progress;
pub use registry::{
    AlphaScaling, Formulation, InitialAcceleration, Integrator, ProjectionMatrices, Projections, Sensitivity,
};
pub use study::{Study, StudyModel, StudyRun};

/// Sizes of a prepared model.
pub fn dims(p: &Prepared) -> gradyn_model::Dims {
    gradyn_model::System::dims(&p.model.system)
}

/// Names of the initial state (q₀, v₀).
pub fn coordinate_names(p: &Prepared) -> Vec<String> {
    let name = |i: usize| gradyn_model::System::coordinate_name(&p.model.system, i);
    let n = dims(p).n;
    (0..n).map(name).chain((0..n).map(|i| format!("vel({})", name(i)))).collect()
}
