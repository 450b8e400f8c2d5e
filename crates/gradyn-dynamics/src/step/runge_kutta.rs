//! Runge–Kutta, explicit and implicit: stages and node are blocks (q, v, a, λ) of the same shape.
//!
//! ```text
//! (q̂, v̂)_i = (q, v)_0 + h Σ_j a_ij (v, a)_j,   rows of block i = 0,   i = 1 … s  (s is the node, a_sj = b_j)  (1)
//! z = z_0 + h Σ_j b_j g(t_j, block j)                                                                     (2)
//! ```
//! Block 0 is the past node, whose (a, λ) its own record solved for: every explicit scheme is "first same as
//! last". The rows of a block are those of the formulation's state ([`crate::block`]); they are linear in (a,
//! λ).
//!
//! Groups of blocks are solved one after the other: explicit blocks by sweeps through their rows, implicit
//! ones by Newton on one matrix (`coupled`). If all blocks form one implicit group (Radau IIA), the
//! constraints may be at the level of positions: index 3, whose (a, λ) at the start are those of Φ̈ = 0 and
//! do not enter the step [Hairer, Lubich & Roche].

pub mod coupled;
mod estimate;
mod newton;
mod sweeps;

use super::memory::Visit;
use super::{
    Bound, Counts, Equations, IntegrandRows, Layout, Report, Residual, Span, StartLaw, StepArgs, Stepper,
    Tolerance,
};
use crate::block::{self, Block, Chooser, Integrated};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::{Lagrange, largest_mass, smallest_row};
use crate::kkt::MotionMatrix;
use crate::plan::Frozen;
use crate::tableau::Tableau;
use coupled::Coupled;
use gradyn_model::{Evaluator, FunctionalSet, RunScalar, Setup};
use gradyn_num::largest;

/// A tableau on a formulation.
#[derive(Clone)]
pub struct RungeKutta {
    /// System that is integrated.
    pub sys: Setup,
    /// The formulation; its c₂ is 1, or 0 if all blocks are coupled.
    pub f: Lagrange,
    /// What is integrated.
    pub state: Integrated,
    /// Independent coordinates that the user named; empty: they are chosen.
    pub freedoms: Vec<u32>,
    /// Coefficients of the scheme.
    pub tableau: &'static Tableau,
}

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    terms: Evaluator<S>,
    g: Vec<S>,
    scratch: Vec<S>,
}

/// Memory of a linearised step.
pub(crate) struct RungeKuttaLinear {
    h: f64,
    chooser: Chooser,
    /// Blocks 1 … s of the step.
    blocks: Vec<Block>,
    /// The matrices of the groups that are implicit, and of the filter of the estimate.
    groups: Vec<Option<Coupled>>,
    filter: Option<Coupled>,
    /// Largest entry of M, and of the smallest row of Φ_q.
    scales: [f64; 2],
    /// g_x of blocks 0 … s.
    g: Vec<IntegrandRows>,
    kkt: MotionMatrix,
    scratch: Vec<f64>,
    past: Evaluator<f64>,
    values: Vec<f64>,
    sums: Vec<f64>,
}

