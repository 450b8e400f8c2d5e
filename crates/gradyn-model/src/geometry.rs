//! Geometric quantities y(x, u): what joints close on, forces act along and sensors read.
//!
//! An author writes one function of the port arguments x and the parameters u, generic over the scalar. On jets it gives
//! (y, ẏ, ÿ), on duals y_x, on nested duals y_xx; explicit overrides are allowed where a bench says so and are tested against
//! the duals. With J = y_x along a motion,
//!
//! ```text
//! ẏ = J ẋ,   y_x = J,   ẏ_x = J̇,   ẏ_ẋ = J,   ÿ_x = J̈,   ÿ_ẋ = 2 J̇,   ÿ_ẍ = J                     (1)
//! ```

use gradyn_num::{Dual, Jet, Scalar};
use std::f64::consts::TAU;

/// A scalar function of Y arguments, the first `PORTS` of which are port coordinates and the rest parameters or signals.
pub trait Geometry<const Y: usize> {
    /// Number of port arguments.
    const PORTS: usize;
    /// y(x).
    fn value<S: Scalar>(x: &[S; Y]) -> S;
    /// y and y_x.
    #[inline]
    fn gradient<S: Scalar>(x: &[S; Y]) -> (S, [S; Y]) {
        let y = Self::value(&Dual::<S, Y>::vars(x));
        (y.re, y.eps)
    }
    /// y, y_x and y_xx.
    fn hessian(x: &[f64; Y]) -> (f64, [f64; Y], [[f64; Y]; Y]) {
        let (y, j) = Self::gradient(&Dual::<f64, Y>::vars(x));
        (y.re, y.eps, j.map(|j| j.eps))
    }
    /// J, J̇ and J̈, (1).
    fn rates(x: &[f64; Y], d: &[f64; Y], dd: &[f64; Y]) -> [[f64; Y]; 3] {
        let jets = std::array::from_fn(|i| Jet::new(Dual::var(x[i], i), Dual::constant(d[i]), Dual::constant(dd[i])));
        let y = Self::value(&jets);
        [y.x.eps, y.d.eps, y.dd.eps]
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

/// Distance of two points: y = |r₂ - r₁|. Undefined at 0 (not a number, which the step reports).
pub struct Distance;
impl Geometry<4> for Distance {
    const PORTS: usize = 4;
    #[inline]
    fn value<S: Scalar>(x: &[S; 4]) -> S {
        let d = [x[2] - x[0], x[3] - x[1]];
        (d[0] * d[0] + d[1] * d[1]).sqrt()
    }
    #[inline]
    fn gradient<S: Scalar>(x: &[S; 4]) -> (S, [S; 4]) {
        let l = Self::value(x);
        let inv = S::one() / l;
        let u = [(x[2] - x[0]) * inv, (x[3] - x[1]) * inv];
        (l, [-u[0], -u[1], u[0], u[1]])
    }
    #[inline]
    fn hessian(x: &[f64; 4]) -> (f64, [f64; 4], [[f64; 4]; 4]) {
        let (l, j) = Self::gradient(x);
        // (I - u uᵀ)/ℓ with the signs of the ends
        let n = [[(1.0 - j[2] * j[2]) / l, -j[2] * j[3] / l], [-j[2] * j[3] / l, (1.0 - j[3] * j[3]) / l]];
        let h =
            std::array::from_fn(|a| std::array::from_fn(|b| if (a < 2) == (b < 2) { n[a % 2][b % 2] } else { -n[a % 2][b % 2] }));
        (l, j, h)
    }
}

/// Angle from direction d₁ to direction d₂ over any number of turns; x₄ is the reference that picks the branch.
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
        let (e1, e2) = (end(x[0], x[1]), end(x[2], x[3]));
        (Self::value(x), [-e1[0], -e1[1], e2[0], e2[1], S::zero()])
    }
    #[inline]
    fn hessian(x: &[f64; 5]) -> (f64, [f64; 5], [[f64; 5]; 5]) {
        let (y, j) = Self::gradient(x);
        let mut h = [[0.0; 5]; 5];
        for (o, sign) in [(0, -1.0), (2, 1.0)] {
            let (a, b) = (x[o], x[o + 1]);
            let n = sign / (a * a + b * b).powi(2);
            (h[o][o], h[o + 1][o + 1]) = (2.0 * a * b * n, -2.0 * a * b * n);
            h[o][o + 1] = (b * b - a * a) * n;
            h[o + 1][o] = h[o][o + 1];
        }
        (y, j, h)
    }
}

/// Driver of a coordinate: x₀ - u(t).
pub struct CoordinateDriver;
impl Geometry<2> for CoordinateDriver {
    const PORTS: usize = 1;
    fn value<S: Scalar>(x: &[S; 2]) -> S {
        x[0] - x[1]
    }
}

/// Driver of a distance: ½ (|r₂ - r₁|² - ℓ(t)²).
pub struct DistanceDriver;
impl Geometry<5> for DistanceDriver {
    const PORTS: usize = 4;
    fn value<S: Scalar>(x: &[S; 5]) -> S {
        let d = [x[2] - x[0], x[3] - x[1]];
        (d[0] * d[0] + d[1] * d[1] - x[4] * x[4]) * 0.5
    }
}

/// Driver of an angle: the component of d₂ normal to d₁ turned by θ(t). Regular at every angle.
pub struct AngleDriver;
impl Geometry<5> for AngleDriver {
    const PORTS: usize = 4;
    fn value<S: Scalar>(x: &[S; 5]) -> S {
        let (s, c) = (x[4].sin(), x[4].cos());
        (c * x[0] - s * x[1]) * x[3] - (s * x[0] + c * x[1]) * x[2]
    }
}

/// The list of kernels: [`Kind`], the number of arguments and the dispatch follow from it.
macro_rules! kernels {
    ($d:tt $($name:ident $y:literal),* $(,)?) => {
        /// Which geometric quantity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("[`", stringify!($name), "`](super::geometry::", stringify!($name), ")")] $name,)*
        }
        impl Kind {
            /// All of them.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];
            /// (port arguments, all arguments).
            pub fn arity(self) -> (usize, usize) {
                match self { $(Kind::$name => (<$name as Geometry<$y>>::PORTS, $y),)* }
            }
        }
        /// Calls `f::<Kernel, Y>(args)` for the kernel of a [`Kind`].
        macro_rules! dispatch {
            ($d kind:expr, $d f:ident($d($d args:expr),*)) => {
                match $d kind { $($crate::geometry::Kind::$name => $d f::<$crate::geometry::$name, $y>($d($d args),*),)* }
            };
            ($d kind:expr, $d f:ident::<$d s:ty>($d($d args:expr),*)) => {
                match $d kind { $($crate::geometry::Kind::$name => $d f::<$crate::geometry::$name, $y, $d s>($d($d args),*),)* }
            };
        }
    };
}
kernels! { $ Coordinate 1, Distance 4, Angle 5, CoordinateDriver 2, DistanceDriver 5, AngleDriver 5 }
pub(crate) use dispatch;
