//! Published optima.

use crate::common::{between, free, hs, rosenbrock};
use gradyn_optimize::{Evaluation, Method, Problem, Report, Settings, Side, drive};

/// Formulas by dual numbers = differences of fourth order.
#[test]
fn gradients_of_the_test_problems() {
    for case in hs::all() {
        let x = &case.start;
        let n = x.len();
        let e = case.evaluate(x);
        let values = |j: usize, h: f64| {
            let mut x = x.clone();
            x[j] += h;
            let e = case.evaluate(&x);
            [vec![e.value], e.constraints].concat()
        };
        for j in 0..n {
            let h = 1e-3;
            let [a, b, c, d] = [values(j, -2.0 * h), values(j, -h), values(j, h), values(j, 2.0 * h)];
            for i in 0..a.len() {
                let difference = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h);
                let exact = if i == 0 { e.gradient[j] } else { e.jacobian[(i - 1) * n + j] };
                // h⁴ × fifth derivatives of powers up to 6, and rounding ε f/h
                assert!((difference - exact).abs() <= 1e-8 * exact.abs().max(100.0), "{} {i} {j}", case.name);
            }
        }
    }
}

/// Every method that takes a problem of the collection solves it to 1e-6.
#[test]
fn hock_and_schittkowski() {
    println!(
        "{:6} {:8} {:>5} {:>5}  {:>10} {:>10}  status",
        "", "", "iter", "eval", "optimality", "violation"
    );
    let mut runs = 0;
    for case in hs::all() {
        for &method in Method::ALL.iter().filter(|m| !m.least_squares()) {
            if method.start(&case.problem, Settings::default(), &case.start).is_err() {
                continue;
            }
            let r = case.run(method, Settings::default());
            let name = method.name();
            let status = r.status.name();
            println!(
                "{:6} {name:8} {:5} {:5}  {:10.1e} {:10.1e}  {status}",
                case.name, r.iterations, r.evaluations, r.optimality, r.violation
            );
            case.check(&r, 1e-6);
            assert!(r.status.converged(), "{} {name}: {}", case.name, r.status);
            runs += 1;
        }
    }
    // 5 with bounds × 3 methods, 14 with constraints × 2 methods
    assert_eq!(runs, 5 * 3 + 14 * 2);
}

/// Chained Rosenbrock function without bounds: x = 1.
#[test]
fn rosenbrock_without_bounds() {
    for n in [2, 25, 200] {
        let start: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        for method in [Method::Lbfgsb, Method::Bfgs, Method::Sqp, Method::Slsqp] {
            if n > 25 && method.constraints() {
                continue; // dense subproblems
            }
            let problem = Problem::new(free(n)).unwrap();
            let settings = Settings { max_iterations: 3000, ..Settings::default() };
            let r =
                drive(method.start(&problem, settings, &start).unwrap().as_mut(), |t| Ok(rosenbrock(&t.x)));
            println!(
                "{n:4} {:8} {:5} {:5}  f = {:.1e}  {}",
                method.name(),
                r.iterations,
                r.evaluations,
                r.value,
                r.status.name()
            );
            assert!(r.status.converged(), "{n} {}: {}", method.name(), r.status);
            // a second minimum, f = 3.99, attracts from some starts for n ≥ 4; none of these
            assert!(r.value < 1e-12, "{n} {}: {}", method.name(), r.value);
            assert!(r.x.iter().all(|x| (x - 1.0).abs() < 1e-6));
        }
    }
}

/// With every third variable below 0.5 and every fourth above 0.45: all methods agree, and the same variables
/// are on their bounds.
#[test]
fn rosenbrock_with_bounds() {
    for n in [2, 25, 200] {
        let bounds: Vec<(f64, f64)> = (0..n)
            .map(|i| (if i % 4 == 0 { 0.45 } else { -10.0 }, if i % 3 == 1 { 0.5 } else { 10.0 }))
            .collect();
        let problem = Problem::new(between(&bounds)).unwrap();
        let start = vec![0.47; n];
        let run = |method: Method| {
            let settings = Settings { max_iterations: 3000, ..Settings::default() };
            let r =
                drive(method.start(&problem, settings, &start).unwrap().as_mut(), |t| Ok(rosenbrock(&t.x)));
            println!(
                "{n:4} {:8} {:5} {:5}  f = {}  {}",
                method.name(),
                r.iterations,
                r.evaluations,
                r.value,
                r.status.name()
            );
            assert!(r.status.converged(), "{n} {}: {}", method.name(), r.status);
            r
        };
        let reference = run(Method::Lbfgsb);
        println!("     {} on their bounds", reference.active.len());
        assert!(reference.active.len() >= n / 4);
        assert!(reference.active.iter().all(|b| (b.side == Side::Upper) == (b.multiplier < 0.0)));
        for method in [Method::Sqp, Method::Slsqp].into_iter().filter(|m| n <= 25 || *m == Method::Sqp) {
            let r = run(method);
            assert!((r.value - reference.value).abs() <= 1e-8 * reference.value);
            assert!(r.x.iter().zip(&reference.x).all(|(a, b)| (a - b).abs() < 1e-6));
            let names = |r: &Report| r.active.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
            // slsqp stagnates 1e-7 short of some bounds
            assert!(names(&r) == names(&reference) || method == Method::Slsqp);
        }
    }
}

