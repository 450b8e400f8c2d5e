//! Events of a model as a run sees them: conditions, and what follows them.
//!
//! ```text
//! g(t, q, v, a, λ; p) = 0                       the condition of a side, passed in a direction            (1)
//! M (v⁺ - v⁻) + Φ_qᵀ Λ + Σ_j w_jᵥᵀ ν_j = 0,   Φ̇(v⁺) = 0,   w_j(q, v⁺) = r_j(q, v⁻, a⁻, λ⁻)             (2)
//! impact:  w = ġ,   r = -e ġ                                                                            (3)
//! [ Φ(q⁺) ; u_j(q⁺) - s_j(q⁻, v⁻, a⁻, λ⁻) ] = 0,   w = u̇ and r = u̇⁻ if rates are kept                    (4)
//! ```
//! (2) is the projection of velocities with a row for each velocity that the event gives. w is affine in v,
//! and its impulse acts along its gradient: of all motions after the event that of least change, in the norm
//! of M. (4) gives positions, as many as there are degrees of freedom: so they are the same in all
//! coordinates, and so are the velocities, of which as many are given. The functionals of
//! [`FunctionalSet::Event`](crate::FunctionalSet) are pairs: of each event its (w, r), then its (u, s).

/// What happens where a condition passes zero.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRule {
    /// Name of the event.
    pub name: String,
    /// Number of its side.
    pub side: u32,
    /// Does it happen where the side becomes 0, and where it becomes 1?
    pub changes: [bool; 2],
    /// Does its condition read accelerations or multipliers?
    pub reads_dynamics: bool,
    /// Does the run end there?
    pub end: bool,
    /// Is it an impact, (3)? Then the motion stays on its side.
    pub impact: bool,
    /// First row of (2), and how many there are.
    pub rows: (u32, u32),
    /// First row of (4), numbered with those of (2), and how many there are.
    pub places: (u32, u32),
    /// Sides of the forces that it switches, and their new values.
    pub modes: Vec<(u32, bool)>,
    /// Joints, constraints and drivers that it switches, and whether they hold then.
    pub constraints: Vec<(String, bool)>,
}

impl EventRule {
    /// Does the event happen where its side becomes this one?
    pub fn happens(&self, side: f64) -> bool {
        self.changes[usize::from(side > 0.5)]
    }
    /// Does it change velocities: by giving some of them, or by constraints that begin to hold?
    pub fn changes_velocities(&self) -> bool {
        self.rows.1 > 0 || self.is_place() || self.constraints.iter().any(|c| c.1)
    }
    /// Does it give positions?
    pub fn is_place(&self) -> bool {
        self.places.1 > 0
    }
}
