//! The records of a run, one after the other: record 0 is the start, others are steps and restarts.
//!
//! A start has no past and goes to [`Initial`]; restarts, after jumps and events, go to [`Restart`], and all
//! other records to the step: nobody else knows the difference. Where conditions of the motion decide times,
//! the time of a record is its last number ([`Clock`]).

use super::clock::Clock;
use super::memory::{Remembered, Visit};
use super::{Counts, Products, Report, Span, StepArgs, StepRecipe, Stepper, Tolerance};
use crate::control::Controller;
use crate::error::StepError;
use crate::initial::restart::Restart;
use crate::initial::{Initial, Placed};
use crate::plan::{ClockRow, Frozen, Plan};
use crate::turns::Turns;
use gradyn_model::RowChoice;
use gradyn_num::pivot_choices;
use std::sync::Arc;

/// Most trial steps to the time of an event.
const MOST_TRIALS: usize = 50;

/// Growth of R from a run to one with other parameters with which a step has its own independent coordinates.
const FARTHER: f64 = 2.0;

/// What was linearised last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linearised {
    Start,
    Step,
    Restart,
}

/// Memory of the records of a run: forward steps, linearised records and their products.
pub struct Chain {
    /// The start of a run, record 0.
    pub start: Initial,
    recipe: StepRecipe,
    p: Vec<f64>,
    /// Memory of the steps for each choice of rows that was met, the first for that of the system, and which
    /// of them is at work.
    steps: Vec<(Option<RowChoice>, Box<dyn Stepper>)>,
    current: usize,
    /// Memory of restarts for each choice of rows that was met, and which of them is at work.
    restarts: Vec<(Option<RowChoice>, Restart)>,
    restart: usize,
    last: Linearised,
    /// Turns of angles in a run that is replayed; made by the first one.
    turns: Option<Turns>,
    /// Times of the records, where they are numbers of them.
    clock: Option<Box<Clock>>,
    /// Length of a record without its time, and of what a step writes of it.
    len: usize,
    step_len: usize,
    /// What the steps remembered after the last record of a run, and after the one before it.
    kept: [Arc<Snapshot>; 2],
    /// Pivots chosen when this was written down, and when the steps last began from it.
    chosen: [usize; 2],
    /// Was another step tried since the last record?
    tried: bool,
}

/// What steps remember after a record, for each choice of rows that was met.
#[derive(Debug, Default)]
pub(crate) struct Snapshot(Vec<(Option<RowChoice>, Vec<Remembered>)>);

impl Snapshot {
    /// Memory that it takes [bytes], with pivots that others may share.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().flat_map(|s| &s.1).map(Remembered::bytes).sum()
    }
}

