//! A method: formulation, integrator, steps and options; the only place that turns names into steps.

use crate::error::Error;
use crate::file::StudySection;
use crate::memory::Memory;
use crate::registry::{
    AlphaScaling, Formulation, InitialAcceleration, Integrator, OptionEntry, ProjectionMatrices, Projections,
    Variant, step_options,
};
use gradyn_dynamics::control::Controller;
use gradyn_dynamics::formulation::largest_mass;
use gradyn_dynamics::step::Tolerance;
use gradyn_dynamics::step::adams::coefficients::MOST;
use gradyn_dynamics::step::newmark::{Iteration, Projection, ProjectionMatrix};
use gradyn_dynamics::{
    Adams, Compliance, Integrated, Lagrange, Newmark, Rosenbrock, RungeKutta, Scheme, StepKind, StepRecipe,
};
use gradyn_model::{Model, Owner, RowScaling, Setup, Warning, WarningCode};
use gradyn_sensitivity::Wrap;

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

/// Mistakes on purpose, by which tests find out whether checks notice them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mistakes {
    /// Leaves (Φ_qᵀλ)_q out of the tangents.
    wrong_tangent: bool,
    /// What stands around the records of which sensitivities take products.
    pub(crate) records: Option<Wrap>,
}

/// Formulation, integrator, steps, options.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// How the constraints enter the equations of motion.
    pub formulation: Formulation,
    /// The scheme that makes the steps.
    pub integrator: Integrator,
    /// Fixed steps, or steps by tolerances.
    pub stepping: Stepping,
    /// Penalty factor.
    pub alpha: f64,
    /// What the penalty factors of the rows are scaled by.
    pub alpha_scaling: AlphaScaling,
    /// Damping ratio of the stabilisation.
    pub xi: f64,
    /// Frequency of the stabilisation [1/s].
    pub omega: f64,
    /// Index 1 projects its nodes instead of stabilising the constraints.
    pub projected_nodes: bool,
    /// What maggi integrates.
    pub state: Integrated,
    /// Independent coordinates of maggi by name; empty: they are chosen.
    pub freedoms: Vec<String>,
    /// Coefficients β, γ of Newmark.
    pub newmark: Scheme,
    /// Coefficient α_f of HHT.
    pub hht_alpha: f64,
    /// ρ_∞ of generalised-α.
    pub rho_inf: f64,
    /// Projections; `None` is the default of the formulation.
    pub projection: Option<Projections>,
    /// Matrix of the projections.
    pub projection_matrix: ProjectionMatrices,
    /// Violation above which conditional projections run.
    pub projection_tol: f64,
    /// Initial accelerations of coordinate steps; `None` is the default of the formulation.
    pub initial_acceleration: Option<InitialAcceleration>,
    /// Factor of the multipliers with which an iteration begins.
    pub reduction: f64,
    /// Leaves the geometric stiffness out of the iteration matrix.
    pub truncated: bool,
    /// Highest order of adams; `None` is the default of its steps.
    pub adams_order: Option<usize>,
    /// Newton tolerance.
    pub newton_tol: f64,
    /// The largest number of steps of a run.
    pub max_steps: usize,
    /// Largest step of an adaptive run [s].
    pub max_step: f64,
    /// Relative step of differences.
    pub fd_step: f64,
    /// Largest relative step of extrapolated differences.
    pub extrapolation_step: f64,
    /// Relative error bar at which they stop.
    pub extrapolation_tol: f64,
    /// Names of the options that were set.
    pub given: Vec<String>,
    /// Memory that the records of a run may take.
    pub memory: Memory,
    /// Mistakes on purpose; none, unless a test of the checks asks for them.
    pub mistakes: Mistakes,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            formulation: Formulation::Index3,
            integrator: Integrator::Newmark,
            stepping: Stepping::Default,
            alpha: 1e9,
            alpha_scaling: AlphaScaling::Row,
            xi: 1.0,
            omega: 10.0,
            projected_nodes: false,
            state: Integrated::Independent,
            freedoms: vec![],
            newmark: Scheme::TRAPEZOIDAL,
            hht_alpha: 0.05,
            rho_inf: 0.8,
            projection: None,
            projection_matrix: ProjectionMatrices::Mass,
            projection_tol: 1e-8,
            initial_acceleration: None,
            reduction: 1.0,
            truncated: false,
            adams_order: None,
            newton_tol: 0.0,
            max_steps: 10_000_000,
            max_step: f64::INFINITY,
            fd_step: 1e-6,
            extrapolation_step: 1e-2,
            extrapolation_tol: 1e-8,
            given: vec![],
            memory: Memory::default(),
            mistakes: Mistakes::default(),
        }
    }
}

