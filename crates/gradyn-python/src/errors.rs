//! Errors of the library as exceptions of `gradyn.errors`, field by field.
//!
//! The classes are written in Python, so that they pickle and have their documents there; an error is given
//! to its class with what it knows, and no text is read.

mod facts;

use facts::{element, time};
use gradyn::{Error, ErrorKind, StepError, Warning};
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;

/// Module of the exceptions.
const MODULE: &str = "gradyn.errors";

/// An exception of a class of the package, from its message and its fields.
fn exception<'py>(
    py: Python<'py>,
    class: &str,
    message: &str,
    fields: impl FnOnce(&Bound<'py, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || {
        let dict = PyDict::new(py);
        fields(&dict)?;
        py.import(MODULE)?.getattr(class)?.call((message,), Some(&dict))
    };
    made().map_or_else(|e| e, PyErr::from_value)
}

/// An error of the library; `steps` were done when a run failed.
pub(crate) fn raised(py: Python, e: &Error, steps: Option<usize>) -> PyErr {
    let class = match &e.kind {
        ErrorKind::Model => "ModelError",
        ErrorKind::Method => "MethodError",
        ErrorKind::Argument => "ArgumentError",
        ErrorKind::Cancelled { .. } => "TimeLimitError",
        _ => "SimulationError",
    };
    exception(py, class, &e.message, |fields| {
        // what to try, and the element that it is about
        fields.set_item("help", &e.help)?;
        fields.set_item("subject", e.subject.as_ref().map(|s| s.name.clone()))?;

        // where in the file
        if let Some(place) = e.place.as_ref().filter(|p| p.line > 0) {
            fields.set_item("file", &place.file)?;
            fields.set_item("line", place.line)?;
            fields.set_item("column", place.column)?;
            fields.set_item("marked", place.marked())?;
            fields.set_item("drawn", place.drawn())?;
        }

        // where in the run
        match &e.kind {
            ErrorKind::Step(step) => run_fields(fields, step, steps),
            ErrorKind::Cancelled { t, steps } => {
                fields.set_item("t", t)?;
                fields.set_item("step", steps)
            }
            _ => Ok(()),
        }
    })
}

/// Time, step and element of a failed run.
fn run_fields(fields: &Bound<PyDict>, e: &StepError, steps: Option<usize>) -> PyResult<()> {
    fields.set_item("t", time(e))?;
    fields.set_item("step", steps)?;
    fields.set_item("element", element(e))
}

/// A signal came: `Interrupted`, which is a `KeyboardInterrupt`.
pub(crate) fn interrupted(py: Python, cause: &PyErr) -> PyErr {
    let e = exception(py, "Interrupted", "interrupted", |_| Ok(()));
    e.set_cause(py, Some(cause.clone_ref(py)));
    e
}

/// A design of a study that has no numbers.
pub(crate) fn failed(py: Python, reason: &str) -> PyErr {
    exception(py, "SimulationError", reason, |_| Ok(()))
}

/// A mistake of Gradyn itself, which should be reported.
pub(crate) fn internal(message: &str) -> PyErr {
    Python::try_attach(|py| exception(py, "InternalError", message, |_| Ok(())))
        .unwrap_or_else(|| PyRuntimeError::new_err(message.to_owned()))
}

/// What an argument of a call is not.
pub(crate) fn argument(py: Python, message: &str, help: &str) -> PyErr {
    raised(py, &Error::argument(message, help), None)
}

/// What a panic says.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or("a panic".into())
}

/// (code, text, element) of warnings.
pub(crate) fn warnings<'a>(
    list: impl IntoIterator<Item = &'a Warning>,
) -> Vec<(&'static str, String, Option<String>)> {
    let one = |w: &Warning| (w.code.name(), w.text.clone(), w.subject.as_ref().map(|s| s.name.clone()));
    list.into_iter().map(one).collect()
}
