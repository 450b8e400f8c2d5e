//! The forward step: the iteration (9) on (3), then the projections (4), (5), the multipliers (6) and â (8).

use super::{MAX_ITERATIONS, Newmark, NewmarkLinear};
use crate::error::StepError;
use crate::formulation::Compliance;
use crate::kkt::row_or_coordinate;
use crate::projection::project;
use crate::step::{Report, Span};
use gradyn_model::At;

impl Newmark {
    /// (9) on (3) from the prediction in (q, λ) of `x`; leaves (v*, a*) in `l.star`.
    pub(super) fn motion(
        &self,
        span: Span<f64>,
        past: &[f64],
        l: &mut NewmarkLinear,
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (lay, t, h, o) = (self.layout(), span.end(), span.h, self.multiplier());
        let (n, m) = (lay.n, lay.m);
        let mut report = Report::default();
        let (mut best, mut stalled, mut stale, mut converged) = (f64::INFINITY, 0, true, false);
        loop {
            self.star(h, &x[..n], past, &mut l.star);
            let (v_star, a_star) = l.star.split_at(n);
            let at = At { t, q: &x[..n], v: v_star, a: a_star, lam: &x[o..o + m] };
            l.motion.terms.at(t, at.q);
            if converged {
                return Ok(report);
            }
            self.f.residual(&self.sys, &at, &mut l.motion.terms, &mut l.b);
            if l.b.iter().any(|r| !r.is_finite()) {
                return Err(self.diverged(span, report.iterations, f64::NAN, &l.b, m));
            }
            if stale {
                l.motion.assemble(&self.sys, &at, !(self.f.wrong_tangent || self.iteration.truncated));
                let own = self.f.compliance.rows(&self.sys);
                let soft = self.iteration.compliance.rows(&self.sys);
                // slow near a singular position, where ΦM⁻¹Φᵀ is small: ten times α with every fresh tangent
                let stiffer = 0.1f64.powi(report.factorizations as i32);
                self.factor_motion(t, h, |k| own(k) + stiffer * soft(k), l)?;
                report.factorizations += 1;
            }
            l.values.copy_from_slice(&l.b);
            self.solve_motion(h, &mut l.newton, &mut l.b, n);
            x[..n].iter_mut().zip(&l.b).for_each(|(x, d)| *x -= d);
            x[o..o + m].iter_mut().zip(&l.b[n..]).for_each(|(x, d)| *x -= d);
            report.iterations += 1;
            let size = self.size(l, &x[..n]);
            let last = report.iterations == MAX_ITERATIONS;
            // at rounding, or no longer falling; one more pass places v*, a* and Φ_q
            stalled = if size > 0.3 * best { stalled + 1 } else { 0 };
            let stagnates = ((stalled >= 1 || last) && size < 1e-12) || (stalled >= 3 && size < 1e-11);
            converged = size <= self.iteration.tolerance.max(4.0 * f64::EPSILON) || stagnates;
            if !size.is_finite() || (last && !converged) {
                return Err(self.diverged(span, report.iterations, size, &l.values, m));
            }
            stale = !converged && size > 0.25 * best; // slow: a fresh tangent
            best = best.min(size);
        }
    }
    /// Size of the last correction (in `b`), relative to q. The corrections of (9) shrink by 1/(1 +
    /// αβh²ΦM⁻¹Φᵀ) only: where that is slow, what is left of Φ (in `values`) says more.
    fn size(&self, l: &NewmarkLinear, q: &[f64]) -> f64 {
        let norm = |x: &[f64]| x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        let of = |x: f64, scale: f64| x / if scale > 0.0 { scale } else { 1.0 };
        let n = q.len();
        let scale = self.sys.size_of(q);
        let correction = of(norm(&l.b[..n]), scale);
        if self.iteration.compliance == Compliance::NONE {
            return correction;
        }
        correction.max(of(norm(&l.values[n..]), scale * norm(l.motion.terms.phi_q())))
    }
    fn diverged(
        &self,
        span: Span<f64>,
        iterations: usize,
        correction: f64,
        r: &[f64],
        m: usize,
    ) -> StepError {
        let (t, n) = (span.end(), r.len() - m);
        if let Some(i) = r.iter().position(|r| !r.is_finite()) {
            let index = if i < n { m + i } else { i - n };
            return StepError::NotFinite { t, equation: row_or_coordinate(&self.sys, index) };
        }
        let worst = (0..r.len()).fold(0, |w, i| if r[i].abs() > r[w].abs() { i } else { w });
        let name = row_or_coordinate(&self.sys, if worst < n { m + worst } else { worst - n });
        StepError::Newton { t, h: span.h, iterations, correction, residual: r[worst].abs(), worst: name }
    }
    /// (4), (5) with one factor, if this step projects, and (6).
    pub(super) fn projections(
        &self,
        span: Span<f64>,
        projects: bool,
        l: &mut NewmarkLinear,
        x: &mut [f64],
    ) -> Result<(), StepError> {
        let (lay, t) = (self.layout(), span.end());
        let (n, m) = (lay.n, lay.m);
        x[n..3 * n].copy_from_slice(&l.star);
        let Some(sigma) = self.sigma() else { return Ok(()) };
        if projects {
            // the node still has v*, a*
            let at = lay.node(t, x);
            let κ = self.tangent_weights(span.h);
            l.projector.refactor(&self.sys, &at, κ, self.compliance, &mut l.motion.terms)?;
        }
        for (k, s) in sigma.into_iter().enumerate() {
            l.b.fill(0.0);
            if projects {
                project(&self.sys, t, k + 1, &mut l.motion.terms, |b| l.projector.solve(b), x, &mut l.b);
            }
            x[s..s + m].copy_from_slice(&l.b[n..]);
        }
        let star = self.multiplier();
        (0..m).for_each(|k| x[lay.lam() + k] = x[star + k] + x[sigma[1] + k]);
        Ok(())
    }
    /// The auxiliary acceleration (8).
    pub(super) fn filter(&self, past: &[f64], x: &mut [f64]) {
        if self.scheme.auxiliary() {
            let (n, aux, [c, c0, c1]) = (self.layout().n, self.auxiliary(), self.scheme.filter());
            (0..n).for_each(|i| x[aux + i] = c * x[2 * n + i] + c0 * past[2 * n + i] + c1 * past[aux + i]);
        }
    }
}
