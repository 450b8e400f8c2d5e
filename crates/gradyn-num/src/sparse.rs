//! Sparse LU of an equilibrated matrix, its pivots frozen while they are good.
//!
//! ```text
//! Â = R A C,  R, C powers of two:  max_j |â_ij| ∈ [1, 2),  max_i |â_ij| ∈ [1, 2)                  (1)
//! P Â Q = L U                                                                                     (2)
//! A x = b:   Â ŷ = R b,  x = C ŷ                                                                  (3)
//! Aᵀ x = b:  Âᵀ ŷ = C b,  x = R ŷ                                                                 (4)
//! ```
//! R, C, P, Q and the patterns of L and U are chosen by the first `refactor` and kept: later ones compute
//! values only. They are chosen again when max |l_ik| exceeds 1e3 times what it was, at least 10: the frozen
//! pivots are then bad for the present values. Up to size 512, P and Q are those of Markowitz for the values;
//! above, Q is COLAMD of the pattern, and P follows it. Where max |l_ik| > 16, a solve checks its residual
//! and refines once if it is more than a few roundings.
//!
//! What a factorisation remembers of earlier matrices is the values that its pivots were chosen for, and
//! which optional positions had one by then ([`Pivots`]): from these `restore` chooses the same pivots again.
//!
//! `new` reserves three times the fill of random values in the order of COLAMD, with which no long row is a
//! pivot before the border; only a choice of pivots whose fill exceeds it allocates. Clones share the
//! pattern.

pub(crate) mod columns;
pub(crate) mod lu;
mod markowitz;
pub(crate) mod order;
mod panels;
mod scaling;
mod triangle;

use crate::{FactorError, Pattern, Singular};
use columns::Columns;
use lu::Lu;
use markowitz::Markowitz;
use panels::Panels;
use scaling::Scaling;
use std::cell::Cell;
use std::sync::Arc;

thread_local!(static CHOICES: Cell<usize> = const { Cell::new(0) });

/// How often pivots of sparse factorisations were chosen on this thread: while it stays, no factorisation
/// remembers anything new.
pub fn pivot_choices() -> usize {
    CHOICES.get()
}

/// What pivots were chosen for: the values of the matrix, and the optional positions that had a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Pivots {
    values: Vec<f64>,
    present: Vec<bool>,
}

impl Pivots {
    /// Memory that it takes [bytes].
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.values) + self.present.len()
    }
}

/// max |l_ik| above which pivots are chosen again, as a multiple of what it was when they were new ...
const RECHOOSE_AT_GROWTH: f64 = 1e3;
/// ... but at least of this, 1/τ.
const LEAST_NEW_GROWTH: f64 = 10.0;
/// max |l_ik| up to which a solve is as good as one with partial pivoting.
const EXACT_GROWTH: f64 = 16.0;
/// Memory for so many times the fill of random values: pivots that are chosen on the way may have 2.2 times
/// that.
const RESERVED_FILLS: usize = 3;

/// LU of a square sparse matrix, (2).
#[derive(Clone, Debug)]
pub struct SparseLu {
    pattern: Arc<Pattern>,
    columns: Columns,
    /// Positions that may be zero always, and whether they have had a value.
    optional: Vec<(u32, bool)>,
    absent: Vec<bool>,
    /// Orders again with the pivots, up to some size.
    markowitz: Option<Markowitz>,
    /// Â, by positions of the pattern.
    values: Vec<f64>,
    scaling: Scaling,
    lu: Lu,
    panels: Panels,
    /// max |l_ik| of the last refactor.
    growth: f64,
    /// max |l_ik| up to which the pivots are kept.
    growth_limit: f64,
    /// Pivots below this part of their terms are zero to rounding.
    least: f64,
    b: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    /// Are there pivots?
    frozen: bool,
    ready: bool,
    /// Values that they were chosen for, and what `pivots` gave last.
    chosen_for: Vec<f64>,
    given: Option<Arc<Pivots>>,
    /// How often pivots were chosen.
    choices: usize,
    work: usize,
}

