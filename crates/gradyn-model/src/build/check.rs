//! What is refused before anything is built: parameters, bodies, names, and numbers that must be positive.

use super::bodies::{self, Inertia, Solid};
use super::builder::Builder;
use super::joints::number_of;
use super::numbers::Numbers;
use super::tyre;
use super::vectors::{difference, dot};
use super::{FINAL_TIME, ParameterInfo, Positive};
use crate::error::ModelError;
use crate::expression::{UNITS, label_factor};
use crate::mechanism::{ForceKind, Mechanism, Number, Parameter, Source};
use crate::program::Sym;
use crate::row::Owner;
use crate::spec::Bound;
use crate::warning::{Warning, WarningCode};
use std::collections::HashSet;

/// The parameters with their values, bounds and scales, which must fit each other.
pub(super) fn parameters(m: &Mechanism, n: &mut Numbers) -> Result<Vec<ParameterInfo>, ModelError> {
    let mut list = vec![];
    for p in &m.parameters {
        // errors of the final time are those of `t_max`, as the file has it
        let what = match p.name.text.as_str() {
            FINAL_TIME => "t_max".to_owned(),
            name => format!("parameter `{name}`"),
        };
        let value = n.constant(&p.value, &what)?;
        let mut bound =
            |b: &Option<Number>, what: String| b.as_ref().map(|b| n.constant(b, &what)).transpose();
        let min = bound(&p.min, format!("{what}, min"))?;
        let max = bound(&p.max, format!("{what}, max"))?;
        let scale = bound(&p.scale, format!("{what}, scale"))?;
        check_bounds(p, value, (min, max), &what)?;
        // s > 0; |value| if it is not given
        if scale.is_some_and(|s| s <= 0.0) {
            return Err(ModelError::new(format!("{what}: the scale must be positive")).at(&p.name.place));
        }
        check_label(p, &what)?;
        let natural = if value == 0.0 { 1.0 } else { value.abs() };
        let name = p.name.text.clone();
        let unit = p.unit.clone();
        list.push(ParameterInfo {
            name,
            value,
            unit,
            bounds: (min, max),
            scale: scale.unwrap_or(natural),
            used: false,
        });
    }
    Ok(list)
}

/// The bounds of a parameter hold its nominal value between them.
fn check_bounds(
    p: &Parameter,
    value: f64,
    (min, max): (Option<f64>, Option<f64>),
    what: &str,
) -> Result<(), ModelError> {
    // min ≤ max
    if let Some((min, max)) = min.zip(max).filter(|(min, max)| min > max) {
        return Err(ModelError::new(format!(
            "{what}: its bounds are empty: nothing lies between {min} and {max}"
        ))
        .at(&p.name.place));
    }
    // min ≤ value ≤ max
    if min.is_some_and(|b| value < b) || max.is_some_and(|b| value > b) {
        let bound = |b: Option<f64>, none: &str| b.map_or(none.into(), |b| b.to_string());
        let bounds = format!("{} … {}", bound(min, "-∞"), bound(max, "∞"));
        return Err(ModelError::new(format!("{what}: {value} is outside its bounds {bounds}"))
            .at(&p.value.place)
            .about(Owner::Parameter, &p.name));
    }
    Ok(())
}

/// A label that is no SI unit contradicts its number.
fn check_label(p: &Parameter, what: &str) -> Result<(), ModelError> {
    let factor = label_factor(&p.unit).filter(|f| (f - 1.0).abs() > 1e-9);
    let Some(factor) = factor else { return Ok(()) };
    let message = format!("{what}: its label says `{}`, but values are in SI units", p.unit);
    let single = UNITS.iter().any(|u| u.0 == p.unit);
    let instead = match &p.value.source {
        Source::Value(v) if single => format!("write value = \"{v} {}\" without `unit`", p.unit),
        _ => "convert the value, or label it with its SI unit".into(),
    };
    let help = format!("1 {} is {factor} in SI units; {instead}", p.unit);
    Err(ModelError::new(message).at(&p.name.place).help(help))
}

