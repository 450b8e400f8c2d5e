//! Formulations F(t, q, v, a, λ; p) = 0 with the multipliers always unknowns (mixed form).
//!
//! ```text
//! F = [ g(q, a, λ) - Q                                   (1)   g = M a + Φ_qᵀ λ
//!       c₂ Φ̈ + c₁ Φ̇ + c₀ Φ - λ/α ]                      (2)
//! F_q = [ g_q + K ;  (c₂ Φ̈ + c₁ Φ̇ + c₀ Φ)_q ]            (3)   [P14, Eqs. 35, 38, with λ eliminated there]
//! F_v = [ C ;        (c₂ Φ̈ + c₁ Φ̇)_v ]                   (4)   [P14, Eq. 36]
//! F_a = [ M ;        c₂ Φ_q ],   F_λ = [ Φ_qᵀ ; -1/α ]    (5)   [P14, Eqs. 37, 19]
//! F_p = [ (g - Q)_p ; (c₂ Φ̈ + c₁ Φ̇ + c₀ Φ)_p ]           (6)   [P14, Eqs. 39, 22]
//! ```
//! index 3: c = (1, 0, 0), 1/α = 0 [A22, Eq. 17]; index 1 (Baumgarte): c = (ω², 2ξω, 1), 1/α = 0 [P14, Table
//! 1]; penalty: the same with 1/α > 0 [P14, Eqs. 1–5, where λ is eliminated]. Eliminating λ loses digits as α
//! grows, so it is kept. Signs: K = -Q_q, C = -Q_v; the constraint force on the system is -Φ_qᵀλ. A dropped
//! row says -λ_k = 0 instead of (2). 1/α, ξ and ω may differ from row to row: α is diagonal [A22, Eq. 1].

use gradyn_model::{At, Evaluator, KernelScalar, Kinematics, RowScaling, Setup};
use gradyn_num::largest;

/// 1/α of the rows: one number, times what the system says about each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// What all rows share.
    pub factor: f64,
    /// What the rows are scaled by.
    pub scaling: RowScaling,
}
impl Compliance {
    /// Rows that do not give way, 1/α = 0.
    pub const NONE: Self = Self::uniform(0.0);
    /// 1/α, over the factors that the model gives to rows.
    pub const fn uniform(factor: f64) -> Self {
        Self { factor, scaling: RowScaling::Uniform }
    }
    /// Compliance 1/α_k of each row.
    #[inline]
    pub fn rows(self, sys: &Setup) -> impl Fn(usize) -> f64 + '_ {
        let rows = sys.compliances(self.scaling);
        move |k| self.factor * rows[k]
    }
}

/// (1), (2) by their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lagrange {
    /// Weights (c₀, c₁, c₂) of Φ, Φ̇ and Φ̈.
    pub level: [f64; 3],
    /// Compliance 1/α of the rows.
    pub compliance: Compliance,
    /// Leaves (Φ_qᵀλ)_q out of every tangent: a deliberate mistake, for the tests that show that the checks
    /// can fail.
    pub wrong_tangent: bool,
}

impl Lagrange {
    /// Position-level constraints [A22, Eq. 17].
    pub const INDEX3: Self =
        Self { level: [1.0, 0.0, 0.0], compliance: Compliance::NONE, wrong_tangent: false };
    /// Φ̈ = 0: the accelerations at the start of a coordinate step.
    pub const ACCELERATION: Self =
        Self { level: [0.0, 0.0, 1.0], compliance: Compliance::NONE, wrong_tangent: false };
    /// Index 1 with Baumgarte stabilisation.
    pub fn index1(xi: f64, omega: f64) -> Self {
        Self { level: [omega * omega, 2.0 * xi * omega, 1.0], ..Self::INDEX3 }
    }
    /// Penalty in mixed form [P14, Eqs. 1–5].
    pub fn penalty(alpha: f64, xi: f64, omega: f64) -> Self {
        Self { compliance: Compliance::uniform(1.0 / alpha), ..Self::index1(xi, omega) }
    }
    /// Are there penalties on rows that repeat each other?
    pub fn shares(&self, sys: &Setup) -> bool {
        self.compliance.factor > 0.0
            && sys.dropped().len() == sys.row_choice().off.len()
            && sys.independent(Kinematics::Velocity).len() + sys.dropped().len() < sys.dims().m
    }
    /// Penalties on rows that repeat each other share their load by the roundings of Φ̈ times this: the
    /// largest α. Else 0.
    pub(crate) fn shared(&self, sys: &Setup) -> f64 {
        if !self.shares(sys) {
            return 0.0;
        }
        let c = self.compliance.rows(sys);
        (0..sys.dims().m).fold(0.0, |s: f64, k| s.max(1.0 / c(k)))
    }
    /// (1), (2), after `place`.
    #[inline]
    pub fn residual<S: KernelScalar>(&self, sys: &Setup, at: &At<S>, terms: &mut Evaluator<S>, r: &mut [S]) {
        let (top, bottom) = r.split_at_mut(at.q.len());
        top.fill(S::zero());
        terms.balance(at.a, at.lam, top);
        terms.forces(at, top);
        let c = self.compliance.rows(sys);
        for (k, (r, l)) in bottom.iter_mut().zip(at.lam).enumerate() {
            *r = *l * -c(k);
        }
        terms.constraint(at, self.level, bottom);
        release(sys, at.lam, bottom);
    }
}

