//! Systems of first order that the user writes.
//!
//! ```text
//! ẏ = v(t, y, z; p),   M(t, y; p) ż + k(t, y, z; p) = q(t, y, z; p)  (1)  [B92, Eqs. 1, 2]
//! Φ⁰(t⁰, y⁰, z⁰; p) = 0                                              (2)  [B92, Eqs. 6, 7]
//! ψ = G(t¹, y¹, z¹; p) + ∫ F(t, y, z, ż; p) dt                       (3)  [B92, Eq. 8]
//! ```
//! The coordinates are (y, z), without inertia; (1) are rows of velocity level,
//!
//! ```text
//! c = A(t, y; p) (ẏ, ż) - (v, q - k) = 0,   A = diag(I, M)  (4)
//! ```
//! as many as there are velocities. So every formulation that takes such rows integrates (1), with every
//! integrator and sensitivity. All partials are duals of the user's functions; nothing is derived by hand.
//! The terms allocate: they are for small systems.

mod duals;
mod functions;

use crate::error::ModelError;
use crate::row::Owner;
use crate::row_status::{Active, RowStatus};
use crate::scalar::{Functions, KernelScalar, Over, UserFunctions, What};
use crate::system::{AngleName, At, Dims, FunctionalSet, Kinematics, Patterns, velocity_weights};
use functions::Space;
use gradyn_num::{Pattern, Scalar};
use std::sync::Arc;

/// (1)–(3), generic over the scalar.
pub trait StateSpace: Send + Sync + 'static {
    /// Names of the positions y.
    fn positions(&self) -> Vec<String>;
    /// Names of the velocities z.
    fn velocities(&self) -> Vec<String>;
    /// Names and values of p.
    fn parameters(&self) -> Vec<(String, f64)>;
    /// Names of the objectives.
    fn objectives(&self) -> Vec<String>;
    /// The rates ẏ of (1).
    fn rates<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], rates: &mut [S]);
    /// M of (1) by rows, zero on entry.
    fn mass<S: Scalar>(&self, t: S, y: &[S], p: &[S], mass: &mut [S]);
    /// The forces q - k of (1).
    fn forces<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], forces: &mut [S]);
    /// Φ⁰ of (2), one row for each of (y, z).
    fn initial<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], rows: &mut [S]);
    /// Where the solution of (2) is looked for: (y, z).
    fn guess(&self) -> Vec<f64> {
        vec![0.0; self.positions().len() + self.velocities().len()]
    }
    /// F of (3), zero on entry.
    fn integrands<S: Scalar>(&self, _t: S, _y: &[S], _z: &[S], _dz: &[S], _p: &[S], _values: &mut [S]) {}
    /// G of (3), zero on entry.
    fn terminals<S: Scalar>(&self, _t: S, _y: &[S], _z: &[S], _p: &[S], _values: &mut [S]) {}
}

/// A system of (4), for functions of any type.
#[derive(Clone)]
pub struct UserSystem {
    functions: Arc<dyn UserFunctions>,
    n: usize,
    names: Vec<String>,
    parameters: Vec<String>,
    objectives: Vec<String>,
    patterns: Patterns,
    all: Vec<u32>,
    slots: Vec<u32>,
    guess: Vec<f64>,
}

impl std::fmt::Debug for UserSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserSystem").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Terms of a user's system at one point: what depends on the slots and on (t, q).
#[derive(Clone, Debug)]
pub(crate) struct UserTerms<S> {
    user: Arc<UserSystem>,
    p: Vec<S>,
    /// A of (4) by rows.
    a: Vec<S>,
    /// The inertia that there is not.
    none: Vec<S>,
}

