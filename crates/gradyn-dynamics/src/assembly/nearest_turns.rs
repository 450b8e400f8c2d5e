//! Assembly over many turns: a screw that is drawn, or asked to be, twenty turns away.
//!
//! ```text
//! r(θ + 2π k) = r(θ) + k d:   k = -round(r/d),   for angles that one row alone reads                  (1)
//! ```
//! The search ends half a turn from the references of the drawing, where the angle would jump. There the
//! angle is taken for its own reference, k turns on, and the search goes on. It is tried where the search
//! with the references of the drawing has failed.

use super::Problem;
use crate::error::StepError;
use std::f64::consts::TAU;

/// Searches, each with the turns that the one before leads to. The rest is halved at least: 2³⁰ turns.
const MOST_SEARCHES: usize = 30;

/// Motion of a reference that lets a search go on [rad].
const LEAST_MOVE: f64 = 0.1;

impl Problem<'_> {
    /// Positions from q, and what is left there, with other turns (1) than those given; `open` says whether
    /// what is left is too much. Nothing, with the turns as they were, where no turns help.
    pub(super) fn turned(
        &mut self,
        angles: &[f64],
        q: &[f64],
        open: impl Fn(f64, &[f64]) -> bool,
    ) -> Result<Option<(Vec<f64>, Vec<f64>)>, StepError> {
        let mut references = angles.to_vec();
        let mut q = q.to_vec();
        for _ in 0..MOST_SEARCHES {
            if !self.take_nearest_turns(&mut references, &q) {
                break;
            }
            let (next, r) = self.minimise(&q)?;
            if !open(self.gap(&r).1, &next) {
                return Ok(Some((next, r)));
            }
            q = next;
        }
        self.terms.set_branches(angles);
        Ok(None)
    }
    /// Takes the angles at q for the references, with the turns of (1); has any of them moved?
    fn take_nearest_turns(&mut self, references: &mut [f64], q: &[f64]) -> bool {
        let before = references.to_vec();
        references.copy_from_slice(&self.angles_at(q));
        for a in 0..references.len() {
            // r and r + d of the row that reads angle a
            let here = self.residual_at(references, q);
            references[a] += TAU;
            let there = self.residual_at(references, q);
            references[a] -= TAU;
            let mut read = here.iter().zip(&there).filter(|(r, s)| r != s);
            let (Some((r, s)), None) = (read.next(), read.next()) else { continue };

            // k turns
            let k = -(r / (s - r)).round();
            references[a] += if k.is_finite() { k * TAU } else { 0.0 };
        }
        self.terms.set_branches(references);
        references.iter().zip(before).any(|(new, old)| (new - old).abs() > LEAST_MOVE)
    }
    /// (Φ, E) at q with other references of the angles.
    fn residual_at(&mut self, references: &[f64], q: &[f64]) -> Vec<f64> {
        self.terms.set_branches(references);
        self.residual(q)
    }
    /// The angles at q, with their turns.
    pub(super) fn angles_at(&mut self, q: &[f64]) -> Vec<f64> {
        let mut angles = vec![0.0; self.sys.dims().angles];
        self.terms.angles(q, &mut angles);
        angles
    }
}
