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
//! `new` reserves three times the fill of random values in the order of COLAMD, with which no long row is a
//! pivot before the border; only a choice of pivots whose fill exceeds it allocates. Clones share the
//! pattern.

pub(crate) mod lu;
mod markowitz;
pub(crate) mod order;
mod panels;

use crate::{FactorError, Pattern, Singular};
use lu::{Columns, Lu};
use markowitz::Markowitz;
use panels::Panels;
use std::sync::Arc;

/// max |l_ik| above which pivots are chosen again, as a multiple of what it was when they were new ...
const GROWTH: f64 = 1e3;
/// ... but at least of this, 1/τ.
const NEW: f64 = 10.0;
/// max |l_ik| up to which a solve is as good as one with partial pivoting.
const EXACT: f64 = 16.0;
/// Values taken together.
const LANES: usize = 4;
/// Memory for so many times the fill of random values: pivots that are chosen on the way may have 2.2 times
/// that.
const ROOM: usize = 3;

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
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    /// r_i c_j, by positions.
    scales: Vec<f64>,
    lu: Lu,
    panels: Panels,
    /// max |l_ik|, and up to which the pivots are kept.
    growth: f64,
    limit: f64,
    /// Pivots below this part of their terms are zero to rounding.
    least: f64,
    b: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    /// Are there pivots?
    frozen: bool,
    ready: bool,
    /// How often pivots were chosen.
    choices: usize,
    work: usize,
}

/// 2^-e for 2^e ≤ x < 2^(e+1), x > 0; 1 outside the normal range.
#[inline]
fn inverse_power_of_two(x: f64) -> f64 {
    let e = (x.to_bits() >> 52) & 0x7ff;
    if (1..=2045).contains(&e) { f64::from_bits((2046 - e) << 52) } else { 1.0 }
}

impl SparseLu {
    /// Orders the columns and reserves the memory.
    pub fn new(pattern: &Pattern) -> Result<Self, FactorError> {
        Self::with_optional(pattern, &[])
    }
    /// The same where some positions may be zero in all matrices: they are left out of the patterns of L and
    /// U until one has a value, at which pivots are chosen again.
    pub fn with_optional(pattern: &Pattern, optional: &[u32]) -> Result<Self, FactorError> {
        let (n, cols, entries) = (pattern.rows(), pattern.cols(), pattern.nnz());
        if n != cols {
            return Err(FactorError::NotSquare { rows: n, cols });
        }
        let columns = Columns::new(pattern, order::by_columns(pattern)?);
        // the fill of random values; of none if the pattern is singular, which every refactor will say
        let mut lu = Lu::new(n, &columns, [entries; 2]);
        let fill = lu.pivot(&columns, &random(pattern, &columns), 0.0).map_or([0; 2], |()| lu.entries());
        let work = if fill == [0; 2] { 0 } else { lu.work() };
        let room = fill.map(|f| (ROOM * f + n).min(n * n.saturating_sub(1) / 2));
        Ok(Self {
            lu: Lu::new(n, &columns, room),
            panels: Panels::new(n, room),
            pattern: Arc::new(pattern.clone()),
            columns,
            optional: optional.iter().map(|&p| (p, false)).collect(),
            absent: vec![false; entries],
            markowitz: (n <= markowitz::LARGEST).then(|| Markowitz::new(n)),
            values: vec![0.0; entries],
            row_scale: vec![1.0; n],
            col_scale: vec![1.0; n],
            scales: vec![1.0; entries],
            growth: 1.0,
            limit: 0.0,
            least: 8.0 * (n as f64).sqrt() * f64::EPSILON,
            b: vec![0.0; n],
            y: vec![0.0; n],
            residual: vec![0.0; n],
            frozen: false,
            ready: false,
            choices: 0,
            work,
        })
    }
    /// How often pivots were chosen so far.
    pub fn choices(&self) -> usize {
        self.choices
    }
    /// Entries of L and U.
    pub fn entries(&self) -> usize {
        self.lu.entries().iter().sum()
    }

