//! Whose copy a mistake is in: the text of a template is the same for all its copies, the names in the
//! message are not.

use super::Library;
use super::text::Context;
use crate::file::tree::{Node, Table, Value};
use gradyn_model::ModelError;
use std::collections::HashSet;
use std::ops::Range;

/// The copies of templates that a file made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origins {
    templates: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq)]
struct Origin {
    name: String,
    places: Vec<Place>,
    copies: Vec<Made>,
}

/// Where a key or a value of a template stands, in order, and whether {texts} are put into it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: usize,
    end: usize,
    filled: bool,
}

/// A copy that was made.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    prefix: String,
    label: String,
    texts: Vec<String>,
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
    /// A copy with its prefix and the texts that were put into it.
    pub(super) fn add(&mut self, template: usize, context: &Context) {
        let texts =
            context.arguments.iter().filter(|a| a.as_text.get()).filter_map(|a| a.text.clone()).collect();
        let prefix = context.prefix.clone();
        let label = context.label.clone();
        self.templates[template].copies.push(Made { prefix, label, texts });
    }
    /// The error, with the copy that it is about if it stands in a template.
    pub fn explain(&self, e: ModelError) -> ModelError {
        let Some(at) = e.place.as_ref().map(|p| p.start) else { return e };
        let Some((t, place)) = self.templates.iter().find_map(|t| Some((t, t.place(at)?))) else { return e };
        let words: HashSet<&str> = words(&e.message).collect();
        // the longest text of a copy that the message repeats, the element that it begins with, or the
        // longest prefix of a name in it
        let repeated = |text: &str| names_something(text) && self::words(text).all(|w| words.contains(w));
        let named = |prefix: &str| !prefix.is_empty() && words.iter().any(|w| w.starts_with(prefix));
        let begins =
            |text: &str| names_something(text) && self::words(text).next().is_some_and(|w| words.contains(w));
        let weight = |t: &String| if repeated(t) { t.len() } else { usize::from(begins(t)) };
        let text = |c: &Made| c.texts.iter().filter(|_| place.filled).map(weight).max().unwrap_or(0);
        let prefix = |c: &Made| if named(&c.prefix) { c.prefix.len() } else { 0 };
        // of equals the first
        let best = t.copies.iter().rev().map(|c| ((text(c), prefix(c)), c)).max_by_key(|c| c.0);
        let only = if let [copy] = &t.copies[..] { Some(copy) } else { None };
        let found = best.filter(|(score, _)| *score != (0, 0)).map(|(_, c)| c).or(only);
        let whose = found.map_or(format!("template `{}`", t.name), |c| c.label.clone());
        ModelError { message: format!("{}, in {whose}", e.message), ..e }
    }
}

/// Names and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}

/// Does a text name anything?
fn names_something(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

impl Origin {
    /// What stands at a byte.
    fn place(&self, at: usize) -> Option<&Place> {
        let after = self.places.partition_point(|p| p.start <= at);
        self.places[..after].last().filter(|p| at <= p.end)
    }
}

/// Places of keys and of values that are no tables.
fn gather(table: &Table, places: &mut Vec<Place>) {
    let mut push = |p: &Range<usize>, filled: bool| places.push(Place { start: p.start, end: p.end, filled });
    let mut tables = vec![table];
    let mut lists: Vec<&Node> = vec![];
    // places of keys and values, tables first
    while let Some(t) = tables.pop() {
        for (key, node) in &t.entries {
            push(&key.place, key.text.contains('{'));
            lists.push(node);
        }
        while let Some(node) = lists.pop() {
            match &node.value {
                Value::Table(t) => tables.push(t),
                Value::List(items) => {
                    push(&(node.place.start..node.place.start), false);
                    lists.extend(items);
                }
                _ => push(&node.place, node.word().is_some_and(|w| w.text.contains('{'))),
            }
        }
    }
}
