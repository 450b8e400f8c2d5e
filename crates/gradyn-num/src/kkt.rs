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

mod schur;

use crate::{Factor, FactorError, Pattern, Saddle, Singular};
use schur::Schur;
use std::sync::Arc;

/// Largest n for which (3) is used.
const LARGEST_SCHUR: usize = 40;

/// Factorisation of K, (1).
#[derive(Clone, Debug)]
pub struct Kkt {
    nn: Arc<Pattern>,
    mn: Arc<Pattern>,
    /// Values of A, by positions.
    a: Vec<f64>,
    method: KktMethod,
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
enum KktMethod {
    Unprepared,
    Schur,
    Full,
}

impl Kkt {
    /// K with A on `nn` and J on `mn`.
    pub fn new(nn: &Pattern, mn: &Pattern) -> Result<Self, FactorError> {
        Self::sparser(nn, mn, &(0..nn.nnz() as u32).collect::<Vec<_>>())
    }

    /// K with A on `nn` and J on `mn`, where the values of A are zero except `at` these positions of `nn`.
    pub fn sparser(nn: &Pattern, mn: &Pattern, at: &[u32]) -> Result<Self, FactorError> {
        if nn.cols() != nn.rows() {
            return Err(FactorError::NotSquare { rows: nn.rows(), cols: nn.cols() });
        }

        // positions of A, increasing
        let mut at = at.to_vec();
        at.sort_unstable();
        at.dedup();

        // both factorisations
        let n = nn.rows();
        let full = Saddle::new(&nn.only(&at), mn)?;
        Ok(Self {
            a: vec![0.0; nn.nnz()],
            nn: nn.clone().into(),
            mn: mn.clone().into(),
            method: KktMethod::Unprepared,
            ready: false,
            released: [].into(),
            at: at.into(),
            schur: (n <= LARGEST_SCHUR).then(|| Schur::new(n, mn.rows())),
            full,
            factorizations: 0,
        })
    }

    /// Takes rows of J that are zero and whose multiplier stands alone: their diagonal is -1.
    pub fn release(&mut self, rows: &[u32]) {
        self.released = rows.into();
        self.full = self.full.clone().released(rows);
    }

    /// Takes A, symmetric, for the following refactors.
    pub fn prepare(&mut self, a: &[f64]) -> Result<(), FactorError> {
        self.method = KktMethod::Unprepared;
        self.ready = false;
        assert!(a.len() == self.nn.nnz(), "{} values on a pattern of {}", a.len(), self.nn.nnz());
        if let Some(position) = a.iter().position(|a| !a.is_finite()) {
            return Err(FactorError::NotFinite { position });
        }
        debug_assert!(self.is_zero_elsewhere(a), "a value of A where it has none");
        let definite = self.schur.as_mut().is_some_and(|schur| schur.invert(&self.nn, a).is_ok());
        self.a.copy_from_slice(a);
        self.method = if definite { KktMethod::Schur } else { KktMethod::Full };
        Ok(())
    }

    /// Lets A change from refactor to refactor: K is factorised as it is.
    pub fn vary(&mut self) {
        self.method = KktMethod::Full;
        self.ready = false;
    }

    /// Takes A of the next refactor, after `vary`.
    pub fn set(&mut self, a: &[f64]) {
        debug_assert!(self.is_zero_elsewhere(a), "a value of A where it has none");
        self.a.copy_from_slice(a);
    }

    /// Are all values zero but those at the positions of A?
    fn is_zero_elsewhere(&self, a: &[f64]) -> bool {
        let count = |x: &mut dyn Iterator<Item = f64>| x.filter(|&a| a != 0.0).count();
        count(&mut a.iter().copied()) == count(&mut self.at.iter().map(|&p| a[p as usize]))
    }

    /// True if the last `prepare` chose (3).
    pub fn uses_schur(&self) -> bool {
        self.method == KktMethod::Schur
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
        let result = match (self.method, &mut self.schur) {
            (KktMethod::Schur, Some(schur)) => schur.refactor(&self.mn, j, c, &self.released),
            (KktMethod::Full, _) => self.full.refactor(|k| self.a[self.at[k] as usize], |k| j[k], j, c, 1.0),
            _ => panic!("refactor before prepare"),
        };
        self.ready = result.is_ok();
        result
    }

    /// The factorisation of K as it is.
    pub fn factor(&mut self) -> &mut Factor {
        self.full.factor()
    }

    /// Number of calls of `refactor`.
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
        match (self.method, &mut self.schur) {
            (KktMethod::Schur, Some(schur)) => schur.solve(b),
            _ => self.full.solve(b),
        }
    }
}
