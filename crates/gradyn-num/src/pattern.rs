//! Sparsity patterns, built once.
//!
//! Compressed rows: the entries of row i are the positions p ∈ row(i), in columns col(p), increasing. Values
//! live outside, one per position, so that many matrices share a pattern.
//!
//! ```text
//! mul:    out_i += s Σ_{p ∈ row(i)} a_p x_col(p)                                                  (1)
//! mul_t:  out_col(p) += s a_p y_i    for p ∈ row(i)                                               (2)
//! ```
//! (2) is the plain transpose, also for complex scalars.

use crate::Scalar;
use std::ops::Range;

/// Positions of the entries of a sparse matrix, by rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    cols: usize,
    row_ptr: Vec<u32>,
    col_idx: Vec<u32>,
}

impl Pattern {
    /// Pattern of the entries (i, j), in any order, repeated or not.
    ///
    /// # Panics
    /// If an entry lies outside `rows` × `cols`, or a dimension or the number of entries exceeds `u32`.
    pub fn from_entries(rows: usize, cols: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        // entries by rows, each once
        assert!(rows < u32::MAX as usize && cols < u32::MAX as usize, "pattern larger than u32");
        let mut entries: Vec<(u32, u32)> = entries
            .into_iter()
            .inspect(|&(i, j)| {
                assert!(i < rows && j < cols, "entry ({i}, {j}) outside a {rows} × {cols} pattern")
            })
            .map(|(i, j)| (i as u32, j as u32))
            .collect();
        entries.sort_unstable();
        entries.dedup();
        assert!(entries.len() < u32::MAX as usize, "pattern larger than u32");

        // row_ptr_{i+1} = number of entries in rows 0..=i
        let mut row_ptr = vec![0u32; rows + 1];
        for &(i, _) in &entries {
            row_ptr[i as usize + 1] += 1;
        }
        for i in 0..rows {
            row_ptr[i + 1] += row_ptr[i];
        }
        Self { cols, row_ptr, col_idx: entries.into_iter().map(|(_, j)| j).collect() }
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.row_ptr.len() - 1
    }

    /// Number of columns.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of entries, the length of every `values`.
    #[inline]
    pub fn nnz(&self) -> usize {
        self.col_idx.len()
    }

    /// Position of entry (i, j), if it is in the pattern.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        let row = self.row(i);
        self.col_idx[row.clone()].binary_search(&u32::try_from(j).ok()?).ok().map(|k| row.start + k)
    }

    /// Position of entry (i, j), which the pattern was made to contain.
    ///
    /// # Panics
    /// If it does not.
    pub fn at(&self, i: usize, j: usize) -> u32 {
        self.position(i, j).unwrap_or_else(|| panic!("the pattern has no entry ({i}, {j})")) as u32
    }

    /// Positions of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> Range<usize> {
        self.row_ptr[i] as usize..self.row_ptr[i + 1] as usize
    }

    /// Column of position `k`.
    #[inline]
    pub fn col(&self, k: usize) -> usize {
        self.col_idx[k] as usize
    }

    /// All entries (i, j, position), row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        (0..self.rows()).flat_map(move |i| self.row(i).map(move |k| (i, self.col(k), k)))
    }

    /// Entries (column, value) of row `i`.
    #[inline]
    pub fn entries<'a>(&'a self, i: usize, values: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let row = self.row(i);
        self.col_idx[row.clone()].iter().zip(&values[row]).map(|(&j, &a)| (j as usize, a))
    }

    /// out += s A x, (1).
    #[inline]
    pub fn mul<S: Scalar>(&self, values: &[S], s: f64, x: &[S], out: &mut [S]) {
        self.check(values.len(), x.len(), out.len());
        for (out, w) in out.iter_mut().zip(self.row_ptr.windows(2)) {
            let row = w[0] as usize..w[1] as usize;
            let mut sum = S::zero();
            for (&j, &a) in self.col_idx[row.clone()].iter().zip(&values[row]) {
                sum += a * x[j as usize];
            }
            *out += sum * s;
        }
    }

    /// out += s Aᵀ y, (2).
    #[inline]
    pub fn mul_t<S: Scalar>(&self, values: &[S], s: f64, y: &[S], out: &mut [S]) {
        self.check(values.len(), out.len(), y.len());
        for (&y, w) in y.iter().zip(self.row_ptr.windows(2)) {
            let row = w[0] as usize..w[1] as usize;
            let sy = y * s;
            for (&j, &a) in self.col_idx[row.clone()].iter().zip(&values[row]) {
                out[j as usize] += a * sy;
            }
        }
    }

    /// The pattern of some positions, increasing: theirs are 0, 1, … in the same order.
    pub fn only(&self, positions: &[u32]) -> Pattern {
        let mut keep = vec![false; self.nnz()];
        positions.iter().for_each(|&p| keep[p as usize] = true);
        Pattern::from_entries(
            self.rows(),
            self.cols,
            self.iter().filter(|e| keep[e.2]).map(|(i, j, _)| (i, j)),
        )
    }

    /// The pattern of some rows.
    pub fn part(&self, rows: &[u32]) -> Pattern {
        let entries =
            rows.iter().enumerate().flat_map(|(i, &k)| self.row(k as usize).map(move |p| (i, self.col(p))));
        Pattern::from_entries(rows.len(), self.cols, entries)
    }

    /// Values of some rows, on their pattern.
    pub fn part_values(&self, rows: &[u32], values: &[f64]) -> Vec<f64> {
        rows.iter().flat_map(|&k| self.row(k as usize)).map(|p| values[p]).collect()
    }

    /// Panics where the lengths of a product do not fit.
    #[inline]
    fn check(&self, values: usize, right: usize, left: usize) {
        assert!(
            values == self.nnz() && right == self.cols && left == self.rows(),
            "product of mismatched lengths"
        );
    }
}