impl SparseLu {
    /// Orders the columns and reserves the memory.
    pub fn new(pattern: &Pattern) -> Result<Self, FactorError> {
        Self::with_optional(pattern, &[])
    }
    /// Like `new`, where some positions may be zero in all matrices: they are left out of the patterns of L
    /// and U until one has a value, at which pivots are chosen again.
    pub fn with_optional(pattern: &Pattern, optional: &[u32]) -> Result<Self, FactorError> {
        let n = pattern.rows();
        if n != pattern.cols() {
            return Err(FactorError::NotSquare { rows: n, cols: pattern.cols() });
        }
        let entries = pattern.nnz();
        let columns = Columns::new(pattern, order::by_columns(pattern)?);

        // the fill of random values; of none if the pattern is singular, which every refactor will say
        let mut lu = Lu::new(n, &columns, [entries; 2]);
        let fill = lu.pivot(&columns, &random(pattern, &columns), 0.0).map_or([0; 2], |()| lu.entries());
        let work = if fill == [0; 2] { 0 } else { lu.work() };

        // memory, and no pivots yet
        let room = fill.map(|f| (RESERVED_FILLS * f + n).min(n * n.saturating_sub(1) / 2));
        Ok(Self {
            lu: Lu::new(n, &columns, room),
            panels: Panels::new(n, room),
            pattern: Arc::new(pattern.clone()),
            columns,
            optional: optional.iter().map(|&p| (p, false)).collect(),
            absent: vec![false; entries],
            markowitz: (n <= markowitz::LARGEST_SIZE).then(|| Markowitz::new(n)),
            values: vec![0.0; entries],
            scaling: Scaling::new(n, entries),
            growth: 1.0,
            growth_limit: 0.0,
            least: 8.0 * (n as f64).sqrt() * f64::EPSILON,
            b: vec![0.0; n],
            y: vec![0.0; n],
            residual: vec![0.0; n],
            frozen: false,
            ready: false,
            chosen_for: vec![0.0; entries],
            given: None,
            choices: 0,
            work,
        })
    }
    /// How often pivots were chosen so far.
    pub fn choices(&self) -> usize {
        self.choices
    }
    /// Number of entries of L and U.
    pub fn entries(&self) -> usize {
        self.lu.entries().iter().sum()
    }

    /// Multiplications of a refactor, with the pivots in use or, before any, with those of random values.
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// Entries of L and U for which there is memory, at least those in use.
    pub fn reserved(&self) -> usize {
        self.lu.reserved()
    }

    /// Factorises A with new values. A pivot below 8 √n ε of the terms of its column counts as zero.
    pub fn refactor(&mut self, values: &[f64]) -> Result<(), Singular> {
        let pattern = &self.pattern;
        assert!(values.len() == pattern.nnz(), "{} values on a pattern of {}", values.len(), pattern.nnz());
        self.ready = false;

        // Â, and L, U with the frozen pivots
        self.scale(values)?;
        self.frozen &= !self.appear(values);
        let frozen =
            self.frozen.then(|| self.panels.refactor(&self.lu, &self.columns, &self.values, self.least));

        // or with new ones
        match frozen {
            Some(Ok(growth)) if growth <= self.growth_limit => self.growth = growth,
            _ => self.choose(values)?,
        }
        self.ready = true;
        Ok(())
    }
    /// What the present pivots were chosen for; `None` where there are none.
    pub fn pivots(&mut self) -> Option<Arc<Pivots>> {
        if !self.frozen {
            return None;
        }
        let new = || {
            let present = self.optional.iter().map(|o| o.1).collect();
            Arc::new(Pivots { values: self.chosen_for.clone(), present })
        };
        Some(self.given.get_or_insert_with(new).clone())
    }
    /// Goes back to pivots that `pivots` of a factorisation on this pattern gave, or to none. The next solve
    /// needs a refactor.
    pub fn restore(&mut self, pivots: Option<&Arc<Pivots>>) {
        self.ready = false;
        match (pivots, &self.given) {
            (Some(asked), Some(given)) if self.frozen && Arc::ptr_eq(asked, given) => return,
            _ => self.frozen = false,
        }
        // optional positions
        let present = |k: usize| pivots.is_some_and(|p| p.present[k]);
        for (k, (p, is_present)) in self.optional.iter_mut().enumerate() {
            *is_present = present(k);
            self.absent[*p as usize] = !*is_present;
        }
        // pivots for the values that they were chosen for; these are not singular
        if let Some(pivots) = pivots
            && self.choose(&pivots.values).is_ok()
        {
            self.given = Some(pivots.clone());
        }
    }
    /// Takes optional positions in that have a value for the first time; true if there are any.
    fn appear(&mut self, values: &[f64]) -> bool {
        let mut any = false;
        for (p, present) in &mut self.optional {
            any |= !*present && values[*p as usize] != 0.0;
            *present |= values[*p as usize] != 0.0;
            self.absent[*p as usize] = !*present;
        }
        any
    }
    /// R, C, P and patterns for these values.
    fn choose(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.choices += 1;
        CHOICES.set(CHOICES.get() + 1);
        self.frozen = false;
        self.chosen_for.copy_from_slice(values);
        self.given = None;

        // R, C, Â
        self.scaling.choose(&self.pattern, values);
        self.scale(values)?;

        // Q
        if let Some(markowitz) = &mut self.markowitz {
            markowitz.order(&self.pattern, |p| !self.absent[p], &self.values, &mut self.columns.order);
        }
        self.columns.sort(&self.pattern, |p| !self.absent[p]);

        // P, the patterns of L and U, and their values
        let columns = &self.columns;
        let singular = |k: usize| Singular { index: columns.order.columns[k] as usize };
        self.lu.pivot(columns, &self.values, self.least).map_err(singular)?;
        self.work = self.lu.work();
        self.panels.set(&self.lu);
        self.growth = self.panels.refactor(&self.lu, columns, &self.values, self.least).map_err(singular)?;
        self.growth_limit = RECHOOSE_AT_GROWTH * self.growth.max(LEAST_NEW_GROWTH);
        self.frozen = true;
        Ok(())
    }
    /// Â = R A C with the present R and C; the error names the column of a value that is not finite.
    #[inline]
    fn scale(&mut self, values: &[f64]) -> Result<(), Singular> {
        if self.scaling.apply(values, &mut self.values) {
            return Ok(());
        }
        let bad = values.iter().position(|a| !a.is_finite());
        bad.map_or(Ok(()), |p| Err(Singular { index: self.pattern.col(p) }))
    }

