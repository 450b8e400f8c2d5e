//! A method: formulation, integrator, steps and options; the only place that turns names into steps.

use crate::error::Error;
use crate::file::Study;
use crate::registry::{Formulation, Integrator, OPTIONS, combinations};
use gradyn_dynamics::control::Controller;
use gradyn_dynamics::formulation::largest_mass;
use gradyn_dynamics::step::Tolerance;
use gradyn_dynamics::tableau::{DOPRI5, RK4};
use gradyn_dynamics::{Lagrange, Newmark, RungeKutta, State};
use gradyn_model::error::nearest;
use gradyn_model::{Model, Natural};

/// How steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stepping {
    /// Fixed steps [s].
    Fixed(f64),
    /// From an error estimate: relative and absolute tolerance.
    Adaptive {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// A default of the integrator.
    Default,
}

/// Formulation, integrator, steps, options.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Formulation.
    pub formulation: Formulation,
    /// Integrator.
    pub integrator: Integrator,
    /// Steps.
    pub stepping: Stepping,
    /// Penalty factor.
    pub alpha: f64,
    /// Damping ratio of the stabilisation.
    pub xi: f64,
    /// Frequency of the stabilisation [1/s].
    pub omega: f64,
    /// What maggi integrates.
    pub state: State,
    /// Newmark β, γ.
    pub newmark: (f64, f64),
    /// Projections; `None` is the default of the formulation.
    pub projection: Option<bool>,
    /// Newton tolerance.
    pub newton_tol: f64,
    /// Most steps.
    pub max_steps: usize,
    /// Largest step of an adaptive run [s].
    pub max_step: f64,
    /// Relative step of differences.
    pub fd_step: f64,
    /// Names of the options that were set.
    pub given: Vec<String>,
    /// Leaves (Φ_qᵀλ)_q out of the tangents, for tests of the checks.
    pub wrong_tangent: bool,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            formulation: Formulation::Index3,
            integrator: Integrator::Newmark,
            stepping: Stepping::Default,
            alpha: 1e9,
            xi: 1.0,
            omega: 10.0,
            state: State::Independent,
            newmark: (0.25, 0.5),
            projection: None,
            newton_tol: 0.0,
            max_steps: 10_000_000,
            max_step: f64::INFINITY,
            fd_step: 1e-6,
            given: vec![],
            wrong_tangent: false,
        }
    }
}

