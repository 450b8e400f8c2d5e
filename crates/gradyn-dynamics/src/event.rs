//! The final time by a condition on the motion.
//!
//! ```text
//! H(t, q, v, a, λ; p) = 0                                                                  (1)  [B92, Eq. 9]
//! ```
//! H is one of the terminal functionals. A run ends where it first changes its sign. Within a step the motion
//! between its nodes says where to look (`within`); the step that ends there is then solved together with
//! (1),
//!
//! ```text
//! H(x(h)) = 0,   R(x, past, t, h; p) = 0                                                           (2)
//! ```
//! so that the final time is a function of the parameters like any other unknown of the run. A short last
//! step is joined to the one before it, unless that one ended at a declared time.

use crate::error::StepError;
use crate::motion::Piece;
use crate::moving::Moving;
use crate::plan::{Decided, Frozen};
use crate::record::Span;
use crate::step::{Chain, StepRecipe};
use crate::trajectory::Trajectory;
use crate::trial::{Cubic, Trial, root};
use crate::within::Within;
use gradyn_model::FunctionalSet;

/// A shorter last step, relative to the one before it, is joined to it.
const SLIVER: f64 = 0.1;

/// A run that ends earlier, relative to its latest time, has not begun.
const SHORTEST: f64 = 1e-6;

/// |H| below this part of its largest value is rounding.
const ROUNDING: f64 = 1e-13;

/// Places within a step that are looked at without more room.
const PLACES: usize = 80;

/// |H| at the start that may be nothing but rounding.
const TINY: f64 = 1e-9;

