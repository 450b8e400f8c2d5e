//! Gradients of a run, by name of the method, and what they are checked with.

mod checks;
mod held;
mod products;

pub use products::Outputs;

pub(crate) use checks::{checked, not_converged};

use checks::{check_run, check_used, moving_end, without_slope};
use held::check_held;

use crate::diagnose::{check_redundant_outputs, check_redundant_parameters};
use crate::error::Error;
use crate::memory::{check_sensitivity, check_whole};
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::registry::Sensitivity;
use gradyn_dynamics::{StepError, StepRecipe};
use gradyn_model::{LONGEST_PATH, Warning};
use gradyn_sensitivity::continuous::Form;
use gradyn_sensitivity::{
    Adjoint, Case, Contributions, Design, Gradient, automatic, complex_step, continuous, differences, direct,
    program,
};
use std::time::Instant;

/// A gradient and how it was computed.
pub struct GradientReport {
    /// One row per objective, one column per parameter.
    pub rows: Gradient,
    /// The method that computed it.
    pub sensitivity: Sensitivity,
    /// Computing time [s].
    pub seconds: f64,
    /// Corrections per record of program derivatives.
    pub corrections: Option<program::Corrections>,
    /// Error bars of extrapolated differences.
    pub bars: Option<Gradient>,
    /// Things to know about this gradient.
    pub warnings: Vec<Warning>,
}

/// What a method returns.
pub(crate) struct Rows {
    pub rows: Gradient,
    pub corrections: Option<program::Corrections>,
    pub extrapolated: Option<differences::Extrapolated>,
}

/// The gradient of a case, by name of the method.
pub(crate) fn rows_by(case: &Case, m: &Method, sensitivity: Sensitivity) -> Result<Rows, StepError> {
    // rows, and what some methods know besides
    let plain = |rows: Gradient| Rows { rows, corrections: None, extrapolated: None };
    let program = |(rows, c): (Gradient, program::Corrections)| Rows { corrections: Some(c), ..plain(rows) };
    // rows by the method
    Ok(match sensitivity {
        Sensitivity::DiscreteDirect => plain(direct(case, |_, _| {})?.gradient),
        Sensitivity::DiscreteAdjoint => plain(Adjoint::new(case)?.gradient(case)?),
        Sensitivity::Automatic => program(automatic(case)?),
        Sensitivity::ComplexStep => program(complex_step(case)?),
        Sensitivity::Direct => plain(continuous::direct(case)?.gradient),
        Sensitivity::AdjointExplicit => plain(continuous::adjoint(case, Form::Explicit, m.tolerances())?),
        Sensitivity::AdjointSemiExplicit => {
            plain(continuous::adjoint(case, Form::SemiExplicit, m.tolerances())?)
        }
        Sensitivity::AdjointStateSpace => plain(continuous::adjoint(case, Form::StateSpace, m.tolerances())?),
        Sensitivity::AdjointDae => plain(continuous::adjoint(case, Form::Dae, m.tolerances())?),
        Sensitivity::FiniteDifference => plain(differences::central(case, m.fd_step, false)?),
        Sensitivity::Extrapolated => {
            let e = differences::extrapolated(case, m.extrapolation_step, m.extrapolation_tol)?;
            Rows { rows: e.gradient.clone(), corrections: None, extrapolated: Some(e) }
        }
    })
}

/// The adjoint of index 3, which takes constraints of positions only, and what to use for others.
pub(crate) fn index3_adjoint(s: Sensitivity, m: &Method) -> Option<[&'static str; 2]> {
    let holds = s == Sensitivity::AdjointDae && m.formulation.position_level();
    holds.then_some(["adjoint-dae of index 3", "use direct or discrete-adjoint, or index1"])
}

