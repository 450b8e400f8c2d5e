//! Every method against one reference, in units of the error that it should have.
//!
//! x = (ψ, ∇ψ) by some method, x* by the reference, each objective with the size S = max(|ψ*|, max_k s_k
//! |∂ψ*/∂ρ_k|), s_k the scale of ρ_k:
//!
//! ```text
//! e = |x(h) - x(h/2)| / (1 - 2⁻ᵖ)                    fixed steps, p: order                          (1)
//! e = |x(tol) - x(tol/100)|                          steps from a tolerance                          (2)
//! e ← e + |10/9 (x(α) - x(10 α))|                    penalty                                        (3)
//! r = |x(h) - x*| / (e + e* + δ)                     e*: (2) of the reference, δ: rounding           (4)
//! w = max_k |x_k(h) - x*_k| / |x*_k|                 entries above 10 (e* + δ)                       (5)
//! ```
//! Each objective has one (4) for its value and one for its gradient, in the norm max_k s_k |·|/S: a single
//! entry may be right by accident. So may a value, at h and at h/2 alike: its e is at least 1 % of that of
//! its gradient, which is what it becomes where the parameters move by 1 % of their scales.
//!
//! A method agrees if r ≤ 10. Nothing that converges to x* can fail: r > 10 says that half the step moved the
//! result by less than a tenth of its distance from x*. Every entry counts for itself in (5): one that is off
//! by more than 5 % of itself makes agreement loose, however small it is beside the others. Derivatives of
//! the steps are compared with the discrete adjoint of the same run, to rounding; differences of runs with
//! the same, to their own error. A method that is refused is a row with its reason.
//! All of them differentiate runs; that the gradient of the reference is that of the problem is asked of runs
//! of moved designs, once.

mod combination;
mod compare;
mod group;
mod reference;
mod row;

pub use combination::{Combination, Scope, Section};
pub use compare::{Answer, Distance, Entry, Weakest};
pub use reference::Reference;
pub use row::{Against, Measured, Row, Verdict};

use crate::error::Error;
use crate::method::Method;
use crate::prepared::Prepared;
use crate::progress::Stopwatch;
use crate::tally::Tally;
use combination::Item;
use gradyn_model::Coordinates;
use group::Group;
use reference::Steps;
use std::ops::ControlFlow;
use std::time::Duration;

/// A distance of so many expected errors is a disagreement.
pub(crate) const LIMIT: f64 = 10.0;

/// What to verify.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Formulation and integrator are one centre of the star; a fixed step and the options hold for every row
    /// that uses them.
    pub method: Method,
    /// Which combinations.
    pub scope: Scope,
    /// Fixed steps are doubled until a run has at most so many.
    pub most_steps: Option<usize>,
    /// Rows that would end after this time are skipped.
    pub budget: Option<Duration>,
}

impl Plan {
    /// The star around a method, with at most 2500 fixed steps a run.
    pub fn star(method: Method) -> Self {
        Self { method, scope: Scope::Star, most_steps: Some(2500), budget: None }
    }
}

/// What is about to run.
pub struct Stage<'a> {
    /// Rows done or skipped.
    pub done: usize,
    /// Number of all rows.
    pub total: usize,
    /// What runs now.
    pub name: &'a str,
}

/// What was found.
pub struct Report {
    /// The reference, or why there is none: what was tried, and the reason.
    pub reference: Result<Reference, Vec<String>>,
    /// Why the gradient of the reference is not known to be that of the problem, though methods may agree.
    pub doubt: Option<String>,
    /// One row per combination that was run, in the order of the list.
    pub rows: Vec<Row>,
    /// Combinations that did not fit into the budget.
    pub skipped: Vec<Combination>,
    /// Seconds in all.
    pub seconds: f64,
}

impl Report {
    /// Was something compared, is there no disagreement that nothing explains, and is the gradient of the
    /// reference that of the problem?
    pub fn agrees(&self) -> bool {
        let differs = |r: &Row| matches!(r.verdict, Verdict::Differs { .. });
        self.compared() > 0 && self.doubt.is_none() && !self.rows.iter().any(differs)
    }
    /// How many rows warned, by the kind of the warning.
    pub fn warnings(&self) -> Tally {
        let mut all = Tally::default();
        let measured = self.rows.iter().filter_map(|r| r.measured.as_ref());
        measured.for_each(|m| all.add_design(&Tally::of(&m.warnings)));
        all
    }
    /// Rows that were run and compared.
    pub fn compared(&self) -> usize {
        self.rows.iter().filter(|r| r.measured.is_some()).count()
    }
    /// Rows with that property.
    pub fn count(&self, of: impl Fn(&Verdict) -> bool) -> usize {
        self.rows.iter().filter(|r| of(&r.verdict)).count()
    }
    /// The row with the largest distance (4).
    pub fn farthest(&self) -> Option<&Row> {
        let ratio = |r: &&Row| r.measured.as_ref().map_or(f64::NEG_INFINITY, |m| m.distance.ratio);
        self.rows.iter().filter(|r| r.measured.is_some()).max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }
}

