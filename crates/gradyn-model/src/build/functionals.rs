//! Functionals: objectives, outputs and initial conditions over shared sensors.

use super::sensors::list;
use super::symbols::SensorEnv;
use super::vectors::AXES;
use super::{Builder, objective_title};
use crate::error::ModelError;
use crate::expression::{Ast, Expr, Value, compile};
use crate::functional::Sensor;
use crate::maximum::Maximum;
use crate::mechanism::{InitialVelocity, Number, Source, Text};
use crate::ports::{Entry, ONE, Ports};
use crate::program::{Graph, Program, Sym};
use crate::signal::Input;
use crate::system::Kinematics;

/// A functional before its indices are final.
#[derive(Default)]
pub(crate) struct Draft {
    pub sensors: Vec<Sensor>,
    pub program: Program,
    pub inputs: Vec<Input>,
}

/// A draft that reads positions and velocities of ports only.
pub(crate) struct Moving {
    /// Positions and velocities, one argument each.
    pub ports: [Ports; 2],
    /// Numbers of their arguments.
    pub count: [usize; 2],
    /// Inputs: sensors are the arguments, positions first.
    pub inputs: Vec<Input>,
    pub program: Program,
}

impl Draft {
    /// Sensors sorted by their level; nothing if there are others than positions and velocities.
    pub(crate) fn moving(self) -> Option<Moving> {
        let mut ports = [Ports::default(), Ports::default()];
        let mut count = [0; 2];
        let mut renamed = vec![];
        for s in &self.sensors {
            let Sensor::Affine(port, level @ (0 | 1)) = s else { return None };
            append(&mut ports[*level], port, count[*level] as u32);
            renamed.push((*level, count[*level]));
            count[*level] += 1;
        }
        let rename = |i: &Input| match i {
            Input::Sensor(k) => {
                let (level, arg) = renamed[*k as usize];
                Input::Sensor((arg + if level == 0 { 0 } else { count[0] }) as u32)
            }
            i => *i,
        };
        Some(Moving { ports, count, inputs: self.inputs.iter().map(rename).collect(), program: self.program })
    }
}

/// Adds a port of one argument as argument `arg`.
fn append(all: &mut Ports, one: &Ports, arg: u32) {
    all.linear.extend(one.linear.iter().map(|e| Entry { arg, ..*e }));
    all.constant.extend(one.constant.iter().map(|c| (arg, c.1)));
}

