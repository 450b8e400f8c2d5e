//! Sensors by name.
//!
//! | expression | what it is |
//! | --- | --- |
//! | `body.point`, `body.com`, `ground.point` | position (vector; `.x`, `.y`, `.z` its components) [m] |
//! | `body.angle`, `angle(body1, body2)` | plane: angle to the x axis, or to body 1, over any turns [rad] |
//! | `body.roll`, `.pitch`, `.yaw`; `roll(body1, body2)` … | space: attitude, or to body 1 [rad] |
//! | `body.omega` | angular velocity, global components; a number in the plane [rad/s] |
//! | `distance(p, q)` | distance of two points [m] |
//! | `vel(…)`, `acc(…)` | first and second rate of any expression |
//! | `local(v, body)`, `axis(body, v)` | global components to those of a body, and back |
//! | `joint.angle`, `.position`; `.angle_1`, `.angle_2` | coordinates, those of universal joints [rad, m] |
//! | `joint.reaction`, `joint.torque` | on body 2, about point 2, global components [N, N m] |
//! | `driver.effort`, `constraint.multiplier` | what a driver applies along its quantity; λ of a row |
//! | `force.force`, `.torque`, `.length`, `.angle`, `.speed` … | what it applies and acts along |
//! | `system.kinetic`, `.potential`, `.energy`, `.momentum`, `.angular_momentum` | of a body too [J, N s] |

use super::joint::Coordinate;
use super::numbers::Numbers;
use super::symbols::SensorEnv;
use super::vectors::{AXES, Symbols, combination, cross, difference, dot};
use super::velocity::slip_reaction;
use super::{Builder, UNTIL, is_condition};
use crate::error::ModelError;
use crate::expression::{Ast, Env, Expr, ExpressionError, Value, compile};
use crate::functional::Sensor;
use crate::mechanism::{ForceKind, Mechanism, Source};
use crate::signal::Input;
use std::collections::HashMap;
use std::ops::Range;

/// Joints whose reaction some expression reads, and whether it reads the torque.
pub(crate) fn reactions_wanted(m: &Mechanism, n: &mut Numbers) -> Result<HashMap<String, bool>, ModelError> {
    let objectives = m.objectives.iter().enumerate();
    let objectives =
        objectives.flat_map(|(k, o)| o.integral.iter().chain(&o.terminal).map(move |x| (x, Some(k))));
    let mut wanted = HashMap::new();
    let events = m
        .events
        .iter()
        .flat_map(|e| [&e.when].into_iter().chain(e.reset.iter().chain(&e.place).map(|r| &r.1)));
    let others = m.outputs.iter().map(|o| &o.1).chain(events).map(|x| (x, None));
    for (x, objective) in objectives.chain(others) {
        let what = match objective {
            Some(k) if is_condition(m, k) => UNTIL,
            _ => "expression",
        };
        if matches!(x.source, Source::Expression(_)) {
            for (name, _) in n.glance(x, what)?.names() {
                let mut parts = name.split('.');
                if let (Some(joint), Some(what @ ("reaction" | "torque"))) = (parts.next(), parts.next()) {
                    *wanted.entry(joint.to_owned()).or_insert(false) |= what == "torque";
                }
            }
        }
    }
    Ok(wanted)
}

type Found<'h> = Result<Option<Value<'h>>, ExpressionError>;

