//! Pieces of a run that are made again, level by level.

use super::{Store, levels};
use crate::error::StepError;
use crate::record::Span;
use crate::step::{Chain, Snapshot};
use crate::trajectory::Trajectory;
use crate::turns::Turns;
use std::sync::Arc;

/// Makes records again.
#[derive(Default)]
pub(super) struct Maker {
    again: Option<Box<Again>>,
    levels: Vec<Level>,
    pub failed: Option<StepError>,
}

/// Records at equal distances, after one of the level above.
#[derive(Default)]
struct Level {
    /// The record that they follow, and their distance.
    base: usize,
    distance: usize,
    data: Arc<Vec<f64>>,
    states: Vec<Arc<Snapshot>>,
}

impl Maker {
    /// The level that has record `n`, made if it has to be, and where the record begins in it.
    pub(super) fn find(&mut self, store: &Store, run: &Trajectory, n: usize) -> (Arc<Vec<f64>>, usize) {
        let (c, count) = levels(store.every, store.room(run.plan.bytes()) / 4);
        self.levels.resize_with(count, Level::default);
        let mut base = n / store.every * store.every;
        let next = (base + store.every).min(run.first());
        let mut above = store.every;
        for i in 0..count {
            let distance = (c + 1).pow((count - 1 - i) as u32);
            if self.levels[i].base != base || self.levels[i].distance != distance {
                let result = self.fill(store, run, i, [base, distance, (base + above).min(next)]);
                self.failed = self.failed.take().or(result.err());
            }
            let level = &self.levels[i];
            if (n - base).is_multiple_of(distance) {
                return (level.data.clone(), ((n - base) / distance - 1) * store.width);
            }
            base += (n - base) / distance * distance;
            above = distance;
        }
        unreachable!("the last level has all records")
    }
    /// Fills level `i` with records between two of them, the first a base, at a distance from each other.
    fn fill(
        &mut self,
        store: &Store,
        run: &Trajectory,
        i: usize,
        [base, distance, end]: [usize; 3],
    ) -> Result<(), StepError> {
        let count = (end - 1 - base) / distance;
        let (first, state) = self.known(store, i, base);
        // room, filled with what no record is in case a step fails
        let level = &mut self.levels[i];
        let (data, states) = level.room((base, distance), count, store.width, &state);
        // record by record to the last one that is needed, or to the next that is kept
        let again = self.again.take();
        let mut again = again.map_or_else(|| Again::new(store).map(Box::new), Ok)?;
        again.begin(run, base, &first, &state)?;
        let arrives = distance == 1 && end < run.first() && end.is_multiple_of(store.every);
        let last = if arrives { end } else { base + count * distance };
        for n in base + 1..=last {
            let state = again.step(run, n)?;
            if n < end && (n - base).is_multiple_of(distance) {
                let k = (n - base) / distance - 1;
                again.write(&mut data[k * store.width..][..store.width]);
                states[k] = state;
            }
        }
        // the record that is kept at the end
        if arrives && !again.is(&store.kept[end / store.every]) {
            return Err(StepError::NotTheSame { t: run.plan.t[end] });
        }
        self.again = Some(again);
        Ok(())
    }
    /// A record that is kept or in a level above `i`, with what steps remember after it.
    fn known(&self, store: &Store, i: usize, n: usize) -> (Vec<f64>, Arc<Snapshot>) {
        if n.is_multiple_of(store.every) {
            let k = n / store.every;
            return (store.kept[k].to_vec(), store.states[k].clone());
        }
        let level = self.levels[..i].iter().find(|level| level.has(n)).expect("a level above has the record");
        let k = (n - level.base) / level.distance - 1;
        (level.data[k * store.width..][..store.width].to_vec(), level.states[k].clone())
    }
}

