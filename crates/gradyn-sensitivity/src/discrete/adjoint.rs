//! Discrete adjoint sensitivities, once for all steps.
//!
//! ```text
//! R_xᵀ μ_n = [n = N] ψ_{x_N}ᵀ - R_past,n+1ᵀ μ_{n+1},     ∇ψ = w_pᵀ - Σ (R_p + R_h h' + R_t t')ᵀ μ_n       (1)  [A22, Eqs. 22–28, 41–45]
//! ```
//! One factorisation and one transposed solve per step and objective, one pass over the elements for R_pᵀμ:
//! the cost does not depend on the number of parameters. Gradients are gathered in slot space; (∂e/∂ρ)ᵀ is
//! applied once per run.

use super::TimeColumns;
use crate::objective::{Case, Gradient, TerminalRows};
use gradyn_dynamics::{Chain, StepError};
use gradyn_model::{Setup, System};

/// Memory of the sweep.
pub struct Adjoint {
    mu: Vec<f64>,
    carry: Vec<f64>,
    slots: Vec<f64>,
    part: Vec<f64>,
    chain: Chain,
    times: TimeColumns,
    /// Linearisations: one factorisation of each block.
    pub linearisations: usize,
    /// Transposed solves.
    pub solves: usize,
}

/// Where the gradient comes from, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributions {
    /// For each record n = 0 … N: objective-major rows of ρ; the last one includes the terminal value.
    pub records: Vec<Gradient>,
    /// dψ/d(q₀, v₀) per objective, (a₀, λ₀) following.
    pub initial_state: Gradient,
    /// dψ/d(value) of each position and velocity condition, per objective.
    pub conditions: Gradient,
}

