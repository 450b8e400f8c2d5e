//! Redundant constraints: what they ask of parameters, objectives, runs and outputs.
//!
//! Formulations with multipliers solve with independent rows only. With j_r the redundant rows of Φ_q and J
//! the independent ones,
//!
//! ```text
//! j_r = d_rᵀ J,   n_r = (d_r, -1)                       n_r: multipliers that do nothing               (1)
//! Φ_r = 0 along the run                                 it stays redundant                           (2)
//! n_r·Φ_ρ = 0 along the run                             a parameter does not break the loop           (3)
//! n_r·ψ_λ = 0 at λ and at λ + s n_r                      an objective is determinate                   (4)
//! λ + Σ c_r n_r with the smallest Σ λ_k²                 minimum-norm reactions of outputs             (5)
//! α |j_k| |2ξωΦ̇ + ω²Φ|_k ≤ 5 max |Φ_qᵀλ| with penalty    loads are shared by α, not by errors           (6)
//! ```
//! The sum of (5) is over the rows of joints, drivers and constraints: differences of points and products of
//! unit vectors, so that multipliers are forces [N] and torques [N m]. The rows that keep bodies rigid take
//! what follows: their multipliers depend on the points that were chosen as coordinates. A row whose gradient
//! is rounding, as in the trees of joint coordinates, holds by itself: d_r = 0. Penalty keeps all rows: its λ
//! is unique, (2) and (4) are not asked of it. Φ answers λ/α like an oscillator with ξ and ω, by no more than
//! some λ/(αω²); what is above (6) is drift, and α times drift is load, because n_r moves: n_r·Φ̇ = -ṅ_r·Φ ≠
//! 0. How a load is shared depends on which joints have rows: where a multiplier of a dependency is read, all
//!    have.

use super::null_vectors::{NullVectors, ZERO, contract, linked, null_vectors, self_stress};
use super::rows_of;
use crate::error::Error;
use crate::method::Method;
use crate::prepare::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_model::{At, Evaluator, FunctionalSet, Level, Mechanics, ModelError, RowChoice};
use gradyn_num::{Wide, largest, nothing};

/// What a violation of the constraints, relative to the positions, may be multiplied by in (2) and (3):
/// coefficients of (1) for rows of equal length are below 4, and curvatures add to them.
const DRIFT: f64 = 100.0;

/// Parts of a run at whose ends (3) and (4) are checked.
const RECORDS: usize = 7;

/// Redundancy cannot be judged at t.
fn lost(t: f64) -> Error {
    let e = ModelError::new(format!("the independent constraints become dependent at t = {t} s"));
    e.help(
        "the mechanism is at a singular position there: what its redundant constraints follow from \
        cannot be told",
    )
    .into()
}

impl Prepared {
    /// Redundant rows and what they follow from, by name.
    pub fn redundant(&self) -> Vec<(String, Vec<String>)> {
        let name = |k: usize| self.model.system.row_name(k);
        self.assembled
            .redundant
            .iter()
            .map(|r| (name(r.row), r.on.iter().map(|o| name(o.0)).collect()))
            .collect()
    }
}

/// Does a method solve with independent rows only, and are there others?
fn splits(model: &Prepared, method: &Method) -> Option<Mechanics> {
    Some(with_redundant(model)?).filter(|_| method.formulation != Formulation::Penalty)
}

/// All rows, where some are redundant or may become so.
fn with_redundant(model: &Prepared) -> Option<Mechanics> {
    let some = model.model.full.is_some() || model.model.system.switches_rows();
    some.then(|| model.model.every_row())
}

/// Records at which (3) and (4) are checked: the first, the last, some between them, and where rows are
/// chosen again.
fn checked_records(run: &Run) -> Vec<usize> {
    let plan = &run.trajectory.plan;
    // rows that give way are dependent at the start only
    let parts = if run.method.formulation == Formulation::Penalty { 0 } else { RECORDS };
    let mut records: Vec<usize> = (0..=parts).map(|k| k * plan.steps() / RECORDS).collect();
    let changed = |n: &usize| plan.rows[*n] != plan.rows[*n - 1];
    records.extend((1..=plan.steps()).filter(changed).flat_map(|n| [n - 1, n]));
    records.sort_unstable();
    records.dedup();
    records
}

