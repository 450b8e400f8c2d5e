//! Is a gradient that of the problem?
//!
//! Every sensitivity differentiates the steps and sides that a run has decided on, so that all of them may
//! agree and be wrong together. A certificate asks four questions:
//!
//! ```text
//! program     does one direction of it agree with a complex step through the program?                   (1)
//! products    are products of steps those of the residual, and transposes of each other?                (2)
//! moved       does it say what happens to designs that are moved along that direction?                  (3)
//! errors      what are ψ and ∇ψ known to?                                                               (4)
//! growth      how fast do perturbations of the motion grow?                                             (5)
//! ```
//! (3) sees jumps, to which (4) is blind, and (4) sees steps that do not resolve a model, to which (3) is
//! blind.
//! What happens between nodes may escape both, so that the run is asked for it (`between`).

mod between;
mod claim;
mod direction;
mod errors;
mod moved;
mod object;
mod products;
mod program;
mod squares;
mod verdict;

pub use claim::SQUARES;
pub use errors::Errors;
pub use moved::{Moved, Outcome};
pub use products::{Between, ProductCheck};
pub use program::{Growth, ProgramCheck};
pub use verdict::{Reason, Verdict};

use crate::error::Error;
use crate::gradient::GradientReport;
use crate::optimize::Fit;
use crate::prepared::{Prepared, Run};
use crate::registry::Sensitivity;
use claim::Claim;
use direction::Direction;
use gradyn_num::largest;
use gradyn_optimize::Residuals;
use gradyn_sensitivity::{Confirm, Gradient};
use std::time::Instant;

/// What is known of a gradient.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The worst verdict of all objectives.
    pub verdict: Verdict,
    /// Why it is not trusted: a reason for each finding.
    pub reasons: Vec<Reason>,
    /// What it is of: the objectives, and [`SQUARES`] for a fit.
    pub objectives: Vec<String>,
    /// (1) and (5), where the program can be carried along.
    pub program: Option<ProgramCheck>,
    /// (2), where (1) could be made.
    pub products: Option<ProductCheck>,
    /// (3) of each objective.
    pub moved: Vec<Moved>,
    /// (4).
    pub errors: Option<Errors>,
    /// Computing times of (1), (2), (3) and (4) [s].
    pub seconds: [f64; 4],
    /// Computing time of the run and of its gradient [s].
    pub forward_and_gradient: f64,
}

impl Certificate {
    /// Computing time of all checks [s].
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }
}

/// (3) of a gradient whose errors are known.
pub(crate) fn moved_designs(model: &Prepared, run: &Run, rows: &Gradient, errors: &Errors) -> Vec<Moved> {
    let claim = Claim::new(model, run, (Sensitivity::DiscreteAdjoint, rows), None);
    moved::moved(&claim, &Direction::new(model), errors)
}

impl Prepared {
    /// The certificate of a gradient of a run.
    pub fn certify(&self, run: &Run, report: &GradientReport) -> Result<Certificate, Error> {
        self.check_report(run, &report.rows)?;
        let claim = Claim::new(self, run, (report.sensitivity, &report.rows), None);
        claim.certificate(report.seconds)
    }
    /// The certificate of a fit: of its residuals, and of a gradient where the study has objectives too.
    /// `seconds` is how long the residuals took [s].
    pub(crate) fn certify_fit(
        &self,
        run: &Run,
        report: Option<&GradientReport>,
        (fit, residuals): (&Fit, Residuals),
        seconds: f64,
    ) -> Result<Certificate, Error> {
        let rows = report.map_or(vec![], |report| report.rows.clone());
        self.check_report(run, &rows)?;
        let sensitivity = report.map_or(Sensitivity::DiscreteDirect, |report| report.sensitivity);
        let claim = Claim::new(self, run, (sensitivity, &rows), Some((fit, residuals)));
        claim.certificate(seconds + report.map_or(0.0, |report| report.seconds))
    }
    /// Refuses a run of another model, and a gradient that is not of its objectives.
    pub(super) fn check_report(&self, run: &Run, rows: &Gradient) -> Result<(), Error> {
        self.check_own(run)?;
        if rows.len() == run.psi.len() {
            return Ok(());
        }
        let message = format!("a gradient of {} objectives, not of {}", rows.len(), run.psi.len());
        Err(Error::argument(message, "give the gradient of this run"))
    }
}

impl Claim<'_> {
    /// What is known of a gradient that took some time [s].
    fn certificate(&self, seconds: f64) -> Result<Certificate, Error> {
        let direction = Direction::new(self.model);
        let forward_and_gradient = self.run.seconds + seconds;
        let mut clock = Instant::now();
        let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed().as_secs_f64();

        // (1), (5)
        let (program, samples) = match self.through_program(&direction, Confirm::Some) {
            Ok((program, samples)) => (Ok(program), Some(samples)),
            Err(e) => (Err(e), None),
        };
        let program_seconds = lap();
        let between = between::between(self.model, self.run);

        // (2)
        let products = samples.map(|s| self.check_products(&direction, &s));
        let products_seconds = lap();

        // (4)
        let errors = Errors::new(self, &direction, program.as_ref().ok());
        let errors_seconds = lap();

        // (3)
        let moved = errors.as_ref().map_or(vec![], |errors| moved::moved(self, &direction, errors));
        let seconds = [program_seconds, products_seconds, lap(), errors_seconds];

        // verdict
        let (program, products, moved, errors) = (&program, &products, &moved[..], &errors);
        let findings = verdict::Findings { claim: self, program, products, moved, errors, between };
        let reasons = verdict::reasons(&findings);
        Ok(Certificate {
            verdict: reasons.iter().map(|r| r.verdict).max().unwrap_or(Verdict::Trusted),
            reasons,
            objectives: self.names.clone(),
            program: program.as_ref().ok().cloned(),
            products: products.as_ref().and_then(|p| p.as_ref().ok().cloned()),
            moved: moved.to_vec(),
            errors: errors.as_ref().ok().cloned(),
            seconds,
            forward_and_gradient,
        })
    }
}

/// Size of an objective: the largest of |ψ| and of |∂ψ/∂ρ_k| × scale of ρ_k; 1 where all are roundings.
pub(crate) fn size(psi: f64, row: &[f64], scales: &[f64]) -> f64 {
    let size = largest(row.iter().zip(scales).map(|(g, s)| g * s).chain([psi]));
    if size > 1e3 * f64::EPSILON { size } else { 1.0 }
}
