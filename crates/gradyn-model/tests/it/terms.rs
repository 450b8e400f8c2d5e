//! Terms of the system on every model: partials against duals of the generic terms, transposes, symmetry,
//! power.
//!
//! All inputs X = (q, v, a, λ, p) are seeded in chunks of 8 on the program scalar, so that a dense Jacobian
//! over X is the truth and an entry outside a declared pattern or support shows.
//!
//! The list is `mechanisms` of the program that this module is part of: the models of the testkit here, every
//! element that a file can name in the tests of `gradyn`.

use crate::mechanisms;
use gradyn_model::{At, Coordinates, Evaluator, FunctionalSet, Kinematics, Level, Mechanics};
use gradyn_num::{Pattern, Wide};
use gradyn_testkit::models::{Ready, guessed_in};
use std::ops::Range;

/// Numbers in (-1, 1).
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 52) as f64 - 1.0
    }
    fn vec(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A model at a state near the positions where its assembly begins.
struct Case {
    name: String,
    r: Ready,
    t: f64,
    /// X = (q, v, a, λ, p).
    x: Vec<f64>,
    n: usize,
    m: usize,
    slots: usize,
    random: std::cell::RefCell<Random>,
}

type Matrix = Vec<Vec<f64>>;

impl Case {
    fn sys(&self) -> &Mechanics {
        &self.r.model.system
    }
    fn q(&self) -> Range<usize> {
        0..self.n
    }
    fn v(&self) -> Range<usize> {
        self.n..2 * self.n
    }
    fn a(&self) -> Range<usize> {
        2 * self.n..3 * self.n
    }
    fn lam(&self) -> Range<usize> {
        3 * self.n..3 * self.n + self.m
    }
    fn p(&self) -> Range<usize> {
        3 * self.n + self.m..self.x.len()
    }
    fn at(&self) -> At<'_> {
        At {
            t: self.t,
            q: &self.x[self.q()],
            v: &self.x[self.v()],
            a: &self.x[self.a()],
            lam: &self.x[self.lam()],
        }
    }
    fn vec(&self, n: usize) -> Vec<f64> {
        self.random.borrow_mut().vec(n)
    }
    /// An evaluator at the state.
    fn terms(&self) -> Evaluator<f64> {
        let mut terms = self.sys().evaluator(&self.x[self.p()]);
        terms.set_branches(&self.r.model.angles);
        terms.at(self.t, &self.x[self.q()]);
        terms
    }
    /// Dense Jacobian over X of `count` outputs.
    fn duals(&self, count: usize, f: impl Fn(&mut Evaluator<Wide>, &At<Wide>, &mut [Wide])) -> Matrix {
        let mut rows = vec![vec![0.0; self.x.len()]; count];
        for first in (0..self.x.len()).step_by(8) {
            let seed = |i: usize, x: f64| {
                if (first..first + 8).contains(&i) { Wide::var(x, i - first) } else { Wide::from(x) }
            };
            let x: Vec<Wide> = self.x.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
            let mut terms = self.sys().evaluator(&x[self.p()]);
            terms.set_branches(&self.r.model.angles);
            let t = Wide::from(self.t);
            terms.at(t, &x[self.q()]);
            let at = At { t, q: &x[self.q()], v: &x[self.v()], a: &x[self.a()], lam: &x[self.lam()] };
            let mut out = vec![Wide::from(0.0); count];
            f(&mut terms, &at, &mut out);
            for (row, o) in rows.iter_mut().zip(&out) {
                row[first..].iter_mut().zip(o.eps).for_each(|(r, e)| *r = e);
            }
        }
        rows
    }
    fn context(&self, what: &str) -> String {
        format!("{}: {what}", self.name)
    }
}

