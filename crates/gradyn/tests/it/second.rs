//! Analytic terms on every program scalar: what the derivative parts of a matrix or product carry is its
//! derivative.
//!
//! ```text
//! A(X + ε δX) = A + ε A_X δX,   X = (t, q, v, a, λ, p, factors of the products)                       (1)
//! ```
//! A_X δX by duals = by complex step = by central differences; real parts = f64. All examples and all
//! elements.

use crate::kit::elements;
use gradyn_dynamics::Lagrange;
use gradyn_dynamics::formulation::Linear;
use gradyn_model::{At, Dims, Level, Mechanics, RunScalar};
use gradyn_num::complex::STEP;
use gradyn_num::{Complex, Scalar, Wide, largest};
use gradyn_testkit::models::{Ready, ready};
use gradyn_testkit::random::Random;

/// Weights of Φ, Φ̇, Φ̈.
const C: [f64; 3] = [0.7, -1.3, 0.4];

/// X by its parts.
struct Point<'a, S> {
    at: At<'a, S>,
    p: &'a [S],
    w: &'a [S],
    u: &'a [S],
    delta: &'a [S],
    mu: &'a [S],
}

impl<'a, S: Copy> Point<'a, S> {
    fn of(Dims { n, m, slots, .. }: Dims, x: &'a [S]) -> Self {
        let at = At::of(x[0], &x[1..], n, m);
        let (p, x) = x[1 + 3 * n + m..].split_at(slots);
        let (w, x) = x.split_at(n);
        let (u, x) = x.split_at(n);
        let (delta, mu) = x.split_at(slots);
        Self { at, p, w, u, delta, mu }
    }
}

type Terms<S> = Vec<(String, Vec<S>)>;

fn filled<S: Scalar>(len: usize, f: impl FnOnce(&mut [S])) -> Vec<S> {
    let mut out = vec![S::zero(); len];
    f(&mut out);
    out
}

/// Matrices of the system.
fn matrices<S: RunScalar>(sys: &Mechanics, angles: &[f64], x: &[S]) -> Terms<S> {
    let Point { at, p, w, .. } = Point::of(sys.dims(), x);
    let mut d = sys.evaluator(p);
    let (nn, mn) = (sys.patterns().nn.nnz(), sys.patterns().mn.nnz());
    d.set_branches(angles);
    d.at(at.t, at.q);
    let mut terms = vec![("M".into(), d.mass().to_vec()), ("Φ_q".into(), d.phi_q().to_vec())];
    for c in Level::ALL.into_iter().chain([C]) {
        terms.push((format!("constraint_q {c:?}"), filled(mn, |o| d.constraint_q(&at, c, o))));
        terms.push((format!("constraint_v {c:?}"), filled(mn, |o| d.constraint_v(&at, c, o))));
    }
    terms.push(("balance_q".into(), filled(nn, |o| d.balance_q(&at, w, at.lam, o))));
    let mut c = vec![S::zero(); nn];
    terms.push(("K".into(), filled(nn, |k| d.force_tangents(&at, k, &mut c))));
    terms.push(("C".into(), c));
    terms
}

/// Products with the slots.
fn slot_products<S: RunScalar>(sys: &Mechanics, angles: &[f64], x: &[S]) -> Terms<S> {
    let Dims { n, m, args, .. } = sys.dims();
    let s = -1.7;
    let Point { at, p, w, delta, mu, .. } = Point::of(sys.dims(), x);
    let (top, bottom) = mu.split_at(n);
    let mut terms = sys.evaluator(p);
    terms.set_branches(angles);
    terms.at(at.t, at.q);
    vec![
        ("constraint_p".into(), filled(m, |o| terms.constraint_p(&at, C, delta, o))),
        ("constraint_p_t".into(), filled(args, |o| terms.constraint_p_t(&at, C, bottom, s, o))),
        ("balance_p".into(), filled(n, |o| terms.balance_p(&at, w, at.lam, delta, o))),
        ("balance_p_t".into(), filled(args, |o| terms.balance_p_t(&at, w, at.lam, top, s, o))),
        ("forces_p".into(), filled(n, |o| terms.forces_p(&at, delta, o))),
        ("forces_p_t".into(), filled(args, |o| terms.forces_p_t(&at, top, s, o))),
    ]
}

