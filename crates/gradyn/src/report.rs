//! Tables of a run: output columns at nodes or at equal times, and their sensitivities.

use crate::diagnose::minimum_norm;
use crate::error::Error;
use crate::prepared::{Prepared, Run};
use gradyn_dynamics::Plan;
use gradyn_model::{FunctionalSet, Warning, WarningCode};
use gradyn_num::Wide;
use gradyn_sensitivity::{Case, Gradient};

/// Output rows (t, columns…).
pub struct Table {
    /// `t`, then the model's columns.
    pub columns: Vec<String>,
    /// One row per time.
    pub rows: Vec<Vec<f64>>,
}

/// Columns of a table that are not finite somewhere: a warning for each, with the first time, which is the
/// first number of a row.
pub fn not_finite(columns: &[String], rows: &[Vec<f64>]) -> Vec<Warning> {
    let column = |(k, name): (usize, &String)| {
        let mut wrong = rows.iter().filter(|row| row.get(k).is_some_and(|x| !x.is_finite()));
        let first = wrong.next()?;
        let text = format!("column `{name}` is {} at t = {} s", first[k], first[0]);
        let text = match wrong.count() {
            0 => text,
            more => format!("{text}, and not finite in {more} more rows"),
        };
        Some(Warning::new(WarningCode::NotFinite, text))
    };
    columns.iter().enumerate().filter_map(column).collect()
}

impl Prepared {
    /// The output table at every node, or every `step` seconds by the integrator's interpolant and at the
    /// final time.
    pub fn table(&self, run: &Run, step: Option<f64>) -> Result<Table, Error> {
        self.check_own(run)?;
        let columns = std::iter::once("t".to_owned()).chain(self.model.columns.iter().cloned()).collect();
        // rows at the nodes
        let Some(h) = step else {
            let rows = self.rows_at(run, 0..=run.trajectory.plan.steps());
            run.trajectory.check_made()?;
            return Ok(Table { columns, rows });
        };
        // or at equal times, by the interpolant of the step that each of them is in
        check_output_step(h)?;
        let p = self.model.slots(&run.rho);
        let rows = self.with_rows(run, |row| self.at_equal_times(run, h, &p, row))?;
        run.trajectory.check_made()?;
        Ok(Table { columns, rows })
    }
    /// Rows (t, columns…) at some nodes of a run.
    pub(crate) fn rows_at(&self, run: &Run, nodes: impl IntoIterator<Item = usize>) -> Vec<Vec<f64>> {
        let traj = &run.trajectory;
        self.with_rows(run, |row| {
            nodes.into_iter().map(|n| row(traj.plan.t[n], n, &traj.record(n))).collect()
        })
    }
    /// Calls `f` with what makes a row of a time, the step that it is in, and the node there.
    fn with_rows<T>(
        &self,
        run: &Run,
        f: impl FnOnce(&mut dyn FnMut(f64, usize, &[f64]) -> Vec<f64>) -> T,
    ) -> T {
        let sys = &self.model.every_row();
        let traj = &run.trajectory;
        let p = self.model.slots(&run.rho);
        let lay = traj.layout;
        let plan = &traj.plan;
        let mut terms = sys.evaluator(&p);
        let mut y = vec![0.0; sys.functionals(FunctionalSet::Output)];
        let mut node = vec![0.0; lay.z()];
        let reads = (0..lay.m).any(|k| sys.reads_multiplier(k));
        // row = outputs of a node, with the loads that redundant rows share
        let mut row = |t: f64, n: usize, x: &[f64]| {
            terms.set_branches(&traj.branches(n));
            terms.at(t, &x[..lay.n]);
            node.copy_from_slice(&x[..lay.z()]);
            if reads {
                minimum_norm(self, &run.method, plan.rows(n), &terms, &mut node[lay.lam()..]);
            }
            terms.measure(FunctionalSet::Output, &lay.node(t, &node), &mut y);
            std::iter::once(t).chain(y[..self.model.columns.len()].iter().copied()).collect::<Vec<f64>>()
        };
        f(&mut row)
    }
    /// Rows every `h` [s]; `row` makes one of a time, the step that it is in, and the node there.
    fn at_equal_times(
        &self,
        run: &Run,
        h: f64,
        p: &[f64],
        row: &mut dyn FnMut(f64, usize, &[f64]) -> Vec<f64>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let traj = &run.trajectory;
        let plan = &traj.plan;
        let mut chain = run.method.build(&self.model).chain(p)?;
        let mut rows = vec![];
        let mut n = 1;
        let mut node = vec![0.0; traj.layout.z()];
        for t in output_times(plan, h)? {
            // n = the step that t is in
            while n < plan.steps() && plan.t[n] < t {
                n += 1;
            }
            // node = its interpolant there
            let link = traj.link(n);
            let record = link.args(p);
            let theta = ((t - record.span.t) / record.span.h).clamp(0.0, 1.0);
            chain.interpolate(&record, theta, &mut node)?;
            rows.push(row(t, n, &node));
        }
        Ok(rows)
    }
}

