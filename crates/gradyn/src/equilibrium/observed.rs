//! What an equilibrium is asked for: places of bodies, forces, reactions and efforts, as far as there are
//! such sensors.

use gradyn_model::build;
use gradyn_model::mechanism::{Body, ForceKind, Joint, Mechanism, Text};

/// Expressions by what they are about.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Centres of mass and attitudes.
    pub bodies: Vec<String>,
    /// Forces of elements, and efforts of drivers.
    pub forces: Vec<String>,
    /// Reactions of joints.
    pub reactions: Vec<String>,
}

impl Observed {
    /// The sensors of a mechanism.
    pub fn of(m: &Mechanism) -> Self {
        let bodies = m.bodies.iter().map(|b| place(m, b));
        let forces = m.forces.iter().map(|f| force(m, &f.name, &f.kind));
        let forces = forces.chain(m.drivers.iter().map(|d| vec![format!("{}.effort", d.name)]));
        let rows = |j: &&Joint| {
            let spec = j.kind.spec();
            spec.rows[m.dimension - 2] + spec.slips[m.dimension - 2]
        };
        let held = m.joints.iter().filter(|j| rows(j) > 0);
        let reactions = held.map(|j| [vector(m, &j.name, "reaction"), torque(m, &j.name)].concat());
        let existing = |groups: Vec<Vec<String>>| groups.into_iter().flat_map(|g| exists(m, g)).collect();
        Self {
            bodies: existing(bodies.collect()),
            forces: existing(forces.collect()),
            reactions: existing(reactions.collect()),
        }
    }
    /// All of them, in order.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.bodies.iter().chain(&self.forces).chain(&self.reactions)
    }
    /// The mechanism with these columns after its own.
    pub fn added(&self, m: &Mechanism) -> Mechanism {
        let mut m = m.clone();
        m.outputs.extend(self.all().map(|x| (Text::from(x.as_str()), x.as_str().into())));
        m
    }
}

/// Sensors that there are: all of an element, or those that can be read alone.
fn exists(m: &Mechanism, sensors: Vec<String>) -> Vec<String> {
    let read = |list: &[String]| {
        let outputs = list.iter().map(|x| (Text::from(x.as_str()), x.as_str().into())).collect();
        build(&Mechanism { outputs, ..m.clone() }).is_ok()
    };
    if read(&sensors) {
        return sensors;
    }
    sensors.into_iter().filter(|x| read(std::slice::from_ref(x))).collect()
}

fn vector(m: &Mechanism, name: &Text, what: &str) -> Vec<String> {
    ["x", "y", "z"][..m.dimension].iter().map(|a| format!("{name}.{what}.{a}")).collect()
}

fn torque(m: &Mechanism, name: &Text) -> Vec<String> {
    if m.dimension == 2 { vec![format!("{name}.torque")] } else { vector(m, name, "torque") }
}

fn place(m: &Mechanism, b: &Body) -> Vec<String> {
    let attitude: &[&str] = match m.dimension {
        2 => &["angle"],
        _ if b.rod.is_some() => &[],
        _ => &["roll", "pitch", "yaw"],
    };
    vector(m, &b.name, "com").into_iter().chain(attitude.iter().map(|a| format!("{}.{a}", b.name))).collect()
}

fn force(m: &Mechanism, name: &Text, kind: &ForceKind) -> Vec<String> {
    match kind {
        ForceKind::SpringDamper { .. } | ForceKind::BumpStop { .. } => vec![format!("{name}.force")],
        ForceKind::Torsion { .. } => vec![format!("{name}.torque")],
        ForceKind::Torque { .. } => torque(m, name),
        ForceKind::Actuator { .. } | ForceKind::Friction { .. } => vec![format!("{name}.effort")],
        // at rest there is no slip
        ForceKind::Tyre(_) => ["normal", "radius"].map(|x| format!("{name}.{x}")).into(),
        _ => vector(m, name, "force"),
    }
}
