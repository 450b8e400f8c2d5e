//! The terms of [`Evaluator`](crate::evaluator::Evaluator) in natural coordinates: loops over rows, drivers,
//! forces and signals.

mod functionals;
mod names;
mod pull;

use super::{ElementTerms, Elements};
use crate::element::{ArgsBar, ArgsDot};
use crate::force::{Force, ForceAt};
use crate::functional::{Functional, quadratic};
use crate::load::LoadRows;
use crate::ports::Tangents;
use crate::system::{AngleMotion, AngleName, At, Dims, FunctionalSet, Kinematics, Patterns};
use gradyn_num::Scalar;
use std::f64::consts::TAU;

impl Elements {
    pub(crate) fn dims(&self) -> Dims {
        self.dims
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    pub(crate) fn constant_mass(&self) -> bool {
        true
    }
    pub(crate) fn least_size(&self) -> f64 {
        0.0
    }
}

impl<S: Scalar> ElementTerms<S> {
    pub(crate) fn set_slots(&mut self, p: &[S]) {
        self.args.values[..p.len()].copy_from_slice(p);
        self.mass.fill(S::zero());
        for (&(_, _, s), &pos) in self.elements.inertia.iter().zip(&self.elements.inertia_at) {
            self.mass[pos as usize] += p[s as usize];
        }
    }
    pub(crate) fn set_branches(&mut self, branches: &[f64]) {
        let angles = self.references.len();
        let Dims { sides, args, .. } = self.elements.dims;
        let first = args - angles - sides;
        let known = &mut self.args.values[first..first + sides];
        if branches.len() == angles {
            // one number each is an angle that stands still; sides are not known
            self.begun = 0.0;
            self.references.iter_mut().zip(branches).for_each(|(r, &angle)| *r = [angle, 0.0, 0.0]);
            known.fill(S::from(f64::NAN));
        } else {
            // the time, then three numbers for each angle, then the sides
            let (motions, given) = branches[1..].split_at(3 * angles);
            self.begun = branches[0];
            self.references.iter_mut().zip(motions.chunks_exact(3)).for_each(|(r, m)| r.copy_from_slice(m));
            known.iter_mut().zip(given).for_each(|(side, &x)| *side = S::from(x));
        }
        self.refer(self.begun);
    }
    /// References of the angles at t.
    fn refer(&mut self, t: f64) {
        let first = self.args.values.len() - self.references.len();
        let τ = t - self.begun;
        for (x, [angle, rate, second]) in self.args.values[first..].iter_mut().zip(&self.references) {
            *x = S::from(angle + τ * (rate + 0.5 * τ * second));
        }
    }
    pub(crate) fn set_rest(&mut self, rest: bool) {
        self.rest = rest;
    }
    #[inline]
    pub(crate) fn at_time(&mut self, t: S) {
        if !self.references.is_empty() {
            self.refer(t.re());
        }
        if self.timed {
            self.elements.signals.eval(t, &mut self.args, &mut self.signals);
        }
    }
    #[inline]
    pub(crate) fn at(&mut self, t: S, q: &[S]) {
        self.at_time(t);
        self.phi_q.fill(S::zero());
        self.elements.rows.phi_q(&self.args.values, q, &mut self.phi_q);
        for f in &self.elements.formulas {
            f.phi_q(t, q, &self.args, &mut self.formula, &mut self.phi_q);
        }
        self.elements.clear_dropped(&self.rows, &mut self.phi_q);
    }
    #[inline]
    pub(crate) fn constraint(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.by_level(c, out, |_, k| k..k + 1, |terms, c, out| terms.row_values(at, c, out));
    }
    #[inline]
    pub(crate) fn balance(&self, w: &[S], lam: &[S], out: &mut [S]) {
        self.add_momentum(1.0, w, out);
        self.elements.patterns.mn.mul_t(&self.phi_q, 1.0, lam, out);
    }
    #[inline]
    pub(crate) fn forces(&mut self, at: &At<S>, out: &mut [S]) {
        for &(i, s) in &self.elements.weights {
            out[i as usize] -= self.args.values[s as usize];
        }
        self.visits += self.elements.forces.len() + self.elements.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &self.args };
        for (_, f) in self.elements.acting_forces(self.rest) {
            f.subtract(&here, &mut self.law, out);
        }
        for (_, l) in self.elements.acting_loads(self.rest) {
            l.subtract(&here, &mut self.load, out);
        }
    }
    pub(crate) fn mass(&self) -> &[S] {
        &self.mass
    }
    pub(crate) fn phi_q(&self) -> &[S] {
        &self.phi_q
    }
    pub(crate) fn constraint_q(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.by_level(c, out, |mn, k| mn.row(k), |terms, c, out| terms.rows_q(at, c, out));
    }
    pub(crate) fn constraint_v(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.by_level(c, out, |mn, k| mn.row(k), |terms, c, out| terms.rows_v(at, c, out));
    }
    pub(crate) fn balance_q(&mut self, at: &At<S>, _: &[S], lam: &[S], out: &mut [S]) {
        self.elements.rows.balance_q(&self.args.values, lam, out);
        for (f, lam) in self.elements.formulas.iter().zip(&lam[self.elements.rows.rows..]) {
            f.balance_q(at, *lam, &self.args, &mut self.formula, out);
        }
    }
    pub(crate) fn force_tangents(&mut self, at: &At<S>, k: &mut [S], c: &mut [S]) {
        self.each_tangent(at, |element, p, t| match element {
            Acting::Force(_, f) => f.expand(p, t, k, c),
            Acting::Load(_, l) => l.expand(p, t, k, c),
        });
    }
    pub(crate) fn pull(
        &mut self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        [q, v, grad]: [&mut [S]; 3],
    ) {
        self.pull_with_forces(at, c, [mu, rows], s, [q, v, grad], None);
    }
    pub(crate) fn constraint_p(&mut self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.by_level(c, out, |_, k| k..k + 1, |terms, c, out| terms.rows_p(at, c, delta, out));
    }
    pub(crate) fn constraint_p_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, grad: &mut [S]) {
        if !self.rows.active().rowed {
            return;
        }
        self.by_level_t(c, mu, |terms, c, mu| terms.rows_p_t(at, c, mu, s, grad));
    }
    pub(crate) fn balance_p(&mut self, at: &At<S>, w: &[S], lam: &[S], delta: &[S], out: &mut [S]) {
        for &(i, j, s) in &self.elements.inertia {
            out[i as usize] += delta[s as usize] * w[j as usize];
        }
        self.elements.rows.balance_p(at.q, lam, delta, out);
        self.signal_tangents(at.t, delta);
        let dot = ArgsDot { slots: delta, signals: &self.dot };
        for (f, lam) in self.elements.formulas.iter().zip(&lam[self.elements.rows.rows..]) {
            f.balance_p(at, *lam, &self.args, &dot, &mut self.formula, out);
        }
    }
    pub(crate) fn balance_p_t(&mut self, at: &At<S>, w: &[S], lam: &[S], mu: &[S], s: f64, grad: &mut [S]) {
        // p̄ += s μᵀ (M w)_p
        for &(i, j, slot) in self.elements.inertia.iter().filter(|_| self.rows.active().inertial) {
            grad[slot as usize] += mu[i as usize] * s * w[j as usize];
        }
        // p̄ += s μᵀ (Φ_qᵀ λ)_p of quadratic rows
        if !self.rows.active().rowed {
            return;
        }
        self.elements.rows.balance_p_t(at.q, lam, mu, s, grad);
        // … and of formulas
        if self.elements.formulas.is_empty() {
            return;
        }
        self.with_bar(at.t, grad, |terms, bar| {
            for (f, lam) in terms.elements.formulas.iter().zip(&lam[terms.elements.rows.rows..]) {
                f.balance_p_t(at, *lam * s, mu, &terms.args, &mut terms.formula, bar);
            }
        });
    }
    pub(crate) fn forces_p(&mut self, at: &At<S>, delta: &[S], out: &mut [S]) {
        for &(i, s) in &self.elements.weights {
            out[i as usize] -= delta[s as usize];
        }
        self.signal_tangents(at.t, delta);
        let dot = ArgsDot { slots: delta, signals: &self.dot };
        self.visits += self.elements.forces.len() + self.elements.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &self.args };
        for (_, f) in self.elements.acting_forces(self.rest) {
            f.slots(&here, &mut self.law, &dot, out);
        }
        for (_, l) in self.elements.acting_loads(self.rest) {
            l.slots(&here, &mut self.load, &dot, out);
        }
    }
    pub(crate) fn forces_p_t(&mut self, at: &At<S>, mu: &[S], s: f64, grad: &mut [S]) {
        // p̄ -= s μᵀ g_p of the weights
        for &(i, slot) in &self.elements.weights {
            grad[slot as usize] -= mu[i as usize] * s;
        }
        // p̄ -= s μᵀ Q_p of what depends on active slots
        self.with_bar(at.t, grad, |terms, bar| {
            let fixed = &terms.rows.active().fixed;
            let (forces, loads) = fixed.split_at(terms.elements.forces.len());
            terms.visits += fixed.iter().filter(|fixed| !**fixed).count();
            let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &terms.args };
            for (_, f) in terms.elements.acting_forces(terms.rest).filter(|(i, _)| !forces[*i]) {
                f.slots_t(&here, &mut terms.law, mu, s, bar);
            }
            for (_, l) in terms.elements.acting_loads(terms.rest).filter(|(i, _)| !loads[*i]) {
                l.slots_t(&here, &mut terms.load, mu, s, bar);
            }
        });
    }
}

