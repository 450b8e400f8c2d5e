//! What is told of a run of the optimiser: after each evaluation, and at its end.

use super::{End, Evaluation, Identification, Outcome, Trial};
use crate::tally::Tally;

/// A design, what became of it, and what its runs warned of.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The design.
    pub trial: Trial,
    /// Its numbers, or why there are none.
    pub outcome: Outcome,
    /// Warnings of the runs and gradients of all scenarios.
    pub warnings: Tally,
}

impl Record {
    /// What optimisers are told of it.
    pub(super) fn told(&self) -> gradyn_optimize::Record {
        gradyn_optimize::Record { trial: self.trial.clone(), outcome: self.outcome.clone() }
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
    /// How many starts have ended.
    pub ended: usize,
}

/// How a run ended, and how it came there.
pub struct Report {
    /// How the run of the optimiser ended.
    pub end: End,
    /// The ends of all starts.
    pub starts: Vec<End>,
    /// What a fit says about its parameters, with intervals of 95 %.
    pub identification: Option<Identification>,
    /// All designs, in order.
    pub records: Vec<Record>,
}

impl Report {
    /// How many designs warned, by the kind of the warning.
    pub fn warnings(&self) -> Tally {
        let mut all = Tally::default();
        self.records.iter().for_each(|r| all.add_design(&r.warnings));
        all
    }
    /// The evaluation of the start; nothing if it failed.
    pub fn initial(&self) -> Option<&Evaluation> {
        self.records.first()?.outcome.as_ref().ok()
    }
    /// The evaluation of the design at the end.
    pub fn best(&self) -> Option<&Evaluation> {
        self.records.iter().find(|r| r.trial.x == self.end.x)?.outcome.as_ref().ok()
    }
}
