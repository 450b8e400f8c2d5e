//! Adams steps: the coefficients integrate polynomials exactly on any mesh; measured orders; tolerances;
//! starts; interpolants.

use gradyn_dynamics::control::{Controller, Mesh};
use gradyn_dynamics::simulate::unobserved;
use gradyn_dynamics::step::adams::coefficients::{
    Coefficients, EQUAL, MOST, Row, SIZE, distances, kept, moments,
};
use gradyn_dynamics::tableau::DOPRI5;
use gradyn_dynamics::{Adams, Integrated, Lagrange, RungeKutta, StepError, StepRecipe, Trajectory, simulate};
use gradyn_model::{Mechanics, Model};
use gradyn_testkit::models::{Ready, double_pendulum, five_bar, pendulum, ready};

/// Steps that differ by up to a factor of 2, of a linear congruential sequence.
fn steps(count: usize, mut seed: u64) -> Vec<f64> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| 0.1 * (1.0 + next())).collect()
}

/// φ_1 … of f at the end of the steps by the recurrence, from an order-1 start.
fn differences(f: impl Fn(f64) -> f64, h: &[f64]) -> Row<f64> {
    let (mut phi, mut t) = ([0.0; SIZE], 0.0);
    phi[1] = f(0.0);
    for n in 0..h.len() {
        let known = (n + 1).min(MOST + 1);
        let c = Coefficients::of(h[n], &h[..n], known.min(MOST), known);
        t += h[n];
        let old = phi;
        phi[1] = f(t);
        (1..kept(c.order, known, MOST)).for_each(|i| phi[i + 1] = phi[i] - c.beta[i] * old[i]);
    }
    phi
}

/// The predictor of order k integrates degree k - 1 exactly, the corrector degree k; the interpolant, too.
#[test]
fn polynomials_are_integrated_exactly_on_a_random_mesh() {
    for order in 1..=MOST {
        let h = steps(16, 7 + order as u64);
        let (past, size) = (&h[..15], h[15]);
        let t: f64 = past.iter().sum();
        for degree in 0..=order {
            let f = |t: f64| (degree + 1) as f64 * (t - 1.0).powi(degree as i32);
            let integral = |from: f64, to: f64| {
                (to - 1.0).powi(degree as i32 + 1) - (from - 1.0).powi(degree as i32 + 1)
            };
            let (phi, c) = (differences(f, past), Coefficients::of(size, past, order, order + 1));
            let predicted: f64 = (1..=order).map(|i| c.predictor[i] * phi[i]).sum();
            let corrected = (1..=order).map(|i| c.corrector[i] * phi[i]).sum::<f64>() + c.last * f(t + size);
            let exact = integral(t, t + size);
            // 1e-11: differences of order 12 of numbers of size 1
            assert!(
                (corrected - exact).abs() < 1e-11,
                "corrector {order}, degree {degree}: {corrected} ≠ {exact}"
            );
            if degree < order {
                assert!(
                    (predicted - exact).abs() < 1e-11,
                    "predictor {order}, degree {degree}: {predicted} ≠ {exact}"
                );
            }
            let (psi, θ) = (distances(past, order), -0.6 * past[14]);
            let w = moments(θ, &psi, &psi, order + 1);
            let back: f64 = (1..=order + 1).map(|i| θ * w[i] * phi[i]).sum();
            assert!((back - integral(t, t + θ)).abs() < 1e-11, "interpolant {order}, degree {degree}");
        }
    }
}

/// The weights of the interpolant are those of the predictor: g_i β_i.
#[test]
fn interpolant_and_predictor_have_the_same_weights() {
    let h = steps(14, 3);
    let (c, psi) = (Coefficients::of(0.13, &h, 12, 12), distances(&h, 12));
    let w = moments(0.13, &psi, &psi, 12);
    (1..=12)
        .for_each(|i| assert!((0.13 * w[i] - c.predictor[i]).abs() < 1e-12 * c.predictor[i].abs(), "{i}"));
}

