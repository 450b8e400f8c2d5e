//! Time jets: a value with its first and second time derivative.
//!
//! ```text
//! x = (x, ẋ, ẍ),   f(x) = (f, f' ẋ, f' ẍ + f'' ẋ²)                                               (1)
//! (x y) = (xy, ẋy + xẏ, ẍy + 2ẋẏ + xÿ)                                                          (2)
//! ```
//! One evaluation of a constraint Φ on jets of its arguments gives Φ, Φ̇ and Φ̈; on jets of duals also Φ_q,
//! Φ̇_q and Φ̈_q.

use crate::scalar::{Scalar, operators};
use std::ops::Mul;

/// A value with its first and second time derivative, (x, ẋ, ẍ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<T> {
    /// The value itself.
    pub x: T,
    /// First time derivative.
    pub d: T,
    /// Second time derivative.
    pub dd: T,
}

impl<T: Scalar> Jet<T> {
    /// The jet (x, ẋ, ẍ).
    #[inline]
    pub fn new(x: T, d: T, dd: T) -> Self {
        Self { x, d, dd }
    }
    /// Value, first or second rate.
    #[inline]
    pub fn level(&self, level: usize) -> T {
        [self.x, self.d, self.dd][level]
    }
    /// The function (1) with f, f', f'' at x.
    #[inline]
    fn chain(self, f: T, f1: T, f2: T) -> Self {
        Self { x: f, d: f1 * self.d, dd: f1 * self.dd + f2 * self.d * self.d }
    }
}

operators! { [T: Scalar] Jet<T>,
    Add add |a, b| Self { x: a.x + b.x, d: a.d + b.d, dd: a.dd + b.dd };
    Sub sub |a, b| Self { x: a.x - b.x, d: a.d - b.d, dd: a.dd - b.dd };
    Mul mul |a, b| Self {
        x: a.x * b.x,
        d: a.d * b.x + a.x * b.d,
        dd: a.dd * b.x + a.d * b.d * 2.0 + a.x * b.dd,
    };
    Div div |a, b| {
        // q = a/b: q̇ = (ȧ - q ḃ)/b, q̈ = (ä - 2 q̇ ḃ - q b̈)/b
        let inv = T::one() / b.x;
        let q = a.x * inv;
        let d = (a.d - q * b.d) * inv;
        Self { x: q, d, dd: (a.dd - d * b.d * 2.0 - q * b.dd) * inv }
    };
}
impl<T: Scalar> From<f64> for Jet<T> {
    #[inline]
    fn from(x: f64) -> Self {
        Self { x: T::from(x), d: T::zero(), dd: T::zero() }
    }
}
impl<T: Scalar> Mul<f64> for Jet<T> {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self { x: self.x * s, d: self.d * s, dd: self.dd * s }
    }
}

impl<T: Scalar> Scalar for Jet<T> {
    #[inline]
    fn re(&self) -> f64 {
        self.x.re()
    }
    fn sqrt(self) -> Self {
        let s = self.x.sqrt();
        let f1 = T::from(0.5) / s;
        self.chain(s, f1, -f1 / (self.x * 2.0))
    }
    fn exp(self) -> Self {
        let e = self.x.exp();
        self.chain(e, e, e)
    }
    fn ln(self) -> Self {
        let inv = T::one() / self.x;
        self.chain(self.x.ln(), inv, -inv * inv)
    }
    fn sin(self) -> Self {
        let s = self.x.sin();
        let c = self.x.cos();
        self.chain(s, c, -s)
    }
    fn cos(self) -> Self {
        let s = self.x.sin();
        let c = self.x.cos();
        self.chain(c, -s, -c)
    }
    fn asin(self) -> Self {
        let f1 = T::one() / (T::one() - self.x * self.x).sqrt();
        self.chain(self.x.asin(), f1, self.x * f1 * f1 * f1)
    }
    fn atan(self) -> Self {
        let f1 = T::one() / (T::one() + self.x * self.x);
        self.chain(self.x.atan(), f1, self.x * f1 * f1 * -2.0)
    }
    fn atan2(self, x: Self) -> Self {
        // θ̇ = (x ẏ - y ẋ)/(x² + y²), a quotient whose own rate gives θ̈
        let y = self;
        let n = x.x * x.x + y.x * y.x;
        let w = x.x * y.d - y.x * x.d;
        let nd = (x.x * x.d + y.x * y.d) * 2.0;
        let wd = x.x * y.dd - y.x * x.dd;
        let d = w / n;
        Self { x: y.x.atan2(x.x), d, dd: (wd - d * nd) / n }
    }
    fn sinh(self) -> Self {
        let s = self.x.sinh();
        let c = self.x.cosh();
        self.chain(s, c, s)
    }
    fn cosh(self) -> Self {
        let s = self.x.sinh();
        let c = self.x.cosh();
        self.chain(c, s, c)
    }
    fn tanh(self) -> Self {
        let t = self.x.tanh();
        let f1 = T::one() - t * t;
        self.chain(t, f1, t * f1 * -2.0)
    }
    fn powi(self, n: i32) -> Self {
        match n {
            0 => Self::one(),
            1 => self,
            _ => {
                // n(n - 1) is no i32 from n = 46342 on
                let p = self.x.powi(n.saturating_sub(2));
                let m = f64::from(n);
                self.chain(p * self.x * self.x, p * self.x * m, p * (m * (m - 1.0)))
            }
        }
    }
}
