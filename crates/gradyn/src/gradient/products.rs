//! Outputs at samples, and products with their derivatives over the parameters.
//!
//! ```text
//! y = outputs of the records at the samples, sample by sample
//! vjp(w) = (∂y/∂ρ)ᵀ w          one backward sweep, seeded at the samples                                 (1)
//! jvp(d) = ∂y/∂ρ d             one forward sweep, along one direction                                    (2)
//! ```
//! Samples are times at which steps end without a break. One that is a declared time moves with it, and ∂y/∂ρ
//! has ∂y/∂t t' there. Where a condition gives the final time, samples must be before it.

use crate::diagnose::{check_redundant_outputs, check_redundant_parameters};
use crate::error::Error;
use crate::prepared::{Prepared, Run};
use crate::report::OutputDerivatives;
use gradyn_sensitivity::{along, weighted_outputs};

/// Outputs at samples: a matrix of samples × columns, flat and by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    times: Vec<f64>,
    columns: Vec<String>,
    values: Vec<f64>,
}

impl Outputs {
    /// Times of the samples [s].
    pub fn times(&self) -> &[f64] {
        &self.times
    }
    /// Names of the columns, one for each output of the model.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
    /// All values, sample by sample, in the units of the columns.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Values of sample `i`, in the units of the columns.
    pub fn row(&self, i: usize) -> &[f64] {
        let count = self.columns.len();
        &self.values[i * count..(i + 1) * count]
    }
}

impl Prepared {
    /// The model with times [s] at which steps end and outputs are asked for, in any order. One that is
    /// outside the run is an error.
    pub fn sampled(&self, times: &[f64]) -> Result<Self, Error> {
        let new = Self { samples: times.to_vec(), ..self.clone() };
        new.mesh()?;
        Ok(new)
    }
    /// Outputs at the samples of a run.
    pub fn outputs(&self, run: &Run) -> Result<Outputs, Error> {
        let records = self.sample_records(run)?;
        let table = self.table(run, None)?;
        Ok(Outputs {
            times: self.samples.clone(),
            columns: self.model.columns.clone(),
            values: records.iter().flat_map(|&n| table.rows[n][1..].iter().copied()).collect(),
        })
    }
    /// (1): `weights` w has an entry for each of the outputs at the samples, in their order.
    pub fn vjp(&self, run: &Run, weights: &[f64]) -> Result<Vec<f64>, Error> {
        let records = self.sample_records(run)?;
        let [samples, columns] = [records.len(), self.model.columns.len()];
        if weights.len() != samples * columns {
            let message =
                format!("{} weights for {samples} samples of {columns} output columns", weights.len());
            let help = "give one weight for each value of `outputs`, in its order";
            return Err(Error::argument(message, help));
        }
        self.check_products(run)?;
        let recipe = run.method.build(&self.model);
        let mut gradient = weighted_outputs(&self.case(&recipe, run), &records, weights)?;
        // no sample moves with a final time that a condition gives
        gradient.truncate(self.parameters().len());
        Ok(gradient)
    }
    /// (2): `direction` d has an entry for each parameter.
    pub fn jvp(&self, run: &Run, direction: &[f64]) -> Result<Vec<f64>, Error> {
        self.check_count(direction)?;
        let records = self.sample_records(run)?;
        self.check_products(run)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        // p' along d, where a final time that a condition gives is held
        let mut rho = direction.to_vec();
        rho.resize(run.rho.len(), 0.0);
        let slots = case.slots_along(&rho);
        let directions = [slots.iter().map(|p| p.eps[0]).collect()];
        let mut derivatives = OutputDerivatives::along(slots);
        // y' at the records of the samples, which come in the order of time
        let columns = self.model.columns.len();
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|&i| records[i]);
        let mut left = order.iter().peekable();
        let mut values = vec![0.0; records.len() * columns];
        along(&case, &directions, |n, s| {
            while let Some(&i) = left.next_if(|&&i| records[i] == n) {
                let to = &mut values[i * columns..(i + 1) * columns];
                to.iter_mut().zip(derivatives.rows(&case, n, s)).for_each(|(to, row)| *to = row[0]);
            }
        })?;
        Ok(values)
    }
    /// Sensitivities of outputs need parameters that are read, and outputs that the model determines.
    fn check_products(&self, run: &Run) -> Result<(), Error> {
        self.check_used()?;
        self.check_run(run)?;
        check_redundant_parameters(self, run)?;
        check_redundant_outputs(self, run)
    }
    /// Records of the samples, in their order.
    fn sample_records(&self, run: &Run) -> Result<Vec<usize>, Error> {
        self.check_own(run)?;
        if self.samples.is_empty() {
            return Err(Error::argument("the model has no samples", "ask for some times with `sampled`"));
        }
        let mesh = self.mesh()?;
        let t = &run.trajectory.plan.t;
        let end = t[t.len() - 1];
        // the last record is no sample where a condition moves it
        let fixed = if self.model.until { &t[..t.len() - 1] } else { t };
        let record = |&sample: &f64| {
            mesh.sample_record(sample, fixed).ok_or_else(|| {
                let message =
                    format!("the run, which ended at t = {end} s, has no record of sample t = {sample} s");
                let help = "give samples before the end, and run the model that has them";
                Error::argument(message, help)
            })
        };
        self.samples.iter().map(record).collect()
    }
}
