//! Products of the linearised step: groups of blocks downwards and upwards, over the past and over the slots.
//! Numbers are those of [`super`].

use super::{RungeKutta, RungeKuttaLinear};
use crate::step::{Bound, Products};

impl Products for Bound<RungeKutta, RungeKuttaLinear> {
    fn solve(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (g, rows) in spec.tableau.groups().enumerate() {
            // the prediction from the groups before
            for i in rows.clone() {
                let o = spec.at(&lay, i + 1);
                for (j, a) in spec.earlier(i, rows.start) {
                    let from = spec.at(&lay, j) + lay.v();
                    l.sums[..n2].copy_from_slice(&b[from..from + n2]);
                    for level in 0..2 {
                        let at = o + level * n;
                        l.blocks[i].defect(
                            level,
                            l.h * a,
                            &l.sums[level * n..(level + 1) * n],
                            &mut b[at..at + n],
                        );
                    }
                }
            }
            match &mut l.groups[g] {
                None => l.blocks[rows.start].solve(sys, &mut b[spec.at(&lay, rows.start + 1)..][..z]),
                Some(matrix) => spec.with_matrix(&lay, rows, matrix, b, |m| m.solve(sys, &spec.f)),
            }
        }
        for j in (1..=spec.stages()).filter(|&j| spec.counts(j)) {
            let o = spec.at(&lay, j);
            for k in 0..lay.o {
                let g = l.g[j].mul(k, &b[o..o + z]);
                b[z + k] += l.h * spec.b()[j] * g;
            }
        }
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (g, rows) in spec.tableau.groups().enumerate().rev() {
            // sources of the quadrature rows
            for i in rows.clone().filter(|&i| spec.counts(i + 1)) {
                let o = spec.at(&lay, i + 1);
                for k in 0..lay.o {
                    let mu = b[z + k];
                    l.g[i + 1].mul_t(k, l.h * spec.b()[i + 1] * mu, &mut b[o..o + z]);
                }
            }
            match &mut l.groups[g] {
                None => l.blocks[rows.start].solve_t(sys, &mut b[spec.at(&lay, rows.start + 1)..][..z]),
                Some(matrix) => spec.with_matrix(&lay, rows.clone(), matrix, b, |m| m.solve_t(sys, &spec.f)),
            }
            // the prediction on the groups before
            for i in rows.clone() {
                let o = spec.at(&lay, i + 1);
                l.sums[..n2].copy_from_slice(&b[o..o + n2]);
                for (j, a) in spec.earlier(i, rows.start) {
                    let to = spec.at(&lay, j) + lay.v();
                    for level in 0..2 {
                        let at = to + level * n;
                        l.blocks[i].defect_t(
                            level,
                            l.h * a,
                            &l.sums[level * n..(level + 1) * n],
                            &mut b[at..at + n],
                        );
                    }
                }
            }
        }
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let n = lay.n;
        // (1): -P (δy + h a_i0 δẏ)
        for (i, row) in spec.tableau.rows.iter().enumerate() {
            let o = spec.at(&lay, i + 1);
            for level in 0..2 {
                let y = &s[level * n..(level + 1) * n];
                let dy = &s[(level + 1) * n..(level + 2) * n];
                let rows = &mut r[o + level * n..o + (level + 1) * n];
                l.blocks[i].defect(level, -1.0, y, rows);
                if row[0] != 0.0 {
                    l.blocks[i].defect(level, -l.h * row[0], dy, rows);
                }
            }
        }
        // (2)
        for k in 0..lay.o {
            let g = if spec.counts(0) { l.g[0].mul(k, s) } else { 0.0 };
            r[lay.z() + k] -= s[lay.z() + k] + l.h * spec.b()[0] * g;
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let n = lay.n;
        // (1)
        for (i, row) in spec.tableau.rows.iter().enumerate() {
            let o = spec.at(&lay, i + 1);
            for level in 0..2 {
                let mu = &mu[o + level * n..o + (level + 1) * n];
                let y = level * n;
                l.blocks[i].defect_t(level, -1.0, mu, &mut out[y..y + n]);
                if row[0] != 0.0 {
                    l.blocks[i].defect_t(level, -l.h * row[0], mu, &mut out[y + n..y + 2 * n]);
                }
            }
        }
        // (2)
        for k in 0..lay.o {
            let mu = mu[lay.z() + k];
            out[lay.z() + k] -= mu;
            if spec.counts(0) {
                l.g[0].mul_t(k, -l.h * spec.b()[0] * mu, &mut out[..lay.z()]);
            }
        }
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = spec.at(&lay, i + 1);
            block.slot_mul(sys, delta, &mut r[o..o + lay.z()]);
        }
        for j in (0..=spec.stages()).filter(|&j| spec.counts(j)) {
            for k in 0..lay.o {
                r[lay.z() + k] -= l.h * spec.b()[j] * l.g[j].slot_mul(sys, k, delta);
            }
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let Self { spec, memory: l } = self;
        let sys = &spec.sys;
        let lay = spec.layout();
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = spec.at(&lay, i + 1);
            block.slot_mul_t(sys, &mu[o..o + lay.z()], s, grad);
        }
        for j in (0..=spec.stages()).filter(|&j| spec.counts(j)) {
            for k in 0..lay.o {
                l.g[j].slot_mul_t(sys, k, -l.h * s * spec.b()[j] * mu[lay.z() + k], grad);
            }
        }
    }
}