/// The minimiser does not depend on scales and units, and multipliers come back in the units of the user.
#[test]
fn multipliers_have_the_units_of_the_user() {
    // f = x² + y², h = x + y - 2: x = y = 1, λ = -2; g = 1.5 - y ≤ 0 makes y = 1.5, x = 0.5, μ = 2, λ = -1
    let evaluate = |x: &[f64]| {
        let f = gradyn_optimize::Evaluation::new(x[0] * x[0] + x[1] * x[1], vec![2.0 * x[0], 2.0 * x[1]]);
        Ok(f.constrained(vec![x[0] + x[1] - 2.0, 1.5 - x[1]], vec![1.0, 1.0, 0.0, -1.0]))
    };
    for method in [Method::Sqp, Method::Slsqp] {
        for scales in [[1.0, 1.0, 1.0, 1.0], [10.0, 0.1, 3.0, 0.2]] {
            let variables = vec![free(2)[0].clone().scale(scales[0]), free(2)[1].clone()];
            let problem = Problem::new(variables).unwrap().value_scale(scales[1]).unwrap();
            let problem = problem.equality("h", scales[2]).unwrap().inequality("g", scales[3]).unwrap();
            let r = drive(method.start(&problem, Settings::default(), &[3.0, 0.0]).unwrap().as_mut(), |t| {
                evaluate(&t.x)
            });
            let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{} {scales:?}: {r:#?}", method.name());
            near(r.x[0], 0.5);
            near(r.x[1], 1.5);
            near(r.multipliers[0].value, -1.0);
            near(r.multipliers[1].value, 2.0);
        }
    }
}

/// Variables of the random programs.
const N: usize = 6;

/// ½ xᵀQ x + bᵀx with Q = AᵀA + 0.1 I, two equalities and three inequalities that hold at 0.
fn random_program(seed: u64) -> impl Fn(&[f64]) -> Evaluation {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };

    // A, b, rows and right-hand sides of the constraints
    let a: Vec<f64> = (0..N * N).map(|_| random()).collect();
    let b: Vec<f64> = (0..N).map(|_| 3.0 * random()).collect();
    let rows: Vec<f64> = (0..5 * N).map(|_| random()).collect();
    let slack: Vec<f64> = (0..3).map(|_| random().abs()).collect();

    // f, Q x + b, c
    move |x: &[f64]| {
        let dot = |u: &[f64]| u.iter().zip(x).map(|(u, x)| u * x).sum::<f64>();
        let ax: Vec<f64> = a.chunks_exact(N).map(dot).collect();
        let qx = |j: usize| (0..N).map(|i| a[i * N + j] * ax[i]).sum::<f64>() + 0.1 * x[j];
        let gradient: Vec<f64> = (0..N).map(|j| qx(j) + b[j]).collect();
        let value = (0..N).map(|j| x[j] * (0.5 * qx(j) + b[j])).sum();
        let bound = |i: usize| if i < 2 { 0.0 } else { slack[i - 2] };
        let c = rows.chunks_exact(N).enumerate().map(|(i, row)| dot(row) - bound(i)).collect();
        Evaluation::new(value, gradient).constrained(c, rows.clone())
    }
}

/// Strictly convex quadratic programs with random numbers: both methods with constraints reach the same
/// point, which is a Karush–Kuhn–Tucker point and so the minimum.
#[test]
fn random_quadratic_programs() {
    let mut stagnated = 0;
    for seed in 1..=60_u64 {
        // bounds, two equalities, three inequalities
        let evaluate = random_program(seed);
        let mut problem = Problem::new(between(&[(-1.0, 1.0); N])).unwrap();
        for name in ["h1", "h2"] {
            problem = problem.equality(name, 1.0).unwrap();
        }
        for name in ["g1", "g2", "g3"] {
            problem = problem.inequality(name, 1.0).unwrap();
        }
        let run = |method: Method| {
            drive(method.start(&problem, Settings::default(), &[0.9; N]).unwrap().as_mut(), |t| {
                Ok(evaluate(&t.x))
            })
        };

        // a point of Karush, Kuhn and Tucker, by both methods
        let sqp = run(Method::Sqp);
        let slsqp = run(Method::Slsqp);
        assert!(sqp.status.converged() && sqp.optimality < 1e-6 && sqp.violation < 1e-8, "{seed}: {sqp:#?}");
        assert!(sqp.multipliers[2..].iter().all(|m| m.value >= -1e-9));
        assert!(slsqp.status.converged(), "{seed}: {}", slsqp.status);
        assert!(
            (sqp.value - slsqp.value).abs() < 1e-8 * sqp.value.abs().max(1.0),
            "{seed}: {} {}",
            sqp.value,
            slsqp.value
        );
        assert!(sqp.x.iter().zip(&slsqp.x).all(|(a, b)| (a - b).abs() < 1e-5), "{seed}");
        stagnated += usize::from(slsqp.status == gradyn_optimize::Status::Stagnated);
    }
    println!("slsqp stagnated in {stagnated} of 60");
}