/// Every mechanism of the list in all coordinates.
fn each_case(f: impl Fn(&Case)) {
    let all = mechanisms().into_iter();
    let all =
        all.flat_map(|(name, m)| Coordinates::ALL.map(|c| (format!("{name}, {}", c.name()), m.clone(), c)));
    for (k, (name, m, family)) in all.enumerate() {
        let r = guessed_in(&m, family);
        let (dims, mut random) = (r.model.system.dims(), Random(k as u64 + 7));
        let mut x: Vec<f64> = r.q.iter().map(|q| q + 0.01 * random.next()).collect();
        x.extend(random.vec(2 * dims.n + dims.m));
        x.extend(&r.p);
        f(&Case { name, t: 0.137, x, n: dims.n, m: dims.m, slots: dims.slots, random: random.into(), r });
    }
}

fn dense(pattern: &Pattern, values: &[f64]) -> Matrix {
    let mut rows = vec![vec![0.0; pattern.cols()]; pattern.rows()];
    pattern.iter().for_each(|(i, j, k)| rows[i][j] = values[k]);
    rows
}

fn columns(rows: &Matrix, range: Range<usize>) -> Matrix {
    rows.iter().map(|r| r[range.clone()].to_vec()).collect()
}

fn largest(rows: &Matrix) -> f64 {
    rows.iter().flatten().fold(0.0f64, |s, x| s.max(x.abs()))
}

/// Entries equal to 1e-12 of the largest: a few hundred operations.
fn equal(a: &Matrix, b: &Matrix, what: &str) {
    let scale = largest(b).max(1.0);
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.len(), b.len(), "{what}");
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() <= 1e-12 * scale, "{what} ({i}, {j}): {a} ≠ {b}");
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The size of the terms in a sum, for the tolerance of a dot product.
fn dot_size(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum::<f64>().max(1.0)
}

const C: [f64; 3] = [0.7, -1.3, 0.4];
const LEVELS: [[f64; 3]; 5] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], C, [0.0, 0.6, -1.1]];

/// Φ_q of `place` = the duals of Φ; every non-zero is in the pattern.
#[test]
fn phi_q_is_the_derivative_of_phi() {
    each_case(|c| {
        let truth = c.duals(c.m, |terms, at, out| terms.constraint(at, [1.0, 0.0, 0.0], out));
        // rows of velocity level: A = c_v
        let held = c.m - c.sys().dims().m_vel;
        let truth: Matrix = truth
            .into_iter()
            .enumerate()
            .map(|(k, r)| r[if k < held { c.q() } else { c.v() }].to_vec())
            .collect();
        equal(&dense(&c.sys().patterns().mn, c.terms().phi_q()), &truth, &c.context("Φ_q"));
    });
}

/// (c₀Φ + c₁Φ̇ + c₂Φ̈)_q, _v, and Φ̈_a = Φ_q, Φ̇_λ = 0.
#[test]
fn constraint_partials_equal_the_duals() {
    each_case(|c| {
        for level in LEVELS {
            let (mut terms, mn) = (c.terms(), &c.sys().patterns().mn);
            let truth = c.duals(c.m, |terms, at, out| terms.constraint(at, level, out));
            let (mut q, mut v) = (vec![0.0; mn.nnz()], vec![0.0; mn.nnz()]);
            terms.constraint_q(&c.at(), level, &mut q);
            terms.constraint_v(&c.at(), level, &mut v);
            equal(&dense(mn, &q), &columns(&truth, c.q()), &c.context(&format!("constraint_q {level:?}")));
            equal(&dense(mn, &v), &columns(&truth, c.v()), &c.context(&format!("constraint_v {level:?}")));
            let a: Vec<f64> = terms.phi_q().iter().map(|j| level[2] * j).collect();
            equal(&dense(mn, &a), &columns(&truth, c.a()), &c.context("Φ̈_a = Φ_q"));
            assert_eq!(largest(&columns(&truth, c.lam())), 0.0, "Φ does not depend on λ");
        }
    });
}

