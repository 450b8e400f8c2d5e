//! The record after a jump or an event: the motion goes on, accelerations and multipliers are new.
//!
//! ```text
//! q = q⁻ + h v⁻,   v = v⁻ + h a⁻,   z = z⁻ + h g⁻              h = 0, or a sliver                        (1)
//! F₀(t, q, v, a, λ; p) = 0                                     with the sides that follow                (2)
//! extras = 0,   â = a                                          as in record 0                            (3)
//! ```
//! A change that follows a node by less than what a step can be has a restart with a length before it, of
//! first order. (2) and (3) are those of record 0. Where an event gives velocities or switches constraints
//! on, (1) of v is the [`impact`](super::impact), and h = 0; where it gives positions, (1) of q is the
//! [`place`](super::place).

use super::impact::{self, Impact};
use super::place::{self, Place, Placed};
use super::{Solver, StartLaw, auxiliary_rows};
use crate::error::StepError;
use crate::formulation::{Lagrange, Linear};
use crate::integrand::IntegrandRows;
use crate::plan::Frozen;
use crate::record::{Layout, Report, Span};
use crate::step::memory::Visit;
use gradyn_model::{AngleMotion, AngleName, At, Evaluator, EventRule, FunctionalSet, RunScalar, Setup};
use gradyn_num::largest;
use std::f64::consts::FRAC_PI_2;

/// Sweeps of (1) and (2), which are linear in v and then in (a, λ): others refine them.
const SWEEPS: usize = 4;

/// (1)–(3) on any scalar; `terms` have the slots and the sides.
pub(crate) fn residual<S: RunScalar>(
    sys: &Setup,
    start: &StartLaw,
    layout: &Layout,
    (span, frozen): (Span<S>, Frozen),
    [past, x]: [&[S]; 2],
    terms: &mut Evaluator<S>,
    r: &mut [S],
) {
    let n = layout.n;
    r.copy_from_slice(x); // (3)
    // (1): (q, v) and z
    (0..2 * n).for_each(|i| r[i] = x[i] - (past[i] + past[n + i] * span.h));
    let z = layout.z();
    if layout.o > 0 {
        let mut g = vec![S::zero(); layout.o];
        terms.at_time(span.t);
        terms.measure(FunctionalSet::Integrand, &layout.node(span.t, past), &mut g);
        (0..layout.o).for_each(|k| r[z + k] = x[z + k] - (past[z + k] + g[k] * span.h));
    }
    // what an event gives, by the motion before
    let events = if frozen.event.is_some() { sys.functionals(FunctionalSet::Event) } else { 0 };
    let mut before = vec![S::zero(); events];
    if frozen.event.is_some() {
        terms.set_branches(frozen.past_branches);
        terms.at_time(span.end());
        terms.measure(FunctionalSet::Event, &layout.node(span.end(), past), &mut before);
        terms.set_branches(frozen.branches);
    }
    // (2)
    let at = layout.node(span.end(), x);
    terms.at(span.end(), at.q);
    start.law.residual(sys, &at, terms, &mut r[2 * n..z]);
    if start.auxiliary {
        auxiliary_rows(layout, x, r);
    }
    let Some(event) = frozen.event else { return };
    impact::residual(sys, &start.law, layout, event, (span.end(), [past, x], &before), terms, r);
    if sys.events()[event as usize].is_place() {
        place::residual(sys, event, &at, &before, terms, &mut r[..n]);
    }
}

/// Memory of restarts with one choice of rows, linearised.
pub(crate) struct Restart {
    sys: Setup,
    layout: Layout,
    start: StartLaw,
    acceleration: Linear,
    solver: Solver,
    /// Velocities after an event, and whether the record that is linearised has them.
    impact: Option<Box<Impact>>,
    hit: bool,
    /// Positions after an event, and whether the record that is linearised has them.
    place: Option<Box<Place>>,
    placed: bool,
    /// The node that is linearised, and its time.
    point: Vec<f64>,
    end: f64,
    scratch: Vec<f64>,
    /// Length of the restart, and g_x of the record before it.
    h: f64,
    past_g: IntegrandRows,
}

