//! The sections of a template in one copy: what each key holds decides how its strings are read and how it is
//! mirrored.
//!
//! | key | mirrored |
//! | --- | --- |
//! | points, com, axis, axes, normal, normals, near, a force on a point | (1) of `text`: the components of the axis change sign |
//! | angle, torque, driven angles | change sign; a torque vector is det M · M τ |
//! | inertia of six numbers [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] | products that involve the axis once change sign |
//! | masses, lengths, stiffness, damping, tensions, driven distances, splines, parameters | stay |
//! | effort of an actuator | stays along a position, changes sign along an angle |
//! | diagonal of a bushing | stays: its axes are mirrored up to their signs, which a diagonal does not see |
//!
//! Other keys with numbers are refused. Bodies are in `body`.

use super::library::Template;
use super::mirror::{Law, Sense, odd};
use super::text::{Context, replaced};
use super::wrong;
use crate::file::format::{FILE, Field, Kind};
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::mechanism::MAGIC;

/// How a value is read and mirrored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// A text that names nothing.
    Plain,
    /// The name of an element or a point.
    Reference,
    /// A number that stays.
    Even,
    /// An angle or a torque.
    Odd,
    /// A tension as a law of `length` and `speed`, or a torque as one of `angle` and `speed`.
    Law(Law),
    /// A coordinate along an axis.
    Along(usize),
    /// A position or a direction.
    Polar,
    /// Moments and products of inertia.
    Inertia,
    /// A number that cannot be mirrored.
    Unknown,
}

/// Keys of numbers that stay.
const EVEN: &[&str] = &[
    "mass",
    "density",
    "size",
    "outer",
    "inner",
    "radius",
    "ratio",
    "offset",
    "limit",
    "speed",
    "viscous",
    "width",
    "friction",
    "critical",
    "smoothing",
    "penalty",
    "alpha",
    "xi",
    "omega",
    "sensor",
    "length",
    "stiffness",
    "damping",
    "force",
    "start",
    "duration",
    "period",
    "values",
    "value",
    "min",
    "max",
    "scale",
    "integral",
    "terminal",
    "constants",
    "output",
    "parameters",
];

type Made<T> = Result<T, ModelError>;

/// The sections of a copy.
pub fn sections(c: &Context, template: &Table) -> Made<Vec<(&'static str, Node)>> {
    let mut made = vec![];
    for (key, node) in &template.entries {
        let field = FILE.fields.iter().find(|f| f.name == key.text && f.name != "instance");
        if let (Some(f), Value::Table(t)) = (field, &node.value) {
            let table = match f.name {
                "ground" => ground(c, t)?,
                "initial" => initial(c, t)?,
                _ => named(c, t, f, template)?,
            };
            made.push((f.name, Node { value: Value::Table(table), place: node.place.clone() }));
        }
    }
    Ok(made)
}

/// Constants and hard points for the arguments that expressions of the template read.
pub fn arguments(c: &Context, template: &Template) -> Made<Vec<(&'static str, Node)>> {
    let (mut constants, mut points) = (Table::default(), Table::default());
    for (((name, _), argument), used) in template.arguments.iter().zip(&c.arguments).zip(&c.used) {
        let Some(node) = argument.node.clone().filter(|_| used.get()) else { continue };
        let key = Word { exact: false, place: node.place.clone(), ..c.define(name) };
        match (argument.vector, &node.value) {
            (false, _) => constants.entries.push((key, node)),
            (true, Value::Text(word)) if c.mirrored() => {
                let value = Value::Text(replaced(word, c.reflected(&word.text)));
                points.entries.push((key, Node { value, place: node.place }));
            }
            (true, Value::List(items)) => {
                let items = items
                    .iter()
                    .enumerate()
                    .map(|(k, item)| signed(item.clone(), c.flips.get(k) == Some(&true)));
                points.entries.push((key, Node { value: Value::List(items.collect()), place: node.place }));
            }
            (true, _) => points.entries.push((key, node)),
        }
    }
    let made =
        [("constants", constants), ("points", points)].into_iter().filter(|(_, t)| !t.entries.is_empty());
    Ok(made.map(|(section, t)| (section, Node { value: Value::Table(t), place: 0..0 })).collect())
}

