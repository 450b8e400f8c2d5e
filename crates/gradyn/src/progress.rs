//! How far a run has come, and the clock that says since when.

use std::ops::ControlFlow;
use std::time::Instant;

/// A run on its way, as its observer sees it after each step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time reached [s].
    pub t: f64,
    /// Final time, or the latest one where a condition gives it [s].
    pub t_end: f64,
    /// Number of steps done.
    pub steps: usize,
    /// Seconds since the run was started.
    pub seconds: f64,
}

/// Called after each step; may break the run off.
pub type Observer<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// Seconds since something began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// A clock that begins now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
    /// Seconds since it began.
    pub(crate) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
    /// An observer of steps that tells how far a run to `t_end` [s] has come.
    pub(crate) fn observer(self, t_end: f64, observe: Observer) -> impl FnMut(f64, usize) -> ControlFlow<()> {
        move |t, steps| observe(&Progress { t, t_end, steps, seconds: self.seconds() })
    }
}