/// Negative masses and inertias, inertias that no body has, rods without length.
pub(super) fn check_bodies<'g>(
    m: &Mechanism,
    numbers: &mut Numbers<'g>,
    solids: &[Solid<'g>],
) -> Result<(), ModelError> {
    for (body, solid) in m.bodies.iter().zip(solids) {
        let name = &solid.name;
        let wrong = |what: &str, x: f64, place, help: &str| {
            let (is, help) = match x.is_finite() {
                true => ("negative", help),
                false => {
                    ("not a finite number", "look for a root of a negative number or a division by zero")
                }
            };
            ModelError::new(format!("body `{name}`: {what} {x} is {is}")).at(place).help(help)
        };
        // m ≥ 0
        let bad = |x: &f64| *x < 0.0 || !x.is_finite();
        let mass = numbers.nominal(&[solid.mass])[0];
        if bad(&mass) {
            let place = body.mass.as_ref().map_or(&body.name.place, |m| &m.place);
            return Err(wrong("mass", mass, place, "a mass is zero or positive"));
        }
        // moments ≥ 0
        let place = body.inertia.first().map_or(&body.name.place, |i| &i.place);
        let diagonal: Vec<Sym> = match &solid.inertia {
            Inertia::Polar(i) => vec![*i],
            Inertia::Tensor(i) => (0..3).map(|k| i[k][k]).collect(),
        };
        if let Some(i) = numbers.nominal(&diagonal).into_iter().find(bad) {
            return Err(wrong("inertia", i, place, "give the inertia about the centre of mass"));
        }
        warn_of_inertia(numbers, solid);
        check_rod(body, solid)?;
    }
    Ok(())
}

/// Warns of a tensor that no real body has: ∫ x xᵀ dm must be positive semidefinite.
fn warn_of_inertia<'g>(numbers: &mut Numbers<'g>, solid: &Solid<'g>) {
    let Inertia::Tensor(_) = &solid.inertia else { return };
    let name = &solid.name;
    let moments = solid.inertia.second_moments(numbers.graph);
    let s = numbers.nominal(&moments.concat());
    if let Some(least) = bodies::negative(&s) {
        let why = format!("the smallest of ∫x² dm in its principal axes would be {least:.3e} kg m²");
        let text = format!("body `{name}`: no real body has this inertia; {why}");
        numbers.warnings.push(Warning::new(WarningCode::ImpossibleInertia, text).about(Owner::Body, name));
    }
}

/// A rod has a length, and in space points on its line only.
fn check_rod(body: &crate::mechanism::Body, solid: &Solid) -> Result<(), ModelError> {
    let (Some([i, j]), Some(rod), name) = (solid.rod, &body.rod, &solid.name) else { return Ok(()) };
    let place = rod.length.as_ref().map_or(&body.name.place, |l| &l.place);
    // the second end of a rod of given length lies at [length, 0]
    let length = if rod.length.is_some() { solid.points[j].value[0] } else { solid.distance(i, j) };
    if length <= 0.0 {
        let e = ModelError::new(format!("body `{name}`: the length of the rod is {length}, not positive"))
            .at(place);
        return Err(e.help("give a length > 0"));
    }
    if solid.points[i].value.len() == 2 {
        return Ok(());
    }
    let a = &solid.points[i].value;
    let b = &solid.points[j].value;
    for p in &solid.points {
        // what is on the line must stay there for all parameters
        let across = rod.length.is_some() && p.at[1..].iter().any(|x| x.as_constant().is_none());
        if across {
            let message =
                format!("body `{name}`: the point `{}` of the rod depends on parameters across it", p.name);
            let help =
                "a rod in space has points on its line only; describe the body by `shape` or `inertia`";
            return Err(ModelError::new(message).at(&body.name.place).help(help));
        }
        let along: f64 = (0..3).map(|k| (p.value[k] - a[k]) * (b[k] - a[k])).sum::<f64>() / length.powi(2);
        let off = (0..3).map(|k| (p.value[k] - a[k] - along * (b[k] - a[k])).powi(2)).sum::<f64>().sqrt();
        if off > 1e-9 * length {
            let message =
                format!("body `{name}`: the point `{}` is not on the rod but {off:.3} m away", p.name);
            let help =
                "a rod in space has points on its line only; describe the body by `shape` or `inertia`";
            return Err(ModelError::new(message).at(&body.name.place).help(help));
        }
    }
    Ok(())
}

