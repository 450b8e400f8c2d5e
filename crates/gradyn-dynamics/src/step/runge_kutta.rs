//! Explicit Runge–Kutta: stages and node are blocks (q, v, a, λ) of the same shape.
//!
//! ```text
//! (q̂, v̂)_i = (q, v)_0 + h Σ_{j<i} a_ij (v, a)_j,   rows of block i = 0,   i = 1 … s  (s is the node, a_sj = b_j)   (1)
//! z = z_0 + h Σ_{j<s} b_j g(t_j, block j)                                                                      (2)
//! ```
//! Stage 0 is the past node, whose (a, λ) its own record solved for: every scheme is "first same as last". The rows of a block
//! are those of the formulation's state ([`crate::block`]); they are linear in (a, λ).

use super::{IntegrandRows, Layout, Report, Span, Step, Tolerance};
use crate::block::{self, Block, State};
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::initial::{self, Initial};
use crate::plan::Frozen;
use crate::tableau::Tableau;
use gradyn_model::{Set, System};
use gradyn_num::ProgramScalar;

/// A tableau on a formulation.
pub struct RungeKutta<'a, Y> {
    /// The system.
    pub sys: &'a Y,
    /// The formulation; its c₂ is 1.
    pub f: Lagrange,
    /// What is integrated.
    pub state: State,
    /// The scheme.
    pub tableau: &'static Tableau,
}

/// Memory of the residual.
pub struct Work<Y: System, S: ProgramScalar> {
    data: Y::Data<S>,
    g: Vec<S>,
    scratch: Vec<S>,
}

/// Memory of a linearised step.
pub struct RungeKuttaLinear<Y: System> {
    initial: Initial<Y>,
    first: bool,
    h: f64,
    /// Blocks 1 … s.
    blocks: Vec<Block<Y>>,
    /// g_x of stages 0 … s-1.
    g: Vec<IntegrandRows>,
    past: Y::Data<f64>,
    values: Vec<f64>,
    sums: Vec<f64>,
}

impl<Y: System> RungeKutta<'_, Y> {
    fn stages(&self) -> usize {
        self.tableau.rows.len()
    }
    /// Offset of block i ≥ 1 in the record.
    #[inline]
    fn at(&self, lay: &Layout, i: usize) -> usize {
        if i == self.stages() { 0 } else { lay.head() + (i - 1) * lay.z() }
    }
    /// Block j of the step: the past node, a stage, the node.
    #[inline]
    fn block<'x, S>(&self, lay: &Layout, j: usize, x: &'x [S], past: &'x [S]) -> &'x [S] {
        if j == 0 { &past[..lay.z()] } else { &x[self.at(lay, j)..self.at(lay, j) + lay.z()] }
    }
    fn b(&self) -> &'static [f64] {
        self.tableau.rows[self.stages() - 1]
    }
    /// c_j of block j.
    fn node(&self, j: usize) -> f64 {
        if j == 0 { 0.0 } else { self.tableau.nodes[j - 1] }
    }
    /// Is g of block j part of the quadrature?
    fn counts(&self, j: usize) -> bool {
        self.b().get(j).is_some_and(|b| *b != 0.0)
    }
    /// out = Σ_j c_j ẏ_j; ẏ = (v, a) are 2n contiguous numbers.
    #[inline]
    fn slope<S: ProgramScalar>(&self, lay: &Layout, c: &[f64], x: &[S], past: &[S], out: &mut [S]) {
        out.fill(S::zero());
        for (j, c) in c.iter().enumerate() {
            if *c != 0.0 {
                let dy = &self.block(lay, j, x, past)[lay.v()..lay.lam()];
                out.iter_mut().zip(dy).for_each(|(o, dy)| *o += *dy * *c);
            }
        }
    }
    /// The prediction of (1) into block i + 1 of the record.
    #[inline]
    fn stage(&self, lay: &Layout, i: usize, h: f64, x: &mut [f64], past: &[f64]) {
        let (o, n2) = (self.at(lay, i + 1), 2 * lay.n);
        x[o..o + n2].copy_from_slice(&past[..n2]);
        for (j, c) in self.tableau.rows[i].iter().enumerate() {
            if *c == 0.0 {
                continue;
            }
            let s = h * c;
            if j == 0 {
                (0..n2).for_each(|d| x[o + d] += s * past[lay.v() + d]);
            } else {
                let from = self.at(lay, j) + lay.v();
                (0..n2).for_each(|d| x[o + d] += s * x[from + d]);
            }
        }
    }
    /// `l.sums` += c g(block j), with its data placed there.
    fn add_integrands(&self, lay: &Layout, c: f64, t: f64, j: usize, x: &[f64], past: &[f64], l: &mut RungeKuttaLinear<Y>) {
        let at = lay.node(t, self.block(lay, j, x, past));
        let d = if j == 0 { &mut l.past } else { &mut l.blocks[j - 1].linear.data };
        self.sys.measure(Set::Integrand, &at, d, &mut l.values[..lay.o]);
        l.sums[..lay.o].iter_mut().zip(&l.values).for_each(|(s, g)| *s += c * g);
    }
    /// Σ_j c_j g_j into `l.sums`; data must be placed.
    fn quadrature(&self, lay: &Layout, c: &[f64], span: Span<f64>, x: &[f64], past: &[f64], l: &mut RungeKuttaLinear<Y>) {
        l.sums.fill(0.0);
        for (j, c) in c.iter().enumerate() {
            if *c != 0.0 {
                self.add_integrands(lay, *c, span.t + self.node(j) * span.h, j, x, past, l);
            }
        }
    }
}

