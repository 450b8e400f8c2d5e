//! Loads that redundant constraints share by errors: (6) of `redundancy`.

use crate::prepare::{Prepared, Run, reads_shared, shared_rows};
use crate::registry::Formulation;
use gradyn_model::{At, Evaluator, Mechanics, Warning, WarningCode};
use gradyn_num::largest;

/// Bound of (6): an oscillator with ξ ≥ 0.2 answers with less.
const GAIN: f64 = 5.0;

/// Part of the loads of all rows below which a shared load is none.
const SMALL: f64 = 1e-3;

/// |j_k|² of the rows of Φ_q.
fn squares(sys: &Mechanics, terms: &Evaluator<f64>) -> Vec<f64> {
    let mn = &sys.patterns().mn;
    (0..mn.rows()).map(|k| mn.row(k).map(|p| terms.phi_q()[p].powi(2)).sum()).collect()
}

/// (6): loads that redundant constraints share by the errors of the integrator, times α.
pub(super) fn shared_load(model: &Prepared, run: &Run) -> Vec<Warning> {
    let penalty = run.method.formulation == Formulation::Penalty;
    let reads = || reads_shared(&model.model.system, &model.assembled.redundant);
    let Some(sys) = model.model.full.as_ref().filter(|_| penalty && reads()) else { return vec![] };
    let f = run.method.lagrange(&model.model);
    let c = f.compliance.rows(sys);
    let level = [f.level[0], f.level[1], 0.0];
    let shared = shared_rows(&model.assembled.redundant);
    let mn = &sys.patterns().mn;
    // (|j_k| α (2ξωΦ̇ + ω²Φ)_k, k, t), |Φ_qᵀλ| of shared rows, |j_k λ_k| of the others
    let mut worst = (0.0f64, 0, 0.0);
    let mut load = 0.0f64;
    let mut all = 0.0f64;
    let mut give = vec![0.0; run.trajectory.layout.m];
    blocks(model, run, sys, |at, terms| {
        give.fill(0.0);
        terms.constraint(at, level, &mut give);
        let size = squares(sys, terms);
        let mut force = vec![0.0; at.q.len()];
        for &k in &shared {
            mn.row(k).for_each(|p| force[mn.col(p)] += terms.phi_q()[p] * at.lam[k]);
            let g = (give[k] / c(k)).abs() * size[k].sqrt();
            if g > worst.0 {
                worst = (g, k, at.t);
            }
        }
        load = load.max(largest(force.iter().copied()));
        (0..size.len())
            .filter(|k| !shared.contains(k))
            .for_each(|k| all = all.max(at.lam[k].abs() * size[k].sqrt()));
    });
    if worst.0 > (GAIN * load).max(SMALL * all) {
        return vec![shared_load_warning(sys, worst, load)];
    }
    vec![]
}

/// The warning (6): (load [N], row, t [s]) of the worst row, beside the largest load of shared rows [N].
fn shared_load_warning(sys: &Mechanics, (size, k, t): (f64, usize, f64), load: f64) -> Warning {
    let text = format!(
        "the drift of `{}` at t = {t} s, times α, loads redundant constraints by {size:.1e} beside \
         {load:.1e}: how they share it is an error; take smaller steps, an integrator of higher order \
         or a larger omega",
        sys.row_name(k)
    );
    let row = &sys.row_names()[k];
    Warning::new(WarningCode::SharedLoad, text).about(row.owner, &row.element)
}

/// Calls `f` at the nodes of a run and, where objectives read multipliers, at the stages before them.
fn blocks(model: &Prepared, run: &Run, sys: &Mechanics, mut f: impl FnMut(&At, &mut Evaluator<f64>)) {
    let lay = run.trajectory.layout;
    let plan = &run.trajectory.plan;
    let p = model.model.slots(&model.rho);
    let stages = run.method.build(&model.model).stage_times();
    let mut terms = sys.evaluator(&p);
    // f at the stages that dynamics are read at, then at the node
    for n in 0..=plan.steps() {
        let x = run.trajectory.record(n);
        let inner = stages.iter().enumerate().filter(|(_, c)| n > 0 && c.is_some() && sys.reads_dynamics());
        let stage = |(i, c): (usize, &Option<f64>)| {
            (plan.t[n - 1] + c.unwrap_or(0.0) * plan.h[n - 1], &x[lay.head() + i * lay.z()..])
        };
        for (t, block) in inner.map(stage).chain([(plan.t[n], &x[..])]) {
            let at = lay.node(t, block);
            terms.set_branches(&run.trajectory.branches(n));
            terms.at(t, at.q);
            f(&at, &mut terms);
        }
    }
}
