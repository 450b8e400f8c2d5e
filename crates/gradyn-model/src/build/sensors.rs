//! Sensors by name, and the functionals that read them: objectives, outputs, initial conditions.
//!
//! | expression | what it is |
//! | --- | --- |
//! | `body.point`, `body.com`, `ground.point` | position (vector; `.x`, `.y` its components) [m] |
//! | `body.angle`, `angle(body1, body2)` | angle to the x axis; of body 2 relative to body 1, over any number of turns [rad] |
//! | `distance(p, q)` | distance of two points [m] |
//! | `vel(…)`, `acc(…)` | first and second rate of any of these |
//! | `spring.force`, `.length`, `.speed`; `torsion.torque`, `.angle`, `.speed` | tension or restoring torque and what it acts along |
//! | `joint.reaction`, `joint.torque` | force and torque on body 2 by body 1, global frame, torque about point 2 [N, N m] |
//! | `driver.effort` | force or torque that the driver applies along its quantity [N, N m] |
//! | `system.kinetic`, `.potential`, `.energy` | energies; potential of gravity and linear springs [J] |

use super::numbers::Numbers;
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::expression::{Ast, Env, Expr, ExpressionError, Value, compile};
use crate::functional::Sensor;
use crate::mechanism::{ForceKind, InitialVelocity, Mechanism, Number, Source, Text};
use crate::program::{Graph, Program, Sym};
use crate::signal::Input;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A functional before its indices are final.
pub struct Draft {
    pub sensors: Vec<Sensor>,
    pub program: Program,
    pub inputs: Vec<Input>,
}

/// Integrands and terminal values of the objectives, in order.
pub struct Objectives {
    pub integrand: Draft,
    pub terminal: Draft,
}

/// Conditions at the start.
pub struct Conditions {
    pub position: Vec<Draft>,
    pub velocity: Vec<Draft>,
    pub names: (Vec<Text>, Vec<Text>),
}

/// Joints whose reaction some expression reads.
pub fn reactions_wanted(m: &Mechanism, n: &mut Numbers) -> Result<HashSet<String>, ModelError> {
    let objectives = m.objectives.iter().flat_map(|o| o.integral.iter().chain(&o.terminal));
    let mut wanted = HashSet::new();
    for x in objectives.chain(m.outputs.iter().map(|o| &o.1)) {
        if matches!(x.source, Source::Expression(_)) {
            for (name, _) in n.parse(x, "expression")?.names() {
                let mut parts = name.split('.');
                if let (Some(joint), Some("reaction" | "torque")) = (parts.next(), parts.next()) {
                    wanted.insert(joint.to_owned());
                }
            }
        }
    }
    n.warnings.clear(); // the same expressions are parsed again, with their place
    Ok(wanted)
}

/// Sensors as inputs of one graph.
struct SensorEnv<'a, 'g, 'm, 'h> {
    b: &'a mut Builder<'g, 'm>,
    graph: &'h Graph,
    sensors: Vec<Sensor>,
    inputs: Vec<Input>,
    known: HashMap<String, Vec<Sym<'h>>>,
}

type Found<'h> = Result<Option<Value<'h>>, ExpressionError>;

