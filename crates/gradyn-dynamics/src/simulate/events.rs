//! Events along a run: what they switch, and the restarts that follow them.
//!
//! ```text
//! g = 0 → end                 the last record, whose time is that of the event                            (1)
//! g = 0 → sides, rows         of the forces and constraints that are switched                             (2)
//!       → (q⁺, v⁺, Λ, ν)      a restart with what the event gives, one for each event at that instant     (3)
//! ```
//! After an impact the motion stays on its side, after others it is on the side of the bit. A condition that
//! a constraint holds at zero from then on is asleep until a constraint is switched off.

use super::Walk;
use super::edges::AHEAD;
use super::pass::Passed;
use crate::control::SAME_TIME;
use crate::crossing::{Asleep, Watch};
use crate::error::{EventError, StepError};
use gradyn_model::{Edge, EventRule};

/// A condition and its rate below this are held at zero at the start, where a constraint may do so.
const AT_ZERO: f64 = 1e-9;
/// A condition that time never changes has a time beyond this [s].
const NEVER: f64 = 1e299;
/// A rate below this part of the one before the event is none: constraints may give way a little.
const AT_REST: f64 = 1e-6;

/// A condition whose second rate is below this part of the size of the mechanism, over the squared time of
/// the run, stands still.
const STANDS: f64 = 1e-6;

