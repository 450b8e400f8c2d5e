//! The records of a run and the plan that produced them.

use crate::control::Mesh;
use crate::error::StepError;
use crate::plan::{Changes, Plan, Statistics, bits};
use crate::record::{Layout, Span};
use crate::step::{Snapshot, StepArgs, StepRecipe};
use crate::store::{Budget, Store};
use crate::turns::standing;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Numbers of every step: t, h and the reach of its independent coordinates in the plan, and one for those
/// who look at the run.
const NUMBERS_OF_A_STEP: usize = 4;

/// Records, and the plan that produced them.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Plan that every derivative replays.
    pub plan: Plan,
    /// Where things are in a record.
    pub layout: Layout,
    /// All records, one after the other; in a run with a memory budget the last ones.
    pub x: Vec<f64>,
    /// Counts of the run.
    pub statistics: Statistics,
    /// Other records, in a run with a memory budget.
    pub(crate) store: Option<Box<Store>>,
    /// Memory that a run without a budget may take, where it is known [bytes].
    pub(crate) free: Option<usize>,
}

/// Numbers of a record, or what decides its branches: kept by the run, or made again.
#[derive(Clone, Debug)]
pub enum Numbers<'a> {
    /// In the memory of the run.
    Kept(&'a [f64]),
    /// In a piece of the run that was made again.
    Made(Arc<Vec<f64>>, Range<usize>),
}

impl Numbers<'_> {
    /// Some of these numbers.
    pub(crate) fn part(self, part: Range<usize>) -> Self {
        match self {
            Self::Kept(x) => Self::Kept(&x[part]),
            Self::Made(x, all) => Self::Made(x, all.start + part.start..all.start + part.end),
        }
    }
}

impl Deref for Numbers<'_> {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        match self {
            Self::Kept(x) => x,
            Self::Made(x, part) => &x[part.clone()],
        }
    }
}

/// A record with what it follows from, borrowed or made again.
pub struct Link<'a> {
    run: &'a Trajectory,
    n: usize,
    /// Record and branches, of this record and of the one before.
    x: [Numbers<'a>; 2],
    branches: [Numbers<'a>; 2],
}

impl Link<'_> {
    /// The record on slots `p`.
    pub fn args(&self, p: &[f64]) -> StepArgs<'_> {
        let [x, past] = &self.x;
        let plan = &self.run.plan;
        // times that are numbers of the records may have moved from those of the plan
        let span = match self.run.layout.time() {
            Some(time) if self.n > 0 => Span { t: past[time], h: x[time] - past[time] },
            _ => plan.span(self.n, p),
        };
        let frozen = plan.frozen_with(self.n, &self.branches[0], &self.branches[1]);
        StepArgs { span, frozen, x, past }
    }
}

