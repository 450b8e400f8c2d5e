//! Drivers, forces and the signals that they follow.

use super::numbers::unknown;
use super::{Builder, SIGNAL};
use crate::element::Element;
use crate::error::ModelError;
use crate::expression::{Ast, Env, Expr, ExpressionError, Value, compile};
use crate::force::Law;
use crate::geometry::Kind;
use crate::mechanism::{ForceKind, Number, Quantity, Source, Text, Vector};
use crate::ports::{Affine, ZERO};
use crate::program::{Graph, Program};
use crate::signal::{Input, Signal};
use std::ops::Range;

/// A force before its indices are final.
pub struct Compiled {
    /// Name of the element, with a component where it has two.
    pub name: String,
    pub element: Element,
    pub law: Law,
    /// +1, or -1 where the reported force is a tension.
    pub sign: f64,
}

/// Names in an expression of time: parameters become slots, splines signals, and a few names local inputs.
pub(super) struct LocalEnv<'a, 'g, 'm, 'h> {
    pub b: &'a mut Builder<'g, 'm>,
    pub graph: &'h Graph,
    pub inputs: Vec<Input>,
    /// Names of sensors 0, 1, ….
    pub local: &'a [&'a str],
}

impl<'h> LocalEnv<'_, '_, '_, 'h> {
    fn input(&mut self, i: Input) -> Value<'h> {
        let k = self.inputs.iter().position(|x| *x == i).unwrap_or_else(|| {
            self.inputs.push(i);
            self.inputs.len() - 1
        });
        Value::Scalar(self.graph.input(k))
    }
}
impl<'h> Env<'h> for LocalEnv<'_, '_, '_, 'h> {
    fn name(&mut self, path: &str, _: Range<usize>) -> Result<Option<Value<'h>>, ExpressionError> {
        if let Some(k) = self.local.iter().position(|l| *l == path) {
            return Ok(Some(self.input(Input::Sensor(k as u32))));
        }
        if path == "t" {
            return Ok(Some(self.input(Input::Time)));
        }
        if let Some(&s) = self.b.signal_names.get(path) {
            return Ok(Some(self.input(Input::Arg(s))));
        }
        Ok(self.b.numbers.lookup(path).map(|v| self.b.parameter_value(v, self.graph, &mut self.inputs)))
    }
    fn call(&mut self, _: &str, _: &[Ast], _: Range<usize>) -> Result<Option<Value<'h>>, ExpressionError> {
        Ok(None)
    }
    fn names(&self) -> Vec<String> {
        let mut names = self.b.numbers.names();
        names.extend(self.b.signal_names.keys().cloned());
        names.extend(self.local.iter().map(|s| s.to_string()));
        names.push("t".into());
        names
    }
}

