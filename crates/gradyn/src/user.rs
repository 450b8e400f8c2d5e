//! Runs and gradients of systems that the user writes [B92].
//!
//! ```
//! use gradyn::user::{FinalTime, StateSpace, UserModel};
//! use gradyn::{Method, Scalar, Sensitivity};
//!
//! /// m ÿ = -c y, y(0) = 0, ẏ(0) = z₀, ψ = y(t₁).
//! struct Oscillator;
//! impl StateSpace for Oscillator {
//!     fn positions(&self) -> Vec<String> { vec!["y".into()] }
//!     fn velocities(&self) -> Vec<String> { vec!["z".into()] }
//!     fn parameters(&self) -> Vec<(String, f64)> { vec![("c".into(), 1.0), ("z0".into(), 0.5)] }
//!     fn objectives(&self) -> Vec<String> { vec!["psi".into()] }
//!     fn rates<S: Scalar>(&self, _t: S, _y: &[S], z: &[S], _p: &[S], rates: &mut [S]) { rates[0] = z[0]; }
//!     fn mass<S: Scalar>(&self, _t: S, _y: &[S], _p: &[S], mass: &mut [S]) { mass[0] = S::one(); }
//!     fn forces<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], p: &[S], forces: &mut [S]) {
//!         forces[0] = -p[0] * y[0];
//!     }
//!     fn initial<S: Scalar>(&self, _t: S, y: &[S], z: &[S], p: &[S], rows: &mut [S]) {
//!         rows[0] = y[0];
//!         rows[1] = z[0] - p[1];
//!     }
//!     fn terminals<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], _p: &[S], values: &mut [S]) {
//!         values[0] = y[0];
//!     }
//! }
//!
//! let model = UserModel::new(Oscillator, 0.0, FinalTime::At(std::f64::consts::FRAC_PI_2)).unwrap();
//! let method = Method::new("maggi", "dop853").unwrap().tolerance(1e-13, 1e-13);
//! let run = model.run(&method).unwrap();
//! let rows = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap().rows;
//! assert!((rows[0][0] + 0.25).abs() < 1e-11 && (rows[0][1] - 1.0).abs() < 1e-11);
//! ```

pub use gradyn_model::user::{StateSpace, UserSystem};

use crate::error::Error;
use crate::gradient::{GradientReport, Rows, checked, index3_adjoint, not_converged, rows_by};
use crate::method::Method;
use crate::progress::{Observer, Stopwatch};
use crate::registry::{Formulation, Sensitivity};
use crate::until;
use gradyn_dynamics::control::Mesh;
use gradyn_dynamics::simulate::continue_run;
use gradyn_dynamics::{Lagrange, StepError, StepRecipe, Trajectory};
use gradyn_model::Setup;
use gradyn_sensitivity::{Case, Design, Gradient, values};
use std::ops::ControlFlow;
use std::time::Instant;

/// When a run of a user system ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FinalTime {
    /// At a time [s].
    At(f64),
    /// At the value of a parameter, by its number.
    Parameter(usize),
    /// Where the terminal value of the last objective first passes zero; it has no gradient of its own.
    Condition {
        /// Latest time [s].
        t_max: f64,
    },
}

/// A system that the user wrote, at certain parameters.
pub struct UserModel {
    /// The system that the user wrote.
    system: Setup,
    /// Names of the parameters and of the objectives.
    parameters: Vec<String>,
    objectives: Vec<String>,
    /// Values of the parameters.
    pub rho: Vec<f64>,
    /// Their typical sizes.
    pub scales: Vec<f64>,
    /// Start time [s].
    pub t_start: f64,
    /// When a run ends.
    pub t_end: FinalTime,
}

/// A run of a user system.
pub struct UserRun {
    /// How it was made.
    pub method: Method,
    /// Records and plan.
    pub trajectory: Trajectory,
    /// Values of the objectives.
    pub psi: Vec<f64>,
    /// The system that ran, when it began and when it was to end.
    system: Setup,
    t_start: f64,
    t_end: FinalTime,
    /// ρ, then the final time.
    rho: Vec<f64>,
}

