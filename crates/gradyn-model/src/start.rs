//! What is decided about the start of a run once the system is built.

use crate::error::ModelError;
use crate::system::{Kinematics, Statics};

/// Where the assembly looks for the start, and which conditions determine it.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Positions from which the assembly begins.
    pub(crate) guess: Vec<f64>,
    /// What balances, where the start is a static equilibrium.
    pub(crate) statics: Option<Statics>,
    /// Conditions of velocity that hold, among those that the system offers: the given ones, then the rates
    /// of the coordinates.
    pub(crate) velocity_conditions: Vec<u32>,
}

impl Start {
    /// Begins the assembly elsewhere, for example at an assembled configuration; another number of
    /// coordinates is an error.
    pub fn with_guess(&self, q: &[f64]) -> Result<Self, ModelError> {
        let (given, count) = (q.len(), self.guess.len());
        if given != count {
            let message = format!("a start of {given} numbers for {count} coordinates");
            return Err(ModelError::new(message).help("give one number for each coordinate"));
        }
        Ok(Self { guess: q.to_vec(), ..self.clone() })
    }
    /// Says along which coordinates forces balance in an equilibrium.
    pub fn with_balanced(&self, balanced: &[u32]) -> Self {
        let statics = self.statics.as_ref().map(|s| Statics { balanced: balanced.to_vec(), ..s.clone() });
        Self { statics, ..self.clone() }
    }
    /// Takes other conditions of velocity, by their numbers in the system.
    pub(crate) fn with_velocity_conditions(&self, velocity_conditions: Vec<u32>) -> Self {
        Self { velocity_conditions, ..self.clone() }
    }
    /// Keeps some of the conditions of velocity, by their places in the list.
    pub(crate) fn keeping(&self, open: &[usize]) -> Self {
        let kept = open.iter().map(|&k| self.velocity_conditions[k]).collect();
        self.with_velocity_conditions(kept)
    }
    /// The number in the system of condition `k` of positions or of velocities.
    #[inline]
    pub(crate) fn condition(&self, kinematics: Kinematics, k: usize) -> usize {
        if kinematics.is_velocity() { self.velocity_conditions[k] as usize } else { k }
    }
}
