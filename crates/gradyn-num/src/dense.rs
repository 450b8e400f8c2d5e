//! Dense factorisations of small matrices, run-time size.
//!
//! ```text
//! LU with partial pivoting:    P A = L U                                                          (1)
//! LDLᵀ without pivoting:       A = L D Lᵀ,  A symmetric positive definite                         (2)
//! ```
//! U and Lᵀ are kept by rows, L of (1) by columns in the row order of its own step: the solve applies the
//! interchanges one by one, and all inner loops are contiguous. Nothing allocates after `new`.

use crate::Singular;

/// Sum Σ |x|, in eight sums.
#[inline]
fn absolute_sum(x: &[f64]) -> f64 {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sum = [0.0; 8];
    for x in chunks {
        for l in 0..8 {
            sum[l] += x[l].abs();
        }
    }
    sum.iter().sum::<f64>() + rest.iter().map(|x| x.abs()).sum::<f64>()
}

/// Subtracts a multiple, y -= s x.
#[inline]
fn axpy(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= s * x;
    }
}

/// a - x·y, summed from the end: the first component, computed last by the caller, is used last.
#[inline]
fn minus_dot(a: f64, x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).rev().fold(a, |a, (x, y)| a - x * y)
}

/// LU of a square matrix, (1).
#[derive(Clone, Debug)]
pub struct DenseLu {
    n: usize,
    a: Vec<f64>,
    u: Vec<f64>,
    l: Vec<f64>,
    inverse_pivots: Vec<f64>,
    pivots: Vec<usize>,
    ready: bool,
}

impl DenseLu {
    /// Storage for an `n` × `n` matrix, zero.
    pub fn new(n: usize) -> Self {
        Self {
            n,
            a: vec![0.0; n * n],
            u: vec![0.0; n * n],
            l: vec![0.0; n * n],
            inverse_pivots: vec![0.0; n],
            pivots: vec![0; n],
            ready: false,
        }
    }

    /// The matrix A, row-major, n². `factor` leaves it as it is: entries that stay zero need not be written
    /// again.
    #[inline]
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Factorises A. A pivot below 8 √n ε of the 1-norm of its column counts as zero.
    pub fn factor(&mut self) -> Result<(), Singular> {
        self.ready = false;

        // Σ |a|, which is finite if all are
        let total = absolute_sum(&self.a);
        if !total.is_finite() {
            return Err(Singular {
                index: self.a.iter().position(|a| !a.is_finite()).map_or(0, |k| k % self.n),
            });
        }

        // U, column by column
        let tolerance = 8.0 * (self.n as f64).sqrt() * f64::EPSILON;
        self.u.copy_from_slice(&self.a);
        for k in 0..self.n {
            let size = self.eliminate(k);
            // no column norm exceeds the sum of all |a|: look at it only if the pivot fails against that
            let usable = size > tolerance * total || size > tolerance * self.column_norm(k);
            if !usable {
                return Err(Singular { index: k });
            }
        }
        self.ready = true;
        Ok(())
    }

    /// 1-norm of column k of A.
    #[cold]
    fn column_norm(&self, k: usize) -> f64 {
        self.a.chunks_exact(self.n).map(|row| row[k].abs()).sum()
    }

    /// Step k of the elimination; returns the size of its pivot.
    #[inline]
    fn eliminate(&mut self, k: usize) -> f64 {
        let Self { n, u, l, inverse_pivots, pivots, .. } = self;
        let n = *n;
        let (head, tail) = u.split_at_mut((k + 1) * n);
        let row_k = &mut head[k * n..];

        // p = argmax |u_ik|, rows k ↔ p
        let mut p = k;
        let mut size = row_k[k].abs();
        for (i, row) in tail.chunks_exact(n).enumerate() {
            if row[k].abs() > size {
                (p, size) = (k + 1 + i, row[k].abs());
            }
        }
        pivots[k] = p;
        if p != k {
            let row_p = &mut tail[(p - k - 1) * n..(p - k) * n];
            row_k[k..].iter_mut().zip(&mut row_p[k..]).for_each(|(a, b)| std::mem::swap(a, b));
        }

        // l_ik = u_ik / u_kk,  u_i -= l_ik u_k
        let inverse = 1.0 / row_k[k];
        inverse_pivots[k] = inverse;
        let row_k = &row_k[k + 1..];
        for (row, l) in tail.chunks_exact_mut(n).zip(&mut l[k * n + k + 1..(k + 1) * n]) {
            *l = row[k] * inverse;
            if *l != 0.0 {
                axpy(&mut row[k + 1..], *l, row_k);
            }
        }
        size
    }

