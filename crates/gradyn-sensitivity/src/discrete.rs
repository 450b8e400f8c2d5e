//! Discrete sensitivities: the derivative of the steps themselves.

pub mod adjoint;
pub mod direct;
mod records;
mod seeds;
pub(crate) mod transposes;

use gradyn_dynamics::step::ChainResidual;
use gradyn_dynamics::{Residual, Span, StepArgs, StepRecipe};
use gradyn_num::Wide;

/// R_h and R_t of the steps that touch declared times, by duals through the residual.
pub(crate) struct TimeColumns {
    residual: ChainResidual<Wide>,
    x: Vec<Wide>,
    past: Vec<Wide>,
    r: Vec<Wide>,
    /// Column R_h of the step size.
    pub h: Vec<f64>,
    /// R_t, with h held.
    pub t: Vec<f64>,
}

impl TimeColumns {
    /// Room for both columns; nothing is evaluated yet.
    pub(crate) fn new(recipe: &StepRecipe, p: &[f64]) -> Self {
        let len = recipe.layout().len;
        let p: Vec<Wide> = p.iter().map(|&p| Wide::from(p)).collect();
        let zero = vec![Wide::from(0.0); len];
        Self {
            residual: recipe.residual(&p),
            x: zero.clone(),
            past: zero.clone(),
            r: zero,
            h: vec![0.0; len],
            t: vec![0.0; len],
        }
    }
    /// Evaluates both columns for a record.
    pub(crate) fn set(&mut self, a: &StepArgs) {
        self.x.iter_mut().zip(a.x).for_each(|(to, x)| *to = Wide::from(*x));
        self.past.iter_mut().zip(a.past).for_each(|(to, x)| *to = Wide::from(*x));
        let span = Span { t: Wide::var(a.span.t, 1), h: Wide::var(a.span.h, 0) };
        let past = &self.past[..a.past.len()];
        self.residual.residual(&StepArgs { span, frozen: a.frozen, x: &self.x, past }, &mut self.r);
        for (i, r) in self.r.iter().enumerate() {
            self.h[i] = r.eps[0];
            self.t[i] = r.eps[1];
        }
    }
}