impl Chain {
    /// Memory of record 0 and of steps with the rows of the system.
    pub(super) fn new(recipe: &StepRecipe, p: &[f64], start: Initial, step: Box<dyn Stepper>) -> Self {
        let clock = recipe.layout().clock.then(|| Box::new(Clock::new(recipe, p)));
        Self {
            start,
            recipe: recipe.clone(),
            p: p.to_vec(),
            steps: vec![(None, step)],
            current: 0,
            restarts: vec![],
            restart: 0,
            last: Linearised::Start,
            turns: None,
            clock,
            len: recipe.plain_layout().len,
            step_len: recipe.step_layout().len,
            kept: [Arc::default(), Arc::default()],
            chosen: [pivot_choices(); 2],
            tried: false,
        }
    }
    /// Goes back to what steps remembered after the last record, before another attempt at the next one.
    pub(crate) fn begin(&mut self) -> Result<(), StepError> {
        if pivot_choices() != self.chosen[1] {
            self.go_back(&self.kept[0].clone())?;
        }
        Ok(())
    }
    /// A step is tried that may not be the one that is taken. It begins from what the trial before it has
    /// left: pivots that short steps need are chosen once, and the step that is taken is made again if they
    /// were.
    pub(crate) fn begin_trial(&mut self) {
        self.tried = true;
    }
    /// What steps remembered after the last record, and after the one before it.
    pub(crate) fn kept(&self) -> [Arc<Snapshot>; 2] {
        self.kept.clone()
    }
    /// Goes back to what steps remembered after some record.
    pub(crate) fn go_back(&mut self, to: &Arc<Snapshot>) -> Result<(), StepError> {
        let none = vec![];
        for (rows, step) in &mut self.steps {
            let saved = to.0.iter().find(|s| s.0 == *rows).map_or(&none, |s| &s.1);
            step.visit(&mut Visit::Restore(saved.iter()))?;
        }
        for (rows, saved) in to.0.iter().filter(|s| !s.1.is_empty()) {
            if self.steps.iter().all(|s| s.0 != *rows) {
                self.step_with(rows.as_ref())?.visit(&mut Visit::Restore(saved.iter()))?;
            }
        }
        self.kept[0] = to.clone();
        self.chosen[1] = pivot_choices();
        Ok(())
    }
    /// Is what steps remember now not what one step to the last record leaves?
    pub(crate) fn is_unsettled(&self) -> bool {
        self.tried && pivot_choices() != self.chosen[0]
    }
    /// Writes down what steps remember after a record.
    pub(crate) fn keep(&mut self) -> Result<&Arc<Snapshot>, StepError> {
        self.kept[1] = self.kept[0].clone();
        if pivot_choices() != self.chosen[1] {
            let mut snapshot = Snapshot::default();
            for (rows, step) in &mut self.steps {
                let mut list = vec![];
                step.visit(&mut Visit::Save(&mut list))?;
                snapshot.0.push((rows.clone(), list));
            }
            self.kept[0] = Arc::new(snapshot);
        }
        self.chosen = [pivot_choices(); 2];
        self.tried = false;
        Ok(&self.kept[0])
    }
    /// Makes record `n` of a plan again, on the parameters of its run and from the record before: the step of
    /// the plan, whose end is not moved to where a condition changes.
    pub(crate) fn recall(
        &mut self,
        n: usize,
        plan: &Plan,
        [branches, past_branches]: [&[f64]; 2],
        past: &[f64],
        x: &mut [f64],
    ) -> Result<(), StepError> {
        let span = Span { t: plan.t[n - 1], h: plan.h[n - 1] };
        let frozen = plan.frozen_with(n, branches, past_branches);
        self.advance(span, Frozen { clock: ClockRow::Fixed, ..frozen }, past, x)?;
        Ok(())
    }
    /// The step at work.
    fn step(&mut self) -> &mut dyn Stepper {
        &mut *self.steps[self.current].1
    }
    /// The step for a choice of rows; memory for a new one is made where it is first met.
    fn step_with(&mut self, rows: Option<&RowChoice>) -> Result<&mut dyn Stepper, StepError> {
        if self.steps[self.current].0.as_ref() != rows {
            self.current = match (self.steps.iter().position(|s| s.0.as_ref() == rows), rows) {
                (None, Some(choice)) => {
                    let step = self.recipe.stepper_with(choice, &self.p)?;
                    self.steps.push((Some(choice.clone()), step));
                    self.steps.len() - 1
                }
                (found, _) => found.unwrap_or(0),
            };
        }
        Ok(self.step())
    }
    /// The restart for a choice of rows; memory for a new one is made where it is first met.
    fn restart_with(&mut self, rows: Option<&RowChoice>) -> Result<&mut Restart, StepError> {
        self.restart = match self.restarts.iter().position(|r| r.0.as_ref() == rows) {
            Some(found) => found,
            None => {
                self.restarts.push((rows.cloned(), self.recipe.restart(rows, &self.p)?));
                self.restarts.len() - 1
            }
        };
        Ok(self.restarted())
    }
    /// The restart at work.
    fn restarted(&mut self) -> &mut Restart {
        &mut self.restarts[self.restart].1
    }
    /// The choices of the step that begins at `past` with some rows, given those of the attempt before,
    /// `since` steps after the last declared time or knot; forward runs only.
    pub(crate) fn decide(
        &mut self,
        span: Span<f64>,
        rows: Option<&RowChoice>,
        past: &[f64],
        since: usize,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let len = self.step_len;
        self.step_with(rows)?.decide(span, &past[..len], since, choice)
    }
    /// Makes the choices anew for the step that was attempted, where it has `failed` or the present ones do
    /// not follow its motion. Says whether the step is to be solved again.
    pub(crate) fn choose_again(
        &mut self,
        span: Span<f64>,
        past: &[f64],
        failed: bool,
        choice: &mut [u32],
    ) -> bool {
        let len = self.step_len;
        self.step().choose_again(span, &past[..len], failed, choice)
    }
    /// The largest entry of R in the last step; 0 without choices.
    pub(crate) fn reach(&self) -> f64 {
        self.steps[self.current].1.reach()
    }
    /// Where an event that gives positions takes a record.
    pub(crate) fn place(
        &mut self,
        t: f64,
        frozen: Frozen,
        past: &[f64],
    ) -> Result<Option<Placed>, StepError> {
        let len = self.len;
        let restart = self.restart_with(frozen.rows)?;
        restart.forget()?;
        restart.place(t, frozen, &past[..len])
    }
    /// Solves R = 0 for x; without a past it is record 0.
    pub fn advance(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        if let (ClockRow::Event(side), true) = (frozen.clock, self.clock.is_some()) {
            return self.advance_event(side, span, frozen, past, x);
        }
        let report = self.advance_plain(span, frozen, past, &mut x[..self.len])?;
        if self.clock.is_some() {
            x[self.len] = span.end();
        }
        Ok(report)
    }
    /// Solves for all of x but its time.
    fn advance_plain(
        &mut self,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        if !past.is_empty() && frozen.restart {
            let len = self.len;
            let restart = self.restart_with(frozen.rows)?;
            restart.forget()?;
            return restart.advance(span, frozen, &past[..len], x);
        }
        // impulses are those of events
        let len = self.step_len;
        let (x, impulses) = x.split_at_mut(len);
        impulses.fill(0.0);
        match past {
            [] => self.start.advance(self.recipe.system(), span.t, frozen.branches, x),
            _ => self.step_with(frozen.rows)?.advance(span, frozen, &past[..len], x),
        }
    }
    /// Solves R = 0, g = 0 for x with its time, from the step of a plan: Newton's method by the rate of g,
    /// then by its secant.
    fn advance_event(
        &mut self,
        side: u32,
        span: Span<f64>,
        frozen: Frozen,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        // roundings of the time and of the positions
        let least = 128.0 * f64::EPSILON * span.end().abs() + 1e-12 * span.h;
        let mut report = Report::default();
        let mut h = span.h;
        let mut before: Option<[f64; 2]> = None;
        let mut settled = false;
        for _ in 0..MOST_TRIALS {
            // g after a step h
            let trial = Span { t: span.t, h };
            let done = self.advance_plain(trial, frozen, past, &mut x[..self.len])?;
            report.iterations += done.iterations;
            report.factorizations += done.factorizations;
            let [g, rate] = self.condition(side, trial, frozen, [past, x]);
            // the next h, which must stay a step
            let slope = before.map_or(rate, |[h0, g0]| if h == h0 { rate } else { (g - g0) / (h - h0) });
            before = Some([h, g]);
            let change = g / slope;
            settled = change.abs() <= least;
            if settled || !change.is_finite() {
                break;
            }
            h -= change;
            if !frozen.restart && !(0.5 * span.h..=1.5 * span.h).contains(&h) {
                return Err(StepError::Moved { t: span.t, from: span.h, to: h });
            }
        }
        x[self.len] = span.t + h;
        if settled { Ok(report) } else { Err(StepError::Moved { t: span.t, from: span.h, to: h }) }
    }
    /// (g, ġ) of a condition at the end of a step.
    fn condition(&mut self, side: u32, span: Span<f64>, frozen: Frozen, records: [&[f64]; 2]) -> [f64; 2] {
        let clock = self.clock.as_mut().expect("an event belongs to a run with a clock");
        clock.rate(side, span, frozen, records)
    }
    /// Record `n` of a run that is replayed. Where parameters have moved it so far that the independent
    /// coordinates of the plan do not follow it, this step has its own.
    pub(crate) fn replay_step(
        &mut self,
        n: usize,
        span: Span<f64>,
        plan: &mut Plan,
        past: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let result = self.advance(span, plan.frozen(n), past, x);
        let reach = plan.reach[n];
        let far = result.is_err() || self.reach() > FARTHER * reach;
        if reach == 0.0 || !far {
            return result;
        }
        let mut choice = plan.choice(n).to_vec();
        if !self.choose_again(span, past, true, &mut choice) {
            return result;
        }
        plan.choices.set(n, &choice);
        self.advance(span, plan.frozen(n), past, x)
    }
    /// After record `n` of a run that is replayed: the references of the next record are those of this run.
    pub(crate) fn turn(
        &mut self,
        n: usize,
        span: Span<f64>,
        x: &[f64],
        plan: &mut Plan,
    ) -> Result<(), StepError> {
        let angles = self.recipe.system().dims().angles;
        if angles == 0 {
            return Ok(());
        }
        let new = || Turns::new(self.recipe.system(), &self.p, 0.0, &vec![0.0; angles]);
        let turns = self.turns.get_or_insert_with(new);
        let events = self.recipe.system().events();
        let is_place = |n: usize| plan.given_by[n].is_some_and(|e| events[e as usize].is_place());
        if n == 0 || is_place(n) {
            turns.set(plan.branches(n));
        }
        let placed_next = n < plan.steps() && is_place(n + 1);
        turns.look(span, &self.recipe.layout().node(span.end(), x))?;
        turns.follow();
        // sides are those of the plan, and so are angles that an event gives
        if n < plan.steps() && !placed_next {
            let motions = 1 + 3 * angles;
            plan.branches_mut(n + 1)[..motions].copy_from_slice(&turns.references()[..motions]);
        }
        Ok(())
    }
    /// Exact partials at a converged record.
    pub fn linearise(&mut self, a: &StepArgs) -> Result<(), StepError> {
        let plain = a.without_tail(self.len);
        self.linearise_plain(&plain)?;
        let Some(mut clock) = self.clock.take() else { return Ok(()) };
        clock.set(&plain);
        // R_x⁻¹ R_h of an event
        let mut result = Ok(());
        if clock.begin_event() {
            self.solve_plain(&mut clock.along);
            result = clock.end_event(a.span.end());
        }
        self.clock = Some(clock);
        result
    }
    /// Partials of all of the record but its time.
    fn linearise_plain(&mut self, a: &StepArgs) -> Result<(), StepError> {
        self.last = match (a.is_start(), a.frozen.restart) {
            (true, _) => Linearised::Start,
            (false, true) => Linearised::Restart,
            (false, false) => Linearised::Step,
        };
        let branches = a.frozen.branches;
        match self.last {
            Linearised::Start => {
                let x = &a.x[..self.step_len];
                self.start.linearise(self.recipe.system(), a.span.t, branches, x)
            }
            Linearised::Step => {
                let plain = a.without_tail(self.step_len);
                self.step_with(a.frozen.rows)?.linearise(&plain)
            }
            Linearised::Restart => {
                self.restart_with(a.frozen.rows)?.linearise(a.span, a.frozen, [a.past, a.x])
            }
        }
    }
    /// Solves with R_x of all of the record but its time.
    fn solve_plain(&mut self, b: &mut [f64]) {
        let len = self.step_len;
        match self.last {
            Linearised::Start => self.start.solve(self.recipe.system(), &mut b[..len]),
            Linearised::Step => self.step().solve(&mut b[..len]),
            Linearised::Restart => self.restarted().solve(b),
        }
    }
    /// Solves with its transpose.
    fn solve_plain_t(&mut self, b: &mut [f64]) {
        let len = self.step_len;
        match self.last {
            Linearised::Start => self.start.solve_t(self.recipe.system(), &mut b[..len]),
            Linearised::Step => self.step().solve_t(&mut b[..len]),
            Linearised::Restart => self.restarted().solve_t(b),
        }
    }
    /// Error of the embedded method relative to the tolerances, and the coordinate where it is largest.
    pub(crate) fn error(&mut self, a: &StepArgs, tol: Tolerance) -> Option<(f64, usize)> {
        let a = a.without_tail(self.step_len);
        self.step().error(&a, tol)
    }
    /// The factor of the step size after an attempt with that error; above 1 it was rejected.
    pub(crate) fn resize(&mut self, control: &Controller, error: f64) -> f64 {
        self.step().resize(control, error)
    }
    /// Was the last step limited by stability instead of accuracy?
    pub(crate) fn limited(&self) -> bool {
        self.steps[self.current].1.limited()
    }
    /// (q, v) at t + θh by the scheme's own interpolant of order ≥ 3; `out` is a node whose (a, λ) follow
    /// from the equations.
    pub fn interpolate(&mut self, a: &StepArgs, theta: f64, out: &mut [f64]) -> Result<(), StepError> {
        if a.frozen.restart {
            out.copy_from_slice(&a.x[..out.len()]);
            return Ok(());
        }
        let a = a.without_tail(self.step_len);
        self.step_with(a.frozen.rows)?.interpolate(&a, theta, out)
    }
    /// What was counted in the steps, without record 0.
    pub fn counts(&self) -> Counts {
        let counts = self.steps.iter().map(|s| s.1.counts());
        let sum = |a: Counts, b: Counts| Counts {
            visits: a.visits + b.visits,
            factorizations: a.factorizations.zip(b.factorizations).map(|(a, b)| a + b),
        };
        counts.reduce(sum).unwrap_or_default()
    }
}