impl UserModel {
    /// The system at its nominal parameters; a name that is empty or repeated and a guess of another length
    /// are errors.
    pub fn new<U: StateSpace>(user: U, t_start: f64, t_end: FinalTime) -> Result<Self, Error> {
        let rho: Vec<f64> = user.parameters().into_iter().map(|p| p.1).collect();
        let scales = rho.iter().map(|x| if *x == 0.0 { 1.0 } else { x.abs() }).collect();
        let system = UserSystem::new(user)?;
        let parameters = system.parameters().to_vec();
        let objectives = system.objectives().to_vec();
        Ok(Self { system: Setup::of_user(system), parameters, objectives, rho, scales, t_start, t_end })
    }
    fn recipe(&self, method: &Method) -> StepRecipe {
        method.step_on(&self.system, Lagrange::penalty(method.alpha, method.xi, method.omega), vec![])
    }
    /// The final time, the latest one for a condition, and the slot that holds it.
    fn end(&self) -> (f64, u32) {
        match self.t_end {
            FinalTime::At(t) | FinalTime::Condition { t_max: t } => (t, self.rho.len() as u32),
            FinalTime::Parameter(k) => (self.rho[k], k as u32),
        }
    }
    /// Refuses sizes that do not fit.
    fn check(&self) -> Result<(), Error> {
        // as many values as parameters
        let count = self.parameters.len();
        let wrong = |message: String, help: &str| Err(Error::method(message, help));
        if self.rho.len() != count || self.scales.len() != count {
            return wrong(
                format!("the user system has {count} parameters, `rho` or `scales` another number"),
                "give one for each",
            );
        }
        // numbers, and scales that differences can use
        let finite = self.rho.iter().all(|x| x.is_finite()) && self.t_start.is_finite();
        if !finite || !self.scales.iter().all(|s| *s > 0.0 && s.is_finite()) {
            return wrong(
                "`rho`, `t_start` or `scales` of the user system have a number that is not finite, or a scale \
                 that is not positive"
                    .into(),
                "give finite numbers, and positive scales",
            );
        }
        // a final time that exists
        match self.t_end {
            FinalTime::Parameter(k) if k >= count => wrong(
                format!("the final time is parameter {k} of a system with {count}"),
                "parameters are counted from 0",
            ),
            FinalTime::Condition { .. } if self.objectives.is_empty() => wrong(
                "the condition for the final time is the last objective, and there is none".into(),
                "add an objective",
            ),
            _ => Ok(()),
        }
    }
    /// Names of the objectives, without that of the condition.
    fn objectives(&self) -> Vec<String> {
        let mut names = self.objectives.clone();
        if matches!(self.t_end, FinalTime::Condition { .. }) {
            names.pop();
        }
        names
    }
    /// Runs from the start to the final time.
    pub fn run(&self, method: &Method) -> Result<UserRun, Error> {
        self.simulate(method, &mut |_| ControlFlow::Continue(()))
    }
    /// Runs from the start to the final time, or until the observer, which is called after each step, breaks
    /// the run off.
    pub fn simulate(&self, method: &Method, observe: Observer) -> Result<UserRun, Error> {
        // what can be refused before the run
        method.check()?;
        self.check()?;
        check_options(method)?;
        // mesh and controller of the method
        let (end, slot) = self.end();
        let mut rho = [&self.rho[..], &[end]].concat();
        let mesh = Mesh::new((self.t_start, None), &[], &[], (end, Some(slot)))?;
        let control = method.controller(end - self.t_start);
        let condition = matches!(self.t_end, FinalTime::Condition { .. });
        let observe = &mut Stopwatch::start().observer(end, observe);
        // the run, step by step
        let recipe = self.recipe(method);
        let mut trajectory = Trajectory::start(&recipe, &[], &mesh);
        let until = condition.then(|| trajectory.layout.o - 1);
        continue_run(&recipe, &rho, &[], &mesh, &control, until, observe, &mut trajectory)?;
        // values of the objectives at the end that was found
        rho[self.rho.len()] = trajectory.plan.t[trajectory.plan.steps()];
        let psi = values(&recipe, &rho, &trajectory);
        if let Some(k) = psi.iter().position(|x| !x.is_finite()) {
            let name = self.objectives[k].clone();
            return Err(StepError::NotFinite {
                t: rho[self.rho.len()],
                equation: format!("objective {name}"),
            }
            .into());
        }
        // a condition is a terminal value
        let lay = trajectory.layout;
        let last = trajectory.last();
        if condition && last[lay.z() + lay.o - 1] != 0.0 {
            let message = "the condition for the final time, the last objective, has an integrand";
            return Err(Error::method(message, "give it a terminal value only"));
        }
        let system = self.system.clone();
        Ok(UserRun {
            method: method.clone(),
            trajectory,
            psi,
            system,
            t_start: self.t_start,
            t_end: self.t_end,
            rho,
        })
    }
    /// Columns of the parameters, without that of the final time.
    fn shown(&self, mut rows: Gradient) -> Gradient {
        rows.iter_mut().for_each(|row| row.truncate(self.rho.len()));
        rows
    }
    /// Refuses a run of another model, or of other parameters.
    fn check_own(&self, run: &UserRun) -> Result<(), Error> {
        let same = run.system.same_equations(&self.system)
            && run.t_start == self.t_start
            && run.t_end == self.t_end
            && run.rho.get(..self.rho.len()) == Some(&self.rho[..])
            && self.recipe(&run.method).layout() == run.trajectory.layout;
        if same { Ok(()) } else { Err(until::of_another_model()) }
    }
    /// The gradient of a run by one method.
    pub fn gradient(&self, run: &UserRun, sensitivity: Sensitivity) -> Result<GradientReport, Error> {
        // what can be refused before it is computed
        self.check()?;
        self.check_own(run)?;
        let started = Instant::now();
        let objectives = self.objectives();
        if objectives.is_empty() || self.rho.is_empty() {
            return Err(Error::method(
                "the user system has no objective or no parameter",
                "a gradient needs both",
            ));
        }
        sensitivity.check(run.method.formulation)?;
        if let Some([name, help]) = index3_adjoint(sensitivity, &run.method) {
            return Err(Error::method(format!("{name} holds constraints of positions only"), help));
        }
        // rows by the method, the final time as a parameter of its own
        let scales = [&self.scales[..], &[run.rho[self.rho.len()].abs().max(1e-3)]].concat();
        let recipe = self.recipe(&run.method);
        let case = Case::new(&recipe, Design::Plain(&scales), &run.rho, &run.trajectory);
        let Rows { rows, corrections, extrapolated } = rows_by(&case, &run.method, sensitivity)?;
        // chain rule of the final time
        let free = match self.t_end {
            FinalTime::Condition { .. } => until::FinalTime::new(&run.trajectory, &rows, &self.scales)?,
            _ => until::FinalTime::none(),
        };
        let bars = extrapolated.as_ref().map(|e| self.shown(free.bars(&rows, &e.bars)));
        let rows = self.shown(free.reduce(&rows));
        // what is zero, not finite or not converged
        let names = &self.parameters;
        let mut warnings = checked(&objectives, names, &rows)?;
        warnings.extend(extrapolated.iter().flat_map(|e| not_converged(&objectives, names, e)));
        let seconds = started.elapsed().as_secs_f64();
        Ok(GradientReport { rows, sensitivity, seconds, corrections, bars, warnings })
    }
}

/// Refuses what only mechanisms have: options that name or scale it, and constraints of positions alone.
fn check_options(m: &Method) -> Result<(), Error> {
    // options
    let (name, help) = match () {
        () if !m.freedoms.is_empty() => {
            ("freedoms", "leave it out: a user system has no free velocities to choose from")
        }
        () if m.given.iter().any(|name| name == "alpha_scaling") => (
            "alpha_scaling",
            "leave it out, and scale alpha itself: rows of a user system have no masses to scale by",
        ),
        // formulations
        () if m.formulation == Formulation::Index3 => {
            let message = "index3 holds constraints of positions only; the equations of a user system are of \
                first order";
            return Err(Error::method(message, "use one of maggi, index1, penalty, ali3p"));
        }
        () => return Ok(()),
    };
    Err(Error::method(format!("option {name} has no meaning for a user system"), help))
}