impl<'h> Env<'h> for SensorEnv<'_, '_, '_, 'h> {
    fn name(&mut self, path: &str, span: Range<usize>) -> Found<'h> {
        if let Some((_, s)) = self.local.iter().find(|l| l.0 == path) {
            return Ok(Some(Value::Scalar(*s)));
        }
        if path == "t" {
            return Ok(Some(Value::Scalar(self.input(Input::Time))));
        }
        if let Some(&s) = self.b.signal_names.get(path) {
            return Ok(Some(Value::Scalar(self.input(Input::Arg(s)))));
        }
        match self.b.numbers.lookup(path) {
            Some(Value::Scalar(s)) => Ok(Some(Value::Scalar(self.parameter(s)))),
            Some(Value::Vector(v)) => Ok(Some(Value::Vector(self.parameters(&v)))),
            None => self.path(path, &span),
        }
    }
    fn call(&mut self, function: &str, args: &[Ast], span: Range<usize>) -> Found<'h> {
        // the functions of the table above
        match (function, args) {
            ("vel", [x]) => self.rate_of(x, 1),
            ("acc", [x]) => self.rate_of(x, 2),
            ("distance", [a, b]) => {
                let [a, b] = [self.vector_of(a)?, self.vector_of(b)?];
                let d = difference(&b, &a);
                Ok(Some(Value::Scalar(dot(&d, &d).sqrt())))
            }
            ("angle", [a, b]) if self.b.m.dimension == 2 => {
                let k = [self.body_of(a)?, self.body_of(b)?];
                let k = self.b.plane_angle(k[0], k[1]);
                Ok(Some(Value::Scalar(self.angle(k))))
            }
            ("roll" | "pitch" | "yaw", [a, b]) if self.b.m.dimension == 3 => {
                let bodies = [self.oriented(a)?, self.oriented(b)?];
                Ok(Some(Value::Scalar(self.attitude(function, bodies))))
            }
            ("local", [v, body]) => {
                let v = self.vector_of(v)?;
                let b = self.oriented(body)?;
                Ok(Some(Value::Vector(self.local(&v, b))))
            }
            ("axis", [body, v]) => {
                let b = self.oriented(body)?;
                let v = self.vector_of(v)?;
                let axes = self.axes(b);
                Ok(Some(Value::Vector(combination(&v, &axes))))
            }
            _ => wrong_call(function, self.b.m.dimension, span),
        }
    }
    fn names(&self) -> Vec<String> {
        let b = &self.b;
        let points = b.solids.iter().flat_map(|s| s.points.iter().map(|p| format!("{}.{}", s.name, p.name)));
        let attitude: &[&str] = if b.m.dimension == 2 { &["angle"] } else { &["roll", "pitch", "yaw"] };
        let bodies = &b.solids[..b.solids.len() - 1];
        let angles = bodies.iter().flat_map(|s| attitude.iter().map(move |a| format!("{}.{a}", s.name)));
        let joints = b.m.joints.iter().map(|j| format!("{}.reaction", j.name));
        let forces = b.m.forces.iter().map(|f| format!("{}.force", f.name));
        let mut all: Vec<String> =
            b.numbers.names().into_iter().chain(points).chain(angles).chain(joints).chain(forces).collect();
        all.extend(SYSTEM.iter().map(|e| format!("system.{e}")));
        all.extend(b.signal_names.keys().cloned().chain(self.local.iter().map(|l| l.0.clone())));
        all.push("t".into());
        all
    }
}

/// Sensors of the system.
const SYSTEM: [&str; 5] = ["kinetic", "potential", "energy", "momentum", "angular_momentum"];

