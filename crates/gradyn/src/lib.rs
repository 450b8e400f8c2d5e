//! Gradyn: multibody dynamics with exact gradients.
//!
//! ```
//! let text = gradyn::examples::find("pendulum").ok_or("no such example")?;
//! let mut study = gradyn::Study::from_text("pendulum.toml", text)?;
//! study.method("index1", "dopri5")?.option("xi", "0.7")?;
//! let model = study.nominal()?;
//! let run = model.run()?;
//! let gradient = run.gradient()?;
//! for (i, name) in study.objectives()?.iter().enumerate() {
//!     println!("{name} = {}, its derivatives {:?}", run.objectives()[i], gradient.row(i));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod certificate;
mod diagnose;
pub mod equilibrium;
pub mod error;
pub mod examples;
pub mod file;
pub mod gradient;
mod happened;
pub mod impulses;
mod jacobian;
mod maximum;
pub mod memory;
pub mod method;
pub mod mobility;
pub mod optimize;
pub mod penalty;
mod prepare;
pub mod prepared;
mod progress;
pub mod reach;
pub mod registry;
pub mod report;
pub mod study;
pub mod suite;
mod tally;
mod until;
pub mod user;
pub mod verify;

pub use certificate::{Certificate, Verdict};
pub use error::{Error, ErrorKind, Place};
pub use gradient::{GradientReport, Outputs};
pub use gradyn_dynamics::assembly::Assembled;
pub use gradyn_dynamics::control::{Controller, Mesh};
pub use gradyn_dynamics::equilibrium::{Equilibrium, Search};
pub use gradyn_dynamics::step::Tolerance;
pub use gradyn_dynamics::{EventError, Integrated, Layout, Plan, Scheme, Statistics, StepError, Trajectory};
pub use gradyn_model::mechanism;
pub use gradyn_model::{
    Coordinates, Dims, Mechanics, Mechanism, Model, ModelError, Owner, ParameterInfo, Subject, Warning,
    WarningCode,
};
pub use gradyn_num::{Dependent, FactorError, ProgramScalar, Scalar};
pub use gradyn_sensitivity::check::{Kernel, Mismatch, check_kernel, check_system};
pub use gradyn_sensitivity::program::Corrections;
pub use gradyn_sensitivity::{Contributions, Gradient};
pub use happened::Happened;
pub use impulses::Impulses;
pub use jacobian::Jacobian;
pub use maximum::Largest;
pub use memory::Memory;
pub use method::{Method, Mistakes, Stepping};
pub use mobility::{Counts, Family, Mobility};
pub use penalty::{Estimate, PenaltyError};
pub use prepare::{Break, Jump, Passed};
pub use prepared::{Prepared, Run};
pub use progress::{Observer, Progress};
pub use registry::{
    AlphaScaling, Formulation, InitialAcceleration, Integrator, ProjectionMatrices, Projections, Sensitivity,
};
pub use study::{Study, StudyModel, StudyRun, constant};
pub use tally::Tally;

/// Sizes of a prepared model.
pub fn dims(p: &Prepared) -> gradyn_model::Dims {
    p.model.system.dims()
}

/// Names of the initial state (q₀, v₀).
pub fn coordinate_names(p: &Prepared) -> Vec<String> {
    let name = |i: usize| p.model.system.coordinate_name(i);
    let n = dims(p).n;
    (0..n).map(name).chain((0..n).map(|i| format!("vel({})", name(i)))).collect()
}
