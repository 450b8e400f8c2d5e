//! The design at the end of a study: what its runs warn of, and whether its gradients are those of the
//! problem.

use super::Optimization;
use crate::certificate::Certificate;
use crate::error::Error;
use crate::gradient::GradientReport;
use crate::prepared::{Prepared, Run};
use gradyn_model::Warning;
use std::time::Instant;

/// A scenario at the last design.
pub struct Last {
    /// Name of the scenario; empty if the file has none.
    pub scenario: String,
    /// The model at the design.
    pub model: Prepared,
    /// Its run.
    pub run: Run,
    /// Its gradient, where the study has objectives or limits.
    pub gradient: Option<GradientReport>,
    /// What is known of the gradient and of the residuals of a fit, if that was asked for.
    pub certificate: Option<Certificate>,
}

impl Last {
    /// Everything that the model, its run and its gradient warn of.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        let notes = self.gradient.iter().flat_map(|g| &g.warnings);
        self.model.model.warnings.iter().chain(&self.run.warnings).chain(notes)
    }
}

impl Optimization {
    /// Every scenario at a design once more, with certificates if they are asked for.
    pub fn last(&self, x: &[f64], certify: bool) -> Result<Vec<Last>, Error> {
        let one = |s: &super::Scenario| {
            let model = s.prepared.at_on_branch(x)?;
            let run = model.run(&self.method)?;
            let asked = !model.objectives().is_empty();
            let gradient = asked.then(|| model.gradient(&run, self.sensitivity)).transpose()?;
            let certificate = match (&self.fit, &gradient) {
                _ if !certify => None,
                (Some(fit), gradient) => {
                    let started = Instant::now();
                    let residuals = fit.residuals(&model, &run)?;
                    let seconds = started.elapsed().as_secs_f64();
                    Some(model.certify_fit(&run, gradient.as_ref(), (fit, residuals), seconds)?)
                }
                (None, gradient) => gradient.as_ref().map(|g| model.certify(&run, g)).transpose()?,
            };
            Ok(Last { scenario: s.name.clone(), model, run, gradient, certificate })
        };
        self.scenarios.iter().map(one).collect()
    }
}
