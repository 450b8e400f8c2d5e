//! Differences through the f64 program on the frozen plan: the arbiter that shares no scalar with the other methods.
//!
//! ```text
//! D(δ) = (ψ(ρ + δ) - ψ(ρ - δ)) / 2δ,   Richardson: (4 D(δ/2) - D(δ)) / 3                                (1)
//! ```

use crate::objective::{Case, Gradient, values};
use gradyn_dynamics::simulate::replay;
use gradyn_dynamics::{Step, StepError};

/// Central differences with steps δ_k = `relative` × scale; with `richardson` the extrapolated value.
pub fn central<T: Step>(case: &Case<T>, relative: f64, richardson: bool) -> Result<Gradient, StepError> {
    let count = case.rho.len();
    let mut gradient = vec![vec![0.0; count]; case.objectives()];
    let mut rho = case.rho.to_vec();
    for k in 0..count {
        let mut at = |x: f64| -> Result<Vec<f64>, StepError> {
            rho[k] = x;
            let p = case.model.slots(&rho);
            let psi = values(case.step, &p, &replay(case.step, &p, &case.run.plan)?);
            rho[k] = case.rho[k];
            Ok(psi)
        };
        let mut difference = |δ: f64| -> Result<Vec<f64>, StepError> {
            let (up, down) = (at(case.rho[k] + δ)?, at(case.rho[k] - δ)?);
            Ok(up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * δ)).collect())
        };
        let δ = relative * case.model.parameters[k].scale;
        let coarse = difference(δ)?;
        let fine = if richardson { difference(0.5 * δ)? } else { coarse.clone() };
        for (j, row) in gradient.iter_mut().enumerate() {
            row[k] = if richardson { (4.0 * fine[j] - coarse[j]) / 3.0 } else { coarse[j] };
        }
    }
    Ok(gradient)
}
