//! Second derivatives of the conditions, by duals of their gradients.
//!
//! ```text
//! (E_qᵀ ν)_q,   (E_qᵀ ν)_p δ,   (E_qᵀ ν)_pᵀ y = ((E_q y)_pᵀ) ν                                       (1)
//! ```

use gradyn_model::{At, Evaluator, Kinematics, Setup};
use gradyn_num::Wide;

/// (1) with its memory.
pub(super) struct Curvature {
    terms: Evaluator<Wide>,
    p: Vec<f64>,
    slots: Vec<Wide>,
    q: Vec<Wide>,
    zero: Vec<Wide>,
    /// The gradient of a condition over q, v and its slots.
    row: [Vec<Wide>; 3],
}

impl Curvature {
    /// Memory; `p` are the slots.
    pub(crate) fn new(sys: &Setup, p: &[f64]) -> Self {
        let dims = sys.dims();
        let zero = Wide::from(0.0);
        let slots: Vec<Wide> = p.iter().map(|&p| Wide::from(p)).collect();
        let terms = sys.evaluator(&slots);
        let row = [dims.n, dims.n, dims.slots].map(|n| vec![zero; n]);
        Self { terms, p: p.to_vec(), slots, q: vec![zero; dims.n], zero: vec![zero; dims.n.max(dims.m)], row }
    }
    /// The branches of angles.
    pub(crate) fn set_branches(&mut self, angles: &[f64]) {
        self.terms.set_branches(angles);
    }
    /// The gradient of condition `k` where `q` is.
    fn evaluate(&mut self, sys: &Setup, t: f64, k: usize) {
        let n = sys.dims().n;
        let m = sys.dims().m;
        let t = Wide::from(t);
        self.terms.at_time(t);
        let at = At { t, q: &self.q, v: &self.zero[..n], a: &self.zero[..n], lam: &self.zero[..m] };
        let coords = sys.condition_pattern(Kinematics::Position, k).len();
        let slots = sys.condition_support(Kinematics::Position, k).len();
        let [q, v, p] = &mut self.row;
        self.terms.condition_row(
            Kinematics::Position,
            k,
            &at,
            &mut q[..coords],
            &mut v[..coords],
            &mut p[..slots],
        );
    }
    fn place(&mut self, q: &[f64]) {
        self.q.iter_mut().zip(q).for_each(|(x, q)| *x = Wide::from(*q));
    }
    /// add(a, b, (E_k)_ab) for the places a, b of a condition's coordinates.
    pub(crate) fn each(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        k: usize,
        mut add: impl FnMut(usize, usize, f64),
    ) {
        let coords = sys.condition_pattern(Kinematics::Position, k);
        self.place(q);
        for first in (0..coords.len()).step_by(8) {
            let last = coords.len().min(first + 8);
            (first..last).for_each(|b| self.q[coords[b] as usize].eps[b - first] = 1.0);
            self.evaluate(sys, t, k);
            (first..last).for_each(|b| self.q[coords[b] as usize].eps[b - first] = 0.0);
            for a in 0..coords.len() {
                (first..last).for_each(|b| add(a, b, self.row[0][a].eps[b - first]));
            }
        }
    }
    /// out += (E_qᵀ ν)_p δ.
    pub(crate) fn slot_mul(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        nu: &[f64],
        delta: &[f64],
        out: &mut [f64],
    ) {
        self.place(q);
        self.slots.iter_mut().zip(self.p.iter().zip(delta)).for_each(|(s, (p, d))| *s = Wide::along(*p, *d));
        self.terms.set_slots(&self.slots);
        for (k, nu) in nu.iter().enumerate() {
            self.evaluate(sys, t, k);
            sys.condition_pattern(Kinematics::Position, k)
                .iter()
                .zip(&self.row[0])
                .for_each(|(&i, x)| out[i as usize] += nu * x.eps[0]);
        }
        self.slots.iter_mut().for_each(|s| s.eps[0] = 0.0);
        self.terms.set_slots(&self.slots);
    }
    /// grad += s (E_qᵀ ν)_pᵀ y.
    pub(crate) fn slot_mul_t(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        nu: &[f64],
        y: &[f64],
        s: f64,
        grad: &mut [f64],
    ) {
        self.q.iter_mut().zip(q.iter().zip(y)).for_each(|(x, (q, y))| *x = Wide::along(*q, *y));
        for (k, nu) in nu.iter().enumerate() {
            self.evaluate(sys, t, k);
            let support = sys.condition_support(Kinematics::Position, k);
            support.iter().zip(&self.row[2]).for_each(|(&i, x)| grad[i as usize] += s * nu * x.eps[0]);
        }
    }
}
