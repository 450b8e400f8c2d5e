//! Gradyn as a module of Python, `gradyn._core`: what the typed package `gradyn` is made of.
//!
//! ```text
//! Core ─ changed ─▶ Core ─ run ─▶ CoreRun ─ gradient ─▶ CoreGradient
//!   │ evaluate, batch, equilibrium, verify
//!   └ study ─▶ CoreStudy ─ evaluate, run
//! ```
//! Nothing here is mathematics: numbers are those of the facade, every bit. The interpreter is released while
//! they are computed, signals are asked for meanwhile (`work`), and a panic is an exception.

mod core;
mod describe;
mod errors;
mod evaluate;
mod gradient;
mod json;
mod lists;
mod numbers;
mod optimize;
mod pools;
mod run;
mod statics;
mod study;
mod verify;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::core::Core;
    #[pymodule_export]
    use crate::gradient::CoreGradient;
    #[pymodule_export]
    use crate::lists::{example, listed, schema};
    #[pymodule_export]
    use crate::run::CoreRun;
    #[pymodule_export]
    use crate::study::CoreStudy;
    #[pymodule_export]
    use crate::work::provoke_panic;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
