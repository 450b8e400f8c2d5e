//! A model file with what is set of it.

use crate::describe::describe;
use crate::errors::{argument, raised};
use crate::json::object;
use crate::work::{Pace, work};
use gradyn::{Error, Prepared, Stepping, Study, StudyModel};
use pyo3::prelude::*;
use std::sync::Arc;

/// A study, which does not change: `changed` gives another one.
#[pyclass(frozen, module = "gradyn._core")]
pub(crate) struct Core {
    pub study: Arc<Study>,
    /// How long a design takes.
    pub pace: Pace,
}

/// What is set of a study, by name; `None` leaves what the file says.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
struct Settings {
    t_end: Option<String>,
    coordinates: Option<String>,
    formulation: Option<String>,
    integrator: Option<String>,
    sensitivity: Option<String>,
    step: Option<f64>,
    rtol: Option<f64>,
    atol: Option<f64>,
    options: Vec<(String, String)>,
    memory: Option<usize>,
    time_limit: Option<f64>,
}

impl Settings {
    /// Sets them of a study, in the order of the command.
    fn apply(&self, study: &mut Study) -> Result<(), Error> {
        // final time, coordinates and names
        if let Some(t) = &self.t_end {
            study.end_at(t);
        }
        if let Some(name) = &self.coordinates {
            study.coordinates(name)?;
        }
        if let Some(name) = &self.formulation {
            study.formulation(name)?;
        }
        if let Some(name) = &self.integrator {
            study.integrator(name)?;
        }
        if let Some(name) = &self.sensitivity {
            study.sensitivity(name)?;
        }

        // steps: fixed, or from tolerances, of which one stands for both
        if let Some(h) = self.step {
            study.stepping(Stepping::Fixed(h));
        } else if let Some(either) = self.rtol.or(self.atol) {
            let rtol = self.rtol.unwrap_or(either);
            let atol = self.atol.unwrap_or(either);
            study.stepping(Stepping::Adaptive { rtol, atol });
        }

        // options and limits
        for (name, value) in &self.options {
            study.option(name, value)?;
        }
        if let Some(bytes) = self.memory {
            study.memory_limit(bytes);
        }
        if let Some(seconds) = self.time_limit {
            study.time_limit(seconds);
        }
        Ok(())
    }
}

impl Core {
    fn new(study: Study) -> Self {
        Self { study: Arc::new(study), pace: Pace::unknown() }
    }
    /// The model at some parameters, or at those of the file.
    pub(crate) fn at(study: &Study, x: Option<&[f64]>) -> Result<StudyModel, Error> {
        x.map_or_else(|| study.nominal(), |x| study.at_on_branch(x))
    }
    /// The model of the file, where errors have been raised.
    pub(crate) fn prepared(&self, py: Python) -> PyResult<&Prepared> {
        self.study.prepared().map_err(|e| raised(py, &e, None))
    }
}

#[pymethods]
impl Core {
    /// Reads the text of a model file; `record` is that of the file which it refers to, if it is at hand.
    #[staticmethod]
    #[pyo3(signature = (name, text, record, anywhere))]
    fn read(py: Python, name: &str, text: &str, record: Option<&str>, anywhere: bool) -> PyResult<Self> {
        let mut study = Study::from_text(name, text).map_err(|e| raised(py, &e, None))?;
        if anywhere {
            study.allow_path();
        }
        if let Some(text) = record {
            study.attach(text);
        }
        Ok(Self::new(study))
    }
    /// Another study: values of parameters and constants, and how it is run.
    fn changed(&self, py: Python, values: Vec<(String, String)>, settings: Settings) -> PyResult<Self> {
        if settings.step.is_some_and(|h| !(h > 0.0 && h.is_finite())) {
            return Err(argument(py, "step: it is not a positive number", "give seconds, such as 0.001"));
        }
        let base = self.study.clone();
        let study = work(py, move |_| {
            let mut study = Study::clone(&base);
            values.iter().try_for_each(|(name, value)| study.set(name, value).map(|_| ()))?;
            settings.apply(&mut study)?;
            Ok(study)
        })?;
        Ok(Self::new(study))
    }
    /// The study with more columns: names and expressions of sensors.
    fn observed(&self, outputs: Vec<(String, String)>) -> Self {
        let mut study = Study::clone(&self.study);
        for (name, expression) in &outputs {
            study.output(name, expression);
        }
        Self::new(study)
    }
    /// The study with a record: columns with their scales, rows of times and values, parameters that vary.
    #[pyo3(signature = (columns, rows, parameters))]
    fn fitting(
        &self,
        columns: Vec<(String, f64)>,
        rows: Vec<Vec<f64>>,
        parameters: Option<Vec<String>>,
    ) -> Self {
        let mut study = Study::clone(&self.study);
        study.fit(&columns, rows, parameters.as_deref());
        Self::new(study)
    }
    /// The study with weights of objectives that are minimised, and parameters that vary.
    #[pyo3(signature = (weights, parameters))]
    fn minimising(&self, weights: Vec<(String, f64)>, parameters: Option<Vec<String>>) -> Self {
        let mut study = Study::clone(&self.study);
        study.minimise(&weights, parameters.as_deref());
        Self::new(study)
    }
    /// Builds and assembles the model, and looks at its method: everything that can be refused before a run.
    fn prepare(&self, py: Python) -> PyResult<()> {
        let study = self.study.clone();
        work(py, move |_| {
            study.times()?;
            study.chosen_method()?;
            study.chosen_sensitivity().map(|_| ())
        })
    }
    /// Names, parameters, times and method.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let study = self.study.clone();
        object(py, &work(py, move |_| describe(&study))?)
    }
    /// Name and text of the record that the model refers to.
    fn record(&self, py: Python) -> PyResult<Option<(String, String)>> {
        self.study.record().map_err(|e| raised(py, &e, None))
    }
    /// (code, text, element) of what there is to know about the model.
    fn warnings(&self, py: Python) -> PyResult<Vec<(&'static str, String, Option<String>)>> {
        Ok(crate::errors::warnings(&self.prepared(py)?.model.warnings))
    }
}
