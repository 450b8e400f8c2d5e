//! Outputs at samples, and products with their derivatives over the parameters.
//!
//! ```text
//! y = outputs of the records at the samples, sample by sample
//! vjp(w) = (∂y/∂ρ)ᵀ w          one backward sweep, seeded at the samples                                 (1)
//! jvp(d) = ∂y/∂ρ d             one forward sweep, along one direction                                    (2)
//! ```
//! Samples are times at which steps end without a break; they stay where parameters move. One at a final time
//! that is a parameter moves with it, because there is nothing behind it, and ∂y/∂ρ has ∂y/∂t t' there. The
//! record at a start or break time that depends on parameters moves with it, so that products at such a
//! sample are refused. Where a condition gives the final time, samples must be before it.

use super::checks::{NO_SLOPE, check_run, check_used, inexact_end, moved_by};
use super::held::check_held;
use crate::diagnose::{check_redundant_outputs, check_redundant_parameters};
use crate::error::Error;
use crate::prepared::{Prepared, Run};
use crate::report::OutputDerivatives;
use gradyn_model::{FunctionalSet, ModelError, Owner};
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
    ///
    /// # Panics
    /// Where there is no such sample.
    pub fn row(&self, i: usize) -> &[f64] {
        let count = self.columns.len();
        &self.values[i * count..(i + 1) * count]
    }
}

impl Prepared {
    /// The model with times [s] at which steps end and outputs are asked for, in any order. One that is
    /// outside the run is an error; products at a start or break time that parameters move are refused.
    pub fn sampled(&self, times: &[f64]) -> Result<Self, Error> {
        let new = Self { samples: times.to_vec(), ..self.clone() };
        new.mesh()?;
        Ok(new)
    }
    /// Outputs at the samples of a run.
    pub fn outputs(&self, run: &Run) -> Result<Outputs, Error> {
        let records = sample_records(self, run)?;
        let rows = self.rows_at(run, records);
        let values: Vec<f64> = rows.iter().flat_map(|row| &row[1..]).copied().collect();
        let columns = self.model.columns.clone();
        if let Some(k) = values.iter().position(|y| !y.is_finite()) {
            let output = &columns[k % columns.len()];
            let t = self.samples[k / columns.len()];
            let e = ModelError::new(format!("output `{output}` is {} at t = {t} s", values[k]));
            let help = "look for a root of a negative number or a quotient by zero in its expression";
            return Err(e.help(help).into());
        }
        Ok(Outputs { times: self.samples.clone(), columns, values })
    }
    /// (1): `weights` w has an entry for each of the outputs at the samples, in their order.
    pub fn vjp(&self, run: &Run, weights: &[f64]) -> Result<Vec<f64>, Error> {
        let records = sample_records(self, run)?;
        let [samples, columns] = [records.len(), self.model.columns.len()];
        if weights.len() != samples * columns {
            let message =
                format!("{} weights for {samples} samples of {columns} output columns", weights.len());
            let help = "give one weight for each value of `outputs`, in its order";
            return Err(Error::argument(message, help));
        }
        check_finite("weights", weights)?;
        self.output_products(run, &records, weights)
    }
    /// (1) of the outputs of some records.
    pub(crate) fn output_products(
        &self,
        run: &Run,
        records: &[usize],
        weights: &[f64],
    ) -> Result<Vec<f64>, Error> {
        check_products(self, run, records, |k| weights[k] != 0.0)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        check_held(self, run, &case)?;
        let mut gradient = weighted_outputs(&case, records, weights)?;
        // no sample moves with a final time that a condition gives
        gradient.truncate(self.parameters().len());
        match self.parameters().iter().zip(&gradient).find(|(_, g)| !g.is_finite()) {
            Some((p, _)) => Err(no_slope(format!("the weighted sum of outputs over `{}`", p.name))),
            None => Ok(gradient),
        }
    }
    /// (2): `direction` d has an entry for each parameter.
    pub fn jvp(&self, run: &Run, direction: &[f64]) -> Result<Vec<f64>, Error> {
        self.check_count(direction)?;
        check_finite("values of a direction", direction)?;
        let records = sample_records(self, run)?;
        check_products(self, run, &records, |_| true)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        check_held(self, run, &case)?;
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
        match values.iter().position(|y| !y.is_finite()) {
            Some(k) => {
                let output = &self.model.columns[k % columns];
                Err(no_slope(format!("output `{output}` at t = {} s", self.samples[k / columns])))
            }
            None => Ok(values),
        }
    }
}

