//! Sensitivities of Gradyn: discrete direct and adjoint, program derivatives, differences; written once
//! against records of any step.

pub mod check;
pub mod continuous;
pub mod differences;
pub mod discrete;
pub mod objective;
pub mod program;

pub use check::{Kernel, Mismatch, check_kernel, check_system};
pub use discrete::adjoint::{Adjoint, Contributions, weighted_outputs};
pub use discrete::direct::{Direct, along, direct};
pub use discrete::transposes::{Sample, Share, shares};
pub use objective::{Case, Design, Gradient, values};
#[doc(hidden)]
pub use objective::{Records, Wrap};
pub use program::{Confirm, Corrections, automatic, complex_step};
