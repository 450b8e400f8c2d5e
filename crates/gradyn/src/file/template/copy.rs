//! The sections of a template in one copy: what each key holds decides how its strings are read and how it is
//! mirrored.
//!
//! | key | mirrored |
//! | --- | --- |
//! | points, com, near, a force on a point | (1) of `text`: the components of the axis change sign |
//! | axis, axes, normal, normals | (1) of `text`: the components of the axis change sign |
//! | angle, torque, driven angles | change sign; a torque vector is det M · M τ |
//! | inertia of six numbers [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] | products with the axis once change sign |
//! | masses, lengths, stiffness, damping, tensions, driven distances, splines, parameters | stay |
//! | effort of an actuator | stays along a position, changes sign along an angle |
//! | diagonal of a bushing | stays: its axes are mirrored up to their signs, which a diagonal does not see |
//!
//! Other keys with numbers are refused. Bodies are in `body`, events in `event`.

use super::library::Template;
use super::mirror::{Law, Sense, odd};
use super::text::{Context, replaced};
use super::wrong;
use crate::file::format::FILE;
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::build::joint::{Coordinate, JointSpec};
use gradyn_model::spec::{Field, Kind, Role};

/// How a value is read and mirrored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mirror {
    /// As its key says.
    As(Role),
    /// A tension as a law of `length` and `speed`, or a torque as one of `angle` and `speed`.
    Law(Law),
    /// A coordinate along an axis.
    Along(usize),
}

