//! Bodies of a copy. Their frames are mirrored with their points, so that a body drawn by hard points keeps
//! the global frame. A rod lies on the positive x axis of its frame: if that changes its sign, the ends are
//! written as points.

use super::copy::{signed, value};
use super::text::Context;
use super::wrong;
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::spec::{Kind, Role};

type Made<T> = Result<T, ModelError>;

/// Copies a body of a template.
pub(crate) fn body(c: &Context, name: &str, t: &Table, kind: &Kind) -> Made<Table> {
    let node = Node { value: Value::Table(t.clone()), place: 0..0 };
    let Value::Table(mut body) = value(c, &node, kind, ("body", Role::Unknown), None)?.value else {
        return Ok(t.clone());
    };
    // hard points of the surrounding model do not move
    let hard = t.get("hard").map_or(&[][..], Node::items).iter().filter_map(Node::word);
    if let Some(outer) = hard.filter(|_| c.mirrored()).find(|h| !c.owns(name, &h.text)) {
        let e = wrong(
            format!(
                "body `{name}`: the hard point `{}` is not one of the template and cannot be mirrored",
                outer.text
            ),
            &outer.place,
        );
        return Err(c.inside(e.help("give it in [points] of the template, or as an argument")));
    }
    if let Some(rod) = t.get("rod").and_then(Node::table) {
        ends(c, name, t, rod, &mut body);
    }
    Ok(body)
}

/// The ends of a rod by their names.
fn ends(c: &Context, name: &str, t: &Table, rod: &Table, body: &mut Table) {
    // ends with the names of the copy
    let given: Vec<&Word> =
        rod.get("points").map_or(&[][..], Node::items).iter().filter_map(Node::word).collect();
    let ends: Vec<Word> = given.iter().map(|w| c.point_of(name, w)).collect();
    let Some(Value::Table(new)) = body.entries.iter_mut().find(|e| e.0.text == "rod").map(|e| &mut e.1.value)
    else {
        return;
    };
    // points of the rod = these names
    for (key, node) in &mut new.entries {
        if key.text == "points" && ends.len() == node.items().len() {
            let ends = ends.iter().map(|w| Node { value: Value::Text(w.clone()), place: w.place.clone() });
            node.value = Value::List(ends.collect());
        }
    }
    // a rod that lies along x is drawn backwards, where its ends are not drawn otherwise
    let own = |w: &Word| t.get("points").and_then(Node::table).is_some_and(|p| p.get(&w.text).is_some());
    let hard = |w: &Word| {
        t.get("hard").is_some_and(|h| h.items().iter().filter_map(Node::word).any(|h| h.text == w.text))
    };
    if c.flips[0] && ends.len() == 2 && !given.iter().all(|w| own(w) || hard(w)) {
        backwards(c, body, &ends);
    }
}

/// A rod on the negative x axis: its ends as points, from 0 to -length.
fn backwards(c: &Context, body: &mut Table, ends: &[Word]) {
    // the rod with a length
    let Some(Value::Table(rod)) = body.entries.iter_mut().find(|e| e.0.text == "rod").map(|e| &mut e.1.value)
    else {
        return;
    };
    let Some(k) = rod.entries.iter().position(|e| e.0.text == "length") else { return };
    let length = rod.entries.remove(k).1;
    // its ends as points of the body: 0 and -length along x
    let at = |x: Node| {
        let zero = Node { value: Value::Number(0.0), place: length.place.clone() };
        let items = std::iter::once(x).chain((1..c.dimension).map(|_| zero.clone())).collect();
        Node { value: Value::List(items), place: length.place.clone() }
    };
    let origin = at(Node { value: Value::Number(0.0), place: length.place.clone() });
    let points = [(ends[0].clone(), origin), (ends[1].clone(), at(signed(length.clone(), true)))];
    match body.entries.iter_mut().find(|e| e.0.text == "points").map(|e| &mut e.1.value) {
        Some(Value::Table(t)) => t.entries.extend(points),
        Some(_) => {}
        None => {
            let key = Word { text: "points".into(), place: length.place.clone(), exact: false };
            body.entries.push((
                key,
                Node { value: Value::Table(Table { entries: points.into() }), place: length.place.clone() },
            ));
        }
    }
}