/// A section whose keys are names.
fn named(c: &Context, t: &Table, section: &Field, template: &Table) -> Made<Table> {
    let Kind::Map(_, kind) = section.kind else { return Ok(t.clone()) };
    let entry = |(key, node): &(Word, Node)| {
        let node = match (section.name, &node.value) {
            ("body", Value::Table(body)) => Node {
                value: Value::Table(super::body::body(c, &key.text, body, kind)?),
                place: node.place.clone(),
            },
            ("driver", Value::Table(driver)) => value(c, node, kind, section.name, Some(driven(driver)))?,
            ("joint", Value::Table(joint)) if c.mirrored() && implicit(c, joint).is_some() => {
                let missing = implicit(c, joint).unwrap_or("axis");
                let e = wrong(
                    format!("joint `{}` is mirrored, but its `{missing}` is not written", key.text),
                    &key.place,
                );
                let help = match missing {
                    "normals" => {
                        "write `normals`, in the frame of each body a direction across its axis, from which the angles are measured"
                    }
                    "normal" => {
                        "write `normal`, a direction across the axis, from which the angle is measured"
                    }
                    _ => "write `axis`: what is absent cannot be mirrored",
                };
                return Err(c.inside(e.help(help)));
            }
            ("joint", Value::Table(joint)) if c.mirrored() && c.dimension == 2 && is(joint, &["rolling"]) => {
                let e = wrong(
                    format!(
                        "joint `{}` cannot be mirrored: a disc in the plane rolls on the left of its line",
                        key.text
                    ),
                    &key.place,
                );
                return Err(c.inside(e.help("write the mirror image by hand, with the opposite `axis`")));
            }
            ("force", Value::Table(force))
                if c.mirrored() && is(force, &["contact"]) && force.get("normal").is_none() =>
            {
                let e = wrong(
                    format!("contact `{}` is mirrored, but its `normal` is not written", key.text),
                    &key.place,
                );
                return Err(c.inside(e.help("write `normal`: what is absent cannot be mirrored")));
            }
            ("force", Value::Table(force)) => value(c, node, kind, section.name, law(force, template))?,
            ("joint", Value::Table(joint)) => value(c, node, kind, section.name, handed(joint))?,
            _ => value(c, node, kind, section.name, None)?,
        };
        Ok((c.define(key), node))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// What the `value` of a driver is.
fn driven(driver: &Table) -> (&'static str, Role) {
    let coordinate = driver.get("coordinate").and_then(Node::word);
    let role = match coordinate.map(|w| super::scope::axis(w.text.rsplit('.').next().unwrap_or(""))) {
        Some(3) => Role::Unknown,
        Some(k) => Role::Along(k),
        None if driver.get("angle").is_some() => Role::Odd,
        None => Role::Even,
    };
    ("value", role)
}

/// The force or torque of a spring is a law; the effort of an actuator acts along a coordinate of its joint.
fn law(force: &Table, template: &Table) -> Option<(&'static str, Role)> {
    match force.get("type").and_then(Node::word)?.text.as_str() {
        "actuator" if force.get("sensor").is_some() => Some(("effort", Role::Even)),
        "actuator" => Some(("effort", along_joint(force, template))),
        "spring-damper" => Some(("force", Role::Law(Law::Spring))),
        "torsion" => Some(("torque", Role::Law(Law::Torsion))),
        _ => None,
    }
}

/// An effort along a position stays, one along an angle changes its sign. Joints of the surrounding model are
/// not mirrored.
fn along_joint(force: &Table, template: &Table) -> Role {
    let name = force.get("joint").and_then(Node::word).map_or("", |w| w.text.as_str());
    let joint = template.get("joint").and_then(Node::table).and_then(|joints| joints.get(name)?.table());
    match joint {
        Some(j) if is(j, &["prismatic", "cylindrical", "screw", "point-on-line"]) => Role::Even,
        Some(j) if is(j, &["revolute"]) => Role::Odd,
        _ => Role::Unknown,
    }
}

fn is(t: &Table, types: &[&str]) -> bool {
    t.get("type").and_then(Node::word).is_some_and(|w| types.contains(&w.text.as_str()))
}

/// The direction that a joint leaves to its default, which would not be mirrored.
fn implicit(c: &Context, joint: &Table) -> Option<&'static str> {
    let has = |keys: [&str; 2]| keys.iter().any(|k| joint.get(k).is_some());
    let (axis, normal) = (has(["axis", "axes"]), has(["normal", "normals"]));
    let framed =
        is(joint, &["revolute", "prismatic", "cylindrical", "screw", "universal", "planar", "fixed"]);
    let line = is(joint, &["prismatic", "point-on-line"]);
    match c.dimension {
        2 => (line && !axis && c.flips[0]).then_some("axis"),
        _ if (framed || line || is(joint, &["point-on-plane", "rolling"])) && !axis => Some("axis"),
        _ if is(joint, &["universal"]) && !normal => Some("normals"),
        _ => (framed && !normal).then_some("normal"),
    }
}

/// What ties an angle, which changes its sign, to something that does not; of a gear the angle where it
/// starts.
fn handed(joint: &Table) -> Option<(&'static str, Role)> {
    match joint.get("type").and_then(Node::word)?.text.as_str() {
        "screw" => Some(("lead", Role::Odd)),
        "rack" => Some(("radius", Role::Odd)),
        "gear" => Some(("offset", Role::Odd)),
        _ => None,
    }
}

fn ground(c: &Context, t: &Table) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let value = match (&node.value, key.text.as_str()) {
            (Value::Table(points), "points") => {
                let point = |(name, at): &(Word, Node)| Ok((c.define(name), leaf(c, at, Role::Polar)?));
                Value::Table(Table { entries: points.entries.iter().map(point).collect::<Made<_>>()? })
            }
            (other, _) => other.clone(),
        };
        Ok((key.clone(), Node { value, place: node.place.clone() }))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

fn initial(c: &Context, t: &Table) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let near = key.text == "near";
        let role = |sensor: &Word| if sensor.text.ends_with(".attitude") { Role::Odd } else { Role::Polar };
        let one = |(sensor, value): &(Word, Node)| {
            if near {
                Ok((c.reference(sensor)?, leaf(c, value, role(sensor))?))
            } else {
                condition(c, sensor, value)
            }
        };
        let value = match &node.value {
            Value::Table(list) => {
                Value::Table(Table { entries: list.entries.iter().map(one).collect::<Made<_>>()? })
            }
            other => other.clone(),
        };
        Ok((key.clone(), Node { value, place: node.place.clone() }))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// A plain sensor stays one, and its value is mirrored; other expressions are read with the eyes of the
/// template.
fn condition(c: &Context, sensor: &Word, value: &Node) -> Made<(Word, Node)> {
    let sense = if c.mirrored() { c.sense(sensor)? } else { Some(Sense::Same) };
    let key = if sense.is_some() { c.renamed(sensor)? } else { c.even(sensor, Law::None)? };
    let value = match sense {
        Some(Sense::Vector(_)) => leaf(c, value, Role::Polar)?,
        Some(Sense::Minus) => signed(leaf(c, value, Role::Even)?, true),
        _ => leaf(c, value, Role::Even)?,
    };
    Ok((key, value))
}

/// A value of some kind under a key; `special` is a key inside it with a role of its own.
pub fn value(c: &Context, node: &Node, kind: &Kind, key: &str, special: Option<(&str, Role)>) -> Made<Node> {
    let value = match (kind, &node.value) {
        (Kind::Record(r), Value::Table(t)) => Value::Table(fields(c, t, r.fields, special)?),
        (Kind::Variants(_, list), Value::Table(t)) => {
            let name = t.get("type").and_then(Node::word).map_or("", |w| w.text.as_str());
            match list.iter().find(|v| v.name == name) {
                Some(v) => Value::Table(fields(c, t, v.fields, special)?),
                None => node.value.clone(),
            }
        }
        (Kind::Map(_, kind), Value::Table(t)) => {
            let entry = |(name, node): &(Word, Node)| Ok((name.clone(), value(c, node, kind, key, None)?));
            Value::Table(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
        }
        (Kind::Either(_, table), Value::Table(_)) => return value(c, node, table, key, special),
        (Kind::Either(short, _), _) => return value(c, node, short, key, special),
        (_, Value::Table(_)) => node.value.clone(),
        _ => match role(kind, key) {
            Role::Unknown if diagonal(c, node, kind) => return leaf(c, node, Role::Even),
            Role::Unknown if c.mirrored() => return Err(unknown(c, key, node)),
            role => return leaf(c, node, role),
        },
    };
    Ok(Node { value, place: node.place.clone() })
}

/// The stiffness or damping of a bushing along its axes, without products.
fn diagonal(c: &Context, node: &Node, kind: &Kind) -> bool {
    let count = if c.dimension == 2 { 3 } else { 6 };
    matches!(kind, Kind::Matrix) && node.items().len() == count && !node.items().iter().any(Node::is_list)
}

fn unknown(c: &Context, key: &str, node: &Node) -> ModelError {
    let help = match key {
        "effort" => {
            "an effort is mirrored along a revolute, prismatic, cylindrical or screw joint of the template itself"
        }
        "stiffness" | "damping" => {
            "of a bushing the diagonal is mirrored, not a full matrix; write the mirrored part without a template"
        }
        _ => "write the mirrored part without a template",
    };
    c.inside(wrong(format!("`{key}` cannot be mirrored"), &node.place).help(help))
}

fn fields(c: &Context, t: &Table, fields: &[Field], special: Option<(&str, Role)>) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let node = match (fields.iter().find(|f| f.name == key.text), special) {
            (Some(_), Some((name, Role::Unknown))) if name == key.text && c.mirrored() => {
                return Err(unknown(c, name, node));
            }
            (Some(_), Some((name, role))) if name == key.text => leaf(c, node, role)?,
            (Some(f), _) => value(c, node, &f.kind, f.name, None)?,
            (None, _) => node.clone(), // refused by the reader, or `type`
        };
        Ok((key.clone(), node))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// The role of a key.
fn role(kind: &Kind, key: &str) -> Role {
    match (kind, key) {
        (Kind::Word(_) | Kind::Setting | Kind::Count | Kind::Dimension, _) | (Kind::Text, "unit") => {
            Role::Plain
        }
        (Kind::Text | Kind::Pair(_) | Kind::OneOrPair(_) | Kind::Texts(_), _) => Role::Reference,
        (_, "angle" | "torque") => Role::Odd,
        (_, "points" | "com" | "axis" | "axes" | "normal" | "normals") | (Kind::Vector, "force") => {
            Role::Polar
        }
        (Kind::Matrix | Kind::Numbers, "stiffness" | "damping" | "force") => Role::Unknown,
        (_, "inertia") => Role::Inertia,
        (_, key) if EVEN.contains(&key) || MAGIC.contains(&key) => Role::Even,
        _ => Role::Unknown,
    }
}

/// A text, a number or a list in its role.
fn leaf(c: &Context, node: &Node, role: Role) -> Made<Node> {
    let place = node.place.clone();
    let value = match &node.value {
        Value::List(items) => return list(c, node, items, role),
        Value::Text(word) => Value::Text(match role {
            Role::Plain => replaced(word, c.fill(word)?.text),
            Role::Reference => c.reference(word)?,
            Role::Polar => c.polar(word)?,
            Role::Unknown => c.renamed(word)?,
            Role::Even | Role::Odd | Role::Along(_) | Role::Inertia => c.even(word, Law::None)?,
            Role::Law(law) => c.even(word, law)?,
        }),
        other => other.clone(),
    };
    let minus = match role {
        Role::Odd | Role::Law(Law::Torsion) => odd(&c.flips),
        Role::Along(k) => c.flips[k],
        _ => false,
    };
    Ok(signed(Node { value, place }, minus))
}

fn list(c: &Context, node: &Node, items: &[Node], role: Role) -> Made<Node> {
    // products of inertia: xy, xz, yz
    const AXES: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
    let nested = items.iter().all(Node::is_list);
    let item = |(k, item): (usize, &Node)| {
        let along = c.flips.get(k) == Some(&true);
        let (role, minus) = match role {
            _ if nested => (role, false),
            Role::Polar => (Role::Even, along),
            Role::Odd => (Role::Even, along != odd(&c.flips)),
            Role::Inertia => {
                (Role::Even, k >= 3 && AXES.get(k - 3).is_some_and(|[a, b]| c.flips[*a] != c.flips[*b]))
            }
            role => (role, false),
        };
        Ok(signed(leaf(c, item, role)?, minus))
    };
    let items = items.iter().enumerate().map(item).collect::<Made<_>>()?;
    Ok(Node { value: Value::List(items), place: node.place.clone() })
}

/// The number, or minus it.
pub fn signed(node: Node, minus: bool) -> Node {
    let value = match node.value {
        Value::Number(x) if minus && x != 0.0 => Value::Number(-x),
        Value::Text(word) if minus => Value::Text(replaced(&word, format!("-({})", word.text))),
        other => other,
    };
    Node { value, place: node.place }
}
