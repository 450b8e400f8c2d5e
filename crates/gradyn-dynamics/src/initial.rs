//! Record 0: positions, velocities, accelerations and λ₀ as residuals like those of any step.
//!
//! ```text
//! [ Φ(t₀, q) ; E(q; p) ] = 0                assembly with the user's position conditions      (1)  [A22, Eq. 31]
//! [ Φ̇(q, v) ; E'(q, v; p) ] = 0             velocity conditions                               (2)  [A22, Eq. 33]
//! F₀(q, v, a, λ; p) = 0                     the law that the next step continues from          (3)  [A22, Eq. 34]
//! z = 0,  extras = 0                                                                         (4)
//! â = a                                     where the last block is an auxiliary acceleration  (5)
//! ```
//! In equilibrium (1) is [Φ; E; r] = 0, [`equilibrium`](crate::equilibrium), where r is what is left of the
//! forces at rest. F₀ is the formulation itself for state steps; for coordinate steps Φ̈ = 0, by the
//! saddle-point matrix or by R (`Solver`), or the penalty formulation [A22, Eqs. 34–36]. E and E' are
//! expressions of sensors, as many as there are degrees of freedom, so that what is held when a parameter
//! changes is explicit. The transposed sweep is [A22, Eqs. 43c, 43b, 43a].

mod impact;
mod place;
mod positions;
pub(crate) mod restart;
mod solver;

pub use crate::kkt::{MotionMatrix, prepare_kkt, refactor_kkt};
pub(crate) use place::{Placed, pair};
pub(crate) use solver::Solver;

use self::positions::{Positions, rows_p, rows_p_t};
use crate::equilibrium::Reduced;
use crate::error::StepError;
use crate::formulation::{Lagrange, Linear};
use crate::record::{Layout, Report};
use crate::start::StartRows;
use gradyn_model::{At, Evaluator, Kinematics, Level, RunScalar, Setup};
use gradyn_num::{Factor, largest};

/// Newton iterations of the assembly.
const MAX_ITERATIONS: usize = 50;

/// What record 0 obeys.
#[derive(Clone, Copy, Debug)]
pub struct StartLaw {
    /// The law of the accelerations and multipliers at the start.
    pub law: Lagrange,
    /// Has the record an auxiliary acceleration?
    pub auxiliary: bool,
    /// Are the accelerations solved for by Maggi's matrices?
    pub matrix_r: bool,
}

/// Record 0, linearised.
pub struct Initial {
    layout: Layout,
    /// The block of positions, (1).
    positions: Positions,
    /// Partials of (2) and the factors of [Φ_q; E'_v].
    rows: StartRows,
    factor: Factor,
    acceleration: Linear,
    pub(crate) solver: Solver,
    law: Lagrange,
    /// Has the record the block (5)?
    pub(crate) auxiliary: bool,
    point: Vec<f64>,
    t: f64,
    scratch: Vec<f64>,
    /// All constraint rows.
    all: Vec<f64>,
    /// 0, then what `felt` compares.
    felt: Vec<f64>,
    /// Slots of products whose slots are not asked for.
    unused: Vec<f64>,
}

/// (1)–(4) on any scalar; `terms` have the slots.
pub(crate) fn residual<S: RunScalar>(
    sys: &Setup,
    law: &Lagrange,
    layout: &Layout,
    t: S,
    x: &[S],
    terms: &mut Evaluator<S>,
    r: &mut [S],
) {
    let mut reduced = Reduced::of(sys).expect("W is square");
    residual_in(sys, law, layout, t, x, terms, reduced.as_mut(), r);
}

/// (1)–(4) on any scalar, with the memory of an equilibrium if the start is one.
fn residual_in<S: RunScalar>(
    sys: &Setup,
    law: &Lagrange,
    layout: &Layout,
    t: S,
    x: &[S],
    terms: &mut Evaluator<S>,
    reduced: Option<&mut Reduced<S>>,
    r: &mut [S],
) {
    let (n, m) = (layout.n, layout.m);
    let at = layout.node(t, x);
    r.copy_from_slice(x); // (4)
    terms.at(t, at.q);
    let (position, rest) = r.split_at_mut(n);
    let (velocity, rest) = rest.split_at_mut(n);
    for (level, x) in [&mut *position, &mut *velocity].into_iter().enumerate() {
        // the place of (3) is free until (3) is written
        rest[..m].fill(S::zero());
        terms.constraint(&at, Level::ALL[level], &mut rest[..m]);
        x.iter_mut().zip(sys.independent(Kinematics::ALL[level])).for_each(|(x, &k)| *x = rest[k as usize]);
    }
    let [held, moving] = Kinematics::ALL.map(|of| sys.independent(of).len());
    match reduced {
        None => terms.conditions(&at, &mut position[held..], &mut velocity[moving..]),
        Some(reduced) => {
            terms.conditions(&at, &mut [], &mut velocity[moving..]);
            reduced.residual(sys, t, at.q, terms, position);
        }
    }
    law.residual(sys, &at, terms, &mut rest[..n + m]);
}

