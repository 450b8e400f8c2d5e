//! The loop: record 0, then steps to the final time, on a mesh that ends at every declared time and spline
//! knot.

use crate::control::{Controller, Mesh};
use crate::error::StepError;
use crate::event::{Ending, Event};
use crate::plan::{Frozen, Plan};
use crate::step::{Layout, Report, Span, Step};
use gradyn_model::{AngleName, System};
use std::ops::ControlFlow;

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Newton iterations, or evaluations.
    pub iterations: usize,
    /// Factorisations.
    pub factorizations: usize,
    /// Accepted steps whose size stability limited, not accuracy.
    pub limited: usize,
    /// Most iterations of a step, and the step.
    pub slowest: (usize, usize),
}

impl Statistics {
    /// Counts step `n`.
    fn count(&mut self, n: usize, report: &Report) {
        self.iterations += report.iterations;
        self.factorizations += report.factorizations;
        if report.iterations > self.slowest.0 {
            self.slowest = (report.iterations, n);
        }
    }
    /// Did stability limit most steps of a long run?
    pub fn is_stiff(&self) -> bool {
        self.steps >= 50 && 2 * self.limited > self.steps
    }
}

/// Records in one arena, and the plan that produced them.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// The plan.
    pub plan: Plan,
    /// Where things are in a record.
    pub layout: Layout,
    /// All records.
    pub x: Vec<f64>,
    /// Counts.
    pub statistics: Statistics,
}

impl Trajectory {
    /// Nothing but room for record 0.
    pub fn start<T: Step>(step: &T, angles: &[f64], mesh: &Mesh) -> Self {
        let layout = step.layout();
        let plan = Plan::start(mesh.start.0, mesh.start.1, angles, &vec![u32::MAX; step.choices()]);
        Self { plan, layout, x: vec![0.0; layout.len], statistics: Statistics::default() }
    }
    /// Record `n`.
    pub fn record(&self, n: usize) -> &[f64] {
        &self.x[n * self.layout.len..(n + 1) * self.layout.len]
    }
    /// The record before `n`.
    pub fn past(&self, n: usize) -> Option<&[f64]> {
        (n > 0).then(|| self.record(n - 1))
    }
    /// The last record.
    pub fn last(&self) -> &[f64] {
        self.record(self.plan.steps())
    }
}

/// Told about each accepted step: (t, steps done); may break the run off.
pub type Observer<'a> = &'a mut dyn FnMut(f64, usize) -> ControlFlow<()>;

/// An observer that lets every run go on.
pub fn unobserved(_t: f64, _steps: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Runs from the start to the end of the mesh.
pub fn simulate<T: Step>(
    step: &T,
    p: &[f64],
    angles: &[f64],
    mesh: &Mesh,
    control: &Controller,
    observe: Observer,
) -> Result<Trajectory, StepError> {
    let mut run = Trajectory::start(step, angles, mesh);
    continue_run(step, p, angles, mesh, control, None, observe, &mut run)?;
    Ok(run)
}

/// The same from [`Trajectory::start`], to the time when terminal functional `until` passes zero if there is
/// one; after an error `run` holds what was reached.
pub fn continue_run<T: Step>(
    step: &T,
    p: &[f64],
    angles: &[f64],
    mesh: &Mesh,
    control: &Controller,
    until: Option<usize>,
    observe: Observer,
    run: &mut Trajectory,
) -> Result<(), StepError> {
    let mut walk = Walk::new(step, p, angles, mesh, control, run)?;
    let mut event = until.map(|k| Event::new(step, p, k, walk.run, mesh.end())).transpose()?;
    walk.h = control.first_step(step, &walk.run.x, mesh);
    for &end in &mesh.ends {
        if walk.piece(end, &mut event, observe)? {
            return Ok(());
        }
    }
    match &event {
        Some(event) => Err(event.never(mesh.end())),
        None => walk.continue_angles(),
    }
}

/// A run on its way.
struct Walk<'a, T: Step> {
    step: &'a T,
    mesh: &'a Mesh,
    control: &'a Controller,
    run: &'a mut Trajectory,
    l: T::Linear,
    data: <T::System as System>::Data<f64>,
    /// Angle references and choices of the next step.
    references: Vec<f64>,
    angles: Vec<f64>,
    choice: Vec<u32>,
    /// How often the first fixed step of a piece is halved.
    halvings: u32,
    /// Size of the next step, where it is not fixed.
    h: f64,
}

