//! Which row of a dependency is left out.
//!
//! ```text
//! a_r = Σ γ_j a_j,   w_j = |γ_j| |a_j|,   w_r = |a_r|                                               (1)
//! ```
//! If row j is left out instead of row r, the volume of the kept rows, each of length 1, changes by the
//! factor w_j/w_r. A row with a small w is nearly independent of the others and must stay: where its share
//! passes zero, the kept rows would be dependent.

use super::{Dependencies, Dependent, lengths};
use crate::Pattern;

/// Ratio w_j/w_r above which rows are exchanged.
const EXCHANGE_AT_RATIO: f64 = 4.0;

impl Dependencies {
    /// Exchanges rows until no row left out is much more independent of the others than one of its
    /// dependency, (1).
    pub fn exchange(&mut self, pattern: &Pattern, values: &[f64]) {
        let size = lengths(pattern, values);
        // each exchange multiplies the volume by more than EXCHANGE_AT_RATIO
        while let Some((k, row)) = (0..self.dependent.len()).find_map(|k| Some((k, self.better(k, &size)?))) {
            self.swap(k, row);
        }
        self.kept.sort_unstable();
        self.dependent.sort_by_key(|d| d.row);
    }
    /// The last row of dependency `k` with a large share, if its own is small.
    fn better(&self, k: usize, size: &[f64]) -> Option<usize> {
        let d = &self.dependent[k];
        let share = |o: &(usize, f64)| o.1.abs() * size[o.0];
        let largest = d.on.iter().map(share).fold(0.0, f64::max);
        let good = d.on.iter().filter(|o| share(o) > 0.5 * largest).map(|o| o.0).max();
        good.filter(|_| size[d.row] > 0.0 && largest > EXCHANGE_AT_RATIO * size[d.row])
    }
    /// Leaves out `row` in place of the row of dependency `k`.
    fn swap(&mut self, k: usize, row: usize) {
        let new = solved(&self.dependent[k], row);
        self.kept.iter_mut().filter(|i| **i == row).for_each(|i| *i = self.dependent[k].row);
        self.dependent[k] = new.clone();
        for d in &mut self.dependent {
            let Some(at) = d.on.iter().position(|o| o.0 == row) else { continue };
            let (_, c) = d.on.remove(at);
            for &(j, g) in &new.on {
                match d.on.iter_mut().find(|o| o.0 == j) {
                    Some(o) => o.1 += c * g,
                    None => d.on.push((j, c * g)),
                }
            }
        }
    }
}

/// A dependency solved for another of its rows.
fn solved(d: &Dependent, row: usize) -> Dependent {
    let c = d.on.iter().find(|o| o.0 == row).map_or(1.0, |o| o.1);
    let others = d.on.iter().filter(|o| o.0 != row).map(|&(j, g)| (j, -g / c));
    Dependent { row, on: others.chain([(d.row, 1.0 / c)]).collect() }
}
