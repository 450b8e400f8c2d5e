//! Some records of a run, and how the others are made again.
//!
//! ```text
//! kept:     records 0, k, 2k …, with what decides their branches and what steps remember             (1)
//! k ← 2k    when  kept + pieces  would not fit                                                       (2)
//! pieces:   L levels of c records, the smallest L with L c in a quarter of the room,
//!           (c + 1)^L ≥ k                                                                            (3)
//! ```
//! A level has records at equal distances from one of the level above it, the last level all of them. A
//! record that is asked for and not there is made from the one before it that is, level by level: the
//! backward sweep of an adjoint, and a look at all records forward, make every record L times. Records that
//! are made up to one that is kept are compared with it, bit by bit.

mod maker;

use crate::error::StepError;
use crate::plan::Plan;
use crate::step::{Snapshot, StepRecipe};
use crate::trajectory::{Numbers, Trajectory};
use maker::Maker;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory for the records of a run, its plan and whatever is kept for the sweep [bytes].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most that they may take.
    pub bytes: usize,
}

/// The last records of a run on its way, of which the earlier half may be taken away.
const WINDOW: usize = 8;

/// A level has at least one record, and more than so many levels are never needed.
const MOST_LEVELS: usize = 40;

/// (1), and the memory of (3).
pub(crate) struct Store {
    recipe: StepRecipe,
    p: Vec<f64>,
    budget: Budget,
    /// Length of a record, and with its branches.
    len: usize,
    width: usize,
    /// k of (1).
    every: usize,
    kept: Vec<Box<[f64]>>,
    /// Room of records that are kept no more.
    spare: Vec<Box<[f64]>>,
    states: Vec<Arc<Snapshot>>,
    /// What steps remember after each record of the window.
    window: VecDeque<Arc<Snapshot>>,
    /// Memory of what steps remember [bytes].
    remembered: usize,
    maker: Mutex<Maker>,
}

impl Clone for Store {
    /// What was made again is not copied.
    fn clone(&self) -> Self {
        Self {
            recipe: self.recipe.clone(),
            p: self.p.clone(),
            budget: self.budget,
            len: self.len,
            width: self.width,
            every: self.every,
            kept: self.kept.clone(),
            spare: vec![],
            states: self.states.clone(),
            window: self.window.clone(),
            remembered: self.remembered,
            maker: Mutex::default(),
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "every {} of {} records kept", self.every, self.states.len())
    }
}

/// c and L of (3) for distance k and room for some records: the fewest levels that fit in it, or else those
/// that need the least.
fn levels(k: usize, room: usize) -> (usize, usize) {
    let least = |levels: usize| {
        let enough =
            |c: usize| (0..levels).try_fold(1usize, |all, _| all.checked_mul(c + 1)).is_none_or(|n| n >= k);
        let root = (k as f64).powf(1.0 / levels as f64) as usize;
        let mut c = root.saturating_sub(1).max(1);
        while !enough(c) {
            c += 1;
        }
        c
    };
    let all = || (1..=MOST_LEVELS).map(|levels| (least(levels), levels));
    let fits = all().find(|(c, levels)| c * levels <= room);
    fits.or_else(|| all().min_by_key(|(c, levels)| c * levels)).unwrap_or((1, 1))
}

