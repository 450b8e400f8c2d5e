//! Dependent rows of a large sparse matrix.
//!
//! ```text
//! Âᵀ = L U by columns with row pivots, â_i = a_i / |a_i|, in an order of little fill              (1)
//! a column without a pivot above tol is Σ_k γ̂_k â_k of earlier ones:   U γ̂ = u                     (2)
//! σ_min², σ_max² of the kept rows: inverse and direct power iteration on Â Âᵀ                     (3)
//! ```
//! The inverse of Â Âᵀ in (3) is that of `[I Âᵀ; Â 0]`: λ = -(Â Âᵀ)⁻¹ g solves it for (0, g).

use super::{Dependencies, Dependent};
use crate::sparse::columns::Columns;
use crate::sparse::lu::Lu;
use crate::sparse::order::{self, Order};
use crate::{Pattern, Saddle};

/// Iterations of (3); the estimate is within a few per cent, from inside the true interval.
const ITERATIONS: usize = 30;

/// Rows of length 1.
struct Scaled {
    norms: Vec<f64>,
    values: Vec<f64>,
}

/// The rows divided by their lengths; zero where they are roundings.
fn scaled(pattern: &Pattern, values: &[f64]) -> Scaled {
    let mut x = Scaled { norms: super::lengths(pattern, values), values: values.to_vec() };
    for (i, size) in x.norms.iter().enumerate() {
        x.values[pattern.row(i)].iter_mut().for_each(|a| *a = if *size > 0.0 { *a / size } else { 0.0 });
    }
    x
}

/// Elimination (1) on one pattern.
pub(super) struct Elimination {
    lu: Lu,
    columns: Columns,
    /// Where the values of Â are in Âᵀ.
    to: Vec<u32>,
    a: Vec<f64>,
}

impl Elimination {
    /// Chooses the order and reserves the memory.
    pub(super) fn new(pattern: &Pattern) -> Self {
        let transposed =
            Pattern::from_entries(pattern.cols(), pattern.rows(), pattern.iter().map(|(i, j, _)| (j, i)));
        let order = order::by_columns(&transposed).unwrap_or_else(|_| Order::natural(&transposed));
        let columns = Columns::new(&transposed, order);
        Self {
            lu: Lu::new(pattern.cols(), &columns, [pattern.nnz(); 2]),
            columns,
            to: pattern.iter().map(|(i, j, _)| transposed.at(j, i)).collect(),
            a: vec![0.0; pattern.nnz()],
        }
    }
    /// Calls `place(k, has a pivot, factor)` for each place in turn.
    fn run(&mut self, unit: &[f64], tol: f64, mut place: impl FnMut(usize, bool, &mut Lu)) {
        self.to.iter().zip(unit).for_each(|(&k, x)| self.a[k as usize] = *x);
        self.lu.start();
        for k in 0..self.columns.order.columns.len() {
            let found = self.lu.pivot_column(&self.columns, &self.a, k, tol);
            place(k, found, &mut self.lu);
        }
    }
    /// The smallest pivot, min |d_k|, with rows scaled to unit length.
    pub(super) fn smallest_pivot(&mut self, pattern: &Pattern, values: &[f64]) -> f64 {
        let mut least = f64::INFINITY;
        let unit = scaled(pattern, values).values;
        self.run(&unit, 0.0, |k, found, lu| least = if found { lu.pivot_size(k).min(least) } else { 0.0 });
        least
    }
}

/// Eliminates by (1): the factor, its columns, and γ̂ over places for each dependent place.
fn eliminate(pattern: &Pattern, unit: &[f64], tol: f64) -> (Lu, Columns, Vec<(usize, Vec<(usize, f64)>)>) {
    let mut e = Elimination::new(pattern);
    let mut dependent = vec![];
    e.run(unit, tol, |k, found, lu| {
        if !found {
            dependent.push((k, lu.combination(k)));
        }
    });
    (e.lu, e.columns, dependent)
}

