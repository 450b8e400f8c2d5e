//! Gradients of a run, by name of the method, and what they are checked with.

use crate::diagnose::{check_redundant_outputs, check_redundant_parameters};
use crate::error::Error;
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::registry::{Projections, Sensitivity};
use gradyn_dynamics::{StepError, StepRecipe};
use gradyn_model::{ModelError, Owner, ParameterInfo, Set, Subject, System, Warning, WarningCode};
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

/// One direction of a gradient, compared with a complex step through the program.
pub struct Certificate {
    /// Largest relative distance of an objective.
    pub distance: f64,
    /// Objectives whose gradient is zero to rounding: there is nothing to compare.
    pub zero: Vec<String>,
}

const NO_SLOPE: &str = "look for a law that has no derivative on this run, such as sqrt at 0";

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

impl Prepared {
    /// The gradient of a run by one method.
    pub fn gradient(&self, run: &Run, sensitivity: Sensitivity) -> Result<GradientReport, Error> {
        // what can be refused before it is computed
        sensitivity.check(run.method.formulation)?;
        if let Some([name, help]) = index3_adjoint(sensitivity, &run.method) {
            self.check_holonomic(name, help)?;
        }
        self.check_parameters()?;
        self.check_run(run)?;
        check_redundant_parameters(self, run)?;
        // rows by the method
        let started = Instant::now();
        let recipe = run.method.build(&self.model);
        let Rows { rows, corrections, extrapolated } =
            rows_by(&self.case(&recipe, run), &run.method, sensitivity)?;
        // chain rules of maxima and of the final time
        let rows = self.chained(run, rows);
        let free = self.final_time(run, &rows)?;
        let bars = extrapolated.as_ref().map(|e| free.bars(&rows, &self.chained(run, e.bars.clone())));
        let rows = free.reduce(&rows);
        // what is zero, not finite or not converged
        let names: Vec<String> = self.parameters().iter().map(|p| p.name.clone()).collect();
        let mut warnings =
            checked(self.objectives(), &names, &rows).map_err(|e| self.without_slope(run).unwrap_or(e))?;
        warnings.extend(extrapolated.iter().flat_map(|e| not_converged(self.objectives(), &names, e)));
        warnings.extend(self.moving_end(run));
        let seconds = started.elapsed().as_secs_f64();
        Ok(GradientReport { rows, sensitivity, seconds, corrections, bars, warnings })
    }
    /// Objectives and their gradients.
    pub fn design(&self, method: &Method, sensitivity: Sensitivity) -> Result<(Vec<f64>, Gradient), Error> {
        let run = self.run(method)?;
        let gradient = self.gradient(&run, sensitivity)?;
        Ok((run.psi, gradient.rows))
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
    /// λ and a of the last node, where they follow from positions, have an error that moves with the last
    /// step: its derivative over the final time does not vanish with h.
    fn moving_end(&self, run: &Run) -> Option<Warning> {
        let model = &self.model;
        let m = &run.method;
        // index 3 and ALI3-P hold positions only
        let projected = m.scheme().is_some() && m.projections() != Projections::Off;
        if !m.formulation.position_level()
            || projected
            || !model.system.reads_final_dynamics()
            || !self.end_moves(run)
        {
            return None;
        }
        // what to use instead
        let names = format!("{} + {}", m.formulation.name(), m.integrator.name());
        let advice =
            if m.scheme().is_some() { "use projection=on, index1 or maggi" } else { "use index1 or maggi" };
        let text = format!(
            "the final time depends on parameters, and derivatives of terminal reactions and accelerations \
            over it have an error with {names} that does not vanish with the step; {advice}"
        );
        Some(Warning::new(WarningCode::MovingEnd, text).about(Owner::FinalTime, "t_F"))
    }
    /// Does the final time depend on parameters?
    fn end_moves(&self, run: &Run) -> bool {
        let model = &self.model;
        let mut end = vec![0.0; model.slots(&run.rho).len()];
        end[model.times.end as usize] = 1.0;
        model.until || model.pull_back(&run.rho, &end).iter().any(|x| *x != 0.0)
    }
    /// The first objective whose slopes at a node are not finite: in a backward sweep it spoils the others
    /// too.
    fn without_slope(&self, run: &Run) -> Option<Error> {
        let sys = &self.model.system;
        let lay = run.trajectory.layout;
        let plan = &run.trajectory.plan;
        let p = self.model.slots(&run.rho);
        // first node and functional with a derivative that is not finite
        let mut d = sys.data::<f64>();
        sys.prepare(&p, &mut d);
        for n in 0..=plan.steps() {
            let at = lay.node(plan.t[n], run.trajectory.record(n));
            sys.set_angles(plan.angles(n), &mut d);
            sys.place(at.t, at.q, &mut d);
            for set in [Set::Integrand, Set::Terminal].into_iter().take(1 + usize::from(n == plan.steps())) {
                let mut row = vec![0.0; lay.z() + sys.support(set).len()];
                for (k, functional) in self.functionals().iter().enumerate() {
                    sys.measure_row(set, k, &at, &mut d, &mut row);
                    if row.iter().any(|x| !x.is_finite()) {
                        let e = ModelError::new(format!("{functional} has no derivative at t = {} s", at.t));
                        let subject = self.objectives().get(k).map(|o| Subject::new(Owner::Objective, o));
                        let e = ModelError { subject, ..e };
                        return Some(e.help(NO_SLOPE).into());
                    }
                }
            }
        }
        None
    }
    /// Richardson-extrapolated central differences on the frozen plan, with steps `relative` × scale.
    pub fn extrapolated_differences(&self, run: &Run, relative: f64) -> Result<Gradient, Error> {
        self.differences(run, relative, true)
    }
    /// Central differences on the frozen plan, with steps `relative` × scale.
    pub(crate) fn central_differences(&self, run: &Run, relative: f64) -> Result<Gradient, Error> {
        self.differences(run, relative, false)
    }
    fn differences(&self, run: &Run, relative: f64, richardson: bool) -> Result<Gradient, Error> {
        self.check_own(run)?;
        let recipe = run.method.build(&self.model);
        let rows = differences::central(&self.case(&recipe, run), relative, richardson)?;
        let rows = self.chained(run, rows);
        Ok(self.final_time(run, &rows)?.reduce(&rows))
    }
    /// The discrete adjoint with the contribution of each record.
    pub fn contributions(&self, run: &Run) -> Result<(Gradient, Contributions), Error> {
        self.check_parameters()?;
        self.check_run(run)?;
        check_redundant_parameters(self, run)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
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
    pub(crate) fn output_sensitivities_at(&self, run: &Run, nodes: &[usize]) -> Result<Vec<Gradient>, Error> {
        self.check_used()?;
        self.check_run(run)?;
        check_redundant_parameters(self, run)?;
        check_redundant_outputs(self, run)?;
        let recipe = run.method.build(&self.model);
        let case = self.case(&recipe, run);
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
    /// Compares one fixed direction of a gradient with a complex step through the program.
    pub fn certify(&self, run: &Run, rows: &Gradient) -> Result<Certificate, Error> {
        self.check_own(run)?;
        let recipe = run.method.build(&self.model);
        // direction of generic size in each parameter
        let size =
            |(k, p): (usize, &ParameterInfo)| (((k as f64 + 1.0) * 0.754_877_666).fract() - 0.5) * p.scale;
        let direction: Vec<f64> = self.parameters().iter().enumerate().map(size).collect();
        // dψ along it, by a complex step through the program
        let along = |direction: &[f64]| -> Result<Vec<f64>, Error> {
            let mut all = program::directional(&self.case(&recipe, run), direction)?;
            self.slopes(run).into_iter().for_each(|(k, slope)| all[k] *= slope);
            Ok(all)
        };
        let exact = self.total_along(direction.clone(), along)?;
        // distance = the largest of all objectives
        let mut new = Certificate { distance: 0.0, zero: vec![] };
        for (k, (row, exact)) in rows.iter().zip(&exact).enumerate() {
            let parts: Vec<f64> = row.iter().zip(&direction).map(|(g, d)| g * d).collect();
            match compared(&parts, *exact, run.psi[k]) {
                Some(distance) => new.distance = new.distance.max(distance),
                None => new.zero.push(self.model.objectives[k].clone()),
            }
        }
        Ok(new)
    }
    fn case<'a>(&'a self, recipe: &'a StepRecipe, run: &'a Run) -> Case<'a> {
        Case { recipe, design: Design::Model(&self.model), rho: &run.rho, run: &run.trajectory }
    }
    /// Gradients need a run of this model at these parameters, without jumps.
    fn check_run(&self, run: &Run) -> Result<(), Error> {
        self.check_own(run)?;
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
        run.jump.as_ref().map_or(Ok(()), |jump| Err(jump.refusal().into()))
    }
    /// Gradients need objectives too.
    pub(crate) fn check_parameters(&self) -> Result<(), Error> {
        if self.objectives().is_empty() {
            return Err(ModelError::new("the model has no objective")
                .help("add [objective] with `integral` or `terminal`")
                .into());
        }
        self.check_used()
    }
    /// Sensitivities need parameters that something reads.
    fn check_used(&self) -> Result<(), Error> {
        if self.parameters().is_empty() {
            return Err(ModelError::new("the model has no parameter")
                .help("name numbers in [parameters]")
                .into());
        }
        match self.model.parameters.iter().find(|p| !p.used) {
            None => Ok(()),
            Some(p) => {
                let message =
                    format!("parameter `{}` reaches nothing: no number of the model uses it", p.name);
                let e = ModelError::new(message).about(Owner::Parameter, &p.name);
                Err(e.help("use it in an expression, or remove it").into())
            }
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

/// Relative distance of the sum of `parts` from `exact`; `None` if both are nothing but the rounding of ψ.
fn compared(parts: &[f64], exact: f64, psi: f64) -> Option<f64> {
    let size = parts.iter().fold(exact.abs(), |s, x| s.max(x.abs()));
    if size == 0.0 {
        return None;
    }
    let distance = (parts.iter().sum::<f64>() - exact).abs() / size;
    // of an objective that is zero itself the rounding is that of numbers of size 1; what agrees is not
    // rounding
    let scale = if psi.abs() > f64::EPSILON { psi.abs() } else { 1.0 };
    (distance < 1e-9 || size > 1e3 * f64::EPSILON * scale).then_some(distance)
}
