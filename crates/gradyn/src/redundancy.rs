//! Redundant constraints: what they ask of parameters, objectives, runs and outputs.
//!
//! Formulations with multipliers solve with independent rows only. With j_r the redundant rows of Φ_q and J the independent ones,
//!
//! ```text
//! j_r = d_rᵀ J,   n_r = (d_r, -1)                       n_r: multipliers that do nothing                 (1)
//! Φ_r = 0 along the run                                 it stays redundant                             (2)
//! n_r·Φ_ρ = 0 along the run                             a parameter does not break the loop             (3)
//! n_r·ψ_λ = 0 at λ and at λ + s n_r                      an objective is determinate                     (4)
//! λ + Σ c_r n_r with the smallest Σ (|j_i| λ_i)²         minimum-norm reactions of outputs               (5)
//! ```
//! In (5) rows are scaled to unit length, so that multipliers are forces. Penalty keeps all rows: its λ is unique.

use crate::error::Error;
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_model::{At, LEVEL, ModelError, Natural, Set, System};
use gradyn_num::{Basis, DenseLu, Wide, largest};

/// What counts as zero in (2)–(4), relative to the terms.
const ZERO: f64 = 1e-6;

/// Parts of a run at whose ends (3) and (4) are checked.
const RECORDS: usize = 7;

/// Coefficients of (1) below this, for rows of unit length, are roundings.
const ROUNDING: f64 = 1e-11;

/// n_r of (1), of all rows; exact zeros where a row has no part in it.
type NullVectors = Vec<Vec<f64>>;

/// (1) where `phi_q` was evaluated; `None` where independent rows became dependent.
fn null_vectors(sys: &Natural, redundant: &[usize], phi_q: &[f64]) -> Option<NullVectors> {
    let (mn, rows) = (&sys.patterns().mn, sys.independent(true));
    let unit = |k: usize| {
        let mut row = vec![0.0; mn.cols()];
        mn.row(k).for_each(|p| row[mn.col(p)] = phi_q[p]);
        let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter_mut().for_each(|x| *x /= size.max(f64::MIN_POSITIVE));
        (row, size)
    };
    let kept: Vec<(Vec<f64>, f64)> = rows.iter().map(|&k| unit(k as usize)).collect();
    let mut basis = Basis::default();
    if kept.iter().any(|k| basis.add(k.0.clone(), ROUNDING) <= ROUNDING) {
        return None;
    }
    let vector = |&r: &usize| {
        let (row, size) = unit(r);
        let d = basis.coefficients(&row);
        let zero = ROUNDING * largest(d.iter().copied());
        let mut n = vec![0.0; mn.rows()];
        for ((&k, d), kept) in rows.iter().zip(d).zip(&kept) {
            n[k as usize] = if d.abs() > zero { d * size / kept.1 } else { 0.0 };
        }
        n[r] = -1.0;
        n
    };
    Some(redundant.iter().map(vector).collect())
}

/// n·x and Σ|n_i x_i|.
fn contract(n: &[f64], x: &[f64]) -> (f64, f64) {
    n.iter().zip(x).map(|(n, x)| n * x).fold((0.0, 0.0), |(s, a), x| (s + x, a + x.abs()))
}

/// Redundancy cannot be judged at t.
fn lost(t: f64) -> Error {
    let e = ModelError::new(format!("the independent constraints become dependent at t = {t} s"));
    e.help("the mechanism is at a singular position there: what its redundant constraints follow from cannot be told").into()
}

