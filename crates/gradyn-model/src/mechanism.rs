//! The coordinate-free description of a mechanism: what a model file or a Rust program says.
//!
//! Any [`Number`] may be an expression of the parameters. Names are checked when the system is built; until then this is data.
//!
//! ```
//! use gradyn_model::mechanism::*;
//! let mut m = Mechanism::new("pendulum");
//! m.parameter("L", 1.0);
//! m.ground_point("O", [0.0, 0.0]);
//! m.body(Body::new("bar").mass(2.0).com(["L/2", "0"]).inertia("2 * L^2 / 12").point("A", [0.0, 0.0]));
//! m.joint(Joint::revolute("pin", "ground.O", "bar.A"));
//! m.initial.position.push(("bar.angle".into(), "-60 deg".into()));
//! ```

use std::ops::Range;

/// A name or reference, and where it stands in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The words.
    pub text: String,
    /// Bytes of the model file.
    pub place: Option<Range<usize>>,
}
impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { text: text.into(), place: None }
    }
}
impl From<String> for Text {
    fn from(text: String) -> Self {
        Self { text, place: None }
    }
}
impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A value or an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A plain number.
    Value(f64),
    /// An expression, parsed at build.
    Expression(String),
}

/// A number of the model: a value or an expression of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// What it says.
    pub source: Source,
    /// Bytes of the model file.
    pub place: Option<Range<usize>>,
    /// `place` is the expression's text itself, byte for byte.
    pub exact: bool,
}
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self { source: Source::Value(value), place: None, exact: false }
    }
}
impl From<&str> for Number {
    fn from(text: &str) -> Self {
        Self { source: Source::Expression(text.into()), place: None, exact: false }
    }
}
impl From<String> for Number {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// A vector: components, or one expression that is a vector.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    /// Components.
    Components(Vec<Number>, Option<Range<usize>>),
    /// A vector expression, such as `(P1 + P2) / 2`.
    Expression(Number),
}
impl<N: Into<Number>, const D: usize> From<[N; D]> for Vector {
    fn from(x: [N; D]) -> Self {
        Self::Components(x.into_iter().map(Into::into).collect(), None)
    }
}

/// A design parameter ρ_i.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: Text,
    /// Nominal value.
    pub value: Number,
    /// Unit label, not checked.
    pub unit: String,
    /// Lower bound.
    pub min: Option<Number>,
    /// Upper bound.
    pub max: Option<Number>,
    /// Typical size; |value|, or 1 where that is zero, if absent.
    pub scale: Option<Number>,
}

/// A uniform rod between two points: local x along it, origin at the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Its end points.
    pub points: [Text; 2],
    /// Length [m], > 0; the distance of the hard points of the same names if absent.
    pub length: Option<Number>,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name.
    pub name: Text,
    /// Mass [kg], ≥ 0.
    pub mass: Number,
    /// Centre of mass in the body's frame [m].
    pub com: Option<Vector>,
    /// Moment of inertia about the centre of mass [kg m²], ≥ 0.
    pub inertia: Option<Number>,
    /// Points in the body's frame [m].
    pub points: Vec<(Text, Vector)>,
    /// Hard points of the design configuration that belong to the body: its frame is the global one there.
    pub hard: Vec<Text>,
    /// A uniform rod.
    pub rod: Option<Rod>,
}
impl Body {
    /// A massless body without points.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), mass: 0.0.into(), com: None, inertia: None, points: vec![], hard: vec![], rod: None }
    }
    /// Mass [kg].
    pub fn mass(mut self, mass: impl Into<Number>) -> Self {
        self.mass = mass.into();
        self
    }
    /// Centre of mass [m].
    pub fn com(mut self, com: impl Into<Vector>) -> Self {
        self.com = Some(com.into());
        self
    }
    /// Moment of inertia about the centre of mass [kg m²].
    pub fn inertia(mut self, inertia: impl Into<Number>) -> Self {
        self.inertia = Some(inertia.into());
        self
    }
    /// A point in the body's frame [m].
    pub fn point(mut self, name: &str, at: impl Into<Vector>) -> Self {
        self.points.push((name.into(), at.into()));
        self
    }
    /// A uniform rod of a given length [m] between two new points.
    pub fn rod(mut self, a: &str, b: &str, length: impl Into<Number>) -> Self {
        self.rod = Some(Rod { points: [a.into(), b.into()], length: Some(length.into()) });
        self
    }
}

