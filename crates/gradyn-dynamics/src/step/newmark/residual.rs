//! (1)–(8) as a residual, on any scalar.

use super::{Newmark, ProjectionMatrix};
use crate::formulation::release;
use crate::step::{Bound, Layout, Residual, Span, StepArgs};
use gradyn_model::{At, Evaluator, FunctionalSet, Level, RunScalar};

/// Memory of the residual.
pub struct Work<S: RunScalar> {
    terms: Evaluator<S>,
    star: Vec<S>,
    kkt: Vec<S>,
    g: Vec<S>,
    /// K, C and a scaled difference, where they are in P̄.
    tangent: Option<[Vec<S>; 3]>,
}

impl<S: RunScalar> Work<S> {
    pub(super) fn new(step: &Newmark, p: &[S]) -> Self {
        let (sys, d, zero) = (&step.sys, step.sys.dims(), S::zero());
        let terms = sys.evaluator(p);
        let star = vec![zero; 2 * d.n];
        let kkt = vec![zero; d.n + d.m];
        let nn = sys.patterns().nn.nnz();
        let tangent =
            (step.matrix == ProjectionMatrix::Tangent).then(|| [nn, nn, d.n].map(|len| vec![zero; len]));
        Self { terms, star, kkt, g: vec![zero; 2 * sys.functionals(FunctionalSet::Integrand)], tangent }
    }
}

impl<S: RunScalar> Residual<S> for Bound<Newmark, Work<S>> {
    fn residual(&mut self, a: &StepArgs<S>, r: &mut [S]) {
        let Self { spec, memory: w } = self;
        let StepArgs { span, frozen, x, past } = *a;
        let sys = &spec.sys;
        let lay = spec.layout();
        let (n, m, t) = (lay.n, lay.m, span.end());
        w.terms.set_branches(frozen.branches);
        spec.quadrature(span, &lay, x, past, w, r);
        // (3)
        let at = lay.node(t, x);
        spec.star(span.h, at.q, past, &mut w.star);
        let (v_star, a_star) = w.star.split_at(n);
        let star = spec.multiplier();
        spec.f.residual(
            sys,
            &At { v: v_star, a: a_star, lam: &x[star..star + m], ..at },
            &mut w.terms,
            &mut w.kkt,
        );
        r[..n].copy_from_slice(&w.kkt[..n]);
        r[star..star + m].copy_from_slice(&w.kkt[n..]);
        // (4), (5), (6)
        (n..3 * n).for_each(|i| r[i] = x[i] - w.star[i - n]);
        if let Some(sigma) = spec.sigma() {
            let project = spec.projects(frozen);
            if let (true, Some([k, c, _])) = (project, &mut w.tangent) {
                [&mut *k, &mut *c].into_iter().for_each(|x| x.fill(S::zero()));
                w.terms.force_tangents(&At { v: &w.star[..n], ..at }, k, c);
            }
            for (k, s) in sigma.into_iter().enumerate() {
                if project {
                    spec.projected(&at, k + 1, span.h, &x[s..s + m], w, r, s);
                } else {
                    r[s..s + m].copy_from_slice(&x[s..s + m]);
                }
            }
            (0..m).for_each(|k| r[lay.lam() + k] = x[lay.lam() + k] - x[star + k] - x[sigma[1] + k]);
        }
        // (8)
        if spec.scheme.auxiliary() {
            let (aux, [c, c0, c1]) = (spec.auxiliary(), spec.scheme.filter());
            for i in 0..n {
                r[aux + i] = x[aux + i] - x[2 * n + i] * c - past[2 * n + i] * c0 - past[aux + i] * c1;
            }
        }
    }
}

impl Newmark {
    /// (4) for `level` 1, (5) for 2, in place of w - w*; the rows of σ begin at `s`.
    fn projected<S: RunScalar>(
        &self,
        at: &At<S>,
        level: usize,
        h: S,
        sigma: &[S],
        w: &mut Work<S>,
        r: &mut [S],
        s: usize,
    ) {
        let sys = &self.sys;
        let n = at.q.len();
        let m = sigma.len();
        let rows = level * n..(level + 1) * n;
        w.kkt[..n].copy_from_slice(&r[rows.clone()]);
        r[rows.clone()].fill(S::zero());
        w.terms.balance(&w.kkt[..n], sigma, &mut r[rows.clone()]);
        // (P̄ - M) w
        if let Some([k, c, scaled]) = &mut w.tangent {
            for (κ, matrix) in self.tangent_weights(h).into_iter().zip([c, k]) {
                scaled.iter_mut().zip(&w.kkt).for_each(|(x, w)| *x = *w * κ);
                sys.patterns().nn.mul(matrix, 1.0, scaled, &mut r[rows.clone()]);
            }
        }
        let c = self.compliance.rows(sys);
        r[s..s + m].iter_mut().zip(sigma).enumerate().for_each(|(k, (r, σ))| *r = *σ * -c(k));
        w.terms.constraint(at, Level::ALL[level], &mut r[s..s + m]);
        release(sys, sigma, &mut r[s..s + m]);
    }
    /// (7), the past first: `terms` move on to the node.
    fn quadrature<S: RunScalar>(
        &self,
        span: Span<S>,
        lay: &Layout,
        x: &[S],
        past: &[S],
        w: &mut Work<S>,
        r: &mut [S],
    ) {
        let t = span.end();
        let o = lay.o;
        // g₀
        w.terms.at_time(span.t);
        w.terms.measure(FunctionalSet::Integrand, &lay.node(span.t, past), &mut w.g[..o]);
        // g
        let at = lay.node(t, x);
        w.terms.at(t, at.q);
        w.terms.measure(FunctionalSet::Integrand, &at, &mut w.g[o..]);
        // (7)
        for k in 0..o {
            r[lay.z() + k] = x[lay.z() + k] - past[lay.z() + k] - span.h * (w.g[k] + w.g[o + k]) * 0.5;
        }
    }
}
