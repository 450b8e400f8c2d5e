//! Forces: scalar laws along distances, plane angles and coordinates where that suffices, loads otherwise;
//! and the signals that they follow.

mod laws;

use super::cuts::WithCuts;
use super::functionals::{Draft, Moving};
use super::loads::Applied;
use super::numbers::unknown;
use super::sides::{moves, sided};
use super::symbols::SensorEnv;
use super::vectors::AXES;
use super::{ANGLE, Builder, SIDE, SIGNAL};
use crate::element::Element;
use crate::error::ModelError;
use crate::expression::{Ast, Env, Expr, ExpressionError, FUNCTIONS, Value, compile};
use crate::force::Law;
use crate::geometry::Kind;
use crate::guard::Guard;
use crate::load::Load;
use crate::mechanism::{About, Active, Force, ForceKind, Number, Source, Text, Vector};
use crate::ports::{Ports, ZERO};
use crate::program::{Edge, Graph, Program, Sym};
use crate::signal::{Input, Signal};
use std::ops::Range;

/// A scalar force before its indices are final.
pub(crate) struct Compiled {
    /// Name of the element, with a component where it has several.
    pub name: String,
    pub element: Element,
    pub law: Law,
    /// Does it act in motion only?
    pub motion: bool,
}

/// Names in an expression of time: parameters become slots, splines signals, and a few names local inputs.
pub(super) struct LocalEnv<'a, 'g, 'm, 'h> {
    pub b: &'a mut Builder<'g, 'm>,
    pub graph: &'h Graph,
    pub inputs: Vec<Input>,
    /// Names of sensors 0, 1, …, and the force that they belong to.
    pub local: &'a [&'a str],
    pub force: Option<usize>,
}

