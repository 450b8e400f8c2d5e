//! Products of the linearised step: blocks downwards, upwards [A22, Eqs. 27c, 27b, 27a,d], and over the past
//! and the slots.
//! Numbers are those of [`super`].

use super::{Newmark, NewmarkLinear};
use crate::step::{Bound, Products};
use gradyn_model::{At, Level};

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

impl Products for Bound<Newmark, NewmarkLinear> {
    fn solve(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m) = (lay.n, lay.m);
        // positions
        let star = spec.multiplier();
        gather(&mut l.b, b, 0, star, n);
        spec.solve_motion(l.h, &mut l.newton, &mut l.b, n);
        scatter(&l.b, b, 0, star, n);
        let (q, rest) = b.split_at_mut(n);
        let sigma = spec.sigma().map(|s| s.map(|s| s - n));
        if let (true, Some([sv, sa])) = (l.project, sigma) {
            let p = sys.patterns();
            // velocities
            p.nn.mul(&l.v_q, -1.0, q, &mut rest[..n]);
            p.mn.mul(&l.dphi_q, -1.0, q, &mut rest[sv..sv + m]);
            gather(&mut l.b, rest, 0, sv, n);
            l.projector.solve(&mut l.b);
            scatter(&l.b, rest, 0, sv, n);
            // accelerations
            p.nn.mul(&l.a_q, -1.0, q, &mut rest[n..2 * n]);
            p.mn.mul(&l.ddphi_q, -1.0, q, &mut rest[sa..sa + m]);
            p.mn.mul(&l.ddphi_v, -1.0, &l.b[..n], &mut rest[sa..sa + m]);
            gather(&mut l.b, rest, n, sa, n);
            l.projector.solve(&mut l.b);
            scatter(&l.b, rest, n, sa, n);
        } else {
            let [[cv, ..], [ca, ..]] = spec.scheme.coefficients(l.h);
            for i in 0..n {
                rest[i] -= cv * q[i];
                rest[n + i] -= ca * q[i];
            }
        }
        // multipliers
        if let Some([_, sa]) = sigma {
            (0..m).for_each(|k| rest[2 * n + k] += rest[star - n + k] + rest[sa + k]);
        }
        // â
        if spec.scheme.auxiliary() {
            let (aux, c) = (spec.auxiliary(), spec.scheme.filter());
            (0..n).for_each(|i| b[aux + i] += c[0] * b[2 * n + i]);
        }
        // quadrature
        for k in 0..lay.o {
            let g = l.g.at[1].mul(k, b);
            b[lay.z() + k] += 0.5 * l.h * g;
        }
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, star) = (lay.n, lay.m, spec.multiplier());
        for k in 0..lay.o {
            let mu = b[lay.z() + k];
            l.g.at[1].mul_t(k, 0.5 * l.h * mu, &mut b[..lay.z()]);
        }
        // â
        if spec.scheme.auxiliary() {
            let (aux, c) = (spec.auxiliary(), spec.scheme.filter());
            (0..n).for_each(|i| b[2 * n + i] += c[0] * b[aux + i]);
        }
        let (q, rest) = b.split_at_mut(n);
        let sigma = spec.sigma().map(|s| s.map(|s| s - n));
        // multipliers
        if let Some([_, sa]) = sigma {
            for k in 0..m {
                rest[star - n + k] += rest[2 * n + k];
                rest[sa + k] += rest[2 * n + k];
            }
        }
        if let (true, Some([sv, sa])) = (l.project, sigma) {
            let p = sys.patterns();
            // accelerations
            gather(&mut l.b, rest, n, sa, n);
            l.projector.solve_t(&mut l.b);
            scatter(&l.b, rest, n, sa, n);
            p.nn.mul_t(&l.a_q, -1.0, &l.b[..n], q);
            p.mn.mul_t(&l.ddphi_q, -1.0, &l.b[n..], q);
            p.mn.mul_t(&l.ddphi_v, -1.0, &l.b[n..], &mut rest[..n]);
            // velocities
            gather(&mut l.b, rest, 0, sv, n);
            l.projector.solve_t(&mut l.b);
            scatter(&l.b, rest, 0, sv, n);
            p.nn.mul_t(&l.v_q, -1.0, &l.b[..n], q);
            p.mn.mul_t(&l.dphi_q, -1.0, &l.b[n..n + m], q);
        } else {
            let [[cv, ..], [ca, ..]] = spec.scheme.coefficients(l.h);
            for i in 0..n {
                q[i] -= cv * rest[i] + ca * rest[n + i];
            }
        }
        // positions
        gather(&mut l.b, b, 0, star, n);
        spec.solve_motion_t(l.h, &mut l.newton, &mut l.b, n);
        scatter(&l.b, b, 0, star, n);
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let n = lay.n;
        let aux = spec.auxiliary();
        let c = spec.scheme.coefficients(l.h);
        // (δv*, δa*) = slopes of (1), (2) in the past
        for i in 0..n {
            for k in 0..2 {
                l.star[k * n + i] =
                    c[k][0] * s[i] + c[k][1] * s[n + i] + c[k][2] * s[aux + i] + c[k][3] * s[2 * n + i];
            }
        }
        let (dv, da) = l.star.split_at(n);
        // (3)
        gather(&mut l.b, r, 0, spec.multiplier(), n);
        l.motion.rate_mul(sys, dv, da, &mut l.b);
        scatter(&l.b, r, 0, spec.multiplier(), n);
        // (4), (5): -P̄ δ*, or -δ* without projections
        for (k, d) in [dv, da].into_iter().enumerate() {
            let r = &mut r[(k + 1) * n..(k + 2) * n];
            if l.project {
                sys.patterns().nn.mul(l.projector.matrix(&l.motion.terms), -1.0, d, r);
                if let Some(p_v) = l.projector.matrix_v(k) {
                    sys.patterns().nn.mul(p_v, 1.0, dv, r);
                }
            } else {
                r.iter_mut().zip(d).for_each(|(r, d)| *r -= d);
            }
        }
        // (8)
        if spec.scheme.auxiliary() {
            let c = spec.scheme.filter();
            (0..n).for_each(|i| r[aux + i] -= c[1] * s[2 * n + i] + c[2] * s[aux + i]);
        }
        // (7)
        for k in 0..lay.o {
            r[lay.z() + k] -= s[lay.z() + k] + 0.5 * l.h * l.g.at[0].mul(k, s);
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let n = lay.n;
        // (3)
        gather(&mut l.b, mu, 0, spec.multiplier(), n);
        l.star.fill(0.0);
        let (v, a) = l.star.split_at_mut(n);
        l.motion.rate_mul_t(sys, &l.b, v, a);
        // (4), (5): -P̄ᵀ μ, or -μ without projections
        for (k, x) in [&mut *v, a].into_iter().enumerate() {
            let mu = &mu[(k + 1) * n..(k + 2) * n];
            if l.project {
                sys.patterns().nn.mul_t(l.projector.matrix(&l.motion.terms), -1.0, mu, x);
            } else {
                x.iter_mut().zip(mu).for_each(|(x, m)| *x -= m);
            }
        }
        // P̄ itself follows v*
        for k in (0..2).filter(|_| l.project) {
            if let Some(p_v) = l.projector.matrix_v(k) {
                sys.patterns().nn.mul_t(p_v, 1.0, &mu[(k + 1) * n..(k + 2) * n], v);
            }
        }
        // (v*, a*) back to the past by (1), (2)
        let aux = spec.auxiliary();
        let c = spec.scheme.coefficients(l.h);
        for i in 0..n {
            for (b, o) in [0, n, aux, 2 * n].into_iter().enumerate() {
                out[o + i] += c[0][b] * l.star[i] + c[1][b] * l.star[n + i];
            }
        }
        // (8)
        if spec.scheme.auxiliary() {
            let c = spec.scheme.filter();
            for i in 0..n {
                out[2 * n + i] -= c[1] * mu[aux + i];
                out[aux + i] -= c[2] * mu[aux + i];
            }
        }
        // (7)
        for k in 0..lay.o {
            let mu = mu[lay.z() + k];
            out[lay.z() + k] -= mu;
            l.g.at[0].mul_t(k, -0.5 * l.h * mu, &mut out[..lay.z()]);
        }
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m) = (lay.n, lay.m);
        // (3)
        gather(&mut l.b, r, 0, spec.multiplier(), n);
        l.motion.slot_mul(delta, &mut l.b);
        scatter(&l.b, r, 0, spec.multiplier(), n);
        // (4), (5)
        if let (true, Some(sigma)) = (l.project, spec.sigma()) {
            let at = At::of(l.t, &l.point, n, m);
            l.projector.slot_mul(sys, delta, n, r);
            for (k, s) in sigma.into_iter().enumerate() {
                let w = &l.diff[k * n..(k + 1) * n];
                let sigma = &l.sigma[k * m..(k + 1) * m];
                l.motion.terms.balance_p(&at, w, sigma, delta, &mut r[(k + 1) * n..(k + 2) * n]);
                l.motion.terms.constraint_p(&at, Level::ALL[k + 1], delta, &mut r[s..s + m]);
            }
        }
        // (7)
        for k in 0..lay.o {
            let g = l.g.at[0].slot_mul(sys, k, delta) + l.g.at[1].slot_mul(sys, k, delta);
            r[lay.z() + k] -= 0.5 * l.h * g;
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m) = (lay.n, lay.m);
        // (3)
        gather(&mut l.b, mu, 0, spec.multiplier(), n);
        l.motion.slot_mul_t(&l.b, s, grad);
        // (4), (5)
        if let (true, Some(sigma)) = (l.project, spec.sigma()) {
            let at = At::of(l.t, &l.point, n, m);
            l.projector.slot_mul_t(sys, mu, s, n, grad);
            for (k, o) in sigma.into_iter().enumerate() {
                let w = &l.diff[k * n..(k + 1) * n];
                let sigma = &l.sigma[k * m..(k + 1) * m];
                l.motion.terms.balance_p_t(&at, w, sigma, &mu[(k + 1) * n..(k + 2) * n], s, grad);
                l.motion.terms.constraint_p_t(&at, Level::ALL[k + 1], &mu[o..o + m], s, grad);
            }
        }
        // (7)
        for k in 0..lay.o {
            let mu = -0.5 * l.h * s * mu[lay.z() + k];
            l.g.at.iter().for_each(|g| g.slot_mul_t(sys, k, mu, grad));
        }
    }
}
