//! How the accelerations and multipliers of record 0 are solved for.
//!
//! ```text
//! [ M Φ_qᵀ ; Φ_q -c ] (a, λ) = (f, g)                                                (1)  by this matrix
//! c = 0:  a = R z̈ + S g,  λ = Sᵀ (f - M a),   [ S R ] = [ Φ_q ; B ]⁻¹                 (2)  [M13, Eqs. 9–20]
//! ```
//! (2) solves (1), whatever coordinates B picks: the choice is not part of the plan. Rows that follow from
//! others are dropped before, so that [Φ_q; B] is square.

use crate::block::{Kinematic, NullSpace, choose};
use crate::error::StepError;
use crate::formulation::Compliance;
use crate::kkt::{MotionMatrix, refactor_kkt};
use crate::step::memory::Visit;
use gradyn_model::{Evaluator, Kinematics, Setup};

/// How accelerations and multipliers are solved for.
pub(crate) enum Solver {
    /// By the saddle-point matrix (1).
    Saddle(Box<MotionMatrix>),
    /// (2); [Φ_q; B] once coordinates are chosen.
    MatrixR(Box<(Option<Kinematic>, NullSpace)>),
}

impl Solver {
    /// By Maggi's matrices (2).
    pub(crate) fn matrix_r(sys: &Setup) -> Self {
        Self::MatrixR(Box::new((None, NullSpace::new(sys))))
    }
    /// Factors where `terms` are.
    pub(crate) fn refactor(
        &mut self,
        sys: &Setup,
        t: f64,
        terms: &Evaluator<f64>,
        c: Compliance,
    ) -> Result<(), StepError> {
        match self {
            Self::Saddle(kkt) => refactor_kkt(sys, t, terms, c, kkt),
            Self::MatrixR(r) => {
                assert!(c == Compliance::NONE, "R belongs to constraints that do not give way");
                let (kinematic, null_space) = &mut **r;
                let kinematic = kinematic.insert(Kinematic::new(
                    sys,
                    Kinematics::Velocity,
                    &choose(sys, Kinematics::Velocity, terms.phi_q()),
                )?);
                kinematic.refactor(sys, t, terms.phi_q())?;
                null_space.refactor(sys, t, terms, kinematic)
            }
        }
    }
    /// Visits the factorisations; [Φ_q; B] is made anew by every `refactor`.
    pub(crate) fn visit(&mut self, sys: &Setup, visit: &mut Visit) -> Result<(), StepError> {
        match self {
            Self::Saddle(kkt) => {
                visit.motion(kkt);
                Ok(())
            }
            Self::MatrixR(r) => r.1.visit(sys, visit),
        }
    }
    /// b = (f, g) ← (a, λ); the matrix is symmetric.
    pub(crate) fn solve(&mut self, sys: &Setup, terms: &Evaluator<f64>, b: &mut [f64]) {
        match self {
            Self::Saddle(kkt) => kkt.solve(b),
            Self::MatrixR(r) => {
                let (kinematic, null_space) = &mut **r;
                null_space.solve(sys, terms.mass(), kinematic.as_mut().expect("factored before"), b);
            }
        }
    }
}
