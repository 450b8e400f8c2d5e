//! The coordinate-free description of a mechanism: what a model file or a Rust program says.
//!
//! Any [`Number`] may be an expression of the parameters. Names are checked when the system is built; until
//! then this is data.
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

mod body;
mod event;
mod force;
mod joint;
mod tyre;
mod visit;

pub use crate::maximum::Maximum;
pub use body::*;
pub use event::*;
pub use force::*;
pub use joint::*;
use std::ops::Range;
pub use tyre::*;

/// A name or reference, and where it stands in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The words themselves.
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
    /// What it says: a value or an expression.
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
    /// Components, and where the list stands in the file [bytes].
    Components(Vec<Number>, Option<Range<usize>>),
    /// A vector expression, such as `(P1 + P2) / 2`.
    Expression(Number),
}
impl Vector {
    /// Where it stands in the file.
    pub(crate) fn place(&self) -> Option<Range<usize>> {
        match self {
            Vector::Components(_, place) => place.clone(),
            Vector::Expression(e) => e.place.clone(),
        }
    }
}
impl<N: Into<Number>, const D: usize> From<[N; D]> for Vector {
    fn from(x: [N; D]) -> Self {
        Self::Components(x.into_iter().map(Into::into).collect(), None)
    }
}

/// A design parameter ρ_i.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: Text,
    /// Nominal value.
    pub value: Number,
    /// Label of the SI value; a known unit that is not SI is refused.
    pub unit: String,
    /// Lower bound [SI].
    pub min: Option<Number>,
    /// Upper bound [SI].
    pub max: Option<Number>,
    /// Typical size; |value|, or 1 where that is zero, if absent.
    pub scale: Option<Number>,
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
    /// Any expression of position sensors, such as `hinge.angle`.
    Sensor(Number),
}

/// A rheonomic constraint: a quantity follows a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    /// Name of the driver.
    pub name: Text,
    /// What is driven.
    pub quantity: Quantity,
    /// An expression of t, parameters and splines.
    pub value: Number,
}

/// Factors of the penalty formulation for the rows of a body, joint, constraint or driver: each multiplies
/// the option of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Factor of α, the penalty.
    pub alpha: f64,
    /// Factor of ξ, the damping ratio.
    pub xi: f64,
    /// Factor of ω, the frequency.
    pub omega: f64,
}
impl Default for Penalty {
    fn default() -> Self {
        Self { alpha: 1.0, xi: 1.0, omega: 1.0 }
    }
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

/// Conditions of a static equilibrium: (expression of position sensors, value).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equilibrium {
    /// For directions in which the forces are indifferent: no load may rest on them.
    pub free: Vec<(Number, Number)>,
    /// Held by a support: its effort balances the forces.
    pub hold: Vec<(Number, Number)>,
}
impl Equilibrium {
    /// All conditions, those of free directions first.
    pub fn conditions(&self) -> impl Iterator<Item = &(Number, Number)> {
        self.free.iter().chain(&self.hold)
    }
}

/// Conditions at the start; the rest follows by assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// (expression of position sensors, value).
    pub position: Vec<(Number, Number)>,
    /// Instead of `position`: the mechanism is in static equilibrium.
    pub equilibrium: Option<Equilibrium>,
    /// What the velocities are at the start.
    pub velocity: InitialVelocity,
    /// Rough positions of points (`body.point`) that pick the branch of the assembly.
    pub near: Vec<(Text, Vector)>,
    /// Forces, joints, constraints and drivers that do not act until an event switches them on.
    pub off: Vec<Text>,
}

impl Initial {
    /// Conditions of positions, of an equilibrium or not.
    pub(crate) fn positions(&self) -> impl Iterator<Item = &(Number, Number)> {
        self.position.iter().chain(self.equilibrium.iter().flat_map(Equilibrium::conditions))
    }
}

/// ψ = ∫ integral dt + terminal, or the smooth maximum of `integral` over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// Name of the objective.
    pub name: Text,
    /// Integrand g, an expression of sensors, t and parameters.
    pub integral: Option<Number>,
    /// Terminal value w at the final time.
    pub terminal: Option<Number>,
    /// The smooth maximum, if it is one; it has no terminal value.
    pub maximum: Option<Maximum>,
}

