//! Events of a copy, and what is off at its start.
//!
//! `when` and the restitution keep their values in a mirror image, and so does the direction in which `when`
//! passes zero. What an event gives is mirrored like a condition of the start.

use super::copy::{Made, Mirror, condition, leaf};
use super::text::Context;
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::spec::Role;

/// The keys of an event.
pub(super) fn event(c: &Context, t: &Table) -> Made<Table> {
    let entry = |(key, node): &(Word, Node)| {
        let place = node.place.clone();
        let node = match (key.text.as_str(), &node.value) {
            ("when" | "impact", _) => leaf(c, node, Mirror::As(Role::Even))?,
            ("reset" | "place", Value::Table(list)) => {
                let given = list.entries.iter().map(|(sensor, value)| condition(c, sensor, value));
                Node { value: Value::Table(Table { entries: given.collect::<Made<_>>()? }), place }
            }
            ("on" | "off", Value::List(_)) => references(c, node)?,
            _ => leaf(c, node, Mirror::As(Role::Plain))?,
        };
        Ok((key.clone(), node))
    };
    Ok(Table { entries: t.entries.iter().map(entry).collect::<Made<_>>()? })
}

/// A list of names.
pub(super) fn references(c: &Context, node: &Node) -> Made<Node> {
    let item = |item: &Node| leaf(c, item, Mirror::As(Role::Reference));
    let items = node.items().iter().map(item).collect::<Made<_>>()?;
    Ok(Node { value: Value::List(items), place: node.place.clone() })
}
