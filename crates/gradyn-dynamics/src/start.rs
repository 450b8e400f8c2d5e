//! Rows of the start and their partials, sparse.
//!
//! ```text
//! position:  [ Φ_q ; E_q ] over q                                                                 (1)
//! velocity:  [ Φ̇_q ; E'_q ] over q,   [ Φ_q ; E'_v ] over v                                       (2)
//! ```
//! The rows of Φ come first, so that values of Φ_q and Φ̇_q are the head of the values of (1), (2).

use gradyn_model::{At, LEVEL, System};
use gradyn_num::Pattern;

/// (1), or (2), on one pattern.
pub struct StartRows {
    velocity: bool,
    /// (m + conditions) × n.
    pub pattern: Pattern,
    /// Over q.
    pub q: Vec<f64>,
    /// Over v; zero for positions.
    pub v: Vec<f64>,
    /// Conditions × slots, and ∂E/∂p on it.
    pub slots: Pattern,
    /// ∂E/∂p.
    pub p: Vec<f64>,
}

impl StartRows {
    /// Memory for the first `conditions` of a kind.
    pub fn new<Y: System>(sys: &Y, velocity: bool, conditions: usize) -> Self {
        let (dims, mn) = (sys.dims(), &sys.patterns().mn);
        let wide = |list: &[u32], i: usize| list.iter().map(|&j| (i, j as usize)).collect::<Vec<_>>();
        let rows = (0..conditions).flat_map(|k| wide(sys.condition_pattern(velocity, k), dims.m + k));
        let entries = mn.iter().map(|(i, j, _)| (i, j)).chain(rows);
        let pattern = Pattern::from_entries(dims.m + conditions, dims.n, entries);
        let support = (0..conditions).flat_map(|k| wide(sys.condition_support(velocity, k), k));
        let slots = Pattern::from_entries(conditions, dims.slots, support);
        let (zero, p) = (vec![0.0; pattern.nnz()], vec![0.0; slots.nnz()]);
        Self { velocity, pattern, q: zero.clone(), v: zero, slots, p }
    }
    /// Partials at a point, with `d` placed there.
    pub fn set<Y: System>(&mut self, sys: &Y, at: &At, d: &mut Y::Data<f64>) {
        let (m, head) = (sys.dims().m, sys.patterns().mn.nnz());
        if self.velocity {
            self.q[..head].fill(0.0);
            sys.constraint_q(at, LEVEL[1], d, &mut self.q[..head]);
            self.v[..head].copy_from_slice(sys.phi_q(d));
        } else {
            self.q[..head].copy_from_slice(sys.phi_q(d));
        }
        for k in 0..self.slots.rows() {
            let (row, slots) = (self.pattern.row(m + k), self.slots.row(k));
            sys.condition_row(self.velocity, k, at, d, &mut self.q[row.clone()], &mut self.v[row], &mut self.p[slots]);
        }
    }
    /// The matrix of the unknowns: over q for positions, over v for velocities.
    pub fn matrix(&self) -> &[f64] {
        if self.velocity { &self.v } else { &self.q }
    }
}
