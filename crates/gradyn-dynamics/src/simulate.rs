//! The loop: record 0, then steps to the final time, on a mesh that ends at every declared time, spline knot
//! and sample. Only declared times and knots begin a smooth piece; at a sample the history of a step goes on.

mod edges;
mod events;
mod pass;
mod roots;
mod rows;

use crate::control::{Controller, Mesh};
use crate::crossing::Watch;
use crate::error::StepError;
use crate::event::{Ending, Event};
use crate::parts::{Parts, is_impact, is_iteration, iterated};
use crate::plan::{Decided, Frozen, Plan, Statistics};
use crate::record::Span;
use crate::row_chooser::{RowChooser, number_of};
use crate::step::{Chain, StepArgs, StepKind, StepRecipe};
use crate::trajectory::Trajectory;
use crate::turns::Turns;
use edges::Changes;
use pass::Passed;
use roots::Roots;
use std::ops::ControlFlow;

/// Told about each accepted step: (t, steps done); may break the run off.
pub type Observer<'a> = &'a mut dyn FnMut(f64, usize) -> ControlFlow<()>;

/// An observer that lets every run go on.
#[doc(hidden)]
pub fn unobserved(_t: f64, _steps: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Runs from the start to the end of the mesh.
pub fn simulate(
    recipe: &StepRecipe,
    p: &[f64],
    angles: &[f64],
    mesh: &Mesh,
    control: &Controller,
    observe: Observer,
) -> Result<Trajectory, StepError> {
    let mut run = Trajectory::start(recipe, angles, mesh);
    continue_run(recipe, p, angles, mesh, control, None, observe, &mut run)?;
    Ok(run)
}

/// Runs from [`Trajectory::start`] to the end of the mesh, or to the time when terminal functional `until`
/// passes zero; after an error `run` holds what was reached.
pub fn continue_run(
    recipe: &StepRecipe,
    p: &[f64],
    angles: &[f64],
    mesh: &Mesh,
    control: &Controller,
    until: Option<usize>,
    observe: Observer,
    run: &mut Trajectory,
) -> Result<(), StepError> {
    // record 0, and the condition that ends the run
    let mut walk = Walk::new(recipe, p, angles, mesh, control, run)?;
    let mut event = until.map(|k| Event::new(recipe, p, k, walk.run, mesh.end())).transpose()?;
    walk.h = control.first_step(recipe.layout().n, recipe.estimate_order(), &walk.run.x, mesh);
    // one smooth piece after the other
    for (k, &end) in mesh.ends.iter().enumerate() {
        if walk.piece(end, &mut event, observe)? {
            return Ok(());
        }
        if k + 1 < mesh.ends.len() {
            walk.change_declared(p)?;
            if walk.ended {
                return Ok(());
            }
            if let Some(event) = event.as_mut().filter(|_| walk.run.plan.restarts.last() == Some(true)) {
                event.renew(walk.run)?;
            }
        }
    }
    match &event {
        Some(event) => Err(event.never(mesh.end())),
        None => Ok(()),
    }
}

/// A run on its way.
struct Walk<'a> {
    recipe: &'a StepRecipe,
    p: Vec<f64>,
    mesh: &'a Mesh,
    control: &'a Controller,
    run: &'a mut Trajectory,
    chain: Chain,
    /// Angle references and choices of the next step.
    turns: Turns,
    choice: Vec<u32>,
    /// Which rows of redundant constraints are kept, and the number of that choice in the plan.
    chooser: Option<RowChooser>,
    rows: u32,
    /// Conditions whose sides are data of the run, and how often they changed.
    watch: Option<Watch>,
    changes: Changes,
    /// Where powers begin that are no integers.
    roots: Roots,
    /// Conditions that have changed at the present instant.
    changed_now: Vec<usize>,
    /// Conditions that constraints held at zero, and which the last events have released.
    released: Vec<usize>,
    /// Has an event ended the run?
    ended: bool,
    /// How often the first fixed step of a piece is halved.
    halvings: u32,
    /// Size of the next step, where a law beyond its edge made the last one fail [s].
    cut: Option<f64>,
    /// Parts of a step that is repeated, where that may help.
    parts: Option<Parts>,
    /// Size of the next step, where it is not fixed.
    h: f64,
}

