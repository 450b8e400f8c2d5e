//! Checks a tree against the tables of `format`: keys, types, numbers of entries. What passes can be
//! converted without doubt.

use super::format::{FILE, keys};
use super::name;
use super::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use gradyn_model::spec::{Field, Kind, MAX_COUNT, Record, Variant};
use std::ops::Range;

type Checked = Result<(), ModelError>;

/// Which value is being read: `parent, part`, and the place of its key.
struct Here<'a> {
    parent: &'a str,
    part: String,
    key: &'a Range<usize>,
}

impl Here<'_> {
    fn name(&self) -> String {
        join(self.parent, &self.part)
    }
}

fn join(parent: &str, part: &str) -> String {
    if parent.is_empty() { part.into() } else { format!("{parent}, {part}") }
}

/// `message` about `what`, which may be the file itself.
fn error(what: &str, message: String, place: &Range<usize>) -> ModelError {
    let message = if what.is_empty() { message } else { format!("{what}: {message}") };
    ModelError::new(message).at(&Some(place.clone()))
}

/// "did you mean …? keys: …"
fn suggest(word: &str, noun: &str, known: &[&str]) -> String {
    let guess =
        nearest(word, known.iter().copied()).map_or(String::new(), |n| format!("did you mean `{n}`? "));
    format!("{guess}{noun}: {}", known.join(", "))
}

/// Checks a whole file.
pub(crate) fn check_file(root: &Table) -> Checked {
    fields(root, FILE.fields, false, "", &(0..0))?;
    root.get("name").and_then(Node::word).map_or(Ok(()), |word| name::check("model", word))
}

/// Checks one section of a file, or of a template, if it is there.
pub(crate) fn check_section(root: &Table, name: &str) -> Checked {
    let given = root
        .entries
        .iter()
        .find(|(key, _)| key.text == name)
        .zip(FILE.fields.iter().find(|f| f.name == name));
    given.map_or(Ok(()), |((key, node), f)| {
        check(node, &f.kind, &Here { parent: "", part: name.into(), key: &key.place })
    })
}

fn check(node: &Node, kind: &Kind, here: &Here) -> Checked {
    match (kind, &node.value) {
        (Kind::Record(r), Value::Table(t)) => record(t, r, &here.name(), here.key),
        (Kind::Variants(noun, list), Value::Table(t)) => variant(t, noun, &list(), &here.name(), here.key),
        (Kind::Map(noun, kind), Value::Table(t)) => t.entries.iter().try_for_each(|(key, node)| {
            name::check(noun, key)?;
            let here = Here { parent: here.parent, part: format!("{noun} `{}`", key.text), key: &key.place };
            check(node, kind, &here).map_err(|e| quote_dots(e, key, node))
        }),
        (Kind::Section(_), Value::Table(_)) => Ok(()), // checked in each instance
        (Kind::Map(noun, _), Value::List(_)) => {
            let help = format!("give each {noun} a name, as in [{noun}.NAME]");
            Err(wrong_type(node, kind, here).help(help))
        }
        (Kind::Either(_, table), Value::Table(_)) => check(node, table, here),
        (Kind::Either(short, _), _) if accepts(short, node) => check(node, short, here),
        _ if !accepts(kind, node) => Err(wrong_type(node, kind, here)),
        _ => inside(node, kind, here),
    }
}

fn wrong_type(node: &Node, kind: &Kind, here: &Here) -> ModelError {
    error(&here.name(), format!("{} is expected here, not {}", kind.expected(), node.kind()), &node.place)
}

/// `A1.angle = 1` without quotes is a table in a table.
fn quote_dots(e: ModelError, key: &Word, node: &Node) -> ModelError {
    match node.table().and_then(|t| t.entries.first()) {
        Some((next, _)) if e.help.is_none() && e.place == Some(node.place.clone()) => {
            e.help(format!("a dot in a name needs quotes: \"{}.{}\"", key.text, next.text))
        }
        _ => e,
    }
}

/// Is the value of the right type, whatever is inside?
fn accepts(kind: &Kind, node: &Node) -> bool {
    let (text, number, list) = match &node.value {
        Value::Text(_) => (true, false, false),
        Value::Number(_) => (false, true, false),
        Value::List(_) => (false, false, true),
        Value::Flag(_) => return matches!(kind, Kind::Setting),
        Value::Table(_) | Value::Other(_) => return false,
    };
    match kind {
        Kind::Text | Kind::Word(_) => text,
        Kind::Number | Kind::Constant | Kind::Setting => text || number,
        Kind::Count | Kind::Dimension => number,
        Kind::Vector | Kind::Values | Kind::OneOrPair(_) => text || list,
        Kind::NumberOrVector | Kind::NumberOrNumbers => true,
        Kind::Numbers | Kind::Pair(_) | Kind::Texts(_) | Kind::VectorPair | Kind::Matrix => list,
        Kind::Record(_) | Kind::Map(..) | Kind::Variants(..) | Kind::Either(..) | Kind::Section(_) => false,
    }
}

