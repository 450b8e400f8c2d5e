//! P Â Q = L U by columns: pivots and patterns [Gilbert, Peierls 1988].
//!
//! Column k of Â Q, with the rows in the order of the pivots, is
//!
//! ```text
//! x = L⁻¹ â_k:   for j in the pattern of u_k, increasing:   u_jk = x_j,   x_i -= l_ij u_jk  (i > j)        (1)
//! d_k = x_k,   l_ik = x_i / d_k  (i > k)                                                                 (2)
//! ```
//! [`Lu::pivot`] runs (1) on rows that have no pivot yet: the pattern of x is what the graph of L reaches
//! from â_k. The pivot is the row that the [`Order`] proposes if it is at least τ max |x_i|, else the
//! shortest row of that size. Before the border, a long row counts with β |x_i|: as a pivot it would make
//! every row below it as long, but the sums that gather in it make it the largest sooner or later. P and the
//! patterns of L and U hold for any values: [`Panels`](super::panels::Panels) computes them.

use super::order::Order;
use crate::Pattern;

/// Columns of Â in the order Q: for each, its rows and where their values are.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Where each column begins.
    pub ptr: Vec<u32>,
    /// Rows.
    pub rows: Vec<u32>,
    /// Positions in the pattern.
    pub at: Vec<u32>,
    /// Q and the border.
    pub order: Order,
    /// Entries of each row.
    lengths: Vec<u32>,
    /// Q⁻¹.
    place: Vec<u32>,
}

impl Columns {
    /// Columns of a pattern in an order.
    pub fn new(pattern: &Pattern, order: Order) -> Self {
        let (n, entries) = (pattern.cols(), pattern.nnz());
        let lengths = (0..pattern.rows()).map(|i| pattern.row(i).len() as u32).collect();
        let mut columns = Self {
            ptr: vec![0; n + 1],
            rows: vec![0; entries],
            at: vec![0; entries],
            order,
            lengths,
            place: vec![0; n],
        };
        columns.sort(pattern, |_| true);
        columns
    }
    /// Follows the order, which has changed, with the positions that are present.
    pub fn sort(&mut self, pattern: &Pattern, present: impl Fn(usize) -> bool) {
        let Self { ptr, rows, at, order, place, .. } = self;
        order.columns.iter().enumerate().for_each(|(k, &j)| place[j as usize] = k as u32);
        // ends of the columns, then their beginnings
        ptr.fill(0);
        let entries = || pattern.iter().filter(|e| present(e.2));
        entries().for_each(|(_, j, _)| ptr[place[j] as usize] += 1);
        let mut end = 0;
        for p in ptr.iter_mut() {
            end += *p;
            *p = end - *p;
        }
        for (i, j, p) in entries() {
            let next = &mut ptr[place[j] as usize];
            (rows[*next as usize], at[*next as usize]) = (i as u32, p as u32);
            *next += 1;
        }
        ptr.copy_within(..place.len(), 1);
        ptr[0] = 0;
    }
    /// y = Qᵀ b.
    pub fn permute_t(&self, b: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(&self.order.columns).for_each(|(y, &j)| *y = b[j as usize]);
    }
    /// x = Q y.
    pub fn permute(&self, y: &[f64], x: &mut [f64]) {
        y.iter().zip(&self.order.columns).for_each(|(y, &j)| x[j as usize] = *y);
    }
    /// What part of row i counts where pivot k is chosen.
    fn weight(&self, k: usize, i: u32) -> f64 {
        if k < self.order.border && self.order.long[i as usize] { LONG } else { 1.0 }
    }
}

/// Columns of a triangular factor without its diagonal; the memory may be longer than what is used.
#[derive(Clone, Debug)]
struct Triangle {
    ptr: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Triangle {
    fn new(n: usize, capacity: usize) -> Self {
        Self { ptr: vec![0; n + 1], rows: vec![0; capacity], values: vec![0.0; capacity] }
    }
    #[inline]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.ptr[k] as usize..self.ptr[k + 1] as usize
    }
    /// Appends a row to column k, the last one so far.
    fn push(&mut self, k: usize, row: u32) {
        let end = self.ptr[k + 1] as usize;
        if end == self.rows.len() {
            self.rows.push(0);
            self.values.push(0.0);
        }
        self.rows[end] = row;
        self.ptr[k + 1] += 1;
    }
    fn entries(&self) -> usize {
        self.ptr.last().map_or(0, |&end| end as usize)
    }
    /// x_i -= s a_ik.
    #[inline]
    fn subtract(&self, k: usize, s: f64, x: &mut [f64]) {
        let r = self.range(k);
        for (&i, &a) in self.rows[r.clone()].iter().zip(&self.values[r]) {
            x[i as usize] -= a * s;
        }
    }
}

/// Not yet a pivot.
const NONE: u32 = u32::MAX;

/// The row that the order proposes is the pivot if it is at least this part of the largest candidate, τ.
pub const THRESHOLD: f64 = 0.1;

/// What part of a long row counts before the border, β. A solve refines once, which makes up for 1/β.
const LONG: f64 = 1e-5;

/// P, L, U.
#[derive(Clone, Debug)]
pub struct Lu {
    l: Triangle,
    u: Triangle,
    diagonal: Vec<f64>,
    /// P: row of pivot k, and pivot of row i.
    row_of: Vec<u32>,
    pivot_of: Vec<u32>,
    /// Rows of Â in the order of the pivots.
    places: Vec<u32>,
    x: Vec<f64>,
    /// Work of `pivot`: column that last met a row or an earlier column, depth-first stack, order of the
    /// columns met.
    met: Vec<u32>,
    stack: Vec<(u32, u32)>,
    reach: Vec<u32>,
}