/// Φ, Φ̇, Φ̈ as jets: Φ̇ = Φ_q v + Φ_t and Φ̈_v = 2Φ̇_q of (1).
#[test]
fn second_rates_have_twice_the_first_as_slope() {
    each_case(|c| {
        let (sys, mut terms, mn) = (c.sys(), c.terms(), &c.sys().patterns().mn);
        let (mut rate, mut slope) = (vec![0.0; mn.nnz()], vec![0.0; mn.nnz()]);
        terms.constraint_q(&c.at(), [0.0, 2.0, 0.0], &mut rate);
        terms.constraint_v(&c.at(), [0.0, 0.0, 1.0], &mut slope);
        let held = c.m - sys.dims().m_vel;
        equal(
            &dense(mn, &slope)[..held].to_vec(),
            &dense(mn, &rate)[..held].to_vec(),
            &c.context("Φ̈_v = 2Φ̇_q"),
        );
    });
}

/// Φ̇ and Φ̈ are the rates of Φ and Φ̇ along the motion q + v s + a s²/2 at t + s: duals in s.
#[test]
fn rates_are_those_of_a_motion() {
    each_case(|c| {
        let (sys, mut terms, at) = (c.sys(), c.terms(), c.at());
        let along = |x: &[f64], dx: &[f64]| -> Vec<Wide> {
            x.iter().zip(dx).map(|(x, dx)| Wide::from(*x) + Wide::var(0.0, 0) * *dx).collect()
        };
        let (q, v, t) = (along(at.q, at.v), along(at.v, at.a), Wide::var(c.t, 0));
        let (a, lam, p) = (
            along(at.a, &vec![0.0; c.n]),
            along(at.lam, &vec![0.0; c.m]),
            along(&c.x[c.p()], &vec![0.0; c.slots]),
        );
        let mut wide = sys.evaluator(&p);
        wide.set_branches(&c.r.model.angles);
        wide.at(t, &q);
        for level in 0..2 {
            let (mut truth, mut rate) = (vec![Wide::from(0.0); c.m], vec![0.0; c.m]);
            wide.constraint(&At { t, q: &q, v: &v, a: &a, lam: &lam }, Level::ALL[level], &mut truth);
            terms.constraint(&at, Level::ALL[level + 1], &mut rate);
            // rows of velocity level are c at both lower levels
            let rows = if level == 0 { c.m - sys.dims().m_vel } else { c.m };
            let truth = truth[..rows].iter().map(|x| x.eps[0]).collect();
            equal(&vec![rate[..rows].to_vec()], &vec![truth], &c.context(&format!("rate of level {level}")));
        }
    });
}

/// (M w + Φ_qᵀ μ)_q; g_w = M, g_λ = Φ_qᵀ; (Φ_qᵀ μ)_q is symmetric, but for rows of velocity level.
#[test]
fn balance_q_equals_the_duals() {
    each_case(|c| {
        let (sys, mut terms, p) = (c.sys(), c.terms(), c.sys().patterns());
        let w = c.vec(c.n);
        let wide: Vec<Wide> = w.iter().map(|&w| Wide::from(w)).collect();
        let truth = c.duals(c.n, |terms, at, out| terms.balance(&wide, at.lam, out));
        let mut q = vec![0.0; p.nn.nnz()];
        terms.balance_q(&c.at(), &w, c.at().lam, &mut q);
        let q = dense(&p.nn, &q);
        equal(&q, &columns(&truth, c.q()), &c.context("balance_q"));
        if sys.dims().m_vel == 0 {
            let mut q = vec![0.0; p.nn.nnz()];
            terms.balance_q(&c.at(), &vec![0.0; c.n], c.at().lam, &mut q);
            let q = dense(&p.nn, &q);
            let transposed: Matrix = (0..c.n).map(|j| q.iter().map(|r| r[j]).collect()).collect();
            equal(&q, &transposed, &c.context("(Φ_qᵀλ)_q is symmetric"));
        }
        // g_a = M with w = a, g_λ = Φ_qᵀ
        let truth = c.duals(c.n, |terms, at, out| terms.balance(at.a, at.lam, out));
        equal(&dense(&p.nn, terms.mass()), &columns(&truth, c.a()), &c.context("g_w = M"));
        let phi_q = dense(&p.mn, terms.phi_q());
        let transposed: Matrix = (0..c.n).map(|j| phi_q.iter().map(|r| r[j]).collect()).collect();
        equal(&transposed, &columns(&truth, c.lam()), &c.context("g_λ = Φ_qᵀ"));
    });
}