/// On equal steps g are the classical weights 1, 1/2, 5/12, 3/8 …, their differences those of the corrector.
#[test]
fn equal_steps_give_the_classical_weights() {
    let c = Coefficients::of(0.1, &[0.1; 12], 12, 13);
    let classical = [1.0, 1.0 / 2.0, 5.0 / 12.0, 3.0 / 8.0, 251.0 / 720.0, 95.0 / 288.0, 19087.0 / 60480.0];
    classical.iter().enumerate().for_each(|(i, g)| assert!((c.g[i + 1] - g).abs() < 1e-14, "g_{}", i + 1));
    (1..=12).for_each(|i| {
        assert!((c.beta[i] - 1.0).abs() < 1e-13 && (c.g[i] - c.g[i + 1] - EQUAL[i]).abs() < 1e-13, "{i}")
    });
    assert!((EQUAL[4] - 19.0 / 720.0).abs() < 1e-16);
}

fn run<T: Clone + Into<StepRecipe>>(
    step: &T,
    model: &Model,
    p: &[f64],
    control: Controller,
) -> Result<Trajectory, StepError> {
    let (start, end) = (model.times.start, model.times.end);
    let (t0, t1) = (p[start as usize], p[end as usize]);
    let knots: Vec<f64> = model.splines.iter().flat_map(|s| s.knots(t0, t1)).collect();
    let mesh = Mesh::new((t0, Some(start)), &[], &knots, (t1, Some(end))).expect("a mesh");
    simulate(&step.clone().into(), p, &model.angles, &mesh, &control, &mut unobserved)
}

fn adams(sys: &Mechanics, order: usize) -> Adams {
    Adams {
        sys: sys.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        order,
        corrects: true,
    }
}

fn bashforth(sys: &Mechanics, order: usize) -> Adams {
    Adams { corrects: false, ..adams(sys, order) }
}

/// (q, v) and z of the last record.
fn result(run: &Trajectory) -> Vec<f64> {
    let (lay, x) = (run.layout, run.last());
    [&x[..2 * lay.n], &x[lay.z()..lay.head()]].concat()
}

fn reference(model: &Model, p: &[f64]) -> Vec<f64> {
    let step = RungeKutta {
        sys: model.system.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        tableau: &DOPRI5,
    };
    result(&run(&step, model, p, Controller::fixed(5e-4)).expect("runs"))
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// The measured order is that of the step: of (q, v) within 0.25, of z not less.
fn has_its_order(step: &Adams, r: &Ready, truth: &[f64], h: f64, what: &str) {
    let n2 = 2 * r.model.system.dims().n;
    let errors: Vec<[f64; 2]> = (0..4)
        .map(|k| {
            let x =
                result(&run(step, &r.model, &r.p, Controller::fixed(h / f64::powi(2.0, k))).expect("runs"));
            [distance(&x[..n2], &truth[..n2]), distance(&x[n2..], &truth[n2..])]
        })
        .collect();
    let slopes: Vec<[f64; 2]> =
        errors.windows(2).map(|e| [0, 1].map(|i| (e[0][i] / e[1][i]).log2())).collect();
    let (last, order) = (slopes[2], StepRecipe::from(step.clone()).order() as f64);
    assert!((last[0] - order).abs() <= 0.25, "{what}: (q, v) {slopes:.2?}");
    assert!(last[1] >= order - 0.35, "{what}: z {slopes:.2?}");
}

/// Order k of the predictor gives order k + 1 with the corrector, and k without it.
#[test]
fn fixed_steps_have_their_order() {
    for (m, steps) in [
        (pendulum(), [0.01, 0.02, 0.02, 0.03, 0.03, 0.03]),
        (double_pendulum(), [0.005, 0.01, 0.01, 0.01, 0.01, 0.01]),
    ] {
        let r = ready(&m);
        let (truth, sys) = (reference(&r.model, &r.p), &r.model.system);
        for (order, h) in (1..=6).zip(steps) {
            has_its_order(&adams(sys, order), &r, &truth, h, &format!("{}, adams {order}", m.name));
            // the error of a predictor is ten times that of a corrector
            has_its_order(
                &bashforth(sys, order),
                &r,
                &truth,
                h / 4.0,
                &format!("{}, adams-bashforth {order}", m.name),
            );
        }
    }
}

/// The error of an adaptive run is the tolerance, times 0.01 to 300: the sum over all numbers, and what the
/// five-bar makes of it in a second.
#[test]
fn adaptive_runs_follow_their_tolerance() {
    let mut short = five_bar();
    short.t_end = 1.0.into();
    for m in [pendulum(), short] {
        let r = ready(&m);
        let truth = reference(&r.model, &r.p);
        for tol in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
            let run = run(&adams(&r.model.system, MOST), &r.model, &r.p, Controller::adaptive(tol, tol))
                .expect("runs");
            let ratio = distance(&result(&run), &truth) / tol;
            assert!((0.01..300.0).contains(&ratio), "{}, {tol:.0e}: {ratio:.1e} times the tolerance", m.name);
            let orders: Vec<u32> = (1..=run.plan.steps()).map(|n| run.plan.choice(n)[0]).collect();
            assert_eq!(orders[..2], [1, 1], "{}: no history at the start", m.name);
            assert!(orders.iter().max() > Some(&5), "{}, {tol:.0e}: orders {orders:?}", m.name);
        }
    }
}

