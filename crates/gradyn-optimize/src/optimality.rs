//! First-order conditions.
//!
//! ```text
//! ∇L = f_z + c_zᵀ λ                                                        (1)
//! |z - P(z - ∇L)|∞,   P projects onto the bounds                            (2)
//! |h|, max(g, 0)                                                            (3)
//! |μ g|                                                                     (4)
//! ```

use crate::space::{Point, Space};
use crate::vector::largest;

/// Gradient of the Lagrangian (1).
pub(crate) fn lagrangian_gradient(point: &Point, lam: &[f64]) -> Vec<f64> {
    let mut l_z = point.g.clone();
    for (row, lam) in point.c_z.chunks_exact(l_z.len()).zip(lam) {
        for j in 0..l_z.len() {
            l_z[j] += lam * row[j];
        }
    }
    l_z
}

/// Size of the projected gradient (2), without the rounding of z - ∇L.
pub(crate) fn projected_gradient(space: &Space, point: &Point, lam: &[f64]) -> f64 {
    let l_z = lagrangian_gradient(point, lam);
    largest((0..space.n).map(|i| l_z[i].max(point.z[i] - space.upper[i]).min(point.z[i] - space.lower[i])))
}

/// Violation (3) of every row.
pub(crate) fn violations(space: &Space, c: &[f64]) -> Vec<f64> {
    c.iter().enumerate().map(|(i, c)| if i < space.m_eq { c.abs() } else { c.max(0.0) }).collect()
}

/// The largest violation (3).
pub(crate) fn violation(space: &Space, point: &Point) -> f64 {
    largest(violations(space, &point.c))
}

/// The largest complementarity (4).
pub(crate) fn complementarity(space: &Space, point: &Point, lam: &[f64]) -> f64 {
    largest((space.m_eq..space.m).map(|i| lam[i] * point.c[i]))
}
