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

mod visit;

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
impl Vector {
    /// Where it stands in the file.
    pub fn place(&self) -> Option<Range<usize>> {
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

/// A uniform solid or plate whose centre is the centre of mass: what inertia follows from.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// A box (in the plane: a rectangle) of some side lengths along the body's axes [m].
    Box(Vec<Number>),
    /// A solid sphere [m]; in the plane a disc.
    Sphere(Number),
    /// A solid cylinder [m].
    Cylinder {
        /// Radius.
        radius: Number,
        /// Length.
        length: Number,
        /// Direction in the body's frame; its z axis if absent.
        axis: Option<Vector>,
    },
    /// A hollow cylinder [m]; in the plane a ring, without length and axis.
    Tube {
        /// Outer radius.
        outer: Number,
        /// Inner radius.
        inner: Number,
        /// Length.
        length: Number,
        /// Direction in the body's frame; its z axis if absent.
        axis: Option<Vector>,
    },
}

/// A shape and, if the mass is to follow from it, its density.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// What it is.
    pub kind: ShapeKind,
    /// [kg/m³], in the plane [kg/m²].
    pub density: Option<Number>,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name.
    pub name: Text,
    /// Mass [kg], ≥ 0; that of the shape, or 0, if absent.
    pub mass: Option<Number>,
    /// Centre of mass in the body's frame [m].
    pub com: Option<Vector>,
    /// About the centre of mass [kg m²]: one number in the plane; in space Ixx Iyy Izz, or these and Ixy Ixz Iyz (entries of the
    /// tensor: Ixy = -∫ x y dm), or one number for all three axes. Empty if it follows from a shape.
    pub inertia: Vec<Number>,
    /// Points in the body's frame [m].
    pub points: Vec<(Text, Vector)>,
    /// Hard points of the design configuration that belong to the body: its frame is the global one there.
    pub hard: Vec<Text>,
    /// A uniform rod.
    pub rod: Option<Rod>,
    /// A uniform solid.
    pub shape: Option<Shape>,
}
impl Body {
    /// A massless body without points.
    pub fn new(name: &str) -> Self {
        let name = name.into();
        Self { name, mass: None, com: None, inertia: vec![], points: vec![], hard: vec![], rod: None, shape: None }
    }
    /// Mass [kg].
    pub fn mass(mut self, mass: impl Into<Number>) -> Self {
        self.mass = Some(mass.into());
        self
    }
    /// Centre of mass [m].
    pub fn com(mut self, com: impl Into<Vector>) -> Self {
        self.com = Some(com.into());
        self
    }
    /// Moment of inertia about the centre of mass [kg m²], the same about every axis in space.
    pub fn inertia(mut self, inertia: impl Into<Number>) -> Self {
        self.inertia = vec![inertia.into()];
        self
    }
    /// Ixx Iyy Izz, or these and Ixy Ixz Iyz [kg m²].
    pub fn tensor<N: Into<Number>, const K: usize>(mut self, inertia: [N; K]) -> Self {
        self.inertia = inertia.into_iter().map(Into::into).collect();
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
    /// A uniform solid of the body's mass.
    pub fn shape(mut self, kind: ShapeKind) -> Self {
        self.shape = Some(Shape { kind, density: None });
        self
    }
}

/// What a joint holds. Each side has a point, an axis and a normal of it (see [`Joint`]); side 1 is the frame of the joint.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// The points coincide; in space the axes too.
    Revolute,
    /// Point 2 slides on the line through point 1 along the axis; the angle of body 2 relative to body 1 (in space: of normal 2
    /// relative to normal 1, about the axis) is constant.
    Prismatic {
        /// [rad].
        angle: Number,
    },
    /// Space: point 2 slides on the line through point 1 along the axis, the axes are parallel.
    Cylindrical,
    /// A cylindrical joint whose angle moves it along: position = lead · angle / 2π.
    Screw {
        /// [m per turn].
        lead: Number,
    },
    /// Space: the points coincide.
    Spherical,
    /// Space: the points coincide, the two axes stay perpendicular.
    Universal,
    /// Space: point 2 stays in the plane through point 1 normal to the axis, the axes are parallel.
    Planar,
    /// Points coincide and so do the directions, with an angle about the axis.
    Fixed {
        /// [rad].
        angle: Number,
    },
    /// Nothing: a name for the relative motion of two bodies.
    Free,
    /// The points keep a distance.
    Distance {
        /// Distance [m], > 0.
        length: Number,
    },
    /// Point 2 stays on the line through point 1 along the axis of body 1.
    PointOnLine,
    /// Space: point 2 stays in the plane through point 1 normal to the axis of body 1.
    PointOnPlane,
}

/// A joint between two points.
///
/// Axes and normals are directions in the frames of bodies 1 and 2. An axis that is absent is the body's z axis (in the plane
/// its x axis); a normal that is absent is some direction normal to the axis, the same for the same axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: Text,
    /// What it holds.
    pub kind: JointKind,
    /// `body.point` or `ground.point`.
    pub between: [Text; 2],
    /// Axes in the frames of bodies 1 and 2.
    pub axes: [Option<Vector>; 2],
    /// Normals in the frames of bodies 1 and 2.
    pub normals: [Option<Vector>; 2],
}
impl Joint {
    /// A joint of some kind.
    pub fn new(name: &str, kind: JointKind, a: &str, b: &str) -> Self {
        Self { name: name.into(), kind, between: [a.into(), b.into()], axes: [None, None], normals: [None, None] }
    }
    /// A revolute joint.
    pub fn revolute(name: &str, a: &str, b: &str) -> Self {
        Self::new(name, JointKind::Revolute, a, b)
    }
    /// The same axis in both frames.
    pub fn axis(self, axis: impl Into<Vector>) -> Self {
        let axis = axis.into();
        self.axes(axis.clone(), axis)
    }
    /// An axis in each frame.
    pub fn axes(mut self, first: impl Into<Vector>, second: impl Into<Vector>) -> Self {
        self.axes = [Some(first.into()), Some(second.into())];
        self
    }
    /// A normal in each frame.
    pub fn normals(mut self, first: impl Into<Vector>, second: impl Into<Vector>) -> Self {
        self.normals = [Some(first.into()), Some(second.into())];
        self
    }
}

