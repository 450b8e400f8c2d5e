//! What is decided about the rows and the slots of a system once it is built.
//!
//! An assembly finds which rows are independent and which ones follow from others; a study says which slots
//! its gradients are wanted for. The system itself never changes: evaluation reads these decisions, rows that
//! are dropped are zero, and elements that read no active slot are left out of gradients over slots.

use crate::error::ModelError;
use crate::system::{Dims, Kinematics, RowScaling};

/// Parts of a system that read a slot whose gradient is wanted.
#[derive(Clone, Debug)]
pub struct Active {
    /// Forces, then loads, that read nothing that a gradient is wanted for.
    pub(crate) fixed: Vec<bool>,
    /// Is a gradient of an inertia wanted?
    pub(crate) inertial: bool,
    /// Is a gradient of a row wanted?
    pub(crate) rowed: bool,
    /// Is a gradient of the geometry of a tree wanted?
    pub(crate) shaped: bool,
}

impl Active {
    /// Every slot is active, for some number of forces and loads and a tree with or without geometry.
    pub(crate) fn all(elements: usize, shaped: bool) -> Self {
        Self { fixed: vec![false; elements], inertial: true, rowed: true, shaped }
    }
}

/// Which rows hold the system, and which ones are left out: they follow from others, or are switched off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChoice {
    /// Independent rows: of positions (holonomic rows), of velocities (all rows).
    pub independent: [Vec<u32>; 2],
    /// Rows that are left out.
    pub dropped: Vec<u32>,
    /// Those of them that are switched off: they follow from nothing.
    pub off: Vec<u32>,
}

impl RowChoice {
    /// Rows that are left out because they follow from others.
    pub fn redundant(&self) -> impl Iterator<Item = u32> {
        self.dropped.iter().copied().filter(|k| !self.off.contains(k))
    }
}

/// Which rows hold the system, which ones are left out, and how compliant each of them is.
#[derive(Clone, Debug)]
pub struct RowStatus {
    choice: RowChoice,
    compliances: [Vec<f64>; 2],
    active: Active,
    /// Number of rows before those of the elements: one for each set of Euler parameters.
    first: u32,
}

impl RowStatus {
    /// All rows independent and none left out, where `first` rows stand before those of the elements.
    pub(crate) fn new(dims: Dims, first: usize, compliances: Vec<f64>, active: Active) -> Self {
        Self {
            choice: RowChoice { independent: dims.all_rows(), ..RowChoice::default() },
            compliances: [compliances.clone(), compliances],
            active,
            first: first as u32,
        }
    }
    /// Another choice of the independent rows and of those that are left out; rows that do not exist, and
    /// rows of Euler parameters that are left out, are errors.
    pub fn chosen(&self, choice: RowChoice) -> Result<Self, ModelError> {
        let count = self.compliances[0].len() as u32;
        let all = choice.independent.iter().flatten().chain(&choice.dropped);
        if let Some(k) = all.into_iter().find(|k| **k >= count) {
            return Err(ModelError::new(format!("there is no row {k}: the system has {count}")));
        }
        if let Some(k) = choice.dropped.iter().find(|k| **k < self.first) {
            let message = format!("row {k} is the length of Euler parameters and cannot be left out");
            return Err(ModelError::new(message));
        }
        Ok(Self { choice, ..self.clone() })
    }
    /// May a row be left out? The lengths of Euler parameters may not.
    pub(crate) fn may_drop(&self, row: usize) -> bool {
        row >= self.first as usize
    }
    /// Other compliances by the effective masses of the rows.
    pub(crate) fn scaled(&self, by_mass: Vec<f64>) -> Self {
        let [uniform, _] = &self.compliances;
        Self { compliances: [uniform.clone(), by_mass], ..self.clone() }
    }
    /// Gradients of other slots.
    pub(crate) fn with_active(&self, active: Active) -> Self {
        Self { active, ..self.clone() }
    }
    /// Which rows hold, and which are left out.
    pub(crate) fn choice(&self) -> &RowChoice {
        &self.choice
    }
    /// Independent rows: of positions (holonomic rows), or of velocities (all rows).
    pub(crate) fn independent(&self, kinematics: Kinematics) -> &[u32] {
        &self.choice.independent[kinematics.index()]
    }
    /// Rows that are left out: they follow from others, or are switched off.
    pub(crate) fn dropped(&self) -> &[u32] {
        &self.choice.dropped
    }
    /// Compliance of each row relative to that of the formulation.
    pub(crate) fn compliances(&self, scaling: RowScaling) -> &[f64] {
        &self.compliances[usize::from(scaling == RowScaling::EffectiveMass)]
    }
    /// What gradients over slots visit.
    #[inline]
    pub(crate) fn active(&self) -> &Active {
        &self.active
    }
    /// Rows of the elements that are left out, as the elements number them.
    #[inline]
    pub(crate) fn dropped_elements(&self) -> impl Iterator<Item = usize> {
        self.choice.dropped.iter().map(|&k| (k - self.first) as usize)
    }
}
