//! The error estimate.
//!
//! ```text
//! e = h Σ_j e_j (ẏ_j, g_j),   filtered: W e' = e,  W = I - γ₀ h f_y                                          (1)
//! |e| = root mean square of e_i / (atol + rtol |y_i|) over (q, v, z)                                      (2)  [B92, Eq. 58]
//! |e₅|² / √(|e₅|² + 0.01 |e₃|²)                       with a second estimate of lower order  (3)  [Hairer, Nørsett & Wanner I, II.10]
//! ```
//! W is the matrix of one implicit block with a_ii = γ₀, so it holds for every state and, with Φ_q δq = 0 in
//! it, for constraints at the level of positions. There h δv and h δz are compared with the tolerance: the
//! part of v normal to the constraints has a lower order and is not carried on, and a correction of it in the
//! next step, which makes a ~ δv/h, does not fall with the size of that step. These are the weights of
//! variables of index 2 in RADAU5 [Hairer & Wanner II, IV.8, VII.6].

use super::{RungeKutta, RungeKuttaLinear};
use crate::step::{Layout, Span, Tolerance};

impl RungeKutta {
    /// Mean square of (1) relative to the tolerances, and the coordinate with the largest part.
    pub(super) fn square(
        &self,
        e: &[f64],
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        l: &mut RungeKuttaLinear,
    ) -> (f64, usize) {
        let lay = self.layout();
        let (n2, z) = (2 * lay.n, lay.z());
        let size = |err: f64, i: usize| (err / (tol.atol + tol.rtol * x[i].abs().max(past[i].abs()))).powi(2);
        let mut sum = 0.0;
        let mut worst = (0.0, 0);
        // (1), filtered
        self.slope(&lay, e, x, past, &mut l.sums[..n2]);
        l.sums[..n2].iter_mut().for_each(|s| *s *= span.h);
        if !self.filter(&lay, span, x, past, l) {
            return (f64::INFINITY, 0);
        }
        // (2) over (q, v)
        let weight = if self.f.level[2] == 0.0 { span.h } else { 1.0 };
        for i in 0..n2 {
            let s = size(l.sums[i] * if i < lay.n { 1.0 } else { weight }, i);
            sum += s;
            if s > worst.0 || s.is_nan() {
                worst = (s, i % lay.n);
            }
        }
        // and over z
        self.quadrature(&lay, e, span, x, past, l);
        for k in 0..lay.o {
            sum += size(weight * span.h * l.sums[k], z + k);
        }
        (sum / (n2 + lay.o) as f64, worst.1)
    }
    /// `l.sums` ← W⁻¹ `l.sums` with the partials of the last block; false if W is singular.
    fn filter(
        &self,
        lay: &Layout,
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        l: &mut RungeKuttaLinear,
    ) -> bool {
        let (n, last) = (lay.n, self.stages() - 1);
        let RungeKuttaLinear { filter, blocks, groups, sums, .. } = l;
        let Some(w) = filter else { return true };
        let choice = groups[0].as_ref().map_or(&[][..], |g| g.choice());
        // a last block of its own was evaluated, not linearised
        let node = lay.node(span.end(), self.block(lay, last + 1, x, past));
        let linear = groups.last().is_some_and(Option::is_some)
            || blocks[last].partials(&self.sys, &node, choice).is_ok();
        let ready = linear
            && w.set_choice(&self.sys, &self.f, self.state, choice).is_ok()
            && w.refactor(&self.sys, &self.f, span.end(), span.h, &blocks[last..]).is_ok();
        if !ready {
            return false;
        }
        w.b.fill(0.0);
        for level in 0..2 {
            let part = level * n..(level + 1) * n;
            blocks[last].defect(level, 1.0, &sums[part.clone()], &mut w.b[part]);
        }
        w.solve(&self.sys, &self.f);
        sums[..2 * n].copy_from_slice(&w.b[..2 * n]);
        true
    }
}
