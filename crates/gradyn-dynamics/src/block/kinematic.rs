//! The kinematic matrix [Φ_q; B] and the choice of independent coordinates.
//!
//! ```text
//! [ Φ_q ; B ] = [ S  R ]⁻¹,   B picks coordinates                                      (1)  [M13, Eqs. 9–11]
//! ```
//! Only independent rows of Φ_q take part. The coordinates are chosen by elimination with complete pivoting:
//! those that are left without a pivot are independent.

use crate::error::StepError;
use gradyn_model::{Kinematics, Setup};
use gradyn_num::{Factor, Pattern, unpivoted_columns};

/// (1) for a choice.
#[derive(Clone)]
pub struct Kinematic {
    choice: Vec<u32>,
    /// Where the values of Φ_q are in m × n, and where they land.
    from: Vec<u32>,
    to: Vec<u32>,
    values: Vec<f64>,
    factor: Factor,
}

impl Kinematic {
    /// Memory and pattern.
    pub fn new(sys: &Setup, kinematics: Kinematics, choice: &[u32]) -> Result<Self, StepError> {
        let n = sys.dims().n;
        let mn = &sys.patterns().mn;
        let rows = sys.independent(kinematics);
        let held =
            || rows.iter().enumerate().flat_map(|(i, &k)| mn.row(k as usize).map(move |p| (i, mn.col(p), p)));
        let picked = || choice.iter().enumerate().map(|(k, &i)| (rows.len() + k, i as usize));
        let pattern = Pattern::from_entries(n, n, held().map(|(i, j, _)| (i, j)).chain(picked()));
        let mut values = vec![0.0; pattern.nnz()];
        picked().for_each(|(i, j)| values[pattern.at(i, j) as usize] = 1.0);
        Ok(Self {
            choice: choice.to_vec(),
            from: held().map(|(_, _, p)| p as u32).collect(),
            to: held().map(|(i, j, _)| pattern.at(i, j)).collect(),
            values,
            factor: Factor::new(&pattern)?,
        })
    }
    /// Factors (1) with Φ_q; a singular matrix names the coordinate that the rows and the choice leave open.
    pub fn refactor(&mut self, sys: &Setup, t: f64, phi_q: &[f64]) -> Result<(), StepError> {
        for (&p, &k) in self.from.iter().zip(&self.to) {
            self.values[k as usize] = phi_q[p as usize];
        }
        let singular =
            |s: gradyn_num::Singular| StepError::Singular { t, equation: sys.coordinate_name(s.index) };
        self.factor.refactor(&self.values).map_err(singular)
    }
    /// The factorisation of (1).
    pub(crate) fn factor(&mut self) -> &mut Factor {
        &mut self.factor
    }
    /// b ← [Φ_q; B]⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factor.solve(b);
    }
    /// b ← [Φ_q; B]⁻ᵀ b.
    pub(crate) fn solve_t(&mut self, b: &mut [f64]) {
        self.factor.solve_t(b);
    }
    /// Independent coordinates.
    pub fn choice(&self) -> &[u32] {
        &self.choice
    }
    /// The rows of B.
    pub(crate) fn held<'a>(&self, rows: &'a mut [f64]) -> impl Iterator<Item = &'a mut f64> + use<'a> {
        let first = rows.len() - self.choice.len();
        rows[first..].iter_mut()
    }
    /// rows += the independent ones of all constraint rows.
    pub(crate) fn gather(&self, sys: &Setup, kinematics: Kinematics, all: &[f64], rows: &mut [f64]) {
        rows.iter_mut().zip(sys.independent(kinematics)).for_each(|(r, &k)| *r += all[k as usize]);
    }
    /// all += the independent rows.
    pub(crate) fn scatter(&self, sys: &Setup, kinematics: Kinematics, rows: &[f64], all: &mut [f64]) {
        rows.iter().zip(sys.independent(kinematics)).for_each(|(r, &k)| all[k as usize] += r);
    }
}

/// Independent coordinates for the rows of a level, with Φ_q at hand.
pub fn choose(sys: &Setup, kinematics: Kinematics, phi_q: &[f64]) -> Vec<u32> {
    unpivoted_columns(&sys.patterns().mn, phi_q, sys.independent(kinematics))
}
