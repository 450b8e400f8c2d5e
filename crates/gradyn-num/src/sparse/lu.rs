//! P Â Q = L U by columns: pivots and patterns [Gilbert, Peierls 1988].
//!
//! Column k of Â Q, with the rows in the order of the pivots, is
//!
//! ```text
//! x = L⁻¹ â_k:   for j in the pattern of u_k, increasing:   u_jk = x_j,   x_i -= l_ij u_jk  (i > j)   (1)
//! d_k = x_k,   l_ik = x_i / d_k  (i > k)                                                              (2)
//! ```
//! [`Lu::pivot`] runs (1) on rows that have no pivot yet: the pattern of x is what the graph of L reaches
//! from â_k. The pivot is the row that the order of elimination proposes if it is at least τ max |x_i|, else
//! the shortest row of that size. Before the border, a long row counts with β |x_i|: as a pivot it would make
//! every row below it as long, but the sums that gather in it make it the largest sooner or later. P and the
//! patterns of L and U hold for any values: [`Panels`](super::panels::Panels) computes them.

use super::columns::Columns;
use super::triangle::Triangle;

/// Not yet a pivot.
const NONE: u32 = u32::MAX;

/// The row that the order proposes is the pivot if it is at least this part of the largest candidate, τ.
pub(crate) const THRESHOLD: f64 = 0.1;

/// The factors P, L and U, and memory to find them.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    l: Triangle,
    u: Triangle,
    diagonal: Vec<f64>,
    /// P: row of pivot k.
    row_of: Vec<u32>,
    /// Pᵀ: pivot of row i.
    pivot_of: Vec<u32>,
    /// Rows of Â in the order of the pivots.
    places: Vec<u32>,
    x: Vec<f64>,
    /// Column that last met a row or an earlier column.
    met: Vec<u32>,
    /// Depth-first stack: columns, and the next of their rows.
    stack: Vec<(u32, u32)>,
    /// Columns met, in the order in which they were finished.
    reach: Vec<u32>,
}

impl Lu {
    /// Memory for so many rows and for `capacity` entries of L and U; more is allocated where pivots need it.
    pub(crate) fn new(rows: usize, columns: &Columns, capacity: [usize; 2]) -> Self {
        let n = columns.order.columns.len();
        Self {
            l: Triangle::new(n, capacity[0]),
            u: Triangle::new(n, capacity[1]),
            diagonal: vec![0.0; n],
            row_of: vec![NONE; n],
            pivot_of: vec![NONE; rows],
            places: vec![0; columns.rows.len()],
            x: vec![0.0; rows],
            met: vec![NONE; rows],
            stack: vec![(0, 0); n],
            reach: vec![0; n],
        }
    }
    /// Numbers of entries of L and of U.
    pub(crate) fn entries(&self) -> [usize; 2] {
        [self.l.entries(), self.u.entries()]
    }
    /// Multiplications of (1).
    pub(crate) fn work(&self) -> usize {
        self.u.rows[..self.u.entries()].iter().map(|&j| self.l.range(j as usize).len()).sum()
    }
    /// Entries of L and U for which there is memory.
    pub(crate) fn reserved(&self) -> usize {
        self.l.rows.len() + self.u.rows.len()
    }

