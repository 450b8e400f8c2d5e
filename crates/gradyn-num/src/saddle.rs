//! The saddle-point matrix of a constrained system as one matrix, assembled by maps made at build.
//!
//! ```text
//! [ A   Jᵀ ]    A on n × n;  B and J on one pattern m × n                                          (1)
//! [ B   -c ]    c diagonal
//! ```

use crate::{Factor, FactorError, Pattern, Singular};

/// Factorisation of (1), with where each block's values land.
#[derive(Clone, Debug)]
pub struct Saddle {
    maps: std::sync::Arc<Maps>,
    n: usize,
    released: std::sync::Arc<[u32]>,
    values: Vec<f64>,
    factor: Factor,
    factorizations: usize,
}

/// Positions of the blocks' values in the whole matrix.
#[derive(Debug)]
struct Maps {
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
            a: a().map(at).collect(),
            b: b().map(at).collect(),
            jt: jt().map(at).collect(),
            c: c().map(at).collect(),
        };

        // c = 0 is not stored, and makes no fill
        let factor = Factor::with_optional(&pattern, &maps.c)?;
        let values = vec![0.0; pattern.nnz()];
        Ok(Self { maps: maps.into(), n, released: [].into(), values, factor, factorizations: 0 })
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

        // L U; unknowns of A come after the rows of J in the error
        let n = self.n;
        let m = maps.c.len();
        self.factorizations += 1;
        self.factor
            .refactor(v)
            .map_err(|Singular { index: i }| Singular { index: if i < n { m + i } else { i - n } })
    }
    /// Number of calls of `refactor`.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }
    /// Solves b ← K⁻¹ b.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factor.solve(b);
    }
    /// Solves b ← K⁻ᵀ b.
    #[inline]
    pub fn solve_t(&mut self, b: &mut [f64]) {
        self.factor.solve_t(b);
    }
}
