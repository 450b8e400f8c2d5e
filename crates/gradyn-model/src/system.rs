//! What every formulation sees: contracted terms only, no third-order tensors.
//!
//! ```text
//! rates      Φ, Φ̇, Φ̈ (t, q, v, a; p)                contracted as c₀Φ + c₁Φ̇ + c₂Φ̈              (1)  [M13, Eqs. 2–5]
//! balance    g(q, w, λ; p) = M w + Φ_qᵀ λ                                                    (2)
//! forces     Q(t, q, v; p),   K = -Q_q,  C = -Q_v                                           (3)
//! ```
//! Identities used everywhere: Φ̇_v = Φ_q, Φ̈_a = Φ_q, g_w = M, g_λ = Φ_qᵀ; for holonomic rows Φ̈_v = 2Φ̇_q.
//! Rows of velocity level (non-holonomic) c(t, q, v) = A(q, t) v + b come last and have no Φ: A stands for
//! Φ_q, and their weighted sum is c₁ c + c₂ ċ, or c₀ c at the level of positions, which is their own
//! (`velocity_weights`). Rows that follow from others may be dropped: their terms are then zero, and so are
//! their multipliers. A model may weigh c₀ and c₁ of its rows where c₂ ≠ 0: its factors of ξ and ω.
//! The constraint force on the system is -Φ_qᵀλ. Slots p = e(ρ) are what the kernels read; e and its
//! derivative are applied once per run. All `_t` products are plain transposes. Every product *adds* to its
//! output.

pub use crate::point::{At, Set};

use crate::scalar::KernelScalar;
use gradyn_num::{Pattern, Scalar};

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
    /// Extended parameters: slots, signals of t, angle references. Slot gradients have this length; what
    /// follows the slots is scratch and zero on return.
    pub args: usize,
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

/// Weights that pick Φ, Φ̇ or Φ̈.
pub const LEVEL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

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
    /// The same times the effective mass of each row at the nominal start.
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
    pub fn new(nn: Pattern, mn: Pattern) -> Self {
        let mass = (0..nn.nnz() as u32).collect();
        Self { nn, mn, mass }
    }
}

/// Contracted terms of a mechanism in some coordinates.
///
/// `place` comes first at each (t, q): it evaluates the signals of t and Φ_q, which the other terms read.
pub trait System: Sync {
    /// Everything that is written during evaluation; made once per thread and scalar.
    type Data<S: Scalar>: Send + Clone;
    /// Sizes.
    fn dims(&self) -> Dims;
    /// Patterns of the matrices.
    fn patterns(&self) -> &Patterns;
    /// Memory for one point of evaluation.
    fn data<S: KernelScalar>(&self) -> Self::Data<S>;
    /// Once per run: what depends on the slots only.
    fn prepare<S: KernelScalar>(&self, p: &[S], d: &mut Self::Data<S>);
    /// Does M depend on the slots only?
    fn constant_mass(&self) -> bool {
        true
    }
    /// Memory for constant slots, whatever is differentiated.
    fn prepared<S: KernelScalar>(&self, p: &[f64]) -> Self::Data<S> {
        let mut d = self.data();
        self.prepare(&p.iter().map(|&p| S::from(p)).collect::<Vec<_>>(), &mut d);
        d
    }
    /// A size that coordinates have: joint angles may all be near zero, and then corrections are not small
    /// beside them.
    fn least_size(&self) -> f64 {
        0.0
    }
    /// The largest coordinate, or `least_size`: what corrections of q are measured by.
    fn size_of(&self, q: &[f64]) -> f64 {
        gradyn_num::largest(q.iter().copied().chain([self.least_size()]))
    }
    /// Angle references of this step: the branch of each angle is the one nearest to its reference.
    fn set_angles<S: KernelScalar>(&self, references: &[f64], d: &mut Self::Data<S>);
    /// Leaves forces that act in motion only out of all products of forces, or takes them in again.
    fn set_rest<S: KernelScalar>(&self, rest: bool, d: &mut Self::Data<S>);
    /// Signals of t: all that `measure` needs.
    fn set_time<S: KernelScalar>(&self, t: S, d: &mut Self::Data<S>);
    /// Independent rows: of positions (holonomic rows), or of velocities (all rows).
    fn independent(&self, velocity: bool) -> &[u32];
    /// Rows that are left out because they follow from others.
    fn dropped(&self) -> &[u32];
    /// Compliance of each row relative to that of the formulation: constants, which are not differentiated.
    fn compliances(&self, scaling: RowScaling) -> &[f64];
    /// Signals of t and Φ_q(t, q).
    fn place<S: KernelScalar>(&self, t: S, q: &[S], d: &mut Self::Data<S>);

