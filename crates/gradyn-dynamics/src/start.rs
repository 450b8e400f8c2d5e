//! Rows of the start and their partials, sparse.
//!
//! ```text
//! position:  [ Φ_q ; E_q ] over q                                                                 (1)
//! velocity:  [ Φ̇_q ; E'_q ] over q,   [ Φ_q ; E'_v ] over v                                       (2)
//! ```
//! The independent rows of Φ come first; those of positions are the holonomic ones.

use crate::error::StepError;
use gradyn_model::{At, Evaluator, Kinematics, Level, Setup};
use gradyn_num::{Pattern, Singular, row_dependencies};

/// Rows closer than this to the span of the others are dependent (rows scaled to length 1).
pub(crate) const RANK_TOLERANCE: f64 = 1e-9;

/// (1), or (2), on one pattern.
pub(crate) struct StartRows {
    kinematics: Kinematics,
    /// Positions in m × n of the values of the independent rows, the head of (1), (2).
    head: Vec<u32>,
    all: Vec<f64>,
    held: Vec<u32>,
    /// Number of independent rows.
    pub rows: usize,
    /// (rows + conditions) × n.
    pub pattern: Pattern,
    /// Partials of the rows over q.
    pub q: Vec<f64>,
    /// Over v; zero for positions.
    pub v: Vec<f64>,
    /// Conditions × slots, and ∂E/∂p on it.
    pub slots: Pattern,
    /// Values of ∂E/∂p on `slots`.
    pub p: Vec<f64>,
}

impl StartRows {
    /// Memory for the first `conditions` of a kind.
    pub(crate) fn new(sys: &Setup, kinematics: Kinematics, conditions: usize) -> Self {
        Self::of(sys, kinematics, sys.independent(kinematics), conditions)
    }
    /// Memory for these rows of Φ and the first `conditions` of a kind.
    pub(crate) fn of(sys: &Setup, kinematics: Kinematics, independent: &[u32], conditions: usize) -> Self {
        let dims = sys.dims();
        let mn = &sys.patterns().mn;
        let wide = |list: &[u32], i: usize| list.iter().map(|&j| (i, j as usize)).collect::<Vec<_>>();
        let head: Vec<u32> = independent.iter().flat_map(|&k| mn.row(k as usize)).map(|p| p as u32).collect();
        let held = independent
            .iter()
            .enumerate()
            .flat_map(|(i, &k)| mn.row(k as usize).map(move |p| (i, mn.col(p))));
        let rows =
            (0..conditions).flat_map(|k| wide(sys.condition_pattern(kinematics, k), independent.len() + k));
        let pattern = Pattern::from_entries(independent.len() + conditions, dims.n, held.chain(rows));
        let support = (0..conditions).flat_map(|k| wide(sys.condition_support(kinematics, k), k));
        let slots = Pattern::from_entries(conditions, dims.slots, support);
        let zero = vec![0.0; pattern.nnz()];
        let p = vec![0.0; slots.nnz()];
        let all = vec![0.0; mn.nnz()];
        let held = independent.to_vec();
        Self { kinematics, head, all, rows: held.len(), held, pattern, q: zero.clone(), v: zero, slots, p }
    }
    /// Partials at a point, with `terms` there.
    pub(crate) fn set(&mut self, at: &At, terms: &mut Evaluator<f64>) {
        let gather = |from: &[f64], head: &[u32], to: &mut [f64]| {
            to.iter_mut().zip(head).for_each(|(x, &p)| *x = from[p as usize])
        };
        // (1), or (2)
        if self.kinematics.is_velocity() {
            self.all.fill(0.0);
            terms.constraint_q(at, Level::VELOCITY, &mut self.all);
            gather(&self.all, &self.head, &mut self.q);
            gather(terms.phi_q(), &self.head, &mut self.v);
        } else {
            gather(terms.phi_q(), &self.head, &mut self.q);
        }
        // conditions
        for k in 0..self.slots.rows() {
            let (row, slots) = (self.pattern.row(self.rows + k), self.slots.row(k));
            terms.condition_row(
                self.kinematics,
                k,
                at,
                &mut self.q[row.clone()],
                &mut self.v[row],
                &mut self.p[slots],
            );
        }
    }
    /// The condition, or else the row, that says nothing of its own.
    pub(crate) fn undetermined(&self, sys: &Setup) -> Option<StepError> {
        let dependent = row_dependencies(&self.pattern, self.matrix(), RANK_TOLERANCE).dependent;
        let last = dependent.iter().flat_map(|d| d.on.iter().map(|o| o.0).chain([d.row])).max()?;
        let kind = self.kinematics.name();
        let equation = match self.held.get(last) {
            Some(&k) => sys.row_name(k as usize),
            None => sys.condition_name(self.kinematics, last - self.rows),
        };
        Some(StepError::Undetermined { kind, equation })
    }
    /// Why the matrix has no factors.
    pub(crate) fn singular(&self, sys: &Setup, t: f64, s: Singular) -> StepError {
        let finite = self.matrix().iter().all(|x| x.is_finite());
        let coordinate = || sys.coordinate_name(s.index.min(self.pattern.cols() - 1));
        match finite {
            true => {
                self.undetermined(sys).unwrap_or_else(|| StepError::Singular { t, equation: coordinate() })
            }
            false => StepError::NotFinite { t, equation: coordinate() },
        }
    }
    /// The rows of Φ.
    pub(crate) fn held(&self) -> &[u32] {
        &self.held
    }
    /// The matrix of the unknowns: over q for positions, over v for velocities.
    pub(crate) fn matrix(&self) -> &[f64] {
        if self.kinematics.is_velocity() { &self.v } else { &self.q }
    }
}

/// A position at rest.
pub(crate) fn still<'q>(sys: &Setup, t: f64, q: &'q [f64], zero: &'q [f64]) -> At<'q> {
    let (n, m) = (sys.dims().n, sys.dims().m);
    At { t, q, v: &zero[..n], a: &zero[..n], lam: &zero[..m] }
}
