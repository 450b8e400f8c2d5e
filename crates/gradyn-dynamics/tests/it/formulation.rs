//! Formulations and steps on every model: partials and products against duals of the residuals, transposes.

use gradyn_dynamics::control::{Controller, Mesh};
use gradyn_dynamics::formulation::Linear;
use gradyn_dynamics::simulate::unobserved;
use gradyn_dynamics::step::newmark::{Iteration, Projection, ProjectionMatrix};
use gradyn_dynamics::tableau::{RK4, Tableau};
use gradyn_dynamics::{
    Compliance, Integrated, Lagrange, Newmark, Products, Residual, RungeKutta, Scheme, Span, StepArgs,
    StepRecipe, Trajectory, simulate,
};
use gradyn_model::{At, Mechanics, Model};
use gradyn_num::{Pattern, Wide};
use gradyn_testkit::models::{all, ready};
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

type Matrix = Vec<Vec<f64>>;

/// Dense Jacobian of f over x, 8 columns at a time.
fn duals(x: &[f64], count: usize, mut f: impl FnMut(&[Wide], &mut [Wide])) -> Matrix {
    let mut rows = vec![vec![0.0; x.len()]; count];
    for first in (0..x.len()).step_by(8) {
        let seed = |i: usize, x: f64| {
            if (first..first + 8).contains(&i) { Wide::var(x, i - first) } else { Wide::from(x) }
        };
        let wide: Vec<Wide> = x.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
        let mut out = vec![Wide::from(0.0); count];
        f(&wide, &mut out);
        for (row, o) in rows.iter_mut().zip(&out) {
            row[first..].iter_mut().zip(o.eps).for_each(|(r, e)| *r = e);
        }
    }
    rows
}

fn dense(pattern: &Pattern, values: &[f64]) -> Matrix {
    let mut rows = vec![vec![0.0; pattern.cols()]; pattern.rows()];
    pattern.iter().for_each(|(i, j, k)| rows[i][j] = values[k]);
    rows
}
fn columns(rows: &Matrix, range: Range<usize>) -> Matrix {
    rows.iter().map(|r| r[range.clone()].to_vec()).collect()
}
fn transposed(rows: &Matrix, cols: usize) -> Matrix {
    (0..cols).map(|j| rows.iter().map(|r| r[j]).collect()).collect()
}
fn mul(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}
/// Σ |a_ij x_j|: what the rounding of a product is relative to.
fn mul_size(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum()).collect()
}

/// Entries equal to `tolerance` of the largest.
fn equal(a: &Matrix, b: &Matrix, what: &str) {
    let scale = b.iter().flatten().fold(1.0f64, |s, x| s.max(x.abs()));
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.len(), b.len(), "{what}");
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            // 1e-12: a few hundred operations
            assert!((a - b).abs() <= 1e-12 * scale, "{what} ({i}, {j}): {a} ≠ {b}");
        }
    }
}

/// Every entry to 1e-12 of the sizes that were added up in it, and of `floor`.
fn near(a: &[f64], b: &[f64], sizes: &[f64], what: &str) {
    let largest = sizes.iter().fold(1.0f64, |s, x| s.max(*x));
    for i in 0..a.len() {
        let scale = sizes[i].max(1e-3 * largest);
        assert!((a[i] - b[i]).abs() <= 1e-12 * scale, "{what} [{i}]: {} ≠ {} (of {scale:.1e})", a[i], b[i]);
    }
}

