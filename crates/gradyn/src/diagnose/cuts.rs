//! Expressions that jump or kink where no condition ends a step: cuts, poles, and roots of zero.
//!
//! ```text
//! g = 0 within a step:   its sign changes, or |g| falls to 0 and rises again                            (1)
//! y(t + ε) - y(t - ε)    does not shrink with ε: a jump;   |y| grows as ε shrinks: a pole               (2)
//! ẏ(t + ε) - ẏ(t - ε)    does not shrink with ε: a corner;   so does ÿ in constraints                   (3)
//! ```
//! Zeros of g are candidates. The value y of the expression decides: sin(atan2(y, x)) and 1/tan(x) are smooth
//! where a function in them is not. ε falls from 1e-2 to 1e-4 of the step, so that a law counts as one that
//! jumps if it changes in less than a thousandth of a step.

use super::near::{Moving, Near};
use crate::prepare::{Break, Passed, Prepared};
use gradyn_dynamics::Trajectory;
use gradyn_dynamics::motion::Piece;
use gradyn_model::{Cut, Evaluator, FunctionalSet};
use gradyn_num::largest;

/// Distances ε of (2) and (3), as parts of the step: each is compared with the next one.
const NEAR: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// Gaps below this part of what cancels in a value are rounding.
const CANCELLED: f64 = 1e4 * f64::EPSILON;
/// A run that stopped ends before what stops it by no more than this part of its duration, or two steps.
const AHEAD: f64 = 1e-6;
/// |g| falls to zero if its least value is below this part of the values at the ends of the step.
const ZERO: f64 = 1e-6;
/// Halvings of the interval in which something is zero.
const HALVINGS: usize = 60;

/// What a run passed, the first time for each expression.
pub(super) struct Cuts<'a> {
    look: Look<'a>,
    /// Expressions that nothing was found of.
    open: Vec<&'a Cut>,
    pub found: Vec<Passed>,
}

impl<'a> Cuts<'a> {
    /// Nothing is found yet.
    pub(super) fn new(model: &'a Prepared, run: &'a Trajectory, p: &'a [f64]) -> Self {
        let open = model.model.system.cuts().iter().collect();
        Self { look: Look::new(model, run, p), open, found: vec![] }
    }
    /// Looks at the step that ends in record `n`, after those before it.
    pub(super) fn see(&mut self, n: usize) {
        if self.open.is_empty() || n == 0 || self.look.run.plan.h[n - 1] <= 0.0 {
            return;
        }
        self.look.step(n);
        // one warning for each element
        let mut closed: Vec<String> = vec![];
        for cut in &self.open {
            if closed.contains(&cut.what) {
                continue;
            }
            if let Some(passed) = self.look.passes(n, cut) {
                closed.push(passed.what.clone());
                self.found.push(passed);
            }
        }
        self.open.retain(|cut| !closed.contains(&cut.what));
    }
}

/// What a run that stopped comes to just after its end.
pub(super) fn ahead(model: &Prepared, run: &Trajectory, p: &[f64]) -> Option<Passed> {
    let cuts = model.model.system.cuts();
    let plan = &run.plan;
    let n = (1..=plan.steps()).rev().find(|n| plan.h[n - 1] > 0.0).filter(|_| !cuts.is_empty())?;
    let steps = 2.0 * largest(plan.h[n.saturating_sub(20)..].iter().copied());
    let far = steps.max(AHEAD * (plan.t[n] - plan.t[0])) / plan.h[n - 1];
    let mut look = Look::new(model, run, p);
    look.step(n);
    // values beside a pole say nothing about rounding
    look.largest.fill([0.0; 2]);
    cuts.iter().find_map(|cut| {
        let θ = look.next_zero(n, cut.zero).filter(|θ| (θ - 1.0).abs() <= far)?;
        let does = look.breaks(n, θ, cut)?;
        let t = plan.t[n] + (θ - 1.0) * plan.h[n - 1];
        Some(Passed { t, what: cut.what.clone(), kind: cut.kind, does })
    })
}

/// The expressions along a run.
struct Look<'a> {
    run: &'a Trajectory,
    terms: Evaluator<Moving>,
    node: Vec<Moving>,
    p: &'a [f64],
    /// Partials of a value, and the slots of the last ones.
    row: Vec<Moving>,
    support: Vec<u32>,
    out: Vec<Moving>,
    /// All values where the step begins, and where it ends.
    ends: [Vec<Moving>; 2],
    /// The step at whose end was looked.
    last: usize,
    /// Largest value and largest slope of each number so far.
    largest: Vec<[f64; 2]>,
}

