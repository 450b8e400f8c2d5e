//! An order of elimination with little fill: COLAMD, for any choice of pivot rows.

use crate::{FactorError, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::colamd;

/// COLAMD of the columns of a pattern.
pub fn by_columns(pattern: &Pattern) -> Result<Vec<u32>, FactorError> {
    let n = pattern.cols();
    // the columns are the rows of the transpose
    let transposed = Pattern::from_entries(n, pattern.rows(), pattern.iter().map(|(i, j, _)| (j, i)));
    let ptr = std::iter::once(0).chain((0..n).map(|j| transposed.row(j).end as u32)).collect();
    let rows = (0..transposed.nnz()).map(|k| transposed.col(k) as u32).collect();
    let columns = SymbolicSparseColMat::new_checked(pattern.rows(), n, ptr, None, rows);
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(colamd::order_scratch::<u32>(pattern.rows(), n, pattern.nnz()));
    colamd::order(&mut order, &mut inverse, columns.as_ref(), colamd::Control::default(), MemStack::new(&mut memory))
        .map_err(|e| FactorError::Sparse(e.to_string()))?;
    Ok(order)
}
