//! Dependencies of redundant rows, (1) of `redundancy`, and what is done with them.

use gradyn_model::{Mechanics, RowChoice};
use gradyn_num::{Basis, DenseLu, largest, unit_rows};

/// What counts as zero in (2)–(4) of `redundancy`, relative to the terms.
pub(super) const ZERO: f64 = 1e-6;

/// Coefficients of (1) below this, for rows of unit length, are roundings.
const ROUNDING: f64 = 1e-11;

/// n_r of (1) for every row that is left out.
pub(super) struct NullVectors {
    /// The rows r.
    pub of: Vec<usize>,
    /// Their n_r, of all rows; exact zeros where a row has no part in it.
    pub n: Vec<Vec<f64>>,
}

impl NullVectors {
    /// What row r follows from.
    pub(super) fn rows_behind(&self, row: usize) -> Vec<usize> {
        let Some(k) = self.of.iter().position(|r| *r == row) else { return vec![] };
        (0..self.n[k].len()).filter(|&i| i != row && self.n[k][i].abs() > ZERO).collect()
    }
}

/// (1) where `phi_q` was evaluated; `None` where independent rows became dependent.
pub(super) fn null_vectors(sys: &Mechanics, choice: &RowChoice, phi_q: &[f64]) -> Option<NullVectors> {
    let mn = &sys.patterns().mn;
    let [_, rows] = &choice.independent;
    // basis of the kept rows, of unit length
    let (sizes, unit) = unit_rows(mn, phi_q);
    let mut basis = Basis::default();
    if rows.iter().any(|&k| basis.add(unit[k as usize].clone(), ROUNDING) <= ROUNDING) {
        return None;
    }
    // n of a redundant row: n_k = d_k |r|/|k| of kept rows, -1 of itself
    let vector = |&r: &usize| {
        let d = basis.coefficients(&unit[r]);
        let zero = ROUNDING * largest(d.iter().copied());
        let mut n = vec![0.0; mn.rows()];
        for (k, d) in rows.iter().map(|&k| k as usize).zip(d) {
            n[k] = if d.abs() > zero { d * sizes[r] / sizes[k] } else { 0.0 };
        }
        n[r] = -1.0;
        n
    };
    let of: Vec<usize> = choice.redundant().map(|r| r as usize).collect();
    Some(NullVectors { n: of.iter().map(vector).collect(), of })
}

/// What of λ is in the span of n_r, orthogonal with respect to W: N (NᵀWN)⁻¹ NᵀWλ; nothing where that has no
/// inverse.
pub(super) fn self_stress(vectors: &NullVectors, weight: &[f64], lam: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(weight).map(|((a, b), w)| a * b * w).sum::<f64>();
    let vectors = &vectors.n;
    let r = vectors.len();
    let mut gram = DenseLu::new(r);
    let mut stress = vec![0.0; lam.len()];
    // G_ij = n_iᵀ W n_j
    for (i, a) in vectors.iter().enumerate() {
        for (j, b) in vectors.iter().enumerate() {
            gram.matrix_mut()[i * r + j] = dot(a, b);
        }
    }
    if gram.factor().is_err() {
        return stress;
    }
    // c = G⁻¹ nᵀ W λ, stress = Σ c n
    let mut c: Vec<f64> = vectors.iter().map(|n| dot(n, lam)).collect();
    gram.solve(&mut c);
    for (c, n) in c.iter().zip(vectors) {
        stress.iter_mut().zip(n).for_each(|(s, n)| *s += c * n);
    }
    stress
}

/// Rows that share a load with a redundant row: those of its n_r, and of all n_r that meet them.
pub(super) fn linked(row: usize, vectors: &NullVectors) -> Vec<bool> {
    let vectors = &vectors.n;
    let mut linked = vec![false; vectors[0].len()];
    linked[row] = true;
    for _ in vectors {
        for n in vectors {
            let meets = n.iter().zip(&linked).any(|(n, on)| *on && n.abs() > ZERO);
            linked.iter_mut().zip(n).for_each(|(on, n)| *on |= meets && n.abs() > ZERO);
        }
    }
    linked
}

/// n·x and Σ|n_i x_i|.
pub(super) fn contract(n: &[f64], x: &[f64]) -> (f64, f64) {
    n.iter().zip(x).map(|(n, x)| n * x).fold((0.0, 0.0), |(s, a), x| (s + x, a + x.abs()))
}
