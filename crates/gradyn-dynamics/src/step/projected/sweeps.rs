//! Products of the linearised step: the step, then positions, velocities and accelerations, and upwards.
//! Numbers are those of [`super`].

use super::{Projected, ProjectedLinear, holonomic};
use crate::step::{Bound, Products};
use gradyn_model::{At, Level};

impl Products for Bound<Projected, ProjectedLinear> {
    fn solve(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, p, [tilde, sq, sv]) = (lay.n, lay.m, sys.patterns(), spec.offsets());
        // (1)
        spec.unproject(b, &mut l.x);
        l.inner.solve(&mut l.x);
        spec.spread(&l.x, b);
        // (2), (3)
        for (level, s) in [sq, sv].into_iter().enumerate() {
            // rows + M δñ, and for velocities what q changes
            let o = level * n;
            let mass = l.node.terms.mass();
            l.b[..n].copy_from_slice(&b[o..o + n]);
            l.b[n..].copy_from_slice(&b[s..s + m]);
            p.nn.mul(mass, 1.0, &b[tilde + o..tilde + o + n], &mut l.b[..n]);
            if level == 0 {
                l.position.solve(&mut l.b);
            } else {
                p.nn.mul(&l.balance[1], -1.0, &b[..n], &mut l.b[..n]);
                p.mn.mul(&l.dphi_q, -1.0, &b[..n], &mut l.b[n..]);
                l.kkt.solve(&mut l.b);
            }
            b[o..o + n].copy_from_slice(&l.b[..n]);
            b[s..s + m].copy_from_slice(&l.b[n..]);
        }
        // (4)
        let (y, u) = b[..lay.z()].split_at_mut(2 * n);
        l.node.state_mul(sys, -1.0, &y[..n], &y[n..], u);
        l.kkt.solve(u);
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, p, [tilde, sq, sv]) = (lay.n, lay.m, sys.patterns(), spec.offsets());
        // (4)
        let (y, u) = b[..lay.z()].split_at_mut(2 * n);
        l.kkt.solve(u);
        let (q, v) = y.split_at_mut(n);
        l.node.state_mul_t(sys, -1.0, u, q, v);
        // (3), then (2)
        for (level, s) in [(1, sv), (0, sq)] {
            let o = level * n;
            l.b[..n].copy_from_slice(&b[o..o + n]);
            l.b[n..].copy_from_slice(&b[s..s + m]);
            if level == 0 {
                l.position.solve_t(&mut l.b);
            } else {
                l.kkt.solve(&mut l.b);
                p.nn.mul_t(&l.balance[1], -1.0, &l.b[..n], &mut b[..n]);
                p.mn.mul_t(&l.dphi_q, -1.0, &l.b[n..], &mut b[..n]);
            }
            p.nn.mul_t(l.node.terms.mass(), 1.0, &l.b[..n], &mut b[tilde + o..tilde + o + n]);
            b[o..o + n].copy_from_slice(&l.b[..n]);
            b[s..s + m].copy_from_slice(&l.b[n..]);
        }
        // (1)
        spec.unproject(b, &mut l.x);
        l.inner.solve_t(&mut l.x);
        spec.spread(&l.x, b);
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        spec.unproject(r, &mut l.x);
        l.inner.past_mul(&s[..spec.inner.len], &mut l.x);
        spec.spread(&l.x, r);
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { spec, memory: l } = self;
        spec.unproject(mu, &mut l.x);
        l.inner.past_mul_t(&l.x, &mut out[..spec.inner.len]);
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, [_, sq, sv]) = (lay.n, lay.m, spec.offsets());
        // (1)
        spec.unproject(r, &mut l.x);
        l.inner.slot_mul(delta, &mut l.x);
        spec.spread(&l.x, r);
        // (4)
        l.node.slot_mul(delta, &mut r[2 * n..lay.z()]);
        // (2), (3)
        let at = At::of(l.t, &l.point, n, m);
        for (level, s) in [sq, sv].into_iter().enumerate() {
            let w = &l.diff[level * n..(level + 1) * n];
            let sigma = &l.sigma[level * m..(level + 1) * m];
            l.node.terms.balance_p(&at, w, sigma, delta, &mut r[level * n..(level + 1) * n]);
            l.b[n..].fill(0.0);
            l.node.terms.constraint_p(&at, Level::ALL[level], delta, &mut l.b[n..]);
            let counts = |k: &usize| level == 1 || holonomic(sys, *k);
            (0..m).filter(counts).for_each(|k| r[s + k] += l.b[n + k]);
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, [_, sq, sv]) = (lay.n, lay.m, spec.offsets());
        // (1)
        spec.unproject(mu, &mut l.x);
        l.inner.slot_mul_t(&l.x, s, grad);
        // (4)
        l.node.slot_mul_t(&mu[2 * n..lay.z()], s, grad);
        // (2), (3)
        let at = At::of(l.t, &l.point, n, m);
        for (level, o) in [sq, sv].into_iter().enumerate() {
            let w = &l.diff[level * n..(level + 1) * n];
            let sigma = &l.sigma[level * m..(level + 1) * m];
            l.node.terms.balance_p_t(&at, w, sigma, &mu[level * n..(level + 1) * n], s, grad);
            let counts = |k: usize| level == 1 || holonomic(sys, k);
            (0..m).for_each(|k| l.b[n + k] = if counts(k) { mu[o + k] } else { 0.0 });
            l.node.terms.constraint_p_t(&at, Level::ALL[level], &l.b[n..], s, grad);
        }
    }
}