impl UserSystem {
    /// Sizes and names; a name that is empty or repeated and a guess of another length are errors.
    pub fn new<U: StateSpace>(user: U) -> Result<Self, ModelError> {
        // names and sizes of (y, z), parameters and objectives
        let names: Vec<String> = user.positions().into_iter().chain(user.velocities()).collect();
        let f = user.positions().len();
        let n = names.len();
        let parameters: Vec<String> = user.parameters().into_iter().map(|p| p.0).collect();
        let objectives = user.objectives();
        let guess = user.guess();
        check_names(Owner::Coordinate, &names)?;
        check_names(Owner::Parameter, &parameters)?;
        check_names(Owner::Objective, &objectives)?;
        check_guess(&guess, n)?;
        // every entry of A may be there
        let dense = Pattern::from_entries(n, n, (0..n).flat_map(|i| (0..n).map(move |j| (i, j))));
        Ok(Self {
            functions: Arc::new(Space { user, f, n, objectives: objectives.len() }),
            n,
            names,
            objectives,
            patterns: Patterns::new(dense.clone(), dense),
            all: (0..n as u32).collect(),
            slots: (0..parameters.len() as u32).collect(),
            parameters,
            guess,
        })
    }
    /// Names of the parameters. One more slot follows them: the final time.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }
    /// Names of the objectives.
    pub fn objectives(&self) -> &[String] {
        &self.objectives
    }
    /// Where the search for (2) begins.
    pub(crate) fn guess(&self) -> &[f64] {
        &self.guess
    }
    /// All rows are independent and none is left out.
    pub(crate) fn all_rows(&self) -> RowStatus {
        RowStatus::new(self.dims(), 0, vec![1.0; self.n], Active::all(0, false))
    }
    /// The functions on a scalar.
    fn on<S: KernelScalar>(&self) -> &dyn Functions<S> {
        S::of(&*self.functions)
    }
}

/// Refuses names that are empty or repeated.
fn check_names(kind: Owner, names: &[String]) -> Result<(), ModelError> {
    for (k, name) in names.iter().enumerate() {
        let wrong = match name.as_str() {
            "" => format!("{kind} {} of the user system has no name", k + 1),
            _ if names[..k].contains(name) => format!("{kind} `{name}` of the user system is there twice"),
            _ => continue,
        };
        return Err(ModelError::new(wrong).about(kind, name).help("give each a name of its own"));
    }
    Ok(())
}

/// Refuses a guess without a finite number for each of the n coordinates, and a system that has none.
fn check_guess(guess: &[f64], n: usize) -> Result<(), ModelError> {
    let given = guess.len();
    let wrong = match guess.iter().find(|x| !x.is_finite()) {
        _ if n == 0 => "the user system has no coordinate".to_owned(),
        _ if given != n => format!("the guess of the user system has {given} numbers for {n} coordinates"),
        Some(x) => format!("a number of the guess of the user system is {x}"),
        None => return Ok(()),
    };
    Err(ModelError::new(wrong).help("give a number for each of (y, z)"))
}

