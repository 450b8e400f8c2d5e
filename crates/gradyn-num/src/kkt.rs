//! The symmetric saddle-point matrix of a constrained system.
//!
//! ```text
//! K = [ A  Jᵀ ; J  -c ],   A = Aᵀ,  c ≥ 0 diagonal                                                (1)
//! Y = J A⁻¹,   S = Y Jᵀ + c                                                                       (2)
//! K (x, λ) = (f, g):   S λ = Y f - g,   x = A⁻¹ f - Yᵀ λ                                          (3)
//! ```
//! For A positive definite and n ≤ 40, A⁻¹ is computed once per run, and S = L D Lᵀ at each refactor: nothing
//! is divided by c, c = 0 is allowed. Otherwise K is factorised as it is, a [`Saddle`]. A⁻¹ costs as many
//! digits as the scaled condition of A, so a pivot of A below 1e-8 of its diagonal, or a diagonal below 1e-8
//! of the largest, sends it to the second way. K is symmetric: its transposed solve is its solve. Clones
//! share the pattern.

use crate::dense::DenseLdl;
use crate::{FactorError, Pattern, Saddle, Singular};
use std::sync::Arc;

/// Largest n of (3).
const SMALL: usize = 40;
/// Pivot of A, relative to its diagonal, and diagonal, relative to the largest, below which A⁻¹ is not
/// formed.
const PIVOT_A: f64 = 1e-8;
/// Pivot of S, relative to its diagonal, below which its row depends on the others.
const PIVOT_S: f64 = 1e-13;

/// Components taken together in products with A⁻¹ and Y; their rows are padded to whole chunks.
const LANES: usize = 4;

/// Factorisation of K, (1).
#[derive(Clone, Debug)]
pub struct Kkt {
    nn: Arc<Pattern>,
    mn: Arc<Pattern>,
    /// Values of A.
    a: Vec<f64>,
    way: Way,
    ready: bool,
    /// Rows of J that are zero; their diagonal is -1.
    released: Arc<[u32]>,
    /// Positions of A that are in K where it is factorised as it is.
    at: Arc<[u32]>,
    schur: Option<Schur>,
    full: Saddle,
    factorizations: usize,
}

/// The factorisation in use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Unprepared,
    Schur,
    Full,
}

impl Kkt {
    /// K with A on `nn` and J on `mn`.
    pub fn new(nn: &Pattern, mn: &Pattern) -> Result<Self, FactorError> {
        Self::sparser(nn, mn, &(0..nn.nnz() as u32).collect::<Vec<_>>())
    }

    /// The same for A whose values are zero except `at` these positions of `nn`.
    pub fn sparser(nn: &Pattern, mn: &Pattern, at: &[u32]) -> Result<Self, FactorError> {
        if nn.cols() != nn.rows() {
            return Err(FactorError::NotSquare { rows: nn.rows(), cols: nn.cols() });
        }
        let mut at = at.to_vec();
        at.sort_unstable();
        at.dedup();
        let (n, m, full) = (nn.rows(), mn.rows(), Saddle::new(&nn.only(&at), mn)?);
        let schur = (n <= SMALL).then(|| Schur::new(n, m));
        let (nn, mn, a) = (nn.clone().into(), mn.clone().into(), vec![0.0; nn.nnz()]);
        let (way, released) = (Way::Unprepared, [].into());
        Ok(Self { nn, mn, a, way, ready: false, released, at: at.into(), schur, full, factorizations: 0 })
    }

    /// Rows of J that are zero and whose multiplier stands alone: their diagonal is -1.
    pub fn release(&mut self, rows: &[u32]) {
        self.released = rows.into();
        self.full = self.full.clone().released(rows);
    }

    /// Takes A, symmetric, for the following refactors.
    pub fn prepare(&mut self, a: &[f64]) -> Result<(), FactorError> {
        (self.way, self.ready) = (Way::Unprepared, false);
        assert!(a.len() == self.nn.nnz(), "{} values on a pattern of {}", a.len(), self.nn.nnz());
        if let Some(position) = a.iter().position(|a| !a.is_finite()) {
            return Err(FactorError::NotFinite { position });
        }
        debug_assert!(self.is_zero_elsewhere(a), "a value of A where it has none");
        let definite = self.schur.as_mut().is_some_and(|schur| schur.invert(&self.nn, a).is_ok());
        self.a.copy_from_slice(a);
        self.way = if definite { Way::Schur } else { Way::Full };
        Ok(())
    }

