//! One backward sweep over all terms at a point, (4) and (5) of the parent.

use super::*;

impl Relative {
    pub(crate) fn pull<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        d: &mut Data<S>,
        [q, v, grad]: [&mut [S]; 3],
    ) -> bool {
        // norms; frames at (q, v, a), η = J μ
        let &Active { shaped, .. } = d.inner.rows.active();
        self.norms_t(at, c, [mu, rows], s, q, v);
        self.run(at.v, Some(at.a), d);
        self.weigh(mu, d);
        // f, and cotangents of (x, ẋ, ẍ) by the elements
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        d.f.fill(S::zero());
        let [x, x_rate, x_second] = &mut d.bar;
        let inner = &mut d.inner;
        let eta = &d.eta;
        let rows = &rows[self.balls.len()..];
        let lam = &at.lam[self.balls.len()..];
        let here = self.inner_at(at.t, &d.here.x, lam);
        self.inner.balance(here.a, here.lam, inner, &mut d.f);
        self.inner.pull_with_forces(&here, c, [eta, rows], s, inner, [x, x_rate, grad], Some(&mut d.f));
        self.inner.add_momentum(s, eta, inner, x_second);
        self.inner.patterns().mn.mul_t(self.inner.phi_q(inner), s * c[2], rows, x_second);
        // (J μ)·f_z and its slots
        self.pull_state(d, [&mut *q, v]);
        if shaped {
            self.pull_slots(at.q, [at.v, at.a], d, grad);
        }
        // f·(J μ)_z and its slots
        self.pull_turned(at.q, mu, s, d, q);
        if shaped {
            self.pull_turning(at.q, mu, s, d, grad);
        }
        true
    }
    /// The cotangents in `d.bar`, back to (z, ż).
    pub(super) fn pull_state<S: Scalar>(&self, d: &mut Data<S>, [q, v]: [&mut [S]; 2]) {
        self.seconds(&mut d.here);
        let [x, x_rate, x_second] = &d.bar;
        let m = &d.here;
        let levels = Levels { x: m.lists(), bars: [x, x_rate, x_second], screws: m.screws() };
        self.pull_coordinates(levels, &mut d.pulled, [Some(q), Some(v), None]);
    }
    /// q += s f·(J μ)_z, with f in `d.f` and J μ in `d.eta`.
    pub(super) fn pull_turned<S: Scalar>(&self, z: &[S], mu: &[S], s: f64, d: &mut Data<S>, q: &mut [S]) {
        self.chain.screw_rates(z, mu, &d.v, &d.here.pose, &mut d.rates);
        let [none, f, _] = &mut d.bar;
        let m = &d.here;
        none.fill(S::zero());
        f.iter_mut().zip(&d.f).for_each(|(b, f)| *b = *f * s);
        let levels = Levels { x: [&m.x[0], &d.eta], bars: [none, f], screws: [&m.pose.screws, &d.rates] };
        self.pull_coordinates(levels, &mut d.pulled, [Some(q), None]);
    }
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
