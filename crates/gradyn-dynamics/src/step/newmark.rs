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

use super::{IntegrandRows, Layout, Report, Span, Step};
use crate::error::StepError;
use crate::formulation::{Lagrange, Linear};
use crate::initial::{self, Initial, row_or_coordinate};
use crate::kkt_map::KktMap;
use gradyn_model::{At, Set, System};
use gradyn_num::{Kkt, ProgramScalar};

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
    newton: KktMap,
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
    g: [IntegrandRows; 2],
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
        let (n, rows) = (self.sys.dims().n, self.sys.dims().m);
        l.newton
            .refactor(
                |k| sm * (m.top_q[k] - cv * m.top_v[k] - ca * mass[k]),
                |k| sc * (m.bottom_q[k] - cv * m.bottom_v[k] - ca * c2 * phi_q[k]),
                phi_q,
                sc / sm * self.f.compliance,
            )
            .map_err(|s| {
                let index = if s.index < n { rows + s.index } else { s.index - n };
                StepError::Singular { t, equation: row_or_coordinate(self.sys, index) }
            })
    }
    fn solve_motion(&self, h: f64, l: &mut KktMap, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
        l.solve(b);
        b[n..].iter_mut().for_each(|l| *l /= sm);
    }
    fn solve_motion_t(&self, h: f64, l: &mut KktMap, b: &mut [f64], n: usize) {
        let (sm, sc) = self.scales(h);
        b[n..].iter_mut().for_each(|l| *l /= sm);
        l.solve_t(b);
        b[..n].iter_mut().for_each(|b| *b *= sm);
        b[n..].iter_mut().for_each(|b| *b *= sc);
    }
    /// Newton on (3) from the prediction in (q, λ) of `x`; leaves (v*, a*) in `l.star`.
    fn motion(&self, span: Span<f64>, past: &[f64], l: &mut NewmarkLinear<Y>, x: &mut [f64]) -> Result<Report, StepError> {
        let (lay, t, h, o) = (self.layout(), span.end(), span.h, self.multiplier());
        let (n, m) = (lay.n, lay.m);
        let mut report = Report::default();
        let (mut best, mut stalled, mut stale, mut converged) = (f64::INFINITY, 0, true, false);
        loop {
            self.star(h, &x[..n], past, &mut l.star);
            let (v_star, a_star) = l.star.split_at(n);
            let at = At { t, q: &x[..n], v: v_star, a: a_star, lam: &x[o..o + m] };
            self.sys.place(t, at.q, &mut l.motion.data);
            if converged {
                return Ok(report);
            }
            self.f.residual(self.sys, &at, &mut l.motion.data, &mut l.b);
            if l.b.iter().any(|r| !r.is_finite()) {
                return Err(self.diverged(span, report.iterations, f64::NAN, &l.b, m));
            }
            if stale {
                l.motion.set_placed(self.sys, &at);
                self.factor_motion(t, h, l)?;
                report.factorizations += 1;
            }
            l.values.copy_from_slice(&l.b);
            self.solve_motion(h, &mut l.newton, &mut l.b, n);
            x[..n].iter_mut().zip(&l.b).for_each(|(x, d)| *x -= d);
            x[o..o + m].iter_mut().zip(&l.b[n..]).for_each(|(x, d)| *x -= d);
            report.iterations += 1;
            let scale = x[..n].iter().fold(0.0f64, |s, q| s.max(q.abs()));
            let size = l.b[..n].iter().fold(0.0f64, |s, d| s.max(d.abs())) / if scale > 0.0 { scale } else { 1.0 };
            if !size.is_finite() || report.iterations == MAX_ITERATIONS {
                return Err(self.diverged(span, report.iterations, size, &l.values, m));
            }
            // at rounding, or no longer falling; one more pass places v*, a* and Φ_q
            stalled = if size > 0.3 * best { stalled + 1 } else { 0 };
            let stagnates = (stalled >= 1 && size < 1e-12) || (stalled >= 3 && size < 1e-9);
            converged = size <= self.tolerance.max(4.0 * f64::EPSILON) || stagnates;
            stale = !converged && size > 0.25 * best; // slow: a fresh tangent
            best = best.min(size);
        }
    }
    fn diverged(&self, span: Span<f64>, iterations: usize, correction: f64, r: &[f64], m: usize) -> StepError {
        let (t, n) = (span.end(), r.len() - m);
        if let Some(i) = r.iter().position(|r| !r.is_finite()) {
            let index = if i < n { m + i } else { i - n };
            return StepError::NotFinite { t, equation: row_or_coordinate(self.sys, index) };
        }
        let worst = (0..r.len()).fold(0, |w, i| if r[i].abs() > r[w].abs() { i } else { w });
        let name = row_or_coordinate(self.sys, if worst < n { m + worst } else { worst - n });
        StepError::Newton { t, h: span.h, iterations, correction, residual: r[worst].abs(), worst: name }
    }
    /// (4) and (5): one factor.
    fn projections(&self, t: f64, l: &mut NewmarkLinear<Y>, x: &mut [f64]) -> Result<(), StepError> {
        let lay = self.layout();
        let (n, m) = (lay.n, lay.m);
        if !self.project {
            x[n..3 * n].copy_from_slice(&l.star);
            return Ok(());
        }
        l.kkt
            .refactor(self.sys.phi_q(&l.motion.data), 0.0)
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(self.sys, s.index) })?;
        for (k, sigma) in self.sigma().into_iter().enumerate() {
            // M (v - v*) + Φ_qᵀ σ = 0, Φ̇(v*) + Φ_q (v - v*) = 0
            let o = (k + 1) * n;
            x[o..o + n].copy_from_slice(&l.star[k * n..(k + 1) * n]);
            let mut c = [0.0; 3];
            c[k + 1] = 1.0;
            l.b.fill(0.0);
            self.sys.constraint(&lay.node(t, x), c, &mut l.motion.data, &mut l.b[n..]);
            l.b[n..].iter_mut().for_each(|b| *b = -*b);
            l.kkt.solve(&mut l.b);
            x[o..o + n].iter_mut().zip(&l.b).for_each(|(x, d)| *x += d);
            x[sigma..sigma + m].copy_from_slice(&l.b[n..]);
        }
        // (6)
        let (star, sigma) = (self.multiplier(), self.sigma()[1]);
        (0..m).for_each(|k| x[lay.lam() + k] = x[star + k] + x[sigma + k]);
        Ok(())
    }
    /// The unknowns of one block: (b[o..o + n], b[s..s + m]) into `l.b`.
    fn gather(l: &mut [f64], b: &[f64], o: usize, s: usize, n: usize) {
        let m = l.len() - n;
        l[..n].copy_from_slice(&b[o..o + n]);
        l[n..].copy_from_slice(&b[s..s + m]);
    }
    fn scatter(l: &[f64], b: &mut [f64], o: usize, s: usize, n: usize) {
        b[o..o + n].copy_from_slice(&l[..n]);
        b[s..s + l.len() - n].copy_from_slice(&l[n..]);
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
        let mut kkt = Kkt::new(&pat.nn, &pat.mn)?;
        kkt.prepare(sys.mass(&motion.data))?;
        let law = Lagrange { wrong_tangent: self.f.wrong_tangent, ..Lagrange::ACCELERATION };
        Ok(NewmarkLinear {
            initial: Initial::new(sys, law, self.layout(), p)?,
            first: true,
            h: 0.0,
            motion,
            newton: KktMap::new(pat)?,
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
    fn noise(&self, h: f64, [q, v, a, lam, z]: [f64; 5], mass: f64) -> [f64; 5] {
        // v = q/(βh), a = q/(βh²), λ ~ m a
        let (ε, few, amplified) = (f64::EPSILON, 1e3, 64.0 / (self.beta * h * h));
        let a = few * (a + lam / mass) + amplified * q;
        [few * q, few * v + amplified * h * q, a, few * lam + mass * a, amplified.max(few) * z].map(|x| x * ε)
    }
    fn residual<S: ProgramScalar>(
        &self,
        span: Span<S>,
        angles: &[f64],
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<Y, S>,
        r: &mut [S],
    ) {
        let (sys, lay) = (self.sys, self.layout());
        let (n, m, o) = (lay.n, lay.m, lay.o);
        sys.set_angles(angles, &mut w.data);
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
            let mut c = [0.0; 3];
            c[k + 1] = 1.0;
            r[s..s + m].fill(S::zero());
            sys.constraint(&at, c, &mut w.data, &mut r[s..s + m]);
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
        angles: &[f64],
        past: Option<&[f64]>,
        l: &mut NewmarkLinear<Y>,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (sys, lay, h) = (self.sys, self.layout(), span.h);
        let (n, o, z) = (lay.n, lay.o, lay.z());
        let Some(past) = past else { return l.initial.advance(sys, span.t, angles, x) };
        // g₀
        sys.set_angles(angles, &mut l.motion.data);
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
        angles: &[f64],
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut NewmarkLinear<Y>,
    ) -> Result<(), StepError> {
        let (sys, lay) = (self.sys, self.layout());
        let (n, m, t) = (lay.n, lay.m, span.end());
        (l.first, l.h, l.t) = (past.is_none(), span.h, t);
        let Some(past) = past else { return l.initial.linearise(sys, span.t, angles, x) };
        sys.set_angles(angles, &mut l.motion.data);
        // (7) at the past
        if lay.o > 0 {
            sys.set_time(span.t, &mut l.motion.data);
            l.g[0].set(sys, &lay.node(span.t, past), &mut l.motion.data);
        }
        // (3), which places the data at the node
        let at = lay.node(t, x);
        self.star(span.h, at.q, past, &mut l.star);
        let (v_star, a_star) = l.star.split_at(n);
        let star = self.multiplier();
        l.motion.set(sys, &At { v: v_star, a: a_star, lam: &x[star..star + m], ..at });
        l.g[1].set(sys, &at, &mut l.motion.data);
        self.factor_motion(t, span.h, l)?;
        if !self.project {
            return Ok(());
        }
        // (4), (5)
        l.kkt
            .refactor(sys.phi_q(&l.motion.data), 0.0)
            .map_err(|s| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) })?;
        l.point.copy_from_slice(&x[..lay.z()]);
        l.sigma.copy_from_slice(&x[lay.head()..lay.head() + 2 * m]);
        for i in 0..2 * n {
            l.diff[i] = x[n + i] - l.star[i];
        }
        [&mut l.dphi_q, &mut l.ddphi_q, &mut l.ddphi_v, &mut l.v_q, &mut l.a_q].into_iter().for_each(|x| x.fill(0.0));
        sys.constraint_q(&at, [0.0, 1.0, 0.0], &mut l.motion.data, &mut l.dphi_q);
        sys.constraint_q(&at, [0.0, 0.0, 1.0], &mut l.motion.data, &mut l.ddphi_q);
        sys.constraint_v(&at, [0.0, 0.0, 1.0], &mut l.motion.data, &mut l.ddphi_v);
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
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve(sys, b);
        }
        let (n, m) = (lay.n, lay.m);
        // positions
        let star = self.multiplier();
        Self::gather(&mut l.b, b, 0, star, n);
        self.solve_motion(l.h, &mut l.newton, &mut l.b, n);
        Self::scatter(&l.b, b, 0, star, n);
        let (q, rest) = b.split_at_mut(n);
        if self.project {
            let p = sys.patterns();
            let [sv, sa] = self.sigma().map(|s| s - n);
            // velocities
            p.nn.mul(&l.v_q, -1.0, q, &mut rest[..n]);
            p.mn.mul(&l.dphi_q, -1.0, q, &mut rest[sv..sv + m]);
            Self::gather(&mut l.b, rest, 0, sv, n);
            l.kkt.solve(&mut l.b);
            Self::scatter(&l.b, rest, 0, sv, n);
            // accelerations
            p.nn.mul(&l.a_q, -1.0, q, &mut rest[n..2 * n]);
            p.mn.mul(&l.ddphi_q, -1.0, q, &mut rest[sa..sa + m]);
            p.mn.mul(&l.ddphi_v, -1.0, &l.b[..n], &mut rest[sa..sa + m]);
            Self::gather(&mut l.b, rest, n, sa, n);
            l.kkt.solve(&mut l.b);
            Self::scatter(&l.b, rest, n, sa, n);
            // multipliers
            (0..m).for_each(|k| rest[2 * n + k] += rest[star - n + k] + rest[sa + k]);
        } else {
            let [[cv, ..], [ca, ..]] = self.coefficients(l.h);
            for i in 0..n {
                rest[i] -= cv * q[i];
                rest[n + i] -= ca * q[i];
            }
        }
        // quadrature
        for k in 0..lay.o {
            let g = l.g[1].mul(k, b);
            b[lay.z() + k] += 0.5 * l.h * g;
        }
    }
    /// The same blocks upwards [A22, Eqs. 27c, 27b, 27a,d].
    fn solve_t(&self, l: &mut NewmarkLinear<Y>, b: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve_t(sys, b);
        }
        let (n, m, star) = (lay.n, lay.m, self.multiplier());
        for k in 0..lay.o {
            let mu = b[lay.z() + k];
            l.g[1].mul_t(k, 0.5 * l.h * mu, &mut b[..lay.z()]);
        }
        let (q, rest) = b.split_at_mut(n);
        if self.project {
            let p = sys.patterns();
            let [sv, sa] = self.sigma().map(|s| s - n);
            // multipliers
            for k in 0..m {
                rest[star - n + k] += rest[2 * n + k];
                rest[sa + k] += rest[2 * n + k];
            }
            // accelerations
            Self::gather(&mut l.b, rest, n, sa, n);
            l.kkt.solve(&mut l.b);
            Self::scatter(&l.b, rest, n, sa, n);
            p.nn.mul_t(&l.a_q, -1.0, &l.b[..n], q);
            p.mn.mul_t(&l.ddphi_q, -1.0, &l.b[n..], q);
            p.mn.mul_t(&l.ddphi_v, -1.0, &l.b[n..], &mut rest[..n]);
            // velocities
            Self::gather(&mut l.b, rest, 0, sv, n);
            l.kkt.solve(&mut l.b);
            Self::scatter(&l.b, rest, 0, sv, n);
            p.nn.mul_t(&l.v_q, -1.0, &l.b[..n], q);
            p.mn.mul_t(&l.dphi_q, -1.0, &l.b[n..n + m], q);
        } else {
            let [[cv, ..], [ca, ..]] = self.coefficients(l.h);
            for i in 0..n {
                q[i] -= cv * rest[i] + ca * rest[n + i];
            }
        }
        // positions
        Self::gather(&mut l.b, b, 0, star, n);
        self.solve_motion_t(l.h, &mut l.newton, &mut l.b, n);
        Self::scatter(&l.b, b, 0, star, n);
    }
    fn past_mul(&self, l: &mut NewmarkLinear<Y>, s: &[f64], r: &mut [f64]) {
        if l.first {
            return;
        }
        let (sys, lay) = (self.sys, self.layout());
        let n = lay.n;
        let c = self.coefficients(l.h);
        for i in 0..n {
            for k in 0..2 {
                l.star[k * n + i] = c[k][0] * s[i] + c[k][1] * s[n + i] + c[k][2] * s[2 * n + i];
            }
        }
        let (dv, da) = l.star.split_at(n);
        Self::gather(&mut l.b, r, 0, self.multiplier(), n);
        l.motion.rate_mul(sys, dv, da, &mut l.b);
        Self::scatter(&l.b, r, 0, self.multiplier(), n);
        for (k, d) in [dv, da].into_iter().enumerate() {
            let r = &mut r[(k + 1) * n..(k + 2) * n];
            if self.project {
                sys.patterns().nn.mul(sys.mass(&l.motion.data), -1.0, d, r);
            } else {
                r.iter_mut().zip(d).for_each(|(r, d)| *r -= d);
            }
        }
        for k in 0..lay.o {
            r[lay.z() + k] -= s[lay.z() + k] + 0.5 * l.h * l.g[0].mul(k, s);
        }
    }
    fn past_mul_t(&self, l: &mut NewmarkLinear<Y>, mu: &[f64], out: &mut [f64]) {
        if l.first {
            return;
        }
        let (sys, lay) = (self.sys, self.layout());
        let n = lay.n;
        Self::gather(&mut l.b, mu, 0, self.multiplier(), n);
        l.star.fill(0.0);
        let (v, a) = l.star.split_at_mut(n);
        l.motion.rate_mul_t(sys, &l.b, v, a);
        for (k, x) in [v, a].into_iter().enumerate() {
            let mu = &mu[(k + 1) * n..(k + 2) * n];
            if self.project {
                sys.patterns().nn.mul_t(sys.mass(&l.motion.data), -1.0, mu, x);
            } else {
                x.iter_mut().zip(mu).for_each(|(x, m)| *x -= m);
            }
        }
        let c = self.coefficients(l.h);
        for i in 0..n {
            for b in 0..3 {
                out[b * n + i] += c[0][b] * l.star[i] + c[1][b] * l.star[n + i];
            }
        }
        for k in 0..lay.o {
            let mu = mu[lay.z() + k];
            out[lay.z() + k] -= mu;
            l.g[0].mul_t(k, -0.5 * l.h * mu, &mut out[..lay.z()]);
        }
    }
    fn slot_mul(&self, l: &mut NewmarkLinear<Y>, delta: &[f64], r: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul(sys, delta, r);
        }
        let (n, m) = (lay.n, lay.m);
        Self::gather(&mut l.b, r, 0, self.multiplier(), n);
        l.motion.slot_mul(sys, delta, &mut l.b);
        Self::scatter(&l.b, r, 0, self.multiplier(), n);
        if self.project {
            let at = At::of(l.t, &l.point, n, m);
            for (k, s) in self.sigma().into_iter().enumerate() {
                let (w, sigma) = (&l.diff[k * n..(k + 1) * n], &l.sigma[k * m..(k + 1) * m]);
                sys.balance_p(&at, w, sigma, delta, &mut l.motion.data, &mut r[(k + 1) * n..(k + 2) * n]);
                let mut c = [0.0; 3];
                c[k + 1] = 1.0;
                sys.constraint_p(&at, c, delta, &mut l.motion.data, &mut r[s..s + m]);
            }
        }
        for k in 0..lay.o {
            let g = l.g[0].slot_mul(sys, k, delta) + l.g[1].slot_mul(sys, k, delta);
            r[lay.z() + k] -= 0.5 * l.h * g;
        }
    }
    fn slot_mul_t(&self, l: &mut NewmarkLinear<Y>, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul_t(sys, mu, s, grad);
        }
        let (n, m) = (lay.n, lay.m);
        Self::gather(&mut l.b, mu, 0, self.multiplier(), n);
        l.motion.slot_mul_t(sys, &l.b, s, grad);
        if self.project {
            let at = At::of(l.t, &l.point, n, m);
            for (k, o) in self.sigma().into_iter().enumerate() {
                let (w, sigma) = (&l.diff[k * n..(k + 1) * n], &l.sigma[k * m..(k + 1) * m]);
                sys.balance_p_t(&at, w, sigma, &mu[(k + 1) * n..(k + 2) * n], s, &mut l.motion.data, grad);
                let mut c = [0.0; 3];
                c[k + 1] = 1.0;
                sys.constraint_p_t(&at, c, &mu[o..o + m], s, &mut l.motion.data, grad);
            }
        }
        for k in 0..lay.o {
            let mu = -0.5 * l.h * s * mu[lay.z() + k];
            l.g.iter().for_each(|g| g.slot_mul_t(sys, k, mu, grad));
        }
    }
    /// Cubic Hermite through (q, v) at both ends.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        angles: &[f64],
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
            angles,
            &mut l.motion.data,
            &mut l.kkt,
            out,
        )
    }
}