/// An element that acts, with its number.
pub(crate) enum Acting<'a> {
    Force(usize, &'a Force),
    Load(usize, &'a LoadRows),
}

impl Elements {
    /// Forces that act, with their numbers: at rest not those of motion.
    #[inline]
    fn acting_forces(&self, rest: bool) -> impl Iterator<Item = (usize, &Force)> {
        self.forces.iter().enumerate().filter(move |(_, f)| !(rest && f.motion))
    }
    /// Loads that act, with their numbers: at rest not those of motion.
    #[inline]
    fn acting_loads(&self, rest: bool) -> impl Iterator<Item = (usize, &LoadRows)> {
        self.loads.iter().enumerate().filter(move |(_, l)| !(rest && l.load.motion))
    }
}

impl<S: Scalar> ElementTerms<S> {
    /// out += s M w: M has few of the entries of n × n.
    #[inline]
    pub(crate) fn add_momentum(&self, s: f64, w: &[S], out: &mut [S]) {
        for &(i, j, slot) in &self.elements.inertia {
            out[i as usize] += self.args.values[slot as usize] * w[j as usize] * s;
        }
    }
    pub(super) fn signal_tangents(&mut self, t: S, delta: &[S]) {
        if self.timed {
            self.elements.signals.tangent(t, &self.args, delta, &mut self.signals, &mut self.dot);
        }
    }
    /// Runs `f` on cotangents of the extended parameters and pulls those of the signals back to the slots.
    pub(super) fn with_bar(&mut self, t: S, grad: &mut [S], f: impl FnOnce(&mut Self, &mut ArgsBar<S>)) {
        let mut rates = std::mem::take(&mut self.cot.rates);
        let mut bar = ArgsBar { values: grad, rates: &mut rates, slots: self.elements.dims.slots };
        f(self, &mut bar);
        if self.timed {
            self.elements.signals.pull_back(t, &self.args, &mut self.signals, &mut bar);
        }
        self.cot.rates = rates;
    }
}
