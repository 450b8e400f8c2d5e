//! The records of a run and the plan that produced them.

use crate::control::Mesh;
use crate::plan::{Plan, Statistics};
use crate::record::{Layout, Span};
use crate::step::{StepArgs, StepRecipe};
use crate::turns::standing;

/// Records in one arena, and the plan that produced them.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Plan that every derivative replays.
    pub plan: Plan,
    /// Where things are in a record.
    pub layout: Layout,
    /// All records, one after the other.
    pub x: Vec<f64>,
    /// Counts of the run.
    pub statistics: Statistics,
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
        Self { plan, layout, x: vec![0.0; layout.len], statistics: Statistics::default() }
    }
    /// Record `n` of the run.
    pub fn record(&self, n: usize) -> &[f64] {
        &self.x[n * self.layout.len..(n + 1) * self.layout.len]
    }
    /// The record before `n`; record 0 has none, and this is empty.
    pub fn past(&self, n: usize) -> &[f64] {
        if n == 0 { &[] } else { self.record(n - 1) }
    }
    /// Record `n` with what it follows from, on slots `p`.
    #[doc(hidden)]
    pub fn args(&self, n: usize, p: &[f64]) -> StepArgs<'_> {
        // times that are numbers of the records may have moved from those of the plan
        let span = match (self.layout.time(), self.past(n)) {
            (Some(time), past) if !past.is_empty() => {
                Span { t: past[time], h: self.record(n)[time] - past[time] }
            }
            _ => self.plan.span(n, p),
        };
        StepArgs { span, frozen: self.plan.frozen(n), x: self.record(n), past: self.past(n) }
    }
    /// Impulses (Λ, ν) of the event whose velocities record `n` has; zero in others, `None` where no event of
    /// the model changes velocities.
    pub fn impulses(&self, n: usize) -> Option<(&[f64], &[f64])> {
        let first = self.layout.impulse();
        let all = &self.record(n)[first..first + self.layout.impulses];
        all.split_at_checked(self.layout.m).filter(|_| !all.is_empty())
    }
    /// The last record.
    pub fn last(&self) -> &[f64] {
        self.record(self.plan.steps())
    }
}
