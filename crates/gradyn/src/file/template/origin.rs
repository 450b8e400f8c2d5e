//! Whose copy a mistake is in: the text of a template is the same for all its copies, the names in the message are not.

use super::{Copy, Library};
use crate::file::tree::{Node, Table, Value};
use gradyn_model::ModelError;
use std::ops::Range;

/// The copies of templates that a file made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origins {
    templates: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq)]
struct Origin {
    name: String,
    /// Where its keys and values stand, in order.
    places: Vec<(usize, usize)>,
    /// (prefix, label) of its copies.
    copies: Vec<(String, String)>,
}

impl Origins {
    /// No copies yet.
    pub(super) fn new(library: &Library) -> Self {
        let origin = |t: &super::Template| {
            let mut places = vec![];
            gather(t.table, &mut places);
            places.sort_unstable();
            Origin { name: t.name.text.clone(), places, copies: vec![] }
        };
        Self { templates: library.templates.iter().map(origin).collect() }
    }
    pub(super) fn add(&mut self, copy: &Copy, label: String) {
        self.templates[copy.template].copies.push((copy.prefix.clone(), label));
    }
    /// The error, with the copy that it is about if it stands in a template.
    pub fn explain(&self, e: ModelError) -> ModelError {
        let Some(at) = e.place.as_ref().map(|p| p.start) else { return e };
        let Some(t) = self.templates.iter().find(|t| t.contains(at)) else { return e };
        if t.copies.iter().any(|(_, label)| e.message.ends_with(&format!("in {label}"))) {
            return e;
        }
        // the longest prefix of a name in the message
        let words = || e.message.split(|c: char| !c.is_alphanumeric() && c != '_');
        let named = |prefix: &str| !prefix.is_empty() && words().any(|w| w.starts_with(prefix));
        let found = t.copies.iter().filter(|(prefix, _)| named(prefix)).max_by_key(|(prefix, _)| prefix.len());
        let only = if let [copy] = &t.copies[..] { Some(copy) } else { None };
        let whose = found.or(only).map_or(format!("template `{}`", t.name), |c| c.1.clone());
        ModelError { message: format!("{}, in {whose}", e.message), ..e }
    }
}

impl Origin {
    fn contains(&self, at: usize) -> bool {
        let after = self.places.partition_point(|p| p.0 <= at);
        after > 0 && at <= self.places[after - 1].1
    }
}

/// Places of keys and of values that are no tables.
fn gather(table: &Table, places: &mut Vec<(usize, usize)>) {
    let mut push = |p: &Range<usize>| places.push((p.start, p.end));
    let mut tables = vec![table];
    let mut lists: Vec<&Node> = vec![];
    while let Some(t) = tables.pop() {
        for (key, node) in &t.entries {
            push(&key.place);
            lists.push(node);
        }
        while let Some(node) = lists.pop() {
            match &node.value {
                Value::Table(t) => tables.push(t),
                Value::List(items) => {
                    push(&(node.place.start..node.place.start));
                    lists.extend(items);
                }
                _ => push(&node.place),
            }
        }
    }
}
