//! The terms of [`System`](crate::system::System) in natural coordinates: loops over rows,
//! drivers, forces and signals.

mod functionals;
mod names;
mod pull;

use super::{Data, Elements};
use crate::element::{ArgsBar, ArgsDot};
use crate::force::{Force, ForceAt};
use crate::functional::{Functional, quadratic};
use crate::load::LoadRows;
use crate::ports::Tangents;
use crate::system::{AngleName, At, Dims, Patterns, Set};
use gradyn_num::Scalar;
use std::f64::consts::TAU;

impl Elements {
    pub(crate) fn dims(&self) -> Dims {
        self.dims
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    pub(crate) fn prepare<S: Scalar>(&self, p: &[S], d: &mut Data<S>) {
        d.args.values[..p.len()].copy_from_slice(p);
        d.mass.fill(S::zero());
        for (&(_, _, s), &pos) in self.inertia.iter().zip(&self.inertia_at) {
            d.mass[pos as usize] += p[s as usize];
        }
    }
    pub(crate) fn constant_mass(&self) -> bool {
        true
    }
    pub(crate) fn least_size(&self) -> f64 {
        0.0
    }
    pub(crate) fn set_angles<S: Scalar>(&self, references: &[f64], d: &mut Data<S>) {
        let first = d.args.values.len() - self.dims.angles;
        for (x, r) in d.args.values[first..].iter_mut().zip(references) {
            *x = S::from(*r);
        }
    }
    pub(crate) fn set_rest<S: Scalar>(&self, rest: bool, d: &mut Data<S>) {
        d.rest = rest;
    }
    #[inline]
    pub(crate) fn set_time<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        if d.timed {
            self.signals.eval(t, &mut d.args, &mut d.signals);
        }
    }
    #[inline]
    pub(crate) fn place<S: Scalar>(&self, t: S, q: &[S], d: &mut Data<S>) {
        self.set_time(t, d);
        d.phi_q.fill(S::zero());
        self.rows.phi_q(&d.args.values, q, &mut d.phi_q);
        for f in &self.formulas {
            f.phi_q(t, q, &d.args, &mut d.formula, &mut d.phi_q);
        }
        self.clear_dropped(&d.rows, &mut d.phi_q);
    }

