//! Gradients of the integrands, which quadratures and their products read.

use gradyn_model::{At, Evaluator, FunctionalSet, KernelScalar, Setup};
use gradyn_num::Dual;

/// Gradients of the integrands at one point, over (q, v, a, λ | support).
pub struct IntegrandRows<S = f64> {
    /// One row per objective.
    rows: Vec<S>,
    width: usize,
    node: usize,
}
impl<S: KernelScalar> IntegrandRows<S> {
    /// Room for the gradients; nothing is evaluated yet.
    pub fn new(sys: &Setup) -> Self {
        let d = sys.dims();
        let node = 3 * d.n + d.m;
        let width = node + sys.support(FunctionalSet::Integrand).len();
        Self { rows: vec![S::zero(); width * sys.functionals(FunctionalSet::Integrand)], width, node }
    }
    /// Evaluates the gradients at a point.
    pub fn set(&mut self, at: &At<S>, terms: &mut Evaluator<S>) {
        for (k, row) in self.rows.chunks_exact_mut(self.width.max(1)).enumerate() {
            terms.measure_row(FunctionalSet::Integrand, k, at, row);
        }
    }
}
impl<const N: usize> IntegrandRows<Dual<f64, N>> {
    /// The derivatives of the gradients in direction `k`.
    pub fn along(&self, k: usize, out: &mut IntegrandRows) {
        out.rows.iter_mut().zip(&self.rows).for_each(|(o, r)| *o = r.eps[k]);
    }
}
impl IntegrandRows {
    /// g_x · s for objective `k` and a node `s`.
    #[inline]
    pub(crate) fn mul(&self, k: usize, s: &[f64]) -> f64 {
        let row = &self.rows[k * self.width..k * self.width + self.node];
        row.iter().zip(s).map(|(g, s)| g * s).sum()
    }
    /// out += s g_xᵀ.
    #[inline]
    pub fn mul_t(&self, k: usize, s: f64, out: &mut [f64]) {
        let row = &self.rows[k * self.width..k * self.width + self.node];
        out.iter_mut().zip(row).for_each(|(o, g)| *o += s * g);
    }
    /// The product g_p · δ of an objective with a direction of slots.
    pub(crate) fn slot_mul(&self, sys: &Setup, k: usize, delta: &[f64]) -> f64 {
        let row = &self.rows[k * self.width + self.node..(k + 1) * self.width];
        row.iter().zip(sys.support(FunctionalSet::Integrand)).map(|(g, &s)| g * delta[s as usize]).sum()
    }
    /// grad += s g_pᵀ.
    pub fn slot_mul_t(&self, sys: &Setup, k: usize, s: f64, grad: &mut [f64]) {
        let row = &self.rows[k * self.width + self.node..(k + 1) * self.width];
        row.iter()
            .zip(sys.support(FunctionalSet::Integrand))
            .for_each(|(g, &slot)| grad[slot as usize] += s * g);
    }
}
