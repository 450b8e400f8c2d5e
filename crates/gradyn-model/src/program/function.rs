//! Functions of one and of two operands, with their slopes.

use gradyn_num::Scalar;
use std::f64::consts::TAU;

#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary { Sqrt, Exp, Ln, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Abs, Sign }

/// Among them sign(x)|x|ʸ and |x|ʸ, which go on where xʸ has no value.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Atan2, Powf, OddPower, EvenPower, Min, Max, Lt, Le, Gt, Ge, Eq, Unwrap, Beyond, Meets, Stays, Or
}

impl Unary {
    #[inline(always)]
    pub(super) fn value<S: Scalar>(self, a: S) -> S {
        match self {
            Unary::Sqrt => a.sqrt(),
            Unary::Exp => a.exp(),
            Unary::Ln => a.ln(),
            Unary::Sin => a.sin(),
            Unary::Cos => a.cos(),
            Unary::Tan => a.tan(),
            Unary::Asin => a.asin(),
            Unary::Acos => a.acos(),
            Unary::Atan => a.atan(),
            Unary::Sinh => a.sinh(),
            Unary::Cosh => a.cosh(),
            Unary::Tanh => a.tanh(),
            Unary::Abs => a.abs(),
            Unary::Sign if a.re() == 0.0 => S::zero(),
            Unary::Sign => S::from(a.re().signum()),
        }
    }

    /// f'(a), with v = f(a).
    #[inline(always)]
    pub(super) fn slope<S: Scalar>(self, a: S, v: S) -> S {
        match self {
            Unary::Sqrt => S::from(0.5) / v,
            Unary::Exp => v,
            Unary::Ln => S::one() / a,
            Unary::Sin => a.cos(),
            Unary::Cos => -a.sin(),
            Unary::Tan => S::one() + v * v,
            Unary::Asin => S::one() / (S::one() - a * a).sqrt(),
            Unary::Acos => -(S::one() / (S::one() - a * a).sqrt()),
            Unary::Atan => S::one() / (S::one() + a * a),
            Unary::Sinh => a.cosh(),
            Unary::Cosh => a.sinh(),
            Unary::Tanh => S::one() - v * v,
            Unary::Abs => S::from(if a.re() < 0.0 { -1.0 } else { 1.0 }),
            Unary::Sign => S::zero(),
        }
    }
}

impl Binary {
    #[inline(always)]
    pub(super) fn value<S: Scalar>(self, a: S, b: S) -> S {
        let truth = |c: bool| S::from(f64::from(u8::from(c)));
        match self {
            Binary::Atan2 => a.atan2(b),
            Binary::Powf => a.powf(b),
            Binary::OddPower if a.re() < 0.0 => -(-a).powf(b),
            Binary::EvenPower if a.re() < 0.0 => (-a).powf(b),
            Binary::OddPower | Binary::EvenPower => a.powf(b),
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            Binary::Lt => truth(a.re() < b.re()),
            Binary::Le => truth(a.re() <= b.re()),
            Binary::Gt => truth(a.re() > b.re()),
            Binary::Ge => truth(a.re() >= b.re()),
            Binary::Eq => truth(a.re() == b.re()),
            Binary::Beyond | Binary::Meets | Binary::Stays => truth(a.re() > b.re()),
            Binary::Or if a.re().is_nan() => b,
            Binary::Or => a,
            Binary::Unwrap => a + S::from(TAU * ((b.re() - a.re()) / TAU).round()),
        }
    }

    /// (∂f/∂a, ∂f/∂b) with v = f(a, b); `None` where f does not depend on the operand.
    #[inline(always)]
    pub(super) fn slopes<S: Scalar>(self, a: S, b: S, v: S) -> (Option<S>, Option<S>) {
        let first = |taken: bool| if taken { (Some(S::one()), None) } else { (None, Some(S::one())) };
        match self {
            Binary::Atan2 => {
                let d = a * a + b * b;
                (Some(b / d), Some(-(a / d)))
            }
            // ∂(aᵇ)/∂b → 0 as a → 0
            Binary::Powf => (Some(b * a.powf(b - S::one())), (a.re() != 0.0).then(|| v * a.ln())),
            Binary::OddPower => (Some(b * Binary::EvenPower.value(a, b - S::one())), power_exponent(a, v)),
            Binary::EvenPower => (Some(b * Binary::OddPower.value(a, b - S::one())), power_exponent(a, v)),
            Binary::Min => first(b.re() >= a.re() || b.re().is_nan()),
            Binary::Max => first(b.re() <= a.re() || b.re().is_nan()),
            Binary::Unwrap => first(true),
            _ => (None, None),
        }
    }
}

/// v ln |a|, the slope of a power v of |a| over its exponent, which vanishes with a.
#[inline(always)]
fn power_exponent<S: Scalar>(a: S, v: S) -> Option<S> {
    (a.re() != 0.0).then(|| v * a.abs().ln())
}
