//! Products of the linearised step: stages downwards and upwards, over the past and over the slots.
//! Numbers are those of [`super`].

use super::{Rosenbrock, RosenbrockLinear};
use crate::block::Block;
use crate::step::{Bound, Products};

/// rows += s P x, x = (δq, δv): both levels.
fn defect(block: &Block, s: f64, x: &[f64], rows: &mut [f64]) {
    let n = x.len() / 2;
    for level in 0..2 {
        block.defect(level, s, &x[level * n..(level + 1) * n], &mut rows[level * n..(level + 1) * n]);
    }
}

/// out += s Pᵀ μ.
fn defect_t(block: &Block, s: f64, mu: &[f64], out: &mut [f64]) {
    let n = out.len() / 2;
    for level in 0..2 {
        block.defect_t(level, s, &mu[level * n..(level + 1) * n], &mut out[level * n..(level + 1) * n]);
    }
}

impl Products for Bound<Rosenbrock, RosenbrockLinear> {
    fn solve(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let s = spec.stages();
        let (n2, z, v) = (2 * lay.n, lay.z(), lay.v());
        // stages: block i by (2), then w_i by (3), then K_i by (1)
        for i in 0..s {
            let w = spec.direction(&lay, i);
            l.part.fill(0.0);
            if i > 0 {
                let o = spec.at(&lay, i);
                for j in (0..i).filter(|&j| spec.scheme.alpha[i][j] != 0.0) {
                    let k = &l.slopes[j * n2..(j + 1) * n2];
                    defect(&l.blocks[i - 1], l.h * spec.scheme.alpha[i][j], k, &mut b[o..o + n2]);
                }
                l.blocks[i - 1].solve(sys, &mut b[o..o + z]);
                l.part.copy_from_slice(&b[o + v..o + v + n2]);
                defect(&l.base, l.h * spec.scheme.gamma[i][i], &l.part, &mut b[w..w + n2]);
            }
            for j in (0..i).filter(|&j| spec.scheme.gamma[i][j] != 0.0) {
                defect(
                    &l.base,
                    l.h * spec.scheme.gamma[i][j],
                    &l.slopes[j * n2..(j + 1) * n2],
                    &mut b[w..w + n2],
                );
            }
            l.matrix.b.copy_from_slice(&b[w..w + z]);
            l.matrix.solve(sys, &spec.f);
            b[w..w + z].copy_from_slice(&l.matrix.b);
            for d in 0..n2 {
                l.slopes[i * n2 + d] = l.part[d] + b[w + v + d];
            }
        }
        // (4)
        for i in 0..s {
            defect(&l.node, l.h * spec.scheme.b[i], &l.slopes[i * n2..(i + 1) * n2], &mut b[..n2]);
        }
        l.node.solve(sys, &mut b[..z]);
        // (5)
        for (i, k) in (0..s).flat_map(|i| (0..lay.o).map(move |k| (i, k))) {
            let w = spec.direction(&lay, i);
            let mut g = l.g[0].mul(k, &b[w..w + z]);
            if i > 0 {
                let o = spec.at(&lay, i);
                g += l.g[i].mul(k, &b[o..o + z]);
            }
            b[z + k] += l.h * spec.scheme.b[i] * g;
        }
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let s = spec.stages();
        let (n2, z, v) = (2 * lay.n, lay.z(), lay.v());
        for (i, k) in (0..s).flat_map(|i| (0..lay.o).map(move |k| (i, k))) {
            let w = spec.direction(&lay, i);
            let mu = l.h * spec.scheme.b[i] * b[z + k];
            l.g[0].mul_t(k, mu, &mut b[w..w + z]);
            if i > 0 {
                let o = spec.at(&lay, i);
                l.g[i].mul_t(k, mu, &mut b[o..o + z]);
            }
        }
        l.node.solve_t(sys, &mut b[..z]);
        // cotangents of K_i
        l.slopes.fill(0.0);
        for i in 0..s {
            defect_t(&l.node, l.h * spec.scheme.b[i], &b[..n2], &mut l.slopes[i * n2..(i + 1) * n2]);
        }
        for i in (0..s).rev() {
            let w = spec.direction(&lay, i);
            (0..n2).for_each(|d| b[w + v + d] += l.slopes[i * n2 + d]);
            l.matrix.b.copy_from_slice(&b[w..w + z]);
            l.matrix.solve_t(sys, &spec.f);
            b[w..w + z].copy_from_slice(&l.matrix.b);
            for j in (0..i).filter(|&j| spec.scheme.gamma[i][j] != 0.0) {
                let k = &mut l.slopes[j * n2..(j + 1) * n2];
                defect_t(&l.base, l.h * spec.scheme.gamma[i][j], &l.matrix.b, k);
            }
            if i == 0 {
                continue;
            }
            let o = spec.at(&lay, i);
            (0..n2).for_each(|d| b[o + v + d] += l.slopes[i * n2 + d]);
            defect_t(&l.base, l.h * spec.scheme.gamma[i][i], &l.matrix.b, &mut b[o + v..o + v + n2]);
            l.blocks[i - 1].solve_t(sys, &mut b[o..o + z]);
            for j in (0..i).filter(|&j| spec.scheme.alpha[i][j] != 0.0) {
                let k = &mut l.slopes[j * n2..(j + 1) * n2];
                defect_t(&l.blocks[i - 1], l.h * spec.scheme.alpha[i][j], &b[o..o + n2], k);
            }
        }
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n2, z, v) = (2 * lay.n, lay.z(), lay.v());
        let y = &s[..n2];
        let dy = &s[v..v + n2];
        // (3) and (2)
        for i in 0..spec.stages() {
            let w = spec.direction(&lay, i);
            l.second.mul(sys, i, s, &mut r[w..w + z]);
            defect(&l.base, -l.h * spec.scheme.gamma[i][0], dy, &mut r[w..w + n2]);
            if i > 0 {
                let o = spec.at(&lay, i);
                defect(&l.blocks[i - 1], -1.0, y, &mut r[o..o + n2]);
                defect(&l.blocks[i - 1], -l.h * spec.scheme.alpha[i][0], dy, &mut r[o..o + n2]);
            }
        }
        // (4)
        defect(&l.node, -1.0, y, &mut r[..n2]);
        defect(&l.node, -l.h * spec.scheme.b[0], dy, &mut r[..n2]);
        // (5)
        for k in 0..lay.o {
            let along: f64 = (0..spec.stages()).map(|i| spec.scheme.b[i] * l.second.g[i].mul(k, s)).sum();
            r[z + k] -= s[z + k] + l.h * (spec.scheme.b[0] * l.g[0].mul(k, s) + along);
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n2, z, v) = (2 * lay.n, lay.z(), lay.v());
        // (3) and (2)
        for i in 0..spec.stages() {
            let w = spec.direction(&lay, i);
            l.second.mul_t(sys, i, &mu[w..w + z], out);
            defect_t(&l.base, -l.h * spec.scheme.gamma[i][0], &mu[w..w + n2], &mut out[v..v + n2]);
            if i > 0 {
                let o = spec.at(&lay, i);
                defect_t(&l.blocks[i - 1], -1.0, &mu[o..o + n2], &mut out[..n2]);
                defect_t(
                    &l.blocks[i - 1],
                    -l.h * spec.scheme.alpha[i][0],
                    &mu[o..o + n2],
                    &mut out[v..v + n2],
                );
            }
        }
        // (4)
        defect_t(&l.node, -1.0, &mu[..n2], &mut out[..n2]);
        defect_t(&l.node, -l.h * spec.scheme.b[0], &mu[..n2], &mut out[v..v + n2]);
        // (5)
        for k in 0..lay.o {
            let mu = mu[z + k];
            out[z + k] -= mu;
            l.g[0].mul_t(k, -l.h * spec.scheme.b[0] * mu, &mut out[..z]);
            for i in 0..spec.stages() {
                l.second.g[i].mul_t(k, -l.h * spec.scheme.b[i] * mu, &mut out[..z]);
            }
        }
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let s = spec.stages();
        let z = lay.z();
        l.second.slot_mul(sys, delta, |i| spec.direction(&lay, i), r);
        l.node.slot_mul(sys, delta, &mut r[..z]);
        for i in 1..s {
            let o = spec.at(&lay, i);
            l.blocks[i - 1].slot_mul(sys, delta, &mut r[o..o + z]);
        }
        for (i, k) in (0..s).flat_map(|i| (0..lay.o).map(move |k| (i, k))) {
            let g = l.g[i].slot_mul(sys, k, delta) + l.second.g[i].slot_mul(sys, k, delta);
            r[z + k] -= l.h * spec.scheme.b[i] * g;
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let z = lay.z();
        // (4)
        l.node.slot_mul_t(sys, &mu[..z], s, grad);
        // (3), (2) and (5)
        for i in 0..spec.stages() {
            let w = spec.direction(&lay, i);
            l.second.slot_mul_t(sys, i, &mu[w..w + z], s, grad);
            if i > 0 {
                let o = spec.at(&lay, i);
                l.blocks[i - 1].slot_mul_t(sys, &mu[o..o + z], s, grad);
            }
            for k in 0..lay.o {
                let mu = -l.h * s * spec.scheme.b[i] * mu[z + k];
                l.g[i].slot_mul_t(sys, k, mu, grad);
                l.second.g[i].slot_mul_t(sys, k, mu, grad);
            }
        }
    }
}
