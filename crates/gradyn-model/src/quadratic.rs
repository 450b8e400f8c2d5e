//! Natural constraints are one batch of sparse quadratic rows.
//!
//! ```text
//! φ_k = ½ qᵀA_k q + b_kᵀ q + c_k                                                                 (1)
//! Φ_q = A q + b,  Φ̇ = Φ_q v,  Φ̈ = Φ_q a + (A v)·v,  Φ̇_q = A v,  Φ̈_q = A a,  Φ̈_v = 2 A v          (2)
//! (Φ_qᵀ λ)_q = Σ λ_k A_k                                                                         (3)
//! ```
//! The entries of A, b and c are slots, so that Φ_p, Φ̇_p, Φ̈_p and (Φ_qᵀλ)_p are loops over the same term
//! list. No explicit t.

use crate::system::At;
use gradyn_num::{Pattern, Scalar};

/// Entry A_ij = p[slot] of row `row`; positions of (row, i) in Φ_q and of (i, j) in n × n.
#[derive(Clone, Copy, Debug)]
struct Entry {
    row: u32,
    i: u32,
    j: u32,
    slot: u32,
    pos: u32,
    ij: u32,
}
/// Entry b_i = p[slot] of row `row`; position of (row, i) in Φ_q.
#[derive(Clone, Copy, Debug)]
struct LinearTerm {
    row: u32,
    i: u32,
    slot: u32,
    pos: u32,
}

/// (1) for all rows.
#[derive(Clone, Debug, Default)]
pub struct QuadraticRows {
    /// Number of rows.
    pub rows: usize,
    a: Vec<Entry>,
    b: Vec<LinearTerm>,
    c: Vec<(u32, u32)>,
}

/// A quadratic form Σ p_s q_i q_j + Σ p_s q_i + Σ p_s on slots, each pair (i ≤ j) once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Products q_i q_j: (i, j, slot of the coefficient).
    pub bilinear: Vec<(usize, usize, u32)>,
    /// Terms in q_i: (i, slot of the coefficient).
    pub linear: Vec<(usize, u32)>,
    /// Slots of the constant.
    pub constant: Vec<u32>,
}
impl Form {
    /// Coordinates that it touches.
    pub(crate) fn coords(&self) -> impl Iterator<Item = usize> + '_ {
        self.bilinear.iter().flat_map(|t| [t.0, t.1]).chain(self.linear.iter().map(|t| t.0))
    }
}

/// A row while the system is being built: A_ij for both triangles, b_i, c.
#[derive(Clone, Debug, Default)]
pub struct RowTerms {
    /// (i, j, slot of A_ij).
    pub a: Vec<(usize, usize, u32)>,
    /// (i, slot of b_i).
    pub b: Vec<(usize, u32)>,
    /// Slots of the constants c.
    pub c: Vec<u32>,
}
impl RowTerms {
    /// Coordinates that the row touches.
    pub fn coords(&self) -> impl Iterator<Item = usize> + '_ {
        self.a.iter().map(|t| t.0).chain(self.b.iter().map(|t| t.0))
    }
}

