//! Does a run obey what it decided? Every derivative follows the decisions of its plan, so that none of them
//! sees a wrong one.
//!
//! ```text
//! θ₁ - θ₀ within half a turn of h (ω₀ + ω₁)/2 + h² (α₀ - α₁)/12        turns, from node to node          (1)
//! g ≥ 0 on the side above, g ≤ 0 on the side below                     sides, at every node              (2)
//! Φ_r = 0 of rows that are left out                                    in `redundancy`
//! ```
//! Where no time passes angles and conditions may be given anew, and a condition that is zero to rounding is
//! on both sides.

use crate::error::Error;
use crate::prepare::Prepared;
use gradyn_dynamics::Trajectory;
use gradyn_model::{AngleMotion, Evaluator, FunctionalSet, ModelError};
use std::f64::consts::PI;

/// |g| below this part of its largest value is no side.
const NEAR: f64 = 1e-6;

/// (1) and (2) of a run, record by record.
pub(super) struct Decisions {
    turns: Option<Turns>,
    sides: Option<Sides>,
}

impl Decisions {
    /// Nothing is seen yet; what a model does not have is not looked at.
    pub(super) fn new(model: &Prepared, p: &[f64]) -> Self {
        let sys = &model.model.system;
        let dims = sys.dims();
        Self {
            turns: (dims.angles > 0).then(|| Turns::new(sys.evaluator_with(p), dims.angles)),
            sides: (dims.sides > 0).then(|| Sides::new(sys.evaluator_with(p), sys.sides().len())),
        }
    }
    /// Looks at record `n`; all records come in their order.
    pub(super) fn see(&mut self, n: usize, run: &Trajectory) {
        self.turns.iter_mut().for_each(|turns| turns.see(n, run));
        self.sides.iter_mut().for_each(|sides| sides.see(n, run));
    }
    /// The first that is wrong.
    pub(super) fn check(&self, model: &Prepared, run: &Trajectory) -> Result<(), Error> {
        if let Some((k, n)) = self.turns.as_ref().and_then(|turns| turns.wrong) {
            let name = model.model.system.angle_name(k).text;
            let t = run.plan.t[n];
            return Err(wrong(format!("{name} has another turn at t = {t} s than its rate leads to")));
        }
        self.sides.as_ref().map_or(Ok(()), |sides| sides.check(model, run))
    }
}

/// The terms at record `n`, with its branches.
fn place(terms: &mut Evaluator<f64>, run: &Trajectory, n: usize) {
    let record = run.record(n);
    let at = run.layout.node(run.plan.t[n], &record);
    terms.set_branches(&run.branches(n));
    terms.at(at.t, at.q);
}

/// (1) of every angle that anything reads.
struct Turns {
    terms: Evaluator<f64>,
    angles: Vec<f64>,
    motion: Vec<Option<AngleMotion>>,
    before: Vec<Option<AngleMotion>>,
    /// The first angle that is wrong, with its record.
    wrong: Option<(usize, usize)>,
}

impl Turns {
    fn new(terms: Evaluator<f64>, count: usize) -> Self {
        let motion = vec![None; count];
        Self { terms, angles: vec![0.0; count], before: motion.clone(), motion, wrong: None }
    }
    fn see(&mut self, n: usize, run: &Trajectory) {
        let plan = &run.plan;
        // θ with its turn, ω and α at this node
        place(&mut self.terms, run, n);
        let record = run.record(n);
        let at = run.layout.node(plan.t[n], &record);
        self.terms.angles(at.q, &mut self.angles);
        self.terms.angle_motion(&at, &mut self.motion);
        self.motion.iter_mut().zip(&self.angles).for_each(|(m, angle)| {
            *m = m.map(|m| AngleMotion { angle: *angle, ..m });
        });
        // (1) from the node before
        let h = if n == 0 { 0.0 } else { plan.t[n] - plan.t[n - 1] };
        let turned = |(a, b): (&Option<AngleMotion>, &Option<AngleMotion>)| {
            let (Some(a), Some(b)) = (a, b) else { return false };
            let expected = 0.5 * h * (a.rate + b.rate) + h * h * (a.second - b.second) / 12.0;
            (b.angle - a.angle - expected).abs() > PI
        };
        if self.wrong.is_none() && h != 0.0 && !plan.restarts[n] {
            self.wrong = self.before.iter().zip(&self.motion).position(turned).map(|k| (k, n));
        }
        self.before.copy_from_slice(&self.motion);
    }
}

/// (2) of every condition whose changes steps meet exactly.
struct Sides {
    terms: Evaluator<f64>,
    g: Vec<f64>,
    /// The largest |g| of each.
    largest: Vec<f64>,
    /// g on the side of its step where that is least, with the record.
    least: Vec<(f64, usize)>,
}

impl Sides {
    fn new(terms: Evaluator<f64>, count: usize) -> Self {
        let g = vec![0.0; count];
        Self { terms, largest: g.clone(), g, least: vec![(f64::INFINITY, 0); count] }
    }
    fn see(&mut self, n: usize, run: &Trajectory) {
        place(&mut self.terms, run, n);
        let record = run.record(n);
        let branches = run.branches(n);
        let sides = run.layout.sides(&branches);
        let at = run.layout.node(run.plan.t[n], &record);
        self.terms.measure(FunctionalSet::Condition, &at, &mut self.g);
        for (k, g) in self.g.iter().enumerate() {
            let f = if sides[k] > 0.5 { *g } else { -*g };
            self.largest[k] = f64::max(self.largest[k], g.abs());
            // an event may move conditions without time between
            if f < self.least[k].0 && run.plan.given_by[n].is_none() {
                self.least[k] = (f, n);
            }
        }
    }
    /// (2)
    fn check(&self, model: &Prepared, run: &Trajectory) -> Result<(), Error> {
        let conditions = model.model.system.sides();
        for (k, condition) in conditions.iter().enumerate().filter(|(_, c)| c.is_exact()) {
            let (f, n) = self.least[k];
            if f < -NEAR * self.largest[k] {
                let t = run.plan.t[n];
                let what = &condition.what;
                return Err(wrong(format!("{what} is on another side at t = {t} s than the step has")));
            }
        }
        Ok(())
    }
}

/// The error of a decision that the run does not obey.
fn wrong(message: String) -> Error {
    let help = "the run is not that of the model: take shorter steps, and report it with the model file";
    ModelError::new(message).help(help).into()
}
