//! Products of the terms with slots, (4) of the parent: those of the elements, and those of the geometry.

use super::*;

impl<S: Scalar> TreeTerms<S> {
    pub(crate) fn constraint_p(&mut self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.row_partials(at, c);
        let out = &mut out[self.tree.balls.len()..];
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.constraint_p(&here, c, delta, out);
        if self.along(at.q, at.v, Some(at.a), delta) {
            let mn = &self.tree.inner.patterns().mn;
            mn.mul(&self.mn[0], 1.0, &self.dx[0], out);
            mn.mul(&self.mn[1], 1.0, &self.dx[1], out);
            mn.mul(self.inner.phi_q(), c[2], &self.dx[2], out);
        }
    }
    pub(crate) fn constraint_p_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, grad: &mut [S]) {
        // partials of the rows over frames, where the geometry has slots
        let &Active { shaped, rowed, .. } = self.inner.rows.active();
        if !shaped && !rowed {
            return;
        }
        if shaped {
            self.row_partials(at, c);
        } else {
            self.run(at.v, Some(at.a));
        }
        // slots of the elements
        let mu = &mu[self.tree.balls.len()..];
        let mn = &self.tree.inner.patterns().mn;
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.constraint_p_t(&here, c, mu, s, grad);
        // slots of the geometry: x̄ = s r_xᵀ μ, and of the rates
        if !shaped {
            return;
        }
        self.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        mn.mul_t(&self.mn[0], s, mu, &mut self.bar[0]);
        mn.mul_t(&self.mn[1], s, mu, &mut self.bar[1]);
        mn.mul_t(self.inner.phi_q(), s * c[2], mu, &mut self.bar[2]);
        self.pull_slots(at.q, [at.v, at.a], grad);
    }
    pub(crate) fn balance_p(&mut self, at: &At<S>, w: &[S], lam: &[S], delta: &[S], out: &mut [S]) {
        // f_p of the elements
        self.balanced(w, lam);
        self.row_stress(at, lam);
        self.sum.fill(S::zero());
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.balance_p(&here, &self.y, &lam[self.tree.balls.len()..], delta, &mut self.sum);
        // f_x x_p, and (Jᵀ)_p f
        if self.along(at.q, w, None, delta) {
            let nn = &self.tree.inner.patterns().nn;
            nn.mul(&self.nn[0], 1.0, &self.dx[0], &mut self.sum);
            self.inner.add_momentum(1.0, &self.dx[1], &mut self.sum);
            self.tree.pull_along(&self.f, &mut self.tangent, out);
        }
        // Jᵀ of the sum
        self.tree.pull_force(&self.sum, &self.here.x[0], &self.here.pose.screws, &mut self.pulled, out);
    }
    pub(crate) fn balance_p_t(&mut self, at: &At<S>, w: &[S], lam: &[S], mu: &[S], s: f64, grad: &mut [S]) {
        // f, with its partials where the geometry has slots
        let &Active { shaped, rowed, inertial, .. } = self.inner.rows.active();
        if !shaped && !rowed && !inertial {
            return;
        }
        self.balanced(w, lam);
        if shaped {
            self.row_stress(at, lam);
        } else if self.tree.dims.m_vel > 0 {
            self.run(at.v, Some(at.a));
        }
        // (J μ)·f_p of the elements
        self.weigh(mu);
        let nn = &self.tree.inner.patterns().nn;
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.balance_p_t(&here, &self.y, &lam[self.tree.balls.len()..], &self.eta, s, grad);
        // (4): (J μ)·f_x x_p, and f·(J μ)_p
        if !shaped {
            return;
        }
        self.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        nn.mul_t(&self.nn[0], s, &self.eta, &mut self.bar[0]);
        self.inner.add_momentum(s, &self.eta, &mut self.bar[1]);
        self.pull_rate(at.q, w, grad);
        self.pull_turning(at.q, mu, s, grad);
    }
    pub(crate) fn forces_p(&mut self, at: &At<S>, delta: &[S], out: &mut [S]) {
        self.unbalanced(at);
        self.sum.fill(S::zero());
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.forces_p(&here, delta, &mut self.sum);
        self.inner.balance_p(&here, &self.here.x[2], &self.none, delta, &mut self.sum);
        if self.along(at.q, at.v, None, delta) {
            self.element_tangents(at.t);
            let nn = &self.tree.inner.patterns().nn;
            nn.mul(&self.nn[0], 1.0, &self.dx[0], &mut self.sum);
            nn.mul(&self.nn[1], 1.0, &self.dx[1], &mut self.sum);
            self.inner.add_momentum(1.0, &self.dx[2], &mut self.sum);
            self.tree.pull_along(&self.f, &mut self.tangent, out);
        }
        self.tree.pull_force(&self.sum, &self.here.x[0], &self.here.pose.screws, &mut self.pulled, out);
    }
    pub(crate) fn forces_p_t(&mut self, at: &At<S>, mu: &[S], s: f64, grad: &mut [S]) {
        let &Active { shaped, inertial, .. } = self.inner.rows.active();
        if shaped {
            self.unbalanced(at);
        } else {
            // forces read no accelerations: the motions of the other terms serve, unless masses need γ
            self.run(at.v, Some(at.a).filter(|_| !inertial));
        }
        self.weigh(mu);
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.forces_p_t(&here, &self.eta, s, grad);
        if inertial {
            self.inner.balance_p_t(&here, &self.here.x[2], &self.none, &self.eta, s, grad);
        }
        if !shaped {
            return;
        }
        self.element_tangents(at.t);
        self.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        let nn = &self.tree.inner.patterns().nn;
        nn.mul_t(&self.nn[0], s, &self.eta, &mut self.bar[0]);
        nn.mul_t(&self.nn[1], s, &self.eta, &mut self.bar[1]);
        self.inner.add_momentum(s, &self.eta, &mut self.bar[2]);
        let rest = std::mem::take(&mut self.rest);
        self.pull_slots(at.q, [at.v, &rest], grad);
        self.rest = rest;
        self.pull_turning(at.q, mu, s, grad);
    }
}
