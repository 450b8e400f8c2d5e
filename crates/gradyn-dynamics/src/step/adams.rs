//! Adams methods of variable order and step, PECE with local extrapolation [Shampine & Gordon; B92, section
//! IV].
//!
//! ```text
//! P:  (q̂, v̂)_P = (q, v)_0 + h Σ_{i≤k} g_i β_i φ_i,                             rows of block P = 0               (1)
//! C:  (q̂, v̂)   = (q, v)_0 + h Σ_{i≤k} (g_i - g_{k+1}) β_i φ_i + h g_{k+1} (v, a)_P,   rows of the node = 0      (2)
//! φ_{i+1}(x) = φ_i(x) - β_i φ_i,   φ_1 = (v, a | g(t, q, v, a, λ; p))                                          (3)
//! z = z_0 + h Σ_{i≤k} (g_i - g_{k+1}) β_i φ_i^g + h g_{k+1} φ_1^g(x)                                           (4)
//! ```
//! Adams–Bashforth leaves (2) out: (1) are the rows of the node, one evaluation a step, of order k.
//!
//! φ_i without an argument belong to the past node. (1) is the predictor of order k, (2) and (4) are the
//! corrector of order k + 1; both blocks are evaluated (the two E of PECE) by the rows of the formulation's
//! state ([`crate::block`]). The history φ_2, φ_3 … is part of the record, so that a step depends on the
//! record before it only; φ_1 is the node itself. All relations are linear in φ, with weights that depend on
//! the step sizes and the order ([`coefficients`]). Order and number of known differences are choices of the
//! plan.
//!
//! The size of an earlier step is a constant here, but steps that touch a declared time move with the
//! parameters: the first [`RESTARTS`] steps after such a time (or a knot) have order 1 and no history.

pub mod coefficients;
mod control;
pub mod ode;
mod sweeps;

use super::{Equations, IntegrandRows, Layout, Pair, Report, Span, Step, Tolerance};
use crate::block::{self, Block, Chooser, State};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::initial::{self, Initial};
use crate::plan::Frozen;
use coefficients::{Coefficients, Row, distances, kept, moments};
use control::{Choice, GEOMETRIC};
use gradyn_model::{Data, RunScalar, Set, Setup, System};

/// Steps of order 1 at the beginning of a smooth piece: the step after a moving one must not know its size.
pub const RESTARTS: usize = 2;

/// Halvings of the first fixed step, at most: the errors of its parts, 2^{-3·16} or without a corrector
/// 2^{-2·16} of its own, are small.
const HALVINGS: f64 = 16.0;

/// A variable-order predictor and corrector on a formulation.
pub struct Adams<'a> {
    /// The system.
    pub sys: &'a Setup,
    /// The formulation; its c₂ is 1.
    pub f: Lagrange,
    /// What is integrated.
    pub state: State,
    /// Independent coordinates that the user named; empty: they are chosen.
    pub freedoms: Vec<u32>,
    /// Highest order of the predictor, 1 … 12.
    pub order: usize,
    /// Is there a corrector, (2)?
    pub corrects: bool,
}

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    data: Data<S>,
    /// g at the past node and at the node.
    g: [Vec<S>; 2],
    scratch: Vec<S>,
}

/// Memory of a linearised step.
pub struct AdamsLinear {
    initial: Initial,
    chooser: Chooser,
    first: bool,
    c: Coefficients<f64>,
    /// The prediction, if it is corrected, and the node.
    blocks: Vec<Block>,
    /// g at the past node and at the node, and their gradients.
    values: Pair<Vec<f64>>,
    g: Pair<IntegrandRows>,
    past: Data<f64>,
    sums: Vec<f64>,
    integrands: Vec<f64>,
    choice: Choice,
    /// Steps of equal size that end with this one.
    equal: usize,
}

