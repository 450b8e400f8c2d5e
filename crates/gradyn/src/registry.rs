//! The one list of formulations, integrators and sensitivities: names, what they are, what fits together.
//!
//! Command-line help, documentation tables and every cross-method test are made from these lists.

mod option;

pub use option::{OptionEntry, Range};

use crate::error::Error;
use gradyn_dynamics::step::adams::coefficients::MOST;
use gradyn_dynamics::tableau::{self, Rosenbrock, Tableau};
use gradyn_model::error::nearest;

/// Declares an enum whose values have a name and a description.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($variant:ident $name:literal $about:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $about] $variant,)*
        }
        impl $type {
            /// All of them, in the order of the lists.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
            /// Name on the command line and in model files.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
            /// What it is, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $($type::$variant => $about),* }
            }
            /// The one of that name.
            pub fn parse(name: &str) -> Result<Self, Error> {
                Self::parse_beside(name, &[])
            }
            /// The one of that name, where other names are valid too; errors list them first.
            pub(crate) fn parse_beside(name: &str, others: &[&str]) -> Result<Self, Error> {
                Self::ALL.iter().copied().find(|x| x.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|x| x.name()).collect();
                    let near = nearest(name, names.iter().copied());
                    let hint = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
                    let valid = [others, &names].concat().join(", ");
                    let message = format!(concat!("there is no ", $what, " `{}`"), name);
                    Error::method(message, format!("{hint}valid: {valid}"))
                })
            }
        }
    };
}

named! {
    /// How the constraints enter the equations of motion.
    Formulation, "formulation":
    Index3 "index3" "Lagrange multipliers, position-level constraints; projections on by default [A22, Eq. \
        17]",
    Ali3p "ali3p" "augmented Lagrangian iteration of index 3 with penalty factor alpha and projections [A22, \
        Eqs. 1-3]",
    Penalty "penalty" "penalty in mixed form: stiff, damped constraints with compliance 1/alpha [P14, Eqs. \
        1-5]",
    Index1 "index1" "Lagrange multipliers, acceleration-level constraints with Baumgarte stabilisation [P14, \
        Table 1]",
    Maggi "maggi" "independent coordinates by the matrices R and S; no multipliers in the equations of \
        motion [M13, Eqs. 1-21; C12]",
}
named! {
    /// How time advances.
    Integrator, "integrator":
    Newmark "newmark" "Newmark family, order 2; quadrature: trapezoidal rule [A22, Eqs. 4, 5, 14, 15]",
    Hht "hht" "Hilber-Hughes-Taylor, order 2 with dissipation by hht_alpha; quadrature: trapezoidal rule",
    GeneralizedAlpha "generalized-alpha" "generalised-alpha, order 2 with dissipation by rho_inf; \
        quadrature: trapezoidal rule",
    Rk4 "rk4" "classical Runge-Kutta, order 4, fixed steps; quadrature: its own weights",
    Dopri5 "dopri5" "Dormand-Prince 5(4), fixed or adaptive steps, dense output; quadrature: its own weights",
    Dop853 "dop853" "Dormand-Prince 8(5,3), order 8, fixed or adaptive steps; quadrature: its own weights",
    Gauss4 "gauss4" "Gauss, 2 stages, order 4, symplectic (energy does not drift with fixed steps, but for \
        Baumgarte's terms), fixed or adaptive steps; quadrature: its own weights",
    Radau3 "radau3" "Radau IIA, 2 stages, order 3, L-stable, fixed or adaptive steps; quadrature: its own \
        weights",
    Radau5 "radau5" "Radau IIA, 3 stages, order 5, L-stable, fixed or adaptive steps; quadrature: its own \
        weights",
    Ros3 "ros3" "Rosenbrock, 3 stages, order 3, L-stable, one Jacobian per step, fixed or adaptive steps; \
        quadrature: its own weights",
    Rodas4 "rodas4" "Rosenbrock, 6 stages, order 4, L-stable, one Jacobian per step, fixed or adaptive \
        steps; quadrature: its own weights",
    Sdirk4 "sdirk4" "diagonally implicit, 5 stages, order 4, L-stable, fixed or adaptive steps; quadrature: \
        its own weights",
    Adams "adams" "Adams PECE, order 1-12, fixed or adaptive steps, dense output; quadrature: its own \
        corrector [B92, section IV]",
    Bashforth "adams-bashforth" "Adams-Bashforth, order 2 (1-12 by adams_order), fixed steps, one evaluation \
        a step; quadrature: Adams-Moulton",
}
named! {
    /// How gradients are computed.
    Sensitivity, "sensitivity":
    DiscreteDirect "discrete-direct" "derivative of the steps, forward: cost grows with the number of \
        parameters",
    DiscreteAdjoint "discrete-adjoint" "derivative of the steps, backward: cost independent of the number of \
        parameters",
    Automatic "automatic" "dual numbers through the program, 8 parameters at a time",
    ComplexStep "complex-step" "complex numbers through the program, one parameter at a time",
    Direct "direct" "tangent linear model, integrated along the run: forward, at the order of the integrator \
        [M13, Eqs. 37-39]",
    AdjointExplicit "adjoint-explicit" "adjoint of the explicit equations of motion, integrated backward \
        [M13, Eqs. 64-70; P14, Eqs. 29-34]",
    AdjointSemiExplicit "adjoint-semi-explicit" "the same with the multipliers of the equations of motion as \
        unknowns [M13, Eqs. 71-83]",
    AdjointStateSpace "adjoint-state-space" "the same in independent coordinates, with the reduced mass \
        matrix [B92, Eqs. 43-51]",
    AdjointDae "adjoint-dae" "adjoint of the differential-algebraic equations of index 1 and 3, integrated \
        backward [P14, Table 1]",
    FiniteDifference "finite-difference" "central differences on the frozen plan: a check, not exact",
    Extrapolated "extrapolated" "differences extrapolated to step 0, with an error bar: a check that shares \
        nothing with the others [B92, Eqs. 64-68]",
}