impl Method {
    /// The method of a formulation and an integrator, by their names.
    pub fn new(formulation: &str, integrator: &str) -> Result<Self, Error> {
        let formulation = Formulation::parse(formulation)?;
        let integrator = Integrator::parse(integrator)?;
        Ok(Self { formulation, integrator, ..Self::default() })
    }
    /// One of the registry.
    pub fn of(v: &Variant) -> Result<Self, Error> {
        let mut m = Self { formulation: v.formulation, integrator: v.integrator, ..Self::default() };
        v.option.map_or(Ok(()), |(name, value)| m.set(name, value))?;
        Ok(m)
    }
    /// With fixed steps [s].
    pub fn step(mut self, h: f64) -> Self {
        self.stepping = Stepping::Fixed(h);
        self
    }
    /// Within a budget for the records of a run [bytes].
    pub fn within(mut self, budget: usize) -> Self {
        self.memory.budget = Some(budget);
        self
    }
    /// With tolerances.
    pub fn tolerance(mut self, rtol: f64, atol: f64) -> Self {
        self.stepping = Stepping::Adaptive { rtol, atol };
        self
    }
    /// With tangents that leave (Φ_qᵀλ)_q out: gradients are wrong, and checks must say so.
    #[doc(hidden)]
    pub fn with_wrong_tangent(mut self) -> Self {
        self.mistakes.wrong_tangent = true;
        self
    }
    /// With something around the records of a run: gradients are wrong, and checks must say so.
    #[doc(hidden)]
    pub fn with_records(mut self, wrap: Wrap) -> Self {
        self.mistakes.records = Some(wrap);
        self
    }
    /// What a model file asks for.
    pub fn from_study(s: &StudySection) -> Result<Self, Error> {
        let mut m = Self::default();
        // names
        if let Some(f) = &s.formulation {
            m.formulation = Formulation::parse(&f.text)?;
        }
        if let Some(i) = &s.integrator {
            m.integrator = Integrator::parse(&i.text)?;
        }
        // a step, or tolerances; one of them stands for both
        match (s.step, s.rtol, s.atol) {
            (Some(h), None, None) => m.stepping = Stepping::Fixed(h),
            (None, None, None) => {}
            (Some(_), _, _) => {
                let help = "keep `step` for fixed steps, or rtol and atol for adaptive ones";
                return Err(Error::method("the method has both a step and tolerances", help));
            }
            (None, rtol, atol) => {
                let either = rtol.or(atol).unwrap_or(1e-8);
                m.stepping =
                    Stepping::Adaptive { rtol: rtol.unwrap_or(either), atol: atol.unwrap_or(either) };
            }
        }
        // options, as on the command line
        if !s.freedoms.is_empty() {
            m.set("freedoms", &s.freedoms.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join(", "))?;
        }
        for (name, value) in &s.options {
            m.set(&name.text, value)?;
        }
        Ok(m)
    }
    /// Sets an option by name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        // x = the number, if it is one
        let option = OptionEntry::find(name)?;
        let x = option.parse(value)?;
        let value = value.trim();
        if !self.set_number(name, x) {
            self.set_word(name, value).ok_or_else(|| option.refuse(value))?;
        }
        self.given.push(name.into());
        Ok(())
    }
    /// Sets an option that takes a number; is it one of them?
    fn set_number(&mut self, name: &str, x: f64) -> bool {
        match name {
            // constraints and schemes
            "alpha" => self.alpha = x,
            "xi" => self.xi = x,
            "omega" => self.omega = x,
            "beta" => self.newmark.beta = x,
            "gamma" => self.newmark.gamma = x,
            "newmark_xi" => self.newmark = Scheme::dissipative(x),
            "hht_alpha" => self.hht_alpha = x,
            "rho_inf" => self.rho_inf = x,
            "projection_tol" => self.projection_tol = x,
            "reduction" => self.reduction = x,
            "adams_order" => self.adams_order = Some(x as usize),
            // iterations, steps, differences
            "newton_tol" => self.newton_tol = x,
            "max_step" => self.max_step = x,
            "max_steps" => self.max_steps = x as usize,
            "fd_step" => self.fd_step = x,
            "extrapolation_step" => self.extrapolation_step = x,
            "extrapolation_tol" => self.extrapolation_tol = x,
            _ => return false,
        }
        true
    }
    /// Sets an option that takes a word; nothing if it does not take this one.
    fn set_word(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            // constraints and coordinates
            "alpha_scaling" => self.alpha_scaling = AlphaScaling::parse(value).ok()?,
            "stabilisation" => {
                self.projected_nodes = choice(value, &[("baumgarte", false), ("projection", true)])?;
            }
            "state" => {
                let states = [("independent", Integrated::Independent), ("mixed", Integrated::Mixed)];
                self.state = choice(value, &states)?;
            }
            "freedoms" => self.freedoms = names(value)?,
            // coordinate steps
            "projection" => {
                let name = match value {
                    "true" => "on",
                    "false" => "off",
                    name => name,
                };
                self.projection = Some(Projections::parse(name).ok()?);
            }
            "projection_matrix" => self.projection_matrix = ProjectionMatrices::parse(value).ok()?,
            "initial_acceleration" => {
                self.initial_acceleration = Some(InitialAcceleration::parse(value).ok()?);
            }
            "tangent" => self.truncated = choice(value, &[("full", false), ("truncated", true)])?,
            _ => return None,
        }
        Some(())
    }
    /// Options that were given and that this method does not use.
    pub fn unused_options(&self) -> Vec<Warning> {
        // used = does the method read the option?
        let family = self.integrator.coordinate();
        let penalty_start = family && self.initial_acceleration() == InitialAcceleration::Penalty;
        let stabilised = matches!(self.formulation, Formulation::Index1 | Formulation::Penalty);
        let used = |name: &str| match name {
            "alpha" | "alpha_scaling" => {
                matches!(self.formulation, Formulation::Penalty | Formulation::Ali3p) || penalty_start
            }
            "xi" | "omega" => (stabilised && !self.projects_nodes()) || penalty_start,
            "freedoms" => self.formulation == Formulation::Maggi,
            "state" | "stabilisation" | "projection" => self.has_step_option(name),
            "beta" | "gamma" | "newmark_xi" => self.integrator == Integrator::Newmark,
            "hht_alpha" => self.integrator == Integrator::Hht,
            "rho_inf" => self.integrator == Integrator::GeneralizedAlpha,
            "newton_tol" | "initial_acceleration" | "reduction" | "tangent" => family,
            "projection_matrix" => family && self.projections() != Projections::Off,
            "projection_tol" => family && self.projections() == Projections::Conditional,
            "adams_order" => self.integrator.multistep(),
            "max_step" => self.adapts(),
            _ => true,
        };
        // warnings of those that it does not read
        let text = |n: &String| {
            let why = match n.as_str() {
                "max_step" => " and fixed steps",
                "xi" | "omega" if stabilised => ", stabilisation=projection",
                _ => "",
            };
            let names = format!("{} + {}", self.formulation.name(), self.integrator.name());
            Warning::new(WarningCode::UnusedOption, format!("{n} has no effect with {names}{why}"))
                .about(Owner::Option, n)
        };
        self.given.iter().filter(|n| !used(n)).map(text).collect()
    }
    /// Refuses what does not exist.
    pub fn check(&self) -> Result<(), Error> {
        // names that do not go together
        if !self.formulation.fits(self.integrator) {
            let message =
                format!("{} does not work with {}", self.formulation.name(), self.integrator.name());
            return Err(Error::method(message, self.alternatives()));
        }
        // steps and tolerances that make no sense
        match self.stepping {
            Stepping::Fixed(h) if !(h > 0.0 && h.is_finite()) => Err(Error::method(
                format!("a step of {h} s makes no sense"),
                "give a positive step, such as --step 0.001",
            )),
            Stepping::Adaptive { .. } if !self.integrator.adapts() => {
                let message = format!("{} has no error estimate", self.integrator.name());
                let others =
                    listed(Integrator::ALL, |i| i.adapts() && self.formulation.fits(*i), |i| i.name());
                let or = if others.is_empty() {
                    String::new()
                } else {
                    format!(", or an integrator that has one: {others}")
                };
                Err(Error::method(message, format!("give a fixed step, --step, instead of tolerances{or}")))
            }
            Stepping::Adaptive { rtol, atol }
                if !(rtol >= 1e-14 && atol > 0.0 && rtol < 1.0 && atol.is_finite()) =>
            {
                Err(Error::method(
                    format!("tolerances rtol = {rtol}, atol = {atol} make no sense"),
                    "rtol from 1e-14 to below 1, atol > 0",
                ))
            }
            _ => Ok(()),
        }
    }
    /// What works with the formulation, and what with the integrator.
    fn alternatives(&self) -> String {
        let f = self.formulation;
        let i = self.integrator;
        let integrators = listed(Integrator::ALL, |i| f.fits(*i), |i| i.name());
        let formulations = listed(Formulation::ALL, |f| f.fits(i), |f| f.name());
        format!("{} works with {integrators}; {} with {formulations}", f.name(), i.name())
    }
    /// Tolerances of an adaptive run.
    pub fn tolerances(&self) -> Option<Tolerance> {
        self.controller(1.0).tolerance
    }
    /// Steps for a run of some duration.
    pub fn controller(&self, duration: f64) -> Controller {
        let base =
            Controller { step: None, tolerance: None, max_steps: self.max_steps, max_step: self.max_step };
        match self.stepping {
            Stepping::Fixed(h) => Controller { step: Some(h), ..base },
            Stepping::Adaptive { rtol, atol } => {
                Controller { tolerance: Some(Tolerance { rtol, atol }), ..base }
            }
            Stepping::Default if self.integrator.adapts() => {
                Controller { tolerance: Some(Tolerance { rtol: 1e-8, atol: 1e-8 }), ..base }
            }
            Stepping::Default => Controller { step: Some(duration / 1000.0), ..base },
        }
    }
    /// Are steps chosen from an error estimate?
    pub(crate) fn adapts(&self) -> bool {
        match self.stepping {
            Stepping::Fixed(_) => false,
            Stepping::Adaptive { .. } => true,
            Stepping::Default => self.integrator.adapts(),
        }
    }
    /// When a coordinate step projects.
    pub fn projections(&self) -> Projections {
        self.projection.unwrap_or(self.formulation.projections())
    }
    /// What to use instead, where λ and a follow from positions.
    pub(crate) fn exact_dynamics(&self) -> Option<&'static str> {
        // index 3 and ALI3-P hold positions only
        let projected = self.scheme().is_some() && self.projections() != Projections::Off;
        if !self.formulation.position_level() || projected {
            return None;
        }
        Some(if self.scheme().is_some() {
            "use projection=on, index1 or maggi"
        } else {
            "use index1 or maggi"
        })
    }
    /// Does this option make another step?
    fn has_step_option(&self, name: &str) -> bool {
        step_options(self.formulation, self.integrator).iter().any(|o| o.0 == name)
    }
    /// Are the nodes of a state step projected?
    pub fn projects_nodes(&self) -> bool {
        self.projected_nodes && self.has_step_option("stabilisation")
    }
    /// What gives the initial accelerations of a coordinate step.
    pub(crate) fn initial_acceleration(&self) -> InitialAcceleration {
        let ali3p = self.formulation == Formulation::Ali3p;
        self.initial_acceleration.unwrap_or(if ali3p {
            InitialAcceleration::Penalty
        } else {
            InitialAcceleration::Index1
        })
    }
    /// The scheme of a coordinate step.
    pub fn scheme(&self) -> Option<Scheme> {
        match self.integrator {
            Integrator::Newmark => Some(self.newmark),
            Integrator::Hht => Some(Scheme::hht(self.hht_alpha)),
            Integrator::GeneralizedAlpha => Some(Scheme::generalized_alpha(self.rho_inf)),
            _ => None,
        }
    }
    /// Penalty with α relative to the largest entry of M, or to the effective mass of each row, at the
    /// nominal parameters, so that it does not move with them.
    fn penalty(&self, model: &Model) -> Lagrange {
        let compliance = match self.alpha_scaling {
            AlphaScaling::Uniform => {
                let mass = largest_mass(&model.system, &model.slots(&model.rho()));
                Compliance::uniform(1.0 / (self.alpha * mass))
            }
            AlphaScaling::Row => Compliance { factor: 1.0 / self.alpha, scaling: RowScaling::EffectiveMass },
        };
        Lagrange { compliance, ..Lagrange::index1(self.xi, self.omega) }
    }
    /// The residual F(t, q, v, a, λ; p) of the formulation on this model.
    pub(crate) fn lagrange(&self, model: &Model) -> Lagrange {
        self.law(self.penalty(model))
    }
    /// F, with that of the penalty formulation at hand.
    fn law(&self, penalty: Lagrange) -> Lagrange {
        let f = match self.formulation {
            Formulation::Index3 | Formulation::Ali3p => Lagrange::INDEX3,
            Formulation::Index1 if self.projects_nodes() => Lagrange::ACCELERATION,
            Formulation::Maggi => Lagrange::ACCELERATION,
            Formulation::Index1 => Lagrange::index1(self.xi, self.omega),
            Formulation::Penalty => penalty,
        };
        Lagrange { wrong_tangent: self.mistakes.wrong_tangent, ..f }
    }
    /// A coordinate step.
    fn newmark(&self, sys: &Setup, penalty: Lagrange, scheme: Scheme) -> Newmark {
        let f = self.law(penalty);
        // redundant rows that are kept: only a compliance makes their multipliers unique
        let soft = f.shares(sys);
        let iteration_compliance =
            if self.formulation == Formulation::Ali3p { penalty.compliance } else { Compliance::NONE };
        Newmark {
            sys: sys.clone(),
            f,
            scheme,
            projection: match self.projections() {
                Projections::On => Projection::On,
                Projections::Off => Projection::Off,
                Projections::Conditional => Projection::Conditional(self.projection_tol),
            },
            matrix: match self.projection_matrix {
                ProjectionMatrices::Mass => ProjectionMatrix::Mass,
                ProjectionMatrices::Tangent => ProjectionMatrix::Tangent,
            },
            compliance: if soft { penalty.compliance } else { iteration_compliance },
            iteration: Iteration {
                tolerance: self.newton_tol,
                compliance: iteration_compliance,
                truncated: self.truncated,
                reduction: self.reduction,
            },
            start: match self.initial_acceleration() {
                InitialAcceleration::Index1 | InitialAcceleration::MatrixR if !soft => Lagrange::ACCELERATION,
                _ => penalty,
            },
            matrix_r: !soft && self.initial_acceleration() == InitialAcceleration::MatrixR,
        }
    }
    /// What makes the step on a model's system.
    #[doc(hidden)]
    pub fn build(&self, model: &Model) -> StepRecipe {
        // with a compliance the multipliers of redundant rows are unique
        let all = model.full.as_ref().filter(|_| self.formulation == Formulation::Penalty);
        let sys = all.unwrap_or(&model.system);
        self.step_on(sys, self.penalty(model), self.independent_coordinates(sys))
    }
    /// What makes the step on any system, with the law of the penalty formulation and named coordinates, if
    /// any.
    pub(crate) fn step_on(&self, sys: &Setup, penalty: Lagrange, freedoms: Vec<u32>) -> StepRecipe {
        // a coordinate step
        if let Some(scheme) = self.scheme() {
            return self.newmark(sys, penalty, scheme).into();
        }
        // a state step
        let f = self.law(penalty);
        let sys = sys.clone();
        let state = if self.formulation == Formulation::Maggi { self.state } else { Integrated::Full };
        let kind = if let Some(r) = self.integrator.rosenbrock() {
            let orders = [r.order, r.estimate];
            StepKind::Rosenbrock(Rosenbrock { sys, f, state, freedoms, scheme: r.scheme(), orders })
        } else if let Some(tableau) = self.integrator.tableau() {
            StepKind::RungeKutta(RungeKutta { sys, f, state, freedoms, tableau })
        } else {
            let corrects = self.integrator == Integrator::Adams;
            let order = self.adams_order.unwrap_or(match self.stepping {
                _ if !corrects => 2,
                Stepping::Fixed(_) => 4,
                _ => MOST,
            });
            return Adams { sys, f, state, freedoms, order, corrects }.into();
        };
        StepRecipe { kind, projected: self.projects_nodes() }
    }
}

/// The names of those that fit.
fn listed<T: Copy>(all: &[T], fits: impl Fn(&T) -> bool, name: impl Fn(T) -> &'static str) -> String {
    all.iter().copied().filter(fits).map(name).collect::<Vec<_>>().join(", ")
}

/// What a word stands for.
fn choice<T: Copy>(word: &str, list: &[(&str, T)]) -> Option<T> {
    list.iter().find(|(name, _)| *name == word).map(|(_, x)| *x)
}

/// Names between commas; none of them is empty.
fn names(text: &str) -> Option<Vec<String>> {
    text.split(',').map(|name| Some(name.trim().to_owned()).filter(|name| !name.is_empty())).collect()
}
