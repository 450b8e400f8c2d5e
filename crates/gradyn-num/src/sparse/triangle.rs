//! Columns of a triangular matrix, appended one after the other.

/// Columns of a triangular factor without its diagonal; the memory may be longer than what is used.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    pub ptr: Vec<u32>,
    pub rows: Vec<u32>,
    pub values: Vec<f64>,
}

impl Triangle {
    /// Memory for n columns and so many entries.
    pub(super) fn new(n: usize, capacity: usize) -> Self {
        Self { ptr: vec![0; n + 1], rows: vec![0; capacity], values: vec![0.0; capacity] }
    }
    /// Positions of column k.
    #[inline]
    pub(super) fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.ptr[k] as usize..self.ptr[k + 1] as usize
    }
    /// Appends a row to column k, the last one so far.
    pub(super) fn push(&mut self, k: usize, row: u32) {
        let end = self.ptr[k + 1] as usize;
        if end == self.rows.len() {
            self.rows.push(0);
            self.values.push(0.0);
        }
        self.rows[end] = row;
        self.ptr[k + 1] += 1;
    }
    /// Number of entries in use.
    pub(super) fn entries(&self) -> usize {
        self.ptr.last().map_or(0, |&end| end as usize)
    }
    /// Subtracts a column, x_i -= s a_ik.
    #[inline]
    pub(super) fn subtract(&self, k: usize, s: f64, x: &mut [f64]) {
        let r = self.range(k);
        for (&i, &a) in self.rows[r.clone()].iter().zip(&self.values[r]) {
            x[i as usize] -= a * s;
        }
    }
}
