//! Discrete adjoint sensitivities, once for all steps.
//!
//! ```text
//! R_xᵀ μ_n = ψ_{x_n}ᵀ - R_past,n+1ᵀ μ_{n+1}
//! ∇ψ = ψ_pᵀ - Σ (R_p + R_h h' + R_t t')ᵀ μ_n                      (1)  [A22, Eqs. 22–28, 41–45]
//! ```
//! ψ_{x_n} and ψ_p are those of `Seeds`: objectives have them at the last record, products with weights over
//! outputs at the records of the samples.
//!
//! One factorisation and one transposed solve per step and objective, one pass over the elements for R_pᵀμ:
//! the cost does not depend on the number of parameters. Gradients are gathered in slot space; (∂e/∂ρ)ᵀ is
//! applied once per run.

use super::records::records;
use super::seeds::{ObjectiveSeeds, SampleSeeds, Seeds};
use crate::objective::{Case, Gradient, Records};
use gradyn_dynamics::StepError;
use gradyn_model::{Kinematics, Setup};

/// Memory of the sweep.
pub struct Adjoint {
    mu: Vec<f64>,
    carry: Vec<f64>,
    slots: Vec<f64>,
    part: Vec<f64>,
    records: Box<dyn Records>,
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
    /// Memory for the objectives of a case.
    pub fn new(case: &Case) -> Result<Self, StepError> {
        Self::for_values(case, case.objectives())
    }
    /// Memory for some values ψ of a case.
    fn for_values(case: &Case, count: usize) -> Result<Self, StepError> {
        let p = case.slots();
        let len = case.run.layout.len;
        let args = case.recipe.system().dims().args;
        Ok(Self {
            mu: vec![0.0; len],
            carry: vec![0.0; len * count],
            slots: vec![0.0; args * count],
            part: vec![0.0; args],
            records: records(case, &p)?,
            linearisations: 0,
            solves: 0,
        })
    }
    /// Elements evaluated.
    pub fn visits(&mut self) -> usize {
        self.records.chain().counts().visits
    }
    /// The gradient ∇ψ by (1).
    pub fn gradient(&mut self, case: &Case) -> Result<Gradient, StepError> {
        let p = case.slots();
        self.run(case, &p, &ObjectiveSeeds::new(case, &p), None)
    }
    /// ∇ψ with its history.
    pub fn contributions(&mut self, case: &Case) -> Result<(Gradient, Contributions), StepError> {
        let empty = vec![vec![0.0; case.rho.len()]; case.objectives()];
        let mut c =
            Contributions { records: vec![empty; case.run.plan.steps() + 1], ..Contributions::default() };
        let p = case.slots();
        let gradient = self.run(case, &p, &ObjectiveSeeds::new(case, &p), Some(&mut c))?;
        Ok((gradient, c))
    }
    /// (1) from any seeds: a row of ρ for each value.
    fn run(
        &mut self,
        case: &Case,
        p: &[f64],
        seeds: &dyn Seeds,
        mut history: Option<&mut Contributions>,
    ) -> Result<Gradient, StepError> {
        let args = self.part.len();
        self.carry.fill(0.0);
        self.slots.fill(0.0);
        // μ and Σ (R_p + R_h h' + R_t t')ᵀ μ over slots
        self.sweep(case, p, seeds, history.as_deref_mut())?;
        // ψ_p, and back to ρ
        let records = &self.records;
        let pull = |slots: &[f64]| records.pull_back(case, slots);
        let mut gradient = vec![];
        for (j, slots) in self.slots.chunks_exact_mut(args).enumerate() {
            self.part.fill(0.0);
            seeds.add_slots(j, &mut self.part);
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
        seeds: &dyn Seeds,
        mut history: Option<&mut Contributions>,
    ) -> Result<(), StepError> {
        let run = case.run;
        for n in (0..=run.plan.steps()).rev() {
            // factors of R_x, and R_h, R_t where a declared time moves the step
            self.records.linearise(case, n, p)?;
            self.linearisations += 1;
            // μ_n of each value
            for j in 0..seeds.count() {
                self.solve_record(case, n, j, seeds, history.as_deref_mut());
            }
        }
        run.check_made()
    }
    /// (1) at record `n` for value `j`: μ_n, what record n - 1 receives, and the part of the slot gradient.
    fn solve_record(
        &mut self,
        case: &Case,
        n: usize,
        j: usize,
        seeds: &dyn Seeds,
        mut history: Option<&mut Contributions>,
    ) {
        let len = case.run.layout.len;
        let args = self.part.len();
        // R_xᵀ μ = ψ_xᵀ - carry
        let carry = &mut self.carry[j * len..(j + 1) * len];
        self.mu.iter_mut().zip(&*carry).for_each(|(m, c)| *m = -c);
        seeds.add_state(n, j, &mut self.mu);
        if let Some(h) = history.as_deref_mut().filter(|_| n == 0) {
            let mut b = self.mu.clone();
            self.records.chain().start.state_t(case.recipe.system(), &mut b);
            h.initial_state.push(b[..2 * case.run.layout.n].to_vec());
        }
        self.records.solve_t(&mut self.mu);
        self.solves += 1;
        // carry = R_pastᵀ μ
        carry.fill(0.0);
        self.records.past_mul_t(&self.mu, carry);
        // slots -= (R_p + R_h h' + R_t t')ᵀ μ, by way of `part` where it is remembered
        let slots = &mut self.slots[j * args..(j + 1) * args];
        let Some(h) = history else {
            return gather(case, n, &self.mu, &mut *self.records, slots);
        };
        self.part.fill(0.0);
        gather(case, n, &self.mu, &mut *self.records, &mut self.part);
        slots.iter_mut().zip(&self.part).for_each(|(s, p)| *s += p);
        h.records[n][j] = self.records.pull_back(case, &self.part);
        if n == 0 {
            h.conditions.push(condition_values(case.recipe.system(), &self.mu));
        }
    }
}

/// wᵀ ∂y/∂ρ by one backward sweep: outputs y at some records, with weights w record by record.
pub fn weighted_outputs(case: &Case, records: &[usize], weights: &[f64]) -> Result<Vec<f64>, StepError> {
    let p = case.slots();
    let seeds = SampleSeeds::new(case, &p, records, weights);
    let gradient = Adjoint::for_values(case, seeds.count())?.run(case, &p, &seeds, None)?;
    Ok(gradient.concat())
}

/// grad -= (R_p + R_h h' + R_t t')ᵀ μ of record `n`.
pub(super) fn gather(case: &Case, n: usize, mu: &[f64], records: &mut dyn Records, grad: &mut [f64]) {
    records.slot_mul_t(mu, -1.0, grad);
    let plan = &case.run.plan;
    if plan.moves(n) {
        let dot = |c: &[f64]| mu.iter().zip(c).map(|(m, c)| m * c).sum::<f64>();
        let [h, t] = records.time_columns().map(dot);
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
    let held = sys.independent(Kinematics::Position).len();
    let moving = sys.independent(Kinematics::Velocity).len();
    let given = sys.statics().map_or(n - held, |s| s.held.len());
    mu[held..held + given].iter().chain(&mu[n + moving..2 * n]).copied().collect()
}