impl RungeKutta {
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
    fn slope<S: RunScalar>(&self, lay: &Layout, c: &[f64], x: &[S], past: &[S], out: &mut [S]) {
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
        let o = self.at(lay, i + 1);
        let n2 = 2 * lay.n;
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
    /// (j, a_ij) of blocks 1 … `start`, those of the groups before.
    fn earlier(&self, i: usize, start: usize) -> impl Iterator<Item = (usize, f64)> + use<'_> {
        (1..=start).map(move |j| (j, self.tableau.a(i, j))).filter(|(_, a)| *a != 0.0)
    }
    /// Runs a solve on the blocks of some rows.
    fn with_matrix(
        &self,
        lay: &Layout,
        rows: std::ops::Range<usize>,
        matrix: &mut Coupled,
        b: &mut [f64],
        solve: impl FnOnce(&mut Coupled),
    ) {
        let z = lay.z();
        for (i, to) in rows.clone().zip(matrix.b.chunks_exact_mut(z)) {
            to.copy_from_slice(&b[self.at(lay, i + 1)..][..z]);
        }
        solve(matrix);
        for (i, from) in rows.zip(matrix.b.chunks_exact(z)) {
            b[self.at(lay, i + 1)..][..z].copy_from_slice(from);
        }
    }
    /// Block i + 1 of an explicit row.
    fn evaluate(
        &self,
        lay: &Layout,
        i: usize,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RungeKuttaLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let o = self.at(lay, i + 1);
        let block = &mut l.blocks[i];
        self.stage(lay, i, span.h, x, past);
        block.linear.terms.set_branches(frozen.branches);
        let t = span.t + self.tableau.nodes[i] * span.h;
        block.evaluate(&self.sys, t, frozen.choice, &mut x[o..o + lay.z()])?;
        Ok(Report { iterations: 1, factorizations: 1 })
    }
    /// Do the independent coordinates follow the motion of the blocks?
    fn follow(
        &self,
        lay: &Layout,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        l: &mut RungeKuttaLinear,
        x: &[f64],
    ) -> Result<(), StepError> {
        if self.state == Integrated::Full {
            return Ok(());
        }
        // R in implicit blocks; explicit ones have it
        for (_, rows) in self.tableau.groups().enumerate().filter(|(g, _)| l.groups[*g].is_some()) {
            for i in rows {
                l.blocks[i].look(&self.sys, span.t + self.tableau.nodes[i] * span.h, frozen.choice)?;
            }
        }
        // v̂ of the node
        let n = lay.n;
        let sums = &mut l.sums[..2 * n];
        self.slope(lay, self.b(), x, past, sums);
        let predicted = &mut sums[n..];
        predicted.iter_mut().zip(&past[n..2 * n]).for_each(|(s, v)| *s = v + span.h * *s);
        let blocks = l.blocks.iter().map(Block::largest);
        l.chooser.follow(&self.sys, lay, span, blocks, (past, x, predicted))
    }
    /// The law of (a, λ) at the start and between steps.
    fn law(&self) -> Lagrange {
        let law = Lagrange { wrong_tangent: self.f.wrong_tangent, ..Lagrange::ACCELERATION };
        if self.f.level[2] == 0.0 { law } else { self.f }
    }
    /// Rows of block i + 1, (1), with `terms` there.
    fn rows<S: RunScalar>(
        &self,
        lay: &Layout,
        i: usize,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: &[S],
        terms: &mut Evaluator<S>,
        scratch: &mut [S],
        r: &mut [S],
    ) {
        // defects of (1)
        let block = self.block(lay, i + 1, x, past);
        self.slope(lay, self.tableau.rows[i], x, past, &mut r[..2 * lay.n]);
        for i in 0..2 * lay.n {
            r[i] = block[i] - past[i] - span.h * r[i];
        }
        // rows of the state
        let at = lay.node(span.t + span.h * self.tableau.nodes[i], block);
        self.state.residual(&self.sys, &self.f, &at, frozen.choice, terms, r, scratch);
    }
    /// `l.sums` += c g(block j), with its evaluator there.
    fn add_integrands(
        &self,
        lay: &Layout,
        c: f64,
        t: f64,
        j: usize,
        x: &[f64],
        past: &[f64],
        l: &mut RungeKuttaLinear,
    ) {
        let at = lay.node(t, self.block(lay, j, x, past));
        let terms = if j == 0 { &mut l.past } else { &mut l.blocks[j - 1].linear.terms };
        terms.measure(FunctionalSet::Integrand, &at, &mut l.values[..lay.o]);
        l.sums[..lay.o].iter_mut().zip(&l.values).for_each(|(s, g)| *s += c * g);
    }
    /// Σ_j c_j g_j into `l.sums`, with every evaluator at its block; nothing is measured without objectives.
    fn quadrature(
        &self,
        lay: &Layout,
        c: &[f64],
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        l: &mut RungeKuttaLinear,
    ) {
        l.sums.fill(0.0);
        for (j, c) in c.iter().enumerate() {
            if *c != 0.0 && lay.o > 0 {
                self.add_integrands(lay, *c, span.t + self.node(j) * span.h, j, x, past, l);
            }
        }
    }
}