named! {
    /// When a coordinate step projects velocities and accelerations.
    Projections, "projection":
    On "on" "at every step",
    Off "off" "never",
    Conditional "conditional" "at steps that begin with a violation of the velocity constraints above \
        projection_tol",
}
named! {
    /// What the penalty factors of the rows are scaled by.
    AlphaScaling, "scaling of alpha":
    Uniform "uniform" "the largest entry of M",
    Row "row" "the effective mass of each row at the nominal start",
}
named! {
    /// The matrix of the projections of a coordinate step.
    ProjectionMatrices, "projection matrix":
    Mass "mass" "the mass matrix",
    Tangent "tangent" "the tangent of the scheme without constraints, M + gamma h C + beta h^2 K [A22, Eqs. \
        2, 3, 11]",
}
named! {
    /// What gives the accelerations at the start of a coordinate step.
    InitialAcceleration, "initial acceleration":
    Index1 "index1" "constraints at acceleration level",
    MatrixR "matrix-r" "the same by the matrices R and S of Maggi's equations [M13, Eqs. 9-20]",
    Penalty "penalty" "the penalty formulation with alpha, xi and omega [A22, Eqs. 34-36]",
}

impl Formulation {
    /// Are its constraints those of positions?
    pub fn position_level(self) -> bool {
        matches!(self, Formulation::Index3 | Formulation::Ali3p)
    }
    /// When its coordinate steps project, if nothing else is said.
    pub fn projections(self) -> Projections {
        if self.position_level() { Projections::On } else { Projections::Off }
    }
    /// Does it work with an integrator? Position-level constraints need a coordinate step or stages that are
    /// all coupled and end in the node, independent coordinates a state step.
    pub fn fits(self, integrator: Integrator) -> bool {
        match self {
            Formulation::Ali3p => integrator.coordinate(),
            Formulation::Index3 => {
                integrator.coordinate() || integrator.tableau().is_some_and(|t| t.takes_positions())
            }
            Formulation::Maggi => !integrator.coordinate(),
            Formulation::Penalty | Formulation::Index1 => true,
        }
    }
}

