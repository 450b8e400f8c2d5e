//! The block of positions of record 0: assembly with conditions, or a static equilibrium.

use crate::equilibrium::{Balance, Reduced};
use crate::error::StepError;
use crate::start::StartRows;
use gradyn_model::{At, Evaluator, Kinematics, Level, Setup};
use gradyn_num::{Factor, largest};

/// The block, linearised.
pub(super) enum Positions {
    /// Constraints and position conditions, [Φ; E] = 0.
    Conditions(Box<StartRows>, Factor),
    /// [Φ; E; r] = 0.
    Equilibrium(Box<Balance>),
}

impl Positions {
    pub(super) fn new(sys: &Setup, p: &[f64]) -> Result<Self, StepError> {
        if let Some(balance) = Balance::of(sys, p)? {
            return Ok(Self::Equilibrium(Box::new(balance)));
        }
        let rows = StartRows::new(
            sys,
            Kinematics::Position,
            sys.dims().n - sys.independent(Kinematics::Position).len(),
        );
        let factor = Factor::new(&rows.pattern)?;
        Ok(Self::Conditions(Box::new(rows), factor))
    }
    /// The memory of the residual.
    pub(super) fn reduced(&mut self) -> Option<&mut Reduced<f64>> {
        match self {
            Self::Conditions(..) => None,
            Self::Equilibrium(balance) => Some(&mut balance.reduced),
        }
    }
    /// Loads that balance in an equilibrium, where (a, λ) may be nothing but their roundings; else 0.
    pub(super) fn loads(&self, q: &[f64]) -> f64 {
        match self {
            Self::Conditions(..) => 0.0,
            Self::Equilibrium(balance) => balance.stiffness() * largest(q.iter().copied()),
        }
    }
    /// Partials at a point where `terms` are.
    pub(super) fn linearise(
        &mut self,
        sys: &Setup,
        at: &At,
        angles: &[f64],
        terms: &mut Evaluator<f64>,
        r: &mut [f64],
    ) -> Result<(), StepError> {
        match self {
            Self::Conditions(rows, factor) => {
                rows.set(at, terms);
                factor.refactor(rows.matrix()).map_err(|s| rows.singular(sys, at.t, s))
            }
            Self::Equilibrium(balance) => balance.linearise(sys, at.t, at.q, angles, terms, r),
        }
    }
    pub(super) fn solve(&mut self, b: &mut [f64]) {
        match self {
            Self::Conditions(rows, factor) => rows.solve(factor, b),
            Self::Equilibrium(balance) => balance.solve(b),
        }
    }
    pub(super) fn solve_t(&mut self, b: &mut [f64]) {
        match self {
            Self::Conditions(rows, factor) => rows.solve_t(factor, b),
            Self::Equilibrium(balance) => balance.solve_t(b),
        }
    }
    /// Name of equation `i`.
    pub(super) fn equation(&self, sys: &Setup, i: usize) -> String {
        let rows = match self {
            Self::Conditions(rows, _) => rows,
            Self::Equilibrium(balance) => &balance.rows,
        };
        match rows.held().get(i) {
            Some(&k) => sys.row_name(k as usize),
            None if i < rows.rows + rows.conditions => {
                sys.condition_name(Kinematics::Position, i - rows.rows)
            }
            None => "balance of forces".into(),
        }
    }
    /// Adds R_p δ to the rows x.
    pub(super) fn slot_mul(
        &mut self,
        sys: &Setup,
        at: &At,
        delta: &[f64],
        terms: &mut Evaluator<f64>,
        all: &mut [f64],
        x: &mut [f64],
    ) {
        match self {
            Self::Conditions(rows, _) => rows_p(at, rows, Level::POSITION, delta, terms, all, x),
            Self::Equilibrium(balance) => balance.slot_mul(sys, delta, terms, x),
        }
    }
    /// grad += s R_pᵀ μ.
    pub(super) fn slot_mul_t(
        &mut self,
        sys: &Setup,
        at: &At,
        mu: &[f64],
        s: f64,
        terms: &mut Evaluator<f64>,
        all: &mut [f64],
        grad: &mut [f64],
    ) {
        match self {
            Self::Conditions(rows, _) => rows_p_t(at, rows, Level::POSITION, mu, s, terms, all, grad),
            Self::Equilibrium(balance) => balance.slot_mul_t(sys, mu, s, terms, grad),
        }
    }
}

/// x += (rows, conditions)_p δ at a level.
pub(super) fn rows_p(
    at: &At,
    rows: &StartRows,
    level: [f64; 3],
    delta: &[f64],
    terms: &mut Evaluator<f64>,
    all: &mut [f64],
    x: &mut [f64],
) {
    all.fill(0.0);
    terms.constraint_p(at, level, delta, all);
    x.iter_mut().zip(rows.held()).for_each(|(x, &k)| *x += all[k as usize]);
    rows.slot_mul(at, terms, delta, &mut x[rows.rows..]);
}

/// grad += s (rows, conditions)_pᵀ μ at a level.
pub(super) fn rows_p_t(
    at: &At,
    rows: &mut StartRows,
    level: [f64; 3],
    mu: &[f64],
    s: f64,
    terms: &mut Evaluator<f64>,
    all: &mut [f64],
    grad: &mut [f64],
) {
    all.fill(0.0);
    mu.iter().zip(rows.held()).for_each(|(mu, &k)| all[k as usize] = *mu);
    terms.constraint_p_t(at, level, all, s, grad);
    rows.slot_mul_t(at, terms, &mu[rows.rows..], s, grad);
}
