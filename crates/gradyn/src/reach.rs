//! What each parameter reaches: the elements whose numbers mention it.

use gradyn_model::expression::parse;
use gradyn_model::mechanism::{InitialVelocity, Mechanism, Number, Source};
use std::collections::BTreeMap;

/// For each parameter, the elements that use it, directly or through a constant.
pub fn reach(m: &Mechanism) -> BTreeMap<String, Vec<String>> {
    let mut uses: Vec<(String, Vec<String>)> = vec![];
    m.clone().visit_numbers(&mut |owner, x| uses.push((owner.to_owned(), names(x))));
    let keys = m.initial.position.iter().map(|k| ("initial position", &k.0));
    let rates = match &m.initial.velocity {
        InitialVelocity::Rest => &[][..],
        InitialVelocity::Conditions(list) => list,
    };
    for (owner, key) in keys.chain(rates.iter().map(|k| ("initial velocity", &k.0))) {
        uses.push((owner.into(), names(key)));
    }
    uses.extend(m.outputs.iter().map(|(n, x)| (format!("output {n}"), names(x))));
    // a hard point is read by its bodies
    for (b, h) in m.bodies.iter().flat_map(|b| b.hard.iter().map(move |h| (b, h))) {
        uses.push((format!("body {}", b.name), vec![h.text.clone()]));
    }
    m.parameters.iter().map(|p| (p.name.text.clone(), users(&p.name.text, m, &uses))).collect()
}

fn users(name: &str, m: &Mechanism, uses: &[(String, Vec<String>)]) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for (owner, names) in uses {
        // `P1.x` mentions the hard point P1
        if names.iter().any(|n| n == name || n.split('.').next() == Some(name)) && !found.contains(owner) {
            found.push(owner.clone());
        }
    }
    for (alias, _) in m.constants.iter().map(|c| (&c.0, ())).chain(m.hard_points.iter().map(|h| (&h.0, ()))) {
        if found.contains(&format!("constant {alias}")) || found.contains(&format!("hard point {alias}")) {
            for user in users(&alias.text, m, &without(uses, &alias.text)) {
                if !found.contains(&user) {
                    found.push(user);
                }
            }
        }
    }
    found
}

/// The uses except those that define `alias` itself.
fn without(uses: &[(String, Vec<String>)], alias: &str) -> Vec<(String, Vec<String>)> {
    let own = [format!("constant {alias}"), format!("hard point {alias}")];
    uses.iter().filter(|(owner, _)| !own.contains(owner)).cloned().collect()
}

fn names(x: &Number) -> Vec<String> {
    match &x.source {
        Source::Value(_) => vec![],
        Source::Expression(text) => parse(text).map_or(vec![], |ast| ast.names().into_iter().map(|n| n.0).collect()),
    }
}