/// K = -Q_q and C = -Q_v; the forces do not read a or λ.
#[test]
fn force_tangents_equal_the_duals() {
    each_case(|c| {
        let (mut terms, nn) = (c.terms(), &c.sys().patterns().nn);
        let truth = c.duals(c.n, Evaluator::forces);
        let (mut k, mut damping) = (vec![0.0; nn.nnz()], vec![0.0; nn.nnz()]);
        terms.force_tangents(&c.at(), &mut k, &mut damping);
        equal(&dense(nn, &k), &columns(&truth, c.q()), &c.context("K"));
        equal(&dense(nn, &damping), &columns(&truth, c.v()), &c.context("C"));
        assert_eq!(largest(&columns(&truth, c.a().start..c.lam().end)), 0.0);
    });
}

/// Constraint, balance and forces over the slots: products with unit directions = the duals; transposes.
#[test]
fn slot_products_equal_the_duals() {
    each_case(|c| {
        let mut terms = c.terms();
        let w = c.vec(c.n);
        let wide: Vec<Wide> = w.iter().map(|&w| Wide::from(w)).collect();
        let constraint = columns(&c.duals(c.m, |terms, at, out| terms.constraint(at, C, out)), c.p());
        let balance = columns(&c.duals(c.n, |terms, at, out| terms.balance(&wide, at.lam, out)), c.p());
        let forces = columns(&c.duals(c.n, Evaluator::forces), c.p());
        let mut products =
            [vec![vec![0.0; c.slots]; c.m], vec![vec![0.0; c.slots]; c.n], vec![vec![0.0; c.slots]; c.n]];
        for s in 0..c.slots {
            let mut delta = vec![0.0; c.slots];
            delta[s] = 1.0;
            let mut out = [vec![0.0; c.m], vec![0.0; c.n], vec![0.0; c.n]];
            terms.constraint_p(&c.at(), C, &delta, &mut out[0]);
            terms.balance_p(&c.at(), &w, c.at().lam, &delta, &mut out[1]);
            terms.forces_p(&c.at(), &delta, &mut out[2]);
            for (rows, out) in products.iter_mut().zip(out) {
                rows.iter_mut().zip(out).for_each(|(r, o)| r[s] = o);
            }
        }
        equal(&products[0], &constraint, &c.context("constraint_p"));
        equal(&products[1], &balance, &c.context("balance_p"));
        equal(&products[2], &forces, &c.context("forces_p"));
    });
}

