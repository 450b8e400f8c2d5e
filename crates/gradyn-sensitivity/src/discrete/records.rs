//! The records of a run, linearised: all that direct and adjoint ask of them.
//!
//! ```text
//! R_x⁻¹, R_past, R_p        products of the chain                                                       (1)
//! R_h, R_t                  columns, where a declared time moves the step                               (2)
//! (∂e/∂ρ)ᵀ                  from slots back to ρ, p = e(ρ)                                              (3)
//! ```

use super::TimeColumns;
use crate::objective::{Case, Records};
use gradyn_dynamics::{Chain, Products, StepError};

/// Records as they are.
struct Linearised {
    chain: Chain,
    times: TimeColumns,
}

/// The records of a case, with what stands around them; `p` are the slots.
pub(crate) fn records(case: &Case, p: &[f64]) -> Result<Box<dyn Records>, StepError> {
    let plain = Box::new(Linearised::new(case, p)?);
    Ok(match case.wrap() {
        None => plain,
        Some(wrap) => wrap.around(plain),
    })
}

impl Linearised {
    /// Memory for a case; nothing is linearised yet.
    fn new(case: &Case, p: &[f64]) -> Result<Self, StepError> {
        Ok(Self { chain: case.recipe.chain(p)?, times: TimeColumns::new(case.recipe, p) })
    }
}

impl Records for Linearised {
    fn linearise(&mut self, case: &Case, n: usize, p: &[f64]) -> Result<(), StepError> {
        let link = case.run.link(n);
        let record = link.args(p);
        self.chain.linearise(&record)?;
        if case.run.plan.moves(n) {
            self.times.set(&record);
        }
        Ok(())
    }
    fn time_columns(&self) -> [&[f64]; 2] {
        [&self.times.h, &self.times.t]
    }
    fn pull_back(&self, case: &Case, slots: &[f64]) -> Vec<f64> {
        case.design.pull_back(case.rho, slots)
    }
    fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }
}

impl Products for Linearised {
    fn solve(&mut self, b: &mut [f64]) {
        self.chain.solve(b);
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        self.chain.solve_t(b);
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        self.chain.past_mul(s, r);
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        self.chain.past_mul_t(mu, out);
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        self.chain.slot_mul(delta, r);
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        self.chain.slot_mul_t(mu, s, grad);
    }
}