    /// A changes from refactor to refactor: K is factorised as it is.
    pub fn vary(&mut self) {
        (self.way, self.ready) = (Way::Full, false);
    }

    /// A of the next refactor, after `vary`.
    pub fn set(&mut self, a: &[f64]) {
        debug_assert!(self.is_zero_elsewhere(a), "a value of A where it has none");
        self.a.copy_from_slice(a);
    }

    fn is_zero_elsewhere(&self, a: &[f64]) -> bool {
        let count = |x: &mut dyn Iterator<Item = f64>| x.filter(|&a| a != 0.0).count();
        count(&mut a.iter().copied()) == count(&mut self.at.iter().map(|&p| a[p as usize]))
    }

    /// True if the last `prepare` chose (3).
    pub fn uses_schur(&self) -> bool {
        self.way == Way::Schur
    }

    /// Factorises K with new J and c, a function of the row. The error names the row i < m of J that depends
    /// on the rows before it (or, where K is factorised as it is, on other rows), or m + k if coordinate k is
    /// free: A and J together are deficient in it.
    ///
    /// # Panics
    /// Before `prepare`.
    #[inline]
    pub fn refactor(&mut self, j: &[f64], c: impl Fn(usize) -> f64) -> Result<(), Singular> {
        assert!(j.len() == self.mn.nnz(), "{} values on a pattern of {}", j.len(), self.mn.nnz());
        debug_assert!((0..self.mn.rows()).all(|k| c(k) >= 0.0 || c(k).is_nan()), "a compliance < 0");
        self.factorizations += 1;
        let result = match (self.way, &mut self.schur) {
            (Way::Schur, Some(schur)) => schur.refactor(&self.mn, j, c, &self.released),
            (Way::Full, _) => self.full.refactor(|k| self.a[self.at[k] as usize], |k| j[k], j, c, 1.0),
            _ => panic!("refactor before prepare"),
        };
        self.ready = result.is_ok();
        result
    }

    /// Calls of `refactor`.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// b = (f, g) ← K⁻¹ b = (x, λ), length n + m.
    ///
    /// # Panics
    /// If the last `refactor` failed, or `prepare` came after it.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        assert!(self.ready, "solve without a factorisation");
        match (self.way, &mut self.schur) {
            (Way::Schur, Some(schur)) => schur.solve(b),
            _ => self.full.solve(b),
        }
    }
}

/// A⁻¹, Y and S of (2); rows of length n are padded with zeros.
#[derive(Clone, Debug)]
struct Schur {
    n: usize,
    stride: usize,
    a: DenseLdl,
    inverse: Vec<f64>,
    y: Vec<f64>,
    s: DenseLdl,
    f: Vec<f64>,
}

impl Schur {
    fn new(n: usize, m: usize) -> Self {
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
    fn invert(&mut self, nn: &Pattern, a: &[f64]) -> Result<(), Singular> {
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
        self.a.factor(PIVOT_A)?;
        for (i, row) in self.inverse.chunks_exact_mut(self.stride).enumerate() {
            row.fill(0.0);
            row[i] = 1.0;
            self.a.solve(&mut row[..self.n]);
        }
        Ok(())
    }

    /// Y and S, (2).
    #[inline]
    fn refactor(
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
        released.iter().for_each(|&k| s.row_mut(k as usize)[k as usize] = 1.0);
        s.factor(PIVOT_S)
    }

    /// (3).
    #[inline]
    fn solve(&mut self, b: &mut [f64]) {
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

/// sum += Σ_k s_k rows_k, chunk c.
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
        for (o, a) in
            out.as_chunks_mut::<LANES>().0.iter_mut().zip(rows[k * stride..][..stride].as_chunks::<LANES>().0)
        {
            for l in 0..LANES {
                o[l] += s * a[l];
            }
        }
    }
}

/// x·y over whole chunks.
#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = [0.0; LANES];
    for (x, y) in x.as_chunks::<LANES>().0.iter().zip(y.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            sum[l] += x[l] * y[l];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}
