//! Gradients of runs: values, contributions, certificates.

use crate::errors::warnings;
use crate::json::object;
use crate::numbers::array;
use crate::work::work;
use gradyn::{GradientReport, StudyRun};
use pyo3::prelude::*;
use std::sync::Arc;

/// A gradient of a run.
#[pyclass(frozen, module = "gradyn._core")]
pub(crate) struct CoreGradient {
    pub run: Arc<StudyRun>,
    pub report: Arc<GradientReport>,
}

impl CoreGradient {
    /// Rows of equal length as a matrix; `width` is that length, also where there is no row.
    fn matrix<'py>(py: Python<'py>, rows: &[Vec<f64>], width: usize) -> PyResult<Bound<'py, PyAny>> {
        array(py, rows.concat(), &[rows.len(), width])
    }
    /// Number of parameters.
    fn width(&self) -> usize {
        self.run.model.prepared.parameters().len()
    }
}

#[pymethods]
impl CoreGradient {
    /// One row for each objective, one column for each parameter.
    fn jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Self::matrix(py, &self.report.rows, self.width())
    }
    /// Error bars of extrapolated differences.
    fn bars<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report.bars.as_ref().map(|bars| Self::matrix(py, bars, self.width())).transpose()
    }
    /// The method that computed it, and its time [s].
    fn method(&self) -> (&'static str, f64) {
        (self.report.sensitivity.name(), self.report.seconds)
    }
    /// (code, text, element) of things to know about this gradient.
    fn warnings(&self) -> Vec<(&'static str, String, Option<String>)> {
        warnings(&self.report.warnings)
    }
    /// Whether the gradient is that of the problem, and what it is known to.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run.clone();
        let report = self.report.clone();
        let prepared = run.model.prepared.clone();
        let certificate = work(py, move |_| prepared.certify(&run.run, &report))?;
        let model = &self.run.model;
        object(py, &certificate.object(&model.prepared, |r| model.places(r)))
    }
    /// Contributions of the records, dψ/d(initial state), and dψ/d(value) of the initial conditions.
    fn contributions<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 3]> {
        let run = self.run.clone();
        let (_, c) = work(py, move |_| run.model.prepared.contributions(&run.run))?;
        // records × objectives × parameters
        let objectives = self.run.objectives().len();
        let shape = [c.records.len(), objectives, self.width()];
        let records = array(py, c.records.into_iter().flatten().flatten().collect(), &shape)?;

        // (q₀, v₀) of what is known of the start; accelerations and multipliers follow from them
        let state = gradyn::coordinate_names(&self.run.model.prepared).len();
        let initial: Vec<Vec<f64>> = c.initial_state.iter().map(|row| row[..state].to_vec()).collect();
        let conditions = c.conditions.first().map_or(0, Vec::len);
        Ok([records, Self::matrix(py, &initial, state)?, Self::matrix(py, &c.conditions, conditions)?])
    }
}
