//! The forward step: one factor at the past, then a block and a linear solve per stage.

use super::{Rosenbrock, RosenbrockLinear};
use crate::block::Block;
use crate::error::StepError;
use crate::plan::Frozen;
use crate::step::{Layout, Report, Span};
use gradyn_model::FunctionalSet;

impl Rosenbrock {
    /// Partials at the past and the matrix of (3).
    pub(super) fn set_base(
        &self,
        lay: &Layout,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RosenbrockLinear,
    ) -> Result<(), StepError> {
        let sys = &self.sys;
        l.base.linear.terms.set_branches(frozen.branches);
        l.base.set(sys, &lay.node(span.t, past), frozen.choice)?;
        l.matrix.set_choice(sys, &self.f, self.state, frozen.choice)?;
        l.matrix.refactor(sys, &self.f, span.t, span.h, std::slice::from_ref(&l.base))
    }
    /// One step by (1)–(5).
    pub(super) fn forward(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RosenbrockLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (sys, lay, n2, s) = (&self.sys, self.layout(), 2 * self.sys.dims().n, self.stages());
        let z = lay.z();
        // block 1 and the matrix of (3)
        self.set_base(&lay, span, frozen, past, l)?;
        x[z..z + lay.o].copy_from_slice(&past[z..z + lay.o]);
        l.gap.fill(0.0);
        // (2), (3) and (5) of each stage
        for i in 0..s {
            if i > 0 {
                let o = self.at(&lay, i);
                self.predict(&self.scheme.alpha[i], span.h, past, &l.slopes, &mut x[o..o + n2]);
                let block = &mut l.blocks[i - 1];
                block.linear.terms.set_branches(frozen.branches);
                block.evaluate(
                    sys,
                    span.t + self.scheme.node(i) * span.h,
                    frozen.choice,
                    &mut x[o..o + z],
                )?;
            }
            self.solve_direction(&lay, i, span, frozen, past, l, x);
            self.slope(&lay, i, x, past, &mut l.slopes[i * n2..(i + 1) * n2]);
            if lay.o > 0 {
                self.add_integrands(&lay, i, span, past, l, x);
            }
        }
        // (4)
        self.predict(&self.scheme.b, span.h, past, &l.slopes, &mut x[..n2]);
        l.node.linear.terms.set_branches(frozen.branches);
        l.part.copy_from_slice(&x[..n2]);
        l.node.evaluate(sys, span.end(), frozen.choice, &mut x[..z])?;
        let blocks = l.blocks.iter().chain([&l.base, &l.node]).map(Block::largest);
        l.chooser.follow(sys, &lay, span, blocks, (past, x, &l.part[lay.n..]))?;
        Ok(Report { iterations: s, factorizations: s + 1 })
    }
    /// (q, v)_0 + h Σ c_j K_j.
    fn predict(&self, c: &[f64], h: f64, past: &[f64], slopes: &[f64], out: &mut [f64]) {
        let n2 = out.len();
        out.copy_from_slice(&past[..n2]);
        for (j, c) in c.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            out.iter_mut().zip(&slopes[j * n2..]).for_each(|(o, k)| *o += h * c * k);
        }
    }
    /// w_i from (3), which is linear in it: the rows at w = 0 and what (1) adds to them through γ.
    fn solve_direction(
        &self,
        lay: &Layout,
        i: usize,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RosenbrockLinear,
        x: &mut [f64],
    ) {
        let n2 = 2 * lay.n;
        let z = lay.z();
        let gamma = &self.scheme.gamma[i];
        let shift = self.stages() * n2;
        // h Σ γ_ij K_j, with w_i = 0 in K_i
        for d in 0..n2 {
            let known: f64 = (0..i).map(|j| gamma[j] * l.slopes[j * n2 + d]).sum();
            l.slopes[shift + d] = span.h * (known + gamma[i] * self.block(lay, i, x, past)[lay.v() + d]);
        }
        // rows (3) at w_i = 0
        let o = self.direction(lay, i);
        x[o..o + z].fill(0.0);
        let τ = span.h * self.scheme.slope(i);
        self.along(lay, (span.t, τ), frozen, (&past[..z], &x[o..o + z]), &l.slopes[shift..], &mut l.along);
        // w_i
        l.matrix.b.iter_mut().zip(&l.along.rows).for_each(|(b, r)| *b = -r.eps[0]);
        l.matrix.solve(&self.sys, &self.f);
        x[o..o + z].copy_from_slice(&l.matrix.b);
    }
    /// (5) of stage i.
    fn add_integrands(
        &self,
        lay: &Layout,
        i: usize,
        span: Span<f64>,
        past: &[f64],
        l: &mut RosenbrockLinear,
        x: &mut [f64],
    ) {
        let z = lay.z();
        let o = self.direction(lay, i);
        let at = lay.node(span.t + self.scheme.node(i) * span.h, self.block(lay, i, x, past));
        let terms = if i == 0 { &mut l.base.linear.terms } else { &mut l.blocks[i - 1].linear.terms };
        terms.measure(FunctionalSet::Integrand, &at, &mut l.values);
        // along w_i: the evaluator went along a direction that is not w_i yet
        let τ = span.h * self.scheme.slope(i);
        let a = &mut l.along;
        for (p, (re, w)) in a.point.iter_mut().zip(past.iter().zip(&x[o..o + z])) {
            *p = gradyn_num::Dual { re: *re, eps: [*w] };
        }
        let at = lay.node(gradyn_num::Dual { re: span.t, eps: [τ] }, &a.point);
        a.terms.measure(FunctionalSet::Integrand, &at, &mut a.g);
        for k in 0..lay.o {
            let g = l.values[k] + a.g[k].eps[0];
            x[z + k] += span.h * self.scheme.b[i] * g;
            l.gap[k] += self.scheme.error[i] * g;
        }
    }
}
