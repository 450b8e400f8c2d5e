//! Complex step [M13, Eq. 86]: `re + i im` with a tiny `im`, derivative = im / step.
//!
//! Every function is the analytic continuation of the real one, without conjugation, and keeps an imaginary
//! part of 1e-40: the usual formulas for atan, asin, acos and sqrt (through complex logarithms) lose it. For
//! |im| ≪ |re| they are
//!
//! ```text
//! f(re + i im) = f(re) + i f'(re) im + O(im²)                                                    (1)
//! ```
//! which is exact to rounding at the step sizes of the method (im² underflows against re); products,
//! quotients, exp, sin, cos, sinh and cosh are the full complex ones.

use crate::scalar::{ProgramScalar, Scalar, operators};
use std::ops::Mul;

/// A complex number `re + i im`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

/// The step of the complex-step method: im = STEP × direction.
pub const STEP: f64 = 1e-40;

impl Complex {
    /// f(re) + i f'(re) im, (1).
    fn chain(self, re: f64, slope: f64) -> Self {
        Self { re, im: self.im * slope }
    }
}

operators! { [] Complex,
    Add add |a, b| Self { re: a.re + b.re, im: a.im + b.im };
    Sub sub |a, b| Self { re: a.re - b.re, im: a.im - b.im };
    Mul mul |a, b| Self { re: a.re * b.re - a.im * b.im, im: a.im * b.re + a.re * b.im };
    Div div |a, b| {
        let n = b.re * b.re + b.im * b.im;
        Self { re: (a.re * b.re + a.im * b.im) / n, im: (a.im * b.re - a.re * b.im) / n }
    };
}
impl From<f64> for Complex {
    #[inline]
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}
impl Mul<f64> for Complex {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self { re: self.re * s, im: self.im * s }
    }
}

impl Scalar for Complex {
    #[inline]
    fn re(&self) -> f64 {
        self.re
    }
    fn sqrt(self) -> Self {
        let s = self.re.sqrt();
        self.chain(s, 0.5 / s)
    }
    fn exp(self) -> Self {
        let e = self.re.exp();
        Self { re: e * self.im.cos(), im: e * self.im.sin() }
    }
    fn ln(self) -> Self {
        self.chain(self.re.ln(), 1.0 / self.re)
    }
    fn sin(self) -> Self {
        Self { re: self.re.sin() * self.im.cosh(), im: self.re.cos() * self.im.sinh() }
    }
    fn cos(self) -> Self {
        Self { re: self.re.cos() * self.im.cosh(), im: -self.re.sin() * self.im.sinh() }
    }
    fn asin(self) -> Self {
        self.chain(self.re.asin(), 1.0 / (1.0 - self.re * self.re).sqrt())
    }
    fn acos(self) -> Self {
        self.chain(self.re.acos(), -1.0 / (1.0 - self.re * self.re).sqrt())
    }
    fn atan(self) -> Self {
        self.chain(self.re.atan(), 1.0 / (1.0 + self.re * self.re))
    }
    fn atan2(self, x: Self) -> Self {
        let n = x.re * x.re + self.re * self.re;
        Self { re: self.re.atan2(x.re), im: (x.re * self.im - self.re * x.im) / n }
    }
    fn sinh(self) -> Self {
        Self { re: self.re.sinh() * self.im.cos(), im: self.re.cosh() * self.im.sin() }
    }
    fn cosh(self) -> Self {
        Self { re: self.re.cosh() * self.im.cos(), im: self.re.sinh() * self.im.sin() }
    }
    fn tanh(self) -> Self {
        let t = self.re.tanh();
        self.chain(t, 1.0 - t * t)
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
        let p_y = if self.re > 0.0 { p * self.re.ln() } else { 0.0 };
        Self { re: p, im: y.re * self.re.powf(y.re - 1.0) * self.im + p_y * y.im }
    }
}

impl ProgramScalar for Complex {
    const DIRECTIONS: usize = 1;
    #[inline]
    fn part(&self, _: usize) -> f64 {
        self.im
    }
    #[inline]
    fn part_mut(&mut self, _: usize) -> &mut f64 {
        &mut self.im
    }
}
