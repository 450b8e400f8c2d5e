//! The saddle-point matrix [M Φ_qᵀ; Φ_q -c] of a system, and the names of its equations.

use crate::error::StepError;
use crate::formulation::Compliance;
use gradyn_model::{Evaluator, Setup};
use gradyn_num::Kkt;

/// [M Φ_qᵀ; Φ_q -c] with the M of an evaluator; clones share the pattern.
pub fn prepare_kkt(sys: &Setup, terms: &Evaluator<f64>) -> Result<Kkt, StepError> {
    let patterns = sys.patterns();
    let mut kkt = Kkt::sparser(&patterns.nn, &patterns.mn, &patterns.mass)?;
    kkt.release(sys.dropped());
    match sys.constant_mass() {
        true => kkt.prepare(terms.mass())?,
        false => kkt.vary(),
    }
    Ok(kkt)
}

/// Factors [M Φ_qᵀ; Φ_q -c] with Φ_q at hand; a singular matrix is an error that names its row.
pub fn refactor_kkt(
    sys: &Setup,
    t: f64,
    terms: &Evaluator<f64>,
    c: Compliance,
    kkt: &mut Kkt,
) -> Result<(), StepError> {
    let singular =
        |s: gradyn_num::Singular| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) };
    if !sys.constant_mass() {
        kkt.set(terms.mass());
    }
    kkt.refactor(terms.phi_q(), c.rows(sys)).map_err(singular)
}

/// Name of row `index` of a KKT system: constraints first, as [`Kkt`] reports them.
pub(crate) fn row_or_coordinate(sys: &Setup, index: usize) -> String {
    let m = sys.dims().m;
    if index < m { sys.row_name(index) } else { sys.coordinate_name(index - m) }
}