fn formulations() -> [(&'static str, Lagrange); 4] {
    [
        ("index 3", Lagrange::INDEX3),
        ("acceleration", Lagrange::ACCELERATION),
        ("index 1", Lagrange::index1(0.7, 5.0)),
        ("penalty", Lagrange::penalty(1e3, 0.7, 5.0)),
    ]
}

/// A formulation on a model at a state near its assembled positions.
struct Case {
    what: String,
    model: Model,
    f: Lagrange,
    t: f64,
    /// (q, v, a, λ, p).
    x: Vec<f64>,
    n: usize,
    m: usize,
}

impl Case {
    fn block(&self, k: usize) -> Range<usize> {
        let n = self.n;
        [0..n, n..2 * n, 2 * n..3 * n, 3 * n..3 * n + self.m, 3 * n + self.m..self.x.len()][k].clone()
    }
    fn at(&self) -> At<'_> {
        At::of(self.t, &self.x, self.n, self.m)
    }
    fn linear(&self) -> Linear {
        let sys = &self.model.system;
        let mut l = Linear::new(sys, self.f, &self.x[self.block(4)]);
        l.terms.set_branches(&self.model.angles);
        l.set(sys, &self.at());
        l
    }
    /// F over (q, v, a, λ, p).
    fn truth(&self) -> Matrix {
        let sys = &self.model.system;
        duals(&self.x, self.n + self.m, |x, out| {
            let mut terms = sys.evaluator(&x[self.block(4)]);
            terms.set_branches(&self.model.angles);
            let t = Wide::from(self.t);
            terms.at(t, &x[..self.n]);
            self.f.residual(sys, &At::of(t, x, self.n, self.m), &mut terms, out);
        })
    }
}

fn each_case(check: impl Fn(&Case, &mut Random)) {
    for (name, m) in all() {
        for (law, f) in formulations() {
            let (r, mut random) = (ready(&m), Random(11));
            let dims = r.model.system.dims();
            let mut x: Vec<f64> = r.q.iter().map(|q| q + 0.01 * random.next()).collect();
            x.extend(random.vec(2 * dims.n + dims.m));
            x.extend(&r.p);
            let what = format!("{name}, {law}");
            check(&Case { what, model: r.model, f, t: 0.137, x, n: dims.n, m: dims.m }, &mut random);
        }
    }
}

/// (3)–(6) of the module = duals of `Lagrange::residual`.
#[test]
fn partials_are_the_derivatives_of_the_residual() {
    each_case(|c, _| {
        let (sys, mut l, truth, n, m) = (&c.model.system, c.linear(), c.truth(), c.n, c.m);
        let pat = sys.patterns();
        let stack = |top: &[f64], bottom: &[f64]| [dense(&pat.nn, top), dense(&pat.mn, bottom)].concat();
        equal(&stack(&l.top_q, &l.bottom_q), &columns(&truth, c.block(0)), &format!("{}: F_q", c.what));
        equal(&stack(&l.top_v, &l.bottom_v), &columns(&truth, c.block(1)), &format!("{}: F_v", c.what));
        let scaled: Vec<f64> = l.terms.phi_q().iter().map(|j| c.f.level[2] * j).collect();
        equal(&stack(l.terms.mass(), &scaled), &columns(&truth, c.block(2)), &format!("{}: F_a", c.what));
        let mut f_lam = transposed(&dense(&pat.mn, l.terms.phi_q()), n);
        f_lam.extend(
            (0..m).map(|i| {
                (0..m).map(|j| if i == j { -c.f.compliance.factor } else { 0.0 }).collect::<Vec<_>>()
            }),
        );
        equal(&f_lam, &columns(&truth, c.block(3)), &format!("{}: F_λ", c.what));
        // F_p, column by column
        let slots = c.block(4).len();
        let mut f_p = vec![vec![0.0; slots]; n + m];
        for s in 0..slots {
            let (mut delta, mut out) = (vec![0.0; slots], vec![0.0; n + m]);
            delta[s] = 1.0;
            l.slot_mul(&delta, &mut out);
            f_p.iter_mut().zip(out).for_each(|(row, o)| row[s] = o);
        }
        equal(&f_p, &columns(&truth, c.block(4)), &format!("{}: F_p", c.what));
    });
}

