//! Where conditions change their sides within a step.
//!
//! ```text
//! f_k = ± g_k(t, q, v, a, λ; p) ≥ 0        on the side that the step has                                 (1)
//! ```
//! A step that ends with f_k < 0, or in which f_k is negative (`within`), has passed an edge: the step to
//! f_k = 0 takes its place. Pieces that meet with two derivatives need not be met exactly.

use crate::error::{EventError, StepError};
use crate::motion::Piece;
use crate::moving::Moving;
use crate::record::{Layout, Span};
use crate::step::Chain;
use crate::trial::{Cubic, Trial, root};
use crate::within::Within;
use gradyn_model::{Edge, FunctionalSet, Setup, Side};

/// How near a node comes to the joint of two pieces, relative to their width.
const NEAR_JOINT: f64 = 1e-3;
/// |g| below this part of its largest value is rounding.
const ROUNDING: f64 = 1e-13;

/// |g| above this part of its largest value says that a condition is zero twice in a step.
const WELL_AWAY: f64 = 1e-8;

/// Drift of what held a condition at zero, beside what it has left.
const DRIFT: f64 = 10.0;
/// The least drift, relative to the size of the mechanism.
const LEAST_DRIFT: f64 = 1e-12;

/// |ġ| over the length of the run, relative to the largest |g|, below which a condition only touches zero.
const TOUCHES: f64 = 1e-6;

/// Changes that turn out to be later than others in one step.
const EARLIER: usize = 16;

/// |g| above this part of its largest value is no zero, whatever errors it has.
const AWAY: f64 = 1e-6;

/// |g| where it changes its sign, relative to its largest value: above this part it jumps. Accelerations of
/// short steps are known to some 1e-6 only.
const JUMP: f64 = 1e-4;

/// The conditions of a run.
pub(crate) struct Watch {
    layout: Layout,
    moving: Moving,
    /// The conditions, and which of them end steps.
    pub sides: Vec<Side>,
    pub watched: Vec<bool>,
    /// (g, ġ) of each where the step begins, and where it ends.
    pub last: Vec<[f64; 2]>,
    pub next: Vec<[f64; 2]>,
    largest: Vec<f64>,
    /// What drift has left of conditions that were held at zero, until they are away from it.
    slack: Vec<f64>,
    /// |g| of each below which it has not changed.
    noise: Vec<f64>,
    within: Within,
    /// Are steps long, so that conditions are looked at within them?
    long_steps: bool,
    /// Conditions that constraints hold at zero.
    asleep: Vec<Asleep>,
}

/// A condition that constraints hold at zero.
pub(crate) struct Asleep {
    /// Number of the condition.
    pub side: usize,
    /// The side that it had before.
    pub before: f64,
    /// The event that switched the constraints on.
    pub event: u32,
}

/// A step that ends where a condition changes.
pub(crate) struct Crossing {
    /// Number of the condition.
    pub side: usize,
    /// Size of the step [s].
    pub h: f64,
    /// Record of the step.
    pub x: Vec<f64>,
}

