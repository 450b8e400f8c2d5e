//! Rows by formula: gears, racks, user constraints and drivers; those of joints are with their kinds.
//!
//! ```text
//! gear         θ₁ - ratio θ₂ - offset                                                              (1)
//! rack         s₂ - radius θ₁ - offset                                                             (2)
//! constraint   any expression of positions                                                         (3)
//! driver       y - u(t)                     effort along y: -λ                                      (4)
//! ```

use super::Builder;
use super::functionals::Moving;
use super::joint::{Coordinate, joint_type};
use super::symbols::SensorEnv;
use super::vectors::{AXES, dot, minus};
use crate::error::ModelError;
use crate::expression::{Value, compile};
use crate::formula::Formula;
use crate::mechanism::{Coupling, CouplingKind, Driver, Number, Quantity, Text};
use crate::program::{Edge, Graph, Sym};
use crate::row::{Owner, RowName};
use crate::signal::Input;

type Made<T> = Result<T, ModelError>;

impl<'g, 'm> Builder<'g, 'm> {
    /// All rows of position level by formula, in order: those of joints, couplings, constraints, drivers.
    pub(super) fn add_formulas(&mut self) -> Made<()> {
        let m = self.m;
        for (k, j) in m.joints.iter().enumerate() {
            joint_type(&j.kind).formulas(self, k)?;
        }
        m.couplings.iter().try_for_each(|c| self.coupling(c))?;
        for (name, x) in &m.constraints {
            let what = format!("constraint `{name}`");
            self.named_row(Owner::Constraint, name, "constraint", |env| env.number_expression(x, &what))?;
        }
        m.drivers.iter().try_for_each(|d| self.driver(d))
    }
    /// The program of the symbol that `make` makes; nothing if it reads more than positions and velocities.
    pub(super) fn formula(
        &mut self,
        what: &str,
        make: impl for<'a, 'h> FnOnce(&mut SensorEnv<'a, 'g, 'm, 'h>) -> Made<Sym<'h>>,
    ) -> Made<Option<Formula>> {
        let graph = Graph::new();
        let mut env = SensorEnv::new(self, &graph);
        let y = make(&mut env)?;
        let Some(Moving { ports: [ports, mut rates], count: [args, rate_args], inputs, program }) =
            env.draft_with_sides(&[y], what, Edge::of_rates).moving()
        else {
            return Ok(None);
        };
        rates.linear.iter_mut().for_each(|e| e.arg += args as u32);
        Ok(Some(Formula { ports, args, rates, rate_args, inputs, program }))
    }
    /// One row with a name of its own, by which its multiplier is read: what `make` makes is kept at zero.
    fn named_row(
        &mut self,
        owner: Owner,
        name: &Text,
        kind: &str,
        make: impl for<'a, 'h> FnOnce(&mut SensorEnv<'a, 'g, 'm, 'h>) -> Made<Sym<'h>>,
    ) -> Made<()> {
        let next = self.formulas.len();
        self.row(owner, name, kind, make)?;
        self.formula_index.insert(name.text.clone(), next);
        Ok(())
    }
    /// One row: the symbol that `make` makes is kept at zero.
    pub(super) fn row(
        &mut self,
        owner: Owner,
        name: &Text,
        kind: &str,
        make: impl for<'a, 'h> FnOnce(&mut SensorEnv<'a, 'g, 'm, 'h>) -> Made<Sym<'h>>,
    ) -> Made<()> {
        // φ as a formula of positions
        let what = format!("{owner} `{name}`");
        let Some(formula) = self.formula(&what, make)?.filter(|f| !f.velocity()) else {
            let e = ModelError::new(format!("{what} reads more than positions")).at(&name.place);
            let help = if owner == Owner::Constraint {
                format!(
                    "write `{name} = {{ velocity = \"…\" }}` for a constraint of velocities; \
                     else use positions, angles, t and parameters"
                )
            } else {
                "a constraint is an expression of positions, angles, t and parameters".into()
            };
            return Err(e.help(help));
        };
        // it reads no rates, and moves something
        if formula.inputs.iter().any(|i| matches!(i, Input::Rate(..))) {
            let e = ModelError::new(format!("{what} reads the rate of a function of time")).at(&name.place);
            return Err(e.help("write the rate as an expression of t"));
        }
        if formula.ports.linear.is_empty() {
            let verb = if owner == Owner::Driver { "drives" } else { "holds" };
            return Err(ModelError::new(format!("{what} {verb} nothing that can move")).at(&name.place));
        }
        self.formulas.push((RowName::new(owner, name, kind), formula));
        Ok(())
    }
    /// Pushes the row of a gear (1) or a rack (2).
    fn coupling(&mut self, c: &Coupling) -> Made<()> {
        // the joints, which share a body
        let name = &c.name;
        let [one, two] = [self.joint(&c.joints[0])?, self.joint(&c.joints[1])?];
        let [first, second] = [one, two].map(|k| self.joint_ends(k).map(|r| r.0));
        if one == two || !first.iter().any(|b| second.contains(b)) {
            let e = ModelError::new(format!(
                "joint `{name}`: `{}` and `{}` have no body in common",
                c.joints[0], c.joints[1]
            ));
            return Err(e
                .at(&c.joints[1].place)
                .help("both joints must be on the carrier of the wheels, or on the ground"));
        }
        // ratio or radius, and the offset
        let rack = matches!(c.kind, CouplingKind::Rack { .. });
        let (CouplingKind::Gear { ratio: factor } | CouplingKind::Rack { radius: factor }) = &c.kind;
        let factor = self.numbers.number(factor, &format!("joint `{name}`"))?;
        let offset = self.numbers.number(&c.offset, &format!("joint `{name}`, offset"))?;
        // the first joint turns; the second turns, or slides with a rack
        self.check_tied(name, one, &c.joints[0], false)?;
        self.check_tied(name, two, &c.joints[1], rack)?;
        // φ of (1) or (2)
        self.named_row(Owner::Joint, name, c.kind.spec().name, |env| {
            let (_, x) = env.joint_coordinate(name, &c.joints[0])?;
            let (_, y) = env.joint_coordinate(name, &c.joints[1])?;
            let factor = env.parameter(factor);
            let offset = env.parameter(offset);
            Ok(if rack { y - factor * x - offset } else { x - factor * y - offset })
        })
    }
    /// A joint that a coupling ties slides, or turns.
    fn check_tied(&mut self, name: &Text, k: usize, t: &Text, slide: bool) -> Made<()> {
        let slides = self.m.joints[k].kind.spec().slides();
        let mut turns = || {
            let angles = [Coordinate::Angle, Coordinate::FirstAngle];
            angles.into_iter().any(|c| self.joint_angle(k, c).is_some())
        };
        if slides != slide || (!slide && !turns()) {
            let wanted = if slide { "slides" } else { "turns" };
            let e =
                ModelError::new(format!("joint `{name}`: `{t}` is not a joint that {wanted}")).at(&t.place);
            return Err(e.help("a gear ties two revolute joints, a rack a revolute and a prismatic one"));
        }
        Ok(())
    }
    /// Pushes the row of a driver (4), and notes which angle it drives.
    fn driver(&mut self, d: &Driver) -> Made<()> {
        // u(t)
        let name = &d.name;
        let what = format!("driver `{}`", d.name);
        let u = self.driving_signal(&d.value, &what)?;
        // φ = y - u
        let mut driven = None;
        self.named_row(Owner::Driver, name, "driver", |env| {
            let y = match &d.quantity {
                Quantity::Angle(a, b) => {
                    let [a, b] = [env.b.body(a)?, env.b.body(b)?];
                    if env.b.m.dimension == 3 {
                        let e = ModelError::new(format!("{what}: in space an angle belongs to a joint"))
                            .at(&name.place);
                        return Err(e.help("write sensor = \"JOINT.angle\""));
                    }
                    let k = env.b.plane_angle(a, b);
                    env.angle(k)
                }
                Quantity::Distance(a, b) => {
                    let [a, b] = [env.b.point_ref(a)?, env.b.point_ref(b)?].map(|r| env.b.port(r));
                    let d = env.port(&minus(&b, &a));
                    dot(&d, &d).sqrt()
                }
                Quantity::Coordinate(c) => env.coordinate(c)?,
                Quantity::Sensor(x) => env.number_expression(x, &what)?,
            };
            // an angle that is driven starts near u
            driven = env.angle_symbols.iter().find(|a| a.0.id() == y.id()).map(|a| a.1);
            Ok(y - env.input(Input::Arg(u)))
        })?;
        if let Some(k) = driven {
            self.driven.push((k, u));
        }
        Ok(())
    }
}

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// An expression that is a number.
    pub(super) fn number_expression(&mut self, x: &Number, what: &str) -> Made<Sym<'h>> {
        let ast = self.b.numbers.parse_with_sides(x, what)?;
        match compile(&ast, self.graph, self).map_err(|e| ModelError::expression(what, x, e))? {
            Value::Scalar(s) => Ok(s),
            Value::Vector(_) => {
                Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place))
            }
        }
    }
    /// `body.point.x`.
    fn coordinate(&mut self, t: &Text) -> Made<Sym<'h>> {
        let d = self.b.m.dimension;
        let wrong = || {
            let e = ModelError::new(format!("`{t}` is not a coordinate of a point")).at(&t.place);
            e.help(if d == 2 { "write body.point.x or body.point.y" } else { "write body.point.x, .y or .z" })
        };
        let (point, axis) = t.text.rsplit_once('.').ok_or_else(wrong)?;
        let k = AXES[..d].iter().position(|a| *a == axis).ok_or_else(wrong)?;
        let r = self.b.point_ref(&Text { text: point.into(), place: t.place.clone() })?;
        let port = self.b.port(r);
        Ok(self.component(&port[k]))
    }
}
