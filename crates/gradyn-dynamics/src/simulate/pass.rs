//! Steps that pass an edge: the step to it takes their place.

use super::{Attempt, Place, Walk};
use crate::crossing::{Crossing, Watch};
use crate::error::StepError;
use crate::event::Event;
use crate::parts::is_iteration;
use crate::plan::Decided;
use crate::record::Span;
use crate::trial::Trial;
use gradyn_model::Edge;

/// A fixed step that fails beyond an edge is halved down to this part of it.
const SHORTEST: f64 = 1e-3;
/// An edge within this time, relative to the run, is gone over where steps fail before it.
const NEAR_EDGE: f64 = 1e-9;

impl Walk<'_> {
    /// What the accepted step of `size` has passed: an edge, after which the run is elsewhere in its piece,
    /// or the condition for the final time.
    pub(super) fn edge(
        &mut self,
        place: &mut Place,
        size: f64,
        worst: usize,
        event: &mut Option<Event>,
    ) -> Result<Passed, StepError> {
        let since = place.done - place.node.1;
        let passed = self.cross(size, (worst, since), event)?;
        match passed {
            Passed::Nothing if self.ends(size, since, event)? => return Ok(Passed::End),
            Passed::Joint | Passed::Edge => {
                place.t = self.run.plan.t[self.run.plan.steps()];
                place.done = if passed == Passed::Joint { place.done + 1 } else { 0 };
                place.node = (place.t, place.done);
                self.h = self.h.min(size);
            }
            _ => {}
        }
        Ok(passed)
    }
    /// What came of an attempt of `size`. A fixed step that failed where laws have edges is tried with half
    /// its size: a law that goes on beyond its edge may have no solution there.
    pub(super) fn or_shorter(
        &mut self,
        attempt: Result<Attempt, StepError>,
        size: f64,
    ) -> Result<Attempt, StepError> {
        let edged = self.watch.as_ref().is_some_and(Watch::is_asked);
        let least = self.control.step.unwrap_or(0.0) * SHORTEST;
        match attempt {
            Err(_) if edged && self.control.tolerance.is_none() && size > least => {
                self.halve(size);
                Ok(Attempt { accepted: false, worst: 0 })
            }
            attempt => attempt,
        }
    }
    /// Goes over the edge that is next, where no step reaches it: a law that is no number beyond it. The
    /// error of the step, where no edge is near.
    pub(super) fn leave_edge(&mut self, place: &mut Place, e: StepError) -> Result<(), StepError> {
        let Some(mut watch) = self.watch.take_if(|watch| watch.is_asked()) else { return Err(e) };
        let near =
            NEAR_EDGE * (self.mesh.end() - self.run.plan.t[0]) + SHORTEST * self.control.step.unwrap_or(0.0);
        let Some((side, h)) = watch.next_edge(self.turns.sides(watch.sides.len()), near) else {
            return Err(e);
        };
        self.run.truncate();
        // just before it, where the law of this side is still a number
        self.restart(h * (1.0 - 1e-9)).map_err(|_| e)?;
        self.look_at_last(&mut watch);
        self.mark_moving(&watch, side);
        // counted too, so that laws that fail on both sides end the run
        self.count_change(place.t, &watch.sides[side].what)?;
        self.changed_now.clear();
        self.released.clear();
        self.change(&mut watch, side)?;
        self.watch = Some(watch);
        place.t = self.run.plan.t[self.run.plan.steps()];
        place.done = 0;
        place.node = (place.t, 0);
        self.h = self.control.step.unwrap_or(1e-6 * (self.mesh.end() - self.run.plan.t[0]));
        Ok(())
    }
    /// Rejects a step of `size`: the next attempt has half of it.
    fn halve(&mut self, size: f64) {
        self.cut = Some(0.5 * size);
        self.run.truncate();
        self.run.statistics.rejected += 1;
    }
    /// Looks for conditions that change in the step of `size` that was accepted; where one does, the step to
    /// it is appended in its place, with what follows. Says whether something begins anew.
    fn cross(
        &mut self,
        size: f64,
        (worst, since): (usize, usize),
        event: &mut Option<Event>,
    ) -> Result<Passed, StepError> {
        let Some(mut watch) = self.watch.take_if(|watch| watch.is_asked()) else {
            return Ok(Passed::Nothing);
        };
        let result = self.cross_with(&mut watch, size, (worst, since), event);
        self.watch = Some(watch);
        result
    }
    fn cross_with(
        &mut self,
        watch: &mut Watch,
        size: f64,
        (worst, since): (usize, usize),
        event: &mut Option<Event>,
    ) -> Result<Passed, StepError> {
        let Some(Crossing { side, h, x }) = self.crossing(watch, size)? else {
            return Ok(Passed::Nothing);
        };
        // the step that was accepted goes; others come in its place where one failed, or towards a root
        self.run.truncate();
        let t = self.run.plan.t[self.run.plan.steps()];
        let is_root = watch.sides[side].edge == Edge::Root;
        if x.is_empty() || (is_root && self.roots.is_ahead(t, h)) {
            self.run.statistics.rejected += 1;
            return Ok(Passed::Failed);
        }
        // the step to the change
        let span = Span { t, h };
        if h <= self.sliver() * size {
            self.restart(h)?;
        } else {
            self.run.x.extend_from_slice(&x);
            if self.ends(h, since, event)? {
                return Ok(Passed::End);
            }
            self.turns.look(span, &self.run.layout.node(span.end(), &x))?;
            self.append(h, span.end(), None, worst)?;
        }
        // and what follows
        self.mark_moving(watch, side);
        if self.is_edge(watch, side) {
            self.count_change(span.end(), &watch.sides[side].what)?;
        }
        self.changed_now.clear();
        self.released.clear();
        let passed = self.change(watch, side)?;
        if let Some(event) = event.as_mut().filter(|_| passed != Passed::End) {
            event.renew(self.run)?;
        }
        Ok(passed)
    }
    /// The first change in the step of `size` that was accepted; none if nothing changes. One without a
    /// record is a step that failed on the way, so that half of the step is to be tried.
    fn crossing(&mut self, watch: &mut Watch, size: f64) -> Result<Option<Crossing>, StepError> {
        // does anything change?
        let n = self.run.plan.steps();
        let span = Span { t: self.run.plan.t[n], h: size };
        let records = [self.run.present(n), self.run.present(n + 1)];
        watch.look(span, self.turns.references(), records);
        let sides = self.turns.sides(watch.sides.len());
        if !watch.may_have_changed(sides, span, self.turns.references(), records) {
            watch.follow();
            return Ok(None);
        }
        // the step to where it changes
        let decided = Decided { branches: self.turns.references(), choice: &self.choice, rows: self.rows };
        let mut trial = Trial::new(self.run, n, decided).restarting_below(self.sliver() * size);
        trial.x.copy_from_slice(records[1]);
        let least = SHORTEST * self.control.step.unwrap_or(0.0) + self.control.minimum(span.t);
        match watch.find(size, &mut trial, &mut self.chain) {
            Err(e) if is_iteration(&e) && size > least => {
                self.cut = Some(0.5 * size);
                self.h = 0.5 * size;
                Ok(Some(Crossing { side: 0, h: 0.0, x: vec![] }))
            }
            Ok(None) => {
                watch.follow();
                Ok(None)
            }
            found => found,
        }
    }
    /// A step that is shorter than this part of a full one is a restart with a length: schemes of positions
    /// divide roundings by h².
    fn sliver(&self) -> f64 {
        if self.recipe.equations().positions { 0.02 } else { 1e-9 }
    }
    /// Does something jump, kink or happen where condition `side` changes?
    fn is_edge(&self, watch: &Watch, side: usize) -> bool {
        watch.sides[side].edge != Edge::Joined || !self.happening(side, self.becomes(watch, side)).is_empty()
    }
    /// The last record is where condition `side` changes; its time follows from that if something jumps
    /// there, or if a root begins that is not only touched.
    pub(super) fn mark_moving(&mut self, watch: &Watch, side: usize) {
        let happens = !self.happening(side, self.becomes(watch, side)).is_empty();
        let length = self.mesh.end() - self.run.plan.t[0];
        let moves = match watch.sides[side].edge {
            Edge::Jump => true,
            Edge::Root => watch.passes(side, length),
            Edge::Corner | Edge::Joined => false,
        };
        if moves || happens {
            self.run.plan.mark_event(side as u32);
        }
    }
}

/// What a step has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// No condition has changed.
    Nothing,
    /// A joint of two pieces: nothing begins anew.
    Joint,
    /// A corner or a jump: a smooth piece begins.
    Edge,
    /// The condition for the final time, before any other.
    End,
    /// A shorter step failed: the step is rejected.
    Failed,
}
