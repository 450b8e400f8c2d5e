//! The columns of a matrix in the order of elimination.

use super::order::Order;
use crate::Pattern;

/// What part of a long row counts before the border, β. A solve refines once, which makes up for 1/β.
const LONG_ROW_WEIGHT: f64 = 1e-5;

/// Columns of Â in the order Q: for each, its rows and where their values are.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Where each column begins.
    pub ptr: Vec<u32>,
    /// Rows of the entries, column by column.
    pub rows: Vec<u32>,
    /// Positions of the entries in the pattern.
    pub at: Vec<u32>,
    /// Q and the border.
    pub order: Order,
    /// Entries of each row.
    pub lengths: Vec<u32>,
    /// Q⁻¹: the place of each column.
    place: Vec<u32>,
}

impl Columns {
    /// Columns of a pattern in an order.
    pub(crate) fn new(pattern: &Pattern, order: Order) -> Self {
        let n = pattern.cols();
        let entries = pattern.nnz();
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
    pub(crate) fn sort(&mut self, pattern: &Pattern, present: impl Fn(usize) -> bool) {
        let Self { ptr, rows, at, order, place, .. } = self;

        // Q⁻¹
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

        // entries, with which the beginnings move to the ends
        for (i, j, p) in entries() {
            let next = &mut ptr[place[j] as usize];
            rows[*next as usize] = i as u32;
            at[*next as usize] = p as u32;
            *next += 1;
        }

        // beginnings again
        ptr.copy_within(..place.len(), 1);
        ptr[0] = 0;
    }
    /// Permutes y = Qᵀ b.
    pub(crate) fn permute_t(&self, b: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(&self.order.columns).for_each(|(y, &j)| *y = b[j as usize]);
    }
    /// Permutes x = Q y.
    pub(crate) fn permute(&self, y: &[f64], x: &mut [f64]) {
        y.iter().zip(&self.order.columns).for_each(|(y, &j)| x[j as usize] = *y);
    }
    /// What part of row i counts where pivot k is chosen.
    pub(super) fn weight(&self, k: usize, i: u32) -> f64 {
        if k < self.order.border && self.order.long[i as usize] { LONG_ROW_WEIGHT } else { 1.0 }
    }
}
