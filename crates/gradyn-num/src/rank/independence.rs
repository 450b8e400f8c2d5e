//! How independent the rows of a matrix are, at many values on one pattern.
//!
//! ```text
//! few rows:    min over i of the distance of â_i from the span of those before it, the sine of the angle between them      (1)
//! many rows:   min over k of |d_k|, the pivots of Âᵀ = L U in an order of little fill                                   (2)
//! each times   min over i of |a_i| / (the largest |a_i| so far)                                                         (3)
//! ```
//! All fall to zero, linearly in general, where rows become dependent. (2) may be small elsewhere: where it is, ask for σ_min. (3) is for
//! joint coordinates, in which a row may vanish where its direction does not say so.

use super::sparse::{self, Elimination};
use super::{Basis, DENSE, norm};
use crate::Pattern;

/// Some rows of a pattern, and memory.
pub struct Independence {
    pattern: Pattern,
    rows: Vec<u32>,
    /// Largest |a_i| so far.
    longest: Vec<f64>,
    sparse: Option<Elimination>,
}

impl Independence {
    /// Of some rows.
    pub fn new(pattern: &Pattern, rows: &[u32]) -> Self {
        let part = pattern.part(rows);
        let sparse = (rows.len() > DENSE).then(|| Elimination::new(&part));
        Self { pattern: part, rows: rows.to_vec(), longest: vec![0.0; rows.len()], sparse }
    }
    /// (1) or (2), times (3), with these values of the whole pattern; ∞ without rows.
    pub fn measure(&mut self, whole: &Pattern, values: &[f64]) -> f64 {
        let values = whole.part_values(&self.rows, values);
        for (i, longest) in self.longest.iter_mut().enumerate() {
            *longest = longest.max(norm(&values[self.pattern.row(i)]));
        }
        let sine = match &mut self.sparse {
            None => sine(&self.pattern, &values),
            Some(e) => e.smallest_pivot(&self.pattern, &values),
        };
        sine * self.shrunk(&values)
    }
    /// σ_min/σ_max of the rows scaled to unit length, times (3).
    pub fn condition(&self, whole: &Pattern, values: &[f64]) -> f64 {
        let values = whole.part_values(&self.rows, values);
        let condition = match &self.sparse {
            None => super::row_dependencies(&self.pattern, &values, 0.0).condition,
            Some(_) => sparse::condition_of(&self.pattern, &values),
        };
        condition * self.shrunk(&values)
    }
    /// (3) of values of the rows.
    fn shrunk(&self, values: &[f64]) -> f64 {
        let lengths = self.longest.iter().enumerate().filter(|(_, longest)| **longest > 0.0);
        lengths.map(|(i, longest)| norm(&values[self.pattern.row(i)]) / longest).fold(1.0, f64::min)
    }
}

/// (1).
fn sine(pattern: &Pattern, values: &[f64]) -> f64 {
    let mut basis = Basis::default();
    let sines = (0..pattern.rows()).map(|i| {
        let mut x = vec![0.0; pattern.cols()];
        pattern.entries(i, values).for_each(|(j, a)| x[j] = a);
        let length = norm(&x);
        basis.add(x, 0.0) / length.max(f64::MIN_POSITIVE)
    });
    sines.fold(f64::INFINITY, f64::min)
}
