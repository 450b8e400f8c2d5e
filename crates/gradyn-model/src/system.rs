//! What every formulation sees: contracted terms only, no third-order tensors.
//!
//! ```text
//! rates      Φ, Φ̇, Φ̈ (t, q, v, a; p)                contracted as c₀Φ + c₁Φ̇ + c₂Φ̈   (1)  [M13, Eqs. 2–5]
//! balance    g(q, w, λ; p) = M w + Φ_qᵀ λ                                         (2)
//! forces     Q(t, q, v; p),   K = -Q_q,  C = -Q_v                                (3)
//! ```
//! Identities used everywhere: Φ̇_v = Φ_q, Φ̈_a = Φ_q, g_w = M, g_λ = Φ_qᵀ; for holonomic rows Φ̈_v = 2Φ̇_q.
//! Rows of velocity level (non-holonomic) c(t, q, v) = A(q, t) v + b come last and have no Φ: A stands for
//! Φ_q, and their weighted sum is c₁ c + c₂ ċ, or c₀ c at the level of positions, which is their own
//! (`velocity_weights`). Rows that follow from others may be dropped: their terms are then zero, and so are
//! their multipliers. A model may weigh c₀ and c₁ of its rows where c₂ ≠ 0: its factors of ξ and ω.
//! The constraint force on the system is -Φ_qᵀλ. Slots p = e(ρ) are what the kernels read; e and its
//! derivative are applied once per run. All `_t` products are plain transposes. Every product *adds* to its
//! output.

pub use crate::point::{At, FunctionalSet};

use gradyn_num::Pattern;

/// Sizes: n coordinates, m constraint rows, slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Coordinates.
    pub n: usize,
    /// Constraint rows, those of velocity level last.
    pub m: usize,
    /// Rows of velocity level.
    pub m_vel: usize,
    /// Parameter slots p = e(ρ).
    pub slots: usize,
    /// Angles with a branch (part of the plan).
    pub angles: usize,
    /// Conditions whose sides are data of a run (part of the plan).
    pub sides: usize,
    /// Extended parameters: slots, signals of t, sides, angle references. Slot gradients have this length;
    /// what follows the slots is scratch and zero on return.
    pub args: usize,
}

/// An angle up to turns [rad], its rate [rad/s] and its second rate [rad/s²].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleMotion {
    /// The angle [rad].
    pub angle: f64,
    /// Its rate [rad/s].
    pub rate: f64,
    /// The rate of that [rad/s²].
    pub second: f64,
}

impl AngleMotion {
    /// That of angle `k` in the references of a step: the time at which it begins, then three numbers each.
    pub fn of(references: &[f64], k: usize) -> Self {
        let [angle, rate, second] = [1, 2, 3].map(|i| references[3 * k + i]);
        Self { angle, rate, second }
    }
    /// Writes it into the references of a step.
    pub fn write(&self, references: &mut [f64], k: usize) {
        references[3 * k + 1..3 * k + 4].copy_from_slice(&[self.angle, self.rate, self.second]);
    }
}

/// An angle that goes on over turns, as messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AngleName {
    /// What messages call it.
    pub text: String,
    /// Is it a yaw or a roll, which jumps where the pitch is a right angle?
    pub attitude: bool,
}

impl Dims {
    /// All rows of positions, and all rows of velocities.
    pub fn all_rows(&self) -> [Vec<u32>; 2] {
        [(0..(self.m - self.m_vel) as u32).collect(), (0..self.m as u32).collect()]
    }
}

/// Weights (c₀, c₁, c₂) that pick one level of the rows.
#[derive(Clone, Copy, Debug)]
pub struct Level;

impl Level {
    /// Picks Φ.
    pub const POSITION: [f64; 3] = [1.0, 0.0, 0.0];
    /// Picks Φ̇.
    pub const VELOCITY: [f64; 3] = [0.0, 1.0, 0.0];
    /// Picks Φ̈.
    pub const ACCELERATION: [f64; 3] = [0.0, 0.0, 1.0];
    /// The three levels in order.
    pub const ALL: [[f64; 3]; 3] = [Self::POSITION, Self::VELOCITY, Self::ACCELERATION];
}

/// Positions or velocities: whose rows, conditions or coordinates are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinematics {
    /// Of positions: holonomic rows, conditions E(q).
    Position,
    /// Of velocities: all rows, conditions E'(q, v).
    Velocity,
}

impl Kinematics {
    /// Both, in order.
    pub const ALL: [Self; 2] = [Self::Position, Self::Velocity];
    /// Its place in `ALL`.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
    /// Are velocities meant?
    #[inline]
    pub fn is_velocity(self) -> bool {
        self == Self::Velocity
    }
    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
        }
    }
}

/// Weights of (c, ċ) of a velocity row in c₀Φ + c₁Φ̇ + c₂Φ̈: its own level is that of velocities.
pub fn velocity_weights([c0, c1, c2]: [f64; 3]) -> [f64; 2] {
    [if c1 == 0.0 && c2 == 0.0 { c0 } else { c1 }, c2]
}

/// What the compliances of the rows are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowScaling {
    /// The penalty factor of the formulation.
    #[default]
    Uniform,
    /// The penalty factor times the effective mass of each row at the nominal start.
    EffectiveMass,
}

/// A start in static equilibrium: positions follow from Φ, from conditions E and from the balance of forces
/// at rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statics {
    /// For each position condition: is it held, so that it may carry a load?
    pub held: Vec<bool>,
    /// Coordinates along which forces must balance: what Φ and E leave open.
    pub balanced: Vec<u32>,
}

/// Patterns fixed at build: n × n for M, K, C, g_q; m × n for Φ_q and its rates.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// n × n.
    pub nn: Pattern,
    /// m × n.
    pub mn: Pattern,
    /// Positions of n × n where M has entries, increasing.
    pub mass: Vec<u32>,
}

impl Patterns {
    /// M may have any entry of n × n.
    pub(crate) fn new(nn: Pattern, mn: Pattern) -> Self {
        let mass = (0..nn.nnz() as u32).collect();
        Self { nn, mn, mass }
    }
}
