//! Projections of velocities and accelerations, with P̄ = M here.
//!
//! ```text
//! [g(q, v - v*, σ) ; Φ̇(t, q, v) - cσ] = 0                                     (1)  [A22, Eq. 2, mixed form]
//! [g(q, a - a*, σ) ; Φ̈(t, q, v, a) - cσ] = 0                                  (2)  [A22, Eq. 3, mixed form]
//! [P̄ Φ_qᵀ; Φ_q -c] (v - v*, σ) = (0, -Φ̇(t, q, v*))                             (3)  both are linear
//! ```
//! c = 1/(ςα). A22 eliminates σ = ςα Φ̇; kept as an unknown, c = 0 is allowed where Φ_q has full rank, and
//! c > 0 passes positions where it has not. Without drivers Φ̇ = Φ_q v, and (1) never raises the kinetic
//! energy T, whether M is positive definite or only semidefinite: v·M(v - v*) = -σ·Φ_q v = -c σ·σ gives
//! T(v) = T(v*) - T(v - v*) - c σ·σ.

use gradyn_model::{At, Evaluator, Level, Setup};

/// Projects block `level` (1: velocities, 2: accelerations) of a node `x` = (q, v, a, …) in place; σ are the
/// last m of `b`. `solve` is that of (3), factored at q; `terms` are there.
pub fn project(
    sys: &Setup,
    t: f64,
    level: usize,
    terms: &mut Evaluator<f64>,
    solve: impl FnOnce(&mut [f64]),
    x: &mut [f64],
    b: &mut [f64],
) {
    let (n, m) = (sys.dims().n, sys.dims().m);
    b.fill(0.0);
    terms.constraint(&At::of(t, x, n, m), Level::ALL[level], &mut b[n..]);
    b[n..].iter_mut().for_each(|b| *b = -*b);
    solve(b);
    x[level * n..(level + 1) * n].iter_mut().zip(&*b).for_each(|(x, δ)| *x += δ);
}

/// Largest |Φ̇| at a node relative to |Φ_q| |v|; `terms` are there.
pub fn violation(at: &At, terms: &mut Evaluator<f64>, dphi: &mut [f64]) -> f64 {
    let norm = |x: &[f64]| x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    dphi.fill(0.0);
    terms.constraint(at, Level::VELOCITY, dphi);
    let scale = norm(terms.phi_q()) * norm(at.v);
    norm(dphi) / if scale > 0.0 { scale } else { 1.0 }
}
