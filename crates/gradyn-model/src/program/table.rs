//! Functions given by a table: cubic splines through points at any distance.
//!
//! ```text
//! s(x) = c₀ + c₁ d + c₂ d² + c₃ d³,  d = x - x_k,  x_k ≤ x < x_{k+1}                                     (1)
//! h_{k-1} m_{k-1} + 2 (h_{k-1} + h_k) m_k + h_k m_{k+1} = 6 (δ_k - δ_{k-1}),  δ_k = (z_{k+1} - z_k)/h_k  (2)
//! ```
//! m = s'' at the points. Ends are natural (m = 0) or clamped (s' = 0). Outside the table there is no value:
//! NaN.

use gradyn_num::Scalar;

/// A cubic spline (1) through the points of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    x: Vec<f64>,
    pieces: Vec<[f64; 4]>,
}

impl Table {
    /// The spline through (x, z) with natural or clamped ends; x grows strictly, two points or more.
    pub fn new(points: &[[f64; 2]], clamped: bool) -> Self {
        assert!(points.len() > 1 && points.windows(2).all(|w| w[0][0] < w[1][0]), "points of a table grow");
        let m = curvatures(points, clamped);
        let piece = |k: usize| {
            let h = points[k + 1][0] - points[k][0];
            let dz = points[k + 1][1] - points[k][1];
            [
                points[k][1],
                dz / h - h * (2.0 * m[k] + m[k + 1]) / 6.0,
                0.5 * m[k],
                (m[k + 1] - m[k]) / (6.0 * h),
            ]
        };
        Self { x: points.iter().map(|p| p[0]).collect(), pieces: (0..points.len() - 1).map(piece).collect() }
    }
    /// First and last x.
    pub fn range(&self) -> [f64; 2] {
        [self.x[0], self.x[self.x.len() - 1]]
    }
    /// (1), or its derivative of some order.
    pub fn value<S: Scalar>(&self, order: u8, x: S) -> S {
        let [first, last] = self.range();
        if !(first..=last).contains(&x.re()) {
            return S::from(f64::NAN);
        }
        let k = (self.x.partition_point(|k| *k <= x.re()).max(1) - 1).min(self.pieces.len() - 1);
        let d = x - S::from(self.x[k]);
        let [c0, c1, c2, c3] = self.pieces[k];
        match order {
            0 => ((d * c3 + S::from(c2)) * d + S::from(c1)) * d + S::from(c0),
            1 => (d * (3.0 * c3) + S::from(2.0 * c2)) * d + S::from(c1),
            2 => d * (6.0 * c3) + S::from(2.0 * c2),
            3 => S::from(6.0 * c3),
            _ => S::zero(),
        }
    }
}

/// (2) with its end conditions: a tridiagonal system by elimination.
fn curvatures(points: &[[f64; 2]], clamped: bool) -> Vec<f64> {
    let last = points.len() - 1;
    let h: Vec<f64> = points.windows(2).map(|w| w[1][0] - w[0][0]).collect();
    let slope: Vec<f64> = points.windows(2).zip(&h).map(|(w, h)| (w[1][1] - w[0][1]) / h).collect();
    // (lower, diagonal, upper, right-hand side)
    let row = |k: usize| match k {
        0 if clamped => (0.0, 2.0 * h[0], h[0], 6.0 * slope[0]),
        k if k == last && clamped => (h[k - 1], 2.0 * h[k - 1], 0.0, -6.0 * slope[k - 1]),
        k if k == 0 || k == last => (0.0, 1.0, 0.0, 0.0),
        k => (h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k], 6.0 * (slope[k] - slope[k - 1])),
    };
    let mut upper = vec![0.0; last + 1];
    let mut m = vec![0.0; last + 1];
    for k in 0..=last {
        let (a, b, c, r) = row(k);
        let (before, value) = if k == 0 { (0.0, 0.0) } else { (upper[k - 1], m[k - 1]) };
        let pivot = b - a * before;
        (upper[k], m[k]) = (c / pivot, (r - a * value) / pivot);
    }
    for k in (0..last).rev() {
        m[k] -= upper[k] * m[k + 1];
    }
    m
}