/// What a joint holds.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// The points coincide.
    Revolute,
    /// Point 2 slides on the line through point 1 along `axis` of body 1; the angle between the bodies is constant.
    Prismatic {
        /// Direction in the frame of body 1; its x axis if absent.
        axis: Option<Vector>,
        /// Angle of body 2 relative to body 1 [rad].
        angle: Number,
    },
    /// Points coincide and the angle between the bodies is constant.
    Fixed {
        /// Angle of body 2 relative to body 1 [rad].
        angle: Number,
    },
    /// The points keep a distance.
    Distance {
        /// Distance [m], > 0.
        length: Number,
    },
    /// Point 2 stays on the line through point 1 along `axis` of body 1.
    PointOnLine {
        /// Direction in the frame of body 1; its x axis if absent.
        axis: Option<Vector>,
    },
}

/// A joint between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: Text,
    /// What it holds.
    pub kind: JointKind,
    /// `body.point` or `ground.point`.
    pub between: [Text; 2],
}
impl Joint {
    /// A joint of some kind.
    pub fn new(name: &str, kind: JointKind, a: &str, b: &str) -> Self {
        Self { name: name.into(), kind, between: [a.into(), b.into()] }
    }
    /// A revolute joint.
    pub fn revolute(name: &str, a: &str, b: &str) -> Self {
        Self::new(name, JointKind::Revolute, a, b)
    }
}

/// A geometric quantity in words: what drivers drive and sensors read.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Angle of body 2 relative to body 1 [rad].
    Angle(Text, Text),
    /// Distance of two points [m].
    Distance(Text, Text),
    /// A coordinate of a point, such as `slider.P.x` [m].
    Coordinate(Text),
}

/// A rheonomic constraint: a quantity follows a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    /// Name.
    pub name: Text,
    /// What is driven.
    pub quantity: Quantity,
    /// An expression of t, parameters and splines.
    pub value: Number,
}

/// What a force does.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceKind {
    /// Spring and damper between two points; tension k (ℓ - ℓ₀) + c ℓ̇ + force(length, speed, t).
    SpringDamper {
        /// End points.
        between: [Text; 2],
        /// k [N/m].
        stiffness: Number,
        /// c [N s/m].
        damping: Number,
        /// Free length ℓ₀ [m].
        length: Number,
        /// Additional tension, an expression of `length`, `speed`, `t` and parameters.
        force: Option<Number>,
    },
    /// Torsional spring and damper between two bodies; torque on body 2: -(k (θ - θ₀) + c θ̇ + torque(angle, speed, t)).
    Torsion {
        /// Bodies (or `ground`).
        between: [Text; 2],
        /// k [N m/rad].
        stiffness: Number,
        /// c [N m s/rad].
        damping: Number,
        /// Free angle θ₀ [rad].
        angle: Number,
        /// Additional restoring torque, an expression of `angle`, `speed`, `t` and parameters.
        torque: Option<Number>,
    },
    /// A force on a point, in the global frame.
    Point {
        /// The point.
        at: Text,
        /// Components [N]: expressions of t, parameters and splines.
        force: Vector,
    },
    /// A torque on a body, with its reaction on another.
    Torque {
        /// The body.
        on: Text,
        /// Who reacts.
        reaction: Text,
        /// [N m], positive counter-clockwise: an expression of t, parameters and splines.
        torque: Number,
    },
}

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name.
    pub name: Text,
    /// What it does.
    pub kind: ForceKind,
}

