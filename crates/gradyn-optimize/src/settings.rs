//! Tolerances and limits, the same for every optimiser.

use crate::error::Error;

/// Tolerances and limits. All tolerances are of scaled quantities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Tolerance of the projected gradient of the Lagrangian and of complementarity.
    pub gradient_tol: f64,
    /// Tolerance of the change of the value, times max(1, |f|), in two iterations in a row; 0: not tested.
    pub value_tol: f64,
    /// Tolerance of the violation of the constraints.
    pub violation_tol: f64,
    /// Accuracy of the evaluations of f, in the units of f; 0: rounding.
    pub noise: f64,
    /// Value below which the problem has no minimum.
    pub least_value: f64,
    /// Largest number of iterations.
    pub max_iterations: usize,
    /// Largest number of evaluations, failed trials included.
    pub max_evaluations: usize,
    /// Largest number of failed trials since the last iteration without one.
    pub max_failures: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gradient_tol: 1e-8,
            value_tol: 1e-15,
            violation_tol: 1e-8,
            noise: 0.0,
            least_value: -1e12,
            max_iterations: 1000,
            max_evaluations: 5000,
            max_failures: 30,
        }
    }
}

impl Settings {
    /// Refuses negative tolerances and limits of zero.
    pub fn check(&self) -> Result<(), Error> {
        // tolerances ≥ 0
        let tolerances = [
            ("gradient_tol", self.gradient_tol),
            ("value_tol", self.value_tol),
            ("violation_tol", self.violation_tol),
            ("noise", self.noise),
        ];
        if let Some(&(name, value)) = tolerances.iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            return Err(Error::Setting { name, value, what: "not a tolerance" });
        }

        // limits > 0
        let limits = [
            ("max_iterations", self.max_iterations),
            ("max_evaluations", self.max_evaluations),
            ("max_failures", self.max_failures),
        ];
        match limits.iter().find(|(_, x)| *x == 0) {
            Some(&(name, _)) => Err(Error::Setting { name, value: 0.0, what: "not a limit" }),
            None => Ok(()),
        }
    }
}