fn wrong_call<'h>(function: &str, dimension: usize, span: Range<usize>) -> Found<'h> {
    let usage = match function {
        "vel" | "acc" => "takes one expression",
        "distance" => "takes two points",
        "angle" if dimension == 3 => "belongs to plane models; use the angle of a joint, or roll, pitch, yaw",
        "angle" | "roll" | "pitch" | "yaw" if dimension == 2 && function != "angle" => {
            "belongs to models in space"
        }
        "angle" | "roll" | "pitch" | "yaw" => "takes two bodies",
        "local" => "takes a vector and a body",
        "axis" => "takes a body and a vector",
        _ => return Ok(None),
    };
    Err(ExpressionError::new(format!("{function} {usage}"), span))
}

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    fn rate_of(&mut self, x: &Ast, levels: usize) -> Found<'h> {
        let value = compile(x, self.graph, self)?;
        let mut symbols = list(&value);
        for _ in 0..levels {
            symbols = self.rates(&symbols).map_err(|what| {
                let e = ExpressionError::new(format!("{what} is not available"), x.span.clone());
                e.help("vel and acc apply to positions, angles, velocities and functions of time")
            })?;
        }
        Ok(Some(match value {
            Value::Scalar(_) => Value::Scalar(symbols[0]),
            Value::Vector(_) => Value::Vector(symbols),
        }))
    }
    fn vector_of(&mut self, x: &Ast) -> Result<Symbols<'h>, ExpressionError> {
        let d = self.b.m.dimension;
        match compile(x, self.graph, self)? {
            Value::Vector(v) if v.len() == d => Ok(v),
            _ => Err(ExpressionError::new(
                format!("a vector of {d} components is expected here"),
                x.span.clone(),
            )
            .help("such as body.point or [1, 0, 0]")),
        }
    }
    fn body_of(&mut self, x: &Ast) -> Result<usize, ExpressionError> {
        let Expr::Name(name) = &x.expr else {
            return Err(ExpressionError::new("the name of a body is expected here", x.span.clone()));
        };
        self.b.body(&name.as_str().into()).map_err(|e| at(e, &x.span))
    }
    /// A body that has directions.
    fn oriented(&mut self, x: &Ast) -> Result<usize, ExpressionError> {
        let b = self.body_of(x)?;
        if self.b.frames[b].thin() {
            let message =
                format!("`{}` is a rod, which has no directions but its own", self.b.solids[b].name);
            return Err(ExpressionError::new(message, x.span.clone()));
        }
        Ok(b)
    }
    /// A dotted name.
    fn path(&mut self, path: &str, span: &Range<usize>) -> Found<'h> {
        // `head.second.rest`
        let mut parts = path.split('.');
        let (Some(head), Some(second)) = (parts.next(), parts.next()) else { return Ok(None) };
        let rest: Vec<&str> = parts.collect();
        // the value by what the head names
        let value = if head == "system" {
            let all: Vec<usize> = (0..self.b.ground()).collect();
            self.energy(second, &all, true)
        } else if let Some(&b) = self.b.body_index.get(head) {
            self.body_sensor(b, second)
        } else if let Some(k) = self.b.joint_index(head) {
            self.joint_sensor(k, second)
        } else if let Some(&row) = self.b.formula_index.get(head) {
            self.row_sensor(row, head, second)
        } else {
            self.force_sensor(head, second).map_err(|e| at(e, span))?
        };
        // the value itself, or a component of it
        match (value, rest.as_slice()) {
            (Some(v), []) => Ok(Some(v)),
            (Some(Value::Vector(v)), [axis]) if AXES[..v.len()].contains(axis) => {
                Ok(AXES.iter().position(|a| a == axis).map(|k| Value::Scalar(v[k])))
            }
            (None, _) => self.explain(head, second, span),
            (Some(v), _) => {
                let e = ExpressionError::new(
                    format!("`{head}.{second}` has no component `{}`", rest.join(".")),
                    span.clone(),
                );
                let plane = list(&v).len() == 2;
                let help = if plane { "it has .x and .y" } else { "it has .x, .y and .z" };
                Err(e.help(if matches!(v, Value::Vector(_)) { help } else { "it is a number" }))
            }
        }
    }
    /// Why `head.second` is nothing.
    fn explain(&self, head: &str, second: &str, span: &Range<usize>) -> Found<'h> {
        // what the element has instead
        let b = &self.b;
        let offers: Vec<String> = if let Some(&k) = b.body_index.get(head) {
            let points = b.solids[k].points.iter().map(|p| p.name.clone());
            let attitude: &[&str] = match b.m.dimension {
                2 => &["angle", "omega"],
                _ if b.frames[k].thin() => &[],
                _ => &["roll", "pitch", "yaw", "omega"],
            };
            let rest = attitude.iter().chain(&SYSTEM).map(|s| s.to_string());
            if k == b.ground() { points.collect() } else { points.chain(rest).collect() }
        } else if head == "system" {
            SYSTEM.map(String::from).to_vec()
        } else if let Some(k) = b.joint_index(head) {
            let coordinates = b.m.joints[k].kind.spec().coordinates[b.m.dimension - 2];
            let names = coordinates.iter().map(|c| c.name());
            names.chain(["reaction", "torque"]).map(String::from).collect()
        } else if b.formula_index.contains_key(head) {
            vec![if b.m.drivers.iter().any(|d| d.name.text == head) { "effort" } else { "multiplier" }.into()]
        } else if let Some(f) = b.m.forces.iter().find(|f| f.name.text == head) {
            force_offers(&f.kind).iter().map(|s| s.to_string()).collect()
        } else {
            return Err(at(b.unknown_element(&head.into()), span));
        };
        // the message lists it
        let e = ExpressionError::new(format!("`{head}` has no `{second}`"), span.clone());
        Err(e.help(format!("it has {}", offers.join(", "))))
    }
    fn body_sensor(&mut self, b: usize, what: &str) -> Option<Value<'h>> {
        // a point by name
        let ground = self.b.ground();
        let plane = self.b.m.dimension == 2;
        if let Some(i) = self.b.solids[b].points.iter().position(|p| p.name == what) {
            let port = self.b.port((b, i));
            return Some(Value::Vector(self.port(&port)));
        }
        // angles, angular velocity and energies, where the body has them
        match what {
            _ if b == ground => None,
            "angle" if plane => {
                let k = self.b.plane_angle(ground, b);
                Some(Value::Scalar(self.angle(k)))
            }
            _ if self.b.frames[b].thin() => self.energy(what, &[b], false),
            "roll" | "pitch" | "yaw" if !plane => Some(Value::Scalar(self.attitude(what, [ground, b]))),
            "omega" => {
                let w = self.omega(b);
                Some(if plane { Value::Scalar(w[0]) } else { Value::Vector(w) })
            }
            _ => self.energy(what, &[b], false),
        }
    }
    /// A coordinate of a joint, or its reaction.
    fn joint_sensor(&mut self, k: usize, what: &str) -> Option<Value<'h>> {
        if let "reaction" | "torque" = what {
            return Some(self.reaction(k, what));
        }
        let coordinates = self.b.m.joints[k].kind.spec().coordinates[self.b.m.dimension - 2];
        let coordinate = *coordinates.iter().find(|c| c.name() == what)?;
        let f = &self.b.joint_frames[k];
        let direction = match coordinate {
            Coordinate::Angle | Coordinate::FirstAngle | Coordinate::SecondAngle => {
                let angle = self.b.joint_angle(k, coordinate)?;
                return Some(Value::Scalar(self.angle(angle)));
            }
            Coordinate::Position => f.axes[0].clone(),
            Coordinate::X => f.normals[0].clone(),
            Coordinate::Y => cross(&f.axes[0], &f.normals[0]),
        };
        Some(Value::Scalar(self.joint_position(k, &direction)))
    }
    fn reaction(&mut self, k: usize, what: &str) -> Value<'h> {
        let name = &self.b.m.joints[k].name.text;
        if self.b.slip_rows.contains_key(&k) {
            return slip_reaction(self, k, what).expect("the numbers of the joint were read with its rows");
        }
        let Some(reaction) = self.b.reactions.get(name).cloned() else {
            unreachable!("every joint has a reaction")
        };
        let parts = if what == "torque" { reaction.torque } else { reaction.force };
        let symbols = self.sense(format!("{what} {name}"), |b| {
            parts
                .iter()
                .map(|p| Sensor::Reaction(p.iter().map(|(k, q)| (*k, q.form(&mut b.slots))).collect()))
                .collect()
        });
        if symbols.len() == 1 { Value::Scalar(symbols[0]) } else { Value::Vector(symbols) }
    }
    /// λ of a row by formula; the effort of a driver y - u(t) is -λ.
    fn row_sensor(&mut self, row: usize, name: &str, what: &str) -> Option<Value<'h>> {
        let driver = self.b.m.drivers.iter().any(|d| d.name.text == name);
        let row = self.b.rows.list.len() + row;
        let lam = self.sense(format!("multiplier {row}"), |_| vec![Sensor::Multiplier(row)])[0];
        match (driver, what) {
            (true, "effort") => Some(Value::Scalar(-lam)),
            (false, "multiplier") => Some(Value::Scalar(lam)),
            _ => None,
        }
    }
    fn force_sensor(&mut self, name: &str, what: &str) -> Result<Option<Value<'h>>, ModelError> {
        let Some(&k) = self.b.force_names.get(name) else { return Ok(None) };
        let applied = self.applied(k)?;
        Ok(applied.sensors.into_iter().find(|s| s.0 == what).map(|s| s.1))
    }
}