impl Prepared {
    /// Runs the combinations of a plan and compares them, with the same model in other coordinates if they
    /// are given; `observe` is called before each row.
    pub fn verify(
        &self,
        plan: &Plan,
        others: &[Prepared],
        observe: &mut dyn FnMut(&Stage),
    ) -> Result<Report, Error> {
        self.check_parameters()?;
        self.mesh()?;
        let started = Stopwatch::start();
        // items = combinations in the order in which they run
        let centres = combination::centres(self, &plan.method);
        let models: Vec<&Prepared> = std::iter::once(self).chain(others).collect();
        let families: Vec<Coordinates> = models.iter().map(|m| m.model.family).collect();
        let items = combination::list(&centres, plan.scope, &families);
        let total = items.len();
        // the reference, and steps that fit it
        observe(&Stage { done: 0, total, name: "reference" });
        let deadline = Deadline { started, budget: plan.budget };
        let reference = self.reference(plan, &centres, &deadline);
        let steps = Steps::new(self, plan, reference.as_ref().ok())?;
        let mut runs = Runs { models, reference: reference.as_ref().ok(), steps, groups: vec![] };
        let mut rows = vec![];
        let mut skipped = vec![];
        let mut clock = Clock::new(started, plan.budget);
        for (done, item) in items.iter().enumerate() {
            let new = !runs.has(item);
            if clock.is_late(!new) {
                skipped.push((item.place, item.combination));
                continue;
            }
            observe(&Stage { done, total, name: &item.combination.to_string() });
            let row = runs.row(item);
            clock.add(new, row.seconds);
            rows.push((item.place, row));
            runs.forget(&items[done + 1..]);
        }
        let rows = in_order(rows);
        let skipped = in_order(skipped);
        let doubt = reference.as_ref().ok().and_then(|r| r.doubt(self.objectives()));
        Ok(Report { reference, doubt, rows, skipped, seconds: started.seconds() })
    }
}

/// What a list holds, by the places in the table that stand beside it.
fn in_order<P: Ord + Copy, T>(mut list: Vec<(P, T)>) -> Vec<T> {
    list.sort_by_key(|x| x.0);
    list.into_iter().map(|x| x.1).collect()
}

/// Runs that later rows need again.
struct Runs<'a> {
    models: Vec<&'a Prepared>,
    reference: Option<&'a Reference>,
    steps: Steps,
    groups: Vec<(Combination, Result<Group, Error>)>,
}

impl<'a> Runs<'a> {
    /// The model in the coordinates of a combination.
    fn model(&self, c: &Combination) -> &'a Prepared {
        self.models.iter().find(|m| m.model.family == c.coordinates).copied().unwrap_or(self.models[0])
    }
    fn has(&self, item: &Item) -> bool {
        self.groups.iter().any(|g| g.0.same_run(&item.combination))
    }
    /// Runs and compares one combination.
    fn row(&mut self, item: &Item) -> Row {
        let started = Stopwatch::start();
        let model = self.model(&item.combination);
        let reference = self.reference;
        let measured = match self.group(&item.combination) {
            Ok(group) => group.measure(model, item.combination.sensitivity, reference),
            Err(e) => Err(e.clone()),
        };
        let [method, _] = self.steps.method(&item.combination);
        Row::new(item, method, model, measured, started.seconds())
    }
    /// The runs of a combination, made if they are not there.
    fn group(&mut self, c: &Combination) -> &Result<Group, Error> {
        let at = self.groups.iter().position(|g| g.0.same_run(c)).unwrap_or_else(|| {
            let group = Group::new(self.model(c), self.steps.method(c), &Deadline::none());
            self.groups.push((*c, group));
            self.groups.len() - 1
        });
        &self.groups[at].1
    }
    /// Drops runs that no later row needs.
    fn forget(&mut self, rest: &[Item]) {
        self.groups.retain(|g| rest.iter().any(|i| i.combination.same_run(&g.0)));
    }
}

/// When the reference has to be done.
#[derive(Clone, Copy)]
struct Deadline {
    started: Stopwatch,
    budget: Option<Duration>,
}

impl Deadline {
    /// There is time for everything.
    fn none() -> Self {
        Self { started: Stopwatch::start(), budget: None }
    }
    /// The whole budget [s].
    fn seconds(&self) -> f64 {
        self.budget.map_or(f64::INFINITY, |b| b.as_secs_f64())
    }
    /// Breaks a run off where the budget has ended.
    fn flow(&self) -> ControlFlow<()> {
        if self.started.seconds() > self.seconds() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What time is left. A row is expected to take as long as the mean of those before it, of those with new
/// runs or of those without.
struct Clock {
    started: Stopwatch,
    budget: Option<Duration>,
    spent: [(f64, usize); 2],
}

impl Clock {
    fn new(started: Stopwatch, budget: Option<Duration>) -> Self {
        Self { started, budget, spent: [(0.0, 0); 2] }
    }
    fn add(&mut self, new: bool, seconds: f64) {
        let s = &mut self.spent[usize::from(new)];
        *s = (s.0 + seconds, s.1 + 1);
    }
    /// Would a row end after the budget?
    fn is_late(&self, has_run: bool) -> bool {
        let (sum, count) = self.spent[usize::from(!has_run)];
        let next = sum / count.max(1) as f64;
        self.budget.is_some_and(|b| self.started.seconds() + next > b.as_secs_f64())
    }
}
