//! The oracle as a problem of basin.
//!
//! A pause and the gradient of a failed trial are errors, which end a call of basin; the value of a failed
//! trial is infinite.

use crate::oracle::{Oracle, Pause};
use crate::space::Point;
use basin::{
    BoxBounds, ConstraintDescription, ConstraintJacobian, ConstraintSet, ConstraintSolveError, Constraints,
    CostFunction, DenseMatrix, Gradient, NoLinearConstraints, NonlinearBlock, NonlinearBlocks,
    NonlinearEqualityValues, NonlinearInequalityValues,
};

/// Why a call of basin ended early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The point must be evaluated.
    Pause(Pause),
    /// The trial failed there.
    Failed(Vec<f64>),
}

/// Value and gradient, for bounds alone.
pub(crate) struct Boxed<'a>(pub &'a Oracle<'a>);
/// Value, gradient and constraints, for bounds and constraints.
pub(crate) struct Constrained<'a>(pub &'a Oracle<'a>);

fn at(oracle: &Oracle, z: &[f64]) -> Result<Option<Point>, Trouble> {
    oracle.at(z).map_err(Trouble::Pause)
}

macro_rules! objective {
    ($type:ident) => {
        impl CostFunction for $type<'_> {
            type Param = Vec<f64>;
            type Output = f64;
            type Error = Trouble;
            fn cost(&self, z: &Vec<f64>) -> Result<f64, Trouble> {
                Ok(at(self.0, z)?.map_or(f64::INFINITY, |p| p.f))
            }
        }
        impl Gradient for $type<'_> {
            type Gradient = Vec<f64>;
            fn gradient(&self, z: &Vec<f64>) -> Result<Vec<f64>, Trouble> {
                at(self.0, z)?.map(|p| p.g).ok_or_else(|| Trouble::Failed(z.clone()))
            }
        }
    };
}
objective!(Boxed);
objective!(Constrained);

type Bounds = BoxBounds<Vec<f64>>;

impl Constraints for Boxed<'_> {
    type Set = ConstraintSet<Bounds>;
    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        let space = self.0.space;
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&space.lower), Some(&space.upper)))
    }
}

impl Constraints for Constrained<'_> {
    type Set = ConstraintSet<Bounds, NoLinearConstraints, NonlinearBlocks<NonlinearBlock, NonlinearBlock>>;
    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        let space = self.0.space;
        ConstraintSet::new()
            .with_bounds(BoxBounds::new(Some(&space.lower), Some(&space.upper)))
            .with_nonlinear_equalities(space.m_eq)
            .with_nonlinear_inequalities(space.m - space.m_eq)
    }
}

impl Constrained<'_> {
    /// Constraints; infinite at a failed trial.
    fn values(&self, z: &[f64]) -> Result<Vec<f64>, ConstraintSolveError<Trouble>> {
        Ok(at(self.0, z)?.map_or(vec![f64::INFINITY; self.0.space.m], |p| p.c))
    }
}

impl NonlinearEqualityValues for Constrained<'_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Trouble;
    fn nonlinear_equalities(&self, z: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Trouble>> {
        self.values(z).map(|c| c[..self.0.space.m_eq].to_vec())
    }
}

impl NonlinearInequalityValues for Constrained<'_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Trouble;
    fn nonlinear_inequalities(&self, z: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Trouble>> {
        self.values(z).map(|c| c[self.0.space.m_eq..].to_vec())
    }
}

impl ConstraintJacobian for Constrained<'_> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix<f64>;
    type Error = Trouble;
    fn constraint_jacobian(&self, z: &Vec<f64>) -> Result<DenseMatrix<f64>, ConstraintSolveError<Trouble>> {
        let space = self.0.space;
        let c_z = at(self.0, z)?.map(|p| p.c_z).ok_or_else(|| Trouble::Failed(z.clone()))?;
        Ok(DenseMatrix::from_row_slice(space.m, space.n, &c_z))
    }
}
