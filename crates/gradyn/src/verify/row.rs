//! What is said about a combination.

use super::LIMIT;
use super::combination::{Combination, Item, Section};
use super::compare::{Answer, Distance, Weakest};
use crate::error::Error;
use crate::method::Method;
use crate::prepared::Prepared;
use gradyn_model::{Warning, WarningCode};

/// Above this expected error, relative to the size of the objective, or this distance of an entry relative to
/// itself, agreement says little.
const LOOSE: f64 = 0.05;

/// Warnings of a run, or of extrapolated differences, that explain why the error is larger than what was
/// estimated.
const EXPLAIN: [WarningCode; 6] = [
    WarningCode::Stiff,
    WarningCode::Drift,
    WarningCode::EndsMeet,
    WarningCode::UnstableIndex3,
    WarningCode::SmallStep,
    WarningCode::NotConverged,
];

/// What an answer is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The reference.
    Reference,
    /// The discrete adjoint of the same run.
    SameRun,
}

/// An answer, compared.
pub struct Measured {
    /// Objectives and gradients.
    pub answer: Answer,
    /// What it is compared with.
    pub against: Against,
    /// The worst entry.
    pub distance: Distance,
    /// The entry with the fewest digits of its own, of those that are not zero.
    pub weakest: Option<Weakest>,
    /// Measured order, for fixed steps whose error is well above that of the reference.
    pub order: Option<f64>,
    /// Is that order below the one of the integrator?
    pub slow: bool,
    /// By how much shorter steps moved the answer, relative.
    pub moved: f64,
    /// Expected error of the penalty formulation, relative.
    pub penalty: Option<f64>,
    /// Number of steps.
    pub steps: usize,
    /// Warnings of the run and of extrapolated differences.
    pub warnings: Vec<Warning>,
}

/// Whether a combination agrees.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Within its expected error.
    Agrees,
    /// Within its expected error, which is so large that this says little, of all entries or of one.
    Loose {
        /// Which entry has how few digits.
        reason: String,
    },
    /// Beyond it, and a warning of the run says why.
    Explained {
        /// Text of the warning that says why.
        reason: String,
    },
    /// It is beyond the bound, and nothing explains it.
    Differs {
        /// What is known about it.
        reason: String,
    },
    /// The combination does not exist for this model.
    Refused {
        /// Why, as a sentence for the user.
        reason: String,
    },
    /// The run stopped.
    Stopped {
        /// Why, as a sentence for the user.
        reason: String,
    },
}

/// A row of the table.
pub struct Row {
    /// The combination that was run.
    pub combination: Combination,
    /// Where it belongs.
    pub section: Section,
    /// Method of the run.
    pub method: Method,
    /// What came out, if it was not refused.
    pub measured: Option<Measured>,
    /// Does it agree?
    pub verdict: Verdict,
    /// Seconds of the row; the runs of a method belong to its first row.
    pub seconds: f64,
}

impl Row {
    pub(super) fn new(
        item: &Item,
        method: Method,
        model: &Prepared,
        measured: Result<Measured, Error>,
        seconds: f64,
    ) -> Self {
        let (measured, verdict) = match measured {
            Ok(m) => {
                let verdict = Verdict::of(&m, model);
                (Some(m), verdict)
            }
            Err(e) if e.is_input() => (None, Verdict::Refused { reason: e.to_string() }),
            Err(e) => (None, Verdict::Stopped { reason: e.to_string() }),
        };
        Self { combination: item.combination, section: item.section, method, measured, verdict, seconds }
    }
}

impl Row {
    /// What there is to know besides the numbers: why it does not agree, or that it converges slowly.
    pub fn note(&self) -> Option<String> {
        let order = |m: &Measured| {
            let theory = self.combination.integrator.order();
            m.order
                .filter(|_| m.slow)
                .map(|o| format!("its error falls at order {o:.1}; that of the integrator is {theory}"))
        };
        self.verdict.reason().map(str::to_owned).or_else(|| self.measured.as_ref().and_then(order))
    }
}

impl Verdict {
    fn of(m: &Measured, model: &Prepared) -> Self {
        let d = &m.distance;
        if d.ratio <= LIMIT {
            return Self::within(m, model);
        }
        let known = m.warnings.iter().find(|w| EXPLAIN.contains(&w.code));
        if let Some(warning) = known {
            return Self::Explained { reason: warning.to_string() };
        }
        let reason = match m.against {
            Against::SameRun => format!("{:.1e} from the discrete adjoint of the same run", d.off),
            Against::Reference => format!(
                "converges to something else: shorter steps moved it by {:.1e}, the reference is {:.1e} away",
                m.moved, d.off
            ),
        };
        Self::Differs { reason }
    }
    /// The verdict of an answer within its expected error: do all of its entries say something?
    fn within(m: &Measured, model: &Prepared) -> Self {
        if m.distance.expected > LOOSE {
            let reason = format!(
                "the expected error is {:.0} % of the size of its objective: take shorter steps",
                100.0 * m.distance.expected
            );
            return Self::Loose { reason };
        }
        match m.weakest.filter(|w| w.share > LOOSE) {
            Some(w) => {
                let name = w.entry.name(model);
                Self::Loose { reason: format!("{name} is off by {:.0} % of itself", 100.0 * w.share) }
            }
            None => Self::Agrees,
        }
    }
    /// The verdict in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Loose { .. } => "loose",
            Self::Explained { .. } => "explained",
            Self::Differs { .. } => "differs",
            Self::Refused { .. } => "refused",
            Self::Stopped { .. } => "stopped",
        }
    }
    /// Why, if it does not simply agree.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Agrees => None,
            Self::Loose { reason }
            | Self::Explained { reason }
            | Self::Differs { reason }
            | Self::Refused { reason }
            | Self::Stopped { reason } => Some(reason),
        }
    }
}
