//! The Schur complement of a positive definite A, (2) and (3) of [`Kkt`](super::Kkt).

use crate::dense::DenseLdl;
use crate::lanes::{LANES, lane_products};
use crate::{Pattern, Singular};

/// Pivot of A, relative to its diagonal, and diagonal, relative to the largest, below which A⁻¹ is not
/// formed.
const PIVOT_A: f64 = 1e-8;
/// Pivot of S, relative to its diagonal, below which its row depends on the others.
const PIVOT_S: f64 = 1e-13;

/// A⁻¹, Y and S of (2); rows of length n are padded with zeros to whole chunks.
#[derive(Clone, Debug)]
pub(super) struct Schur {
    n: usize,
    stride: usize,
    a: DenseLdl,
    inverse: Vec<f64>,
    y: Vec<f64>,
    s: DenseLdl,
    f: Vec<f64>,
}

impl Schur {
    /// Memory for A of size n and J of m rows.
    pub(super) fn new(n: usize, m: usize) -> Self {
        let stride = n.next_multiple_of(LANES).max(LANES);
        Self {
            n,
            stride,
            a: DenseLdl::new(n),
            inverse: vec![0.0; n * stride],
            y: vec![0.0; m * stride],
            s: DenseLdl::new(m),
            f: vec![0.0; stride],
        }
    }

    /// A⁻¹ column by column, if A is positive definite.
    pub(super) fn invert(&mut self, nn: &Pattern, a: &[f64]) -> Result<(), Singular> {
        // A, dense
        for i in 0..self.n {
            let row = self.a.row_mut(i);
            row.fill(0.0);
            for (j, a) in nn.entries(i, a) {
                row[j] = a;
            }
        }

        // rows of J that mix light and heavy coordinates cancel in S
        let heaviest = (0..self.n).fold(0.0f64, |s, i| s.max(self.a.row_mut(i)[i]));
        if let Some(index) = (0..self.n).find(|&i| self.a.row_mut(i)[i] < PIVOT_A * heaviest) {
            return Err(Singular { index });
        }

        // A⁻¹
        self.a.factor(PIVOT_A)?;
        for (i, row) in self.inverse.chunks_exact_mut(self.stride).enumerate() {
            row.fill(0.0);
            row[i] = 1.0;
            self.a.solve(&mut row[..self.n]);
        }
        Ok(())
    }

    /// Y and S = L D Lᵀ of (2).
    #[inline]
    pub(super) fn refactor(
        &mut self,
        mn: &Pattern,
        j: &[f64],
        c: impl Fn(usize) -> f64,
        released: &[u32],
    ) -> Result<(), Singular> {
        let Self { stride, inverse, y, s, .. } = self;
        for (i, y) in y.chunks_exact_mut(*stride).enumerate() {
            // y_i = Σ_k j_ik (A⁻¹)_k
            combine(y, inverse, mn.entries(i, j));
            // s_li = Σ_k j_lk y_ik,  l ≤ i
            for l in 0..=i {
                s.row_mut(l)[i] = mn.entries(l, j).map(|(k, j)| j * y[k]).sum();
            }
            s.row_mut(i)[i] += c(i);
        }

        // rows that stand alone; S = L D Lᵀ
        released.iter().for_each(|&k| s.row_mut(k as usize)[k as usize] = 1.0);
        s.factor(PIVOT_S)
    }

    /// b = (f, g) ← (x, λ) by (3).
    #[inline]
    pub(super) fn solve(&mut self, b: &mut [f64]) {
        let Self { n, stride, inverse, y, s, f, .. } = self;
        assert!(b.len() == *n + y.len() / *stride, "right-hand side of length {}", b.len());
        let (x, lam) = b.split_at_mut(*n);
        f[..*n].copy_from_slice(x);

        // λ = S⁻¹ (Y f - g)
        for (lam, y) in lam.iter_mut().zip(y.chunks_exact(*stride)) {
            *lam = dot(y, f) - *lam;
        }
        s.solve(lam);

        // x = A⁻¹ f - Yᵀ λ, four components at a time
        for (c, x) in x.chunks_mut(LANES).enumerate() {
            let mut sum = [0.0; LANES];
            add_rows(&mut sum, inverse, *stride, c, f[..*n].iter().copied());
            add_rows(&mut sum, y, *stride, c, lam.iter().map(|lam| -lam));
            x.copy_from_slice(&sum[..x.len()]);
        }
    }
}

/// Adds rows to a sum, sum += Σ_k s_k rows_k, chunk c.
#[inline]
fn add_rows(sum: &mut [f64; LANES], rows: &[f64], stride: usize, c: usize, s: impl Iterator<Item = f64>) {
    for (row, s) in rows.chunks_exact(stride).zip(s) {
        let row = &row.as_chunks::<LANES>().0[c];
        for l in 0..LANES {
            sum[l] += s * row[l];
        }
    }
}

/// out = Σ s_k rows_k over the (k, s_k), rows as long as `out`.
#[inline]
fn combine(out: &mut [f64], rows: &[f64], terms: impl Iterator<Item = (usize, f64)>) {
    let stride = out.len();
    out.fill(0.0);
    for (k, s) in terms {
        let row = rows[k * stride..][..stride].as_chunks::<LANES>().0;
        for (o, a) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(row) {
            for l in 0..LANES {
                o[l] += s * a[l];
            }
        }
    }
}

/// Scalar product x·y over whole chunks.
#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let sum = lane_products(x, y);
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}
