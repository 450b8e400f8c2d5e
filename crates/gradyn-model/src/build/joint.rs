//! Kinds of joints: one file for each, which says everything about it.
//!
//! A kind is a [`JointSpec`], data that the passes of `build`, the reader, templates and documents ask, and a
//! `JointType`, what needs code: its rows and its reaction. `joint_type` is the only place that knows
//! which file belongs to which [`JointKind`].

mod constant_velocity;
mod coupling;
mod cylindrical;
mod distance;
mod fixed;
mod free;
mod knife_edge;
mod planar;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod revolute;
mod rolling;
mod rows;
mod screw;
mod spherical;
mod universal;

use super::joints::JointFrame;
use super::symbols::SensorEnv;
use super::vectors::Symbols;
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanism::{Joint, JointKind, Number};
use crate::spec::{BETWEEN, Field, Kind, PENALTY, Variant, may, must};
pub use coupling::COUPLINGS;
pub(crate) use rows::{Maker, Reaction, Rows};

type Made<T> = Result<T, ModelError>;

/// What is known of a kind of joint without its numbers. Pairs are for the plane and for space.
#[derive(Debug)]
pub struct JointSpec {
    /// Its entry in a file: name, sentence and keys.
    pub entry: Variant,
    /// Does it exist in space only?
    pub(crate) spatial: bool,
    /// Number of rows of position level.
    pub rows: [usize; 2],
    /// Number of rows of velocity level.
    pub slips: [usize; 2],
    /// Do its points coincide?
    pub(crate) shares_point: [bool; 2],
    /// Are its axes parallel, in space?
    pub(crate) shares_axis: bool,
    /// Does it use directions of body 1, of body 2?
    pub(crate) directions: [[bool; 2]; 2],
    /// Do bodies 1 and 2 have an axis of it? The file gives one for both.
    pub axes: [[bool; 2]; 2],
    /// Is its number the angle at which it holds body 2?
    pub(crate) holds_angle: bool,
    /// Coordinates that can be read and driven, in the order of messages.
    pub coordinates: [&'static [Coordinate]; 2],
    /// How it carries a body in relative coordinates.
    pub(crate) carry: [Carry; 2],
    /// Where it puts a body in a first drawing, in space.
    pub(crate) pose: Pose,
    /// Directions that a mirrored copy must write, because what is absent cannot be mirrored.
    pub written: [&'static [&'static str]; 2],
    /// Why it has no mirror image in the plane, and what to do about it.
    pub one_sided: Option<[&'static str; 2]>,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// Angle of normal 2 from normal 1 about the axis; in the plane of body 2 from body 1 [rad].
    Angle,
    /// Angle of axis 2 from normal 1 about axis 1 [rad].
    FirstAngle,
    /// Angle of body 2 about axis 2 [rad].
    SecondAngle,
    /// Slide of point 2 along axis 1 [m].
    Position,
    /// Slide of point 2 along normal 1 [m].
    X,
    /// Slide of point 2 across axis and normal of body 1 [m].
    Y,
}

/// How a joint carries a body in the tree of relative coordinates.
#[derive(Debug)]
pub(crate) enum Carry {
    /// It has no coordinates of its own and closes a loop.
    Never,
    /// Like a body that nothing holds, from the point of the parent.
    Freely,
    /// By motions from side 1 to side 2, whose coordinates have names.
    By(&'static [Move], &'static [&'static str], Triads),
}

/// A motion along or about an axis of the triad of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    /// A turn about an axis: one coordinate.
    Revolve(usize),
    /// A slide along an axis: one coordinate.
    Slide(usize),
    /// Any turn, by Euler parameters: four coordinates.
    Ball,
}

/// The axes that the motions of a joint refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Triads {
    /// Those of the bodies.
    None,
    /// Plane: x along the axis of body 1.
    Line,
    /// [n, a × n, a] on both sides.
    Usual,
    /// [n, a × n, a] in body 1, [a, n, a × n] in body 2.
    Crossed,
}

/// Where a joint puts its other body in a first drawing, in space.
#[derive(Debug)]
pub(crate) struct Pose {
    /// How much it says: joints that say more are followed first, 0 to 3.
    pub says: usize,
    /// The attitude of the other body.
    pub attitude: Attitude,
    /// What may turn towards points that are given, where no condition names a coordinate of the joint.
    pub swing: Swing,
}

/// The attitude of the other body in a first drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Attitude {
    /// That of the body it comes from.
    Kept,
    /// Axes parallel, turned by the angle of the joint.
    Turned,
    /// Axes perpendicular, by both angles of the joint.
    Crossed,
}

/// How a body may turn in a first drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Swing {
    /// It does not turn at all.
    None,
    /// About the axis of the joint.
    Axis,
    /// It turns in any way.
    Any,
}

/// What a joint of velocity level pushes along.
pub(crate) struct Slip<'h> {
    /// Normal of a contact, whose row of position level comes first.
    pub normal: Option<Symbols<'h>>,
    /// Directions along which body 2 does not slip.
    pub tangents: Vec<Symbols<'h>>,
    /// From point 2 to where it acts; none if there.
    pub arm: Option<Symbols<'h>>,
}

