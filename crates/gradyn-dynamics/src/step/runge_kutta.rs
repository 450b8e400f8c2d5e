//! Runge–Kutta, explicit and implicit: stages and node are blocks (q, v, a, λ) of the same shape.
//!
//! ```text
//! (q̂, v̂)_i = (q, v)_0 + h Σ_j a_ij (v, a)_j,   rows of block i = 0,   i = 1 … s  (s is the node, a_sj = b_j)   (1)
//! z = z_0 + h Σ_j b_j g(t_j, block j)                                                                      (2)
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

use super::{Equations, IntegrandRows, Layout, Report, Span, Step, Tolerance};
use crate::block::{self, Block, Chooser, State};
use crate::error::StepError;
use crate::formulation::{Lagrange, largest_mass, smallest_row};
use crate::initial::{self, Initial};
use crate::plan::Frozen;
use crate::tableau::Tableau;
use coupled::Coupled;
use gradyn_model::{Data, RunScalar, Set, Setup, System};
use gradyn_num::{Kkt, largest};

/// A tableau on a formulation.
pub struct RungeKutta<'a> {
    /// The system.
    pub sys: &'a Setup,
    /// The formulation; its c₂ is 1, or 0 if all blocks are coupled.
    pub f: Lagrange,
    /// What is integrated.
    pub state: State,
    /// Independent coordinates that the user named; empty: they are chosen.
    pub freedoms: Vec<u32>,
    /// The scheme.
    pub tableau: &'static Tableau,
}

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    data: Data<S>,
    g: Vec<S>,
    scratch: Vec<S>,
}

/// Memory of a linearised step.
pub struct RungeKuttaLinear {
    initial: Initial,
    first: bool,
    h: f64,
    chooser: Chooser,
    /// Blocks 1 … s.
    blocks: Vec<Block>,
    /// The matrices of the groups that are implicit, and of the filter of the estimate.
    groups: Vec<Option<Coupled>>,
    filter: Option<Coupled>,
    /// Largest entry of M, and of the smallest row of Φ_q.
    scales: [f64; 2],
    /// g_x of blocks 0 … s.
    g: Vec<IntegrandRows>,
    kkt: Kkt,
    scratch: Vec<f64>,
    past: Data<f64>,
    values: Vec<f64>,
    sums: Vec<f64>,
}

impl RungeKutta<'_> {
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
        let (o, block) = (self.at(lay, i + 1), &mut l.blocks[i]);
        self.stage(lay, i, span.h, x, past);
        self.sys.set_angles(frozen.angles, &mut block.linear.data);
        let t = span.t + self.tableau.nodes[i] * span.h;
        block.evaluate(self.sys, t, frozen.choice, &mut x[o..o + lay.z()])?;
        Ok(Report { iterations: 1, factorizations: 1 })
    }
    /// The law of (a, λ) at the start and between steps.
    fn law(&self) -> Lagrange {
        let law = Lagrange { wrong_tangent: self.f.wrong_tangent, ..Lagrange::ACCELERATION };
        if self.f.level[2] == 0.0 { law } else { self.f }
    }
    /// Rows of block i + 1, (1), with data placed there.
    fn rows<S: RunScalar>(
        &self,
        lay: &Layout,
        i: usize,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: &[S],
        d: &mut Data<S>,
        scratch: &mut [S],
        r: &mut [S],
    ) {
        let block = self.block(lay, i + 1, x, past);
        self.slope(lay, self.tableau.rows[i], x, past, &mut r[..2 * lay.n]);
        for d in 0..2 * lay.n {
            r[d] = block[d] - past[d] - span.h * r[d];
        }
        let at = lay.node(span.t + span.h * self.tableau.nodes[i], block);
        self.state.residual(self.sys, &self.f, &at, frozen.choice, d, r, scratch);
    }
    /// `l.sums` += c g(block j), with its data placed there.
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
        let d = if j == 0 { &mut l.past } else { &mut l.blocks[j - 1].linear.data };
        self.sys.measure(Set::Integrand, &at, d, &mut l.values[..lay.o]);
        l.sums[..lay.o].iter_mut().zip(&l.values).for_each(|(s, g)| *s += c * g);
    }
    /// Σ_j c_j g_j into `l.sums`; data must be placed.
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
            if *c != 0.0 {
                self.add_integrands(lay, *c, span.t + self.node(j) * span.h, j, x, past, l);
            }
        }
    }
}

