//! The Newmark family on a formulation, with velocity and acceleration projections in mixed form.
//!
//! ```text
//! v* = γ/(βh) (q - q₀) + (1 - γ/β) v₀ + (1 - γ/2β) h a₀                              (1)  [A22, Eq. 4]
//! a* = 1/(βh²) (q - q₀) - 1/(βh) v₀ + (1 - 1/2β) a₀                                  (2)
//! F(t, q, v*, a*, λ*) = 0                                                           (3)  unknowns (q, λ*)
//! [g(q, v - v*, σ_v) ; Φ̇(t, q, v)] = 0                                              (4)  [A22, Eq. 2]
//! [g(q, a - a*, σ_a) ; Φ̈(t, q, v, a)] = 0                                           (5)  [A22, Eq. 3]
//! λ = λ* + σ_a                                                                      (6)
//! z = z₀ + h/2 (g₀ + g)                                                             (7)  [A22, Eqs. 14, 15]
//! ```
//! (6) are the multipliers of the projected accelerations: (3) and (5) add up to M a + Φ_qᵀ(λ* + σ_a) = Q, while λ* alone
//! belongs to a*, which is first-order accurate normal to the constraints.
//! ξ gives β = (1 - ξ)²/4, γ = (1 - 2ξ)/2 [A22, Eq. 5, corrected]; ξ = 0 is the trapezoidal rule, ξ < 0 dissipates.
//! (3) is solved scaled: momentum rows times βh², unknown βh²λ [A22, Eq. 29]. (4) and (5) share one factor. Without projections
//! v = v*, a = a*, λ = λ*: index 3 is then weakly unstable.

mod motion;
mod sweeps;

use super::{IntegrandRows, Layout, Report, Span, Step};
use crate::error::StepError;
use crate::formulation::{Lagrange, Linear, release};
use crate::initial::{self, Initial, prepare_kkt, refactor_kkt, row_or_coordinate};
use crate::plan::Frozen;
use gradyn_model::{At, LEVEL, Set, System};
use gradyn_num::{Kkt, ProgramScalar, Saddle};

const MAX_ITERATIONS: usize = 30;

/// β, γ and whether to project.
pub struct Newmark<'a, Y> {
    /// The system.
    pub sys: &'a Y,
    /// The formulation.
    pub f: Lagrange,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// Velocity and acceleration projections.
    pub project: bool,
    /// Newton stops at this relative correction of q, or at stagnation (0: iterate to stagnation).
    pub tolerance: f64,
}

/// Memory of the residual.
pub struct Work<Y: System, S: ProgramScalar> {
    data: Y::Data<S>,
    star: Vec<S>,
    kkt: Vec<S>,
    g: Vec<S>,
}

/// Memory of a linearised step.
pub struct NewmarkLinear<Y: System> {
    initial: Initial<Y>,
    first: bool,
    h: f64,
    /// Partials of (3) and its Newton matrix.
    motion: Linear<Y>,
    newton: Saddle,
    /// Factor of (4) and (5).
    kkt: Kkt,
    dphi_q: Vec<f64>,
    ddphi_q: Vec<f64>,
    ddphi_v: Vec<f64>,
    /// (g(q, v - v*, σ_v))_q and the same for a, without the part of v*, a*.
    v_q: Vec<f64>,
    a_q: Vec<f64>,
    /// v - v*, a - a*, and the node with the σ in place of λ.
    diff: Vec<f64>,
    point: Vec<f64>,
    sigma: Vec<f64>,
    t: f64,
    /// g_x at the past and at the node; the past they belong to.
    g: [IntegrandRows; 2],
    past: Vec<f64>,
    past_t: f64,
    star: Vec<f64>,
    b: Vec<f64>,
    values: Vec<f64>,
    integrands: Vec<f64>,
}

