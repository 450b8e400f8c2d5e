//! The most accurate run that there is, and the steps of all others.

use super::compare::{Answer, Errors, Ruler};
use super::group::Group;
use super::{Combination, Plan};
use crate::error::Error;
use crate::method::{Method, Stepping};
use crate::prepared::Prepared;
use crate::registry::{Formulation, Integrator};
use std::time::Instant;

/// Tolerances of the reference: the first one shows the error of the second.
const TIGHT: [f64; 2] = [1e-10, 1e-12];

/// What the rows are compared with: a run and its discrete adjoint.
pub struct Reference {
    /// Method.
    pub method: Method,
    /// Number of steps.
    pub steps: usize,
    /// Objectives and gradients.
    pub answer: Answer,
    /// Distance from the same with a hundred times the tolerance: largest, relative to the size of an objective.
    pub error: f64,
    /// Distance of one direction from a complex step through the program.
    pub certificate: f64,
    /// Seconds.
    pub seconds: f64,
    pub(super) duration: f64,
    pub(super) errors: Errors,
    pub(super) ruler: Ruler,
}

impl Prepared {
    /// The first that works: independent coordinates or index 1 by methods of high order, else a centre of the star.
    pub(super) fn reference(&self, plan: &Plan, centres: &[(Formulation, Integrator); 2]) -> Result<Reference, Vec<String>> {
        let of = |formulation, integrator| Method { formulation, integrator, ..plan.method.clone() };
        let tight = [
            (Formulation::Maggi, Integrator::Dop853),
            (Formulation::Index1, Integrator::Dop853),
            (Formulation::Index1, Integrator::Radau5),
        ];
        let steps = Steps::new(self, plan, None).map_err(|e| vec![e.to_string()])?;
        let tight = tight.map(|(f, i)| TIGHT.map(|tol| of(f, i).tolerance(tol, tol)));
        let loose = centres.map(|(f, i)| steps.of(&of(f, i)));
        let mut refusals = vec![];
        for methods in tight.into_iter().chain(loose) {
            let started = Instant::now();
            let group = Group::new(self, methods.clone());
            match group.and_then(|g| g.into_reference(self, started.elapsed().as_secs_f64())) {
                Ok(reference) => return Ok(reference),
                Err(e) => {
                    refusals.push(format!("{} + {}: {e}", methods[0].formulation.name(), methods[0].integrator.name()));
                }
            }
        }
        refusals.dedup();
        Err(refusals)
    }
}

/// The steps of every row.
pub(super) struct Steps {
    base: Method,
    h: f64,
}

impl Steps {
    /// Fixed steps are those of the method asked for, doubled until they are few enough; else a thousand, and four for each step of the
    /// reference. A condition ends the run after a third of a step, and of half of it after two: no last step is so short that
    /// rounding is all of it.
    pub fn new(model: &Prepared, plan: &Plan, reference: Option<&Reference>) -> Result<Self, Error> {
        let mesh = model.mesh()?;
        let (duration, count) = reference.map_or((mesh.end() - mesh.start.0, 0), |r| (r.duration, r.steps));
        let h = match (plan.method.stepping, plan.most_steps) {
            (Stepping::Fixed(h), None) => h,
            (Stepping::Fixed(h), Some(most)) => {
                let doubled = (duration / (h * most as f64)).log2().ceil().clamp(0.0, 60.0);
                h * 2f64.powi(doubled as i32)
            }
            _ => {
                let rest = if model.model.until { 1.0 / 3.0 } else { 0.0 };
                duration / ((4 * count).max(1000) as f64 + rest)
            }
        };
        Ok(Self { base: plan.method.clone(), h })
    }
    /// Both runs of a combination.
    pub fn method(&self, c: &Combination) -> [Method; 2] {
        self.of(&Method { formulation: c.formulation, integrator: c.integrator, ..self.base.clone() })
    }
    /// h and h/2, or τ and τ/100; τ by the order, so that no method takes many more steps than the others.
    fn of(&self, m: &Method) -> [Method; 2] {
        if !m.integrator.adapts() {
            return [self.h, 0.5 * self.h].map(|h| m.clone().step(h));
        }
        let tolerance = match m.integrator.order() {
            0..=3 => 1e-5,
            4 => 1e-6,
            _ => 1e-7,
        };
        [tolerance, 0.01 * tolerance].map(|tol| m.clone().tolerance(tol, tol))
    }
}
