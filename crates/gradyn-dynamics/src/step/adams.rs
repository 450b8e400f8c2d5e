//! Adams methods of variable order and step, PECE with local extrapolation [Shampine & Gordon; B92, section
//! IV].
//!
//! ```text
//! P:  (q̂, v̂)_P = (q, v)_0 + h Σ_{i≤k} g_i β_i φ_i,                             rows of block P = 0           (1)
//! C:  (q̂, v̂)   = (q, v)_0 + h Σ_{i≤k} (g_i - g_{k+1}) β_i φ_i + h g_{k+1} (v, a)_P,   rows of the node = 0  (2)
//! φ_{i+1}(x) = φ_i(x) - β_i φ_i,   φ_1 = (v, a | g(t, q, v, a, λ; p))                                      (3)
//! z = z_0 + h Σ_{i≤k} (g_i - g_{k+1}) β_i φ_i^g + h g_{k+1} φ_1^g(x)                                       (4)
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

use super::memory::Visit;
use super::{
    Bound, Counts, Equations, IntegrandRows, Layout, Pair, Report, Residual, Span, StartLaw, StepArgs,
    Stepper, Tolerance,
};
use crate::block::{self, Block, Chooser, Integrated};
use crate::control::Controller;
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::kkt::MotionMatrix;
use crate::plan::Frozen;
use coefficients::{Coefficients, Row, distances, kept, moments};
use control::{Choice, GEOMETRIC};
use gradyn_model::{Evaluator, FunctionalSet, RunScalar, Setup};

/// Steps of order 1 at the beginning of a smooth piece: the step after a moving one must not know its size.
pub const RESTARTS: usize = 2;

/// Halvings of the first fixed step, at most: the errors of its parts, 2^{-3·16} or without a corrector
/// 2^{-2·16} of its own, are small.
const HALVINGS: f64 = 16.0;

/// Choices of a step besides its independent coordinates: the order, and the differences that it knows.
const OWN: usize = 2;

/// A variable-order predictor and corrector on a formulation.
#[derive(Clone)]
pub struct Adams {
    /// System that is integrated.
    pub sys: Setup,
    /// The formulation; its c₂ is 1.
    pub f: Lagrange,
    /// What is integrated.
    pub state: Integrated,
    /// Independent coordinates that the user named; empty: they are chosen.
    pub freedoms: Vec<u32>,
    /// Highest order of the predictor, 1 … 12.
    pub order: usize,
    /// Is there a corrector, (2)?
    pub corrects: bool,
}

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    terms: Evaluator<S>,
    /// g at the past node and at the node.
    g: [Vec<S>; 2],
    scratch: Vec<S>,
}

/// Memory of a linearised step.
pub(crate) struct AdamsLinear {
    chooser: Chooser,
    c: Coefficients<f64>,
    /// The prediction, if it is corrected, and the node.
    blocks: Vec<Block>,
    /// g at the past node and at the node, and their gradients.
    values: Pair<Vec<f64>>,
    g: Pair<IntegrandRows>,
    past: Evaluator<f64>,
    sums: Vec<f64>,
    integrands: Vec<f64>,
    choice: Choice,
    /// Steps of equal size that end with this one.
    equal: usize,
}

impl Adams {
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
        l.past.set_branches(frozen.branches);
        l.past.at_time(span.t);
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
    pub(crate) fn plan(&self, frozen: &Frozen) -> (usize, usize) {
        let own = &frozen.choice[frozen.choice.len() - OWN..];
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
        let n2 = 2 * lay.n;
        let o = self.phi(lay, i);
        // of (v, a)
        for d in 0..n2 {
            out[d] = x[o + d] - c.beta[i] * past[o + d];
        }
        // of the integrands
        for j in 0..lay.o {
            out[n2 + j] =
                self.integrand(lay, i, j, x, g[1]) - c.beta[i] * self.integrand(lay, i, j, past, g[0]);
        }
    }
}