/// A key inside a table that is mirrored in a way of its own.
pub(super) type Special = (&'static str, Mirror);

pub(super) type Made<T> = Result<T, ModelError>;

/// The sections of a copy.
pub(crate) fn sections(c: &Context, template: &Table) -> Made<Vec<(&'static str, Node)>> {
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
pub(crate) fn arguments(c: &Context, template: &Template) -> Vec<(&'static str, Node)> {
    let mut constants = Table::default();
    let mut points = Table::default();
    // numbers become constants, vectors hard points; mirrored ones change signs
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
    // sections that are not empty
    let made =
        [("constants", constants), ("points", points)].into_iter().filter(|(_, t)| !t.entries.is_empty());
    made.map(|(section, t)| (section, Node { value: Value::Table(t), place: 0..0 })).collect()
}

/// A section whose keys are names.
fn named(c: &Context, t: &Table, section: &Field, template: &Table) -> Made<Table> {
    let Kind::Map(_, kind) = section.kind else { return Ok(t.clone()) };
    // entry = name of the copy, and a value read by its section
    let entry = |(key, node): &(Word, Node)| {
        let node = match (section.name, &node.value) {
            ("body", Value::Table(body)) => Node {
                value: Value::Table(super::body::body(c, &key.text, body, kind)?),
                place: node.place.clone(),
            },
            ("event", Value::Table(event)) => {
                Node { value: Value::Table(super::event::event(c, event)?), place: node.place.clone() }
            }
            ("driver", Value::Table(driver)) => {
                value(c, node, kind, (section.name, section.role), Some(driven(driver)))?
            }
            ("joint", Value::Table(joint)) => {
                check_joint(c, key, joint)?;
                value(c, node, kind, (section.name, section.role), None)?
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
            ("force", Value::Table(force)) => {
                value(c, node, kind, (section.name, section.role), law(force, template))?
            }
            _ => value(c, node, kind, (section.name, section.role), None)?,
        };
        Ok((c.define(key), node))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// What the `value` of a driver is.
fn driven(driver: &Table) -> Special {
    let coordinate = driver.get("coordinate").and_then(Node::word);
    let role = match coordinate.map(|w| super::scope::axis(w.text.rsplit('.').next().unwrap_or(""))) {
        Some(3) => Mirror::As(Role::Unknown),
        Some(k) => Mirror::Along(k),
        None if driver.get("angle").is_some() => Mirror::As(Role::Odd),
        None => Mirror::As(Role::Even),
    };
    ("value", role)
}

/// The force or torque of a spring is a law; the effort of an actuator acts along a coordinate of its joint.
fn law(force: &Table, template: &Table) -> Option<Special> {
    match force.get("type").and_then(Node::word)?.text.as_str() {
        "actuator" if force.get("sensor").is_some() => Some(("effort", Mirror::As(Role::Even))),
        "actuator" => Some(("effort", Mirror::As(along_joint(force, template)))),
        "spring-damper" => Some(("force", Mirror::Law(Law::Spring))),
        "torsion" => Some(("torque", Mirror::Law(Law::Torsion))),
        _ => None,
    }
}

/// An effort along a position stays, one along an angle changes its sign. Joints of the surrounding model are
/// not mirrored.
fn along_joint(force: &Table, template: &Table) -> Role {
    let name = force.get("joint").and_then(Node::word).map_or("", |w| w.text.as_str());
    let joint = template.get("joint").and_then(Node::table).and_then(|joints| joints.get(name)?.table());
    match joint.and_then(spec) {
        Some(s) if s.slides() => Role::Even,
        Some(s) if s.coordinates[1] == [Coordinate::Angle] => Role::Odd,
        Some(_) | None => Role::Unknown,
    }
}

fn is(t: &Table, types: &[&str]) -> bool {
    t.get("type").and_then(Node::word).is_some_and(|w| types.contains(&w.text.as_str()))
}

/// What is known of the kind of a joint; nothing of a coupling.
fn spec(joint: &Table) -> Option<&'static JointSpec> {
    JointSpec::named(&joint.get("type")?.word()?.text)
}

/// Refuses a joint that would not be mirrored: by directions that are left to their defaults, or by its kind.
fn check_joint(c: &Context, name: &Word, joint: &Table) -> Made<()> {
    // only what is mirrored is checked
    let Some(spec) = spec(joint).filter(|_| c.mirrored()) else { return Ok(()) };
    let wrong = |why: String, help: &str| {
        Err(c.inside(wrong(format!("joint `{}` {why}", name.text), &name.place).help(help)))
    };
    // directions that are absent
    if let Some(missing) = implicit(c, joint, spec) {
        let help = match missing {
            "normals" => {
                "write `normals`, in the frame of each body a direction across its axis, from which the \
                angles are measured"
            }
            "normal" => "write `normal`, a direction across the axis, from which the angle is measured",
            _ => "write `axis`: what is absent cannot be mirrored",
        };
        return wrong(format!("is mirrored, but its `{missing}` is not written"), help);
    }
    // joints that have no mirror image in the plane
    match spec.one_sided.filter(|_| c.dimension == 2) {
        Some([why, help]) => wrong(format!("cannot be mirrored: {why}"), help),
        None => Ok(()),
    }
}

/// The direction that a joint leaves to its default, which would not be mirrored.
fn implicit(c: &Context, joint: &Table, spec: &JointSpec) -> Option<&'static str> {
    let has = |keys: [&str; 2]| keys.iter().any(|k| joint.get(k).is_some());
    let absent = |key: &&&'static str| match **key {
        "axis" => !has(["axis", "axes"]) && (c.dimension == 3 || c.flips[0]),
        _ => !has(["normal", "normals"]),
    };
    spec.written[c.dimension - 2].iter().find(absent).copied()
}

fn ground(c: &Context, t: &Table) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let value = match (&node.value, key.text.as_str()) {
            (Value::Table(points), "points") => {
                let point =
                    |(name, at): &(Word, Node)| Ok((c.define(name), leaf(c, at, Mirror::As(Role::Polar))?));
                Value::Table(Table { entries: points.entries.iter().map(point).collect::<Made<_>>()? })
            }
            (other, _) => other.clone(),
        };
        Ok((key.clone(), Node { value, place: node.place.clone() }))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

fn initial(c: &Context, t: &Table) -> Made<Table> {
    // near = points, off = names; other keys are conditions on sensors
    let entry = |(key, node): &(Word, Node)| {
        if key.text == "off" && node.is_list() {
            return Ok((key.clone(), super::event::references(c, node)?));
        }
        let near = key.text == "near";
        let role = |sensor: &Word| {
            Mirror::As(if sensor.text.ends_with(".attitude") { Role::Odd } else { Role::Polar })
        };
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
pub(super) fn condition(c: &Context, sensor: &Word, value: &Node) -> Made<(Word, Node)> {
    let sense = if c.mirrored() { c.sense(sensor)? } else { Some(Sense::Same) };
    let key = if sense.is_some() { c.renamed(sensor)? } else { c.even(sensor, Law::None)? };
    let value = match sense {
        Some(Sense::Vector(_)) => leaf(c, value, Mirror::As(Role::Polar))?,
        Some(Sense::Minus) => signed(leaf(c, value, Mirror::As(Role::Even))?, true),
        _ => leaf(c, value, Mirror::As(Role::Even))?,
    };
    Ok((key, value))
}

/// A value of some kind under a key with its role; `special` is a key inside it that is mirrored differently.
pub(super) fn value(
    c: &Context,
    node: &Node,
    kind: &Kind,
    (key, role): (&str, Role),
    special: Option<Special>,
) -> Made<Node> {
    // tables by their keys; everything else by its role
    let value = match (kind, &node.value) {
        (Kind::Record(r), Value::Table(t)) => Value::Table(fields(c, t, r.fields, special)?),
        (Kind::Variants(_, list), Value::Table(t)) => {
            let name = t.get("type").and_then(Node::word).map_or("", |w| w.text.as_str());
            match list().into_iter().find(|v| v.name == name) {
                Some(v) => Value::Table(fields(c, t, v.fields, special)?),
                None => node.value.clone(),
            }
        }
        (Kind::Map(_, kind), Value::Table(t)) => {
            let entry =
                |(name, node): &(Word, Node)| Ok((name.clone(), value(c, node, kind, (key, role), None)?));
            Value::Table(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
        }
        (Kind::Either(_, table), Value::Table(_)) => return value(c, node, table, (key, role), special),
        (Kind::Either(short, _), _) => return value(c, node, short, (key, role), special),
        (_, Value::Table(_)) => node.value.clone(),
        _ => match role {
            Role::Unknown if diagonal(c, node, kind) => return leaf(c, node, Mirror::As(Role::Even)),
            Role::Unknown if c.mirrored() => return Err(unknown(c, key, node)),
            role => return leaf(c, node, Mirror::As(role)),
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
            "an effort is mirrored along a revolute, prismatic, cylindrical or screw joint of the template \
            itself"
        }
        "stiffness" | "damping" => {
            "of a bushing the diagonal is mirrored, not a full matrix; write the mirrored part without a \
            template"
        }
        _ => "write the mirrored part without a template",
    };
    c.inside(wrong(format!("`{key}` cannot be mirrored"), &node.place).help(help))
}

fn fields(c: &Context, t: &Table, fields: &[Field], special: Option<Special>) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let node = match (fields.iter().find(|f| f.name == key.text), special) {
            (Some(_), Some((name, Mirror::As(Role::Unknown)))) if name == key.text && c.mirrored() => {
                return Err(unknown(c, name, node));
            }
            (Some(_), Some((name, role))) if name == key.text => leaf(c, node, role)?,
            (Some(f), _) => value(c, node, &f.kind, (f.name, f.role), None)?,
            (None, _) => node.clone(), // refused by the reader, or `type`
        };
        Ok((key.clone(), node))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// A text, a number or a list in its role.
pub(super) fn leaf(c: &Context, node: &Node, mirror: Mirror) -> Made<Node> {
    let place = node.place.clone();
    // value with the names of the copy
    let value = match &node.value {
        Value::List(items) => return list(c, node, items, mirror),
        Value::Text(word) => Value::Text(match mirror {
            Mirror::As(Role::Plain) => replaced(word, c.fill(word)?.text),
            Mirror::As(Role::Reference) => c.reference(word)?,
            Mirror::As(Role::Polar) => c.polar(word)?,
            Mirror::As(Role::Unknown) => c.renamed(word)?,
            Mirror::As(Role::Even | Role::Odd | Role::Inertia) | Mirror::Along(_) => {
                c.even(word, Law::None)?
            }
            Mirror::Law(law) => c.even(word, law)?,
        }),
        other => other.clone(),
    };
    // minus = its sign changes in the mirror
    let minus = match mirror {
        Mirror::As(Role::Odd) | Mirror::Law(Law::Torsion) => odd(&c.flips),
        Mirror::Along(k) => c.flips[k],
        Mirror::As(_) | Mirror::Law(Law::Spring | Law::None) => false,
    };
    Ok(signed(Node { value, place }, minus))
}

fn list(c: &Context, node: &Node, items: &[Node], mirror: Mirror) -> Made<Node> {
    // products of inertia: xy, xz, yz
    const AXES: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
    let nested = items.iter().all(Node::is_list);
    let item = |(k, item): (usize, &Node)| {
        let along = c.flips.get(k) == Some(&true);
        let even = Mirror::As(Role::Even);
        let (mirror, minus) = match mirror {
            _ if nested => (mirror, false),
            Mirror::As(Role::Polar) => (even, along),
            Mirror::As(Role::Odd) => (even, along != odd(&c.flips)),
            Mirror::As(Role::Inertia) => {
                (even, k >= 3 && AXES.get(k - 3).is_some_and(|[a, b]| c.flips[*a] != c.flips[*b]))
            }
            mirror => (mirror, false),
        };
        Ok(signed(leaf(c, item, mirror)?, minus))
    };
    let items = items.iter().enumerate().map(item).collect::<Made<_>>()?;
    Ok(Node { value: Value::List(items), place: node.place.clone() })
}

/// The number, or minus it.
pub(crate) fn signed(node: Node, minus: bool) -> Node {
    let value = match node.value {
        Value::Number(x) if minus && x != 0.0 => Value::Number(-x),
        Value::Text(word) if minus => Value::Text(replaced(&word, format!("-({})", word.text))),
        other => other,
    };
    Node { value, place: node.place }
}