impl Level {
    /// Takes room for some records of a width after one with a state, with what no record is.
    fn room(
        &mut self,
        (base, distance): (usize, usize),
        count: usize,
        width: usize,
        state: &Arc<Snapshot>,
    ) -> (&mut Vec<f64>, &mut Vec<Arc<Snapshot>>) {
        self.base = base;
        self.distance = distance;
        self.states.clear();
        self.states.resize(count, state.clone());
        // somebody may still look at a record of the piece before
        if Arc::strong_count(&self.data) > 1 {
            self.data = Arc::default();
        }
        let data = Arc::make_mut(&mut self.data);
        data.clear();
        data.reserve_exact(count * width);
        data.resize(count * width, f64::NAN);
        (data, &mut self.states)
    }
    /// Has it record `n`?
    fn has(&self, n: usize) -> bool {
        n > self.base
            && (n - self.base).is_multiple_of(self.distance)
            && (n - self.base) / self.distance <= self.states.len()
    }
}

/// A run that is made again: steps, turns of angles, the last record with its branches.
struct Again {
    chain: Chain,
    turns: Turns,
    x: Vec<f64>,
    branches: Vec<f64>,
    next: Vec<f64>,
}

impl Again {
    /// Memory.
    fn new(store: &Store) -> Result<Self, StepError> {
        let sys = store.recipe.system();
        let turns = Turns::new(sys, &store.p, 0.0, &vec![0.0; sys.dims().angles]);
        let x = vec![0.0; store.len];
        let branches = vec![0.0; store.width - store.len];
        Ok(Self { chain: store.recipe.chain(&store.p)?, turns, next: x.clone(), x, branches })
    }
    /// Goes to a record with its branches, after which steps remember that.
    fn begin(
        &mut self,
        run: &Trajectory,
        n: usize,
        numbers: &[f64],
        state: &Arc<Snapshot>,
    ) -> Result<(), StepError> {
        let (x, branches) = numbers.split_at(self.x.len());
        self.x.copy_from_slice(x);
        self.branches.copy_from_slice(branches);
        self.chain.go_back(state)?;
        self.turns.set(branches);
        self.turn(run, n)
    }
    /// The references after record `n`, which was made last.
    fn turn(&mut self, run: &Trajectory, n: usize) -> Result<(), StepError> {
        let (t, h) = if n == 0 { (run.plan.t[0], 0.0) } else { (run.plan.t[n - 1], run.plan.h[n - 1]) };
        let span = Span { t, h };
        self.turns.look(span, &run.layout.node(span.end(), &self.x))?;
        self.turns.follow();
        Ok(())
    }
    /// Makes record `n` from the one before; says what steps remember after it.
    fn step(&mut self, run: &Trajectory, n: usize) -> Result<Arc<Snapshot>, StepError> {
        let plan = &run.plan;
        // sides of the plan, and angles that an event gives
        if let Some(sides) = &plan.sides {
            let sides = sides.list(n);
            sides.iter().enumerate().for_each(|(k, bits)| {
                self.turns.set_side(sides.len(), k, f64::from_bits(*bits));
            });
        }
        if plan.given_by[n].is_some() {
            let frozen = plan.frozen_with(n, &self.branches, &self.branches);
            let t = plan.t[n - 1] + plan.h[n - 1];
            if let Some(placed) = self.chain.place(t, frozen, &self.x)? {
                self.turns.place(t, &placed.angles);
            }
        }
        // the record
        self.next.fill(0.0);
        let branches = [self.turns.references(), &self.branches[..]];
        self.chain.recall(n, plan, branches, &self.x, &mut self.next)?;
        let state = self.chain.keep()?.clone();
        std::mem::swap(&mut self.x, &mut self.next);
        self.branches.copy_from_slice(self.turns.references());
        self.turn(run, n)?;
        Ok(state)
    }
    /// Writes the last record and its branches.
    fn write(&self, to: &mut [f64]) {
        let (x, branches) = to.split_at_mut(self.x.len());
        x.copy_from_slice(&self.x);
        branches.copy_from_slice(&self.branches);
    }
    /// Is the last record the same, bit by bit?
    fn is(&self, numbers: &[f64]) -> bool {
        let own = self.x.iter().chain(&self.branches);
        numbers.iter().zip(own).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}
