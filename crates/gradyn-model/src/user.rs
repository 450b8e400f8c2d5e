//! Systems of first order that the user writes.
//!
//! ```text
//! ẏ = v(t, y, z; p),   M(t, y; p) ż + k(t, y, z; p) = q(t, y, z; p)                                        (1)  [B92, Eqs. 1, 2]
//! Φ⁰(t⁰, y⁰, z⁰; p) = 0                                                                                  (2)  [B92, Eqs. 6, 7]
//! ψ = G(t¹, y¹, z¹; p) + ∫ F(t, y, z, ż; p) dt                                                            (3)  [B92, Eq. 8]
//! ```
//! The coordinates are (y, z), without inertia; (1) are rows of velocity level,
//!
//! ```text
//! c = A(t, y; p) (ẏ, ż) - (v, q - k) = 0,   A = diag(I, M)                                                (4)
//! ```
//! as many as there are velocities. So every formulation that takes such rows integrates (1), with every
//! integrator and sensitivity. All partials are duals of the user's functions; nothing is derived by hand.
//! The terms allocate: they are for small systems.

mod duals;

use crate::system::{AngleName, At, Dims, Patterns, RowScaling, Set, System, velocity_weights};
use duals::{Lanes, Over, along_p, jacobian};
use gradyn_num::{Dual, Pattern, Scalar};

/// (1)–(3), generic over the scalar.
pub trait StateSpace: Sync {
    /// Names of y.
    fn positions(&self) -> Vec<String>;
    /// Names of z.
    fn velocities(&self) -> Vec<String>;
    /// Names and values of p.
    fn parameters(&self) -> Vec<(String, f64)>;
    /// Names of the objectives.
    fn objectives(&self) -> Vec<String>;
    /// ẏ of (1).
    fn rates<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], rates: &mut [S]);
    /// M of (1) by rows, zero on entry.
    fn mass<S: Scalar>(&self, t: S, y: &[S], p: &[S], mass: &mut [S]);
    /// q - k of (1).
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

/// A system of (4).
#[derive(Clone, Debug)]
pub struct UserSystem<U> {
    /// The user's functions.
    pub user: U,
    f: usize,
    n: usize,
    names: Vec<String>,
    parameters: Vec<String>,
    objectives: usize,
    patterns: Patterns,
    all: Vec<u32>,
    slots: Vec<u32>,
    ones: Vec<f64>,
    drawn: Vec<f64>,
}

/// What depends on the slots and on (t, q).
#[derive(Clone, Debug)]
pub struct UserData<S> {
    p: Vec<S>,
    /// A.
    a: Vec<S>,
    /// The inertia that there is not.
    none: Vec<S>,
}

impl<U: StateSpace> UserSystem<U> {
    /// Sizes and names.
    pub fn new(user: U) -> Self {
        let names: Vec<String> = user.positions().into_iter().chain(user.velocities()).collect();
        let (f, n, parameters) = (user.positions().len(), names.len(), user.parameters());
        let dense = Pattern::from_entries(n, n, (0..n).flat_map(|i| (0..n).map(move |j| (i, j))));
        let objectives = user.objectives().len();
        let drawn = user.guess();
        assert_eq!(drawn.len(), n, "a guess has a number for each of (y, z)");
        Self {
            f,
            n,
            names,
            objectives,
            patterns: Patterns::new(dense.clone(), dense),
            all: (0..n as u32).collect(),
            slots: (0..parameters.len() as u32).collect(),
            parameters: parameters.into_iter().map(|p| p.0).collect(),
            ones: vec![1.0; n],
            drawn,
            user,
        }
    }
    /// Begins the search for (2) elsewhere.
    pub fn set_drawn(&mut self, q: &[f64]) {
        self.drawn.copy_from_slice(q);
    }
    /// Names of the parameters. One more slot follows them: the final time.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }
    /// A by rows.
    fn matrix<S: Scalar>(&self, t: S, q: &[S], p: &[S]) -> Vec<S> {
        let (f, n, g) = (self.f, self.n, self.n - self.f);
        let (mut mass, mut a) = (vec![S::zero(); g * g], vec![S::zero(); n * n]);
        self.user.mass(t, &q[..f], p, &mut mass);
        (0..f).for_each(|i| a[i * n + i] = S::one());
        (0..g).for_each(|i| (0..g).for_each(|j| a[(f + i) * n + f + j] = mass[i * g + j]));
        a
    }
    /// (4).
    fn rows<S: Scalar>(&self, t: S, q: &[S], v: &[S], p: &[S]) -> Vec<S> {
        let (f, n, a) = (self.f, self.n, self.matrix(t, q, p));
        let (y, z) = q.split_at(f);
        let mut rates = vec![S::zero(); n];
        let (first, second) = rates.split_at_mut(f);
        self.user.rates(t, y, z, p, first);
        self.user.forces(t, y, z, p, second);
        (0..n).map(|i| (0..n).fold(-rates[i], |s, j| s + a[i * n + j] * v[j])).collect()
    }
    /// w₀ c + w₁ ċ.
    fn weighted<S: Scalar>(&self, at: &At<S>, [w0, w1]: [f64; 2], p: &[S]) -> Vec<S> {
        if w1 == 0.0 {
            return self.rows(at.t, at.q, at.v, p).into_iter().map(|r| r * w0).collect();
        }
        let along =
            |x: &[S], d: &[S]| x.iter().zip(d).map(|(x, d)| Dual::<S, 1>::along(*x, *d)).collect::<Vec<_>>();
        let fixed: Vec<Dual<S, 1>> = p.iter().map(|p| Dual::constant(*p)).collect();
        let r = self.rows(Dual::along(at.t, S::one()), &along(at.q, at.v), &along(at.v, at.a), &fixed);
        r.into_iter().map(|r| r.re * w0 + r.eps[0] * w1).collect()
    }
    /// Aᵀ λ.
    fn pulled<S: Scalar>(&self, t: S, q: &[S], p: &[S], lam: &[S]) -> Vec<S> {
        let (n, a) = (self.n, self.matrix(t, q, p));
        (0..n).map(|j| (0..n).fold(S::zero(), |s, i| s + a[i * n + j] * lam[i])).collect()
    }
    fn functional<S: Scalar>(&self, set: Set, at: &At<S>, p: &[S]) -> Vec<S> {
        let mut values = vec![S::zero(); self.functionals(set)];
        let (y, z) = at.q.split_at(self.f);
        match set {
            Set::Integrand => self.user.integrands(at.t, y, z, &at.v[self.f..], p, &mut values),
            Set::Terminal => self.user.terminals(at.t, y, z, p, &mut values),
            Set::Output => values.copy_from_slice(at.q),
        }
        values
    }
}