/// What a value of the right type contains.
fn inside(node: &Node, kind: &Kind, here: &Here) -> Checked {
    let not_expected =
        |x: f64| error(&here.name(), format!("{} is expected here, not {x}", kind.expected()), &node.place);
    let not_two = |noun: &str, count: usize| {
        error(&here.name(), format!("two {noun} are expected here, not {count}"), &node.place)
    };
    // what a value of the right type may still have wrong
    match (kind, &node.value) {
        (Kind::Word(words), Value::Text(w)) if !words.contains(&w.text.as_str()) => {
            let e = error(
                &here.name(),
                format!("{} is expected here, not \"{}\"", kind.expected(), w.text),
                &w.place,
            );
            Err(e.help(suggest(&w.text, "known", words)))
        }
        (Kind::Dimension, Value::Number(x)) if *x != 2.0 && *x != 3.0 => {
            Err(not_expected(*x).help("2: a plane mechanism; 3: a mechanism in space"))
        }
        (Kind::Count, Value::Number(x)) if x.fract() != 0.0 || !(1.0..=MAX_COUNT as f64).contains(x) => {
            Err(not_expected(*x))
        }
        (Kind::VectorPair, Value::List(items)) if items.len() != 2 => Err(not_two("vectors", items.len())),
        (Kind::VectorPair, Value::List(items)) => each(items, &Kind::Vector, here),
        (Kind::Matrix, Value::List(items)) => items.iter().try_for_each(|item| match item.value {
            Value::List(_) => check(item, &Kind::Numbers, here),
            _ => check(item, &Kind::Number, here),
        }),
        (Kind::Pair(noun) | Kind::OneOrPair(noun), Value::List(items)) if items.len() != 2 => {
            Err(not_two(noun, items.len()))
        }
        (Kind::Pair(_) | Kind::OneOrPair(_) | Kind::Texts(_), Value::List(items)) => {
            each(items, &Kind::Text, here)
        }
        (_, Value::List(items)) => each(items, &Kind::Number, here),
        _ => Ok(()),
    }
}

fn each(items: &[Node], kind: &Kind, here: &Here) -> Checked {
    items.iter().try_for_each(|item| {
        check(item, kind, &Here { parent: here.parent, part: here.part.clone(), key: here.key })
    })
}

fn record(t: &Table, r: &Record, what: &str, name: &Range<usize>) -> Checked {
    fields(t, r.fields, false, what, name)?;
    let given: Vec<&Word> =
        t.entries.iter().map(|e| &e.0).filter(|k| r.one_of.contains(&k.text.as_str())).collect();
    match given[..] {
        _ if r.one_of.is_empty() => Ok(()),
        [_] => Ok(()),
        [] => Err(error(what, format!("one of the keys {} is missing", r.one_of.join(", ")), name)),
        [_, second, ..] => Err(error(
            what,
            format!("only one of the keys {} may be given", r.one_of.join(", ")),
            &second.place,
        )),
    }
}

fn variant(t: &Table, noun: &str, list: &[&Variant], what: &str, name: &Range<usize>) -> Checked {
    let names: Vec<&str> = list.iter().map(|v| v.name).collect();
    let Some(node) = t.get("type") else {
        let e = error(what, "the key `type` is missing".into(), name);
        return Err(e.help(format!("types: {}", names.join(", "))));
    };
    let Some(word) = node.word() else {
        return Err(wrong_type(node, &Kind::Text, &Here { parent: what, part: "type".into(), key: name }));
    };
    match list.iter().find(|v| v.name == word.text) {
        Some(v) => fields(t, v.fields, true, what, name),
        None => {
            let e = error(what, format!("there is no {noun} type `{}`", word.text), &word.place);
            Err(e.help(suggest(&word.text, "types", &names)))
        }
    }
}

/// Unknown keys, missing keys, then the values.
fn fields(t: &Table, fields: &[Field], typed: bool, what: &str, name: &Range<usize>) -> Checked {
    let known = keys(fields, typed);
    for (key, _) in &t.entries {
        if !known.contains(&key.text.as_str()) {
            let e = error(what, format!("there is no key `{}`", key.text), &key.place);
            return Err(e.help(suggest(&key.text, "keys", &known)));
        }
    }
    if let Some(f) = fields.iter().find(|f| f.required && t.get(f.name).is_none()) {
        return Err(error(what, format!("the key `{}` is missing", f.name), name).help(f.description()));
    }
    for (key, node) in &t.entries {
        if let Some(f) = fields.iter().find(|f| f.name == key.text) {
            check(node, &f.kind, &Here { parent: what, part: f.name.into(), key: &key.place })?;
        }
    }
    Ok(())
}
