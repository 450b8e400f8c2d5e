//! Runs whose numbers are wrong, with nothing in the run that fails: each must end in a right number, a
//! warning by name, or a refusal.

use crate::known::Known;

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// Fixed steps [s].
    Fixed(f64),
    /// Relative and absolute tolerance.
    Tolerance(f64),
}

/// A run that may be wrong in silence.
pub struct Silent {
    /// What is wrong with it.
    pub name: &'static str,
    /// Name of the model among those that are known.
    pub model: &'static str,
    /// Formulation and integrator.
    pub method: [&'static str; 2],
    /// Options of the method.
    pub options: &'static [(&'static str, &'static str)],
    /// Its steps.
    pub steps: Steps,
}

impl Silent {
    /// The model.
    pub fn known(&self) -> &'static Known {
        Known::find(self.model).unwrap_or_else(|| panic!("there is no model `{}`", self.model))
    }
}

/// A run without options.
const fn silent(name: &'static str, model: &'static str, method: [&'static str; 2], steps: Steps) -> Silent {
    Silent { name, model, method, options: &[], steps }
}

use Steps::{Fixed, Tolerance};
const RK4: [&str; 2] = ["index1", "rk4"];
const NEWMARK: [&str; 2] = ["index3", "newmark"];
const DOPRI5: [&str; 2] = ["index1", "dopri5"];
const RADAU5: [&str; 2] = ["maggi", "radau5"];

/// Laws that no step resolves, steps beyond stability, kinks, jumps, chaos.
#[rustfmt::skip]
pub const SILENT: &[Silent] = &[
    // friction, flips, steep laws
    silent("friction by v/norm(v) that comes to rest", "friction by v/norm(v) that comes to rest", RK4, Fixed(0.01)),
    silent("a force along x/norm(x) that flips", "a force along x/norm(x) that flips", RK4, Fixed(0.01)),
    silent("tanh(1e6 (t - p))", "tanh of a microsecond", NEWMARK, Fixed(0.01)),
    silent("smoothstep(1e6 (t - p))", "smoothstep of a microsecond", NEWMARK, Fixed(0.01)),
    silent("splus of 1e-9", "a stop of width 1e-9", NEWMARK, Fixed(0.01)),
    silent("friction with speed 1e-6", "friction of 1e-6 m/s", NEWMARK, Fixed(0.01)),
    silent("a contact of 10 ms with steps of 10 ms", "a contact of 10 ms", NEWMARK, Fixed(0.01)),
    // steps that resolve no period
    silent("ωh = 10 with newmark", "a spring of 1000 rad/s", NEWMARK, Fixed(0.01)),
    silent("ωh = 2.5 with rk4", "a spring of 250 rad/s", RK4, Fixed(0.01)),
    silent("an explicit run beyond stability", "a spring of 400 rad/s", RK4, Fixed(0.01)),
    silent("energy that steps lose", "a spring of 20 rad/s for 5 s", RK4, Fixed(0.05)),
    silent("a step of 10 s in a run of 1 s", "a spring of 2 rad/s", NEWMARK, Fixed(10.0)),
    // kinks of integrands, a linkage near its change point
    silent("a kink by norm in an integrand", "a kink of norm in an integrand", RK4, Fixed(0.1)),
    silent("a kink by distance in an integrand", "a kink of distance in an integrand", RK4, Fixed(0.1)),
    silent("a kink by sqrt in an integrand", "a kink of sqrt in an integrand", RK4, Fixed(0.1)),
    silent("a parallelogram 1e-4 m from its change point", "a parallelogram that is 1e-4 m from its change point", NEWMARK, Fixed(1e-3)),
    // what an engineer may write besides
    silent("a hard bump stop", "a hard bump stop", RK4, Fixed(0.005)),
    silent("a hard bump stop with tolerances of 1e-3", "a hard bump stop", DOPRI5, Tolerance(1e-3)),
    silent("an elastic floor by max", "an elastic floor by max", NEWMARK, Fixed(0.01)),
    silent("a dead zone", "a dead zone", RK4, Fixed(0.01)),
    silent("an actuator that is clipped", "an actuator that is clipped", RK4, Fixed(0.05)),
    silent("strong friction that sticks", "strong friction of 0.01 m/s", NEWMARK, Fixed(0.01)),
    silent("a damper in one direction", "a damper in one direction", RK4, Fixed(0.01)),
    silent("a damper in one direction, implicit", "a damper in one direction", RADAU5, Fixed(0.05)),
    silent("a wall that is thinner than a step", "a wall that is thinner than a step", RK4, Fixed(0.01)),
    silent("a blow of 0.1 ms between nodes", "a blow of 0.1 ms", RK4, Fixed(0.01)),
    silent("a blow of 0.1 ms with tolerances", "a blow of 0.1 ms", DOPRI5, Tolerance(1e-6)),
    silent("a force of 100 Hz with steps of 10 ms", "a force of 100 Hz", NEWMARK, Fixed(0.01)),
    silent("a force of 100 Hz with tolerances of 1e-2", "a force of 100 Hz", DOPRI5, Tolerance(1e-2)),
    silent("a force that is switched at 20 Hz with steps of 0.1 s", "a force that is switched at 20 Hz", RK4, Fixed(0.1)),
    silent("a smooth maximum sharper than a step", "a smooth maximum sharper than a step", RK4, Fixed(0.01)),
    silent("a fast vibration that steps take away", "a fast vibration about a slow motion", RADAU5, Fixed(0.01)),
    silent("a fast vibration with newmark", "a fast vibration about a slow motion", NEWMARK, Fixed(0.01)),
    silent("chaos", "a double pendulum for 20 s", DOPRI5, Tolerance(1e-9)),
    // methods that do not fit
    silent("tolerances of 0.1", "a spring that is driven", DOPRI5, Tolerance(0.1)),
    silent("tolerances of 0.1 with adams", "a pendulum", ["index1", "adams"], Tolerance(0.1)),
    Silent { name: "constraints that are not stabilised", model: "a pendulum", method: RK4, options: &[("omega", "0"), ("xi", "0")], steps: Fixed(0.05) },
    Silent { name: "constraints that are stabilised too hard", model: "a pendulum", method: RK4, options: &[("omega", "200")], steps: Fixed(0.01) },
    Silent { name: "a penalty that is too soft", model: "a pendulum", method: ["penalty", "radau5"], options: &[("alpha", "100")], steps: Fixed(0.01) },
    Silent { name: "a penalty that is too hard", model: "a pendulum", method: ["penalty", "rk4"], options: &[("alpha", "1e12")], steps: Fixed(0.01) },
    Silent { name: "a projection that is left out", model: "a pendulum", method: NEWMARK, options: &[("projection", "off")], steps: Fixed(0.05) },
];
