//! On which branch a design is assembled.
//!
//! Loops close in several ways. From one to another the assembly passes a position in which its equations are
//! dependent, so that
//!
//! ```text
//! sign det [Φ_q; E_q]   of the independent rows Φ and of the conditions E at the start                (1)
//! ```
//! is the same for all designs of a branch. Two loops that both close in the other way are not noticed.
//! Nothing is said in equilibrium, in models of more than 400 coordinates, where conditions and rows are not
//! n, and where another choice of rows is independent.

use super::singular::{DETERMINANT, sign};
use crate::prepare::Prepared;
use gradyn_model::{At, Kinematics};

/// (1), nothing where it is not known.
fn orientation(model: &Prepared) -> Option<f64> {
    let sys = &model.model.system;
    let q = &model.assembled.q;
    let dims = sys.dims();
    let rows = &model.assembled.independent[0];
    let conditions = model.model.conditions.0.len();
    if sys.statics().is_some() || sys.is_long() || dims.n > DETERMINANT || rows.len() + conditions != dims.n {
        return None;
    }
    let p = model.model.slots(&model.rho);
    let mut terms = sys.evaluator(&p);
    let zero = vec![0.0; dims.n.max(dims.m)];
    let t = p[model.model.times.start as usize];
    terms.set_branches(&model.model.angles);
    terms.at(t, q);

    // Φ_q
    let mn = &sys.patterns().mn;
    let mut a = vec![vec![0.0; dims.n]; dims.n];
    for (row, &k) in a.iter_mut().zip(rows) {
        mn.row(k as usize).for_each(|p| row[mn.col(p)] = terms.phi_q()[p]);
    }

    // E_q
    let at = At { t, q, v: &zero[..dims.n], a: &zero[..dims.n], lam: &zero[..dims.m] };
    for k in 0..conditions {
        let columns = sys.condition_pattern(Kinematics::Position, k);
        let support = sys.condition_support(Kinematics::Position, k).len();
        let mut e_q = vec![0.0; columns.len()];
        let mut e_v = vec![0.0; columns.len()];
        let mut e_p = vec![0.0; support];
        terms.condition_row(Kinematics::Position, k, &at, &mut e_q, &mut e_v, &mut e_p);
        columns.iter().zip(e_q).for_each(|(&j, x)| a[rows.len() + k][j as usize] = x);
    }
    Some(sign(a))
}

/// Is it known that the two are on different branches?
pub(crate) fn on_another_branch(model: &Prepared, other: &Prepared) -> bool {
    let same_rows = model.assembled.independent[0] == other.assembled.independent[0];
    same_rows && orientation(model).zip(orientation(other)).is_some_and(|(a, b)| a * b < 0.0)
}