impl<U: StateSpace> System for UserSystem<U> {
    type Data<S: Scalar> = UserData<S>;

    fn dims(&self) -> Dims {
        let slots = self.parameters.len() + 1;
        Dims { n: self.n, m: self.n, m_vel: self.n, slots, angles: 0, args: slots }
    }
    fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    fn data<S: Scalar>(&self) -> UserData<S> {
        let zero = |n: usize| vec![S::zero(); n];
        UserData { p: zero(self.parameters.len()), a: zero(self.n * self.n), none: zero(self.n * self.n) }
    }
    fn prepare<S: Scalar>(&self, p: &[S], d: &mut UserData<S>) {
        d.p.copy_from_slice(&p[..self.parameters.len()]);
    }
    fn set_angles<S: Scalar>(&self, _references: &[f64], _d: &mut UserData<S>) {}
    fn set_rest<S: Scalar>(&self, _rest: bool, _d: &mut UserData<S>) {}
    fn set_time<S: Scalar>(&self, _t: S, _d: &mut UserData<S>) {}
    fn independent(&self, velocity: bool) -> &[u32] {
        if velocity { &self.all } else { &[] }
    }
    fn dropped(&self) -> &[u32] {
        &[]
    }
    fn compliances(&self, _scaling: RowScaling) -> &[f64] {
        &self.ones
    }
    fn place<S: Scalar>(&self, t: S, q: &[S], d: &mut UserData<S>) {
        d.a = self.matrix(t, q, &d.p);
    }
    fn constraint<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut UserData<S>, out: &mut [S]) {
        out.iter_mut().zip(self.weighted(at, velocity_weights(c), &d.p)).for_each(|(o, r)| *o += r);
    }
    fn balance<S: Scalar>(&self, _w: &[S], lam: &[S], d: &UserData<S>, out: &mut [S]) {
        self.patterns.mn.mul_t(&d.a, 1.0, lam, out);
    }
    fn forces<S: Scalar>(&self, _at: &At<S>, _d: &mut UserData<S>, _out: &mut [S]) {}
    fn mass<'d, S: Scalar>(&self, d: &'d UserData<S>) -> &'d [S] {
        &d.none
    }
    fn phi_q<'d, S: Scalar>(&self, d: &'d UserData<S>) -> &'d [S] {
        &d.a
    }
    fn constraint_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut UserData<S>, out: &mut [S]) {
        let (n, w) = (self.n, velocity_weights(c));
        jacobian((at, &d.p, Over::Q), |at, p| self.weighted(at, w, p), |i, k, x| out[i * n + k] += x);
    }
    fn constraint_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut UserData<S>, out: &mut [S]) {
        let (n, w) = (self.n, velocity_weights(c));
        jacobian((at, &d.p, Over::V), |at, p| self.weighted(at, w, p), |i, k, x| out[i * n + k] += x);
    }
    fn balance_q<S: Scalar>(&self, at: &At<S>, _w: &[S], lam: &[S], d: &mut UserData<S>, out: &mut [S]) {
        let (n, at) = (self.n, At { lam, ..*at });
        jacobian(
            (&at, &d.p, Over::Q),
            |at, p| self.pulled(at.t, at.q, p, at.lam),
            |i, k, x| out[i * n + k] += x,
        );
    }
    fn force_tangents<S: Scalar>(&self, _at: &At<S>, _d: &mut UserData<S>, _k: &mut [S], _c: &mut [S]) {}
    fn constraint_p<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let w = velocity_weights(c);
        along_p((at, &d.p, delta), |at, p| self.weighted(at, w, p), out);
    }
    fn constraint_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut UserData<S>,
        grad: &mut [S],
    ) {
        let w = velocity_weights(c);
        jacobian((at, &d.p, Over::P), |at, p| self.weighted(at, w, p), |i, k, x| grad[k] += mu[i] * x * s);
    }
    fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        _w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut UserData<S>,
        out: &mut [S],
    ) {
        let at = At { lam, ..*at };
        along_p((&at, &d.p, delta), |at, p| self.pulled(at.t, at.q, p, at.lam), out);
    }
    fn balance_p_t<S: Scalar>(
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
        let f = |at: &At<Lanes<S>>, p: &[Lanes<S>]| self.pulled(at.t, at.q, p, at.lam);
        jacobian((&at, &d.p, Over::P), f, |i, k, x| grad[k] += mu[i] * x * s);
    }
    fn forces_p<S: Scalar>(&self, _at: &At<S>, _delta: &[S], _d: &mut UserData<S>, _out: &mut [S]) {}
    fn forces_p_t<S: Scalar>(&self, _at: &At<S>, _mu: &[S], _s: f64, _d: &mut UserData<S>, _grad: &mut [S]) {}
    fn functionals(&self, set: Set) -> usize {
        if set == Set::Output { self.n } else { self.objectives }
    }
    fn support(&self, _set: Set) -> &[u32] {
        &self.slots
    }
    fn measure<S: Scalar>(&self, set: Set, at: &At<S>, d: &mut UserData<S>, out: &mut [S]) {
        out.copy_from_slice(&self.functional(set, at, &d.p));
    }
    fn measure_row<S: Scalar>(&self, set: Set, k: usize, at: &At<S>, d: &mut UserData<S>, row: &mut [S]) {
        row.fill(S::zero());
        let node = 3 * self.n + at.lam.len();
        for (over, first) in [(Over::Q, 0), (Over::V, self.n), (Over::P, node)] {
            let f = |at: &At<Lanes<S>>, p: &[Lanes<S>]| vec![self.functional(set, at, p)[k]];
            jacobian((at, &d.p, over), f, |_, i, x| row[first + i] = x);
        }
    }
    fn conditions<S: Scalar>(
        &self,
        at: &At<S>,
        d: &mut UserData<S>,
        position: &mut [S],
        _velocity: &mut [S],
    ) {
        let (y, z) = at.q.split_at(self.f);
        self.user.initial(at.t, y, z, &d.p, position);
    }
    fn condition_pattern(&self, _velocity: bool, _k: usize) -> &[u32] {
        &self.all
    }
    fn condition_support(&self, _velocity: bool, _k: usize) -> &[u32] {
        &self.slots
    }
    fn condition_row<S: Scalar>(
        &self,
        _velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut UserData<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        v.fill(S::zero());
        for (over, out) in [(Over::Q, q), (Over::P, p)] {
            let f = |at: &At<Lanes<S>>, p: &[Lanes<S>]| {
                let mut rows = vec![Lanes::from(0.0); self.n];
                let (y, z) = at.q.split_at(self.f);
                self.user.initial(at.t, y, z, p, &mut rows);
                vec![rows[k]]
            };
            jacobian((at, &d.p, over), f, |_, i, x| out[i] = x);
        }
    }
    fn visits(&self, _d: &UserData<f64>) -> usize {
        0
    }
    fn angles(&self, _q: &[f64], _d: &mut UserData<f64>, _out: &mut [f64]) {}
    fn angle_name(&self, _k: usize) -> AngleName {
        AngleName { text: String::new(), attitude: false }
    }
    fn drawn(&self) -> &[f64] {
        &self.drawn
    }
    fn row_name(&self, k: usize) -> String {
        format!("rate of {}", self.names[k])
    }
    fn condition_name(&self, _velocity: bool, k: usize) -> String {
        format!("initial condition {}", k + 1)
    }
    fn coordinate_name(&self, i: usize) -> String {
        self.names[i].clone()
    }
}
