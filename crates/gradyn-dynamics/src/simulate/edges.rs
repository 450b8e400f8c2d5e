//! Nodes where conditions change their sides, and what follows them.
//!
//! ```text
//! joint of pieces   a node near it; the sides that follow                                                (1)
//! corner            a node, then a restart at its time                                                  (2)
//! jump, root        an event, whose time is a number of its record, then a restart                       (3)
//! declared time     a node, then a restart where something jumps                                         (4)
//! ```
//! After a change the side is that of the motion, whatever the sign of a rounding. Conditions that follow
//! from others change with them. Two jumps at one instant are one event after the other, without time
//! between.

use super::Walk;
use super::pass::Passed;
use crate::control::SAME_TIME;
use crate::crossing::Watch;
use crate::error::{EventError, StepError};
use crate::plan::{Decided, Frozen};
use crate::record::Span;
use crate::step::StepKind;
use gradyn_model::Edge;

/// Changes of conditions in one run.
const MOST_EVENTS: usize = 10_000;
/// Intervals between changes that become shorter so many times in a row, and short beside the run,
/// accumulate.
const SHRINKING: usize = 6;
/// Conditions that are at rest on their edge are looked at after this part of the run.
pub(super) const AHEAD: f64 = 1e-6;
/// Changes within this time, relative to the run, are at one instant.
const SAME_INSTANT: f64 = 1e-13;

/// Changes so far.
#[derive(Default)]
pub(super) struct Changes {
    count: usize,
    last: f64,
    interval: f64,
    shrinking: usize,
}

