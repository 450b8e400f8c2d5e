//! Conditions of rest beside rows of velocity level.
//!
//! At rest the rate of every position condition is zero. Rows c = A v = 0 say a part of that already, so that
//!
//! ```text
//! [ A ; E_v ] v = 0  (1)
//! ```
//! where n rows determine v = 0: all of A, and conditions in the order of largest remainder. Which ones are
//! taken does not matter, because all of them hold. In an equilibrium the conditions say less than that, and
//! the rates of the coordinates are taken instead.

use crate::evaluator::Evaluator;
use crate::mechanics::Mechanics;
use crate::start::Start;
use crate::system::{At, Kinematics};
use std::sync::Arc;

/// The conditions of velocity that (1) keeps, and their names.
pub(super) fn keep_open<T>(sys: &mut Mechanics, names: &mut Vec<T>, p: &[f64], t: f64, angles: &[f64]) {
    let open = open_conditions(sys, p, t, angles);
    let mut j = 0..names.len();
    sys.start = Arc::new(sys.start.keeping(&open));
    names.retain(|_| j.next().is_some_and(|k| open.contains(&k)));
}

impl Mechanics {
    /// The start of an equilibrium at rest: (1) from the rates of the coordinates, at the guess. Any other
    /// start stays as it is.
    #[doc(hidden)]
    pub fn start_at_rest(&self, p: &[f64], t: f64, angles: &[f64]) -> Start {
        let rates = self.elements().map_or(0..0, |e| e.rest_conditions());
        if rates.is_empty() {
            return (*self.start).clone();
        }
        let start = Arc::new(self.start.with_velocity_conditions(rates.collect()));
        let all = Self { start, ..self.clone() };
        all.start.keeping(&open_conditions(&all, p, t, angles))
    }
}

/// Conditions that (1) keeps at the guess, in order.
fn open_conditions(sys: &Mechanics, p: &[f64], t: f64, angles: &[f64]) -> Vec<usize> {
    let n = sys.dims().n;
    let m = sys.dims().m;
    let count = sys.start.velocity_conditions.len();
    let mut terms = sys.evaluator(p);
    let zero = vec![0.0; n.max(m)];
    terms.set_branches(angles);
    terms.at(t, sys.guess());
    let at = At { t, q: sys.guess(), v: &zero[..n], a: &zero[..n], lam: &zero[..m] };
    // conditions, then A
    let mut rows: Vec<Vec<f64>> = (0..count).map(|k| condition(sys, k, &at, &mut terms)).collect();
    rows.extend((0..m).map(|k| {
        let mut row = vec![0.0; n];
        let mn = &sys.patterns().mn;
        mn.row(k).for_each(|pos| row[mn.col(pos)] = terms.phi_q()[pos]);
        row
    }));
    let independent = (count..count + m).filter(|&k| remove(k, &mut rows)).count();
    let mut left: Vec<usize> = (0..count).collect();
    let mut chosen: Vec<usize> = vec![];
    while chosen.len() < n - independent && !left.is_empty() {
        let largest = (0..left.len())
            .max_by(|&a, &b| norm(&rows[left[a]]).total_cmp(&norm(&rows[left[b]])))
            .unwrap_or(0);
        chosen.push(left.remove(largest));
        remove(chosen[chosen.len() - 1], &mut rows);
    }
    chosen.sort_unstable();
    chosen
}

/// E_v of a condition, of length 1.
fn condition(sys: &Mechanics, k: usize, at: &At, terms: &mut Evaluator<f64>) -> Vec<f64> {
    let coords = sys.condition_pattern(Kinematics::Velocity, k);
    let mut q = vec![0.0; coords.len()];
    let mut v = vec![0.0; coords.len()];
    let mut slots = vec![0.0; sys.condition_support(Kinematics::Velocity, k).len()];
    terms.condition_row(Kinematics::Velocity, k, at, &mut q, &mut v, &mut slots);
    let mut row = vec![0.0; sys.dims().n];
    if sys.is_long() {
        let mut mu = vec![0.0; k + 1];
        mu[k] = 1.0;
        let mut q = row.clone();
        let mut grad = vec![0.0; sys.dims().args];
        terms.conditions_t(Kinematics::Velocity, at, &mu, 1.0, [&mut q, &mut row, &mut grad]);
        let size = norm(&row);
        row.iter_mut().for_each(|x| *x = if size > 0.0 { *x / size } else { 0.0 });
        return row;
    }
    let size = norm(&v);
    coords.iter().zip(&v).for_each(|(&i, v)| row[i as usize] = if size > 0.0 { v / size } else { 0.0 });
    row
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Takes the direction of row `k` out of all other rows, if it has one of its own.
fn remove(k: usize, rows: &mut [Vec<f64>]) -> bool {
    let row = std::mem::take(&mut rows[k]);
    let size = norm(&row);
    // 1e-9: a row that follows from others leaves roundings
    if size <= 1e-9 {
        return false;
    }
    for x in rows.iter_mut().filter(|x| !x.is_empty()) {
        let along: f64 = x.iter().zip(&row).map(|(x, r)| x * r).sum::<f64>() / (size * size);
        x.iter_mut().zip(&row).for_each(|(x, r)| *x -= along * r);
    }
    true
}