impl Restart {
    /// Memory; `p` are the slots.
    pub(crate) fn new(sys: &Setup, start: StartLaw, layout: Layout, p: &[f64], solver: Solver) -> Self {
        Self {
            acceleration: Linear::new(sys, start.law, p),
            solver,
            impact: (layout.impulses > 0).then(|| Box::new(Impact::new(sys, layout, p))),
            hit: false,
            place: sys.events().iter().any(EventRule::is_place).then(|| Box::new(Place::new(layout))),
            placed: false,
            start,
            layout,
            point: vec![0.0; layout.z()],
            end: 0.0,
            scratch: vec![0.0; layout.len],
            h: 0.0,
            past_g: IntegrandRows::new(sys),
            sys: sys.clone(),
        }
    }
    /// Forgets the pivots of the records before: restarts are seldom, and begin as new.
    pub(crate) fn forget(&mut self) -> Result<(), StepError> {
        if let Some(place) = &mut self.place {
            place.forget();
        }
        self.solver.visit(&self.sys, &mut Visit::Restore([].iter()))
    }
    fn law(&self) -> Lagrange {
        self.start.law
    }
    /// Where an event that gives positions takes a record, whose branches are those of `frozen`; `None` of
    /// other events.
    pub(crate) fn place(
        &mut self,
        t: f64,
        frozen: Frozen,
        past: &[f64],
    ) -> Result<Option<Placed>, StepError> {
        let Self { sys, place, acceleration, .. } = self;
        let gives = |event: &u32| sys.events()[*event as usize].is_place();
        let (Some(event), Some(place)) = (frozen.event.filter(gives), place) else { return Ok(None) };
        place.set_event(sys, t, event)?;
        place.go(sys, (t, frozen.past_branches), past, &mut acceleration.terms).map(Some)
    }
    /// Angles that an event gives are near those of the branches.
    fn check_turns(&self, t: f64, branches: &[f64], angles: &[f64]) -> Result<(), StepError> {
        let far = |k: &usize| (AngleMotion::of(branches, *k).angle - angles[*k]).abs() > FRAC_PI_2;
        match (0..angles.len()).find(far) {
            None => Ok(()),
            Some(k) => {
                let AngleName { text: angle, attitude } = self.sys.angle_name(k);
                Err(StepError::Turn { t, h: 0.0, angle, attitude })
            }
        }
    }
    /// Solves (1)–(3) for x.
    pub(crate) fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let (n, layout) = (self.layout.n, self.layout);
        let (z, head) = (layout.z(), layout.head());
        // (1) and (3), with (a, λ) of the past to begin with
        x.copy_from_slice(past);
        x[head..].fill(0.0);
        if let Some(placed) = self.place(span.end(), frozen, past)? {
            self.check_turns(span.end(), frozen.branches, &placed.angles)?;
            x[..n].copy_from_slice(&placed.q);
        }
        let mut r = std::mem::take(&mut self.scratch);
        for _ in 0..SWEEPS {
            let terms = &mut self.acceleration.terms;
            terms.set_branches(frozen.branches);
            residual(&self.sys, &self.start, &layout, (span, frozen), [past, x], terms, &mut r);
            self.linearise(span, frozen, [past, x])?;
            self.solve(&mut r);
            x.iter_mut().zip(&r).for_each(|(x, r)| *x -= r);
            // accelerations follow velocities, which an event may have changed in this sweep
            let settled = |range: std::ops::Range<usize>| {
                largest(r[range.clone()].iter().copied()) <= f64::EPSILON * largest(x[range].iter().copied())
            };
            if settled(n..2 * n) && settled(2 * n..z) {
                break;
            }
        }
        let bad = r.iter().position(|r| !r.is_finite());
        self.scratch = r;
        match bad {
            Some(bad) => Err(StepError::NotFinite { t: span.end(), equation: self.unknown(bad) }),
            None => Ok(Report { iterations: SWEEPS, factorizations: SWEEPS }),
        }
    }
    /// Name of unknown `i` of the record.
    fn unknown(&self, i: usize) -> String {
        let (n, lam) = (self.layout.n, self.layout.lam());
        match i {
            i if i >= lam => self.sys.row_name((i - lam).min(self.layout.m.saturating_sub(1))),
            i => self.sys.coordinate_name(i % n),
        }
    }
    /// Partials of (1) and (2) at x.
    pub(crate) fn linearise(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        [past, x]: [&[f64]; 2],
    ) -> Result<(), StepError> {
        let (n, m) = (self.layout.n, self.layout.m);
        self.look_back(span.end(), frozen, past)?;
        self.acceleration.terms.set_branches(frozen.branches);
        // g_x⁻ of (1)
        self.h = span.h;
        if span.h != 0.0 && self.layout.o > 0 {
            self.acceleration.terms.at_time(span.t);
            self.past_g.set(&self.layout.node(span.t, past), &mut self.acceleration.terms);
        }
        // (2)
        let t = span.end();
        self.end = t;
        self.point.copy_from_slice(&x[..self.layout.z()]);
        let at = At::of(t, &self.point, n, m);
        self.acceleration.set(&self.sys, &at);
        let compliance = self.law().compliance;
        self.solver.refactor(&self.sys, t, &self.acceleration.terms, compliance)?;
        // velocities after an event
        let (Some(event), Some(impact)) = (frozen.event, &mut self.impact) else { return Ok(()) };
        let terms = &mut self.acceleration.terms;
        impact.linearise(&self.sys, event, (t, frozen.branches), [past, x], terms, &mut self.solver)?;
        // positions after it
        match self.place.as_mut().filter(|_| self.placed) {
            Some(place) => place.linearise(&self.sys, &at, terms),
            None => Ok(()),
        }
    }
    /// Gradients at the record before of what an event gives.
    fn look_back(&mut self, t: f64, frozen: Frozen, past: &[f64]) -> Result<(), StepError> {
        let Self { sys, acceleration, impact, place, .. } = self;
        self.hit = frozen.event.is_some();
        self.placed = false;
        let (Some(event), Some(impact)) = (frozen.event, impact) else { return Ok(()) };
        let terms = &mut acceleration.terms;
        let before = self.layout.node(t, past);
        terms.set_branches(frozen.past_branches);
        terms.at_time(t);
        impact.look_back(sys, event, &before, terms);
        let gives = |_: &&mut Box<Place>| sys.events()[event as usize].is_place();
        if let Some(place) = place.as_mut().filter(gives) {
            place.set_event(sys, t, event)?;
            place.look_back(sys, &before, terms);
            self.placed = true;
        }
        Ok(())
    }
    /// b ← R_x⁻¹ b: positions and velocities, then accelerations.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let n = self.layout.n;
        let z = self.layout.z();
        if let Some(place) = self.place.as_mut().filter(|_| self.placed) {
            place.solve(&mut b[..n]);
        }
        if self.hit
            && let Some(impact) = &mut self.impact
        {
            impact.solve(&self.sys, &self.acceleration.terms, &mut self.solver, b);
        }
        let (state, rest) = b.split_at_mut(2 * n);
        let (q, v) = state.split_at(n);
        let u = &mut rest[..z - 2 * n];
        self.acceleration.state_mul(&self.sys, -1.0, q, v, u);
        self.solver.solve(&self.sys, &self.acceleration.terms, u);
        if self.start.auxiliary {
            self.add_auxiliary(b);
        }
    }
    /// (3) after its accelerations.
    fn add_auxiliary(&self, b: &mut [f64]) {
        let (a, aux) = (self.layout.a(), self.layout.step_len() - self.layout.n);
        (0..self.layout.n).for_each(|i| b[aux + i] += b[a + i]);
    }
    /// b ← R_x⁻ᵀ b.
    pub(crate) fn solve_t(&mut self, b: &mut [f64]) {
        let n = self.layout.n;
        let z = self.layout.z();
        // the transpose of (3)
        if self.start.auxiliary {
            let (a, aux) = (self.layout.a(), self.layout.step_len() - n);
            (0..n).for_each(|i| b[a + i] += b[aux + i]);
        }
        let (q, rest) = b.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let u = &mut rest[..z - 2 * n];
        self.solver.solve(&self.sys, &self.acceleration.terms, u);
        self.acceleration.state_mul_t(&self.sys, -1.0, u, q, v);
        if self.hit
            && let Some(impact) = &mut self.impact
        {
            impact.solve_t(&self.sys, &self.acceleration.terms, &mut self.solver, b);
        }
        if let Some(place) = self.place.as_mut().filter(|_| self.placed) {
            place.solve_t(&mut b[..n]);
        }
    }
    /// r += R_past s.
    pub(crate) fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        let (n, z, h) = (self.layout.n, self.layout.z(), self.h);
        let Self { sys, impact, place, .. } = self;
        match place.as_ref().filter(|_| self.placed) {
            Some(place) => place.past_mul(sys, s, &mut r[..n]),
            None => (0..n).for_each(|i| r[i] -= s[i] + h * s[n + i]),
        }
        match impact.as_deref_mut().filter(|_| self.hit) {
            Some(impact) => impact.past_mul(sys, s, r),
            None => (n..2 * n).for_each(|i| r[i] -= s[i] + h * s[n + i]),
        }
        for k in 0..self.layout.o {
            r[z + k] -= s[z + k];
            if h != 0.0 {
                r[z + k] -= h * self.past_g.mul(k, s);
            }
        }
    }
    /// out += R_pastᵀ μ.
    pub(crate) fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let (n, z, h) = (self.layout.n, self.layout.z(), self.h);
        let plain = if self.hit { n } else { 2 * n };
        let first = if self.placed { n } else { 0 };
        for i in first..plain {
            out[i] -= mu[i];
            out[n + i] -= h * mu[i];
        }
        if let Some(place) = self.place.as_ref().filter(|_| self.placed) {
            place.past_mul_t(&self.sys, &mu[..n], out);
        }
        if self.hit
            && let Some(impact) = &mut self.impact
        {
            impact.past_mul_t(&self.sys, mu, out);
        }
        for k in 0..self.layout.o {
            out[z + k] -= mu[z + k];
            if h != 0.0 {
                self.past_g.mul_t(k, -h * mu[z + k], out);
            }
        }
    }
    /// r += R_p δ.
    pub(crate) fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        self.acceleration.slot_mul(delta, &mut r[2 * n..z]);
        if self.hit
            && let Some(impact) = &mut self.impact
        {
            impact.slot_mul(&self.sys, &mut self.acceleration.terms, delta, r);
        }
        if let Some(place) = self.place.as_mut().filter(|_| self.placed) {
            let at = At::of(self.end, &self.point, n, self.layout.m);
            place.slot_mul(&self.sys, &at, &mut self.acceleration.terms, delta, &mut r[..n]);
        }
        if self.h != 0.0 {
            (0..self.layout.o).for_each(|k| r[z + k] -= self.h * self.past_g.slot_mul(&self.sys, k, delta));
        }
    }
    /// grad += s R_pᵀ μ.
    pub(crate) fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (n, z) = (self.layout.n, self.layout.z());
        self.acceleration.slot_mul_t(&mu[2 * n..z], s, grad);
        if self.hit
            && let Some(impact) = &mut self.impact
        {
            impact.slot_mul_t(&self.sys, &mut self.acceleration.terms, mu, s, grad);
        }
        if let Some(place) = self.place.as_mut().filter(|_| self.placed) {
            let at = At::of(self.end, &self.point, n, self.layout.m);
            place.slot_mul_t(&self.sys, &at, &mut self.acceleration.terms, &mu[..n], s, grad);
        }
        if self.h != 0.0 {
            let weight = -s * self.h;
            let past_g = &self.past_g;
            (0..self.layout.o).for_each(|k| past_g.slot_mul_t(&self.sys, k, weight * mu[z + k], grad));
        }
    }
}