/// ⟨μ, A δ⟩ = ⟨Aᵀ μ, δ⟩ for every slot product; what follows the slots is zero on return; products add.
#[test]
fn slot_products_are_transposes() {
    each_case(|c| {
        let (sys, mut terms, at) = (c.sys(), c.terms(), c.at());
        let args = sys.dims().args;
        let (w, delta, mu_n, mu_m) = (c.vec(c.n), c.vec(c.slots), c.vec(c.n), c.vec(c.m));
        let check = |what: &str, mu: &[f64], direct: &[f64], grad: &[f64]| {
            assert!(
                grad[c.slots..].iter().all(|g| *g == 0.0),
                "{}: scratch after the slots",
                c.context(what)
            );
            let (a, b) = (dot(mu, direct), dot(&grad[..c.slots], &delta) / -1.7);
            // 1e-13 of the terms in the sum
            let scale = dot_size(mu, direct) + dot_size(&grad[..c.slots], &delta);
            assert!((a - b).abs() <= 1e-13 * scale, "{}: {a} ≠ {b}", c.context(what));
        };
        let (mut out, mut grad) = (vec![0.0; c.m], vec![0.0; args]);
        terms.constraint_p(&at, C, &delta, &mut out);
        terms.constraint_p_t(&at, C, &mu_m, -1.7, &mut grad);
        check("constraint_p", &mu_m, &out, &grad);
        let (mut out, mut grad) = (vec![0.0; c.n], vec![0.0; args]);
        terms.balance_p(&at, &w, at.lam, &delta, &mut out);
        terms.balance_p_t(&at, &w, at.lam, &mu_n, -1.7, &mut grad);
        check("balance_p", &mu_n, &out, &grad);
        let (mut out, mut grad) = (vec![0.0; c.n], vec![0.0; args]);
        terms.forces_p(&at, &delta, &mut out);
        terms.forces_p_t(&at, &mu_n, -1.7, &mut grad);
        check("forces_p", &mu_n, &out, &grad);
        // a second call doubles
        let once = grad.clone();
        terms.forces_p_t(&at, &mu_n, -1.7, &mut grad);
        let scale = once.iter().fold(0.0f64, |s, g| s.max(g.abs()));
        (0..c.slots)
            .for_each(|s| assert!((grad[s] - 2.0 * once[s]).abs() <= 1e-14 * scale, "{}", c.context("adds")));
    });
}

/// Transposed products made without matrices are those of the matrices, and those of the slots; they add.
#[test]
fn pulled_products_equal_those_of_the_matrices() {
    each_case(|c| {
        let (sys, mut terms, at, pat) = (c.sys(), c.terms(), c.at(), c.sys().patterns());
        for level in LEVELS {
            let [mut k, mut damping] = [(); 2].map(|()| vec![0.0; pat.nn.nnz()]);
            let [mut rows_q, mut rows_v] = [(); 2].map(|()| vec![0.0; pat.mn.nnz()]);
            terms.balance_q(&at, at.a, at.lam, &mut k);
            terms.force_tangents(&at, &mut k, &mut damping);
            terms.constraint_q(&at, level, &mut rows_q);
            terms.constraint_v(&at, level, &mut rows_v);
            let (mu, nu) = (c.vec(c.n), c.vec(c.m));
            let [mut q, mut v] = [(); 2].map(|()| vec![1.0; c.n]);
            let [mut grad, mut slots] = [(); 2].map(|()| vec![0.0; sys.dims().args]);
            assert!(
                terms.pull(&at, level, [&mu, &nu], -1.7, [&mut q, &mut v, &mut grad]),
                "{}",
                c.context("no product")
            );
            terms.balance_p_t(&at, at.a, at.lam, &mu, -1.7, &mut slots);
            terms.forces_p_t(&at, &mu, -1.7, &mut slots);
            terms.constraint_p_t(&at, level, &nu, -1.7, &mut slots);
            equal(&vec![grad], &vec![slots], &c.context(&format!("pull {level:?}, slots")));
            for (what, got, top, bottom) in [("q", &q, &k, &rows_q), ("v", &v, &damping, &rows_v)] {
                let (mut sum, mut size) = (vec![1.0; c.n], vec![1.0; c.n]);
                for (pattern, values, mu) in [(&pat.nn, top, &mu), (&pat.mn, bottom, &nu)] {
                    pattern.mul_t(values, -1.7, mu, &mut sum);
                    let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<f64>>();
                    pattern.mul_t(&absolute(values), 1.7, &absolute(mu), &mut size);
                }
                // sums over bodies may cancel: measured by the largest of them
                let scale = size.iter().fold(0.0f64, |s, x| s.max(*x));
                for (i, (a, b)) in got.iter().zip(&sum).enumerate() {
                    assert!(
                        (a - b).abs() <= 1e-12 * scale,
                        "{}: {a} ≠ {b}",
                        c.context(&format!("pull {level:?}, {what}[{i}]"))
                    );
                }
            }
        }
    });
}