impl Walk<'_> {
    /// Events that happen where a side becomes another one.
    pub(super) fn happening(&self, side: usize, becomes: f64) -> Vec<u32> {
        let events = self.recipe.system().events().iter().enumerate();
        let happens = |e: &EventRule| e.side as usize == side && e.happens(becomes);
        events.filter(|(_, e)| happens(e)).map(|(k, _)| k as u32).collect()
    }
    /// The side that a condition changes to.
    pub(super) fn becomes(&self, watch: &Watch, side: usize) -> f64 {
        1.0 - self.turns.sides(watch.sides.len())[side]
    }
    pub(super) fn rule(&self, event: u32) -> EventRule {
        self.recipe.system().events()[event as usize].clone()
    }
    /// What follows the last record, in which condition `side` passes zero and some events happen.
    pub(super) fn happen(
        &mut self,
        watch: &mut Watch,
        side: usize,
        events: &[u32],
    ) -> Result<Passed, StepError> {
        self.run.plan.note_events(events);
        // (1)
        if events.iter().any(|&e| self.rule(e).end) {
            self.ended = true;
            return Ok(Passed::End);
        }
        self.check_order(events)?;
        // the side and (2)
        self.released.clear();
        let count = watch.sides.len();
        let before = self.before(watch);
        let impact = events.iter().copied().find(|&e| self.rule(e).impact);
        if impact.is_none() {
            self.flip(side, count);
        }
        events.iter().try_for_each(|&e| self.switch(watch, e))?;
        // (3), until conditions that jump agree with it
        self.restart_after(watch, side, events)?;
        let [g, rate] = watch.next[side];
        if watch.is_away(side) {
            // the event has moved its own condition
            self.turns.set_side(count, side, f64::from(u8::from(g > 0.0)));
        } else if let Some(event) = impact {
            self.check_leaving(watch, side, event)?;
        } else if let Some(event) = self.holding(events, rate, before.conditions[side][1]) {
            watch.sleep(Asleep { side, before: before.sides[side], event });
        } else if self.leads_back(watch, side) {
            self.flip(side, count);
            if watch.sides[side].edge != Edge::Joined {
                self.restart(0.0)?;
                self.look_at_last(watch);
            }
        }
        watch.follow();
        self.change_others(watch, side, before)?;
        Ok(if self.ended { Passed::End } else { Passed::Edge })
    }
    /// Events at one instant that change velocities depend on their order.
    pub(super) fn check_order(&self, events: &[u32]) -> Result<(), StepError> {
        let changing: Vec<u32> =
            events.iter().copied().filter(|&e| self.rule(e).changes_velocities()).collect();
        let [first, second, ..] = changing[..] else { return Ok(()) };
        let t = self.run.plan.t[self.run.plan.steps()];
        let [first, second] = [first, second].map(|e| format!("event `{}`", self.rule(e).name));
        Err(EventError::Together { t, first, second }.into())
    }
    /// The event whose constraints hold a condition at zero from now on, by its rates after and before it.
    fn holding(&self, events: &[u32], rate: f64, before: f64) -> Option<u32> {
        let holds = |e: &u32| self.rule(*e).constraints.iter().any(|c| c.1);
        events.iter().copied().find(holds).filter(|_| rate.abs() <= AT_REST * before.abs())
    }
    /// Restarts with what some events give; conditions that change with them follow.
    pub(super) fn restart_after(
        &mut self,
        watch: &mut Watch,
        side: usize,
        events: &[u32],
    ) -> Result<(), StepError> {
        for &event in events {
            let gives = self.rule(event).changes_velocities();
            self.restart_at_event(0.0, gives.then_some(event))?;
        }
        self.look_at_last(watch);
        if !self.released.is_empty() {
            self.side_released(watch)?;
        }
        if self.is_unsettled(watch, side) {
            self.restart_settled(watch, side)?;
        }
        Ok(())
    }
    /// Positions that an event gives are not beyond the stop of an impact. Where the last record has none,
    /// the gap of `side` was closed already: it is an impact at the instant of the `first` change.
    pub(super) fn check_stops(
        &self,
        watch: &Watch,
        [first, side]: [usize; 2],
        events: &[u32],
    ) -> Result<(), StepError> {
        let Some(impact) = events.iter().map(|&e| self.rule(e)).find(|rule| rule.impact) else {
            return Ok(());
        };
        let n = self.run.plan.steps();
        let t = self.run.plan.t[n];
        let placed = self.run.plan.given_by[n].is_some_and(|e| self.rule(e).is_place());
        Err(if placed {
            EventError::PlacedBeyond { t, event: impact.name, gap: watch.next[side][0] }.into()
        } else {
            let [first, second] = [first, side].map(|k| watch.sides[k].what.clone());
            EventError::Together { t, first, second }.into()
        })
    }
    /// After an impact the gap opens.
    fn check_leaving(&self, watch: &Watch, side: usize, event: u32) -> Result<(), StepError> {
        let rate = watch.next[side][1];
        if rate != 0.0 && !self.leads_back(watch, side) {
            return Ok(());
        }
        let t = self.run.plan.t[self.run.plan.steps()];
        Err(EventError::StaysInContact { t, event: self.rule(event).name, rate }.into())
    }
    /// Conditions that constraints hold at zero from the start on are asleep.
    pub(super) fn sleep_at_start(&self, watch: &mut Watch) {
        let sys = self.recipe.system();
        let off = &sys.row_choice().off;
        for (k, rule) in sys.events().iter().enumerate() {
            let holds =
                |(name, on): &(String, bool)| *on && !sys.rows_of(name).iter().any(|r| off.contains(r));
            let side = rule.side as usize;
            let rests = watch.next[side].iter().all(|x| x.abs() <= AT_ZERO);
            if rests && watch.watched[side] && rule.constraints.iter().any(holds) {
                let before = if rule.changes[0] { 1.0 } else { 0.0 };
                watch.sleep(Asleep { side, before, event: k as u32 });
            }
        }
    }
    /// A motion that begins beyond the stop of an impact, or after the time of an event.
    pub(super) fn check_start(&self, watch: &Watch) -> Result<(), StepError> {
        let count = watch.sides.len();
        let t = self.run.plan.t[0];
        for rule in self.recipe.system().events() {
            let time = watch.sides[rule.side as usize].time.map(|slot| self.p[slot as usize]);
            if let Some(at) = time.filter(|at| *at - t <= SAME_TIME * (self.mesh.end() - t) && *at > -NEVER) {
                return Err(EventError::Before { t, event: rule.name.clone(), at }.into());
            }
        }
        for rule in self.recipe.system().events().iter().filter(|e| e.impact) {
            let k = rule.side as usize;
            let side = self.turns.sides(count)[k];
            // where the side that it falls to is the one it is on
            if rule.happens(side) && !rule.happens(1.0 - side) {
                let (event, gap) = (rule.name.clone(), watch.next[k][0]);
                return Err(EventError::BeyondStop { t, event, gap }.into());
            }
        }
        Ok(())
    }
    /// (2): sides of the forces, and rows of the constraints, that an event switches.
    pub(super) fn switch(&mut self, watch: &mut Watch, event: u32) -> Result<(), StepError> {
        let rule = self.rule(event);
        let count = watch.sides.len();
        rule.modes
            .iter()
            .for_each(|&(k, on)| self.turns.set_side(count, k as usize, f64::from(u8::from(on))));
        if rule.constraints.is_empty() {
            return Ok(());
        }
        // rows that are off from now on
        let sys = self.recipe.system().clone();
        let mut off = self.row_choice().off.clone();
        let mut new = vec![];
        for (element, on) in &rule.constraints {
            let rows = sys.rows_of(element);
            if *on {
                new.extend(rows.iter().copied().filter(|k| off.contains(k)));
            } else {
                off.extend(&rows);
            }
            off.retain(|k| !*on || !rows.contains(k));
        }
        off.sort_unstable();
        off.dedup();
        self.choose_with(off, &new, event)?;
        let off = |element: &str| rule.constraints.iter().any(|(name, on)| !on && name == element);
        let events = sys.events();
        let ends = |e: u32| events[e as usize].constraints.iter().any(|(name, on)| *on && off(name));
        // conditions that these constraints held at zero are watched again; until the motion says more, on
        // the side that they had
        for Asleep { side, before, .. } in watch.wake(ends) {
            self.turns.set_side(count, side, before);
            self.released.push(side);
        }
        Ok(())
    }
    /// Conditions that the last events have released are on the side to which the motion takes them from
    /// where drift has left them: nothing happens at them now.
    pub(super) fn side_released(&mut self, watch: &mut Watch) -> Result<(), StepError> {
        let count = watch.sides.len();
        let length = self.mesh.end() - self.run.plan.t[0];
        let size = self.recipe.system().size_of(&self.run.last()[..self.run.layout.n]);
        let now = watch.next.clone();
        let ahead = self.look_ahead(watch, AHEAD * length);
        self.look_at_last(watch);
        // sides by the way that each is about to go; one that stays keeps its side
        let mut again = false;
        for k in self.released.iter().copied() {
            watch.forgive(k, size);
            let way = ahead[k][1] - now[k][1];
            let side = f64::from(u8::from(way > 0.0));
            let moves = way.abs() > STANDS * AHEAD * size / length;
            if moves && side != self.turns.sides(count)[k] {
                self.turns.set_side(count, k, side);
                again |= watch.sides[k].edge != Edge::Joined;
            }
        }
        if again {
            self.restart(0.0)?;
            self.look_at_last(watch);
        }
        Ok(())
    }
}