/// Calls `f(k, all n_r, at, terms)` for the redundant rows, by their number, at some records of a run.
fn at_records(
    model: &Prepared,
    run: &Run,
    sys: &Mechanics,
    mut f: impl FnMut(usize, &NullVectors, &At, &mut Evaluator<f64>) -> Result<(), Error>,
) -> Result<(), Error> {
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let p = model.model.slots(&model.rho);
    let mut terms = sys.evaluator(&p);
    for n in checked_records(run) {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        let Some(vectors) = null_vectors(sys, rows_of(model, &run.trajectory, n), terms.phi_q()) else {
            return Err(lost(at.t));
        };
        (0..vectors.of.len()).try_for_each(|k| f(k, &vectors, &at, &mut terms))?;
    }
    Ok(())
}

/// (2) at every record, (4).
pub(crate) fn check_redundancy(model: &Prepared, run: &Run) -> Result<(), Error> {
    let Some(sys) = &splits(model, &run.method) else { return Ok(()) };
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let p = model.model.slots(&model.rho);
    let mut terms = sys.evaluator(&p);
    let mut phi = vec![0.0; lay.m];
    // Φ of every row at every node
    for n in 0..=plan.steps() {
        let record = run.trajectory.record(n);
        let at = lay.node(plan.t[n], &record);
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        phi.fill(0.0);
        terms.constraint(&at, Level::POSITION, &mut phi);
        // a redundant row is broken where it is beyond rounding and beyond the kept ones
        let rows = rows_of(model, &run.trajectory, n);
        let kept = largest(rows.independent[1].iter().map(|&k| phi[k as usize]));
        let q = sys.size_of(at.q);
        let v = largest(at.v.iter().copied());
        let holonomic = sys.dims().m - sys.dims().m_vel;
        let size = |r: usize| if r < holonomic { q * q } else { q * v };
        let mut dropped = rows.redundant().map(|r| r as usize);
        if let Some(r) = dropped.find(|&r| phi[r].abs() > ZERO * size(r) + DRIFT * kept) {
            if kept > ZERO * q * q {
                return Err(drifts(at.t, kept));
            }
            let what = format!("no longer does at t = {} s: it is off by {:.1e}", at.t, phi[r].abs());
            let vectors = null_vectors(sys, rows, terms.phi_q());
            return Err(broken(model, r, vectors.as_ref(), &what));
        }
    }
    // objectives must not read what the rows share
    let sets = [FunctionalSet::Integrand, FunctionalSet::Terminal];
    check_determined(model, run, sys, &sets, &model.functionals().into_iter().enumerate().collect::<Vec<_>>())
}

/// (4) for functionals of some sets, by number and name.
fn check_determined(
    model: &Prepared,
    run: &Run,
    sys: &Mechanics,
    sets: &[FunctionalSet],
    names: &[(usize, String)],
) -> Result<(), Error> {
    at_records(model, run, sys, |k, vectors, at, terms| {
        sets.iter().try_for_each(|&set| check_determined_at(model, sys, (k, vectors), at, terms, set, names))
    })
}

/// (4) at one point for redundant row number `k` and functionals of a set, by number and name.
fn check_determined_at(
    model: &Prepared,
    sys: &Mechanics,
    (k, vectors): (usize, &NullVectors),
    at: &At,
    terms: &mut Evaluator<f64>,
    set: FunctionalSet,
    names: &[(usize, String)],
) -> Result<(), Error> {
    // λ, and λ moved along n_r
    let vector = &vectors.n[k];
    let s = largest(at.lam.iter().copied()).max(1.0);
    let moved: Vec<f64> = at.lam.iter().zip(vector).map(|(l, n)| l + s * n).collect();
    // the slope of each functional along n_r
    let first = 3 * at.q.len();
    let last = first + at.lam.len();
    let mut g = vec![0.0; last + sys.support(set).len()];
    for (i, name) in names {
        // a square of a multiplier that is left out has no slope where it is zero
        for lam in [at.lam, &moved[..]] {
            terms.measure_row(set, *i, &At { lam, ..*at }, &mut g);
            let (value, size) = contract(vector, &g[first..last]);
            if value.abs() > ZERO * size {
                return Err(indeterminate(model, name, k, vectors));
            }
        }
    }
    Ok(())
}