impl Builder<'_, '_> {
    /// Masses, inertias, rods and distances that every ρ must keep in order.
    pub(super) fn require_positive(&mut self) -> Result<(), ModelError> {
        self.require_solids();
        self.require_forces();
        self.require_joints()
    }
    /// Masses, inertias and the lengths of rods.
    fn require_solids(&mut self) {
        for (s, body) in self.solids.iter().zip(&self.m.bodies) {
            // mass, moments, length and sizes, which no parameter may make negative
            let mut list = vec![("mass", s.mass, false)];
            match &s.inertia {
                Inertia::Polar(i) => list.push(("inertia", *i, false)),
                Inertia::Tensor(i) => {
                    list.extend([("Ixx", i[0][0], false), ("Iyy", i[1][1], false), ("Izz", i[2][2], false)])
                }
            }
            if let Some([i, j]) = s.rod {
                // a given length has a sign, and a distance has none
                let given = body.rod.as_ref().is_some_and(|rod| rod.length.is_some());
                let d = difference(&s.points[j].at, &s.points[i].at);
                let length = if given { s.points[j].at[0] } else { dot(&d, &d).sqrt() };
                list.push(("length of the rod", length, true));
            }
            list.extend(&s.sizes);
            // each as a slot that is watched
            for (what, x, strict) in list {
                let slot = self.slots.slot(x);
                self.positive.push(Positive::new((Owner::Body, &s.name), what, slot, strict));
            }
        }
    }
    /// Radii, widths and coefficients of forces.
    fn require_forces(&mut self) {
        for f in &self.m.forces {
            let mut list = vec![];
            let mut law = None;
            match &f.kind {
                ForceKind::BumpStop { law: l, .. } => law = Some(l),
                ForceKind::Contact { law: l, friction, speed, .. } => {
                    law = Some(l);
                    list.extend([("speed", speed.clone(), true), ("friction", friction.clone(), false)]);
                }
                ForceKind::Tyre(tyre) => list = tyre::positive(tyre),
                ForceKind::Friction { speed, limit, .. } => {
                    list.extend([("speed", speed.clone(), true), ("limit", limit.clone(), false)])
                }
                ForceKind::SpringDamper { .. }
                | ForceKind::Torsion { .. }
                | ForceKind::Point { .. }
                | ForceKind::Torque { .. }
                | ForceKind::Actuator { .. }
                | ForceKind::Along { .. }
                | ForceKind::Bushing { .. } => continue,
            }
            list.extend(
                law.into_iter().flat_map(|l| {
                    [("width", l.width.clone(), true), ("stiffness", l.stiffness.clone(), false)]
                }),
            );
            for (what, x, strict) in list {
                // an expression of sensors is not a number of the model
                if let Ok(x) = self.numbers.number(&x, &format!("force `{}`, {what}", f.name)) {
                    let slot = self.slots.slot(x);
                    self.positive.push(Positive::new((Owner::Force, &f.name), what, slot, strict));
                }
            }
        }
    }
    /// Numbers of joints that their keys say to be positive.
    fn require_joints(&mut self) -> Result<(), ModelError> {
        for j in &self.m.joints {
            let Some(field) = j.kind.spec().number().filter(|f| f.bound == Bound::Positive) else { continue };
            let x = number_of(j, &mut self.numbers)?;
            let slot = self.slots.slot(x);
            self.positive.push(Positive::new((Owner::Joint, &j.name), field.name, slot, true));
        }
        Ok(())
    }
    /// Names of bodies, joints, forces, drivers and splines must differ.
    pub(super) fn check_names(&self) -> Result<(), ModelError> {
        let m = self.m;
        // all names in the order of the file
        let mut seen: HashSet<&str> = ["ground", "system", "t"].into();
        let bodies = m.bodies.iter().map(|b| &b.name);
        let rest = m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name));
        let rest = rest.chain(m.couplings.iter().map(|c| &c.name)).chain(m.constraints.iter().map(|c| &c.0));
        let rest = rest.chain(m.velocity_constraints.iter().map(|c| &c.0));
        let all = bodies
            .chain(rest)
            .chain(m.forces.iter().map(|f| &f.name))
            .chain(m.splines.iter().map(|s| &s.name));
        let all = all.chain(m.roads.iter().map(|r| &r.name));
        // each of them is neither reserved nor taken
        for name in all {
            if ["ground", "system", "t"].contains(&name.text.as_str()) {
                return Err(ModelError::new(format!("the name `{name}` is reserved")).at(&name.place));
            }
            if !seen.insert(&name.text) || self.numbers.lookup(&name.text).is_some() {
                return Err(ModelError::new(format!("the name `{name}` is taken twice")).at(&name.place));
            }
        }
        Ok(())
    }
}
