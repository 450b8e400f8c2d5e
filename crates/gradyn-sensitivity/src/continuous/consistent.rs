//! Terminal values of the index-3 adjoint.
//!
//! Its ν obeys Φ_q ν = g_λ and d/dt of it, with M ν = μ_v + g_a and μ_v' = -μ_q - g_v + Cᵀν. Variations at
//! the end obey Φ_q δq + Φ_p δp = 0 and Φ_q δv + Φ̇_q δq + Φ̇_p δp = 0, so that multiples of these rows may
//! be taken from μ:
//!
//! ```text
//! μ_v ← μ_v - Φ_qᵀ η,   μ_q ← μ_q - Φ̇_qᵀ η - Φ_qᵀ ζ,   ∇ψ -= Φ̇_pᵀ η + Φ_pᵀ ζ                          (1)
//! [ M Φ_qᵀ ; Φ_q 0 ] (ν, η) = (μ_v + g_a, g_λ)                                                         (2)
//! [ M Φ_qᵀ ; Φ_q 0 ] (ν', -ζ) = (-μ_q + Φ̇_qᵀ η - g_v + Cᵀν + g_a' - Ṁν, g_λ' - Φ̇_q ν)                  (3)
//! ```

use super::instant::Instant;
use gradyn_dynamics::step::IntegrandRows;
use gradyn_model::{At, Level, Setup};
use gradyn_num::Wide;

/// (1) for an objective; `rate` is ẋ = (v, a, a', λ') at the node, where `at` is factored with constraints at
/// the level of accelerations.
pub(crate) fn make_consistent(
    sys: &Setup,
    p: &[f64],
    (at, rate, angles): (&At, &[f64], &[f64]),
    objective: usize,
    i: &mut Instant,
    mu: &mut [f64],
    slots: &mut [f64],
) {
    let n = sys.dims().n;
    let m = sys.dims().m;
    let mut g = vec![0.0; 3 * n + m];
    let mut dg = vec![0.0; 3 * n + m];
    i.g.mul_t(objective, 1.0, &mut g);
    integrand_rate(sys, p, at, rate, angles).mul_t(objective, 1.0, &mut dg);
    // (2)
    let mut nu = g[2 * n..].to_vec();
    let mut next = dg[2 * n..].to_vec();
    nu[..n].iter_mut().zip(&mu[n..]).for_each(|(x, mu)| *x += mu);
    i.block.solve_u(sys, &mut nu);
    let eta = nu[n..].to_vec();
    nu[n..].fill(0.0);
    let Some(moving) = &i.moving else { return };
    let mut turned = vec![0.0; n + m];
    moving.mul(sys, &[&vec![0.0; n][..], &eta].concat(), &mut turned);
    (0..n).for_each(|k| mu[k] -= turned[k]);
    // (3), from g_a' and g_λ'
    (0..n).for_each(|k| next[k] -= mu[k] + g[n + k]);
    let mut stiffness = vec![0.0; n];
    let mut damping = vec![0.0; n];
    i.block.linear.state_mul_t(sys, 1.0, &nu, &mut stiffness, &mut damping);
    next.iter_mut().zip(&damping).for_each(|(x, c)| *x += c);
    let mut moved = vec![0.0; n + m];
    moving.mul(sys, &nu, &mut moved);
    next.iter_mut().zip(&moved).for_each(|(x, f)| *x -= f);
    i.block.solve_u(sys, &mut next);
    let zeta: Vec<f64> = next[n..].iter().map(|x| -x).collect();
    remove(sys, at, (&eta, &zeta), i, mu, slots);
}

/// (1): takes the multipliers η of velocities and ζ of positions out of μ and of ∇ψ.
fn remove(
    sys: &Setup,
    at: &At,
    (eta, zeta): (&[f64], &[f64]),
    i: &mut Instant,
    mu: &mut [f64],
    slots: &mut [f64],
) {
    let n = sys.dims().n;
    let mn = &sys.patterns().mn;
    let terms = &mut i.block.linear.terms;
    mn.mul_t(terms.phi_q(), -1.0, eta, &mut mu[n..]);
    mn.mul_t(terms.phi_q(), -1.0, zeta, &mut mu[..n]);
    terms.constraint_p_t(at, Level::VELOCITY, eta, -1.0, slots);
    terms.constraint_p_t(at, Level::POSITION, zeta, -1.0, slots);
}

/// d/dt of g_x along the run.
fn integrand_rate(sys: &Setup, p: &[f64], at: &At, rate: &[f64], angles: &[f64]) -> IntegrandRows {
    let mut terms = sys.evaluator_with(p);
    terms.set_branches(angles);
    let x = [at.q, at.v, at.a, at.lam].concat();
    let x: Vec<Wide> = x.iter().zip(rate).map(|(x, dx)| Wide::along(*x, *dx)).collect();
    let t = Wide::along(at.t, 1.0);
    let n = at.q.len();
    terms.at(t, &x[..n]);
    let mut rows = IntegrandRows::<Wide>::new(sys);
    let mut out = IntegrandRows::new(sys);
    rows.set(&At::of(t, &x, n, at.lam.len()), &mut terms);
    rows.along(0, &mut out);
    out
}