impl<'g, 'h> LocalEnv<'_, 'g, '_, 'h> {
    fn parameter(&mut self, s: Sym<'g>) -> Sym<'h> {
        match s.as_constant() {
            Some(c) => self.graph.constant(c),
            None => {
                let slot = self.b.slots.slot(s);
                self.input(Input::Arg(slot))
            }
        }
    }
    fn input(&mut self, i: Input) -> Sym<'h> {
        let k = self.inputs.iter().position(|x| *x == i).unwrap_or_else(|| {
            self.inputs.push(i);
            self.inputs.len() - 1
        });
        self.graph.input(k)
    }
    /// The side of u > v, if it can change along a run; names of sensors are those of the force.
    fn side(&mut self, pair: [Sym<'h>; 2], edge: Edge, what: &str) -> Result<Option<Sym<'h>>, ModelError> {
        if !pair.iter().flat_map(|s| s.inputs()).any(|i| moves(&self.inputs[i])) {
            return Ok(None);
        }
        let program = self.graph.program(&pair);
        let draft = self.draft(program)?;
        let (k, same) = self.b.sides.side(&draft, edge, what);
        let side = self.input(Input::Arg(SIDE + k as u32));
        Ok(Some(if same { side } else { 1.0 - side }))
    }
    /// A program with the sensors that it needs; names of sensors are those of the force.
    fn draft(&mut self, program: Program) -> Result<Draft, ModelError> {
        match self.force {
            None => Ok(Draft { sensors: vec![], program, inputs: self.inputs.clone() }),
            Some(k) => self.over_ports(&program, k),
        }
    }
    /// Notes the cuts of an expression, whose conditions are sides.
    fn note_cuts(&mut self, y: Sym<'h>, what: &str, edge_of: fn(Edge) -> Edge) -> Result<(), ModelError> {
        let Some(found) = WithCuts::find(&[y], |i| self.inputs[i]) else { return Ok(()) };
        let draft = self.draft(found.program.clone())?;
        self.b.cuts.add(&found, &draft, what, edge_of);
        Ok(())
    }
    /// A program of the quantity of force `k`, its rate and time, over ports.
    fn over_ports(&mut self, program: &Program, k: usize) -> Result<Draft, ModelError> {
        let graph = Graph::new();
        let mut env = SensorEnv::new(self.b, &graph);
        let sensors = env.applied(k)?.sensors;
        let (inputs, local) = (&self.inputs, self.local);
        let symbols = program.replay(&graph, |i| match inputs[i] {
            Input::Sensor(s) => match sensors.iter().find(|x| x.0 == local[s as usize]) {
                Some((_, Value::Scalar(y))) => *y,
                _ => unreachable!("a law has a sensor for each of its names"),
            },
            input => env.input(input),
        });
        Ok(env.draft(&symbols))
    }
}
impl<'h> Env<'h> for LocalEnv<'_, '_, '_, 'h> {
    fn name(&mut self, path: &str, _: Range<usize>) -> Result<Option<Value<'h>>, ExpressionError> {
        if let Some(k) = self.local.iter().position(|l| *l == path) {
            return Ok(Some(Value::Scalar(self.input(Input::Sensor(k as u32)))));
        }
        if path == "t" {
            return Ok(Some(Value::Scalar(self.input(Input::Time))));
        }
        if let Some(&s) = self.b.signal_names.get(path) {
            return Ok(Some(Value::Scalar(self.input(Input::Arg(s)))));
        }
        Ok(self.b.numbers.lookup(path).map(|v| match v {
            Value::Scalar(s) => Value::Scalar(self.parameter(s)),
            Value::Vector(v) => Value::Vector(v.into_iter().map(|s| self.parameter(s)).collect()),
        }))
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
    /// Compiles an expression of time and some local names.
    fn local_program(
        &mut self,
        x: &Number,
        (local, force): (&[&str], Option<usize>),
        what: &str,
        edge_of: fn(Edge) -> Edge,
    ) -> Result<(Program, Vec<Input>), ModelError> {
        let ast = self.numbers.parse_with_sides(x, what)?;
        let graph = Graph::new();
        let mut env = LocalEnv { b: self, graph: &graph, inputs: vec![], local, force };
        match compile(&ast, &graph, &mut env).map_err(|e| ModelError::expression(what, x, e))? {
            Value::Scalar(s) => {
                let mut failed = Ok(());
                let mut side = |pair, edge| {
                    env.side(pair, edge, what).unwrap_or_else(|e| {
                        failed = Err(e);
                        None
                    })
                };
                let sided = sided(&[s], edge_of, &mut side);
                failed?;
                env.note_cuts(sided[0], what, edge_of)?;
                Ok((graph.program(&sided), env.inputs))
            }
            Value::Vector(_) => {
                Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place))
            }
        }
    }
    /// The extended parameter that an expression of time is: a slot, a spline, or a new signal.
    pub(super) fn signal(&mut self, x: &Number, what: &str) -> Result<u32, ModelError> {
        self.signal_with(x, what, |edge| edge)
    }
    /// A signal whose rates count too: that of a driver.
    pub(super) fn driving_signal(&mut self, x: &Number, what: &str) -> Result<u32, ModelError> {
        self.signal_with(x, what, Edge::of_rates)
    }
    /// A signal, and what its edges do.
    fn signal_with(&mut self, x: &Number, what: &str, edge_of: fn(Edge) -> Edge) -> Result<u32, ModelError> {
        let timed = match &x.source {
            Source::Value(_) => false,
            Source::Expression(text) => {
                if let Some(&s) = self.signal_names.get(text.trim()) {
                    return Ok(s);
                }
                let ast = self.numbers.glance(x, what)?;
                ast.names().iter().any(|(n, _)| n == "t" || self.signal_names.contains_key(n))
            }
        };
        if !timed {
            let s = self.numbers.number(x, what)?;
            return Ok(self.slots.slot(s));
        }
        let (program, inputs) = self.local_program(x, (&[], None), what, edge_of)?;
        self.signals.push(Signal::Expression(program, inputs));
        Ok(SIGNAL + self.signals.len() as u32 - 1)
    }
    /// The joint of a name.
    pub(super) fn joint(&self, t: &Text) -> Result<usize, ModelError> {
        self.joint_index(&t.text)
            .ok_or_else(|| unknown("joint", t, self.m.joints.iter().map(|j| j.name.text.as_str())))
    }
    /// An unknown element, for messages.
    pub(super) fn unknown_element(&self, t: &Text) -> ModelError {
        let m = self.m;
        let bodies = self.solids.iter().map(|s| s.name.as_str());
        let rest = m
            .joints
            .iter()
            .map(|j| &j.name)
            .chain(m.forces.iter().map(|f| &f.name))
            .chain(m.drivers.iter().map(|d| &d.name));
        unknown("body, joint, driver or force", t, bodies.chain(rest.map(|t| t.text.as_str())))
    }
}

