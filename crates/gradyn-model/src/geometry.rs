//! Geometric quantities y(x, u) that scalar forces act along.
//!
//! An author writes one function of the port arguments x and the parameters u, generic over the scalar. On
//! duals it gives y_x, on nested duals y_xx; explicit overrides are allowed where a bench says so and are
//! tested against the duals.

use gradyn_num::{Dual, Scalar};
use std::f64::consts::TAU;

/// A scalar function of Y arguments, the first `PORTS` of which are port coordinates and the rest parameters
/// or signals.
pub trait Geometry<const Y: usize> {
    /// Number of port arguments.
    const PORTS: usize;
    /// The quantity y(x).
    fn value<S: Scalar>(x: &[S; Y]) -> S;
    /// The quantity y and its gradient y_x.
    #[inline]
    fn gradient<S: Scalar>(x: &[S; Y]) -> (S, [S; Y]) {
        let y = Self::value(&Dual::<S, Y>::vars(x));
        (y.re, y.eps)
    }
    /// y, y_x and y_xx.
    fn hessian<S: Scalar>(x: &[S; Y]) -> (S, [S; Y], [[S; Y]; Y]) {
        let (y, j) = Self::gradient(&Dual::<S, Y>::vars(x));
        (y.re, y.eps, j.map(|j| j.eps))
    }
}

/// A coordinate of a point: y = x₀.
pub struct Coordinate;
impl Geometry<1> for Coordinate {
    const PORTS: usize = 1;
    #[inline]
    fn value<S: Scalar>(x: &[S; 1]) -> S {
        x[0]
    }
}

/// Distance of two points in D = Y/2 dimensions: y = |r₂ - r₁|. Undefined at 0 (not a number, which the step
/// reports).
pub struct Distance<const D: usize>;

macro_rules! distance {
    ($d:literal $y:literal) => {
        impl Geometry<$y> for Distance<$d> {
            const PORTS: usize = $y;
            #[inline]
            fn value<S: Scalar>(x: &[S; $y]) -> S {
                let mut sum = S::zero();
                for k in 0..$d {
                    let d = x[k + $d] - x[k];
                    sum += d * d;
                }
                sum.sqrt()
            }
            #[inline]
            fn gradient<S: Scalar>(x: &[S; $y]) -> (S, [S; $y]) {
                let l = Self::value(x);
                let inv = S::one() / l;
                (
                    l,
                    std::array::from_fn(|a| {
                        if a < $d { (x[a] - x[a + $d]) * inv } else { (x[a] - x[a - $d]) * inv }
                    }),
                )
            }
            #[inline]
            fn hessian<S: Scalar>(x: &[S; $y]) -> (S, [S; $y], [[S; $y]; $y]) {
                // (I - u uᵀ)/ℓ with the signs of the ends
                let (l, j) = Self::gradient(x);
                let unit = |a: usize, b: usize| {
                    S::from(if a == b {
                        1.0
                    } else if a % $d == b % $d {
                        -1.0
                    } else {
                        0.0
                    })
                };
                (l, j, std::array::from_fn(|a| std::array::from_fn(|b| (unit(a, b) - j[a] * j[b]) / l)))
            }
        }
    };
}
distance! { 2 4 }
distance! { 3 6 }

/// [`Distance`] in the plane.
pub type Distance2 = Distance<2>;
/// [`Distance`] in space.
pub type Distance3 = Distance<3>;

/// Plane angle from direction d₁ to direction d₂ over any number of turns; x₄ is the reference that picks the
/// branch.
pub struct Angle;
impl Geometry<5> for Angle {
    const PORTS: usize = 4;
    fn value<S: Scalar>(x: &[S; 5]) -> S {
        let y = (x[0] * x[3] - x[1] * x[2]).atan2(x[0] * x[2] + x[1] * x[3]);
        y + S::from(TAU * ((x[4].re() - y.re()) / TAU).round())
    }
    #[inline]
    fn gradient<S: Scalar>(x: &[S; 5]) -> (S, [S; 5]) {
        let end = |a: S, b: S| {
            let inv = S::one() / (a * a + b * b);
            [-b * inv, a * inv]
        };
        let e1 = end(x[0], x[1]);
        let e2 = end(x[2], x[3]);
        (Self::value(x), [-e1[0], -e1[1], e2[0], e2[1], S::zero()])
    }
    #[inline]
    fn hessian<S: Scalar>(x: &[S; 5]) -> (S, [S; 5], [[S; 5]; 5]) {
        let (y, j) = Self::gradient(x);
        let mut h = [[S::zero(); 5]; 5];
        for (o, sign) in [(0, -1.0), (2, 1.0)] {
            let a = x[o];
            let b = x[o + 1];
            let n = S::from(sign) / (a * a + b * b).powi(2);
            (h[o][o], h[o + 1][o + 1]) = (a * 2.0 * b * n, a * -2.0 * b * n);
            h[o][o + 1] = (b * b - a * a) * n;
            h[o + 1][o] = h[o][o + 1];
        }
        (y, j, h)
    }
}

/// The list of kernels: [`Kind`], the number of arguments and the dispatch follow from it.
macro_rules! kernels {
    ($d:tt $($name:ident $y:literal),* $(,)?) => {
        /// Which geometric quantity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(
                #[doc = concat!("[`", stringify!($name), "`](super::geometry::", stringify!($name), ")")]
                $name,
            )*
        }
        impl Kind {
            /// All quantities, in the order of the list.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];
        }
        /// Calls `f::<Kernel, Y, S>(args)` for the kernel of a [`Kind`].
        macro_rules! dispatch {
            ($d kind:expr, $d f:ident::<$d s:ty>($d($d args:expr),*)) => {
                match $d kind {
                    $($crate::geometry::Kind::$name => {
                        $d f::<$crate::geometry::$name, $y, $d s>($d($d args),*)
                    })*
                }
            };
        }
    };
}
kernels! { $ Coordinate 1, Distance2 4, Distance3 6, Angle 5 }
pub(crate) use dispatch;
