//! The way to positions that an event gives.
//!
//! ```text
//! u_j(q(σ)) = (1 - σ) u_j(q⁻) + σ s_j,   Φ_I(q(σ)) = (1 - σ) Φ_I(q⁻)      0 ≤ σ ≤ 1                      (1)
//! ```
//! It is the same in all coordinates, so that the branch of the assembly and the turns of the angles follow
//! from it. Steps along it turn no angle by more than [`FAR`]. Φ_I is not zero at its beginning where
//! constraints begin with the event.

use super::{Place, pair, residual, rows};
use crate::error::{EventError, StepError};
use crate::start::still;
use gradyn_model::{AngleMotion, At, Evaluator, FunctionalSet, Kinematics, Level, Setup};
use gradyn_num::largest;

/// Longest turn of an angle in a step of (1) [rad].
const FAR: f64 = 0.5;
/// First step of (1), and the shortest.
const FIRST: f64 = 0.125;
const SHORTEST: f64 = 1e-6;
/// Newton iterations of a step of (1), and the correction, relative to the positions, that ends them.
const ITERATIONS: usize = 12;
const SETTLED: f64 = 1e-12;
/// A correction by Newton of this part of a step of (1), or of the positions, is small.
const BENT: f64 = 0.5;
const TINY: f64 = 1e-6;

/// Where a way (1) ends.
pub(crate) struct Placed {
    /// Positions.
    pub q: Vec<f64>,
    /// Angles that count turns [rad].
    pub angles: Vec<f64>,
}

impl Place {
    /// The way (1) from a record whose branches are given; the factors are those of its last step.
    pub(in crate::initial) fn go(
        &mut self,
        sys: &Setup,
        (t, branches): (f64, &[f64]),
        past: &[f64],
        terms: &mut Evaluator<f64>,
    ) -> Result<Placed, StepError> {
        // u and s where it begins, and the angles there
        let mut begin = vec![0.0; sys.functionals(FunctionalSet::Event)];
        terms.set_branches(branches);
        terms.at_time(t);
        terms.measure(FunctionalSet::Event, &self.layout.node(t, past), &mut begin);
        let mut way = Way::new(sys, t, branches, &past[..self.layout.n]);
        terms.angles(&way.q, &mut way.angles);
        way.stand(&begin, rows(sys, self.event));
        terms.at(t, &way.q);
        let mut phi = vec![0.0; self.layout.m];
        terms.constraint(&still(sys, t, &way.q, &way.zero), Level::POSITION, &mut phi);
        way.gap = sys.independent(Kinematics::Position).iter().map(|&k| phi[k as usize]).collect();
        // steps that bend little
        let (mut done, mut step) = (0.0, FIRST);
        while done < 1.0 {
            let part = |e| match e {
                StepError::Event(EventError::NotPlaced { t, event, .. }) => {
                    EventError::NotPlaced { t, event, part: done }.into()
                }
                e => e,
            };
            self.direction(sys, &mut way, terms).map_err(part)?;
            step = way.longest(step).min(1.0 - done);
            while !self.try_step(sys, &mut way, (done, step), terms) {
                step *= 0.5;
                if step < SHORTEST {
                    let event = sys.events()[self.event].name.clone();
                    return Err(EventError::NotPlaced { t, event, part: done }.into());
                }
            }
            done = if step == 1.0 - done { 1.0 } else { done + step };
            step *= 2.0;
        }
        Ok(Placed { q: way.q, angles: way.angles })
    }
    /// dq/dσ and the rates of the angles where a way is.
    fn direction(&mut self, sys: &Setup, way: &mut Way, terms: &mut Evaluator<f64>) -> Result<(), StepError> {
        let held = sys.independent(Kinematics::Position).len();
        way.remember(&way.angles.clone());
        terms.set_branches(&way.branches);
        terms.at(way.t, &way.q);
        self.linearise(sys, &still(sys, way.t, &way.q, &way.zero), terms)?;
        way.rate[..held].iter_mut().zip(&way.gap).for_each(|(r, gap)| *r = -gap);
        way.rate[held..].copy_from_slice(&way.change);
        self.solve(&mut way.rate);
        let mut motion = vec![None; way.angles.len()];
        let at = At { v: &way.rate, ..still(sys, way.t, &way.q, &way.zero) };
        terms.angle_motion(&at, &mut motion);
        way.turning = motion.iter().map(|m: &Option<AngleMotion>| m.map_or(0.0, |m| m.rate)).collect();
        Ok(())
    }
    /// A step of (1) by Newton's method; false where it does not settle, bends or turns too much.
    fn try_step(
        &mut self,
        sys: &Setup,
        way: &mut Way,
        (done, step): (f64, f64),
        terms: &mut Evaluator<f64>,
    ) -> bool {
        // along the tangent
        let ahead: Vec<f64> = way.q.iter().zip(&way.rate).map(|(q, rate)| q + step * rate).collect();
        let angles: Vec<f64> = way.angles.iter().zip(&way.turning).map(|(x, rate)| x + step * rate).collect();
        way.remember(&angles);
        terms.set_branches(&way.branches);
        // corrections
        let target = way.target(done + step);
        let mut q = ahead.clone();
        let mut r = vec![0.0; q.len()];
        let size = largest(q.iter().copied());
        let mut settled = false;
        for _ in 0..ITERATIONS {
            terms.at(way.t, &q);
            residual(sys, self.event as u32, &still(sys, way.t, &q, &way.zero), &target, terms, &mut r);
            let left = 1.0 - (done + step);
            r.iter_mut().zip(&way.gap).for_each(|(r, gap)| *r -= left * gap);
            if self.linearise(sys, &still(sys, way.t, &q, &way.zero), terms).is_err() {
                return false;
            }
            self.solve(&mut r);
            q.iter_mut().zip(&r).for_each(|(q, r)| *q -= r);
            settled = largest(r.iter().copied()) <= SETTLED * size;
            if settled || r.iter().any(|r| !r.is_finite()) {
                break;
            }
        }
        let bend = largest(q.iter().zip(&ahead).map(|(a, b)| a - b));
        let length = step * largest(way.rate.iter().copied());
        // the angles there
        let mut turned = angles.clone();
        terms.angles(&q, &mut turned);
        let near = turned.iter().zip(&angles).all(|(a, b)| (a - b).abs() <= FAR);
        if !settled || !near || bend > BENT * length + TINY * size {
            return false;
        }
        way.q = q;
        way.angles = turned;
        true
    }
}

