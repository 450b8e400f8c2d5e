//! The final time by a condition on the motion.
//!
//! ```text
//! H(t, q, v, a, λ; p) = 0                                                                  (1)  [B92, Eq. 9]
//! ```
//! H is one of the terminal functionals. A run ends where it first changes its sign. Within a step the
//! extremes of the cubic polynomial through (H, Ḣ) of both nodes say where to look; the step that ends there
//! is then solved together with (1),
//!
//! ```text
//! H(x(h)) = 0,   R(x, past, t, h; p) = 0                                                           (2)
//! ```
//! so that the final time is a function of the parameters like any other unknown of the run. A short last
//! step is joined to the one before it, unless that one ended at a declared time.

use crate::error::StepError;
use crate::plan::{Decided, Frozen};
use crate::record::{Layout, Span};
use crate::step::{Chain, StepRecipe};
use crate::trajectory::Trajectory;
use gradyn_model::{Evaluator, FunctionalSet, RowChoice};
use gradyn_num::Wide;

/// An extreme of the cubic polynomial that comes so near to zero, relative to the ends, is looked at.
const NEAR: f64 = 0.1;
/// Iterations of (2).
const MAX_ITERATIONS: usize = 100;
/// A shorter last step, relative to the one before it, is joined to it.
const SLIVER: f64 = 0.1;

/// A run that ends earlier, relative to its latest time, has not begun.
const SHORTEST: f64 = 1e-6;

/// |H| at the start that may be nothing but rounding.
const TINY: f64 = 1e-9;

/// (1) along a run.
pub(crate) struct Event {
    layout: Layout,
    /// Which terminal functional.
    index: usize,
    moving: Evaluator<Wide>,
    x: Vec<Wide>,
    values: Vec<Wide>,
    /// (H, Ḣ) at the last node.
    last: [f64; 2],
    /// Largest |H| at a node.
    largest: f64,
    /// H where it is nearest to zero, and when.
    nearest: (f64, f64),
    start: f64,
    /// Latest final time [s].
    end: f64,
    /// |H| at the start.
    first: f64,
}

