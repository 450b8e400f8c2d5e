//! Optimisation of a model: the study of a model file as a problem, a design as a run with its gradient [B92, Eq. 10].
//!
//! ```text
//! minimise  Σ_s w_s Σ_k w_k ψ_sk(ρ)   subject to   ψ_sk(ρ) = b,   ψ_sk(ρ) ≤ b,   l ≤ ρ ≤ u       (1)
//! ```
//! Every ψ_sk, also an expression of parameters alone, is a functional of the run of scenario s: one forward run and one backward
//! run with a column for each give values and derivatives of everything. Scenarios run in parallel and are summed in their order,
//! so that the number of threads changes no bit. Every design starts from the assembly of the first, so that
//! what a design gives depends on nothing but the design. A design that cannot be assembled or simulated is a failed trial.
//!
//! ```
//! use gradyn::optimize::Optimization;
//! let file = gradyn::file::read_toml(gradyn::examples::find("five_bar_balance").unwrap())?;
//! let nominal = gradyn::Prepared::new(&file.mechanism)?;
//! let method = gradyn::Method::from_study(&file.study)?;
//! let study = Optimization::new(&file, &nominal, method, gradyn::Sensitivity::DiscreteAdjoint, None)?;
//! let report = study.run(&[], &mut |_| std::ops::ControlFlow::Continue(()))?;
//! assert!(report.end.value < 1e-12);
//! # Ok::<(), gradyn::Error>(())
//! ```

pub mod history;
mod plan;

use crate::error::Error;
use crate::file::ModelFile;
use crate::method::Method;
use crate::prepared::Prepared;
use crate::registry::Sensitivity;
use gradyn_model::{Mechanism, ModelError};
use gradyn_optimize::{Ask, Failed, Outcome, replay};
pub use gradyn_optimize::{
    Evaluation, Failure, Method as Optimizer, Multiplier, Problem, Record, Report as End, Settings, Side, Status, Trial,
};
use gradyn_sensitivity::Gradient;
use plan::{Plan, Row};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::slice::from_ref;

/// A study, ready to run.
pub struct Optimization {
    /// The manoeuvres, at least one.
    pub scenarios: Vec<Scenario>,
    /// The problem.
    pub problem: Problem,
    /// How designs are simulated.
    pub method: Method,
    /// How their gradients are computed.
    pub sensitivity: Sensitivity,
    /// Who chooses the designs.
    pub optimizer: Optimizer,
    /// Its tolerances and limits.
    pub settings: Settings,
    weights: Vec<f64>,
    rows: Vec<Row>,
}

/// A manoeuvre of a study.
pub struct Scenario {
    /// Its name; empty if the file has no scenarios.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// The model at the start, with the parameters that vary and the functionals that are asked for, and no others.
    pub prepared: Prepared,
}

impl Scenario {
    /// An error, with the name of the scenario.
    fn named(&self, e: &Error) -> String {
        if self.name.is_empty() { e.to_string() } else { format!("scenario `{}`: {e}", self.name) }
    }
}

/// What an observer sees after each evaluation.
pub struct Told<'a> {
    /// The design and what became of it.
    pub record: &'a Record,
    /// Was it evaluated now, or is it from a history?
    pub new: bool,
    /// Where the run is.
    pub now: &'a End,
}

/// How a run ended, and how it came there.
pub struct Report {
    /// The end.
    pub end: End,
    /// All designs, in order.
    pub records: Vec<Record>,
}

impl Report {
    /// The evaluation of the start; nothing if it failed.
    pub fn initial(&self) -> Option<&Evaluation> {
        self.records.first()?.outcome.as_ref().ok()
    }
    /// The evaluation of the design at the end.
    pub fn best(&self) -> Option<&Evaluation> {
        self.records.iter().find(|r| r.trial.x == self.end.x)?.outcome.as_ref().ok()
    }
}

