//! A block of a state step: positions, velocities, accelerations and multipliers at a stage or node.
//!
//! A scheme predicts (q̂, v̂) from the blocks before; what it leaves open follows from the state of the
//! formulation:
//!
//! ```text
//! (q, v):   q - q̂ = 0,                     v - v̂ = 0                                (1)  [P14, Eqs. 9, 10]
//! (z, ż):   [ Φ(q) ; B (q - q̂) ] = 0,      [ Φ̇(q, v) ; B (v - v̂) ] = 0              (2)  [M13, Eqs. 2, 9]
//! (q, ż):   q - q̂ = 0,                     [ Φ̇(q, v) ; B (v - v̂) ] = 0              (3)  [C12, Eq. 3]
//! F(t, q, v, a, λ; p) = 0                                                           (4)
//! ```
//! z = B q are independent coordinates, a choice that the plan holds. The blocks of the linearised rows are
//! triangular:
//!
//! ```text
//! [ Φ_q ; B ] δq = r_q,   [ Φ_q ; B ] δv = r_v - [ Φ̇_q δq ; 0 ],   F_u δu = r_u - F_q δq - F_v δv       (5)
//! ```
//! (5) is exact wherever the geometry goes: no derivative of R is needed (docs/design/19; in place of M13,
//! Eqs. 27–33, 40–55).

mod chooser;
mod kinematic;
mod null_space;

pub(crate) use chooser::Chooser;
pub use kinematic::{Kinematic, choose};
pub(crate) use null_space::NullSpace;

use crate::error::StepError;
use crate::formulation::{Lagrange, Linear};
use crate::kkt::{MotionMatrix, prepare_kkt, refactor_kkt, row_or_coordinate};
use crate::step::memory::Visit;
use gradyn_model::{At, Evaluator, KernelScalar, Kinematics, Level, Setup};
use gradyn_num::largest;

/// Newton iterations of the position problem (2).
const MAX_ITERATIONS: usize = 30;

/// Transposed products of a block that are made without its matrices: then these cost less.
const FEW: usize = 3;

/// What a state step integrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrated {
    /// All coordinates and velocities (q, v): (1).
    Full,
    /// Independent coordinates and velocities (z, ż): (2).
    Independent,
    /// All coordinates and independent velocities (q, ż): (3).
    Mixed,
}

impl Integrated {
    /// The lists of independent coordinates that a plan holds: at the level of positions, of velocities.
    /// Without velocity rows one list serves both.
    pub(crate) fn lists(self, sys: &Setup) -> [Option<std::ops::Range<usize>>; 2] {
        let n = sys.dims().n;
        let free = |kinematics: Kinematics| n - sys.independent(kinematics).len();
        match self {
            Integrated::Full => [None, None],
            Integrated::Mixed => [None, Some(0..free(Kinematics::Velocity))],
            Integrated::Independent if sys.dims().m_vel == 0 => {
                [Some(0..free(Kinematics::Velocity)), Some(0..free(Kinematics::Velocity))]
            }
            Integrated::Independent => [
                Some(0..free(Kinematics::Position)),
                Some(free(Kinematics::Position)..free(Kinematics::Position) + free(Kinematics::Velocity)),
            ],
        }
    }
    /// Coordinates that are chosen with the rows of the system.
    pub(crate) fn chosen(self, sys: &Setup) -> usize {
        self.lists(sys)[1].as_ref().map_or(0, |list| list.end)
    }
    /// Choices per record: room for any number of freedoms where events switch rows, the rest of it unused.
    #[doc(hidden)]
    pub fn choices(self, sys: &Setup) -> usize {
        let lists = self.lists(sys).into_iter().flatten().count();
        if sys.switches_rows() { lists * sys.dims().n } else { self.chosen(sys) }
    }
    /// Rows of a block on any scalar: defects (q - q̂, v - v̂) in `r` become (1)–(3), (4) is added; `terms`
    /// are at the point.
    #[doc(hidden)]
    pub fn residual<S: KernelScalar>(
        self,
        sys: &Setup,
        f: &Lagrange,
        at: &At<S>,
        choice: &[u32],
        terms: &mut Evaluator<S>,
        r: &mut [S],
        scratch: &mut [S],
    ) {
        let (n, m) = (at.q.len(), at.lam.len());
        for (level, list) in self.lists(sys).into_iter().enumerate() {
            let Some(list) = list else { continue };
            let x = &mut r[level * n..(level + 1) * n];
            let rows = sys.independent(Kinematics::ALL[level]);
            let (phi, defects) = scratch[..n + m].split_at_mut(m);
            defects.copy_from_slice(x);
            phi.fill(S::zero());
            terms.constraint(at, Level::ALL[level], phi);
            let held = rows.iter().map(|&k| phi[k as usize]);
            x.iter_mut()
                .zip(held.chain(choice[list].iter().map(|&i| defects[i as usize])))
                .for_each(|(x, r)| *x = r);
        }
        f.residual(sys, at, terms, &mut r[2 * n..3 * n + m]);
    }
}