impl Integrator {
    /// The tableau of a Runge–Kutta scheme.
    pub(crate) fn tableau(self) -> Option<&'static Tableau> {
        match self {
            Integrator::Newmark
            | Integrator::Hht
            | Integrator::GeneralizedAlpha
            | Integrator::Ros3
            | Integrator::Rodas4
            | Integrator::Adams
            | Integrator::Bashforth => None,
            Integrator::Rk4 => Some(&tableau::RK4),
            Integrator::Dopri5 => Some(&tableau::DOPRI5),
            Integrator::Dop853 => Some(&tableau::DOP853),
            Integrator::Gauss4 => Some(&tableau::GAUSS4),
            Integrator::Radau3 => Some(&tableau::RADAU3),
            Integrator::Radau5 => Some(&tableau::RADAU5),
            Integrator::Sdirk4 => Some(&tableau::SDIRK4),
        }
    }
    /// The scheme of a Rosenbrock method.
    pub(crate) fn rosenbrock(self) -> Option<&'static Rosenbrock> {
        match self {
            Integrator::Ros3 => Some(&tableau::ROS3),
            Integrator::Rodas4 => Some(&tableau::RODAS4),
            _ => None,
        }
    }
    /// Is every stage known from those before it, so that no tangent is needed?
    pub fn is_explicit(self) -> bool {
        self.multistep() || self.tableau().is_some_and(|t| t.groups().all(|g| !t.is_implicit(g)))
    }
    /// Is it a coordinate step, whose unknowns are positions: one of the generalised-α family?
    pub fn coordinate(self) -> bool {
        matches!(self, Integrator::Newmark | Integrator::Hht | Integrator::GeneralizedAlpha)
    }
    /// Name of the quadrature rule of integral objectives.
    pub fn quadrature(self) -> &'static str {
        match self {
            _ if self.coordinate() => "trapezoidal rule",
            Integrator::Adams => "its own corrector",
            Integrator::Bashforth => "Adams-Moulton",
            _ => "the scheme's own weights",
        }
    }
    /// Theoretical order; of the corrector with fixed steps where it varies.
    pub fn order(self) -> usize {
        match self {
            _ if self.coordinate() => 2,
            Integrator::Adams => 5,
            Integrator::Bashforth => 2,
            _ => self.tableau().map(|t| t.order).or(self.rosenbrock().map(|r| r.order)).unwrap_or(0),
        }
    }
    /// Is it a multistep method, whose records have a history?
    pub fn multistep(self) -> bool {
        matches!(self, Integrator::Adams | Integrator::Bashforth)
    }
    /// Can it choose its own steps?
    pub fn adapts(self) -> bool {
        self == Integrator::Adams
            || self.rosenbrock().is_some()
            || self.tableau().is_some_and(|t| !t.error.is_empty())
    }
}