/// Fixed steps: the first one is cut into parts that double, the others are on the grid.
#[test]
fn fixed_steps_start_with_halvings() {
    let r = ready(&pendulum());
    let step = StepRecipe::from(adams(&r.model.system, 4));
    let run = run(&step, &r.model, &r.p, Controller::fixed(0.01)).expect("runs");
    let m = step.halvings(60.0) as usize;
    assert!(
        m > 0 && run.plan.h[0] == run.plan.h[1] && run.plan.h[2] == 2.0 * run.plan.h[1],
        "{:?}",
        run.plan.h
    );
    assert_eq!(run.plan.t[m + 1], 0.01);
    assert!((run.plan.t[m + 31] - 0.31).abs() < 1e-15);
    assert_eq!(run.plan.choice(run.plan.steps()).first().copied(), Some(4));
}

/// Interpolated states in the middle of steps have the order of the corrector.
#[test]
fn interpolants_converge() {
    let r = ready(&pendulum());
    let truth = |t: f64| {
        let mut p = r.p.clone();
        p[r.model.times.end as usize] = t;
        result(
            &run(&adams(&r.model.system, MOST), &r.model, &p, Controller::adaptive(1e-13, 1e-13))
                .expect("runs"),
        )
    };
    for order in 2..=4 {
        let step = StepRecipe::from(adams(&r.model.system, order));
        let error = |h: f64| -> f64 {
            let run = run(&step, &r.model, &r.p, Controller::fixed(h)).expect("runs");
            let mut chain = step.chain(&r.p).expect("memory");
            let mut out = vec![0.0; run.layout.z()];
            let mut worst = 0.0f64;
            for (n, θ) in
                [(run.plan.steps() / 2, 0.3), (run.plan.steps() / 2, 0.5), (run.plan.steps() - 2, 0.7)]
            {
                let link = run.link(n);
                let record = link.args(&r.p);
                chain.interpolate(&record, θ, &mut out).expect("regular");
                let y = truth(record.span.t + θ * record.span.h);
                worst = (0..2 * run.layout.n).fold(worst, |s, i| s.max((out[i] - y[i]).abs()));
            }
            worst
        };
        let slope = (error(0.02) / error(0.005)).log2() / 2.0;
        assert!(slope > order as f64 + 0.7, "order {order}: {slope:.2}");
    }
}
