//! Errors of values and of every entry of a gradient, from another run.
//!
//! ```text
//! ± = |x(h) - x(2.07 h)|   or   |x(tol) - x(10 tol)|        x = (ψ, ∇ψ)                                  (1)
//!   = 3 |x(h) - x(h/2)|   or   3 |x(tol) - x(tol/10)|      where the coarser run fails or says nothing   (2)
//! ```
//! (1) is 2.07ᵖ - 1 times the error of a method of order p. Steps that are twice as long would end at nodes of
//! the run, and share what depends on where nodes are: the last step before an event, the sample that is nearest
//! to a peak, signals that repeat with the steps. Errors are not less than the rounding that the check through
//! the program has seen, nor than a tenth of the tolerance. A difference may be small by chance, so that no entry
//! is known better than its row, relative to its size:
//!
//! ```text
//! ±_k ≥ |g_k| √(Σ (±_i s_i)²/Σ (g_i s_i)²)                 s_i the scales of the parameters              (3)
//! ```
//! The error of the penalty formulation is added.

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
/// Factor of the steps of the coarser run.
const COARSER: f64 = 2.07;
/// Above this tolerance a run by ten times as much says nothing.
const LOOSE: f64 = 3e-5;
/// The part of the tolerance that nothing is known better than.
const OF_TOLERANCE: f64 = 0.1;
/// A run with longer steps that has more than this part of the steps is the same run.
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
        let is_loose = tolerance(run).is_some_and(|rtol| rtol > LOOSE);
        let coarser = if is_loose { None } else { other(COARSER).ok().filter(is_coarser) };
        let (weight, (coarse, rows)) = match coarser {
            Some(coarser) => (1.0, coarser),
            None => (FINER, other(0.5)?),
        };

        // (1) or (2)
        let apart =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| weight * (a - b)).collect() };
        let values = apart(&run.psi, &coarse.psi);
        let differences: Gradient = report.rows.iter().zip(&rows).map(|(a, b)| apart(a, b)).collect();
        let mut new = Self::known(&values, differences, &coarse);
        new.add_row(model, report);
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
    /// No entry is known better than its row, (3).
    fn add_row(&mut self, model: &Prepared, report: &GradientReport) {
        for (errors, row) in self.gradient.iter_mut().zip(&report.rows) {
            let size = |x: &[f64]| {
                x.iter().zip(model.parameters()).map(|(x, p)| (x * p.scale).powi(2)).sum::<f64>().sqrt()
            };
            let [error, gradient] = [size(errors), size(row)];
            if gradient > 0.0 {
                errors.iter_mut().zip(row).for_each(|(e, g)| *e = e.max(g.abs() * error / gradient));
            }
        }
    }
    /// Nothing is below the rounding that was seen, nor below a part of the tolerance.
    fn add_rounding(
        &mut self,
        model: &Prepared,
        run: &Run,
        report: &GradientReport,
        program: Option<&ProgramCheck>,
    ) {
        let least = (OF_TOLERANCE * tolerance(run).unwrap_or(0.0)).max(ROUNDINGS * f64::EPSILON);
        for (j, row) in report.rows.iter().enumerate() {
            let seen = program.map_or(0.0, |p| p.distances[j]).max(least);
            let size = largest(row.iter().zip(model.parameters()).map(|(g, p)| g * p.scale));
            self.values[j] = self.values[j].max(least * run.psi[j].abs());
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

/// The relative tolerance of a run that has one.
fn tolerance(run: &Run) -> Option<f64> {
    let plan = &run.trajectory.plan;
    run.method.controller(plan.t[plan.steps()] - plan.t[0]).tolerance.map(|tol| tol.rtol)
}

/// The method with steps or tolerances that are `factor` times as large; tolerances go by 10.
fn scaled(m: &Method, run: &Run, factor: f64) -> Method {
    let tenfold = if factor > 1.0 { 10.0 } else { 0.1 };
    let plan = &run.trajectory.plan;
    let controller = m.controller(plan.t[plan.steps()] - plan.t[0]);
    match (controller.tolerance, controller.step) {
        (Some(tol), _) => m.clone().tolerance(tenfold * tol.rtol, tenfold * tol.atol),
        (None, Some(h)) => m.clone().step(factor * h),
        (None, None) => m.clone(),
    }
}

/// Steps or tolerances in words.
fn described(m: &Method) -> String {
    match m.stepping {
        Stepping::Fixed(h) => {
            // three digits
            let decimals = (2.0 - h.log10().floor()).max(1.0) as usize;
            let text = format!("{h:.decimals$}");
            format!("steps of {} s", text.trim_end_matches('0').trim_end_matches('.'))
        }
        Stepping::Adaptive { rtol, .. } => format!("rtol {rtol:.0e}"),
        Stepping::Default => "the same steps".into(),
    }
}