/// Products of the record that was linearised last; record 0 has no past.
impl Products for Chain {
    fn solve(&mut self, b: &mut [f64]) {
        let Some(clock) = self.clock.take() else { return self.solve_plain(b) };
        let (x, time) = b.split_at_mut(self.len);
        clock.before_solve(x, time[0]);
        self.solve_plain(x);
        clock.after_solve(x, &mut time[0]);
        self.clock = Some(clock);
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Some(clock) = self.clock.take() else { return self.solve_plain_t(b) };
        let (x, time) = b.split_at_mut(self.len);
        clock.before_solve_t(x, &mut time[0]);
        self.solve_plain_t(x);
        clock.after_solve_t(x, &mut time[0]);
        self.clock = Some(clock);
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        if self.last == Linearised::Start {
            return;
        }
        let (s, s_time) = s.split_at(self.len);
        let (r, r_time) = r.split_at_mut(self.len);
        let len = self.step_len;
        match self.last {
            Linearised::Restart => self.restarted().past_mul(s, r),
            _ => self.step().past_mul(&s[..len], &mut r[..len]),
        }
        if let Some(clock) = &self.clock {
            clock.past_mul(s_time[0], r, &mut r_time[0]);
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        if self.last == Linearised::Start {
            return;
        }
        let (mu, mu_time) = mu.split_at(self.len);
        let (out, out_time) = out.split_at_mut(self.len);
        let len = self.step_len;
        match self.last {
            Linearised::Restart => self.restarted().past_mul_t(mu, out),
            _ => self.step().past_mul_t(&mu[..len], &mut out[..len]),
        }
        if let Some(clock) = &self.clock {
            clock.past_mul_t(mu, mu_time[0], &mut out_time[0]);
        }
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        let (r, time) = r.split_at_mut(self.len);
        let len = self.step_len;
        match self.last {
            Linearised::Start => self.start.slot_mul(self.recipe.system(), delta, &mut r[..len]),
            Linearised::Step => self.step().slot_mul(delta, &mut r[..len]),
            Linearised::Restart => self.restarted().slot_mul(delta, r),
        }
        if let Some(clock) = &self.clock {
            clock.slot_mul(delta, &mut time[0]);
        }
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (mu, time) = mu.split_at(self.len);
        let len = self.step_len;
        match self.last {
            Linearised::Start => self.start.slot_mul_t(self.recipe.system(), &mu[..len], s, grad),
            Linearised::Step => self.step().slot_mul_t(&mu[..len], s, grad),
            Linearised::Restart => self.restarted().slot_mul_t(mu, s, grad),
        }
        if let Some(clock) = &self.clock {
            clock.slot_mul_t(time[0], s, grad);
        }
    }
}
