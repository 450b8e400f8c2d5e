//! The plan: what the forward run decided and every derivative mode replays.
//!
//! Step sizes, the ends of steps that are declared times (breaks, final time), the references of the angle
//! branches and the choices of the step: independent coordinates, order, projections, and which rows of
//! redundant constraints it has. Only declared times move with the parameters: each moves the step that ends
//! there and the one that starts there,
//!
//! ```text
//! t_n(ρ) = declared time, or constant;   h_n(ρ) = h_n + (t_n(ρ) - t_n) - (t_{n-1}(ρ) - t_{n-1})          (1)
//! ```
//! The derivative of the step controller is deliberately not taken.

mod changes;

pub use changes::Changes;

use crate::error::StepError;
use crate::record::{Report, Span};
use gradyn_model::RowChoice;
use gradyn_num::ProgramScalar;

/// Changes of data that seldom change, for which there is room from the start.
const FEW_CHANGES: usize = 64;

/// What the forward run decided for one record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frozen<'a> {
    /// What decides branches: references of the angles, then sides of conditions.
    pub branches: &'a [f64],
    /// What decided branches for the record before.
    pub past_branches: &'a [f64],
    /// Choices of the step.
    pub choice: &'a [u32],
    /// Choice of rows, if it is not that of the system.
    pub rows: Option<&'a RowChoice>,
    /// Sizes of the steps before this one, the last one last.
    pub before: &'a [f64],
    /// Where the time of the record comes from.
    pub clock: ClockRow,
    /// Is it a restart at the time of the record before?
    pub restart: bool,
    /// The event whose velocities, and positions where it gives them, a restart has.
    pub event: Option<u32>,
    /// Does the record before have a time that moves?
    pub past_moves: bool,
}

/// Where the time of a record comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockRow {
    /// It is a number of the plan.
    #[default]
    Fixed,
    /// It is a declared time: a slot.
    Declared(u32),
    /// It is when a condition changes its side.
    Event(u32),
    /// It is the time of the record before.
    Past,
}

/// What was decided for a step that is not in the plan yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided<'a> {
    /// What decides branches: references of the angles, then sides of conditions.
    pub branches: &'a [f64],
    /// Choices of the step.
    pub choice: &'a [u32],
    /// Number of its choice of rows.
    pub rows: u32,
}

/// Node times and sizes of the steps, angle references, choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Node times t_0 … t_N [s].
    pub t: Vec<f64>,
    /// Step sizes h_1 … h_N [s].
    pub h: Vec<f64>,
    /// Slot of the declared time at each node, if it is one.
    pub declared: Changes<Option<u32>>,
    /// Condition whose change is the node, if its time follows from that.
    pub edges: Changes<Option<u32>>,
    /// Is the record a restart at the time of the one before?
    pub restarts: Changes<bool>,
    /// The event whose velocities the record has, and positions where it gives them, if it is a restart
    /// after one.
    pub given_by: Changes<Option<u32>>,
    /// Events that happened, in their order: (record, number of the event).
    pub happened: Vec<(usize, u32)>,
    /// Are the times of events numbers of the records?
    pub clocked: bool,
    /// What decides branches, for each record from `first` on.
    pub branches: Vec<f64>,
    /// Numbers of `branches` per record.
    pub branch_count: usize,
    /// The first record that `branches` has: 0, unless the run has a memory budget.
    pub(crate) first: usize,
    /// Bits of the sides of conditions in each record, where the run has a memory budget.
    pub(crate) sides: Option<Changes<u64>>,
    /// Choices of the steps for each record.
    pub choices: Changes<u32>,
    /// Choices per record.
    pub choice_count: usize,
    /// The largest entry of R in each step of the run; 0 without independent coordinates, and where it says
    /// nothing.
    pub reach: Vec<f64>,
    /// Choices of rows besides that of the system.
    pub row_choices: Vec<RowChoice>,
    /// Choice of rows of each record: 0 is that of the system, the others follow.
    pub rows: Changes<u32>,
}