/// M is symmetric and positive semidefinite: no negative pivot of Mᵢⱼ + ε.
#[test]
fn mass_is_symmetric_and_positive_semidefinite() {
    each_case(|c| {
        let (d, nn) = (c.terms(), &c.sys().patterns().nn);
        let mut m = dense(nn, d.mass());
        let scale = largest(&m);
        for i in 0..c.n {
            (0..c.n).for_each(|j| {
                assert!((m[i][j] - m[j][i]).abs() <= 1e-15 * scale, "{}", c.context("symmetry"))
            });
        }
        // Gauss without pivoting: pivots of a semidefinite matrix are ≥ 0; a zero pivot has a zero row
        for k in 0..c.n {
            assert!(m[k][k] >= -1e-13 * scale, "{}: pivot {k} is {}", c.context("M"), m[k][k]);
            if m[k][k] <= 1e-13 * scale {
                (k..c.n).for_each(|j| assert!(m[k][j].abs() <= 1e-12 * scale, "{}", c.context("indefinite")));
                continue;
            }
            for i in k + 1..c.n {
                let f = m[i][k] / m[k][k];
                (k..c.n).for_each(|j| m[i][j] -= f * m[k][j]);
            }
        }
    });
}

/// vᵀ (Φ_qᵀ λ) = λᵀ (Φ̇ - Φ_t), where Φ_t is Φ̇ at rest; without drivers Φ_t = 0.
#[test]
fn constraint_forces_have_the_power_of_the_rates() {
    each_case(|c| {
        let (mut terms, at) = (c.terms(), c.at());
        let zero = vec![0.0; c.n];
        let (mut force, mut rate, mut rest) = (vec![0.0; c.n], vec![0.0; c.m], vec![0.0; c.m]);
        terms.balance(&zero, at.lam, &mut force);
        terms.constraint(&at, [0.0, 1.0, 0.0], &mut rate);
        terms.constraint(&At { v: &zero, ..at }, [0.0, 1.0, 0.0], &mut rest);
        if c.r.model.counts[3] == 0 && !c.name.starts_with("constraint velocity") {
            assert!(rest.iter().all(|r| *r == 0.0), "{}", c.context("scleronomic"));
        }
        let moving: Vec<f64> = rate.iter().zip(&rest).map(|(a, b)| a - b).collect();
        let (power, work) = (dot(at.v, &force), dot(at.lam, &moving));
        assert!(
            (power - work).abs() <= 1e-13 * dot_size(at.v, &force),
            "{}: {power} ≠ {work}",
            c.context("power")
        );
    });
}

/// Rows of every functional = the duals over (q, v, a, λ | support); no other slot matters; the rows leave no
/// trace.
#[test]
fn measure_rows_equal_the_duals() {
    each_case(|c| {
        let (sys, mut terms) = (c.sys(), c.terms());
        for set in [FunctionalSet::Integrand, FunctionalSet::Terminal, FunctionalSet::Output] {
            let (count, support) = (sys.functionals(set), sys.support(set).to_vec());
            let truth = c.duals(count, |terms, at, out| terms.measure(set, at, out));
            let node = 3 * c.n + c.m;
            let mut rows = vec![];
            for pass in 0..2 {
                for k in 0..count {
                    let mut row = vec![f64::NAN; node + support.len()];
                    terms.measure_row(set, k, &c.at(), &mut row);
                    let mut full = vec![0.0; c.x.len()];
                    full[..node].copy_from_slice(&row[..node]);
                    support.iter().zip(&row[node..]).for_each(|(&s, r)| full[node + s as usize] = *r);
                    if pass == 0 {
                        rows.push(full);
                    } else {
                        assert_eq!(full, rows[k], "{}", c.context("the second time"));
                    }
                }
            }
            equal(&rows, &truth, &c.context(&format!("{set:?}")));
        }
    });
}

