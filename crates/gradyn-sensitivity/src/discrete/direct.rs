//! Discrete direct sensitivities, once for all steps.
//!
//! ```text
//! R_x s_n = -(R_past s_{n-1} + R_p p' + R_h h' + R_t t'),     ψ' = z_N' + w_x s_N + w_p p' + w_t t_N'    (1)
//! ```
//! One column per direction p' of slots; the factor of `linearise` serves them all. Record 0 is the same
//! call.

use super::records::records;
use crate::objective::{Case, Gradient, Records, TerminalRows};
use gradyn_dynamics::{Plan, StepError};

/// What a direct run returns.
pub struct Direct {
    /// ψ' along the directions: the gradient ∇ψ where they are those of all parameters.
    pub gradient: Gradient,
    /// Linear solves.
    pub solves: usize,
    /// Matrices of steps that were factorised, where they are counted.
    pub factorizations: Option<usize>,
}

/// (1); `observe` gets each record's number and all columns s_n (parameter-major).
pub fn direct(case: &Case, observe: impl FnMut(usize, &[f64])) -> Result<Direct, StepError> {
    along(case, &directions(case), observe)
}

/// (1) along some directions p' of slots in place of all parameters; `observe` gets each record's number and
/// the columns s_n, one after the other.
pub fn along(
    case: &Case,
    directions: &[Vec<f64>],
    mut observe: impl FnMut(usize, &[f64]),
) -> Result<Direct, StepError> {
    let run = case.run;
    let p = case.slots();
    let len = run.layout.len;
    let count = directions.len();
    // memory, and a column for each direction
    let mut records = records(case, &p)?;
    let mut s = vec![0.0; count * len];
    let mut r = vec![0.0; len];
    // (1), record by record
    for n in 0..=run.plan.steps() {
        records.linearise(case, n, &p)?;
        for (s, delta) in s.chunks_exact_mut(len).zip(directions) {
            r.fill(0.0);
            records.past_mul(s, &mut r);
            own_part(case, n, delta, &mut *records, &mut r);
            records.solve(&mut r);
            s.iter_mut().zip(&r).for_each(|(s, r)| *s = -r);
        }
        observe(n, &s);
    }
    run.check_made()?;
    // ψ' of each objective along each direction
    let w = TerminalRows::new(case, &p);
    let z = run.layout.z();
    let entry = |j: usize, k: usize| {
        let s = &s[k * len..(k + 1) * len];
        s[z + j] + w.mul(case, j, s, &directions[k])
    };
    let gradient = (0..case.objectives()).map(|j| (0..count).map(|k| entry(j, k)).collect()).collect();
    Ok(Direct {
        gradient,
        solves: (run.plan.steps() + 1) * count,
        factorizations: records.chain().counts().factorizations,
    })
}

/// r += R_p p' + R_h h' + R_t t' of record `n`.
pub(super) fn own_part(case: &Case, n: usize, delta: &[f64], records: &mut dyn Records, r: &mut [f64]) {
    records.slot_mul(delta, r);
    let (dh, dt) = moved(&case.run.plan, n, delta);
    if dh != 0.0 || dt != 0.0 {
        let [h, t] = records.time_columns();
        r.iter_mut().zip(h).zip(t).for_each(|((r, h), t)| *r += h * dh + t * dt);
    }
}

/// p' of every parameter.
fn directions(case: &Case) -> Vec<Vec<f64>> {
    let mut all = vec![];
    for first in (0..case.rho.len()).step_by(8) {
        let wide = case.slot_directions(first);
        all.extend((0..8.min(case.rho.len() - first)).map(|k| wide.iter().map(|p| p.eps[k]).collect()));
    }
    all
}

/// (h', t') of the step that ends in record `n`.
fn moved(plan: &Plan, n: usize, delta: &[f64]) -> (f64, f64) {
    let at = |n: usize| plan.declared[n].map_or(0.0, |slot| delta[slot as usize]);
    if n == 0 { (0.0, at(0)) } else { (at(n) - at(n - 1), at(n - 1)) }
}