    /// Multiplications of a refactor, with the pivots in use or, before any, with those of random values.
    pub fn work(&self) -> usize {
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
        self.scale(values)?;
        self.frozen &= !self.appear(values);
        let frozen =
            self.frozen.then(|| self.panels.refactor(&self.lu, &self.columns, &self.values, self.least));
        match frozen {
            Some(Ok(growth)) if growth <= self.limit => self.growth = growth,
            _ => self.choose(values)?,
        }
        self.ready = true;
        Ok(())
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
        self.frozen = false;
        self.equilibrate(values);
        self.scale(values)?;
        if let Some(markowitz) = &mut self.markowitz {
            markowitz.order(&self.pattern, |p| !self.absent[p], &self.values, &mut self.columns.order);
        }
        self.columns.sort(&self.pattern, |p| !self.absent[p]);
        let columns = &self.columns;
        let singular = |k: usize| Singular { index: columns.order.columns[k] as usize };
        self.lu.pivot(columns, &self.values, self.least).map_err(singular)?;
        self.work = self.lu.work();
        self.panels.set(&self.lu);
        self.growth = self.panels.refactor(&self.lu, columns, &self.values, self.least).map_err(singular)?;
        self.limit = GROWTH * self.growth.max(NEW);
        self.frozen = true;
        Ok(())
    }
    /// Â = R A C with the present R and C.
    #[inline]
    fn scale(&mut self, values: &[f64]) -> Result<(), Singular> {
        let mut finite = [0.0; LANES];
        let (chunks, rest) = self.values.as_chunks_mut::<LANES>();
        let (a, a_rest) = values.as_chunks::<LANES>();
        let (s, s_rest) = self.scales.as_chunks::<LANES>();
        for ((x, a), s) in chunks.iter_mut().zip(a).zip(s) {
            for l in 0..LANES {
                x[l] = a[l] * s[l];
                finite[l] += x[l] * 0.0;
            }
        }
        for ((x, a), s) in rest.iter_mut().zip(a_rest).zip(s_rest) {
            *x = a * s;
            finite[0] += *x * 0.0;
        }
        if finite == [0.0; LANES] {
            return Ok(());
        }
        let bad = values.iter().position(|a| !a.is_finite());
        bad.map_or(Ok(()), |p| Err(Singular { index: self.pattern.col(p) }))
    }
    /// R and C, (1).
    fn equilibrate(&mut self, values: &[f64]) {
        let Self { pattern, row_scale, col_scale, scales, .. } = self;
        // r_i = 1 / max_j |a_ij|,  c_j = 1 / max_i r_i |a_ij|, as powers of two
        col_scale.fill(0.0);
        for (i, r) in row_scale.iter_mut().enumerate() {
            *r = inverse_power_of_two(values[pattern.row(i)].iter().fold(0.0, |m, a| a.abs().max(m)));
            for (j, a) in pattern.entries(i, values) {
                col_scale[j] = col_scale[j].max(*r * a.abs());
            }
        }
        for c in col_scale.iter_mut() {
            *c = inverse_power_of_two(*c);
        }
        pattern.iter().for_each(|(i, j, p)| scales[p] = row_scale[i] * col_scale[j]);
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

    /// (3), or (4) if transposed.
    fn solve_scaled<const T: bool>(&mut self, b: &mut [f64]) {
        assert!(self.ready, "solve without a factorisation");
        let n = self.b.len();
        assert!(b.len() == n, "right-hand side of length {} for a matrix of size {n}", b.len());
        let Self {
            pattern,
            columns,
            values,
            row_scale,
            col_scale,
            lu,
            panels,
            growth,
            b: rb,
            y,
            residual,
            ..
        } = self;
        let (left, right) = if T { (col_scale, row_scale) } else { (row_scale, col_scale) };
        let substitute = |b: &[f64], y: &mut [f64], x: &mut [f64]| {
            if T {
                columns.permute_t(b, y);
                panels.solve_t(y);
                lu.permute_t(y, x);
            } else {
                lu.permute(b, y);
                panels.solve(y);
                columns.permute(y, x);
            }
        };
        // ŷ = Â⁻¹ R b
        for i in 0..n {
            rb[i] = b[i] * left[i];
        }
        substitute(rb, y, b);
        // r = R b - Â ŷ,  ŷ += Â⁻¹ r
        if *growth > EXACT {
            let norm = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let size = norm(rb) + norm(b);
            if T {
                pattern.mul_t(values, -1.0, b, rb);
            } else {
                pattern.mul(values, -1.0, b, rb);
            }
            if norm(rb) > 4.0 * f64::EPSILON * size {
                substitute(rb, y, residual);
                b.iter_mut().zip(&*residual).for_each(|(b, r)| *b += r);
            }
        }
        // x = C ŷ
        for i in 0..n {
            b[i] *= right[i];
        }
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