impl Adams {
    pub(crate) fn layout(&self) -> Layout {
        let bare = Layout::of(&self.sys, 0);
        Layout::of(&self.sys, self.apart(&bare) + self.order * self.width(&bare))
    }
    /// Memory of the residual.
    pub(crate) fn work<S: RunScalar>(&self, p: &[S]) -> Work<S> {
        let terms = self.sys.evaluator(p);
        let lay = self.layout();
        let zero = |n: usize| vec![S::zero(); n];
        Work { terms, g: [zero(lay.o), zero(lay.o)], scratch: zero((2 * lay.n).max(lay.n + lay.m)) }
    }
    /// Memory of the steps; `kkt` is prepared.
    pub(crate) fn memory(&self, p: &[f64], kkt: &MotionMatrix) -> Result<AdamsLinear, StepError> {
        assert!(self.f.level[2] == 1.0, "a state step needs constraints at acceleration level");
        let sys = &self.sys;
        let lay = self.layout();
        let past = sys.evaluator_with(p);
        let block = || Block::new(sys, self.f, self.state, p, kkt);
        Ok(AdamsLinear {
            chooser: Chooser::new(&self.freedoms),
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
    pub(crate) fn order(&self) -> usize {
        self.order + usize::from(self.corrects)
    }
    pub(crate) fn equations(&self) -> Equations {
        Equations { law: self.f, state: self.state, scheme: &crate::tableau::DOP853, positions: false }
    }
    pub(crate) fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        block::noise(&self.f, self.f.shared(&self.sys), false, h, size, mass, row)
    }
    pub(crate) fn choices(&self) -> usize {
        self.state.choices(&self.sys) + OWN
    }
    /// h = ¼ ‖ẏ‖^{-½}, ẏ in units of the tolerance [Shampine & Gordon, section 10.4].
    pub(crate) fn first_step(&self, tol: Tolerance, x: &[f64]) -> f64 {
        let (n2, v) = (2 * self.sys.dims().n, self.layout().v());
        let sum: f64 = (0..n2).map(|i| (x[v + i] / (tol.atol + tol.rtol * x[i].abs())).powi(2)).sum();
        0.25 / (sum / n2 as f64).sqrt().sqrt()
    }
    /// Two steps of order 1 err by h³, the others by h^{k+2}: h_1 = h (h/T)^{(k-1)/3}. Without a corrector by
    /// h² and h^{k+1}; a quarter of that h_1, so that the start is not seen.
    pub(crate) fn halvings(&self, steps: f64) -> u32 {
        // a step longer than the run is cut like the run
        let (each, more) = if self.corrects { (3.0, 0.0) } else { (2.0, 2.0 - steps.min(1.0).log2()) };
        ((self.order - 1) as f64 / each * steps.max(1.0).log2() + more).ceil().min(HALVINGS) as u32
    }
    /// What record 0 obeys.
    pub(crate) fn start_law(&self) -> StartLaw {
        StartLaw { law: self.f, auxiliary: false, matrix_r: false }
    }
}

impl<S: RunScalar> Residual<S> for Bound<Adams, Work<S>> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { spec, memory: w } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n2, z) = (2 * lay.n, lay.z());
        w.terms.set_branches(frozen.branches);
        let c = spec.coefficients(span, &frozen);
        w.terms.at(span.t, &past[..lay.n]);
        w.terms.measure(FunctionalSet::Integrand, &lay.node(span.t, past), &mut w.g[0]);
        // (1), (2)
        for o in spec.offsets(&lay) {
            spec.predict(&lay, &c, past, spec.slope(&lay, o, x), &mut w.scratch[..n2]);
            for d in 0..n2 {
                r[o + d] = x[o + d] - w.scratch[d];
            }
            let at = lay.node(span.end(), &x[o..o + z]);
            w.terms.at(span.end(), at.q);
            spec.state.residual(
                sys,
                &spec.f,
                &at,
                frozen.choice,
                &mut w.terms,
                &mut r[o..o + z],
                &mut w.scratch,
            );
        }
        w.terms.measure(FunctionalSet::Integrand, &lay.node(span.end(), x), &mut w.g[1]);
        let g = [&w.g[0][..], &w.g[1][..]];
        // (3); differences that are not known are zero
        for i in 1..=spec.order {
            let o = spec.phi(&lay, i + 1);
            let width = spec.width(&lay);
            r[o..o + width].copy_from_slice(&x[o..o + width]);
            if i < kept(c.order, c.known, spec.order) {
                spec.difference(&lay, &c, i, x, past, g, &mut r[o..o + width]);
                (o..o + width).for_each(|d| r[d] = x[d] - r[d]);
            }
        }
        // (4)
        for j in 0..lay.o {
            r[z + j] = x[z + j] - spec.integral(&lay, &c, j, past, g);
        }
    }
}

