//! L-BFGS-B against the reference code (its translation from C, crate lbfgsbrs).

use crate::common::{between, rosenbrock};
use gradyn_optimize::{Evaluation, Method, Problem, Settings, drive};
use lbfgsbrs::lbfgsb::{LbfgsbMinimizer, LbfgsbParameters};

/// Minimiser and value of the reference.
fn reference(bounds: &[(f64, f64)], start: &[f64], evaluate: fn(&[f64]) -> Evaluation) -> (Vec<f64>, f64) {
    let mut x = start.to_vec();
    let f = |x: &Vec<f64>| evaluate(x).value;
    let g = |x: &Vec<f64>| evaluate(x).gradient;
    let parameters = LbfgsbParameters { m: 10, factr: 1.0, pgtol: 1e-9, time_limit: 60.0, max_iter: 5000 };
    let mut minimizer = LbfgsbMinimizer::new(&mut x, &f, &g, Some(parameters));
    for (i, (lower, upper)) in bounds.iter().enumerate() {
        minimizer.set_lower_bound(i, *lower);
        minimizer.set_upper_bound(i, *upper);
    }
    let _ = minimizer.minimize(); // its status; the point is compared
    let x = minimizer.get_x().to_vec();
    let value = evaluate(&x).value;
    (x, value)
}

/// Σ i (x_i - c_i)⁴ + (Σ x)², smooth and convex.
fn quartic(x: &[f64]) -> Evaluation {
    let sum: f64 = x.iter().sum();
    let c = |i: usize| (i as f64).sin();
    let weight = |i: usize| (i + 1) as f64;
    let value = sum * sum + (0..x.len()).map(|i| weight(i) * (x[i] - c(i)).powi(4)).sum::<f64>();
    Evaluation::new(
        value,
        (0..x.len()).map(|i| 2.0 * sum + 4.0 * weight(i) * (x[i] - c(i)).powi(3)).collect(),
    )
}

/// The function of the first driver of the reference code.
fn driver(x: &[f64]) -> Evaluation {
    let n = x.len();
    let mut f = (x[0] - 1.0).powi(2);
    let mut g = vec![0.0; n];
    g[0] = 2.0 * (x[0] - 1.0);
    for i in 1..n {
        let t = x[i] - x[i - 1] * x[i - 1];
        f += 4.0 * t * t;
        g[i] += 8.0 * t;
        g[i - 1] -= 16.0 * x[i - 1] * t;
    }
    Evaluation::new(f, g)
}

/// Same value to 1e-8, and same minimiser where it is well conditioned.
#[test]
fn reference_code() {
    for n in [2, 25, 200] {
        let held: Vec<(f64, f64)> = (0..n).map(|i| (-10.0, if i % 3 == 1 { 0.5 } else { 10.0 })).collect();
        let narrow: Vec<(f64, f64)> =
            (0..n).map(|i| if i % 2 == 0 { (-0.4, 0.2) } else { (-2.0, 2.0) }).collect();
        let printed: Vec<(f64, f64)> =
            (0..n).map(|i| (if i % 2 == 0 { 1.0 } else { -100.0 }, 100.0)).collect();
        let cases: [(&str, &[(f64, f64)], f64, fn(&[f64]) -> Evaluation); 3] = [
            ("rosenbrock", &held, 0.3, rosenbrock),
            ("quartic", &narrow, 0.1, quartic),
            ("driver", &printed, 3.0, driver),
        ];
        for (name, bounds, start, evaluate) in cases {
            let start = vec![start; n];
            let problem = Problem::new(between(bounds)).unwrap();
            let settings = Settings { gradient_tol: 1e-11, ..Settings::default() };
            let mut optimizer = Method::Lbfgsb.start(&problem, settings, &start).unwrap();
            let r = drive(optimizer.as_mut(), |t| Ok(evaluate(&t.x)));
            let (x, value) = reference(bounds, &start, evaluate);
            println!(
                "{name:10} {n:4}: {} reference {value}, {} evaluations, {}",
                r.value,
                r.evaluations,
                r.status.name()
            );
            assert!(r.status.converged());
            assert!(
                (r.value - value).abs() <= 1e-8 * value.abs().max(1.0),
                "{name} {n}: {} {value}",
                r.value
            );
            let apart = r.x.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // 1e-6: gradients of 1e-9 over the least curvature, 1e-3; that of the driver grows by 4ⁿ
            assert!(apart < 1e-6 || name == "driver", "{name} {n}: {apart:e}");
        }
    }
}