impl<Y: System> Newmark<'_, Y> {
    /// Offsets of σ_v and σ_a.
    fn sigma(&self) -> [usize; 2] {
        let l = self.layout();
        [l.head(), l.head() + l.m]
    }
    /// Offset of λ*: after the σ, or λ itself without projections.
    fn multiplier(&self) -> usize {
        let l = self.layout();
        if self.project { l.head() + 2 * l.m } else { l.lam() }
    }
    /// ∂(v*, a*)/∂(q, v, a) of the past; ∂/∂q of the present is minus the first of each.
    fn coefficients<S: ProgramScalar>(&self, h: S) -> [[S; 3]; 2] {
        let (β, γ) = (self.beta, self.gamma);
        let ca = S::one() / (h * h * β);
        [[-(ca * h * γ), S::from(1.0 - γ / β), h * (1.0 - 0.5 * γ / β)], [-ca, -(ca * h), S::from(1.0 - 0.5 / β)]]
    }
    /// (1), (2) into `star` = (v*, a*).
    #[inline]
    fn star<S: ProgramScalar>(&self, h: S, q: &[S], past: &[S], star: &mut [S]) {
        let n = q.len();
        let c = self.coefficients(h);
        let (v, a) = star.split_at_mut(n);
        for i in 0..n {
            let d = past[i] - q[i];
            v[i] = c[0][0] * d + c[0][1] * past[n + i] + c[0][2] * past[2 * n + i];
            a[i] = c[1][0] * d + c[1][1] * past[n + i] + c[1][2] * past[2 * n + i];
        }
    }
    /// Row scale of momentum and of constraints.
    fn scales(&self, h: f64) -> (f64, f64) {
        let s = self.beta * h * h;
        (s, if self.f.level[2] == 0.0 { 1.0 } else { s })
    }
    /// Factors the scaled tangent F_q + γ/(βh) F_v + 1/(βh²) F_a | F_λ.
    fn factor_motion(&self, t: f64, h: f64, l: &mut NewmarkLinear<Y>) -> Result<(), StepError> {
        let [[cv, ..], [ca, ..]] = self.coefficients(h);
        let (sm, sc) = self.scales(h);
        let (m, c2) = (&l.motion, self.f.level[2]);
        let (mass, phi_q) = (self.sys.mass(&m.data), self.sys.phi_q(&m.data));
        l.newton
            .refactor(
                |k| sm * (m.top_q[k] - cv * m.top_v[k] - ca * mass[k]),
                |k| sc * (m.bottom_q[k] - cv * m.bottom_v[k] - ca * c2 * phi_q[k]),
                phi_q,
                sc / sm * self.f.compliance,
                sc / sm,
            )
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(self.sys, s.index) })
    }
    fn solve_motion(&self, h: f64, l: &mut Saddle, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
        l.solve(b);
        b[n..].iter_mut().for_each(|l| *l /= sm);
    }
    fn solve_motion_t(&self, h: f64, l: &mut Saddle, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[n..].iter_mut().for_each(|l| *l /= sm);
        l.solve_t(b);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
    }
}

