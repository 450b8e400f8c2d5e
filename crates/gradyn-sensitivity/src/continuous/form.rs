//! What an adjoint integrates.
//!
//! ```text
//! explicit      (μ_q, μ_v)                                                    (1) [M13, Eq. 64; P14, Eq. 29]
//! semi-explicit (μ_q, χ),   F_u χ = (μ_v, 0),   F_u χ' = (μ_v', 0) - Ḟ_u χ      (2) [M13, Eqs. 71–75]
//! state space   (μ_z, ν),   M̄ ν = μ_ż,   M̄ ν' = μ_ż' - M̄' ν,   M̄ = RᵀMR     (3) [B92, Eqs. 43–48]
//! index 3       (μ_q, μ_v) with b_u = (ν, κ):   M ν = μ_v + g_a,   Φ_q ν = g_λ  (4) [P14, Table 1, row 5]
//! ```
//! F_u = [M Φ_qᵀ; Φ_q -1/α] stands for M̄ in (2): χ = (ν, κ), and eliminating κ leaves M̄ν' of the penalty
//! formulation. For Maggi's equations χ = (Rν, -SᵀMRν), so that (3) is the row B of (2): M̄'ν = Rᵀ(Ṁ -
//! Φ̇_qᵀSᵀM - MSΦ̇_q)Rν needs no derivative of R. (4) is an index-3 system: μ_v and μ_q obey hidden
//! constraints, which its terminal values must satisfy.

use super::instant::Instant;
use gradyn_dynamics::step::Equations;
use gradyn_dynamics::{Lagrange, tableau};
use gradyn_model::Setup;

/// What an adjoint integrates, (1)–(4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The multipliers μ themselves, (1).
    Explicit,
    /// Coordinates and (ν, κ), (2).
    SemiExplicit,
    /// (3), in independent coordinates.
    StateSpace,
    /// (4) where the run has its constraints at the level of positions, else (1), whose b_u are its algebraic
    /// unknowns.
    Dae,
}

impl Form {
    /// Numbers of a state.
    pub(super) fn size(self, sys: &Setup) -> usize {
        let n = sys.dims().n;
        let m = sys.dims().m;
        if self == Form::SemiExplicit { 2 * n + m } else { 2 * n }
    }
    /// Does it need Ḟ_u?
    pub(super) fn moves(self) -> bool {
        matches!(self, Form::SemiExplicit | Form::StateSpace)
    }
    /// The equations at the stages. (4) needs a scheme that takes such constraints.
    pub(super) fn equations(self, eq: Equations) -> Equations {
        if self != Form::Dae || !eq.positions {
            return eq;
        }
        let scheme = if eq.scheme.order > 3 { &tableau::RADAU5 } else { &tableau::RADAU3 };
        Equations { law: Lagrange { level: Lagrange::INDEX3.level, ..eq.law }, scheme, ..eq }
    }
    /// The state y that belongs to μ.
    pub(super) fn raise(self, sys: &Setup, at: &mut Instant, mu: &[f64], u: &mut [f64], y: &mut [f64]) {
        let n = sys.dims().n;
        y[..n].copy_from_slice(&mu[..n]);
        match self {
            Form::Explicit | Form::Dae => y.copy_from_slice(mu),
            Form::SemiExplicit | Form::StateSpace => {
                let u = &mut u[..n + sys.dims().m];
                u.fill(0.0);
                u[..n].copy_from_slice(&mu[n..]);
                at.block.solve_u(sys, u);
                self.keep(at, u, &mut y[n..]);
            }
        }
    }
    /// The multipliers μ that belong to y.
    pub(super) fn lower(self, sys: &Setup, at: &mut Instant, y: &[f64], mu: &mut [f64]) {
        let n = sys.dims().n;
        mu[..n].copy_from_slice(&y[..n]);
        match self {
            Form::Explicit | Form::Dae => mu.copy_from_slice(y),
            Form::SemiExplicit => {
                mu[n..].fill(0.0);
                at.block.linear.terms.balance(&y[n..2 * n], &y[2 * n..], &mut mu[n..]);
            }
            Form::StateSpace => at.block.reduced_mass(&y[n..], &mut mu[n..]),
        }
    }
    /// -y' of -μ' in `slope`, with μ of y at hand.
    pub(super) fn rate(
        self,
        sys: &Setup,
        at: &mut Instant,
        (y, mu): (&[f64], &[f64]),
        slope: &[f64],
        u: &mut [f64],
        out: &mut [f64],
    ) {
        let n = sys.dims().n;
        // forms without moving terms: out = slope
        let Some(moving) = at.moving.as_ref().filter(|_| self.moves()) else {
            return out.copy_from_slice(slope);
        };
        // χ = (ν, κ), given or by F_u χ = (μ_v, 0)
        out[..n].copy_from_slice(&slope[..n]);
        let (χ, u) = u.split_at_mut(u.len() / 2);
        χ.fill(0.0);
        if self == Form::SemiExplicit {
            χ.copy_from_slice(&y[n..]);
        } else {
            χ[..n].copy_from_slice(&mu[n..]);
            at.block.solve_u(sys, χ);
        }
        // F_u χ' = (μ_v', 0) - Ḟ_u χ (2)
        u.fill(0.0);
        u[..n].copy_from_slice(&slope[n..]);
        moving.mul(sys, χ, u);
        at.block.solve_u(sys, u);
        self.keep(at, u, &mut out[n..]);
    }
    /// What of (ν, κ) a state holds.
    fn keep(self, at: &Instant, u: &[f64], out: &mut [f64]) {
        match self {
            Form::SemiExplicit => out.copy_from_slice(u),
            _ => at.block.picked(1, u, out),
        }
    }
}