/// Like the dense analysis, by (1)–(3).
pub(super) fn row_dependencies(pattern: &Pattern, values: &[f64], tol: f64) -> Dependencies {
    let unit = scaled(pattern, values);
    let (_, columns, found) = eliminate(pattern, &unit.values, tol);
    let row = |k: usize| columns.order.columns[k] as usize;

    // γ_j = γ̂_j |a_k| / |a_j|
    let mut is_kept = vec![true; pattern.rows()];
    let mut dependent: Vec<Dependent> = vec![];
    for (k, gamma) in found {
        is_kept[row(k)] = false;
        let large = gamma.into_iter().filter(|g| g.1.abs() > tol);
        let mut on: Vec<(usize, f64)> =
            large.map(|(j, g)| (row(j), g * unit.norms[row(k)] / unit.norms[row(j)])).collect();
        on.sort_unstable_by_key(|o| o.0);
        dependent.push(Dependent { row: row(k), on });
    }
    dependent.sort_unstable_by_key(|d| d.row);
    let kept: Vec<usize> = (0..pattern.rows()).filter(|&i| is_kept[i]).collect();
    Dependencies { rank: kept.len(), condition: condition(pattern, &unit.values, &kept), kept, dependent }
}

/// Columns that the elimination (1) leaves without a pivot.
pub(super) fn free_columns(pattern: &Pattern, values: &[f64], tol: f64) -> Vec<usize> {
    eliminate(pattern, &scaled(pattern, values).values, tol).0.rows_left().collect()
}

/// σ_min/σ_max of all rows scaled to unit length.
pub(super) fn condition_of(pattern: &Pattern, values: &[f64]) -> f64 {
    condition(pattern, &scaled(pattern, values).values, &(0..pattern.rows()).collect::<Vec<_>>())
}

/// σ_min/σ_max of some rows, (3).
fn condition(pattern: &Pattern, unit: &[f64], kept: &[usize]) -> f64 {
    // Â of the kept rows
    let n = pattern.cols();
    let m = kept.len();
    let rows = || kept.iter().enumerate().flat_map(|(k, &i)| pattern.row(i).map(move |p| (k, p)));
    let j = Pattern::from_entries(m, n, rows().map(|(k, p)| (k, pattern.col(p))));
    let values: Vec<f64> = rows().map(|(_, p)| unit[p]).collect();

    // [I Âᵀ; Â 0]
    let identity = Pattern::from_entries(n, n, (0..n).map(|i| (i, i)));
    let Ok(mut saddle) = Saddle::new(&identity, &j) else { return 0.0 };
    if saddle.refactor(|_| 1.0, |k| values[k], &values, |_| 0.0, 0.0).is_err() {
        return 0.0;
    }

    // σ_max² of y = Â Âᵀ x
    let mut f = vec![0.0; n];
    let largest = power(m, |x, y| {
        f.fill(0.0);
        j.mul_t(&values, 1.0, x, &mut f);
        y.fill(0.0);
        j.mul(&values, 1.0, &f, y);
    });

    // 1/σ_min² of y = (Â Âᵀ)⁻¹ x
    let mut b = vec![0.0; n + m];
    let smallest = power(m, |x, y| {
        b[..n].fill(0.0);
        b[n..].iter_mut().zip(x).for_each(|(b, x)| *b = -x);
        saddle.solve(&mut b);
        y.copy_from_slice(&b[n..]);
    });
    (1.0 / (smallest * largest)).sqrt()
}

/// Largest eigenvalue of a symmetric operator y = S x.
fn power(m: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> f64 {
    let mut x: Vec<f64> = (0..m).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.4).collect();
    let mut y = vec![0.0; m];
    let mut value = 0.0;
    for _ in 0..ITERATIONS {
        let size = super::norm(&x);
        x.iter_mut().for_each(|x| *x /= size);
        apply(&x, &mut y);
        value = super::norm(&y);
        std::mem::swap(&mut x, &mut y);
    }
    value
}
