//! Objects of JSON as dictionaries, lists and numbers of Python, every number exact.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// A value of JSON as an object of Python.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => py.None().into_bound_py_any(py),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(i), _) => i.into_bound_py_any(py),
            (None, x) => x.into_bound_py_any(py),
        },
        Value::String(s) => s.into_bound_py_any(py),
        Value::Array(list) => {
            let all: Vec<_> = list.iter().map(|v| object(py, v)).collect::<PyResult<_>>()?;
            PyList::new(py, all)?.into_bound_py_any(py)
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            map.iter().try_for_each(|(k, v)| dict.set_item(k, object(py, v)?))?;
            dict.into_bound_py_any(py)
        }
    }
}

/// `{name: value}`.
pub(crate) fn named(names: &[String], values: &[f64]) -> Value {
    Value::Object(names.iter().zip(values).map(|(n, x)| (n.clone(), (*x).into())).collect())
}
