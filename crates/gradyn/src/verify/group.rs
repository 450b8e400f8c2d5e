//! A run, the same run with shorter steps, and what sensitivities say about them.

use super::Deadline;
use super::compare::{Answer, Errors, Ruler};
use super::reference::Reference;
use super::row::{Against, Measured};
use crate::certificate;
use crate::error::Error;
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::progress::Stopwatch;
use crate::registry::{Formulation, Integrator, Sensitivity, orders};
use gradyn_model::{Owner, ParameterInfo, Subject, Warning, WarningCode};
use gradyn_sensitivity::Gradient;
use std::ops::ControlFlow;

/// The error of a value is not less than what it becomes where parameters move by this part of their scales.
const CHANGE: f64 = 0.01;

/// Steps of other extrapolated differences, relative to those asked for: they have other roundings.
const OTHER_STEP: f64 = 0.7;

/// Runs with h and h/2, or with a tolerance and a hundredth of it, and their discrete adjoints.
pub(super) struct Group {
    pub runs: [Run; 2],
    pub answers: [Answer; 2],
    /// (3) of the first.
    penalty: Option<Answer>,
}

impl Group {
    pub(crate) fn new(model: &Prepared, methods: [Method; 2], deadline: &Deadline) -> Result<Self, Error> {
        let run = |m: &Method| -> Result<_, Error> {
            let run = model.simulate(m, &mut |_| deadline.flow())?;
            let gradient = model.gradient(&run, Sensitivity::DiscreteAdjoint)?;
            Ok((run, gradient))
        };
        let coarse = run(&methods[0])?;
        let fine = run(&methods[1])?;
        let estimate = methods[0].formulation == Formulation::Penalty;
        let penalty = estimate.then(|| model.penalty_error(&coarse.0, Some(&coarse.1))).transpose()?;
        let answer = |(run, g): (&Run, Gradient)| Answer { psi: run.psi.clone(), rows: g };
        Ok(Self {
            answers: [answer((&coarse.0, coarse.1.rows)), answer((&fine.0, fine.1.rows))],
            runs: [coarse.0, fine.0],
            penalty: penalty.as_ref().map(Answer::of_penalty),
        })
    }
    /// The second run as a reference. Designs are moved with the first one, which is known to their
    /// difference.
    pub(crate) fn into_reference(
        self,
        model: &Prepared,
        started: Stopwatch,
        deadline: &Deadline,
    ) -> Result<Reference, Error> {
        let [coarse_run, run] = self.runs;
        let [coarse, answer] = self.answers;
        // what it is known to, and one direction through the program
        let ruler = Ruler::new(model.parameters().iter().map(|p| p.scale).collect(), &answer);
        let difference = answer.minus(&coarse);
        let errors = ruler.norms(&difference);
        let program = model.check_program(&run, &answer.rows)?;
        // runs of moved designs
        let known = certificate::Errors::known(&difference.psi, difference.rows, &coarse_run);
        let moved = match deadline.flow() {
            ControlFlow::Continue(()) => certificate::moved_designs(model, &coarse_run, &answer.rows, &known),
            ControlFlow::Break(()) => vec![],
        };
        let seconds = started.seconds();
        Ok(Reference {
            moved,
            warnings: run.warnings.clone(),
            steps: run.trajectory.plan.steps(),
            duration: run.trajectory.plan.t[run.trajectory.plan.steps()] - run.trajectory.plan.t[0],
            method: run.method,
            answer,
            error: errors.largest(),
            certificate: program.distance(),
            seconds,
            errors,
            ruler,
        })
    }
    /// One sensitivity of these runs, compared.
    pub(crate) fn measure(
        &self,
        model: &Prepared,
        s: Sensitivity,
        reference: Option<&Reference>,
    ) -> Result<Measured, Error> {
        let Some(reference) = reference else {
            let help = "look at the reason above the table";
            return Err(Error::method("there is no reference to compare with", help));
        };
        let of = |run: &Run| -> Result<Answer, Error> {
            Ok(Answer { psi: run.psi.clone(), rows: model.gradient(run, s)?.rows })
        };
        let run = &self.runs[0];
        // what its error is known by: the other run, its own steps, its bars, or rounding
        match s {
            Sensitivity::DiscreteAdjoint => Ok(self.converging(self.answers.clone(), reference)),
            s if s.is_continuous() => Ok(self.converging([of(run)?, of(&self.runs[1])?], reference)),
            Sensitivity::FiniteDifference => {
                let step = run.method.fd_step;
                let other =
                    Answer { psi: run.psi.clone(), rows: model.central_differences(run, 4.0 * step)? };
                let answer = of(run)?;
                let expected = |ruler: &Ruler| difference_error(ruler, &answer, &other, step);
                Ok(self.beside(answer.clone(), expected, reference))
            }
            Sensitivity::Extrapolated => self.extrapolated(model, reference),
            _ => {
                let noise = self.noise(model);
                let expected = |ruler: &Ruler| {
                    let least = ruler.uniform(rounding(run));
                    noise.as_ref().map_or(least.clone(), |x| least.plus(&ruler.norms(x)))
                };
                Ok(self.beside(of(run)?, expected, reference))
            }
        }
    }
    /// Extrapolated differences, compared by their error bars.
    fn extrapolated(&self, model: &Prepared, reference: &Reference) -> Result<Measured, Error> {
        // distance against bars, tolerance, and what other steps say
        let run = &self.runs[0];
        let g = model.gradient(run, Sensitivity::Extrapolated)?;
        let bars = Answer { psi: vec![0.0; run.psi.len()], rows: g.bars.unwrap_or_default() };
        let tolerance = run.method.extrapolation_tol;
        let answer = Answer { psi: run.psi.clone(), rows: g.rows };
        let step = OTHER_STEP * run.method.extrapolation_step;
        let other = Answer { psi: run.psi.clone(), rows: model.extrapolated_from(run, step)? };
        let apart = answer.minus(&other);
        let expected =
            |ruler: &Ruler| ruler.norms(&bars).plus(&ruler.norms(&apart)).plus(&ruler.uniform(tolerance));
        let measured = self.beside(answer, expected, reference);
        // warnings of this entry, or of the final time, which all entries use
        let entry = Subject::new(Owner::Derivative, measured.distance.entry.name(model));
        let of = |s: &Subject| *s == entry || s.kind == Owner::FinalTime;
        let about = |w: &Warning| w.code == WarningCode::NotConverged && w.subject.as_ref().is_some_and(of);
        let warnings = g.warnings.into_iter().filter(about).collect();
        Ok(Measured { warnings, ..measured })
    }
    /// What rounding does to the discrete adjoint: the same with parameters moved by four roundings, this way
    /// and that.
    fn noise(&self, model: &Prepared) -> Option<Answer> {
        let moved = |(k, p): (usize, &ParameterInfo)| {
            let sign = if k.is_multiple_of(2) { 4.0 } else { -4.0 };
            model.rho[k] + sign * f64::EPSILON * p.scale
        };
        let other = model.at(&model.parameters().iter().enumerate().map(moved).collect::<Vec<_>>()).ok()?;
        let run = other.run(&self.runs[0].method).ok()?;
        let rows = other.gradient(&run, Sensitivity::DiscreteAdjoint).ok()?.rows;
        Some(Answer { psi: run.psi, rows }.minus(&self.answers[0]))
    }
    /// (1)–(4): answers of both runs against the reference.
    fn converging(&self, [coarse, fine]: [Answer; 2], reference: &Reference) -> Measured {
        let ruler = &reference.ruler;
        let run = &self.runs[0];
        let moved = ruler.norms(&coarse.minus(&fine)).lasting(CHANGE);
        let mut expected =
            moved.times(richardson(&run.method)).plus(&reference.errors).plus(&ruler.uniform(rounding(run)));
        let penalty = self.penalty.as_ref().map(|p| ruler.norms(p));
        if let Some(p) = &penalty {
            expected = expected.plus(p);
        }
        let off = coarse.minus(&reference.answer);
        let distances = [&off, &fine.minus(&reference.answer)].map(|x| ruler.norms(x).largest());
        let floor = 10.0 * (reference.error + rounding(run) + penalty.as_ref().map_or(0.0, Errors::largest));
        let measurable = !run.method.adapts() && distances[1] > floor;
        let order = measurable.then(|| (distances[0] / distances[1]).log2());
        let known = reference.errors.plus(&ruler.uniform(rounding(run)));
        Measured {
            distance: ruler.worst(&off, &expected),
            weakest: ruler.weakest(&off, &reference.answer, &known),
            against: Against::Reference,
            // half an order: the next term of the error at steps that are not short
            slow: order.is_some_and(|o| o < run.method.integrator.order() as f64 - 0.5),
            order,
            moved: moved.largest(),
            penalty: penalty.map(|p| p.largest()),
            steps: run.trajectory.plan.steps(),
            warnings: run.warnings.clone(),
            answer: coarse,
        }
    }
    /// An answer against the discrete adjoint of the same run.
    fn beside(&self, answer: Answer, expected: impl Fn(&Ruler) -> Errors, reference: &Reference) -> Measured {
        let ruler = &reference.ruler;
        let truth = &self.answers[0];
        let off = answer.minus(truth);
        // what the adjoint is known to: rounding, and what a reference that does not see an entry knows
        let known = reference.errors.plus(&ruler.uniform(rounding(&self.runs[0])));
        Measured {
            distance: ruler.worst(&off, &expected(ruler)),
            weakest: ruler.weakest(&off, truth, &known),
            against: Against::SameRun,
            order: None,
            slow: false,
            moved: 0.0,
            penalty: None,
            steps: self.runs[0].trajectory.plan.steps(),
            warnings: vec![],
            answer,
        }
    }
}

/// The factor of (1), with the order of the slowest block; of (2) it is 1.
fn richardson(m: &Method) -> f64 {
    if m.adapts() {
        return 1.0;
    }
    let least = orders(m.formulation, m.integrator).into_iter().min().unwrap_or(1).max(1);
    1.0 / (1.0 - 0.5f64.powi(least as i32))
}

/// Rounding of a gradient: 1e-10, more over many steps. Constraints of positions amplify the rounding of q by
/// 1/(c₁h)², where c₁ of radau5 is 0.155.
fn rounding(run: &Run) -> f64 {
    let steps = run.trajectory.plan.steps() as f64;
    let amplified =
        run.method.formulation == Formulation::Index3 && run.method.integrator == Integrator::Radau5;
    (1e-13 * steps).max(if amplified { 1e-9 } else { 1e-10 })
}

/// Error of central differences: with four times the step truncation is 16 times as large and rounding a
/// quarter, so that the difference shows the larger of both; ψ itself is known to a hundred roundings.
fn difference_error(ruler: &Ruler, a: &Answer, b: &Answer, step: f64) -> Errors {
    ruler.norms(&a.minus(b)).plus(&ruler.uniform(100.0 * f64::EPSILON / step))
}