/// (4) for output columns at a static equilibrium, where `terms` with all rows are.
pub(crate) fn check_static_outputs(
    model: &Prepared,
    at: &At,
    terms: &mut Evaluator<f64>,
) -> Result<(), Error> {
    let Some(sys) = model.model.full.as_ref() else { return Ok(()) };
    let rows = model.model.system.row_choice();
    let Some(vectors) = null_vectors(sys, rows, terms.phi_q()) else {
        return Err(lost(at.t));
    };
    let names = output_names(model, |_| true);
    (0..vectors.of.len()).try_for_each(|k| {
        check_determined_at(model, sys, (k, &vectors), at, terms, FunctionalSet::Output, &names)
    })
}

/// The output columns that are asked for, by number and by what messages call them.
fn output_names(model: &Prepared, asked: impl Fn(usize) -> bool) -> Vec<(usize, String)> {
    let columns = model.model.columns.iter().enumerate();
    columns.filter(|(k, _)| asked(*k)).map(|(k, o)| (k, format!("output `{o}`"))).collect()
}

/// (4) for output columns whose derivatives are asked for: those of smallest norm depend on how the load
/// is shared.
/// `asked` says which of them.
pub(crate) fn check_redundant_outputs(
    model: &Prepared,
    run: &Run,
    asked: impl Fn(usize) -> bool,
) -> Result<(), Error> {
    let Some(sys) = &splits(model, &run.method) else { return Ok(()) };
    check_determined(model, run, sys, &[FunctionalSet::Output], &output_names(model, asked))
}

/// (3), for every formulation: penalty would answer with α times a prestress, or with zero where all
/// coordinates are shared.
pub(crate) fn check_redundant_parameters(model: &Prepared, run: &Run) -> Result<(), Error> {
    let Some(sys) = &with_redundant(model) else { return Ok(()) };
    let m = run.trajectory.layout.m;
    let seeds = |first: usize| {
        let seed = |(i, &x): (usize, &f64)| match i.checked_sub(first) {
            Some(k) if k < 8 => Wide::var(x, k),
            _ => Wide::from(x),
        };
        model.model.slots(&model.rho.iter().enumerate().map(seed).collect::<Vec<Wide>>())
    };
    for first in (0..model.rho.len()).step_by(8) {
        let p = seeds(first);
        for (k, parameter) in model.model.parameters.iter().enumerate().skip(first).take(8) {
            let delta: Vec<f64> = p.iter().map(|p| p.eps[k - first]).collect();
            at_records(model, run, sys, |k, vectors, at, terms| {
                let row = vectors.of[k];
                let vector = &vectors.n[k];
                // n_r moves, so that Φ̇ may depend on ρ although the loop holds: rows of velocity level
                // only
                let velocity = row >= sys.dims().m - sys.dims().m_vel;
                let mut out = vec![0.0; m];
                terms.constraint_p(at, Level::ALL[usize::from(velocity)], &delta, &mut out);
                let (value, size) = contract(vector, &out);
                // terms that vanish where the constraints hold are drift: what the row could feel of the
                // parameter says how small
                let size_of = if velocity { largest(at.v.iter().copied()) } else { sys.size_of(at.q) };
                let moves = size_of / parameter.scale;
                let felt = moves * largest(sys.patterns().mn.row(row).map(|p| terms.phi_q()[p]));
                // of a row that holds by itself both are roundings, beside what any row could feel
                let rounding = moves * nothing(terms.phi_q());
                // and where the constraints are violated, n_r is off by as much
                let violated = DRIFT * violation(sys, at, terms);
                let broken = value.abs() > (ZERO + violated) * (size + felt) + rounding;
                if broken { Err(breaks(model, &parameter.name, row, vectors)) } else { Ok(()) }
            })?;
        }
    }
    Ok(())
}

