//! The saddle-point matrix [M Φ_qᵀ; Φ_q -c] of a system, and the names of its equations.

use crate::error::StepError;
use crate::formulation::Compliance;
use gradyn_model::{Articulated, Evaluator, Setup};
use gradyn_num::Kkt;

/// Factors of [M Φ_qᵀ; Φ_q -c]; clones share the pattern.
#[derive(Clone)]
pub enum MotionMatrix {
    /// Those of the matrix.
    Matrix(Box<Kkt>),
    /// Those of articulated bodies, for long trees.
    Tree(Box<Articulated>),
}

impl MotionMatrix {
    /// b = (f, g) ← (a, λ), length n + m; the matrix is symmetric.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        match self {
            Self::Matrix(kkt) => kkt.solve(b),
            Self::Tree(factors) => factors.solve(b),
        }
    }
    /// Number of factorisations of a matrix.
    pub fn factorizations(&self) -> usize {
        match self {
            Self::Matrix(kkt) => kkt.factorizations(),
            Self::Tree(_) => 0,
        }
    }
}

/// [M Φ_qᵀ; Φ_q -c] with the M of an evaluator; clones share the pattern.
pub fn prepare_kkt(sys: &Setup, terms: &Evaluator<f64>) -> Result<MotionMatrix, StepError> {
    if let Some(factors) = sys.articulated() {
        return Ok(MotionMatrix::Tree(Box::new(factors)));
    }
    let patterns = sys.patterns();
    let mut kkt = Kkt::sparser(&patterns.nn, &patterns.mn, &patterns.mass)?;
    kkt.release(sys.dropped());
    match sys.constant_mass() {
        true => kkt.prepare(terms.mass())?,
        false => kkt.vary(),
    }
    Ok(MotionMatrix::Matrix(Box::new(kkt)))
}

/// Factors [M Φ_qᵀ; Φ_q -c] with Φ_q at hand; a singular matrix is an error that names its row.
pub fn refactor_kkt(
    sys: &Setup,
    t: f64,
    terms: &Evaluator<f64>,
    c: Compliance,
    factors: &mut MotionMatrix,
) -> Result<(), StepError> {
    let singular =
        |s: gradyn_num::Singular| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) };
    match factors {
        MotionMatrix::Tree(factors) => terms.factor_articulated(factors, c.rows(sys)).map_err(singular),
        MotionMatrix::Matrix(kkt) => {
            if !sys.constant_mass() {
                kkt.set(terms.mass());
            }
            kkt.refactor(terms.phi_q(), c.rows(sys)).map_err(singular)
        }
    }
}

/// Name of row `index` of a KKT system: constraints first, as [`Kkt`] reports them.
pub(crate) fn row_or_coordinate(sys: &Setup, index: usize) -> String {
    let m = sys.dims().m;
    if index < m { sys.row_name(index) } else { sys.coordinate_name(index - m) }
}