impl Sensitivity {
    /// Is it the derivative of the steps themselves, up to rounding?
    pub fn is_exact(self) -> bool {
        matches!(
            self,
            Sensitivity::DiscreteDirect
                | Sensitivity::DiscreteAdjoint
                | Sensitivity::Automatic
                | Sensitivity::ComplexStep
        )
    }
    /// Does it differentiate the equations of motion, not the steps?
    pub fn is_continuous(self) -> bool {
        use Sensitivity::{AdjointDae, AdjointExplicit, AdjointSemiExplicit, AdjointStateSpace, Direct};
        matches!(self, Direct | AdjointExplicit | AdjointSemiExplicit | AdjointStateSpace | AdjointDae)
    }
    /// Is it the derivative of the steps by their products?
    pub(crate) fn is_discrete(self) -> bool {
        matches!(self, Self::DiscreteDirect | Self::DiscreteAdjoint)
    }
    /// Does it work with a formulation? Adjoints of ordinary differential equations need such equations.
    pub fn fits(self, formulation: Formulation) -> bool {
        match self {
            Sensitivity::AdjointExplicit | Sensitivity::AdjointSemiExplicit => !formulation.position_level(),
            Sensitivity::AdjointStateSpace => formulation == Formulation::Maggi,
            Sensitivity::AdjointDae => formulation.position_level() || formulation == Formulation::Index1,
            _ => true,
        }
    }
    /// Refuses formulations that it does not work with.
    pub fn check(self, formulation: Formulation) -> Result<(), Error> {
        if self.fits(formulation) {
            return Ok(());
        }
        let list = |names: Vec<&str>| names.join(", ");
        let formulations = Formulation::ALL.iter().filter(|f| self.fits(**f)).map(|f| f.name()).collect();
        let others = Self::ALL.iter().filter(|s| s.fits(formulation)).map(|s| s.name()).collect();
        let message = format!("{} does not work with {}", self.name(), formulation.name());
        let help = format!(
            "{} works with {}; {} has {}",
            self.name(),
            list(formulations),
            formulation.name(),
            list(others)
        );
        Err(Error::method(message, help))
    }
}

/// Theoretical orders of (q, v, a, λ) at the nodes. With constraints at the level of positions an s-stage
/// Radau IIA has (2s-1, s, s-1, s-1) [Hairer, Lubich & Roche; Jay]; everything else has one order.
pub fn orders(formulation: Formulation, integrator: Integrator) -> [usize; 4] {
    match (formulation, integrator) {
        (Formulation::Index3, Integrator::Radau3) => [3, 2, 1, 1],
        (Formulation::Index3, Integrator::Radau5) => [5, 3, 2, 2],
        _ => [integrator.order(); 4],
    }
}

/// Every formulation × integrator that exists.
pub fn combinations() -> Vec<(Formulation, Integrator)> {
    let all = Formulation::ALL.iter().flat_map(|&f| Integrator::ALL.iter().map(move |&i| (f, i)));
    all.filter(|(f, i)| f.fits(*i)).collect()
}

/// The options that make another step of a combination, and their values, the default first.
pub(crate) fn step_options(
    formulation: Formulation,
    integrator: Integrator,
) -> Vec<(&'static str, Vec<&'static str>)> {
    match formulation {
        _ if integrator.coordinate() => {
            let default = formulation.projections();
            let others = Projections::ALL.iter().filter(|p| **p != default);
            let projections =
                ("projection", [&default].into_iter().chain(others).map(|p| p.name()).collect());
            let matrices = ("projection_matrix", ProjectionMatrices::ALL.iter().map(|p| p.name()).collect());
            if default == Projections::Off { vec![projections] } else { vec![projections, matrices] }
        }
        Formulation::Maggi => vec![("state", vec!["independent", "mixed"])],
        // projected nodes need a one-step method: a history belongs to nodes that are not projected
        Formulation::Index1 if !integrator.multistep() => {
            vec![("stabilisation", vec!["baumgarte", "projection"])]
        }
        _ => vec![],
    }
}

/// A step: a combination, and the value of the option that makes it another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// How the constraints enter the equations of motion.
    pub formulation: Formulation,
    /// The scheme that makes the steps.
    pub integrator: Integrator,
    /// Option and value; `None` is the default.
    pub option: Option<(&'static str, &'static str)>,
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} + {}", self.formulation.name(), self.integrator.name())?;
        self.option.map_or(Ok(()), |(name, value)| write!(f, ", {name}={value}"))
    }
}

/// Every step that exists, those without an option first.
pub fn variants() -> Vec<Variant> {
    let combinations = combinations();
    let plain = combinations.iter().map(|&(formulation, integrator)| Variant {
        formulation,
        integrator,
        option: None,
    });
    let others = combinations.iter().flat_map(|&(formulation, integrator)| {
        let values = step_options(formulation, integrator)
            .into_iter()
            .flat_map(|(name, values)| values.into_iter().skip(1).map(move |value| (name, value)));
        values.map(move |option| Variant { formulation, integrator, option: Some(option) })
    });
    plain.chain(others).collect()
}