/// How the conditions of an expression are decided.
#[derive(Clone, Copy)]
enum Conditioned {
    /// By comparing, wherever it is evaluated.
    Compared,
    /// By sides of the run; what they stand in.
    Sides(&'static str),
}

/// Integrands and terminal values of the objectives, in order.
pub(super) struct Objectives {
    pub integrand: Draft,
    pub terminal: Draft,
}

/// Conditions at the start.
pub(super) struct Conditions {
    pub position: Vec<Draft>,
    /// Position conditions of an equilibrium that may carry a load.
    pub held: Vec<bool>,
    pub velocity: Vec<Draft>,
    /// Rates of all coordinates, if they are zero in an equilibrium.
    pub at_rest: Vec<Draft>,
    pub names: (Vec<Text>, Vec<Text>),
}

impl Builder<'_, '_> {
    /// One functional of several expressions; `None` is zero.
    fn draft(&mut self, list: &[(Option<Number>, String)]) -> Result<Draft, ModelError> {
        self.draft_of(list, Conditioned::Compared, |_, x| x)
    }
    /// One functional whose output k is `outer(k, x)` of expression k; `None` is zero.
    fn draft_of(
        &mut self,
        list: &[(Option<Number>, String)],
        conditioned: Conditioned,
        outer: impl for<'g> Fn(usize, Sym<'g>) -> Sym<'g>,
    ) -> Result<Draft, ModelError> {
        // all expressions are parsed before any is compiled
        let graph = Graph::new();
        let parse = |(x, what): &(Option<Number>, String)| {
            let Some(x) = x else { return Ok(None) };
            match conditioned {
                Conditioned::Compared => self.numbers.parse(x, what).map(Some),
                Conditioned::Sides(_) => self.numbers.parse_with_sides(x, what).map(Some),
            }
        };
        let asts = list.iter().map(parse);
        let asts = asts.collect::<Result<Vec<_>, _>>()?;
        let mut env = SensorEnv::new(self, &graph);
        // output k: outer(k, x_k), or 0 where there is no expression
        let mut outputs = vec![];
        for (k, ((x, what), ast)) in list.iter().zip(asts).enumerate() {
            let (Some(x), Some(ast)) = (x, ast) else {
                outputs.push(graph.constant(0.0));
                continue;
            };
            match compile(&ast, &graph, &mut env).map_err(|e| ModelError::expression(what, x, e))? {
                Value::Scalar(s) => outputs.push(outer(k, s)),
                Value::Vector(_) => {
                    let e = ModelError::new(format!("{what}: a number is expected here, not a vector"))
                        .at(&x.place);
                    return Err(e.help("use norm, norm2, dot or a component such as .x"));
                }
            }
        }
        Ok(match conditioned {
            Conditioned::Compared => env.draft(&outputs),
            Conditioned::Sides(what) => {
                let sided = env.with_sides(&outputs, what, |edge| edge);
                for (y, (_, name)) in sided.iter().zip(list) {
                    env.note_cuts(&[*y], name, |edge| edge);
                }
                env.draft(&sided)
            }
        })
    }
    pub(super) fn objectives(&mut self) -> Result<Objectives, ModelError> {
        for o in &self.m.objectives {
            if o.integral.is_none() && o.terminal.is_none() {
                let e = ModelError::new(format!("objective `{}` is empty", o.name)).at(&o.name.place);
                return Err(e.help("give `integral`, `terminal` or both, or `maximum`"));
            }
        }
        let list =
            |f: &dyn Fn(&crate::mechanism::Objective) -> Option<Number>| -> Vec<(Option<Number>, String)> {
                let titled = |(k, o)| (f(o), objective_title(self.m, k));
                self.m.objectives.iter().enumerate().map(titled).collect()
            };
        let integral = list(&|o| o.integral.clone());
        let terminal = list(&|o| o.terminal.clone());
        let maxima: Vec<Option<Maximum>> = self.m.objectives.iter().map(|o| o.maximum).collect();
        let conditioned = Conditioned::Sides("an objective");
        let integrand =
            self.draft_of(&integral, conditioned, |k, y| maxima[k].map_or(y, |m| m.integrand(y)))?;
        Ok(Objectives { integrand, terminal: self.draft(&terminal)? })
    }
    /// Output columns: as asked, or every point, in the plane every angle, and the energies. The energy
    /// follows as a last, unnamed one.
    pub(super) fn outputs(&mut self) -> Result<(Vec<String>, Draft), ModelError> {
        let mut list: Vec<(String, Number)> =
            self.m.outputs.iter().map(|(n, x)| (n.text.clone(), x.clone())).collect();
        if list.is_empty() {
            let d = self.m.dimension;
            for s in &self.solids[..self.solids.len() - 1] {
                let none = s.named_points().next().is_none();
                let points = s.points.iter().filter(|p| none || p.name != "com");
                let axes =
                    points.flat_map(|p| AXES[..d].iter().map(|a| format!("{}.{}.{a}", s.name, p.name)));
                // roll and yaw jump where the pitch is a right angle: nobody gets them unasked
                let angle = (d == 2).then(|| format!("{}.angle", s.name));
                list.extend(axes.chain(angle).map(|n| (n.clone(), n.into())));
            }
            list.extend(["system.kinetic", "system.potential"].map(|n| (n.to_owned(), n.into())));
        }
        let (names, expressions): (Vec<String>, Vec<Number>) = list.into_iter().unzip();
        let mut list: Vec<_> =
            expressions.into_iter().zip(&names).map(|(x, n)| (Some(x), format!("output `{n}`"))).collect();
        list.push((Some("system.energy".into()), "energy".into()));
        Ok((names, self.draft(&list)?))
    }
    /// E(q) = key - value for positions; rates for velocities.
    pub(super) fn conditions(&mut self) -> Result<Conditions, ModelError> {
        let initial = &self.m.initial;
        // position conditions; those after the free ones hold in an equilibrium
        let mut c = Conditions {
            position: vec![],
            held: vec![],
            velocity: vec![],
            at_rest: vec![],
            names: (vec![], vec![]),
        };
        let free = initial.position.len() + initial.equilibrium.as_ref().map_or(0, |e| e.free.len());
        for (k, (key, value)) in initial.positions().enumerate() {
            let drafts = self.condition(key, Some(value), Kinematics::Position)?;
            c.names.0.extend(drafts.iter().map(|_| text(key)));
            c.held.extend(drafts.iter().map(|_| k >= free));
            c.position.extend(drafts);
        }
        // at rest in an equilibrium: v = 0
        if initial.equilibrium.is_some() && initial.velocity == InitialVelocity::Rest {
            c.at_rest = (0..self.coordinates.len() as u32).map(coordinate_rate).collect();
            return Ok(c);
        }
        // velocity conditions: rates of the position conditions are zero, or as given
        let velocity: Vec<(&Number, Option<&Number>)> = match &initial.velocity {
            InitialVelocity::Rest => initial.position.iter().map(|(k, _)| (k, None)).collect(),
            InitialVelocity::Conditions(list) => list.iter().map(|(k, v)| (k, Some(v))).collect(),
        };
        for (key, value) in velocity {
            let drafts = self.condition(key, value, Kinematics::Velocity)?;
            c.names.1.extend(drafts.iter().map(|_| text(key)));
            c.velocity.extend(drafts);
        }
        Ok(c)
    }
    /// One condition for a scalar, one for each component of a vector.
    fn condition(
        &mut self,
        key: &Number,
        value: Option<&Number>,
        kinematics: Kinematics,
    ) -> Result<Vec<Draft>, ModelError> {
        let mut drafts = vec![];
        loop {
            let (count, draft) = self.condition_part(key, value, kinematics, drafts.len())?;
            drafts.push(draft);
            if drafts.len() == count {
                return Ok(drafts);
            }
        }
    }
    fn condition_part(
        &mut self,
        key: &Number,
        value: Option<&Number>,
        kinematics: Kinematics,
        part: usize,
    ) -> Result<(usize, Draft), ModelError> {
        // left side, a plain sensor or an expression
        let what = format!("initial {}", kinematics.name());
        let ast = self.numbers.parse(key, &what)?;
        let right = value.map(|v| self.numbers.parse(v, &what)).transpose()?;
        let graph = Graph::new();
        let mut env = SensorEnv::new(self, &graph);
        let wrong = |source: &Number, e| ModelError::expression(&what, source, e);
        let left = list(&compile(&ast, &graph, &mut env).map_err(|e| wrong(key, e))?);
        let left = if kinematics.is_velocity() {
            rate_of_plain(&mut env, left, (&ast, key), value.is_some(), &what)?
        } else {
            left
        };
        // right side, of as many components
        let right = match (&right, value) {
            (Some(r), Some(v)) => Some(list(&compile(r, &graph, &mut env).map_err(|e| wrong(v, e))?)),
            _ => None,
        };
        if right.as_ref().is_some_and(|r| r.len() != left.len()) {
            return Err(unequal(key, value, &what));
        }
        // left - right = 0 of this component
        let near = env.angle_symbols.iter().find(|a| a.0.id() == left[part].id()).map(|a| a.1);
        let right = right.map_or(graph.constant(0.0), |r| r[part]);
        let constant = right.as_constant();
        let draft = env.draft(&[left[part] - right]);
        check_known(&draft, key, kinematics, &what)?;
        // an angle starts on the branch nearest to its given value
        if let (Some(k), Kinematics::Position, Some(v)) = (near, kinematics, value) {
            let number = self.numbers.number(v, &what).ok().map(|s| self.numbers.nominal(&[s])[0]);
            self.angles[k].near = number.or(constant);
        }
        Ok((left.len(), draft))
    }
}