impl Event {
    /// Begins at the first record, where (1) must not hold.
    pub(crate) fn new(
        recipe: &StepRecipe,
        p: &[f64],
        index: usize,
        run: &Trajectory,
        end: f64,
    ) -> Result<Self, StepError> {
        let sys = recipe.system();
        let lay = recipe.layout();
        let start = run.plan.t[0];
        let zero = Wide::from(0.0);
        // nothing is measured yet
        let mut event = Self {
            layout: lay,
            index,
            moving: sys.evaluator_with(p),
            x: vec![zero; lay.z()],
            values: vec![zero; lay.o],
            last: [0.0; 2],
            largest: 0.0,
            nearest: (f64::INFINITY, start),
            start,
            end,
            first: 0.0,
        };
        // (H, Ḣ) at the start, which must not be zero
        let [h, rate] = event.measure((start, 0.0), run.plan.branches(0), run.record(0), run.record(0))?;
        if h == 0.0 || h.abs() <= 1e-12 * rate.abs() * (end - start) {
            return Err(StepError::AlreadyMet { t: start, rate });
        }
        event.note(start, [h, rate]);
        event.first = h.abs();
        Ok(event)
    }
    /// (H, Ḣ) at t, a step h after `past`: rates of accelerations and multipliers are those of the step.
    fn measure(
        &mut self,
        (t, h): (f64, f64),
        branches: &[f64],
        x: &[f64],
        past: &[f64],
    ) -> Result<[f64; 2], StepError> {
        let lay = &self.layout;
        let n = lay.n;
        // (q, v, a, λ) with their rates
        for (i, to) in self.x.iter_mut().enumerate() {
            let slope = if h > 0.0 { (x[i] - past[i]) / h } else { 0.0 };
            *to = Wide::along(x[i], if i < 2 * n { x[n + i] } else { slope });
        }
        // H and its rate
        let time = Wide::along(t, 1.0);
        self.moving.set_branches(branches);
        self.moving.at_time(time);
        self.moving.measure(FunctionalSet::Terminal, &lay.node(time, &self.x), &mut self.values);
        let h = self.values[self.index];
        if !h.re.is_finite() {
            return Err(StepError::NotFinite { t, equation: "the condition for the final time".into() });
        }
        Ok([h.re, h.eps[0]])
    }
    fn note(&mut self, t: f64, h: [f64; 2]) {
        self.last = h;
        self.largest = self.largest.max(h[0].abs());
        self.approach(t, h[0]);
    }
    /// Remembers where H is nearest to zero.
    fn approach(&mut self, t: f64, h: f64) {
        if h.abs() < self.nearest.0.abs() {
            self.nearest = (h, t);
        }
    }
    /// Looks at the step of `size` that ends in the record after the plan. Where (1) is met the last record
    /// is that of (2), and its step size is returned. `since` is the number of steps since a time that must
    /// be a node.
    pub(crate) fn ends(
        &mut self,
        run: &mut Trajectory,
        size: f64,
        since: usize,
        decided: Decided,
        chain: &mut Chain,
    ) -> Result<Option<Ending>, StepError> {
        let n = run.plan.steps();
        let t = run.plan.t[n];
        let before = self.last;
        let now = self.measure((t + size, size), decided.branches, run.record(n + 1), run.record(n))?;
        let mut looked = false;
        let cubic = Cubic::new(before, now, size);
        for θ in cubic.candidates() {
            looked = true;
            let mut trial = Trial::new(run, n, decided);
            let high = trial.at(self, θ * size, chain)?;
            if before[0].signum() == high.signum() && high != 0.0 {
                self.approach(t + θ * size, high);
                continue;
            }
            let short = θ * size * before[0] / (before[0] - high) < SLIVER * size && since > 0;
            let joined = if short { self.join(run, before[0], size, chain)? } else { None };
            let ending = match joined {
                Some(ending) => ending,
                None => trial.solve(self, [0.0, θ * size], [before[0], high], chain)?,
            };
            self.check(ending.t)?;
            return Ok(Some(ending));
        }
        if looked {
            // the memory of the step is again that of the accepted one
            Trial::new(run, n, decided).at(self, size, chain)?;
        }
        for θ in cubic.extremes().filter(|θ| !cubic.is_near(*θ)) {
            self.approach(t + θ * size, cubic.at(θ));
        }
        self.note(t + size, now);
        Ok(None)
    }
    /// The last step of the plan and the sliver after it as one step, if that meets (1) too.
    fn join(
        &mut self,
        run: &Trajectory,
        before: f64,
        size: f64,
        chain: &mut Chain,
    ) -> Result<Option<Ending>, StepError> {
        let n = run.plan.steps() - 1;
        let h = run.plan.h[run.plan.steps() - 1];
        let Frozen { branches, choice, .. } = run.plan.frozen(n + 1);
        let mut trial = Trial::new(run, n, Decided { branches, choice, rows: run.plan.rows[n + 1] });
        let long = h + 2.0 * SLIVER * size;
        // the longer step may fail where the two do not
        let Ok(high) = trial.at(self, long, chain) else { return Ok(None) };
        if before.signum() == high.signum() {
            return Ok(None);
        }
        let joined = trial.solve(self, [h, long], [before, high], chain);
        Ok(joined.ok().map(|e| Ending { joined: true, ..e }))
    }
    /// A condition that holds at the start up to rounding, or that grazes zero, gives no final time that
    /// follows the parameters.
    fn check(&self, t: f64) -> Result<(), StepError> {
        let rate = self.last[1];
        if t - self.start < SHORTEST * (self.end - self.start) && self.first < TINY {
            return Err(StepError::AlreadyMet { t: self.start, rate });
        }
        if rate.abs() * (t - self.start) > 1e-6 * self.largest {
            Ok(())
        } else {
            Err(StepError::Grazes { t, rate })
        }
    }
    /// The error of a run that reached its latest time.
    pub(crate) fn never(&self, t_max: f64) -> StepError {
        StepError::NeverMet { t_max, nearest: self.nearest.0, t: self.nearest.1 }
    }
}

/// The last step of a run that ends by (1).
pub(crate) struct Ending {
    /// Time at which the step ends [s].
    pub t: f64,
    /// Size of the step [s].
    pub h: f64,
    /// Record of the step.
    pub x: Vec<f64>,
    /// Does it replace the last step of the plan?
    pub joined: bool,
}

/// The cubic polynomial through H and Ḣ times the step at both ends of a step, on 0 ≤ θ ≤ 1.
struct Cubic {
    h: [f64; 2],
    d: [f64; 2],
}

