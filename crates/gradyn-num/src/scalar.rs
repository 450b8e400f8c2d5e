//! The scalars of the kernels and of the program.
//!
//! Kernels and residuals are written once, generic over [`Scalar`]. A [`ProgramScalar`] is one that can be
//! carried through a whole run, because its derivative parts can be read and corrected one direction at a
//! time: `f64`, [`Wide`](crate::Wide), [`Complex`](crate::Complex). Comparisons use the real part; at a tie
//! the derivative is that of the first branch.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number with arithmetic and elementary functions.
pub trait Scalar:
    Copy
    + Send
    + Sync
    + PartialEq
    + std::fmt::Debug
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// Real part, for comparisons.
    fn re(&self) -> f64;
    /// Square root √x.
    fn sqrt(self) -> Self;
    /// Exponential function eˣ.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Sine of an angle [rad].
    fn sin(self) -> Self;
    /// Cosine of an angle [rad].
    fn cos(self) -> Self;
    /// Tangent of an angle [rad].
    fn tan(self) -> Self {
        self.sin() / self.cos()
    }
    /// Arc sine, in [-π/2, π/2].
    fn asin(self) -> Self;
    /// Arc cosine, in [0, π].
    fn acos(self) -> Self {
        Self::from(std::f64::consts::FRAC_PI_2) - self.asin()
    }
    /// Arc tangent, in (-π/2, π/2).
    fn atan(self) -> Self;
    /// Angle of the vector (x, y) with `self` = y, in (-π, π].
    fn atan2(self, x: Self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Power xⁿ with a whole exponent.
    fn powi(self, n: i32) -> Self;
    /// Power xʸ for x > 0.
    fn powf(self, y: Self) -> Self {
        (self.ln() * y).exp()
    }
    /// Absolute value |x| by the sign of the real part (no conjugation).
    fn abs(self) -> Self {
        if self.re() < 0.0 { -self } else { self }
    }
    /// The smaller by real part; the first at a tie.
    fn min(self, o: Self) -> Self {
        if o.re() < self.re() { o } else { self }
    }
    /// The larger by real part; the first at a tie.
    fn max(self, o: Self) -> Self {
        if o.re() > self.re() { o } else { self }
    }
    /// The neutral element of addition.
    #[inline]
    fn zero() -> Self {
        Self::from(0.0)
    }
    /// The neutral element of multiplication.
    #[inline]
    fn one() -> Self {
        Self::from(1.0)
    }
}

/// A scalar of the program: a real part and `DIRECTIONS` derivative parts.
pub trait ProgramScalar: Scalar {
    /// Number of derivative parts.
    const DIRECTIONS: usize;
    /// Derivative part `k`.
    fn part(&self, k: usize) -> f64;
    /// Derivative part `k`, to be corrected.
    fn part_mut(&mut self, k: usize) -> &mut f64;
}

impl Scalar for f64 {
    #[inline]
    fn re(&self) -> f64 {
        *self
    }
    #[inline]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn sin(self) -> f64 {
        f64::sin(self)
    }
    fn cos(self) -> f64 {
        f64::cos(self)
    }
    fn tan(self) -> f64 {
        f64::tan(self)
    }
    fn asin(self) -> f64 {
        f64::asin(self)
    }
    fn acos(self) -> f64 {
        f64::acos(self)
    }
    fn atan(self) -> f64 {
        f64::atan(self)
    }
    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }
    fn sinh(self) -> f64 {
        f64::sinh(self)
    }
    fn cosh(self) -> f64 {
        f64::cosh(self)
    }
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
    #[inline]
    fn powi(self, n: i32) -> f64 {
        f64::powi(self, n)
    }
    fn powf(self, y: f64) -> f64 {
        f64::powf(self, y)
    }
}

impl ProgramScalar for f64 {
    const DIRECTIONS: usize = 0;
    fn part(&self, _: usize) -> f64 {
        0.0
    }
    fn part_mut(&mut self, _: usize) -> &mut f64 {
        unreachable!("f64 has no derivative part")
    }
}

/// The largest |x_i|; not a number if any of them is.
pub fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |s, x| if x.abs() > s || x.is_nan() { x.abs() } else { s })
}

/// Binary operators by formula; negation and assignments follow.
macro_rules! operators {
    ([$($g:tt)*] $t:ty, $op:ident $f:ident |$a:ident, $b:ident| $e:expr; $($rest:tt)*) => {
        #[allow(clippy::suspicious_arithmetic_impl)] // a quotient is a product with the inverse
        impl<$($g)*> std::ops::$op for $t {
            type Output = Self;
            #[inline]
            fn $f(self, $b: Self) -> Self {
                let $a = self;
                $e
            }
        }
        $crate::scalar::operators! { [$($g)*] $t, $($rest)* }
    };
    ([$($g:tt)*] $t:ty,) => {
        impl<$($g)*> std::ops::Neg for $t {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                self * -1.0
            }
        }
        impl<$($g)*> std::ops::AddAssign for $t {
            #[inline]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl<$($g)*> std::ops::SubAssign for $t {
            #[inline]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}
pub(crate) use operators;