    /// (1): out += c₀Φ + c₁Φ̇ + c₂Φ̈.
    fn constraint<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Self::Data<S>, out: &mut [S]);
    /// (2): out += M w + Φ_qᵀ λ.
    fn balance<S: KernelScalar>(&self, w: &[S], lam: &[S], d: &Self::Data<S>, out: &mut [S]);
    /// (3): out -= Q.
    fn forces<S: KernelScalar>(&self, at: &At<S>, d: &mut Self::Data<S>, out: &mut [S]);

    /// M on `nn`.
    fn mass<'d, S: KernelScalar>(&self, d: &'d Self::Data<S>) -> &'d [S];
    /// Φ_q on `mn`.
    fn phi_q<'d, S: KernelScalar>(&self, d: &'d Self::Data<S>) -> &'d [S];
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_q on `mn`.
    fn constraint_q<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Self::Data<S>, out: &mut [S]);
    /// (c₁Φ̇ + c₂Φ̈)_v on `mn`.
    fn constraint_v<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Self::Data<S>, out: &mut [S]);
    /// (M w + Φ_qᵀ λ)_q on `nn`.
    fn balance_q<S: KernelScalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        d: &mut Self::Data<S>,
        out: &mut [S],
    );
    /// K = -Q_q and C = -Q_v on `nn`.
    fn force_tangents<S: KernelScalar>(&self, at: &At<S>, d: &mut Self::Data<S>, k: &mut [S], c: &mut [S]);
    /// (F_q, F_v, F_p)ᵀ μ without matrices, where that costs less than they do: q += s F_qᵀ μ, v += s F_vᵀ μ,
    /// grad += s F_pᵀ μ for F = (M a + Φ_qᵀ λ - Q ; c₀Φ + c₁Φ̇ + c₂Φ̈). False where there is no such product,
    /// and nothing is added.
    fn pull<S: KernelScalar>(
        &self,
        _at: &At<S>,
        _c: [f64; 3],
        _mu: [&[S]; 2],
        _s: f64,
        _d: &mut Self::Data<S>,
        _out: [&mut [S]; 3],
    ) -> bool {
        false
    }

    /// out += (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    fn constraint_p<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut Self::Data<S>,
        out: &mut [S],
    );
    /// grad += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    fn constraint_p_t<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Self::Data<S>,
        grad: &mut [S],
    );
    /// out += (M w + Φ_qᵀ λ)_p δ.
    fn balance_p<S: KernelScalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut Self::Data<S>,
        out: &mut [S],
    );
    /// grad += s (M w + Φ_qᵀ λ)_pᵀ μ.
    fn balance_p_t<S: KernelScalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        mu: &[S],
        s: f64,
        d: &mut Self::Data<S>,
        grad: &mut [S],
    );
    /// out -= Q_p δ.
    fn forces_p<S: KernelScalar>(&self, at: &At<S>, delta: &[S], d: &mut Self::Data<S>, out: &mut [S]);
    /// grad -= s Q_pᵀ μ.
    fn forces_p_t<S: KernelScalar>(
        &self,
        at: &At<S>,
        mu: &[S],
        s: f64,
        d: &mut Self::Data<S>,
        grad: &mut [S],
    );

    /// Number of functionals in a set.
    fn functionals(&self, set: Set) -> usize;
    /// Slots that a set can depend on.
    fn support(&self, set: Set) -> &[u32];
    /// Values of a set.
    fn measure<S: KernelScalar>(&self, set: Set, at: &At<S>, d: &mut Self::Data<S>, out: &mut [S]);
    /// Gradient of functional `k` of a set over (q, v, a, λ | slots of the support), written to `row`.
    fn measure_row<S: KernelScalar>(
        &self,
        set: Set,
        k: usize,
        at: &At<S>,
        d: &mut Self::Data<S>,
        row: &mut [S],
    );

    /// Position and velocity conditions at the start: as many as the independent rows leave open; in
    /// equilibrium fewer of positions.
    fn conditions<S: KernelScalar>(
        &self,
        at: &At<S>,
        d: &mut Self::Data<S>,
        position: &mut [S],
        velocity: &mut [S],
    );
    /// Coordinates that position condition `k` (`velocity` = false) or velocity condition `k` can depend on.
    fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32];
    /// Slots that a condition can depend on.
    fn condition_support(&self, velocity: bool, k: usize) -> &[u32];
    /// Gradient of a condition over (q, v) on its pattern and over the slots of its support.
    fn condition_row<S: KernelScalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Self::Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    );
    /// Is the start a static equilibrium?
    fn statics(&self) -> Option<&Statics> {
        None
    }

    /// Elements evaluated so far with these data, for counters.
    fn visits(&self, d: &Self::Data<f64>) -> usize;
    /// The angles with a branch at q, continued from the references that were set.
    fn angles(&self, q: &[f64], d: &mut Self::Data<f64>, out: &mut [f64]);
    /// Name of angle `k` with a branch.
    fn angle_name(&self, k: usize) -> AngleName;
    /// A start for the assembly.
    fn drawn(&self) -> &[f64];
    /// Name of constraint row `k`.
    fn row_name(&self, k: usize) -> String;
    /// Initial condition `k` of positions or velocities, as written.
    fn condition_name(&self, velocity: bool, k: usize) -> String;
    /// Name of coordinate `i`.
    fn coordinate_name(&self, i: usize) -> String;
}