    /// b ← A⁻¹ b.
    ///
    /// # Panics
    /// If the last `factor` failed.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.check(b.len());
        // L y = P b
        for k in 0..n {
            b.swap(k, self.pivots[k]);
            let (y, rest) = b[k..].split_at_mut(1);
            axpy(rest, y[0], &self.l[k * n + k + 1..(k + 1) * n]);
        }
        // U x = y
        for k in (0..n).rev() {
            let sum = minus_dot(b[k], &self.u[k * n + k + 1..(k + 1) * n], &b[k + 1..]);
            b[k] = sum * self.inverse_pivots[k];
        }
    }

    /// b ← A⁻ᵀ b.
    ///
    /// # Panics
    /// If the last `factor` failed.
    pub fn solve_t(&self, b: &mut [f64]) {
        let n = self.check(b.len());
        // Uᵀ y = b
        for k in 0..n {
            let (y, rest) = b[k..].split_at_mut(1);
            y[0] *= self.inverse_pivots[k];
            axpy(rest, y[0], &self.u[k * n + k + 1..(k + 1) * n]);
        }
        // Lᵀ P x = y
        for k in (0..n).rev() {
            b[k] = minus_dot(b[k], &self.l[k * n + k + 1..(k + 1) * n], &b[k + 1..]);
            b.swap(k, self.pivots[k]);
        }
    }

    #[inline]
    fn check(&self, len: usize) -> usize {
        assert!(self.ready, "solve without a factorisation");
        assert!(len == self.n, "right-hand side of length {len} for a matrix of size {}", self.n);
        self.n
    }
}

/// LDLᵀ of a symmetric positive definite matrix, (2).
#[derive(Clone, Debug)]
pub struct DenseLdl {
    n: usize,
    lt: Vec<f64>,
    inverse_pivots: Vec<f64>,
    ready: bool,
}

impl DenseLdl {
    /// Storage for an `n` × `n` matrix, zero.
    pub fn new(n: usize) -> Self {
        Self { n, lt: vec![0.0; n * n], inverse_pivots: vec![0.0; n], ready: false }
    }

    /// Row i of A, to be written before each `factor`: columns i..n are read.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.lt[i * self.n..(i + 1) * self.n]
    }

    /// Factorises A in place. A pivot d_k ≤ `tolerance` · a_kk, or one that is not finite, is an error with
    /// index k.
    pub fn factor(&mut self, tolerance: f64) -> Result<(), Singular> {
        self.ready = false;
        let Self { n, lt, inverse_pivots, .. } = self;
        let n = *n;

        // until step k, inverse_pivots_k holds a_kk
        for (k, scale) in inverse_pivots.iter_mut().enumerate() {
            *scale = lt[k * n + k];
        }
        for k in 0..n {
            // d_k
            let (head, tail) = lt.split_at_mut((k + 1) * n);
            let row_k = &mut head[k * n..];
            let d = row_k[k];
            let usable = d > tolerance * inverse_pivots[k] && d.is_finite();
            if !usable {
                return Err(Singular { index: k });
            }
            let inverse = 1.0 / d;
            inverse_pivots[k] = inverse;

            // a_i -= (a_ki / d) a_k on the upper triangle, then a_k = d lᵀ_k → lᵀ_k
            for (i, row) in (k + 1..n).zip(tail.chunks_exact_mut(n)) {
                axpy(&mut row[i..], row_k[i] * inverse, &row_k[i..]);
            }
            for x in &mut row_k[k + 1..n] {
                *x *= inverse;
            }
        }
        self.ready = true;
        Ok(())
    }

    /// b ← A⁻¹ b.
    ///
    /// # Panics
    /// If the last `factor` failed.
    #[inline]
    pub fn solve(&self, b: &mut [f64]) {
        assert!(self.ready, "solve without a factorisation");
        let n = self.n;
        assert!(b.len() == n, "right-hand side of length {} for a matrix of size {n}", b.len());
        // L y = b
        for k in 0..n {
            let (y, rest) = b[k..].split_at_mut(1);
            axpy(rest, y[0], &self.lt[k * n + k + 1..(k + 1) * n]);
        }
        // Lᵀ x = D⁻¹ y
        for k in (0..n).rev() {
            let y = b[k] * self.inverse_pivots[k];
            b[k] = minus_dot(y, &self.lt[k * n + k + 1..(k + 1) * n], &b[k + 1..]);
        }
    }
}
