//! Steps that are repeated in two unequal parts.
//!
//! The iteration of `ali3p` may fail, or come to another branch, in a step that ends next to a singular
//! position or has one in its middle. Such a step is made in two parts, and a part that fails again in two
//! more, so that the position falls elsewhere:
//!
//! ```text
//! h = ϑh + (1 - ϑ)h,   ϑ = (3 - √5)/2                                                                 (1)
//! w = |v - v*| / max |v| > 0.05                                                                       (2)
//! ```
//! (2) tells another branch: v* of the scheme is not a velocity of the mechanism where it has come to, and
//! projecting it onto Φ̇ = 0 is an impact, which takes energy. |v| is the largest of the run so far. A part
//! of the fourth generation is taken as it is. Impacts below (2) are not told from the errors of long steps:
//! they take less than 0.3 % of the kinetic energy.

use crate::error::StepError;
use crate::formulation::Compliance;
use crate::record::Span;
use crate::step::newmark::Newmark;
use crate::step::{StepKind, StepRecipe};
use gradyn_num::largest;

/// ϑ of (1): no two nested divisions coincide.
const DIVISION: f64 = 0.381_966_011_250_105_1;

/// The limit of (2).
const IMPACT: f64 = 0.05;

/// Roundings of positions that a velocity at rest may be.
const ROUNDINGS: f64 = 1e4;

/// Divisions of one step, nested.
const GENERATIONS: usize = 4;

/// Times at which the parts of a step end, the next one last, and what (2) needs.
pub(crate) struct Parts {
    ends: Vec<f64>,
    star: Vec<f64>,
    fastest: f64,
}

impl Parts {
    /// Parts for the steps of a recipe; nothing where its steps are never repeated.
    pub(crate) fn new(recipe: &StepRecipe) -> Option<Self> {
        let spec = iterated(recipe)?;
        let star = vec![0.0; 2 * spec.layout().n];
        Some(Self { ends: Vec::with_capacity(2 * GENERATIONS), star, fastest: 0.0 })
    }
    /// The time at which the next part ends [s], while a step is made in parts.
    pub(crate) fn target(&self) -> Option<f64> {
        self.ends.last().copied()
    }
    /// The part that ends there is done.
    pub(crate) fn arrive(&mut self, t: f64) {
        if self.target() == Some(t) {
            self.ends.pop();
        }
    }
    /// Divides the step by (1); false if it has been divided often enough. `end` is where it would have
    /// ended [s].
    pub(crate) fn divide(&mut self, span: Span<f64>, end: f64) -> bool {
        if self.ends.len() > GENERATIONS {
            return false;
        }
        if self.target() != Some(end) {
            self.ends.push(end);
        }
        self.ends.push(span.t + DIVISION * span.h);
        true
    }
    /// w of (2) of a step that was made.
    pub(crate) fn change(&mut self, spec: &Newmark, h: f64, past: &[f64], x: &[f64]) -> f64 {
        let n = spec.layout().n;
        spec.star(h, &x[..n], past, &mut self.star);
        let v = &x[n..2 * n];
        let change = largest(v.iter().zip(&self.star).map(|(v, star)| v - star));
        self.fastest = self.fastest.max(largest(past[n..2 * n].iter().chain(v).copied()));
        // at rest velocities are roundings of positions over h
        let rounding = ROUNDINGS * f64::EPSILON * spec.sys.size_of(&x[..n]) / h;
        change / self.fastest.max(rounding)
    }
}

/// (2): is a step with such a change an impact?
pub(crate) fn is_impact(change: f64) -> bool {
    change > IMPACT
}

/// The scheme of a recipe, if it is iterated with a compliance.
pub(crate) fn iterated(recipe: &StepRecipe) -> Option<&Newmark> {
    match &recipe.kind {
        StepKind::Newmark(spec) if spec.iteration.compliance != Compliance::NONE => Some(spec),
        _ => None,
    }
}

/// Is this an error of the iteration, which other steps may not have?
pub(crate) fn is_iteration(e: &StepError) -> bool {
    use StepError::{Newton, NotFinite, NotFollowed, Singular};
    matches!(e, Newton { .. } | Singular { .. } | NotFinite { .. } | NotFollowed { .. })
}
