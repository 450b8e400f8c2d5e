//! Numbers as arrays of NumPy: their memory is handed over without a copy, and nobody writes there.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A read-only array of some shape, row by row.
pub(crate) fn array<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let flat = values.into_pyarray(py);
    frozen(flat.reshape(shape)?.into_any())
}

/// A read-only array of columns, one after the other in memory: `array[k]` is a column.
pub(crate) fn vector(py: Python<'_>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    frozen(PyArray1::from_vec(py, values).into_any())
}

/// The array, which is not written any more.
fn frozen(array: Bound<PyAny>) -> PyResult<Bound<PyAny>> {
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array)
}
