//! Differences through the f64 program on the frozen plan: the arbiter that shares no scalar with the other
//! methods.
//!
//! ```text
//! D(δ) = (ψ(ρ + δ) - ψ(ρ - δ)) / 2δ,   Richardson: (4 D(δ/2) - D(δ)) / 3             (1)
//! P_i0 = (ψ(ρ + δ_i) - ψ(ρ)) / δ_i,   δ_i = δ₀/(i + 1)                                (2)  [B92, Eqs. 64–66]
//! P_ik = P_i,k-1 + (1 + i - k)/k (P_i,k-1 - P_i-1,k-1)                               (3)  [B92, Eq. 67]
//! |P_nn - P_n,n-1| ≤ ε max(|P_nn|, |ψ|/scale)                                        (4)  [B92, Eq. 68]
//! bar = max(|P_nn - P_n,n-1|, |P_nn - P_n-1,n-1|)                                     (5)
//! ```
//! In (4) the bound is relative to the entry, or to what the objective has to offer per scale of the
//! parameter. Where no order reaches the bound, the entry with the smallest left side is reported as not
//! converged. The left side alone is no error bar: of ten roundings one is small by accident.

use crate::objective::{Case, Gradient, values};
use gradyn_dynamics::StepError;
use gradyn_dynamics::simulate::replay;

/// Central differences with steps δ_k = `relative` × scale; with `richardson` the extrapolated value.
pub fn central(case: &Case, relative: f64, richardson: bool) -> Result<Gradient, StepError> {
    let count = case.rho.len();
    let mut gradient = vec![vec![0.0; count]; case.objectives()];
    let mut rho = case.rho.to_vec();
    for k in 0..count {
        // ψ at another value of parameter k
        let mut at = |x: f64| -> Result<Vec<f64>, StepError> {
            rho[k] = x;
            let p = case.design.slots(&rho);
            let psi = values(case.recipe, &p, &replay(case.recipe, &p, &case.run.plan)?);
            rho[k] = case.rho[k];
            Ok(psi)
        };
        // D(δ)
        let mut difference = |δ: f64| -> Result<Vec<f64>, StepError> {
            let up = at(case.rho[k] + δ)?;
            let down = at(case.rho[k] - δ)?;
            Ok(up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * δ)).collect())
        };
        // (1)
        let δ = largest_step(case, k, relative * case.design.scale(k));
        let coarse = difference(δ)?;
        let fine = if richardson { difference(0.5 * δ)? } else { coarse.clone() };
        for (j, row) in gradient.iter_mut().enumerate() {
            row[k] = if richardson { (4.0 * fine[j] - coarse[j]) / 3.0 } else { coarse[j] };
        }
    }
    Ok(gradient)
}

/// Highest order of (3).
pub(crate) const MOST: usize = 9;

/// Entries by (2)–(4).
pub struct Extrapolated {
    /// Extrapolated gradient P_nn.
    pub gradient: Gradient,
    /// Error bars (5).
    pub bars: Gradient,
    /// Is (4) satisfied?
    pub converged: Vec<Vec<bool>>,
}

/// Differences with steps δ₀ = `relative` × scale and smaller ones, extrapolated until the bars are below
/// `tolerance`.
pub fn extrapolated(case: &Case, relative: f64, tolerance: f64) -> Result<Extrapolated, StepError> {
    let (count, objectives) = (case.rho.len(), case.objectives());
    let psi = values(case.recipe, &case.slots(), case.run);
    let empty = || vec![vec![0.0; count]; objectives];
    let mut all =
        Extrapolated { gradient: empty(), bars: empty(), converged: vec![vec![false; count]; objectives] };
    let mut rho = case.rho.to_vec();
    for k in 0..count {
        let scale = case.design.scale(k);
        let mut tables = vec![Table::default(); objectives];
        let first = largest_step(case, k, relative * scale);
        for i in 0..=MOST {
            let δ = first / (i + 1) as f64;
            rho[k] = case.rho[k] + δ;
            let p = case.design.slots(&rho);
            let moved = values(case.recipe, &p, &replay(case.recipe, &p, &case.run.plan)?);
            // the step as it was rounded
            let δ = rho[k] - case.rho[k];
            for (j, table) in tables.iter_mut().enumerate().filter(|t| !t.1.converged) {
                table.add((moved[j] - psi[j]) / δ, tolerance, psi[j].abs() / scale);
            }
            if tables.iter().all(|t| t.converged) {
                break;
            }
        }
        rho[k] = case.rho[k];
        for (j, t) in tables.iter().enumerate() {
            (all.gradient[j][k], all.bars[j][k], all.converged[j][k]) = (t.best, t.bar, t.converged);
        }
    }
    Ok(all)
}

/// A step of parameter `k` that is at most `step` and that the plan takes: it does not move a declared time
/// by more than half a step.
fn largest_step(case: &Case, k: usize, step: f64) -> f64 {
    let mut rho = case.rho.to_vec();
    let mut takes = |δ: f64| {
        rho[k] = case.rho[k] + δ;
        case.run.plan.overtaken(&case.design.slots(&rho)).is_none()
    };
    (0..40).map(|i| step * 0.25f64.powi(i)).find(|δ| takes(*δ) && takes(-*δ)).unwrap_or(step)
}

/// The last row of (3), and the entry with the smallest left side of (4), with its bar (5).
#[derive(Clone)]
struct Table {
    row: Vec<f64>,
    best: f64,
    left: f64,
    bar: f64,
    converged: bool,
}
impl Default for Table {
    fn default() -> Self {
        Self { row: vec![], best: f64::NAN, left: f64::INFINITY, bar: f64::INFINITY, converged: false }
    }
}
impl Table {
    /// One more difference, (3) and (4).
    fn add(&mut self, difference: f64, tolerance: f64, size: f64) {
        let i = self.row.len();
        let mut row = vec![difference];
        for k in 1..=i {
            let a = row[k - 1];
            let b = self.row[k - 1];
            row.push(a + (1 + i - k) as f64 / k as f64 * (a - b));
        }
        if i > 0 && (row[i] - row[i - 1]).abs() < self.left {
            self.best = row[i];
            self.left = (row[i] - row[i - 1]).abs();
            self.bar = self.left.max((row[i] - self.row[i - 1]).abs());
        }
        self.converged = self.left <= tolerance * self.best.abs().max(size);
        self.row = row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ψ = exp ρ at 0: (3) reaches rounding, and the bar is honest on the way.
    #[test]
    fn tables_converge_to_a_derivative() {
        let mut t = Table::default();
        for i in 0..=MOST {
            let δ = 0.1 / (i + 1) as f64;
            t.add(δ.exp_m1() / δ, 1e-12, 0.0);
            assert!(i == 0 || (t.best - 1.0).abs() <= t.bar.max(1e-13), "order {i}: {} ± {}", t.best, t.bar);
        }
        assert!(t.converged && (t.best - 1.0).abs() < 1e-12, "{} ± {}", t.best, t.bar);
    }
    /// A kink never converges.
    #[test]
    fn tables_of_noise_do_not_converge() {
        let mut t = Table::default();
        (0..=MOST).for_each(|i| t.add(if i % 2 == 0 { 1.0 } else { 1.01 }, 1e-6, 0.0));
        assert!(!t.converged && t.bar > 1e-6, "{} ± {}", t.best, t.bar);
    }
}