impl Cubic {
    fn new([h0, d0]: [f64; 2], [h1, d1]: [f64; 2], size: f64) -> Self {
        Self { h: [h0, h1], d: [d0 * size, d1 * size] }
    }
    fn at(&self, θ: f64) -> f64 {
        let (Self { h: [h0, h1], d: [d0, d1] }, a, b) = (self, 1.0 - θ, θ);
        a * a * ((1.0 + 2.0 * b) * h0 + b * d0) + b * b * ((1.0 + 2.0 * a) * h1 - a * d1)
    }
    /// Zeros of its derivative within the step: 3 a θ² + 2 b θ + d₀ = 0.
    fn extremes(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { h: [h0, h1], d: [d0, d1] } = self;
        let a = 2.0 * (h0 - h1) + d0 + d1;
        let b = 3.0 * (h1 - h0) - 2.0 * d0 - d1;
        let root = (b * b - 3.0 * a * d0).max(0.0).sqrt();
        let q = -(b + root.copysign(b));
        let mut extremes = [q / (3.0 * a), d0 / q];
        extremes.sort_by(f64::total_cmp);
        extremes.into_iter().filter(|θ| *θ > 0.0 && *θ < 1.0)
    }
    /// Is it so near to zero there, or beyond, that H itself must say?
    fn is_near(&self, θ: f64) -> bool {
        self.at(θ) * self.h[0].signum() < NEAR * self.h[0].abs().min(self.h[1].abs())
    }
    /// Where H may have another sign than at the beginning: at extremes, and at the end.
    fn candidates(&self) -> impl Iterator<Item = f64> {
        let [h0, h1] = self.h;
        let end = (h1.signum() != h0.signum() || h1 == 0.0).then_some(1.0);
        self.extremes().filter(|θ| self.is_near(*θ)).chain(end)
    }
}

/// Steps of any size from a record.
struct Trial {
    t: f64,
    past: Vec<f64>,
    branches: Vec<f64>,
    choice: Vec<u32>,
    rows: Option<RowChoice>,
    before: Vec<f64>,
    x: Vec<f64>,
}

impl Trial {
    fn new(run: &Trajectory, n: usize, Decided { branches, choice, rows }: Decided) -> Self {
        let past = run.record(n).to_vec();
        let before = run.plan.h[..n].to_vec();
        Self {
            t: run.plan.t[n],
            x: past.clone(),
            past,
            branches: branches.to_vec(),
            choice: choice.to_vec(),
            rows: run.plan.row_choice(rows).cloned(),
            before,
        }
    }
    /// H after a step h.
    fn at(&mut self, event: &mut Event, h: f64, chain: &mut Chain) -> Result<f64, StepError> {
        let Self { branches, choice, rows, before, .. } = self;
        let frozen = Frozen { branches, choice, rows: rows.as_ref(), before };
        chain.advance(Span { t: self.t, h }, frozen, &self.past, &mut self.x)?;
        event.last = event.measure((self.t + h, h), &self.branches, &self.x, &self.past)?;
        Ok(event.last[0])
    }
    /// (2) by regula falsi, with the weight of an end that stays halved, and by bisection where that is slow.
    fn solve(
        mut self,
        event: &mut Event,
        [mut a, mut b]: [f64; 2],
        [mut fa, mut fb]: [f64; 2],
        chain: &mut Chain,
    ) -> Result<Ending, StepError> {
        let least = 2.0 * f64::EPSILON * (self.t + b).abs();
        for k in 0..MAX_ITERATIONS {
            if fb == 0.0 || (b - a).abs() <= 3.0 * least {
                break;
            }
            let h = if k % 3 == 2 { 0.5 * (a + b) } else { b - fb * (b - a) / (fb - fa) };
            // not on an end: the other one would never move
            let h = h.clamp(a.min(b) + least, a.max(b) - least);
            let f = self.at(event, h, chain)?;
            if f.signum() != fb.signum() {
                (a, fa) = (b, fb);
            } else {
                fa *= 0.5;
            }
            (b, fb) = (h, f);
        }
        let rest = self.at(event, b, chain)?;
        // accelerations of short steps are known to some 1e-6 only; a jump is as large as the condition
        // itself
        let rounding = 1e-14 + 1e-4 * event.largest + 8.0 * least * event.last[1].abs();
        if rest.abs() > rounding {
            return Err(StepError::JumpsOver { t: self.t + b, rest });
        }
        Ok(Ending { t: self.t + b, h: b, x: self.x, joined: false })
    }
}