impl Optimization {
    /// The study of a file. `nominal` is its model, changed or not: at its parameters the run starts, those that do not vary are held.
    pub fn new(
        file: &ModelFile,
        nominal: &Prepared,
        method: Method,
        sensitivity: Sensitivity,
        optimizer: Option<Optimizer>,
    ) -> Result<Self, Error> {
        let Some(study) = &file.study.optimize else {
            let e = ModelError::new("the model does not say what to optimise");
            return Err(e.help("add [study.optimize] with minimise = \"an objective\"").into());
        };
        let Plan { scenarios, problem, weights, rows } = Plan::new(study, &file.mechanism, nominal)?;
        let prepare = |(name, weight, mechanism): (String, f64, Mechanism)| {
            let prepared = Prepared::new_in(&mechanism, nominal.model.family)?;
            prepared.check_method(&method)?;
            Ok(Scenario { name, weight, prepared })
        };
        let scenarios = scenarios.into_iter().map(prepare).collect::<Result<Vec<_>, Error>>()?;
        sensitivity.check(method.formulation)?;
        let (optimizer, place) = plan::optimizer(study, optimizer)?;
        let new = Self { scenarios, problem, method, sensitivity, optimizer, settings: study.settings, weights, rows };
        new.begin().map_err(|e| ModelError::new(format!("optimisation: {e}")).at(&place))?;
        Ok(new)
    }
    /// The optimiser before its first evaluation.
    fn begin(&self) -> Result<Box<dyn gradyn_optimize::Optimizer>, gradyn_optimize::Error> {
        self.optimizer.start(&self.problem, self.settings, self.start())
    }
    /// The model of the first scenario: names are the same in all.
    pub fn model(&self) -> &Prepared {
        &self.scenarios[0].prepared
    }
    /// The parameters at the start.
    pub fn start(&self) -> &[f64] {
        &self.model().rho[..self.problem.n()]
    }
    /// (1) at a design, with all derivatives; or why there is none.
    pub fn evaluate(&self, x: &[f64]) -> Outcome {
        let design = |s: &Scenario| s.prepared.reach(x)?.design(&self.method, self.sensitivity);
        let designs = self.scenarios.par_iter().map(|s| design(s).map_err(|e| Failed { reason: s.named(&e) }));
        let designs: Vec<Result<_, Failed>> = designs.collect();
        let designs = designs.into_iter().collect::<Result<Vec<(Vec<f64>, Gradient)>, _>>()?;

        // f = Σ_s w_s Σ_k w_k ψ_sk
        let (mut value, mut gradient) = (0.0, vec![0.0; x.len()]);
        for (s, (psi, psi_rho)) in self.scenarios.iter().zip(&designs) {
            for (k, w) in self.weights.iter().enumerate() {
                value += s.weight * w * psi[k];
                gradient.iter_mut().zip(&psi_rho[k]).for_each(|(g, d)| *g += s.weight * w * d);
            }
        }

        // c = ± (ψ_sk - b)
        let constraints = self.rows.iter().map(|r| r.sign * (designs[r.scenario].0[r.functional] - r.limit)).collect();
        let slopes = |r: &Row| designs[r.scenario].1[r.functional].iter().map(|d| r.sign * d).collect::<Vec<_>>();
        let jacobian = self.rows.iter().flat_map(slopes).collect();
        Ok(Evaluation::new(value, gradient).constrained(constraints, jacobian))
    }
    /// Does a record have the numbers of this problem?
    fn fits(&self, record: &Record) -> bool {
        let (n, m) = (self.problem.n(), self.problem.m());
        let sizes = |e: &Evaluation| (e.gradient.len(), e.constraints.len(), e.jacobian.len()) == (n, m, m * n);
        record.trial.x.len() == n && record.outcome.as_ref().map_or(true, sizes)
    }
    /// Runs to the end, or until the observer breaks off. What `records` tell is not evaluated again; records beyond the end are ignored.
    pub fn run(&self, records: &[Record], observe: &mut dyn FnMut(&Told) -> ControlFlow<()>) -> Result<Report, Error> {
        let mut optimizer = self.begin().map_err(|e| ModelError::new(e.to_string()))?;
        let mut recorded = records.iter();
        let mut report = Report { end: optimizer.report(), records: vec![] };
        while let Ask::Evaluate(trials) = optimizer.ask() {
            // a local method asks for one design at a time
            let (record, new) = match recorded.next() {
                Some(record) if !self.fits(record) => return Err(history::foreign(report.records.len())),
                Some(record) => (record.clone(), false),
                None => (Record { outcome: self.evaluate(&trials[0].x), trial: trials[0].clone() }, true),
            };
            replay(&mut *optimizer, from_ref(&record)).map_err(|_| history::foreign(report.records.len()))?;
            report.end = optimizer.report();
            let seen = observe(&Told { record: &record, new, now: &report.end });
            report.records.push(record);
            if seen.is_break() {
                break;
            }
        }
        Ok(report)
    }
}
