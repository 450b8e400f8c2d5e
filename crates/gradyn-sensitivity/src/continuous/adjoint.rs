//! The adjoint equations, integrated backwards along the steps of a run.
//!
//! ```text
//! end      rows_xᵀ b = w_xᵀ,   μ = Pᵀ b                                    (1)  [P14, Eq. 30]
//!          ∇ψ = w_p - rows_pᵀ b + t_F' (g + μᵀŷ' - bᵀ rows_t + w_t)             [B92, Eqs. 43–45]
//! stages   y_i = y + h Σ_j a_ij k_j,   k_j = -y'(t_n - c_j h, y_j)         (2)
//! start    R_xᵀ b = (μ, 0),   ∇ψ += -R_pᵀ b - t_0' (g + μᵀŷ' + bᵀ R_t)     (3)  [B92, Eqs. 49–51]
//! ```
//! R are the rows of record 0. Where the independent coordinates change, μ passes through the node as in (1).

mod ends;

use super::States;
use super::form::Form;
use super::implicit::{Group, Stages};
use super::instant::Instant;
use crate::objective::{Case, Gradient};
use gradyn_dynamics::block;
use gradyn_dynamics::step::{Equations, Tolerance};
use gradyn_dynamics::{Frozen, StepError};
use gradyn_model::Setup;

/// Distance from a declared time that tells its sides apart, relative to the step.
const SIDE: f64 = 1e-10;

/// ∇ψ by (3) of [`super`]; with the tolerance of an adaptive run by Adams its equations choose their own
/// steps.
pub fn adjoint(case: &Case, form: Form, tolerance: Option<Tolerance>) -> Result<Gradient, StepError> {
    let mut sweep = Sweep::new(case, form)?;
    sweep.end()?;
    let varies = case.recipe.variable_order(case.run.plan.frozen(case.run.plan.steps())).is_some();
    match tolerance.filter(|_| varies) {
        Some(tolerance) => sweep.backward(tolerance)?,
        None => (1..=case.run.plan.steps())
            .rev()
            .try_for_each(|n| sweep.change_coordinates(n).and_then(|()| sweep.step(n)))?,
    }
    sweep.start()?;
    let args = sweep.slots.len() / case.objectives().max(1);
    Ok(sweep.slots.chunks_exact(args).map(|slots| case.design.pull_back(case.rho, slots)).collect())
}

/// Memory of the sweep.
pub(super) struct Sweep<'c> {
    pub(super) case: &'c Case<'c>,
    p: Vec<f64>,
    /// The equations at nodes, and at stages.
    node: Equations,
    eq: Equations,
    form: Form,
    states: States,
    /// Blocks 0 … s of (2); 0 is the node where the step begins.
    pub(super) instants: Vec<Instant>,
    /// Groups of stages that are solved together.
    groups: Vec<Option<Stages>>,
    /// y of each objective; y_i, k_i and b_i of each block and objective.
    pub(super) y: Vec<f64>,
    pub(super) yi: Vec<f64>,
    pub(super) k: Vec<f64>,
    b: Vec<f64>,
    pub(super) slots: Vec<f64>,
    /// Rates of the slots.
    pub(super) rates: Vec<f64>,
    work: Work,
    /// Are k_0 and b_0 those of the stage that ended the step before?
    same: bool,
}

/// Scratch of one evaluation.
pub(super) struct Work {
    /// Adjoint variables μ.
    pub mu: Vec<f64>,
    /// Minus their rates, -μ'.
    pub slope: Vec<f64>,
    /// Two right-hand sides of F_u.
    pub u: Vec<f64>,
}

/// k = -y' at y, and b, of an objective; without one the sources are zero.
pub(super) fn evaluate(
    sys: &Setup,
    form: Form,
    at: &mut Instant,
    y: &[f64],
    objective: Option<usize>,
    w: &mut Work,
    b: &mut [f64],
    k: &mut [f64],
) {
    form.lower(sys, at, y, &mut w.mu);
    at.source(&w.mu, objective, b);
    at.block.solve_t(sys, b);
    at.picked(b, &mut w.slope);
    form.rate(sys, at, (y, &w.mu), &w.slope, &mut w.u, k);
}

impl Work {
    /// Room for `n` coordinates and `m` constraint rows.
    fn new(n: usize, m: usize) -> Self {
        Self { mu: vec![0.0; 2 * n], slope: vec![0.0; 2 * n], u: vec![0.0; 2 * (n + m)] }
    }
}