/// Refuses an output step [s] that is not positive.
fn check_output_step(h: f64) -> Result<(), Error> {
    if h > 0.0 && h.is_finite() {
        return Ok(());
    }
    Err(Error::method(format!("an output step of {h} s makes no sense"), "give a positive number"))
}

/// Times every `h` [s] from the start, and the final time where none falls on it.
fn output_times(plan: &Plan, h: f64) -> Result<impl Iterator<Item = f64> + use<>, Error> {
    let t0 = plan.t[0];
    let end = *plan.t.last().expect("a plan has a start");
    let count = ((end - t0) / h * (1.0 + 1e-12)).floor();
    if count > 1e7 {
        return Err(Error::method(
            format!("an output step of {h} s gives {count:.0e} rows"),
            "take a larger output step",
        ));
    }
    let count = count as usize;
    let last = (end - (t0 + count as f64 * h) > 1e-9 * h).then_some(end);
    Ok((0..=count).map(move |k| (t0 + k as f64 * h).min(end)).chain(last))
}

/// d(column)/dρ at the nodes of a direct run, 8 parameters at a time.
pub(crate) struct OutputDerivatives {
    /// p' of 8 directions at a time.
    slots: Vec<Vec<Wide>>,
    /// Number of directions.
    count: usize,
}

impl OutputDerivatives {
    /// p' of all parameters.
    pub(crate) fn new(case: &Case) -> Self {
        let count = case.rho.len();
        Self { slots: (0..count).step_by(8).map(|first| case.slot_directions(first)).collect(), count }
    }
    /// One direction p' of slots, in the first part of each.
    pub(crate) fn along(slots: Vec<Wide>) -> Self {
        Self { slots: vec![slots], count: 1 }
    }
    /// Rows [column][parameter] of record `n` with columns `s` (parameter-major).
    pub(crate) fn rows(&mut self, case: &Case, n: usize, s: &[f64]) -> Gradient {
        let sys = case.recipe.system();
        let lay = case.run.layout;
        let plan = &case.run.plan;
        let count = self.count;
        let x = case.run.record(n);
        let outputs = sys.functionals(FunctionalSet::Output);
        let mut rows = vec![vec![0.0; count]; outputs.saturating_sub(1)];
        // eight columns at a time
        for (chunk, p) in self.slots.iter().enumerate() {
            // record with its derivatives along them
            let seeded: Vec<Wide> = (0..lay.z())
                .map(|i| {
                    let part = |k: usize| s.get((chunk * 8 + k) * lay.len + i).copied().unwrap_or(0.0);
                    Wide { re: x[i], eps: std::array::from_fn(part) }
                })
                .collect();
            // outputs there
            let mut terms = sys.evaluator(p);
            let mut y = vec![Wide::from(0.0); outputs];
            let t = plan.node(n, p);
            terms.set_branches(&case.run.branches(n));
            terms.at(t, &seeded[..lay.n]);
            terms.measure(FunctionalSet::Output, &lay.node(t, &seeded), &mut y);
            // rows = their derivative parts
            for (row, y) in rows.iter_mut().zip(&y) {
                row[chunk * 8..].iter_mut().zip(y.eps).for_each(|(r, e)| *r = e);
            }
        }
        rows
    }
}
