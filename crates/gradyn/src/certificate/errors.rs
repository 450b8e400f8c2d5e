//! Errors of values and of every entry of a gradient, from another run.
//!
//! ```text
//! ± = |x(h) - x(2h)|   or   |x(tol) - x(10 tol)|           x = (ψ, ∇ψ)                                  (1)
//!   = 3 |x(h) - x(h/2)|   or   3 |x(tol) - x(tol/10)|      where the coarser run fails                   (2)
//! ```
//! (1) is 2ᵖ - 1 times the error of a method of order p. Errors are not less than the rounding that the check
//! through the program has seen. The error of the penalty formulation is added.

use super::direction::Direction;
use super::program::ProgramCheck;
use crate::error::Error;
use crate::gradient::GradientReport;
use crate::method::{Method, Stepping};
use crate::prepared::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_num::largest;
use gradyn_sensitivity::Gradient;

/// Roundings of a value.
const ROUNDINGS: f64 = 8.0;
/// A run with doubled steps that has more than this part of the steps is the same run.
const SAME_RUN: f64 = 0.9;
/// Factor of (2).
const FINER: f64 = 3.0;

/// Errors of a run and of its gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// Error of each objective.
    pub values: Vec<f64>,
    /// Error of each entry: a row for each objective, a column for each parameter.
    pub gradient: Gradient,
    /// The other run, such as `steps of 0.02 s`.
    pub other: String,
    /// Differences of gradients, with their signs.
    differences: Gradient,
}

impl Errors {
    /// (1), or (2) where that fails.
    pub(super) fn new(
        model: &Prepared,
        run: &Run,
        report: &GradientReport,
        program: Option<&ProgramCheck>,
    ) -> Result<Self, Error> {
        // the other run with its gradient
        let steps = run.trajectory.plan.steps() as f64;
        let other = |factor: f64| -> Result<(Run, Gradient), Error> {
            let method = scaled(&run.method, run, factor);
            let new = model.run(&method)?;
            let sensitivity = match report.sensitivity {
                s if s.is_continuous() || s.is_discrete() => s,
                _ => model.auto().0,
            };
            let rows = model.gradient(&new, sensitivity)?.rows;
            Ok((new, rows))
        };
        let is_coarser = |r: &(Run, Gradient)| (r.0.trajectory.plan.steps() as f64) < SAME_RUN * steps;
        let (weight, (coarse, rows)) = match other(2.0).ok().filter(is_coarser) {
            Some(coarser) => (1.0, coarser),
            None => (FINER, other(0.5)?),
        };

        // (1) or (2)
        let apart =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| weight * (a - b)).collect() };
        let values = apart(&run.psi, &coarse.psi);
        let differences: Gradient = report.rows.iter().zip(&rows).map(|(a, b)| apart(a, b)).collect();
        let mut new = Self::known(&values, differences, &coarse);
        new.add_rounding(model, run, report, program);
        new.add_penalty(model, run, report)?;
        Ok(new)
    }
    /// From differences to another run that are known.
    pub(crate) fn known(values: &[f64], differences: Gradient, other: &Run) -> Self {
        Self {
            values: values.iter().map(|x| x.abs()).collect(),
            gradient: sizes(&differences),
            other: described(&other.method),
            differences,
        }
    }
    /// Nothing is below the rounding that was seen.
    fn add_rounding(
        &mut self,
        model: &Prepared,
        run: &Run,
        report: &GradientReport,
        program: Option<&ProgramCheck>,
    ) {
        for (j, row) in report.rows.iter().enumerate() {
            let seen = program.map_or(0.0, |p| p.distances[j]).max(ROUNDINGS * f64::EPSILON);
            let size = largest(row.iter().zip(model.parameters()).map(|(g, p)| g * p.scale));
            self.values[j] = self.values[j].max(ROUNDINGS * f64::EPSILON * run.psi[j].abs());
            for (error, p) in self.gradient[j].iter_mut().zip(model.parameters()) {
                *error = error.max(seen * size / p.scale);
            }
        }
    }
    /// The error of the penalty formulation.
    fn add_penalty(&mut self, model: &Prepared, run: &Run, report: &GradientReport) -> Result<(), Error> {
        if run.method.formulation != Formulation::Penalty {
            return Ok(());
        }
        let penalty = model.penalty_error(run, Some(report))?;
        self.values.iter_mut().zip(&penalty.values).for_each(|(error, e)| *error += e.error.abs());
        for (errors, row) in self.gradient.iter_mut().zip(penalty.gradient.iter().flatten()) {
            errors.iter_mut().zip(row).for_each(|(error, e)| *error += e.error.abs());
        }
        Ok(())
    }
    /// What g·d of objective `j` is known to: entries may be off in the same way, or each for itself.
    pub(super) fn along(&self, j: usize, direction: &Direction) -> f64 {
        let squares = self.gradient[j].iter().zip(&direction.d).map(|(error, d)| (error * d).powi(2));
        direction.dot(&self.differences[j]).abs().max(squares.sum::<f64>().sqrt())
    }
}

/// |x| of every entry.
fn sizes(rows: &Gradient) -> Gradient {
    rows.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect()
}

/// The method with steps or tolerances that are `factor` times as large; tolerances go by 10.
fn scaled(m: &Method, run: &Run, factor: f64) -> Method {
    let tolerance = if factor > 1.0 { 10.0 } else { 0.1 };
    let plan = &run.trajectory.plan;
    let controller = m.controller(plan.t[plan.steps()] - plan.t[0]);
    match (controller.tolerance, controller.step) {
        (Some(tol), _) => m.clone().tolerance(tolerance * tol.rtol, tolerance * tol.atol),
        (None, Some(h)) => m.clone().step(factor * h),
        (None, None) => m.clone(),
    }
}

/// Steps or tolerances in words.
fn described(m: &Method) -> String {
    match m.stepping {
        Stepping::Fixed(h) => format!("steps of {h} s"),
        Stepping::Adaptive { rtol, .. } => format!("rtol {rtol:.0e}"),
        Stepping::Default => "the same steps".into(),
    }
}