    /// Chooses P and the patterns of L and U of a square matrix with values `a`. The error is the first place
    /// k without a pivot above `least` times the terms of its column.
    pub(crate) fn pivot(&mut self, columns: &Columns, a: &[f64], least: f64) -> Result<(), usize> {
        self.start();
        for k in 0..self.diagonal.len() {
            if !self.pivot_column(columns, a, k, least) {
                return Err(k);
            }
        }
        self.renumber(columns);
        Ok(())
    }
    /// Forgets all pivots.
    pub(crate) fn start(&mut self) {
        self.pivot_of.fill(NONE);
        self.met.fill(NONE);
        self.x.fill(0.0);
    }
    /// Column k by (1) and (2), after those before it. Without a pivot above `least` times its terms, l_k is
    /// empty, and it is the combination of the earlier columns that [`combination`](Self::combination) gives.
    pub(crate) fn pivot_column(&mut self, columns: &Columns, a: &[f64], k: usize, least: f64) -> bool {
        self.l.ptr[k + 1] = self.l.ptr[k];
        self.u.ptr[k + 1] = self.u.ptr[k];
        self.reach_column(columns, k);
        let range = columns.ptr[k] as usize..columns.ptr[k + 1] as usize;
        let mut size = 0.0f64;
        for (&i, &at) in columns.rows[range.clone()].iter().zip(&columns.at[range]) {
            self.x[i as usize] = a[at as usize];
            size = size.max(a[at as usize].abs());
        }
        self.eliminate(k, &mut size);
        self.choose(k, columns, least * size)
    }
    /// γ with â_k = Σ_j γ_j â_j, for a column without a pivot, right after `pivot_column`: U γ = u_k.
    pub(crate) fn combination(&mut self, k: usize) -> Vec<(usize, f64)> {
        let mut gamma = vec![];
        // x by columns: scratch that is zero between calls
        let places: Vec<u32> = self.u.rows[self.u.range(k)].to_vec();
        let mut x: std::collections::BTreeMap<u32, f64> =
            places.into_iter().zip(self.u.values[self.u.range(k)].to_vec()).collect();
        while let Some((j, u)) = x.pop_last() {
            let g = u / self.diagonal[j as usize];
            gamma.push((j as usize, g));
            for p in self.u.range(j as usize) {
                *x.entry(self.u.rows[p]).or_insert(0.0) -= self.u.values[p] * g;
            }
        }
        gamma
    }
    /// Size |d_k| of a pivot.
    pub(crate) fn pivot_size(&self, k: usize) -> f64 {
        self.diagonal[k].abs()
    }
    /// Rows that are no pivots.
    pub(crate) fn rows_left(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.pivot_of.len()).filter(|&i| self.pivot_of[i] == NONE)
    }
    /// Pattern of x: earlier columns into u_k in an order in which (1) can run, rows without a pivot into
    /// l_k.
    fn reach_column(&mut self, columns: &Columns, k: usize) {
        let mut count = 0;
        for p in columns.ptr[k] as usize..columns.ptr[k + 1] as usize {
            let row = columns.rows[p];
            match self.pivot_of[row as usize] {
                NONE => self.candidate(k, row),
                j => count = self.descend(k, j, count),
            }
        }
        // last finished, first eliminated
        for c in (0..count).rev() {
            self.u.push(k, self.reach[c]);
        }
    }
    /// A row without a pivot, once. (`met` of a row and of the column of its pivot are the same entry, by
    /// row.)
    fn candidate(&mut self, k: usize, row: u32) {
        if std::mem::replace(&mut self.met[row as usize], k as u32) != k as u32 {
            self.l.push(k, row);
        }
    }
    /// Depth-first from column j through the rows of L; finished columns are appended to `reach`.
    fn descend(&mut self, k: usize, j: u32, mut count: usize) -> usize {
        let row = self.row_of[j as usize] as usize;
        if std::mem::replace(&mut self.met[row], k as u32) == k as u32 {
            return count;
        }

        // a column on the stack, and the next of its rows
        let mut depth = 1;
        self.stack[0] = (j, self.l.ptr[j as usize]);
        while depth > 0 {
            // all rows seen: the column is finished
            let (j, next) = self.stack[depth - 1];
            if next == self.l.ptr[j as usize + 1] {
                self.reach[count] = j;
                count += 1;
                depth -= 1;
                continue;
            }

            // the next row: a candidate, or a column to descend into
            self.stack[depth - 1].1 += 1;
            let row = self.l.rows[next as usize];
            match self.pivot_of[row as usize] {
                NONE => self.candidate(k, row),
                i => {
                    if std::mem::replace(&mut self.met[row as usize], k as u32) != k as u32 {
                        self.stack[depth] = (i, self.l.ptr[i as usize]);
                        depth += 1;
                    }
                }
            }
        }
        count
    }
    /// Runs (1), rows by their numbers in Â; `size` becomes that of the largest term.
    fn eliminate(&mut self, k: usize, size: &mut f64) {
        for p in self.u.range(k) {
            let j = self.u.rows[p] as usize;
            let u = std::mem::take(&mut self.x[self.row_of[j] as usize]);
            self.u.values[p] = u;
            *size = size.max(u.abs());
            self.l.subtract(j, u, &mut self.x);
        }
    }
    /// The pivot among the rows of l_k, which it leaves, and (2).
    fn choose(&mut self, k: usize, columns: &Columns, least: f64) -> bool {
        // the largest candidate above `least`, long rows by their weight
        let range = self.l.range(k);
        let size = |p: usize| self.x[self.l.rows[p] as usize].abs();
        let weighted = |p: usize| size(p) * columns.weight(k, self.l.rows[p]);
        let possible = || range.clone().filter(|&p| size(p) > least);
        let largest = possible().fold(0.0f64, |s, p| s.max(weighted(p)));

        // the proposed row if it is large enough, else the shortest of those that are
        let good = || possible().filter(|&p| weighted(p) >= THRESHOLD * largest);
        let preferred = good().find(|&p| self.l.rows[p] == columns.order.rows[k]);
        let at = preferred.or_else(|| good().min_by_key(|&p| columns.lengths[self.l.rows[p] as usize]));
        let Some(at) = at else {
            self.l.rows[range].iter().for_each(|&i| self.x[i as usize] = 0.0);
            self.l.ptr[k + 1] = self.l.ptr[k];
            return false;
        };

        // d_k; its row leaves l_k
        let row = self.l.rows[at] as usize;
        let d = self.x[row];
        self.l.rows[at] = self.l.rows[range.end - 1];
        self.l.ptr[k + 1] -= 1;
        self.x[row] = 0.0;

        // l_ik = x_i / d_k
        for p in self.l.range(k) {
            self.l.values[p] = std::mem::take(&mut self.x[self.l.rows[p] as usize]) / d;
        }
        self.diagonal[k] = d;
        self.row_of[k] = row as u32;
        self.pivot_of[row] = k as u32;
        true
    }
    /// Rows by their pivots, columns of L and U increasing.
    fn renumber(&mut self, columns: &Columns) {
        let end = self.l.entries();
        for i in &mut self.l.rows[..end] {
            *i = self.pivot_of[*i as usize];
        }
        for k in 0..self.diagonal.len() {
            let l = self.l.range(k);
            self.l.rows[l].sort_unstable();
            let u = self.u.range(k);
            self.u.rows[u].sort_unstable();
        }
        for (place, &i) in self.places.iter_mut().zip(&columns.rows) {
            *place = self.pivot_of[i as usize];
        }
    }

    /// Size of the matrix.
    pub(crate) fn size(&self) -> usize {
        self.diagonal.len()
    }
    /// Rows of column k of L without its pivot, by pivots, increasing, after `pivot`.
    pub(crate) fn below(&self, k: usize) -> &[u32] {
        &self.l.rows[self.l.range(k)]
    }
    /// Rows of column k of U without its pivot, by pivots, increasing, after `pivot`.
    pub(crate) fn above(&self, k: usize) -> &[u32] {
        &self.u.rows[self.u.range(k)]
    }
    /// Rows of the [`Columns`] by pivots.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }
    /// Permutes y = P b.
    pub(crate) fn permute(&self, b: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(&self.row_of).for_each(|(y, &row)| *y = b[row as usize]);
    }
    /// Permutes x = Pᵀ y.
    pub(crate) fn permute_t(&self, y: &[f64], x: &mut [f64]) {
        y.iter().zip(&self.row_of).for_each(|(y, &row)| x[row as usize] = *y);
    }
}
