//! Objectives ψ = z_N + w(x_N, t_N; p), their terminal gradients, and what a sensitivity run needs to know.
//!
//! ```text
//! ψ_k = ∫ g_k dt + w_k                                            (1)  [A22, Eq. 6; P14, Eq. 8]
//! g = quadrature rows of the record,   w = terminal functional
//! ```

use gradyn_dynamics::{Chain, Products, StepError, StepRecipe, Trajectory};
use gradyn_model::{At, FunctionalSet, Model, RunScalar};
use gradyn_num::{Dual, Scalar, Wide};
use std::sync::Arc;

/// One row per objective, one column per parameter.
pub type Gradient = Vec<Vec<f64>>;

/// What the parameters ρ are: how slots follow from them, their typical sizes.
#[derive(Clone, Copy)]
pub enum Design<'a> {
    /// p = e(ρ) of a model.
    Model(&'a Model),
    /// p = ρ, with sizes.
    Plain(&'a [f64]),
}

impl Design<'_> {
    /// The slots p of parameters ρ.
    pub fn slots<S: Scalar>(&self, rho: &[S]) -> Vec<S> {
        match self {
            Design::Model(m) => m.slots(rho),
            Design::Plain(_) => rho.to_vec(),
        }
    }
    /// (∂p/∂ρ)ᵀ applied to a slot gradient.
    pub fn pull_back(&self, rho: &[f64], slots: &[f64]) -> Vec<f64> {
        match self {
            Design::Model(m) => m.pull_back(rho, slots),
            Design::Plain(_) => slots[..rho.len()].to_vec(),
        }
    }
    /// Typical size of parameter `k`.
    pub(crate) fn scale(&self, k: usize) -> f64 {
        match self {
            Design::Model(m) => m.parameters[k].scale,
            Design::Plain(scales) => scales[k],
        }
    }
    /// Name of objective `k`.
    pub(crate) fn objective(&self, k: usize) -> String {
        match self {
            Design::Model(m) => m.objectives[k].clone(),
            Design::Plain(_) => format!("objective {}", k + 1),
        }
    }
}

/// A run and what produced it.
pub struct Case<'a> {
    /// What the step is made from.
    pub recipe: &'a StepRecipe,
    /// The parameters: e(ρ).
    pub design: Design<'a>,
    /// Parameters ρ of the run.
    pub rho: &'a [f64],
    /// The run to differentiate, with its plan.
    pub run: &'a Trajectory,
    /// What stands around its records, in tests of checks.
    wrap: Option<&'a Wrap>,
}

impl<'a> Case<'a> {
    /// A run with what produced it.
    pub fn new(recipe: &'a StepRecipe, design: Design<'a>, rho: &'a [f64], run: &'a Trajectory) -> Self {
        Self { recipe, design, rho, run, wrap: None }
    }
    /// With something around its records.
    #[doc(hidden)]
    pub fn with_wrap(self, wrap: Option<&'a Wrap>) -> Self {
        Self { wrap, ..self }
    }
    /// What stands around its records.
    pub(crate) fn wrap(&self) -> Option<&Wrap> {
        self.wrap
    }
}

impl Case<'_> {
    /// The slots p = e(ρ) of the run.
    pub fn slots(&self) -> Vec<f64> {
        self.design.slots(self.rho)
    }
    /// Number of objectives.
    pub(crate) fn objectives(&self) -> usize {
        self.run.layout.o
    }
    /// p' along one direction of ρ, in the first part of each slot.
    pub fn slots_along(&self, direction: &[f64]) -> Vec<Wide> {
        let rho: Vec<Wide> = self.rho.iter().zip(direction).map(|(&x, &d)| Wide::along(x, d)).collect();
        self.design.slots(&rho)
    }
    /// p' for directions `first` … `first + 8` of ρ.
    pub fn slot_directions(&self, first: usize) -> Vec<Wide> {
        let seed = |i: usize, x: f64| {
            if (first..first + 8).contains(&i) { Wide::var(x, i - first) } else { Wide::from(x) }
        };
        let rho: Vec<Wide> = self.rho.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
        self.design.slots(&rho)
    }
}

/// All that direct and adjoint ask of the records of a run: products of the one that was linearised last.
pub trait Records: Products {
    /// Partials and factors of record `n`, with its columns in time; `p` are the slots.
    fn linearise(&mut self, case: &Case, n: usize, p: &[f64]) -> Result<(), StepError>;
    /// R_h and R_t of a record that a declared time moves.
    fn time_columns(&self) -> [&[f64]; 2];
    /// (∂e/∂ρ)ᵀ applied to a slot gradient.
    fn pull_back(&self, case: &Case, slots: &[f64]) -> Vec<f64>;
    /// The chain that has the products.
    fn chain(&mut self) -> &mut Chain;
}

/// Puts something around the records of a run: tests of checks make mistakes in them.
#[derive(Clone)]
pub struct Wrap(Arc<Around>);

/// Records from records.
type Around = dyn Fn(Box<dyn Records>) -> Box<dyn Records> + Send + Sync;

impl Wrap {
    /// From a function of records.
    pub fn new(around: impl Fn(Box<dyn Records>) -> Box<dyn Records> + Send + Sync + 'static) -> Self {
        Self(Arc::new(around))
    }
    /// Records with what stands around them.
    pub(crate) fn around(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        (self.0)(records)
    }
}

impl std::fmt::Debug for Wrap {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Wrap")
    }
}

