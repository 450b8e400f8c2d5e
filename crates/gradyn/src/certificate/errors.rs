//! Errors of values and of every entry of a gradient, from another run.
//!
//! ```text
//! ± = |x(h) - x(2.07 h)|   or   |x(tol) - x(10 tol)|        x = (ψ, ∇ψ)                                  (1)
//!   = 3 |x(h) - x(h/2)|   or   3 |x(tol) - x(tol/10)|      where the coarser run fails or says nothing   (2)
//! ```
//! (1) is 2.07ᵖ - 1 times the error of a method of order p. Steps that are twice as long would end at nodes
//! of the run, and share what depends on where nodes are: the last step before an event, the sample that is
//! nearest to a peak, signals that repeat with the steps. Errors are not less than the rounding that the
//! check through the program has seen, nor than a tenth of the tolerance. A difference may be small by
//! chance, so that no entry is known better than its row, relative to its size:
//!
//! ```text
//! ±_k ≥ |g_k| √(Σ (±_i s_i)²/Σ (g_i s_i)²)                 s_i the scales of the parameters              (3)
//! ```
//! An edge or an event at which the run begins anew cuts a step where it falls. The derivatives behind it may
//! have an error that depends on the cut, as large in both runs and without order (`newmark`, `hht`,
//! `generalized-alpha`, `adams-bashforth`): their difference is no upper bound of it, and counts 3 times.
//! The error of the penalty formulation is added.

use super::claim::{Claim, Numbers, norm};
use super::direction::Direction;
use super::program::ProgramCheck;
use crate::error::Error;
use crate::method::{Method, Stepping};
use crate::penalty::Estimate;
use crate::prepared::Run;
use crate::registry::Formulation;
use gradyn_model::ParameterInfo;
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
/// Factor of derivatives behind an event that cuts a step.
const CUT: f64 = 3.0;

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
    /// Of a fit, what r and r_ρ d are known to.
    residuals: Option<[f64; 2]>,
}