impl<'c> Sweep<'c> {
    fn new(case: &'c Case<'c>, form: Form) -> Result<Self, StepError> {
        // sizes
        let sys = case.recipe.system();
        let p = case.slots();
        let o = case.objectives();
        let node = case.recipe.equations();
        let eq = form.equations(node);
        let (_, kkt) = block::prepare(sys, &p)?;
        let s = eq.scheme.rows.len();
        let lay = case.run.layout;
        let size = form.size(sys);
        // group = coupled stages of an implicit scheme
        let group = |rows: std::ops::Range<usize>| {
            eq.scheme.is_implicit(rows.clone()).then(|| Stages::new(sys, &eq, form, rows)).transpose()
        };
        // instant = terms at the node, and at each stage
        let moves = form.moves() || form == Form::Dae;
        let instant = |i: usize| Instant::new(sys, if i == 0 { &node } else { &eq }, &p, &kkt, moves);
        Ok(Self {
            case,
            node,
            eq,
            form,
            states: States::new(case, &p)?,
            instants: (0..=s).map(instant).collect(),
            groups: eq.scheme.groups().map(group).collect::<Result<_, _>>()?,
            y: vec![0.0; o * size],
            yi: vec![0.0; (s + 1) * o * size],
            k: vec![0.0; (s + 1) * o * size],
            b: vec![0.0; (s + 1) * o * lay.z()],
            slots: vec![0.0; o * sys.dims().args],
            rates: vec![0.0; o * sys.dims().args],
            work: Work::new(lay.n, lay.m),
            same: false,
            p,
        })
    }
    fn size(&self) -> usize {
        self.form.size(self.case.recipe.system())
    }
    /// Places a block θ of the way through the step that ends in record `n`.
    fn place(&mut self, i: usize, n: usize, theta: f64, factored: bool) -> Result<(), StepError> {
        let sys = self.case.recipe.system();
        let plan = &self.case.run.plan;
        let span = plan.span(n, &self.p);
        let x = self.states.at(self.case, &self.p, n, theta)?;
        // a law may have a kink at a declared time: on the side of this step
        let inside = |n: usize| n > 0 && n < plan.steps() && plan.declared[n].is_some();
        let theta = match theta {
            0.0 if inside(n - 1) => SIDE,
            1.0 if inside(n) => 1.0 - SIDE,
            theta => theta,
        };
        let at = self.case.run.layout.node(span.t + theta * span.h, x);
        self.instants[i].set(sys, &at, plan.frozen(n), factored)
    }
    /// Block 0 at node `n` with what was decided for another record.
    fn place_node(&mut self, n: usize, frozen: Frozen) -> Result<(), StepError> {
        let case = self.case;
        let run = self.case.run;
        self.instants[0].set(
            case.recipe.system(),
            &run.layout.node(run.plan.t[n], run.present(n)),
            frozen,
            true,
        )
    }
    /// Covectors of x at the node of block 0 become y; what rows_p takes of them goes to the slots.
    fn pass(&mut self, j: usize) {
        let sys = self.case.recipe.system();
        let size = self.size();
        let z = self.case.run.layout.z();
        let b = &mut self.b[j * z..(j + 1) * z];
        let args = sys.dims().args;
        let at = &mut self.instants[0];
        at.block.solve_t(sys, b);
        at.picked(b, &mut self.work.mu);
        at.block.slot_mul_t(sys, b, -1.0, &mut self.slots[j * args..(j + 1) * args]);
        self.form.raise(sys, at, &self.work.mu, &mut self.work.u, &mut self.y[j * size..(j + 1) * size]);
    }
    /// Has the step that ends in record `n` other independent coordinates than the next one?
    pub(super) fn changes(&self, n: usize) -> bool {
        let plan = &self.case.run.plan;
        let count = self.eq.state.choices(self.case.recipe.system());
        n < plan.steps() && plan.frozen(n).choice[..count] != plan.frozen(n + 1).choice[..count]
    }
    /// At node `n`, if the step that ends there has other independent coordinates than the next one.
    pub(super) fn change_coordinates(&mut self, n: usize) -> Result<(), StepError> {
        // nothing to do where the independent coordinates stay
        let case = self.case;
        let plan = &self.case.run.plan;
        if !self.changes(n) {
            return Ok(());
        }
        let sys = case.recipe.system();
        let size = self.size();
        let lay = case.run.layout;
        // μ with the coordinates after the node
        self.same = false;
        self.b.fill(0.0);
        self.place_node(n, plan.frozen(n + 1))?;
        for j in 0..case.objectives() {
            self.form.lower(sys, &mut self.instants[0], &self.y[j * size..(j + 1) * size], &mut self.work.mu);
            self.b[j * lay.z()..][..2 * lay.n].copy_from_slice(&self.work.mu);
        }
        // μ through the node with those before it (1)
        self.place_node(n, plan.frozen(n))?;
        (0..case.objectives()).for_each(|j| self.pass(j));
        Ok(())
    }
    /// (2) from record `n` to the one before.
    fn step(&mut self, n: usize) -> Result<(), StepError> {
        let case = self.case;
        let scheme = self.eq.scheme;
        let plan = &self.case.run.plan;
        let span = plan.span(n, &self.p);
        let h = span.h;
        let s = scheme.rows.len();
        let size = self.size();
        let o = case.objectives();
        let first = scheme.rows.iter().any(|row| row[0] != 0.0);
        let b = scheme.rows[s - 1];
        if first {
            self.begin(n)?;
        }
        for (g, rows) in scheme.groups().enumerate() {
            // the end of the step is evaluated if something reads it
            let idle = rows.end == s && !first && self.groups[g].is_none();
            for i in rows.clone() {
                if !idle {
                    self.place(
                        i + 1,
                        n,
                        1.0 - scheme.nodes[i],
                        self.form.moves() || self.groups[g].is_none(),
                    )?;
                }
                self.add_known(i, rows.start, h);
            }
            if !idle {
                self.solve(g, rows, span.t, h, plan.frozen(n).choice)?;
            }
        }
        for (j, b) in b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            self.gather(j, h * b);
        }
        self.y.copy_from_slice(&self.yi[s * o * size..]);
        self.same = true;
        Ok(())
    }
    /// y_i = y + h Σ_j a_ij k_j (2) over the stages up to `last`, which are known.
    fn add_known(&mut self, i: usize, last: usize, h: f64) {
        let scheme = self.eq.scheme;
        let width = self.y.len();
        let at = (i + 1) * width;
        self.yi[at..at + width].copy_from_slice(&self.y);
        for j in (0..=last).filter(|&j| scheme.a(i, j) != 0.0) {
            let from = &self.k[j * width..(j + 1) * width];
            self.yi[at..at + width].iter_mut().zip(from).for_each(|(y, k)| *y += h * scheme.a(i, j) * k);
        }
    }
    /// Evaluates k_0 and b_0 of a step.
    fn begin(&mut self, n: usize) -> Result<(), StepError> {
        let s = self.eq.scheme.rows.len();
        let o = self.case.objectives();
        let size = self.size();
        let z = self.case.run.layout.z();
        if self.same && self.case.run.plan.declared[n].is_none() {
            self.instants.swap(0, s);
            self.k.copy_within(s * o * size.., 0);
            self.b.copy_within(s * o * z.., 0);
            return Ok(());
        }
        self.place(0, n, 1.0, true)?;
        self.yi[..o * size].copy_from_slice(&self.y);
        self.evaluate(0);
        Ok(())
    }
    /// k_i and b_i of an explicit block at y_i.
    pub(super) fn evaluate(&mut self, i: usize) {
        let sys = self.case.recipe.system();
        let size = self.size();
        let z = self.case.run.layout.z();
        let o = self.case.objectives();
        // k = y'(t_i, y_i) of each objective
        for j in 0..o {
            let y = (i * o + j) * size;
            let b = (i * o + j) * z;
            let b = &mut self.b[b..b + z];
            let k = &mut self.k[y..y + size];
            evaluate(
                sys,
                self.form,
                &mut self.instants[i],
                &self.yi[y..y + size],
                Some(j),
                &mut self.work,
                b,
                k,
            );
        }
    }
    /// k_i and b_i of a group of blocks, and y_i where it depends on them.
    fn solve(
        &mut self,
        g: usize,
        rows: std::ops::Range<usize>,
        t: f64,
        h: f64,
        choice: &[u32],
    ) -> Result<(), StepError> {
        // a stage that stands alone
        let sys = self.case.recipe.system();
        let o = self.case.objectives();
        let Some(stages) = &mut self.groups[g] else {
            self.evaluate(rows.start + 1);
            return Ok(());
        };
        // k of coupled stages, y_i = y + h Σ_j a_ij k_j (2)
        let blocks = rows.start + 1..rows.end + 1;
        stages.prepare(sys, &self.eq, (t, h), choice, &mut self.instants[blocks.clone()], &mut self.work)?;
        for j in 0..o {
            let group = Group {
                objective: j,
                first: blocks.start * o + j,
                next: o,
                y: &self.yi,
                k: &mut self.k,
                b: &mut self.b,
            };
            stages.solve(sys, &self.eq, &mut self.instants[blocks.clone()], &mut self.work, group);
        }
        rows.for_each(|i| (0..o).for_each(|j| self.add_coupled(i, blocks.clone(), j, h)));
        // forms with moving terms are evaluated at the final y_i
        if self.form.moves() {
            blocks.for_each(|i| self.evaluate(i));
        }
        Ok(())
    }
    /// y_i += h Σ_j a_ij k_j (2) of one objective, over the blocks of a coupled group.
    fn add_coupled(&mut self, i: usize, blocks: std::ops::Range<usize>, j: usize, h: f64) {
        let size = self.size();
        let o = self.case.objectives();
        let to = ((i + 1) * o + j) * size;
        for from in blocks {
            let k = (from * o + j) * size;
            let a = h * self.eq.scheme.a(i, from);
            (0..size).for_each(|d| self.yi[to + d] += a * self.k[k + d]);
        }
    }
    /// slots += s (g_p - rows_pᵀ b) of a block.
    pub(super) fn gather(&mut self, i: usize, s: f64) {
        let sys = self.case.recipe.system();
        let z = self.case.run.layout.z();
        let o = self.case.objectives();
        for (j, slots) in self.slots.chunks_exact_mut(sys.dims().args).enumerate() {
            let b = (i * o + j) * z;
            self.instants[i].gather(sys, j, &self.b[b..b + z], s, slots);
        }
    }
}
