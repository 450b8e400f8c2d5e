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
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<String>, Vec<Option<Py<PyAny>>>)> {
        // sizes, and the designs
        let prepared = self.prepared(py)?;
        let objectives = prepared.objectives().len();
        let parameters = prepared.parameters().len();
        let (count, width) = (x.shape()[0], x.shape()[1]);
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

        // arrays, with NaN for those that failed
        let mut psi = vec![f64::NAN; count * objectives];
        let mut rows = vec![f64::NAN; if gradient { count * objectives * parameters } else { 0 }];
        let mut warnings = vec![];
        let mut errors = vec![];
        let size = rows.len() / count.max(1);
        for (k, found) in all.into_iter().enumerate() {
            match found {
                Ok(d) => {
                    psi[k * objectives..(k + 1) * objectives].copy_from_slice(&d.psi);
                    rows[k * size..(k + 1) * size].copy_from_slice(&d.rows);
                    warnings.push(d.warnings);
                    errors.push(None);
                }
                Err(e) => {
                    warnings.push(String::new());
                    errors.push(Some(raised(py, &e, None).into_value(py).into_any()));
                }
            }
        }
        let shape = if gradient { [count, objectives, parameters] } else { [0, objectives, parameters] };
        Ok((array(py, psi, &[count, objectives])?, array(py, rows, &shape)?, warnings, errors))
    }
}