impl Adams<'_> {
    /// Numbers of one difference: those of (v, a), then of the integrands.
    fn width(&self, lay: &Layout) -> usize {
        2 * lay.n + lay.o
    }
    /// Offset of the prediction.
    fn predicted(&self, lay: &Layout) -> usize {
        lay.head()
    }
    /// Angles and signals of the past node.
    fn set_past(&self, span: Span<f64>, frozen: Frozen, l: &mut AdamsLinear) {
        self.sys.set_angles(frozen.angles, &mut l.past);
        self.sys.set_time(span.t, &mut l.past);
    }
    /// Offsets of the blocks.
    fn offsets(&self, lay: &Layout) -> impl Iterator<Item = usize> + use<> {
        self.corrects.then(|| self.predicted(lay)).into_iter().chain([0])
    }
    /// Numbers of the prediction, if it has a place of its own.
    fn apart(&self, lay: &Layout) -> usize {
        if self.corrects { lay.z() } else { 0 }
    }
    /// Offset of φ_i in a record; φ_1 has no integrands there.
    fn phi(&self, lay: &Layout, i: usize) -> usize {
        if i == 1 { lay.v() } else { lay.head() + self.apart(lay) + (i - 2) * self.width(lay) }
    }
    /// Order of a step, and differences of its past that it knows.
    fn plan(&self, frozen: &Frozen) -> (usize, usize) {
        let own = &frozen.choice[self.state.choices(self.sys)..];
        (own[0] as usize, own[1] as usize)
    }
    fn coefficients<S: RunScalar>(&self, span: Span<S>, frozen: &Frozen) -> Coefficients<S> {
        let (order, known) = self.plan(frozen);
        Coefficients::of(span.h, frozen.before, order, known)
    }
    /// out += Σ_{i≤count} w_i φ_i(x) over (v, a).
    fn add<S: RunScalar>(&self, lay: &Layout, w: &Row<S>, count: usize, x: &[S], out: &mut [S]) {
        for (i, w) in w.iter().enumerate().take(count + 1).skip(1) {
            let o = self.phi(lay, i);
            out.iter_mut().zip(&x[o..o + 2 * lay.n]).for_each(|(out, x)| *out += *w * *x);
        }
    }
    /// φ_i^g of objective j; `g` is φ_1^g.
    fn integrand<S: RunScalar>(&self, lay: &Layout, i: usize, j: usize, x: &[S], g: &[S]) -> S {
        if i == 1 { g[j] } else { x[self.phi(lay, i) + 2 * lay.n + j] }
    }
    /// The right-hand sides of (1) and (2) into `out`; `slope` is (v, a)_P for (2).
    fn predict<S: RunScalar>(
        &self,
        lay: &Layout,
        c: &Coefficients<S>,
        past: &[S],
        slope: Option<&[S]>,
        out: &mut [S],
    ) {
        out.copy_from_slice(&past[..2 * lay.n]);
        match slope {
            None => self.add(lay, &c.predictor, c.order, past, out),
            Some(slope) => {
                self.add(lay, &c.corrector, c.order, past, out);
                out.iter_mut().zip(slope).for_each(|(out, f)| *out += c.last * *f);
            }
        }
    }
    /// (v, a)_P of (2), for the node.
    fn slope<'x, S>(&self, lay: &Layout, o: usize, x: &'x [S]) -> Option<&'x [S]> {
        let p = self.predicted(lay);
        (o == 0 && self.corrects).then(|| &x[p + lay.v()..p + lay.lam()])
    }
    /// The right-hand side of (4) for objective j.
    fn integral<S: RunScalar>(
        &self,
        lay: &Layout,
        c: &Coefficients<S>,
        j: usize,
        past: &[S],
        g: [&[S]; 2],
    ) -> S {
        let mut z = past[lay.z() + j] + c.last * g[1][j];
        for i in 1..=c.order {
            z += c.corrector[i] * self.integrand(lay, i, j, past, g[0]);
        }
        z
    }
    /// The right-hand side of (3) for φ_{i+1}, into `out`.
    fn difference<S: RunScalar>(
        &self,
        lay: &Layout,
        c: &Coefficients<S>,
        i: usize,
        x: &[S],
        past: &[S],
        g: [&[S]; 2],
        out: &mut [S],
    ) {
        let (n2, o) = (2 * lay.n, self.phi(lay, i));
        for d in 0..n2 {
            out[d] = x[o + d] - c.beta[i] * past[o + d];
        }
        for j in 0..lay.o {
            out[n2 + j] =
                self.integrand(lay, i, j, x, g[1]) - c.beta[i] * self.integrand(lay, i, j, past, g[0]);
        }
    }
}