/// Refuses sensitivities of the equations of motion for a run that has events or chose its rows again:
/// they have one law and one set of rows.
fn check_one_choice(run: &Run, sensitivity: Sensitivity) -> Result<(), Error> {
    let plan = &run.trajectory.plan;
    let changes = |n: &usize| plan.restarts[*n] || plan.edges[*n].is_some();
    let changed = (0..=plan.steps()).find(changes);
    if let Some(n) = changed.filter(|_| sensitivity.is_continuous()) {
        let message = format!(
            "{} has one law, and in this run a condition changes at t = {} s",
            sensitivity.name(),
            plan.t[n]
        );
        return Err(Error::method(message, "use discrete-adjoint or discrete-direct, which follow the run"));
    }
    let Some(n) = plan.changes_rows().filter(|_| sensitivity.is_continuous()) else { return Ok(()) };
    let message = format!(
        "{} has one set of constraints, and this run leaves out other redundant ones from t = {} s on",
        sensitivity.name(),
        plan.t[n - 1]
    );
    Err(Error::method(message, "use discrete-adjoint or discrete-direct, which follow the run"))
}

/// Refuses sensitivities of the equations of motion for trees without tangent matrices.
fn check_tangents(model: &Prepared, sensitivity: Sensitivity) -> Result<(), Error> {
    if !model.model.system.is_long() || !sensitivity.is_continuous() {
        return Ok(());
    }
    let message = format!(
        "{} needs tangent matrices, which {} coordinates have up to paths of {LONGEST_PATH} coordinates; \
         this tree has a longer one",
        sensitivity.name(),
        model.model.family.name()
    );
    Err(Error::method(message, "use discrete-adjoint or discrete-direct, or natural coordinates"))
}

