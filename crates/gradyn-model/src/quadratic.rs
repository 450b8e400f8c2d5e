//! Natural constraints are one batch of sparse quadratic rows.
//!
//! ```text
//! φ_k = Σ p_s q_i q_j + Σ p_s q_i + p_s                                                          (1)
//! Φ_q = A q + b,  Φ̇ = Φ_q v,  Φ̈ = Φ_q a + (A v)·v,  Φ̇_q = A v,  Φ̈_q = A a,  Φ̈_v = 2 A v          (2)
//! (Φ_qᵀ λ)_q = Σ λ_k A_k                                                                         (3)
//! ```
//! The coefficients are slots, so that Φ_p, Φ̇_p, Φ̈_p and (Φ_qᵀλ)_p are loops over the same term list. No explicit t.

use crate::system::At;
use gradyn_num::{Pattern, Scalar};

/// p[slot] q_i q_j in row `row`; positions of (row, i), (row, j) in Φ_q and of (i, j), (j, i) in n × n.
#[derive(Clone, Copy, Debug)]
pub struct Bilinear {
    /// Row.
    pub row: u32,
    /// First coordinate.
    pub i: u32,
    /// Second coordinate.
    pub j: u32,
    /// Slot of the coefficient.
    pub slot: u32,
    pos_i: u32,
    pos_j: u32,
    ij: u32,
    ji: u32,
}
/// p[slot] q_i in row `row`.
#[derive(Clone, Copy, Debug)]
pub struct LinearTerm {
    /// Row.
    pub row: u32,
    /// Coordinate.
    pub i: u32,
    /// Slot of the coefficient.
    pub slot: u32,
    pos: u32,
}

/// (1) for all rows.
#[derive(Clone, Debug, Default)]
pub struct QuadraticRows {
    /// Number of rows.
    pub rows: usize,
    bilinear: Vec<Bilinear>,
    linear: Vec<LinearTerm>,
    constant: Vec<(u32, u32)>,
}

/// A row while the system is being built.
#[derive(Clone, Debug, Default)]
pub struct RowTerms {
    /// (i, j, slot).
    pub bilinear: Vec<(usize, usize, u32)>,
    /// (i, slot).
    pub linear: Vec<(usize, u32)>,
    /// Slots of the constant.
    pub constant: Vec<u32>,
}
impl RowTerms {
    /// Coordinates that the row touches.
    pub fn coords(&self) -> impl Iterator<Item = usize> + '_ {
        self.bilinear.iter().flat_map(|t| [t.0, t.1]).chain(self.linear.iter().map(|t| t.0))
    }
}

