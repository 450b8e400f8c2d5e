//! What a gradient needs, and what is said about one: refusals, and warnings of its entries.

use crate::error::Error;
use crate::prepared::{Prepared, Run};
use gradyn_model::{FunctionalSet, ModelError, Owner, ParameterInfo, Subject, Warning, WarningCode};
use gradyn_sensitivity::{Gradient, differences};

/// What to try where a derivative is not finite.
pub(super) const NO_SLOPE: &str = "look for a law that has no derivative on this run, such as sqrt at 0";

impl Prepared {
    /// Gradients need objectives too.
    pub(crate) fn check_parameters(&self) -> Result<(), Error> {
        if self.objectives().is_empty() {
            return Err(ModelError::new("the model has no objective")
                .help("add [objective] with `integral` or `terminal`")
                .into());
        }
        check_used(self)
    }
}

/// λ and a of the last node, where they follow from positions, have an error that moves with the last
/// step: its derivative over the final time does not vanish with h.
pub(super) fn moving_end(model: &Prepared, run: &Run) -> Option<Warning> {
    let advice = inexact_end(model, run).filter(|_| model.model.system.reads_final_dynamics())?;
    let m = &run.method;
    let names = format!("{} + {}", m.formulation.name(), m.integrator.name());
    let text = format!(
        "the final time depends on parameters, and derivatives of terminal reactions and accelerations \
        over it have an error with {names} that does not vanish with the step; {advice}"
    );
    Some(Warning::new(WarningCode::MovingEnd, text).about(Owner::FinalTime, "t_F"))
}

/// What to use instead, where the final time moves and λ and a there follow from positions.
pub(super) fn inexact_end(model: &Prepared, run: &Run) -> Option<&'static str> {
    let m = &run.method;
    let by_event = run.trajectory.plan.edges.last().flatten().is_some();
    let moves = model.model.until || by_event || moved_by(model, run, model.model.times.end).is_some();
    m.exact_dynamics().filter(|_| moves)
}

/// The first parameter that a slot depends on, at the parameters of a run.
pub(super) fn moved_by<'a>(model: &'a Prepared, run: &Run, slot: u32) -> Option<&'a ParameterInfo> {
    let equations = &model.model;
    let mut seed = vec![0.0; equations.slots(&run.rho).len()];
    seed[slot as usize] = 1.0;
    let slopes = equations.pull_back(&run.rho, &seed);
    equations.parameters.iter().zip(slopes).find(|(_, slope)| *slope != 0.0).map(|(p, _)| p)
}

/// The first objective whose slopes at a node are not finite: in a backward sweep it spoils the others
/// too.
pub(super) fn without_slope(model: &Prepared, run: &Run) -> Option<Error> {
    let sys = &model.model.system;
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let p = model.model.slots(&run.rho);
    // first node and functional with a derivative that is not finite
    let mut terms = sys.evaluator(&p);
    for n in 0..=plan.steps() {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        for set in [FunctionalSet::Integrand, FunctionalSet::Terminal]
            .into_iter()
            .take(1 + usize::from(n == plan.steps()))
        {
            let mut row = vec![0.0; lay.z() + sys.support(set).len()];
            for (k, functional) in model.functionals().iter().enumerate() {
                terms.measure_row(set, k, &at, &mut row);
                if row.iter().any(|x| !x.is_finite()) {
                    let e = ModelError::new(format!("{functional} has no derivative at t = {} s", at.t));
                    let subject = model.objectives().get(k).map(|o| Subject::new(Owner::Objective, o));
                    let e = ModelError { subject, ..e };
                    return Some(e.help(NO_SLOPE).into());
                }
            }
        }
    }
    None
}

/// Gradients need a run of this model at these parameters, without jumps.
pub(super) fn check_run(model: &Prepared, run: &Run) -> Result<(), Error> {
    model.check_own(run)?;
    if let Some(t) = run.singular {
        let e = ModelError::new(format!(
            "the run passes a singular position at t = {t} s: beyond it there is no gradient"
        ));
        return Err(e
            .help(
                "the motion may leave it on either branch, whatever the parameters: end the run before \
                it",
            )
            .into());
    }
    if let Some(passed) = &run.passed {
        return Err(passed.refusal().into());
    }
    run.jump.as_ref().map_or(Ok(()), |jump| Err(jump.refusal().into()))
}

/// Sensitivities need parameters that something reads.
pub(super) fn check_used(model: &Prepared) -> Result<(), Error> {
    if model.parameters().is_empty() {
        return Err(ModelError::new("the model has no parameter")
            .help("name numbers in [parameters]")
            .into());
    }
    match model.model.parameters.iter().find(|p| !p.used) {
        None => Ok(()),
        Some(p) => {
            let message = format!("parameter `{}` reaches nothing: no number of the model uses it", p.name);
            let e = ModelError::new(message).about(Owner::Parameter, &p.name);
            Err(e.help("use it in an expression, or remove it").into())
        }
    }
}

/// Non-finite entries are errors, zero entries are reported.
pub(crate) fn checked(
    objectives: &[String],
    parameters: &[String],
    rows: &Gradient,
) -> Result<Vec<Warning>, Error> {
    let mut notes = vec![];
    // an error where it is not finite, a note where it is zero
    for (objective, row) in objectives.iter().zip(rows) {
        for (p, g) in parameters.iter().zip(row) {
            if !g.is_finite() {
                let e = ModelError::new(format!("d{objective}/d{p} is not a finite number"));
                return Err(e.help(NO_SLOPE).into());
            }
            if *g == 0.0 {
                let text = format!("`{p}` does not change `{objective}` in this run");
                notes.push(Warning::new(WarningCode::Zero, text).about(Owner::Parameter, p));
            }
        }
    }
    Ok(notes)
}

/// What warnings call a condition for the final time, which is one more objective, and the final time, which
/// is one more parameter.
const UNTIL: &str = "(until)";
const FINAL_TIME: &str = "(final time)";

/// Entries of extrapolated differences that did not converge.
pub(crate) fn not_converged(
    objectives: &[String],
    parameters: &[String],
    e: &differences::Extrapolated,
) -> Vec<Warning> {
    let mut list = vec![];
    let name =
        |names: &[String], k: usize, hidden: &str| names.get(k).map_or(hidden.to_owned(), Clone::clone);
    // entries that did not reach the tolerance
    for (j, row) in e.converged.iter().enumerate() {
        for k in (0..row.len()).filter(|&k| !row[k]) {
            let objective = name(objectives, j, UNTIL);
            let parameter = name(parameters, k, FINAL_TIME);
            let bar = e.bars[j][k];
            let entry = format!("d{objective}/d{parameter}");
            let text = format!("{entry} is known to ± {bar:.1e} only; try another extrapolation_step");
            let hidden = j >= objectives.len() || k >= parameters.len();
            let kind = if hidden { Owner::FinalTime } else { Owner::Derivative };
            list.push(Warning::new(WarningCode::NotConverged, text).about(kind, entry));
        }
    }
    list
}
