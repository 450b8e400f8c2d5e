//! The linearised step: partials at a converged record, and the factor of (3) for `advance` and for the
//! sweeps.

use super::{Newmark, ProjectionMatrix, Projector};
use crate::error::StepError;
use crate::formulation::Linear;
use crate::kkt::MotionMatrix;
use crate::kkt::row_or_coordinate;
use crate::plan::Frozen;
use crate::step::{IntegrandRows, Layout, Pair, Span};
use gradyn_model::{At, Level};
use gradyn_num::Saddle;

/// Memory of a linearised step.
pub(crate) struct NewmarkLinear {
    /// Did the step project?
    pub(super) project: bool,
    pub(super) h: f64,
    /// Partials of (3) and its Newton matrix.
    pub(super) motion: Linear,
    pub(super) newton: Saddle,
    /// Matrix of (4) and (5).
    pub(super) projector: Projector,
    pub(super) dphi_q: Vec<f64>,
    pub(super) ddphi_q: Vec<f64>,
    pub(super) ddphi_v: Vec<f64>,
    /// (g(q, v - v*, σ_v))_q and the same for a, with the part of v*, a*.
    pub(super) v_q: Vec<f64>,
    pub(super) a_q: Vec<f64>,
    /// v - v*, a - a* (zero where the tangent has their derivatives), and the node with the σ in place of λ.
    pub(super) diff: Vec<f64>,
    pub(super) point: Vec<f64>,
    pub(super) sigma: Vec<f64>,
    pub(super) t: f64,
    /// g_x at the past and at the node.
    pub(super) g: Pair<IntegrandRows>,
    pub(super) star: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) integrands: Vec<f64>,
}

impl NewmarkLinear {
    pub(super) fn new(step: &Newmark, p: &[f64], kkt: &MotionMatrix) -> Result<Self, StepError> {
        let (sys, d, pat, lay) = (&step.sys, step.sys.dims(), step.sys.patterns(), step.layout());
        let motion = Linear::new(sys, step.f, p);
        let projector = Projector::new(sys, kkt.clone(), step.matrix == ProjectionMatrix::Tangent, p)?;
        let [nn, mn, n2] = [pat.nn.nnz(), pat.mn.nnz(), 2 * d.n].map(|len| vec![0.0; len]);
        Ok(Self {
            project: false,
            h: 0.0,
            motion,
            newton: Saddle::new(&pat.nn, &pat.mn)?.released(sys.dropped()),
            projector,
            dphi_q: mn.clone(),
            ddphi_q: mn.clone(),
            ddphi_v: mn,
            v_q: nn.clone(),
            a_q: nn,
            diff: n2.clone(),
            point: vec![0.0; lay.z()],
            sigma: vec![0.0; 2 * d.m],
            t: 0.0,
            g: Pair::new(&lay, [IntegrandRows::new(sys), IntegrandRows::new(sys)]),
            star: n2,
            b: vec![0.0; d.n + d.m],
            values: vec![0.0; d.n + d.m],
            integrands: vec![0.0; lay.o],
        })
    }
    /// g_x of (7) at the past node; true if it is known at the node.
    pub(super) fn gradients(
        &mut self,
        lay: &Layout,
        span: Span<f64>,
        branches: &[f64],
        x: &[f64],
        past: &[f64],
    ) -> bool {
        let known = self.g.turn(lay, span, branches, past, x);
        if lay.o > 0 && !known[0] {
            self.motion.terms.at_time(span.t);
            self.g.at[0].set(&lay.node(span.t, past), &mut self.motion.terms);
        }
        known[1]
    }
}

impl Newmark {
    /// Partials of (4) and (5) [A22, Eqs. 10–13, 20, 21].
    pub(super) fn projection_partials(
        &self,
        at: &At,
        h: f64,
        frozen: Frozen,
        x: &[f64],
        l: &mut NewmarkLinear,
    ) -> Result<(), StepError> {
        let sys = &self.sys;
        let lay = self.layout();
        let (n, m) = (lay.n, lay.m);
        let κ = self.tangent_weights(h);
        let star = At { v: &l.star[..n], ..*at };
        l.projector.refactor(sys, &star, κ, self.compliance, &mut l.motion.terms)?;
        l.point.copy_from_slice(&x[..lay.z()]);
        l.sigma.copy_from_slice(&x[lay.head()..lay.head() + 2 * m]);
        for i in 0..2 * n {
            l.diff[i] = x[n + i] - l.star[i];
        }
        [&mut l.dphi_q, &mut l.ddphi_q, &mut l.ddphi_v, &mut l.v_q, &mut l.a_q]
            .into_iter()
            .for_each(|x| x.fill(0.0));
        let [[cv, ..], [ca, ..]] = self.scheme.coefficients(h);
        l.projector.linearise(sys, &lay, &star, (κ, -cv), frozen, &mut l.diff, [&mut l.v_q, &mut l.a_q]);
        l.motion.terms.constraint_q(at, Level::VELOCITY, &mut l.dphi_q);
        l.motion.terms.constraint_q(at, Level::ACCELERATION, &mut l.ddphi_q);
        l.motion.terms.constraint_v(at, Level::ACCELERATION, &mut l.ddphi_v);
        if !self.f.wrong_tangent {
            l.motion.terms.balance_q(at, &l.diff[..n], &l.sigma[..m], &mut l.v_q);
            l.motion.terms.balance_q(at, &l.diff[n..], &l.sigma[m..], &mut l.a_q);
        }
        // the part of v*, a*: P̄ times their slopes in q
        for ((v, a), p) in l.v_q.iter_mut().zip(&mut l.a_q).zip(l.projector.matrix(&l.motion.terms)) {
            *v += cv * p;
            *a += ca * p;
        }
        Ok(())
    }
    /// Row scale of momentum and of constraints.
    fn scales(&self, h: f64) -> (f64, f64) {
        let s = self.scheme.beta * h * h;
        (s, if self.f.level[2] == 0.0 { 1.0 } else { s })
    }
    /// Factors the scaled matrix of (9) with 1/α = `c`.
    pub(super) fn factor_motion(
        &self,
        t: f64,
        h: f64,
        c: impl Fn(usize) -> f64,
        l: &mut NewmarkLinear,
    ) -> Result<(), StepError> {
        // A of (9), row by row scaled
        let [[cv, ..], [ca, ..]] = self.scheme.coefficients(h);
        let (sm, sc) = self.scales(h);
        let m = &l.motion;
        let c2 = self.f.level[2];
        let mass = m.terms.mass();
        let phi_q = m.terms.phi_q();
        l.newton
            .refactor(
                |k| sm * (m.top_q[k] - cv * m.top_v[k] - ca * mass[k]),
                |k| sc * (m.bottom_q[k] - cv * m.bottom_v[k] - ca * c2 * phi_q[k]),
                phi_q,
                |k| sc / sm * c(k),
                sc / sm,
            )
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(&self.sys, s.index) })
    }
    pub(super) fn solve_motion(&self, h: f64, l: &mut Saddle, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
        l.solve(b);
        b[n..].iter_mut().for_each(|l| *l /= sm);
    }
    pub(super) fn solve_motion_t(&self, h: f64, l: &mut Saddle, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[n..].iter_mut().for_each(|l| *l /= sm);
        l.solve_t(b);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
    }
}
