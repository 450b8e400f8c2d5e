//! Which columns form a panel, and where its values are.

use super::{Above, Column, MOST_COLUMNS, Panel, Panels};
use crate::sparse::lu::Lu;

impl Panels {
    /// Takes the patterns of a factor.
    pub(crate) fn set(&mut self, lu: &Lu) {
        // nothing is left of the last patterns
        let n = self.x.len();
        self.panels.clear();
        self.rows.clear();
        self.r.clear();
        self.columns.clear();
        self.above.clear();
        self.u.clear();
        self.x.fill(0.0);

        // panels from the left, each as wide as it can be
        let mut first = 0;
        while first < n {
            // rows below it, and room for R
            let width = width(lu, first);
            let below = lu.below(first + width - 1);
            let start = self.rows.len();
            self.rows.extend_from_slice(below);
            let rows = [start, self.rows.len()].map(|p| p as u32);
            let r = self.r.len() as u32;
            self.r.resize(self.r.len() + width * below.len(), 0.0);

            // its columns of U
            for k in first..first + width {
                self.push_column(lu, k);
            }
            let d = [[0.0; MOST_COLUMNS]; MOST_COLUMNS];
            self.panels.push(Panel { first: first as u32, width: width as u32, rows, r, d });
            first += width;
        }
    }
    /// Column k of U, of the panel that comes next.
    fn push_column(&mut self, lu: &Lu, k: usize) {
        let start = self.above.len();
        let u = self.u.len();
        let own = self.panels.len() as u32;

        // the panels above it
        let mut end = 0;
        for &j in lu.above(k) {
            // rows of the own panel, and of the panel before, come next to each other
            let Some(&Column { panel, .. }) =
                self.columns.get(j as usize).filter(|c| j >= end && c.panel != own)
            else {
                continue;
            };
            let Panel { first, width, .. } = self.panels[panel as usize];
            self.above.push(Above { panel, first, width });
            self.u.resize(self.u.len() + width as usize, 0.0);
            end = first + width;
        }

        // where they are
        self.columns.push(Column {
            panel: own,
            above: [start, self.above.len()].map(|p| p as u32),
            u: u as u32,
        });
    }
}

/// Number of columns of the panel that begins at `first`.
fn width(lu: &Lu, first: usize) -> usize {
    let mut width = 1;
    let mut entries = lu.below(first).len();
    while width < MOST_COLUMNS && first + width < lu.size() {
        let last = first + width;
        let before = lu.below(last - 1);
        let below = lu.below(last);
        let all = width * (width + 1) / 2 + (width + 1) * below.len();
        entries += below.len();
        let fits =
            before.first() == Some(&(last as u32)) && 2 * entries >= all && contains(below, &before[1..]);
        if !fits {
            break;
        }
        width += 1;
    }
    width
}

/// Is every one of `some` in `all`? Both increase.
fn contains(all: &[u32], some: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|i| all.any(|j| i == j))
}