/// The directions of a joint, to be checked.
pub(crate) struct Directions<'a, 'g, 'm> {
    /// Everything else.
    pub b: &'a mut Builder<'g, 'm>,
    /// The joint to be checked.
    pub joint: &'m Joint,
    /// Its points on bodies 1 and 2.
    pub ends: [PointRef; 2],
    /// Its axes and normals.
    pub frame: &'a JointFrame<'g>,
}

/// What a kind of joint does. There are no default methods: a new kind says everything.
pub(crate) trait JointType: Sync {
    /// What is data of the kind.
    fn spec(&self) -> &'static JointSpec;
    /// The kind with its number, which kinds without one leave.
    fn kind(&self, number: Number) -> JointKind;
    /// The number in a kind of this type: an angle [rad], a lead [m per turn], a length or a radius [m].
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number>;
    /// Refuses directions that it cannot have.
    fn check(&self, directions: &mut Directions) -> Made<()>;
    /// Pushes its quadratic rows and fills its reaction.
    fn rows(&self, maker: &mut Maker) -> Made<()>;
    /// Pushes its rows of position level by formula; `k` is the joint.
    fn formulas(&self, b: &mut Builder, k: usize) -> Made<()>;
    /// What its rows of velocity level push along; nothing if it has none.
    fn slip<'h>(&self, env: &mut SensorEnv<'_, '_, '_, 'h>, k: usize) -> Made<Option<Slip<'h>>>;
}

/// One table of all kinds, in the order of documents: a kind that is not in it does not compile, and one that
/// is can be read.
macro_rules! kinds {
    ($($kind:ident => $file:ident),* $(,)?) => {
        /// All kinds of joints, in the order of documents.
        const TYPES: &[&dyn JointType] = &[$(&$file::$kind),*];

        /// The file of a kind.
        pub(crate) fn joint_type(kind: &JointKind) -> &'static dyn JointType {
            match kind {
                $(JointKind::$kind { .. } => &$file::$kind,)*
            }
        }
    };
}

kinds! {
    Revolute => revolute,
    Prismatic => prismatic,
    Cylindrical => cylindrical,
    Screw => screw,
    Spherical => spherical,
    Universal => universal,
    ConstantVelocity => constant_velocity,
    Planar => planar,
    Fixed => fixed,
    Free => free,
    Distance => distance,
    PointOnLine => point_on_line,
    PointOnPlane => point_on_plane,
    KnifeEdge => knife_edge,
    Rolling => rolling,
}

/// The data of all kinds of joints.
pub fn specs() -> impl Iterator<Item = &'static JointSpec> {
    TYPES.iter().map(|t| t.spec())
}

impl JointKind {
    /// The kind of a name with its number; none if there is no such name.
    pub fn from_name(name: &str, number: Number) -> Option<Self> {
        TYPES.iter().find(|t| t.spec().entry.name == name).map(|t| t.kind(number))
    }
    /// Its number, if it has one: an angle [rad], a lead [m per turn], a length or a radius [m].
    pub fn number(&self) -> Option<Number> {
        self.clone().number_mut().cloned()
    }
    pub(crate) fn number_mut(&mut self) -> Option<&mut Number> {
        joint_type(self).number(self)
    }
    /// What is known of the kind without its numbers.
    #[doc(hidden)]
    pub fn spec(&self) -> &'static JointSpec {
        joint_type(self).spec()
    }
    /// Its name in a file.
    pub fn word(&self) -> &'static str {
        self.spec().entry.name
    }
}

impl JointSpec {
    /// The spec of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        specs().find(|s| s.entry.name == name)
    }
    /// The key of its number, if it has one.
    pub fn number(&self) -> Option<&'static Field> {
        self.entry.fields.iter().find(|f| matches!(f.kind, Kind::Number))
    }
    /// Does it slide along its axis?
    pub fn slides(&self) -> bool {
        self.coordinates[1].contains(&Coordinate::Position)
    }
}

impl Coordinate {
    /// Its name as a sensor.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coordinate::Angle => "angle",
            Coordinate::FirstAngle => "angle_1",
            Coordinate::SecondAngle => "angle_2",
            Coordinate::Position => "position",
            Coordinate::X => "x",
            Coordinate::Y => "y",
        }
    }
}

impl Carry {
    /// Number of coordinates, if it carries at all.
    pub(super) fn freedom(&self, dimension: usize) -> Option<usize> {
        match self {
            Carry::Never => None,
            Carry::Freely => Some(if dimension == 2 { 3 } else { 7 }),
            Carry::By(_, names, _) => Some(names.len()),
        }
    }
}

// keys that kinds have in common

const ANGLE: Field =
    may("angle", Kind::Number, "Angle of body 2 relative to body 1, in space about the axis.")
        .unit("rad")
        .default("0")
        .odd();
const AXIS: Field = may(
    "axis",
    Kind::Vector,
    "Direction in the frames of both bodies; if absent the x axis in the plane, the z axis in space.",
);
const AXES: Field =
    may("axes", Kind::VectorPair, "Instead of `axis`: one direction in the frame of each body.");
const NORMAL: Field = may(
    "normal",
    Kind::Vector,
    "Space: a direction across the axis, in both frames, from which the angle is measured.",
);
const NORMALS: Field =
    may("normals", Kind::VectorPair, "Instead of `normal`: one direction in the frame of each body.");
const TREE: Field = may(
    "tree",
    Kind::Word(&["keep", "cut"]),
    "In relative coordinates: the joint carries a body (keep), or closes a loop (cut); chosen if absent.",
);
