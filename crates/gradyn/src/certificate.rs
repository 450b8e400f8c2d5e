//! Is a gradient that of the problem?
//!
//! Every sensitivity differentiates the steps and sides that a run has decided on, so that all of them may agree
//! and be wrong together. A certificate asks four questions:
//!
//! ```text
//! program     does one direction of it agree with a complex step through the program?                   (1)
//! moved       does it say what happens to designs that are moved along that direction?                  (2)
//! errors      what are ψ and ∇ψ known to?                                                               (3)
//! growth      how fast do perturbations of the motion grow?                                             (4)
//! ```
//! (2) sees jumps, to which (3) is blind, and (3) sees steps that do not resolve a model, to which (2) is blind.
//! What happens between nodes may escape both, so that the run is asked for it (`between`).

mod between;
mod direction;
mod errors;
mod moved;
mod program;
mod verdict;

pub use errors::Errors;
pub use moved::{Moved, Outcome};
pub use program::{Growth, ProgramCheck};
pub use verdict::{Reason, Verdict};

use crate::error::Error;
use crate::gradient::GradientReport;
use crate::prepared::{Prepared, Run};
use direction::Direction;
use gradyn_num::largest;
use std::time::Instant;

/// What is known of a gradient.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The worst verdict of all objectives.
    pub verdict: Verdict,
    /// Why it is not trusted: a reason for each finding.
    pub reasons: Vec<Reason>,
    /// (1) and (4), where the program can be carried along.
    pub program: Option<ProgramCheck>,
    /// (2) of each objective.
    pub moved: Vec<Moved>,
    /// (3).
    pub errors: Option<Errors>,
    /// Computing times of (1), (2) and (3) [s].
    pub seconds: [f64; 3],
}

impl Certificate {
    /// Computing time of all checks [s].
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }
}

impl Prepared {
    /// The certificate of a gradient of a run.
    pub fn certify(&self, run: &Run, report: &GradientReport) -> Result<Certificate, Error> {
        self.check_own(run)?;
        let direction = Direction::new(self);
        let mut clock = Instant::now();
        let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed().as_secs_f64();

        // (1), (4)
        let program = self.check_program(run, &report.rows);
        let program_seconds = lap();
        let between = between::between(self, run);

        // (3)
        let errors = Errors::new(self, run, report, program.as_ref().ok());
        let errors_seconds = lap();

        // (2)
        let moved = match &errors {
            Ok(errors) => moved::moved(self, run, &report.rows, &direction, errors),
            Err(_) => vec![],
        };
        let seconds = [program_seconds, lap(), errors_seconds];

        // verdict
        let reasons = verdict::reasons(&verdict::Findings {
            model: self,
            run,
            report,
            program: &program,
            moved: &moved,
            errors: &errors,
            between,
        });
        let verdict = reasons.iter().map(|r| r.verdict).max().unwrap_or(Verdict::Trusted);
        Ok(Certificate { verdict, reasons, program: program.ok(), moved, errors: errors.ok(), seconds })
    }
}

/// Size of an objective: the largest of |ψ| and of |∂ψ/∂ρ_k| × scale of ρ_k; 1 where all are roundings.
pub(crate) fn size(psi: f64, row: &[f64], scales: &[f64]) -> f64 {
    let size = largest(row.iter().zip(scales).map(|(g, s)| g * s).chain([psi]));
    if size > 1e3 * f64::EPSILON { size } else { 1.0 }
}
