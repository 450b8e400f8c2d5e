//! What each parameter reaches: the elements whose numbers mention it.

use gradyn_model::expression::parse;
use gradyn_model::mechanism::{ForceKind, InitialVelocity, JointKind, Mechanism, Number, Source, Vector};
use std::collections::BTreeMap;

/// For each parameter, the elements that use it, directly or through a constant.
pub fn reach(m: &Mechanism) -> BTreeMap<String, Vec<String>> {
    let mut uses: Vec<(String, Vec<String>)> = vec![];
    visit(m, &mut |owner, x| uses.push((owner.to_owned(), names(x))));
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

/// Calls `f(owner, number)` for every number of a mechanism.
fn visit(m: &Mechanism, f: &mut dyn FnMut(&str, &Number)) {
    let vector = |owner: &str, v: &Vector, f: &mut dyn FnMut(&str, &Number)| match v {
        Vector::Components(c, _) => c.iter().for_each(|x| f(owner, x)),
        Vector::Expression(x) => f(owner, x),
    };
    vector("gravity", &m.gravity, f);
    m.constants.iter().for_each(|(n, x)| f(&format!("constant {n}"), x));
    m.hard_points.iter().for_each(|(n, v)| vector(&format!("hard point {n}"), v, f));
    m.ground.iter().for_each(|(n, v)| vector(&format!("ground.{n}"), v, f));
    for b in &m.bodies {
        let owner = format!("body {}", b.name);
        f(&owner, &b.mass);
        b.inertia.iter().for_each(|x| f(&owner, x));
        b.com.iter().chain(b.points.iter().map(|p| &p.1)).for_each(|v| vector(&owner, v, f));
        b.rod.iter().flat_map(|r| &r.length).for_each(|x| f(&owner, x));
        // a hard point is read by its body
        b.hard.iter().for_each(|h| f(&owner, &h.text.as_str().into()));
    }
    for j in &m.joints {
        let owner = format!("joint {}", j.name);
        match &j.kind {
            JointKind::Revolute => {}
            JointKind::Prismatic { axis, angle } => {
                axis.iter().for_each(|v| vector(&owner, v, f));
                f(&owner, angle);
            }
            JointKind::Fixed { angle } => f(&owner, angle),
            JointKind::Distance { length } => f(&owner, length),
            JointKind::PointOnLine { axis } => axis.iter().for_each(|v| vector(&owner, v, f)),
        }
    }
    m.drivers.iter().for_each(|d| f(&format!("driver {}", d.name), &d.value));
    for force in &m.forces {
        let owner = format!("force {}", force.name);
        match &force.kind {
            ForceKind::SpringDamper { stiffness, damping, length, force, .. } => {
                [stiffness, damping, length].into_iter().chain(force).for_each(|x| f(&owner, x));
            }
            ForceKind::Torsion { stiffness, damping, angle, torque, .. } => {
                [stiffness, damping, angle].into_iter().chain(torque).for_each(|x| f(&owner, x));
            }
            ForceKind::Point { force, .. } => vector(&owner, force, f),
            ForceKind::Torque { torque, .. } => f(&owner, torque),
        }
    }
    for s in &m.splines {
        s.values.iter().for_each(|x| f(&format!("spline {}", s.name), x));
    }
    m.initial.position.iter().for_each(|(k, v)| [k, v].into_iter().for_each(|x| f("initial position", x)));
    if let InitialVelocity::Conditions(list) = &m.initial.velocity {
        list.iter().for_each(|(k, v)| [k, v].into_iter().for_each(|x| f("initial velocity", x)));
    }
    for o in &m.objectives {
        o.integral.iter().chain(&o.terminal).for_each(|x| f(&format!("objective {}", o.name), x));
    }
    [&m.t_start, &m.t_end].into_iter().chain(&m.breaks).for_each(|x| f("times", x));
}