    #[inline]
    pub(crate) fn constraint<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.by_level(c, d, out, |k| k..k + 1, |c, d, out| self.row_values(at, c, d, out));
    }
    #[inline]
    pub(crate) fn balance<S: Scalar>(&self, w: &[S], lam: &[S], d: &Data<S>, out: &mut [S]) {
        self.add_momentum(1.0, w, d, out);
        self.patterns.mn.mul_t(&d.phi_q, 1.0, lam, out);
    }
    #[inline]
    pub(crate) fn forces<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        for &(i, s) in &self.weights {
            out[i as usize] -= d.args.values[s as usize];
        }
        d.visits += self.forces.len() + self.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &d.args };
        for (_, f) in self.acting_forces(d.rest) {
            f.subtract(&here, &mut d.law, out);
        }
        for (_, l) in self.acting_loads(d.rest) {
            l.subtract(&here, &mut d.load, out);
        }
    }

    pub(crate) fn mass<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.mass
    }
    pub(crate) fn phi_q<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.phi_q
    }
    pub(crate) fn constraint_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.by_level(c, d, out, |k| self.patterns.mn.row(k), |c, d, out| self.rows_q(at, c, d, out));
    }
    pub(crate) fn constraint_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.by_level(c, d, out, |k| self.patterns.mn.row(k), |c, d, out| self.rows_v(at, c, d, out));
    }
    pub(crate) fn balance_q<S: Scalar>(
        &self,
        at: &At<S>,
        _: &[S],
        lam: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        self.rows.balance_q(&d.args.values, lam, out);
        for (f, lam) in self.formulas.iter().zip(&lam[self.rows.rows..]) {
            f.balance_q(at, *lam, &d.args, &mut d.formula, out);
        }
    }
    pub(crate) fn force_tangents<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, k: &mut [S], c: &mut [S]) {
        self.each_tangent(at, d, |element, p, t| match element {
            Acting::Force(_, f) => f.expand(p, t, k, c),
            Acting::Load(_, l) => l.expand(p, t, k, c),
        });
    }

    pub(crate) fn pull<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        d: &mut Data<S>,
        [q, v, grad]: [&mut [S]; 3],
    ) -> bool {
        self.pull_with_forces(at, c, [mu, rows], s, d, [q, v, grad], None);
        true
    }

    pub(crate) fn constraint_p<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        self.by_level(c, d, out, |k| k..k + 1, |c, d, out| self.rows_p(at, c, delta, d, out));
    }
    pub(crate) fn constraint_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        if !d.rows.active().rowed {
            return;
        }
        self.by_level_t(c, d, mu, |c, d, mu| self.rows_p_t(at, c, mu, s, d, grad));
    }
    pub(crate) fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        for &(i, j, s) in &self.inertia {
            out[i as usize] += delta[s as usize] * w[j as usize];
        }
        self.rows.balance_p(at.q, lam, delta, out);
        self.signal_tangents(at.t, delta, d);
        let dot = ArgsDot { slots: delta, signals: &d.dot };
        for (f, lam) in self.formulas.iter().zip(&lam[self.rows.rows..]) {
            f.balance_p(at, *lam, &d.args, &dot, &mut d.formula, out);
        }
    }
    pub(crate) fn balance_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        // p̄ += s μᵀ (M w)_p
        for &(i, j, slot) in self.inertia.iter().filter(|_| d.rows.active().inertial) {
            grad[slot as usize] += mu[i as usize] * s * w[j as usize];
        }
        // p̄ += s μᵀ (Φ_qᵀ λ)_p of quadratic rows
        if !d.rows.active().rowed {
            return;
        }
        self.rows.balance_p_t(at.q, lam, mu, s, grad);
        // … and of formulas
        if self.formulas.is_empty() {
            return;
        }
        self.with_bar(at.t, d, grad, |d, bar| {
            for (f, lam) in self.formulas.iter().zip(&lam[self.rows.rows..]) {
                f.balance_p_t(at, *lam * s, mu, &d.args, &mut d.formula, bar);
            }
        });
    }
    pub(crate) fn forces_p<S: Scalar>(&self, at: &At<S>, delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        for &(i, s) in &self.weights {
            out[i as usize] -= delta[s as usize];
        }
        self.signal_tangents(at.t, delta, d);
        let dot = ArgsDot { slots: delta, signals: &d.dot };
        d.visits += self.forces.len() + self.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &d.args };
        for (_, f) in self.acting_forces(d.rest) {
            f.slots(&here, &mut d.law, &dot, out);
        }
        for (_, l) in self.acting_loads(d.rest) {
            l.slots(&here, &mut d.load, &dot, out);
        }
    }
    pub(crate) fn forces_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        // p̄ -= s μᵀ g_p of the weights
        for &(i, slot) in &self.weights {
            grad[slot as usize] -= mu[i as usize] * s;
        }
        // p̄ -= s μᵀ Q_p of what depends on active slots
        self.with_bar(at.t, d, grad, |d, bar| {
            let fixed = &d.rows.active().fixed;
            let (forces, loads) = fixed.split_at(self.forces.len());
            d.visits += fixed.iter().filter(|fixed| !**fixed).count();
            let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &d.args };
            for (_, f) in self.acting_forces(d.rest).filter(|(i, _)| !forces[*i]) {
                f.slots_t(&here, &mut d.law, mu, s, bar);
            }
            for (_, l) in self.acting_loads(d.rest).filter(|(i, _)| !loads[*i]) {
                l.slots_t(&here, &mut d.load, mu, s, bar);
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
    /// out += s M w: M has few of the entries of n × n.
    #[inline]
    pub(crate) fn add_momentum<S: Scalar>(&self, s: f64, w: &[S], d: &Data<S>, out: &mut [S]) {
        for &(i, j, slot) in &self.inertia {
            out[i as usize] += d.args.values[slot as usize] * w[j as usize] * s;
        }
    }
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
    pub(super) fn signal_tangents<S: Scalar>(&self, t: S, delta: &[S], d: &mut Data<S>) {
        if d.timed {
            self.signals.tangent(t, &d.args, delta, &mut d.signals, &mut d.dot);
        }
    }
    /// Runs `f` on cotangents of the extended parameters and pulls those of the signals back to the slots.
    pub(super) fn with_bar<S: Scalar>(
        &self,
        t: S,
        d: &mut Data<S>,
        grad: &mut [S],
        f: impl FnOnce(&mut Data<S>, &mut ArgsBar<S>),
    ) {
        let mut rates = std::mem::take(&mut d.cot.rates);
        let mut bar = ArgsBar { values: grad, rates: &mut rates, slots: self.dims.slots };
        f(d, &mut bar);
        if d.timed {
            self.signals.pull_back(t, &d.args, &mut d.signals, &mut bar);
        }
        d.cot.rates = rates;
    }
}