impl<'h> Env<'h> for SensorEnv<'_, '_, '_, 'h> {
    fn name(&mut self, path: &str, span: Range<usize>) -> Found<'h> {
        if path == "t" {
            return Ok(Some(Value::Scalar(self.input(Input::Time))));
        }
        if let Some(&s) = self.b.signal_names.get(path) {
            return Ok(Some(Value::Scalar(self.input(Input::Arg(s)))));
        }
        if let Some(v) = self.b.numbers.lookup(path) {
            return Ok(Some(self.b.parameter_value(v, self.graph, &mut self.inputs)));
        }
        self.path(path, 0, &span)
    }
    fn call(&mut self, function: &str, args: &[Ast], span: Range<usize>) -> Found<'h> {
        let level = match function {
            "vel" => 1,
            "acc" => 2,
            "distance" | "angle" => return self.quantity(function, args, 0, &span),
            _ => return Ok(None),
        };
        let [arg] = args else {
            return Err(ExpressionError::new(format!("{function} takes one sensor"), span));
        };
        self.rate(arg, level, function)
    }
    fn names(&self) -> Vec<String> {
        let b = &self.b;
        let points = b.shapes.iter().flat_map(|s| s.points.iter().map(|p| format!("{}.{}", s.name, p.name)));
        let angles = b.shapes[..b.shapes.len() - 1].iter().map(|s| format!("{}.angle", s.name));
        let system = ["kinetic", "potential", "energy"].iter().map(|e| format!("system.{e}"));
        let joints = b.m.joints.iter().map(|j| format!("{}.reaction", j.name));
        let forces = b.m.forces.iter().map(|f| format!("{}.force", f.name));
        let mut all: Vec<String> =
            b.numbers.names().into_iter().chain(points).chain(angles).chain(joints).chain(forces).collect();
        all.extend(system);
        all.extend(b.signal_names.keys().cloned());
        all.push("t".into());
        all
    }
}

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    fn input(&mut self, i: Input) -> Sym<'h> {
        let k = self.inputs.iter().position(|x| *x == i).unwrap_or_else(|| {
            self.inputs.push(i);
            self.inputs.len() - 1
        });
        self.graph.input(k)
    }
    /// Adds sensors under a key, once.
    fn sense(&mut self, key: String, make: impl FnOnce(&mut Self) -> Vec<Sensor>) -> Vec<Sym<'h>> {
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let symbols: Vec<Sym<'h>> = make(self)
            .into_iter()
            .map(|s| {
                self.sensors.push(s);
                self.input(Input::Sensor(self.sensors.len() as u32 - 1))
            })
            .collect();
        self.known.insert(key, symbols.clone());
        symbols
    }
    /// The `level`-th rate of a sensor.
    fn rate(&mut self, arg: &Ast, level: usize, function: &str) -> Found<'h> {
        match &arg.expr {
            Expr::Name(path) => match self.path(path, level, &arg.span)? {
                Some(v) => Ok(Some(v)),
                None => {
                    let e = ExpressionError::new(format!("`{path}` has no rate"), arg.span.clone());
                    Err(e.help("vel and acc take points, components of points, angles and distances"))
                }
            },
            Expr::Call { function, args } if function == "distance" || function == "angle" => {
                self.quantity(function, args, level, &arg.span)
            }
            _ => {
                let e = ExpressionError::new(format!("{function} takes a sensor, not an expression"), arg.span.clone());
                Err(e.help("name a point, a component of a point, an angle or a distance"))
            }
        }
    }
    /// distance(p, q) and angle(a, b).
    fn quantity(&mut self, function: &str, args: &[Ast], level: usize, span: &Range<usize>) -> Found<'h> {
        let what = if function == "distance" { "points" } else { "bodies" };
        let [Expr::Name(a), Expr::Name(b)] = [args.first(), args.get(1)].map(|x| x.map_or(&Expr::Number(0.0), |x| &x.expr))
        else {
            return Err(ExpressionError::new(format!("{function} takes two {what} by name"), span.clone()));
        };
        let at = |e: ModelError| ExpressionError { message: e.message, span: span.clone(), help: e.help };
        let symbols = if function == "distance" {
            let (p, q) = (self.b.point_ref(&a.as_str().into()).map_err(at)?, self.b.point_ref(&b.as_str().into()).map_err(at)?);
            self.sense(format!("distance {a} {b} {level}"), |s| vec![Sensor::Geometry(s.b.distance(p, q), level)])
        } else {
            let (i, j) = (self.b.body(&a.as_str().into()).map_err(at)?, self.b.body(&b.as_str().into()).map_err(at)?);
            self.sense(format!("angle {i} {j} {level}"), |s| vec![Sensor::Geometry(s.b.angle(i, j), level)])
        };
        Ok(Some(Value::Scalar(symbols[0])))
    }
    /// A dotted name, at a rate level.
    fn path(&mut self, path: &str, level: usize, span: &Range<usize>) -> Found<'h> {
        let mut parts = path.split('.');
        let (Some(head), Some(second)) = (parts.next(), parts.next()) else { return Ok(None) };
        let rest: Vec<&str> = parts.collect();
        let value = if head == "system" && level == 0 {
            self.energy(second)
        } else if let Some(b) = self.b.shapes.iter().position(|s| s.name == head) {
            self.body_sensor(b, second, level)
        } else if level == 0 && self.b.m.joints.iter().any(|j| j.name.text == head) {
            self.reaction(head, second)
        } else if level == 0 && self.b.drivers.iter().any(|d| d.0 == head) && second == "effort" {
            let k = self.b.drivers.iter().position(|d| d.0 == head).expect("found above");
            Some(Value::Scalar(self.sense(format!("effort {k}"), |_| vec![Sensor::Effort(k)])[0]))
        } else {
            self.force_sensor(head, second, level)
        };
        match (value, rest.as_slice()) {
            (Some(v), []) => Ok(Some(v)),
            (Some(Value::Vector(v)), ["x"]) => Ok(Some(Value::Scalar(v[0]))),
            (Some(Value::Vector(v)), ["y"]) => Ok(Some(Value::Scalar(v[1]))),
            (None, _) => self.explain(head, second, span),
            (Some(v), _) => {
                let e = ExpressionError::new(format!("`{head}.{second}` has no component `{}`", rest.join(".")), span.clone());
                Err(e.help(if matches!(v, Value::Vector(_)) { "it has .x and .y" } else { "it is a number" }))
            }
        }
    }
    /// Why `head.second` is nothing.
    fn explain(&self, head: &str, second: &str, span: &Range<usize>) -> Found<'h> {
        let b = &self.b;
        let element = b.shapes.iter().any(|s| s.name == head)
            || b.m.joints.iter().any(|j| j.name.text == head)
            || b.m.forces.iter().any(|f| f.name.text == head)
            || b.m.drivers.iter().any(|d| d.name.text == head)
            || head == "system";
        if !element {
            let e = b.unknown_element(&head.into());
            return Err(ExpressionError { message: e.message, span: span.clone(), help: e.help });
        }
        let offers: Vec<String> = match b.shapes.iter().find(|s| s.name == head) {
            Some(s) => s.points.iter().map(|p| p.name.clone()).chain(["angle".into(), "com".into()]).collect(),
            None if head == "system" => ["kinetic", "potential", "energy"].map(String::from).to_vec(),
            None if b.m.joints.iter().any(|j| j.name.text == head) => ["reaction", "torque"].map(String::from).to_vec(),
            None if b.m.drivers.iter().any(|d| d.name.text == head) => vec!["effort".into()],
            None => force_offers(b.m, head).iter().map(|s| s.to_string()).collect(),
        };
        let e = ExpressionError::new(format!("`{head}` has no `{second}`"), span.clone());
        Err(e.help(format!("it has {}", offers.join(", "))))
    }
    fn energy(&mut self, which: &str) -> Option<Value<'h>> {
        let kinetic = |s: &mut Self| s.sense("kinetic".into(), |_| vec![Sensor::Kinetic])[0];
        let potential = |s: &mut Self| {
            let springs: Vec<usize> =
                (0..s.b.forces.len()).filter(|&k| s.b.forces[k].law.stiffness != crate::ports::ZERO).collect();
            let parts = s.sense("potential".into(), |_| {
                [Sensor::Gravity].into_iter().chain(springs.into_iter().map(Sensor::Elastic)).collect()
            });
            parts.into_iter().reduce(|a, b| a + b).expect("gravity is always there")
        };
        match which {
            "kinetic" => Some(Value::Scalar(kinetic(self))),
            "potential" => Some(Value::Scalar(potential(self))),
            "energy" => Some(Value::Scalar(kinetic(self) + potential(self))),
            _ => None,
        }
    }
    fn body_sensor(&mut self, b: usize, what: &str, level: usize) -> Option<Value<'h>> {
        let ground = self.b.ground();
        if what == "angle" && b != ground {
            let symbols =
                self.sense(format!("angle {ground} {b} {level}"), |s| vec![Sensor::Geometry(s.b.angle(ground, b), level)]);
            return Some(Value::Scalar(symbols[0]));
        }
        let shape = &self.b.shapes[b];
        let port = match shape.points.iter().position(|p| p.name == what) {
            Some(i) => self.b.port((b, i) as PointRef),
            None if what == "com" && b != ground => self.b.frames[b].at(shape.com),
            None => return None,
        };
        let symbols = self.sense(format!("point {b} {what} {level}"), |s| {
            port.iter().map(|x| Sensor::Affine(s.b.ports(&[x]), level)).collect()
        });
        Some(Value::Vector(symbols))
    }
    fn reaction(&mut self, joint: &str, what: &str) -> Option<Value<'h>> {
        let parts: Vec<usize> = match what {
            "reaction" => vec![0, 1],
            "torque" => vec![2],
            _ => return None,
        };
        let reaction = self.b.reactions.get(joint).cloned();
        let symbols = self.sense(format!("{what} {joint}"), |s| {
            let part = |i: &usize| match &reaction {
                Some(r) => Sensor::Reaction(r.parts[*i].iter().map(|(k, q)| (*k, q.form(&mut s.b.slots))).collect()),
                None => Sensor::Reaction(vec![]),
            };
            parts.iter().map(part).collect()
        });
        Some(if what == "torque" { Value::Scalar(symbols[0]) } else { Value::Vector(symbols) })
    }
    fn force_sensor(&mut self, name: &str, what: &str, level: usize) -> Option<Value<'h>> {
        let kind = &self.b.m.forces.iter().find(|f| f.name.text == name)?.kind;
        let (along, effort) = match kind {
            ForceKind::SpringDamper { .. } => ("length", "force"),
            ForceKind::Torsion { .. } | ForceKind::Torque { .. } => ("angle", "torque"),
            ForceKind::Point { .. } => {
                let axes = ["x", "y"].map(|a| self.b.force_index(&format!("{name}.{a}")));
                let [Some(x), Some(y)] = axes else { return None };
                let symbols = self.sense(format!("force {name}"), |_| vec![Sensor::Force(x), Sensor::Force(y)]);
                return (what == "force" && level == 0).then_some(Value::Vector(symbols));
            }
        };
        let k = self.b.force_index(name)?;
        if what == effort && level == 0 {
            let f = self.sense(format!("force {name}"), |_| vec![Sensor::Force(k)])[0];
            return Some(Value::Scalar(f * self.b.forces[k].sign));
        }
        let level = match what {
            "speed" if level < 2 => level + 1,
            w if w == along => level,
            _ => return None,
        };
        let symbols =
            self.sense(format!("along {name} {level}"), |s| vec![Sensor::Geometry(s.b.forces[k].element.clone(), level)]);
        Some(Value::Scalar(symbols[0]))
    }
}