impl Prepared {
    /// Redundant rows and what they follow from, by name.
    pub fn redundant(&self) -> Vec<(String, Vec<String>)> {
        let name = |k: usize| self.model.system.row_name(k);
        self.assembled.redundant.iter().map(|r| (name(r.row), r.on.iter().map(|o| name(o.0)).collect())).collect()
    }
    fn rows(&self) -> Vec<usize> {
        self.assembled.redundant.iter().map(|r| r.row).collect()
    }
    /// Does a method solve with independent rows only, and are there others?
    fn splits(&self, method: &Method) -> Option<&Natural> {
        self.model.full.as_deref().filter(|_| method.formulation != Formulation::Penalty)
    }
    /// Calls `f(row, n_r, at, data)` for the redundant rows at some records of a run, the first and the last among them.
    fn each(
        &self,
        run: &Run,
        sys: &Natural,
        mut f: impl FnMut(usize, &[f64], &At, &mut <Natural as System>::Data<f64>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (lay, plan, p) = (run.trajectory.layout, &run.trajectory.plan, self.model.slots(&self.rho));
        let mut d = sys.data::<f64>();
        sys.prepare(&p, &mut d);
        for n in (0..=RECORDS).map(|k| k * plan.steps() / RECORDS) {
            let at = lay.node(plan.t[n], run.trajectory.record(n));
            sys.set_angles(plan.angles(n), &mut d);
            sys.place(at.t, at.q, &mut d);
            let Some(vectors) = null_vectors(sys, &self.rows(), sys.phi_q(&d)) else { return Err(lost(at.t)) };
            for (row, vector) in self.rows().into_iter().zip(&vectors) {
                f(row, vector, &at, &mut d)?;
            }
        }
        Ok(())
    }
    /// (2) at every record, (4).
    pub(crate) fn check_redundancy(&self, run: &Run) -> Result<(), Error> {
        let Some(sys) = self.splits(&run.method) else { return Ok(()) };
        let (lay, plan, p) = (run.trajectory.layout, &run.trajectory.plan, self.model.slots(&self.rho));
        let (mut d, mut phi) = (sys.data::<f64>(), vec![0.0; lay.m]);
        sys.prepare(&p, &mut d);
        for n in 0..=plan.steps() {
            let at = lay.node(plan.t[n], run.trajectory.record(n));
            sys.set_angles(plan.angles(n), &mut d);
            sys.place(at.t, at.q, &mut d);
            phi.fill(0.0);
            sys.constraint(&at, LEVEL[0], &mut d, &mut phi);
            let kept = largest(sys.independent(true).iter().map(|&k| phi[k as usize]));
            let [q, v] = [at.q, at.v].map(|x| largest(x.iter().copied()));
            let holonomic = sys.dims().m - sys.dims().m_vel;
            let size = |r: usize| if r < holonomic { q * q } else { q * v };
            if let Some(r) = self.rows().into_iter().find(|&r| phi[r].abs() > ZERO * size(r) + 100.0 * kept) {
                return Err(self.broken(r, &format!("no longer does at t = {} s: it is off by {:.1e}", at.t, phi[r].abs())));
            }
        }
        let sets = [Set::Integrand, Set::Terminal];
        self.check_determined(
            run,
            sys,
            &sets,
            &self.model.objectives.iter().map(|o| format!("objective `{o}`")).collect::<Vec<_>>(),
        )
    }
    /// (4) for the functionals of some sets, by name.
    fn check_determined(&self, run: &Run, sys: &Natural, sets: &[Set], names: &[String]) -> Result<(), Error> {
        let lay = run.trajectory.layout;
        self.each(run, sys, |row, vector, at, d| {
            let s = largest(at.lam.iter().copied()).max(1.0);
            let moved: Vec<f64> = at.lam.iter().zip(vector).map(|(l, n)| l + s * n).collect();
            for &set in sets {
                let mut g = vec![0.0; lay.z() + sys.support(set).len()];
                for (k, name) in names.iter().enumerate() {
                    // a square of a multiplier that is left out has no slope where it is zero
                    for lam in [at.lam, &moved[..]] {
                        sys.measure_row(set, k, &At { lam, ..*at }, d, &mut g);
                        let (value, terms) = contract(vector, &g[lay.lam()..lay.z()]);
                        if value.abs() > ZERO * terms {
                            return Err(self.indeterminate(name, row, vector));
                        }
                    }
                }
            }
            Ok(())
        })
    }
    /// (4) for output columns whose derivatives are asked for: those of smallest norm depend on how the load is shared.
    pub(crate) fn check_redundant_outputs(&self, run: &Run) -> Result<(), Error> {
        let Some(sys) = self.splits(&run.method) else { return Ok(()) };
        let names: Vec<String> = self.model.columns.iter().map(|o| format!("output `{o}`")).collect();
        self.check_determined(run, sys, &[Set::Output], &names)
    }
    /// (3).
    pub(crate) fn check_redundant_parameters(&self, run: &Run) -> Result<(), Error> {
        let Some(sys) = self.splits(&run.method) else { return Ok(()) };
        let m = run.trajectory.layout.m;
        let seeds = |first: usize| {
            let seed = |(i, &x): (usize, &f64)| match i.checked_sub(first) {
                Some(k) if k < 8 => Wide::var(x, k),
                _ => Wide::from(x),
            };
            self.model.slots(&self.rho.iter().enumerate().map(seed).collect::<Vec<Wide>>())
        };
        for first in (0..self.rho.len()).step_by(8) {
            let p = seeds(first);
            for (k, parameter) in self.model.parameters.iter().enumerate().skip(first).take(8) {
                let delta: Vec<f64> = p.iter().map(|p| p.eps[k - first]).collect();
                self.each(run, sys, |row, vector, at, d| {
                    // n_r moves, so that Φ̇ may depend on ρ although the loop holds: rows of velocity level only
                    let velocity = row >= sys.dims().m - sys.dims().m_vel;
                    let mut out = vec![0.0; m];
                    sys.constraint_p(at, LEVEL[usize::from(velocity)], &delta, d, &mut out);
                    let (value, terms) = contract(vector, &out);
                    // terms that vanish where the constraints hold are drift: what the row could feel of the parameter says how small
                    let moves = largest(if velocity { at.v } else { at.q }.iter().copied());
                    let felt = moves * largest(sys.patterns().mn.row(row).map(|p| sys.phi_q(d)[p])) / parameter.scale;
                    let broken = value.abs() > ZERO * (terms + felt);
                    if broken { Err(self.breaks(&parameter.name, row)) } else { Ok(()) }
                })?;
            }
        }
        Ok(())
    }
    /// (5): the multipliers of an output row, with `d` placed at the node.
    pub(crate) fn minimum_norm(&self, method: &Method, d: &<Natural as System>::Data<f64>, lam: &mut [f64]) {
        let Some(sys) = self.splits(method) else { return };
        let (mn, vectors) = (&sys.patterns().mn, null_vectors(sys, &self.rows(), sys.phi_q(d)));
        let vectors = vectors.unwrap_or_default();
        let weight: Vec<f64> = (0..lam.len()).map(|k| mn.row(k).map(|p| sys.phi_q(d)[p].powi(2)).sum()).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(&weight).map(|((a, b), w)| a * b * w).sum::<f64>();
        let (r, mut gram) = (vectors.len(), DenseLu::new(vectors.len()));
        for (i, a) in vectors.iter().enumerate() {
            for (j, b) in vectors.iter().enumerate() {
                gram.matrix_mut()[i * r + j] = dot(a, b);
            }
        }
        if gram.factor().is_err() {
            return;
        }
        let mut c: Vec<f64> = vectors.iter().map(|n| -dot(n, lam)).collect();
        gram.solve(&mut c);
        for (c, n) in c.iter().zip(&vectors) {
            lam.iter_mut().zip(n).for_each(|(l, n)| *l += c * n);
        }
    }
    fn named(&self, row: usize) -> (String, String) {
        let (name, on) = self.redundant().swap_remove(self.rows().iter().position(|r| *r == row).expect("a redundant row"));
        let on: Vec<String> = on.iter().map(|o| format!("`{o}`")).collect();
        (name, if on.is_empty() { "what its bodies share".into() } else { on.join(", ") })
    }
    fn broken(&self, row: usize, what: &str) -> Error {
        let (name, on) = self.named(row);
        let e = ModelError::new(format!("`{name}` follows from {on} at the start, but {what}")).at(&self.place_of(&name));
        e.help("the constraints contradict each other on the way: check drivers and axes, or remove a joint").into()
    }
    fn breaks(&self, parameter: &str, row: usize) -> Error {
        let (name, on) = self.named(row);
        let message =
            format!("parameter `{parameter}` breaks a redundant loop: `{name}` follows from {on} only at its present value");
        let help = "there is no motion nearby to differentiate; remove the parameter, or a joint of the loop";
        ModelError::new(message).at(&self.place_of(&name)).help(help).into()
    }
    fn indeterminate(&self, what: &str, row: usize, vector: &[f64]) -> Error {
        let (name, _) = self.named(row);
        let rows = vector.iter().zip(self.model.system.row_names()).filter(|(n, _)| n.abs() > ZERO);
        let mut among: Vec<&str> = rows.map(|(_, row)| row.element.as_str()).collect();
        among.dedup();
        let message = format!("{what} reads reactions that are not determined: those of {}", among.join(", "));
        let help = "they share their load in a redundant loop; read a sum that is determined, use penalty, or remove a joint";
        ModelError::new(message).at(&self.place_of(&name)).help(help).into()
    }
    fn place_of(&self, row: &str) -> Option<std::ops::Range<usize>> {
        self.model.place(self.model.element(row))
    }
}