/// Products with the partials of a formulation.
fn linear_products<S: RunScalar>(sys: &Mechanics, angles: &[f64], x: &[S]) -> Terms<S> {
    let (Dims { n, m, args, .. }, s) = (sys.dims(), -1.7);
    let Point { at, p, w, u, delta, mu } = Point::of(sys.dims(), x);
    let mut l = Linear::<S>::new(sys, Lagrange::index1(0.7, 5.0), p);
    l.terms.set_branches(angles);
    l.set(sys, &at);
    let pair = |f: &mut dyn FnMut(&mut [S], &mut [S])| {
        filled(2 * n, |o| {
            let (a, b) = o.split_at_mut(n);
            f(a, b);
        })
    };
    vec![
        ("state_mul".into(), filled(n + m, |o| l.state_mul(sys, s, w, u, o))),
        ("state_mul_t".into(), pair(&mut |q, v| l.state_mul_t(sys, s, mu, q, v))),
        ("rate_mul".into(), filled(n + m, |o| l.rate_mul(sys, w, u, o))),
        ("rate_mul_t".into(), pair(&mut |v, a| l.rate_mul_t(sys, mu, v, a))),
        ("slot_mul".into(), filled(n + m, |o| l.slot_mul(delta, o))),
        ("slot_mul_t".into(), filled(args, |o| l.slot_mul_t(mu, s, o))),
    ]
}

fn terms<S: RunScalar>(Ready { model, .. }: &Ready, x: &[S]) -> Terms<S> {
    let (sys, angles) = (&model.system, &model.angles);
    [matrices(sys, angles, x), slot_products(sys, angles, x), linear_products(sys, angles, x)].concat()
}

/// a = b to `tolerance` of the larger of `size` and the largest entry.
fn near(a: impl Iterator<Item = f64>, b: &[f64], size: f64, tolerance: f64, what: &str) {
    let scale = size.max(largest(b.iter().copied()));
    for (i, (a, b)) in a.zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what} [{i}]: {a} ≠ {b} (of {scale:.1e})");
    }
}

/// (1) at X in the direction δX.
fn check(name: &str, r: &Ready, x: &[f64], dx: &[f64]) {
    // 1e-5: h² of the difference and 2⁻⁵²/h are both 1e-10
    let h = 1e-5;
    let moved = |h: f64| x.iter().zip(dx).map(|(x, d)| x + h * d).collect::<Vec<f64>>();
    let (real, up, down) = (terms(r, x), terms(r, &moved(h)), terms(r, &moved(-h)));
    let wide: Vec<Wide> = x.iter().zip(dx).map(|(x, d)| Wide::along(*x, *d)).collect();
    let complex: Vec<Complex> = x.iter().zip(dx).map(|(x, d)| Complex { re: *x, im: STEP * d }).collect();
    let (wide, complex) = (terms(r, &wide), terms(r, &complex));
    for (k, (term, real)) in real.iter().enumerate() {
        let what = |how: &str| format!("{name}: {term}, {how}");
        let (wide, complex) = (&wide[k].1, &complex[k].1);
        // 4e-15: quotients as products with the inverse, some four in a row in the slips and laws of a tyre
        near(wide.iter().map(|x| x.re), real, 0.0, 4e-15, &what("duals = f64"));
        // 1e-14: a complex quotient rounds three times, and a contact takes it to the fourth power;
        // STEP: a product of imaginary parts is 1e-80 where the real one is 0
        near(complex.iter().map(|x| x.re), real, STEP, 1e-14, &what("complex = f64"));
        let slope: Vec<f64> = complex.iter().map(|x| x.im / STEP).collect();
        near(wide.iter().map(|x| x.eps[0]), &slope, 0.0, 1e-12, &what("duals = complex step"));
        assert!(
            wide.iter().all(|x| x.eps[1..].iter().all(|e| *e == 0.0)),
            "{}",
            what("only one direction is seeded")
        );
        let difference = up[k].1.iter().zip(&down[k].1).map(|(u, d)| (u - d) / (2.0 * h));
        near(difference, &slope, largest(real.iter().copied()), 1e-6, &what("complex step = difference"));
    }
}

#[test]
fn matrices_carry_their_derivatives() {
    let examples = crate::kit::cases::small_examples().map(|(name, text)| {
        let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        (format!("example {name}"), file.mechanism)
    });
    let all = examples.chain(elements::all().into_iter().map(|e| (e.name, e.mechanism)));
    for (k, (name, m)) in all.enumerate() {
        let (r, mut random) = (ready(&m), Random(k as u64));
        let Dims { n, m, slots, .. } = r.model.system.dims();
        let mut numbers = |len: usize| (0..len).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>();
        // off the start, which is a knot of every spline
        let t = r.p[r.model.times.start as usize] + 0.0137;
        let x =
            [vec![t], r.q.clone(), numbers(2 * n + m), r.p.clone(), numbers(2 * n + slots + n + m)].concat();
        let dx: Vec<f64> =
            numbers(x.len()).iter().zip(&x).map(|(d, x)| if *x == 0.0 { *d } else { d * x.abs() }).collect();
        check(&name, &r, &x, &dx);
    }
}
