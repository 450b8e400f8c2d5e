//! The names that a template defines, and what each is: whether it is prefixed, and how its values are
//! mirrored.

use crate::file::tree::{Node, Table};
use std::collections::{HashMap, HashSet};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Thing {
    /// A constant, a parameter, a spline.
    Number,
    /// A list parameter: `tau` stands for tau_0, tau_1, …
    List,
    /// A hard point of the template.
    Point,
    /// The k-th argument of the template, and whether it is a vector by default.
    Argument(usize, bool),
    Body,
    Joint,
    /// A spring–damper: all its values are lengths and tensions.
    Spring,
    /// A torsional spring or a torque: all its values are angles and torques.
    Torsion,
    /// A force on a point.
    Force,
    /// A driver of a distance.
    Distance,
    /// A driver of an angle.
    Angle,
    /// A driver of a coordinate: x, y, z, or one that is not known.
    Coordinate(usize),
}

/// The names of a template, those of the templates inside it included.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<String, Thing>,
    /// `ground.O`, and `body.P` where P is a hard point of the template: the second name is prefixed, too.
    pub points: HashSet<String>,
}

impl Scope {
    /// The names of the sections of a template, and its arguments: name, and whether it is a vector by
    /// default.
    pub(crate) fn new<'a>(table: &Table, arguments: impl Iterator<Item = (&'a str, bool)>) -> Self {
        // names of arguments
        let mut scope = Self::default();
        scope.names.extend(
            arguments.enumerate().map(|(k, (name, vector))| (name.into(), Thing::Argument(k, vector))),
        );
        // names of elements by their sections
        for (section, node) in &table.entries {
            for (name, node) in node.table().into_iter().flat_map(|t| &t.entries) {
                if let Some(thing) = thing(&section.text, node) {
                    scope.names.insert(name.text.clone(), thing);
                }
            }
        }
        // points of the ground and of bodies
        let inner = |section: &str, key: &str| table.get(section).and_then(Node::table)?.get(key)?.table();
        let ground = inner("ground", "points").into_iter().flat_map(|t| &t.entries);
        scope.points.extend(ground.map(|(name, _)| format!("ground.{}", name.text)));
        for (body, node) in table.get("body").and_then(Node::table).into_iter().flat_map(|t| &t.entries) {
            let hard = node.table().and_then(|t| t.get("hard")).map_or(&[][..], Node::items);
            let own = hard
                .iter()
                .filter_map(Node::word)
                .filter(|h| matches!(scope.names.get(&h.text), Some(Thing::Point | Thing::Argument(..))));
            scope.points.extend(own.map(|h| format!("{}.{}", body.text, h.text)).collect::<Vec<_>>());
        }
        scope
    }
    /// Adds the names of a template inside this one.
    pub(crate) fn add(&mut self, inner: &Scope, prefix: &str) {
        let outside = |thing: &Thing| match thing {
            Thing::Argument(_, true) => Thing::Point,
            Thing::Argument(_, false) => Thing::Number,
            other => *other,
        };
        self.names
            .extend(inner.names.iter().map(|(name, thing)| (format!("{prefix}{name}"), outside(thing))));
        self.points.extend(inner.points.iter().filter_map(|path| {
            let (head, point) = path.split_once('.')?;
            let head_prefix = if head == "ground" { "" } else { prefix };
            Some(format!("{head_prefix}{head}.{prefix}{point}"))
        }));
    }
    /// What a name is; `tau_3` is one of a list.
    pub(crate) fn find(&self, name: &str) -> Option<Thing> {
        let of_list = || {
            let (list, number) = name.rsplit_once('_')?;
            let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            (digits && self.names.get(list) == Some(&Thing::List)).then_some(Thing::Number)
        };
        self.names.get(name).copied().or_else(of_list)
    }
}

/// What an entry of a section is; `None` if no expression can name it.
fn thing(section: &str, node: &Node) -> Option<Thing> {
    // words of the element
    let table = node.table();
    let word =
        |key: &str| table.and_then(|t| t.get(key)).and_then(Node::word).map_or("", |w| w.text.as_str());
    let has = |key: &str| table.is_some_and(|t| t.get(key).is_some());
    // thing by its section, and by its type
    Some(match section {
        "constants" | "spline" => Thing::Number,
        "parameters" if has("count") || table.and_then(|t| t.get("value")).is_some_and(Node::is_list) => {
            Thing::List
        }
        "parameters" => Thing::Number,
        "points" => Thing::Point,
        "body" => Thing::Body,
        "joint" => Thing::Joint,
        "driver" if has("angle") => Thing::Angle,
        "driver" if has("coordinate") => {
            Thing::Coordinate(axis(word("coordinate").rsplit('.').next().unwrap_or("")))
        }
        "driver" if has("sensor") => Thing::Force,
        "driver" => Thing::Distance,
        "force" => match word("type") {
            "torsion" => Thing::Torsion,
            "torque" if !table.and_then(|t| t.get("torque")).is_some_and(Node::is_list) => Thing::Torsion,
            "spring-damper" | "bump-stop" => Thing::Spring,
            _ => Thing::Force,
        },
        _ => return None,
    })
}

/// 0, 1, 2 for x, y, z; 3 for anything else.
pub(crate) fn axis(name: &str) -> usize {
    ["x", "y", "z"].iter().position(|a| *a == name).unwrap_or(3)
}