/// A mechanism, its parameters and what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanism {
    /// Name of the model.
    pub name: String,
    /// Dimension of the model, 2 or 3.
    pub dimension: usize,
    /// Gravity [m/s²].
    pub gravity: Vector,
    /// The design parameters ρ.
    pub parameters: Vec<Parameter>,
    /// Named numbers that are not parameters, in order; later ones may use earlier ones.
    pub constants: Vec<(Text, Number)>,
    /// Hard points of the design configuration [m].
    pub hard_points: Vec<(Text, Vector)>,
    /// Points of the ground [m].
    pub ground: Vec<(Text, Vector)>,
    /// The bodies without the ground.
    pub bodies: Vec<Body>,
    /// The joints between bodies.
    pub joints: Vec<Joint>,
    /// Gears and racks.
    pub couplings: Vec<Coupling>,
    /// Named expressions of position sensors that are kept at zero.
    pub constraints: Vec<(Text, Number)>,
    /// Named expressions of position and velocity sensors, affine in velocities, that are kept at zero.
    pub velocity_constraints: Vec<(Text, Number)>,
    /// The drivers of quantities.
    pub drivers: Vec<Driver>,
    /// Penalty factors by the name of a body, joint, constraint or driver; 1 for the others.
    pub penalties: Vec<(Text, Penalty)>,
    /// The forces and torques.
    pub forces: Vec<Force>,
    /// The roads that tyres run on.
    pub roads: Vec<Road>,
    /// Splines of time.
    pub splines: Vec<Spline>,
    /// What happens where conditions of the motion pass zero.
    pub events: Vec<Event>,
    /// Initial conditions.
    pub initial: Initial,
    /// The objectives of the study.
    pub objectives: Vec<Objective>,
    /// Output columns (name, expression); the bodies' points, angles and energies if empty.
    pub outputs: Vec<(Text, Number)>,
    /// Start time [s].
    pub t_start: Number,
    /// Final time, or the latest one if there is a condition for it [s].
    pub t_end: Number,
    /// The run ends where this expression of sensors, t and parameters first passes zero.
    pub until: Option<Number>,
    /// Times at which something is not smooth: steps end there [s].
    pub breaks: Vec<Number>,
}

impl Mechanism {
    /// An empty plane mechanism without gravity, from 0 to 1 s.
    pub fn new(name: &str) -> Self {
        // a plane model without elements, from 0 to 1 s
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
            couplings: vec![],
            constraints: vec![],
            velocity_constraints: vec![],
            drivers: vec![],
            penalties: vec![],
            forces: vec![],
            roads: vec![],
            splines: vec![],
            events: vec![],
            initial: Initial::default(),
            objectives: vec![],
            outputs: vec![],
            t_start: 0.0.into(),
            t_end: 1.0.into(),
            until: None,
            breaks: vec![],
        }
    }
    /// An empty mechanism in space without gravity, from 0 to 1 s.
    pub fn space(name: &str) -> Self {
        Self { dimension: 3, gravity: [0.0; 3].into(), ..Self::new(name) }
    }
    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, value: impl Into<Number>) -> &mut Self {
        let value = value.into();
        let unit = String::new();
        self.parameters.push(Parameter { name: name.into(), value, unit, min: None, max: None, scale: None });
        self
    }
    /// Adds a ground point [m].
    pub fn ground_point(&mut self, name: &str, at: impl Into<Vector>) -> &mut Self {
        self.ground.push((name.into(), at.into()));
        self
    }
    /// Adds a body to the model.
    pub fn body(&mut self, body: Body) -> &mut Self {
        self.bodies.push(body);
        self
    }
    /// Adds a joint to the model.
    pub fn joint(&mut self, joint: Joint) -> &mut Self {
        self.joints.push(joint);
        self
    }
    /// Adds a force to the model.
    pub fn force(&mut self, name: &str, kind: ForceKind) -> &mut Self {
        self.forces.push(Force { name: name.into(), active: Active::Always, kind });
        self
    }
    /// Adds an event to the model.
    pub fn event(&mut self, event: Event) -> &mut Self {
        self.events.push(event);
        self
    }
    /// Adds an objective ∫ g dt.
    pub fn integral(&mut self, name: &str, g: &str) -> &mut Self {
        self.objectives.push(Objective {
            name: name.into(),
            integral: Some(g.into()),
            terminal: None,
            maximum: None,
        });
        self
    }
    /// Adds an objective w at the final time.
    pub fn terminal(&mut self, name: &str, w: &str) -> &mut Self {
        self.objectives.push(Objective {
            name: name.into(),
            integral: None,
            terminal: Some(w.into()),
            maximum: None,
        });
        self
    }
}
