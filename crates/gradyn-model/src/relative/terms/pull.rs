//! One backward sweep over all terms at a point, (4) and (5) of the parent.

use super::*;

impl Relative {
    /// Products with the rows that keep the length of Euler parameters.
    pub(super) fn norms_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        q: &mut [S],
        v: &mut [S],
    ) {
        for (row, k, _) in self.norms() {
            q[k] +=
                (rows[row] * (at.q[k] * c[0] + at.v[k] * c[1] + at.a[k] * c[2]) + at.lam[row] * mu[k]) * s;
            v[k] += rows[row] * (at.q[k] * c[1] + at.v[k] * (2.0 * c[2])) * s;
        }
    }
}

impl<S: Scalar> TreeTerms<S> {
    pub(crate) fn pull(
        &mut self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        [q, v, grad]: [&mut [S]; 3],
    ) {
        // norms; frames at (q, v, a), η = J μ
        let &Active { shaped, .. } = self.inner.rows.active();
        self.tree.norms_t(at, c, [mu, rows], s, q, v);
        self.run(at.v, Some(at.a));
        self.weigh(mu);
        // f, and cotangents of (x, ẋ, ẍ) by the elements
        self.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        self.f.fill(S::zero());
        let [x, x_rate, x_second] = &mut self.bar;
        let eta = &self.eta;
        let rows = &rows[self.tree.balls.len()..];
        let lam = &at.lam[self.tree.balls.len()..];
        let here = inner_at(at.t, &self.here.x, lam);
        self.inner.balance(here.a, here.lam, &mut self.f);
        self.inner.pull_with_forces(&here, c, [eta, rows], s, [x, x_rate, grad], Some(&mut self.f));
        self.inner.add_momentum(s, eta, x_second);
        self.tree.inner.patterns().mn.mul_t(self.inner.phi_q(), s * c[2], rows, x_second);
        // (J μ)·f_z and its slots
        self.pull_state([&mut *q, v]);
        if shaped {
            self.pull_slots(at.q, [at.v, at.a], grad);
        }
        // f·(J μ)_z and its slots
        self.pull_turned(at.q, mu, s, q);
        if shaped {
            self.pull_turning(at.q, mu, s, grad);
        }
    }
    /// The cotangents in `self.bar`, back to (z, ż).
    pub(in crate::relative) fn pull_state(&mut self, [q, v]: [&mut [S]; 2]) {
        self.tree.seconds(&mut self.here);
        let [x, x_rate, x_second] = &self.bar;
        let m = &self.here;
        let levels = Levels { x: m.lists(), bars: [x, x_rate, x_second], screws: m.screws() };
        self.tree.pull_coordinates(levels, &mut self.pulled, [Some(q), Some(v), None]);
    }
    /// q += s f·(J μ)_z, with f in `self.f` and J μ in `self.eta`.
    pub(super) fn pull_turned(&mut self, z: &[S], mu: &[S], s: f64, q: &mut [S]) {
        self.tree.chain.screw_rates(z, mu, &self.v, &self.here.pose, &mut self.rates);
        let [none, f, _] = &mut self.bar;
        let m = &self.here;
        none.fill(S::zero());
        f.iter_mut().zip(&self.f).for_each(|(b, f)| *b = *f * s);
        let levels =
            Levels { x: [&m.x[0], &self.eta], bars: [none, f], screws: [&m.pose.screws, &self.rates] };
        self.tree.pull_coordinates(levels, &mut self.pulled, [Some(q), None]);
    }
}
