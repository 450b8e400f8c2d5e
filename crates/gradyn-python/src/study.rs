//! What a model file optimises or fits: the problem, and its numbers at a design.

use crate::core::Core;
use crate::errors::{argument, failed};
use crate::json::object;
use crate::numbers::{array, vector};
use crate::pools::pool;
use crate::work::work;
use gradyn::optimize::{Optimization, Optimizer, Starts, Variable};
use gradyn::{Error, Study};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use serde_json::{Value, json};
use std::sync::Arc;

/// A study, ready to run on some threads.
#[pyclass(frozen, module = "gradyn._core")]
pub(crate) struct CoreStudy {
    pub study: Arc<Study>,
    pub optimization: Arc<Optimization>,
    pub pool: Arc<ThreadPool>,
}

#[pymethods]
impl Core {
    /// The study of the file; names, counts and limits that are given stand for those of the file.
    #[pyo3(signature = (optimizer, starts, seed, max_evaluations, threads))]
    fn study(
        &self,
        py: Python,
        optimizer: Option<String>,
        starts: Option<usize>,
        seed: Option<u64>,
        max_evaluations: Option<usize>,
        threads: usize,
    ) -> PyResult<CoreStudy> {
        let pool = pool(py, threads)?;
        let study = self.study.clone();
        let optimizer = optimizer.map(|name| Optimizer::parse(&name)).transpose();
        let optimizer = optimizer.map_err(|e| argument(py, &format!("optimizer: {e}"), ""))?;
        let own = study.clone();
        let optimization = work(py, move |_| {
            let mut new = prepared(&own, optimizer, (starts, seed))?;
            new.settings.max_evaluations = max_evaluations.unwrap_or(new.settings.max_evaluations);
            Ok(new)
        })?;
        Ok(CoreStudy { study, optimization: Arc::new(optimization), pool })
    }
}

/// The study of a file with other starts.
fn prepared(
    study: &Study,
    optimizer: Option<Optimizer>,
    (starts, seed): (Option<usize>, Option<u64>),
) -> Result<Optimization, Error> {
    let mut file = study.file().clone();
    if let Some(o) = &mut file.study.optimize {
        let sampling = gradyn::optimize::Sampling::Sobol;
        let known = o.starts.or(starts.map(|count| Starts { count, seed: 0, sampling }));
        o.starts = known.map(|s| Starts {
            count: starts.unwrap_or(s.count),
            seed: seed.unwrap_or(s.seed),
            sampling: s.sampling,
        });
    }
    let method = study.chosen_method()?;
    let sensitivity = study.chosen_sensitivity()?.0;
    let new = Optimization::new(&file, study.prepared()?, method, sensitivity, optimizer);
    new.map_err(|e| study.locate(e))
}

/// A variable of the problem.
fn variable(v: &Variable) -> Value {
    // JSON has no infinities
    let bound = |x: f64| Some(x).filter(|x| x.is_finite());
    json!({"name": v.name, "lower": bound(v.lower), "upper": bound(v.upper), "scale": v.scale})
}

#[pymethods]
impl CoreStudy {
    /// Variables, constraints, optimiser and start.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let o = &self.optimization;
        let problem = &o.problem;
        let variables: Vec<Value> = problem.variables().iter().map(variable).collect();
        let constraint = |c: &gradyn::optimize::Constraint| {
            let equal = matches!(c.kind, gradyn::optimize::ConstraintKind::Equality);
            json!({"name": c.name, "equality": equal, "scale": c.scale})
        };
        object(
            py,
            &json!({
                "variables": variables, "start": o.start(), "optimizer": o.optimizer.name(),
                "constraints": problem.constraints().iter().map(constraint).collect::<Vec<_>>(),
                "scenarios": o.scenarios.iter().map(|s| &s.name).collect::<Vec<_>>(),
                "residuals": o.fit.as_ref().map(|f| f.count()),
                "columns": o.fit.as_ref().map(|f| f.columns.clone()),
                "times": o.fit.as_ref().map(|f| f.record.times.clone()),
            }),
        )
    }
    /// The numbers of a design: value, gradient, constraints with theirs, residuals with theirs.
    fn evaluate<'py>(&self, py: Python<'py>, x: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        // sizes are those of the problem
        let n = self.optimization.problem.n();
        if x.len() != n {
            let message = format!("{} numbers for {n} parameters that vary", x.len());
            return Err(argument(py, &message, "give one for each"));
        }
        let optimization = self.optimization.clone();
        let pool = self.pool.clone();
        let found = work(py, move |_| Ok(pool.install(|| optimization.evaluate(&x))))?;
        let e = found.map_err(|e| failed(py, &e.reason))?;

        // arrays of them
        let dict = PyDict::new(py);
        dict.set_item("value", e.value)?;
        dict.set_item("gradient", vector(py, e.gradient)?)?;
        let rows = e.constraints.len();
        dict.set_item("constraints", vector(py, e.constraints)?)?;
        dict.set_item("jacobian", array(py, e.jacobian, &[rows, n])?)?;
        if let Some(r) = e.residuals {
            let rows = r.values.len();
            dict.set_item("residuals", vector(py, r.values)?)?;
            dict.set_item("slopes", array(py, r.jacobian, &[rows, n])?)?;
        }
        Ok(dict)
    }
    /// Why the start fails, as an error.
    fn try_start(&self, py: Python) -> PyResult<()> {
        let optimization = self.optimization.clone();
        let study = self.study.clone();
        let pool = self.pool.clone();
        work(py, move |_| pool.install(|| optimization.try_start()).map_err(|e| study.locate(e)))
    }
}
