//! Ask and tell.
//!
//! An optimiser asks for designs and is told what became of them. It is a deterministic function of what it
//! was told, so a run is saved by its evaluations alone: [`replay`] tells them again to a new optimiser, and
//! the run goes on as if never stopped.

use crate::error::Error;
use crate::evaluation::Outcome;
use crate::identification::Identification;
use crate::report::Report;
use crate::status::Status;

/// A design to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Which start it belongs to; 0 but for multistart.
    pub start: usize,
    /// The design, in the units of the user, within the bounds.
    pub x: Vec<f64>,
}

/// What an optimiser wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The evaluations of these trials, in any order, on any number of threads.
    Evaluate(Vec<Trial>),
    /// Nothing more: the run has ended.
    Finished(Status),
}

/// An optimiser: a deterministic function of what it was told.
pub trait Optimizer: Send {
    /// What it wants now; the same until it is told.
    fn ask(&self) -> Ask;
    /// Takes the outcome of the trial of a start.
    fn tell(&mut self, start: usize, outcome: Outcome);
    /// Where it is. A run that is not finished reports `interrupted` and the last accepted design. It need
    /// not be the best so far: searches let f rise by the noise or for the constraints, and that of slsqp may
    /// accept its last trial as it is.
    fn report(&self) -> Report;
    /// Where each of its starts is; the one that it has but for multistart.
    fn starts(&self) -> Vec<Report> {
        vec![self.report()]
    }
    /// What a least-squares fit says about its variables, with intervals of that confidence; nothing without
    /// residuals, and nothing where the run did not converge.
    fn identification(&self, confidence: f64) -> Option<Identification>;
}

/// A told outcome, as it is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The trial that was asked for.
    pub trial: Trial,
    /// What was told of it.
    pub outcome: Outcome,
}

/// Tells recorded outcomes again; refuses records of other designs.
pub fn replay(optimizer: &mut dyn Optimizer, records: &[Record]) -> Result<(), Error> {
    for (index, record) in records.iter().enumerate() {
        match optimizer.ask() {
            Ask::Evaluate(trials) if trials.contains(&record.trial) => {
                optimizer.tell(record.trial.start, record.outcome.clone());
            }
            _ => return Err(Error::Record { index }),
        }
    }
    Ok(())
}

/// Runs to the end, one trial after the other.
pub fn drive(optimizer: &mut dyn Optimizer, mut evaluate: impl FnMut(&Trial) -> Outcome) -> Report {
    while let Ask::Evaluate(trials) = optimizer.ask() {
        for trial in &trials {
            optimizer.tell(trial.start, evaluate(trial));
        }
    }
    optimizer.report()
}
