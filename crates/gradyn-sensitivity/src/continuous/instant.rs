//! The equations of motion at an instant of a run, linearised.

use gradyn_dynamics::block::Block;
use gradyn_dynamics::initial::MotionMatrix;
use gradyn_dynamics::step::{Equations, IntegrandRows};
use gradyn_dynamics::{Frozen, StepError};
use gradyn_model::{At, Evaluator, Setup};
use gradyn_num::Wide;

/// (3) of [`super`] at an instant.
pub(super) struct Instant {
    /// Rows and partials.
    pub block: Block,
    /// Gradients g_x, g_p of the integrands.
    pub g: IntegrandRows,
    /// d/dt of M and Φ_q along the run, where they are needed.
    pub moving: Option<Moving>,
    n: usize,
}

impl Instant {
    /// Room for one instant; nothing is evaluated yet.
    pub(super) fn new(sys: &Setup, eq: &Equations, p: &[f64], kkt: &MotionMatrix, moving: bool) -> Self {
        let block = Block::new(sys, eq.law, eq.state, p, kkt);
        Self {
            block,
            g: IntegrandRows::new(sys),
            moving: moving.then(|| Moving::new(sys, p)),
            n: sys.dims().n,
        }
    }
    /// Linearises; `factored` if single blocks will be solved with.
    pub(super) fn set(
        &mut self,
        sys: &Setup,
        at: &At,
        frozen: Frozen,
        factored: bool,
    ) -> Result<(), StepError> {
        // partials at the point, factored where that is asked for
        self.block.linear.terms.set_branches(frozen.branches);
        if factored {
            self.block.set(sys, at, frozen.choice)?;
        } else {
            self.block.linear.terms.at(at.t, at.q);
            self.block.partials(sys, at, frozen.choice)?;
        }
        // functionals and moving terms there
        self.g.set(at, &mut self.block.linear.terms);
        if let Some(moving) = &mut self.moving {
            moving.set(at, frozen.branches);
        }
        Ok(())
    }
    /// b = (0, μ, 0) + g_xᵀ of an objective.
    pub(super) fn source(&self, mu: &[f64], objective: Option<usize>, b: &mut [f64]) {
        b.fill(0.0);
        b[self.n..3 * self.n].copy_from_slice(mu);
        objective.into_iter().for_each(|k| self.g.mul_t(k, 1.0, b));
    }
    /// Writes Pᵀ b to `out`.
    pub(super) fn picked(&self, b: &[f64], out: &mut [f64]) {
        let n = self.n;
        out.fill(0.0);
        (0..2).for_each(|level| {
            self.block.defect_t(
                level,
                1.0,
                &b[level * n..(level + 1) * n],
                &mut out[level * n..(level + 1) * n],
            )
        });
    }
    /// grad += s (g_p - rows_pᵀ b) of an objective.
    pub(super) fn gather(&mut self, sys: &Setup, objective: usize, b: &[f64], s: f64, grad: &mut [f64]) {
        self.block.slot_mul_t(sys, b, -s, grad);
        self.g.slot_mul_t(sys, objective, s, grad);
    }
}

/// Ṁ and Φ̇_q = d/dt Φ_q(t, q(t)): with rheonomic constraints ∂Φ_q/∂t is part of it, which [M13, Eq. 80]
/// leaves out.
pub(super) struct Moving {
    terms: Evaluator<Wide>,
    q: Vec<Wide>,
    mass: Vec<f64>,
    phi_q: Vec<f64>,
}

impl Moving {
    fn new(sys: &Setup, p: &[f64]) -> Self {
        let patterns = sys.patterns();
        let mass = vec![0.0; patterns.nn.nnz()];
        let phi_q = vec![0.0; patterns.mn.nnz()];
        Self { terms: sys.evaluator_with(p), q: vec![Wide::from(0.0); sys.dims().n], mass, phi_q }
    }
    /// A dual step along (1, v).
    fn set(&mut self, at: &At, angles: &[f64]) {
        self.q.iter_mut().zip(at.q.iter().zip(at.v)).for_each(|(x, (q, v))| *x = Wide::along(*q, *v));
        self.terms.set_branches(angles);
        self.terms.at(Wide::along(at.t, 1.0), &self.q);
        self.mass.iter_mut().zip(self.terms.mass()).for_each(|(x, m)| *x = m.eps[0]);
        self.phi_q.iter_mut().zip(self.terms.phi_q()).for_each(|(x, m)| *x = m.eps[0]);
    }
    /// out += Ḟ_u χ = (Ṁ ν + Φ̇_qᵀ κ, Φ̇_q ν).
    pub(super) fn mul(&self, sys: &Setup, chi: &[f64], out: &mut [f64]) {
        let n = sys.dims().n;
        let patterns = sys.patterns();
        let (nu, kappa) = chi.split_at(n);
        let (top, bottom) = out.split_at_mut(n);
        patterns.nn.mul(&self.mass, 1.0, nu, top);
        patterns.mn.mul_t(&self.phi_q, 1.0, kappa, top);
        patterns.mn.mul(&self.phi_q, 1.0, nu, bottom);
    }
}
