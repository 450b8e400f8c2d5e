//! Mechanisms, expressions and coordinates of Gradyn.
//!
//! A [`mechanism::Mechanism`] is coordinate-free data; [`build::build`] turns it into a [`build::Model`]: a
//! [`Mechanics`] in natural coordinates, the slot map p = e(ρ), and the compiled functionals.

pub mod build;
pub(crate) mod cut;
pub(crate) mod element;
pub(crate) mod elements;
pub mod error;
pub(crate) mod evaluator;
pub(crate) mod event;
pub mod expression;
pub(crate) mod force;
pub(crate) mod formula;
pub(crate) mod functional;
pub mod geometry;
pub(crate) mod guard;
pub(crate) mod load;
pub mod maximum;
pub mod mechanics;
pub mod mechanism;
pub(crate) mod memory;
pub(crate) mod point;
pub(crate) mod ports;
pub mod program;
pub mod quadratic;
pub(crate) mod relative;
pub(crate) mod row;
pub(crate) mod row_status;
pub(crate) mod scalar;
pub(crate) mod side;
pub(crate) mod signal;
pub mod spec;
pub mod spline;
pub(crate) mod start;
pub mod system;
pub mod user;
pub mod warning;

pub use build::{Model, ParameterInfo, build, build_apart, build_framed, build_in};
pub use cut::{Cut, CutKind};
pub use elements::Elements;
pub use error::ModelError;
pub use evaluator::Evaluator;
pub use event::EventRule;
pub use guard::{Outside, Undefined};
pub use mechanics::{Coordinates, Mechanics, Setup};
pub use mechanism::Mechanism;
pub use relative::{Articulated, LONGEST_PATH, matrices_up_to};
pub use row::{Owner, RowName};
pub use row_status::{Active, RowChoice, RowStatus};
pub use scalar::{KernelScalar, RunScalar};
pub use side::{Edge, Side};
pub use start::Start;
pub use system::{
    AngleMotion, AngleName, At, Dims, FunctionalSet, Kinematics, Level, RowScaling, Statics, velocity_weights,
};
pub use warning::{Subject, Warning, WarningCode};
