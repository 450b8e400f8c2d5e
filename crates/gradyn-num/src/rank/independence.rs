//! How independent the rows of a matrix are, at many values on one pattern.
//!
//! ```text
//! few rows:    min over i of the distance of â_i from the span of those before it                  (1)
//! many rows:   min over k of |d_k|, the pivots of Âᵀ = L U in an order of little fill               (2)
//! each times   min over i of |a_i| / (the largest |a_i| that was learnt, if any)                   (3)
//! ```
//! (1) is the sine of an angle: the diagonal of the Cholesky factor of Â Âᵀ, or by orthogonal vectors where
//! roundings matter.
//!
//! All fall to zero, linearly in general, where rows become dependent. (2) may be small elsewhere: where it
//! is, ask for σ_min. (3) is for joint coordinates, in which a row may vanish where its direction does not
//! say so.

use super::basis::dot;
use super::sparse::{self, Elimination};
use super::{Basis, MOST_DENSE_ROWS, norm};
use crate::Pattern;

/// Some rows of a pattern, and memory.
pub struct Independence {
    pattern: Pattern,
    rows: Vec<u32>,
    /// Largest |a_i| that was learnt.
    longest: Vec<f64>,
    memory: Gram,
    sparse: Option<Elimination>,
}

impl Independence {
    /// The measure of some rows of a pattern; nothing is learnt yet.
    pub fn new(pattern: &Pattern, rows: &[u32]) -> Self {
        let part = pattern.part(rows);
        let sparse = (rows.len() > MOST_DENSE_ROWS).then(|| Elimination::new(&part));
        Self {
            pattern: part,
            rows: rows.to_vec(),
            longest: vec![0.0; rows.len()],
            memory: Gram::default(),
            sparse,
        }
    }
    /// Takes these lengths for usual ones: (3) compares with the largest.
    pub fn learn(&mut self, whole: &Pattern, values: &[f64]) {
        let values = whole.part_values(&self.rows, values);
        for (i, longest) in self.longest.iter_mut().enumerate() {
            *longest = longest.max(norm(&values[self.pattern.row(i)]));
        }
    }
    /// The measure (1) or (2), times (3), with these values of the whole pattern; ∞ without rows.
    pub fn measure(&mut self, whole: &Pattern, values: &[f64]) -> f64 {
        let values = whole.part_values(&self.rows, values);
        let sine = match &mut self.sparse {
            None => Some(self.memory.diagonal(&self.pattern, &values))
                .filter(|s| *s > LEAST_CHOLESKY)
                .unwrap_or_else(|| sine(&self.pattern, &values)),
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
    /// The factor (3) of values of the rows.
    fn shrunk(&self, values: &[f64]) -> f64 {
        self.lengths(values).map(|(_, x)| x).fold(1.0, f64::min)
    }
    /// Rows that were learnt, and their lengths relative to that.
    fn lengths(&self, values: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        let learnt = self.longest.iter().enumerate().filter(|(_, longest)| **longest > 0.0);
        learnt.map(|(i, longest)| (i, norm(&values[self.pattern.row(i)]) / longest))
    }
    /// Rows of which no more than a part is left, by their place among the rows.
    pub fn vanishing(&self, whole: &Pattern, values: &[f64], part: f64) -> Vec<usize> {
        let values = whole.part_values(&self.rows, values);
        self.lengths(&values).filter(|(_, x)| *x <= part).map(|(i, _)| i).collect()
    }
}

/// Measure (1) below which the Cholesky factor, whose squares have an error of 1e-16, is not taken.
const LEAST_CHOLESKY: f64 = 1e-4;

/// Memory of Â and of the Cholesky factor L of Â Âᵀ, row by row.
#[derive(Default)]
struct Gram {
    unit: Vec<f64>,
    l: Vec<f64>,
}

impl Gram {
    /// Smallest l_ii; 0 where the factor breaks down.
    fn diagonal(&mut self, pattern: &Pattern, values: &[f64]) -> f64 {
        let m = pattern.rows();
        let n = pattern.cols();
        self.unit.clear();
        self.unit.resize(m * n, 0.0);
        self.l.resize(m * m, 0.0);
        let mut least = f64::INFINITY;
        for i in 0..m {
            // â_i
            let length = norm(&values[pattern.row(i)]).max(f64::MIN_POSITIVE);
            pattern.entries(i, values).for_each(|(j, a)| self.unit[i * n + j] = a / length);
            let row = &self.unit[i * n..(i + 1) * n];

            // l_ij = (â_i·â_j - Σ_k l_ik l_jk)/l_jj,   l_ii² = 1 - Σ_k l_ik²
            let (before, here) = self.l.split_at_mut(i * m);
            for j in 0..i {
                let other = &before[j * m..=j * m + j];
                here[j] = (dot(row, &self.unit[j * n..(j + 1) * n]) - dot(&here[..j], other)) / other[j];
            }
            here[i] = (dot(row, row) - dot(&here[..i], &here[..i])).max(0.0).sqrt();
            if here[i] <= 0.0 {
                return 0.0;
            }
            least = least.min(here[i]);
        }
        least
    }
}

/// The measure (1) by orthogonal vectors.
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
