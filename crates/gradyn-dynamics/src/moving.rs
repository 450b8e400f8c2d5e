//! Functionals with their rates along a step.
//!
//! ```text
//! ġ = g_t + g_q v + g_v a + g_a Δa/h + g_λ Δλ/h                                                         (1)
//! ```
//! Rates of accelerations and multipliers are those of the step, and zero where it has no length.

use crate::motion::Piece;
use crate::record::{Layout, Span};
use gradyn_model::{Evaluator, FunctionalSet, Setup};
use gradyn_num::Dual;

/// A number and its rate.
type Rated = Dual<f64, 1>;

/// A set of functionals that is looked at along a run.
pub(crate) struct Moving {
    layout: Layout,
    set: FunctionalSet,
    terms: Evaluator<Rated>,
    x: Vec<Rated>,
    values: Vec<Rated>,
}

impl Moving {
    /// Memory for the slots p.
    pub(crate) fn new(sys: &Setup, p: &[f64], layout: Layout, set: FunctionalSet) -> Self {
        let zero = Rated::from(0.0);
        Self {
            layout,
            set,
            terms: sys.evaluator_with(p),
            x: vec![zero; layout.z()],
            values: vec![zero; sys.functionals(set)],
        }
    }
    /// (1) of each functional at the end of a step.
    pub(crate) fn look(&mut self, span: Span<f64>, branches: &[f64], [past, x]: [&[f64]; 2]) -> &[Rated] {
        let n = self.layout.n;
        for (i, to) in self.x.iter_mut().enumerate() {
            let slope = if span.h > 0.0 { (x[i] - past[i]) / span.h } else { 0.0 };
            *to = Rated::along(x[i], if i < 2 * n { x[n + i] } else { slope });
        }
        self.measure(span.end(), branches)
    }
    /// Each functional with its rate at θ of a step.
    pub(crate) fn within(&mut self, piece: &Piece, θ: f64, branches: &[f64]) -> &[Rated] {
        let t = piece.at(θ, &mut self.x);
        self.measure(t.re, branches)
    }
    /// g_t of each functional at a node that stands still.
    pub(crate) fn stand(&mut self, t: f64, branches: &[f64], x: &[f64]) -> &[Rated] {
        self.x.iter_mut().zip(x).for_each(|(to, x)| *to = Rated::from(*x));
        self.measure(t, branches)
    }
    fn measure(&mut self, t: f64, branches: &[f64]) -> &[Rated] {
        let t = Rated::along(t, 1.0);
        self.terms.set_branches(branches);
        self.terms.at_time(t);
        self.terms.measure(self.set, &self.layout.node(t, &self.x), &mut self.values);
        &self.values
    }
}