/// (1) along a run.
pub(crate) struct Event {
    /// Which terminal functional.
    index: usize,
    moving: Moving,
    within: Within,
    /// Where to look within a step.
    places: Vec<f64>,
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
        let start = run.plan.t[0];
        // nothing is measured yet
        let mut event = Self {
            index,
            moving: Moving::new(sys, p, recipe.layout(), FunctionalSet::Terminal),
            within: Within::new(1),
            places: Vec::with_capacity(PLACES),
            last: [0.0; 2],
            largest: 0.0,
            nearest: (f64::INFINITY, start),
            start,
            end,
            first: 0.0,
        };
        // (H, Ḣ) at the start, which must not be zero
        let span = Span { t: start, h: 0.0 };
        let [h, rate] = event.measure(span, run.plan.branches(0), [run.present(0), run.present(0)])?;
        if h == 0.0 || h.abs() <= 1e-12 * rate.abs() * (end - start) {
            return Err(StepError::AlreadyMet { t: start, rate });
        }
        event.note(start, [h, rate]);
        event.first = h.abs();
        Ok(event)
    }
    /// (H, Ḣ) at the end of a step.
    fn measure(
        &mut self,
        span: Span<f64>,
        branches: &[f64],
        records: [&[f64]; 2],
    ) -> Result<[f64; 2], StepError> {
        let h = self.moving.look(span, branches, records)[self.index];
        if !h.re.is_finite() {
            let equation = "the condition for the final time".into();
            return Err(StepError::NotFinite { t: span.end(), equation });
        }
        Ok([h.re, h.eps[0]])
    }
    /// Begins anew at the last record, which follows a change of a law.
    pub(crate) fn renew(&mut self, run: &Trajectory) -> Result<(), StepError> {
        let n = run.plan.steps();
        let x = run.present(n);
        let span = Span { t: run.plan.t[n], h: 0.0 };
        let now = self.measure(span, run.plan.branches(n), [x, x])?;
        self.note(run.plan.t[n], now);
        Ok(())
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
        let span = Span { t, h: size };
        let records = [run.present(n), run.present(n + 1)];
        let now = self.measure(span, decided.branches, records)?;
        let mut looked = false;
        let cubic = Cubic::new(before, now, size);
        self.look_within([before, now], Piece::new(run.layout, span, records), decided.branches, size);
        self.places.extend(cubic.candidates());
        self.places.sort_by(f64::total_cmp);
        for k in 0..self.places.len() {
            let θ = self.places[k];
            looked = true;
            let mut trial = Trial::new(run, n, decided);
            let high = self.after(&mut trial, θ * size, chain)?;
            if before[0].signum() == high.signum() && high != 0.0 {
                self.approach(t + θ * size, high);
                continue;
            }
            let short = θ * size * before[0] / (before[0] - high) < SLIVER * size && since > 0;
            let joined = if short { self.join(run, before[0], size, chain)? } else { None };
            let ending = match joined {
                Some(ending) => ending,
                None => self.solve(trial, [0.0, θ * size], [before[0], high], chain)?,
            };
            self.check(ending.t)?;
            return Ok(Some(ending));
        }
        if looked {
            // the memory of the step is again that of the accepted one
            self.after(&mut Trial::new(run, n, decided), size, chain)?;
        }
        for θ in cubic.extremes().filter(|θ| !cubic.is_near(*θ)) {
            self.approach(t + θ * size, cubic.at(θ));
        }
        self.note(t + size, now);
        Ok(None)
    }
    /// Where H may have another sign within a step of `size` whose ends are known.
    fn look_within(&mut self, [before, now]: [[f64; 2]; 2], piece: Piece, branches: &[f64], size: f64) {
        let Self { within, moving, index, places, largest, .. } = self;
        let sign = before[0].signum();
        let signed = |[h, rate]: [f64; 2]| [sign * h, sign * rate];
        let noise = ROUNDING * *largest;
        within.look(size, [&|_| signed(before), &|_| signed(now)], (&|_| true, &|_| noise), &mut |θ, f| {
            let h = moving.within(&piece, θ, branches)[*index];
            f[0] = signed([h.re, h.eps[0]]);
        });
        places.clear();
        places.extend(within.places.iter().map(|place| place.1));
    }
    /// The last step of the plan and the sliver after it as one step, if that meets (1) too.
    fn join(
        &mut self,
        run: &Trajectory,
        before: f64,
        size: f64,
        chain: &mut Chain,
    ) -> Result<Option<Ending>, StepError> {
        let [last, earlier] = chain.kept();
        chain.go_back(&earlier)?;
        let joined = self.join_from(run, before, size, chain);
        if joined.is_none() {
            chain.go_back(&last)?;
        }
        Ok(joined)
    }
    /// The joined step from the record before the last one; it may fail where the two do not.
    fn join_from(&mut self, run: &Trajectory, before: f64, size: f64, chain: &mut Chain) -> Option<Ending> {
        let n = run.plan.steps() - 1;
        let h = run.plan.h[n];
        let Frozen { branches, choice, .. } = run.plan.frozen(n + 1);
        let mut trial = Trial::new(run, n, Decided { branches, choice, rows: run.plan.rows[n + 1] });
        let long = h + 2.0 * SLIVER * size;
        let high = self.after(&mut trial, long, chain).ok()?;
        if before.signum() == high.signum() {
            return None;
        }
        let ending = self.solve(trial, [h, long], [before, high], chain).ok()?;
        Some(Ending { joined: true, ..ending })
    }
    /// H after a step h.
    fn after(&mut self, trial: &mut Trial, h: f64, chain: &mut Chain) -> Result<f64, StepError> {
        trial.advance(h, chain)?;
        let span = Span { t: trial.t, h };
        self.last = self.measure(span, &trial.branches, [&trial.past, &trial.x])?;
        Ok(self.last[0])
    }
    /// (2) within a bracket.
    fn solve(
        &mut self,
        mut trial: Trial,
        bracket: [f64; 2],
        values: [f64; 2],
        chain: &mut Chain,
    ) -> Result<Ending, StepError> {
        let least = trial.least(bracket[1]);
        let h = root(bracket, values, None, (least, 0.0), &mut |h| self.after(&mut trial, h, chain))?;
        let rest = self.after(&mut trial, h, chain)?;
        // accelerations of short steps are known to some 1e-6 only; a jump is as large as the condition
        // itself
        let rounding = 1e-14 + 1e-4 * self.largest + 8.0 * least * self.last[1].abs();
        if rest.abs() > rounding {
            return Err(StepError::JumpsOver { t: trial.t + h, rest });
        }
        Ok(Ending { t: trial.t + h, h, x: trial.x, joined: false })
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
