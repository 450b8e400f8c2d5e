//! Constraints that an event switches on: whether they hold there at other designs too.
//!
//! ```text
//! Φ_q q' + Φ_t τ' + Φ_p p' = 0        at the restart, along one direction ρ' of all parameters           (1)
//! ```
//! A run at other parameters refuses a constraint that does not hold where it is switched on; a gradient of
//! this one would be that of no run. (1) is one column of the discrete direct sensitivities, and only where
//! an event switches on a constraint of positions that is not an equation of the positions that it gives:
//! those that follow from others there are none.

use crate::error::Error;
use crate::prepared::{Prepared, Run};
use gradyn_model::{At, Evaluator, Level, ModelError, Owner, ParameterInfo};
use gradyn_num::largest;
use gradyn_sensitivity::{Case, along};

/// (1) below this part of its terms is rounding and drift.
const HOLDS: f64 = 1e-6;

/// The least that a direction of all parameters moves a mechanism, relative to its size.
const LEAST: f64 = 1e-3;

/// Rows of positions that the event of a restart switches on, the restart, and the event.
struct Begins {
    record: usize,
    event: usize,
    rows: Vec<usize>,
}

/// Refuses a gradient where a constraint holds at its event at this design only.
pub(super) fn check_held(model: &Prepared, run: &Run, case: &Case) -> Result<(), Error> {
    let begins = beginnings(model, run);
    if begins.is_empty() {
        return Ok(());
    }
    // one direction of generic size in each parameter
    let size = |(k, p): (usize, &ParameterInfo)| (((k as f64 + 1.0) * 0.569_840_290).fract() + 0.5) * p.scale;
    let mut direction: Vec<f64> = model.parameters().iter().enumerate().map(size).collect();
    direction.resize(run.rho.len(), 0.0);
    let slots = case.slots_along(&direction);
    let p: Vec<f64> = slots.iter().map(|p| p.re).collect();
    let delta: Vec<f64> = slots.iter().map(|p| p.eps[0]).collect();
    // (1) at each of them
    let all = model.model.system.with_off(vec![])?;
    let mut terms = all.evaluator(&p);
    let mut wrong = None;
    along(case, std::slice::from_ref(&delta), |n, s| {
        for begin in begins.iter().filter(|b| b.record == n) {
            let off = |row: &&usize| !holds(run, (n, s), **row, &delta, &mut terms);
            if let Some(&row) = begin.rows.iter().find(off).filter(|_| wrong.is_none()) {
                wrong = Some((begin.event, row));
            }
        }
    })?;
    let Some((event, row)) = wrong else { return Ok(()) };
    let (row, event) = (all.row_name(row), &all.events()[event].name);
    let message = format!("{row} holds where event `{event}` switches it on at this design only");
    let e = ModelError::new(message).about(Owner::Event, event);
    Err(e
        .help(
            "let `when` of the event be the expression of the constraint, or let the event give positions that \
             it holds at",
        )
        .into())
}

/// Where constraints of positions begin, other than those that determine positions which their event gives.
fn beginnings(model: &Prepared, run: &Run) -> Vec<Begins> {
    let sys = &model.model.system;
    let holonomic = sys.dims().m - sys.dims().m_vel;
    let plan = &run.trajectory.plan;
    let mut begins = vec![];
    for record in 1..=plan.steps() {
        let Some(event) = plan.given_by[record].map(|e| e as usize) else { continue };
        let rule = &sys.events()[event];
        let choice = plan.rows(record).unwrap_or_else(|| sys.row_choice());
        let solved = |k: &u32| rule.is_place() && choice.independent[0].contains(k);
        let on = rule.constraints.iter().filter(|c| c.1);
        let rows = on.flat_map(|c| sys.rows_of(&c.0)).filter(|k| !solved(k)).map(|k| k as usize);
        let rows: Vec<usize> = rows.filter(|k| *k < holonomic).collect();
        if !rows.is_empty() {
            begins.push(Begins { record, event, rows });
        }
    }
    begins
}

/// Is (1) zero for a row at record `n`, whose derivative is `s`?
fn holds(run: &Run, (n, s): (usize, &[f64]), row: usize, delta: &[f64], terms: &mut Evaluator<f64>) -> bool {
    let (lay, plan) = (run.trajectory.layout, &run.trajectory.plan);
    let q = &run.trajectory.record(n)[..lay.n];
    let zero = vec![0.0; 2 * lay.n + lay.m];
    // the time is a number of the record, since there are events
    let moved = lay.time().map_or(0.0, |time| s[time]);
    let t = plan.t[n];
    let node = [q, &zero].concat();
    let at = At::of(t, &node, lay.n, lay.m);
    terms.set_branches(&run.trajectory.branches(n));
    terms.at(t, q);
    // Φ_t τ'
    let mut rate = vec![0.0; lay.m];
    terms.constraint(&at, Level::VELOCITY, &mut rate);
    // Φ_p p'
    let mut slots = vec![0.0; lay.m];
    terms.constraint_p(&at, Level::POSITION, delta, &mut slots);
    // Φ_q q'
    let mn = &run.system.patterns().mn;
    let mut turned = 0.0;
    let mut longest: f64 = 0.0;
    for k in mn.row(row) {
        let slope = terms.phi_q()[k];
        turned += slope * s[mn.col(k)];
        longest = longest.max(slope.abs());
    }
    // a mechanism that parameters do not move there has nothing but roundings
    let moves = longest * largest(s[..lay.n].iter().copied()).max(LEAST * run.system.size_of(q));
    let size = moves.max((rate[row] * moved).abs()).max(slots[row].abs());
    (turned + rate[row] * moved + slots[row]).abs() <= HOLDS * size
}