impl Prepared {
    /// The gradient of a run by one method.
    pub fn gradient(&self, run: &Run, sensitivity: Sensitivity) -> Result<GradientReport, Error> {
        // what can be refused before it is computed
        sensitivity.check(run.method.formulation)?;
        check_tangents(self, sensitivity)?;
        if let Some([name, help]) = index3_adjoint(sensitivity, &run.method) {
            self.check_holonomic(name, help)?;
        }
        self.check_parameters()?;
        check_run(self, run)?;
        check_one_choice(run, sensitivity)?;
        check_sensitivity(run, sensitivity)?;
        check_redundant_parameters(self, run)?;
        // rows by the method
        let started = Instant::now();
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        check_held(self, run, &case)?;
        let Rows { rows, corrections, extrapolated } = rows_by(&case, &run.method, sensitivity)?;
        // chain rules of maxima and of the final time
        let rows = self.chained(run, rows);
        let free = self.final_time(run, &rows)?;
        let bars = extrapolated.as_ref().map(|e| free.bars(&rows, &self.chained(run, e.bars.clone())));
        let rows = free.reduce(&rows);
        // what is zero, not finite or not converged
        let names: Vec<String> = self.parameters().iter().map(|p| p.name.clone()).collect();
        let mut warnings =
            checked(self.objectives(), &names, &rows).map_err(|e| without_slope(self, run).unwrap_or(e))?;
        warnings.extend(extrapolated.iter().flat_map(|e| not_converged(self.objectives(), &names, e)));
        warnings.extend(moving_end(self, run));
        let seconds = started.elapsed().as_secs_f64();
        Ok(GradientReport { rows, sensitivity, seconds, corrections, bars, warnings })
    }
    /// The sensitivity with the least estimated work, and why:
    ///
    /// ```text
    /// direct 2 k,   adjoint 3 o      solves and products of a step with k parameters and o objectives
    /// ```
    /// A product of all parameters backward costs two forward. Continuous methods pass through the run once
    /// more and are never cheaper.
    pub fn auto(&self) -> (Sensitivity, String) {
        let k = self.parameters().len();
        let o = self.objectives().len();
        let more = usize::from(self.model.until);
        let direct = 2 * (k + more);
        let adjoint = 3 * (o + more);
        let choice =
            if direct < adjoint { Sensitivity::DiscreteDirect } else { Sensitivity::DiscreteAdjoint };
        let work = format!("{direct} units of work a step forward, {adjoint} backward");
        (
            choice,
            format!(
                "{} for {k} parameters and {o} objectives: {work}; continuous methods cost more",
                choice.name()
            ),
        )
    }
    /// Richardson-extrapolated central differences on the frozen plan, with steps `relative` × scale.
    pub fn extrapolated_differences(&self, run: &Run, relative: f64) -> Result<Gradient, Error> {
        self.differences(run, relative, true)
    }
    /// Central differences on the frozen plan, with steps `relative` × scale.
    pub(crate) fn central_differences(&self, run: &Run, relative: f64) -> Result<Gradient, Error> {
        self.differences(run, relative, false)
    }
    /// Differences extrapolated from steps `relative` × scale.
    pub(crate) fn extrapolated_from(&self, run: &Run, relative: f64) -> Result<Gradient, Error> {
        self.check_own(run)?;
        let recipe = run.method.build(&self.model);
        let tolerance = run.method.extrapolation_tol;
        let rows = differences::extrapolated(&self.case(&recipe, run), relative, tolerance)?.gradient;
        let rows = self.chained(run, rows);
        Ok(self.final_time(run, &rows)?.reduce(&rows))
    }
    fn differences(&self, run: &Run, relative: f64, richardson: bool) -> Result<Gradient, Error> {
        self.check_own(run)?;
        check_whole(run, "a difference on the plan of a run")?;
        let recipe = run.method.build(&self.model);
        let rows = differences::central(&self.case(&recipe, run), relative, richardson)?;
        let rows = self.chained(run, rows);
        Ok(self.final_time(run, &rows)?.reduce(&rows))
    }
    /// The discrete adjoint with the contribution of each record.
    pub fn contributions(&self, run: &Run) -> Result<(Gradient, Contributions), Error> {
        self.check_parameters()?;
        check_whole(run, "the contribution of each record")?;
        check_run(self, run)?;
        check_redundant_parameters(self, run)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        check_held(self, run, &case)?;
        let (rows, mut c) = Adjoint::new(&case)?.contributions(&case)?;
        let chained = |rows: &Gradient| self.chained(run, rows.clone());
        let rows = chained(&rows);
        let free = self.final_time(run, &rows)?;
        c.records.iter_mut().for_each(|rows| *rows = free.reduce(&chained(rows)));
        c.initial_state = free.reduce_rows(&chained(&c.initial_state));
        c.conditions = free.reduce_rows(&chained(&c.conditions));
        Ok((free.reduce(&rows), c))
    }
    /// Sensitivities of every output column at every node: [node][column][parameter], by the discrete direct
    /// method.
    pub fn output_sensitivities(&self, run: &Run) -> Result<Vec<Gradient>, Error> {
        self.output_sensitivities_at(run, &(0..=run.trajectory.plan.steps()).collect::<Vec<_>>())
    }
    /// Sensitivities of every output column at some nodes, in increasing order: [node][column][parameter].
    pub fn output_sensitivities_at(&self, run: &Run, nodes: &[usize]) -> Result<Vec<Gradient>, Error> {
        check_used(self)?;
        check_whole(run, "the sensitivity of each record")?;
        check_run(self, run)?;
        check_redundant_parameters(self, run)?;
        check_redundant_outputs(self, run, |_| true)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
        check_held(self, run, &case)?;
        let mut outputs = crate::report::OutputDerivatives::new(&case);
        let mut all = vec![];
        let mut left = nodes.iter().peekable();
        let observe = |n: usize, s: &[f64]| {
            while left.next_if_eq(&&n).is_some() {
                all.push(outputs.rows(&case, n, s));
            }
        };
        let rows = direct(&case, observe)?.gradient;
        let free = self.final_time(run, &rows)?;
        Ok(all.iter().map(|rows| free.along(rows)).collect())
    }
    /// A run and what produced it.
    pub(crate) fn case<'a>(&'a self, recipe: &'a StepRecipe, run: &'a Run) -> Case<'a> {
        let case = Case::new(recipe, Design::Model(&self.model), &run.rho, &run.trajectory);
        case.with_wrap(run.method.mistakes.records.as_ref())
    }
}
