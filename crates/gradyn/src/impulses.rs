//! Impulses of the events of a run.
//!
//! ```text
//! M (v⁺ - v⁻) = -Φ_qᵀ Λ - Σ_j w_jᵥᵀ ν_j                                                                (1)
//! ```
//! Λ and ν have the sign of multipliers: the motion feels -Λ along the gradient of a row, and -ν_j along that
//! of a velocity which the event gives. Along a gap of unit gradient it is in N s, and -ν opens the gap.

use crate::prepared::Run;

/// Impulses of one event, (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Impulses {
    /// Name of the event.
    pub event: String,
    /// Its time [s].
    pub t: f64,
    /// Names of the constraint rows that carry some, and their Λ.
    pub rows: Vec<(String, f64)>,
    /// ν of the velocities that the event gives, in the order of the file; that of an impact comes first.
    pub given: Vec<f64>,
}

impl Run {
    /// Impulses of the event whose velocities record `n` has; `None` of other records.
    ///
    /// An event that gives positions has none: its motion is given and not pushed.
    pub fn impulses(&self, n: usize) -> Option<Impulses> {
        let plan = &self.trajectory.plan;
        let event = Some(n).filter(|n| *n <= plan.steps()).and_then(|n| plan.given_by[n])? as usize;
        let rule = &self.system.events()[event];
        let (lam, nu) = self.trajectory.impulses(n)?;
        if rule.is_place() {
            return None;
        }
        let carries = lam.iter().enumerate().filter(|x| *x.1 != 0.0);
        let rows = carries.map(|(k, x)| (self.system.row_name(k), *x)).collect();
        let given = nu[..rule.rows.1 as usize].to_vec();
        Some(Impulses { event: rule.name.clone(), t: plan.t[n], rows, given })
    }
}
