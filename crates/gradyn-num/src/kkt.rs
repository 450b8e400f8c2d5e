//! The symmetric saddle-point matrix of a constrained system with constant mass matrix.
//!
//! ```text
//! K = [ A  Jᵀ ; J  -c ],   A = Aᵀ,  c ≥ 0                                                         (1)
//! Y = J A⁻¹,   S = Y Jᵀ + c                                                                       (2)
//! K (x, λ) = (f, g):   S λ = Y f - g,   x = A⁻¹ f - Yᵀ λ                                          (3)
//! ```
//! For A positive definite and n ≤ 64, A⁻¹ is computed once per run, and S = L D Lᵀ at each refactor: nothing is divided by c,
//! c = 0 is allowed. Otherwise K is factorised as it is by [`Factor`]. A⁻¹ costs as many digits as the scaled condition of A, so
//! a pivot of A below 1e-8 of its diagonal sends it to the second way. K is symmetric: its transposed solve is its solve.

use crate::dense::DenseLdl;
use crate::{Factor, FactorError, Pattern, Singular};

/// Largest n of (3).
const SMALL: usize = 64;
/// Pivot of A, relative to its diagonal, below which A⁻¹ is not formed.
const PIVOT_A: f64 = 1e-8;
/// Pivot of S, relative to its diagonal, below which its row depends on the others.
const PIVOT_S: f64 = 1e-13;

/// Components taken together in products with A⁻¹ and Y; their rows are padded to whole chunks.
const LANES: usize = 4;

/// Factorisation of K, (1).
#[derive(Clone, Debug)]
pub struct Kkt {
    nn: Pattern,
    mn: Pattern,
    way: Way,
    ready: bool,
    schur: Option<Schur>,
    full: Full,
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
        let (n, m) = (nn.rows(), mn.rows());
        if nn.cols() != n {
            return Err(FactorError::NotSquare { rows: n, cols: nn.cols() });
        }
        if mn.cols() != n {
            return Err(FactorError::Mismatch { n, cols: mn.cols() });
        }
        let schur = (n <= SMALL).then(|| Schur::new(n, m));
        Ok(Self { nn: nn.clone(), mn: mn.clone(), way: Way::Unprepared, ready: false, schur, full: Full::new(nn, mn)? })
    }

    /// Takes A, symmetric, for the following refactors.
    pub fn prepare(&mut self, a: &[f64]) -> Result<(), FactorError> {
        (self.way, self.ready) = (Way::Unprepared, false);
        assert!(a.len() == self.nn.nnz(), "{} values on a pattern of {}", a.len(), self.nn.nnz());
        if let Some(position) = a.iter().position(|a| !a.is_finite()) {
            return Err(FactorError::NotFinite { position });
        }
        let definite = self.schur.as_mut().is_some_and(|schur| schur.invert(&self.nn, a).is_ok());
        self.full.set_a(a);
        self.way = if definite { Way::Schur } else { Way::Full };
        Ok(())
    }

    /// True if the last `prepare` chose (3).
    pub fn uses_schur(&self) -> bool {
        self.way == Way::Schur
    }

    /// Factorises K with new J and c. The error names the row i < m of J that depends on the rows before it (or, where K is
    /// factorised as it is, on other rows), or m + k if coordinate k is free: A and J together are deficient in it.
    ///
    /// # Panics
    /// Before `prepare`.
    #[inline]
    pub fn refactor(&mut self, j: &[f64], c: f64) -> Result<(), Singular> {
        assert!(j.len() == self.mn.nnz(), "{} values on a pattern of {}", j.len(), self.mn.nnz());
        debug_assert!(c >= 0.0 || c.is_nan(), "compliance {c} < 0");
        let result = match (self.way, &mut self.schur) {
            (Way::Schur, Some(schur)) => schur.refactor(&self.mn, j, c),
            (Way::Full, _) => self.full.refactor(j, c).map_err(|Singular { index }| {
                let (n, m) = (self.nn.rows(), self.mn.rows());
                Singular { index: if index >= n { index - n } else { m + index } }
            }),
            _ => panic!("refactor before prepare"),
        };
        self.ready = result.is_ok();
        result
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
            _ => self.full.factor.solve(b),
        }
    }
}

/// K as one matrix.
#[derive(Clone, Debug)]
struct Full {
    values: Vec<f64>,
    /// Positions of A, J, Jᵀ and -c.
    a: Vec<u32>,
    j: Vec<u32>,
    jt: Vec<u32>,
    c: Vec<u32>,
    factor: Factor,
}

impl Full {
    fn new(nn: &Pattern, mn: &Pattern) -> Result<Self, FactorError> {
        let (n, m) = (nn.rows(), mn.rows());
        let a = || nn.iter().map(|(i, j, _)| (i, j));
        let j = || mn.iter().map(move |(i, j, _)| (n + i, j));
        let jt = || j().map(|(i, j)| (j, i));
        let c = || (n..n + m).map(|i| (i, i));
        let pattern = Pattern::from_entries(n + m, n + m, a().chain(j()).chain(jt()).chain(c()));
        let place = |(i, j)| pattern.position(i, j).map_or(u32::MAX, |k| k as u32);
        Ok(Self {
            values: vec![0.0; pattern.nnz()],
            a: a().map(place).collect(),
            j: j().map(place).collect(),
            jt: jt().map(place).collect(),
            c: c().map(place).collect(),
            factor: Factor::new(&pattern)?,
        })
    }

    fn set_a(&mut self, a: &[f64]) {
        for (&k, &a) in self.a.iter().zip(a) {
            self.values[k as usize] = a;
        }
    }

    fn refactor(&mut self, j: &[f64], c: f64) -> Result<(), Singular> {
        for ((&k, &kt), &j) in self.j.iter().zip(&self.jt).zip(j) {
            self.values[k as usize] = j;
            self.values[kt as usize] = j;
        }
        for &k in &self.c {
            self.values[k as usize] = -c;
        }
        self.factor.refactor(&self.values)
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
    fn refactor(&mut self, mn: &Pattern, j: &[f64], c: f64) -> Result<(), Singular> {
        let Self { stride, inverse, y, s, .. } = self;
        for (i, y) in y.chunks_exact_mut(*stride).enumerate() {
            // y_i = Σ_k j_ik (A⁻¹)_k
            combine(y, inverse, mn.entries(i, j));
            // s_li = Σ_k j_lk y_ik,  l ≤ i
            for l in 0..=i {
                s.row_mut(l)[i] = mn.entries(l, j).map(|(k, j)| j * y[k]).sum();
            }
            s.row_mut(i)[i] += c;
        }
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
        for (o, a) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(rows[k * stride..][..stride].as_chunks::<LANES>().0) {
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
