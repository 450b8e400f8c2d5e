//! Roads and tyres.

use super::{Number, Text, Vector};

/// The height z(x, y) of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Road {
    /// Name of the road.
    pub name: Text,
    /// How it is given.
    pub height: Height,
}

/// How the height of a road is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Height {
    /// An expression of `x`, `y`, t and parameters [m].
    Expression(Number),
    /// Points (x, z) that a cubic spline goes through [m]: numbers that no parameter changes.
    Points {
        /// (x, z), x growing.
        points: Vec<[Number; 2]>,
        /// Level at both ends; otherwise without curvature there.
        clamped: bool,
    },
}

/// A tyre on a road.
#[derive(Clone, Debug, PartialEq)]
pub struct Tyre {
    /// Centre of the wheel: body.point.
    pub at: Text,
    /// Spin axis in the frame of the wheel.
    pub axis: Vector,
    /// Where the tyre is along the axis, from the centre [m].
    pub offset: Number,
    /// The road; the plane z = 0 if absent.
    pub road: Option<Text>,
    /// Radius without load R [m], > 0.
    pub radius: Number,
    /// Radial stiffness k [N/m], ≥ 0.
    pub stiffness: Number,
    /// Radial damping c [N s/m], ≥ 0.
    pub damping: Number,
    /// Half-width e of the corner where the tyre leaves the ground [m], > 0.
    pub width: Number,
    /// Forces along the ground.
    pub law: TyreLaw,
}

/// Forces of a tyre along the ground.
#[derive(Clone, Debug, PartialEq)]
pub enum TyreLaw {
    /// None: the tyre is a vertical spring.
    None,
    /// Proportional to the slips, with the saturation ellipse [P14, Eqs. 58–64]: has kinks.
    Linear(Saturation),
    /// Forces proportional to the slips, with a smooth saturation by tanh.
    Tanh(Saturation),
    /// Magic Formula without shifts: the coefficients in the order of [`MAGIC`].
    Magic(Vec<Number>),
}

/// Slips at which the forces along the ground saturate.
#[derive(Clone, Debug, PartialEq)]
pub struct Saturation {
    /// Friction coefficients μ_x, μ_y, ≥ 0.
    pub friction: [Number; 2],
    /// Critical slips κ_c [-] and α_c [rad], > 0.
    pub critical: [Number; 2],
    /// ε² in ρ = √(g_x² + g_y² + ε²) of the smooth law, > 0.
    pub smoothing: Number,
}

/// Coefficients of the Magic Formula: nominal load [N], longitudinal, lateral, combined slip.
pub const MAGIC: [&str; 19] = [
    "FZ0", "PCX1", "PDX1", "PDX2", "PEX1", "PEX2", "PEX3", "PKX1", "PKX2", "PKX3", "PCY1", "PDY1", "PDY2",
    "PEY1", "PEY2", "PKY1", "PKY2", "RBX1", "RBY1",
];

impl Tyre {
    /// Every number of it.
    pub(super) fn visit(&mut self, owner: &str, f: &mut dyn FnMut(&str, &mut Number)) {
        self.axis.visit(owner, f);
        [&mut self.offset, &mut self.radius, &mut self.stiffness, &mut self.damping, &mut self.width]
            .into_iter()
            .for_each(|x| f(owner, x));
        self.law.numbers_mut().into_iter().for_each(|(_, x)| f(owner, x));
    }
}
