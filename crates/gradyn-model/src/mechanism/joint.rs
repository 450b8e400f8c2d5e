//! Joints, gears and racks.

use super::{Number, Text, Vector};

/// What a joint holds. Each side has a point, an axis and a normal of it (see [`Joint`]); side 1 is the frame
/// of the joint.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// The points coincide; in space the axes too.
    Revolute,
    /// Point 2 slides on the line through point 1 along the axis; the angle of body 2 relative to body 1 (in
    /// space: of normal 2 relative to normal 1, about the axis) is constant.
    Prismatic {
        /// Constant angle of body 2 relative to body 1 [rad].
        angle: Number,
    },
    /// Space: point 2 slides on the line through point 1 along the axis, the axes are parallel.
    Cylindrical,
    /// A cylindrical joint whose angle moves it along: position = lead · angle / 2π.
    Screw {
        /// Travel along the axis [m per turn].
        lead: Number,
    },
    /// Space: the points coincide.
    Spherical,
    /// Space: the points coincide, the two axes stay perpendicular.
    Universal,
    /// Space: the points coincide, body 2 bends in any way but does not twist about the axes.
    ConstantVelocity,
    /// Space: point 2 stays in the plane through point 1 normal to the axis, the axes are parallel.
    Planar,
    /// Points coincide and so do the directions, with an angle about the axis.
    Fixed {
        /// Constant angle about the axis [rad].
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
    /// Point 2 does not move along the axis of body 2, relative to body 1: a row of velocity level.
    KnifeEdge,
    /// A thin disc around point 2 across the axis of body 2 rolls without slipping on the plane through point
    /// 1 normal to the axis of body 1; in the plane a disc on the left of the line along that axis.
    Rolling {
        /// Radius of the disc [m], > 0.
        radius: Number,
    },
}

/// A joint between two points.
///
/// Axes and normals are directions in the frames of bodies 1 and 2. An axis that is absent is the body's z
/// axis (in the plane its x axis); a normal that is absent is some direction normal to the axis, the same for
/// the same axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name of the joint.
    pub name: Text,
    /// What it holds.
    pub kind: JointKind,
    /// `body.point` or `ground.point`.
    pub between: [Text; 2],
    /// Axes in the frames of bodies 1 and 2.
    pub axes: [Option<Vector>; 2],
    /// Normals in the frames of bodies 1 and 2.
    pub normals: [Option<Vector>; 2],
    /// In relative coordinates: carry body 2 by this joint (true), or close a loop with it (false); chosen if
    /// absent.
    pub tree: Option<bool>,
}
impl Joint {
    /// A joint of some kind.
    pub fn new(name: &str, kind: JointKind, a: &str, b: &str) -> Self {
        Self {
            name: name.into(),
            kind,
            between: [a.into(), b.into()],
            axes: [None, None],
            normals: [None, None],
            tree: None,
        }
    }
    /// A revolute joint.
    pub fn revolute(name: &str, a: &str, b: &str) -> Self {
        Self::new(name, JointKind::Revolute, a, b)
    }
    /// Sets one axis, with equal components in both frames.
    pub fn axis(self, axis: impl Into<Vector>) -> Self {
        let axis = axis.into();
        self.axes(axis.clone(), axis)
    }
    /// An axis in each frame.
    pub(crate) fn axes(mut self, first: impl Into<Vector>, second: impl Into<Vector>) -> Self {
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
    /// Name of the coupling.
    pub name: Text,
    /// Which coordinates it ties, and by what number.
    pub kind: CouplingKind,
    /// The joints that it ties.
    pub joints: [Text; 2],
    /// Offset of the tied coordinates [rad] or [m].
    pub offset: Number,
}
