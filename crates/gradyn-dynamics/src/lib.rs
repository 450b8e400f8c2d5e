//! Formulations, integrators and trajectories of Gradyn.
//!
//! A [`formulation::Lagrange`] is F(t, q, v, a, λ; p) = 0 and its partials; a `Stepper` is R(x_n,
//! x_{n-1}, h; p) = 0 with R_x⁻¹, R_x⁻ᵀ and the other products; [`simulate`] runs a step over a
//! [`Plan`].

pub mod assembly;
pub mod block;
pub mod control;
mod crossing;
pub mod equilibrium;
pub mod error;
mod event;
pub mod formulation;
pub mod initial;
mod integrand;
pub mod interpolation;
mod kkt;
pub mod motion;
mod moving;
mod parts;
mod plan;
pub mod projection;
mod record;
mod row_chooser;
pub mod simulate;
mod start;
pub mod step;
mod store;
pub mod tableau;
mod trajectory;
mod trial;
mod turns;
mod within;

pub use block::Integrated;
pub use error::{EventError, StepError};
pub use formulation::{Compliance, Lagrange};
pub use plan::{Changes, ClockRow, Frozen, Plan, Statistics};
pub use row_chooser::rows_along;
pub use simulate::simulate;
pub use step::adams::Adams;
pub use step::newmark::{Newmark, Scheme};
pub use step::rosenbrock::Rosenbrock;
pub use step::runge_kutta::RungeKutta;
pub use step::{Chain, Layout, Products, Residual, Span, StepArgs, StepKind, StepRecipe};
pub use store::Budget;
pub use trajectory::{Link, Numbers, Trajectory};
