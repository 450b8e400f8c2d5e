//! Dependent rows of a matrix.
//!
//! Rows scaled to unit length, orthogonalised in the order of largest remainder (QR of the transpose with
//! column pivoting):
//!
//! ```text
//! â_i = a_i / |a_i|,   â_i = Σ_{k < r} ρ_ik q_k + remainder_i,   pivot row: largest |remainder_i|   (1)
//! rank r: all remainders ≤ tol                                                                     (2)
//! a_i = Σ_k γ_k a_k over the kept rows:   Σ_k γ̂_k ρ_kl = ρ_il,   γ_k = γ̂_k |a_i| / |a_k|           (3)
//! ```
//! Of rows with equal remainders the first is kept that is not much shorter than the others. A row of zeros,
//! or of roundings beside the largest row or 1, is dependent on nothing. For analysis, not for the step: it
//! allocates. Above 64 rows the elimination is sparse (`rank/sparse.rs`): the same answer, but which of the
//! rows of a dependency is kept follows from the order of least fill.

mod basis;
mod exchange;
mod independence;
mod sparse;

pub use basis::Basis;
pub use independence::Independence;

use crate::{Pattern, largest};

/// Rank of a matrix and its dependent rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependencies {
    /// Number of independent rows, (2).
    pub rank: usize,
    /// Independent rows, increasing.
    pub kept: Vec<usize>,
    /// The other rows, increasing.
    pub dependent: Vec<Dependent>,
    /// σ_min/σ_max of the kept rows scaled to unit length; 1 if there are none.
    pub condition: f64,
}

/// A row that is a combination of kept rows, (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Dependent {
    /// The dependent row.
    pub row: usize,
    /// Kept rows and their coefficients γ.
    pub on: Vec<(usize, f64)>,
}

/// Largest number of rows of the dense analysis, (1)–(3).
const MOST_DENSE_ROWS: usize = 64;

/// Independent and dependent rows of the matrix with these values. `tol` is the relative size of a remainder
/// that counts as zero, (2).
pub fn row_dependencies(pattern: &Pattern, values: &[f64], tol: f64) -> Dependencies {
    assert!(values.len() == pattern.nnz(), "{} values on a pattern of {}", values.len(), pattern.nnz());
    if pattern.rows() > MOST_DENSE_ROWS {
        sparse::row_dependencies(pattern, values, tol)
    } else {
        dense(pattern, values, tol)
    }
}

/// Columns that the rows leave open: as many as rank and columns differ by, and independent of the rows.
pub fn free_columns(pattern: &Pattern, values: &[f64], tol: f64) -> Vec<usize> {
    if pattern.rows() > MOST_DENSE_ROWS {
        return sparse::free_columns(pattern, values, tol);
    }
    // column j is open if e_j is independent of the rows and of the open columns before it
    let n = pattern.cols();
    let (norms, mut unit) = unit_rows(pattern, values);
    let order = orthogonalise(unit.clone(), &norms, tol).0;
    unit = order.iter().map(|&i| unit[i].clone()).collect();
    let mut basis = Basis::default();
    let mut independent = |x: Vec<f64>| basis.add(x, OPEN_DISTANCE) > OPEN_DISTANCE;
    unit.into_iter().for_each(|x| {
        independent(x);
    });
    (0..n).filter(|&j| independent((0..n).map(|i| f64::from(u8::from(i == j))).collect())).collect()
}

/// Columns that elimination of some rows with complete pivoting leaves without a pivot: the best conditioned
/// choice that it finds.
pub fn unpivoted_columns(pattern: &Pattern, values: &[f64], rows: &[u32]) -> Vec<u32> {
    let n = pattern.cols();
    if rows.len() > MOST_DENSE_ROWS {
        let open = sparse::free_columns(&pattern.part(rows), &pattern.part_values(rows, values), 1e-9);
        return open.into_iter().map(|j| j as u32).collect();
    }

    // rows of length 1
    let (_, unit) = unit_rows(pattern, values);
    let mut left: Vec<Vec<f64>> = rows.iter().map(|&k| unit[k as usize].clone()).collect();
    let mut open = vec![true; n];
    while !left.is_empty() {
        // the largest entry of what is left
        let largest = |row: &Vec<f64>| (0..n).fold(0, |w, j| if row[j].abs() > row[w].abs() { j } else { w });
        let best = left.iter().map(|row| (largest(row), row)).map(|(j, row)| (j, row[j].abs()));
        let (i, (j, size)) = best.enumerate().fold((0, (0, 0.0)), |a, b| if b.1.1 > a.1.1 { b } else { a });
        if size == 0.0 {
            break;
        }

        // its column is not open; a_r -= (a_rj / a_ij) a_i
        let pivot = left.swap_remove(i);
        open[j] = false;
        for row in &mut left {
            let s = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= s * p);
            row[j] = 0.0;
        }
    }
    (0..n as u32).filter(|&j| open[j as usize]).collect()
}

/// Distance of e_j from the rows above which column j is open.
const OPEN_DISTANCE: f64 = 1e-6;

/// Part of the largest of some numbers below which the others are roundings.
const ROUNDED_PART: f64 = 1e-13;

