//! Optimisation of a model: the study of a model file as a problem, a design as a run with its gradient [B92,
//! Eq. 10].
//!
//! ```text
//! minimise  Σ_s w_s Σ_k w_k ψ_sk(ρ)   subject to   ψ_sk(ρ) = b,   ψ_sk(ρ) ≤ b,   l ≤ ρ ≤ u       (1)
//! ```
//! [B92] has c ≥ 0 for the inequalities: ψ - b = -c. Every ψ_sk, also an expression of parameters alone, is a
//! functional of the run of scenario s: one forward run and one backward run with a column for each give
//! values and derivatives of everything. Scenarios run in parallel and are summed in their order, so that the
//! number of threads changes no bit. Every design starts from the assembly of the first, so that what a
//! design gives depends on nothing but the design. A design that cannot be assembled or simulated is a failed
//! trial. In place of (1) outputs may be fitted to a record, see [`Fit`]. Of many starts those that were told
//! least are evaluated next, in parallel, and told in their order: the records are the same for any number of
//! threads.
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

mod design;
mod fit;
pub mod history;
mod last;
mod plan;
mod record;
mod report;

use crate::error::Error;
use crate::file::ModelFile;
use crate::method::Method;
use crate::prepared::Prepared;
use crate::registry::Sensitivity;
pub use fit::Fit;
use gradyn_model::{Mechanism, ModelError};
pub use gradyn_optimize::{
    ActiveBound, Constraint, ConstraintKind, Direction, Error as ProblemError, Estimate, Evaluation, Failed,
    Failure, Identification, Method as Optimizer, Multiplier, Optimum, Outcome, Problem, Report as End,
    Residuals, Sampling, Settings, Side, Starts, Status, Transform, Trial, Variable, optima,
};
use gradyn_optimize::{Ask, Multistart, replay};
pub use last::Last;
use plan::{Plan, Row};
use rayon::prelude::*;
pub use record::Record as Measured;
pub use report::{Record, Report, Told};
use std::ops::ControlFlow;
use std::slice::from_ref;

/// A study, ready to run.
pub struct Optimization {
    /// The manoeuvres, at least one.
    pub scenarios: Vec<Scenario>,
    /// The problem in numbers: variables, bounds, constraints.
    pub problem: Problem,
    /// How designs are simulated.
    pub method: Method,
    /// How their gradients are computed.
    pub sensitivity: Sensitivity,
    /// Who chooses the designs.
    pub optimizer: Optimizer,
    /// Its tolerances and limits, those of each start.
    pub settings: Settings,
    /// How many starts there are, and how they are chosen.
    pub starts: Option<Starts>,
    /// What outputs are fitted to, in place of objectives that are minimised.
    pub fit: Option<Fit>,
    weights: Vec<f64>,
    rows: Vec<Row>,
}

/// A manoeuvre of a study.
pub struct Scenario {
    /// Its name; empty if the file has no scenarios.
    pub name: String,
    /// Its weight in the objective.
    pub weight: f64,
    /// The model at the start, with the parameters that vary and the functionals that are asked for, and no
    /// others.
    pub prepared: Prepared,
}

impl Scenario {
    /// An error, with the name of the scenario.
    fn named(&self, e: &Error) -> String {
        if self.name.is_empty() { e.to_string() } else { format!("scenario `{}`: {e}", self.name) }
    }
}

/// Confidence of the intervals of a fit.
const CONFIDENCE: f64 = 0.95;

/// Designs that are evaluated before they are told, for each thread.
const AHEAD: usize = 4;

