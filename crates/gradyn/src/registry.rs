//! The one list of formulations, integrators and sensitivities: names, what they are, what fits together.
//!
//! Command-line help, documentation tables and every cross-method test are made from these lists.

use crate::error::Error;
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
            /// All of them.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
            /// Name on the command line and in model files.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
            /// What it is.
            pub fn about(self) -> &'static str {
                match self { $($type::$variant => $about),* }
            }
            /// The one of that name.
            pub fn parse(name: &str) -> Result<Self, Error> {
                Self::ALL.iter().copied().find(|x| x.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|x| x.name()).collect();
                    let hint = nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("did you mean `{n}`? "));
                    Error::method(format!(concat!("there is no ", $what, " `{}`"), name), format!("{hint}valid: {}", names.join(", ")))
                })
            }
        }
    };
}

named! {
    /// How the constraints enter the equations of motion.
    Formulation, "formulation":
    Index3 "index3" "Lagrange multipliers, position-level constraints; projections on by default [A22, Eq. 17]",
    Penalty "penalty" "penalty in mixed form: stiff, damped constraints with compliance 1/alpha [P14, Eqs. 1-5]",
    Index1 "index1" "Lagrange multipliers, acceleration-level constraints with Baumgarte stabilisation [P14, Table 1]",
    Maggi "maggi" "independent coordinates by the matrices R and S; no multipliers in the equations of motion [M13, Eqs. 1-21; C12]",
}
named! {
    /// How time advances.
    Integrator, "integrator":
    Newmark "newmark" "Newmark family, order 2; quadrature: trapezoidal rule [A22, Eqs. 4, 5, 14, 15]",
    Rk4 "rk4" "classical Runge-Kutta, order 4, fixed steps; quadrature: its own weights",
    Dopri5 "dopri5" "Dormand-Prince 5(4), fixed or adaptive steps, dense output; quadrature: its own weights",
}
named! {
    /// How gradients are computed.
    Sensitivity, "sensitivity":
    DiscreteDirect "discrete-direct" "derivative of the steps, forward: cost grows with the number of parameters",
    DiscreteAdjoint "discrete-adjoint" "derivative of the steps, backward: cost independent of the number of parameters",
    Automatic "automatic" "dual numbers through the program, 8 parameters at a time",
    ComplexStep "complex-step" "complex numbers through the program, one parameter at a time",
    FiniteDifference "finite-difference" "central differences on the frozen plan: a check, not exact",
}

impl Formulation {
    /// Does it work with an integrator? Position-level constraints need a coordinate step, independent coordinates a state step.
    pub fn fits(self, integrator: Integrator) -> bool {
        match self {
            Formulation::Index3 => integrator == Integrator::Newmark,
            Formulation::Maggi => integrator != Integrator::Newmark,
            Formulation::Penalty | Formulation::Index1 => true,
        }
    }
}

impl Integrator {
    /// Name of the quadrature rule of integral objectives.
    pub fn quadrature(self) -> &'static str {
        match self {
            Integrator::Newmark => "trapezoidal rule",
            Integrator::Rk4 | Integrator::Dopri5 => "the scheme's own weights",
        }
    }
    /// Theoretical order.
    pub fn order(self) -> usize {
        match self {
            Integrator::Newmark => 2,
            Integrator::Rk4 => 4,
            Integrator::Dopri5 => 5,
        }
    }
    /// Can it choose its own steps?
    pub fn adapts(self) -> bool {
        self == Integrator::Dopri5
    }
}

/// Every formulation × integrator that exists.
pub fn combinations() -> Vec<(Formulation, Integrator)> {
    let all = Formulation::ALL.iter().flat_map(|&f| Integrator::ALL.iter().map(move |&i| (f, i)));
    all.filter(|(f, i)| f.fits(*i)).collect()
}

/// An option of `--option NAME=VALUE`.
pub struct OptionEntry {
    /// Name.
    pub name: &'static str,
    /// Default.
    pub default: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// All options.
pub const OPTIONS: &[OptionEntry] = &[
    OptionEntry { name: "alpha", default: "1e9", about: "penalty factor, times the largest entry of M (penalty)" },
    OptionEntry { name: "xi", default: "1", about: "damping ratio of the stabilisation (penalty, index1)" },
    OptionEntry { name: "omega", default: "10", about: "frequency of the stabilisation [1/s] (penalty, index1)" },
    OptionEntry {
        name: "state",
        default: "independent",
        about: "what maggi integrates: independent (z, z') or mixed (q, z') [C12, Eq. 3]",
    },
    OptionEntry { name: "beta", default: "0.25", about: "Newmark beta" },
    OptionEntry { name: "gamma", default: "0.5", about: "Newmark gamma" },
    OptionEntry { name: "newmark_xi", default: "0", about: "Newmark beta = (1-xi)^2/4, gamma = (1-2 xi)/2; negative dissipates" },
    OptionEntry {
        name: "projection",
        default: "on for index3",
        about: "velocity and acceleration projections with newmark: on, off",
    },
    OptionEntry { name: "newton_tol", default: "0", about: "relative correction at which Newton stops; 0: iterate to rounding" },
    OptionEntry { name: "max_step", default: "none", about: "largest step of an adaptive run [s]" },
    OptionEntry { name: "max_steps", default: "10000000", about: "most steps of a run" },
    OptionEntry { name: "fd_step", default: "1e-6", about: "relative step of finite-difference" },
];

/// Sensors that expressions can read: (expressions, what they are); `.x` after a comma has the head of the one before it.
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
    ("joint.reaction, .torque", "force and torque on body 2 by body 1, global frame, torque about point 2 [N, N m]"),
    ("spring.force, .length, .speed", "tension, length and its rate of a spring-damper [N, m, m/s]"),
    ("torsion.torque, .angle, .speed", "restoring torque, angle and its rate of a torsional spring [N m, rad, rad/s]"),
    ("force.force", "an applied force, a vector in global components [N]"),
    ("torque.torque", "an applied torque; a vector in space [N m]"),
    ("actuator.effort, .speed", "what acts on body 2 along the joint, and the rate of its coordinate [N, N m]"),
    ("friction.effort, .speed", "what acts on body 2 along the joint, and the rate of its coordinate [N, N m]"),
    (
        "bushing.force, .torque, .displacement, .rotation",
        "on body 2, global; deformation in the axes of the bushing [N, N m, m, rad]",
    ),
    ("bump_stop.force, .length, .speed", "tension (negative: it pushes), distance, its rate [N, m, m/s]"),
    ("contact.force, .normal, .gap", "force on the point, its normal part, distance from the plane [N, N, m]"),
    ("driver.effort", "force or torque that a driver applies along its quantity [N, N m]"),
    ("constraint.multiplier, gear.multiplier", "multiplier of the row"),
    ("system.kinetic, .potential, .energy", "energies; the potential is that of gravity and linear springs [J]"),
    ("system.momentum, .angular_momentum", "about the origin; angular momentum is a number in the plane [N s, N m s]"),
    (
        "body.kinetic, .potential, .energy, .momentum, .angular_momentum",
        "the same of one body; the potential is that of its weight",
    ),
    ("t", "time [s]"),
];