impl Walk<'_> {
    /// What watches the conditions of a run, and their sides at record 0.
    pub(super) fn begin_sides(&mut self, p: &[f64]) -> Result<(), StepError> {
        let sys = self.recipe.system();
        let joints = self.control.tolerance.is_some() && self.recipe.order() > 3 && self.is_one_step();
        let long_steps = self.control.tolerance.is_some();
        self.watch = Watch::new(sys, p, self.run.layout, (joints, long_steps));
        let Some(mut watch) = self.watch.take() else { return Ok(()) };
        let result = self.first_sides(&mut watch, p);
        self.watch = Some(watch);
        result?;
        // the angles of the record that it is now
        let t = self.run.plan.t[0];
        self.turns.look(Span { t, h: 0.0 }, &self.run.layout.node(t, self.run.last()))?;
        self.turns.follow();
        Ok(())
    }
    fn is_one_step(&self) -> bool {
        matches!(self.recipe.kind, StepKind::RungeKutta(_) | StepKind::Rosenbrock(_))
    }
    /// Sides at record 0: by their conditions, and by their rates where these are zero.
    fn first_sides(&mut self, watch: &mut Watch, p: &[f64]) -> Result<(), StepError> {
        let t = self.run.plan.t[0];
        let length = self.mesh.end() - t;
        let ahead = self.look_ahead(watch, AHEAD * length);
        self.look_at_last(watch);
        // those of time, and those whose conditions are not zero
        let mut open = vec![];
        for k in 0..watch.sides.len() {
            let [g, rate] = watch.next[k];
            let side = match watch.sides[k].time {
                Some(slot) => {
                    let past = p[slot as usize] - t <= SAME_TIME * length;
                    (rate > 0.0) == past
                }
                None if watch.sides[k].mode.is_some() => watch.sides[k].mode == Some(true),
                None if !watch.watched[k] => {
                    self.turns.set_side(watch.sides.len(), k, f64::NAN);
                    continue;
                }
                None if g.abs() <= 1e-12 * rate.abs() * length || g == 0.0 => {
                    open.push(k);
                    if rate == 0.0 { ahead[k][0] > 0.0 } else { rate > 0.0 }
                }
                None => g > 0.0,
            };
            self.turns.set_side(watch.sides.len(), k, f64::from(u8::from(side)));
        }
        // record 0 with these sides
        self.start_again(watch, p)?;
        for k in open {
            self.note_root(k);
            if !self.leads_back(watch, k) {
                continue;
            }
            self.flip(k, watch.sides.len());
            self.start_again(watch, p)?;
            if self.leads_back(watch, k) {
                return Err(EventError::Sliding { t, what: watch.sides[k].what.clone() }.into());
            }
        }
        watch.follow();
        self.sleep_at_start(watch);
        self.check_start(watch)
    }
    /// Conditions a short time after the last record, by its accelerations: a motion that begins at rest on
    /// an edge has no rate there.
    pub(super) fn look_ahead(&self, watch: &mut Watch, h: f64) -> Vec<[f64; 2]> {
        let n = self.run.layout.n;
        let mut x = self.run.last().to_vec();
        for i in 0..n {
            let [v, a] = [x[n + i], x[2 * n + i]];
            x[i] += h * (v + 0.5 * h * a);
            x[n + i] += h * a;
        }
        let span = Span { t: self.run.plan.t[self.run.plan.steps()] + h, h: 0.0 };
        watch.look(span, self.turns.references(), [&x, &x]);
        watch.next.clone()
    }
    /// Record 0 anew, with the sides of the turns.
    fn start_again(&mut self, watch: &mut Watch, p: &[f64]) -> Result<(), StepError> {
        let run = &mut *self.run;
        run.plan.begin_with(self.turns.references());
        self.chain.advance(run.plan.span(0, p), run.plan.frozen(0), &[], &mut run.x)?;
        self.look_at_last(watch);
        Ok(())
    }
    /// Looks at the last record, with the sides of the turns.
    pub(super) fn look_at_last(&self, watch: &mut Watch) {
        let n = self.run.plan.steps();
        let span = Span { t: self.run.plan.t[n], h: 0.0 };
        watch.look(span, self.turns.references(), [self.run.last(), self.run.last()]);
    }
    /// Does the rate of a condition that is zero lead back to the other side?
    pub(super) fn leads_back(&self, watch: &Watch, k: usize) -> bool {
        let rate = watch.next[k][1];
        let side = self.turns.sides(watch.sides.len())[k] > 0.5;
        rate != 0.0 && (rate > 0.0) != side
    }
    /// A root is at the last node, if condition `k` is one.
    fn note_root(&mut self, k: usize) {
        if self.recipe.system().sides()[k].edge == Edge::Root {
            self.roots.pass(self.run.plan.t[self.run.plan.steps()]);
        }
    }
    /// Changes the side of condition `k` of some.
    pub(super) fn flip(&mut self, k: usize, count: usize) {
        let side = self.turns.sides(count)[k];
        self.turns.set_side(count, k, 1.0 - side);
        self.note_root(k);
    }
    /// What follows the last record, in which condition `side` changes.
    pub(super) fn change(&mut self, watch: &mut Watch, side: usize) -> Result<Passed, StepError> {
        let events = self.happening(side, self.becomes(watch, side));
        if !events.is_empty() {
            return self.happen(watch, side, &events);
        }
        let count = watch.sides.len();
        let before = self.before(watch);
        self.flip(side, count);
        if watch.sides[side].edge == Edge::Joined {
            watch.follow();
            return Ok(Passed::Joint);
        }
        self.restart_settled(watch, side)?;
        let t = self.run.plan.t[self.run.plan.steps()];
        if self.leads_back(watch, side) {
            if watch.sides[side].edge == Edge::Jump {
                return Err(EventError::Sliding { t, what: watch.sides[side].what.clone() }.into());
            }
            // a corner that is only touched: the motion stays on its side
            self.flip(side, count);
            self.restart(0.0)?;
            self.look_at_last(watch);
        }
        watch.follow();
        self.change_others(watch, side, before)?;
        Ok(if self.ended { Passed::End } else { Passed::Edge })
    }
    /// Restarts after a change of `side`, until conditions that read velocities or accelerations agree with
    /// it.
    pub(super) fn restart_settled(&mut self, watch: &mut Watch, side: usize) -> Result<(), StepError> {
        for _ in 0..=watch.sides.len() {
            let events = self.settle(watch, side)?;
            self.check_order(&events)?;
            let gives = |e: &u32| self.recipe.system().events()[*e as usize].changes_velocities();
            match events.iter().copied().filter(gives).collect::<Vec<_>>()[..] {
                [] => self.restart(0.0)?,
                ref events => events.iter().try_for_each(|&e| self.restart_at_event(0.0, Some(e)))?,
            }
            self.look_at_last(watch);
            if !self.released.is_empty() {
                self.side_released(watch)?;
            }
            if !self.is_unsettled(watch, side) {
                break;
            }
        }
        Ok(())
    }
    /// Is a condition other than `side` not on its side?
    pub(super) fn is_unsettled(&self, watch: &Watch, side: usize) -> bool {
        let sides = self.turns.sides(watch.sides.len());
        (0..sides.len()).any(|k| k != side && watch.has_changed(k, sides[k]))
    }
    /// Conditions that jump with the last change take the side that they have now; events that happen with it
    /// switch what they switch.
    fn settle(&mut self, watch: &mut Watch, side: usize) -> Result<Vec<u32>, StepError> {
        let count = watch.sides.len();
        let mut happened = vec![];
        for _ in 0..count {
            self.look_at_last(watch);
            let sides = self.turns.sides(count);
            let wrong = |k: &usize| *k != side && watch.has_changed(*k, sides[*k]);
            let Some(k) = (0..count).find(wrong) else { break };
            let events = self.happening(k, self.becomes(watch, k));
            self.check_stops(watch, [side, k], &events)?;
            self.run.plan.note_events(&events);
            self.flip(k, count);
            events.iter().try_for_each(|&e| self.switch(watch, e))?;
            self.ended |= events.iter().any(|&e| self.recipe.system().events()[e as usize].end);
            happened.extend(events);
        }
        Ok(happened)
    }
    /// Other conditions that change at the instant of the last change of `side`; `before` is how they were
    /// before it.
    pub(super) fn change_others(
        &mut self,
        watch: &mut Watch,
        side: usize,
        mut before: Before,
    ) -> Result<(), StepError> {
        let t = self.run.plan.t[self.run.plan.steps()];
        let instant = SAME_INSTANT * (self.mesh.end() - self.run.plan.t[0]) + 4.0 * f64::EPSILON * t.abs();
        let count = watch.sides.len();
        // each condition changes once at an instant, so that two that lead back to each other end
        self.changed_now.push(side);
        let open =
            |k: &usize| watch.watched[*k] && !self.changed_now.contains(k) && !self.released.contains(k);
        let others: Vec<usize> = (0..count).filter(open).collect();
        for k in others {
            if self.changed_now.contains(&k) {
                continue;
            }
            let [g, rate] = watch.next[k];
            let [_, old] = before.conditions[k];
            let on = self.turns.sides(count)[k];
            // is it at its edge, and does it leave its side, now or without the first change?
            let leaves = |rate: f64| rate != 0.0 && (rate > 0.0) != (on > 0.5);
            let left = leaves(old) && before.sides[k] == on;
            if g.abs() > instant * rate.abs().max(old.abs()) || !(leaves(rate) || left) {
                continue;
            }
            // the order does not matter where the first change leaves the rate of the second as it was
            let jumps = [side, k].iter().any(|&k| watch.sides[k].is_jump());
            let kept = (rate - old).abs() <= 1e-6 * rate.abs();
            if jumps && !kept {
                let [first, second] = [side, k].map(|k| watch.sides[k].what.clone());
                return Err(EventError::Together { t, first, second }.into());
            }
            if !leaves(rate) {
                continue;
            }
            if watch.sides[k].is_moving() {
                self.restart(0.0)?;
                self.mark_moving(watch, k);
            }
            self.change(watch, k)?;
            before = self.before(watch);
        }
        Ok(())
    }
    /// Conditions and sides as they are now.
    pub(super) fn before(&self, watch: &Watch) -> Before {
        Before { conditions: watch.next.clone(), sides: self.turns.sides(watch.sides.len()).to_vec() }
    }
    /// Appends a restart with the sides of the turns, h after the last record.
    pub(super) fn restart(&mut self, h: f64) -> Result<(), StepError> {
        self.restart_at_event(h, None)
    }
    /// Appends a restart with the sides of the turns and the velocities of an event, h after the last record.
    pub(super) fn restart_at_event(&mut self, h: f64, event: Option<u32>) -> Result<(), StepError> {
        let run = &mut *self.run;
        let (n, layout) = (run.plan.steps(), run.layout);
        let span = Span { t: run.plan.t[n], h };
        let (plan, past, x) = run.next();
        let frozen = Frozen {
            branches: plan.branches(n),
            past_branches: plan.branches(n),
            choice: &self.choice,
            rows: plan.row_choice(self.rows),
            restart: true,
            event,
            ..Frozen::default()
        };
        self.chain.begin()?;
        // the angles of positions that the event gives
        if event.is_some()
            && let Some(placed) = self.chain.place(span.end(), frozen, past)?
        {
            self.turns.place(span.end(), &placed.angles);
        }
        let frozen = Frozen { branches: self.turns.references(), ..frozen };
        self.chain.advance(span, frozen, past, x)?;
        self.turns.look(span, &layout.node(span.end(), x))?;
        let decided = Decided { branches: self.turns.references(), choice: &self.choice, rows: self.rows };
        run.plan.push_restart(h, event, decided);
        self.turns.follow();
        self.note()?;
        event.map_or(Ok(()), |event| self.check_placed(event))
    }
    /// (4): conditions of time that change at the last node, which ends a piece of the mesh.
    pub(super) fn change_declared(&mut self, p: &[f64]) -> Result<(), StepError> {
        let Some(mut watch) = self.watch.take() else { return Ok(()) };
        let n = self.run.plan.steps();
        let t = self.run.plan.t[n];
        let near = SAME_TIME * (self.mesh.end() - self.run.plan.t[0]);
        let changed: Vec<usize> = (0..watch.sides.len())
            .filter(|&k| watch.sides[k].time.is_some_and(|slot| (p[slot as usize] - t).abs() <= near))
            .collect();
        let jumps: Vec<usize> = changed
            .iter()
            .copied()
            .filter(|&k| watch.sides[k].edge == Edge::Jump || watch.sides[k].has_events())
            .collect();
        // jumps at one time that different parameters may move
        let slot = self.run.plan.declared[n];
        if let Some(&k) = jumps.iter().find(|&&k| watch.sides[k].time != slot) {
            let other = changed.iter().copied().find(|&j| watch.sides[j].time == slot).unwrap_or(k);
            let [first, second] = [k, other].map(|k| watch.sides[k].what.clone());
            return Err(EventError::Together { t, first, second }.into());
        }
        self.released.clear();
        let events: Vec<u32> =
            changed.iter().flat_map(|&k| self.happening(k, self.becomes(&watch, k))).collect();
        self.run.plan.note_events(&events);
        changed.iter().for_each(|&k| self.flip(k, watch.sides.len()));
        self.check_order(&events)?;
        self.ended |= events.iter().any(|&e| self.recipe.system().events()[e as usize].end);
        if self.ended {
            return Ok(());
        }
        events.iter().try_for_each(|&e| self.switch(&mut watch, e))?;
        // a corner whose time is not that of the node needs the accelerations of its other side
        let other = changed.iter().copied().find(|&k| watch.sides[k].time != slot);
        match (jumps.first().copied().or(other), changed.first()) {
            (_, Some(&k)) if !events.is_empty() => {
                self.count_change(t, &watch.sides[k].what)?;
                self.restart_after(&mut watch, k, &events)?;
            }
            (Some(k), _) => {
                self.count_change(t, &watch.sides[k].what)?;
                self.restart_settled(&mut watch, k)?;
            }
            (None, _) => {}
        }
        self.look_at_last(&mut watch);
        watch.follow();
        self.watch = Some(watch);
        Ok(())
    }
    /// Counts a change at t; too many, or ever shorter intervals, end the run.
    pub(super) fn count_change(&mut self, t: f64, what: &str) -> Result<(), StepError> {
        let length = self.mesh.end() - self.run.plan.t[0];
        let changes = &mut self.changes;
        let interval = t - changes.last;
        let shorter = changes.count > 0 && interval < changes.interval && interval > 0.0;
        changes.shrinking = if shorter { changes.shrinking + 1 } else { 0 };
        changes.count += 1;
        changes.last = t;
        changes.interval = interval;
        if changes.count > MOST_EVENTS || (changes.shrinking > SHRINKING && interval < 1e-6 * length) {
            let (events, what) = (changes.count, what.to_owned());
            return Err(EventError::TooMany { t, events, what, interval }.into());
        }
        Ok(())
    }
}

/// Conditions before a change: (g, ġ), and their sides.
pub(super) struct Before {
    pub conditions: Vec<[f64; 2]>,
    pub sides: Vec<f64>,
}