/// (5) in place of (4) for the last block.
pub(crate) fn auxiliary_rows<S: RunScalar>(layout: &Layout, x: &[S], r: &mut [S]) {
    let (a, aux) = (layout.a(), layout.step_len() - layout.n);
    (0..layout.n).for_each(|i| r[aux + i] = x[aux + i] - x[a + i]);
}

impl Initial {
    /// Memory; `p` are the slots. `kkt` is the matrix of (3), prepared.
    pub(crate) fn new(
        sys: &Setup,
        law: Lagrange,
        layout: Layout,
        p: &[f64],
        kkt: MotionMatrix,
    ) -> Result<Self, StepError> {
        let rows =
            StartRows::new(sys, Kinematics::Velocity, layout.n - sys.independent(Kinematics::Velocity).len());
        let acceleration = Linear::new(sys, law, p);
        Ok(Self {
            positions: Positions::new(sys, p)?,
            factor: Factor::new(&rows.pattern)?,
            rows,
            acceleration,
            solver: Solver::Saddle(Box::new(kkt)),
            law,
            auxiliary: false,
            layout,
            point: vec![0.0; layout.z()],
            t: 0.0,
            scratch: vec![0.0; layout.len],
            all: vec![0.0; layout.m],
            felt: vec![0.0; 5 * layout.n],
            unused: vec![0.0; sys.dims().args],
        })
    }
    /// Solves (1)–(3) from the drawn configuration.
    pub(crate) fn advance(
        &mut self,
        sys: &Setup,
        t: f64,
        angles: &[f64],
        x: &mut [f64],
    ) -> Result<Report, StepError> {
        let n = self.layout.n;
        x.fill(0.0);
        x[..n].copy_from_slice(sys.guess());
        self.acceleration.terms.set_branches(angles);
        let mut r = std::mem::take(&mut self.scratch);
        let result = self.newton(sys, t, angles, x, &mut r);
        self.scratch = r;
        result
    }
    /// Whole sweeps: exact for a and v once q has converged.
    fn newton(
        &mut self,
        sys: &Setup,
        t: f64,
        angles: &[f64],
        x: &mut [f64],
        r: &mut [f64],
    ) -> Result<Report, StepError> {
        let (n, layout) = (self.layout.n, self.layout);
        let mut last = [f64::INFINITY; 3];
        let mut stalls = [0; 3];
        let shares = self.law.shares(sys);
        for iterations in 1..=MAX_ITERATIONS {
            residual_in(
                sys,
                &self.law,
                &layout,
                t,
                x,
                &mut self.acceleration.terms,
                self.positions.reduced(),
                r,
            );
            if self.auxiliary {
                auxiliary_rows(&layout, x, r);
            }
            let worst = (0..n).fold(0, |w, i| if r[i].abs() > r[w].abs() { i } else { w });
            let violation = r[worst];
            self.linearise(sys, t, angles, x)?;
            self.solve(sys, r);
            // the drawn configuration may be where a force is undefined, and so may be rest: positions and
            // velocities first
            if let Some(bad) = r.iter().position(|r| !r.is_finite()) {
                let sound = if bad < 2 * n { bad / n * n } else { 2 * n };
                let moving = r[..sound].iter().any(|r| r.abs() > 1e-9);
                if !moving || iterations == MAX_ITERATIONS {
                    return Err(StepError::NotFinite { t, equation: self.unknown(sys, bad) });
                }
                x[..sound].iter_mut().zip(&*r).for_each(|(x, r)| *x -= r);
                x[sound..].fill(0.0);
                continue;
            }
            x.iter_mut().zip(&*r).for_each(|(x, r)| *x -= r);
            // a and λ together: one of them may be nothing but noise
            let loads = self.positions.loads(&x[..n]);
            let mut correction = [(0..n, sys.least_size()), (n..2 * n, 0.0), (2 * n..layout.z(), loads)]
                .map(|(b, least)| relative(&r[b.clone()], &x[b], least));
            if shares {
                correction[2] = self.felt(r, x, loads);
            }
            // at rounding, or no longer falling: at once where it is small, else after some more tries
            (0..3).for_each(|k| stalls[k] = if correction[k] > 0.3 * last[k] { stalls[k] + 1 } else { 0 });
            let done = |k: usize| match stalls[k] {
                _ if correction[k] <= 8.0 * f64::EPSILON => true,
                0 => false,
                1..6 => correction[k] < 1e-11,
                // rounding is amplified near a singular position
                _ => correction[k] < 1e-6,
            };
            if (0..3).all(done) {
                return Ok(Report { iterations, factorizations: 3 * iterations });
            }
            last = correction;
            // positions and velocities hold: accelerations do not settle where the masses are singular but
            // for roundings, or where nothing acts and nothing bends the motion: then they are roundings of
            // q̇², and of what stabilises Φ
            if iterations == MAX_ITERATIONS && done(0) && done(1) {
                let rate = largest(x[n..2 * n].iter().copied());
                let size = sys.size_of(&x[..n]);
                let [c0, c1, _] = self.law.level;
                let scale = rate * rate + c1 * rate * size + c0 * size * size;
                if largest(r[2 * n..layout.z()].iter().copied()) * size <= 1e-11 * scale {
                    return Ok(Report { iterations, factorizations: 3 * iterations });
                }
                if self.is_balanced(r, x) {
                    return Ok(Report { iterations, factorizations: 3 * iterations });
                }
                let most = (2 * n..3 * n).fold(2 * n, |w, i| if r[i].abs() > r[w].abs() { i } else { w });
                return Err(StepError::Singular { t, equation: sys.coordinate_name(most - 2 * n) });
            }
            if iterations == MAX_ITERATIONS {
                return Err(StepError::Assembly {
                    worst: self.positions.equation(sys, worst),
                    residual: violation.abs(),
                });
            }
        }
        unreachable!("the loop returns")
    }
    /// Are corrections r of (a, λ) roundings of M a? Multipliers that nothing loads, such as those of unit
    /// Euler parameters, are roundings of heavy masses times accelerations.
    fn is_balanced(&mut self, r: &[f64], x: &[f64]) -> bool {
        let (n, z, lam) = (self.layout.n, self.layout.z(), self.layout.lam());
        let mut rest = vec![0.0; n];
        let mut inertia = vec![0.0; n];
        self.acceleration.terms.balance(&r[2 * n..lam], &r[lam..z], &mut rest);
        self.acceleration.terms.balance(&x[2 * n..lam], &vec![0.0; z - lam], &mut inertia);
        relative(&r[2 * n..lam], &x[2 * n..lam], 0.0) <= 1e-6 && relative(&rest, &inertia, 0.0) <= 1e-11
    }
    /// Correction of a and Φ_qᵀλ: penalties on repeated rows share λ by roundings of Φ̈ times α, of which the
    /// motion feels nothing.
    fn felt(&mut self, r: &[f64], x: &[f64], least: f64) -> f64 {
        let (n, z, lam) = (self.layout.n, self.layout.z(), self.layout.lam());
        let (zero, rest) = self.felt.split_at_mut(n);
        let (change, force) = rest.split_at_mut(2 * n);
        for (out, x) in [(&mut *change, r), (&mut *force, x)] {
            out[..n].copy_from_slice(&x[2 * n..lam]);
            out[n..].fill(0.0);
            self.acceleration.terms.balance(zero, &x[lam..z], &mut out[n..]);
        }
        relative(change, force, least)
    }
    /// Name of unknown `i` of the record.
    fn unknown(&self, sys: &Setup, i: usize) -> String {
        let (n, lam) = (self.layout.n, self.layout.lam());
        match i {
            i if i >= lam => sys.row_name((i - lam).min(self.layout.m.saturating_sub(1))),
            i if i >= 2 * n => format!("acceleration of {}", sys.coordinate_name(i - 2 * n)),
            i if i >= n => format!("velocity of {}", sys.coordinate_name(i - n)),
            i => sys.coordinate_name(i),
        }
    }
    /// Partials of (1)–(3) at x.
    pub(crate) fn linearise(
        &mut self,
        sys: &Setup,
        t: f64,
        angles: &[f64],
        x: &[f64],
    ) -> Result<(), StepError> {
        self.acceleration.terms.set_branches(angles);
        let (n, m) = (self.layout.n, self.layout.m);
        self.t = t;
        self.point.copy_from_slice(&x[..self.layout.z()]);
        let at = At::of(t, &self.point, n, m);
        self.acceleration.set(sys, &at);
        let terms = &mut self.acceleration.terms;
        self.positions.linearise(sys, &at, angles, terms, &mut self.felt[..n])?;
        self.rows.set(&at, terms);
        self.factor.refactor(self.rows.matrix()).map_err(|s| self.rows.singular(sys, t, s))?;
        self.solver.refactor(sys, t, terms, self.law.compliance)
    }
    /// Loads that balance in an equilibrium [N], where (a, λ) and their derivatives may be nothing but
    /// roundings of them; else 0.
    pub fn loads(&self) -> f64 {
        self.positions.loads(&self.point[..self.layout.n])
    }
    /// The transpose of (5).
    fn auxiliary_t(&self, b: &mut [f64]) {
        if self.auxiliary {
            let (a, aux) = (self.layout.a(), self.layout.len - self.layout.n);
            (0..self.layout.n).for_each(|i| b[a + i] += b[aux + i]);
        }
    }
    /// Positions, then velocities, then accelerations.
    pub(crate) fn solve(&mut self, sys: &Setup, b: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        let (q, rest) = b.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        self.positions.solve(q);
        let at = At::of(self.t, &self.point, n, m);
        self.rows.mul_q(&at, &mut self.acceleration.terms, -1.0, q, v);
        self.rows.solve(&mut self.factor, v);
        let u = &mut rest[..n + m];
        self.acceleration.state_mul(sys, -1.0, q, v, u);
        self.solver.solve(sys, &self.acceleration.terms, u);
        self.auxiliary_plain(b);
    }
    /// (5) after its accelerations.
    fn auxiliary_plain(&self, b: &mut [f64]) {
        if self.auxiliary {
            let (a, aux) = (self.layout.a(), self.layout.len - self.layout.n);
            (0..self.layout.n).for_each(|i| b[aux + i] += b[a + i]);
        }
    }
    /// Accelerations, then velocities, then positions, transposed [A22, Eqs. 43c, 43b, 43a].
    pub fn solve_t(&mut self, sys: &Setup, b: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        self.auxiliary_t(b);
        let (q, rest) = b.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let u = &mut rest[..n + m];
        self.solver.solve(sys, &self.acceleration.terms, u);
        self.acceleration.state_mul_t(sys, -1.0, u, q, v);
        self.rows.solve_t(&mut self.factor, v);
        let at = At::of(self.t, &self.point, n, m);
        self.rows.mul_q_t(&at, &mut self.acceleration.terms, -1.0, v, q, &mut self.unused);
        self.positions.solve_t(q);
    }
    /// The first part of `solve_t`: b holds ψ_x at record 0 and becomes dψ/d(q₀, v₀), with (a₀, λ₀) following
    /// from (3).
    pub fn state_t(&mut self, sys: &Setup, b: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        self.auxiliary_t(b);
        let (q, rest) = b.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        self.solver.solve(sys, &self.acceleration.terms, &mut rest[..n + m]);
        self.acceleration.state_mul_t(sys, -1.0, &rest[..n + m], q, v);
    }
    /// Adds R_p δ to the rows r.
    pub fn slot_mul(&mut self, sys: &Setup, delta: &[f64], r: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        let at = At::of(self.t, &self.point, n, m);
        let (q, rest) = r.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let terms = &mut self.acceleration.terms;
        self.positions.slot_mul(sys, &at, delta, terms, &mut self.all, q);
        rows_p(&at, &self.rows, Level::VELOCITY, delta, terms, &mut self.all, v);
        self.acceleration.slot_mul(delta, &mut rest[..n + m]);
    }
    /// grad += s R_pᵀ μ.
    pub fn slot_mul_t(&mut self, sys: &Setup, mu: &[f64], s: f64, grad: &mut [f64]) {
        let (n, m) = (self.layout.n, self.layout.m);
        let at = At::of(self.t, &self.point, n, m);
        let terms = &mut self.acceleration.terms;
        self.positions.slot_mul_t(sys, &at, &mu[..n], s, terms, &mut self.all, grad);
        rows_p_t(&at, &mut self.rows, Level::VELOCITY, &mu[n..2 * n], s, terms, &mut self.all, grad);
        self.acceleration.slot_mul_t(&mu[2 * n..3 * n + m], s, grad);
    }
}

/// Largest correction relative to the largest value, or the least that counts, where that is not zero.
fn relative(r: &[f64], x: &[f64], least: f64) -> f64 {
    let scale = largest(x.iter().copied()).max(least);
    largest(r.iter().copied()) / if scale > 0.0 { scale } else { 1.0 }
}
