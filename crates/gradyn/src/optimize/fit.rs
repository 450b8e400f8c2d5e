//! Least squares from a record.
//!
//! ```text
//! r_kj = (y_j(t_k; ρ) - ŷ_kj)/s_j,   f = ½ rᵀr                                                    (1)
//! ```
//! with the outputs y, the measured values ŷ and their scales s. The times of the record are breaks of the
//! run, so that every t_k is a node and nothing is interpolated; ∂r/∂ρ is the discrete direct derivative of
//! the steps, exact to rounding.

use super::record::Record;
use crate::error::Error;
use crate::file;
use crate::prepared::{Prepared, Run};
use gradyn_dynamics::StepError;
use gradyn_model::ModelError;
use gradyn_model::mechanism::{Mechanism, Number, Source};
use gradyn_optimize::Residuals;
use std::ops::Range;
use std::path::Path;

/// What outputs are compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Names and scales of the columns.
    pub columns: Vec<(String, f64)>,
    /// The measured values.
    pub record: Record,
    place: Option<Range<usize>>,
}

impl Fit {
    /// Of a study; the model gets the fitted columns as its outputs, and the times as breaks.
    pub(super) fn new(
        fit: &file::Fit,
        (folder, anywhere): (&Path, bool),
        m: &mut Mechanism,
    ) -> Result<Self, ModelError> {
        let record = Record::new(fit, folder, anywhere)?;
        let output = |(name, _): &(gradyn_model::mechanism::Text, f64)| {
            let own = Number {
                source: Source::Expression(name.text.clone()),
                place: name.place.clone(),
                exact: true,
            };
            let known = m.outputs.iter().find(|o| o.0.text == name.text).map(|o| o.1.clone());
            (name.clone(), known.unwrap_or(own))
        };
        m.outputs = fit.columns.iter().map(output).collect();
        m.breaks.extend(record.times.iter().map(|t| Number::from(*t)));
        let columns = fit.columns.iter().map(|(name, scale)| (name.text.clone(), *scale)).collect();
        Ok(Self { columns, record, place: fit.place.clone() })
    }
    /// Where the file says what is fitted [bytes].
    pub(crate) fn place(&self) -> &Option<Range<usize>> {
        &self.place
    }
    /// Number of residuals.
    pub fn count(&self) -> usize {
        self.record.times.len() * self.columns.len()
    }
    /// Refuses a record with times outside of the run, or with fewer numbers than parameters.
    pub(super) fn check(&self, model: &Prepared) -> Result<(), Error> {
        // times within the run
        let mesh = model.mesh()?;
        let n = model.parameters().len();
        let start = mesh.start.0;
        let end = mesh.end();
        let tiny = 1e-12 * (end - start);
        if let Some(t) = self.record.times.iter().find(|t| **t < start - tiny || **t > end + tiny) {
            let message = format!(
                "study, optimize, fit: t = {t} s is outside of the run, which is from {start} s to {end} s"
            );
            return Err(ModelError::new(message)
                .at(&self.place)
                .help("look at t_end of [study], or leave it out")
                .into());
        }
        // as many values as parameters
        if self.count() < n {
            let message = format!(
                "study, optimize, fit: {} measured values for {n} parameters are too few",
                self.count()
            );
            return Err(ModelError::new(message)
                .at(&self.place)
                .help("measure more, or let fewer parameters vary")
                .into());
        }
        Ok(())
    }
    /// The nodes of a run at the times of the record.
    fn nodes(&self, run: &Run) -> Result<Vec<usize>, Error> {
        let t = &run.trajectory.plan.t;
        let start = t[0];
        let end = t[t.len() - 1];
        let node = |time: &f64| {
            let after = t.partition_point(|t| t < time).min(t.len() - 1);
            let near = [after.saturating_sub(1), after]
                .into_iter()
                .find(|n| (t[*n] - time).abs() <= 1e-9 * (end - start));
            near.ok_or_else(|| {
                ModelError::new(format!("the run ends at {end} s, before t = {time} s of the record")).into()
            })
        };
        self.record.times.iter().map(node).collect()
    }
    /// r of (1), by rows.
    pub(crate) fn values(&self, model: &Prepared, run: &Run) -> Result<Vec<f64>, Error> {
        let nodes = self.nodes(run)?;
        let rows = model.rows_at(run, nodes.iter().copied());
        run.trajectory.check_made()?;
        let mut values = vec![];
        for ((node, row), measured) in nodes.iter().zip(&rows).zip(&self.record.values) {
            for (((name, scale), y), measured) in self.columns.iter().zip(&row[1..]).zip(measured) {
                check_finite(name, run.trajectory.plan.t[*node], &[*y])?;
                values.push((y - measured) / scale);
            }
        }
        Ok(values)
    }
    /// r and ∂r/∂ρ (1), by rows.
    pub(crate) fn residuals(&self, model: &Prepared, run: &Run) -> Result<Residuals, Error> {
        let nodes = self.nodes(run)?;
        let values = self.values(model, run)?;
        let slopes = model.output_sensitivities_at(run, &nodes)?;
        let mut jacobian = vec![];
        for (node, y_rho) in nodes.iter().zip(&slopes) {
            for ((name, scale), row) in self.columns.iter().zip(y_rho) {
                check_finite(name, run.trajectory.plan.t[*node], row)?;
                jacobian.extend(row.iter().map(|y| y / scale));
            }
        }
        Ok(Residuals { values, jacobian })
    }
    /// Records at the times of the residuals, and the scale of each residual of one of them.
    pub(crate) fn samples(&self, run: &Run) -> Result<(Vec<usize>, Vec<f64>), Error> {
        Ok((self.nodes(run)?, self.columns.iter().map(|c| c.1).collect()))
    }
}

/// Refuses a column, or its derivatives, that are not finite at a time [s].
fn check_finite(column: &str, t: f64, numbers: &[f64]) -> Result<(), Error> {
    if numbers.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    let equation = format!("column {column}, or its derivative");
    Err(StepError::NotFinite { t, equation }.into())
}
