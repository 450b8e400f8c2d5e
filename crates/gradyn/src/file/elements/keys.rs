//! Values of keys: what the readers of elements ask a table for.

use super::super::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::expression::constant;
use gradyn_model::mechanism::*;

/// The table below a key.
pub(super) fn section<'a>(t: &'a Table, key: &str) -> Option<&'a Table> {
    t.get(key)?.table()
}
/// Keys and values of the table below a key.
pub(super) fn entries<'a>(t: &'a Table, key: &str) -> impl Iterator<Item = &'a (Word, Node)> {
    section(t, key).into_iter().flat_map(|t| &t.entries)
}
/// Names and tables of the elements of a section.
pub(super) fn elements<'a>(t: &'a Table, key: &str) -> impl Iterator<Item = (Text, &'a Table)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.table()?)))
}
/// A text with its place, if it is there.
pub(super) fn text(t: &Table, key: &str) -> Option<Text> {
    t.get(key)?.word().map(Word::name)
}
/// A text with its place; empty if it is not there.
pub(super) fn word(t: &Table, key: &str) -> Text {
    text(t, key).unwrap_or_default()
}
/// A list of texts with their places.
pub(super) fn texts(t: &Table, key: &str) -> Vec<Text> {
    t.get(key).map_or(&[][..], Node::items).iter().filter_map(|n| n.word().map(Word::name)).collect()
}
/// A number or an expression, if it is there.
pub(super) fn maybe(t: &Table, key: &str) -> Option<Number> {
    t.get(key)?.number()
}
/// A number or an expression, or a default.
pub(super) fn number(t: &Table, key: &str, default: f64) -> Number {
    maybe(t, key).unwrap_or(default.into())
}
/// A vector, if it is there.
pub(super) fn vector(t: &Table, key: &str) -> Option<Vector> {
    t.get(key)?.vector()
}
/// Two texts with their places.
pub(super) fn pair(t: &Table, key: &str) -> [Text; 2] {
    let item = |i: usize| t.get(key)?.items().get(i)?.word().map(Word::name);
    [0, 1].map(|i| item(i).unwrap_or_default())
}
/// A number or a list of them, rows of a matrix one after the other.
pub(super) fn values(t: &Table, key: &str) -> Vec<Number> {
    let Some(node) = t.get(key) else { return vec![] };
    match &node.value {
        Value::List(items) => {
            let row = |i: &Node| {
                if let Value::List(_) = i.value { i.numbers() } else { i.number().into_iter().collect() }
            };
            items.iter().flat_map(row).collect()
        }
        _ => node.number().into_iter().collect(),
    }
}
/// One of some words by its name; the reader has seen that it is one of them.
pub(super) fn choice<T: Copy>(
    t: &Table,
    key: &str,
    owner: &str,
    words: &[(&str, T)],
) -> Result<Option<T>, ModelError> {
    let Some(word) = text(t, key) else { return Ok(None) };
    match words.iter().find(|w| w.0 == word.text) {
        Some(found) => Ok(Some(found.1)),
        None => Err(no_type(owner, key, &word)),
    }
}
/// A name that is in the tables of the format, but that the element does not have.
pub(super) fn no_type(owner: &str, noun: &str, word: &Text) -> ModelError {
    ModelError::new(format!("{owner}: there is no {noun} `{word}`")).at(&word.place)
}
/// `one` for both sides, or `two` for each; both is a mistake.
pub(super) fn sides(
    t: &Table,
    owner: &Text,
    [one, two]: [&str; 2],
) -> Result<[Option<Vector>; 2], ModelError> {
    if let (Some(_), Some((key, _))) = (t.get(one), t.entries.iter().find(|(k, _)| k.text == two)) {
        let e = ModelError::new(format!("joint `{owner}`: `{one}` and `{two}` are both given"))
            .at(&Some(key.place.clone()));
        return Err(e.help(format!("`{one}` is for both bodies, `{two}` has one for each")));
    }
    let item = |i: usize| t.get(two)?.items().get(i)?.vector();
    Ok([0, 1].map(|i| vector(t, one).or(item(i))))
}
/// Names and numbers of a section.
pub(super) fn numbers(t: &Table, key: &str) -> impl Iterator<Item = (Text, Number)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.number()?)))
}
/// Names and vectors of a section.
pub(super) fn vectors(t: &Table, key: &str) -> Vec<(Text, Vector)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.vector()?))).collect()
}
/// Expressions of sensors and the values that they have.
pub(super) fn conditions(t: &Table, key: &str) -> Vec<(Number, Number)> {
    entries(t, key).filter_map(|(key, node)| Some((key.expression(), node.number()?))).collect()
}

/// A positive number that does not depend on anything.
pub(super) fn positive(t: &Table, key: &str, parent: &str) -> Result<Option<f64>, ModelError> {
    match fixed(t, key, parent)? {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            let place = maybe(t, key).and_then(|n| n.place);
            Err(ModelError::new(format!("{parent}, {key}: a positive number is expected here, not {value}"))
                .at(&place))
        }
        value => Ok(value),
    }
}

/// A number that does not depend on anything.
pub(super) fn fixed(t: &Table, key: &str, parent: &str) -> Result<Option<f64>, ModelError> {
    let finite = |n: Number| match value(&n, &format!("{parent}, {key}"))? {
        x if x.is_finite() => Ok(x),
        x => Err(ModelError::new(format!("{parent}, {key}: {x} is not a finite number")).at(&n.place)),
    };
    maybe(t, key).map(finite).transpose()
}
/// A number that is written, or the value of an expression without names; `what` names it in errors.
pub(super) fn value(n: &Number, what: &str) -> Result<f64, ModelError> {
    match &n.source {
        Source::Value(x) => Ok(*x),
        Source::Expression(text) => constant(text).map_err(|e| ModelError::expression(what, n, e)),
    }
}