/// A cubic spline of time whose values are numbers of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    /// Name, used in expressions of time.
    pub name: Text,
    /// Periodic, or with zero end slopes.
    pub cyclic: bool,
    /// First knot [s].
    pub start: Number,
    /// Period (cyclic) or time from first to last value (clamped) [s].
    pub duration: Number,
    /// Values at equally spaced times.
    pub values: Vec<Number>,
}

/// Initial velocities.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum InitialVelocity {
    /// The rate of each position condition is zero.
    #[default]
    Rest,
    /// Conditions: (sensor whose rate is prescribed, or an expression of velocities; value).
    Conditions(Vec<(Number, Number)>),
}

/// Conditions at the start; the rest follows by assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// (expression of position sensors, value).
    pub position: Vec<(Number, Number)>,
    /// Velocities.
    pub velocity: InitialVelocity,
    /// Rough positions of points (`body.point`) that pick the branch of the assembly.
    pub near: Vec<(Text, Vector)>,
}

/// ψ = ∫ integral dt + terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// Name.
    pub name: Text,
    /// Integrand g, an expression of sensors, t and parameters.
    pub integral: Option<Number>,
    /// Terminal value w at the final time.
    pub terminal: Option<Number>,
}

/// A mechanism, its parameters and what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanism {
    /// Name.
    pub name: String,
    /// 2 (a later version: 3).
    pub dimension: usize,
    /// Gravity [m/s²].
    pub gravity: Vector,
    /// Parameters ρ.
    pub parameters: Vec<Parameter>,
    /// Named numbers that are not parameters, in order; later ones may use earlier ones.
    pub constants: Vec<(Text, Number)>,
    /// Hard points of the design configuration [m].
    pub hard_points: Vec<(Text, Vector)>,
    /// Points of the ground [m].
    pub ground: Vec<(Text, Vector)>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Drivers.
    pub drivers: Vec<Driver>,
    /// Forces.
    pub forces: Vec<Force>,
    /// Splines of time.
    pub splines: Vec<Spline>,
    /// Initial conditions.
    pub initial: Initial,
    /// Objectives.
    pub objectives: Vec<Objective>,
    /// Output columns (name, expression); the bodies' points, angles and energies if empty.
    pub outputs: Vec<(Text, Number)>,
    /// Start time [s].
    pub t_start: Number,
    /// Final time [s].
    pub t_end: Number,
    /// Times at which something is not smooth: steps end there [s].
    pub breaks: Vec<Number>,
}

impl Mechanism {
    /// An empty plane mechanism without gravity, from 0 to 1 s.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            dimension: 2,
            gravity: [0.0, 0.0].into(),
            parameters: vec![],
            constants: vec![],
            hard_points: vec![],
            ground: vec![],
            bodies: vec![],
            joints: vec![],
            drivers: vec![],
            forces: vec![],
            splines: vec![],
            initial: Initial::default(),
            objectives: vec![],
            outputs: vec![],
            t_start: 0.0.into(),
            t_end: 1.0.into(),
            breaks: vec![],
        }
    }
    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, value: impl Into<Number>) -> &mut Self {
        let (value, unit) = (value.into(), String::new());
        self.parameters.push(Parameter { name: name.into(), value, unit, min: None, max: None, scale: None });
        self
    }
    /// Adds a ground point [m].
    pub fn ground_point(&mut self, name: &str, at: impl Into<Vector>) -> &mut Self {
        self.ground.push((name.into(), at.into()));
        self
    }
    /// Adds a body.
    pub fn body(&mut self, body: Body) -> &mut Self {
        self.bodies.push(body);
        self
    }
    /// Adds a joint.
    pub fn joint(&mut self, joint: Joint) -> &mut Self {
        self.joints.push(joint);
        self
    }
    /// Adds a force.
    pub fn force(&mut self, name: &str, kind: ForceKind) -> &mut Self {
        self.forces.push(Force { name: name.into(), kind });
        self
    }
    /// Adds an objective ∫ g dt.
    pub fn integral(&mut self, name: &str, g: &str) -> &mut Self {
        self.objectives.push(Objective { name: name.into(), integral: Some(g.into()), terminal: None });
        self
    }
    /// Adds an objective w at the final time.
    pub fn terminal(&mut self, name: &str, w: &str) -> &mut Self {
        self.objectives.push(Objective { name: name.into(), integral: None, terminal: Some(w.into()) });
        self
    }
}