/// Adds the forces of a mechanism.
pub(super) struct ForceMaker<'a, 'g, 'm> {
    /// What they are added to.
    pub b: &'a mut Builder<'g, 'm>,
}

impl ForceMaker<'_, '_, '_> {
    /// Does an expression read sensors?
    fn reads_sensors(&mut self, x: &Number) -> bool {
        let Ok(ast) = self.b.numbers.glance(x, "force") else { return false };
        let known = |n: &str| {
            n == "t" || n == "pi" || self.b.signal_names.contains_key(n) || self.b.numbers.lookup(n).is_some()
        };
        ast.names().iter().any(|(n, _)| !known(n) && n.contains('.'))
            || ast.calls().iter().any(|c| !FUNCTIONS.contains(&c.0.as_str()))
    }
    /// All forces, in their order.
    pub(super) fn add_forces(&mut self) -> Result<(), ModelError> {
        let m = self.b.m;
        for (k, f) in m.forces.iter().enumerate() {
            let first = (self.b.forces.len(), self.b.loads.len());
            self.add_force(k, f)?;
            let motion = f.active == Active::Motion;
            self.b.forces[first.0..].iter_mut().for_each(|x| x.motion |= motion);
            self.b.loads[first.1..].iter_mut().for_each(|x| x.motion |= motion);
        }
        Ok(())
    }
    /// The law or the load of force `k`, after checks.
    fn add_force(&mut self, k: usize, f: &Force) -> Result<(), ModelError> {
        match &f.kind {
            // what events switch is a load, whatever its law
            ForceKind::SpringDamper { between, .. } if self.b.modes.contains_key(&f.name.text) => {
                self.check_ends(f, between)?;
                self.add_load(k, &f.name)
            }
            ForceKind::Torsion { .. } | ForceKind::Torque { .. } | ForceKind::Point { .. }
                if self.b.modes.contains_key(&f.name.text) =>
            {
                self.add_load(k, &f.name)
            }
            // laws along a quantity
            ForceKind::SpringDamper { .. } => self.spring(f),
            ForceKind::Torsion { about: About::Bodies(between), .. } => self.plane_torsion(f, between),
            // laws where nothing is read, loads otherwise
            ForceKind::Torque { .. } => self.torque(k, f),
            ForceKind::Point { at, force, frame } => {
                if frame.is_none() && !self.vector_reads_sensors(force) {
                    self.point_force(f, at, force)
                } else {
                    self.add_load(k, &f.name)
                }
            }
            // loads
            ForceKind::Bushing { between, .. } | ForceKind::BumpStop { between, .. } => {
                self.check_ends(f, between)?;
                self.add_load(k, &f.name)
            }
            ForceKind::Contact { point, plane, .. } => {
                let refs = [self.b.point_ref(plane)?, self.b.point_ref(point)?];
                self.two_bodies(&f.name, refs, &[plane.clone(), point.clone()])?;
                self.add_load(k, &f.name)
            }
            ForceKind::Tyre(_) => {
                self.check_tyre(f)?;
                self.add_load(k, &f.name)
            }
            ForceKind::Torsion { about: About::Joint(_), .. }
            | ForceKind::Actuator { .. }
            | ForceKind::Along { .. }
            | ForceKind::Friction { .. } => self.add_load(k, &f.name),
        }
    }
    /// A torque with its reaction: a law where it is a number of the plane that reads no sensors.
    fn torque(&mut self, k: usize, f: &Force) -> Result<(), ModelError> {
        let ForceKind::Torque { on, reaction, torque, frame } = &f.kind else { return Ok(()) };
        // as many components as the space has rotations
        let plane = self.b.m.dimension == 2;
        if torque.len() != if plane { 1 } else { 3 } {
            let expected = if plane { "one number" } else { "three components" };
            let e = ModelError::new(format!(
                "force `{}`, torque: {expected} expected here, not {}",
                f.name,
                torque.len()
            ));
            return Err(e.at(&torque.first().and_then(|t| t.place.clone()).or(f.name.place.clone())));
        }
        // on two bodies
        frame.as_ref().map_or(Ok(0), |f| self.b.body(f))?;
        let [a, b] = [self.b.body(reaction)?, self.b.body(on)?];
        if a == b {
            return Err(
                ModelError::new(format!("force `{}`: `{on}` reacts on itself", f.name)).at(&reaction.place)
            );
        }
        // along their angle, or as a load
        if plane && !self.reads_sensors(&torque[0]) {
            let applied = self.b.signal(&torque[0], &format!("force `{}`, torque", f.name))?;
            let element = self.plane_angle_element(a, b);
            self.push_force(&f.name, "", element, Law { applied, ..Law::none() })
        } else {
            self.add_load(k, &f.name)
        }
    }
    /// A bushing or a stop is between two bodies, and a stop between points that are apart.
    fn check_ends(&self, f: &Force, between: &[Text; 2]) -> Result<(), ModelError> {
        let refs = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?];
        self.two_bodies(&f.name, refs, between)?;
        if matches!(f.kind, ForceKind::BumpStop { .. }) && self.coincident(refs[0], refs[1]) {
            let message =
                format!("force `{}`: the ends `{}` and `{}` coincide", f.name, between[0], between[1]);
            return Err(ModelError::new(message)
                .at(&between[1].place)
                .help("a stop needs two different points"));
        }
        Ok(())
    }
    /// A tyre is in space.
    fn check_tyre(&self, f: &Force) -> Result<(), ModelError> {
        if self.b.m.dimension == 2 {
            let e = ModelError::new(format!("force `{}`: tyres belong to models in space", f.name))
                .at(&f.name.place);
            return Err(e.help("write dimension = 3, or use `contact`"));
        }
        Ok(())
    }
    /// A force by its symbols: one load, and another for what acts in motion only.
    fn add_load(&mut self, k: usize, name: &Text) -> Result<(), ModelError> {
        // f and w as symbols
        let graph = Graph::new();
        let mut env = SensorEnv::new(self.b, &graph);
        let Applied { work, motion, guards, .. } = env.applied(k)?;
        if work.is_empty() && motion.is_empty() {
            return Err(nothing_moves(name));
        }
        // one load that always acts, one that acts in motion
        let what = format!("force `{name}`");
        let drafts = [&work, &motion]
            .map(|w| env.draft_with_sides(&w.iter().map(|w| w.1).collect::<Vec<_>>(), &what, |edge| edge));
        let guard = env.draft(&guards.iter().map(|g| g.value).collect::<Vec<_>>());
        for ((work, motion), draft) in
            [(work, false), (motion, true)].into_iter().zip(drafts).filter(|((w, _), _)| !w.is_empty())
        {
            let ports: Vec<_> = work.iter().map(|w| &w.0).collect();
            let work = self.b.ports(&ports);
            let load = self.load(name, draft, work)?;
            self.b.loads.push(Load { motion, ..load });
        }
        // where they are not defined
        if !guards.is_empty() {
            let load = self.load(name, guard, Ports::default())?;
            self.b
                .guards
                .push(Guard { load, list: guards.into_iter().map(|g| (g.strict, g.text)).collect() });
        }
        Ok(())
    }
    fn load(&self, name: &Text, draft: Draft, work: Ports) -> Result<Load, ModelError> {
        // f as a program of positions and velocities only
        let Some(Moving {
            ports: [positions, velocities],
            count: [position_args, velocity_args],
            inputs,
            program,
        }) = draft.moving()
        else {
            let e = ModelError::new(format!("force `{name}` reads more than positions and velocities"))
                .at(&name.place);
            return Err(e.help("accelerations, reactions and energies of the system follow from the forces"));
        };
        if let Some(Input::Rate(..)) = inputs.iter().find(|i| matches!(i, Input::Rate(..))) {
            let e = ModelError::new(format!("force `{name}` reads the rate of a function of time"))
                .at(&name.place);
            return Err(e.help("write the rate as an expression of t"));
        }
        let name = name.text.clone();
        Ok(Load {
            name,
            positions,
            position_args,
            velocities,
            velocity_args,
            inputs,
            program,
            work,
            motion: false,
        })
    }
}

fn nothing_moves(name: &Text) -> ModelError {
    let e = ModelError::new(format!("force `{name}` acts on nothing that can move")).at(&name.place);
    e.help("at least one end must be on a moving point or body")
}

impl Law {
    /// A law without any term: F = 0.
    fn none() -> Self {
        Self { stiffness: ZERO, damping: ZERO, rest: ZERO, applied: ZERO, program: None }
    }
}