impl QuadraticRows {
    /// Compiles rows onto the patterns.
    pub fn new(rows: &[RowTerms], nn: &Pattern, mn: &Pattern) -> Self {
        let mut all = Self { rows: rows.len(), ..Self::default() };
        for (k, row) in rows.iter().enumerate() {
            let entry = |&(i, j, slot): &(usize, usize, u32)| {
                let pos = mn.at(k, i);
                let ij = nn.at(i, j);
                Entry { row: k as u32, i: i as u32, j: j as u32, slot, pos, ij }
            };
            all.a.extend(row.a.iter().map(entry));
            all.b.extend(row.b.iter().map(|&(i, slot)| LinearTerm {
                row: k as u32,
                i: i as u32,
                slot,
                pos: mn.at(k, i),
            }));
            all.c.extend(row.c.iter().map(|&s| (k as u32, s)));
        }
        all
    }
    /// Positions on n × n that (3) writes.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> {
        self.a.iter().map(|t| t.ij)
    }
    /// Slots that the rows read.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.a.iter().map(|t| t.slot).chain(self.b.iter().map(|t| t.slot)).chain(self.c.iter().map(|c| c.1))
    }
    /// Φ_q: out += A q + b.
    #[inline]
    pub fn phi_q<S: Scalar>(&self, p: &[S], q: &[S], out: &mut [S]) {
        for t in &self.a {
            out[t.pos as usize] += p[t.slot as usize] * q[t.j as usize];
        }
        for t in &self.b {
            out[t.pos as usize] += p[t.slot as usize];
        }
    }
    /// out += c₀Φ + c₁Φ̇ + c₂Φ̈, with Φ_q at hand.
    #[inline]
    pub fn constraint<S: Scalar>(
        &self,
        p: &[S],
        at: &At<S>,
        c: [f64; 3],
        mn: &Pattern,
        phi_q: &[S],
        out: &mut [S],
    ) {
        // Φ = ½ (Φ_q + b) q + c
        if c[0] != 0.0 {
            for t in &self.b {
                out[t.row as usize] += p[t.slot as usize] * at.q[t.i as usize] * (0.5 * c[0]);
            }
            for &(k, s) in &self.c {
                out[k as usize] += p[s as usize] * c[0];
            }
        }
        // Φ_q (½ c₀ q + c₁ v + c₂ a)
        for (w, x) in [(0.5 * c[0], at.q), (c[1], at.v), (c[2], at.a)] {
            if w != 0.0 {
                for (k, o) in out[..self.rows].iter_mut().enumerate() {
                    let mut sum = S::zero();
                    for pos in mn.row(k) {
                        sum += phi_q[pos] * x[mn.col(pos)];
                    }
                    *o += sum * w;
                }
            }
        }
        // c₂ (A v)·v
        if c[2] != 0.0 {
            for t in &self.a {
                out[t.row as usize] += p[t.slot as usize] * at.v[t.i as usize] * at.v[t.j as usize] * c[2];
            }
        }
    }
    /// out += s A x, on the pattern of Φ_q: Φ̇_q for x = v, Φ̈_q for x = a.
    #[inline]
    pub fn rate_q<S: Scalar>(&self, p: &[S], s: f64, x: &[S], out: &mut [S]) {
        for t in &self.a {
            out[t.pos as usize] += p[t.slot as usize] * s * x[t.j as usize];
        }
    }
    /// (3): out += Σ λ_k A_k.
    #[inline]
    pub fn balance_q<S: Scalar>(&self, p: &[S], lam: &[S], out: &mut [S]) {
        for t in &self.a {
            out[t.ij as usize] += lam[t.row as usize] * p[t.slot as usize];
        }
    }
    /// q += s (c₁Φ̇ + c₂Φ̈)_qᵀ μ, v += s (c₂Φ̈)_vᵀ μ: what Φ_q is not part of.
    #[inline]
    pub(crate) fn rates_t<S: Scalar>(
        &self,
        p: &[S],
        at: &At<S>,
        [_, c1, c2]: [f64; 3],
        mu: &[S],
        s: f64,
        q: &mut [S],
        v: &mut [S],
    ) {
        for t in &self.a {
            let j = t.j as usize;
            let w = p[t.slot as usize] * s * mu[t.row as usize];
            q[t.i as usize] += w * (at.v[j] * c1 + at.a[j] * c2);
            v[t.i as usize] += w * at.v[j] * (2.0 * c2);
        }
    }
    /// q += s Σ λ_k A_kᵀ μ.
    #[inline]
    pub(crate) fn balance_t<S: Scalar>(&self, p: &[S], lam: &[S], mu: &[S], s: f64, q: &mut [S]) {
        for t in &self.a {
            q[t.j as usize] += lam[t.row as usize] * p[t.slot as usize] * s * mu[t.i as usize];
        }
    }
    /// f(row, slot, w): the coefficient of each slot in c₀Φ + c₁Φ̇ + c₂Φ̈.
    #[inline]
    fn each_slot<S: Scalar>(&self, at: &At<S>, [c0, c1, c2]: [f64; 3], mut f: impl FnMut(usize, usize, S)) {
        let At { q, v, a, .. } = *at;
        // A is symmetric and both triangles are listed: ½ (·)_ij of each product is half of the sum over (i,
        // j) and (j, i)
        for t in &self.a {
            let i = t.i as usize;
            let j = t.j as usize;
            let w = q[i] * (0.5 * c0) * q[j] + v[i] * c1 * q[j] + (a[i] * q[j] + v[i] * v[j]) * c2;
            f(t.row as usize, t.slot as usize, w);
        }
        for t in &self.b {
            let i = t.i as usize;
            f(t.row as usize, t.slot as usize, q[i] * c0 + v[i] * c1 + a[i] * c2);
        }
        for &(k, s) in &self.c {
            f(k as usize, s as usize, S::from(c0));
        }
    }
    /// out += (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub fn constraint_p<S: Scalar>(&self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.each_slot(at, c, |k, s, w| out[k] += w * delta[s]);
    }
    /// grad += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    pub fn constraint_p_t<S: Scalar>(&self, at: &At<S>, c: [f64; 3], mu: &[S], scale: f64, grad: &mut [S]) {
        self.each_slot(at, c, |k, s, w| grad[s] += w * scale * mu[k]);
    }
    /// out += (Φ_qᵀ λ)_p δ.
    pub fn balance_p<S: Scalar>(&self, q: &[S], lam: &[S], delta: &[S], out: &mut [S]) {
        for t in &self.a {
            out[t.i as usize] += lam[t.row as usize] * delta[t.slot as usize] * q[t.j as usize];
        }
        for t in &self.b {
            out[t.i as usize] += lam[t.row as usize] * delta[t.slot as usize];
        }
    }
    /// grad += s (Φ_qᵀ λ)_pᵀ μ.
    pub fn balance_p_t<S: Scalar>(&self, q: &[S], lam: &[S], mu: &[S], scale: f64, grad: &mut [S]) {
        for t in &self.a {
            grad[t.slot as usize] += lam[t.row as usize] * scale * mu[t.i as usize] * q[t.j as usize];
        }
        for t in &self.b {
            grad[t.slot as usize] += lam[t.row as usize] * scale * mu[t.i as usize];
        }
    }
}
