//! Numbers of Gradyn: scalars, jets, patterns, factorisations.

pub mod complex;
mod dense;
mod dual;
mod error;
pub mod factor;
mod jet;
mod kkt;
mod lanes;
mod pattern;
mod rank;
mod saddle;
mod scalar;
mod sparse;
mod symmetric;

pub use complex::Complex;
pub use dense::{DenseLdl, DenseLu};
pub use dual::{Dual, Wide};
pub use error::{FactorError, Singular};
pub use factor::Factor;
pub use jet::Jet;
pub use kkt::Kkt;
pub use pattern::Pattern;
pub use rank::{
    Basis, Dependencies, Dependent, Independence, free_columns, nothing, row_dependencies, unit_rows,
    unpivoted_columns,
};
pub use saddle::Saddle;
pub use scalar::{ProgramScalar, Scalar, largest};
pub use sparse::{Pivots, SparseLu, pivot_choices};
pub use symmetric::Spectrum;