/// What is a rounding of zero beside these sizes of gradients. Where all are roundings, rows are compared
/// with those of points and unit vectors, whose gradients are 1.
pub fn nothing(sizes: &[f64]) -> f64 {
    ROUNDED_PART * largest(sizes.iter().copied()).max(1.0)
}

/// Lengths of the rows; 0 for those that are roundings.
fn lengths(pattern: &Pattern, values: &[f64]) -> Vec<f64> {
    let sizes: Vec<f64> = (0..pattern.rows()).map(|i| norm(&values[pattern.row(i)])).collect();
    let zero = nothing(&sizes);
    sizes.into_iter().map(|x| if x <= zero { 0.0 } else { x }).collect()
}

/// Length |a_i| and direction â_i of every row; 0 for rows that are roundings.
pub fn unit_rows(pattern: &Pattern, values: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let norms = lengths(pattern, values);
    let mut unit = vec![vec![0.0; pattern.cols()]; pattern.rows()];
    for i in (0..pattern.rows()).filter(|&i| norms[i] > 0.0) {
        pattern.entries(i, values).for_each(|(j, a)| unit[i][j] = a / norms[i]);
    }
    (norms, unit)
}

/// Independent and dependent rows by (1)–(3).
fn dense(pattern: &Pattern, values: &[f64], tol: f64) -> Dependencies {
    let (norms, unit) = unit_rows(pattern, values);
    let (order, coefficients) = orthogonalise(unit.clone(), &norms, tol);
    let mut kept = order.clone();
    kept.sort_unstable();
    let dependent = (0..pattern.rows())
        .filter(|i| kept.binary_search(i).is_err())
        .map(|row| Dependent { row, on: combination(row, &order, &coefficients, &norms, tol) })
        .collect();
    Dependencies { rank: kept.len(), condition: condition(&unit, &kept), kept, dependent }
}

/// Length |x| of a vector.
fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Rows shorter than this times the longest one come after it: in joint coordinates a row may vanish where
/// its direction turns.
const SHORT_ROW: f64 = 0.01;

/// Pivot rows in their order, and ρ of every row, (1); `lengths` are those before the scaling.
fn orthogonalise(mut rows: Vec<Vec<f64>>, lengths: &[f64], tol: f64) -> (Vec<usize>, Vec<Vec<f64>>) {
    let mut order = Vec::new();
    let mut rho = vec![Vec::new(); rows.len()];
    while order.len() < rows.len() {
        // first row whose remainder is the largest to rounding
        let sizes: Vec<f64> =
            rows.iter().enumerate().map(|(i, r)| if order.contains(&i) { 0.0 } else { norm(r) }).collect();
        let largest = sizes.iter().fold(0.0, |a: f64, &b| a.max(b));
        let equal = |i: &usize| sizes[*i] > tol && sizes[*i] >= largest * (1.0 - 1e-9);
        let longest = (0..rows.len()).filter(equal).map(|i| lengths[i]).fold(0.0, f64::max);
        let Some(p) = (0..rows.len()).filter(equal).find(|&i| lengths[i] >= SHORT_ROW * longest) else {
            break;
        };

        // q = remainder_p / |remainder_p|,  ρ_i = â_i·q,  remainder_i -= ρ_i q, twice for orthogonality to
        // rounding
        let q: Vec<f64> = rows[p].iter().map(|x| x / sizes[p]).collect();
        order.push(p);
        for (i, (row, rho)) in rows.iter_mut().zip(&mut rho).enumerate() {
            if i != p && order.contains(&i) {
                rho.push(0.0);
                continue;
            }
            let mut sum = 0.0;
            for _ in 0..2 {
                let s: f64 = row.iter().zip(&q).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(&q).for_each(|(a, b)| *a -= s * b);
                sum += s;
            }
            rho.push(sum);
        }
    }
    (order, rho)
}

/// Coefficients γ of a dependent row, (3): back substitution with the triangular ρ of the pivot rows.
fn combination(row: usize, order: &[usize], rho: &[Vec<f64>], norms: &[f64], tol: f64) -> Vec<(usize, f64)> {
    let mut gamma = rho[row].clone();
    for k in (0..order.len()).rev() {
        gamma[k] /= rho[order[k]][k];
        for l in 0..k {
            gamma[l] -= gamma[k] * rho[order[k]][l];
        }
    }
    let mut on: Vec<(usize, f64)> = order
        .iter()
        .zip(&gamma)
        .filter(|(_, gamma)| gamma.abs() > tol)
        .map(|(&k, gamma)| (k, gamma * norms[row] / norms[k]))
        .collect();
    on.sort_unstable_by_key(|&(k, _)| k);
    on
}

/// σ_min/σ_max of some rows.
fn condition(rows: &[Vec<f64>], kept: &[usize]) -> f64 {
    if kept.is_empty() {
        return 1.0;
    }
    let matrix = faer::Mat::from_fn(kept.len(), rows[0].len(), |i, j| rows[kept[i]][j]);
    match matrix.singular_values() {
        Ok(s) => s.last().zip(s.first()).map_or(1.0, |(min, max)| min / max),
        Err(_) => 0.0,
    }
}
