//! Constraint rows: quadratic ones, those by formula, and the weights that a model gives to single rows.
//!
//! ```text
//! Σ_l c_l Φ⁽ˡ⁾                      (1)  one weight for all rows
//! Σ_l c_l W_l Φ⁽ˡ⁾,   W_l diagonal  (2)  level by level, by (1)
//! ```

use super::{Data, Elements};
use crate::element::ArgsDot;
use crate::row_status::RowStatus;
use crate::system::{At, LEVEL};
use gradyn_num::Scalar;
use std::ops::Range;

impl Elements {
    /// out += (2) for a product `one` that adds (1); `part` are the values that belong to a row.
    #[inline]
    pub(super) fn by_level<S: Scalar>(
        &self,
        c: [f64; 3],
        d: &mut Data<S>,
        out: &mut [S],
        part: impl Fn(usize) -> Range<usize>,
        one: impl Fn([f64; 3], &mut Data<S>, &mut [S]),
    ) {
        // (1) where all rows have one weight
        let Some(weights) = self.penalties.weights(c) else { return one(c, d, out) };
        // (2): each level alone, times its weights
        let mut all = std::mem::take(&mut d.level);
        for (l, w) in weights.iter().enumerate().filter(|(l, _)| c[*l] != 0.0) {
            let level = &mut all[..out.len()];
            level.fill(S::zero());
            one(LEVEL[l].map(|x| x * c[l]), d, level);
            for (k, w) in w.iter().enumerate() {
                part(k).for_each(|i| out[i] += level[i] * *w);
            }
        }
        d.level = all;
    }
    /// The transpose: `one` takes W_l μ.
    pub(super) fn by_level_t<S: Scalar>(
        &self,
        c: [f64; 3],
        d: &mut Data<S>,
        mu: &[S],
        mut one: impl FnMut([f64; 3], &mut Data<S>, &[S]),
    ) {
        let Some(weights) = self.penalties.weights(c) else { return one(c, d, mu) };
        let mut all = std::mem::take(&mut d.level);
        for (l, w) in weights.iter().enumerate().filter(|(l, _)| c[*l] != 0.0) {
            let level = &mut all[..mu.len()];
            level.iter_mut().zip(mu.iter().zip(w)).for_each(|(x, (mu, w))| *x = *mu * *w);
            one(LEVEL[l].map(|x| x * c[l]), d, level);
        }
        d.level = all;
    }
    /// c₀Φ + c₁Φ̇ + c₂Φ̈.
    #[inline]
    pub(super) fn row_values<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.rows.constraint(&d.args.values, at, c, &self.patterns.mn, &d.phi_q, out);
        for (row, o) in self.formulas.iter().zip(&mut out[self.rows.rows..]) {
            *o += row.constraint(&d.args, at, c, &mut d.formula);
        }
        d.rows.dropped_elements().for_each(|k| out[k] = S::zero());
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_q.
    pub(super) fn rows_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        let quadratic = self.quadratic_entries();
        if c[0] != 0.0 {
            out[..quadratic].iter_mut().zip(&d.phi_q[..quadratic]).for_each(|(o, j)| *o += *j * c[0]);
        }
        for (c, x) in [(c[1], at.v), (c[2], at.a)] {
            if c != 0.0 {
                self.rows.rate_q(&d.args.values, c, x, out);
            }
        }
        self.formula_rows(at, c, d, 0, out);
        self.clear_dropped(&d.rows, out);
    }
    /// (c₁Φ̇ + c₂Φ̈)_v.
    pub(super) fn rows_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        let quadratic = self.quadratic_entries();
        if c[1] != 0.0 {
            out[..quadratic].iter_mut().zip(&d.phi_q[..quadratic]).for_each(|(o, j)| *o += *j * c[1]);
        }
        if c[2] != 0.0 {
            self.rows.rate_q(&d.args.values, 2.0 * c[2], at.v, out); // Φ̈_v = 2Φ̇_q
        }
        self.formula_rows(at, c, d, 1, out);
        self.clear_dropped(&d.rows, out);
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub(super) fn rows_p<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        self.rows.constraint_p(at, c, delta, out);
        self.signal_tangents(at.t, delta, d);
        let dot = ArgsDot { slots: delta, signals: &d.dot };
        for (f, o) in self.formulas.iter().zip(&mut out[self.rows.rows..]) {
            *o += f.constraint_p(&d.args, at, c, &dot, &mut d.formula);
        }
        d.rows.dropped_elements().for_each(|k| out[k] = S::zero());
    }
    /// q += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_qᵀ μ, v += s (c₁Φ̇ + c₂Φ̈)_vᵀ μ.
    pub(super) fn rows_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
    ) {
        // μ without the dropped rows
        let mut kept = std::mem::take(&mut d.kept);
        kept.copy_from_slice(mu);
        d.rows.dropped_elements().for_each(|k| kept[k] = S::zero());
        let (quadratic, formulas) = kept.split_at(self.rows.rows);
        // q̄ += s c₀ Φ_qᵀ μ, v̄ += s c₁ Φ_qᵀ μ of quadratic rows
        for (c, out) in [(c[0], &mut *q), (c[1], &mut *v)] {
            for (k, mu) in quadratic.iter().enumerate().filter(|_| c != 0.0) {
                let mu = *mu * (s * c);
                self.patterns.mn.row(k).for_each(|pos| out[self.patterns.mn.col(pos)] += d.phi_q[pos] * mu);
            }
        }
        // the parts of their rates
        if c[1] != 0.0 || c[2] != 0.0 {
            self.rows.rates_t(&d.args.values, at, c, quadratic, s, q, v);
        }
        // rows by formula
        for (f, mu) in self.formulas.iter().zip(formulas) {
            f.constraint_t(&d.args, at, c, *mu * s, &mut d.formula, [q, v]);
        }
        d.kept = kept;
    }
    /// s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    pub(super) fn rows_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        // dropped rows depend on nothing
        let mut kept = std::mem::take(&mut d.kept);
        kept.copy_from_slice(mu);
        d.rows.dropped_elements().for_each(|k| kept[k] = S::zero());
        self.rows.constraint_p_t(at, c, &kept, s, grad);
        if !self.formulas.is_empty() {
            self.with_bar(at.t, d, grad, |d, bar| {
                for (f, mu) in self.formulas.iter().zip(&kept[self.rows.rows..]) {
                    f.constraint_p_t(&d.args, at, c, *mu * s, &mut d.formula, bar);
                }
            });
        }
        d.kept = kept;
    }
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
    /// Formula rows of (c₀Φ + c₁Φ̇ + c₂Φ̈)_q (level 0) or _v (level 1).
    fn formula_rows<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, level: usize, out: &mut [S]) {
        for f in &self.formulas {
            f.rate_q(&d.args, at, c, level, &mut d.formula, out);
        }
    }
}
