//! Equilibration by powers of two.
//!
//! ```text
//! Â = R A C,   max_j |â_ij| ∈ [1, 2),   max_i |â_ij| ∈ [1, 2)                                     (1)
//! ```

use crate::Pattern;
use crate::lanes::LANES;

/// R and C of (1).
#[derive(Clone, Debug)]
pub(super) struct Scaling {
    pub rows: Vec<f64>,
    pub cols: Vec<f64>,
    /// r_i c_j, by positions of the pattern.
    products: Vec<f64>,
}

/// 2^-e for 2^e ≤ x < 2^(e+1), x > 0; 1 outside the normal range.
#[inline]
fn inverse_power_of_two(x: f64) -> f64 {
    let e = (x.to_bits() >> 52) & 0x7ff;
    if (1..=2045).contains(&e) { f64::from_bits((2046 - e) << 52) } else { 1.0 }
}

impl Scaling {
    /// Scales of 1, and memory.
    pub(super) fn new(n: usize, entries: usize) -> Self {
        Self { rows: vec![1.0; n], cols: vec![1.0; n], products: vec![1.0; entries] }
    }
    /// R and C (1) for these values.
    pub(super) fn choose(&mut self, pattern: &Pattern, values: &[f64]) {
        let Self { rows, cols, products } = self;

        // r_i = 1 / max_j |a_ij|,  c_j = 1 / max_i r_i |a_ij|, as powers of two
        cols.fill(0.0);
        for (i, r) in rows.iter_mut().enumerate() {
            *r = inverse_power_of_two(values[pattern.row(i)].iter().fold(0.0, |m, a| a.abs().max(m)));
            for (j, a) in pattern.entries(i, values) {
                cols[j] = cols[j].max(*r * a.abs());
            }
        }
        for c in cols.iter_mut() {
            *c = inverse_power_of_two(*c);
        }

        // r_i c_j
        pattern.iter().for_each(|(i, j, p)| products[p] = rows[i] * cols[j]);
    }
    /// scaled = R A C, by positions; false if a value of it is not finite.
    #[inline]
    pub(super) fn apply(&self, values: &[f64], scaled: &mut [f64]) -> bool {
        let mut finite = [0.0; LANES];
        let (chunks, rest) = scaled.as_chunks_mut::<LANES>();
        let (a, a_rest) = values.as_chunks::<LANES>();
        let (s, s_rest) = self.products.as_chunks::<LANES>();

        // â = a r c, and 0 · â, which is not zero for ∞ and NaN
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
        finite == [0.0; LANES]
    }
}