impl<Y: System> Step for Newmark<'_, Y> {
    type System = Y;
    type Work<S: ProgramScalar> = Work<Y, S>;
    type Linear = NewmarkLinear<Y>;

    fn system(&self) -> &Y {
        self.sys
    }
    fn layout(&self) -> Layout {
        Layout::of(self.sys, if self.project { 3 * self.sys.dims().m } else { 0 })
    }
    fn work<S: ProgramScalar>(&self, p: &[S]) -> Work<Y, S> {
        let (d, zero) = (self.sys.dims(), S::zero());
        let mut data = self.sys.data();
        self.sys.prepare(p, &mut data);
        Work {
            data,
            star: vec![zero; 2 * d.n],
            kkt: vec![zero; d.n + d.m],
            g: vec![zero; 2 * self.sys.functionals(Set::Integrand)],
        }
    }
    fn linear(&self, p: &[f64]) -> Result<NewmarkLinear<Y>, StepError> {
        let (sys, d, pat) = (self.sys, self.sys.dims(), self.sys.patterns());
        let mut motion = Linear::new(sys, self.f);
        sys.prepare(p, &mut motion.data);
        let kkt = prepare_kkt(sys, &motion.data)?;
        let law = Lagrange { wrong_tangent: self.f.wrong_tangent, ..Lagrange::ACCELERATION };
        Ok(NewmarkLinear {
            initial: Initial::new(sys, law, self.layout(), p, kkt.clone())?,
            first: true,
            h: 0.0,
            motion,
            newton: Saddle::new(&pat.nn, &pat.mn)?.released(sys.dropped()),
            kkt,
            dphi_q: vec![0.0; pat.mn.nnz()],
            ddphi_q: vec![0.0; pat.mn.nnz()],
            ddphi_v: vec![0.0; pat.mn.nnz()],
            v_q: vec![0.0; pat.nn.nnz()],
            a_q: vec![0.0; pat.nn.nnz()],
            diff: vec![0.0; 2 * d.n],
            point: vec![0.0; 3 * d.n + d.m],
            sigma: vec![0.0; 2 * d.m],
            t: 0.0,
            g: [IntegrandRows::new(sys), IntegrandRows::new(sys)],
            past: vec![f64::NAN; 3 * d.n + d.m],
            past_t: f64::NAN,
            star: vec![0.0; 2 * d.n],
            b: vec![0.0; d.n + d.m],
            values: vec![0.0; d.n + d.m],
            integrands: vec![0.0; self.layout().o],
        })
    }
    fn initial<'l>(&self, l: &'l mut NewmarkLinear<Y>) -> &'l mut Initial<Y> {
        &mut l.initial
    }
    fn visits(&self, l: &NewmarkLinear<Y>) -> usize {
        self.sys.visits(&l.motion.data)
    }
    fn order(&self) -> usize {
        if self.gamma == 0.5 { 2 } else { 1 }
    }
    fn noise(&self, h: f64, [q, v, a, lam, z]: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        // v = q/(βh), a = q/(βh²), Φ_qᵀλ ~ m a
        let (ε, few, amplified) = (f64::EPSILON, 2e4, 128.0 / (self.beta * h * h));
        let a = few * (a + lam / mass) + amplified * q;
        [few * q, few * v + amplified * h * q, a, few * lam + mass * a / row, amplified.max(few) * z].map(|x| x * ε)
    }
    fn residual<S: ProgramScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<Y, S>,
        r: &mut [S],
    ) {
        let (sys, lay) = (self.sys, self.layout());
        let (n, m, o) = (lay.n, lay.m, lay.o);
        sys.set_angles(frozen.angles, &mut w.data);
        let Some(past) = past else {
            return initial::residual(sys, &Lagrange::ACCELERATION, &lay, span.t, x, &mut w.data, r);
        };
        // (7), the past first: `data` moves on to the node
        sys.set_time(span.t, &mut w.data);
        sys.measure(Set::Integrand, &lay.node(span.t, past), &mut w.data, &mut w.g[..o]);
        let t = span.end();
        let at = lay.node(t, x);
        sys.place(t, at.q, &mut w.data);
        sys.measure(Set::Integrand, &at, &mut w.data, &mut w.g[o..]);
        for k in 0..o {
            r[lay.z() + k] = x[lay.z() + k] - past[lay.z() + k] - span.h * (w.g[k] + w.g[o + k]) * 0.5;
        }
        // (3)
        self.star(span.h, at.q, past, &mut w.star);
        let (v_star, a_star) = w.star.split_at(n);
        let star = self.multiplier();
        self.f.residual(sys, &At { v: v_star, a: a_star, lam: &x[star..star + m], ..at }, &mut w.data, &mut w.kkt);
        r[..n].copy_from_slice(&w.kkt[..n]);
        r[star..star + m].copy_from_slice(&w.kkt[n..]);
        // (4), (5)
        for (k, s) in self.sigma().into_iter().enumerate() {
            let o = (k + 1) * n;
            for i in 0..n {
                w.kkt[i] = x[o + i] - w.star[k * n + i];
            }
            if !self.project {
                r[o..o + n].copy_from_slice(&w.kkt[..n]);
                continue;
            }
            r[o..o + n].fill(S::zero());
            sys.balance(&w.kkt[..n], &x[s..s + m], &w.data, &mut r[o..o + n]);
            r[s..s + m].fill(S::zero());
            sys.constraint(&at, LEVEL[k + 1], &mut w.data, &mut r[s..s + m]);
            release(sys, &x[s..s + m], &mut r[s..s + m]);
        }
        // (6)
        if self.project {
            let sigma = self.sigma()[1];
            (0..m).for_each(|k| r[lay.lam() + k] = x[lay.lam() + k] - x[star + k] - x[sigma + k]);
        }
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut NewmarkLinear<Y>,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (sys, lay, h) = (self.sys, self.layout(), span.h);
        let (n, o, z) = (lay.n, lay.o, lay.z());
        let Some(past) = past else { return l.initial.advance(sys, span.t, frozen.angles, x) };
        // g₀
        sys.set_angles(frozen.angles, &mut l.motion.data);
        if o > 0 {
            sys.set_time(span.t, &mut l.motion.data);
            sys.measure(Set::Integrand, &lay.node(span.t, past), &mut l.motion.data, &mut x[z..z + o]);
        }
        // predict
        for i in 0..n {
            x[i] = past[i] + h * (past[n + i] + 0.5 * h * past[2 * n + i]);
        }
        let star = self.multiplier();
        x[star..star + lay.m].copy_from_slice(&past[lay.lam()..z]);
        let report = self.motion(span, past, l, x)?;
        self.projections(span.end(), l, x)?;
        // (7)
        if o > 0 {
            let (head, tail) = x.split_at_mut(z);
            sys.measure(Set::Integrand, &lay.node(span.end(), head), &mut l.motion.data, &mut l.integrands);
            for k in 0..o {
                tail[k] = past[z + k] + 0.5 * h * (tail[k] + l.integrands[k]);
            }
        }
        Ok(report)
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut NewmarkLinear<Y>,
    ) -> Result<(), StepError> {
        let (sys, lay) = (self.sys, self.layout());
        let (n, m, t) = (lay.n, lay.m, span.end());
        (l.first, l.h, l.t) = (past.is_none(), span.h, t);
        let Some(past) = past else { return l.initial.linearise(sys, span.t, frozen.angles, x) };
        sys.set_angles(frozen.angles, &mut l.motion.data);
        // (7): going backwards, the node is the past of the step linearised before
        let known = l.past_t == t && l.past[..] == x[..lay.z()];
        if lay.o > 0 {
            l.g.swap(0, 1);
            sys.set_time(span.t, &mut l.motion.data);
            l.g[0].set(sys, &lay.node(span.t, past), &mut l.motion.data);
            l.past.copy_from_slice(&past[..lay.z()]);
            l.past_t = span.t;
        }
        // (3), which places the data at the node
        let at = lay.node(t, x);
        self.star(span.h, at.q, past, &mut l.star);
        let (v_star, a_star) = l.star.split_at(n);
        let star = self.multiplier();
        l.motion.set(sys, &At { v: v_star, a: a_star, lam: &x[star..star + m], ..at });
        if !known {
            l.g[1].set(sys, &at, &mut l.motion.data);
        }
        self.factor_motion(t, span.h, l)?;
        if !self.project {
            return Ok(());
        }
        // (4), (5)
        refactor_kkt(sys, t, &l.motion.data, 0.0, &mut l.kkt)?;
        l.point.copy_from_slice(&x[..lay.z()]);
        l.sigma.copy_from_slice(&x[lay.head()..lay.head() + 2 * m]);
        for i in 0..2 * n {
            l.diff[i] = x[n + i] - l.star[i];
        }
        [&mut l.dphi_q, &mut l.ddphi_q, &mut l.ddphi_v, &mut l.v_q, &mut l.a_q].into_iter().for_each(|x| x.fill(0.0));
        sys.constraint_q(&at, LEVEL[1], &mut l.motion.data, &mut l.dphi_q);
        sys.constraint_q(&at, LEVEL[2], &mut l.motion.data, &mut l.ddphi_q);
        sys.constraint_v(&at, LEVEL[2], &mut l.motion.data, &mut l.ddphi_v);
        if !self.f.wrong_tangent {
            sys.balance_q(&at, &l.diff[..n], &l.sigma[..m], &mut l.motion.data, &mut l.v_q);
            sys.balance_q(&at, &l.diff[n..], &l.sigma[m..], &mut l.motion.data, &mut l.a_q);
        }
        // the part of v*, a*: M times their slopes in q
        let [[cv, ..], [ca, ..]] = self.coefficients(span.h);
        for ((v, a), m) in l.v_q.iter_mut().zip(&mut l.a_q).zip(sys.mass(&l.motion.data)) {
            *v += cv * m;
            *a += ca * m;
        }
        Ok(())
    }
    fn solve(&self, l: &mut NewmarkLinear<Y>, b: &mut [f64]) {
        self.down(l, b);
    }
    fn solve_t(&self, l: &mut NewmarkLinear<Y>, b: &mut [f64]) {
        self.up(l, b);
    }
    fn past_mul(&self, l: &mut NewmarkLinear<Y>, s: &[f64], r: &mut [f64]) {
        self.past(l, s, r);
    }
    fn past_mul_t(&self, l: &mut NewmarkLinear<Y>, mu: &[f64], out: &mut [f64]) {
        self.past_t(l, mu, out);
    }
    fn slot_mul(&self, l: &mut NewmarkLinear<Y>, delta: &[f64], r: &mut [f64]) {
        self.slots(l, delta, r);
    }
    fn slot_mul_t(&self, l: &mut NewmarkLinear<Y>, mu: &[f64], s: f64, grad: &mut [f64]) {
        self.slots_t(l, mu, s, grad);
    }
    /// Cubic Hermite through (q, v) at both ends.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut NewmarkLinear<Y>,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let lay = self.layout();
        super::hermite(&lay, span.h, theta, past, x, out);
        super::complete(
            self.sys,
            &Lagrange::ACCELERATION,
            &lay,
            span.t + theta * span.h,
            frozen.angles,
            &mut l.motion.data,
            &mut l.kkt,
            out,
        )
    }
}
