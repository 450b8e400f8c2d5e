//! What is seen of a run in one look at all of its records, in their order.
//!
//! Within a memory budget records are made again for each such look: there is one.

use super::cuts::Cuts;
use super::decisions::Decisions;
use super::kept_rows::KeptRows;
use super::rows_of;
use crate::prepare::{Passed, Prepared, Run};
use gradyn_dynamics::Trajectory;
use gradyn_model::{At, Evaluator, FunctionalSet, Level, Outside};
use gradyn_num::largest;

/// What was seen.
pub(super) struct Along<'a> {
    /// The first force that is not defined, with the time [s].
    pub undefined: Option<(f64, Outside)>,
    /// The first record where the integral of each objective is not finite.
    pub not_finite: Vec<Option<usize>>,
    /// Largest |Φ|, |Φ̇|; E₀ and max |E - E₀|; the largest |Φ̇| in the first and in the second half.
    pub drift: [f64; 2],
    pub energy: (f64, f64),
    pub growth: [f64; 2],
    /// Largest coordinate.
    pub size: f64,
    /// The first force whose ends changed sides within a step, with the record.
    pub met: Option<(usize, String)>,
    /// Independence of the rows of each record, with what measures it and the terms of all rows.
    pub independence: Vec<f64>,
    pub rows: KeptRows<'a>,
    pub terms: Evaluator<f64>,
    /// Cuts, poles and kinks between the nodes.
    pub passed: Vec<Passed>,
    /// What steps have decided, against the motion.
    pub decisions: Decisions,
}

/// Memory of the look.
struct Look<'a> {
    model: &'a Prepared,
    run: &'a Trajectory,
    /// Terms of forces that are not defined everywhere, where there are any.
    guards: Option<Evaluator<f64>>,
    forces: Evaluator<f64>,
    all: Evaluator<f64>,
    phi: Vec<f64>,
    outputs: Vec<f64>,
}

impl<'a> Along<'a> {
    /// Looks at a run that has ended.
    pub(super) fn look(model: &'a Prepared, run: &Run, p: &[f64]) -> Self {
        let sys = &model.model.system;
        let traj = &run.trajectory;
        let mut along = Self {
            undefined: None,
            not_finite: vec![None; model.objectives().len()],
            drift: [0.0; 2],
            energy: (0.0, 0.0),
            growth: [0.0; 2],
            size: 0.0,
            met: None,
            independence: Vec::with_capacity(traj.plan.steps() + 1),
            rows: KeptRows::new(model, &run.method, traj, p),
            terms: model.model.every_row().evaluator(p),
            passed: vec![],
            decisions: Decisions::new(model, p),
        };
        let mut look = Look {
            model,
            run: traj,
            guards: sys.guarded().then(|| {
                let mut terms = sys.evaluator(p);
                terms.set_branches(&traj.branches(0));
                terms
            }),
            forces: sys.evaluator(p),
            all: model.model.every_row().evaluator(p),
            phi: vec![0.0; traj.layout.m],
            outputs: vec![0.0; sys.functionals(FunctionalSet::Output)],
        };
        let mut cuts = Cuts::new(model, traj, p);
        for n in 0..=traj.plan.steps() {
            along.see(n, &mut look);
            // such a run is refused
            if along.undefined.is_some() {
                break;
            }
            if along.not_finite.iter().all(Option::is_none) {
                along.see_motion(n, &mut look);
                cuts.see(n);
                along.decisions.see(n, traj);
            }
        }
        along.passed = cuts.found;
        along
    }
    /// What makes record `n` of no use.
    fn see(&mut self, n: usize, look: &mut Look) {
        let Look { run, guards, .. } = look;
        let (lay, plan) = (run.layout, &run.plan);
        let record = run.record(n);
        for (k, first) in self.not_finite.iter_mut().enumerate() {
            if first.is_none() && !record[lay.z() + k].is_finite() {
                *first = Some(n);
            }
        }
        let Some(terms) = guards.as_mut().filter(|_| n > 0) else { return };
        terms.at_time(plan.t[n]);
        // an event may have given other positions
        let from = if plan.restarts[n] { n } else { n - 1 };
        let before = run.record(from);
        let [before, at] = [lay.node(plan.t[from], &before), lay.node(plan.t[n], &record)];
        self.undefined = terms.undefined_force(&before, &at).map(|outside| (plan.t[n], outside));
    }
    /// The motion at record `n`.
    fn see_motion(&mut self, n: usize, look: &mut Look) {
        let (run, lay) = (look.run, look.run.layout);
        let record = run.record(n);
        let at = lay.node(run.plan.t[n], &record);
        look.all.set_branches(&run.branches(n));
        look.all.at(at.t, at.q);
        self.see_drift(n, &at, look);
        self.see_energy(n, &at, look);
        // positions, and forces whose ends change sides
        self.size = self.size.max(largest(at.q.iter().copied()));
        if self.met.is_none() && n > 0 && !run.plan.restarts[n] {
            let name = look.forces.reversed_force(&run.record(n - 1)[..lay.n], at.q);
            self.met = name.map(|name| (n, name));
        }
        // independence of the rows
        self.terms.at(at.t, at.q);
        self.rows.learn(n, &self.terms);
        self.independence.push(self.rows.measure(n, &self.terms));
    }
    /// drift = max |Φ|, max |Φ̇|.
    fn see_drift(&mut self, n: usize, at: &At, look: &mut Look) {
        let Look { model, run, all, phi, .. } = look;
        for level in 0..2 {
            phi.fill(0.0);
            all.constraint(at, Level::ALL[level], phi);
            rows_of(model, run, n).off.iter().for_each(|&k| phi[k as usize] = 0.0);
            let rows = if level == 0 { phi.len() - model.model.system.dims().m_vel } else { phi.len() };
            let size = largest(phi[..rows].iter().copied());
            self.drift[level] = self.drift[level].max(size);
            if level == 1 {
                let half = usize::from(2 * n > run.plan.steps());
                self.growth[half] = self.growth[half].max(size);
            }
        }
    }
    /// energy = (E₀, max |E - E₀|).
    fn see_energy(&mut self, n: usize, at: &At, look: &mut Look) {
        look.all.measure(FunctionalSet::Output, at, &mut look.outputs);
        let energy = *look.outputs.last().expect("the energy is always there");
        if n == 0 {
            self.energy.0 = energy;
        }
        self.energy.1 = self.energy.1.max((energy - self.energy.0).abs());
    }
}