impl<'a, T: Step> Walk<'a, T> {
    /// Room for the run, and record 0.
    fn new(
        step: &'a T,
        p: &[f64],
        angles: &[f64],
        mesh: &'a Mesh,
        control: &'a Controller,
        run: &'a mut Trajectory,
    ) -> Result<Self, StepError> {
        let (lay, mut l, mut data) = (step.layout(), step.linear(p)?, step.system().data());
        step.system().prepare(p, &mut data);
        control.check_expected(mesh)?;
        let halvings = control.halvings(step, mesh);
        let expected = control.expected_steps(mesh, halvings);
        run.plan.reserve(expected);
        run.x.reserve(expected * lay.len);
        let report = step.advance(run.plan.span(0, p), run.plan.frozen(0), None, &mut l, &mut run.x)?;
        run.statistics.iterations += report.iterations;
        let (references, angles, choice) = (angles.to_vec(), angles.to_vec(), vec![u32::MAX; step.choices()]);
        Ok(Self { step, mesh, control, run, l, data, references, angles, choice, halvings, h: 0.0 })
    }
    /// Steps to the end of a smooth piece; did the condition end the run?
    fn piece(
        &mut self,
        (end, declared): (f64, Option<u32>),
        event: &mut Option<Event<T::System>>,
        observe: Observer,
    ) -> Result<bool, StepError> {
        let (step, control, mesh) = (self.step, self.control, self.mesh);
        let (begin, mut done) = (self.run.plan.t[self.run.plan.steps()], 0);
        let mut t = begin;
        self.h = control.begin(step, self.run.last(), self.h, mesh);
        while t < end {
            self.continue_angles()?;
            let (size, arrives) = control.clip(t, control.size(done, self.halvings, self.h), end);
            let attempt = self.attempt(size, done)?;
            if !attempt.accepted {
                continue;
            }
            if let Some(event) = event
                && let Some(ending) =
                    event.ends(step, self.run, size, done, (&self.references, &self.choice), &mut self.l)?
            {
                self.finish(ending)?;
                self.tell(observe)?;
                return Ok(true);
            }
            done += 1;
            t = control.arrive(begin, done, self.halvings, t, size, arrives.then_some(end));
            self.run.plan.push(size, t, declared.filter(|_| arrives), &self.references, &self.choice);
            self.run.statistics.steps += 1;
            self.run.statistics.limited += usize::from(step.limited(&self.l));
            control.check_count(&self.run.statistics, t, mesh)?;
            control.check_advance(&self.run.plan.t, mesh, || step.system().coordinate_name(attempt.worst))?;
            self.tell(observe)?;
        }
        Ok(false)
    }
    /// Tells the observer about the last step; what it breaks off is an error.
    fn tell(&self, observe: Observer) -> Result<(), StepError> {
        let (t, steps) = (self.run.plan.t[self.run.plan.steps()], self.run.statistics.steps);
        match observe(t, steps) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StepError::Cancelled { t, steps }),
        }
    }
    /// The last step of a run whose final time is a condition.
    fn finish(&mut self, Ending { t, h, x, joined }: Ending) -> Result<(), StepError> {
        let (run, declared) = (&mut *self.run, self.mesh.ends.last().and_then(|e| e.1));
        if joined {
            let frozen = run.plan.frozen(run.plan.steps());
            self.references.copy_from_slice(frozen.angles);
            self.choice.copy_from_slice(frozen.choice);
            run.plan.pop();
        } else {
            run.statistics.steps += 1;
        }
        run.x.truncate((run.plan.steps() + 1) * run.layout.len);
        run.x.extend_from_slice(&x);
        run.plan.push(h, t, declared, &self.references, &self.choice);
        self.continue_angles()
    }
    /// Angle references of the next step: the angles at the last node, continued; one that moved too far is
    /// an error.
    fn continue_angles(&mut self) -> Result<(), StepError> {
        let (sys, plan, n) = (self.step.system(), &self.run.plan, self.run.layout.n);
        sys.set_angles(&self.references, &mut self.data);
        sys.angles(&self.run.last()[..n], &mut self.data, &mut self.angles);
        for (k, (reference, &angle)) in self.references.iter_mut().zip(&self.angles).enumerate() {
            if (angle - *reference).abs() > 0.5 * std::f64::consts::PI {
                let (t, h) = (plan.t[plan.steps()], plan.h.last().copied().unwrap_or(0.0));
                let AngleName { text: angle, attitude } = sys.angle_name(k);
                return Err(StepError::Turn { t, h, angle, attitude });
            }
            *reference = angle;
        }
        Ok(())
    }
    /// One attempt, `since` steps after the last time that must be a node; on success the record is appended.
    /// Sets the next step size.
    fn attempt(&mut self, size: f64, since: usize) -> Result<Attempt, StepError> {
        let (step, run, l) = (self.step, &mut *self.run, &mut self.l);
        let (len, n) = (run.layout.len, run.plan.steps());
        let span = Span { t: run.plan.t[n], h: size };
        run.x.resize((n + 2) * len, 0.0);
        let (done, x) = run.x.split_at_mut((n + 1) * len);
        let past = &done[n * len..];
        step.decide(span, past, since, l, &mut self.choice)?;
        let frozen = Frozen { angles: &self.references, choice: &self.choice, before: &run.plan.h };
        let result = step.advance(span, frozen, Some(past), l, x);
        if let Ok(report) = &result {
            run.statistics.count(n + 1, report);
        }
        let error = match (&result, self.control.tolerance) {
            (Ok(_), Some(tol)) => step.error(span, x, past, tol, l),
            (Err(_), Some(_)) => Some((f64::INFINITY, 0)),
            _ => None,
        };
        let attempt = match error {
            Some(error) => self.judge(span, error, result.err())?,
            None => result.map(|_| Attempt { accepted: true, worst: 0 })?,
        };
        if !attempt.accepted {
            self.run.x.truncate((n + 1) * len);
        }
        Ok(attempt)
    }
    /// Accepts or rejects a step by its error and that of its worst coordinate; `failure` is why it could not
    /// be computed.
    fn judge(
        &mut self,
        span: Span<f64>,
        (error, worst): (f64, usize),
        failure: Option<StepError>,
    ) -> Result<Attempt, StepError> {
        self.h = span.h * self.step.resize(self.control, error, &mut self.l);
        let accepted = error <= 1.0;
        if !accepted {
            self.run.statistics.rejected += 1;
            if self.h < self.control.minimum(span.t) {
                let (h, rejected, worst) =
                    (self.h, self.run.statistics.rejected, self.step.system().coordinate_name(worst));
                return Err(failure.unwrap_or(StepError::StepTooSmall { t: span.t, h, rejected, worst }));
            }
        }
        Ok(Attempt { accepted, worst })
    }
}

