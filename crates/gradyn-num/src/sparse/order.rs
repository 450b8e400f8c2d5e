//! An order of elimination with little fill: COLAMD, for any choice of pivot rows.
//!
//! A row that meets a large part of the columns would tie them all together, so it is left out of the
//! ordering; a column that meets many rows, or none but those, comes last. (An axis that all links of a chain
//! share is such a row and column.) Long rows and late columns are the border of a sparse matrix, and pivots
//! keep it so:
//!
//! ```text
//! [ S  C ]   rows of S: those that are not long;   columns of S: those before the border           (1)
//! [ R  D ]
//! ```

use crate::{FactorError, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::colamd;

/// Columns in the order of elimination, and the border (1).
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Q: the column of A at place k.
    pub columns: Vec<u32>,
    /// The row that pivots there if it is large enough.
    pub rows: Vec<u32>,
    /// Place of the first late column.
    pub border: usize,
    /// Is the row long?
    pub long: Vec<bool>,
}

impl Order {
    /// Columns and rows as they are, without a border.
    pub(crate) fn natural(pattern: &Pattern) -> Self {
        let n = pattern.cols();
        let columns: Vec<u32> = (0..n as u32).collect();
        Self { rows: columns.clone(), columns, border: n, long: vec![false; pattern.rows()] }
    }
}

/// COLAMD of the columns of a pattern; the diagonal pivots if it can.
pub(crate) fn by_columns(pattern: &Pattern) -> Result<Order, FactorError> {
    // long rows; how many rows a column meets, and whether one of them is short
    let n = pattern.cols();
    let many = 16 + 2 * n.isqrt();
    let long: Vec<bool> = (0..pattern.rows()).map(|i| pattern.row(i).len() > many).collect();
    let mut lengths = vec![0; n];
    let mut meets_short = vec![false; n];
    for (i, j, _) in pattern.iter() {
        lengths[j] += 1;
        meets_short[j] |= !long[i];
    }

    // S of (1)
    let (early, late): (Vec<usize>, Vec<usize>) = (0..n).partition(|&j| lengths[j] <= many && meets_short[j]);
    let mut place = vec![usize::MAX; n];
    early.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    let s = pattern.iter().filter(|&(i, j, _)| !long[i] && place[j] != usize::MAX);

    // its order, then the border; the columns are the rows of the transpose
    let order =
        colamd(&Pattern::from_entries(early.len(), pattern.rows(), s.map(|(i, j, _)| (place[j], i))))?;
    let columns: Vec<u32> =
        order.into_iter().map(|k| early[k as usize]).chain(late).map(|j| j as u32).collect();
    Ok(Order { rows: columns.clone(), columns, border: early.len(), long })
}

/// COLAMD of columns that are given as rows.
fn colamd(columns: &Pattern) -> Result<Vec<u32>, FactorError> {
    // the matrix
    let n = columns.rows();
    let rows = columns.cols();
    let ptr = std::iter::once(0).chain((0..n).map(|j| columns.row(j).end as u32)).collect();
    let entries = (0..columns.nnz()).map(|k| columns.col(k) as u32).collect();
    let matrix = SymbolicSparseColMat::new_checked(rows, n, ptr, None, entries);

    // its order
    let mut order = vec![0; n];
    let mut inverse = vec![0; n];
    let mut memory = MemBuffer::new(colamd::order_scratch::<u32>(rows, n, columns.nnz()));
    colamd::order(
        &mut order,
        &mut inverse,
        matrix.as_ref(),
        colamd::Control::default(),
        MemStack::new(&mut memory),
    )
    .map_err(|e| FactorError::Sparse(e.to_string()))?;
    Ok(order)
}
