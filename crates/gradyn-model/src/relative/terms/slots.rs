//! Products of the terms with slots, (4) of the parent: those of the elements, and those of the geometry.

use super::*;

impl Relative {
    pub(crate) fn constraint_p<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        self.row_partials(at, c, d);
        let out = &mut out[self.balls.len()..];
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.constraint_p(&here, c, delta, &mut d.inner, out);
        if self.along(at.q, at.v, Some(at.a), delta, d) {
            let mn = &self.inner.patterns().mn;
            mn.mul(&d.mn[0], 1.0, &d.dx[0], out);
            mn.mul(&d.mn[1], 1.0, &d.dx[1], out);
            mn.mul(self.inner.phi_q(&d.inner), c[2], &d.dx[2], out);
        }
    }
    pub(crate) fn constraint_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        // partials of the rows over frames, where the geometry has slots
        let &Active { shaped, rowed, .. } = d.inner.rows.active();
        if !shaped && !rowed {
            return;
        }
        if shaped {
            self.row_partials(at, c, d);
        } else {
            self.run(at.v, Some(at.a), d);
        }
        // slots of the elements
        let mu = &mu[self.balls.len()..];
        let mn = &self.inner.patterns().mn;
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.constraint_p_t(&here, c, mu, s, &mut d.inner, grad);
        // slots of the geometry: x̄ = s r_xᵀ μ, and of the rates
        if !shaped {
            return;
        }
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        mn.mul_t(&d.mn[0], s, mu, &mut d.bar[0]);
        mn.mul_t(&d.mn[1], s, mu, &mut d.bar[1]);
        mn.mul_t(self.inner.phi_q(&d.inner), s * c[2], mu, &mut d.bar[2]);
        self.pull_slots(at.q, [at.v, at.a], d, grad);
    }
    pub(crate) fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        // f_p of the elements
        self.balanced(w, lam, d);
        self.row_stress(at, lam, d);
        d.sum.fill(S::zero());
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.balance_p(&here, &d.y, &lam[self.balls.len()..], delta, &mut d.inner, &mut d.sum);
        // f_x x_p, and (Jᵀ)_p f
        if self.along(at.q, w, None, delta, d) {
            let nn = &self.inner.patterns().nn;
            nn.mul(&d.nn[0], 1.0, &d.dx[0], &mut d.sum);
            self.inner.add_momentum(1.0, &d.dx[1], &d.inner, &mut d.sum);
            self.pull_along(&d.f, &mut d.tangent, out);
        }
        // Jᵀ of the sum
        self.pull_force(&d.sum, &d.here.x[0], &d.here.pose.screws, &mut d.pulled, out);
    }
    pub(crate) fn balance_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        // f, with its partials where the geometry has slots
        let &Active { shaped, rowed, inertial, .. } = d.inner.rows.active();
        if !shaped && !rowed && !inertial {
            return;
        }
        self.balanced(w, lam, d);
        if shaped {
            self.row_stress(at, lam, d);
        } else if self.dims.m_vel > 0 {
            self.run(at.v, Some(at.a), d);
        }
        // (J μ)·f_p of the elements
        self.weigh(mu, d);
        let nn = &self.inner.patterns().nn;
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.balance_p_t(&here, &d.y, &lam[self.balls.len()..], &d.eta, s, &mut d.inner, grad);
        // (4): (J μ)·f_x x_p, and f·(J μ)_p
        if !shaped {
            return;
        }
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        nn.mul_t(&d.nn[0], s, &d.eta, &mut d.bar[0]);
        self.inner.add_momentum(s, &d.eta, &d.inner, &mut d.bar[1]);
        self.pull_rate(at.q, w, d, grad);
        self.pull_turning(at.q, mu, s, d, grad);
    }
    pub(crate) fn forces_p<S: Scalar>(&self, at: &At<S>, delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        self.unbalanced(at, d);
        d.sum.fill(S::zero());
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.forces_p(&here, delta, &mut d.inner, &mut d.sum);
        self.inner.balance_p(&here, &d.here.x[2], &d.none, delta, &mut d.inner, &mut d.sum);
        if self.along(at.q, at.v, None, delta, d) {
            self.element_tangents(at.t, d);
            let nn = &self.inner.patterns().nn;
            nn.mul(&d.nn[0], 1.0, &d.dx[0], &mut d.sum);
            nn.mul(&d.nn[1], 1.0, &d.dx[1], &mut d.sum);
            self.inner.add_momentum(1.0, &d.dx[2], &d.inner, &mut d.sum);
            self.pull_along(&d.f, &mut d.tangent, out);
        }
        self.pull_force(&d.sum, &d.here.x[0], &d.here.pose.screws, &mut d.pulled, out);
    }
    pub(crate) fn forces_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        let &Active { shaped, inertial, .. } = d.inner.rows.active();
        if shaped {
            self.unbalanced(at, d);
        } else {
            // forces read no accelerations: the motions of the other terms serve, unless masses need γ
            self.run(at.v, Some(at.a).filter(|_| !inertial), d);
        }
        self.weigh(mu, d);
        let nn = &self.inner.patterns().nn;
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.forces_p_t(&here, &d.eta, s, &mut d.inner, grad);
        if inertial {
            self.inner.balance_p_t(&here, &d.here.x[2], &d.none, &d.eta, s, &mut d.inner, grad);
        }
        if !shaped {
            return;
        }
        self.element_tangents(at.t, d);
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        nn.mul_t(&d.nn[0], s, &d.eta, &mut d.bar[0]);
        nn.mul_t(&d.nn[1], s, &d.eta, &mut d.bar[1]);
        self.inner.add_momentum(s, &d.eta, &d.inner, &mut d.bar[2]);
        let rest = std::mem::take(&mut d.rest);
        self.pull_slots(at.q, [at.v, &rest], d, grad);
        d.rest = rest;
        self.pull_turning(at.q, mu, s, d, grad);
    }
}
