//! Derivatives of several values over several parameters.

use std::ops::Index;

/// A matrix of derivatives, flat and by rows: `g[(i, j)]` is that of value i over parameter j.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// Number of values that are differentiated.
    pub rows: usize,
    /// Number of parameters.
    pub columns: usize,
    /// Entries, row by row.
    pub values: Vec<f64>,
}

impl Jacobian {
    /// From rows of equal length; `columns` is that length, also where there is no row.
    pub(crate) fn from_rows(rows: &[Vec<f64>], columns: usize) -> Self {
        Self { rows: rows.len(), columns, values: rows.concat() }
    }
    /// Derivatives of value `i` over all parameters.
    ///
    /// # Panics
    /// Where there is no such value.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }
}

impl Index<(usize, usize)> for Jacobian {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.row(i)[j]
    }
}
