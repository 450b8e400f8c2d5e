//! An order of elimination with little fill: COLAMD, for any choice of pivot rows.
//!
//! A row that meets a large part of the columns would tie them all together, so it is left out of the ordering; a column that
//! meets many rows, or none but those, comes last. (An axis that all links of a chain share is such a row and column.)

use crate::{FactorError, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::colamd;

/// COLAMD of the columns of a pattern.
pub fn by_columns(pattern: &Pattern) -> Result<Vec<u32>, FactorError> {
    let n = pattern.cols();
    let many = 16 + 2 * n.isqrt();
    let (mut lengths, mut short) = (vec![0; n], vec![false; n]);
    for (i, j, _) in pattern.iter() {
        lengths[j] += 1;
        short[j] |= pattern.row(i).len() <= many;
    }
    let (sparse, dense): (Vec<usize>, Vec<usize>) = (0..n).partition(|&j| lengths[j] <= many && short[j]);
    let mut place = vec![usize::MAX; n];
    sparse.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    let kept = pattern.iter().filter(|&(i, j, _)| pattern.row(i).len() <= many && place[j] != usize::MAX);
    // the columns are the rows of the transpose
    let columns = Pattern::from_entries(sparse.len(), pattern.rows(), kept.map(|(i, j, _)| (place[j], i)));
    let order = colamd(&columns)?;
    Ok(order.into_iter().map(|k| sparse[k as usize] as u32).chain(dense.into_iter().map(|j| j as u32)).collect())
}

/// COLAMD of columns that are given as rows.
fn colamd(columns: &Pattern) -> Result<Vec<u32>, FactorError> {
    let (n, rows) = (columns.rows(), columns.cols());
    let ptr = std::iter::once(0).chain((0..n).map(|j| columns.row(j).end as u32)).collect();
    let entries = (0..columns.nnz()).map(|k| columns.col(k) as u32).collect();
    let matrix = SymbolicSparseColMat::new_checked(rows, n, ptr, None, entries);
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(colamd::order_scratch::<u32>(rows, n, columns.nnz()));
    colamd::order(&mut order, &mut inverse, matrix.as_ref(), colamd::Control::default(), MemStack::new(&mut memory))
        .map_err(|e| FactorError::Sparse(e.to_string()))?;
    Ok(order)
}