/// Values of the f64 evaluation are the real parts of the duals.
#[test]
fn measures_agree_on_both_scalars() {
    each_case(|c| {
        let (sys, mut terms) = (c.sys(), c.terms());
        for set in [FunctionalSet::Integrand, FunctionalSet::Terminal, FunctionalSet::Output] {
            let mut out = vec![0.0; sys.functionals(set)];
            terms.measure(set, &c.at(), &mut out);
            assert!(out.iter().all(|o| o.is_finite()), "{}", c.context("finite"));
            c.duals(out.len(), |terms, at, wide| {
                terms.measure(set, at, wide);
                for (o, w) in out.iter().zip(wide) {
                    assert!(
                        (o - w.re).abs() <= 1e-13 * o.abs().max(1.0),
                        "{}: {o} ≠ {}",
                        c.context("value"),
                        w.re
                    );
                }
            });
        }
    });
}

/// Gradients of the initial conditions = the duals; coordinates outside their pattern do not matter.
#[test]
fn condition_rows_equal_the_duals() {
    each_case(|c| {
        let (sys, mut terms) = (c.sys(), c.terms());
        let counts = [c.r.model.conditions.0.len(), c.r.model.conditions.1.len()];
        let all = c.duals(counts[0] + counts[1], |terms, at, out| {
            let (position, velocity) = out.split_at_mut(counts[0]);
            terms.conditions(at, position, velocity);
        });
        for (kinematics, first) in [(Kinematics::Position, 0), (Kinematics::Velocity, counts[0])] {
            for k in 0..counts[kinematics.index()] {
                let pattern = sys.condition_pattern(kinematics, k);
                let support = sys.condition_support(kinematics, k);
                let (mut q, mut v, mut p) =
                    (vec![0.0; pattern.len()], vec![0.0; pattern.len()], vec![0.0; support.len()]);
                terms.condition_row(kinematics, k, &c.at(), &mut q, &mut v, &mut p);
                let mut full = vec![0.0; 3 * c.n + c.m + c.slots];
                let at =
                    |list: &[u32], from: usize| list.iter().map(|&i| from + i as usize).collect::<Vec<_>>();
                for (at, x) in [(at(pattern, 0), q), (at(pattern, c.n), v), (at(support, 3 * c.n + c.m), p)] {
                    at.into_iter().zip(x).for_each(|(i, x)| full[i] = x);
                }
                equal(
                    &vec![full],
                    &vec![all[first + k].clone()],
                    &c.context(&format!("{} condition {k}", kinematics.name())),
                );
            }
        }
    });
}

/// e(ρ): (∂e/∂ρ)ᵀ of `pull_back` = the duals of the slots.
#[test]
fn slot_map_pulls_back_its_derivative() {
    each_case(|c| {
        let rho = c.r.model.rho();
        let mu = c.vec(c.slots);
        let gradient = c.r.model.pull_back(&rho, &mu);
        for first in (0..rho.len()).step_by(8) {
            let seed = |i: usize, x: f64| {
                if (first..first + 8).contains(&i) { Wide::var(x, i - first) } else { Wide::from(x) }
            };
            let wide: Vec<Wide> = rho.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
            let slots = c.r.model.slots(&wide);
            for k in first..rho.len().min(first + 8) {
                let truth: f64 = slots.iter().zip(&mu).map(|(s, m)| s.eps[k - first] * m).sum();
                let scale: f64 = slots.iter().zip(&mu).map(|(s, m)| (s.eps[k - first] * m).abs()).sum();
                assert!(
                    (gradient[k] - truth).abs() <= 1e-13 * scale,
                    "{}: {} ≠ {truth}",
                    c.context("e(ρ)"),
                    gradient[k]
                );
            }
        }
    });
}
