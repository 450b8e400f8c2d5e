//! The terms of a system against the duals of their values.

use super::{Kernel, Mismatch, check_kernel};
use gradyn_model::{At, Evaluator, FunctionalSet, Level, RunScalar, Setup};

/// A value of a system, and the terms that are its partials.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Term {
    /// Constraints at a level: Φ, Φ̇ or Φ̈.
    Constraint(usize),
    /// The balance M a + Φ_qᵀ λ.
    Balance,
    /// Minus the forces, -Q.
    Forces,
    /// Functionals of a study.
    Functionals(FunctionalSet),
}

const TERMS: [Term; 8] = [
    Term::Constraint(0),
    Term::Constraint(1),
    Term::Constraint(2),
    Term::Balance,
    Term::Forces,
    Term::Functionals(FunctionalSet::Integrand),
    Term::Functionals(FunctionalSet::Terminal),
    Term::Functionals(FunctionalSet::Output),
];

/// One term over (q, v, a, λ, p) at a time.
struct OfSystem<'a> {
    sys: &'a Setup,
    term: Term,
    t: f64,
    angles: &'a [f64],
}

/// Every partial of every term of a system at (t, q, v, a, λ) with slots p, and the transposes over p;
/// `angles` are the references of its angles. A mechanism that knows which slots are wanted
/// ([`gradyn_model::Mechanics::active_rows`]) has no transposes over the others: check it before.
pub fn check_system(sys: &Setup, t: f64, x: &[f64], p: &[f64], angles: &[f64]) -> Vec<Mismatch> {
    let all = [x, p].concat();
    let of = |term: Term| OfSystem { sys, term, t, angles };
    let mut found: Vec<Mismatch> = TERMS.iter().flat_map(|term| check_kernel(&of(*term), &all)).collect();
    found.extend(TERMS[..5].iter().flat_map(|term| of(*term).transposes(&all)));
    found
}

impl OfSystem<'_> {
    fn width(&self) -> usize {
        3 * self.sys.dims().n + self.sys.dims().m
    }
    fn placed<S: RunScalar>(&self, x: &[S]) -> Evaluator<S> {
        let mut terms = self.sys.evaluator(&x[self.width()..]);
        terms.set_branches(self.angles);
        terms.at(S::from(self.t), &x[..self.sys.dims().n]);
        terms
    }
    fn at<'x, S: RunScalar>(&self, x: &'x [S]) -> At<'x, S> {
        At::of(S::from(self.t), x, self.sys.dims().n, self.sys.dims().m)
    }
    /// out += (…)_p δ as written.
    fn slots(&self, x: &[f64], delta: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let at = self.at(x);
        match self.term {
            Term::Constraint(level) => terms.constraint_p(&at, Level::ALL[level], delta, out),
            Term::Balance => terms.balance_p(&at, at.a, at.lam, delta, out),
            Term::Forces => terms.forces_p(&at, delta, out),
            Term::Functionals(_) => {}
        }
    }
    /// (…)_pᵀ μ as written against the transpose of (…)_p as written.
    fn transposes(&self, x: &[f64]) -> Vec<Mismatch> {
        let dims = self.sys.dims();
        let rows = self.sizes()[0];
        let mut terms = self.placed(x);
        let at = self.at(x);
        // grad = (∂y/∂p)ᵀ μ as it is written
        let mu: Vec<f64> = (0..rows).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.4).collect();
        let mut grad = vec![0.0; dims.args];
        match self.term {
            Term::Constraint(level) => terms.constraint_p_t(&at, Level::ALL[level], &mu, 1.0, &mut grad),
            Term::Balance => terms.balance_p_t(&at, at.a, at.lam, &mu, 1.0, &mut grad),
            Term::Forces => terms.forces_p_t(&at, &mu, 1.0, &mut grad),
            Term::Functionals(_) => {}
        }
        let mut found = vec![];
        for k in 0..dims.slots {
            let mut delta = vec![0.0; dims.slots];
            let mut column = vec![0.0; rows];
            delta[k] = 1.0;
            self.slots(x, &delta, &mut terms, &mut column);
            let dual: f64 = column.iter().zip(&mu).map(|(c, m)| c * m).sum();
            let size: f64 = column.iter().zip(&mu).map(|(c, m)| (c * m).abs()).sum();
            if (grad[k] - dual).abs() > 1e-9 * size.max(1e-3) {
                let output = format!("transpose of {:?}", self.term);
                let input = self.input(self.width() + k);
                found.push(Mismatch {
                    output,
                    input,
                    written: grad[k],
                    dual,
                    complex: dual,
                    difference: (dual, 0.0),
                });
            }
        }
        found
    }
    /// Adds a matrix on a pattern, or its transpose, at a column.
    fn put(
        &self,
        pattern: &gradyn_num::Pattern,
        values: &[f64],
        transposed: bool,
        first: usize,
        out: &mut [f64],
    ) {
        let columns = self.sizes()[1];
        for (i, j, k) in pattern.iter() {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            out[i * columns + first + j] += values[k];
        }
    }
    fn constraint(&self, level: usize, x: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let sys = self.sys;
        let n = self.sys.dims().n;
        let at = self.at(x);
        let mn = &sys.patterns().mn;
        let mut q = vec![0.0; mn.nnz()];
        let mut v = vec![0.0; mn.nnz()];
        terms.constraint_q(&at, Level::ALL[level], &mut q);
        self.put(mn, &q, false, 0, out);
        if level > 0 || sys.dims().m_vel > 0 {
            terms.constraint_v(&at, Level::ALL[level], &mut v);
            self.put(mn, &v, false, n, out);
        }
        if level == 2 {
            self.put(mn, terms.phi_q(), false, 2 * n, out);
        }
    }
    fn balance(&self, x: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let sys = self.sys;
        let n = self.sys.dims().n;
        let at = self.at(x);
        let nn = &sys.patterns().nn;
        let mn = &sys.patterns().mn;
        let mut q = vec![0.0; nn.nnz()];
        terms.balance_q(&at, at.a, at.lam, &mut q);
        self.put(nn, &q, false, 0, out);
        self.put(nn, terms.mass(), false, 2 * n, out);
        self.put(mn, terms.phi_q(), true, 3 * n, out);
    }
    fn forces(&self, x: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let nn = &self.sys.patterns().nn;
        let mut k = vec![0.0; nn.nnz()];
        let mut c = vec![0.0; nn.nnz()];
        terms.force_tangents(&self.at(x), &mut k, &mut c);
        self.put(nn, &k, false, 0, out);
        self.put(nn, &c, false, self.sys.dims().n, out);
    }
    fn functionals(&self, set: FunctionalSet, x: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let sys = self.sys;
        let node = self.width();
        let columns = self.sizes()[1];
        for (k, out) in out.chunks_exact_mut(columns).enumerate() {
            let mut row = vec![0.0; node + sys.support(set).len()];
            terms.measure_row(set, k, &self.at(x), &mut row);
            out[..node].copy_from_slice(&row[..node]);
            sys.support(set).iter().zip(&row[node..]).for_each(|(&s, g)| out[node + s as usize] += g);
        }
    }
}