/// How (a, λ) are solved for.
#[derive(Clone)]
enum Solver {
    Kkt(Box<MotionMatrix>),
    NullSpace(NullSpace),
}

/// A block, linearised.
pub struct Block {
    /// Partials of (4), and the evaluator at the block.
    pub linear: Linear,
    f: Lagrange,
    state: Integrated,
    solver: Solver,
    /// [Φ_q; B] of positions and velocities, once a choice was made; the second stands for both if there is
    /// one list.
    kinematic: [Option<Kinematic>; 2],
    one: bool,
    dphi_q: Vec<f64>,
    phi: Vec<f64>,
    u: Vec<f64>,
    hat: Vec<f64>,
    /// Time at which F_u was factored.
    factored: f64,
    /// Are the partials of (4) those of the block?
    assembled: bool,
    pulled: Pulled,
}

/// Transposed products with (4) that were made without its partials: how many, and the last one: μ and -F_pᵀ
/// μ.
struct Pulled {
    count: usize,
    mu: Vec<f64>,
    slots: Vec<f64>,
}

impl Block {
    /// Memory; `kkt` is prepared, its clones share the pattern.
    pub fn new(sys: &Setup, f: Lagrange, state: Integrated, p: &[f64], kkt: &MotionMatrix) -> Self {
        let linear = Linear::new(sys, f, p);
        let (n, m) = (sys.dims().n, sys.dims().m);
        let lists = state.lists(sys);
        let one = lists[0].is_some() && lists[0] == lists[1];
        let solver = match state {
            Integrated::Full => Solver::Kkt(Box::new(kkt.clone())),
            _ => Solver::NullSpace(NullSpace::new(sys)),
        };
        let dphi_q = vec![0.0; sys.patterns().mn.nnz()];
        let kinematic = [None, None];
        let phi = vec![0.0; m];
        let u = vec![0.0; n + m];
        let hat = vec![0.0; n];
        let pulled = Pulled { count: 0, mu: vec![0.0; n + m], slots: vec![0.0; sys.dims().args] };
        let factored = f64::NAN;
        Self {
            linear,
            f,
            state,
            solver,
            kinematic,
            one,
            dphi_q,
            phi,
            u,
            hat,
            factored,
            assembled: false,
            pulled,
        }
    }
    /// The matrices [Φ_q; B] for a choice; new ones only when it changes.
    fn choose(&mut self, sys: &Setup, choice: &[u32]) -> Result<(), StepError> {
        for (level, list) in self.state.lists(sys).into_iter().enumerate().skip(usize::from(self.one)) {
            let Some(choice) = list.map(|list| &choice[list]) else { continue };
            if self.kinematic[level].as_ref().is_none_or(|k| k.choice() != choice) {
                self.kinematic[level] = Some(Kinematic::new(sys, Kinematics::ALL[level], choice)?);
            }
        }
        Ok(())
    }
    /// Which [Φ_q; B] stands for a level.
    fn index(&self, level: usize) -> usize {
        if self.one { 1 } else { level }
    }
    /// [Φ_q; B] of a level.
    fn at_level(&mut self, level: usize) -> Option<&mut Kinematic> {
        let index = self.index(level);
        self.kinematic[index].as_mut()
    }
    /// Solves the rows of the block for x = (q, v, a, λ), whose (q, v) are the prediction.
    pub(crate) fn evaluate(
        &mut self,
        sys: &Setup,
        t: f64,
        choice: &[u32],
        x: &mut [f64],
    ) -> Result<(), StepError> {
        let (n, m) = (sys.dims().n, sys.dims().m);
        self.choose(sys, choice)?;
        self.positions(sys, t, x)?;
        self.velocities(sys, t, x)?;
        x[2 * n..].fill(0.0);
        let at = At::of(t, x, n, m);
        self.f.residual(sys, &at, &mut self.linear.terms, &mut self.u);
        self.refactor(sys, t)?;
        let mut u = std::mem::take(&mut self.u);
        self.solve_u(sys, &mut u);
        x[2 * n..].iter_mut().zip(&u).for_each(|(x, u)| *x = -u);
        let bad = u.iter().position(|u| !u.is_finite());
        self.u = u;
        match bad {
            None => Ok(()),
            Some(k) => {
                let index = if k < n { m + k } else { k - n };
                Err(StepError::NotFinite { t, equation: row_or_coordinate(sys, index) })
            }
        }
    }
    /// Newton on Φ = 0 with B q held; the evaluator stays at the result.
    fn positions(&mut self, sys: &Setup, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        let (n, m) = (sys.dims().n, sys.dims().m);
        if self.at_level(0).is_none() {
            self.linear.terms.at(t, &x[..n]);
            return Ok(());
        }
        let (mut last, mut done) = (f64::INFINITY, false);
        for iterations in 1.. {
            self.linear.terms.at(t, &x[..n]);
            let phi_q = self.linear.terms.phi_q();
            let index = self.index(0);
            let Some(kinematic) = &mut self.kinematic[index] else { return Ok(()) };
            kinematic.refactor(sys, t, phi_q)?;
            if done {
                return Ok(());
            }
            // q -= [Φ_q ; B]⁻¹ [Φ ; 0]
            self.phi.fill(0.0);
            self.linear.terms.constraint(&At::of(t, x, n, m), Level::POSITION, &mut self.phi);
            self.hat.fill(0.0);
            kinematic.gather(sys, Kinematics::Position, &self.phi, &mut self.hat);
            kinematic.solve(&mut self.hat);
            x[..n].iter_mut().zip(&self.hat).for_each(|(q, d)| *q -= d);
            // the correction relative to the coordinates
            let scale = sys.size_of(&x[..n]);
            let size = largest(self.hat.iter().copied()) / if scale > 0.0 { scale } else { 1.0 };
            if let Some(i) = self.hat.iter().position(|d| !d.is_finite()) {
                return Err(StepError::NotFinite { t, equation: sys.coordinate_name(i) });
            }
            if iterations == MAX_ITERATIONS {
                return Err(self.not_assembled(sys, t, iterations));
            }
            done = size <= 4.0 * f64::EPSILON || (size < 1e-11 && size > 0.3 * last);
            last = size;
        }
        unreachable!("the loop returns")
    }
    /// The error of an iteration for positions that does not end, with the row that is farthest from zero.
    fn not_assembled(&self, sys: &Setup, t: f64, iterations: usize) -> StepError {
        let larger = |w: usize, i: usize| if self.phi[i].abs() > self.phi[w].abs() { i } else { w };
        let worst = (0..self.phi.len()).fold(0, larger);
        StepError::Positions { t, iterations, residual: self.phi[worst].abs(), worst: sys.row_name(worst) }
    }
    /// Φ̇ = 0 with B v held: linear.
    fn velocities(&mut self, sys: &Setup, t: f64, x: &mut [f64]) -> Result<(), StepError> {
        let (n, m) = (sys.dims().n, sys.dims().m);
        let Some(kinematic) = &mut self.kinematic[1] else { return Ok(()) };
        if !self.one {
            kinematic.refactor(sys, t, self.linear.terms.phi_q())?;
        }
        self.phi.fill(0.0);
        self.linear.terms.constraint(&At::of(t, x, n, m), Level::VELOCITY, &mut self.phi);
        self.hat.fill(0.0);
        kinematic.gather(sys, Kinematics::Velocity, &self.phi, &mut self.hat);
        kinematic.solve(&mut self.hat);
        x[n..2 * n].iter_mut().zip(&self.hat).for_each(|(v, d)| *v -= d);
        Ok(())
    }
    /// Factors F_u where the evaluator is; [Φ_q; B] is factored there.
    fn refactor(&mut self, sys: &Setup, t: f64) -> Result<(), StepError> {
        self.factored = t;
        let terms = &self.linear.terms;
        match (&mut self.solver, &mut self.kinematic[1]) {
            (Solver::NullSpace(r), Some(k)) => r.refactor(sys, t, terms, k),
            (Solver::Kkt(kkt), _) => refactor_kkt(sys, t, terms, self.f.compliance, kkt),
            (Solver::NullSpace(_), None) => unreachable!("a null space has its matrix"),
        }
    }
    /// Visits [Φ_q; B] and F_u.
    pub(crate) fn visit(&mut self, sys: &Setup, visit: &mut Visit) -> Result<(), StepError> {
        for (level, slot) in self.kinematic.iter_mut().enumerate() {
            let make = |choice: &[u32]| Kinematic::new(sys, Kinematics::ALL[level], choice);
            visit.chosen(slot, Kinematic::choice, Kinematic::factor, make)?;
        }
        match &mut self.solver {
            Solver::Kkt(kkt) => visit.motion(kkt),
            Solver::NullSpace(r) => r.visit(sys, visit)?,
        }
        Ok(())
    }
    /// u ← F_u⁻¹ u: symmetric.
    pub fn solve_u(&mut self, sys: &Setup, u: &mut [f64]) {
        match (&mut self.solver, &mut self.kinematic[1]) {
            (Solver::NullSpace(r), Some(k)) => r.solve(sys, self.linear.terms.mass(), k, u),
            (Solver::Kkt(kkt), _) => kkt.solve(u),
            (Solver::NullSpace(_), None) => unreachable!("a null space has its matrix"),
        }
    }
    /// Exact partials at a converged block, factored.
    pub fn set(&mut self, sys: &Setup, at: &At, choice: &[u32]) -> Result<(), StepError> {
        self.linear.terms.at(at.t, at.q);
        self.partials(sys, at, choice)?;
        self.factor(sys, at.t)
    }
    /// Factors at a point like `set`; the partials of (4) follow when a product needs them.
    pub fn hold(&mut self, sys: &Setup, at: &At, choice: &[u32]) -> Result<(), StepError> {
        self.linear.terms.at(at.t, at.q);
        self.kinematics(sys, at, choice)?;
        self.linear.hold(at);
        (self.assembled, self.pulled.count) = (false, 0);
        self.factor(sys, at.t)
    }
    /// Partials where the evaluator is.
    pub fn partials(&mut self, sys: &Setup, at: &At, choice: &[u32]) -> Result<(), StepError> {
        self.kinematics(sys, at, choice)?;
        self.linear.assemble(sys, at, !self.f.wrong_tangent);
        self.assembled = true;
        Ok(())
    }
    fn assemble(&mut self, sys: &Setup) {
        if self.linear.has_matrices() && !std::mem::replace(&mut self.assembled, true) {
            self.linear.assemble_held(sys);
        }
    }
    /// [Φ_q; B] and Φ̇_q, for a choice.
    fn kinematics(&mut self, sys: &Setup, at: &At, choice: &[u32]) -> Result<(), StepError> {
        self.choose(sys, choice)?;
        if self.kinematic[1].is_some() {
            self.dphi_q.fill(0.0);
            self.linear.terms.constraint_q(at, Level::VELOCITY, &mut self.dphi_q);
        }
        Ok(())
    }
    /// Φ̇_q of the rows of velocities, where there are such rows.
    pub(crate) fn dphi_q(&self) -> &[f64] {
        &self.dphi_q
    }
    /// Factors [Φ_q; B] and F_u where the evaluator is.
    fn factor(&mut self, sys: &Setup, t: f64) -> Result<(), StepError> {
        for kinematic in self.kinematic.iter_mut().flatten() {
            kinematic.refactor(sys, t, self.linear.terms.phi_q())?;
        }
        self.refactor(sys, t)
    }
    /// out = RᵀMR ν; both have their numbers at the independent coordinates.
    pub fn reduced_mass(&mut self, nu: &[f64], out: &mut [f64]) {
        let (Solver::NullSpace(r), Some(k)) = (&mut self.solver, &self.kinematic[1]) else { return };
        r.reduced_mass(k.choice(), nu, out);
    }
    /// out = x at the independent coordinates of a level.
    pub fn picked(&self, level: usize, x: &[f64], out: &mut [f64]) {
        let Some(k) = &self.kinematic[self.index(level)] else { return out.copy_from_slice(&x[..out.len()]) };
        out.fill(0.0);
        k.choice().iter().for_each(|&i| out[i as usize] = x[i as usize]);
    }
    /// The largest entry of R at (t, q) for a choice.
    pub(crate) fn largest_at(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        choice: &[u32],
    ) -> Result<f64, StepError> {
        self.choose(sys, choice)?;
        self.linear.terms.at(t, q);
        self.factor(sys, t)?;
        Ok(self.largest())
    }
    /// R where the evaluator is, for its largest entry.
    pub(crate) fn look(&mut self, sys: &Setup, t: f64, choice: &[u32]) -> Result<(), StepError> {
        self.choose(sys, choice)?;
        let Some(kinematic) = &mut self.kinematic[1] else { return Ok(()) };
        kinematic.refactor(sys, t, self.linear.terms.phi_q())?;
        let Solver::NullSpace(r) = &mut self.solver else { return Ok(()) };
        r.look(sys, kinematic);
        Ok(())
    }
    /// Was it factored at t, up to roundings of t? Not after a rejected attempt, nor in a new memory.
    fn is_factored_at(&self, t: f64) -> bool {
        (self.factored - t).abs() <= 8.0 * f64::EPSILON * t.abs()
    }
    /// The largest entry of R.
    pub(crate) fn largest(&self) -> f64 {
        match &self.solver {
            Solver::NullSpace(r) => r.largest(),
            Solver::Kkt(_) => 0.0,
        }
    }
    /// b ← (rows)_x⁻¹ b, (5).
    pub fn solve(&mut self, sys: &Setup, b: &mut [f64]) {
        let n = sys.dims().n;
        let mn = &sys.patterns().mn;
        let (q, rest) = b.split_at_mut(n);
        let (v, u) = rest.split_at_mut(n);
        if let Some(k) = self.at_level(0) {
            k.solve(q);
        }
        if let Some(k) = &mut self.kinematic[1] {
            self.phi.fill(0.0);
            mn.mul(&self.dphi_q, -1.0, q, &mut self.phi);
            k.gather(sys, Kinematics::Velocity, &self.phi, v);
            k.solve(v);
        }
        self.assemble(sys);
        self.linear.state_mul(sys, -1.0, q, v, u);
        self.solve_u(sys, u);
    }
    /// b ← (rows)_x⁻ᵀ b.
    pub fn solve_t(&mut self, sys: &Setup, b: &mut [f64]) {
        let n = sys.dims().n;
        let mn = &sys.patterns().mn;
        let (q, rest) = b.split_at_mut(n);
        let (v, u) = rest.split_at_mut(n);
        self.solve_u(sys, u);
        self.pulled.count += 1;
        self.pulled.mu.copy_from_slice(u);
        self.pulled.slots.fill(0.0);
        let dear = self.pulled.count > FEW && self.linear.has_matrices();
        if self.assembled || dear || !self.linear.pull(-1.0, u, [q, v, &mut self.pulled.slots]) {
            self.assemble(sys);
            self.linear.state_mul_t(sys, -1.0, u, q, v);
        }
        if let Some(k) = &mut self.kinematic[1] {
            k.solve_t(v);
            self.phi.fill(0.0);
            k.scatter(sys, Kinematics::Velocity, v, &mut self.phi);
            mn.mul_t(&self.dphi_q, -1.0, &self.phi, q);
        }
        if let Some(k) = self.at_level(0) {
            k.solve_t(q);
        }
    }
    /// rows += s P x of a level (0: positions, 1: velocities), where P are the rows' partials over q - q̂ or
    /// v - v̂.
    pub fn defect(&self, level: usize, s: f64, x: &[f64], rows: &mut [f64]) {
        match &self.kinematic[self.index(level)] {
            None => rows.iter_mut().zip(x).for_each(|(r, x)| *r += s * x),
            Some(k) => k.held(rows).zip(k.choice()).for_each(|(r, &i)| *r += s * x[i as usize]),
        }
    }
    /// out += s Pᵀ μ.
    pub fn defect_t(&self, level: usize, s: f64, mu: &[f64], out: &mut [f64]) {
        match &self.kinematic[self.index(level)] {
            None => out.iter_mut().zip(mu).for_each(|(o, m)| *o += s * m),
            Some(k) => mu[mu.len() - k.choice().len()..]
                .iter()
                .zip(k.choice())
                .for_each(|(m, &i)| out[i as usize] += s * m),
        }
    }
    /// r += (rows)_p δ.
    pub fn slot_mul(&mut self, sys: &Setup, delta: &[f64], r: &mut [f64]) {
        let (n, m) = (sys.dims().n, sys.dims().m);
        self.linear.slot_mul(delta, &mut r[2 * n..3 * n + m]);
        for level in 0..2 {
            let Some(k) = &self.kinematic[self.index(level)] else { continue };
            self.phi.fill(0.0);
            let (at, terms) = self.linear.at();
            terms.constraint_p(&at, Level::ALL[level], delta, &mut self.phi);
            k.gather(sys, Kinematics::ALL[level], &self.phi, &mut r[level * n..(level + 1) * n]);
        }
    }
    /// grad += s (rows)_pᵀ μ.
    pub fn slot_mul_t(&mut self, sys: &Setup, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (n, m) = (sys.dims().n, sys.dims().m);
        let mu_u = &mu[2 * n..3 * n + m];
        let pulled = &self.pulled;
        if !self.assembled && pulled.count > 0 && pulled.mu == mu_u {
            grad.iter_mut().zip(&pulled.slots).for_each(|(g, p)| *g -= s * p);
        } else {
            self.linear.slot_mul_t(mu_u, s, grad);
        }
        for level in 0..2 {
            let Some(k) = &self.kinematic[self.index(level)] else { continue };
            self.phi.fill(0.0);
            k.scatter(sys, Kinematics::ALL[level], &mu[level * n..(level + 1) * n], &mut self.phi);
            let (at, terms) = self.linear.at();
            terms.constraint_p_t(&at, Level::ALL[level], &self.phi, s, grad);
        }
    }
}

