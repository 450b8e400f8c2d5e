//! Mechanisms built in Rust.

mod bodies;
mod linkages;

pub use bodies::{double_pendulum, driven, free_body, pendulum, rotor, spring_mass, welded};
pub use linkages::{five_bar, five_bar_control, four_bar, slider_crank, ternary, trammel};

#[cfg(feature = "dynamics")]
use gradyn_dynamics::assembly::assemble;
use gradyn_model::mechanism::{
    About, Driver, ForceKind, InitialVelocity, Joint, JointKind, Mechanism, Number, Quantity, Spline,
};
use gradyn_model::{Coordinates, Model, build_in};

/// Every model with its name: what the cross-tests run over.
pub fn all() -> Vec<(&'static str, Mechanism)> {
    vec![
        ("five_bar", five_bar()),
        ("pendulum", pendulum()),
        ("double_pendulum", double_pendulum()),
        ("slider_crank", slider_crank()),
        ("four_bar", four_bar()),
        ("trammel", trammel()),
        ("welded", welded()),
        ("driven", driven()),
        ("spring_mass", spring_mass()),
        ("free_body", free_body()),
        ("rotor", rotor()),
        ("ternary", ternary()),
    ]
}

/// A model, its slots and positions at the start.
pub struct Ready {
    /// The model in its coordinates.
    pub model: Model,
    /// Slots p = e(ρ) at the nominal parameters.
    pub p: Vec<f64>,
    /// Positions q at the start.
    pub q: Vec<f64>,
}

/// Builds a mechanism; positions are where the assembly would begin, off the constraints.
///
/// # Panics
/// With the library's message where it does not build.
pub fn guessed_in(m: &Mechanism, family: Coordinates) -> Ready {
    let model = build_in(m, family).unwrap_or_else(|e| panic!("{}: {e}", m.name));
    let p = model.slots(&model.rho());
    let q = model.system.guess().to_vec();
    Ready { model, p, q }
}

/// Builds and assembles a mechanism in natural coordinates.
///
/// # Panics
/// With the library's message where it does not build or assemble.
#[cfg(feature = "dynamics")]
pub fn ready(m: &Mechanism) -> Ready {
    ready_in(m, Coordinates::Natural)
}

/// Builds and assembles a mechanism in coordinates of some family.
///
/// # Panics
/// With the library's message where it does not build or assemble.
#[cfg(feature = "dynamics")]
pub fn ready_in(m: &Mechanism, family: Coordinates) -> Ready {
    let Ready { model, p, .. } = guessed_in(m, family);
    let names = [&model.conditions.0, &model.conditions.1]
        .map(|c| c.iter().map(|t| t.text.clone()).collect::<Vec<_>>());
    let t = p[model.times.start as usize];
    let at = assemble(&model.system, t, &p, &model.angles, (&names[0], Some(&names[1])))
        .unwrap_or_else(|e| panic!("{}: {e}", m.name));
    Ready { p, q: at.q, model }
}

/// Adds parameters with their values.
fn parameters(m: &mut Mechanism, list: &[(&str, f64)]) {
    for (name, value) in list {
        m.parameter(name, *value);
    }
}

/// Adds a spline from a start on, for a duration [s].
fn spline(m: &mut Mechanism, name: &str, cyclic: bool, [start, duration]: [f64; 2], values: Vec<Number>) {
    let [start, duration] = [start, duration].map(Number::from);
    m.splines.push(Spline { name: name.into(), cyclic, start, duration, values });
}

/// Adds a torque on a body, against the ground.
fn torque(m: &mut Mechanism, name: &str, on: &str, torque: &str) {
    let torque = vec![torque.into()];
    m.force(name, ForceKind::Torque { on: on.into(), reaction: "ground".into(), torque, frame: None });
}

/// A plane joint with an axis of body 1.
fn sliding(name: &str, kind: JointKind, axis: [&str; 2], a: &str, b: &str) -> Joint {
    Joint { axes: [Some(axis.into()), None], ..Joint::new(name, kind, a, b) }
}

/// A spring of 100 N/m without damping.
fn spring(a: &str, b: &str, length: &str) -> ForceKind {
    ForceKind::SpringDamper {
        between: [a.into(), b.into()],
        stiffness: 100.0.into(),
        damping: 0.0.into(),
        length: length.into(),
        force: None,
    }
}

/// A spring-damper by stiffness, damping and free length, with a further force.
fn spring_damper(a: &str, b: &str, [k, c, length]: [&str; 3], force: Option<&str>) -> ForceKind {
    ForceKind::SpringDamper {
        between: [a.into(), b.into()],
        stiffness: k.into(),
        damping: c.into(),
        length: length.into(),
        force: force.map(Number::from),
    }
}

/// A torsional spring-damper by stiffness, damping and free angle, with a further torque.
fn torsion(a: &str, b: &str, [k, c, angle]: [&str; 3], torque: Option<&str>) -> ForceKind {
    ForceKind::Torsion {
        about: About::Bodies([a.into(), b.into()]),
        stiffness: k.into(),
        damping: c.into(),
        angle: angle.into(),
        torque: torque.map(Number::from),
    }
}

/// Adds a driver of a quantity.
fn drive(m: &mut Mechanism, name: &str, quantity: Quantity, value: &str) {
    m.drivers.push(Driver { name: name.into(), quantity, value: value.into() });
}

/// Conditions from their texts.
fn pairs(list: &[(&str, &str)]) -> Vec<(Number, Number)> {
    list.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
}

/// Sets the conditions of positions and velocities at the start.
fn start(m: &mut Mechanism, position: &[(&str, &str)], velocity: &[(&str, &str)]) {
    m.initial.position = pairs(position);
    m.initial.velocity = InitialVelocity::Conditions(pairs(velocity));
}
