//! Values and gradients for optimisers, batches and other machines: no records are kept.

use crate::core::Core;
use crate::errors::{argument, raised};
use crate::numbers::{array, vector};
use crate::pools::pool;
use crate::work::{Stop, paced, work};
use gradyn::{Error, Study, Tally};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

/// A design: objectives, their derivatives row by row, and kinds of warnings with their counts.
struct Design {
    psi: Vec<f64>,
    rows: Vec<f64>,
    warnings: String,
}

/// Run and gradient at some parameters.
fn design(study: &Study, x: &[f64], gradient: bool, stop: &Stop) -> Result<Design, Error> {
    let model = study.at_on_branch(x)?;
    let run = model.run_with(|p| stop.observe(p))?;
    let report = gradient.then(|| run.gradient_report()).transpose()?;
    let notes = report.iter().flat_map(|r| &r.warnings);
    let warnings = Tally::of(model.prepared.model.warnings.iter().chain(run.warnings()).chain(notes));
    let rows = report.iter().flat_map(|r| r.rows.concat()).collect();
    Ok(Design { psi: run.objectives().to_vec(), rows, warnings: warnings.to_string() })
}

/// Objectives, Jacobians, kinds of warnings and errors of some designs.
type Batch<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<String>, Vec<Option<Py<PyAny>>>);

#[pymethods]
impl Core {
    /// Objectives at some parameters, and their derivatives where they are asked for.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        x: Vec<f64>,
        gradient: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, String)> {
        let study = self.study.clone();
        let width = x.len();
        let job = move |stop: &Stop| design(&study, &x, gradient, stop);
        let Design { psi, rows, warnings } = paced(py, &self.pace, job)?;
        let shape = [psi.len(), width];
        let rows = gradient.then(|| array(py, rows, &shape)).transpose()?;
        Ok((vector(py, psi)?, rows, warnings))
    }
    /// The same for each row of parameters, on some threads: numbers are NaN where a design failed, and the
    /// texts are the kinds of warnings and the error of each.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        gradient: bool,
        threads: usize,
    ) -> PyResult<Batch<'py>> {
        // sizes, and the designs
        let prepared = self.prepared(py)?;
        let objectives = prepared.objectives().len();
        let parameters = prepared.parameters().len();
        let width = x.shape()[1];
        if width != parameters {
            let message = format!("rows of {width} numbers for {parameters} parameters");
            return Err(argument(py, &message, "give one number for each parameter in every row"));
        }
        let designs: Vec<Vec<f64>> = x.as_array().outer_iter().map(|row| row.to_vec()).collect();

        // all of them, in their order
        let study = self.study.clone();
        let pool = pool(py, threads)?;
        let all = work(py, move |stop| {
            let one = |x: &Vec<f64>| match stop.asked() {
                true => Err(Error::argument("interrupted", "")),
                false => design(&study, x, gradient, stop),
            };
            Ok(pool.install(|| designs.par_iter().with_max_len(1).map(one).collect::<Vec<_>>()))
        })?;

        Stacked::new(all, (objectives, if gradient { parameters } else { 0 })).arrays(py, parameters)
    }
}

/// What a batch gives: numbers that are NaN where a design failed, kinds of warnings, errors.
struct Stacked {
    psi: Vec<f64>,
    rows: Vec<f64>,
    warnings: Vec<String>,
    errors: Vec<Option<Error>>,
    /// Numbers of designs and of objectives.
    sizes: [usize; 2],
}

impl Stacked {
    /// All designs, one after the other; `width` is that of the rows of gradients, 0 where there are none.
    fn new(all: Vec<Result<Design, Error>>, (objectives, width): (usize, usize)) -> Self {
        let size = objectives * width;
        let mut psi = vec![f64::NAN; all.len() * objectives];
        let mut rows = vec![f64::NAN; all.len() * size];
        let sizes = [all.len(), objectives];
        let mut warnings = vec![];
        let mut errors = vec![];
        for (k, found) in all.into_iter().enumerate() {
            let failed = found.map(|d| {
                psi[k * objectives..(k + 1) * objectives].copy_from_slice(&d.psi);
                rows[k * size..(k + 1) * size].copy_from_slice(&d.rows);
                warnings.push(d.warnings);
            });
            errors.push(failed.err());
            warnings.resize(k + 1, String::new());
        }
        Self { psi, rows, warnings, errors, sizes }
    }
    /// As Python has it.
    fn arrays<'py>(self, py: Python<'py>, parameters: usize) -> PyResult<Batch<'py>> {
        let [count, objectives] = self.sizes;
        let shape = [if self.rows.is_empty() { 0 } else { count }, objectives, parameters];
        let psi = array(py, self.psi, &[count, objectives])?;
        let rows = array(py, self.rows, &shape)?;
        let error = |e: Error| raised(py, &e, None).into_value(py).into_any();
        let errors = self.errors.into_iter().map(|e| e.map(error)).collect();
        Ok((psi, rows, self.warnings, errors))
    }
}
