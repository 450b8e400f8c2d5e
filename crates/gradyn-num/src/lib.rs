//! Numbers of Gradyn: scalars, jets, patterns, factorisations.

pub mod complex;
pub mod dense;
pub mod dual;
pub mod error;
pub mod factor;
pub mod jet;
pub mod kkt;
pub mod pattern;
pub mod rank;
pub mod saddle;
pub mod scalar;
pub mod sparse;
pub mod symmetric;

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
pub use sparse::SparseLu;
pub use symmetric::Spectrum;
