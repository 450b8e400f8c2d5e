//! A user's functions on any scalar, nested duals made inside.

use super::StateSpace;
use super::duals::{along_p, jacobian};
use crate::scalar::{Functions, Over, What};
use crate::system::{At, FunctionalSet};
use gradyn_num::{Dual, Scalar};

/// The functions of a [`StateSpace`] with their sizes.
pub(super) struct Space<U> {
    pub user: U,
    /// Numbers of y and of (y, z).
    pub f: usize,
    pub n: usize,
    pub objectives: usize,
}

impl<U: StateSpace> Space<U> {
    /// The rows c of (4).
    fn rows<S: Scalar>(&self, t: S, q: &[S], v: &[S], p: &[S]) -> Vec<S> {
        let f = self.f;
        let n = self.n;
        let a = self.matrix_of(t, q, p);
        let (y, z) = q.split_at(f);
        let mut rates = vec![S::zero(); n];
        let (first, second) = rates.split_at_mut(f);
        self.user.rates(t, y, z, p, first);
        self.user.forces(t, y, z, p, second);
        (0..n).map(|i| (0..n).fold(-rates[i], |s, j| s + a[i * n + j] * v[j])).collect()
    }
    /// The matrix A of (4), by rows.
    fn matrix_of<S: Scalar>(&self, t: S, q: &[S], p: &[S]) -> Vec<S> {
        let f = self.f;
        let n = self.n;
        let g = self.n - self.f;
        let mut mass = vec![S::zero(); g * g];
        let mut a = vec![S::zero(); n * n];
        self.user.mass(t, &q[..f], p, &mut mass);
        (0..f).for_each(|i| a[i * n + i] = S::one());
        (0..g).for_each(|i| (0..g).for_each(|j| a[(f + i) * n + f + j] = mass[i * g + j]));
        a
    }
    /// The weighted rows w₀ c + w₁ ċ.
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
    /// The product Aᵀ λ.
    fn pulled<S: Scalar>(&self, t: S, q: &[S], p: &[S], lam: &[S]) -> Vec<S> {
        let n = self.n;
        let a = self.matrix_of(t, q, p);
        (0..n).map(|j| (0..n).fold(S::zero(), |s, i| s + a[i * n + j] * lam[i])).collect()
    }
    /// Values of a set of functionals.
    fn functional<S: Scalar>(&self, set: FunctionalSet, at: &At<S>, p: &[S]) -> Vec<S> {
        let mut values = vec![S::zero(); if set == FunctionalSet::Output { self.n } else { self.objectives }];
        let (y, z) = at.q.split_at(self.f);
        match set {
            FunctionalSet::Integrand => self.user.integrands(at.t, y, z, &at.v[self.f..], p, &mut values),
            FunctionalSet::Terminal => self.user.terminals(at.t, y, z, p, &mut values),
            FunctionalSet::Output => values.copy_from_slice(at.q),
            FunctionalSet::Condition | FunctionalSet::Cut | FunctionalSet::Event => values.clear(),
        }
        values
    }
    /// A function on any scalar.
    fn of<S: Scalar>(&self, what: What, at: &At<S>, p: &[S]) -> Vec<S> {
        match what {
            What::Rows(w) => self.weighted(at, w, p),
            What::Pulled => self.pulled(at.t, at.q, p, at.lam),
            What::Functionals(set) => self.functional(set, at, p),
            What::Initial => {
                let mut rows = vec![S::zero(); self.n];
                let (y, z) = at.q.split_at(self.f);
                self.user.initial(at.t, y, z, p, &mut rows);
                rows
            }
        }
    }
}

impl<U: StateSpace, S: Scalar> Functions<S> for Space<U> {
    fn matrix(&self, t: S, q: &[S], p: &[S]) -> Vec<S> {
        self.matrix_of(t, q, p)
    }
    fn value(&self, what: What, at: &At<S>, p: &[S]) -> Vec<S> {
        self.of(what, at, p)
    }
    fn jacobian(&self, what: What, at: &At<S>, p: &[S], over: Over, put: &mut dyn FnMut(usize, usize, S)) {
        jacobian((at, p, over), |at, p| self.of(what, at, p), put);
    }
    fn along_p(&self, what: What, at: &At<S>, p: &[S], delta: &[S], out: &mut [S]) {
        along_p((at, p, delta), |at, p| self.of(what, at, p), out);
    }
}