/// |Φ| of the worst row where the terms are, relative to the positions.
fn violation(sys: &Mechanics, at: &At, terms: &mut Evaluator<f64>) -> f64 {
    let mut phi = vec![0.0; at.lam.len()];
    terms.constraint(at, Level::POSITION, &mut phi);
    let holonomic = sys.dims().m - sys.dims().m_vel;
    largest(phi[..holonomic].iter().copied()) / sys.size_of(at.q).powi(2)
}

/// (5): the multipliers of an output row, with `terms` at the node; `rows` is its choice of rows, if it is
/// not that of the system.
pub(crate) fn minimum_norm(
    model: &Prepared,
    method: &Method,
    rows: Option<&RowChoice>,
    terms: &Evaluator<f64>,
    lam: &mut [f64],
) {
    let Some(sys) = &splits(model, method) else { return };
    let rows = rows.unwrap_or(model.model.system.row_choice());
    let Some(vectors) = null_vectors(sys, rows, terms.phi_q()) else { return };
    let weight: Vec<f64> = sys.row_names().iter().map(|r| f64::from(!r.owner.of_body())).collect();
    let stress = self_stress(&vectors, &weight, lam);
    lam.iter_mut().zip(stress).for_each(|(l, s)| *l -= s);
}

/// A row that is left out, and what it follows from: at the start, or else by its n_r.
fn named_row(model: &Prepared, row: usize, vectors: Option<&NullVectors>) -> (String, String) {
    let name = |k: usize| model.model.system.row_name(k);
    let at_start = model.assembled.redundant.iter().find(|r| r.row == row);
    let on: Vec<usize> = match at_start {
        Some(r) => r.on.iter().map(|o| o.0).collect(),
        None => vectors.map(|v| v.rows_behind(row)).unwrap_or_default(),
    };
    let on: Vec<String> = on.into_iter().map(|k| format!("`{}`", name(k))).collect();
    (name(row), if on.is_empty() { "what its bodies share".into() } else { on.join(", ") })
}

fn broken(model: &Prepared, row: usize, vectors: Option<&NullVectors>, what: &str) -> Error {
    let (name, on) = named_row(model, row, vectors);
    let early = model.assembled.redundant.iter().any(|r| r.row == row);
    let when = if early { "follows from" } else { "was to follow from" };
    let at_start = if early { " at the start" } else { "" };
    let e =
        ModelError::new(format!("`{name}` {when} {on}{at_start}, but {what}")).at(&place_of(model, &name));
    e.help("the constraints contradict each other on the way: check drivers and axes, or remove a joint")
        .into()
}

/// The kept rows have drifted so far that nothing can be told about the others.
fn drifts(t: f64, violation: f64) -> Error {
    let message = format!("the constraints drift: they are violated by {violation:.1e} at t = {t} s");
    let help =
        "take stabilisation=projection, or a larger omega; or maggi, index3 or ali3p, which do not drift";
    Error::method(message, help)
}

fn breaks(model: &Prepared, parameter: &str, row: usize, vectors: &NullVectors) -> Error {
    let (name, on) = named_row(model, row, Some(vectors));
    let message = format!(
        "parameter `{parameter}` breaks a redundant loop: `{name}` follows from {on} only at its present \
         value"
    );
    let help = "there is no motion nearby to differentiate; remove the parameter, or a joint of the loop";
    ModelError::new(message).at(&place_of(model, &name)).help(help).into()
}

/// A functional that reads what redundant row number `k` shares with others.
fn indeterminate(model: &Prepared, what: &str, k: usize, vectors: &NullVectors) -> Error {
    let row = vectors.of[k];
    let name = model.model.system.row_name(row);
    let names = model.model.system.row_names();
    let among = names.iter().zip(linked(row, vectors)).filter(|(name, on)| *on && !name.owner.of_body());
    let mut among: Vec<&str> = among.map(|(name, _)| name.element.as_str()).collect();
    among.dedup();
    let message = format!("{what} reads reactions that are not determined: those of {}", among.join(", "));
    let help = "they share their load in a redundant loop; read a sum that is determined, use penalty, or \
        remove a joint";
    ModelError::new(message).at(&place_of(model, &name)).help(help).into()
}

fn place_of(model: &Prepared, row: &str) -> Option<std::ops::Range<usize>> {
    model.model.place(model.model.element(row))
}
