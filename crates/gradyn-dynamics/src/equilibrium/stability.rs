//! What the stiffness at an equilibrium says about it.
//!
//! ```text
//! A = Rᵀ K_s R,   W⁻¹ = [ S R ]                                                                   (1)
//! A x = 0: forces are indifferent along R x,     ½ (A + Aᵀ) has a negative eigenvalue: unstable      (2)
//! ```
//! Rows and columns of A are scaled by the largest force that a unit motion of R makes.

use super::Balance;
use gradyn_num::{Spectrum, largest};

/// Singular values of A below this times the largest are zero: roundings are 1e-16, what the search leaves
/// 1e-13.
const INDIFFERENT: f64 = 1e-11;
/// What counts as zero where the search has failed: forces do not balance there.
const NEARLY: f64 = 1e-6;
/// Eigenvalues of A below minus this times the largest one are negative.
const NEGATIVE: f64 = 1e-10;

/// What (2) says about an equilibrium.
pub(super) enum Kind {
    /// Motions along which forces are indifferent.
    Free(Vec<Vec<f64>>),
    /// The motion that leaves the equilibrium.
    Unstable(Vec<f64>),
    Stable,
}

/// (1) where `balance` was linearised, scaled.
struct Stiffness {
    motions: Vec<Vec<f64>>,
    scale: Vec<f64>,
    a: Vec<f64>,
}

impl Stiffness {
    fn new(balance: &mut Balance, n: usize) -> Self {
        let free = n - balance.rows.pattern.rows();
        let mut motions = vec![vec![0.0; n]; free];
        let mut forces = vec![vec![0.0; n]; free];
        for (k, (r, f)) in motions.iter_mut().zip(&mut forces).enumerate() {
            balance.motion(k, r);
            balance.stiffness_mul(r, f);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // a motion without any force is scaled by the others, so that its roundings stay small
        let least = (1e-3 * largest(forces.iter().flatten().copied())).max(f64::MIN_POSITIVE);
        let scale: Vec<f64> = forces.iter().map(|f| largest(f.iter().copied()).max(least).sqrt()).collect();
        let mut a = vec![0.0; free * free];
        for i in 0..free {
            (0..free).for_each(|j| a[i * free + j] = dot(&motions[i], &forces[j]) / (scale[i] * scale[j]));
        }
        Self { motions, scale, a }
    }
    /// The motion R x of independent coordinates x.
    fn motion(&self, x: &[f64]) -> Vec<f64> {
        let n = self.motions.first().map_or(0, Vec::len);
        (0..n)
            .map(|i| self.motions.iter().zip(x).zip(&self.scale).map(|((r, x), s)| r[i] * x / s).sum())
            .collect()
    }
    /// Motions with singular values below `zero` times the largest.
    fn free(&self, zero: f64) -> Vec<Vec<f64>> {
        let Some(s) = Spectrum::singular(self.motions.len(), &self.a) else { return vec![] };
        let zero = zero * s.values[0].max(f64::MIN_POSITIVE);
        s.values.iter().zip(&s.vectors).filter(|(s, _)| **s <= zero).map(|(_, x)| self.motion(x)).collect()
    }
}

/// Motions that hardly any force holds where `balance` was linearised, and where forces need not balance.
pub(super) fn nearly_free(balance: &mut Balance, n: usize) -> Vec<Vec<f64>> {
    if n == balance.rows.pattern.rows() { vec![] } else { Stiffness::new(balance, n).free(NEARLY) }
}

/// (2) where `balance` was linearised.
pub(super) fn kind(balance: &mut Balance, n: usize) -> Kind {
    let free = n - balance.rows.pattern.rows();
    if free == 0 {
        return Kind::Stable;
    }
    let stiffness = Stiffness::new(balance, n);
    let open = stiffness.free(INDIFFERENT);
    if !open.is_empty() {
        return Kind::Free(open);
    }
    match Spectrum::new(free, &stiffness.a) {
        Some(s) if s.values[0] < -NEGATIVE * s.values[free - 1].abs().max(s.values[0].abs()) => {
            Kind::Unstable(stiffness.motion(&s.vectors[0]))
        }
        _ => Kind::Stable,
    }
}

/// One coordinate for each of some motions: elimination, with the first large entries as pivots: bodies that
/// carry others come first.
pub(super) fn pivots(mut motions: Vec<Vec<f64>>) -> Vec<usize> {
    let mut found = vec![];
    while let Some(row) = motions.pop() {
        let most = largest(row.iter().copied());
        let Some(i) = row.iter().position(|x| x.abs() >= 0.5 * most) else { break };
        found.push(i);
        for x in &mut motions {
            let s = x[i] / row[i];
            x.iter_mut().zip(&row).for_each(|(x, r)| *x -= s * r);
        }
    }
    found.sort_unstable();
    found
}
