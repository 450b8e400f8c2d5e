//! Products of the linearised step: prediction, node, differences and quadrature downwards; the same upwards.
//! Numbers are those of [`super`].

use super::coefficients::{Row, kept};
use super::{Adams, AdamsLinear};
use crate::step::{Bound, Layout, Products};

impl Adams {
    /// Differences of the new node.
    fn count(&self, l: &AdamsLinear) -> usize {
        kept(l.c.order, l.c.known, self.order)
    }
    /// The blocks: offset and weights of the past differences.
    fn rows(&self, lay: &Layout, l: &AdamsLinear) -> impl Iterator<Item = (usize, Row<f64>)> + use<> {
        let (predictor, corrector, corrects) = (l.c.predictor, l.c.corrector, self.corrects);
        self.offsets(lay).map(move |o| (o, if corrects && o == 0 { corrector } else { predictor }))
    }
    /// Weights of g_p of objective j, at the past node and at the node, in Σ μ R.
    fn integrand_weights(&self, lay: &Layout, l: &AdamsLinear, j: usize, mu: &[f64]) -> [f64; 2] {
        let second = mu[self.phi(lay, 2) + 2 * lay.n + j];
        let z = mu[lay.z() + j];
        [l.c.beta[1] * second - l.c.corrector[1] * z, -second - l.c.last * z]
    }
}

