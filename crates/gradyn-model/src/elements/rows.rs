//! Constraint rows: quadratic ones, those by formula, and the weights that a model gives to single rows.
//!
//! ```text
//! Σ_l c_l Φ⁽ˡ⁾                      (1)  one weight for all rows
//! Σ_l c_l W_l Φ⁽ˡ⁾,   W_l diagonal  (2)  level by level, by (1)
//! ```

use super::{ElementTerms, Elements};
use crate::element::ArgsDot;
use crate::row_status::RowStatus;
use crate::system::{At, Level};
use gradyn_num::{Pattern, Scalar};
use std::ops::Range;

impl Elements {
    /// Zero in the dropped rows of a matrix on m × n.
    pub(super) fn clear_dropped<S: Scalar>(&self, rows: &RowStatus, values: &mut [S]) {
        rows.dropped_elements().for_each(|k| values[self.patterns.mn.row(k)].fill(S::zero()));
    }
    /// Where the entries of the formulas begin on m × n.
    fn quadratic_entries(&self) -> usize {
        if self.formulas.is_empty() {
            self.patterns.mn.nnz()
        } else {
            self.patterns.mn.row(self.rows.rows).start
        }
    }
}

impl<S: Scalar> ElementTerms<S> {
    /// out += (2) for a product `one` that adds (1); `part` are the values that belong to a row.
    #[inline]
    pub(super) fn by_level(
        &mut self,
        c: [f64; 3],
        out: &mut [S],
        part: impl Fn(&Pattern, usize) -> Range<usize>,
        one: impl Fn(&mut Self, [f64; 3], &mut [S]),
    ) {
        // (1) where all rows have one weight
        if self.elements.penalties.weights(c).is_none() {
            return one(self, c, out);
        }
        // (2): each level alone, times its weights
        let mut all = std::mem::take(&mut self.level);
        for l in (0..3).filter(|&l| c[l] != 0.0) {
            let level = &mut all[..out.len()];
            level.fill(S::zero());
            one(self, Level::ALL[l].map(|x| x * c[l]), level);
            let weights = self.elements.penalties.weights(c).into_iter().flat_map(|w| &w[l]);
            for (k, w) in weights.enumerate() {
                part(&self.elements.patterns.mn, k).for_each(|i| out[i] += level[i] * *w);
            }
        }
        self.level = all;
    }
    /// The transpose: `one` takes W_l μ.
    pub(super) fn by_level_t(
        &mut self,
        c: [f64; 3],
        mu: &[S],
        mut one: impl FnMut(&mut Self, [f64; 3], &[S]),
    ) {
        if self.elements.penalties.weights(c).is_none() {
            return one(self, c, mu);
        }
        let mut all = std::mem::take(&mut self.level);
        for l in (0..3).filter(|&l| c[l] != 0.0) {
            let level = &mut all[..mu.len()];
            let weights = self.elements.penalties.weights(c).into_iter().flat_map(|w| &w[l]);
            level.iter_mut().zip(mu.iter().zip(weights)).for_each(|(x, (mu, w))| *x = *mu * *w);
            one(self, Level::ALL[l].map(|x| x * c[l]), level);
        }
        self.level = all;
    }
    /// c₀Φ + c₁Φ̇ + c₂Φ̈.
    #[inline]
    pub(super) fn row_values(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.elements.rows.constraint(&self.args.values, at, c, &self.elements.patterns.mn, &self.phi_q, out);
        for (row, o) in self.elements.formulas.iter().zip(&mut out[self.elements.rows.rows..]) {
            *o += row.constraint(&self.args, at, c, &mut self.formula);
        }
        self.rows.dropped_elements().for_each(|k| out[k] = S::zero());
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_q.
    pub(super) fn rows_q(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        let quadratic = self.elements.quadratic_entries();
        if c[0] != 0.0 {
            out[..quadratic].iter_mut().zip(&self.phi_q[..quadratic]).for_each(|(o, j)| *o += *j * c[0]);
        }
        for (c, x) in [(c[1], at.v), (c[2], at.a)] {
            if c != 0.0 {
                self.elements.rows.rate_q(&self.args.values, c, x, out);
            }
        }
        self.formula_rows(at, c, 0, out);
        self.elements.clear_dropped(&self.rows, out);
    }
    /// (c₁Φ̇ + c₂Φ̈)_v.
    pub(super) fn rows_v(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        let quadratic = self.elements.quadratic_entries();
        if c[1] != 0.0 {
            out[..quadratic].iter_mut().zip(&self.phi_q[..quadratic]).for_each(|(o, j)| *o += *j * c[1]);
        }
        if c[2] != 0.0 {
            self.elements.rows.rate_q(&self.args.values, 2.0 * c[2], at.v, out); // Φ̈_v = 2Φ̇_q
        }
        self.formula_rows(at, c, 1, out);
        self.elements.clear_dropped(&self.rows, out);
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub(super) fn rows_p(&mut self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.elements.rows.constraint_p(at, c, delta, out);
        self.signal_tangents(at.t, delta);
        let dot = ArgsDot { slots: delta, signals: &self.dot };
        for (f, o) in self.elements.formulas.iter().zip(&mut out[self.elements.rows.rows..]) {
            *o += f.constraint_p(&self.args, at, c, &dot, &mut self.formula);
        }
        self.rows.dropped_elements().for_each(|k| out[k] = S::zero());
    }
    /// q += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_qᵀ μ, v += s (c₁Φ̇ + c₂Φ̈)_vᵀ μ.
    pub(super) fn rows_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, q: &mut [S], v: &mut [S]) {
        // μ without the dropped rows
        let mut kept = std::mem::take(&mut self.kept);
        kept.copy_from_slice(mu);
        self.rows.dropped_elements().for_each(|k| kept[k] = S::zero());
        let (quadratic, formulas) = kept.split_at(self.elements.rows.rows);
        // q̄ += s c₀ Φ_qᵀ μ, v̄ += s c₁ Φ_qᵀ μ of quadratic rows
        for (c, out) in [(c[0], &mut *q), (c[1], &mut *v)] {
            for (k, mu) in quadratic.iter().enumerate().filter(|_| c != 0.0) {
                let mu = *mu * (s * c);
                self.elements
                    .patterns
                    .mn
                    .row(k)
                    .for_each(|pos| out[self.elements.patterns.mn.col(pos)] += self.phi_q[pos] * mu);
            }
        }
        // the parts of their rates
        if c[1] != 0.0 || c[2] != 0.0 {
            self.elements.rows.rates_t(&self.args.values, at, c, quadratic, s, q, v);
        }
        // rows by formula
        for (f, mu) in self.elements.formulas.iter().zip(formulas) {
            f.constraint_t(&self.args, at, c, *mu * s, &mut self.formula, [q, v]);
        }
        self.kept = kept;
    }
    /// s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    pub(super) fn rows_p_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, grad: &mut [S]) {
        // dropped rows depend on nothing
        let mut kept = std::mem::take(&mut self.kept);
        kept.copy_from_slice(mu);
        self.rows.dropped_elements().for_each(|k| kept[k] = S::zero());
        self.elements.rows.constraint_p_t(at, c, &kept, s, grad);
        if !self.elements.formulas.is_empty() {
            self.with_bar(at.t, grad, |terms, bar| {
                for (f, mu) in terms.elements.formulas.iter().zip(&kept[terms.elements.rows.rows..]) {
                    f.constraint_p_t(&terms.args, at, c, *mu * s, &mut terms.formula, bar);
                }
            });
        }
        self.kept = kept;
    }
    /// Formula rows of (c₀Φ + c₁Φ̇ + c₂Φ̈)_q (level 0) or _v (level 1).
    fn formula_rows(&mut self, at: &At<S>, c: [f64; 3], level: usize, out: &mut [S]) {
        for f in &self.elements.formulas {
            f.rate_q(&self.args, at, c, level, &mut self.formula, out);
        }
    }
}