impl Adjoint {
    /// Memory for a case.
    pub fn new(case: &Case) -> Result<Self, StepError> {
        let (p, o) = (case.slots(), case.objectives());
        let (len, args) = (case.run.layout.len, case.recipe.system().dims().args);
        Ok(Self {
            mu: vec![0.0; len],
            carry: vec![0.0; len * o],
            slots: vec![0.0; args * o],
            part: vec![0.0; args],
            chain: case.recipe.chain(&p)?,
            times: TimeColumns::new(case.recipe, &p),
            linearisations: 0,
            solves: 0,
        })
    }
    /// Elements evaluated.
    pub fn visits(&self) -> usize {
        self.chain.counts().visits
    }
    /// The gradient ∇ψ by (1).
    pub fn gradient(&mut self, case: &Case) -> Result<Gradient, StepError> {
        self.run(case, None)
    }
    /// ∇ψ with its history.
    pub fn contributions(&mut self, case: &Case) -> Result<(Gradient, Contributions), StepError> {
        let empty = vec![vec![0.0; case.rho.len()]; case.objectives()];
        let mut c =
            Contributions { records: vec![empty; case.run.plan.steps() + 1], ..Contributions::default() };
        let gradient = self.run(case, Some(&mut c))?;
        Ok((gradient, c))
    }
    fn run(&mut self, case: &Case, mut history: Option<&mut Contributions>) -> Result<Gradient, StepError> {
        let (p, args) = (case.slots(), self.part.len());
        let w = TerminalRows::new(case, &p);
        self.carry.fill(0.0);
        self.slots.fill(0.0);
        // μ and Σ (R_p + R_h h' + R_t t')ᵀ μ over slots
        self.sweep(case, &p, &w, history.as_deref_mut())?;
        // w_p, and back to ρ
        let pull = |slots: &[f64]| case.design.pull_back(case.rho, slots);
        let mut gradient = vec![];
        for (j, slots) in self.slots.chunks_exact_mut(args).enumerate() {
            self.part.fill(0.0);
            w.add_slots(case, j, &mut self.part);
            if let Some(h) = history.as_deref_mut() {
                let last = h.records.last_mut().expect("record 0 is always there");
                last[j].iter_mut().zip(pull(&self.part)).for_each(|(x, w)| *x += w);
            }
            slots.iter_mut().zip(&self.part).for_each(|(s, w)| *s += w);
            gradient.push(pull(slots));
        }
        Ok(gradient)
    }
    /// The backward loop; allocates nothing without a history.
    fn sweep(
        &mut self,
        case: &Case,
        p: &[f64],
        w: &TerminalRows,
        mut history: Option<&mut Contributions>,
    ) -> Result<(), StepError> {
        let (sys, run, z) = (case.recipe.system(), case.run, case.run.layout.z());
        let (len, args, last) = (run.layout.len, self.part.len(), run.plan.steps());
        for n in (0..=last).rev() {
            let record = run.args(n, p);
            self.chain.linearise(&record)?;
            self.linearisations += 1;
            if run.plan.moves(n) {
                self.times.set(&record);
            }
            for j in 0..case.objectives() {
                // R_xᵀ μ = [n = N] ψ_xᵀ - carry
                let carry = &mut self.carry[j * len..(j + 1) * len];
                self.mu.iter_mut().zip(&*carry).for_each(|(m, c)| *m = -c);
                if n == last {
                    self.mu[z + j] += 1.0;
                    w.add_state(j, &mut self.mu);
                }
                if let Some(h) = history.as_deref_mut().filter(|_| n == 0) {
                    let mut b = self.mu.clone();
                    self.chain.start.state_t(sys, &mut b);
                    h.initial_state.push(b[..2 * run.layout.n].to_vec());
                }
                self.chain.solve_t(&mut self.mu);
                self.solves += 1;
                // carry = R_pastᵀ μ
                carry.fill(0.0);
                self.chain.past_mul_t(&self.mu, carry);
                match history.as_deref_mut() {
                    None => gather(
                        case,
                        n,
                        &self.mu,
                        &mut self.chain,
                        &self.times,
                        &mut self.slots[j * args..(j + 1) * args],
                    ),
                    Some(h) => {
                        self.part.fill(0.0);
                        gather(case, n, &self.mu, &mut self.chain, &self.times, &mut self.part);
                        self.slots[j * args..(j + 1) * args]
                            .iter_mut()
                            .zip(&self.part)
                            .for_each(|(s, p)| *s += p);
                        h.records[n][j] = case.design.pull_back(case.rho, &self.part);
                        if n == 0 {
                            h.conditions.push(condition_values(sys, &self.mu));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// grad -= (R_p + R_h h' + R_t t')ᵀ μ of record `n`.
fn gather(case: &Case, n: usize, mu: &[f64], chain: &mut Chain, times: &TimeColumns, grad: &mut [f64]) {
    chain.slot_mul_t(mu, -1.0, grad);
    let plan = &case.run.plan;
    if plan.moves(n) {
        let dot = |c: &[f64]| mu.iter().zip(c).map(|(m, c)| m * c).sum::<f64>();
        let h = dot(&times.h);
        let t = dot(&times.t);
        // h' = t_n' - t_{n-1}', t' = t_{n-1}'; record 0 starts at t_0
        let mut add = |slot: Option<u32>, x: f64| slot.into_iter().for_each(|s| grad[s as usize] -= x);
        if n == 0 {
            add(plan.declared[0], t);
        } else {
            add(plan.declared[n], h);
            add(plan.declared[n - 1], t - h);
        }
    }
}

/// dψ/d(value) of the conditions: E(q) - value = 0 has R_value = -1, so it is the adjoint of the condition
/// itself.
fn condition_values(sys: &Setup, mu: &[f64]) -> Vec<f64> {
    let n = sys.dims().n;
    let held = sys.independent(false).len();
    let moving = sys.independent(true).len();
    let given = sys.statics().map_or(n - held, |s| s.held.len());
    mu[held..held + given].iter().chain(&mu[n + moving..2 * n]).copied().collect()
}
