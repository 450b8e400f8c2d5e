//! Everything that makes a step: a scheme on a system, without memory.
//!
//! A recipe is shared between threads; each of them makes its own memory from it, a [`Chain`] of records for
//! f64 and a [`ChainResidual`] for any scalar of the program.

use super::adams::Adams;
use super::chain::Chain;
use super::chain_residual::ChainResidual;
use super::newmark::Newmark;
use super::projected::Projected;
use super::rosenbrock::Rosenbrock;
use super::runge_kutta::RungeKutta;
use super::{Bound, Equations, Layout, Residual, Stepper, Tolerance};
use crate::block;
use crate::error::StepError;
use crate::formulation::{Compliance, Lagrange};
use crate::initial::restart::Restart;
use crate::initial::{Initial, Solver, StartLaw};
use crate::kkt::MotionMatrix;
use crate::plan::Frozen;
use gradyn_model::{EventRule, RowChoice, RunScalar, Setup};

/// Schemes, each with its system and its constants.
#[derive(Clone)]
pub enum StepKind {
    /// The generalised-α family on coordinates.
    Newmark(Newmark),
    /// Runge–Kutta, explicit and implicit.
    RungeKutta(RungeKutta),
    /// Linearly implicit stages.
    Rosenbrock(Rosenbrock),
    /// Adams of variable order, with a corrector or without.
    Adams(Adams),
}

/// Runs an expression with the scheme of a kind.
macro_rules! scheme {
    ($kind:expr, $s:ident => $e:expr) => {
        match $kind {
            StepKind::Newmark($s) => $e,
            StepKind::RungeKutta($s) => $e,
            StepKind::Rosenbrock($s) => $e,
            StepKind::Adams($s) => $e,
        }
    };
}

/// A scheme on a system, and whether its nodes are projected.
#[derive(Clone)]
pub struct StepRecipe {
    /// Scheme with its system.
    pub kind: StepKind,
    /// Are the nodes of this state step projected onto the constraints?
    pub projected: bool,
}

impl StepKind {
    /// Where things are in a record of the scheme alone.
    fn layout(&self) -> Layout {
        scheme!(self, s => s.layout())
    }
    /// Memory of the steps; `kkt` is prepared.
    fn stepper(&self, p: &[f64], kkt: &MotionMatrix) -> Result<Box<dyn Stepper>, StepError> {
        Ok(scheme!(self, s => Box::new(Bound { memory: s.memory(p, kkt)?, spec: s.clone() })))
    }
    /// Memory of the residuals.
    fn residual<S: RunScalar>(&self, p: &[S]) -> Box<dyn Residual<S>> {
        scheme!(self, s => Box::new(Bound { memory: s.work(p), spec: s.clone() }))
    }
}