impl Step for RungeKutta<'_> {
    type Work<S: RunScalar> = Work<S>;
    type Linear = RungeKuttaLinear;

    fn system(&self) -> &Setup {
        self.sys
    }
    fn layout(&self) -> Layout {
        let d = self.sys.dims();
        Layout::of(self.sys, (self.stages() - 1) * (3 * d.n + d.m))
    }
    fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        let mut data = self.sys.data();
        self.sys.prepare(p, &mut data);
        let (d, o) = (self.sys.dims(), self.sys.functionals(Set::Integrand));
        Work { data, g: vec![S::zero(); o], scratch: vec![S::zero(); d.n + d.m] }
    }
    fn linear(&self, p: &[f64]) -> Result<RungeKuttaLinear, StepError> {
        let positions = self.f.level[2] == 0.0 && self.state == State::Full && self.tableau.takes_positions();
        assert!(
            self.f.level[2] == 1.0 || positions,
            "{} needs constraints at acceleration level",
            self.tableau.name
        );
        let (sys, lay, tableau) = (self.sys, self.layout(), self.tableau);
        let (past, kkt) = block::prepare(sys, p)?;
        let block = || Block::new(sys, self.f, self.state, p, &kkt);
        let own = |g: &std::ops::Range<usize>| {
            g.clone().flat_map(|i| g.clone().map(move |j| tableau.a(i, j + 1))).collect()
        };
        let matrix = |a: Vec<f64>| Coupled::new(sys, &self.f, self.state, a);
        let group =
            |g: std::ops::Range<usize>| tableau.is_implicit(g.clone()).then(|| matrix(own(&g))).transpose();
        Ok(RungeKuttaLinear {
            initial: Initial::new(sys, self.law(), lay, p, kkt.clone())?,
            first: true,
            h: 0.0,
            chooser: Chooser::new(&self.freedoms),
            blocks: (0..self.stages()).map(|_| block()).collect(),
            groups: tableau.groups().map(group).collect::<Result<_, _>>()?,
            filter: (tableau.filter != 0.0).then(|| matrix(vec![tableau.filter])).transpose()?,
            scales: [largest_mass(sys, p), smallest_row(sys, p, 0.0, sys.drawn())],
            g: (0..=self.stages()).map(|_| IntegrandRows::new(sys)).collect(),
            past,
            scratch: vec![0.0; lay.n + lay.m],
            kkt,
            values: vec![0.0; lay.o],
            sums: vec![0.0; (2 * lay.n).max(lay.o)],
        })
    }
    fn initial<'l>(&self, l: &'l mut RungeKuttaLinear) -> &'l mut Initial {
        &mut l.initial
    }
    /// |ẏ_s - ẏ_{s-1}|/|y_s - y_{s-1}|: the last stage and the node are both at the end of the step [Hairer & Wanner II, IV.2].
    fn stability(&self, h: f64, x: &[f64]) -> Option<f64> {
        let (lay, s) = (self.layout(), self.stages());
        let limit = self.tableau.stability.filter(|_| self.node(s - 1) == 1.0)?;
        let (y, z, n) = (self.block(&lay, s, x, &[]), self.block(&lay, s - 1, x, &[]), lay.n);
        let apart = |r: std::ops::Range<usize>| largest(r.map(|i| y[i] - z[i]));
        // 1e-12: differences of roundings
        let (dy, least) = (apart(0..2 * n), 1e-12 * largest(y[..2 * n].iter().copied()));
        (dy > least).then(|| h * apart(n..3 * n) / dy / limit)
    }
    fn stage_times(&self) -> Vec<Option<f64>> {
        (1..self.stages()).map(|j| self.counts(j).then(|| self.node(j))).collect()
    }
    fn visits(&self, l: &RungeKuttaLinear) -> usize {
        l.blocks.iter().map(|b| self.sys.visits(&b.linear.data)).sum()
    }
    fn order(&self) -> usize {
        self.tableau.order
    }
    fn equations(&self) -> Equations {
        Equations {
            law: self.law(),
            state: self.state,
            scheme: self.tableau,
            positions: self.f.level[2] == 0.0,
        }
    }
    fn estimate_order(&self) -> usize {
        self.tableau.estimate
    }
    fn choices(&self) -> usize {
        self.state.choices(self.sys)
    }
    fn decide(
        &self,
        span: Span<f64>,
        past: &[f64],
        _since: usize,
        l: &mut RungeKuttaLinear,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let evaluated = l.groups.last().is_some_and(|g| g.is_none());
        let node = &mut l.blocks[self.stages() - 1];
        l.chooser.decide(self.sys, (span.t, &past[..self.sys.dims().n]), node, evaluated, choice)
    }
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
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
            self.f.shared(self.sys),
            self.tableau.is_implicit(0..self.tableau.coupled),
            h,
            size,
            mass,
            row,
        )
    }
    fn residual<S: RunScalar>(
        &self,
        span: Span<S>,
        frozen: Frozen,
        x: &[S],
        past: Option<&[S]>,
        w: &mut Work<S>,
        r: &mut [S],
    ) {
        let (sys, lay) = (self.sys, self.layout());
        let z = lay.z();
        sys.set_angles(frozen.angles, &mut w.data);
        let Some(past) = past else {
            return initial::residual(sys, &self.law(), &lay, span.t, x, &mut w.data, r);
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
            self.rows(&lay, j - 1, span, frozen, x, past, &mut w.data, &mut w.scratch, &mut r[o..o + z]);
        }
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut RungeKuttaLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let lay = self.layout();
        let Some(past) = past else { return l.initial.advance(self.sys, span.t, frozen.angles, x) };
        let mut report = Report::default();
        for (g, rows) in self.tableau.groups().enumerate() {
            let done = if l.groups[g].is_some() {
                self.newton((g, rows), span, frozen, past, l, x)?
            } else {
                self.evaluate(&lay, rows.start, span, frozen, past, l, x)?
            };
            report.iterations += done.iterations;
            report.factorizations += done.factorizations;
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
        Ok(report)
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut RungeKuttaLinear,
    ) -> Result<(), StepError> {
        let (sys, lay) = (self.sys, self.layout());
        (l.first, l.h) = (past.is_none(), span.h);
        let Some(past) = past else { return l.initial.linearise(sys, span.t, frozen.angles, x) };
        if self.counts(0) {
            sys.set_angles(frozen.angles, &mut l.past);
            sys.set_time(span.t, &mut l.past);
            l.g[0].set(sys, &lay.node(span.t, past), &mut l.past);
        }
        for (g, rows) in self.tableau.groups().enumerate() {
            for i in rows.clone() {
                let t = span.t + self.tableau.nodes[i] * span.h;
                let (at, block) = (lay.node(t, self.block(&lay, i + 1, x, past)), &mut l.blocks[i]);
                sys.set_angles(frozen.angles, &mut block.linear.data);
                if l.groups[g].is_some() {
                    sys.place(t, at.q, &mut block.linear.data);
                    block.partials(sys, &at, frozen.choice)?;
                } else {
                    block.hold(sys, &at, frozen.choice)?;
                }
                if self.counts(i + 1) {
                    l.g[i + 1].set(sys, &at, &mut block.linear.data);
                }
            }
            if let Some(matrix) = &mut l.groups[g] {
                matrix.set_choice(sys, &self.f, self.state, frozen.choice)?;
                matrix.refactor(sys, &self.f, span.end(), span.h, &l.blocks[rows])?;
            }
        }
        Ok(())
    }
    fn solve(&self, l: &mut RungeKuttaLinear, b: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve(sys, b);
        }
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (g, rows) in self.tableau.groups().enumerate() {
            // the prediction from the groups before
            for i in rows.clone() {
                let o = self.at(&lay, i + 1);
                for (j, a) in self.earlier(i, rows.start) {
                    let from = self.at(&lay, j) + lay.v();
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
                None => l.blocks[rows.start].solve(sys, &mut b[self.at(&lay, rows.start + 1)..][..z]),
                Some(matrix) => self.with_matrix(&lay, rows, matrix, b, |m| m.solve(sys, &self.f)),
            }
        }
        for j in (1..=self.stages()).filter(|&j| self.counts(j)) {
            let o = self.at(&lay, j);
            for k in 0..lay.o {
                let g = l.g[j].mul(k, &b[o..o + z]);
                b[z + k] += l.h * self.b()[j] * g;
            }
        }
    }
    fn solve_t(&self, l: &mut RungeKuttaLinear, b: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.solve_t(sys, b);
        }
        let (n, n2, z) = (lay.n, 2 * lay.n, lay.z());
        for (g, rows) in self.tableau.groups().enumerate().rev() {
            // sources of the quadrature rows
            for i in rows.clone().filter(|&i| self.counts(i + 1)) {
                let o = self.at(&lay, i + 1);
                for k in 0..lay.o {
                    let mu = b[z + k];
                    l.g[i + 1].mul_t(k, l.h * self.b()[i + 1] * mu, &mut b[o..o + z]);
                }
            }
            match &mut l.groups[g] {
                None => l.blocks[rows.start].solve_t(sys, &mut b[self.at(&lay, rows.start + 1)..][..z]),
                Some(matrix) => self.with_matrix(&lay, rows.clone(), matrix, b, |m| m.solve_t(sys, &self.f)),
            }
            // the prediction on the groups before
            for i in rows.clone() {
                let o = self.at(&lay, i + 1);
                l.sums[..n2].copy_from_slice(&b[o..o + n2]);
                for (j, a) in self.earlier(i, rows.start) {
                    let to = self.at(&lay, j) + lay.v();
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
    fn past_mul(&self, l: &mut RungeKuttaLinear, s: &[f64], r: &mut [f64]) {
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
                if row[0] != 0.0 {
                    l.blocks[i].defect(level, -l.h * row[0], dy, rows);
                }
            }
        }
        for k in 0..lay.o {
            let g = if self.counts(0) { l.g[0].mul(k, s) } else { 0.0 };
            r[lay.z() + k] -= s[lay.z() + k] + l.h * self.b()[0] * g;
        }
    }
    fn past_mul_t(&self, l: &mut RungeKuttaLinear, mu: &[f64], out: &mut [f64]) {
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
                if row[0] != 0.0 {
                    l.blocks[i].defect_t(level, -l.h * row[0], mu, &mut out[y + n..y + 2 * n]);
                }
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
    fn slot_mul(&self, l: &mut RungeKuttaLinear, delta: &[f64], r: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul(sys, delta, r);
        }
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = self.at(&lay, i + 1);
            block.slot_mul(sys, delta, &mut r[o..o + lay.z()]);
        }
        for j in (0..=self.stages()).filter(|&j| self.counts(j)) {
            for k in 0..lay.o {
                r[lay.z() + k] -= l.h * self.b()[j] * l.g[j].slot_mul(sys, k, delta);
            }
        }
    }
    fn slot_mul_t(&self, l: &mut RungeKuttaLinear, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (sys, lay) = (self.sys, self.layout());
        if l.first {
            return l.initial.slot_mul_t(sys, mu, s, grad);
        }
        for (i, block) in l.blocks.iter_mut().enumerate() {
            let o = self.at(&lay, i + 1);
            block.slot_mul_t(sys, &mu[o..o + lay.z()], s, grad);
        }
        for j in (0..=self.stages()).filter(|&j| self.counts(j)) {
            for k in 0..lay.o {
                l.g[j].slot_mul_t(sys, k, -l.h * s * self.b()[j] * mu[lay.z() + k], grad);
            }
        }
    }
    fn error(
        &self,
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        l: &mut RungeKuttaLinear,
    ) -> Option<(f64, usize)> {
        self.estimate(span, x, past, tol, l)
    }
    /// The scheme's continuous extension, or cubic Hermite.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        past: &[f64],
        frozen: Frozen,
        l: &mut RungeKuttaLinear,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let (lay, θ, h) = (self.layout(), theta, span.h);
        super::hermite(&lay, h, θ, past, x, &mut out[..2 * lay.n]);
        if !self.tableau.dense.is_empty() {
            // + h θ²(1 - θ)² Σ d_j ẏ_j
            self.slope(&lay, self.tableau.dense, x, past, &mut l.sums[..2 * lay.n]);
            let w = h * (θ * (1.0 - θ)).powi(2);
            out.iter_mut().zip(&l.sums[..2 * lay.n]).for_each(|(o, s)| *o += w * s);
        }
        let (t, block) = (span.t + θ * h, &mut l.blocks[0]);
        if self.f.level[2] == 0.0 {
            return super::complete(
                self.sys,
                &self.law(),
                &lay,
                t,
                frozen.angles,
                &mut block.linear.data,
                &mut l.kkt,
                out,
            );
        }
        self.sys.set_angles(frozen.angles, &mut block.linear.data);
        block.evaluate(self.sys, t, frozen.choice, out)
    }
}
