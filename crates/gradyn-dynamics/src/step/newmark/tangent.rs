//! The matrix P̄ of the projections: M, or the tangent of the scheme.
//!
//! ```text
//! P̄ = M + κ_C C + κ_K K,   κ_C = γh/s,  κ_K = βh²/s,   C and K at (t, q, v*)              (1)  [A22, Eqs. 2, 3]
//! P̄ w = d/dε F(t, q + ε κ_K w, v* + ε κ_C w, ε w, 0)                                     (2)
//! (P̄ w)_q, (P̄ w)_v*, (P̄ w)_p:   derivatives of F_q, F_v, F_p along the direction of (2)  (3)  [A22, Eq. 11b]
//! ```
//! F is the balance M a + Φ_qᵀλ - Q. (1) is the tangent of the step without the stiffness of the constraints,
//! times βh²/s; it tends to M as h falls. It is taken as it is: where K or C is not symmetric, neither is P̄,
//! and the projection is oblique. (3) is what [`Second`] computes, with a lane for w = v - v* and one for w =
//! a - a*. With (1) the balance of the projected accelerations is met to O(h²) only.

use super::Newmark;
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange};
use crate::kkt::{MotionMatrix, refactor_kkt, row_or_coordinate};
use crate::plan::Frozen;
use crate::step::Layout;
use crate::step::memory::Visit;
use crate::step::second::Second;
use gradyn_model::{At, Evaluator, RunScalar, Setup};
use gradyn_num::Saddle;

/// [P̄ Φ_qᵀ; Φ_q -c] of (4), (5), factored.
pub(crate) struct Projector {
    /// [M Φ_qᵀ; Φ_q -c], which the output between steps uses too.
    pub(super) kkt: MotionMatrix,
    tangent: Option<Box<Tangent>>,
}

/// Memory of (1)–(3).
pub(super) struct Tangent {
    saddle: Saddle,
    /// P̄, K and C on n × n.
    matrix: Vec<f64>,
    k: Vec<f64>,
    c: Vec<f64>,
    second: Second,
    /// (q, v*, 0, 0), and the two directions of (2).
    base: Vec<f64>,
    directions: Vec<f64>,
    rows: Vec<f64>,
}

impl Tangent {
    fn new(sys: &Setup, p: &[f64]) -> Result<Self, StepError> {
        let pat = sys.patterns();
        let z = 3 * sys.dims().n + sys.dims().m;
        let zero = vec![0.0; pat.nn.nnz()];
        Ok(Self {
            saddle: Saddle::new(&pat.nn, &pat.mn)?.released(sys.dropped()),
            matrix: zero.clone(),
            k: zero.clone(),
            c: zero,
            second: Second::new(sys, Lagrange::INDEX3, crate::block::Integrated::Full, p, 2),
            base: vec![0.0; z],
            directions: vec![0.0; 2 * z],
            rows: vec![0.0; 2 * z],
        })
    }
    /// Evaluates P̄ by (1).
    fn set(&mut self, at: &At, [κc, κk]: [f64; 2], terms: &mut Evaluator<f64>) {
        [&mut self.k, &mut self.c].into_iter().for_each(|x| x.fill(0.0));
        terms.force_tangents(at, &mut self.k, &mut self.c);
        let parts = terms.mass().iter().zip(self.k.iter().zip(&self.c));
        self.matrix.iter_mut().zip(parts).for_each(|(p, (m, (k, c)))| *p = m + κc * c + κk * k);
    }
}