impl Vector {
    fn visit(&mut self, owner: &str, f: &mut dyn FnMut(&str, &mut Number)) {
        match self {
            Vector::Components(c, _) => c.iter_mut().for_each(|x| f(owner, x)),
            Vector::Expression(x) => f(owner, x),
        }
    }
}

impl Mechanism {
    /// Calls `f(owner, number)` for every number that may be an expression of parameters; the owner is such as `body A1`.
    pub fn visit_numbers(&mut self, f: &mut dyn FnMut(&str, &mut Number)) {
        self.gravity.visit("gravity", f);
        self.constants.iter_mut().for_each(|(n, x)| f(&format!("constant {n}"), x));
        self.hard_points.iter_mut().for_each(|(n, v)| v.visit(&format!("hard point {n}"), f));
        self.ground.iter_mut().for_each(|(n, v)| v.visit(&format!("ground.{n}"), f));
        for b in &mut self.bodies {
            let owner = format!("body {}", b.name);
            f(&owner, &mut b.mass);
            b.inertia.iter_mut().for_each(|x| f(&owner, x));
            b.com.iter_mut().chain(b.points.iter_mut().map(|p| &mut p.1)).for_each(|v| v.visit(&owner, f));
            b.rod.iter_mut().flat_map(|r| &mut r.length).for_each(|x| f(&owner, x));
        }
        self.joints.iter_mut().for_each(|j| j.kind.visit(&format!("joint {}", j.name), f));
        self.drivers.iter_mut().for_each(|d| f(&format!("driver {}", d.name), &mut d.value));
        self.forces.iter_mut().for_each(|x| x.kind.visit(&format!("force {}", x.name), f));
        for s in &mut self.splines {
            s.values.iter_mut().for_each(|x| f(&format!("spline {}", s.name), x));
        }
        self.initial.position.iter_mut().for_each(|(_, v)| f("initial position", v));
        if let InitialVelocity::Conditions(list) = &mut self.initial.velocity {
            list.iter_mut().for_each(|(_, v)| f("initial velocity", v));
        }
        for o in &mut self.objectives {
            let owner = format!("objective {}", o.name);
            o.integral.iter_mut().chain(&mut o.terminal).for_each(|x| f(&owner, x));
        }
        [&mut self.t_start, &mut self.t_end].into_iter().chain(&mut self.breaks).for_each(|x| f("times", x));
    }
}

impl JointKind {
    fn visit(&mut self, owner: &str, f: &mut dyn FnMut(&str, &mut Number)) {
        match self {
            JointKind::Revolute => {}
            JointKind::Prismatic { axis, angle } => {
                axis.iter_mut().for_each(|v| v.visit(owner, f));
                f(owner, angle);
            }
            JointKind::Fixed { angle } => f(owner, angle),
            JointKind::Distance { length } => f(owner, length),
            JointKind::PointOnLine { axis } => axis.iter_mut().for_each(|v| v.visit(owner, f)),
        }
    }
}

impl ForceKind {
    fn visit(&mut self, owner: &str, f: &mut dyn FnMut(&str, &mut Number)) {
        match self {
            ForceKind::SpringDamper { stiffness, damping, length, force, .. } => {
                [stiffness, damping, length].into_iter().chain(force).for_each(|x| f(owner, x));
            }
            ForceKind::Torsion { stiffness, damping, angle, torque, .. } => {
                [stiffness, damping, angle].into_iter().chain(torque).for_each(|x| f(owner, x));
            }
            ForceKind::Point { force, .. } => force.visit(owner, f),
            ForceKind::Torque { torque, .. } => f(owner, torque),
        }
    }
}