/// Dropped rows of a system of multipliers: -λ_k = 0.
pub(crate) fn release<S: KernelScalar>(sys: &Setup, lam: &[S], rows: &mut [S]) {
    sys.dropped().iter().for_each(|&k| rows[k as usize] = -lam[k as usize]);
}

/// The partials (3)–(6) at a point; on other scalars than f64 with their own derivatives. Those of long trees
/// are products, made where they are asked for.
pub struct Linear<S: KernelScalar = f64> {
    /// Terms of the system, at the point.
    pub terms: Evaluator<S>,
    point: Vec<S>,
    t: S,
    f: Lagrange,
    /// g_q + K on n × n.
    pub top_q: Vec<S>,
    /// Partials C of the momentum rows over v, on n × n.
    pub top_v: Vec<S>,
    /// Constraint rows of F_q on m × n.
    pub bottom_q: Vec<S>,
    /// Constraint rows of F_v on m × n.
    pub bottom_v: Vec<S>,
    /// Are there no matrices? Then memory for the slots of a transposed product.
    slots: Option<Vec<S>>,
    n: usize,
    m: usize,
}

impl<S: KernelScalar> Linear<S> {
    /// Room for the partials with the slots p; nothing is evaluated yet.
    pub fn new(sys: &Setup, f: Lagrange, p: &[S]) -> Self {
        let dims = sys.dims();
        let patterns = sys.patterns();
        let zero = S::zero();
        Self {
            terms: sys.evaluator(p),
            point: vec![zero; 3 * dims.n + dims.m],
            t: zero,
            f,
            top_q: vec![zero; patterns.nn.nnz()],
            top_v: vec![zero; patterns.nn.nnz()],
            bottom_q: vec![zero; patterns.mn.nnz()],
            bottom_v: vec![zero; patterns.mn.nnz()],
            slots: sys.is_long().then(|| vec![zero; dims.args]),
            n: dims.n,
            m: dims.m,
        }
    }
    /// Are the partials matrices? Not those of long trees.
    pub(crate) fn has_matrices(&self) -> bool {
        self.slots.is_none()
    }
    /// (3), (4) at a point; the evaluator is there.
    pub fn set(&mut self, sys: &Setup, at: &At<S>) {
        self.terms.at(at.t, at.q);
        self.assemble(sys, at, !self.f.wrong_tangent);
    }
    /// Partials where the evaluator is already, with or without g_q.
    pub(crate) fn assemble(&mut self, sys: &Setup, at: &At<S>, geometric: bool) {
        self.hold(at);
        self.matrices(sys, geometric);
    }
    /// (3), (4) at the point that is held, with or without g_q.
    fn matrices(&mut self, sys: &Setup, geometric: bool) {
        if self.slots.is_some() {
            return;
        }
        let f = self.f;
        let zero = S::zero();
        let at = At::of(self.t, &self.point, self.n, self.m);
        let terms = &mut self.terms;
        [&mut self.top_q, &mut self.top_v, &mut self.bottom_q, &mut self.bottom_v]
            .into_iter()
            .for_each(|x| x.fill(zero));
        if geometric {
            terms.balance_q(&at, at.a, at.lam, &mut self.top_q);
        }
        terms.force_tangents(&at, &mut self.top_q, &mut self.top_v);
        terms.constraint_q(&at, f.level, &mut self.bottom_q);
        if f.level[1] != 0.0 || f.level[2] != 0.0 || sys.dims().m_vel > 0 {
            terms.constraint_v(&at, f.level, &mut self.bottom_v);
        }
    }
    /// Remembers a point where the evaluator is; the partials are not those there.
    pub(crate) fn hold(&mut self, at: &At<S>) {
        self.t = at.t;
        for (k, x) in [at.q, at.v, at.a, at.lam].into_iter().enumerate() {
            self.point[k * self.n..k * self.n + x.len()].copy_from_slice(x);
        }
    }
    /// (3), (4) at the point that is held.
    pub(crate) fn assemble_held(&mut self, sys: &Setup) {
        self.matrices(sys, !self.f.wrong_tangent);
    }
    /// q += s F_qᵀ μ, v += s F_vᵀ μ, grad += s F_pᵀ μ at the point that is held, without (3) and (4); false
    /// if the system cannot.
    pub(crate) fn pull(&mut self, s: f64, mu: &[S], out: [&mut [S]; 3]) -> bool {
        let at = At::of(self.t, &self.point, self.n, self.m);
        let (top, bottom) = mu.split_at(self.n);
        !self.f.wrong_tangent && self.terms.pull(&at, self.f.level, [top, bottom], s, out)
    }
    /// The point, and the evaluator there.
    pub(crate) fn at(&mut self) -> (At<'_, S>, &mut Evaluator<S>) {
        (At::of(self.t, &self.point, self.n, self.m), &mut self.terms)
    }
    /// out += s (F_q δq + F_v δv).
    pub fn state_mul(&mut self, sys: &Setup, s: f64, dq: &[S], dv: &[S], out: &mut [S]) {
        let p = sys.patterns();
        let (top, bottom) = out.split_at_mut(self.n);
        if self.slots.is_some() {
            let at = At::of(self.t, &self.point, self.n, self.m);
            self.terms.push(&at, self.f.level, [dq, dv], s, [top, bottom]);
            return;
        }
        p.nn.mul(&self.top_q, s, dq, top);
        p.nn.mul(&self.top_v, s, dv, top);
        p.mn.mul(&self.bottom_q, s, dq, bottom);
        p.mn.mul(&self.bottom_v, s, dv, bottom);
    }
    /// q += s F_qᵀ μ, v += s F_vᵀ μ.
    pub fn state_mul_t(&mut self, sys: &Setup, s: f64, mu: &[S], q: &mut [S], v: &mut [S]) {
        let p = sys.patterns();
        let (top, bottom) = mu.split_at(self.n);
        if let Some(slots) = &mut self.slots {
            slots.fill(S::zero());
            let at = At::of(self.t, &self.point, self.n, self.m);
            self.terms.pull(&at, self.f.level, [top, bottom], s, [q, v, slots]);
            return;
        }
        p.nn.mul_t(&self.top_q, s, top, q);
        p.nn.mul_t(&self.top_v, s, top, v);
        p.mn.mul_t(&self.bottom_q, s, bottom, q);
        p.mn.mul_t(&self.bottom_v, s, bottom, v);
    }
    /// out += F_v δv + F_a δa.
    pub fn rate_mul(&self, sys: &Setup, dv: &[S], da: &[S], out: &mut [S]) {
        let p = sys.patterns();
        let (top, bottom) = out.split_at_mut(self.n);
        p.nn.mul(&self.top_v, 1.0, dv, top);
        p.nn.mul(self.terms.mass(), 1.0, da, top);
        p.mn.mul(&self.bottom_v, 1.0, dv, bottom);
        if self.f.level[2] != 0.0 {
            p.mn.mul(self.terms.phi_q(), self.f.level[2], da, bottom);
        }
    }
    /// v += F_vᵀ μ, a += F_aᵀ μ.
    pub fn rate_mul_t(&self, sys: &Setup, mu: &[S], v: &mut [S], a: &mut [S]) {
        let p = sys.patterns();
        let (top, bottom) = mu.split_at(self.n);
        p.nn.mul_t(&self.top_v, 1.0, top, v);
        p.nn.mul_t(self.terms.mass(), 1.0, top, a);
        p.mn.mul_t(&self.bottom_v, 1.0, bottom, v);
        if self.f.level[2] != 0.0 {
            p.mn.mul_t(self.terms.phi_q(), self.f.level[2], bottom, a);
        }
    }
    /// out += F_p δ, (6).
    pub fn slot_mul(&mut self, delta: &[S], out: &mut [S]) {
        let at = At::of(self.t, &self.point, self.n, self.m);
        let (top, bottom) = out.split_at_mut(self.n);
        self.terms.balance_p(&at, at.a, at.lam, delta, top);
        self.terms.forces_p(&at, delta, top);
        self.terms.constraint_p(&at, self.f.level, delta, bottom);
    }
    /// grad += s F_pᵀ μ.
    pub fn slot_mul_t(&mut self, mu: &[S], s: f64, grad: &mut [S]) {
        let at = At::of(self.t, &self.point, self.n, self.m);
        let (top, bottom) = mu.split_at(self.n);
        self.terms.balance_p_t(&at, at.a, at.lam, top, s, grad);
        self.terms.constraint_p_t(&at, self.f.level, bottom, s, grad);
        self.terms.forces_p_t(&at, top, s, grad);
    }
}

/// The largest entry of the smallest row of Φ_q at (t, q): how a multiplier becomes a force. 1 without rows.
pub fn smallest_row(sys: &Setup, p: &[f64], t: f64, q: &[f64]) -> f64 {
    let mut terms = sys.evaluator(p);
    let mn = &sys.patterns().mn;
    terms.at(t, q);
    let rows = (0..sys.dims().m).map(|k| largest(mn.row(k).map(|pos| terms.phi_q()[pos])));
    // rows that are left out are zero
    let least = rows.filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The largest entry of M at the drawn configuration, or 1 where there is none.
pub fn largest_mass(sys: &Setup, p: &[f64]) -> f64 {
    let mut terms = sys.evaluator(p);
    if !sys.constant_mass() {
        terms.at(0.0, sys.guess());
    }
    let mut diagonal = vec![0.0; sys.dims().n];
    let long = sys.is_long() && terms.mass_diagonal(&mut diagonal);
    let mass = largest(if long { &diagonal } else { terms.mass() }.iter().copied());
    if mass > 0.0 { mass } else { 1.0 }
}