impl Kernel for OfSystem<'_> {
    fn sizes(&self) -> [usize; 2] {
        let dims = self.sys.dims();
        let rows = match self.term {
            Term::Constraint(_) => dims.m,
            Term::Balance | Term::Forces => dims.n,
            Term::Functionals(set) => self.sys.functionals(set),
        };
        [rows, self.width() + dims.slots]
    }
    fn value<S: RunScalar>(&self, x: &[S], y: &mut [S]) {
        let mut terms = self.placed(x);
        let at = self.at(x);
        match self.term {
            Term::Constraint(level) => terms.constraint(&at, Level::ALL[level], y),
            Term::Balance => terms.balance(at.a, at.lam, y),
            Term::Forces => terms.forces(&at, y),
            Term::Functionals(set) => terms.measure(set, &at, y),
        }
    }
    fn jacobian(&self, x: &[f64]) -> Vec<f64> {
        let [rows, columns] = self.sizes();
        let dims = self.sys.dims();
        let mut terms = self.placed(x);
        let mut out = vec![0.0; rows * columns];
        // columns of (q, v, a, λ)
        match self.term {
            Term::Constraint(level) => self.constraint(level, x, &mut terms, &mut out),
            Term::Balance => self.balance(x, &mut terms, &mut out),
            Term::Forces => self.forces(x, &mut terms, &mut out),
            Term::Functionals(set) => self.functionals(set, x, &mut terms, &mut out),
        }
        // columns of slots
        for k in 0..dims.slots {
            let mut delta = vec![0.0; dims.slots];
            let mut column = vec![0.0; rows];
            delta[k] = 1.0;
            self.slots(x, &delta, &mut terms, &mut column);
            column.iter().enumerate().for_each(|(i, c)| out[i * columns + self.width() + k] += c);
        }
        out
    }
    fn output(&self, i: usize) -> String {
        let name = match self.term {
            Term::Constraint(_) => self.sys.row_name(i),
            Term::Balance | Term::Forces => self.sys.coordinate_name(i),
            Term::Functionals(_) => i.to_string(),
        };
        format!("{:?} `{name}`", self.term)
    }
    fn input(&self, j: usize) -> String {
        let n = self.sys.dims().n;
        let node = self.width();
        match j {
            j if j < n => self.sys.coordinate_name(j),
            j if j < 2 * n => format!("vel({})", self.sys.coordinate_name(j - n)),
            j if j < 3 * n => format!("acc({})", self.sys.coordinate_name(j - 2 * n)),
            j if j < node => format!("multiplier of {}", self.sys.row_name(j - 3 * n)),
            j => format!("slot {}", j - node),
        }
    }
}