impl RungeKutta {
    pub(crate) fn layout(&self) -> Layout {
        let d = self.sys.dims();
        Layout::of(&self.sys, (self.stages() - 1) * (3 * d.n + d.m))
    }
    /// Memory of the residual.
    pub(crate) fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        let terms = self.sys.evaluator(p);
        let d = self.sys.dims();
        let o = self.sys.functionals(FunctionalSet::Integrand);
        Work { terms, g: vec![S::zero(); o], scratch: vec![S::zero(); d.n + d.m] }
    }
    /// Memory of the steps; `kkt` is prepared.
    pub(crate) fn memory(&self, p: &[f64], kkt: &MotionMatrix) -> Result<RungeKuttaLinear, StepError> {
        // index 3 needs all blocks in one implicit group
        let positions =
            self.f.level[2] == 0.0 && self.state == Integrated::Full && self.tableau.takes_positions();
        assert!(
            self.f.level[2] == 1.0 || positions,
            "{} needs constraints at acceleration level",
            self.tableau.name
        );
        let sys = &self.sys;
        let lay = self.layout();
        let tableau = self.tableau;
        let past = sys.evaluator_with(p);
        // a block, and the matrix of a group of rows
        let block = || Block::new(sys, self.f, self.state, p, kkt);
        let own = |g: &std::ops::Range<usize>| {
            g.clone().flat_map(|i| g.clone().map(move |j| tableau.a(i, j + 1))).collect()
        };
        let matrix = |a: Vec<f64>| Coupled::new(sys, &self.f, self.state, a);
        let group =
            |g: std::ops::Range<usize>| tableau.is_implicit(g.clone()).then(|| matrix(own(&g))).transpose();
        Ok(RungeKuttaLinear {
            h: 0.0,
            chooser: Chooser::new(&self.freedoms),
            blocks: (0..self.stages()).map(|_| block()).collect(),
            groups: tableau.groups().map(group).collect::<Result<_, _>>()?,
            filter: (tableau.filter != 0.0).then(|| matrix(vec![tableau.filter])).transpose()?,
            scales: [largest_mass(sys, p), smallest_row(sys, p, 0.0, sys.guess())],
            g: (0..=self.stages()).map(|_| IntegrandRows::new(sys)).collect(),
            past,
            scratch: vec![0.0; lay.n + lay.m],
            kkt: kkt.clone(),
            values: vec![0.0; lay.o],
            sums: vec![0.0; (2 * lay.n).max(lay.o)],
        })
    }
    /// |ẏ_s - ẏ_{s-1}|/|y_s - y_{s-1}|: the last stage and the node are both at the end of the step
    /// [Hairer & Wanner II, IV.2].
    pub(crate) fn stability(&self, h: f64, x: &[f64]) -> Option<f64> {
        let (lay, s) = (self.layout(), self.stages());
        let limit = self.tableau.stability.filter(|_| self.node(s - 1) == 1.0)?;
        let y = self.block(&lay, s, x, &[]);
        let z = self.block(&lay, s - 1, x, &[]);
        let n = lay.n;
        let apart = |r: std::ops::Range<usize>| largest(r.map(|i| y[i] - z[i]));
        // 1e-12: differences of roundings
        let dy = apart(0..2 * n);
        let least = 1e-12 * largest(y[..2 * n].iter().copied());
        (dy > least).then(|| h * apart(n..3 * n) / dy / limit)
    }
    pub(crate) fn stage_times(&self) -> Vec<Option<f64>> {
        (1..self.stages()).map(|j| self.counts(j).then(|| self.node(j))).collect()
    }
    pub(crate) fn order(&self) -> usize {
        self.tableau.order
    }
    pub(crate) fn equations(&self) -> Equations {
        Equations {
            law: self.law(),
            state: self.state,
            scheme: self.tableau,
            positions: self.f.level[2] == 0.0,
        }
    }
    pub(crate) fn estimate_order(&self) -> usize {
        self.tableau.estimate
    }
    pub(crate) fn choices(&self) -> usize {
        self.state.choices(&self.sys)
    }
    pub(crate) fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        if self.f.level[2] == 0.0 {
            // a ~ q/(c₁h)² in the first stage
            return super::noise_of_positions(
                512.0 / (self.tableau.nodes[0] * h).powi(2),
                h,
                size,
                mass,
                row,
            );
        }
        block::noise(
            &self.f,
            self.f.shared(&self.sys),
            self.tableau.is_implicit(0..self.tableau.coupled),
            h,
            size,
            mass,
            row,
        )
    }
    /// What record 0 obeys.
    pub(crate) fn start_law(&self) -> StartLaw {
        StartLaw { law: self.law(), auxiliary: false, matrix_r: false }
    }
}

impl<S: RunScalar> Residual<S> for Bound<RungeKutta, Work<S>> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { spec, memory: w } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let lay = spec.layout();
        let z = lay.z();
        w.terms.set_branches(frozen.branches);
        for k in 0..lay.o {
            r[z + k] = x[z + k] - past[z + k];
        }
        for j in 0..=spec.stages() {
            let t = span.t + span.h * spec.node(j);
            let at = lay.node(t, spec.block(&lay, j, x, past));
            w.terms.at(t, at.q);
            // (2)
            if lay.o > 0 && spec.counts(j) {
                w.terms.measure(FunctionalSet::Integrand, &at, &mut w.g);
                for k in 0..lay.o {
                    r[z + k] -= span.h * w.g[k] * spec.b()[j];
                }
            }
            if j == 0 {
                continue;
            }
            // (1)
            let o = spec.at(&lay, j);
            spec.rows(&lay, j - 1, span, frozen, x, past, &mut w.terms, &mut w.scratch, &mut r[o..o + z]);
        }
    }
}

