//! Static equilibrium: positions at which the forces at rest balance.
//!
//! ```text
//! g(q, λ, ν; p) = Φ_qᵀ λ + E_qᵀ ν - Q(t, q, 0; p) = 0                              (1)
//! Φ(t, q; p) = 0,   E(q; p) = 0                                                   (2)
//! J = [ Φ_q ; E_q ],   W = [ J ; B ],   Wᵀ (-λ, -ν, r) = -Q                        (3)   B picks coordinates
//! R(q; p) = (Φ, E, r) = 0                                                         (4)
//! ```
//! (3) eliminates λ and ν: g = Bᵀ r, so that (4) are n equations for q alone, as many as any other position
//! conditions, and λ of the statics is never mixed up with λ₀ of the motion. E are conditions for directions
//! in which the forces are indifferent, where ν = 0, or for sensors that a support holds, where ν is its
//! effort. Forces of motion are left out of Q, rows of velocity level out of Φ. (3) is solved on any scalar
//! with real factors of W: each pass brings the derivative parts one order further.

mod balance;
mod curvature;
mod search;
mod stability;

pub use balance::Balance;
pub use search::{Equilibrium, Found, Search, find};

use crate::error::StepError;
use gradyn_model::{At, Evaluator, Kinematics, Level, RunScalar, Setup};
use gradyn_num::{Factor, Pattern};

/// Real part, derivative parts, roundings of both.
const PASSES: usize = 3;

/// (4) with its memory.
pub struct Reduced<S> {
    /// Independent rows of Φ.
    held: Vec<u32>,
    /// Coordinates that B picks.
    balanced: Vec<u32>,
    /// Where the values of Φ_q are in m × n, the head of J.
    head: Vec<u32>,
    /// J on its pattern.
    pattern: Pattern,
    j: Vec<S>,
    /// Values of W: those of J, then ones; its factors.
    values: Vec<f64>,
    factor: Factor,
    /// v = a = λ = 0.
    zero: Vec<S>,
    all: Vec<S>,
    /// Q and what (3) leaves of it.
    load: Vec<S>,
    rest: Vec<S>,
    /// Multipliers and residual (-λ, -ν, r) of the balance.
    u: Vec<S>,
    part: Vec<f64>,
    /// Parts of a condition's row that are not used.
    unused: [Vec<S>; 2],
}

