//! The loop: record 0, then steps to the final time, on a mesh that ends at every declared time and spline knot.

use crate::control::{Controller, Mesh};
use crate::error::StepError;
use crate::event::{Ending, Event};
use crate::plan::{Frozen, Plan};
use crate::step::{Layout, Step};
use gradyn_model::System;

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
}

impl Statistics {
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

/// Told about each accepted step: (t, steps done).
pub type Observer<'a> = &'a mut dyn FnMut(f64, usize);

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

/// The same from [`Trajectory::start`], to the time when terminal functional `until` passes zero if there is one; after an error `run` holds
/// what was reached.
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
    let (lay, mut l) = (step.layout(), step.linear(p)?);
    let mut data = step.system().data();
    step.system().prepare(p, &mut data);
    control.check_expected(mesh)?;
    let halvings = control.halvings(step, mesh);
    let expected = control.expected_steps(mesh, halvings);
    run.plan.reserve(expected);
    run.x.reserve(expected * lay.len);
    // record 0
    let report = step.advance(run.plan.span(0, p), run.plan.frozen(0), None, &mut l, &mut run.x)?;
    run.statistics.iterations += report.iterations;
    let (mut references, mut choice) = (angles.to_vec(), vec![u32::MAX; step.choices()]);
    let mut event = until.map(|k| Event::new(step, p, k, run, mesh.end())).transpose()?;
    let mut h = control.first_step(step, &run.x, mesh);
    let mut t = mesh.start.0;
    for &(end, declared) in &mesh.ends {
        let (begin, mut done) = (t, 0);
        h = control.begin(step, run.last(), h, mesh);
        while t < end {
            let before = run.plan.h.last().copied().unwrap_or(0.0);
            continue_angles(step, run.last(), &mut data, &mut references).map_err(|angle| StepError::Turn {
                t,
                h: before,
                angle,
            })?;
            let (size, arrives) = control.clip(t, control.size(done, halvings, h), end);
            let attempt = try_step(step, run, size, done, &references, &mut choice, control, &mut l, &mut h)?;
            if !attempt.accepted {
                continue;
            }
            if let Some(event) = &mut event
                && let Some(ending) = event.ends(step, run, size, done, (&references, &choice), &mut l)?
            {
                finish(step, run, ending, mesh, (&mut references, &choice), &mut data)?;
                observe(run.plan.t[run.plan.steps()], run.statistics.steps);
                return Ok(());
            }
            done += 1;
            t = control.arrive(begin, done, halvings, t, size, if arrives { Some(end) } else { None });
            run.plan.push(size, t, if arrives { declared } else { None }, &references, &choice);
            run.statistics.steps += 1;
            run.statistics.limited += usize::from(step.limited(&l));
            control.check_count(&run.statistics, t, mesh)?;
            control.check_advance(&run.plan.t, mesh, || step.system().coordinate_name(attempt.worst))?;
            observe(t, run.statistics.steps);
        }
    }
    if let Some(event) = &event {
        return Err(event.never(mesh.end()));
    }
    let h = run.plan.h.last().copied().unwrap_or(0.0);
    continue_angles(step, run.last(), &mut data, &mut references).map_err(|angle| StepError::Turn { t, h, angle })
}

/// The last step of a run whose final time is a condition.
fn finish<T: Step>(
    step: &T,
    run: &mut Trajectory,
    ending: Ending,
    mesh: &Mesh,
    (references, choice): (&mut [f64], &[u32]),
    d: &mut <T::System as System>::Data<f64>,
) -> Result<(), StepError> {
    let (Ending { t, h, x, joined }, declared) = (ending, mesh.ends.last().and_then(|e| e.1));
    let mut choice = choice.to_vec();
    if joined {
        let frozen = run.plan.frozen(run.plan.steps());
        references.copy_from_slice(frozen.angles);
        choice.copy_from_slice(frozen.choice);
        run.plan.pop();
    } else {
        run.statistics.steps += 1;
    }
    let len = run.layout.len;
    run.x.truncate((run.plan.steps() + 1) * len);
    run.x.extend_from_slice(&x);
    run.plan.push(h, t, declared, references, &choice);
    continue_angles(step, run.last(), d, references).map_err(|angle| StepError::Turn { t, h, angle })
}

/// Angle references of the next step: the angles at the last node, continued; the name of one that moved too far.
fn continue_angles<T: Step>(
    step: &T,
    x: &[f64],
    d: &mut <T::System as System>::Data<f64>,
    references: &mut [f64],
) -> Result<(), String> {
    let sys = step.system();
    sys.set_angles(references, d);
    for k in 0..references.len() {
        let angle = sys.angle(k, &x[..step.layout().n], d);
        if (angle - references[k]).abs() > 0.5 * std::f64::consts::PI {
            return Err(sys.angle_name(k));
        }
        references[k] = angle;
    }
    Ok(())
}

/// What came of a step.
struct Attempt {
    accepted: bool,
    /// Coordinate with the largest error.
    worst: usize,
}

/// One attempt; on success the record is appended. Sets the next step size.
fn try_step<T: Step>(
    step: &T,
    run: &mut Trajectory,
    size: f64,
    since: usize,
    references: &[f64],
    choice: &mut [u32],
    control: &Controller,
    l: &mut T::Linear,
    h: &mut f64,
) -> Result<Attempt, StepError> {
    let (len, n) = (run.layout.len, run.plan.steps());
    let span = crate::step::Span { t: run.plan.t[n], h: size };
    run.x.resize((n + 2) * len, 0.0);
    let (done, x) = run.x.split_at_mut((n + 1) * len);
    let past = &done[n * len..];
    step.decide(span, past, since, l, choice)?;
    let frozen = Frozen { angles: references, choice, before: &run.plan.h };
    let result = step.advance(span, frozen, Some(past), l, x);
    let error = match (&result, control.tolerance) {
        (Ok(_), Some(tol)) => step.error(span, x, past, tol, l),
        (Err(_), Some(_)) => Some((f64::INFINITY, 0)),
        _ => None,
    };
    if let Ok(report) = &result {
        run.statistics.iterations += report.iterations;
        run.statistics.factorizations += report.factorizations;
    }
    let accepted = match error {
        None => {
            result?;
            true
        }
        Some((e, worst)) => {
            let accepted = e <= 1.0;
            if !accepted {
                run.statistics.rejected += 1;
            }
            *h = size * step.resize(control, e, l);
            if !accepted && *h < control.minimum(span.t) {
                // the reason why the step failed, if it did, else the coordinate with the largest error
                result?;
                let worst = step.system().coordinate_name(worst);
                return Err(StepError::StepTooSmall { t: span.t, h: *h, rejected: run.statistics.rejected, worst });
            }
            accepted
        }
    };
    if !accepted {
        run.x.truncate((n + 1) * len);
    }
    Ok(Attempt { accepted, worst: error.map_or(0, |e| e.1) })
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
pub fn replay_into<T: Step>(step: &T, p: &[f64], run: &mut Trajectory, l: &mut T::Linear) -> Result<(), StepError> {
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
        run.statistics.iterations += report.iterations;
        run.statistics.factorizations += report.factorizations;
    }
    Ok(())
}
