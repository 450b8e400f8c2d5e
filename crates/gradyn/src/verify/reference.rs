//! The most accurate run that there is, and the steps of all others.

use super::compare::{Answer, Errors, Ruler};
use super::group::Group;
use super::{Combination, Deadline, Plan};
use crate::certificate::{Moved, Outcome};
use crate::error::{Error, ErrorKind};
use crate::method::{Method, Stepping};
use crate::prepared::Prepared;
use crate::progress::Stopwatch;
use crate::registry::{Formulation, Integrator};
use gradyn_dynamics::control::Mesh;
use gradyn_model::Warning;

/// Tolerances of the reference: the first one shows the error of the second.
const TIGHT: [f64; 2] = [1e-10, 1e-12];

/// What the rows are compared with: a run and its discrete adjoint.
pub struct Reference {
    /// The method of the reference.
    pub method: Method,
    /// Number of steps.
    pub steps: usize,
    /// Objectives and gradients.
    pub answer: Answer,
    /// Distance from the same with a hundred times the tolerance: largest, relative to the size of an
    /// objective.
    pub error: f64,
    /// Distance of one direction from a complex step through the program.
    pub certificate: f64,
    /// What runs of moved designs say of each objective; nothing where the budget left no time for them.
    pub moved: Vec<Moved>,
    /// Warnings of its run and of its gradient.
    pub warnings: Vec<Warning>,
    /// Computing time [s].
    pub seconds: f64,
    pub(super) duration: f64,
    pub(super) errors: Errors,
    pub(super) ruler: Ruler,
}

impl Reference {
    /// Why its gradient is not known to be that of the problem: an objective of which runs of moved designs
    /// say something else, or nothing.
    pub fn doubt(&self, objectives: &[String]) -> Option<String> {
        let word = |outcome: Outcome| match outcome {
            Outcome::Agrees => None,
            Outcome::Differs => Some("say something else"),
            Outcome::Unsettled => Some("do not settle: it jumps or kinks"),
            Outcome::NotRun => Some("could not be made"),
        };
        if self.moved.is_empty() && !objectives.is_empty() {
            return Some("the budget left no time for runs of moved designs".into());
        }
        let doubts = objectives.iter().zip(&self.moved);
        let doubt = |(name, m): (&String, &Moved)| {
            Some(format!("of `{name}` runs of moved designs {}", word(m.outcome)?))
        };
        doubts.filter_map(doubt).next()
    }
}

impl Prepared {
    /// The first that works: independent coordinates or index 1 by methods of high order, else a centre of
    /// the star. A reference that is not done at the end of the budget is none.
    pub(super) fn reference(
        &self,
        plan: &Plan,
        centres: &[(Formulation, Integrator); 2],
        deadline: &Deadline,
    ) -> Result<Reference, Vec<String>> {
        // candidates: tight tolerances first, then short steps of the centres
        let of = |formulation, integrator| Method { formulation, integrator, ..plan.method.clone() };
        let tight = [
            (Formulation::Maggi, Integrator::Dop853),
            (Formulation::Index1, Integrator::Dop853),
            (Formulation::Index1, Integrator::Radau5),
        ];
        let steps = Steps::new(self, plan, None).map_err(|e| vec![e.to_string()])?;
        let tight = tight.map(|(f, i)| TIGHT.map(|tol| of(f, i).tolerance(tol, tol)));
        let loose = centres.map(|(f, i)| steps.of(&of(f, i)));
        // the first that is good enough
        let mut refusals = vec![];
        for methods in tight.into_iter().chain(loose) {
            let started = Stopwatch::start();
            let group = Group::new(self, methods.clone(), deadline);
            match group.and_then(|g| g.into_reference(self, started, deadline)) {
                Ok(reference) => return Ok(reference),
                Err(e) if matches!(e.kind, ErrorKind::Cancelled { .. }) => {
                    refusals.push(format!("no reference within the budget of {} s", deadline.seconds()));
                    break;
                }
                Err(e) => {
                    refusals.push(format!(
                        "{} + {}: {e}",
                        methods[0].formulation.name(),
                        methods[0].integrator.name()
                    ));
                }
            }
        }
        refusals.dedup();
        Err(refusals)
    }
}

/// The longest piece of a run between times where steps must end. Longer steps are all the same run: two of
/// them differ by nothing.
fn longest_piece(mesh: &Mesh, end: f64) -> f64 {
    let begins = std::iter::once(mesh.start.0).chain(mesh.ends.iter().map(|e| e.0));
    begins.zip(&mesh.ends).fold(0.0, |longest, (begin, e)| f64::max(longest, e.0.min(end) - begin))
}

/// Refuses a step longer than `longest`, the longest piece of a run.
fn check_step(h: f64, longest: f64, duration: f64) -> Result<(), Error> {
    // a step grows by so much of itself rather than leave a sliver
    if h <= longest * (1.0 + 1e-6) {
        return Ok(());
    }
    let whole = if longest < duration {
        "every piece of the run between declared times and knots"
    } else {
        "the run"
    };
    let message = format!(
        "a step of {h} s is longer than {whole} ({longest:.6} s): half of it would be nearly the same run"
    );
    Err(Error::method(message, "give a shorter one by --step, such as a hundredth of that"))
}

/// The steps of every row.
pub(super) struct Steps {
    base: Method,
    h: f64,
}

impl Steps {
    /// Fixed steps are those of the method asked for, doubled until they are few enough; else a thousand, and
    /// four for each step of the reference. A condition ends the run after a third of a step, and of half of
    /// it after two: no last step is so short that rounding is all of it. None is longer than the longest
    /// piece between declared times and knots.
    pub(crate) fn new(model: &Prepared, plan: &Plan, reference: Option<&Reference>) -> Result<Self, Error> {
        // the run, and the longest step that fits between its ends
        let mesh = model.mesh()?;
        let (duration, count) = reference.map_or((mesh.end() - mesh.start.0, 0), |r| (r.duration, r.steps));
        let longest = longest_piece(&mesh, mesh.start.0 + duration);
        if let Stepping::Fixed(h) = plan.method.stepping {
            check_step(h, longest, duration)?;
        }
        // h = step of the plan, doubled until there are few enough, or by the reference
        let h = match (plan.method.stepping, plan.most_steps) {
            (Stepping::Fixed(h), None) => h,
            (Stepping::Fixed(h), Some(most)) => {
                let doubled = (duration / (h * most as f64)).log2().ceil().clamp(0.0, 60.0);
                (h * 2f64.powi(doubled as i32)).min(longest)
            }
            _ => {
                let rest = if model.model.until { 1.0 / 3.0 } else { 0.0 };
                (duration / ((4 * count).max(1000) as f64 + rest)).min(longest)
            }
        };
        Ok(Self { base: plan.method.clone(), h })
    }
    /// Both runs of a combination.
    pub(crate) fn method(&self, c: &Combination) -> [Method; 2] {
        self.of(&Method { formulation: c.formulation, integrator: c.integrator, ..self.base.clone() })
    }
    /// h and h/2, or a tolerance and a hundredth of it; by the order, so that no method takes many more steps
    /// than the others.
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
