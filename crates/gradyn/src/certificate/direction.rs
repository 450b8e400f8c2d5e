//! The direction in which a design is moved.
//!
//! ```text
//! d_k = ± s_k              s_k the scale of parameter k, signs without order                             (1)
//! ```
//! Moved designs stay inside the bounds: a parameter at one of them moves away from it, and then differences
//! are one-sided. One whose bounds leave no room does not move.

use crate::prepared::Prepared;
use gradyn_model::ParameterInfo;

/// Room to a bound, relative to the scale, below which a parameter moves away from it only.
const NEAR_BOUND: f64 = 0.02;

/// A direction of the parameters, and how far designs may be moved along it.
pub(super) struct Direction {
    /// d, in the units of the parameters.
    pub d: Vec<f64>,
    /// Do designs stay inside the bounds on one side only?
    pub one_sided: bool,
    /// The most that designs are moved, relative to d.
    pub most: f64,
}

impl Direction {
    /// (1) at the parameters of a model.
    pub(super) fn new(model: &Prepared) -> Self {
        let infos = model.parameters();
        let rho = model.rho();
        // d, first with signs without order
        let mut d: Vec<f64> = infos.iter().enumerate().map(|(k, p)| sign(k) * p.scale).collect();
        let rooms: Vec<[f64; 2]> = infos.iter().zip(rho).map(|(p, x)| rooms(p, *x)).collect();

        // away from bounds that are near
        let mut one_sided = false;
        for (d, [below, above]) in d.iter_mut().zip(&rooms) {
            if below.min(*above) < NEAR_BOUND {
                one_sided = true;
                *d = if above > below { d.abs() } else { -d.abs() };
            }
            if below.max(*above) == 0.0 {
                *d = 0.0;
            }
        }

        // the most that no parameter leaves its bounds
        let room = |(d, [below, above]): (&f64, &[f64; 2])| match (one_sided, *d > 0.0) {
            _ if *d == 0.0 => f64::INFINITY,
            (true, true) => *above,
            (true, false) => *below,
            (false, _) => below.min(*above),
        };
        let most = d.iter().zip(&rooms).map(room).fold(f64::INFINITY, f64::min);
        Self { d, one_sided, most }
    }
    /// Does any parameter move?
    pub(super) fn moves(&self) -> bool {
        self.d.iter().any(|d| *d != 0.0)
    }
    /// ρ + δ d.
    pub(super) fn moved(&self, rho: &[f64], delta: f64) -> Vec<f64> {
        rho.iter().zip(&self.d).map(|(x, d)| x + delta * d).collect()
    }
    /// Σ x_k d_k.
    pub(super) fn dot(&self, row: &[f64]) -> f64 {
        row.iter().zip(&self.d).map(|(x, d)| x * d).sum()
    }
}

/// Room below and above a value, relative to the scale.
fn rooms(p: &ParameterInfo, x: f64) -> [f64; 2] {
    let below = p.bounds.0.map_or(f64::INFINITY, |b| (x - b) / p.scale);
    let above = p.bounds.1.map_or(f64::INFINITY, |b| (b - x) / p.scale);
    [below.max(0.0), above.max(0.0)]
}

/// The sign of parameter k.
fn sign(k: usize) -> f64 {
    if ((k as f64 + 1.0) * 0.754_877_666).fract() < 0.5 { 1.0 } else { -1.0 }
}