impl<S: RunScalar> Reduced<S> {
    /// Memory for these rows of Φ, all conditions, and B.
    pub(crate) fn new(sys: &Setup, held: &[u32], balanced: &[u32]) -> Result<Self, StepError> {
        let dims = sys.dims();
        let mn = &sys.patterns().mn;
        let conditions = sys.statics().map_or(0, |s| s.held.len());
        let rows = held.len() + conditions;
        let wide = |list: &[u32], i: usize| list.iter().map(|&j| (i, j as usize)).collect::<Vec<_>>();
        let phi = held.iter().enumerate().flat_map(|(i, &k)| mn.row(k as usize).map(move |p| (i, mn.col(p))));
        let conditions = (0..conditions)
            .flat_map(|k| wide(sys.condition_pattern(Kinematics::Position, k), held.len() + k));
        let pattern = Pattern::from_entries(rows, dims.n, phi.chain(conditions));
        let picked = balanced.iter().enumerate().map(|(k, &i)| (rows + k, i as usize));
        let w = Pattern::from_entries(dims.n, dims.n, pattern.iter().map(|(i, j, _)| (i, j)).chain(picked));
        let slots = (0..rows - held.len())
            .map(|k| sys.condition_support(Kinematics::Position, k).len())
            .max()
            .unwrap_or(0);
        let zero = S::zero();
        Ok(Self {
            head: held.iter().flat_map(|&k| mn.row(k as usize)).map(|p| p as u32).collect(),
            held: held.to_vec(),
            balanced: balanced.to_vec(),
            j: vec![zero; pattern.nnz()],
            pattern,
            values: vec![1.0; w.nnz()],
            factor: Factor::new(&w)?,
            zero: vec![zero; dims.n.max(dims.m)],
            all: vec![zero; dims.m],
            load: vec![zero; dims.n],
            rest: vec![zero; dims.n],
            u: vec![zero; dims.n],
            part: vec![0.0; dims.n],
            unused: [vec![zero; dims.n], vec![zero; slots]],
        })
    }
    /// The memory of a system whose start is an equilibrium.
    pub fn of(sys: &Setup) -> Result<Option<Self>, StepError> {
        sys.statics().map(|s| Self::new(sys, sys.independent(Kinematics::Position), &s.balanced)).transpose()
    }
    /// (4) at q, where `terms` are; not a number where W is singular.
    pub fn residual(&mut self, sys: &Setup, t: S, q: &[S], terms: &mut Evaluator<S>, out: &mut [S]) {
        let (n, m, rows) = (sys.dims().n, sys.dims().m, self.held.len());
        let at = At { t, q, v: &self.zero[..n], a: &self.zero[..n], lam: &self.zero[..m] };
        // Φ, E
        self.all.fill(S::zero());
        terms.constraint(&at, Level::POSITION, &mut self.all);
        out.iter_mut().zip(&self.held).for_each(|(x, &k)| *x = self.all[k as usize]);
        terms.conditions(&at, &mut out[rows..self.pattern.rows()], &mut []);
        // J
        let phi_q = terms.phi_q();
        self.j.iter_mut().zip(&self.head).for_each(|(x, &p)| *x = phi_q[p as usize]);
        let [v, p] = &mut self.unused;
        for k in 0..self.pattern.rows() - rows {
            let row = self.pattern.row(rows + k);
            let v = &mut v[..row.len()];
            let p = &mut p[..sys.condition_support(Kinematics::Position, k).len()];
            terms.condition_row(Kinematics::Position, k, &at, &mut self.j[row], v, p);
        }
        // -Q
        self.load.fill(S::zero());
        terms.set_rest(true);
        terms.forces(&at, &mut self.load);
        terms.set_rest(false);
        // (3)
        let rows = self.pattern.rows();
        match self.eliminate() {
            true => out[rows..].copy_from_slice(&self.u[rows..]),
            false => out[rows..].fill(S::from(f64::NAN)),
        }
    }
    /// λ of all rows, where `residual` was evaluated.
    pub fn multipliers(&self, lam: &mut [S]) {
        lam.fill(S::zero());
        self.held.iter().zip(&self.u).for_each(|(&k, u)| lam[k as usize] = -*u);
    }
    /// (3); `false` if W is singular.
    fn eliminate(&mut self) -> bool {
        self.values.iter_mut().zip(&self.j).for_each(|(w, j)| *w = j.re());
        if self.factor.refactor(&self.values).is_err() {
            return false;
        }
        self.u.fill(S::zero());
        self.rest.copy_from_slice(&self.load);
        let rows = self.pattern.rows();
        for pass in 0..PASSES {
            self.part.iter_mut().zip(&self.rest).for_each(|(p, r)| *p = r.re());
            self.factor.solve_t(&mut self.part);
            self.u.iter_mut().zip(&self.part).for_each(|(u, p)| *u += S::from(*p));
            for k in 0..S::DIRECTIONS {
                self.part.iter_mut().zip(&self.rest).for_each(|(p, r)| *p = r.part(k));
                self.factor.solve_t(&mut self.part);
                self.u.iter_mut().zip(&self.part).for_each(|(u, p)| *u.part_mut(k) += p);
            }
            // -Q - Jᵀ (-λ, -ν) - Bᵀ r
            if pass + 1 < PASSES {
                self.rest.copy_from_slice(&self.load);
                self.pattern.mul_t(&self.j, -1.0, &self.u[..rows], &mut self.rest);
                self.balanced.iter().zip(&self.u[rows..]).for_each(|(&i, r)| self.rest[i as usize] -= *r);
            }
        }
        true
    }
}
