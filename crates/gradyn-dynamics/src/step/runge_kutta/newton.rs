//! Newton on the rows of blocks that are solved together, to rounding.
//!
//! ```text
//! x ← x - (rows)_x⁻¹ rows,   the matrix of the prediction while corrections fall by 4, else a new one    (1)
//! ```
//! Prediction: (a, λ) from the polynomial through the blocks of the step before, or within a diagonally
//! implicit step from the line through the past node and the block that is furthest; then v and q by the
//! scheme.

use super::coupled::equation;
use super::{RungeKutta, RungeKuttaLinear};
use crate::error::StepError;
use crate::plan::Frozen;
use crate::step::{Layout, Report, Span};
use gradyn_num::largest;
use std::ops::Range;

const MAX_ITERATIONS: usize = 30;

/// Growth of the step beyond which the blocks of the step before say nothing about the next.
const FAR: f64 = 2.0;

impl RungeKutta {
    /// (1) for group `g` of the rows `rows`; every evaluator is at its block of the result.
    pub(super) fn newton(
        &self,
        (g, rows): (usize, Range<usize>),
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RungeKuttaLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let sys = &self.sys;
        let lay = self.layout();
        let z = self.layout().z();
        self.predict(&lay, rows.clone(), span.h, frozen, past, x);
        let RungeKuttaLinear { groups, blocks, scratch, scales, .. } = l;
        let (matrix, blocks) = (groups[g].as_mut().expect("an implicit group"), &mut blocks[rows.clone()]);
        matrix.set_choice(sys, &self.f, self.state, frozen.choice)?;
        blocks.iter_mut().for_each(|b| b.linear.terms.set_branches(frozen.branches));
        let mut report = Report::default();
        let (mut best, mut stalled, mut stale, mut converged) = (f64::INFINITY, 0, true, false);
        loop {
            for ((i, block), r) in rows.clone().zip(blocks.iter_mut()).zip(matrix.b.chunks_exact_mut(z)) {
                let t = span.t + self.tableau.nodes[i] * span.h;
                let o = self.at(&lay, i + 1);
                block.linear.terms.at(t, &x[o..o + lay.n]);
                if !converged {
                    self.rows(&lay, i, span, frozen, x, past, &mut block.linear.terms, scratch, r);
                }
            }
            if converged {
                return Ok(report);
            }
            let worst = worst(&matrix.b);
            let residual = matrix.b[worst].abs();
            if !residual.is_finite() {
                return Err(StepError::NotFinite { t: span.end(), equation: equation(sys, worst) });
            }
            if stale {
                for (i, block) in rows.clone().zip(blocks.iter_mut()) {
                    let t = span.t + self.tableau.nodes[i] * span.h;
                    block.partials(sys, &lay.node(t, self.block(&lay, i + 1, x, past)), frozen.choice)?;
                }
                matrix.refactor(sys, &self.f, span.end(), span.h, &*blocks)?;
                report.factorizations += 1;
            }
            matrix.solve(sys, &self.f);
            for (i, d) in rows.clone().zip(matrix.b.chunks_exact(z)) {
                let o = self.at(&lay, i + 1);
                x[o..o + z].iter_mut().zip(d).for_each(|(x, d)| *x -= d);
            }
            report.iterations += 1;
            let (size, state) = self.size(&lay, rows.clone(), span.h, x, &matrix.b, *scales);
            if !size.is_finite() || report.iterations == MAX_ITERATIONS {
                let iterations = report.iterations;
                let correction = size;
                let worst = equation(sys, worst);
                return Err(StepError::Newton {
                    t: span.end(),
                    h: span.h,
                    iterations,
                    correction,
                    residual,
                    worst,
                });
            }
            // far below the level of rounding, or no longer falling and below it; forces that cancel to zero
            // leave no level for a and λ
            stalled = if size > 0.3 * best { stalled + 1 } else { 0 };
            converged =
                size <= 1e-4 || (stalled >= 1 && size <= 0.01) || (stalled >= 3 && size.min(state) <= 0.1);
            stale = !converged && size > 0.25 * best;
            best = best.min(size);
        }
    }
    /// A correction in units of the rounding level of its blocks: all of them, and what (q, v) feel of it.
    fn size(
        &self,
        lay: &Layout,
        rows: Range<usize>,
        h: f64,
        x: &[f64],
        d: &[f64],
        [mass, row]: [f64; 2],
    ) -> (f64, f64) {
        // largest values and corrections of (q, v, a, λ) over the blocks
        let parts = || lay.blocks().into_iter().take(4).map(|(_, part)| part);
        let mut sizes = [self.sys.least_size(), 0.0, 0.0, 0.0, 0.0];
        let mut corrections = [0.0f64; 4];
        for (i, d) in rows.zip(d.chunks_exact(lay.z())) {
            let x = &x[self.at(lay, i + 1)..];
            for (k, part) in parts().enumerate() {
                sizes[k] = sizes[k].max(largest(x[part.clone()].iter().copied()));
                corrections[k] = largest(d[part].iter().copied().chain([corrections[k]]));
            }
        }
        // in units of the rounding level
        let noise = self.noise(h, sizes, mass, row).map(|x| x.max(f64::MIN_POSITIVE));
        let [q, v, a, _] = corrections;
        let state = [q / noise[0], v / noise[1], h * a / noise[1]];
        (largest(corrections.iter().zip(noise).map(|(c, noise)| c / noise)), largest(state))
    }
    /// Predicts where the iteration (1) starts.
    fn predict(&self, lay: &Layout, rows: Range<usize>, h: f64, frozen: Frozen, past: &[f64], x: &mut [f64]) {
        let n = lay.n;
        let u = lay.a()..lay.z();
        let s = self.stages();
        for i in rows.clone() {
            let to = self.at(lay, i + 1) + u.start;
            let ratio = frozen.before.last().map_or(f64::INFINITY, |before| h / before);
            if self.tableau.coupled > 1 && ratio <= FAR {
                // Σ_j ℓ_j(θ) u_j over the blocks of the step before, at θ = 1 + c_i h/h_before
                x[to..to + u.len()].fill(0.0);
                for j in 1..=s {
                    let w = lagrange(self.tableau.nodes, j - 1, 1.0 + self.tableau.nodes[i] * ratio);
                    let from = self.at(lay, j) + u.start;
                    (0..u.len()).for_each(|k| x[to + k] += w * past[from + k]);
                }
            } else {
                // the line through the past node and the block that is furthest
                let furthest =
                    (0..rows.start).max_by(|&a, &b| self.tableau.nodes[a].total_cmp(&self.tableau.nodes[b]));
                let (w, from) = furthest.map_or((0.0, to), |j| {
                    (self.tableau.nodes[i] / self.tableau.nodes[j], self.at(lay, j + 1) + u.start)
                });
                for k in 0..u.len() {
                    let past = past[u.start + k];
                    x[to + k] = if w == 0.0 { past } else { past + w * (x[from + k] - past) };
                }
            }
        }
        // v, then q
        for level in [1, 0] {
            for i in rows.clone() {
                let to = self.at(lay, i + 1) + level * n;
                for d in 0..n {
                    let slope =
                        |j: usize| self.tableau.a(i, j) * self.block(lay, j, x, past)[(level + 1) * n + d];
                    x[to + d] = past[level * n + d] + h * (0..=s).map(slope).sum::<f64>();
                }
            }
        }
    }
}

/// Where a residual is not finite, or largest.
fn worst(r: &[f64]) -> usize {
    let largest = || (0..r.len()).fold(0, |w, i| if r[i].abs() > r[w].abs() { i } else { w });
    r.iter().position(|r| !r.is_finite()).unwrap_or_else(largest)
}

/// ℓ_j(θ) on some nodes.
fn lagrange(nodes: &[f64], j: usize, θ: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(k, _)| *k != j);
    others.map(|(_, c)| (θ - c) / (nodes[j] - c)).product()
}
