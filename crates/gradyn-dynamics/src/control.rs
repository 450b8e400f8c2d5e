//! The mesh of a run and the choice of step sizes.
//!
//! ```text
//! h ← h · clamp(0.9 e^{-1/p}, 0.2, 5)          e the error relative to the tolerance, h^p its order      (1)
//! ```
//! [Hairer, Nørsett & Wanner I, Eq. II.4.13]. An adaptive run of n steps gives up when its last w = max(10⁴,
//! n/2) steps went so slowly that the rest would take far more than the largest number N of steps,
//!
//! ```text
//! (t_end - t_n) w/(t_n - t_{n-w}) > 10⁷/n · N                                                         (2)
//! ```
//! Fixed steps end on every declared time and knot with one or two shorter steps,
//! never with a sliver. They end on samples too, but nothing begins anew there: a sample is no break. After
//! one, steps have the size from before they were cut; schemes with a memory take the cut step into account.

use crate::error::StepError;
use crate::plan::Statistics;
use crate::record::Tolerance;

/// Times at which steps must end: (time, slot of a declared time).
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Start time [s], and its slot where it is declared.
    pub start: (f64, Option<u32>),
    /// Ends of the smooth pieces, increasing; the last is the final time.
    pub ends: Vec<(f64, Option<u32>)>,
    /// Other times at which steps end [s], increasing, inside the pieces.
    samples: Vec<f64>,
}

/// Times nearer to each other than this, relative to the length of the run, are one.
pub(crate) const SAME_TIME: f64 = 1e-12;

/// Samples nearer to each other or to another node than this, relative to the length of the run, are refused:
/// λ and a that follow from positions have roundings over h², and would spoil what is integrated too.
const LEAST_DISTANCE: f64 = 5e-6;

impl Mesh {
    /// Sorts declared times and knots; the final time is the last.
    pub fn new(
        start: (f64, Option<u32>),
        declared: &[(f64, u32)],
        knots: &[f64],
        end: (f64, Option<u32>),
    ) -> Result<Self, StepError> {
        if end.0 <= start.0 || !end.0.is_finite() || !start.0.is_finite() {
            return Err(StepError::Backward { start: start.0, end: end.0 });
        }
        if let Some((t, _)) = declared.iter().find(|d| !d.0.is_finite()) {
            return Err(StepError::Times(format!("a break time is {t}")));
        }
        let inside = |t: f64| t > start.0 && t < end.0;
        let mut ends: Vec<(f64, Option<u32>)> =
            declared.iter().filter(|d| inside(d.0)).map(|&(t, s)| (t, Some(s))).collect();
        ends.extend(knots.iter().filter(|t| inside(**t)).map(|&t| (t, None)));
        ends.push(end);
        // declared times first among equals, and no sliver between a knot and its neighbour
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.is_some().cmp(&a.1.is_some())));
        let tiny = SAME_TIME * (end.0 - start.0);
        let mut kept: Vec<(f64, Option<u32>)> = vec![];
        for e in ends {
            match kept.last_mut() {
                Some(last) if e.0 - last.0 <= tiny => {
                    if e.0 == end.0 || (last.1.is_none() && e.1.is_some()) {
                        *last = if e.0 == end.0 { end } else { e };
                    }
                }
                _ if e.0 - start.0 <= tiny => {}
                _ => kept.push(e),
            }
        }
        Ok(Self { start, ends: kept, samples: vec![] })
    }
    /// Ends steps at samples [s] too, in any order. One that is not between start and end is an error, and so
    /// is one that is next to another node without being the same.
    pub fn with_samples(mut self, times: &[f64]) -> Result<Self, StepError> {
        let start = self.start.0;
        let end = self.end();
        let tiny = SAME_TIME * (end - start);
        if let Some(t) = times.iter().find(|t| !(start - tiny..=end + tiny).contains(*t)) {
            let text = format!("sample t = {t} s is outside the run from {start} s to {end} s");
            return Err(StepError::Times(text));
        }
        // times that are no node yet, each once
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        for t in sorted {
            let next = self.ends.partition_point(|e| e.0 < t - tiny);
            let is_end = self.ends.get(next).is_some_and(|e| e.0 <= t + tiny);
            let last = self.samples.last().copied().unwrap_or(start);
            if !is_end && t - last > tiny {
                self.samples.push(t);
            }
        }
        self.check_distances()?;
        Ok(self)
    }
    /// Refuses samples that leave a sliver between them and a neighbour.
    fn check_distances(&self) -> Result<(), StepError> {
        let least = LEAST_DISTANCE * (self.end() - self.start.0);
        let ends = self.ends.iter().map(|e| (e.0, false));
        let samples = self.samples.iter().map(|t| (*t, true));
        let mut nodes: Vec<(f64, bool)> = ends.chain(samples).chain([(self.start.0, false)]).collect();
        nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let close = |w: &&[(f64, bool)]| (w[0].1 || w[1].1) && w[1].0 - w[0].0 < least;
        let Some(&[a, b]) = nodes.windows(2).find(close) else { return Ok(()) };
        let (sample, other) = if b.1 { (b.0, a.0) } else { (a.0, b.0) };
        let text = format!(
            "sample t = {sample} s is {:.1e} s from t = {other} s, where a step ends too; keep {least:.1e} s \
             between them, or give the same time",
            b.0 - a.0
        );
        Err(StepError::Times(text))
    }
    /// Record of a sample [s] in a run over nodes `t` [s]; `None` where the run ended before it.
    pub fn sample_record(&self, sample: f64, t: &[f64]) -> Option<usize> {
        let tiny = SAME_TIME * (self.end() - self.start.0);
        let n = t.partition_point(|t| *t < sample - tiny);
        t.get(n).filter(|t| **t <= sample + tiny).map(|_| n)
    }
    /// The next time after t at which a step ends [s]: a sample, or the `end` of the piece.
    pub(crate) fn target(&self, t: f64, end: f64) -> f64 {
        let next = self.samples.partition_point(|sample| *sample <= t);
        self.samples.get(next).map_or(end, |sample| sample.min(end))
    }
    /// Final time of the mesh [s].
    pub fn end(&self) -> f64 {
        self.ends.last().map_or(self.start.0, |e| e.0)
    }
}