/// What came of a step.
struct Attempt {
    accepted: bool,
    /// Coordinate with the largest error.
    worst: usize,
}

/// Runs again on a plan with other slots: what differences and optimisers do. Allocates nothing in the loop.
pub fn replay<T: Step>(step: &T, p: &[f64], plan: &Plan) -> Result<Trajectory, StepError> {
    let (lay, mut l) = (step.layout(), step.linear(p)?);
    let x = vec![0.0; (plan.steps() + 1) * lay.len];
    let mut run = Trajectory { plan: plan.clone(), layout: lay, x, statistics: Statistics::default() };
    replay_into(step, p, &mut run, &mut l)?;
    Ok(run)
}

/// The same into memory at hand.
pub fn replay_into<T: Step>(
    step: &T,
    p: &[f64],
    run: &mut Trajectory,
    l: &mut T::Linear,
) -> Result<(), StepError> {
    let len = run.layout.len;
    if let Some(n) = run.plan.overtaken(p) {
        let span = run.plan.span(n, p);
        return Err(StepError::Moved { t: span.t, from: run.plan.h[n - 1], to: span.h });
    }
    run.statistics = Statistics { steps: run.plan.steps(), ..Statistics::default() };
    for n in 0..=run.plan.steps() {
        let (done, x) = run.x.split_at_mut(n * len);
        let past = (n > 0).then(|| &done[(n - 1) * len..]);
        let span = run.plan.span(n, p);
        let report = step.advance(span, run.plan.frozen(n), past, l, &mut x[..len])?;
        run.statistics.count(n, &report);
    }
    Ok(())
}