impl Stepper for Bound<RungeKutta, RungeKuttaLinear> {
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let evaluated = l.groups.last().is_some_and(|g| g.is_none());
        let node = &mut l.blocks[spec.stages() - 1];
        l.chooser.decide(&spec.sys, (span, past), node, evaluated, choice)
    }
    fn choose_again(&mut self, span: Span<f64>, past: &[f64], failed: bool, choice: &mut [u32]) -> bool {
        let Self { spec, memory: l } = self;
        let node = &mut l.blocks[spec.stages() - 1];
        l.chooser.choose_again(&spec.sys, (span, past), failed, node, choice)
    }
    fn reach(&self) -> f64 {
        self.memory.chooser.reach()
    }
    fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let Self { spec, memory: l } = self;
        let lay = spec.layout();
        let mut report = Report::default();
        for (g, rows) in spec.tableau.groups().enumerate() {
            let done = if l.groups[g].is_some() {
                spec.newton((g, rows), span, frozen, past, l, x)?
            } else {
                spec.evaluate(&lay, rows.start, span, frozen, past, l, x)?
            };
            report.iterations += done.iterations;
            report.factorizations += done.factorizations;
        }
        spec.follow(&lay, span, frozen, past, l, x)?;
        // (2)
        if lay.o > 0 {
            l.past.set_branches(frozen.branches);
            l.past.at_time(span.t);
            spec.quadrature(&lay, spec.b(), span, x, past, l);
            for k in 0..lay.o {
                x[lay.z() + k] = past[lay.z() + k] + span.h * l.sums[k];
            }
        }
        Ok(report)
    }
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        l.h = span.h;
        // g_x of the past
        if spec.counts(0) {
            l.past.set_branches(frozen.branches);
            l.past.at_time(span.t);
            l.g[0].set(&lay.node(span.t, past), &mut l.past);
        }
        // partials of each block, then the matrix of each implicit group
        for (g, rows) in spec.tableau.groups().enumerate() {
            for i in rows.clone() {
                let t = span.t + spec.tableau.nodes[i] * span.h;
                let at = lay.node(t, spec.block(&lay, i + 1, x, past));
                let block = &mut l.blocks[i];
                block.linear.terms.set_branches(frozen.branches);
                if l.groups[g].is_some() {
                    block.linear.terms.at(t, at.q);
                    block.partials(sys, &at, frozen.choice)?;
                } else {
                    block.hold(sys, &at, frozen.choice)?;
                }
                if spec.counts(i + 1) {
                    l.g[i + 1].set(&at, &mut block.linear.terms);
                }
            }
            if let Some(matrix) = &mut l.groups[g] {
                matrix.set_choice(sys, &spec.f, spec.state, frozen.choice)?;
                matrix.refactor(sys, &spec.f, span.end(), span.h, &l.blocks[rows])?;
            }
        }
        Ok(())
    }
    /// The scheme's continuous extension, or cubic Hermite.
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let (lay, θ, h) = (spec.layout(), theta, span.h);
        super::hermite(&lay, h, θ, past, x, &mut out[..2 * lay.n]);
        if !spec.tableau.dense.is_empty() {
            // + h θ²(1 - θ)² Σ d_j ẏ_j
            spec.slope(&lay, spec.tableau.dense, x, past, &mut l.sums[..2 * lay.n]);
            let w = h * (θ * (1.0 - θ)).powi(2);
            out.iter_mut().zip(&l.sums[..2 * lay.n]).for_each(|(o, s)| *o += w * s);
        }
        let t = span.t + θ * h;
        let block = &mut l.blocks[0];
        if spec.f.level[2] == 0.0 {
            return super::complete(
                &spec.sys,
                &spec.law(),
                &lay,
                t,
                frozen.branches,
                &mut block.linear.terms,
                &mut l.kkt,
                out,
            );
        }
        block.linear.terms.set_branches(frozen.branches);
        block.evaluate(&spec.sys, t, frozen.choice, out)
    }
    fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, x, past, .. } = *a;
        let (e, lower) = (spec.tableau.error, spec.tableau.lower);
        if e.is_empty() {
            return None;
        }
        let (square, worst) = spec.square(e, span, x, past, tol, l);
        let error = if lower.is_empty() || square == 0.0 {
            square.sqrt()
        } else {
            square / (square + 0.01 * spec.square(lower, span, x, past, tol, l).0).sqrt()
        };
        Some((if error.is_nan() { f64::INFINITY } else { error }, worst))
    }
    fn counts(&self) -> Counts {
        let visits = self.memory.blocks.iter().map(|b| b.linear.terms.visits()).sum();
        Counts { visits, factorizations: None }
    }
    /// The filter of the estimate and the output between steps are no part of a step.
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        l.blocks.iter_mut().try_for_each(|block| block.visit(&spec.sys, visit))?;
        let mut groups = l.groups.iter_mut().flatten();
        groups.try_for_each(|group| group.visit(&spec.sys, &spec.f, spec.state, visit))
    }
    fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        control.factor(error, self.spec.estimate_order())
    }
    fn limited(&self) -> bool {
        false
    }
}