impl PartialEq for Wrap {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// ψ at the end of a run, (1).
pub fn values(recipe: &StepRecipe, p: &[f64], run: &Trajectory) -> Vec<f64> {
    terminal(recipe, run, p, run.last())
}

/// z_N + w(x_N, t_N; p) on any scalar, at the last record x of a run.
pub(crate) fn terminal<S: RunScalar>(recipe: &StepRecipe, run: &Trajectory, p: &[S], x: &[S]) -> Vec<S> {
    let sys = recipe.system();
    let lay = recipe.layout();
    let n = run.plan.steps();
    let t = lay.time().map_or_else(|| run.plan.node(n, p), |time| x[time]);
    let mut terms = sys.evaluator(p);
    terms.set_branches(&run.branches(n));
    terms.at(t, &x[..lay.n]);
    let mut w = vec![S::zero(); lay.o];
    terms.measure(FunctionalSet::Terminal, &lay.node(t, x), &mut w);
    (0..lay.o).map(|k| x[lay.z() + k] + w[k]).collect()
}

/// Gradient of w_k over (q, v, a, λ | support) and its slope in t.
pub(crate) struct TerminalRows {
    rows: Vec<Vec<f64>>,
    slopes: Vec<f64>,
    node: usize,
    /// Where the time of a record is, if it is a number of it.
    time: Option<usize>,
}

impl TerminalRows {
    /// At the end of a run.
    pub(crate) fn new(case: &Case, p: &[f64]) -> Self {
        Self::at(case, case.run.plan.steps(), p)
    }
    /// At record `n`, as if the run ended there.
    pub(crate) fn at(case: &Case, n: usize, p: &[f64]) -> Self {
        let sys = case.recipe.system();
        let lay = case.recipe.layout();
        let plan = &case.run.plan;
        let x = case.run.record(n);
        let t = lay.time().map_or_else(|| plan.node(n, p), |time| x[time]);
        let mut terms = sys.evaluator(p);
        terms.set_branches(&case.run.branches(n));
        terms.at(t, &x[..lay.n]);
        let at = lay.node(t, &x);
        let rows = (0..lay.o).map(|k| {
            let mut row = vec![0.0; lay.z() + sys.support(FunctionalSet::Terminal).len()];
            terms.measure_row(FunctionalSet::Terminal, k, &at, &mut row);
            row
        });
        Self {
            rows: rows.collect(),
            slopes: slopes(case.recipe, FunctionalSet::Terminal, p, &case.run.branches(n), &at),
            node: lay.z(),
            time: lay.time(),
        }
    }
    /// For a run in which no event happened: its times are those of the plan, whatever its records hold.
    pub(crate) fn without_clock(self) -> Self {
        Self { time: None, ..self }
    }
    /// b += w_xᵀ of objective `k`.
    pub(crate) fn add_state(&self, k: usize, b: &mut [f64]) {
        b.iter_mut().zip(&self.rows[k][..self.node]).for_each(|(b, w)| *b += w);
        if let Some(time) = self.time {
            b[time] += self.slopes[k];
        }
    }
    /// grad += w_pᵀ + w_t t_N'ᵀ.
    pub(crate) fn add_slots(&self, case: &Case, k: usize, grad: &mut [f64]) {
        let support = case.recipe.system().support(FunctionalSet::Terminal);
        support.iter().zip(&self.rows[k][self.node..]).for_each(|(&s, w)| grad[s as usize] += w);
        if let Some(slot) = self.declared(case) {
            grad[slot as usize] += self.slopes[k];
        }
    }
    /// w_x s + w_p δ + w_t t_N'.
    pub(crate) fn mul(&self, case: &Case, k: usize, s: &[f64], delta: &[f64]) -> f64 {
        let state: f64 = self.rows[k][..self.node].iter().zip(s).map(|(w, s)| w * s).sum();
        let support = case.recipe.system().support(FunctionalSet::Terminal);
        let slots: f64 =
            support.iter().zip(&self.rows[k][self.node..]).map(|(&s, w)| w * delta[s as usize]).sum();
        let declared = self.declared(case).map_or(0.0, |slot| delta[slot as usize]);
        let time = self.time.map_or(declared, |time| s[time]);
        state + slots + self.slopes[k] * time
    }
    /// Slot of the final time, where it is declared and no number of the record.
    fn declared(&self, case: &Case) -> Option<u32> {
        case.run.plan.declared.last().flatten().filter(|_| self.time.is_none())
    }
}

/// Slopes ∂w/∂t of the functionals of a set, at rest of everything else.
pub(crate) fn slopes(
    recipe: &StepRecipe,
    set: FunctionalSet,
    p: &[f64],
    angles: &[f64],
    at: &At,
) -> Vec<f64> {
    let lift = |x: &[f64]| -> Vec<Wide> { x.iter().map(|&x| Dual::from(x)).collect() };
    let sys = recipe.system();
    let q = lift(at.q);
    let v = lift(at.v);
    let a = lift(at.a);
    let lam = lift(at.lam);
    let mut terms = sys.evaluator_with(p);
    terms.set_branches(angles);
    let t = Wide::var(at.t, 0);
    terms.at(t, &q);
    let mut w = vec![Wide::from(0.0); sys.functionals(set)];
    terms.measure(set, &At { t, q: &q, v: &v, a: &a, lam: &lam }, &mut w);
    w.iter().map(|w| w.eps[0]).collect()
}