impl<'a> Walk<'a> {
    /// Room for the run, and record 0.
    fn new(
        recipe: &'a StepRecipe,
        p: &[f64],
        angles: &[f64],
        mesh: &'a Mesh,
        control: &'a Controller,
        run: &'a mut Trajectory,
    ) -> Result<Self, StepError> {
        // memory
        let lay = recipe.layout();
        let mut chain = recipe.chain(p)?;
        control.check_expected(mesh)?;
        let halvings = control.fixed_steps(mesh).map_or(0, |steps| recipe.halvings(steps));
        let expected = control.expected_steps(mesh, halvings);
        run.make_room(expected, control.fixed_steps(mesh))?;
        // record 0
        let report = chain.advance(run.plan.span(0, p), run.plan.frozen(0), &[], &mut run.x)?;
        run.statistics.iterations += report.iterations;
        let choice = vec![u32::MAX; recipe.choices()];
        let mut turns = Turns::new(recipe.system(), p, run.plan.t[0], angles);
        turns.look(run.plan.span(0, p), &lay.node(run.plan.t[0], &run.x))?;
        turns.follow();
        let chooser = RowChooser::new(recipe.system(), p)?;
        let rows = 0;
        let parts = Parts::new(recipe);
        let h = 0.0;
        let roots = Roots::new(control, mesh.end() - mesh.start.0, recipe.equations().positions);
        let (watch, changes) = (None, Changes::default());
        let mut walk = Self {
            recipe,
            p: p.to_vec(),
            mesh,
            control,
            run,
            chain,
            turns,
            choice,
            chooser,
            rows,
            watch,
            changes,
            roots,
            changed_now: vec![],
            released: vec![],
            ended: false,
            halvings,
            cut: None,
            parts,
            h,
        };
        walk.begin_sides(p)?;
        walk.note()?;
        Ok(walk)
    }
    /// Steps to the end of a smooth piece; did the condition end the run?
    fn piece(
        &mut self,
        (end, declared): (f64, Option<u32>),
        event: &mut Option<Event>,
        observe: Observer,
    ) -> Result<bool, StepError> {
        let (recipe, control, mesh) = (self.recipe, self.control, self.mesh);
        let begin = self.run.plan.t[self.run.plan.steps()];
        let mut place = Place { t: begin, done: 0, node: (begin, 0) };
        let first = control.tolerance.and_then(|tol| recipe.first_step(tol, self.run.last()));
        self.h = control.begin(first, self.h, mesh);
        // steps to the end of the piece
        while place.t < end {
            self.choose_rows()?;
            let Place { t, done, .. } = place;
            let target = self.part().unwrap_or(mesh.target(t, end));
            let cut = self.cut.take();
            if let Some(watch) = &self.watch {
                let sides = self.turns.sides(watch.sides.len());
                self.roots.expect(t, watch.next_root(t, sides, &self.p));
            }
            let free = cut.unwrap_or(control.size(done, self.halvings, self.h)).min(self.roots.largest(t));
            let (size, arrives) = control.clip(t, free, target);
            let attempt = self.attempt_in_parts(size, done, if arrives { target } else { t + size });
            let attempt = match self.or_shorter(attempt, size) {
                Ok(attempt) => attempt,
                Err(e) => {
                    self.leave_edge(&mut place, e)?;
                    self.tell(observe)?;
                    if self.ended {
                        return Ok(true);
                    }
                    continue;
                }
            };
            if !attempt.accepted {
                continue;
            }
            if target < end {
                self.h = control.resume(self.h, size, free);
            }
            // did a condition of a law change in this step, or that for the final time end the run?
            match self.edge(&mut place, size, attempt.worst, event)? {
                Passed::Nothing => {}
                Passed::Failed => continue,
                Passed::Joint | Passed::Edge => {
                    self.tell(observe)?;
                    continue;
                }
                Passed::End => {
                    self.tell(observe)?;
                    return Ok(true);
                }
            }
            // append to the plan
            place.done += 1;
            place.t =
                control.arrive(place.node, place.done, self.halvings, (t, size), arrives.then_some(target));
            self.append(size, place.t, declared.filter(|_| arrives && target == end), attempt.worst)?;
            self.tell(observe)?;
            if arrives || cut.is_some() {
                place.node = (place.t, place.done);
            }
            if arrives {
                self.parts.iter_mut().for_each(|parts| parts.arrive(place.t));
            }
        }
        Ok(false)
    }
    /// The time at which the next part of a step ends [s], if one is made in parts.
    fn part(&self) -> Option<f64> {
        self.parts.as_ref().and_then(Parts::target)
    }
    /// An attempt at a step that ends at `end`; one that fails or is an impact is rejected and divided.
    fn attempt_in_parts(&mut self, size: f64, since: usize, end: f64) -> Result<Attempt, StepError> {
        let attempt = self.attempt(size, since);
        let (Some(spec), Some(parts)) = (iterated(self.recipe), &mut self.parts) else { return attempt };
        let n = self.run.plan.steps();
        let span = Span { t: self.run.plan.t[n], h: size };
        // what is wrong with it
        let change = match &attempt {
            Ok(_) => parts.change(spec, size, self.run.present(n), self.run.present(n + 1)),
            Err(_) => 0.0,
        };
        let wrong = attempt.as_ref().err().map_or(is_impact(change), is_iteration);
        // two parts instead, or what came of it
        if wrong && parts.divide(span, end) {
            self.run.truncate();
            self.run.statistics.rejected += 1;
            return Ok(Attempt { accepted: false, worst: 0 });
        }
        if is_impact(change) {
            self.run.statistics.impacts += 1;
            if change > self.run.statistics.hardest.0 {
                self.run.statistics.hardest = (change, n + 1);
            }
        }
        attempt
    }
    /// Does the condition end the run in the step of `size`, `since` steps after a time that must be a node?
    fn ends(&mut self, size: f64, since: usize, event: &mut Option<Event>) -> Result<bool, StepError> {
        let Some(event) = event else { return Ok(false) };
        let decided = Decided { branches: self.turns.references(), choice: &self.choice, rows: self.rows };
        let Some(ending) = event.ends(self.run, size, since, decided, &mut self.chain)? else {
            return Ok(false);
        };
        self.finish(ending)?;
        Ok(true)
    }
    /// Appends a step that ends at t, and checks how many there are; the error is largest in `worst`.
    fn append(&mut self, size: f64, t: f64, declared: Option<u32>, worst: usize) -> Result<(), StepError> {
        let (control, mesh) = (self.control, self.mesh);
        let decided = Decided { branches: self.turns.references(), choice: &self.choice, rows: self.rows };
        self.run.plan.push(size, t, declared, decided);
        self.run.plan.mark_reach(self.chain.reach());
        self.turns.follow();
        self.note()?;
        self.run.statistics.steps += 1;
        self.run.statistics.limited += usize::from(self.chain.limited());
        control.check_count(&self.run.statistics, t, mesh)?;
        control.check_advance(&self.run.plan.t, mesh, || self.recipe.system().coordinate_name(worst))
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
        let run = &mut *self.run;
        let declared = self.mesh.ends.last().and_then(|e| e.1);
        if joined {
            let frozen = run.plan.frozen(run.plan.steps());
            self.turns.set(frozen.branches);
            self.choice.copy_from_slice(frozen.choice);
            self.rows = run.plan.rows[run.plan.steps()];
            run.plan.pop();
        } else {
            run.statistics.steps += 1;
        }
        run.truncate();
        run.x.extend_from_slice(&x);
        let decided = Decided { branches: self.turns.references(), choice: &self.choice, rows: self.rows };
        run.plan.push(h, t, declared, decided);
        let span = Span { t: t - h, h };
        self.turns.look(span, &run.layout.node(t, run.last()))?;
        self.note()
    }
    /// After a record was appended to the plan: what steps remember is what one step to it leaves, whatever
    /// was tried before, and is kept; earlier records may leave the memory.
    fn note(&mut self) -> Result<(), StepError> {
        let n = self.run.plan.steps();
        if n > 0 && self.chain.is_unsettled() {
            let [last, _] = self.chain.kept();
            self.chain.go_back(&last)?;
            let at = self.run.offset(n - 1);
            let (past, x) = self.run.x[at..].split_at_mut(self.run.layout.len);
            let plan = &self.run.plan;
            self.chain.recall(n, plan, [plan.branches(n), plan.branches(n - 1)], past, x)?;
        }
        let state = self.chain.keep()?.clone();
        self.run.note(state)
    }
    /// The rows of the next step, where redundant constraints leave a choice.
    fn choose_rows(&mut self) -> Result<(), StepError> {
        let Some(chooser) = &mut self.chooser else { return Ok(()) };
        let n = self.run.plan.steps();
        let q = &self.run.present(n)[..self.run.layout.n];
        let Some(choice) = chooser.decide(self.run.plan.t[n], q, self.turns.references()) else {
            return Ok(());
        };
        self.rows = number_of(choice, self.recipe.system(), &mut self.run.plan.row_choices);
        // its stages are linear about λ of the node, which the new rows must have
        if matches!(self.recipe.kind, StepKind::Rosenbrock(_)) { self.restart(0.0) } else { Ok(()) }
    }
    /// One attempt at a step of `size`, `since` steps after the piece began; on success the record is
    /// appended to the run, not yet the step to its plan. Where steps are chosen it sets the size of the next
    /// one.
    fn attempt(&mut self, size: f64, since: usize) -> Result<Attempt, StepError> {
        let run = &mut *self.run;
        let chain = &mut self.chain;
        let (n, layout) = (run.plan.steps(), run.layout);
        // room for the record
        let span = Span { t: run.plan.t[n], h: size };
        let (plan, past, x) = run.next();
        // decide and advance
        let rows = plan.row_choice(self.rows);
        chain.begin()?;
        let decided = chain.decide(span, rows, past, since, &mut self.choice);
        chain.begin()?;
        let branches = self.turns.references();
        let frozen = Frozen { branches, rows, before: &plan.h, ..Frozen::default() };
        let may_choose = decided.is_ok();
        let mut result =
            decided.and_then(|()| chain.advance(span, Frozen { choice: &self.choice, ..frozen }, past, x));
        // once more, where independent coordinates do not follow the motion
        if may_choose && chain.choose_again(span, past, result.is_err(), &mut self.choice) {
            chain.begin()?;
            result = chain.advance(span, Frozen { choice: &self.choice, ..frozen }, past, x);
        }
        let frozen = Frozen { choice: &self.choice, ..frozen };
        let report = result.as_ref().ok().copied();
        // accept or reject by the estimate, and by the turns of the angles
        let mut error = match (&result, self.control.tolerance) {
            (Ok(_), Some(tol)) => chain.error(&StepArgs { span, frozen, x, past }, tol),
            _ => None,
        };
        if result.is_ok()
            && let Err(turn) = self.turns.look(span, &layout.node(span.end(), x))
        {
            result = Err(turn);
        }
        if result.is_err() && self.control.tolerance.is_some() {
            error = Some((f64::INFINITY, 0));
        }
        if let Some(report) = &report {
            run.statistics.count(n + 1, report);
        }
        let attempt = match error {
            Some(error) => self.judge(span, error, result.err())?,
            None => result.map(|_| Attempt { accepted: true, worst: 0 })?,
        };
        if !attempt.accepted {
            self.run.truncate();
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
        let error = error / self.roots.error(span);
        self.h = span.h * self.chain.resize(self.control, error);
        let accepted = error <= 1.0;
        if !accepted {
            self.run.statistics.rejected += 1;
            if self.h < self.control.minimum(span.t) {
                let h = self.h;
                let rejected = self.run.statistics.rejected;
                let worst = self.recipe.system().coordinate_name(worst);
                return Err(failure.unwrap_or(StepError::StepTooSmall { t: span.t, h, rejected, worst }));
            }
        }
        Ok(Attempt { accepted, worst })
    }
}

/// Where a run is in a smooth piece.
struct Place {
    /// Time of the last node [s].
    t: f64,
    /// Steps since the piece began.
    done: usize,
    /// The last time that had to be a node, and the steps before it.
    node: (f64, usize),
}

/// What came of a step.
struct Attempt {
    accepted: bool,
    /// Coordinate with the largest error.
    worst: usize,
}

/// Runs again on a plan with other slots: what differences and optimisers do. Allocates nothing in the loop.
pub fn replay(recipe: &StepRecipe, p: &[f64], plan: &Plan) -> Result<Trajectory, StepError> {
    let lay = recipe.layout();
    let mut chain = recipe.chain(p)?;
    let x = vec![0.0; (plan.steps() + 1) * lay.len];
    let statistics = Statistics::default();
    let mut run = Trajectory::whole(plan.clone(), lay, x, statistics);
    replay_into(p, &mut run, &mut chain)?;
    Ok(run)
}

/// Runs again on the plan of `run`, into its records and memory at hand.
pub fn replay_into(p: &[f64], run: &mut Trajectory, chain: &mut Chain) -> Result<(), StepError> {
    let len = run.layout.len;
    if let Some(n) = run.plan.overtaken(p) {
        let span = run.plan.span(n, p);
        return Err(StepError::Moved { t: span.t, from: run.plan.h[n - 1], to: span.h });
    }
    run.statistics = Statistics { steps: run.plan.steps(), ..Statistics::default() };
    for n in 0..=run.plan.steps() {
        let (done, x) = run.x.split_at_mut(n * len);
        let past = if n == 0 { &[] } else { &done[(n - 1) * len..] };
        let span = run.plan.span_after(n, p, past.last().copied())?;
        let report = chain.replay_step(n, span, &mut run.plan, past, &mut x[..len])?;
        let span = if run.plan.clocked { Span { t: span.t, h: x[len - 1] - span.t } } else { span };
        run.statistics.count(n, &report);
        chain.turn(n, span, &x[..len], &mut run.plan)?;
    }
    Ok(())
}