/// How the coordinates of two joints are tied.
#[derive(Clone, Debug, PartialEq)]
pub enum CouplingKind {
    /// angle 1 = ratio · angle 2 + offset.
    Gear {
        /// Negative for wheels that turn against each other.
        ratio: Number,
    },
    /// position 2 = radius · angle 1 + offset.
    Rack {
        /// Pitch radius of the pinion [m].
        radius: Number,
    },
}

/// A gear or a rack between two joints that have a body (or the ground) in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Name.
    pub name: Text,
    /// What it ties.
    pub kind: CouplingKind,
    /// The joints.
    pub joints: [Text; 2],
    /// [rad] or [m].
    pub offset: Number,
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
    /// Torsional spring and damper; torque on body 2: -(k (θ - θ₀) + c θ̇ + torque(angle, speed, t)).
    Torsion {
        /// What it turns about.
        about: About,
        /// k [N m/rad].
        stiffness: Number,
        /// c [N m s/rad].
        damping: Number,
        /// Free angle θ₀ [rad].
        angle: Number,
        /// Additional restoring torque, an expression of `angle`, `speed`, `t` and parameters.
        torque: Option<Number>,
    },
    /// A force on a point.
    Point {
        /// The point.
        at: Text,
        /// Components [N]: expressions of sensors, t, parameters and splines.
        force: Vector,
        /// The body whose axes the components refer to; the global axes if absent.
        frame: Option<Text>,
    },
    /// A torque on a body, with its reaction on another.
    Torque {
        /// The body.
        on: Text,
        /// Who reacts.
        reaction: Text,
        /// [N m], counter-clockwise in the plane, three components in space: expressions of sensors, t, parameters and splines.
        torque: Vec<Number>,
        /// The body whose axes the components refer to; the global axes if absent.
        frame: Option<Text>,
    },
    /// A force or torque along the coordinate of a joint, on body 2 with its reaction on body 1.
    Actuator {
        /// The joint.
        joint: Text,
        /// [N] or [N m]: an expression of sensors, t, parameters and splines.
        effort: Number,
    },
    /// Smooth friction along the coordinate y of a joint: -(limit · tanh(ẏ/speed) + viscous · ẏ).
    Friction {
        /// The joint.
        joint: Text,
        /// Largest dry force [N] or torque [N m].
        limit: Number,
        /// Speed at which the dry force is reached to 76 % [m/s] or [rad/s].
        speed: Number,
        /// [N s/m] or [N m s/rad].
        viscous: Number,
    },
    /// An elastic bushing between two points, in the axes of body 1 (or of a joint frame on it).
    Bushing {
        /// Points.
        between: [Text; 2],
        /// Axis z and normal x of the bushing in the frame of body 1; its own axes if absent.
        axes: [Option<Vector>; 2],
        /// 3 (plane) or 6 numbers, or all 9 or 36 of the matrix, by rows: translations, then rotations.
        stiffness: Vec<Number>,
        /// Likewise.
        damping: Vec<Number>,
        /// Additional restoring forces and torques: expressions of `x y z rx ry rz vx vy vz wx wy wz`, t and parameters.
        force: Vec<Number>,
    },
    /// A stop that acts when the distance of two points is below (or, if `pull`, above) a length: k p(δ) (1 + d δ̇).
    BumpStop {
        /// Points.
        between: [Text; 2],
        /// Distance at which it begins to act [m].
        length: Number,
        /// Acts beyond the length.
        pull: bool,
        /// The law.
        law: ContactLaw,
    },
    /// A point that touches a plane from the side that the normal points to.
    Contact {
        /// The point.
        point: Text,
        /// A point of the plane.
        plane: Text,
        /// Normal in the frame of the plane's body; its y axis in the plane, its z axis in space if absent.
        normal: Option<Vector>,
        /// Normal force.
        law: ContactLaw,
        /// Friction coefficient μ: -μ N v_t / √(|v_t|² + v_s²).
        friction: Number,
        /// v_s [m/s].
        speed: Number,
    },
}

/// N = k p(δ) (1 + d δ̇) of a penetration δ; p(δ) = w (s³ - s⁴/2), s = δ/w, between 0 and w, and δ - w/2 above: twice
/// continuously differentiable.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLaw {
    /// k [N/m].
    pub stiffness: Number,
    /// d [s/m].
    pub damping: Number,
    /// w [m], > 0.
    pub width: Number,
}

/// What a torsional spring turns about.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// The relative angle of two bodies in the plane.
    Bodies([Text; 2]),
    /// The angle of a joint.
    Joint(Text),
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
    /// 2 or 3.
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
    /// Gears and racks.
    pub couplings: Vec<Coupling>,
    /// Named expressions of position sensors that are kept at zero.
    pub constraints: Vec<(Text, Number)>,
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
            couplings: vec![],
            constraints: vec![],
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
    /// An empty mechanism in space without gravity, from 0 to 1 s.
    pub fn space(name: &str) -> Self {
        Self { dimension: 3, gravity: [0.0; 3].into(), ..Self::new(name) }
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
