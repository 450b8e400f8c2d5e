//! The error of the penalty formulation, from a second run.
//!
//! ```text
//! ψ(α) = ψ(∞) + c/α + O(1/α²):   ψ(α) - ψ(∞) ≈ 10/9 (ψ(α) - ψ(10 α))                              (1)
//! ```
//! and likewise for each entry of a gradient. The second run repeats the steps of the first one, so that the
//! error of the integrator cancels. Where the error is below the rounding of the runs, (1) is noise.

use crate::error::Error;
use crate::gradient::GradientReport;
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_dynamics::simulate::replay;
use gradyn_sensitivity::values;

/// A value, and (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value at the α of the run.
    pub value: f64,
    /// The value at 10 α.
    pub stiffer: f64,
    /// What the value at α is off by, (1).
    pub error: f64,
}

/// The error of a run by penalty.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyError {
    /// The penalty factor α of the run.
    pub alpha: f64,
    /// Estimates of the objectives.
    pub values: Vec<Estimate>,
    /// One row per objective, one column per parameter, if a gradient was given.
    pub gradient: Option<Vec<Vec<Estimate>>>,
}

impl Estimate {
    pub(crate) fn new(value: f64, stiffer: f64) -> Self {
        Self { value, stiffer, error: (value - stiffer) * 10.0 / 9.0 }
    }
    fn all(values: &[f64], stiffer: &[f64]) -> Vec<Self> {
        values.iter().zip(stiffer).map(|(a, b)| Self::new(*a, *b)).collect()
    }
}

/// Refuses formulations without a compliance in their equations of motion.
pub fn check(method: &Method) -> Result<(), Error> {
    if method.formulation == Formulation::Penalty {
        return Ok(());
    }
    let message =
        format!("{} has no penalty error: its constraints do not give way", method.formulation.name());
    Err(Error::method(message, "the estimate belongs to the formulation penalty"))
}

impl Prepared {
    /// (1) for the objectives of a run, and for the entries of its gradient if there is one.
    pub fn penalty_error(&self, run: &Run, gradient: Option<&GradientReport>) -> Result<PenaltyError, Error> {
        let stiffer = self.stiffer(run)?;
        // gradients of both
        let rows = |g: &GradientReport| -> Result<_, Error> {
            let other = self.gradient(&stiffer, g.sensitivity)?.rows;
            Ok(g.rows.iter().zip(&other).map(|(a, b)| Estimate::all(a, b)).collect())
        };
        Ok(PenaltyError {
            alpha: run.method.alpha,
            values: Estimate::all(&run.psi, &stiffer.psi),
            gradient: gradient.map(rows).transpose()?,
        })
    }
    /// The run again at 10 α, on its own plan.
    pub(crate) fn stiffer(&self, run: &Run) -> Result<Run, Error> {
        check(&run.method)?;
        self.check_own(run)?;
        let method = Method { alpha: 10.0 * run.method.alpha, ..run.method.clone() };
        let recipe = method.build(&self.model);
        let p = self.model.slots(&run.rho);
        let trajectory = replay(&recipe, &p, &run.trajectory.plan)?;
        let psi = values(&recipe, &p, &trajectory);
        let system = run.system.clone();
        let rho = run.rho.clone();
        Ok(Run { method, trajectory, psi, system, rho, warnings: vec![], jump: None, passed: None, ..*run })
    }
}
