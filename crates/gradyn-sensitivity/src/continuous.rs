//! Continuous sensitivities: the equations of motion are differentiated first and integrated afterwards.
//!
//! With ŷ the state, x = (q, v, a, λ) and the rows of a block ([`gradyn_dynamics::block`]),
//!
//! ```text
//! rows(t, x, ŷ; p) = 0,   ŷ' = (v, a),   ψ = w(t_F, x_F; p) + ∫ g(t, x; p) dt                           (1)
//! rows_x δx = P δŷ - rows_p δp,   δŷ' = (δv, δa)                                       tangent           (2)
//! rows_xᵀ b = (0, μ, 0) + g_xᵀ,   μ' = -Pᵀ b,   ∇ψ = … + ∫ (g_p - rows_pᵀ b) dt        adjoint           (3)
//! ```
//! P picks what the state holds. (2) are [M13, Eqs. 37–39; A22, Eqs. 8, 9], (3) are [M13, Eqs. 64–66; P14,
//! Eqs. 29–31] with the matrices of the mixed form in place of M̄⁻¹: eliminating λ and a in (3) gives f_yᵀ
//! and λ*_y. What they need of the run between its nodes comes from shorter steps of the same scheme. They
//! agree with the derivative of the steps up to the error of the scheme.

mod adjoint;
mod backward;
mod consistent;
mod direct;
mod form;
mod implicit;
mod instant;

pub use adjoint::adjoint;
pub use direct::direct;
pub use form::Form;

use crate::objective::Case;
use gradyn_dynamics::{Chain, Span, StepError};

/// The run at any time.
struct States {
    chain: Chain,
    x: Vec<f64>,
}

impl States {
    fn new(case: &Case, p: &[f64]) -> Result<Self, StepError> {
        Ok(Self { chain: case.recipe.chain(p)?, x: vec![0.0; case.run.layout.len] })
    }
    /// (q, v, a, λ) θ of the way through the step that ends in record `n`.
    fn at<'s>(&'s mut self, case: &'s Case, p: &[f64], n: usize, theta: f64) -> Result<&'s [f64], StepError> {
        let run = case.run;
        let z = case.run.layout.z();
        if theta == 0.0 || theta == 1.0 {
            return Ok(&run.present(n - usize::from(theta == 0.0))[..z]);
        }
        let Span { t, h } = run.plan.span(n, p);
        let span = Span { t, h: theta * h };
        self.chain.advance(span, run.plan.frozen(n), run.present(n - 1), &mut self.x)?;
        Ok(&self.x[..z])
    }
}