/// Products are those of the dense matrices, transposes theirs; all of them add.
#[test]
fn products_and_transposes_are_those_of_the_partials() {
    each_case(|c, random| {
        let (sys, mut l, truth, n, m) = (&c.model.system, c.linear(), c.truth(), c.n, c.m);
        let [f_q, f_v, f_a, f_p] = [0, 1, 2, 4].map(|k| columns(&truth, c.block(k)));
        let slots = c.block(4).len();
        let (dq, dv, da, delta) = (random.vec(n), random.vec(n), random.vec(n), random.vec(slots));
        let (mu, start) = (random.vec(n + m), random.vec(n + m));
        let sum = |s: f64, parts: &[(&Matrix, &[f64])]| {
            let mut out = start.clone();
            let mut sizes = vec![1.0; n + m];
            for (a, x) in parts {
                out.iter_mut().zip(mul(a, x)).for_each(|(o, y)| *o += s * y);
                sizes.iter_mut().zip(mul_size(a, x)).for_each(|(o, y)| *o += y);
            }
            (out, sizes)
        };
        let mut out = start.clone();
        l.state_mul(sys, -0.6, &dq, &dv, &mut out);
        let (b, sizes) = sum(-0.6, &[(&f_q, &dq), (&f_v, &dv)]);
        near(&out, &b, &sizes, &format!("{}: state_mul", c.what));
        let mut out = start.clone();
        l.rate_mul(sys, &dv, &da, &mut out);
        let (b, sizes) = sum(1.0, &[(&f_v, &dv), (&f_a, &da)]);
        near(&out, &b, &sizes, &format!("{}: rate_mul", c.what));
        let mut out = start.clone();
        l.slot_mul(&delta, &mut out);
        let (b, sizes) = sum(1.0, &[(&f_p, &delta)]);
        near(&out, &b, &sizes, &format!("{}: slot_mul", c.what));
        // transposes
        let check = |what: &str, a: &Matrix, s: f64, got: &[f64]| {
            let t = transposed(a, a[0].len());
            let b: Vec<f64> = mul(&t, &mu).iter().map(|y| 1.0 + s * y).collect();
            near(got, &b, &mul_size(&t, &mu), &format!("{}: {what}", c.what));
        };
        let (mut q, mut v, mut a) = (vec![1.0; n], vec![1.0; n], vec![1.0; n]);
        l.state_mul_t(sys, -0.6, &mu, &mut q, &mut v);
        check("state_mul_t, q", &f_q, -0.6, &q);
        check("state_mul_t, v", &f_v, -0.6, &v);
        v.fill(1.0);
        l.rate_mul_t(sys, &mu, &mut v, &mut a);
        check("rate_mul_t, v", &f_v, 1.0, &v);
        check("rate_mul_t, a", &f_a, 1.0, &a);
        let mut grad = vec![1.0; slots];
        grad.resize(sys.dims().args, 0.0);
        l.slot_mul_t(&mu, -0.6, &mut grad);
        check("slot_mul_t", &f_p, -0.6, &grad[..slots]);
    });
}

