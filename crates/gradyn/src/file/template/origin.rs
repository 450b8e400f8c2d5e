//! Whose copy a mistake is in: the text of a template is the same for all its copies, so that each of them
//! has places of its own.
//!
//! ```text
//! place in copy k = place in the text + (k + 1) s          s: bytes of the text, and one more             (1)
//! ```
//! Places below s are those of the text itself. [`Origins::explain`] takes (1) back and names the copy.

use crate::file::tree::{Node, Table, Value};
use gradyn_model::ModelError;
use std::ops::Range;

/// The copies of templates that a file made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origins {
    /// s of (1) [bytes].
    stride: usize,
    /// What messages call each copy.
    labels: Vec<String>,
}

impl Origins {
    /// No copies yet of what stands in a file.
    pub(super) fn new(root: &Table) -> Self {
        Self { stride: 1 + end(root), labels: vec![] }
    }
    /// How far (1) moves the places of one more copy [bytes]; not at all where numbers end.
    pub(super) fn add(&mut self, label: &str) -> usize {
        self.labels.push(label.to_owned());
        self.labels
            .len()
            .checked_mul(self.stride)
            .filter(|base| base.checked_add(self.stride).is_some())
            .unwrap_or(0)
    }
    /// The bytes of the text behind a place, and the copy that it is in.
    pub(crate) fn home(&self, place: &Range<usize>) -> (Range<usize>, Option<&str>) {
        let copy = place.start.checked_div(self.stride).unwrap_or(0);
        let base = copy * self.stride;
        let label = copy.checked_sub(1).and_then(|k| self.labels.get(k));
        (place.start - base..place.end.saturating_sub(base), label.map(String::as_str))
    }
    /// The error at its bytes of the text, with the copy that it is about if it stands in a template.
    pub fn explain(&self, e: ModelError) -> ModelError {
        let Some(place) = &e.place else { return e };
        let (home, label) = self.home(place);
        let message = label.map_or(e.message.clone(), |label| format!("{}, in {label}", e.message));
        ModelError { message, place: Some(home), ..e }
    }
}

/// The last byte that a table stands at.
fn end(table: &Table) -> usize {
    table.entries.iter().map(|(key, node)| end_of(node).max(key.place.end)).max().unwrap_or(0)
}

fn end_of(node: &Node) -> usize {
    let inside = match &node.value {
        Value::Table(t) => end(t),
        Value::List(items) => items.iter().map(end_of).max().unwrap_or(0),
        Value::Text(word) => word.place.end,
        Value::Number(_) | Value::Flag(_) | Value::Other(_) => 0,
    };
    inside.max(node.place.end)
}