/// Where a way (1) is.
struct Way {
    t: f64,
    q: Vec<f64>,
    angles: Vec<f64>,
    /// Branches whose angles are those of a point.
    branches: Vec<f64>,
    /// Φ_I where the way begins: of constraints that begin with the event.
    gap: Vec<f64>,
    /// Functionals of events where the way begins; s_j - u_j of the event.
    begin: Vec<f64>,
    change: Vec<f64>,
    /// Rows of the event.
    rows: std::ops::Range<usize>,
    /// dq/dσ and the rates of the angles.
    rate: Vec<f64>,
    turning: Vec<f64>,
    zero: Vec<f64>,
}

impl Way {
    fn new(sys: &Setup, t: f64, branches: &[f64], q: &[f64]) -> Self {
        let (n, m, angles) = (sys.dims().n, sys.dims().m, sys.dims().angles);
        Self {
            t,
            q: q.to_vec(),
            angles: vec![0.0; angles],
            branches: branches.to_vec(),
            gap: vec![],
            begin: vec![],
            change: vec![],
            rows: 0..0,
            rate: vec![0.0; n],
            turning: vec![0.0; angles],
            zero: vec![0.0; n.max(m)],
        }
    }
    /// It begins with these functionals of events.
    fn stand(&mut self, begin: &[f64], rows: std::ops::Range<usize>) {
        self.begin = begin.to_vec();
        self.change = rows.clone().map(|j| begin[pair(j)[1]] - begin[pair(j)[0]]).collect();
        self.rows = rows;
    }
    /// Functionals whose s are what (1) asks for at σ.
    fn target(&self, sigma: f64) -> Vec<f64> {
        let mut target = self.begin.clone();
        for (j, change) in self.rows.clone().zip(&self.change) {
            let [u, s] = pair(j);
            if sigma < 1.0 {
                target[s] = self.begin[u] + sigma * change;
            }
        }
        target
    }
    /// Branches whose angles are these, and stand still.
    fn remember(&mut self, angles: &[f64]) {
        if self.branches.is_empty() {
            return;
        }
        self.branches[0] = self.t;
        for (k, &angle) in angles.iter().enumerate() {
            AngleMotion { angle, rate: 0.0, second: 0.0 }.write(&mut self.branches, k);
        }
    }
    /// The longest step that turns no angle too far.
    fn longest(&self, step: f64) -> f64 {
        let fastest = largest(self.turning.iter().copied());
        if fastest * step > FAR { FAR / fastest } else { step }
    }
}
