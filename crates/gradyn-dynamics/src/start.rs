//! Rows of the start and their partials, sparse.
//!
//! ```text
//! position:  [ Φ_q ; E_q ] over q                                                                 (1)
//! velocity:  [ Φ̇_q ; E'_q ] over q,   [ Φ_q ; E'_v ] over v                                       (2)
//! ```
//! The independent rows of Φ come first; those of positions are the holonomic ones. In long trees the
//! conditions are rows over motions of nodes, which other rows at the end relate to the coordinates:
//!
//! ```text
//! [ Φ_q  0 ; 0  E_V ; -S  L ] (δq, V) = (r, 0)                                                    (3)
//! ```
//! is (1), or (2) over v. The other partials are products there.

use crate::error::StepError;
use gradyn_model::{At, Evaluator, Kinematics, Level, Setup};
use gradyn_num::{Factor, Pattern, Singular, row_dependencies};

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
    /// Number of conditions.
    pub conditions: usize,
    /// Rows and unknowns V of (3), the positions of their entries, and their values.
    border: usize,
    border_at: Vec<u32>,
    border_values: Vec<f64>,
    /// (r, 0) of (3), then what conditions add.
    extended: Vec<f64>,
    /// (rows + conditions) × n, and the border.
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
        // (3) after them
        let border = sys.border_size();
        let own = independent.len() + conditions;
        let entries: Vec<_> = sys.border_entries().into_iter().map(|(i, j)| (own + i, j)).collect();
        let all = held.chain(rows).chain(entries.iter().copied());
        let pattern = Pattern::from_entries(own + border, dims.n + border, all);
        let border_at: Vec<u32> = entries.iter().map(|&(i, j)| pattern.at(i, j)).collect();
        // slots of the conditions; products where there is a border
        let listed = if border == 0 { conditions } else { 0 };
        let support = (0..listed).flat_map(|k| wide(sys.condition_support(kinematics, k), k));
        let slots = Pattern::from_entries(conditions, dims.slots, support);
        let zero = vec![0.0; pattern.nnz()];
        let p = vec![0.0; slots.nnz()];
        let all = vec![0.0; mn.nnz()];
        let held = independent.to_vec();
        Self {
            kinematics,
            head,
            all,
            rows: held.len(),
            conditions,
            border,
            border_values: vec![0.0; border_at.len()],
            border_at,
            extended: vec![0.0; pattern.cols().max(2 * dims.n + conditions)],
            held,
            pattern,
            q: zero.clone(),
            v: zero,
            slots,
            p,
        }
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
        // (3)
        if self.border > 0 {
            terms.border(at, &mut self.border_values);
            let matrix = if self.kinematics.is_velocity() { &mut self.v } else { &mut self.q };
            let entries = self.border_at.iter().zip(&self.border_values);
            entries.for_each(|(&at, x)| matrix[at as usize] = *x);
        }
        // conditions
        for k in 0..self.conditions {
            let row = self.pattern.row(self.rows + k);
            let slots = if self.border == 0 { self.slots.row(k) } else { 0..0 };
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
    /// b ← (matrix)⁻¹ b by its factors.
    pub(crate) fn solve(&mut self, factor: &mut Factor, b: &mut [f64]) {
        self.with_border(b, |b| factor.solve(b));
    }
    /// b ← (matrix)⁻ᵀ b by its factors.
    pub(crate) fn solve_t(&mut self, factor: &mut Factor, b: &mut [f64]) {
        self.with_border(b, |b| factor.solve_t(b));
    }
    /// Solves (3) for (b, 0), or its transpose.
    fn with_border(&mut self, b: &mut [f64], solve: impl FnOnce(&mut [f64])) {
        if self.border == 0 {
            return solve(b);
        }
        self.extended.fill(0.0);
        self.extended[..b.len()].copy_from_slice(b);
        solve(&mut self.extended[..self.pattern.cols()]);
        b.copy_from_slice(&self.extended[..b.len()]);
    }
    /// out += s (rows, conditions)_q δq of velocities.
    pub(crate) fn mul_q(&mut self, at: &At, terms: &mut Evaluator<f64>, s: f64, dq: &[f64], out: &mut [f64]) {
        if self.border == 0 {
            return self.pattern.mul(&self.q, s, dq, out);
        }
        let (rows, conditions) = out.split_at_mut(self.rows);
        for (i, out) in rows.iter_mut().enumerate() {
            *out += s * self.pattern.entries(i, &self.q).map(|(k, x)| x * dq[k]).sum::<f64>();
        }
        let (sums, zero) = self.extended.split_at_mut(self.conditions);
        sums.fill(0.0);
        zero.fill(0.0);
        terms.conditions_mul(self.kinematics, at, [dq, &zero[..dq.len()]], sums);
        conditions.iter_mut().zip(sums).for_each(|(out, x)| *out += s * *x);
    }
    /// q += s (rows, conditions)_qᵀ μ of velocities; `unused` has the length of slots and takes what is not
    /// asked.
    pub(crate) fn mul_q_t(
        &mut self,
        at: &At,
        terms: &mut Evaluator<f64>,
        s: f64,
        mu: &[f64],
        q: &mut [f64],
        unused: &mut [f64],
    ) {
        if self.border == 0 {
            return self.pattern.mul_t(&self.q, s, mu, q);
        }
        for (i, mu) in mu[..self.rows].iter().enumerate() {
            self.pattern.entries(i, &self.q).for_each(|(k, x)| q[k] += s * x * mu);
        }
        let v = &mut self.extended[..q.len()];
        terms.conditions_t(self.kinematics, at, &mu[self.rows..], s, [q, v, unused]);
    }
    /// x += (conditions)_p δ.
    pub(crate) fn slot_mul(&self, at: &At, terms: &mut Evaluator<f64>, delta: &[f64], x: &mut [f64]) {
        match self.border {
            0 => self.slots.mul(&self.p, 1.0, delta, x),
            _ => terms.conditions_p(self.kinematics, at, delta, x),
        }
    }
    /// grad += s (conditions)_pᵀ μ.
    pub(crate) fn slot_mul_t(
        &mut self,
        at: &At,
        terms: &mut Evaluator<f64>,
        mu: &[f64],
        s: f64,
        grad: &mut [f64],
    ) {
        if self.border == 0 {
            let slots = self.slots.cols();
            return self.slots.mul_t(&self.p, s, mu, &mut grad[..slots]);
        }
        let (q, rest) = self.extended.split_at_mut(at.q.len());
        let v = &mut rest[..at.q.len()];
        terms.conditions_t(self.kinematics, at, mu, s, [q, v, grad]);
    }
    /// The condition, or else the row, that says nothing of its own.
    pub(crate) fn undetermined(&self, sys: &Setup) -> Option<StepError> {
        let dependent = row_dependencies(&self.pattern, self.matrix(), RANK_TOLERANCE).dependent;
        let own = |row: &usize| *row < self.rows + self.conditions;
        let last =
            dependent.iter().flat_map(|d| d.on.iter().map(|o| o.0).chain([d.row])).filter(own).max()?;
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
        let coordinate = || sys.coordinate_name(s.index.min(sys.dims().n - 1));
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