impl Products for Bound<Adams, AdamsLinear> {
    fn solve(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, n2, z, p) = (lay.n, 2 * lay.n, lay.z(), spec.predicted(&lay));
        // prediction, node
        if let [predicted, node] = &mut l.blocks[..] {
            predicted.solve(sys, &mut b[p..p + z]);
            l.sums[..n2].copy_from_slice(&b[p + lay.v()..p + lay.lam()]);
            for level in 0..2 {
                let rows = level * n..(level + 1) * n;
                node.defect(level, l.c.last, &l.sums[rows.clone()], &mut b[rows]);
            }
        }
        l.blocks[usize::from(spec.corrects)].solve(sys, &mut b[..z]);
        // φ_1 of the node, then each difference from the one before it
        l.sums[..n2].copy_from_slice(&b[lay.v()..lay.lam()]);
        for j in 0..lay.o {
            let g = l.g.at[1].mul(j, &b[..z]);
            b[z + j] += l.c.last * g;
            l.sums[n2 + j] = g;
        }
        for i in 2..=spec.count(l) {
            let o = spec.phi(&lay, i);
            for (b, sum) in b[o..o + spec.width(&lay)].iter_mut().zip(&mut l.sums) {
                *b += *sum;
                *sum = *b;
            }
        }
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, n2, z, p) = (lay.n, 2 * lay.n, lay.z(), spec.predicted(&lay));
        // differences, down to φ_1 of the node
        l.sums.fill(0.0);
        for i in (2..=spec.count(l)).rev() {
            let o = spec.phi(&lay, i);
            for (b, sum) in b[o..o + spec.width(&lay)].iter_mut().zip(&mut l.sums) {
                *b += *sum;
                *sum = *b;
            }
        }
        b[lay.v()..lay.lam()].iter_mut().zip(&l.sums[..n2]).for_each(|(b, s)| *b += s);
        for j in 0..lay.o {
            let mu = l.sums[n2 + j] + l.c.last * b[z + j];
            l.g.at[1].mul_t(j, mu, &mut b[..z]);
        }
        // node, prediction
        l.blocks[usize::from(spec.corrects)].solve_t(sys, &mut b[..z]);
        if let [predicted, node] = &mut l.blocks[..] {
            l.sums[..n2].copy_from_slice(&b[..n2]);
            for level in 0..2 {
                let to = p + lay.v() + level * n;
                node.defect_t(level, l.c.last, &l.sums[level * n..(level + 1) * n], &mut b[to..to + n]);
            }
            predicted.solve_t(sys, &mut b[p..p + z]);
        }
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let (n, n2) = (lay.n, 2 * lay.n);
        // (1), (2): -P (δy + Σ w_i δφ_i)
        for ((o, w), block) in spec.rows(&lay, l).zip(&l.blocks) {
            l.sums[..n2].copy_from_slice(&s[..n2]);
            spec.add(&lay, &w, l.c.order, s, &mut l.sums[..n2]);
            for level in 0..2 {
                let rows = o + level * n;
                block.defect(level, -1.0, &l.sums[level * n..(level + 1) * n], &mut r[rows..rows + n]);
            }
        }
        // δφ_1 of the integrands
        for j in 0..lay.o {
            l.integrands[j] = l.g.at[0].mul(j, s);
        }
        // (3): β_i δφ_i
        for i in 1..spec.count(l) {
            let from = spec.phi(&lay, i);
            let to = spec.phi(&lay, i + 1);
            for d in 0..n2 {
                r[to + d] += l.c.beta[i] * s[from + d];
            }
            for j in 0..lay.o {
                r[to + n2 + j] += l.c.beta[i] * spec.integrand(&lay, i, j, s, &l.integrands);
            }
        }
        // (4)
        for j in 0..lay.o {
            r[lay.z() + j] -= s[lay.z() + j];
            for i in 1..=l.c.order {
                r[lay.z() + j] -= l.c.corrector[i] * spec.integrand(&lay, i, j, s, &l.integrands);
            }
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        // (1), (2)
        for ((o, w), block) in spec.rows(&lay, l).zip(&l.blocks) {
            l.sums[..n2].fill(0.0);
            for level in 0..2 {
                let rows = o + level * n;
                let sums = &mut l.sums[level * n..(level + 1) * n];
                block.defect_t(level, -1.0, &mu[rows..rows + n], sums);
            }
            out.iter_mut().zip(&l.sums[..n2]).for_each(|(out, s)| *out += s);
            for (i, w) in w.iter().enumerate().take(l.c.order + 1).skip(1) {
                let to = spec.phi(&lay, i);
                out[to..to + n2].iter_mut().zip(&l.sums[..n2]).for_each(|(out, s)| *out += w * s);
            }
        }
        // (3), and (4) on the differences of the integrands
        l.integrands.fill(0.0);
        for i in 1..=l.c.known {
            let to = spec.phi(&lay, i);
            let from = spec.phi(&lay, i + 1);
            let held = i < spec.count(l);
            for d in (0..n2).filter(|_| held) {
                out[to + d] += l.c.beta[i] * mu[from + d];
            }
            for j in 0..lay.o {
                let next = if held { l.c.beta[i] * mu[from + n2 + j] } else { 0.0 };
                let sum = next - l.c.corrector[i] * mu[z + j];
                *if i == 1 { &mut l.integrands[j] } else { &mut out[to + n2 + j] } += sum;
            }
        }
        // (4), and φ_1 of the integrands back to the node
        for j in 0..lay.o {
            out[z + j] -= mu[z + j];
            l.g.at[0].mul_t(j, l.integrands[j], &mut out[..z]);
        }
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        for (o, block) in spec.offsets(&lay).zip(&mut l.blocks) {
            block.slot_mul(sys, delta, &mut r[o..o + lay.z()]);
        }
        for j in 0..lay.o {
            let [past, node] = [0, 1].map(|k| l.g.at[k].slot_mul(sys, j, delta));
            r[lay.z() + j] -= l.c.corrector[1] * past + l.c.last * node;
            r[spec.phi(&lay, 2) + 2 * lay.n + j] += l.c.beta[1] * past - node;
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        for (o, block) in spec.offsets(&lay).zip(&mut l.blocks) {
            block.slot_mul_t(sys, &mu[o..o + lay.z()], s, grad);
        }
        for j in 0..lay.o {
            let weights = spec.integrand_weights(&lay, l, j, mu);
            (0..2).for_each(|k| l.g.at[k].slot_mul_t(sys, j, s * weights[k], grad));
        }
    }
}
