//! What each parameter reaches: everything whose numbers mention it.

use gradyn_model::expression::parse;
use gradyn_model::mechanism::{InitialVelocity, Mechanism, Number, Source};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// For each parameter, the elements, conditions and outputs that use it, directly or through constants and
/// hard points, nearest first.
pub fn parameter_users(m: &Mechanism) -> BTreeMap<String, Vec<String>> {
    let mut uses: Vec<(String, Vec<String>)> = vec![];
    m.clone().visit_numbers(&mut |owner, x| uses.push((owner.to_owned(), names(x))));
    let keys = m.initial.position.iter().map(|k| ("initial position", &k.0));
    let held = m.initial.equilibrium.iter().flat_map(|e| e.conditions()).map(|k| ("equilibrium", &k.0));
    let rates = match &m.initial.velocity {
        InitialVelocity::Rest => &[][..],
        InitialVelocity::Conditions(list) => list,
    };
    for (owner, key) in keys.chain(held).chain(rates.iter().map(|k| ("initial velocity", &k.0))) {
        uses.push((owner.into(), names(key)));
    }
    for event in &m.events {
        let keys = event.reset.iter().chain(&event.place);
        uses.extend(keys.map(|k| (format!("event {}", event.name), names(&k.0))));
    }
    uses.extend(m.outputs.iter().map(|(n, x)| (format!("output {n}"), names(x))));
    // a hard point is read by its bodies
    for (b, h) in m.bodies.iter().flat_map(|b| b.hard.iter().map(move |h| (b, h))) {
        uses.push((format!("body {}", b.name), vec![h.text.clone()]));
    }
    // who reads a name; `P1.x` mentions the hard point P1
    let mut readers: HashMap<&str, Vec<&str>> = HashMap::new();
    for (owner, names) in &uses {
        for name in names {
            readers.entry(name.split('.').next().unwrap_or(name)).or_default().push(owner);
        }
    }
    m.parameters.iter().map(|p| (p.name.text.clone(), users(&p.name.text, &readers))).collect()
}

/// Everything that reads a name, directly or through constants and hard points, nearest first.
fn users(name: &str, readers: &HashMap<&str, Vec<&str>>) -> Vec<String> {
    let mut found = vec![];
    let mut seen = HashSet::new();
    let mut next = VecDeque::from([name]);
    while let Some(name) = next.pop_front() {
        for owner in readers.get(name).into_iter().flatten().filter(|o| seen.insert(**o)) {
            found.push((*owner).to_owned());
            next.extend(owner.strip_prefix("constant ").or(owner.strip_prefix("hard point ")));
        }
    }
    found
}

/// The names that a number mentions.
pub(crate) fn names(x: &Number) -> Vec<String> {
    match &x.source {
        Source::Value(_) => vec![],
        Source::Expression(text) => {
            parse(text).map_or(vec![], |ast| ast.names().into_iter().map(|n| n.0).collect())
        }
    }
}