/// What can be read of a force.
fn force_offers(kind: &ForceKind) -> &'static [&'static str] {
    match kind {
        ForceKind::SpringDamper { .. } => &["force", "length", "speed"],
        ForceKind::Torsion { .. } => &["torque", "angle", "speed"],
        ForceKind::Point { .. } => &["force"],
        ForceKind::Torque { .. } => &["torque"],
        ForceKind::Actuator { .. } | ForceKind::Along { .. } | ForceKind::Friction { .. } => {
            &["effort", "speed"]
        }
        ForceKind::Bushing { .. } => &["force", "torque", "displacement", "rotation"],
        ForceKind::BumpStop { .. } => &["force", "length", "speed"],
        ForceKind::Contact { .. } => &["force", "normal", "gap"],
        ForceKind::Tyre(_) => &["force", "normal", "kappa", "alpha", "radius", "gap"],
    }
}

pub(super) fn list<'h>(v: &Value<'h>) -> Symbols<'h> {
    match v {
        Value::Scalar(s) => vec![*s],
        Value::Vector(v) => v.clone(),
    }
}

/// An error of the model at a place of an expression.
fn at(e: ModelError, span: &Range<usize>) -> ExpressionError {
    ExpressionError { message: e.message, span: span.clone(), help: e.help }
}

impl<'g> Builder<'g, '_> {
    /// The joint of a name.
    pub(super) fn joint_index(&self, name: &str) -> Option<usize> {
        self.joint_names.get(name).copied()
    }
}
