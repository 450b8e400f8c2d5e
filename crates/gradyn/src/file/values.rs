//! Other values in the text of a model file; comments and layout stay.

use super::read;
use gradyn_model::mechanism::{Mechanism, Number, Source};
use gradyn_model::{ModelError, Owner};
use std::ops::Range;
use std::path::Path;

/// The text with other values of some parameters and constants, all digits written. Refused where a value has
/// no place of its own, such as that of a template with several copies.
pub fn with_values(path: &Path, text: &str, values: &[(String, f64)]) -> Result<String, ModelError> {
    let file = read(path, text)?;
    let m = file.mechanism;
    // the values of a list may share their place
    let mut edits: Vec<(Range<usize>, Vec<f64>)> = vec![];
    for (name, x) in values {
        let place = number(&m, name)
            .and_then(|n| Some(with_quotes(text, file.origins.home(n.place.as_ref()?).0)))
            .ok_or_else(|| lost(name))?;
        match edits.iter_mut().find(|e| e.0 == place) {
            Some((_, list)) => list.push(*x),
            None => edits.push((place, vec![*x])),
        }
    }
    edits.sort_by_key(|e| e.0.start);
    let mut new = text.to_owned();
    for (place, list) in edits.into_iter().rev() {
        new.replace_range(place, &written(&list));
    }
    // nothing else has changed
    let after = read(path, &new).map_err(|_| lost(&values[0].0))?.mechanism;
    let wanted = |name: &str| values.iter().find(|v| v.0 == name).map(|v| Source::Value(v.1));
    let wrong = numbers(&m).find(|(name, old)| {
        let expected = wanted(name).unwrap_or_else(|| old.source.clone());
        number(&after, name).is_none_or(|n| n.source != expected)
    });
    wrong.map_or(Ok(new), |(name, _)| Err(lost(name)))
}

fn lost(name: &str) -> ModelError {
    let e = ModelError::new(format!("the value of `{name}` has no place of its own in the file"))
        .about(Owner::Parameter, name);
    e.help(
        "it stands in a template, or in a list of which only a part varies: `gradyn check --expand` \
        writes everything out",
    )
}

fn numbers(m: &Mechanism) -> impl Iterator<Item = (&str, &Number)> {
    let parameters = m.parameters.iter().map(|p| (p.name.text.as_str(), &p.value));
    parameters.chain(m.constants.iter().map(|c| (c.0.text.as_str(), &c.1)))
}

fn number<'a>(m: &'a Mechanism, name: &str) -> Option<&'a Number> {
    numbers(m).find(|n| n.0 == name).map(|n| n.1)
}

/// The place of a value with the quotes around it.
fn with_quotes(text: &str, place: Range<usize>) -> Range<usize> {
    let before = text[..place.start].chars().next_back();
    let after = text[place.end..].chars().next();
    match (before, after) {
        (Some(a), Some(b)) if a == b && ['"', '\''].contains(&a) => {
            with_quotes(text, place.start - 1..place.end + 1)
        }
        _ => place,
    }
}

/// A number, or a list of different ones.
fn written(list: &[f64]) -> String {
    match list {
        [x, rest @ ..] if rest.iter().all(|y| y == x) => format!("{x:?}"),
        _ => format!("[{}]", list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ")),
    }
}
