//! The saddle-point matrix of a constrained system as one matrix, assembled by maps made at build.
//!
//! ```text
//! [ A   Jᵀ ]    A on n × n;  B and J on one pattern m × n                                          (1)
//! [ B   -c ]    c diagonal
//! x ← x + K⁻¹ (b - K x)                                                                           (2)
//! ```
//! Where diagonals of A differ by more than 1e8, such as a bolt on a ship, a solution is accurate beside its
//! largest component only. (2) makes it accurate in every component: row by row the rest is a rounding of the
//! terms of that row [Skeel, Math. Comp. 35 (1980) 817]. Other matrices are solved once.

use crate::{Factor, FactorError, Pattern, Singular};

/// Smallest diagonal of A, relative to the largest, below which solutions are refined.
const UNEVEN: f64 = 1e-8;

/// Corrections (2). A pendulum of 1e-7 kg on one of 1e7 kg loses 5e-4 without them, and each leaves 1e-3.
const CORRECTIONS: usize = 3;

/// Factorisation of (1), with where each block's values land.
#[derive(Clone, Debug)]
pub struct Saddle {
    maps: std::sync::Arc<Maps>,
    n: usize,
    released: std::sync::Arc<[u32]>,
    values: Vec<f64>,
    factor: Factor,
    factorizations: usize,
    /// Does (2) correct solutions?
    uneven: bool,
    /// Right-hand side and rest of (2).
    rhs: Vec<f64>,
    rest: Vec<f64>,
}

/// The whole matrix, and positions of the blocks' values in it.
#[derive(Debug)]
struct Maps {
    pattern: Pattern,
    diagonal: Vec<u32>,
    a: Vec<u32>,
    b: Vec<u32>,
    jt: Vec<u32>,
    c: Vec<u32>,
}

impl Saddle {
    /// The matrix (1) with A on `nn`, B and J on `mn`.
    pub fn new(nn: &Pattern, mn: &Pattern) -> Result<Self, FactorError> {
        let n = nn.rows();
        let m = mn.rows();
        if nn.cols() != n {
            return Err(FactorError::NotSquare { rows: n, cols: nn.cols() });
        }
        if mn.cols() != n {
            return Err(FactorError::Mismatch { n, cols: mn.cols() });
        }

        // entries of the blocks, and the pattern of all
        let a = || nn.iter().map(|(i, j, _)| (i, j));
        let b = || mn.iter().map(move |(i, j, _)| (n + i, j));
        let jt = || b().map(|(i, j)| (j, i));
        let c = || (n..n + m).map(|i| (i, i));
        let pattern = Pattern::from_entries(n + m, n + m, a().chain(b()).chain(jt()).chain(c()));

        // where they are in it
        let at = |(i, j)| pattern.at(i, j);
        let maps = Maps {
            diagonal: a().filter(|(i, j)| i == j).map(at).collect(),
            a: a().map(at).collect(),
            b: b().map(at).collect(),
            jt: jt().map(at).collect(),
            c: c().map(at).collect(),
            pattern: pattern.clone(),
        };

        // c = 0 is not stored, and makes no fill
        let factor = Factor::with_optional(&pattern, &maps.c)?;
        Ok(Self {
            maps: maps.into(),
            n,
            released: [].into(),
            values: vec![0.0; pattern.nnz()],
            factor,
            factorizations: 0,
            uneven: false,
            rhs: vec![0.0; n + m],
            rest: vec![0.0; n + m],
        })
    }
    /// This matrix with rows of J that are zero and whose diagonal is -`loose` of `refactor`: their unknown
    /// stands alone.
    pub fn released(mut self, rows: &[u32]) -> Self {
        self.released = rows.into();
        self
    }
    /// Assembles from functions of the value index of A and B and of the row of c, and factors. The error
    /// names the row i < m of J, or m + k for unknown k of A.
    #[inline]
    pub fn refactor(
        &mut self,
        a: impl Fn(usize) -> f64,
        b: impl Fn(usize) -> f64,
        j: &[f64],
        c: impl Fn(usize) -> f64,
        loose: f64,
    ) -> Result<(), Singular> {
        // A, B, Jᵀ, -c
        let maps = &self.maps;
        let v = &mut self.values;
        maps.a.iter().enumerate().for_each(|(k, &pos)| v[pos as usize] = a(k));
        maps.b.iter().enumerate().for_each(|(k, &pos)| v[pos as usize] = b(k));
        maps.jt.iter().zip(j).for_each(|(&pos, j)| v[pos as usize] = *j);
        maps.c.iter().enumerate().for_each(|(k, &pos)| v[pos as usize] = -c(k));
        self.released.iter().for_each(|&k| v[maps.c[k as usize] as usize] = -loose);

        // are there light and heavy coordinates?
        let sizes = || maps.diagonal.iter().map(|&pos| v[pos as usize].abs());
        let heaviest = sizes().fold(0.0, f64::max);
        self.uneven = sizes().any(|size| size > 0.0 && size < UNEVEN * heaviest);

        // L U; unknowns of A come after the rows of J in the error
        let n = self.n;
        let m = maps.c.len();
        self.factorizations += 1;
        self.factor
            .refactor(v)
            .map_err(|Singular { index: i }| Singular { index: if i < n { m + i } else { i - n } })
    }
    /// The factorisation of the whole matrix.
    pub fn factor(&mut self) -> &mut Factor {
        &mut self.factor
    }
    /// Number of calls of `refactor`.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }
    /// Solves b ← K⁻¹ b.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        if self.uneven {
            return self.refine(b, Factor::solve, Pattern::mul);
        }
        self.factor.solve(b);
    }
    /// Solves b ← K⁻ᵀ b.
    #[inline]
    pub fn solve_t(&mut self, b: &mut [f64]) {
        if self.uneven {
            return self.refine(b, Factor::solve_t, Pattern::mul_t);
        }
        self.factor.solve_t(b);
    }
    /// Solves with the corrections (2), K or Kᵀ.
    #[cold]
    fn refine(
        &mut self,
        b: &mut [f64],
        solve: fn(&mut Factor, &mut [f64]),
        mul: fn(&Pattern, &[f64], f64, &[f64], &mut [f64]),
    ) {
        let Self { maps, values, factor, rhs, rest, .. } = self;
        rhs.copy_from_slice(b);
        solve(factor, b);
        for _ in 0..CORRECTIONS {
            // rest = b - K x,  x += K⁻¹ rest
            rest.copy_from_slice(rhs);
            mul(&maps.pattern, values, -1.0, b, rest);
            solve(factor, rest);
            b.iter_mut().zip(rest.iter()).for_each(|(x, d)| *x += d);
        }
    }
}