impl StepRecipe {
    /// A scheme whose nodes are not projected.
    pub(crate) fn new(kind: StepKind) -> Self {
        Self { kind, projected: false }
    }
    /// Memory of a run with slots p.
    pub fn chain(&self, p: &[f64]) -> Result<Chain, StepError> {
        let sys = self.system();
        let (_, kkt) = block::prepare(sys, p)?;
        let start = self.initial(p, kkt.clone())?;
        let step = self.stepper(p, &kkt)?;
        Ok(Chain::new(self, p, start, step))
    }
    /// Memory of record 0 and of restarts; `kkt` is prepared.
    fn initial(&self, p: &[f64], kkt: MotionMatrix) -> Result<Initial, StepError> {
        let sys = self.system();
        let law = self.start();
        let mut start = Initial::new(sys, law.law, self.step_layout(), p, kkt)?;
        start.auxiliary = law.auxiliary;
        if law.matrix_r {
            start.solver = Solver::matrix_r(sys);
        }
        Ok(start)
    }
    /// Memory of restarts, with a choice of rows if it is not that of the system.
    pub(super) fn restart(&self, rows: Option<&RowChoice>, p: &[f64]) -> Result<Restart, StepError> {
        let Some(rows) = rows else {
            let sys = self.system();
            let law = self.restart_law();
            let solver = match law.matrix_r {
                true => Solver::matrix_r(sys),
                false => Solver::Saddle(Box::new(block::prepare(sys, p)?.1)),
            };
            return Ok(Restart::new(sys, law, self.plain_layout(), p, solver));
        };
        self.with_rows(rows)?.restart(None, p)
    }
    /// Memory of the steps; `kkt` is prepared.
    fn stepper(&self, p: &[f64], kkt: &MotionMatrix) -> Result<Box<dyn Stepper>, StepError> {
        let step = self.kind.stepper(p, kkt)?;
        let Some(spec) = self.projection() else { return Ok(step) };
        Ok(Box::new(Bound { memory: spec.memory(p, kkt, step)?, spec }))
    }
    /// Memory of steps with another choice of rows.
    pub(super) fn stepper_with(&self, rows: &RowChoice, p: &[f64]) -> Result<Box<dyn Stepper>, StepError> {
        let recipe = self.with_rows(rows)?;
        let (_, kkt) = block::prepare(recipe.system(), p)?;
        recipe.stepper(p, &kkt)
    }
    /// This recipe with another choice of rows.
    pub fn with_rows(&self, rows: &RowChoice) -> Result<Self, StepError> {
        let sys = self.system().with_rows(rows)?;
        let mut kind = self.kind.clone();
        scheme!(&mut kind, s => s.sys = sys);
        Ok(Self { kind, projected: self.projected })
    }
    /// Residuals of a run with slots p.
    pub fn residual<S: RunScalar>(&self, p: &[S]) -> ChainResidual<S> {
        ChainResidual::new(self, p)
    }
    /// Memory of the residuals of steps.
    pub(super) fn step_residual<S: RunScalar>(&self, p: &[S]) -> Box<dyn Residual<S>> {
        let step = self.kind.residual(p);
        let Some(spec) = self.projection() else { return step };
        Box::new(Bound { memory: spec.work(p, step), spec })
    }
    /// The projection around the scheme, if there is one.
    fn projection(&self) -> Option<Projected> {
        self.projected.then(|| Projected { sys: self.system().clone(), inner: self.kind.layout() })
    }
    /// System that is integrated.
    pub fn system(&self) -> &Setup {
        scheme!(&self.kind, s => &s.sys)
    }
    /// Where things are in a record.
    pub fn layout(&self) -> Layout {
        let layout = self.plain_layout();
        if self.system().has_state_jumps() { layout.with_clock() } else { layout }
    }
    /// Where things are in a record without its time.
    pub(super) fn plain_layout(&self) -> Layout {
        let sys = self.system();
        let gives = sys.events().iter().any(EventRule::changes_velocities);
        let impulses = if gives { sys.dims().m + sys.event_rows() } else { 0 };
        self.step_layout().with_impulses(impulses)
    }
    /// Where things are in what a step writes of a record: all but impulses and its time.
    pub(crate) fn step_layout(&self) -> Layout {
        let layout = self.kind.layout();
        if self.projected { Projected::record(&layout) } else { layout }
    }
    /// What record 0 obeys.
    pub(crate) fn start(&self) -> StartLaw {
        if self.projected {
            return StartLaw { law: Lagrange::ACCELERATION, auxiliary: false, matrix_r: false };
        }
        scheme!(&self.kind, s => s.start_law())
    }
    /// What restarts obey: that of record 0, but exact constraints where compliances only help an iteration.
    pub(crate) fn restart_law(&self) -> StartLaw {
        let start = self.start();
        let iterated =
            matches!(&self.kind, StepKind::Newmark(s) if s.iteration.compliance != Compliance::NONE);
        if iterated { StartLaw { law: Lagrange::ACCELERATION, ..start } } else { start }
    }
    /// Order p of the step.
    pub fn order(&self) -> usize {
        scheme!(&self.kind, s => s.order())
    }
    /// Power of h in the estimate, for the controller.
    pub(crate) fn estimate_order(&self) -> usize {
        match &self.kind {
            StepKind::RungeKutta(s) => s.estimate_order(),
            StepKind::Rosenbrock(s) => s.estimate_order(),
            StepKind::Newmark(_) | StepKind::Adams(_) => self.order(),
        }
    }
    /// What continuous sensitivities differentiate.
    pub fn equations(&self) -> Equations {
        scheme!(&self.kind, s => s.equations())
    }
    /// Choices per record.
    pub fn choices(&self) -> usize {
        scheme!(&self.kind, s => s.choices())
    }
    /// Rounding level of the blocks (q, v, a, λ, z) of a record whose sizes are `size`: smaller corrections
    /// are noise. `mass` is the largest entry of M and `row` that of the smallest row of Φ_q, which relate a
    /// and λ.
    pub fn noise(&self, h: f64, size: [f64; 5], mass: f64, row: f64) -> [f64; 5] {
        scheme!(&self.kind, s => s.noise(h, size, mass, row))
    }
    /// h |∂f/∂y| over what the scheme is stable for, from the record of a step; above 1 it is stability that
    /// limits the step. `None` where nothing limits it, or where it cannot be told.
    pub fn stability(&self, h: f64, x: &[f64]) -> Option<f64> {
        let StepKind::RungeKutta(s) = &self.kind else { return None };
        let Some(projection) = self.projection() else { return s.stability(h, x) };
        let mut inner = vec![0.0; projection.inner.len];
        projection.unproject(x, &mut inner);
        s.stability(h, &inner)
    }
    /// Times (t_i - t)/h of the stages (q, v, a, λ) that a record keeps, one after the other from
    /// [`Layout::head`] on; `None`: of a stage that no quadrature reads.
    pub fn stage_times(&self) -> Vec<Option<f64>> {
        match &self.kind {
            StepKind::RungeKutta(s) => s.stage_times(),
            StepKind::Rosenbrock(s) => s.stage_times(),
            StepKind::Newmark(_) | StepKind::Adams(_) => vec![],
        }
    }
    /// First step of a smooth piece that begins at record x [s]; `None`: as the piece before ended.
    pub(crate) fn first_step(&self, tol: Tolerance, x: &[f64]) -> Option<f64> {
        match &self.kind {
            StepKind::Adams(s) => Some(s.first_step(tol, x)),
            _ => None,
        }
    }
    /// How often the first fixed step of a smooth piece is halved in a run of so many steps.
    pub fn halvings(&self, steps: f64) -> u32 {
        match &self.kind {
            StepKind::Adams(s) => s.halvings(steps),
            _ => 0,
        }
    }
    /// Order of a step and number of nodes before it that it knows, of a method whose order varies.
    pub fn variable_order(&self, frozen: Frozen) -> Option<(usize, usize)> {
        match &self.kind {
            StepKind::Adams(s) => Some(s.plan(&frozen)),
            _ => None,
        }
    }
}

impl From<Newmark> for StepRecipe {
    fn from(scheme: Newmark) -> Self {
        Self::new(StepKind::Newmark(scheme))
    }
}
impl From<RungeKutta> for StepRecipe {
    fn from(scheme: RungeKutta) -> Self {
        Self::new(StepKind::RungeKutta(scheme))
    }
}
impl From<Rosenbrock> for StepRecipe {
    fn from(scheme: Rosenbrock) -> Self {
        Self::new(StepKind::Rosenbrock(scheme))
    }
}
impl From<Adams> for StepRecipe {
    fn from(scheme: Adams) -> Self {
        Self::new(StepKind::Adams(scheme))
    }
}