/// All options of methods.
pub const OPTIONS: &[OptionEntry] = &[
    OptionEntry::number(
        "alpha",
        "1e9",
        [1e-3, 1e18],
        "penalty factor, times what alpha_scaling says (penalty, ali3p, initial_acceleration=penalty)",
    ),
    OptionEntry::words(
        "alpha_scaling",
        "row",
        "what alpha is relative to: row (the effective mass of each constraint row at the nominal start), \
        uniform (the largest entry of M, as in the papers)",
    ),
    OptionEntry::number(
        "xi",
        "1",
        [0.0, 1000.0],
        "damping ratio of the stabilisation (penalty, index1, initial_acceleration=penalty)",
    ),
    OptionEntry::number(
        "omega",
        "10",
        [0.0, 1e6],
        "frequency of the stabilisation [1/s] (penalty, index1, initial_acceleration=penalty); 0: none",
    ),
    OptionEntry::words(
        "stabilisation",
        "baumgarte",
        "how index1 keeps its constraints: baumgarte, or projection of the node (Runge-Kutta and Rosenbrock)",
    ),
    OptionEntry::words(
        "state",
        "independent",
        "what maggi integrates: independent (z, z') or mixed (q, z') [C12, Eq. 3]",
    ),
    OptionEntry::words(
        "freedoms",
        "chosen by elimination, and again on the way",
        "independent coordinates of maggi, separated by commas; `gradyn check` lists the names",
    ),
    OptionEntry::number("beta", "0.25", [0.01, 2.0], "Newmark beta"),
    OptionEntry::number("gamma", "0.5", [0.5, 2.0], "Newmark gamma; above 0.5 dissipates"),
    OptionEntry::number(
        "newmark_xi",
        "0",
        [-1.0, 0.0],
        "Newmark beta = (1-xi)^2/4, gamma = (1-2 xi)/2; negative dissipates",
    ),
    OptionEntry::number("hht_alpha", "0.05", [0.0, 1.0 / 3.0], "alpha_f of hht; 0 is the trapezoidal rule"),
    OptionEntry::number(
        "rho_inf",
        "0.8",
        [0.0, 1.0],
        "spectral radius of generalized-alpha at high frequencies; 1 conserves",
    ),
    OptionEntry::words(
        "projection",
        "on for index3, ali3p",
        "velocity and acceleration projections with newmark, hht, generalized-alpha: on, off, conditional",
    ),
    OptionEntry::words(
        "projection_matrix",
        "mass",
        "matrix of the projections: mass, tangent (M + gamma h C + beta h^2 K)",
    ),
    OptionEntry::number(
        "projection_tol",
        "1e-8",
        [0.0, 1.0],
        "violation of the velocity constraints, relative, above which projection=conditional projects",
    ),
    OptionEntry::words(
        "initial_acceleration",
        "penalty for ali3p, else index1",
        "accelerations at the start of newmark, hht, generalized-alpha: index1, matrix-r (the same by \
        Maggi's matrices), penalty",
    ),
    OptionEntry::number(
        "reduction",
        "1",
        [0.0, 1.0],
        "factor of the multipliers of the step before, where the iteration of a coordinate step begins",
    ),
    OptionEntry::words(
        "tangent",
        "full",
        "matrix of the iteration of a coordinate step: full, truncated (without the geometric stiffness)",
    ),
    OptionEntry::whole(
        "adams_order",
        "12, 4 with fixed steps, 2 of adams-bashforth",
        [1.0, MOST as f64],
        "highest order of the predictor of adams, whose corrector has one more; order of adams-bashforth",
    ),
    OptionEntry::number(
        "newton_tol",
        "0",
        [0.0, 0.1],
        "relative correction at which Newton stops; 0: iterate to rounding",
    ),
    OptionEntry::number("max_step", "none", [1e-12, 1e12], "largest step of an adaptive run [s]"),
    OptionEntry::whole("max_steps", "10000000", [1.0, 1e12], "most steps of a run"),
    OptionEntry::number(
        "fd_step",
        "1e-6",
        [1e-12, 0.1],
        "step of finite-difference, relative to the scale of the parameter",
    ),
    OptionEntry::number(
        "extrapolation_step",
        "1e-2",
        [1e-10, 1.0],
        "largest step of extrapolated, relative to the scale of the parameter",
    ),
    OptionEntry::number(
        "extrapolation_tol",
        "1e-8",
        [1e-14, 0.1],
        "error bar at which extrapolated stops, relative to the entry",
    ),
];

