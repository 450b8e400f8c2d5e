//! Runs of benchmarks, and what they are compared with.

use super::{Benchmark, Quantity, broken, text};
use crate::error::Error;
use crate::method::Stepping;
use crate::progress::Stopwatch;
use crate::study::{Study, StudyRun};
use gradyn_model::mechanism::{Mechanism, Number};
use rayon::prelude::*;
use std::fmt::Write as _;

/// A number beside its reference.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What it is.
    pub quantity: Quantity,
    /// Number of the reference among those of the benchmark.
    pub source: usize,
    /// The number of the reference.
    pub reference: f64,
    /// Ours.
    pub ours: f64,
    /// The right-hand side of (1) of the suite.
    pub accuracy: f64,
}

impl Comparison {
    /// Ours minus that of the reference.
    pub fn difference(&self) -> f64 {
        self.ours - self.reference
    }
    /// Does (1) hold?
    pub fn agrees(&self) -> bool {
        self.difference().abs() <= self.accuracy
    }
}

/// What became of a benchmark.
#[derive(Debug)]
pub struct Outcome {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// Number of steps, and all comparisons in the order of the data; or why it did not run.
    pub result: Result<(usize, Vec<Comparison>), Error>,
    /// Computing time [s].
    pub seconds: f64,
}

impl Outcome {
    /// Did it run, and does everything agree?
    pub fn agrees(&self) -> bool {
        self.result.as_ref().is_ok_and(|(_, all)| all.iter().all(Comparison::agrees))
    }
}

/// Runs benchmarks in parallel; `done` is told of each when it is done. Outcomes come in the order of the
/// list and do not depend on the number of threads.
pub fn all(benchmarks: Vec<Benchmark>, done: &(dyn Fn(&Outcome) + Sync)) -> Vec<Outcome> {
    let one = |benchmark: Benchmark| {
        let outcome = benchmark.run();
        done(&outcome);
        outcome
    };
    benchmarks.into_par_iter().with_max_len(1).map(one).collect()
}

impl Benchmark {
    /// The mechanism with what is set of it.
    pub(super) fn mechanism(&self) -> Result<Mechanism, Error> {
        let text = text(&self.model).ok_or_else(|| broken(&self.name, "its model is missing"))?;
        let mut m = crate::file::read_toml(text)?.mechanism;
        for (name, value) in &self.set {
            let parameters = m.parameters.iter_mut().map(|p| (&p.name, &mut p.value));
            let constants = m.constants.iter_mut().map(|c| (&c.0, &mut c.1));
            let found = parameters.chain(constants).find(|(n, _)| n.text == *name);
            let (_, number) = found.ok_or_else(|| broken(&self.name, &format!("there is no `{name}`")))?;
            *number = Number::from(*value);
        }
        if let Some(t) = self.t_end {
            m.t_end = t.into();
            m.until = None;
        }
        Ok(m)
    }
    /// Times of samples, each once and in order, and what is sampled.
    fn samples(&self) -> (Vec<f64>, Vec<String>) {
        let mut times: Vec<f64> = vec![];
        let mut columns: Vec<String> = vec![];
        for item in self.references.iter().flat_map(|r| &r.items) {
            if let Quantity::Sample(what, t) = &item.quantity {
                times.push(*t);
                if !columns.contains(what) {
                    columns.push(what.clone());
                }
            }
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        (times, columns)
    }
    /// The study that runs a mechanism by the method of the benchmark.
    pub(super) fn study(&self, mechanism: Mechanism) -> Result<Study, Error> {
        let [coordinates, formulation, integrator] = &self.method.names;
        let tolerance = self.method.tolerance;
        let mut study = Study::from_mechanism(mechanism);
        study.coordinates(coordinates)?.method(formulation, integrator)?;
        study.stepping(Stepping::Adaptive { rtol: tolerance, atol: tolerance });
        study.sensitivity("discrete-adjoint")?;
        Ok(study)
    }
    /// Names of the method.
    pub fn method_name(&self) -> String {
        let [coordinates, formulation, integrator] = &self.method.names;
        let mut name = format!("{formulation} + {integrator}, ");
        let _ = write!(name, "rtol {:e}, {coordinates}", self.method.tolerance);
        name
    }
    /// Runs the model and compares it with all references.
    pub fn run(self) -> Outcome {
        let watch = Stopwatch::start();
        let result = self.compare();
        Outcome { benchmark: self, result, seconds: watch.seconds() }
    }
    fn compare(&self) -> Result<(usize, Vec<Comparison>), Error> {
        // run = that of the model with the columns of all samples
        let (times, columns) = self.samples();
        let mut mechanism = self.mechanism()?;
        mechanism.outputs = columns.iter().map(|c| (c.as_str().into(), c.as_str().into())).collect();
        let study = self.study(mechanism)?;
        let model = study.nominal()?;
        let model = if times.is_empty() { model } else { model.sampled(&times)? };
        let run = model.run()?;

        // ours = objectives, derivatives and samples of the run
        let ours = Ours::new(&study, &run, times, columns)?;
        let resolves = self.method.resolves;
        let mut all = vec![];
        for (source, r) in self.references.iter().enumerate() {
            for item in &r.items {
                let x = item.value;
                let found = ours.find(&item.quantity);
                let missing = || broken(&self.name, &format!("the model has no `{}`", item.quantity));
                all.push(Comparison {
                    quantity: item.quantity.clone(),
                    source,
                    reference: x,
                    ours: found.ok_or_else(missing)?,
                    accuracy: r.accuracy.of(x) + resolves.of(x),
                });
            }
        }
        Ok((run.run.trajectory.plan.steps(), all))
    }
}

/// All numbers of a run that a reference may have.
struct Ours {
    objectives: Vec<(String, f64)>,
    parameters: Vec<String>,
    gradient: crate::jacobian::Jacobian,
    times: Vec<f64>,
    columns: Vec<String>,
    samples: Vec<Vec<f64>>,
}

impl Ours {
    fn new(study: &Study, run: &StudyRun, times: Vec<f64>, columns: Vec<String>) -> Result<Self, Error> {
        let samples = match times.len() {
            0 => vec![],
            n => {
                let outputs = run.outputs()?;
                (0..n).map(|i| outputs.row(i).to_vec()).collect()
            }
        };
        let objectives = study.objectives()?.into_iter().zip(run.objectives().iter().copied()).collect();
        let gradient = run.gradient()?;
        Ok(Self { objectives, parameters: study.parameters()?, gradient, times, columns, samples })
    }
    fn find(&self, quantity: &Quantity) -> Option<f64> {
        let objective = |name: &String| self.objectives.iter().position(|o| o.0 == *name);
        match quantity {
            Quantity::Objective(name) => Some(self.objectives[objective(name)?].1),
            Quantity::Derivative(of, over) => {
                let parameter = self.parameters.iter().position(|p| p == over)?;
                Some(self.gradient[(objective(of)?, parameter)])
            }
            Quantity::Sample(what, t) => {
                let row = self.times.iter().position(|x| x == t)?;
                let column = self.columns.iter().position(|c| c == what)?;
                self.samples[row].get(column).copied()
            }
        }
    }
}
