//! A symmetric matrix of 6 × 6 from twists to wrenches.
//!
//! ```text
//! I = [ A  B ; Bᵀ  C ]                            about a point r                     (1)
//! of a body:   A = tr G - G,   B w = h × w,   C = m                                   (2)
//! C' = C,   B' = B + [d] C,   A' = A - B [d] + [d] B'ᵀ       about r',  d = r - r'     (3)
//! ```
//! G, h and m are the moments of `mass.rs`; [d] w = d × w.

use super::super::spatial::{Twist, V3, cross};

/// Rows of a matrix of 3 × 3.
type M3 = [V3<f64>; 3];

/// (1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia {
    a: M3,
    b: M3,
    c: M3,
}

impl Inertia {
    /// The inertia of nothing.
    pub(super) fn zero() -> Self {
        Self { a: [[0.0; 3]; 3], b: [[0.0; 3]; 3], c: [[0.0; 3]; 3] }
    }
    /// Adds (2).
    pub(super) fn add_body(&mut self, (g, h, m): (M3, V3<f64>, f64)) {
        let trace = g[0][0] + g[1][1] + g[2][2];
        for i in 0..3 {
            let j = (i + 1) % 3;
            let k = (i + 2) % 3;
            (0..3).for_each(|l| self.a[i][l] -= g[i][l]);
            self.a[i][i] += trace;
            self.b[i][k] += h[j];
            self.b[i][j] -= h[k];
            self.c[i][i] += m;
        }
    }
    /// Adds another, about the same point.
    pub(super) fn add(&mut self, o: &Self) {
        for i in 0..3 {
            for j in 0..3 {
                self.a[i][j] += o.a[i][j];
                self.b[i][j] += o.b[i][j];
                self.c[i][j] += o.c[i][j];
            }
        }
    }
    /// The product I t.
    #[inline]
    pub(super) fn mul(&self, t: &Twist<f64>) -> Twist<f64> {
        let mut out = Twist::zero();
        for i in 0..3 {
            for j in 0..3 {
                out.w[i] += self.a[i][j] * t.w[j] + self.b[i][j] * t.u[j];
                out.u[i] += self.b[j][i] * t.w[j] + self.c[i][j] * t.u[j];
            }
        }
        out
    }
    /// The sum of the absolute terms of t·I t.
    pub(super) fn size_of(&self, t: &Twist<f64>) -> f64 {
        let mut sum = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                sum += (t.w[i] * self.a[i][j] * t.w[j]).abs()
                    + 2.0 * (t.w[i] * self.b[i][j] * t.u[j]).abs()
                    + (t.u[i] * self.c[i][j] * t.u[j]).abs();
            }
        }
        sum
    }
    /// I -= s u vᵀ, of which the sum over all pairs is symmetric.
    #[inline]
    pub(super) fn subtract(&mut self, s: f64, u: &Twist<f64>, v: &Twist<f64>) {
        for i in 0..3 {
            for j in 0..3 {
                self.a[i][j] -= s * u.w[i] * v.w[j];
                self.b[i][j] -= s * u.w[i] * v.u[j];
                self.c[i][j] -= s * u.u[i] * v.u[j];
            }
        }
    }
    /// (3).
    #[inline]
    pub(super) fn about(&self, d: &V3<f64>) -> Self {
        // B' by its columns d × C_j, with C symmetric
        let mut b = self.b;
        for j in 0..3 {
            let column = cross(d, &self.c[j]);
            (0..3).for_each(|i| b[i][j] += column[i]);
        }
        // A': rows of -B [d] are d × B_i, columns of [d] B'ᵀ are d × B'_j
        let mut a = self.a;
        for i in 0..3 {
            let row = cross(d, &self.b[i]);
            let column = cross(d, &b[i]);
            for k in 0..3 {
                a[i][k] += row[k];
                a[k][i] += column[k];
            }
        }
        Self { a, b, c: self.c }
    }
}
