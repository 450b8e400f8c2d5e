//! Turns of angles along a run.
//!
//! An angle is an arc tangent, known up to turns. With its rate ω and its second rate α at both nodes of a
//! step, and θ₀ of the first,
//!
//! ```text
//! reference of a stage at t₀ + τ   θ₀ + ω₀ τ + ½ α₀ τ²                                                 (1)
//! θ₁: the turn nearest to          θ₀ + h (ω₀ + ω₁)/2 + h² (α₀ - α₁)/12                                (2)
//! (1) at h from (2), θ₁ from (2), θ₁ - ω₁ h + ½ α₁ h² from θ₀: a quarter turn at most                 (3)
//! h |ω₀ + ω₁|/2 ≤ 2, where angles are no sums of coordinates                                           (4)
//! ```
//! All are numbers of the plan, without derivatives: small changes of the parameters do not change turns. By
//! (3) the turn that a node is evaluated with, the one nearest to (1), is that of (2). Where it does not
//! hold, the turn cannot be told: the step is too long. The start and restarts have no length: their turn is
//! the nearest one. No scheme resolves longer steps than (4) on points
//! and unit vectors, whatever (3) says of its rates.

use crate::error::StepError;
use crate::record::Span;
use gradyn_model::{AngleMotion, AngleName, At, Evaluator, Setup};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Longest turn in a step, (4) [rad].
const LONGEST: f64 = 2.0;

/// The references of a step, and memory.
pub(crate) struct Turns {
    sys: Setup,
    /// May steps of any length be exact?
    exact: bool,
    terms: Evaluator<f64>,
    /// Of the next step, as [`Evaluator::set_branches`] takes them.
    references: Vec<f64>,
    /// Of the step after a trial.
    next: Vec<f64>,
    motion: Vec<Option<AngleMotion>>,
}

impl Turns {
    /// At the start t, where angles are nearest to those given.
    pub(crate) fn new(sys: &Setup, p: &[f64], t: f64, angles: &[f64]) -> Self {
        let references = standing(t, angles, sys.dims().sides);
        let next = references.clone();
        let motion = vec![None; angles.len()];
        let exact = sys.has_angle_coordinates();
        Self { sys: sys.clone(), exact, terms: sys.evaluator_with(p), references, next, motion }
    }
    /// References of the next step.
    pub(crate) fn references(&self) -> &[f64] {
        &self.references
    }
    /// Goes on from the node that was looked at last.
    pub(crate) fn follow(&mut self) {
        self.references.copy_from_slice(&self.next);
    }
    /// Goes on from given references, those of another record.
    pub(crate) fn set(&mut self, references: &[f64]) {
        self.references.copy_from_slice(references);
    }
    /// Goes on from angles that an event gives at t.
    pub(crate) fn place(&mut self, t: f64, angles: &[f64]) {
        self.references = self.placed(t, angles);
    }
    /// References with angles that an event gives at t.
    pub(crate) fn placed(&self, t: f64, angles: &[f64]) -> Vec<f64> {
        let mut references = self.references.clone();
        let motions = standing(t, angles, 0);
        references[..motions.len()].copy_from_slice(&motions);
        references
    }
    /// Sides of `count` conditions in the next step.
    pub(crate) fn sides(&self, count: usize) -> &[f64] {
        &self.references[self.references.len() - count..]
    }
    /// Gives condition `k` of `count` a side in the next step.
    pub(crate) fn set_side(&mut self, count: usize, k: usize, side: f64) {
        for list in [&mut self.references, &mut self.next] {
            let at = list.len() - count + k;
            list[at] = side;
        }
    }
    /// Looks at the node of a step: finds its turns, (2), and whether they can be told, (3).
    pub(crate) fn look(&mut self, span: Span<f64>, node: &At) -> Result<(), StepError> {
        if self.references.is_empty() {
            return Ok(());
        }
        let h = span.h;
        self.terms.angle_motion(node, &mut self.motion);
        self.next.copy_from_slice(&self.references);
        self.next[0] = node.t;
        for (k, motion) in self.motion.iter().enumerate() {
            let Some(end) = motion else { continue };
            let begin = AngleMotion::of(&self.references, k);
            // (2)
            let mean = 0.5 * h * (begin.rate + end.rate);
            let guess = begin.angle + mean + h * h * (begin.second - end.second) / 12.0;
            let angle = end.angle + TAU * ((guess - end.angle) / TAU).round();
            // (3)
            let ahead = begin.angle + h * (begin.rate + 0.5 * h * begin.second);
            let back = angle - h * (end.rate - 0.5 * h * end.second);
            let near = |a: f64, b: f64| (a - b).abs() <= FRAC_PI_2;
            let long = !self.exact && mean.abs() > LONGEST;
            let told = near(ahead, guess) && near(angle, guess) && near(back, begin.angle);
            // where no time passes nothing turns: the start, whose references are those of a rough drawing
            if h != 0.0 && (long || !told) {
                let AngleName { text: angle, attitude } = self.sys.angle_name(k);
                return Err(StepError::Turn { t: node.t, h, angle, attitude });
            }
            AngleMotion { angle, ..*end }.write(&mut self.next, k);
        }
        Ok(())
    }
}

/// What decides branches where angles stand still and no side is known.
pub(crate) fn standing(t: f64, angles: &[f64], sides: usize) -> Vec<f64> {
    if angles.is_empty() && sides == 0 {
        return vec![];
    }
    let motions = angles.iter().flat_map(|&angle| [angle, 0.0, 0.0]);
    std::iter::once(t).chain(motions).chain(std::iter::repeat_n(f64::NAN, sides)).collect()
}