impl Projector {
    /// Memory; `kkt` is prepared.
    pub(super) fn new(sys: &Setup, kkt: MotionMatrix, tangent: bool, p: &[f64]) -> Result<Self, StepError> {
        let tangent = if tangent { Some(Box::new(Tangent::new(sys, p)?)) } else { None };
        Ok(Self { kkt, tangent })
    }
    /// Factors [P̄ Φ_qᵀ; Φ_q -c] at a point whose velocities are v*; `terms` are there.
    pub(super) fn refactor(
        &mut self,
        sys: &Setup,
        at: &At,
        κ: [f64; 2],
        c: Compliance,
        terms: &mut Evaluator<f64>,
    ) -> Result<(), StepError> {
        let Some(tangent) = &mut self.tangent else {
            return refactor_kkt(sys, at.t, terms, c, &mut self.kkt);
        };
        tangent.set(at, κ, terms);
        let matrix = &tangent.matrix;
        let phi_q = terms.phi_q();
        let factored = tangent.saddle.refactor(|k| matrix[k], |k| phi_q[k], phi_q, c.rows(sys), 1.0);
        factored.map_err(|s| StepError::Singular { t: at.t, equation: row_or_coordinate(sys, s.index) })
    }
    /// Visits the factorisations.
    pub(super) fn visit(&mut self, visit: &mut Visit) {
        visit.motion(&mut self.kkt);
        if let Some(tangent) = &mut self.tangent {
            visit.factor(tangent.saddle.factor());
        }
    }
    pub(super) fn factorizations(&self) -> usize {
        self.tangent.as_ref().map_or(self.kkt.factorizations(), |t| t.saddle.factorizations())
    }
    pub(super) fn solve(&mut self, b: &mut [f64]) {
        match &mut self.tangent {
            None => self.kkt.solve(b),
            Some(t) => t.saddle.solve(b),
        }
    }
    pub(super) fn solve_t(&mut self, b: &mut [f64]) {
        match &mut self.tangent {
            None => self.kkt.solve(b),
            Some(t) => t.saddle.solve_t(b),
        }
    }
    /// The matrix P̄ on n × n.
    pub(super) fn matrix<'a>(&'a self, d: &'a Evaluator<f64>) -> &'a [f64] {
        self.tangent.as_ref().map_or(d.mass(), |t| &t.matrix)
    }
    /// (P̄ w)_v* for w = v - v* (0) or a - a* (1); M has none.
    pub(super) fn matrix_v(&self, k: usize) -> Option<&[f64]> {
        self.tangent.as_ref().map(|t| t.second.state_partials(k)[1])
    }
    /// (3) at (t, q, v*) for `diff` = (v - v*, a - a*): adds (P̄ w)_q and, through v*, what follows q to
    /// `out`. With M there is nothing to do; else (3) has all of P̄ w, M included, and `diff` is cleared.
    pub(super) fn linearise(
        &mut self,
        sys: &Setup,
        lay: &Layout,
        at: &At,
        ([κc, κk], v_star_q): ([f64; 2], f64),
        frozen: Frozen,
        diff: &mut [f64],
        out: [&mut [f64]; 2],
    ) {
        let Some(t) = &mut self.tangent else { return };
        let (n, z) = (lay.n, lay.z());
        // (q, v*) and the directions of (2)
        t.base[..n].copy_from_slice(at.q);
        t.base[n..2 * n].copy_from_slice(at.v);
        for (w, to) in diff.chunks_exact(n).zip(t.directions.chunks_exact_mut(z)) {
            for i in 0..n {
                (to[i], to[n + i], to[2 * n + i]) = (κk * w[i], κc * w[i], w[i]);
            }
        }
        // (3)
        t.second.set(sys, &Layout { o: 0, ..*lay }, at.t, |_| 0.0, frozen, &t.base, &t.directions);
        for (k, out) in out.into_iter().enumerate() {
            let [q, v] = t.second.state_partials(k);
            out.iter_mut().zip(q.iter().zip(v)).for_each(|(o, (q, v))| *o += q + v_star_q * v);
        }
        diff.fill(0.0);
    }
    /// r += (P̄ w)_p δ for both w, (3).
    pub(super) fn slot_mul(&mut self, sys: &Setup, delta: &[f64], n: usize, r: &mut [f64]) {
        let Some(t) = &mut self.tangent else { return };
        let z = t.base.len();
        t.rows.fill(0.0);
        t.second.slot_mul(sys, delta, |k| k * z, &mut t.rows);
        for (k, rows) in t.rows.chunks_exact(z).enumerate() {
            r[(k + 1) * n..(k + 2) * n].iter_mut().zip(&rows[2 * n..]).for_each(|(r, x)| *r += x);
        }
    }
    /// grad += s (P̄ w)_pᵀ μ for both w.
    pub(super) fn slot_mul_t(&mut self, sys: &Setup, mu: &[f64], s: f64, n: usize, grad: &mut [f64]) {
        let Some(t) = &mut self.tangent else { return };
        let z = t.base.len();
        let rows = &mut t.rows[..z];
        rows.fill(0.0);
        for k in 0..2 {
            rows[2 * n..3 * n].copy_from_slice(&mu[(k + 1) * n..(k + 2) * n]);
            t.second.slot_mul_t(sys, k, rows, s, grad);
        }
    }
}

impl Newmark {
    /// The weights κ_C, κ_K of (1).
    pub(super) fn tangent_weights<S: RunScalar>(&self, h: S) -> [S; 2] {
        let [[cv, ..], [ca, ..]] = self.scheme.coefficients(h);
        [cv / ca, -(S::one() / ca)]
    }
}