impl Lu {
    /// Memory for so many rows and for `capacity` entries of L and U; more is allocated where pivots need it.
    pub fn new(rows: usize, columns: &Columns, capacity: [usize; 2]) -> Self {
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
    /// Entries of L and U.
    pub fn entries(&self) -> [usize; 2] {
        [self.l.entries(), self.u.entries()]
    }
    /// Multiplications of (1).
    pub fn work(&self) -> usize {
        self.u.rows[..self.u.entries()].iter().map(|&j| self.l.range(j as usize).len()).sum()
    }
    /// Entries of L and U for which there is memory.
    pub fn reserved(&self) -> usize {
        self.l.rows.len() + self.u.rows.len()
    }

    /// Chooses P and the patterns of L and U of a square matrix with values `a`. The error is the first place
    /// k without a pivot above `least` times the terms of its column.
    pub fn pivot(&mut self, columns: &Columns, a: &[f64], least: f64) -> Result<(), usize> {
        self.start();
        for k in 0..self.diagonal.len() {
            if !self.pivot_column(columns, a, k, least) {
                return Err(k);
            }
        }
        self.renumber(columns);
        Ok(())
    }
    /// No pivots.
    pub fn start(&mut self) {
        self.pivot_of.fill(NONE);
        self.met.fill(NONE);
        self.x.fill(0.0);
    }
    /// (1), (2) for column k after those before it. Without a pivot above `least` times its terms, l_k is
    /// empty, and it is the combination of the earlier columns that [`combination`](Self::combination) gives.
    pub fn pivot_column(&mut self, columns: &Columns, a: &[f64], k: usize, least: f64) -> bool {
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
    pub fn combination(&mut self, k: usize) -> Vec<(usize, f64)> {
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
    /// |d_k|.
    pub fn pivot_size(&self, k: usize) -> f64 {
        self.diagonal[k].abs()
    }
    /// Rows that are no pivots.
    pub fn rows_left(&self) -> impl Iterator<Item = usize> + '_ {
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
        let mut depth = 1;
        self.stack[0] = (j, self.l.ptr[j as usize]);
        while depth > 0 {
            let (j, next) = self.stack[depth - 1];
            if next == self.l.ptr[j as usize + 1] {
                self.reach[count] = j;
                count += 1;
                depth -= 1;
                continue;
            }
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
    /// (1), rows by their numbers in Â; `size` becomes that of the largest term.
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
        let range = self.l.range(k);
        let size = |p: usize| self.x[self.l.rows[p] as usize].abs();
        let weighted = |p: usize| size(p) * columns.weight(k, self.l.rows[p]);
        let possible = || range.clone().filter(|&p| size(p) > least);
        let largest = possible().fold(0.0f64, |s, p| s.max(weighted(p)));
        let good = || possible().filter(|&p| weighted(p) >= THRESHOLD * largest);
        let preferred = good().find(|&p| self.l.rows[p] == columns.order.rows[k]);
        let at = preferred.or_else(|| good().min_by_key(|&p| columns.lengths[self.l.rows[p] as usize]));
        let Some(at) = at else {
            self.l.rows[range].iter().for_each(|&i| self.x[i as usize] = 0.0);
            self.l.ptr[k + 1] = self.l.ptr[k];
            return false;
        };
        let row = self.l.rows[at] as usize;
        let d = self.x[row];
        self.l.rows[at] = self.l.rows[range.end - 1];
        self.l.ptr[k + 1] -= 1;
        self.x[row] = 0.0;
        for p in self.l.range(k) {
            self.l.values[p] = std::mem::take(&mut self.x[self.l.rows[p] as usize]) / d;
        }
        (self.diagonal[k], self.row_of[k], self.pivot_of[row]) = (d, row as u32, k as u32);
        true
    }
    /// Rows by their pivots, columns of L and U increasing.
    fn renumber(&mut self, columns: &Columns) {
        let end = self.l.entries();
        for i in &mut self.l.rows[..end] {
            *i = self.pivot_of[*i as usize];
        }
        for k in 0..self.diagonal.len() {
            let (l, u) = (self.l.range(k), self.u.range(k));
            self.l.rows[l].sort_unstable();
            self.u.rows[u].sort_unstable();
        }
        for (place, &i) in self.places.iter_mut().zip(&columns.rows) {
            *place = self.pivot_of[i as usize];
        }
    }

    /// Size of the matrix.
    pub fn size(&self) -> usize {
        self.diagonal.len()
    }
    /// Rows of column k of L without its pivot, by pivots, increasing, after `pivot`.
    pub fn below(&self, k: usize) -> &[u32] {
        &self.l.rows[self.l.range(k)]
    }
    /// Rows of column k of U, likewise.
    pub fn above(&self, k: usize) -> &[u32] {
        &self.u.rows[self.u.range(k)]
    }
    /// Rows of the [`Columns`] by pivots.
    pub fn places(&self) -> &[u32] {
        &self.places
    }
    /// y = P b.
    pub fn permute(&self, b: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(&self.row_of).for_each(|(y, &row)| *y = b[row as usize]);
    }
    /// x = Pᵀ y.
    pub fn permute_t(&self, y: &[f64], x: &mut [f64]) {
        y.iter().zip(&self.row_of).for_each(|(y, &row)| x[row as usize] = *y);
    }
}
