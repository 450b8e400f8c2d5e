//! Bodies and shapes.

use super::{Number, Text, Vector};

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
        /// Radius of the cylinder [m].
        radius: Number,
        /// Length along the axis [m].
        length: Number,
        /// Direction in the body's frame; its z axis if absent.
        axis: Option<Vector>,
    },
    /// A hollow cylinder [m]; in the plane a ring, without length and axis.
    Tube {
        /// Outer radius [m].
        outer: Number,
        /// Inner radius [m].
        inner: Number,
        /// Length along the axis [m].
        length: Number,
        /// Direction in the body's frame; its z axis if absent.
        axis: Option<Vector>,
    },
}

/// A shape and, if the mass is to follow from it, its density.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Which solid or plate it is.
    pub kind: ShapeKind,
    /// [kg/m³], in the plane [kg/m²].
    pub density: Option<Number>,
}

/// A rigid body of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name of the body.
    pub name: Text,
    /// Mass [kg], ≥ 0; that of the shape, or 0, if absent.
    pub mass: Option<Number>,
    /// Centre of mass in the body's frame [m].
    pub com: Option<Vector>,
    /// About the centre of mass [kg m²]: one number in the plane; in space Ixx Iyy Izz, or these and Ixy Ixz
    /// Iyz (entries of the tensor: Ixy = -∫ x y dm), or one number for all three axes. Empty if it follows
    /// from a shape.
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
        Self {
            name,
            mass: None,
            com: None,
            inertia: vec![],
            points: vec![],
            hard: vec![],
            rod: None,
            shape: None,
        }
    }
    /// Sets the mass [kg].
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
