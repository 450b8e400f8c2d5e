//! The scalars that terms are evaluated on.
//!
//! The list is closed, so that the functions of a user's system, which are generic over the scalar, can be an
//! object: [`UserFunctions`] are the functions on each scalar of the list.

use crate::point::{At, FunctionalSet};
use gradyn_num::{Complex, Dual, ProgramScalar, Scalar, Wide};

/// Which numbers of a point are differentiated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Over {
    /// Coordinates q.
    Q,
    /// The velocities v.
    V,
    /// The parameters p.
    P,
}

/// A function of a point and of the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// w₀ c + w₁ ċ of the rows (4).
    Rows([f64; 2]),
    /// The product Aᵀ λ.
    Pulled,
    /// Values of a set of functionals.
    Functionals(FunctionalSet),
    /// The initial conditions Φ⁰ of (2).
    Initial,
}

/// The user's functions on one scalar.
pub trait Functions<S> {
    /// The matrix A, by rows.
    fn matrix(&self, t: S, q: &[S], p: &[S]) -> Vec<S>;
    /// Values of a function.
    fn value(&self, what: What, at: &At<S>, p: &[S]) -> Vec<S>;
    /// Calls `put(row, column, ∂f_row/∂x_column)` for every variable of a block.
    fn jacobian(&self, what: What, at: &At<S>, p: &[S], over: Over, put: &mut dyn FnMut(usize, usize, S));
    /// Adds the derivative of a function along p + ε δ to `out`.
    fn along_p(&self, what: What, at: &At<S>, p: &[S], delta: &[S], out: &mut [S]);
}

/// The closed list of scalars, and a user's functions on each of them.
macro_rules! kernel_scalars {
    ($($scalar:ty),*) => {
        /// A user's functions on all scalars of the list.
        pub trait UserFunctions: Send + Sync $(+ Functions<$scalar>)* {}
        impl<U: Send + Sync $(+ Functions<$scalar>)*> UserFunctions for U {}
        $(impl KernelScalar for $scalar {
            fn of(user: &dyn UserFunctions) -> &dyn Functions<Self> {
                user
            }
        })*
    };
}

/// A scalar that the terms of a system are evaluated on. The list is closed: `f64`, `Wide`, `Complex`, their
/// duals with one lane, and `Dual<f64, 2>`.
pub trait KernelScalar: Scalar {
    /// A user's functions on this scalar.
    fn of(user: &dyn UserFunctions) -> &dyn Functions<Self>;
}
kernel_scalars!(f64, Wide, Complex, Dual<f64, 1>, Dual<f64, 2>, Dual<Wide, 1>, Dual<Complex, 1>);

/// A scalar that a whole run can be carried through, with one more dual level above it.
pub trait RunScalar: ProgramScalar + KernelScalar {
    /// This scalar with a derivative along one direction.
    type Along: KernelScalar;
    /// A value with its derivative along the direction.
    fn along(value: Self, slope: Self) -> Self::Along;
    /// The derivative along the direction.
    fn slope(x: &Self::Along) -> Self;
}
macro_rules! run_scalars {
    ($($scalar:ty),*) => {
        $(impl RunScalar for $scalar {
            type Along = Dual<$scalar, 1>;
            fn along(re: Self, slope: Self) -> Dual<Self, 1> {
                Dual { re, eps: [slope] }
            }
            fn slope(x: &Dual<Self, 1>) -> Self {
                x.eps[0]
            }
        })*
    };
}
run_scalars!(f64, Wide, Complex);