impl Watch {
    /// The conditions of a system; those of time alone end no steps, and joints of pieces only where asked.
    pub(crate) fn new(
        sys: &Setup,
        p: &[f64],
        layout: Layout,
        (joints, long_steps): (bool, bool),
    ) -> Option<Self> {
        let sides = sys.sides().to_vec();
        let ends = |s: &Side| s.is_exact() || (joints && s.time.is_none() && s.mode.is_none());
        let watched = sides.iter().map(ends).collect();
        (!sides.is_empty()).then(|| Self {
            layout,
            moving: Moving::new(sys, p, layout, FunctionalSet::Condition),
            watched,
            last: vec![[0.0; 2]; sides.len()],
            next: vec![[0.0; 2]; sides.len()],
            largest: vec![0.0; sides.len()],
            slack: vec![0.0; sides.len()],
            noise: vec![0.0; sides.len()],
            within: Within::new(sides.len()),
            long_steps,
            asleep: vec![],
            sides,
        })
    }
    /// Does any condition end steps?
    pub(crate) fn is_asked(&self) -> bool {
        self.watched.contains(&true)
    }
    /// A condition is held at zero by constraints: it ends no steps.
    pub(crate) fn sleep(&mut self, held: Asleep) {
        self.watched[held.side] = false;
        self.asleep.push(held);
    }
    /// Watches the conditions again that were held at zero by some events.
    pub(crate) fn wake(&mut self, by: impl Fn(u32) -> bool) -> Vec<Asleep> {
        let (woken, asleep) = std::mem::take(&mut self.asleep).into_iter().partition(|a| by(a.event));
        self.asleep = asleep;
        let woken: Vec<Asleep> = woken;
        woken.iter().for_each(|a| self.watched[a.side] = true);
        woken
    }
    /// What a condition is, where it was looked at last, is nothing but the drift of what held it at zero, in
    /// a mechanism of some size.
    pub(crate) fn forgive(&mut self, k: usize, size: f64) {
        self.slack[k] = (DRIFT * self.next[k][0].abs()).max(LEAST_DRIFT * size);
        self.noise[k] = self.noise[k].max(self.slack[k]);
    }
    /// (g, ġ) at the end of a step.
    pub(crate) fn look(&mut self, span: Span<f64>, branches: &[f64], records: [&[f64]; 2]) {
        for (k, g) in self.moving.look(span, branches, records).iter().enumerate() {
            self.next[k] = [g.re, g.eps[0]];
            self.largest[k] = self.largest[k].max(g.re.abs());
            let least = if self.sides[k].is_exact() { ROUNDING * self.largest[k] } else { NEAR_JOINT };
            self.noise[k] = least.max(self.slack[k]);
        }
    }
    /// The first condition that changes within a time from the last node, by its rate, and when.
    pub(crate) fn next_edge(&self, sides: &[f64], within: f64) -> Option<(usize, f64)> {
        let time = |k: usize| {
            let [f, rate] = signed(sides[k], self.last[k]);
            (self.watched[k] && f >= 0.0 && rate < 0.0)
                .then(|| (k, -f / rate))
                .filter(|edge| edge.1 <= within)
        };
        (0..sides.len()).filter_map(time).min_by(|a, b| a.1.total_cmp(&b.1))
    }
    /// The time of the next root after the last node, which is at t, by the rates of their conditions.
    pub(crate) fn next_root(&self, t: f64, sides: &[f64], p: &[f64]) -> f64 {
        let time = |k: usize| {
            if let Some(slot) = self.sides[k].time {
                return Some(p[slot as usize]).filter(|time| *time > t).unwrap_or(f64::INFINITY);
            }
            let [f, rate] = signed(sides[k], self.last[k]);
            if self.watched[k] && f > 0.0 && rate < 0.0 { t - f / rate } else { f64::INFINITY }
        };
        let roots = (0..sides.len()).filter(|k| self.sides[*k].edge == Edge::Root);
        roots.map(time).fold(f64::INFINITY, f64::min)
    }
    /// Does condition `k` pass zero with some speed where it was looked at last, in a run of some length?
    pub(crate) fn passes(&self, k: usize, length: f64) -> bool {
        self.next[k][1].abs() * length > TOUCHES * self.largest[k]
    }
    /// Is condition `k` away from zero where it was looked at last?
    pub(crate) fn is_away(&self, k: usize) -> bool {
        self.next[k][0].abs() > AWAY * self.largest[k]
    }
    /// Goes on from where it looked last.
    pub(crate) fn follow(&mut self) {
        self.last.copy_from_slice(&self.next);
        let away = self.slack.iter_mut().zip(&self.next).filter(|(slack, g)| g[0].abs() > **slack);
        away.for_each(|(slack, _)| *slack = 0.0);
    }
    /// Is condition `k` on the other side where it was looked at last?
    pub(crate) fn has_changed(&self, k: usize, side: f64) -> bool {
        let [f, _] = signed(side, self.next[k]);
        self.watched[k] && f < 0.0 && -f > self.noise[k]
    }
    /// May a condition have changed in a step whose end was looked at? `records` are those of the step.
    pub(crate) fn may_have_changed(
        &mut self,
        sides: &[f64],
        span: Span<f64>,
        branches: &[f64],
        records: [&[f64]; 2],
    ) -> bool {
        if (0..sides.len()).any(|k| self.has_changed(k, sides[k])) {
            return true;
        }
        self.look_within(sides, span, branches, records);
        !self.within.places.is_empty()
    }
    /// Where conditions may have changed in a step whose end was looked at.
    fn look_within(&mut self, sides: &[f64], span: Span<f64>, branches: &[f64], records: [&[f64]; 2]) {
        // fixed steps are short: where the polynomial through both ends is negative
        if !self.long_steps {
            self.within.places.clear();
            for k in (0..sides.len()).filter(|k| self.watched[*k]) {
                let cubic = self.cubic(k, sides[k], span.h);
                let dips = cubic.extremes().filter(|θ| cubic.at(*θ) < 0.0);
                self.within.places.extend(dips.map(|θ| (k, θ)));
            }
            return;
        }
        let Self { within, moving, watched, last, next, noise, .. } = self;
        let piece = Piece::new(self.layout, span, records);
        let begin = |k: usize| {
            let [f, rate] = signed(sides[k], last[k]);
            [f.max(0.0), rate]
        };
        let end = |k: usize| signed(sides[k], next[k]);
        let asked = |k: usize| watched[k];
        let noise = |k: usize| noise[k];
        within.look(span.h, [&begin, &end], (&asked, &noise), &mut |θ, f| {
            let values = moving.within(&piece, θ, branches);
            f.iter_mut().zip(values).zip(sides).for_each(|((f, g), s)| *f = signed(*s, [g.re, g.eps[0]]));
        });
    }
    /// The first condition that changes in a step of `size`, whose end was looked at; the step to it is
    /// tried from where `trial` begins, which has the record at the end.
    pub(crate) fn find(
        &mut self,
        size: f64,
        trial: &mut Trial,
        chain: &mut Chain,
    ) -> Result<Option<Crossing>, StepError> {
        let sides = self.layout.sides(&trial.branches).to_vec();
        let mut end = size;
        let mut found: Option<usize> = None;
        let mut last: Option<(usize, f64, f64)> = None;
        let mut rounding = 0.0;
        // each condition may turn out to be earlier than the one before
        for _ in 0..2 * sides.len() + EARLIER {
            // conditions that have changed at the end, else those that may have changed within
            let changed: Vec<usize> =
                (0..sides.len()).filter(|&k| Some(k) != found && self.has_changed(k, sides[k])).collect();
            if changed.is_empty() {
                match self.earlier(&sides, (end, found), trial, chain)? {
                    Some(earlier) => (end, found) = (earlier, None),
                    None => break,
                }
                continue;
            }
            // the one that its polynomial says is first
            let zero = |k: usize| end * self.cubic(k, sides[k], end).first_zero(1.0);
            let first = changed.into_iter().min_by(|&a, &b| zero(a).total_cmp(&zero(b)));
            let Some(k) = first else { break };
            (end, rounding) = self.solve(k, sides[k], (end, size), trial, chain)?;
            found = Some(k);
            last = Some((k, end, rounding));
        }
        // changes that come ever earlier by roundings: the last one that was solved
        if let (None, Some((k, h, known))) = (found, last) {
            self.after(h, trial, chain)?;
            (found, end, rounding) = (Some(k), h, known);
        }
        found.map_or(Ok(()), |k| self.check_zero(k, trial.t + end, rounding))?;
        Ok(found.map(|side| Crossing { side, h: end, x: trial.x.clone() }))
    }
    /// The polynomial of condition `k` over a step of `size` to where was looked last.
    fn cubic(&self, k: usize, side: f64, size: f64) -> Cubic {
        let [f, rate] = signed(side, self.last[k]);
        Cubic::new([f.max(0.0), rate], signed(side, self.next[k]), size)
    }
    /// A step shorter than `size` at whose end a condition has changed that is unchanged at the end of this
    /// one, or that is `zero` there, and well away from zero before.
    fn earlier(
        &mut self,
        sides: &[f64],
        (size, zero): (f64, Option<usize>),
        trial: &mut Trial,
        chain: &mut Chain,
    ) -> Result<Option<f64>, StepError> {
        let span = Span { t: trial.t, h: size };
        self.look_within(sides, span, &trial.branches, [&trial.past, &trial.x]);
        let places = self.within.places.clone();
        let end = self.next.clone();
        // the motion of a step says whether it is so
        for &(k, θ) in &places {
            self.after(θ * size, trial, chain)?;
            let clearly = Some(k) != zero || self.next[k][0].abs() > WELL_AWAY * self.largest[k];
            if clearly && self.has_changed(k, sides[k]) {
                return Ok(Some(θ * size));
            }
        }
        // the memory of the step is again that of the whole one
        if !places.is_empty() {
            trial.advance(size, chain)?;
            self.next.copy_from_slice(&end);
        }
        Ok(None)
    }
    /// Looks at the end of a step h.
    fn after(&mut self, h: f64, trial: &mut Trial, chain: &mut Chain) -> Result<(), StepError> {
        trial.advance(h, chain)?;
        let span = Span { t: trial.t, h };
        self.look(span, &trial.branches, [&trial.past, &trial.x]);
        Ok(())
    }
    /// The size of the step to where condition `k` changes, which is before `end`, and what |g| may be there.
    fn solve(
        &mut self,
        k: usize,
        side: f64,
        (end, size): (f64, f64),
        trial: &mut Trial,
        chain: &mut Chain,
    ) -> Result<(f64, f64), StepError> {
        let begin = signed(side, self.last[k])[0].max(0.0);
        let high = signed(side, self.next[k])[0];
        let guess = end * self.cubic(k, side, end).first_zero(1.0);
        let least = trial.least(end);
        let enough = if self.sides[k].is_exact() { 0.0 } else { NEAR_JOINT };
        // where f begins at zero, it is the last change that is found again: begin beside it
        let start = if begin == 0.0 { (0.01 * guess).max(least) } else { 0.0 };
        let h = root(
            [start, end],
            [begin.max(f64::MIN_POSITIVE), high],
            Some(guess),
            (least, enough),
            &mut |h| {
                self.after(h, trial, chain)?;
                Ok(signed(side, self.next[k])[0])
            },
        )?;
        self.after(h, trial, chain)?;
        self.check(k, side, trial.t + h, size)?;
        // what `least` of time makes of it, and less than at the ends of the bracket
        let rounding = JUMP * self.largest[k] + 8.0 * least * self.next[k][1].abs();
        Ok((h, rounding.min(begin.max(high.abs())).max(AWAY * self.largest[k])))
    }
    /// A condition at which an event happens is zero where it changes its sign, up to `rounding`: it does not
    /// jump itself, nor has it a pole there.
    fn check_zero(&self, k: usize, t: f64, rounding: f64) -> Result<(), StepError> {
        let [rest, _] = self.next[k];
        if !self.sides[k].has_events() || rest.abs() <= rounding {
            return Ok(());
        }
        Err(EventError::ConditionJumps { t, what: self.sides[k].what.clone(), rest }.into())
    }
    /// A condition at which something jumps passes zero with some speed.
    fn check(&self, k: usize, side: f64, t: f64, size: f64) -> Result<(), StepError> {
        if !self.sides[k].jumps_from(side) {
            return Ok(());
        }
        let [_, rate] = self.next[k];
        if rate.abs() * size > 1e-9 * self.largest[k] {
            return Ok(());
        }
        Err(EventError::EdgeGrazed { t, what: self.sides[k].what.clone(), rate }.into())
    }
}

/// (f, ḟ) on a side, (1).
fn signed(side: f64, [g, rate]: [f64; 2]) -> [f64; 2] {
    let s = if side > 0.5 { 1.0 } else { -1.0 };
    [s * g, s * rate]
}