impl<'a> Look<'a> {
    fn new(model: &Prepared, run: &'a Trajectory, p: &'a [f64]) -> Self {
        let sys = &model.model.system;
        let support = sys.support(FunctionalSet::Cut).to_vec();
        let zero = vec![Moving::from(0.0); sys.functionals(FunctionalSet::Cut)];
        Self {
            run,
            terms: sys.evaluator_with(p),
            node: vec![Moving::from(0.0); run.layout.z()],
            row: vec![Moving::from(0.0); run.layout.z() + support.len()],
            support,
            p,
            ends: [zero.clone(), zero.clone()],
            last: 0,
            largest: vec![[0.0; 2]; zero.len()],
            out: zero,
        }
    }
    /// All values on the piece of a step, and the time there.
    fn at(&mut self, n: usize, θ: f64) -> (&[Moving], Moving) {
        let lay = self.run.layout;
        let t = Piece::of_step(self.run, n).at(θ, &mut self.node);
        self.terms.set_branches(&self.run.branches(n));
        self.terms.at_time(t);
        self.terms.measure(FunctionalSet::Cut, &lay.node(t, &self.node), &mut self.out);
        (&self.out, t)
    }
    /// Looks at both ends of step `n`.
    fn step(&mut self, n: usize) {
        let run = self.run;
        // the end of the step before, unless something changed there
        let follows = self.last > 0 && self.last + 1 == n && run.has_sides_of(n, n - 1);
        if follows {
            self.ends.swap(0, 1);
        } else {
            let begin = self.at(n, 0.0).0.to_vec();
            self.ends[0].copy_from_slice(&begin);
        }
        self.at(n, 1.0);
        self.ends[1].copy_from_slice(&self.out);
        self.last = n;
        for (most, y) in self.largest.iter_mut().zip(&self.out) {
            *most = [most[0].max(y.re.abs()), most[1].max(y.eps[0].abs())];
        }
    }
    /// What a cut is passed with in step `n`, at whose ends was looked.
    fn passes(&mut self, n: usize, cut: &Cut) -> Option<Passed> {
        let θ = self.zero(n, cut.zero)?;
        let plan = &self.run.plan;
        // at the ends of a smooth piece, the other one must say so too
        let other = if θ < ZERO && (n == 1 || plan.restarts[n - 1]) {
            Some(self.neighbour(n, false)?)
        } else if θ > 1.0 - ZERO && (n == plan.steps() || plan.restarts[n + 1]) {
            Some(self.neighbour(n, true)?)
        } else {
            None
        };
        let does = self.breaks(n, θ, cut)?;
        if let Some((n, θ)) = other {
            self.breaks(n, θ, cut)?;
        }
        let t = plan.t[n - 1] + θ * plan.h[n - 1];
        Some(Passed { t, what: cut.what.clone(), kind: cut.kind, does })
    }
    /// The next step after or before a restart, and where it meets step `n`; none at the ends of the run, nor
    /// where velocities jump.
    fn neighbour(&self, n: usize, after: bool) -> Option<(usize, f64)> {
        let plan = &self.run.plan;
        let long = |k: &usize| plan.h[k - 1] > 0.0;
        let (k, θ) =
            if after { ((n + 1..=plan.steps()).find(long)?, 0.0) } else { ((1..n).rev().find(long)?, 1.0) };
        let between = if after { n + 1..k } else { k + 1..n };
        between.into_iter().all(|r| plan.given_by[r].is_none()).then_some((k, θ))
    }
    /// Where g is zero within step `n`, (1).
    fn zero(&mut self, n: usize, g: usize) -> Option<f64> {
        let h = self.run.plan.h[n - 1];
        let [begin, end] = [0, 1].map(|k| (self.ends[k][g].re, self.ends[k][g].eps[0] * h));
        let side = begin.0.signum();
        if begin.0 == 0.0 || !begin.0.is_finite() || !end.0.is_finite() {
            return None;
        }
        if end.0 == 0.0 {
            return Some(1.0);
        }
        if end.0.signum() != side {
            return Some(self.halve(n, 1.0, |y| y[g].re * side));
        }
        // the tangents at both ends meet beyond zero
        let [(f0, d0), (f1, d1)] = [begin, end].map(|(f, d)| (f * side, d * side));
        let meet = (f1 - d1 - f0) / (d0 - d1);
        if !(d0 < 0.0 && d1 > 0.0 && f0 + d0 * meet <= 0.0) {
            return None;
        }
        let least = self.halve(n, 1.0, |y| if y[g].re * side < 0.0 { -1.0 } else { -y[g].eps[0] * side });
        let value = self.at(n, least).0[g].re * side;
        if value < 0.0 {
            return Some(self.halve(n, least, |y| y[g].re * side));
        }
        (value <= ZERO * f0.max(f1)).then_some(least)
    }
    /// The zero of g that Newton's method finds from the end of step `n`.
    fn next_zero(&mut self, n: usize, g: usize) -> Option<f64> {
        let h = self.run.plan.h[n - 1];
        let mut θ = 1.0;
        for _ in 0..HALVINGS {
            let y = self.at(n, θ).0[g];
            if y.re == 0.0 {
                break;
            }
            θ -= y.re / (y.eps[0] * h);
        }
        θ.is_finite().then_some(θ)
    }
    /// Where `f`, which is positive where step `n` begins, is no more so at θ ≤ `end`.
    fn halve(&mut self, n: usize, end: f64, f: impl Fn(&[Moving]) -> f64) -> f64 {
        let [mut low, mut high] = [0.0, end];
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if f(self.at(n, middle).0) > 0.0 { low = middle } else { high = middle }
        }
        high
    }
    /// What the values of an expression do at θ of step `n`, (2) and (3).
    fn breaks(&mut self, n: usize, θ: f64, cut: &Cut) -> Option<Break> {
        let plan = &self.run.plan;
        let (t, h) = (plan.t[n], plan.h[n - 1]);
        let duration = plan.t[plan.steps()] - plan.t[0];
        // ε, which the time resolves; around = [y before and after θ, next to each of these] for each
        let least = 1e4 * f64::EPSILON * t.abs() / h;
        let ε = NEAR.map(|ε| ε * (least / NEAR[NEAR.len() - 1]).max(1.0));
        let around =
            ε.map(|ε| [-2.0, -1.0, 1.0, 2.0].map(|k| self.at(n, θ + k * ε).0[cut.values.clone()].to_vec()));
        // sizes of the expression and of its rates
        let most = |i: usize| largest(self.largest[cut.values.clone()].iter().map(|m| m[i]));
        let size = most(0);
        let slope = most(1).max(size / duration);
        let sizes = [size, slope, slope / h];
        for (k, value) in cut.values.clone().enumerate() {
            let near = |i: usize| Near { y: [0, 1, 2, 3].map(|j| around[i][j][k]), ε: ε[i] * h };
            for i in 1..NEAR.len() {
                let found = near(i).breaks(&near(i - 1), sizes, cut.rates);
                if found
                    .is_some_and(|(_, level, gap)| gap > CANCELLED * self.terms_of(n, θ + ε[i], value)[level])
                {
                    return found.map(|(does, ..)| does);
                }
            }
        }
        None
    }
    /// Sizes of the terms that cancel in a value, in its slope, and in differences of that.
    fn terms_of(&mut self, n: usize, θ: f64, value: usize) -> [f64; 3] {
        let lay = self.run.layout;
        let t = self.at(n, θ).1;
        self.terms.at(t, &self.node[..lay.n]);
        self.terms.measure_row(FunctionalSet::Cut, value, &lay.node(t, &self.node), &mut self.row);
        let slots =
            self.support.iter().map(|&s| Moving::from(self.p.get(s as usize).copied().unwrap_or(0.0)));
        let numbers = self.node.iter().copied().chain(slots);
        let [mut size, mut slope] = [self.out[value].eps[0] * t.re, 0.0].map(f64::abs);
        for (partial, x) in self.row.iter().zip(numbers) {
            size += (partial.re * x.re).abs();
            slope += (partial.re * x.eps[0]).abs() + (partial.eps[0] * x.re).abs();
        }
        [size, slope, slope / (NEAR[NEAR.len() - 1] * self.run.plan.h[n - 1])]
    }
}
