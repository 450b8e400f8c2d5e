//! What a design gives: its functionals in every scenario, their derivatives, and what its runs warn of.

use super::{Evaluation, Failed, Optimization, Outcome, Record, Residuals, Scenario, Trial};
use crate::error::Error;
use crate::optimize::plan::Row;
use crate::tally::Tally;
use gradyn_sensitivity::Gradient;
use rayon::prelude::*;

/// Functionals of a scenario at a design, and what is fitted.
struct Design {
    psi: Vec<f64>,
    psi_rho: Gradient,
    residuals: Option<Residuals>,
    warnings: Tally,
}

impl Optimization {
    /// A scenario at a design.
    fn design(&self, s: &Scenario, x: &[f64]) -> Result<Design, Error> {
        let model = s.prepared.at_on_branch(x)?;
        let run = model.run(&self.method)?;
        let residuals = self.fit.as_ref().map(|fit| fit.residuals(&model, &run)).transpose()?;
        // gradients, where there is a functional
        let asked = !model.objectives().is_empty();
        let gradient = asked.then(|| model.gradient(&run, self.sensitivity)).transpose()?;
        let (psi_rho, notes) = gradient.map_or((vec![], vec![]), |g| (g.rows, g.warnings));
        let warnings = Tally::of(run.warnings.iter().chain(&notes));
        Ok(Design { psi: run.psi, psi_rho, residuals, warnings })
    }
    /// The start again: why it fails.
    pub fn try_start(&self) -> Result<(), Error> {
        self.scenarios.iter().try_for_each(|s| self.design(s, self.start()).map(|_| ()))
    }
    /// (1) at a design, or the squares of a fit, with all derivatives; or why there is none.
    pub fn evaluate(&self, x: &[f64]) -> Outcome {
        Ok(self.evaluate_warned(x)?.0)
    }
    /// A trial with what becomes of it.
    pub(super) fn record(&self, trial: Trial) -> Record {
        match self.evaluate_warned(&trial.x) {
            Ok((evaluation, warnings)) => Record { trial, outcome: Ok(evaluation), warnings },
            Err(e) => Record { trial, outcome: Err(e), warnings: Tally::default() },
        }
    }
    /// (1) at a design, and the warnings of all scenarios.
    fn evaluate_warned(&self, x: &[f64]) -> Result<(Evaluation, Tally), Failed> {
        let designs =
            self.scenarios.par_iter().map(|s| self.design(s, x).map_err(|e| Failed { reason: s.named(&e) }));
        let designs: Vec<Result<_, Failed>> = designs.collect();
        let mut designs = designs.into_iter().collect::<Result<Vec<Design>, _>>()?;
        let mut warnings = Tally::default();
        designs.iter().flat_map(|d| d.warnings.iter()).for_each(|(code, count)| warnings.add(code, count));

        // f = Σ_s w_s Σ_k w_k ψ_sk, or ½ rᵀr
        let evaluation = match designs[0].residuals.take() {
            Some(Residuals { values, jacobian }) => Evaluation::least_squares(values, jacobian, x.len()),
            None => self.weighted(&designs, x.len()),
        };

        // c = ± (ψ_sk - b)
        let constraints =
            self.rows.iter().map(|r| r.sign * (designs[r.scenario].psi[r.functional] - r.limit)).collect();
        let slopes = |r: &Row| {
            designs[r.scenario].psi_rho[r.functional].iter().map(|d| r.sign * d).collect::<Vec<_>>()
        };
        let jacobian = self.rows.iter().flat_map(slopes).collect();
        Ok((evaluation.constrained(constraints, jacobian), warnings))
    }
    /// What (1) minimises.
    fn weighted(&self, designs: &[Design], n: usize) -> Evaluation {
        let mut value = 0.0;
        let mut gradient = vec![0.0; n];
        for (s, Design { psi, psi_rho, .. }) in self.scenarios.iter().zip(designs) {
            for (k, w) in self.weights.iter().enumerate() {
                value += s.weight * w * psi[k];
                gradient.iter_mut().zip(&psi_rho[k]).for_each(|(g, d)| *g += s.weight * w * d);
            }
        }
        Evaluation::new(value, gradient)
    }
}