impl QuadraticRows {
    /// Compiles rows onto the patterns.
    pub fn new(rows: &[RowTerms], nn: &Pattern, mn: &Pattern) -> Self {
        let at = |p: &Pattern, i: usize, j: usize| p.position(i, j).expect("the pattern contains every term") as u32;
        let mut all = Self { rows: rows.len(), ..Self::default() };
        for (k, row) in rows.iter().enumerate() {
            for &(i, j, slot) in &row.bilinear {
                let (pos_i, pos_j) = (at(mn, k, i), at(mn, k, j));
                let (ij, ji) = (at(nn, i, j), at(nn, j, i));
                all.bilinear.push(Bilinear { row: k as u32, i: i as u32, j: j as u32, slot, pos_i, pos_j, ij, ji });
            }
            for &(i, slot) in &row.linear {
                all.linear.push(LinearTerm { row: k as u32, i: i as u32, slot, pos: at(mn, k, i) });
            }
            all.constant.extend(row.constant.iter().map(|&s| (k as u32, s)));
        }
        all
    }
    /// Φ_q: out += A q + b.
    #[inline]
    pub fn phi_q<S: Scalar>(&self, p: &[S], q: &[S], out: &mut [S]) {
        for t in &self.bilinear {
            let c = p[t.slot as usize];
            out[t.pos_i as usize] += c * q[t.j as usize];
            out[t.pos_j as usize] += c * q[t.i as usize];
        }
        for t in &self.linear {
            out[t.pos as usize] += p[t.slot as usize];
        }
    }
    /// out += c₀Φ + c₁Φ̇ + c₂Φ̈, with Φ_q at hand.
    #[inline]
    pub fn constraint<S: Scalar>(&self, p: &[S], at: &At<S>, c: [f64; 3], mn: &Pattern, phi_q: &[S], out: &mut [S]) {
        if c[0] != 0.0 {
            for t in &self.bilinear {
                out[t.row as usize] += p[t.slot as usize] * at.q[t.i as usize] * at.q[t.j as usize] * c[0];
            }
            for t in &self.linear {
                out[t.row as usize] += p[t.slot as usize] * at.q[t.i as usize] * c[0];
            }
            for &(k, s) in &self.constant {
                out[k as usize] += p[s as usize] * c[0];
            }
        }
        // Φ_q (c₁ v + c₂ a)
        for (w, x) in [(c[1], at.v), (c[2], at.a)] {
            if w != 0.0 {
                for k in 0..self.rows {
                    for pos in mn.row(k) {
                        out[k] += phi_q[pos] * x[mn.col(pos)] * w;
                    }
                }
            }
        }
        // c₂ (A v)·v
        if c[2] != 0.0 {
            for t in &self.bilinear {
                out[t.row as usize] += p[t.slot as usize] * at.v[t.i as usize] * at.v[t.j as usize] * (2.0 * c[2]);
            }
        }
    }
    /// out += A x, on the pattern of Φ_q: Φ̇_q for x = v, Φ̈_q for x = a.
    #[inline]
    pub fn rate_q(&self, p: &[f64], s: f64, x: &[f64], out: &mut [f64]) {
        for t in &self.bilinear {
            let c = s * p[t.slot as usize];
            out[t.pos_i as usize] += c * x[t.j as usize];
            out[t.pos_j as usize] += c * x[t.i as usize];
        }
    }
    /// (3): out += Σ λ_k A_k.
    #[inline]
    pub fn balance_q(&self, p: &[f64], lam: &[f64], out: &mut [f64]) {
        for t in &self.bilinear {
            let c = lam[t.row as usize] * p[t.slot as usize];
            out[t.ij as usize] += c;
            out[t.ji as usize] += c;
        }
    }
    /// f(row, slot, w): the coefficient of each slot in c₀Φ + c₁Φ̇ + c₂Φ̈.
    #[inline]
    fn each_slot(&self, at: &At, [c0, c1, c2]: [f64; 3], mut f: impl FnMut(usize, usize, f64)) {
        let At { q, v, a, .. } = *at;
        for t in &self.bilinear {
            let (i, j) = (t.i as usize, t.j as usize);
            let w = c0 * q[i] * q[j] + c1 * (v[i] * q[j] + q[i] * v[j]) + c2 * (a[i] * q[j] + 2.0 * v[i] * v[j] + q[i] * a[j]);
            f(t.row as usize, t.slot as usize, w);
        }
        for t in &self.linear {
            let i = t.i as usize;
            f(t.row as usize, t.slot as usize, c0 * q[i] + c1 * v[i] + c2 * a[i]);
        }
        for &(k, s) in &self.constant {
            f(k as usize, s as usize, c0);
        }
    }
    /// out += (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub fn constraint_p(&self, at: &At, c: [f64; 3], delta: &[f64], out: &mut [f64]) {
        self.each_slot(at, c, |k, s, w| out[k] += w * delta[s]);
    }
    /// grad += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    pub fn constraint_p_t(&self, at: &At, c: [f64; 3], mu: &[f64], scale: f64, grad: &mut [f64]) {
        self.each_slot(at, c, |k, s, w| grad[s] += scale * w * mu[k]);
    }
    /// out += (Φ_qᵀ λ)_p δ.
    pub fn balance_p(&self, q: &[f64], lam: &[f64], delta: &[f64], out: &mut [f64]) {
        for t in &self.bilinear {
            let c = lam[t.row as usize] * delta[t.slot as usize];
            out[t.i as usize] += c * q[t.j as usize];
            out[t.j as usize] += c * q[t.i as usize];
        }
        for t in &self.linear {
            out[t.i as usize] += lam[t.row as usize] * delta[t.slot as usize];
        }
    }
    /// grad += s (Φ_qᵀ λ)_pᵀ μ.
    pub fn balance_p_t(&self, q: &[f64], lam: &[f64], mu: &[f64], scale: f64, grad: &mut [f64]) {
        for t in &self.bilinear {
            let (i, j) = (t.i as usize, t.j as usize);
            grad[t.slot as usize] += scale * lam[t.row as usize] * (mu[i] * q[j] + mu[j] * q[i]);
        }
        for t in &self.linear {
            grad[t.slot as usize] += scale * lam[t.row as usize] * mu[t.i as usize];
        }
    }
}
