//! Coefficients of an Adams step on unequal steps [Shampine & Gordon, chapter 5].
//!
//! φ_i are the modified divided differences of a rate f at the nodes t_n, t_{n-1} … behind a node n,
//!
//! ```text
//! ψ_i(n) = t_n - t_{n-i},    φ_1 = f_n,    φ_i(n) = ψ_1(n) … ψ_{i-1}(n) f[t_n, …, t_{n-i+1}]             (1)
//! ψ_i(n+1) = h + ψ_{i-1}(n),    β_1 = 1,    β_{i+1} = β_i ψ_i(n+1)/ψ_i(n)                           (2)
//! φ_{i+1}(n+1) = φ_i(n+1) - β_i φ_i(n)                                                             (3)
//! ```
//! The polynomial through f at the k nodes is Σ c_i(s) β_i φ_i(n) at t_n + s h, with c_{i+1} = c_i (s h +
//! ψ_{i-1})/d_i, d_i = ψ_i(n+1). Write s H = H - (1 - s) H: the moments of c_i follow one from the other,
//!
//! ```text
//! g_{i,q} = ∫₀¹ (1 - s)^{q-1} c_i(s) ds:   g_{1,q} = 1/q,   g_{i+1,q} = ((H + ψ_{i-1}) g_{i,q} - H g_{i,q+1})/d_i  (4)
//! ```
//! and g_i = g_{i,1} are the weights of ∫ f dt = h Σ g_i β_i φ_i. With d_i = ψ_i(n) instead they are the
//! weights of φ_i(n) itself, for any H: the interpolant. In all arrays entry i is that of the formulas; entry
//! 0 is not used.

use gradyn_num::ProgramScalar;

/// Highest order of the predictor.
pub const MOST: usize = 12;
/// Differences φ_1 … φ_13, and entry 0.
pub const SIZE: usize = MOST + 2;

/// Numbers that belong to φ_1, φ_2 ….
pub type Row<S> = [S; SIZE];

/// What a step of order k does with the differences of its past.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients<S> {
    /// Order k of the predictor; the corrector has order k + 1.
    pub order: usize,
    /// Differences of the past that are known, at least k.
    pub known: usize,
    /// Ratios h/ψ_i(n+1).
    pub alpha: Row<S>,
    /// Factors β_i of the past differences.
    pub beta: Row<S>,
    /// g_i, up to k + 1.
    pub g: Row<S>,
    /// h g_i β_i: weights of φ_i(n) in the predictor.
    pub predictor: Row<S>,
    /// h (g_i - g_{k+1}) β_i: their weights in the corrector.
    pub corrector: Row<S>,
    /// h g_{k+1}: the weight of the new rate in the corrector.
    pub last: S,
}

impl<S: ProgramScalar> Coefficients<S> {
    /// For a step h after steps `before` (the last one last), of which `known` - 1 are used.
    pub fn of(h: S, before: &[f64], order: usize, known: usize) -> Self {
        assert!(order >= 1 && order <= known && known <= MOST + 1, "order {order} on {known} differences");
        let zero = [S::zero(); SIZE];
        let psi = distances(before, known - 1);
        let mut next = zero;
        let mut c = Self {
            order,
            known,
            alpha: zero,
            beta: zero,
            g: zero,
            predictor: zero,
            corrector: zero,
            last: h,
        };
        // (2)
        c.beta[1] = S::from(1.0);
        for i in 1..=known {
            next[i] = h + S::from(psi[i - 1]);
            c.alpha[i] = h / next[i];
            if i < known {
                c.beta[i + 1] = c.beta[i] * next[i] * (1.0 / psi[i]);
            }
        }
        c.g = moments(h, &psi, &next, order + 1);
        c.last = h * c.g[order + 1];
        for i in 1..=order {
            c.predictor[i] = h * c.g[i] * c.beta[i];
            c.corrector[i] = h * (c.g[i] - c.g[order + 1]) * c.beta[i];
        }
        c
    }
}

/// Differences that the new node of a step has: those that the order may need after it.
pub fn kept(order: usize, known: usize, most: usize) -> usize {
    (known + 1).min(order + 2).min(most + 1)
}

/// ψ_1 … ψ_count behind a node that the steps `before` lead to; ψ_0 = 0.
pub fn distances(before: &[f64], count: usize) -> Row<f64> {
    let mut psi = [0.0; SIZE];
    for (i, h) in before.iter().rev().take(count).enumerate() {
        psi[i + 1] = psi[i] + h;
    }
    psi
}

/// g_1 … g_count by (4).
pub fn moments<S: ProgramScalar>(h: S, psi: &Row<f64>, d: &Row<S>, count: usize) -> Row<S> {
    let mut g = [S::zero(); SIZE];
    let mut w = [S::zero(); SIZE];
    for (q, w) in w.iter_mut().enumerate().skip(1) {
        *w = S::from(1.0 / q as f64);
    }
    for i in 1..=count {
        g[i] = w[1];
        if i == count {
            break;
        }
        let here = (h + S::from(psi[i - 1])) / d[i];
        let next = h / d[i];
        for q in 1..=count - i {
            w[q] = here * w[q] - next * w[q + 1];
        }
    }
    g
}

/// |γ*_i|: the weight of the i-th backward difference in the corrector on equal steps,
/// Σ_j γ*_j/(m + 1 - j) = 0 for m ≥ 1.
pub const EQUAL: Row<f64> = {
    let mut gamma = [0.0; SIZE];
    let mut out = [0.0; SIZE];
    let mut m = 1;
    gamma[0] = 1.0;
    while m < SIZE {
        let mut j = 0;
        while j < m {
            gamma[m] -= gamma[j] / (m + 1 - j) as f64;
            j += 1;
        }
        out[m] = -gamma[m];
        m += 1;
    }
    out
};