/// A step of any kind.
pub enum AnyStep<'a> {
    /// Newmark family.
    Newmark(Newmark<'a, Natural>),
    /// Explicit Runge–Kutta.
    RungeKutta(RungeKutta<'a, Natural>),
}

/// Runs an expression with the concrete step.
macro_rules! with_step {
    ($any:expr, $step:ident => $body:expr) => {
        match $any {
            $crate::method::AnyStep::Newmark($step) => $body,
            $crate::method::AnyStep::RungeKutta($step) => $body,
        }
    };
}
pub(crate) use with_step;

impl Method {
    /// By names.
    pub fn new(formulation: &str, integrator: &str) -> Result<Self, Error> {
        let (formulation, integrator) = (Formulation::parse(formulation)?, Integrator::parse(integrator)?);
        Ok(Self { formulation, integrator, ..Self::default() })
    }
    /// With fixed steps [s].
    pub fn step(mut self, h: f64) -> Self {
        self.stepping = Stepping::Fixed(h);
        self
    }
    /// With tolerances.
    pub fn tolerance(mut self, rtol: f64, atol: f64) -> Self {
        self.stepping = Stepping::Adaptive { rtol, atol };
        self
    }
    /// What a model file asks for.
    pub fn from_study(s: &Study) -> Result<Self, Error> {
        let mut m = Self::default();
        if let Some(f) = &s.formulation {
            m.formulation = Formulation::parse(&f.text)?;
        }
        if let Some(i) = &s.integrator {
            m.integrator = Integrator::parse(&i.text)?;
        }
        match (s.step, s.rtol, s.atol) {
            (Some(h), None, None) => m.stepping = Stepping::Fixed(h),
            (None, None, None) => {}
            (Some(_), _, _) => {
                let help = "keep `step` for fixed steps, or rtol and atol for adaptive ones";
                return Err(Error::method("the method has both a step and tolerances", help));
            }
            (None, rtol, atol) => {
                let either = rtol.or(atol).unwrap_or(1e-8);
                m.stepping = Stepping::Adaptive { rtol: rtol.unwrap_or(either), atol: atol.unwrap_or(either) };
            }
        }
        for (name, value) in &s.options {
            m.set(&name.text, value)?;
        }
        Ok(m)
    }
    /// Sets an option by name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let wrong = || Error::method(format!("option {name}: `{value}` does not fit"), about(name));
        let number = || value.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
        let positive = || number().and_then(|x| if x > 0.0 { Ok(x) } else { Err(wrong()) });
        match name {
            "alpha" => self.alpha = positive()?,
            "xi" => self.xi = number()?,
            "omega" => self.omega = number().ok().filter(|x| *x >= 0.0).ok_or_else(wrong)?,
            "state" => {
                self.state = match value.trim() {
                    "independent" => State::Independent,
                    "mixed" => State::Mixed,
                    _ => return Err(wrong()),
                }
            }
            "beta" => self.newmark.0 = positive()?,
            "gamma" => self.newmark.1 = positive()?,
            "newmark_xi" => {
                let ξ = number().ok().filter(|ξ| *ξ <= 0.0).ok_or_else(|| {
                    Error::method(format!("option newmark_xi: {value} does not fit"), "0 conserves, negative values dissipate")
                })?;
                self.newmark = ((1.0 - ξ).powi(2) / 4.0, (1.0 - 2.0 * ξ) / 2.0); // [A22, Eq. 5, corrected]
            }
            "projection" => {
                self.projection = Some(match value.trim() {
                    "on" | "true" => true,
                    "off" | "false" => false,
                    _ => return Err(wrong()),
                });
            }
            "newton_tol" => self.newton_tol = number().ok().filter(|x| *x >= 0.0).ok_or_else(wrong)?,
            "max_step" => self.max_step = positive()?,
            "max_steps" => self.max_steps = positive()? as usize,
            "fd_step" => self.fd_step = positive()?,
            _ => {
                let names: Vec<&str> = OPTIONS.iter().map(|o| o.name).collect();
                let hint = nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("did you mean `{n}`? "));
                return Err(Error::method(format!("there is no option `{name}`"), format!("{hint}valid: {}", names.join(", "))));
            }
        }
        self.given.push(name.into());
        Ok(())
    }
    /// Options that were given and that this method does not use.
    pub fn unused_options(&self) -> Vec<String> {
        let newmark = self.integrator == Integrator::Newmark;
        let stabilised = matches!(self.formulation, Formulation::Index1 | Formulation::Penalty);
        let used = |name: &str| match name {
            "alpha" => self.formulation == Formulation::Penalty,
            "xi" | "omega" => stabilised,
            "state" => self.formulation == Formulation::Maggi,
            "max_step" => self.adapts(),
            "beta" | "gamma" | "newmark_xi" | "projection" | "newton_tol" => newmark,
            _ => true,
        };
        let text = |n: &String| {
            let steps = if n == "max_step" { " and fixed steps" } else { "" };
            format!("unused-option: {n} has no effect with {} + {}{steps}", self.formulation.name(), self.integrator.name())
        };
        self.given.iter().filter(|n| !used(n)).map(text).collect()
    }
    /// Refuses what does not exist.
    pub fn check(&self) -> Result<(), Error> {
        if !self.formulation.fits(self.integrator) {
            let all = combinations().into_iter().map(|(f, i)| format!("{} + {}", f.name(), i.name())).collect::<Vec<_>>();
            let message = format!("{} does not work with {}", self.formulation.name(), self.integrator.name());
            return Err(Error::method(message, format!("these exist: {}", all.join(", "))));
        }
        match self.stepping {
            Stepping::Fixed(h) if !(h > 0.0 && h.is_finite()) => {
                Err(Error::method(format!("a step of {h} s makes no sense"), "give a positive step, such as --step 0.001"))
            }
            Stepping::Adaptive { .. } if !self.integrator.adapts() => {
                let message = format!("{} has no error estimate", self.integrator.name());
                Err(Error::method(message, "give --step instead of tolerances, or use dopri5"))
            }
            Stepping::Adaptive { rtol, atol } if !(rtol >= 1e-14 && atol > 0.0 && rtol < 1.0 && atol.is_finite()) => Err(
                Error::method(format!("tolerances rtol = {rtol}, atol = {atol} make no sense"), "rtol from 1e-14 to 1, atol > 0"),
            ),
            _ => Ok(()),
        }
    }
    /// Steps for a run of some duration.
    pub fn controller(&self, duration: f64) -> Controller {
        let base = Controller { step: None, tolerance: None, max_steps: self.max_steps, max_step: self.max_step };
        match self.stepping {
            Stepping::Fixed(h) => Controller { step: Some(h), ..base },
            Stepping::Adaptive { rtol, atol } => Controller { tolerance: Some(Tolerance { rtol, atol }), ..base },
            Stepping::Default if self.integrator.adapts() => {
                Controller { tolerance: Some(Tolerance { rtol: 1e-8, atol: 1e-8 }), ..base }
            }
            Stepping::Default => Controller { step: Some(duration / 1000.0), ..base },
        }
    }
    /// Are steps chosen from an error estimate?
    fn adapts(&self) -> bool {
        match self.stepping {
            Stepping::Fixed(_) => false,
            Stepping::Adaptive { .. } => true,
            Stepping::Default => self.integrator.adapts(),
        }
    }
    /// Are projections on?
    pub fn projects(&self) -> bool {
        self.integrator == Integrator::Newmark && self.projection.unwrap_or(self.formulation == Formulation::Index3)
    }
    /// F; α is relative to the largest entry of M at the nominal parameters, so that it does not move with them.
    pub fn lagrange(&self, model: &Model) -> Lagrange {
        let f = match self.formulation {
            Formulation::Index3 => Lagrange::INDEX3,
            Formulation::Index1 => Lagrange::index1(self.xi, self.omega),
            Formulation::Maggi => Lagrange::ACCELERATION,
            Formulation::Penalty => {
                let mass = largest_mass(&model.system, &model.slots(&model.rho()));
                Lagrange::penalty(self.alpha * mass, self.xi, self.omega)
            }
        };
        Lagrange { wrong_tangent: self.wrong_tangent, ..f }
    }
    /// The step on a model's system.
    pub fn build<'a>(&self, model: &'a Model) -> AnyStep<'a> {
        let f = self.lagrange(model);
        // with a compliance the multipliers of redundant rows are unique
        let all = model.full.as_deref().filter(|_| self.formulation == Formulation::Penalty);
        let sys = all.unwrap_or(&model.system);
        let tableau = match self.integrator {
            Integrator::Newmark => {
                let ((beta, gamma), project) = (self.newmark, self.projects());
                return AnyStep::Newmark(Newmark { sys, f, beta, gamma, project, tolerance: self.newton_tol });
            }
            Integrator::Rk4 => &RK4,
            Integrator::Dopri5 => &DOPRI5,
        };
        let state = if self.formulation == Formulation::Maggi { self.state } else { State::Full };
        AnyStep::RungeKutta(RungeKutta { sys, f, state, tableau })
    }
}

fn about(name: &str) -> String {
    OPTIONS.iter().find(|o| o.name == name).map_or(String::new(), |o| format!("{}; default {}", o.about, o.default))
}