impl Plan {
    /// Only record 0.
    pub(crate) fn start(t: f64, declared: Option<u32>, branches: &[f64], choice: &[u32]) -> Self {
        Self {
            t: vec![t],
            h: vec![],
            declared: Changes::start(&[declared]),
            edges: Changes::start(&[None]),
            restarts: Changes::start(&[false]),
            given_by: Changes::start(&[None]),
            happened: vec![],
            clocked: false,
            branches: branches.to_vec(),
            branch_count: branches.len(),
            first: 0,
            sides: None,
            choices: Changes::start(choice),
            choice_count: choice.len(),
            reach: vec![0.0],
            row_choices: vec![],
            rows: Changes::start(&[0]),
        }
    }
    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.h.len()
    }
    /// What decides branches in record `n`; in a run with a memory budget, of its last records only.
    pub(crate) fn branches(&self, n: usize) -> &[f64] {
        let n = n - self.first;
        &self.branches[n * self.branch_count..(n + 1) * self.branch_count]
    }
    /// Other branches of record 0.
    pub(crate) fn begin_with(&mut self, branches: &[f64]) {
        self.branches_mut(0).copy_from_slice(branches);
        if let Some(sides) = &mut self.sides {
            sides.set(0, &bits(&branches[branches.len() - sides.width()..]));
        }
    }
    /// What decides branches in record `n`, to change them.
    pub(crate) fn branches_mut(&mut self, n: usize) -> &mut [f64] {
        let n = n - self.first;
        &mut self.branches[n * self.branch_count..(n + 1) * self.branch_count]
    }
    /// Choices of the step that ends in record `n`.
    pub fn choice(&self, n: usize) -> &[u32] {
        self.choices.list(n)
    }
    /// Choice of rows of record `n`, if it is not that of the system.
    pub fn rows(&self, n: usize) -> Option<&RowChoice> {
        self.row_choice(self.rows[n])
    }
    /// A choice of rows by its number, if it is not that of the system.
    pub(crate) fn row_choice(&self, number: u32) -> Option<&RowChoice> {
        number.checked_sub(1).map(|k| &self.row_choices[k as usize])
    }
    /// The first record whose rows are not those of the one before.
    pub fn changes_rows(&self) -> Option<usize> {
        self.rows.starts().nth(1)
    }
    /// Everything that was decided for record `n`; in a run with a memory budget, of its last records only.
    #[doc(hidden)]
    pub fn frozen(&self, n: usize) -> Frozen<'_> {
        self.frozen_with(n, self.branches(n), self.branches(n.saturating_sub(1)))
    }
    /// Everything that was decided for record `n`, with its branches and those of the record before.
    pub(crate) fn frozen_with<'a>(
        &'a self,
        n: usize,
        branches: &'a [f64],
        past_branches: &'a [f64],
    ) -> Frozen<'a> {
        let clock = match (self.edges[n], self.restarts[n], self.declared[n]) {
            (Some(side), ..) => ClockRow::Event(side),
            (None, true, _) if self.h[n - 1] == 0.0 => ClockRow::Past,
            (None, true, _) => ClockRow::Fixed,
            (None, false, Some(slot)) => ClockRow::Declared(slot),
            (None, false, None) => ClockRow::Fixed,
        };
        let past_moves = n > 0 && self.has_moving_time(n - 1);
        Frozen {
            branches,
            past_branches,
            choice: self.choice(n),
            rows: self.rows(n),
            before: &self.h[..n.saturating_sub(1)],
            clock,
            restart: self.restarts[n],
            event: self.given_by[n],
            past_moves,
        }
    }
    /// Appends a step.
    pub(crate) fn push(&mut self, h: f64, t: f64, declared: Option<u32>, decided: Decided) {
        self.push_record(h, t, (declared, false, None), decided);
    }
    /// Appends a record: its declared time, whether it is a restart, and the event that gives its velocities.
    fn push_record(
        &mut self,
        h: f64,
        t: f64,
        (declared, restart, event): (Option<u32>, bool, Option<u32>),
        Decided { branches, choice, rows }: Decided,
    ) {
        self.t.push(t);
        self.h.push(h);
        self.declared.push(&[declared]);
        self.edges.push(&[None]);
        self.restarts.push(&[restart]);
        self.given_by.push(&[event]);
        self.rows.push(&[rows]);
        self.branches.extend_from_slice(branches);
        if let Some(sides) = &mut self.sides {
            sides.push(&bits(&branches[branches.len() - sides.width()..]));
        }
        self.choices.push(choice);
        self.reach.push(0.0);
    }
    /// Takes the last step away.
    pub(crate) fn pop(&mut self) {
        self.t.pop();
        self.h.pop();
        self.declared.pop();
        self.edges.pop();
        self.restarts.pop();
        self.given_by.pop();
        self.rows.pop();
        self.branches.truncate(self.branches.len() - self.branch_count);
        if let Some(sides) = &mut self.sides {
            sides.pop();
        }
        self.choices.pop();
        self.reach.pop();
    }
    /// The independent coordinates of the last step have the largest entry `reach` of R.
    pub(crate) fn mark_reach(&mut self, reach: f64) {
        let n = self.steps();
        self.reach[n] = reach;
    }
    /// Room for some steps, so that pushing does not allocate.
    pub(crate) fn reserve(&mut self, steps: usize) {
        self.t.reserve(steps);
        self.h.reserve(steps);
        self.reach.reserve(steps);
        // what is kept by its changes, and in a run with a budget the branches of its last records
        let few = steps.min(FEW_CHANGES);
        self.declared.reserve(few);
        self.edges.reserve(few);
        self.restarts.reserve(few);
        self.given_by.reserve(few);
        self.rows.reserve(few);
        self.choices.reserve(if self.sides.is_none() { steps } else { few });
        if self.sides.is_none() {
            self.branches.reserve(steps * self.branch_count);
        }
    }
    /// Memory that it takes [bytes], without branches, and with a number of each step for those who look at
    /// the run.
    pub(crate) fn bytes(&self) -> usize {
        let each = [&self.t, &self.h, &self.reach, &self.t].map(|list| size_of_val(&**list));
        let marks =
            self.declared.bytes() + self.edges.bytes() + self.given_by.bytes() + self.restarts.bytes();
        let sides = self.sides.as_ref().map_or(0, Changes::bytes);
        each.iter().sum::<usize>() + marks + sides + self.rows.bytes() + self.choices.bytes()
    }
    /// Time of node `n` on slots `p`.
    pub fn node<S: ProgramScalar>(&self, n: usize, p: &[S]) -> S {
        self.declared[n].map_or(S::from(self.t[n]), |slot| p[slot as usize])
    }
    /// Step that ends in record `n` on slots `p`, (1).
    #[doc(hidden)]
    pub fn span<S: ProgramScalar>(&self, n: usize, p: &[S]) -> Span<S> {
        if n == 0 {
            return Span { t: self.node(0, p), h: S::zero() };
        }
        let moved = |n: usize| self.node(n, p) - S::from(self.t[n]);
        Span { t: self.node(n - 1, p), h: S::from(self.h[n - 1]) + (moved(n) - moved(n - 1)) }
    }
    /// Step that ends in record `n` on slots `p`, where times are numbers of the records from the one that
    /// the record before has; of an event as in the plan.
    pub(crate) fn span_after(&self, n: usize, p: &[f64], past: Option<f64>) -> Result<Span<f64>, StepError> {
        let (Some(t), true) = (past, self.clocked) else { return Ok(self.span(n, p)) };
        if self.restarts[n] {
            return Ok(Span { t, h: if self.h[n - 1] == 0.0 { 0.0 } else { self.t[n] - t } });
        }
        let h = match self.edges[n] {
            Some(_) => self.h[n - 1],
            None => self.node(n, p) - t,
        };
        let from = self.h[n - 1];
        if (h - from).abs() > 0.5 * from {
            return Err(StepError::Moved { t, from, to: h });
        }
        Ok(Span { t, h })
    }
    /// A step that slots `p` change by more than half: declared times move too far for this plan.
    pub fn overtaken(&self, p: &[f64]) -> Option<usize> {
        (1..=self.steps())
            .filter(|&n| self.touches_declared(n) && !self.restarts[n])
            .find(|&n| (self.span(n, p).h - self.h[n - 1]).abs() > 0.5 * self.h[n - 1])
    }
    /// Does the step that ends in record `n` touch a declared time that is no number of the records?
    pub fn moves(&self, n: usize) -> bool {
        !self.clocked && self.touches_declared(n)
    }
    /// Does the step that ends in record `n` touch a declared time?
    fn touches_declared(&self, n: usize) -> bool {
        self.declared[n].is_some() || (n > 0 && self.declared[n - 1].is_some())
    }
    /// Has record `n` a time that moves with parameters?
    fn has_moving_time(&self, n: usize) -> bool {
        self.declared[n].is_some()
            || self.edges[n].is_some()
            || (self.restarts[n] && self.h[n - 1] == 0.0 && self.has_moving_time(n - 1))
    }
    /// The last record is where a condition changes its side, and its time follows from that.
    pub(crate) fn mark_event(&mut self, side: u32) {
        let n = self.steps();
        self.edges.set(n, &[Some(side)]);
    }
    /// Some events happen in the last record.
    pub(crate) fn note_events(&mut self, events: &[u32]) {
        let n = self.steps();
        self.happened.extend(events.iter().map(|&e| (n, e)));
    }
    /// Appends a restart h after the last node, with the velocities and positions that an event gives.
    pub(crate) fn push_restart(&mut self, h: f64, event: Option<u32>, decided: Decided) {
        let n = self.steps();
        let declared = if h == 0.0 { self.declared[n] } else { None };
        self.push_record(h, self.t[n] + h, (declared, true, event), decided);
    }
}

/// Bits of some sides: one that is unknown, NaN, is equal to itself.
pub(crate) fn bits(sides: &[f64]) -> Vec<u64> {
    sides.iter().map(|side| side.to_bits()).collect()
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Newton iterations, or evaluations.
    pub iterations: usize,
    /// Factorisations.
    pub factorizations: usize,
    /// Accepted steps whose size stability limited, not accuracy.
    pub limited: usize,
    /// Most iterations of a step, and the step.
    pub slowest: (usize, usize),
    /// Steps of `ali3p` whose projection was an impact.
    pub impacts: usize,
    /// The largest of these changes, relative to the fastest velocity, and the step.
    pub hardest: (f64, usize),
}

impl Statistics {
    /// Counts step `n`.
    pub(crate) fn count(&mut self, n: usize, report: &Report) {
        self.iterations += report.iterations;
        self.factorizations += report.factorizations;
        if report.iterations > self.slowest.0 {
            self.slowest = (report.iterations, n);
        }
    }
    /// Did stability limit most steps of a long run?
    pub fn is_stiff(&self) -> bool {
        self.steps >= 50 && 2 * self.limited > self.steps
    }
}