    /// b ← A⁻¹ b, (3).
    ///
    /// # Panics
    /// If the last `refactor` failed.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.solve_scaled::<false>(b);
    }

    /// b ← A⁻ᵀ b, (4).
    ///
    /// # Panics
    /// If the last `refactor` failed.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        self.solve_scaled::<true>(b);
    }

    /// b ← A⁻¹ b by (3), or b ← A⁻ᵀ b by (4) if transposed.
    fn solve_scaled<const T: bool>(&mut self, b: &mut [f64]) {
        assert!(self.ready, "solve without a factorisation");
        let n = self.b.len();
        assert!(b.len() == n, "right-hand side of length {} for a matrix of size {n}", b.len());

        // ŷ = Â⁻¹ R b
        let left = if T { &self.scaling.cols } else { &self.scaling.rows };
        for i in 0..n {
            self.b[i] = b[i] * left[i];
        }
        substitute::<T>(&self.columns, &self.lu, &self.panels, &self.b, &mut self.y, b);
        if self.growth > EXACT_GROWTH {
            self.refine::<T>(b);
        }

        // x = C ŷ
        let right = if T { &self.scaling.rows } else { &self.scaling.cols };
        for i in 0..n {
            b[i] *= right[i];
        }
    }
    /// r = R b - Â ŷ,  ŷ += Â⁻¹ r, if r is more than a few roundings; `y_hat` is ŷ.
    fn refine<const T: bool>(&mut self, y_hat: &mut [f64]) {
        let Self { pattern, columns, values, lu, panels, b, y, residual, .. } = self;
        let norm = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let size = norm(b) + norm(y_hat);
        if T {
            pattern.mul_t(values, -1.0, y_hat, b);
        } else {
            pattern.mul(values, -1.0, y_hat, b);
        }
        if norm(b) > 4.0 * f64::EPSILON * size {
            substitute::<T>(columns, lu, panels, b, y, residual);
            y_hat.iter_mut().zip(&*residual).for_each(|(x, r)| *x += r);
        }
    }
}

/// x = Â⁻¹ b, or Â⁻ᵀ b if transposed; y is memory.
#[inline]
fn substitute<const T: bool>(
    columns: &Columns,
    lu: &Lu,
    panels: &Panels,
    b: &[f64],
    y: &mut [f64],
    x: &mut [f64],
) {
    if T {
        columns.permute_t(b, y);
        panels.solve_t(y);
        lu.permute_t(y, x);
    } else {
        lu.permute(b, y);
        panels.solve(y);
        columns.permute(y, x);
    }
}

/// Values in [0.5, 1.5), those of long rows so small that they are pivots only where nothing else is.
fn random(pattern: &Pattern, columns: &Columns) -> Vec<f64> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        0.5 + (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let scale = |i: usize| if columns.order.long[i] { 1e-30 } else { 1.0 };
    pattern.iter().map(|(i, _, _)| next() * scale(i)).collect()
}
