//! Products of some records, forward and backward, by what they say about ψ.
//!
//! ```text
//! r = R_past s⁻ + R_p p' + R_h h' + R_t t',   R_x s = -r        s = dx/dρ d                             (1)
//! R_xᵀ μ = w                                                    w = ψ_x, as if the run ended there      (2)
//! w·s  =  -w·R_x⁻¹ r  =  -μ·r  =  -((R_pastᵀ μ)·s⁻ + (R_pᵀ μ)·p' + μ·(R_h h' + R_t t'))                 (3)
//! ```
//! s comes from the program and knows no product: the second of (3) says that forward products are those of
//! the residual, the third that R_x⁻ᵀ is the transpose of R_x⁻¹, the last that the other transposes are. All
//! four are ψ' as if the run ended at the record, so that they are compared by the size of ψ'. With vectors
//! of generic size products cancel by far more than they do in any gradient.

use super::adjoint::gather;
use super::direct::own_part;
use super::records::records;
use crate::objective::{Case, Records, TerminalRows};
use gradyn_dynamics::StepError;

/// s at a record and at the one before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number n of the record.
    pub record: usize,
    /// s_{n-1}; zeros for record 0.
    pub past: Vec<f64>,
    /// s_n.
    pub s: Vec<f64>,
}

/// What a record says about the derivative of an objective along d, (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Number n of the record.
    pub record: usize,
    /// Number of the objective.
    pub objective: usize,
    /// ψ' by the program, by forward products, by R_x⁻ᵀ, and by all transposes.
    pub slopes: [f64; 4],
}

/// (3) of every objective at some records, for the direction `d` that their s belong to. Records at which an
/// objective has no derivative are left out.
pub fn shares(case: &Case, d: &[f64], samples: &[Sample]) -> Result<Vec<Share>, StepError> {
    let p = case.slots();
    let delta: Vec<f64> = case.slots_along(d).iter().map(|p| p.eps[0]).collect();
    let mut records = records(case, &p)?;
    let mut all = vec![];
    for sample in samples {
        let n = sample.record;
        records.linearise(case, n, &p)?;
        // r, and R_x⁻¹ r
        let mut r = vec![0.0; sample.s.len()];
        records.past_mul(&sample.past, &mut r);
        own_part(case, n, &delta, &mut *records, &mut r);
        let mut solved = r.clone();
        records.solve(&mut solved);
        // (3) of each objective
        let rows = TerminalRows::at(case, n, &p);
        for objective in 0..case.objectives() {
            let mut w = vec![0.0; r.len()];
            w[case.run.layout.z() + objective] = 1.0;
            rows.add_state(objective, &mut w);
            if w.iter().any(|w| !w.is_finite()) {
                continue;
            }
            let mut mu = w.clone();
            records.solve_t(&mut mu);
            let back = backward(case, sample, &delta, &mu, &mut *records);
            let slopes = [dot(&w, &sample.s), -dot(&w, &solved), -dot(&mu, &r), -back];
            all.push(Share { record: n, objective, slopes });
        }
    }
    Ok(all)
}

/// (R_pastᵀ μ)·s⁻ + (R_pᵀ μ)·p' + μ·(R_h h' + R_t t').
fn backward(case: &Case, sample: &Sample, delta: &[f64], mu: &[f64], records: &mut dyn Records) -> f64 {
    let mut past = vec![0.0; mu.len()];
    records.past_mul_t(mu, &mut past);
    let mut slots = vec![0.0; case.recipe.system().dims().args];
    gather(case, sample.record, mu, records, &mut slots);
    // `gather` takes away
    dot(&past, &sample.past) - dot(&slots, delta)
}

/// aᵀ b over what both have.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