impl Stepper for Bound<Adams, AdamsLinear> {
    fn decide(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let (coordinates, own) = choice.split_at_mut(choice.len() - OWN);
        let node = usize::from(spec.corrects);
        l.chooser.decide(&spec.sys, (span, past), &mut l.blocks[node], true, coordinates)?;
        l.choice.begin(since, since < RESTARTS);
        let known = match (own[0] as usize, own[1] as usize) {
            _ if since < RESTARTS => 1,
            // the attempt before this one began at the same node
            (_, known) if l.choice.failures > 0 => known,
            (order, known) => kept(order, known, spec.order),
        };
        // one order more than before, if the steps are equal
        let last = if known == 1 { 1 } else { own[0] as usize };
        let most = if last < GEOMETRIC || l.equal > last { last + 1 } else { last };
        own.copy_from_slice(&[l.choice.order.min(known).min(most) as u32, known as u32]);
        Ok(())
    }
    fn choose_again(&mut self, span: Span<f64>, past: &[f64], failed: bool, choice: &mut [u32]) -> bool {
        let Self { spec, memory: l } = self;
        let coordinates = choice.len() - OWN;
        let node = usize::from(spec.corrects);
        let choice = &mut choice[..coordinates];
        l.chooser.choose_again(&spec.sys, (span, past), failed, &mut l.blocks[node], choice)
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
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n2, z) = (2 * lay.n, lay.z());
        l.c = spec.coefficients(span, &frozen);
        l.equal = 1 + frozen.before.iter().rev().take(l.c.known - 1).take_while(|h| **h == span.h).count();
        // (1), (2): predict, evaluate, correct, evaluate
        for (o, block) in spec.offsets(&lay).zip(&mut l.blocks) {
            spec.predict(&lay, &l.c, past, spec.slope(&lay, o, x), &mut l.sums[..n2]);
            x[o..o + n2].copy_from_slice(&l.sums[..n2]);
            block.linear.terms.set_branches(frozen.branches);
            block.evaluate(sys, span.end(), frozen.choice, &mut x[o..o + z])?;
        }
        let node = usize::from(spec.corrects);
        let nodes = l.chooser.fresh().into_iter().chain(l.blocks.iter().map(Block::largest));
        l.chooser.follow(sys, &lay, span, nodes, (past, x, &l.sums[lay.n..n2]))?;
        let [known, _] = l.values.turn(&lay, span, frozen.branches, past, x);
        if !known {
            spec.set_past(span, frozen, l);
            l.past.measure(FunctionalSet::Integrand, &lay.node(span.t, past), &mut l.values.at[0]);
        }
        l.blocks[node].linear.terms.measure(
            FunctionalSet::Integrand,
            &lay.node(span.end(), x),
            &mut l.values.at[1],
        );
        let g = [&l.values.at[0][..], &l.values.at[1][..]];
        // (3)
        let count = kept(l.c.order, l.c.known, spec.order);
        let width = spec.width(&lay);
        for i in 1..count {
            spec.difference(&lay, &l.c, i, x, past, g, &mut l.sums);
            let o = spec.phi(&lay, i + 1);
            x[o..o + width].copy_from_slice(&l.sums);
        }
        x[spec.phi(&lay, count + 1)..].fill(0.0);
        // (4)
        for j in 0..lay.o {
            x[z + j] = spec.integral(&lay, &l.c, j, past, g);
        }
        Ok(Report { iterations: 1 + node, factorizations: 1 + node })
    }
    fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        l.c = spec.coefficients(span, &frozen);
        // (1), (2)
        for (o, block) in spec.offsets(&lay).zip(&mut l.blocks) {
            block.linear.terms.set_branches(frozen.branches);
            block.hold(sys, &lay.node(span.end(), &x[o..o + lay.z()]), frozen.choice)?;
        }
        // g_x at both nodes
        let node = usize::from(spec.corrects);
        let known = l.g.turn(&lay, span, frozen.branches, past, x);
        if !known[0] {
            spec.set_past(span, frozen, l);
            l.g.at[0].set(&lay.node(span.t, past), &mut l.past);
        }
        if !known[1] {
            l.g.at[1].set(&lay.node(span.end(), x), &mut l.blocks[node].linear.terms);
        }
        Ok(())
    }
    fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, x, past, .. } = *a;
        if !spec.corrects {
            return None;
        }
        let (estimates, worst) = spec.estimates(span.h, x, past, tol, &l.c);
        l.choice.measured(estimates, l.equal);
        Some((if estimates.error.is_nan() { f64::INFINITY } else { estimates.error }, worst))
    }
    fn resize(&mut self, _control: &Controller, error: f64) -> f64 {
        let Self { spec, memory: l } = self;
        if error <= 1.0 {
            l.choice.accept(l.c.order, spec.order, RESTARTS)
        } else {
            l.choice.reject(l.c.order)
        }
    }
    fn limited(&self) -> bool {
        let l = &self.memory;
        l.choice.limited
    }
    /// The integral of the polynomial through the k + 1 last rates, backwards from the node.
    fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        let StepArgs { span, frozen, x, .. } = *a;
        let lay = spec.layout();
        let h = (theta - 1.0) * span.h;
        let (order, _) = spec.plan(&frozen);
        // ψ_i behind the new node
        let before = distances(frozen.before, order - 1);
        let mut psi = [0.0; coefficients::SIZE];
        (1..=order).for_each(|i| psi[i] = span.h + before[i - 1]);
        let w = moments(h, &psi, &psi, order + 1).map(|g| h * g);
        out[..2 * lay.n].copy_from_slice(&x[..2 * lay.n]);
        spec.add(&lay, &w, order + 1, x, &mut out[..2 * lay.n]);
        let block = &mut l.blocks[0];
        block.linear.terms.set_branches(frozen.branches);
        block.evaluate(&spec.sys, span.t + theta * span.h, frozen.choice, out)
    }
    fn counts(&self) -> Counts {
        let visits = self.memory.blocks.iter().map(|b| b.linear.terms.visits()).sum();
        Counts { visits, factorizations: None }
    }
    fn visit(&mut self, visit: &mut Visit) -> Result<(), StepError> {
        let Self { spec, memory: l } = self;
        l.blocks.iter_mut().try_for_each(|block| block.visit(&spec.sys, visit))
    }
}