/// Fixed steps, or steps from an error estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controller {
    /// Fixed step, or first step of an adaptive run [s].
    pub step: Option<f64>,
    /// Tolerances; `None` for fixed steps.
    pub tolerance: Option<Tolerance>,
    /// Largest number of steps.
    pub max_steps: usize,
    /// Largest step of an adaptive run [s].
    pub max_step: f64,
}

impl Controller {
    /// Fixed steps of a size [s].
    pub fn fixed(step: f64) -> Self {
        Self { step: Some(step), tolerance: None, max_steps: 100_000_000, max_step: f64::INFINITY }
    }
    /// Adaptive steps.
    pub fn adaptive(rtol: f64, atol: f64) -> Self {
        Self {
            step: None,
            tolerance: Some(Tolerance { rtol, atol }),
            max_steps: 10_000_000,
            max_step: f64::INFINITY,
        }
    }
    /// The next step from t: its size, and whether it arrives at `end`.
    pub(crate) fn clip(&self, t: f64, h: f64, end: f64) -> (f64, bool) {
        let h = if self.tolerance.is_some() { h.min(self.max_step) } else { h };
        let rest = end - t;
        let slack = if self.tolerance.is_some() { 1e-4 } else { 1e-6 };
        match rest {
            r if r <= h * (1.0 + slack) => (r, true),
            // two equal steps rather than a full one and a sliver
            r if r < h * if self.tolerance.is_some() { 2.0 } else { 1.5 } => (0.5 * r, false),
            _ => (h, false),
        }
    }
    /// The next step size after a step on the way to a sample, which may have been cut from `free` to `size`:
    /// a step that need not become shorter goes on with the size before the cut; h is what its error
    /// proposes.
    pub(crate) fn resume(&self, h: f64, size: f64, free: f64) -> f64 {
        if self.tolerance.is_some() && h >= size { h.max(free) } else { h }
    }
    /// Size of the step after step `done` of a smooth piece: fixed, with the halvings of its start, or h.
    pub(crate) fn size(&self, done: usize, halvings: u32, h: f64) -> f64 {
        match (self.tolerance, self.step) {
            (None, Some(step)) => step * (grid(done + 1, halvings) - grid(done, halvings)),
            _ => h,
        }
    }
    /// Time after step `done` of a smooth piece, whose last time that had to be a node was `begin`, after
    /// `before` steps. Fixed steps are counted, not summed: summing their rounding would leave a sliver at
    /// the end of a long run.
    pub(crate) fn arrive(
        &self,
        (begin, before): (f64, usize),
        done: usize,
        halvings: u32,
        (t, size): (f64, f64),
        end: Option<f64>,
    ) -> f64 {
        match (end, self.tolerance, self.step) {
            (Some(end), ..) => end,
            (None, None, Some(step)) if size == self.size(done - 1, halvings, size) => {
                begin + step * (grid(done, halvings) - grid(before, halvings))
            }
            (None, ..) => t + size,
        }
    }
    /// Fixed steps from the start to the end of a mesh; `None` where steps are chosen.
    pub(crate) fn fixed_steps(&self, mesh: &Mesh) -> Option<f64> {
        match (self.tolerance, self.step) {
            (None, Some(h)) => Some((mesh.end() - mesh.start.0) / h),
            _ => None,
        }
    }
    /// Step size at the beginning of a smooth piece: h at the end of the one before, or what the scheme asks
    /// for.
    pub(crate) fn begin(&self, first: Option<f64>, h: f64, mesh: &Mesh) -> f64 {
        let total = mesh.end() - mesh.start.0;
        first.map_or(h, |first| first.clamp(1e-9 * total, 0.1 * total))
    }
    /// The factor of the step size after an attempt with that error, (1).
    pub(crate) fn factor(&self, error: f64, order: usize) -> f64 {
        if error == 0.0 { 5.0 } else { (0.9 * error.powf(-1.0 / order as f64)).clamp(0.2, 5.0) }
    }
    /// Smallest sensible step at t.
    pub(crate) fn minimum(&self, t: f64) -> f64 {
        16.0 * f64::EPSILON * t.abs().max(1e-3)
    }
    /// First step of n coordinates at x: as given, or from the size of ẏ and the power of h in the estimate
    /// [Hairer, Nørsett & Wanner I, II.4].
    pub(crate) fn first_step(&self, n: usize, order: usize, x: &[f64], mesh: &Mesh) -> f64 {
        let total = mesh.end() - mesh.start.0;
        if let Some(h) = self.step {
            return h;
        }
        let Some(tol) = self.tolerance else { return 1e-3 * total };
        let mut y = 0.0f64;
        let mut dy = 0.0f64;
        for i in 0..2 * n {
            let scale = tol.atol + tol.rtol * x[i].abs();
            y = y.max(x[i].abs() / scale);
            dy = dy.max(x[n + i].abs() / scale);
        }
        let h = if y < 1e-5 || dy < 1e-5 { 1e-6 } else { 0.01 * y / dy };
        // an error of the order of the tolerance over the first step
        (h * tol.rtol.max(tol.atol).powf(1.0 / order as f64)).clamp(1e-9 * total, 0.1 * total)
    }
    /// Refuses fixed steps that are known to be too many before the first one is taken.
    pub(crate) fn check_expected(&self, mesh: &Mesh) -> Result<(), StepError> {
        let count = self.fixed_steps(mesh).unwrap_or(0.0);
        if count > self.max_steps as f64 {
            let text = format!("{count:.1e} steps would be needed, more than max_steps = {}", self.max_steps);
            return Err(StepError::Times(text));
        }
        Ok(())
    }
    /// How many steps to make room for.
    pub(crate) fn expected_steps(&self, mesh: &Mesh, halvings: u32) -> usize {
        let each = mesh.ends.len() * (1 + halvings as usize) + mesh.samples.len() + 1;
        self.fixed_steps(mesh).map_or(256, |steps| (steps.ceil() as usize).min(1 << 20) + each)
    }
    /// (2), every 10,000 steps; `t` are the nodes so far, `worst` is asked for the name of the coordinate
    /// with the largest error.
    pub(crate) fn check_advance(
        &self,
        t: &[f64],
        mesh: &Mesh,
        worst: impl FnOnce() -> String,
    ) -> Result<(), StepError> {
        const FIRST: usize = 10_000;
        let n = t.len() - 1;
        if self.tolerance.is_none() || n == 0 || !n.is_multiple_of(FIRST) {
            return Ok(());
        }
        // the last w steps, and what the rest would need
        let w = FIRST.max(n / 2);
        let t_n = t[n];
        let advance = t_n - t[n - w];
        let needed = (mesh.end() - t_n) * w as f64 / advance;
        if needed > 1e7 / n as f64 * self.max_steps as f64 {
            return Err(StepError::Stalled { t: t_n, steps: w, advance, needed, worst: worst() });
        }
        Ok(())
    }
    /// An error when the number of steps is used up.
    pub(crate) fn check_count(&self, done: &Statistics, t: f64, mesh: &Mesh) -> Result<(), StepError> {
        let (steps, limited, t_end) = (done.steps, done.limited, mesh.end());
        match steps >= self.max_steps && t < t_end {
            false => Ok(()),
            true if done.is_stiff() => Err(StepError::Stiff { t, steps, limited, t_end }),
            true => Err(StepError::TooManySteps { t, steps, t_end }),
        }
    }
}

/// Time after `done` fixed steps in units of the step, the first one cut into parts 2^{-m}, 2^{-m}, 2^{1-m} …
/// ½ by m halvings.
fn grid(done: usize, halvings: u32) -> f64 {
    match (done, halvings as usize) {
        (0, _) => 0.0,
        (done, m) if done <= m => f64::powi(2.0, done as i32 - 1 - m as i32),
        (done, m) => (done - m) as f64,
    }
}
