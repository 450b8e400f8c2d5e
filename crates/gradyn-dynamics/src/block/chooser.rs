//! The choice of independent coordinates along a run, and whether they follow the motion.
//!
//! ```text
//! elimination of Φ_q with complete pivoting at  q + h/2 v + h²/8 a                                       (1)
//! max |R| > 2 max |R|₍₁₎    where a step begins:     (1) for this step                                   (2)
//! max |R| > 3 max |R|₍₁₎    in a block of the step:  (1) for this step, which is repeated               (3)
//! |v - v̂| > 0.02 max(|v|, h |a|)  and  max |R| > 1.5 min |R|:    the step is refused                    (4)
//! ```
//! R grows without bounds where an independent coordinate comes to its extreme; chosen in the middle it is
//! smallest over all of the step. (4) compares the velocities with those that the scheme predicts in all
//! coordinates, of which the independent ones keep their own only; |v| and |a| are the larger ones of both
//! ends of the step.

use super::{Block, choose};
use crate::error::StepError;
use crate::record::{Layout, Span};
use gradyn_model::{Kinematics, Setup};
use gradyn_num::largest;

/// Growth of the largest entry of R with which the coordinates are chosen again for the next step, (2).
const GROWN: f64 = 2.0;

/// Growth within a step with which they are chosen again for this step, (3): more than (2), so that steps
/// which resolve the motion never repeat.
const LEAPT: f64 = 3.0;

/// Growth within a step from which on it is asked whether the step follows the motion, (4).
const TURNED: f64 = 1.5;

/// Change of the velocities beside their size with which a step does not follow the motion, (4).
const LOST: f64 = 0.02;

/// Chooses independent coordinates, forward runs only.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    /// Coordinates that the user named: they stay. Of velocities, of which there may be fewer, the first
    /// ones. Empty: none.
    named: Vec<u32>,
    /// Largest entry of R where the last choice was made; none in a replay, whose choices are those of the
    /// plan, and 1 of named ones.
    fresh: Option<f64>,
    /// Largest and smallest of the largest entries of R in the blocks of the last step.
    reach: [f64; 2],
}

impl Chooser {
    /// Keeps to the coordinates that are named, if any.
    pub(crate) fn new(named: &[u32]) -> Self {
        let fresh = (!named.is_empty()).then_some(1.0);
        Self { named: named.to_vec(), fresh, reach: [0.0; 2] }
    }
    /// Chooses at the start and where R has grown, (2). `node` is the block of the last node, `evaluated` if
    /// the step factors it there.
    pub(crate) fn decide(
        &mut self,
        sys: &Setup,
        (span, past): (Span<f64>, &[f64]),
        node: &mut Block,
        evaluated: bool,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        if node.state.chosen(sys) == 0 {
            return Ok(());
        }
        if !self.named.is_empty() {
            let lists = node.state.lists(sys).into_iter().flatten();
            lists.for_each(|list| choice[list.clone()].copy_from_slice(&self.named[..list.len()]));
            return Ok(());
        }
        if choice[0] != u32::MAX {
            let known = evaluated && node.is_factored_at(span.t);
            let q = &past[..sys.dims().n];
            let largest = if known { node.largest() } else { node.largest_at(sys, span.t, q, choice)? };
            if largest <= GROWN * self.smallest() {
                return Ok(());
            }
        }
        self.choose(sys, (span, past), node, choice)
    }
    /// Chooses again for a step that has `failed`, or in which R has grown, (3). Says whether the step is to
    /// be repeated: its memory is elsewhere after a choice, even where that stays.
    pub(crate) fn choose_again(
        &mut self,
        sys: &Setup,
        (span, past): (Span<f64>, &[f64]),
        failed: bool,
        node: &mut Block,
        choice: &mut [u32],
    ) -> bool {
        let grown = failed || self.reach[0] > LEAPT * self.smallest();
        if node.state.chosen(sys) == 0 || !self.named.is_empty() || !grown {
            return false;
        }
        let before = choice.to_vec();
        if self.choose(sys, (span, past), node, choice).is_err() {
            choice.copy_from_slice(&before);
        }
        true
    }
    /// (1), or where no step is predicted that far: at the last node.
    fn choose(
        &mut self,
        sys: &Setup,
        (span, past): (Span<f64>, &[f64]),
        node: &mut Block,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        let n = sys.dims().n;
        let h = 0.5 * span.h;
        let middle: Vec<f64> =
            (0..n).map(|i| past[i] + h * (past[n + i] + 0.5 * h * past[2 * n + i])).collect();
        let found = self.choose_at(sys, (span.t + h, &middle), node, choice);
        if found.is_err() { self.choose_at(sys, (span.t, &past[..n]), node, choice) } else { found }
    }
    fn choose_at(
        &mut self,
        sys: &Setup,
        (t, q): (f64, &[f64]),
        node: &mut Block,
        choice: &mut [u32],
    ) -> Result<(), StepError> {
        node.linear.terms.at(t, q);
        for (level, list) in node.state.lists(sys).into_iter().enumerate() {
            let Some(list) = list else { continue };
            let chosen = choose(sys, Kinematics::ALL[level], node.linear.terms.phi_q());
            if chosen.len() != list.len() {
                let equation =
                    chosen.first().map_or_else(|| sys.row_name(0), |&i| sys.coordinate_name(i as usize));
                return Err(StepError::Singular { t, equation });
            }
            choice[list].copy_from_slice(&chosen);
        }
        self.fresh = Some(node.largest_at(sys, t, q, choice)?.max(1.0));
        Ok(())
    }
    /// Looks at a step that was solved, by the largest entries of R in its blocks and by the velocities that
    /// were predicted of its node x: does it follow the motion, (4)?
    pub(crate) fn follow(
        &mut self,
        sys: &Setup,
        lay: &Layout,
        span: Span<f64>,
        sizes: impl Iterator<Item = f64>,
        (past, x, predicted): (&[f64], &[f64], &[f64]),
    ) -> Result<(), StepError> {
        let span_of = |[most, least]: [f64; 2], r: f64| [most.max(r), least.min(r)];
        self.reach = sizes.fold([0.0, f64::INFINITY], span_of);
        let [most, least] = self.reach;
        if most <= TURNED * least {
            return Ok(());
        }
        // |v - v̂| beside |v| and h |a|
        let (v, a) = (lay.v()..lay.a(), lay.a()..lay.lam());
        let size = |x: &[f64]| {
            let [v, a] = [&v, &a].map(|part| largest(x[part.clone()].iter().copied()));
            v.max(span.h.abs() * a)
        };
        let change = |(k, i): (usize, usize)| (x[i] - predicted[k]).abs();
        let (most, worst) = v
            .clone()
            .enumerate()
            .map(|i| (change(i), i.0))
            .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        let change = most / size(past).max(size(x));
        if change <= LOST || change.is_nan() {
            return Ok(());
        }
        let coordinate = sys.coordinate_name(worst);
        Err(StepError::NotFollowed { t: span.end(), h: span.h, coordinate, change })
    }
    /// The largest entry of R where the last choice was made, if it was made here.
    pub(crate) fn fresh(&self) -> Option<f64> {
        self.fresh
    }
    /// The largest entry of R that growth is measured by: independent coordinates have entries of 1.
    fn smallest(&self) -> f64 {
        self.fresh.unwrap_or(1.0)
    }
    /// The largest entry of R in the blocks of the last step.
    pub(crate) fn reach(&self) -> f64 {
        self.reach[0]
    }
}
