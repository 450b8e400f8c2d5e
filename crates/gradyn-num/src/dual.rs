//! Dual numbers: value and N first derivatives, nestable.
//!
//! ```text
//! x = re + Σ eps_k ε_k,  ε_j ε_k = 0,   f(x) = f(re) + f'(re) Σ eps_k ε_k                        (1)
//! ```
//! `Dual<Dual<f64, N>, N>` carries Hessians. At a branch (abs, min, max) the real part decides.

use crate::scalar::{ProgramScalar, Scalar, operators};
use std::ops::Mul;

/// `re + Σ eps[k] ε_k`, (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const N: usize> {
    /// The value, real part of (1).
    pub re: T,
    /// Its N derivatives.
    pub eps: [T; N],
}

/// The dual of the program: a chunk of 8 parameter directions.
pub type Wide = Dual<f64, 8>;

impl<T: Scalar, const N: usize> Dual<T, N> {
    /// Independent variable `k`: derivative 1 in direction `k`.
    #[inline]
    pub fn var(re: T, k: usize) -> Self {
        let mut d = Self { re, eps: [T::zero(); N] };
        d.eps[k] = T::one();
        d
    }
    /// A constant: all derivatives are 0.
    #[inline]
    pub fn constant(re: T) -> Self {
        Self { re, eps: [T::zero(); N] }
    }
    /// A value with derivative `d` in direction 0.
    #[inline]
    pub fn along(re: T, d: T) -> Self {
        let mut x = Self::constant(re);
        x.eps[0] = d;
        x
    }
    /// The variables of an array: direction k is argument k.
    #[inline]
    pub fn vars(x: &[T; N]) -> [Self; N] {
        std::array::from_fn(|k| Self::var(x[k], k))
    }
    /// f(re) with slope f'(re).
    #[inline]
    fn chain(self, re: T, slope: T) -> Self {
        Self { re, eps: self.eps.map(|e| e * slope) }
    }
    #[inline]
    fn zip(self, o: Self, re: T, f: impl Fn(T, T) -> T) -> Self {
        Self { re, eps: std::array::from_fn(|k| f(self.eps[k], o.eps[k])) }
    }
}

operators! { [T: Scalar, const N: usize] Dual<T, N>,
    Add add |a, b| a.zip(b, a.re + b.re, |x, y| x + y);
    Sub sub |a, b| a.zip(b, a.re - b.re, |x, y| x - y);
    Mul mul |a, b| a.zip(b, a.re * b.re, |x, y| x * b.re + a.re * y);
    Div div |a, b| {
        let inv = T::one() / b.re;
        let q = a.re * inv;
        a.zip(b, q, |x, y| (x - q * y) * inv)
    };
}
impl<T: Scalar, const N: usize> From<f64> for Dual<T, N> {
    #[inline]
    fn from(x: f64) -> Self {
        Self::constant(T::from(x))
    }
}
impl<T: Scalar, const N: usize> Mul<f64> for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self { re: self.re * s, eps: self.eps.map(|e| e * s) }
    }
}

impl<T: Scalar, const N: usize> Scalar for Dual<T, N> {
    #[inline]
    fn re(&self) -> f64 {
        self.re.re()
    }
    #[inline]
    fn sqrt(self) -> Self {
        let s = self.re.sqrt();
        self.chain(s, T::from(0.5) / s)
    }
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::one() / self.re)
    }
    fn sin(self) -> Self {
        self.chain(self.re.sin(), self.re.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.re.cos(), -self.re.sin())
    }
    fn tan(self) -> Self {
        let t = self.re.tan();
        self.chain(t, T::one() + t * t)
    }
    fn asin(self) -> Self {
        self.chain(self.re.asin(), T::one() / (T::one() - self.re * self.re).sqrt())
    }
    fn acos(self) -> Self {
        self.chain(self.re.acos(), -(T::one() / (T::one() - self.re * self.re).sqrt()))
    }
    fn atan(self) -> Self {
        self.chain(self.re.atan(), T::one() / (T::one() + self.re * self.re))
    }
    fn atan2(self, x: Self) -> Self {
        let inv = T::one() / (x.re * x.re + self.re * self.re);
        let cy = x.re * inv;
        let cx = self.re * inv;
        self.zip(x, self.re.atan2(x.re), |dy, dx| cy * dy - cx * dx)
    }
    fn sinh(self) -> Self {
        self.chain(self.re.sinh(), self.re.cosh())
    }
    fn cosh(self) -> Self {
        self.chain(self.re.cosh(), self.re.sinh())
    }
    fn tanh(self) -> Self {
        let t = self.re.tanh();
        self.chain(t, T::one() - t * t)
    }
    fn powi(self, n: i32) -> Self {
        if n == 0 {
            return Self::one();
        }
        self.chain(self.re.powi(n), self.re.powi(n.saturating_sub(1)) * n as f64)
    }
    /// At x = 0 the derivative over y is taken as 0, its limit for y > 0.
    fn powf(self, y: Self) -> Self {
        let p = self.re.powf(y.re);
        let p_x = y.re * self.re.powf(y.re - T::one());
        let p_y = if self.re() > 0.0 { p * self.re.ln() } else { T::zero() };
        self.zip(y, p, |dx, dy| p_x * dx + p_y * dy)
    }
}

impl<const N: usize> ProgramScalar for Dual<f64, N> {
    const DIRECTIONS: usize = N;
    #[inline]
    fn part(&self, k: usize) -> f64 {
        self.eps[k]
    }
    #[inline]
    fn part_mut(&mut self, k: usize) -> &mut f64 {
        &mut self.eps[k]
    }
}