impl Trajectory {
    /// Nothing but room for record 0.
    #[doc(hidden)]
    pub fn start(recipe: &StepRecipe, angles: &[f64], mesh: &Mesh) -> Self {
        let layout = recipe.layout();
        let plan = Plan::start(
            mesh.start.0,
            mesh.start.1,
            &standing(mesh.start.0, angles, layout.sides),
            &vec![u32::MAX; recipe.choices()],
        );
        let plan = Plan { clocked: layout.clock, ..plan };
        let x = vec![0.0; layout.len];
        Self { plan, layout, x, statistics: Statistics::default(), store: None, free: None }
    }
    /// All records of a plan, one after the other.
    pub fn whole(plan: Plan, layout: Layout, x: Vec<f64>, statistics: Statistics) -> Self {
        Self { plan, layout, x, statistics, store: None, free: None }
    }
    /// Refuses to take more memory than is free [bytes].
    #[doc(hidden)]
    pub fn with_free(self, free: Option<usize>) -> Self {
        Self { free, ..self }
    }
    /// Memory of a run of some steps that keeps every record [bytes].
    fn whole_bytes(&self, steps: usize) -> usize {
        (steps + 1) * (self.layout.len + self.plan.branch_count + NUMBERS_OF_A_STEP) * size_of::<f64>()
    }
    /// Room for a first guess of the number of steps; more than fits is an error where the steps are `known`.
    pub(crate) fn make_room(&mut self, steps: usize, known: Option<f64>) -> Result<(), StepError> {
        if let Some(known) = known.map(|steps| steps.round() as usize) {
            match &self.store {
                Some(store) => store.check_steps(known, known * NUMBERS_OF_A_STEP * size_of::<f64>())?,
                None => self.check_free(known)?,
            }
        }
        self.plan.reserve(steps);
        if self.store.is_none() {
            self.x.reserve(steps * self.layout.len);
        }
        Ok(())
    }
    /// Refuses a number of steps whose records do not fit.
    fn check_free(&self, steps: usize) -> Result<(), StepError> {
        let needed = self.whole_bytes(steps);
        match self.free.filter(|free| needed > *free) {
            None => Ok(()),
            Some(free) => {
                let t = self.plan.t[self.plan.steps()];
                Err(StepError::Memory { t, steps, needed, free })
            }
        }
    }
    /// Notes what steps remember after the last record, and takes earlier ones away where there is a budget.
    pub(crate) fn note(&mut self, state: Arc<Snapshot>) -> Result<(), StepError> {
        let Some(store) = &mut self.store else { return self.check_free(self.plan.steps()) };
        store.note(state, self.plan.first, self.plan.steps());
        store.slide(&mut self.plan, &mut self.x)
    }
    /// Keeps some of the records within a budget, and makes the others again: every bit as they were. `p` are
    /// the slots of the run.
    #[doc(hidden)]
    pub fn within(mut self, recipe: &StepRecipe, p: &[f64], budget: Budget) -> Self {
        let sides = &self.plan.branches[self.plan.branches.len() - self.layout.sides..];
        self.plan.sides = Some(Changes::start(&bits(sides)));
        self.store = Some(Box::new(Store::new(recipe, p, &self.plan, budget)));
        self
    }
    /// Are all records in memory?
    pub fn is_whole(&self) -> bool {
        self.store.is_none()
    }
    /// Every how many records one was kept: 1 where all of them are.
    pub fn every(&self) -> usize {
        self.store.as_ref().map_or(1, |store| store.every())
    }
    /// The first record of `x`.
    pub(crate) fn first(&self) -> usize {
        self.plan.first
    }
    /// Where record `n` begins in `x`.
    pub(crate) fn offset(&self, n: usize) -> usize {
        (n - self.first()) * self.layout.len
    }
    /// A record that is in `x`: while a run is on its way, the last two are, and the one that is being made.
    #[doc(hidden)]
    pub fn present(&self, n: usize) -> &[f64] {
        let at = self.offset(n);
        &self.x[at..at + self.layout.len]
    }
    /// The last record of the plan and room for the next one, with the plan.
    pub(crate) fn next(&mut self) -> (&Plan, &[f64], &mut [f64]) {
        let at = self.offset(self.plan.steps());
        let len = self.layout.len;
        self.x.resize(at + 2 * len, 0.0);
        let (done, x) = self.x.split_at_mut(at + len);
        (&self.plan, &done[at..], x)
    }
    /// Takes records after the plan away.
    pub(crate) fn truncate(&mut self) {
        let end = self.offset(self.plan.steps() + 1);
        self.x.truncate(end);
    }
    /// Record `n` of the run.
    pub fn record(&self, n: usize) -> Numbers<'_> {
        match &self.store {
            Some(store) if n < self.first() => store.numbers(self, n).part(0..self.layout.len),
            _ => Numbers::Kept(self.present(n)),
        }
    }
    /// What decides branches in record `n`.
    pub fn branches(&self, n: usize) -> Numbers<'_> {
        match &self.store {
            Some(store) if n < self.first() => {
                let len = self.layout.len;
                store.numbers(self, n).part(len..len + self.plan.branch_count)
            }
            _ => Numbers::Kept(self.plan.branches(n)),
        }
    }
    /// Record `n` with what it follows from.
    pub fn link(&self, n: usize) -> Link<'_> {
        // the record before it first: both are in the piece that it is in, unless this one is kept
        let before = n.saturating_sub(1);
        let past = if n == 0 { Numbers::Kept(&[]) } else { self.record(before) };
        let past_branches = self.branches(before);
        Link { run: self, n, x: [self.record(n), past], branches: [self.branches(n), past_branches] }
    }
    /// Does a condition have another side in the record after `n`?
    pub fn changes_side(&self, n: usize) -> bool {
        let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 0.5);
        match &self.plan.sides {
            None => {
                let [a, b] = [n, n + 1].map(|n| self.layout.sides(self.plan.branches(n)));
                differ(a, b)
            }
            Some(sides) => {
                let [a, b] =
                    [n, n + 1].map(|n| sides.list(n).iter().map(|x| f64::from_bits(*x)).collect::<Vec<_>>());
                differ(&a, &b)
            }
        }
    }
    /// Have two records the same sides of all conditions?
    pub fn has_sides_of(&self, n: usize, other: usize) -> bool {
        match &self.plan.sides {
            None => self.layout.sides(self.plan.branches(n)) == self.layout.sides(self.plan.branches(other)),
            Some(sides) => {
                let pairs = sides.list(n).iter().zip(sides.list(other));
                pairs.into_iter().all(|(a, b)| f64::from_bits(*a) == f64::from_bits(*b))
            }
        }
    }
    /// What went wrong with records that were made again: a record that is not what it was, or a step that
    /// failed. What was computed from them is not to be used.
    pub fn check_made(&self) -> Result<(), StepError> {
        self.store.as_ref().map_or(Ok(()), |store| store.check())
    }
    /// Impulses (Λ, ν) of the event whose velocities record `n` has; zero in others, `None` where no event of
    /// the model changes velocities.
    pub fn impulses(&self, n: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        let first = self.layout.impulse();
        let record = self.record(n);
        let all = &record[first..first + self.layout.impulses];
        let (rows, given) = all.split_at_checked(self.layout.m).filter(|_| !all.is_empty())?;
        Some((rows.to_vec(), given.to_vec()))
    }
    /// The last record.
    pub fn last(&self) -> &[f64] {
        self.present(self.plan.steps())
    }
}