impl<'g> Builder<'g, '_> {
    /// A value of ρ as an input of another program: its slot, or itself if constant.
    pub(super) fn parameter_value<'h>(&mut self, v: Value<'g>, graph: &'h Graph, inputs: &mut Vec<Input>) -> Value<'h> {
        let mut one = |s: crate::program::Sym<'g>| match s.as_constant() {
            Some(c) => graph.constant(c),
            None => {
                let i = Input::Arg(self.slots.slot(s));
                let k = inputs.iter().position(|x| *x == i).unwrap_or_else(|| {
                    inputs.push(i);
                    inputs.len() - 1
                });
                graph.input(k)
            }
        };
        match v {
            Value::Scalar(s) => Value::Scalar(one(s)),
            Value::Vector(v) => Value::Vector(v.into_iter().map(one).collect()),
        }
    }
    /// Compiles an expression of time and some local names.
    fn local_program(&mut self, x: &Number, local: &[&str], what: &str) -> Result<(Program, Vec<Input>), ModelError> {
        let ast = self.numbers.parse(x, what)?;
        let graph = Graph::new();
        let mut env = LocalEnv { b: self, graph: &graph, inputs: vec![], local };
        match compile(&ast, &graph, &mut env).map_err(|e| ModelError::expression(what, x, e))? {
            Value::Scalar(s) => Ok((graph.program(&[s]), env.inputs)),
            Value::Vector(_) => Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place)),
        }
    }
    /// The extended parameter that an expression of time is: a slot, a spline, or a new signal.
    fn signal(&mut self, x: &Number, what: &str) -> Result<u32, ModelError> {
        let timed = match &x.source {
            Source::Value(_) => false,
            Source::Expression(text) => {
                if let Some(&s) = self.signal_names.get(text.trim()) {
                    return Ok(s);
                }
                let ast = self.numbers.parse(x, what)?;
                ast.names().iter().any(|(n, _)| n == "t" || self.signal_names.contains_key(n))
            }
        };
        if !timed {
            let s = self.numbers.number(x, what)?;
            return Ok(self.slots.slot(s));
        }
        let (program, inputs) = self.local_program(x, &[], what)?;
        self.signals.push(Signal::Expression(program, inputs));
        Ok(SIGNAL + self.signals.len() as u32 - 1)
    }
    pub(super) fn add_drivers(&mut self) -> Result<(), ModelError> {
        for d in &self.m.drivers {
            let u = self.signal(&d.value, &format!("driver `{}`", d.name))?;
            let element = match &d.quantity {
                Quantity::Angle(a, b) => {
                    let (a, b) = (self.body(a)?, self.body(b)?);
                    let x = [self.graph.constant(1.0), self.graph.constant(0.0)];
                    let (d1, d2) = (self.frames[a].direction(x), self.frames[b].direction(x));
                    self.element(Kind::AngleDriver, &[&d1[0], &d1[1], &d2[0], &d2[1]], vec![u])
                }
                Quantity::Distance(a, b) => {
                    let (a, b) = (self.point_ref(a)?, self.point_ref(b)?);
                    let (a, b) = (self.port(a), self.port(b));
                    self.element(Kind::DistanceDriver, &[&a[0], &a[1], &b[0], &b[1]], vec![u])
                }
                Quantity::Coordinate(c) => {
                    let x = self.coordinate(c)?;
                    self.element(Kind::CoordinateDriver, &[&x], vec![u])
                }
            };
            if element.ports.linear.is_empty() {
                return Err(ModelError::new(format!("driver `{}` drives nothing that can move", d.name)).at(&d.name.place));
            }
            self.drivers.push((d.name.text.clone(), element));
        }
        Ok(())
    }
    /// `body.point.x` as an affine port.
    fn coordinate(&self, t: &Text) -> Result<Affine<'g>, ModelError> {
        let wrong = || {
            let e = ModelError::new(format!("`{t}` is not a coordinate of a point")).at(&t.place);
            e.help("write body.point.x or body.point.y")
        };
        let (point, axis) = t.text.rsplit_once('.').ok_or_else(wrong)?;
        let k = ["x", "y"].iter().position(|a| *a == axis).ok_or_else(wrong)?;
        let r = self.point_ref(&Text { text: point.into(), place: t.place.clone() })?;
        Ok(self.port(r)[k].clone())
    }
    pub(super) fn add_forces(&mut self) -> Result<(), ModelError> {
        for f in &self.m.forces {
            let name = &f.name.text;
            let what = |field: &str| format!("force `{name}`, {field}");
            match &f.kind {
                ForceKind::SpringDamper { between, stiffness, damping, length, force } => {
                    let [a, b] = [self.point_ref(&between[0])?, self.point_ref(&between[1])?];
                    if a == b || self.coincident(a, b) {
                        let e =
                            ModelError::new(format!("force `{name}`: the ends `{}` and `{}` coincide", between[0], between[1]));
                        return Err(e.at(&between[1].place).help("a spring needs two different points"));
                    }
                    let element = self.distance(a, b);
                    let law = self.law([stiffness, damping, length], force.as_ref(), &["length", "speed"], &what)?;
                    self.push_force(&f.name, "", element, law, -1.0)?;
                }
                ForceKind::Torsion { between, stiffness, damping, angle, torque } => {
                    let [a, b] = [self.body(&between[0])?, self.body(&between[1])?];
                    if a == b {
                        let e = ModelError::new(format!("force `{name}` connects `{}` with itself", between[0]));
                        return Err(e.at(&between[1].place));
                    }
                    let element = self.angle(a, b);
                    let law = self.law([stiffness, damping, angle], torque.as_ref(), &["angle", "speed"], &what)?;
                    self.push_force(&f.name, "", element, law, -1.0)?;
                }
                ForceKind::Torque { on, reaction, torque } => {
                    let [a, b] = [self.body(reaction)?, self.body(on)?];
                    if a == b {
                        return Err(ModelError::new(format!("force `{name}`: `{on}` reacts on itself")).at(&reaction.place));
                    }
                    let element = self.angle(a, b);
                    let applied = self.signal(torque, &what("torque"))?;
                    self.push_force(&f.name, "", element, Law { applied, ..Law::none() }, 1.0)?;
                }
                ForceKind::Point { at, force } => {
                    let r = self.point_ref(at)?;
                    let port = self.port(r);
                    for ((axis, x), u) in ["x", "y"].iter().zip(&port).zip(self.force_components(force, &what("force"))?) {
                        let element = self.element(Kind::Coordinate, &[x], vec![]);
                        self.push_force(&f.name, &format!(".{axis}"), element, Law { applied: u, ..Law::none() }, 1.0)?;
                    }
                }
            }
        }
        Ok(())
    }
    /// Do two points coincide whatever the motion?
    fn coincident(&self, a: super::PointRef, b: super::PointRef) -> bool {
        let class = |(b, i): super::PointRef| self.shapes[b].points[i].class;
        let local = a.0 == b.0 && self.shapes[a.0].distance(a.1, b.1) == 0.0;
        class(a) == class(b) || local
    }
    fn force_components(&mut self, force: &Vector, what: &str) -> Result<[u32; 2], ModelError> {
        // a vector written as text: its components may depend on t too
        if let Vector::Expression(x) = force
            && let Source::Expression(text) = &x.source
            && let Expr::Vector(items) = self.numbers.parse(x, what)?.expr
            && let [a, b] = &items[..]
        {
            let part = |item: &Ast| Number {
                source: Source::Expression(text[item.span.clone()].into()),
                place: x.place.clone().map(|p| if x.exact { p.start + item.span.start..p.start + item.span.end } else { p }),
                exact: x.exact,
            };
            return Ok([self.signal(&part(a), what)?, self.signal(&part(b), what)?]);
        }
        match force {
            Vector::Components(c, _) if c.len() == 2 => Ok([self.signal(&c[0], what)?, self.signal(&c[1], what)?]),
            v => {
                let v = self.numbers.vector(v, what)?;
                Ok(v.map(|v| self.slots.slot(v)))
            }
        }
    }
    fn law(
        &mut self,
        [k, c, rest]: [&Number; 3],
        program: Option<&Number>,
        local: &[&str],
        what: &impl Fn(&str) -> String,
    ) -> Result<Law, ModelError> {
        Ok(Law {
            stiffness: self.signal(k, &what("stiffness"))?,
            damping: self.signal(c, &what("damping"))?,
            rest: self.signal(rest, &what(local[0]))?,
            applied: ZERO,
            program: program.map(|p| self.local_program(p, local, &what("force"))).transpose()?,
        })
    }
    fn push_force(&mut self, name: &Text, part: &str, element: Element, law: Law, sign: f64) -> Result<(), ModelError> {
        if element.ports.linear.is_empty() {
            let e = ModelError::new(format!("force `{name}` acts on nothing that can move")).at(&name.place);
            return Err(e.help("at least one end must be on a moving point or body"));
        }
        self.forces.push(Compiled { name: format!("{name}{part}"), element, law, sign });
        Ok(())
    }
    /// The forces of an element of the model: one, or two components.
    pub(super) fn force_index(&self, name: &str) -> Option<usize> {
        self.forces.iter().position(|f| f.name == name)
    }
    /// An unknown element, for messages.
    pub(super) fn unknown_element(&self, t: &Text) -> ModelError {
        let m = self.m;
        let bodies = self.shapes.iter().map(|s| s.name.as_str());
        let rest =
            m.joints.iter().map(|j| &j.name).chain(m.forces.iter().map(|f| &f.name)).chain(m.drivers.iter().map(|d| &d.name));
        unknown("body, joint, driver or force", t, bodies.chain(rest.map(|t| t.text.as_str())))
    }
}

impl Law {
    /// No force.
    fn none() -> Self {
        Self { stiffness: ZERO, damping: ZERO, rest: ZERO, applied: ZERO, program: None }
    }
}