impl<Y: System> Step for RungeKutta<'_, Y> {
    type System = Y;
    type Work<S: ProgramScalar> = Work<Y, S>;
    type Linear = RungeKuttaLinear<Y>;

    fn system(&self) -> &Y {
        self.sys
    }
    fn layout(&self) -> Layout {
        let d = self.sys.dims();
        Layout::of(self.sys, (self.stages() - 1) * (3 * d.n + d.m))
    }
    fn work<S: ProgramScalar>(&self, p: &[S]) -> Work<Y, S> {
        let mut data = self.sys.data();
        self.sys.prepare(p, &mut data);
        let (d, o) = (self.sys.dims(), self.sys.functionals(Set::Integrand));
        Work { data, g: vec![S::zero(); o], scratch: vec![S::zero(); d.n + d.m] }
    }
    fn linear(&self, p: &[f64]) -> Result<RungeKuttaLinear<Y>, StepError> {
        assert!(self.f.level[2] == 1.0, "a state step needs constraints at acceleration level");
        let (sys, lay) = (self.sys, self.layout());
        let (past, kkt) = block::prepare(sys, p)?;
        let block = || Block::new(sys, self.f, self.state, p, &kkt);
        Ok(RungeKuttaLinear {
            initial: Initial::new(sys, self.f, lay, p, kkt.clone())?,
            first: true,
            h: 0.0,
            blocks: (0..self.stages()).map(|_| block()).collect(),
            g: (0..self.stages()).map(|_| IntegrandRows::new(sys)).collect(),
            past,
            values: vec![0.0; lay.o],
            sums: vec![0.0; (2 * lay.n).max(lay.o)],
        })
    }
    fn initial<'l>(&self, l: &'l mut RungeKuttaLinear<Y>) -> &'l mut Initial<Y> {
        &mut l.initial
    }
    fn visits(&self, l: &RungeKuttaLinear<Y>) -> usize {
        l.blocks.iter().map(|b| self.sys.visits(&b.linear.data)).sum()
    }
    fn order(&self) -> usize {
        self.tableau.order
    }
    fn choices(&self) -> usize {
        self.state.choices(self.sys)
    }
    fn decide(
        &self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        l: &mut RungeKuttaLinear<Y>,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let node = &l.blocks[self.stages() - 1];
        self.state.decide(self.sys, span.t, &past[..self.sys.dims().n], node.badness(), &mut l.past, choice);
        Ok(())
    }
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        block::noise(&self.f, h, size, mass, row)
    }
    fn residual<S: ProgramScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<Y, S>,
        r: &mut [S],
    ) {
        let (sys, lay) = (self.sys, self.layout());
        let (n2, z) = (2 * lay.n, lay.z());
        sys.set_angles(frozen.angles, &mut w.data);
        let Some(past) = past else {
            return initial::residual(sys, &self.f, &lay, span.t, x, &mut w.data, r);
        };
        for k in 0..lay.o {
            r[z + k] = x[z + k] - past[z + k];
        }
        for j in 0..=self.stages() {
            let t = span.t + span.h * self.node(j);
            let at = lay.node(t, self.block(&lay, j, x, past));
            sys.place(t, at.q, &mut w.data);
            // (2)
            if lay.o > 0 && self.counts(j) {
                sys.measure(Set::Integrand, &at, &mut w.data, &mut w.g);
                for k in 0..lay.o {
                    r[z + k] -= span.h * w.g[k] * self.b()[j];
                }
            }
            if j == 0 {
                continue;
            }
            // (1)
            let o = self.at(&lay, j);
            self.slope(&lay, self.tableau.rows[j - 1], x, past, &mut r[o..o + n2]);
            for d in 0..n2 {
                r[o + d] = x[o + d] - past[d] - span.h * r[o + d];
            }
            self.state.residual(sys, &self.f, &at, frozen.choice, &mut w.data, &mut r[o..o + z], &mut w.scratch);
        }
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut RungeKuttaLinear<Y>,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let lay = self.layout();
        let Some(past) = past else { return l.initial.advance(self.sys, span.t, frozen.angles, x) };
        for i in 0..self.stages() {
            let o = self.at(&lay, i + 1);
            self.stage(&lay, i, span.h, x, past);
            let block = &mut l.blocks[i];
            self.sys.set_angles(frozen.angles, &mut block.linear.data);
            let t = span.t + self.tableau.nodes[i] * span.h;
            block.evaluate(self.sys, t, frozen.choice, &mut x[o..o + lay.z()])?;
        }
        // (2)
        if lay.o > 0 {
            self.sys.set_angles(frozen.angles, &mut l.past);
            self.sys.set_time(span.t, &mut l.past);
            self.quadrature(&lay, self.b(), span, x, past, l);
            for k in 0..lay.o {
                x[lay.z() + k] = past[lay.z() + k] + span.h * l.sums[k];
            }
        }
        Ok(Report { iterations: self.stages(), factorizations: self.stages() })
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut RungeKuttaLinear<Y>,
    ) -> Result<(), StepError> {
        let (sys, lay) = (self.sys, self.layout());
        (l.first, l.h) = (past.is_none(), span.h);
        let Some(past) = past else { return l.initial.linearise(sys, span.t, frozen.angles, x) };
        if self.counts(0) {
            sys.set_angles(frozen.angles, &mut l.past);
            sys.set_time(span.t, &mut l.past);
            l.g[0].set(sys, &lay.node(span.t, past), &mut l.past);
        }
        for i in 0..self.stages() {
            let t = span.t + self.tableau.nodes[i] * span.h;
            let at = lay.node(t, self.block(&lay, i + 1, x, past));
            let block = &mut l.blocks[i];
            sys.set_angles(frozen.angles, &mut block.linear.data);
            block.set(sys, &at, frozen.choice)?;
            if self.counts(i + 1) {
                l.g[i + 1].set(sys, &at, &mut block.linear.data);
            }
        }
        Ok(())
    }
    fn solve(&self, l: &mut RungeKuttaLinear<Y>, b: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve(sys, b);
        }
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (i, row) in self.tableau.rows.iter().enumerate() {
            let o = self.at(&lay, i + 1);
            for (j, a) in row.iter().enumerate().skip(1).filter(|(_, a)| **a != 0.0) {
                let from = self.at(&lay, j) + lay.v();
                l.sums[..n2].copy_from_slice(&b[from..from + n2]);
                for level in 0..2 {
                    let rows = o + level * n;
                    l.blocks[i].defect(level, l.h * a, &l.sums[level * n..(level + 1) * n], &mut b[rows..rows + n]);
                }
            }
            l.blocks[i].solve(sys, &mut b[o..o + z]);
        }
        for j in (1..self.stages()).filter(|&j| self.counts(j)) {
            let o = self.at(&lay, j);
            for k in 0..lay.o {
                let g = l.g[j].mul(k, &b[o..o + z]);
                b[z + k] += l.h * self.b()[j] * g;
            }
        }
    }
    fn solve_t(&self, l: &mut RungeKuttaLinear<Y>, b: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve_t(sys, b);
        }
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (i, row) in self.tableau.rows.iter().enumerate().rev() {
            let o = self.at(&lay, i + 1);
            // sources of the quadrature rows on stage i + 1
            if self.counts(i + 1) {
                for k in 0..lay.o {
                    let mu = b[z + k];
                    l.g[i + 1].mul_t(k, l.h * self.b()[i + 1] * mu, &mut b[o..o + z]);
                }
            }
            l.blocks[i].solve_t(sys, &mut b[o..o + z]);
            // the prediction on the earlier stages
            for (j, a) in row.iter().enumerate().skip(1).filter(|(_, a)| **a != 0.0) {
                let to = self.at(&lay, j) + lay.v();
                l.sums[..n2].copy_from_slice(&b[o..o + n2]);
                for level in 0..2 {
                    let at = to + level * n;
                    l.blocks[i].defect_t(level, l.h * a, &l.sums[level * n..(level + 1) * n], &mut b[at..at + n]);
                }
            }
        }
    }
    fn past_mul(&self, l: &mut RungeKuttaLinear<Y>, s: &[f64], r: &mut [f64]) {
        if l.first {
            return;
        }
        let lay = self.layout();
        let n = lay.n;
        for (i, row) in self.tableau.rows.iter().enumerate() {
            let o = self.at(&lay, i + 1);
            for level in 0..2 {
                let (y, dy) = (&s[level * n..(level + 1) * n], &s[(level + 1) * n..(level + 2) * n]);
                let rows = &mut r[o + level * n..o + (level + 1) * n];
                l.blocks[i].defect(level, -1.0, y, rows);
                l.blocks[i].defect(level, -l.h * row[0], dy, rows);
            }
        }
        for k in 0..lay.o {
            let g = if self.counts(0) { l.g[0].mul(k, s) } else { 0.0 };
            r[lay.z() + k] -= s[lay.z() + k] + l.h * self.b()[0] * g;
        }
    }
    fn past_mul_t(&self, l: &mut RungeKuttaLinear<Y>, mu: &[f64], out: &mut [f64]) {
        if l.first {
            return;
        }
        let lay = self.layout();
        let n = lay.n;
        for (i, row) in self.tableau.rows.iter().enumerate() {
            let o = self.at(&lay, i + 1);
            for level in 0..2 {
                let (mu, y) = (&mu[o + level * n..o + (level + 1) * n], level * n);
                l.blocks[i].defect_t(level, -1.0, mu, &mut out[y..y + n]);
                l.blocks[i].defect_t(level, -l.h * row[0], mu, &mut out[y + n..y + 2 * n]);
            }
        }
        for k in 0..lay.o {
            let mu = mu[lay.z() + k];
            out[lay.z() + k] -= mu;
            if self.counts(0) {
                l.g[0].mul_t(k, -l.h * self.b()[0] * mu, &mut out[..lay.z()]);
            }
        }
    }
    fn slot_mul(&self, l: &mut RungeKuttaLinear<Y>, delta: &[f64], r: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul(sys, delta, r);
        }
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = self.at(&lay, i + 1);
            block.slot_mul(sys, delta, &mut r[o..o + lay.z()]);
        }
        for j in (0..self.stages()).filter(|&j| self.counts(j)) {
            for k in 0..lay.o {
                r[lay.z() + k] -= l.h * self.b()[j] * l.g[j].slot_mul(sys, k, delta);
            }
        }
    }
    fn slot_mul_t(&self, l: &mut RungeKuttaLinear<Y>, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul_t(sys, mu, s, grad);
        }
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = self.at(&lay, i + 1);
            block.slot_mul_t(sys, &mu[o..o + lay.z()], s, grad);
        }
        for j in (0..self.stages()).filter(|&j| self.counts(j)) {
            for k in 0..lay.o {
                l.g[j].slot_mul_t(sys, k, -l.h * s * self.b()[j] * mu[lay.z() + k], grad);
            }
        }
    }
    /// RMS over (y, z) of the embedded error, after `advance`.
    fn error(
        &self,
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        l: &mut RungeKuttaLinear<Y>,
    ) -> Option<(f64, usize)> {
        let e = self.tableau.error;
        if e.is_empty() {
            return None;
        }
        let lay = self.layout();
        let (n2, z) = (2 * lay.n, lay.z());
        let size = |err: f64, i: usize| (span.h * err / (tol.atol + tol.rtol * x[i].abs().max(past[i].abs()))).powi(2);
        let (mut sum, mut worst) = (0.0, (0.0, 0));
        self.slope(&lay, e, x, past, &mut l.sums[..n2]);
        for i in 0..n2 {
            let s = size(l.sums[i], i);
            sum += s;
            if s > worst.0 || s.is_nan() {
                worst = (s, i % lay.n);
            }
        }
        self.quadrature(&lay, e, span, x, past, l);
        for k in 0..lay.o {
            sum += size(l.sums[k], z + k);
        }
        let error = (sum / (n2 + lay.o) as f64).sqrt();
        Some((if error.is_nan() { f64::INFINITY } else { error }, worst.1))
    }
    /// The scheme's continuous extension, or cubic Hermite.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut RungeKuttaLinear<Y>,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let (lay, θ, h) = (self.layout(), theta, span.h);
        super::hermite(&lay, h, θ, past, x, out);
        if !self.tableau.dense.is_empty() {
            // + h θ²(1 - θ)² Σ d_j ẏ_j
            self.slope(&lay, self.tableau.dense, x, past, &mut l.sums[..2 * lay.n]);
            let w = h * (θ * (1.0 - θ)).powi(2);
            out.iter_mut().zip(&l.sums[..2 * lay.n]).for_each(|(o, s)| *o += w * s);
        }
        let block = &mut l.blocks[0];
        self.sys.set_angles(frozen.angles, &mut block.linear.data);
        block.evaluate(self.sys, span.t + θ * h, frozen.choice, out)
    }
}