impl Step for Adams<'_> {
    type Work<S: RunScalar> = Work<S>;
    type Linear = AdamsLinear;

    fn system(&self) -> &Setup {
        self.sys
    }
    fn layout(&self) -> Layout {
        let bare = Layout::of(self.sys, 0);
        Layout::of(self.sys, self.apart(&bare) + self.order * self.width(&bare))
    }
    fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        let mut data = self.sys.data();
        self.sys.prepare(p, &mut data);
        let lay = self.layout();
        let zero = |n: usize| vec![S::zero(); n];
        Work { data, g: [zero(lay.o), zero(lay.o)], scratch: zero((2 * lay.n).max(lay.n + lay.m)) }
    }
    fn linear(&self, p: &[f64]) -> Result<AdamsLinear, StepError> {
        assert!(self.f.level[2] == 1.0, "a state step needs constraints at acceleration level");
        let (sys, lay) = (self.sys, self.layout());
        let (past, kkt) = block::prepare(sys, p)?;
        let block = || Block::new(sys, self.f, self.state, p, &kkt);
        Ok(AdamsLinear {
            initial: Initial::new(sys, self.f, lay, p, kkt.clone())?,
            chooser: Chooser::new(&self.freedoms),
            first: true,
            c: Coefficients::of(1.0, &[], 1, 1),
            blocks: self.offsets(&lay).map(|_| block()).collect(),
            values: Pair::new(&lay, [vec![0.0; lay.o], vec![0.0; lay.o]]),
            g: Pair::new(&lay, [IntegrandRows::new(sys), IntegrandRows::new(sys)]),
            past,
            sums: vec![0.0; self.width(&lay)],
            integrands: vec![0.0; lay.o],
            choice: Choice::new(self.order),
            equal: 0,
        })
    }
    fn initial<'l>(&self, l: &'l mut AdamsLinear) -> &'l mut Initial {
        &mut l.initial
    }
    fn visits(&self, l: &AdamsLinear) -> usize {
        l.blocks.iter().map(|b| self.sys.visits(&b.linear.data)).sum()
    }
    fn order(&self) -> usize {
        self.order + usize::from(self.corrects)
    }
    fn variable_order(&self, frozen: Frozen) -> Option<(usize, usize)> {
        Some(self.plan(&frozen))
    }
    fn equations(&self) -> Equations {
        Equations { law: self.f, state: self.state, scheme: &crate::tableau::DOP853, positions: false }
    }
    fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        block::noise(&self.f, self.f.shared(self.sys), false, h, size, mass, row)
    }
    fn choices(&self) -> usize {
        self.state.choices(self.sys) + 2
    }
    fn decide(
        &self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        l: &mut AdamsLinear,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let (coordinates, own) = choice.split_at_mut(self.state.choices(self.sys));
        let node = usize::from(self.corrects);
        l.chooser.decide(
            self.sys,
            (span.t, &past[..self.sys.dims().n]),
            &mut l.blocks[node],
            true,
            coordinates,
        )?;
        l.choice.begin(since, since < RESTARTS);
        let known = match (own[0] as usize, own[1] as usize) {
            _ if since < RESTARTS => 1,
            // the attempt before this one began at the same node
            (_, known) if l.choice.failures > 0 => known,
            (order, known) => kept(order, known, self.order),
        };
        // one order more than before, if the steps are equal
        let last = if known == 1 { 1 } else { own[0] as usize };
        let most = if last < GEOMETRIC || l.equal > last { last + 1 } else { last };
        own.copy_from_slice(&[l.choice.order.min(known).min(most) as u32, known as u32]);
        Ok(())
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
        let (n2, z) = (2 * lay.n, lay.z());
        sys.set_angles(frozen.angles, &mut w.data);
        let Some(past) = past else {
            return initial::residual(sys, &self.f, &lay, span.t, x, &mut w.data, r);
        };
        let c = self.coefficients(span, &frozen);
        sys.place(span.t, &past[..lay.n], &mut w.data);
        sys.measure(Set::Integrand, &lay.node(span.t, past), &mut w.data, &mut w.g[0]);
        // (1), (2)
        for o in self.offsets(&lay) {
            self.predict(&lay, &c, past, self.slope(&lay, o, x), &mut w.scratch[..n2]);
            for d in 0..n2 {
                r[o + d] = x[o + d] - w.scratch[d];
            }
            let at = lay.node(span.end(), &x[o..o + z]);
            sys.place(span.end(), at.q, &mut w.data);
            self.state.residual(
                sys,
                &self.f,
                &at,
                frozen.choice,
                &mut w.data,
                &mut r[o..o + z],
                &mut w.scratch,
            );
        }
        sys.measure(Set::Integrand, &lay.node(span.end(), x), &mut w.data, &mut w.g[1]);
        let g = [&w.g[0][..], &w.g[1][..]];
        // (3); differences that are not known are zero
        for i in 1..=self.order {
            let (o, width) = (self.phi(&lay, i + 1), self.width(&lay));
            r[o..o + width].copy_from_slice(&x[o..o + width]);
            if i < kept(c.order, c.known, self.order) {
                self.difference(&lay, &c, i, x, past, g, &mut r[o..o + width]);
                (o..o + width).for_each(|d| r[d] = x[d] - r[d]);
            }
        }
        // (4)
        for j in 0..lay.o {
            r[z + j] = x[z + j] - self.integral(&lay, &c, j, past, g);
        }
    }
    fn advance(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        past: Option<&[f64]>,
        l: &mut AdamsLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (sys, lay) = (self.sys, self.layout());
        let (n2, z) = (2 * lay.n, lay.z());
        let Some(past) = past else { return l.initial.advance(sys, span.t, frozen.angles, x) };
        l.c = self.coefficients(span, &frozen);
        l.equal = 1 + frozen.before.iter().rev().take(l.c.known - 1).take_while(|h| **h == span.h).count();
        // (1), (2): predict, evaluate, correct, evaluate
        for (o, block) in self.offsets(&lay).zip(&mut l.blocks) {
            self.predict(&lay, &l.c, past, self.slope(&lay, o, x), &mut l.sums[..n2]);
            x[o..o + n2].copy_from_slice(&l.sums[..n2]);
            sys.set_angles(frozen.angles, &mut block.linear.data);
            block.evaluate(sys, span.end(), frozen.choice, &mut x[o..o + z])?;
        }
        let node = usize::from(self.corrects);
        let [known, _] = l.values.turn(&lay, span, past, x);
        if !known {
            self.set_past(span, frozen, l);
            sys.measure(Set::Integrand, &lay.node(span.t, past), &mut l.past, &mut l.values.at[0]);
        }
        sys.measure(
            Set::Integrand,
            &lay.node(span.end(), x),
            &mut l.blocks[node].linear.data,
            &mut l.values.at[1],
        );
        let g = [&l.values.at[0][..], &l.values.at[1][..]];
        // (3)
        let (count, width) = (kept(l.c.order, l.c.known, self.order), self.width(&lay));
        for i in 1..count {
            self.difference(&lay, &l.c, i, x, past, g, &mut l.sums);
            let o = self.phi(&lay, i + 1);
            x[o..o + width].copy_from_slice(&l.sums);
        }
        x[self.phi(&lay, count + 1)..].fill(0.0);
        // (4)
        for j in 0..lay.o {
            x[z + j] = self.integral(&lay, &l.c, j, past, g);
        }
        Ok(Report { iterations: 1 + node, factorizations: 1 + node })
    }
    fn linearise(
        &self,
        span: Span<f64>,
        frozen: Frozen,
        x: &[f64],
        past: Option<&[f64]>,
        l: &mut AdamsLinear,
    ) -> Result<(), StepError> {
        let (sys, lay) = (self.sys, self.layout());
        l.first = past.is_none();
        let Some(past) = past else { return l.initial.linearise(sys, span.t, frozen.angles, x) };
        l.c = self.coefficients(span, &frozen);
        for (o, block) in self.offsets(&lay).zip(&mut l.blocks) {
            sys.set_angles(frozen.angles, &mut block.linear.data);
            block.hold(sys, &lay.node(span.end(), &x[o..o + lay.z()]), frozen.choice)?;
        }
        let node = usize::from(self.corrects);
        let known = l.g.turn(&lay, span, past, x);
        if !known[0] {
            self.set_past(span, frozen, l);
            l.g.at[0].set(sys, &lay.node(span.t, past), &mut l.past);
        }
        if !known[1] {
            l.g.at[1].set(sys, &lay.node(span.end(), x), &mut l.blocks[node].linear.data);
        }
        Ok(())
    }
    fn solve(&self, l: &mut AdamsLinear, b: &mut [f64]) {
        self.down(l, b);
    }
    fn solve_t(&self, l: &mut AdamsLinear, b: &mut [f64]) {
        self.up(l, b);
    }
    fn past_mul(&self, l: &mut AdamsLinear, s: &[f64], r: &mut [f64]) {
        self.past(l, s, r);
    }
    fn past_mul_t(&self, l: &mut AdamsLinear, mu: &[f64], out: &mut [f64]) {
        self.past_t(l, mu, out);
    }
    fn slot_mul(&self, l: &mut AdamsLinear, delta: &[f64], r: &mut [f64]) {
        self.slots(l, delta, r);
    }
    fn slot_mul_t(&self, l: &mut AdamsLinear, mu: &[f64], s: f64, grad: &mut [f64]) {
        self.slots_t(l, mu, s, grad);
    }
    fn error(
        &self,
        span: Span<f64>,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        l: &mut AdamsLinear,
    ) -> Option<(f64, usize)> {
        if !self.corrects {
            return None;
        }
        let (estimates, worst) = self.estimates(span.h, x, past, tol, &l.c);
        l.choice.measured(estimates, l.equal);
        Some((if estimates.error.is_nan() { f64::INFINITY } else { estimates.error }, worst))
    }
    fn resize(&self, _control: &Controller, error: f64, l: &mut AdamsLinear) -> f64 {
        if error <= 1.0 {
            l.choice.accept(l.c.order, self.order, RESTARTS)
        } else {
            l.choice.reject(l.c.order)
        }
    }
    fn limited(&self, l: &AdamsLinear) -> bool {
        l.choice.limited
    }
    /// h = ¼ ‖ẏ‖^{-½}, ẏ in units of the tolerance [Shampine & Gordon, section 10.4].
    fn first_step(&self, tol: Tolerance, x: &[f64]) -> Option<f64> {
        let (n2, v) = (2 * self.sys.dims().n, self.layout().v());
        let sum: f64 = (0..n2).map(|i| (x[v + i] / (tol.atol + tol.rtol * x[i].abs())).powi(2)).sum();
        Some(0.25 / (sum / n2 as f64).sqrt().sqrt())
    }
    /// Two steps of order 1 err by h³, the others by h^{k+2}: h_1 = h (h/T)^{(k-1)/3}. Without a corrector by
    /// h² and h^{k+1}; a quarter of that h_1, so that the start is not seen.
    fn halvings(&self, steps: f64) -> u32 {
        // a step longer than the run is cut like the run
        let (each, more) = if self.corrects { (3.0, 0.0) } else { (2.0, 2.0 - steps.min(1.0).log2()) };
        ((self.order - 1) as f64 / each * steps.max(1.0).log2() + more).ceil().min(HALVINGS) as u32
    }
    /// The integral of the polynomial through the k + 1 last rates, backwards from the node.
    fn interpolate(
        &self,
        span: Span<f64>,
        theta: f64,
        x: &[f64],
        _past: &[f64],
        frozen: Frozen,
        l: &mut AdamsLinear,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        let (lay, h) = (self.layout(), (theta - 1.0) * span.h);
        let (order, _) = self.plan(&frozen);
        // ψ_i behind the new node
        let (before, mut psi) = (distances(frozen.before, order - 1), [0.0; coefficients::SIZE]);
        (1..=order).for_each(|i| psi[i] = span.h + before[i - 1]);
        let w = moments(h, &psi, &psi, order + 1).map(|g| h * g);
        out[..2 * lay.n].copy_from_slice(&x[..2 * lay.n]);
        self.add(&lay, &w, order + 1, x, &mut out[..2 * lay.n]);
        let block = &mut l.blocks[0];
        self.sys.set_angles(frozen.angles, &mut block.linear.data);
        block.evaluate(self.sys, span.t + theta * span.h, frozen.choice, out)
    }
}