impl<'g, 'm> Builder<'g, 'm> {
    /// One functional of several expressions; `None` is zero.
    fn draft(&mut self, list: &[(Option<Number>, String)]) -> Result<Draft, ModelError> {
        let graph = Graph::new();
        let asts = list.iter().map(|(x, what)| x.as_ref().map(|x| self.numbers.parse(x, what)).transpose());
        let asts = asts.collect::<Result<Vec<_>, _>>()?;
        let mut env = SensorEnv { b: self, graph: &graph, sensors: vec![], inputs: vec![], known: HashMap::new() };
        let mut outputs = vec![];
        for ((x, what), ast) in list.iter().zip(asts) {
            let (Some(x), Some(ast)) = (x, ast) else {
                outputs.push(graph.constant(0.0));
                continue;
            };
            match compile(&ast, &graph, &mut env).map_err(|e| ModelError::expression(what, x, e))? {
                Value::Scalar(s) => outputs.push(s),
                Value::Vector(_) => {
                    let e = ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place);
                    return Err(e.help("use norm, norm2, dot or a component such as .x"));
                }
            }
        }
        Ok(Draft { program: graph.program(&outputs), sensors: env.sensors, inputs: env.inputs })
    }
    pub(super) fn objectives(&mut self) -> Result<Objectives, ModelError> {
        for o in &self.m.objectives {
            if o.integral.is_none() && o.terminal.is_none() {
                let e = ModelError::new(format!("objective `{}` is empty", o.name)).at(&o.name.place);
                return Err(e.help("give `integral`, `terminal` or both"));
            }
        }
        let list = |f: &dyn Fn(&crate::mechanism::Objective) -> Option<Number>| -> Vec<(Option<Number>, String)> {
            self.m.objectives.iter().map(|o| (f(o), format!("objective `{}`", o.name))).collect()
        };
        let (integral, terminal) = (list(&|o| o.integral.clone()), list(&|o| o.terminal.clone()));
        Ok(Objectives { integrand: self.draft(&integral)?, terminal: self.draft(&terminal)? })
    }
    /// Output columns: as asked, or every point, angle and the energies. The energy follows as a last, unnamed one.
    pub(super) fn outputs(&mut self) -> Result<(Vec<String>, Draft), ModelError> {
        let mut list: Vec<(String, Number)> = self.m.outputs.iter().map(|(n, x)| (n.text.clone(), x.clone())).collect();
        if list.is_empty() {
            for s in &self.shapes[..self.shapes.len() - 1] {
                let axes = s.points.iter().flat_map(|p| ["x", "y"].map(|a| format!("{}.{}.{a}", s.name, p.name)));
                list.extend(axes.chain([format!("{}.angle", s.name)]).map(|n| (n.clone(), n.into())));
            }
            list.extend(["system.kinetic", "system.potential"].map(|n| (n.to_owned(), n.into())));
        }
        let (names, expressions): (Vec<String>, Vec<Number>) = list.into_iter().unzip();
        let mut list: Vec<_> = expressions.into_iter().zip(&names).map(|(x, n)| (Some(x), format!("output `{n}`"))).collect();
        list.push((Some("system.energy".into()), "energy".into()));
        Ok((names, self.draft(&list)?))
    }
    /// E(q) = key - value for positions; rates for velocities.
    pub(super) fn conditions(&mut self) -> Result<Conditions, ModelError> {
        let initial = self.m.initial.clone();
        let mut c = Conditions { position: vec![], velocity: vec![], names: (vec![], vec![]) };
        for (key, value) in &initial.position {
            let drafts = self.condition(key, Some(value), false)?;
            c.names.0.extend(drafts.iter().map(|_| text(key)));
            c.position.extend(drafts);
        }
        let velocity: Vec<(&Number, Option<&Number>)> = match &initial.velocity {
            InitialVelocity::Rest => initial.position.iter().map(|(k, _)| (k, None)).collect(),
            InitialVelocity::Conditions(list) => list.iter().map(|(k, v)| (k, Some(v))).collect(),
        };
        for (key, value) in velocity {
            let drafts = self.condition(key, value, true)?;
            c.names.1.extend(drafts.iter().map(|_| text(key)));
            c.velocity.extend(drafts);
        }
        Ok(c)
    }
    /// One condition for a scalar, two for a vector.
    fn condition(&mut self, key: &Number, value: Option<&Number>, velocity: bool) -> Result<Vec<Draft>, ModelError> {
        let what = format!("initial {}", if velocity { "velocity" } else { "position" });
        let (ast, right) = (self.numbers.parse(key, &what)?, value.map(|v| self.numbers.parse(v, &what)).transpose()?);
        let rated =
            velocity && matches!(&ast.expr, Expr::Name(_) | Expr::Call { .. }) && ast.calls().iter().all(|c| c.0 != "vel");
        if velocity && value.is_none() && !rated {
            let e = ModelError::new("velocity = \"rest\" needs position conditions on plain sensors").at(&key.place);
            return Err(e.help("give the velocity conditions one by one"));
        }
        let side = |s: &mut Self, k: usize| -> Result<(usize, Draft), ModelError> {
            let graph = Graph::new();
            let mut env = SensorEnv { b: s, graph: &graph, sensors: vec![], inputs: vec![], known: HashMap::new() };
            let wrong = |source: &Number, e| ModelError::expression(&what, source, e);
            let left = if rated {
                env.rate(&ast, 1, "vel").map_err(|e| wrong(key, e))?.expect("a rate or an error")
            } else {
                compile(&ast, &graph, &mut env).map_err(|e| wrong(key, e))?
            };
            let right = match (&right, value) {
                (Some(r), Some(v)) => Some(compile(r, &graph, &mut env).map_err(|e| wrong(v, e))?),
                _ => None,
            };
            let (left, right) = (list(left), right.map(list));
            if right.as_ref().is_some_and(|r| r.len() != left.len()) {
                let e =
                    ModelError::new(format!("{what}: `{}` and its value do not have the same number of components", text(key)));
                return Err(e.at(&value.and_then(|v| v.place.clone()).or(key.place.clone())));
            }
            let e = left[k] - right.map_or(graph.constant(0.0), |r| r[k]);
            Ok((left.len(), Draft { program: graph.program(&[e]), sensors: env.sensors, inputs: env.inputs }))
        };
        let (count, first) = side(self, 0)?;
        let late = |s: &Sensor| s.needs_dynamics() || (!velocity && s.needs_velocity());
        if first.sensors.iter().any(late) {
            let allowed = if velocity { "positions and velocities" } else { "positions" };
            let e = ModelError::new(format!("{what}: `{}` reads more than {allowed}", text(key))).at(&key.place);
            return Err(e.help("accelerations, reactions and efforts follow from the motion; they cannot be conditions"));
        }
        let mut drafts = vec![first];
        for k in 1..count {
            drafts.push(side(self, k)?.1);
        }
        Ok(drafts)
    }
}

/// What can be read of a force.
fn force_offers(m: &Mechanism, name: &str) -> &'static [&'static str] {
    match m.forces.iter().find(|f| f.name.text == name).map(|f| &f.kind) {
        Some(ForceKind::SpringDamper { .. }) => &["force", "length", "speed"],
        Some(ForceKind::Torsion { .. } | ForceKind::Torque { .. }) => &["torque", "angle", "speed"],
        _ => &["force"],
    }
}

fn list(v: Value) -> Vec<Sym> {
    match v {
        Value::Scalar(s) => vec![s],
        Value::Vector(v) => v,
    }
}

/// An expression as written.
fn text(x: &Number) -> Text {
    let text = match &x.source {
        Source::Expression(t) => t.clone(),
        Source::Value(v) => v.to_string(),
    };
    Text { text, place: x.place.clone() }
}
