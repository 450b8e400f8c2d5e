//! Forces.

use super::{Number, Text, Tyre, Vector};

/// What a force does.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceKind {
    /// Spring and damper between two points; tension k (ℓ - ℓ₀) + c ℓ̇ + force(length, speed, t).
    SpringDamper {
        /// The end points, `body.point` each.
        between: [Text; 2],
        /// Stiffness k [N/m].
        stiffness: Number,
        /// Damping c [N s/m].
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
        /// Stiffness k [N m/rad].
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
        /// The point that it acts on.
        at: Text,
        /// Components [N]: expressions of sensors, t, parameters and splines.
        force: Vector,
        /// The body whose axes the components refer to; the global axes if absent.
        frame: Option<Text>,
    },
    /// A torque on a body, with its reaction on another.
    Torque {
        /// The body that it acts on.
        on: Text,
        /// The body that takes the reaction.
        reaction: Text,
        /// [N m], counter-clockwise in the plane, three components in space: expressions of sensors, t,
        /// parameters and splines.
        torque: Vec<Number>,
        /// The body whose axes the components refer to; the global axes if absent.
        frame: Option<Text>,
    },
    /// A force or torque along the coordinate of a joint, on body 2 with its reaction on body 1.
    Actuator {
        /// The joint whose coordinate it acts along.
        joint: Text,
        /// [N] or [N m]: an expression of sensors, t, parameters and splines.
        effort: Number,
    },
    /// A force along a sensor y of positions: Q = effort · y_q.
    Along {
        /// y: an expression of positions, t and parameters.
        sensor: Number,
        /// [N] or [N m]: an expression of sensors, t, parameters and splines.
        effort: Number,
    },
    /// Smooth friction along the coordinate y of a joint: -(limit · tanh(ẏ/speed) + viscous · ẏ).
    Friction {
        /// The joint whose coordinate it acts along.
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
        /// The points on bodies 1 and 2.
        between: [Text; 2],
        /// Axis z and normal x of the bushing in the frame of body 1; its own axes if absent.
        axes: [Option<Vector>; 2],
        /// 3 (plane) or 6 numbers, or all 9 or 36 of the matrix, by rows: translations, then rotations.
        stiffness: Vec<Number>,
        /// Damping, in as many numbers as the stiffness may have.
        damping: Vec<Number>,
        /// Additional restoring forces and torques: expressions of `x y z rx ry rz vx vy vz wx wy wz`, t and
        /// parameters.
        force: Vec<Number>,
    },
    /// A stop that acts when the distance of two points is below (or, if `pull`, above) a length: k p(δ) (1 +
    /// d δ̇).
    BumpStop {
        /// The points whose distance is limited.
        between: [Text; 2],
        /// Distance at which it begins to act [m].
        length: Number,
        /// Acts beyond the length.
        pull: bool,
        /// The law of its force over the penetration.
        law: ContactLaw,
    },
    /// A point that touches a plane from the side that the normal points to.
    Contact {
        /// The point that touches.
        point: Text,
        /// A point of the plane.
        plane: Text,
        /// Normal in the frame of the plane's body; its y axis in the plane, its z axis in space if absent.
        normal: Option<Vector>,
        /// The law of the normal force.
        law: ContactLaw,
        /// Friction coefficient μ: -μ N v_t / √(|v_t|² + v_s²).
        friction: Number,
        /// Speed v_s that smooths the friction [m/s].
        speed: Number,
    },
    /// A tyre on a road; in space.
    Tyre(Box<Tyre>),
}

/// N = k p(δ) (1 + d δ̇) of a penetration δ; p(δ) = w (s³ - s⁴/2), s = δ/w, between 0 and w, and δ - w/2
/// above: twice continuously differentiable.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLaw {
    /// Stiffness k [N/m].
    pub stiffness: Number,
    /// Damping d [s/m].
    pub damping: Number,
    /// Width w > 0 of the soft range [m].
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

/// When a force acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Active {
    /// At rest and in motion.
    #[default]
    Always,
    /// In motion only: an equilibrium leaves it out.
    Motion,
}

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name of the force.
    pub name: Text,
    /// When the force acts.
    pub active: Active,
    /// What the force does.
    pub kind: ForceKind,
}