/// Rounding level of (q, v, a, λ, z) in a state step h, with or without an implicit matrix: see
/// [`StepRecipe::noise`](crate::StepRecipe::noise). `shared` is that of [`Lagrange::shared`].
pub(crate) fn noise(
    f: &Lagrange,
    shared: f64,
    implicit: bool,
    h: f64,
    [q, v, a, lam, z]: [f64; 5],
    mass: f64,
    row: f64,
) -> [f64; 5] {
    // products in a row, growth in the factor: measured ≤ 300 ε on plane linkages; for a top at 150 rad/s 1e4
    // ε in the integrals with DOPRI5 and 2e6 ε with DOP853, whose coefficients reach 43, 8e4 ε in a with the
    // matrix of SDIRK4; the constraint rows weigh q and v with c₀ and c₁
    let few = if implicit { 2e5 } else { 2e4 };
    let a = a + lam / mass + f.level[0] * q + f.level[1] * v;
    [q + h * v, v + h * a, a, lam + mass * a / row + shared * a, 100.0 * z].map(|x| few * f64::EPSILON * x)
}

/// Blocks share one prepared matrix of (4).
pub fn prepare(sys: &Setup, p: &[f64]) -> Result<(Evaluator<f64>, MotionMatrix), StepError> {
    let terms = sys.evaluator(p);
    let kkt = prepare_kkt(sys, &terms)?;
    Ok((terms, kkt))
}