/// A few fixed steps of a model.
fn run<T: Clone + Into<StepRecipe>>(step: &T, model: &Model, p: &[f64], h: f64, steps: usize) -> Trajectory {
    let t0 = p[model.times.start as usize];
    let mesh =
        Mesh::new((t0, Some(model.times.start)), &[], &[], (t0 + steps as f64 * h, None)).expect("a mesh");
    simulate(&step.clone().into(), p, &model.angles, &mesh, &Controller::fixed(h), &mut unobserved)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// R = 0 at every record; R_x⁻¹, R_x⁻ᵀ, R_past, R_p and their transposes against the duals of
/// `StepRecipe::residual`.
///
/// The memory is fresh: nothing of an earlier `advance` may be needed, the branch of the rotor's angle at
/// record 0 included.
fn check_step<T: Clone + Into<StepRecipe>>(what: &str, step: &T, model: &Model, p: &[f64]) {
    let recipe: StepRecipe = step.clone().into();
    let (len, slots, mut random) = (recipe.layout().len, p.len(), Random(5));
    let run = run(step, model, p, 0.01, 3);
    let mut chain = recipe.chain(p).expect("memory");
    for n in [2, 0, 1] {
        let what = format!("{what}, record {n}");
        let link = run.link(n);
        let record = link.args(p);
        let (x, past, frozen, span) = (record.x, record.past, record.frozen, record.span);
        // (x, past, p)
        let earlier = if record.is_start() { vec![0.0; len] } else { past.to_vec() };
        let all = [x, &earlier, p].concat();
        let wide_span = Span { t: Wide::from(span.t), h: Wide::from(span.h) };
        let truth = duals(&all, len, |y, out| {
            let (x, y) = y.split_at(len);
            let (earlier, p) = y.split_at(len);
            let args = StepArgs { span: wide_span, frozen, x, past: &earlier[..past.len()] };
            recipe.residual(p).residual(&args, out);
        });
        let (r_x, r_past, r_p) = (
            columns(&truth, 0..len),
            columns(&truth, len..2 * len),
            columns(&truth, 2 * len..2 * len + slots),
        );
        let mut r = vec![f64::NAN; len];
        recipe.residual(p).residual(&record, &mut r);
        let sizes = mul_size(&r_x, x);
        // 1e-10: a* and λ are solved to 1e-16/(βh²) with h = 0.01
        (0..len)
            .for_each(|i| assert!(r[i].abs() <= 1e-10 * sizes[i].max(1.0), "{what}: R[{i}] = {:.1e}", r[i]));
        chain.linearise(&record).expect("regular");
        let b = random.vec(len);
        let mut y = b.clone();
        chain.solve(&mut y);
        solved(&r_x, &y, &b, &format!("{what}: R_x R_x⁻¹ b"));
        let mut y = b.clone();
        chain.solve_t(&mut y);
        solved(&transposed(&r_x, len), &y, &b, &format!("{what}: R_xᵀ R_x⁻ᵀ b"));
        let (mut y, delta) = (vec![0.0; len], random.vec(slots));
        chain.past_mul(&b, &mut y);
        near(&y, &mul(&r_past, &b), &mul_size(&r_past, &b), &format!("{what}: R_past s"));
        let (mut y, t) = (vec![0.0; len], transposed(&r_past, len));
        chain.past_mul_t(&b, &mut y);
        near(&y, &mul(&t, &b), &mul_size(&t, &b), &format!("{what}: R_pastᵀ μ"));
        let mut y = vec![0.0; len];
        chain.slot_mul(&delta, &mut y);
        near(&y, &mul(&r_p, &delta), &mul_size(&r_p, &delta), &format!("{what}: R_p δ"));
        let (mut grad, t) = (vec![0.0; recipe.system().dims().args], transposed(&r_p, slots));
        chain.slot_mul_t(&b, 1.0, &mut grad);
        near(&grad[..slots], &mul(&t, &b), &mul_size(&t, &b), &format!("{what}: R_pᵀ μ"));
    }
}

/// A y = b to 1e-12 of |a_i| |y|: the backward error of block sweeps whose unknowns differ by 1/h² in size.
fn solved(a: &Matrix, y: &[f64], b: &[f64], what: &str) {
    let norm = |x: &[f64]| x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    for (i, got) in mul(a, y).into_iter().enumerate() {
        let scale = (norm(&a[i]) * norm(y)).max(1.0);
        assert!((got - b[i]).abs() <= 1e-12 * scale, "{what} [{i}]: {got} ≠ {} (of {scale:.1e})", b[i]);
    }
}

fn newmark(sys: &Mechanics, f: Lagrange, projection: Projection) -> Newmark {
    Newmark { projection, ..Newmark::new(sys, f, Scheme::newmark(0.3025, 0.6)) }
}

#[test]
fn newmark_products_are_derivatives_of_its_residual() {
    for (name, m) in all() {
        let r = ready(&m);
        let sys = &r.model.system;
        for (law, f) in formulations() {
            if law != "acceleration" {
                check_step(
                    &format!("{name}, Newmark, {law}"),
                    &newmark(sys, f, Projection::On),
                    &r.model,
                    &r.p,
                );
            }
        }
        let bare = newmark(sys, formulations()[2].1, Projection::Off);
        check_step(&format!("{name}, Newmark without projections"), &bare, &r.model, &r.p);
    }
}

/// The same with an auxiliary acceleration, with projections that give way, by M or by the tangent, and with
/// a penalty start.
#[test]
fn generalised_alpha_products_are_derivatives_of_its_residual() {
    for (name, m) in all() {
        let r = ready(&m);
        let sys = &r.model.system;
        for (scheme, projection, matrix) in [
            (Scheme::hht(0.2), Projection::On, ProjectionMatrix::Mass),
            (Scheme::hht(0.1), Projection::On, ProjectionMatrix::Tangent),
            (Scheme::generalized_alpha(0.7), Projection::Off, ProjectionMatrix::Mass),
            // the first step does not project, the second does
            (Scheme::generalized_alpha(0.3), Projection::Conditional(1e-12), ProjectionMatrix::Mass),
            (Scheme::generalized_alpha(0.4), Projection::Conditional(1e-12), ProjectionMatrix::Tangent),
        ] {
            let iteration = Iteration { compliance: Compliance::uniform(1e-9), ..Iteration::NEWTON };
            let start = Lagrange::penalty(1e3, 0.7, 5.0);
            let step = Newmark {
                projection,
                matrix,
                compliance: Compliance::uniform(1e-3),
                iteration,
                start,
                ..Newmark::new(sys, Lagrange::INDEX3, scheme)
            };
            check_step(&format!("{name}, {scheme:?}, {projection:?}, {matrix:?}"), &step, &r.model, &r.p);
        }
    }
}

#[test]
fn runge_kutta_products_are_derivatives_of_its_residual() {
    for (name, m) in all() {
        let r = ready(&m);
        for tableau in Tableau::ALL {
            let laws =
                formulations().into_iter().filter(|(_, f)| f.level[2] == 1.0 || tableau.takes_positions());
            for (law, f) in laws.filter(|(law, _)| *law != "acceleration") {
                let step = RungeKutta {
                    sys: r.model.system.clone(),
                    f,
                    state: Integrated::Full,
                    freedoms: vec![],
                    tableau,
                };
                check_step(&format!("{name}, {}, {law}", tableau.name), &step, &r.model, &r.p);
            }
        }
    }
}

/// The same for independent coordinates.
#[test]
fn runge_kutta_products_hold_for_independent_coordinates() {
    for (name, m) in all() {
        let r = ready(&m);
        for tableau in Tableau::ALL {
            for state in [Integrated::Independent, Integrated::Mixed] {
                let step = RungeKutta {
                    sys: r.model.system.clone(),
                    f: Lagrange::ACCELERATION,
                    state,
                    freedoms: vec![],
                    tableau,
                };
                check_step(&format!("{name}, {}, {state:?}", tableau.name), &step, &r.model, &r.p);
            }
        }
    }
}

/// The program's derivative is that of the program: all that `work` and `linear` take from the slots is
/// differentiated.
///
/// Differences of R over a mass on f64, exact to 1e-9 since R is linear in it. (1/α relative to the largest
/// entry of M, taken as constant, would be seen here.)
#[test]
fn penalty_over_a_mass_equals_differences() {
    let r = ready(&gradyn_testkit::models::pendulum());
    let (rho, sys) = (r.model.rho(), &r.model.system);
    let mass = r.model.parameters.iter().position(|p| p.name == "mass").expect("a mass");
    let step = RungeKutta {
        sys: sys.clone(),
        f: Lagrange::penalty(1e2, 1.0, 10.0),
        state: Integrated::Full,
        freedoms: vec![],
        tableau: &RK4,
    };
    let recipe = StepRecipe::from(step);
    let run = run(&recipe, &r.model, &r.p, 0.01, 2);
    let (n, len) = (2, run.layout.len);
    let residual = |δ: f64| {
        let mut rho = rho.clone();
        rho[mass] += δ;
        let p = r.model.slots(&rho);
        let mut out = vec![0.0; len];
        recipe.residual(&p).residual(&run.link(n).args(&r.p), &mut out);
        out
    };
    let δ = 1e-4;
    let (up, down) = (residual(δ), residual(-δ));
    let seeded: Vec<Wide> =
        rho.iter().enumerate().map(|(i, &x)| if i == mass { Wide::var(x, 0) } else { x.into() }).collect();
    let direction: Vec<f64> = r.model.slots(&seeded).iter().map(|p| p.eps[0]).collect();
    let mut chain = recipe.chain(&r.p).expect("memory");
    chain.linearise(&run.link(n).args(&r.p)).expect("regular");
    let mut product = vec![0.0; len];
    chain.slot_mul(&direction, &mut product);
    for i in 0..len {
        let difference = (up[i] - down[i]) / (2.0 * δ);
        assert!(
            (product[i] - difference).abs() <= 1e-7 * difference.abs().max(1.0),
            "R[{i}]_m: {} ≠ {difference}",
            product[i]
        );
    }
}