impl Errors {
    /// (1), or (2) where that fails.
    pub(super) fn new(
        claim: &Claim,
        direction: &Direction,
        program: Option<&ProgramCheck>,
    ) -> Result<Self, Error> {
        // the other run with its gradient
        let run = claim.run;
        let steps = run.trajectory.plan.steps() as f64;
        let other = |factor: f64| -> Result<(Run, Numbers), Error> {
            let new = claim.model.run(&scaled(&run.method, run, factor))?;
            let sensitivity = match claim.sensitivity {
                s if s.is_continuous() || s.is_discrete() => s,
                _ => claim.model.auto().0,
            };
            let numbers = claim.again(&new, sensitivity)?;
            Ok((new, numbers))
        };
        let is_coarser = |r: &(Run, Numbers)| (r.0.trajectory.plan.steps() as f64) < SAME_RUN * steps;
        let is_loose = tolerance(run).is_some_and(|rtol| rtol > LOOSE);
        let coarser = if is_loose { None } else { other(COARSER).ok().filter(is_coarser) };
        let (weight, (other, numbers)) = match coarser {
            Some(coarser) => (1.0, coarser),
            None => (FINER, other(0.5)?),
        };

        // (1) or (2)
        let own = &claim.numbers;
        let values = apart(&own.psi, &numbers.psi, weight);
        let differences: Gradient =
            own.rows.iter().zip(&numbers.rows).map(|(a, b)| apart(a, b, weight)).collect();
        let mut new = Self::known(&values, differences, &other);
        new.residuals = residuals_apart(own, &numbers, direction, weight);
        if cuts(run) {
            let slopes = new.residuals.iter_mut().map(|r| &mut r[1]);
            new.gradient.iter_mut().flatten().chain(slopes).for_each(|error| *error *= CUT / weight);
        }
        new.add_row(claim);
        new.add_rounding(claim, program);
        new.add_rounding_of_residuals(claim, direction);
        new.add_penalty(claim, direction)?;
        Ok(new)
    }
    /// From differences to another run that are known.
    pub(crate) fn known(values: &[f64], differences: Gradient, other: &Run) -> Self {
        Self {
            values: values.iter().map(|x| x.abs()).collect(),
            gradient: sizes(&differences),
            other: described(&other.method),
            differences,
            residuals: None,
        }
    }
    /// No entry is known better than its row, (3).
    fn add_row(&mut self, claim: &Claim) {
        for (errors, row) in self.gradient.iter_mut().zip(&claim.numbers.rows) {
            let size = |x: &[f64]| {
                let scaled = |(x, p): (&f64, &ParameterInfo)| x * p.scale;
                norm(&x.iter().zip(claim.model.parameters()).map(scaled).collect::<Vec<_>>())
            };
            let [error, gradient] = [size(errors), size(row)];
            if gradient > 0.0 {
                errors.iter_mut().zip(row).for_each(|(e, g)| *e = e.max(g.abs() * error / gradient));
            }
        }
    }
    /// Nothing is below the rounding that was seen, nor below a part of the tolerance.
    fn add_rounding(&mut self, claim: &Claim, program: Option<&ProgramCheck>) {
        let least = least(claim.run);
        let parameters = claim.model.parameters();
        for (j, row) in claim.numbers.rows.iter().enumerate() {
            let seen = program.map_or(0.0, |p| p.distances[j]).max(least);
            let size = largest(row.iter().zip(parameters).map(|(g, p)| g * p.scale));
            self.values[j] = self.values[j].max(least * claim.numbers.psi[j].abs());
            for (error, p) in self.gradient[j].iter_mut().zip(parameters) {
                *error = error.max(seen * size / p.scale);
            }
        }
    }
    /// Residuals are not known better than a part of the tolerance, nor than rounding.
    fn add_rounding_of_residuals(&mut self, claim: &Claim, direction: &Direction) {
        let (Some(errors), Some(own)) = (&mut self.residuals, &claim.numbers.residuals) else { return };
        let least = least(claim.run);
        let along = own.jacobian.chunks(direction.d.len().max(1)).map(|row| direction.dot(row));
        errors[0] = errors[0].max(least * norm(&own.values));
        errors[1] = errors[1].max(least * norm(&along.collect::<Vec<_>>()));
    }
    /// The error of the penalty formulation.
    fn add_penalty(&mut self, claim: &Claim, direction: &Direction) -> Result<(), Error> {
        if claim.run.method.formulation != Formulation::Penalty {
            return Ok(());
        }
        let stiffer = claim.model.stiffer(claim.run)?;
        let numbers = claim.again(&stiffer, claim.sensitivity)?;
        let off = |a: &f64, b: &f64| Estimate::new(*a, *b).error.abs();
        let own = &claim.numbers;
        for (error, (a, b)) in self.values.iter_mut().zip(own.psi.iter().zip(&numbers.psi)) {
            *error += off(a, b);
        }
        for (errors, (a, b)) in self.gradient.iter_mut().zip(own.rows.iter().zip(&numbers.rows)) {
            errors.iter_mut().zip(a.iter().zip(b)).for_each(|(error, (a, b))| *error += off(a, b));
        }
        if let (Some(errors), Some(off)) =
            (&mut self.residuals, residuals_apart(own, &numbers, direction, 1.0))
        {
            errors.iter_mut().zip(off).for_each(|(error, off)| *error += off);
        }
        Ok(())
    }
    /// What y of objective `j` is known to.
    pub(super) fn of_y(&self, claim: &Claim, j: usize) -> f64 {
        match self.residuals {
            Some([error, _]) if claim.is_fit(j) => error,
            _ => self.values[j],
        }
    }
    /// What y_ρ d of objective `j` is known to: entries may be off in the same way, or each for itself.
    pub(super) fn along(&self, claim: &Claim, j: usize, direction: &Direction) -> f64 {
        match self.residuals {
            Some([_, error]) if claim.is_fit(j) => error,
            _ => {
                let each = self.gradient[j].iter().zip(&direction.d).map(|(error, d)| error * d);
                direction.dot(&self.differences[j]).abs().max(norm(&each.collect::<Vec<_>>()))
            }
        }
    }
}

/// Does the run start anew at an event?
fn cuts(run: &Run) -> bool {
    let plan = &run.trajectory.plan;
    (0..plan.steps()).any(|n| plan.edges[n].is_some() && plan.restarts[n + 1])
}

/// The least relative error that is believed: a part of the tolerance, or rounding.
fn least(run: &Run) -> f64 {
    (OF_TOLERANCE * tolerance(run).unwrap_or(0.0)).max(ROUNDINGS * f64::EPSILON)
}

/// Differences of r and of r_ρ d of two runs of a fit, times a weight.
fn residuals_apart(a: &Numbers, b: &Numbers, direction: &Direction, weight: f64) -> Option<[f64; 2]> {
    let (a, b) = (a.residuals.as_ref()?, b.residuals.as_ref()?);
    let slopes = apart(&a.jacobian, &b.jacobian, weight);
    let along = slopes.chunks(direction.d.len().max(1)).map(|row| direction.dot(row));
    Some([norm(&apart(&a.values, &b.values, weight)), norm(&along.collect::<Vec<_>>())])
}

/// a - b, times a weight.
fn apart(a: &[f64], b: &[f64], weight: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| weight * (a - b)).collect()
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