impl Store {
    /// Nothing is kept yet.
    pub(crate) fn new(recipe: &StepRecipe, p: &[f64], plan: &Plan, budget: Budget) -> Self {
        let len = recipe.layout().len;
        Self {
            recipe: recipe.clone(),
            p: p.to_vec(),
            budget,
            len,
            width: len + plan.branch_count,
            every: 1,
            kept: vec![],
            spare: vec![],
            states: vec![],
            window: VecDeque::new(),
            remembered: 0,
            maker: Mutex::default(),
        }
    }
    /// k of (1).
    pub(crate) fn every(&self) -> usize {
        self.every
    }
    /// Memory of a record that is kept or made [bytes].
    fn each(&self) -> usize {
        self.width * size_of::<f64>() + size_of::<Box<[f64]>>() + size_of::<Arc<Snapshot>>()
    }
    /// Records for which there is room beside a plan and the window.
    fn room(&self, plan: usize) -> usize {
        (self.budget.bytes.saturating_sub(plan + self.remembered) / self.each()).saturating_sub(WINDOW + 1)
    }
    /// Notes what steps remember after the record that the plan has last.
    pub(crate) fn note(&mut self, state: Arc<Snapshot>, first: usize, n: usize) {
        self.window.truncate(n - first);
        self.remembered = match self.window.back().or(self.states.last()) {
            Some(before) if Arc::ptr_eq(before, &state) => self.remembered,
            _ => self.remembered + state.bytes(),
        };
        self.window.push_back(state);
    }
    /// Takes the earlier half of the last records away where there are enough of them.
    pub(crate) fn slide(&mut self, plan: &mut Plan, x: &mut Vec<f64>) -> Result<(), StepError> {
        if x.len() / self.len < WINDOW {
            return Ok(());
        }
        let count = WINDOW / 2;
        let each = plan.branch_count;
        let size = plan.bytes();
        for k in 0..count {
            let record = &x[k * self.len..(k + 1) * self.len];
            self.keep(plan.first + k, record, &plan.branches[k * each..(k + 1) * each], size)?;
        }
        x.drain(..count * self.len);
        plan.branches.drain(..count * each);
        plan.first += count;
        Ok(())
    }
    /// Keeps a record, if it is one of (1), that leaves the window.
    fn keep(&mut self, n: usize, x: &[f64], branches: &[f64], plan: usize) -> Result<(), StepError> {
        let state = self.window.pop_front();
        if !n.is_multiple_of(self.every) {
            return Ok(());
        }
        // (2)
        while !self.fits(self.states.len() + 1, plan) {
            if self.states.len() < 2 {
                return Err(self.too_small(n, plan));
            }
            self.thin();
        }
        if n.is_multiple_of(self.every) {
            // records that are kept no more give their room to what steps remember after the others
            let room = self.room(plan);
            let (c, levels) = levels(self.every, room / 4);
            self.spare.truncate(room.saturating_sub(self.kept.len() + c * levels));
            // one piece of memory each: a list that grows would leave holes behind
            let mut record = self.spare.pop().unwrap_or_else(|| vec![0.0; self.width].into());
            let (own, sides) = record.split_at_mut(self.len);
            own.copy_from_slice(x);
            sides.copy_from_slice(branches);
            self.kept.push(record);
            self.states.extend(state);
        }
        Ok(())
    }
    /// Do so many records that are kept fit, with their pieces?
    fn fits(&self, kept: usize, plan: usize) -> bool {
        let room = self.room(plan);
        let (c, levels) = levels(self.every, room / 4);
        kept + c * levels <= room
    }
    /// Keeps every second one of those that are kept.
    fn thin(&mut self) {
        self.every *= 2;
        for (k, record) in std::mem::take(&mut self.kept).into_iter().enumerate() {
            let list = if k.is_multiple_of(2) { &mut self.kept } else { &mut self.spare };
            list.push(record);
        }
        let mut number = 0;
        self.states.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        // what steps remember that is not shared
        let mut all = 0;
        let mut last: Option<&Arc<Snapshot>> = None;
        for state in self.states.iter().chain(&self.window) {
            if last.is_none_or(|last| !Arc::ptr_eq(last, state)) {
                all += state.bytes();
            }
            last = Some(state);
        }
        self.remembered = all;
    }
    /// The error of a budget in which not even two records fit.
    fn too_small(&self, n: usize, plan: usize) -> StepError {
        let needed = least_records(n) * self.each() + plan + self.remembered;
        StepError::Budget { needed, budget: self.budget.bytes, steps: n }
    }
    /// Refuses a budget that is too small for a run of some steps with that plan [bytes].
    pub(crate) fn check_steps(&self, steps: usize, plan: usize) -> Result<(), StepError> {
        let needed = least_records(steps) * self.each() + plan;
        match needed <= self.budget.bytes {
            true => Ok(()),
            false => Err(StepError::Budget { needed, budget: self.budget.bytes, steps }),
        }
    }
    /// Record `n` and its branches, which is not in the window of its run.
    pub(crate) fn numbers<'a>(&'a self, run: &Trajectory, n: usize) -> Numbers<'a> {
        if n.is_multiple_of(self.every) {
            return Numbers::Kept(&self.kept[n / self.every]);
        }
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        let (data, at) = maker.find(self, run, n);
        Numbers::Made(data, at..at + self.width)
    }
    /// What went wrong.
    pub(crate) fn check(&self) -> Result<(), StepError> {
        let maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        maker.failed.clone().map_or(Ok(()), Err)
    }
}

/// The fewest records with which a run of some steps can be made again: two levels of one kept record and
/// the pieces of (3).
fn least_records(steps: usize) -> usize {
    let with = |k: usize| {
        let (c, levels) = levels(k, 0);
        steps / k + 2 + c * levels
    };
    let all = (0..usize::BITS - 1).map(|j| 1 << j).take_while(|k| k / 2 <= steps.max(1));
    all.map(with).min().unwrap_or(2) + WINDOW + 1
}