/// Sensors that expressions can read: (expressions, what they are); `.x` after a comma has the head of the
/// one before it.
pub const SENSORS: &[(&str, &str)] = &[
    ("body.point, body.com, ground.point", "position, a vector; .x, .y, .z are its components [m]"),
    ("body.angle", "plane: angle to the x axis over any number of turns [rad]"),
    ("angle(body1, body2)", "plane: angle of body 2 relative to body 1 [rad]"),
    ("body.roll, .pitch, .yaw", "space: attitude; yaw and roll over any number of turns [rad]"),
    ("roll(body1, body2), pitch(...), yaw(...)", "space: attitude of body 2 in the axes of body 1 [rad]"),
    ("body.omega", "angular velocity, global components; a number in the plane [rad/s]"),
    ("distance(p, q)", "distance of two points [m]"),
    ("vel(...), acc(...)", "first and second rate of any expression of positions, angles and time"),
    ("local(v, body)", "components of a vector in the axes of a body"),
    ("axis(body, v)", "a vector fixed in a body, in global components"),
    (
        "joint.angle, .position, .angle_1, .angle_2, .x, .y",
        "coordinates of a joint; of a universal joint; of a planar joint [rad, m]",
    ),
    (
        "joint.reaction, .torque",
        "force and torque on body 2 by body 1, global frame, torque about point 2 [N, N m]",
    ),
    ("spring.force, .length, .speed", "tension, length and its rate of a spring-damper [N, m, m/s]"),
    (
        "torsion.torque, .angle, .speed",
        "restoring torque, angle and its rate of a torsional spring [N m, rad, rad/s]",
    ),
    ("force.force", "an applied force, a vector in global components [N]"),
    ("torque.torque", "an applied torque; a vector in space [N m]"),
    (
        "actuator.effort, .speed",
        "what acts on body 2 along the joint, and the rate of its coordinate [N, N m]",
    ),
    (
        "friction.effort, .speed",
        "what acts on body 2 along the joint, and the rate of its coordinate [N, N m]",
    ),
    (
        "bushing.force, .torque, .displacement, .rotation",
        "on body 2, global; deformation in the axes of the bushing [N, N m, m, rad]",
    ),
    ("bump_stop.force, .length, .speed", "tension (negative: it pushes), distance, its rate [N, m, m/s]"),
    (
        "contact.force, .normal, .gap",
        "force on the point, its normal part, distance from the plane [N, N, m]",
    ),
    ("tyre.force, .normal", "force of the road on the tyre, its vertical part [N]"),
    (
        "tyre.kappa, .alpha, .radius, .gap",
        "longitudinal slip, slip angle, loaded radius, distance from the road [-, rad, m, m]",
    ),
    ("driver.effort", "force or torque that a driver applies along its quantity [N, N m]"),
    ("constraint.multiplier, gear.multiplier", "multiplier of the row"),
    (
        "system.kinetic, .potential, .energy",
        "energies; the potential is that of gravity and linear springs [J]",
    ),
    (
        "system.momentum, .angular_momentum",
        "about the origin; angular momentum is a number in the plane [N s, N m s]",
    ),
    (
        "body.kinetic, .potential, .energy, .momentum, .angular_momentum",
        "the same of one body; the potential is that of its weight",
    ),
    ("t", "time [s]"),
];
