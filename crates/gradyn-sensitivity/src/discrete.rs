//! Discrete sensitivities: the derivative of the steps themselves.

pub mod adjoint;
pub mod direct;

use gradyn_dynamics::{Plan, Span, Step};
use gradyn_num::Wide;

/// R_h and R_t of the steps that touch declared times, by duals through the residual.
pub struct TimeColumns<T: Step> {
    work: T::Work<Wide>,
    x: Vec<Wide>,
    past: Vec<Wide>,
    r: Vec<Wide>,
    /// R_h.
    pub h: Vec<f64>,
    /// R_t, with h held.
    pub t: Vec<f64>,
}

impl<T: Step> TimeColumns<T> {
    /// Memory.
    pub fn new(step: &T, p: &[f64]) -> Self {
        let len = step.layout().len;
        let p: Vec<Wide> = p.iter().map(|&p| Wide::from(p)).collect();
        let zero = vec![Wide::from(0.0); len];
        Self {
            work: step.work(&p),
            x: zero.clone(),
            past: zero.clone(),
            r: zero,
            h: vec![0.0; len],
            t: vec![0.0; len],
        }
    }
    /// Evaluates both columns for record `n`.
    pub fn set(&mut self, step: &T, n: usize, plan: &Plan, span: Span<f64>, x: &[f64], past: Option<&[f64]>) {
        self.x.iter_mut().zip(x).for_each(|(a, b)| *a = Wide::from(*b));
        if let Some(past) = past {
            self.past.iter_mut().zip(past).for_each(|(a, b)| *a = Wide::from(*b));
        }
        let wide = Span { t: Wide::var(span.t, 1), h: Wide::var(span.h, 0) };
        let past = past.is_some().then_some(&self.past[..]);
        step.residual(wide, plan.frozen(n), &self.x, past, &mut self.work, &mut self.r);
        for (i, r) in self.r.iter().enumerate() {
            self.h[i] = r.eps[0];
            self.t[i] = r.eps[1];
        }
    }
}