/// Sensitivities of outputs need parameters that are read, outputs that the model determines, and samples
/// that stay where they are; `asked` are the outputs, counted over all samples, whose products are wanted.
fn check_products(
    model: &Prepared,
    run: &Run,
    records: &[usize],
    asked: impl Fn(usize) -> bool,
) -> Result<(), Error> {
    check_used(model)?;
    check_run(model, run)?;
    check_redundant_parameters(model, run)?;
    let columns = model.model.columns.len();
    check_redundant_outputs(model, run, |k| (0..records.len()).any(|i| asked(i * columns + k)))?;
    check_moving(model, run, records)?;
    check_end(model, run, records, asked)
}

/// Refuses samples at a start or break time that depends on parameters: their records move.
fn check_moving(model: &Prepared, run: &Run, records: &[usize]) -> Result<(), Error> {
    let plan = &run.trajectory.plan;
    if let Some(&n) = records.iter().find(|n| plan.edges[**n].is_some()) {
        let message = format!("sample t = {} s is the time of an event, which parameters move", plan.t[n]);
        return Err(Error::argument(message, "give samples before or behind it"));
    }
    for &n in records.iter().filter(|n| **n < plan.steps()) {
        let Some(slot) = plan.declared[n] else { continue };
        if let Some(p) = moved_by(model, run, slot) {
            let what = if n == 0 { "start" } else { "break" };
            let message =
                format!("sample t = {} s is a {what} time that parameter `{}` moves", plan.t[n], p.name);
            let help = format!("give samples before or behind it: at the {what} itself outputs move with it");
            return Err(Error::argument(message, help).about(Owner::Parameter, &p.name));
        }
    }
    Ok(())
}

/// Refuses what `gradient` warns of: accelerations and reactions at a final time that moves, where they
/// follow from positions.
fn check_end(
    model: &Prepared,
    run: &Run,
    records: &[usize],
    asked: impl Fn(usize) -> bool,
) -> Result<(), Error> {
    let columns = &model.model.columns;
    let last = run.trajectory.plan.steps();
    let Some(advice) = inexact_end(model, run).filter(|_| records.contains(&last)) else { return Ok(()) };
    // outputs that read a or λ at the last node
    let sys = &model.model.system;
    let lay = run.trajectory.layout;
    let at = lay.node(run.trajectory.plan.t[last], run.trajectory.last());
    let mut terms = sys.evaluator(&model.model.slots(&run.rho));
    terms.set_branches(&run.trajectory.branches(last));
    terms.at(at.t, at.q);
    let mut row = vec![0.0; lay.z() + sys.support(FunctionalSet::Output).len()];
    let mut reads = |k: usize| {
        row.fill(0.0);
        terms.measure_row(FunctionalSet::Output, k, &at, &mut row);
        row[lay.a()..lay.z()].iter().any(|y| *y != 0.0)
    };
    // the first of them that is asked for
    let samples: Vec<usize> = (0..records.len()).filter(|&i| records[i] == last).collect();
    let wanted = |k: usize| samples.iter().any(|i| asked(i * columns.len() + k));
    let Some(k) = (0..columns.len()).find(|&k| wanted(k) && reads(k)) else { return Ok(()) };
    let m = &run.method;
    let message = format!(
        "the final time depends on parameters, and the derivative of output `{}` there has an error with {} \
         + {} that does not vanish with the step",
        columns[k],
        m.formulation.name(),
        m.integrator.name()
    );
    Err(Error::method(message, format!("{advice}, or give samples before the final time")))
}

/// Records of the samples, in their order.
fn sample_records(model: &Prepared, run: &Run) -> Result<Vec<usize>, Error> {
    model.check_own(run)?;
    if model.samples.is_empty() {
        return Err(Error::argument("the model has no samples", "ask for some times with `sampled`"));
    }
    let mesh = model.mesh()?;
    let t = &run.trajectory.plan.t;
    let end = t[t.len() - 1];
    // the last record is no sample where a condition moves it
    let fixed = if model.model.until { &t[..t.len() - 1] } else { t };
    let record = |&sample: &f64| {
        mesh.sample_record(sample, fixed).ok_or_else(|| {
            let message =
                format!("the run, which ended at t = {end} s, has no record of sample t = {sample} s");
            let help = "give samples before the end, and run the model that has them";
            Error::argument(message, help)
        })
    };
    model.samples.iter().map(record).collect()
}

/// Refuses numbers that are not finite.
fn check_finite(what: &str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(k) => {
            let message = format!("number {} of the {what} is {}", k + 1, values[k]);
            Err(Error::argument(message, "give finite numbers"))
        }
        None => Ok(()),
    }
}

/// The error of a derivative that is not a finite number.
fn no_slope(what: String) -> Error {
    ModelError::new(format!("the derivative of {what} is not a finite number")).help(NO_SLOPE).into()
}