impl UserSystem {
    pub(crate) fn dims(&self) -> Dims {
        let slots = self.parameters.len() + 1;
        Dims { n: self.n, m: self.n, m_vel: self.n, slots, angles: 0, sides: 0, args: slots }
    }
    pub(crate) fn constant_mass(&self) -> bool {
        true
    }
    pub(crate) fn least_size(&self) -> f64 {
        0.0
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    /// Memory for one point of evaluation.
    pub(crate) fn terms<S: KernelScalar>(self: &Arc<Self>) -> UserTerms<S> {
        let zero = |n: usize| vec![S::zero(); n];
        let square = self.n * self.n;
        UserTerms {
            user: Arc::clone(self),
            p: zero(self.parameters.len()),
            a: zero(square),
            none: zero(square),
        }
    }
    pub(crate) fn functionals(&self, set: FunctionalSet) -> usize {
        match set {
            FunctionalSet::Output => self.n,
            FunctionalSet::Integrand | FunctionalSet::Terminal => self.objectives.len(),
            FunctionalSet::Condition | FunctionalSet::Cut | FunctionalSet::Event => 0,
        }
    }
    pub(crate) fn support(&self, _set: FunctionalSet) -> &[u32] {
        &self.slots
    }
    pub(crate) fn condition_pattern(&self, _kinematics: Kinematics, _k: usize) -> &[u32] {
        &self.all
    }
    pub(crate) fn condition_support(&self, _kinematics: Kinematics, _k: usize) -> &[u32] {
        &self.slots
    }
    pub(crate) fn angle_name(&self, _k: usize) -> AngleName {
        AngleName { text: String::new(), attitude: false }
    }
    pub(crate) fn row_name(&self, k: usize) -> String {
        format!("rate of {}", self.names[k])
    }
    pub(crate) fn condition_name(&self, _kinematics: Kinematics, k: usize) -> String {
        format!("initial condition {}", k + 1)
    }
    pub(crate) fn coordinate_name(&self, i: usize) -> String {
        self.names[i].clone()
    }
}

impl<S: KernelScalar> UserTerms<S> {
    pub(crate) fn set_slots(&mut self, p: &[S]) {
        self.p.copy_from_slice(&p[..self.user.parameters.len()]);
    }
    pub(crate) fn at(&mut self, t: S, q: &[S]) {
        self.a = self.user.on().matrix(t, q, &self.p);
    }
    pub(crate) fn constraint(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        let rows = self.user.on().value(What::Rows(velocity_weights(c)), at, &self.p);
        out.iter_mut().zip(rows).for_each(|(o, r)| *o += r);
    }
    pub(crate) fn balance(&self, _w: &[S], lam: &[S], out: &mut [S]) {
        self.user.patterns.mn.mul_t(&self.a, 1.0, lam, out);
    }
    pub(crate) fn mass(&self) -> &[S] {
        &self.none
    }
    pub(crate) fn phi_q(&self) -> &[S] {
        &self.a
    }
    pub(crate) fn constraint_q(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        let rows = What::Rows(velocity_weights(c));
        self.user.on().jacobian(rows, at, &self.p, Over::Q, &mut |i, k, x| out[i * self.user.n + k] += x);
    }
    pub(crate) fn constraint_v(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        let rows = What::Rows(velocity_weights(c));
        self.user.on().jacobian(rows, at, &self.p, Over::V, &mut |i, k, x| out[i * self.user.n + k] += x);
    }
    pub(crate) fn balance_q(&mut self, at: &At<S>, _w: &[S], lam: &[S], out: &mut [S]) {
        let at = At { lam, ..*at };
        self.user
            .on()
            .jacobian(What::Pulled, &at, &self.p, Over::Q, &mut |i, k, x| out[i * self.user.n + k] += x);
    }
    pub(crate) fn constraint_p(&mut self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.user.on().along_p(What::Rows(velocity_weights(c)), at, &self.p, delta, out);
    }
    pub(crate) fn constraint_p_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, grad: &mut [S]) {
        let rows = What::Rows(velocity_weights(c));
        self.user.on().jacobian(rows, at, &self.p, Over::P, &mut |i, k, x| grad[k] += mu[i] * x * s);
    }
    pub(crate) fn balance_p(&mut self, at: &At<S>, _w: &[S], lam: &[S], delta: &[S], out: &mut [S]) {
        let at = At { lam, ..*at };
        self.user.on().along_p(What::Pulled, &at, &self.p, delta, out);
    }
    pub(crate) fn balance_p_t(&mut self, at: &At<S>, _w: &[S], lam: &[S], mu: &[S], s: f64, grad: &mut [S]) {
        let at = At { lam, ..*at };
        self.user.on().jacobian(What::Pulled, &at, &self.p, Over::P, &mut |i, k, x| grad[k] += mu[i] * x * s);
    }
    pub(crate) fn measure(&mut self, set: FunctionalSet, at: &At<S>, out: &mut [S]) {
        out.copy_from_slice(&self.user.on().value(What::Functionals(set), at, &self.p));
    }
    pub(crate) fn measure_row(&mut self, set: FunctionalSet, k: usize, at: &At<S>, row: &mut [S]) {
        row.fill(S::zero());
        let node = 3 * self.user.n + at.lam.len();
        for (over, first) in [(Over::Q, 0), (Over::V, self.user.n), (Over::P, node)] {
            let put = &mut |j: usize, i: usize, x: S| {
                if j == k {
                    row[first + i] = x;
                }
            };
            self.user.on().jacobian(What::Functionals(set), at, &self.p, over, put);
        }
    }
    pub(crate) fn conditions(&mut self, at: &At<S>, position: &mut [S], _velocity: &mut [S]) {
        position.copy_from_slice(&self.user.on().value(What::Initial, at, &self.p)[..position.len()]);
    }
    pub(crate) fn condition_row(
        &mut self,
        _kinematics: Kinematics,
        k: usize,
        at: &At<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        // row k of Φ⁰ depends on q and p only
        v.fill(S::zero());
        for (over, out) in [(Over::Q, q), (Over::P, p)] {
            let put = &mut |j: usize, i: usize, x: S| {
                if j == k {
                    out[i] = x;
                }
            };
            self.user.on().jacobian(What::Initial, at, &self.p, over, put);
        }
    }
}
