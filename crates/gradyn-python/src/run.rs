//! Runs: values of objectives, tables, statistics.

use crate::core::Core;
use crate::errors::{argument, warnings};
use crate::gradient::CoreGradient;
use crate::json::object;
use crate::numbers::{array, vector};
use crate::work::work;
use gradyn::{Happened, StudyRun, coordinate_names};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// A run with its records.
#[pyclass(frozen, module = "gradyn._core")]
pub(crate) struct CoreRun {
    pub run: Arc<StudyRun>,
}

#[pymethods]
impl Core {
    /// Runs at some parameters, or at those of the file; `times` are samples for outputs.
    #[pyo3(signature = (x, times))]
    fn run(&self, py: Python, x: Option<Vec<f64>>, times: Option<Vec<f64>>) -> PyResult<CoreRun> {
        let study = self.study.clone();
        let run = work(py, move |stop| {
            let mut model = Self::at(&study, x.as_deref())?;
            if let Some(times) = &times {
                model = model.sampled(times)?;
            }
            model.run_with(|p| stop.observe(p))
        })?;
        Ok(CoreRun { run: Arc::new(run) })
    }
}

#[pymethods]
impl CoreRun {
    /// Values of the objectives.
    fn objectives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        vector(py, self.run.objectives().to_vec())
    }
    /// Values of the parameters.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        vector(py, self.run.model.prepared.rho().to_vec())
    }
    /// (code, text, element) of what there is to know about the model and the run.
    fn warnings(&self) -> Vec<(&'static str, String, Option<String>)> {
        let model = &self.run.model.prepared.model.warnings;
        warnings(model.iter().chain(self.run.warnings()))
    }
    /// Names of the columns, and the table: one row for each column, so that a column is contiguous.
    #[pyo3(signature = (step))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        step: Option<f64>,
    ) -> PyResult<(Vec<String>, Bound<'py, PyAny>, Vec<(&'static str, String, Option<String>)>)> {
        let run = self.run.clone();
        let (columns, values, rows, wrong) = work(py, move |_| {
            let table = run.model.prepared.table(&run.run, step)?;
            let wrong = warnings(&gradyn::report::not_finite(&table.columns, &table.rows));
            let width = table.columns.len();
            let values: Vec<f64> = (0..width).flat_map(|k| table.rows.iter().map(move |r| r[k])).collect();
            Ok((table.columns, values, table.rows.len(), wrong))
        })?;
        let shape = [columns.len(), rows];
        Ok((columns, array(py, values, &shape)?, wrong))
    }
    /// Counts, times and what happened.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &statistics(&self.run))
    }
    /// Names of the initial state.
    fn coordinates(&self) -> Vec<String> {
        coordinate_names(&self.run.model.prepared)
    }
    /// The gradient, with no certificate yet.
    fn gradient(&self, py: Python) -> PyResult<CoreGradient> {
        let run = self.run.clone();
        let report = work(py, move |_| run.gradient_report())?;
        Ok(CoreGradient { run: self.run.clone(), report: Arc::new(report) })
    }
    /// d(column)/dρ at every node: one row for each node and column.
    fn output_sensitivities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run.clone();
        let all = work(py, move |_| run.model.prepared.output_sensitivities(&run.run))?;
        let columns = self.run.model.prepared.model.columns.len();
        let width = self.run.model.prepared.parameters().len();
        let shape = [all.len(), columns, width];
        array(py, all.into_iter().flatten().flatten().collect(), &shape)
    }
    /// Outputs at the samples: their times, and one row for each of them.
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let run = self.run.clone();
        let y = work(py, move |_| run.outputs())?;
        let shape = [y.times().len(), y.columns().len()];
        Ok((vector(py, y.times().to_vec())?, array(py, y.values().to_vec(), &shape)?))
    }
    /// wᵀ ∂y/∂ρ.
    fn vjp<'py>(&self, py: Python<'py>, weights: Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run.clone();
        vector(py, work(py, move |_| run.vjp(&weights))?)
    }
    /// ∂y/∂ρ · d.
    fn jvp<'py>(&self, py: Python<'py>, direction: Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        if direction.len() != self.run.model.prepared.parameters().len() {
            let help = "give one number for each parameter";
            return Err(argument(py, &format!("a direction of {} numbers", direction.len()), help));
        }
        let run = self.run.clone();
        vector(py, work(py, move |_| run.jvp(&direction))?)
    }
}

/// What the command prints of a run as `statistics`, but for the memory of the process.
fn statistics(run: &StudyRun) -> Value {
    let r = &run.run;
    let s = &r.trajectory.statistics;
    let happened = run.model.prepared.happened(r);
    let event = |e: &Happened| json!({"name": e.event, "t": e.t});
    json!({
        "steps": s.steps, "rejected": s.rejected, "newton_iterations": s.iterations,
        "factorizations": s.factorizations, "forward_s": r.seconds, "max_phi": r.drift[0],
        "max_dphi": r.drift[1], "energy_start": r.energy.0, "energy_deviation": r.energy.1,
        "method": crate::describe::chosen(&r.method), "events": happened.iter().map(event).collect::<Vec<_>>(),
        "t_end": r.trajectory.plan.t.last(),
    })
}
