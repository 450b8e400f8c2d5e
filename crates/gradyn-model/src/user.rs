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
use crate::system::{AngleName, At, Dims, Patterns, Set, velocity_weights};
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

/// What depends on the slots and on (t, q).
#[derive(Clone, Debug)]
pub struct UserData<S> {
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
    pub fn guess(&self) -> &[f64] {
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

/// The terms of [`System`](crate::system::System) for (4).
impl UserSystem {
    pub(crate) fn dims(&self) -> Dims {
        let slots = self.parameters.len() + 1;
        Dims { n: self.n, m: self.n, m_vel: self.n, slots, angles: 0, args: slots }
    }
    pub(crate) fn constant_mass(&self) -> bool {
        true
    }
    pub(crate) fn least_size(&self) -> f64 {
        0.0
    }
    /// There is no product without matrices.
    pub(crate) fn pull<S: KernelScalar>(
        &self,
        _at: &At<S>,
        _c: [f64; 3],
        _mu: [&[S]; 2],
        _s: f64,
        _d: &mut UserData<S>,
        _out: [&mut [S]; 3],
    ) -> bool {
        false
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    pub(crate) fn data<S: KernelScalar>(&self) -> UserData<S> {
        let zero = |n: usize| vec![S::zero(); n];
        UserData { p: zero(self.parameters.len()), a: zero(self.n * self.n), none: zero(self.n * self.n) }
    }
    pub(crate) fn prepare<S: KernelScalar>(&self, p: &[S], d: &mut UserData<S>) {
        d.p.copy_from_slice(&p[..self.parameters.len()]);
    }
    pub(crate) fn set_angles<S: KernelScalar>(&self, _references: &[f64], _d: &mut UserData<S>) {}
    pub(crate) fn set_rest<S: KernelScalar>(&self, _rest: bool, _d: &mut UserData<S>) {}
    pub(crate) fn set_time<S: KernelScalar>(&self, _t: S, _d: &mut UserData<S>) {}
    pub(crate) fn place<S: KernelScalar>(&self, t: S, q: &[S], d: &mut UserData<S>) {
        d.a = self.on().matrix(t, q, &d.p);
    }
    pub(crate) fn constraint<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let rows = self.on().value(What::Rows(velocity_weights(c)), at, &d.p);
        out.iter_mut().zip(rows).for_each(|(o, r)| *o += r);
    }
    pub(crate) fn balance<S: KernelScalar>(&self, _w: &[S], lam: &[S], d: &UserData<S>, out: &mut [S]) {
        self.patterns.mn.mul_t(&d.a, 1.0, lam, out);
    }
    pub(crate) fn forces<S: KernelScalar>(&self, _at: &At<S>, _d: &mut UserData<S>, _out: &mut [S]) {}
    pub(crate) fn mass<'d, S: KernelScalar>(&self, d: &'d UserData<S>) -> &'d [S] {
        &d.none
    }
    pub(crate) fn phi_q<'d, S: KernelScalar>(&self, d: &'d UserData<S>) -> &'d [S] {
        &d.a
    }
    pub(crate) fn constraint_q<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let rows = What::Rows(velocity_weights(c));
        self.on().jacobian(rows, at, &d.p, Over::Q, &mut |i, k, x| out[i * self.n + k] += x);
    }
    pub(crate) fn constraint_v<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let rows = What::Rows(velocity_weights(c));
        self.on().jacobian(rows, at, &d.p, Over::V, &mut |i, k, x| out[i * self.n + k] += x);
    }
    pub(crate) fn balance_q<S: KernelScalar>(
        &self,
        at: &At<S>,
        _w: &[S],
        lam: &[S],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let at = At { lam, ..*at };
        self.on().jacobian(What::Pulled, &at, &d.p, Over::Q, &mut |i, k, x| out[i * self.n + k] += x);
    }
    pub(crate) fn force_tangents<S: KernelScalar>(
        &self,
        _at: &At<S>,
        _d: &mut UserData<S>,
        _k: &mut [S],
        _c: &mut [S],
    ) {
    }
    pub(crate) fn constraint_p<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        self.on().along_p(What::Rows(velocity_weights(c)), at, &d.p, delta, out);
    }
    pub(crate) fn constraint_p_t<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut UserData<S>,
        grad: &mut [S],
    ) {
        let rows = What::Rows(velocity_weights(c));
        self.on().jacobian(rows, at, &d.p, Over::P, &mut |i, k, x| grad[k] += mu[i] * x * s);
    }
    pub(crate) fn balance_p<S: KernelScalar>(
        &self,
        at: &At<S>,
        _w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let at = At { lam, ..*at };
        self.on().along_p(What::Pulled, &at, &d.p, delta, out);
    }
    pub(crate) fn balance_p_t<S: KernelScalar>(
        &self,
        at: &At<S>,
        _w: &[S],
        lam: &[S],
        mu: &[S],
        s: f64,
        d: &mut UserData<S>,
        grad: &mut [S],
    ) {
        let at = At { lam, ..*at };
        self.on().jacobian(What::Pulled, &at, &d.p, Over::P, &mut |i, k, x| grad[k] += mu[i] * x * s);
    }
    pub(crate) fn forces_p<S: KernelScalar>(
        &self,
        _at: &At<S>,
        _delta: &[S],
        _d: &mut UserData<S>,
        _out: &mut [S],
    ) {
    }
    pub(crate) fn forces_p_t<S: KernelScalar>(
        &self,
        _at: &At<S>,
        _mu: &[S],
        _s: f64,
        _d: &mut UserData<S>,
        _grad: &mut [S],
    ) {
    }
    pub(crate) fn functionals(&self, set: Set) -> usize {
        if set == Set::Output { self.n } else { self.objectives.len() }
    }
    pub(crate) fn support(&self, _set: Set) -> &[u32] {
        &self.slots
    }
    pub(crate) fn measure<S: KernelScalar>(&self, set: Set, at: &At<S>, d: &mut UserData<S>, out: &mut [S]) {
        out.copy_from_slice(&self.on().value(What::Functionals(set), at, &d.p));
    }
    pub(crate) fn measure_row<S: KernelScalar>(
        &self,
        set: Set,
        k: usize,
        at: &At<S>,
        d: &mut UserData<S>,
        row: &mut [S],
    ) {
        row.fill(S::zero());
        let node = 3 * self.n + at.lam.len();
        for (over, first) in [(Over::Q, 0), (Over::V, self.n), (Over::P, node)] {
            let put = &mut |j: usize, i: usize, x: S| {
                if j == k {
                    row[first + i] = x;
                }
            };
            self.on().jacobian(What::Functionals(set), at, &d.p, over, put);
        }
    }
    pub(crate) fn conditions<S: KernelScalar>(
        &self,
        at: &At<S>,
        _chosen: &[u32],
        d: &mut UserData<S>,
        position: &mut [S],
        _velocity: &mut [S],
    ) {
        position.copy_from_slice(&self.on().value(What::Initial, at, &d.p)[..position.len()]);
    }
    pub(crate) fn condition_pattern(&self, _velocity: bool, _k: usize) -> &[u32] {
        &self.all
    }
    pub(crate) fn condition_support(&self, _velocity: bool, _k: usize) -> &[u32] {
        &self.slots
    }
    pub(crate) fn condition_row<S: KernelScalar>(
        &self,
        _velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut UserData<S>,
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
            self.on().jacobian(What::Initial, at, &d.p, over, put);
        }
    }
    pub(crate) fn visits(&self, _d: &UserData<f64>) -> usize {
        0
    }
    pub(crate) fn angles(&self, _q: &[f64], _d: &mut UserData<f64>, _out: &mut [f64]) {}
    pub(crate) fn angle_name(&self, _k: usize) -> AngleName {
        AngleName { text: String::new(), attitude: false }
    }
    pub(crate) fn row_name(&self, k: usize) -> String {
        format!("rate of {}", self.names[k])
    }
    pub(crate) fn condition_name(&self, _velocity: bool, k: usize) -> String {
        format!("initial condition {}", k + 1)
    }
    pub(crate) fn coordinate_name(&self, i: usize) -> String {
        self.names[i].clone()
    }
}
