//! A progress bar that appears only when a run takes a while and somebody is watching.

use crate::escape::escaped;
use gradyn::optimize::{End, Told};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shows how far a run has come.
pub(crate) struct Progress {
    started: Instant,
    range: (f64, f64),
    bar: Option<ProgressBar>,
    on: bool,
}

impl Progress {
    /// For a run between two times.
    pub(crate) fn new(start: f64, end: f64, quiet: bool) -> Self {
        Self {
            started: Instant::now(),
            range: (start, end),
            bar: None,
            on: !quiet && std::io::stderr().is_terminal(),
        }
    }
    /// Tells the bar how far the run has come after a step.
    pub(crate) fn at(&mut self, t: f64, steps: usize) {
        if steps.is_multiple_of(64) {
            let (a, b) = self.range;
            self.show((t - a) / (b - a), || format!("t = {t:.4} s, {steps} steps"));
        }
    }
    /// Before one of many parts.
    pub(crate) fn part(&mut self, done: usize, total: usize, name: &str) {
        self.show(done as f64 / total.max(1) as f64, || format!("{done} of {total}: {name}"));
    }
    /// After one of at most so many evaluations of one start, or of many starts.
    pub(crate) fn evaluation(&mut self, told: &Told, most: usize, starts: Option<usize>) {
        let End { iterations, value, optimality, evaluations, .. } = told.now;
        let now = || {
            format!(
                "iteration {iterations}, ψ = {value:.9}, |g| = {optimality:.1e}, {evaluations} evaluations"
            )
        };
        match starts {
            None => self.show(*evaluations as f64 / most as f64, now),
            Some(all) => self.show(told.ended as f64 / all as f64, || {
                format!("{} of {all} starts ended, {}", told.ended, now())
            }),
        }
    }
    fn show(&mut self, part: f64, message: impl Fn() -> String) {
        if !self.on || self.started.elapsed() < Duration::from_millis(500) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{elapsed} {wide_bar} {percent}% {msg}")
                .unwrap_or(ProgressStyle::default_bar());
            ProgressBar::new(1000).with_style(style)
        });
        bar.set_position((1000.0 * part) as u64);
        bar.set_message(escaped(&message()));
    }
    /// Takes the bar away at the end.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