/// The left side of a velocity condition: the rate of a plain sensor of positions, else as it is.
pub(super) fn rate_of_plain<'h>(
    env: &mut SensorEnv<'_, '_, '_, 'h>,
    left: Vec<Sym<'h>>,
    (ast, key): (&Ast, &Number),
    given: bool,
    what: &str,
) -> Result<Vec<Sym<'h>>, ModelError> {
    // at rest only rates of plain sensors are zero
    let plain = matches!(&ast.expr, Expr::Name(_) | Expr::Call { .. } | Expr::Component(..));
    let speed = ast.calls().iter().any(|c| c.0 == "vel") || env.read_velocities(&left);
    if !given && (!plain || speed) {
        let e =
            ModelError::new("velocity = \"rest\" needs position conditions on plain sensors").at(&key.place);
        return Err(e.help("give the velocity conditions one by one"));
    }
    // a velocity is meant as it is written
    if !plain || speed {
        return Ok(left);
    }
    env.rates(&left)
        .map_err(|none| ModelError::new(format!("{what}: {none} is not available")).at(&key.place))
}

/// A condition whose sides have different numbers of components.
fn unequal(key: &Number, value: Option<&Number>, what: &str) -> ModelError {
    let key_text = text(key);
    let message = format!("{what}: `{key_text}` and its value do not have the same number of components");
    ModelError::new(message).at(&value.and_then(|v| v.place.clone()).or(key.place.clone()))
}

/// A condition reads no more than is known at the start.
fn check_known(draft: &Draft, key: &Number, kinematics: Kinematics, what: &str) -> Result<(), ModelError> {
    let late = |s: &Sensor| s.needs_dynamics() || (!kinematics.is_velocity() && s.needs_velocity());
    if !draft.sensors.iter().any(late) {
        return Ok(());
    }
    let allowed = if kinematics.is_velocity() { "positions and velocities" } else { "positions" };
    let e = ModelError::new(format!("{what}: `{}` reads more than {allowed}", text(key))).at(&key.place);
    Err(e.help("accelerations, reactions and efforts follow from the motion; they cannot be conditions"))
}

/// The rate of a coordinate.
fn coordinate_rate(coord: u32) -> Draft {
    let ports = Ports { linear: vec![Entry { arg: 0, coord, slot: ONE }], ..Ports::default() };
    let graph = Graph::new();
    let program = graph.program(&[graph.input(0)]);
    Draft { sensors: vec![Sensor::Affine(ports, 1)], program, inputs: vec![Input::Sensor(0)] }
}

/// An expression as written.
pub(super) fn text(x: &Number) -> Text {
    let text = match &x.source {
        Source::Expression(t) => t.clone(),
        Source::Value(v) => v.to_string(),
    };
    Text { text, place: x.place.clone() }
}
