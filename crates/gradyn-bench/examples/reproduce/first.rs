//! The manipulator with only its first parameters variable.

use gradyn::Scalar;
use gradyn::user::{FinalTime, StateSpace, UserModel};
use gradyn_testkit::state_space::Manipulator;

/// The first `.0` parameters of the manipulator; the others are constants.
#[derive(Clone)]
pub struct First(usize);

impl First {
    /// With the final time as a parameter if it is one of them.
    pub fn model(count: usize) -> UserModel<Self> {
        let end = if count > 2 { FinalTime::Parameter(2) } else { FinalTime::At(0.5) };
        UserModel::new(Self(count), 0.0, end)
    }
    /// All parameters.
    fn all<S: Scalar>(&self, p: &[S]) -> Vec<S> {
        let rest = Manipulator.parameters().into_iter().skip(self.0).map(|(_, x)| S::from(x));
        p[..self.0].iter().copied().chain(rest).collect()
    }
}

impl StateSpace for First {
    fn positions(&self) -> Vec<String> {
        Manipulator.positions()
    }
    fn velocities(&self) -> Vec<String> {
        Manipulator.velocities()
    }
    fn parameters(&self) -> Vec<(String, f64)> {
        Manipulator.parameters().into_iter().take(self.0).collect()
    }
    fn objectives(&self) -> Vec<String> {
        Manipulator.objectives()
    }
    fn rates<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], rates: &mut [S]) {
        Manipulator.rates(t, y, z, &self.all(p), rates);
    }
    fn mass<S: Scalar>(&self, t: S, y: &[S], p: &[S], mass: &mut [S]) {
        Manipulator.mass(t, y, &self.all(p), mass);
    }
    fn forces<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], forces: &mut [S]) {
        Manipulator.forces(t, y, z, &self.all(p), forces);
    }
    fn initial<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], rows: &mut [S]) {
        Manipulator.initial(t, y, z, &self.all(p), rows);
    }
    fn terminals<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], values: &mut [S]) {
        Manipulator.terminals(t, y, z, &self.all(p), values);
    }
}