impl Optimization {
    /// The study of a file. `nominal` is its model, changed or not: at its parameters the run starts, those
    /// that do not vary are held.
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
        let Plan { scenarios, problem, weights, rows, fit } =
            Plan::new(study, &file.mechanism, nominal, (&file.folder, file.anywhere))?;
        let prepare = |(name, weight, mechanism): (String, f64, Mechanism)| {
            let prepared = Prepared::new_in(&mechanism, nominal.model.family);
            let prepared = prepared.and_then(|p| p.check_method(&method).and(p.mesh()).and(Ok(p)));
            let prepared = prepared.map_err(|e| e.within(&name))?;
            Ok(Scenario { name, weight, prepared })
        };
        let scenarios = scenarios.into_iter().map(prepare).collect::<Result<Vec<_>, Error>>()?;
        // a fit differentiates its outputs forward; the choice is that of its constraints
        let sensitivity =
            if fit.is_some() && rows.is_empty() { Sensitivity::DiscreteDirect } else { sensitivity };
        sensitivity.check(method.formulation)?;
        let (optimizer, place) = plan::optimizer(study, optimizer)?;
        let settings = study.settings;
        let starts = study.starts;
        let new =
            Self { scenarios, problem, method, sensitivity, optimizer, settings, starts, fit, weights, rows };
        new.fit.as_ref().map_or(Ok(()), |fit| fit.check(new.model()))?;
        new.begin().map_err(|e| plan::refused(e, &file.mechanism, &place.or(study.starts_place.clone())))?;
        Ok(new)
    }
    /// The optimiser before its first evaluation.
    fn begin(&self) -> Result<Box<dyn gradyn_optimize::Optimizer>, gradyn_optimize::Error> {
        let problem = &self.problem;
        let settings = self.settings;
        Ok(match self.starts {
            None => self.optimizer.start(problem, settings, self.start())?,
            Some(starts) => {
                Box::new(Multistart::new(self.optimizer, problem, settings, self.start(), starts)?)
            }
        })
    }
    /// The model of the first scenario: names are the same in all.
    pub fn model(&self) -> &Prepared {
        &self.scenarios[0].prepared
    }
    /// The parameters at the start.
    pub fn start(&self) -> &[f64] {
        &self.model().rho[..self.problem.n()]
    }
    /// Does a record have the numbers of this problem?
    fn fits(&self, record: &Record) -> bool {
        let n = self.problem.n();
        let m = self.problem.m();
        let r = self.fit.as_ref().map(Fit::count);
        let residuals = |e: &Evaluation| e.residuals.as_ref().map(|r| (r.values.len(), r.jacobian.len()));
        let sizes =
            |e: &Evaluation| (e.gradient.len(), e.constraints.len(), e.jacobian.len()) == (n, m, m * n);
        let same = |e: &Evaluation| sizes(e) && residuals(e) == r.map(|r| (r, r * n));
        record.trial.x.len() == n && record.outcome.as_ref().map_or(true, same)
    }
    /// Does the design of a record have the same numbers again?
    fn repeats(&self, record: &Record) -> bool {
        let again = Record { outcome: self.evaluate(&record.trial.x), ..record.clone() };
        history::line(0, &again) == history::line(0, record)
    }
    /// The next records: those that are known, or else some evaluated in parallel; and are they new?
    fn batch(&self, trials: Vec<Trial>, known: &mut std::slice::Iter<Record>) -> (Vec<Record>, bool) {
        let old: Vec<Record> = known.take(trials.len()).cloned().collect();
        if !old.is_empty() {
            return (old, false);
        }
        let ahead = trials.into_par_iter().take(AHEAD * rayon::current_num_threads());
        (ahead.map(|trial| self.record(trial)).collect(), true)
    }
    /// Runs to the end, or until the observer breaks off. What `records` tell is not evaluated again, but for
    /// the last of them, which must come out the same; records beyond the end are refused.
    pub fn run(
        &self,
        records: &[Record],
        observe: &mut dyn FnMut(&Told) -> ControlFlow<()>,
    ) -> Result<Report, Error> {
        // the optimiser, and what is known already
        let mut optimizer = self.begin().map_err(|e| ModelError::new(e.to_string()))?;
        let mut known = records.iter();
        let mut done = vec![];
        let mut stopped = false;
        let mut told = vec![0; self.starts.map_or(1, |s| s.count)];
        while let Ask::Evaluate(trials) = optimizer.ask()
            && !stopped
        {
            // designs in turn, from the record or new
            let (batch, new) = self.batch(least_told(trials, &told), &mut known);
            for record in batch {
                if !self.fits(&record) || replay(&mut *optimizer, from_ref(&record.told())).is_err() {
                    return Err(history::foreign(done.len()));
                }
                let last = !new && done.len() + 1 == records.len();
                if last && !self.repeats(&record) {
                    return Err(history::differs(records.len()));
                }
                // progress after each of them
                told[record.trial.start] += 1;
                let ended = optimizer.starts().iter().filter(|s| s.status != Status::Interrupted).count();
                stopped = observe(&Told { record: &record, new, now: &optimizer.report(), ended }).is_break();
                done.push(record);
                if stopped {
                    break;
                }
            }
        }
        let status = optimizer.report().status;
        if known.len() > 0 && !stopped {
            return Err(history::beyond(done.len(), records.len(), status));
        }
        let identification = optimizer.identification(CONFIDENCE);
        Ok(Report { end: optimizer.report(), starts: optimizer.starts(), identification, records: done })
    }
}

/// The trials of the starts that were told least: their order does not depend on how many are evaluated at a
/// time.
fn least_told(trials: Vec<Trial>, told: &[usize]) -> Vec<Trial> {
    let least = trials.iter().map(|t| told[t.start]).min();
    trials.into_iter().filter(|t| Some(told[t.start]) == least).collect()
}
