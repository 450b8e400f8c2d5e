//! Penalty factors of the rows: constants of the model, which are not differentiated.
//!
//! ```text
//! α_k = α f_k                                       (1)  uniform
//! α_k = α f_k m_k,   1/m_k = φ_k (M_k + εI)⁻¹ φ_kᵀ  (2)  by effective mass
//! c₀ ← η_k² c₀,   c₁ ← ζ_k η_k c₁   where c₂ ≠ 0    (3)
//! ```
//! f_k, ζ_k, η_k are the factors of α, ξ and ω that the model gives to row k. φ_k is the row of Φ_q at the
//! nominal start, M_k the part of M on the coordinates that it touches; ε is 1e-6 of the largest entry of M,
//! for coordinates without mass. (3) makes Φ̈ + 2ξωΦ̇ + ω²Φ of each row its own, and leaves Φ, Φ̇ and Φ̈
//! alone.

use super::{ElementTerms, Elements};
use crate::mechanism::Penalty;
use crate::system::Patterns;
use gradyn_num::{DenseLdl, largest};
use std::sync::Arc;

/// ε of (2), relative.
const MASSLESS: f64 = 1e-6;

/// Penalty factors (1)–(3) of all rows.
#[derive(Clone, Debug)]
pub(crate) struct RowPenalties {
    /// 1/f_k, relative to the compliance of the formulation.
    pub(crate) compliances: Vec<f64>,
    /// Weights of c₀, c₁, c₂ for each row, if they are not all 1; none of c₀ for rows of velocity level.
    weights: Option<[Vec<f64>; 3]>,
}

impl RowPenalties {
    /// The factors of each row, of which the last `m_vel` are of velocity level.
    pub(crate) fn new(rows: &[Penalty], m_vel: usize) -> Self {
        let inverse: Vec<f64> = rows.iter().map(|r| 1.0 / r.alpha).collect();
        let positions = rows.len() - m_vel;
        let all = |weight: &dyn Fn(&Penalty) -> f64| rows.iter().map(weight).collect::<Vec<_>>();
        let mut weights = [all(&|r| r.omega * r.omega), all(&|r| r.xi * r.omega), vec![1.0; rows.len()]];
        let plain = weights.iter().flatten().all(|w| *w == 1.0);
        weights[0][positions..].fill(0.0);
        Self { compliances: inverse, weights: (!plain).then_some(weights) }
    }
    /// Weights of the levels in a sum with weights c, where they differ from row to row.
    pub(crate) fn weights(&self, c: [f64; 3]) -> Option<&[Vec<f64>; 3]> {
        self.weights.as_ref().filter(|_| c[2] != 0.0 && (c[0] != 0.0 || c[1] != 0.0))
    }
}

impl Elements {
    /// 1/(f_k m_k) by the effective masses (2) at (t, q), also of rows that are dropped.
    pub(crate) fn scaled_compliances(self: &Arc<Self>, p: &[f64], t: f64, q: &[f64]) -> Vec<f64> {
        let mut terms = self.plain_terms(p);
        terms.at(t, q);
        let ε = MASSLESS * largest(terms.mass.iter().copied());
        // a row without direction keeps (1)
        let scale = |k: usize| terms.mobility(k, ε).filter(|x| *x > 0.0).unwrap_or(1.0);
        self.penalties.compliances.iter().enumerate().map(|(k, plain)| plain * scale(k)).collect()
    }
}

impl ElementTerms<f64> {
    /// Inverse 1/m_k of the effective mass of row k, by (2).
    fn mobility(&self, k: usize, ε: f64) -> Option<f64> {
        let Patterns { nn, mn, .. } = &self.elements.patterns;
        let φ = &self.phi_q[mn.row(k)];
        let coords: Vec<usize> = mn.row(k).map(|pos| mn.col(pos)).collect();
        let mut mass = DenseLdl::new(coords.len());
        for (i, &a) in coords.iter().enumerate() {
            let row = mass.row_mut(i);
            for (x, &b) in row.iter_mut().zip(&coords) {
                *x = nn.position(a, b).map_or(0.0, |pos| self.mass[pos]);
            }
            row[i] += ε;
        }
        mass.factor(0.0).ok()?;
        let mut x = φ.to_vec();
        mass.solve(&mut x);
        Some(φ.iter().zip(&x).map(|(φ, x)| φ * x).sum())
    }
}
