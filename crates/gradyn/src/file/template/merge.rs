//! Puts the sections of copies into the model, and refuses names that are taken.

use super::wrong;
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use std::collections::HashMap;
use std::ops::Range;

/// A model that grows.
pub(crate) struct Merge {
    root: Table,
    /// (kind of name, name) → who made it.
    taken: HashMap<(&'static str, String), String>,
    /// The part that is being added.
    part: Part,
    parts: Vec<Part>,
}

/// Initial conditions of a part of the model.
#[derive(Clone, Default)]
struct Part {
    label: String,
    place: Range<usize>,
    position: bool,
    velocity: bool,
}

/// What a section calls by names; names of one kind differ.
fn kind(section: &str) -> Option<&'static str> {
    Some(match section {
        "ground" => "ground point",
        "output" => "output",
        "objective" => "objective",
        "parameters" | "constants" | "points" | "body" | "joint" | "driver" | "force" | "spline"
        | "event" => "name",
        _ => return None,
    })
}

impl Merge {
    /// The file without its templates.
    pub(crate) fn new(root: &Table) -> Self {
        let mut m =
            Self { root: Table::default(), taken: HashMap::new(), part: Part::default(), parts: vec![] };
        for (key, node) in root.entries.iter().filter(|(k, _)| k.text != "template" && k.text != "instance") {
            m.root.entries.push((key.clone(), node.clone()));
            if let Some(t) = node.table() {
                m.note(&key.text, t);
                let points =
                    if key.text == "ground" { t.get("points").and_then(Node::table) } else { Some(t) };
                let names = kind(&key.text)
                    .zip(points)
                    .into_iter()
                    .flat_map(|(kind, t)| t.entries.iter().map(move |e| (kind, e.0.text.clone())));
                m.taken.extend(names.map(|n| (n, "the model itself".into())));
            }
        }
        m.part_done("the model itself", &(0..0));
        m
    }
    /// Adds a section of a copy.
    pub(crate) fn add(
        &mut self,
        section: &str,
        node: Node,
        label: &str,
        instance: &Range<usize>,
    ) -> Result<(), ModelError> {
        let place = node.place.clone();
        let Value::Table(table) = node.value else { return Ok(()) };
        // most sections are one table
        self.note(section, &table);
        if !matches!(section, "ground" | "initial") {
            return self.extend(section, None, table, place, label, instance);
        }
        // ground and initial are tables of tables
        for (key, node) in table.entries {
            match node.value {
                Value::Table(t) => self.extend(section, Some(&key), t, place.clone(), label, instance)?,
                Value::List(items) if key.text == "off" => {
                    self.append(section, key, items, node.place, &place)
                }
                value => self.default(section, key, Node { value, place: node.place }, place.clone()),
            }
        }
        Ok(())
    }
    fn extend(
        &mut self,
        section: &str,
        key: Option<&Word>,
        t: Table,
        place: Range<usize>,
        label: &str,
        instance: &Range<usize>,
    ) -> Result<(), ModelError> {
        if let Some(kind) = kind(section) {
            for (name, _) in &t.entries {
                if let Some(other) = self.taken.insert((kind, name.text.clone()), label.into()) {
                    let e = wrong(
                        format!("the {kind} `{}` is taken twice: by {other} and by {label}", name.text),
                        instance,
                    );
                    return Err(e.help("give the instance another name, or a `prefix`"));
                }
            }
        }
        let mut at = Some(slot(&mut self.root, section, &place));
        if let Some(key) = key {
            at = at.flatten().map(|s| slot(s, &key.text, &key.place));
        }
        if let Some(s) = at.flatten() {
            s.entries.extend(t.entries); // what is no table is refused by the reader
        }
        Ok(())
    }
    /// A list of names, which all parts add to.
    fn append(
        &mut self,
        section: &str,
        key: Word,
        items: Vec<Node>,
        place: Range<usize>,
        around: &Range<usize>,
    ) {
        let Some(table) = slot(&mut self.root, section, around) else { return };
        match table.entries.iter_mut().find(|e| e.0.text == key.text).map(|e| &mut e.1.value) {
            Some(Value::List(list)) => list.extend(items),
            Some(_) => {} // refused by the reader
            None => table.entries.push((key, Node { value: Value::List(items), place })),
        }
    }
    /// A value that is no table, such as velocity = "rest": kept if there is none yet.
    fn default(&mut self, section: &str, key: Word, node: Node, place: Range<usize>) {
        if let Some(s) = slot(&mut self.root, section, &place)
            && s.get(&key.text).is_none()
        {
            s.entries.push((key, node));
        }
    }
    fn note(&mut self, section: &str, t: &Table) {
        if section == "initial" {
            let lists = |key: &str| t.get(key).and_then(Node::table).is_some_and(|p| !p.entries.is_empty());
            self.part.position = ["position", "equilibrium", "hold"].into_iter().any(lists);
            self.part.velocity = t.get("velocity").is_some_and(|v| v.table().is_some());
        }
    }
    /// The end of a part.
    pub(crate) fn part_done(&mut self, label: &str, place: &Range<usize>) {
        let part = std::mem::take(&mut self.part);
        if part.position || part.velocity {
            self.parts.push(Part { label: label.into(), place: place.clone(), ..part });
        }
    }
    /// The model: velocities are listed by all parts or by none.
    pub(crate) fn finish(self) -> Result<Table, ModelError> {
        let lists = self.parts.iter().find(|p| p.velocity);
        let rests = self.parts.iter().find(|p| !p.velocity);
        if let (Some(a), Some(b)) = (lists, rests) {
            let place = if a.place.is_empty() { &b.place } else { &a.place };
            let e = wrong(
                format!("initial, velocity: {} lists velocities, {} is at rest", a.label, b.label),
                place,
            );
            return Err(e.help("list velocities for every part that has position conditions, or for none"));
        }
        Ok(self.root)
    }
}

/// The table under a key, made if it is absent; `None` if there is something else. A word such as "rest"
/// gives way to a table.
fn slot<'t>(t: &'t mut Table, key: &str, place: &Range<usize>) -> Option<&'t mut Table> {
    let k = t.entries.iter().position(|e| e.0.text == key).unwrap_or_else(|| {
        let word = Word { text: key.into(), place: place.clone(), exact: false };
        t.entries.push((word, Node { value: Value::Table(Table::default()), place: place.clone() }));
        t.entries.len() - 1
    });
    let node = &mut t.entries[k].1;
    if key == "velocity" && node.word().is_some_and(|w| w.text == "rest") {
        node.value = Value::Table(Table::default());
    }
    if let Value::Table(table) = &mut node.value { Some(table) } else { None }
}
