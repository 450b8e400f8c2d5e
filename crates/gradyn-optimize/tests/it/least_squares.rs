//! Gauss–Newton, Levenberg–Marquardt, and what a fit says about its variables.

use crate::common::{between, free};
use gradyn_optimize::{
    Evaluation, Identification, Method, Optimizer, Problem, Settings, Status, Transform, Variable, drive,
};

const METHODS: [Method; 2] = [Method::GaussNewton, Method::LevenbergMarquardt];

fn fit(
    method: Method,
    problem: &Problem,
    start: &[f64],
    evaluate: impl Fn(&[f64]) -> Evaluation,
) -> Box<dyn Optimizer> {
    let mut optimizer = method.start(problem, Settings::default(), start).unwrap();
    let r = drive(optimizer.as_mut(), |t| Ok(evaluate(&t.x)));
    println!("{:20} {:3} evaluations, f = {:e}, {}", method.name(), r.evaluations, r.value, r.status.name());
    assert!(r.status.converged(), "{}: {}", method.name(), r.status);
    optimizer
}

fn near(a: f64, b: f64, tol: f64) {
    assert!((a - b).abs() <= tol * b.abs().max(1.0), "{a} is not {b}");
}

/// Straight line a + b t through points with given errors.
const T: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
const Y: [f64; 6] = [1.1, 2.9, 5.2, 6.9, 9.1, 10.8];

fn line(x: &[f64]) -> Evaluation {
    let r = (0..6).map(|i| x[0] + x[1] * T[i] - Y[i]).collect();
    Evaluation::least_squares(r, T.iter().flat_map(|t| [1.0, *t]).collect(), 2)
}

/// Linear regression in closed form: b = S_ty/S_tt, var b = s²/S_tt, var a = s² (1/N + t̄²/S_tt), cov = -s²
/// t̄/S_tt.
#[test]
fn regression_line() {
    let mean_t = 2.5;
    let mean_y = Y.iter().sum::<f64>() / 6.0;
    let s_tt: f64 = T.iter().map(|t| (t - mean_t).powi(2)).sum();
    let b = (0..6).map(|i| (T[i] - mean_t) * (Y[i] - mean_y)).sum::<f64>() / s_tt;
    let a = mean_y - b * mean_t;
    let s2 = (0..6).map(|i| (a + b * T[i] - Y[i]).powi(2)).sum::<f64>() / 4.0;
    for method in METHODS {
        for (scale, value_scale) in [(1.0, 1.0), (100.0, 0.01)] {
            let variables = vec![Variable::free("a").scale(scale), Variable::free("b")];
            let problem = Problem::new(variables).unwrap().value_scale(value_scale).unwrap();
            let id = fit(method, &problem, &[0.0, 0.0], line).identification(0.95).unwrap();
            near(id.estimates[0].value, a, 1e-9);
            near(id.estimates[1].value, b, 1e-9);
            near(id.residual_deviation, s2.sqrt(), 1e-9);
            near(id.covariance[0], s2 * (1.0 / 6.0 + mean_t * mean_t / s_tt), 1e-9);
            near(id.covariance[1], -s2 * mean_t / s_tt, 1e-9);
            near(id.covariance[3], s2 / s_tt, 1e-9);
            // t of 4 degrees of freedom, 95 %: 2.776445105
            let half = 2.776445105 * (s2 / s_tt).sqrt();
            near(id.estimates[1].interval[1] - b, half, 1e-9);
            near(b - id.estimates[1].interval[0], half, 1e-9);
            assert_eq!((id.freedoms, id.unidentifiable.len()), (4, 0));
            // residuals grow by their own size where b changes by |r|/|t|
            near(id.estimates[1].proposed_scale, (4.0 * s2).sqrt() / 55.0_f64.sqrt(), 1e-9);
        }
    }
}

/// x_z of a log transform: the covariance is that of x, C = x_z C_z x_z.
#[test]
fn covariance_does_not_depend_on_the_transform() {
    let variables =
        |transform| vec![Variable::free("a"), Variable::between("b", 0.1, 9.0).transform(transform)];
    let of = |transform| -> Identification {
        let problem = Problem::new(variables(transform)).unwrap();
        fit(Method::LevenbergMarquardt, &problem, &[0.0, 1.0], line).identification(0.9).unwrap()
    };
    let plain = of(Transform::Identity);
    for transform in [Transform::Log, Transform::Bounded] {
        let other = of(transform);
        for i in 0..4 {
            // 1e-7: the minimiser is known to the tolerance of the gradient, 1e-8, over the curvature
            near(other.covariance[i], plain.covariance[i], 1e-7);
        }
    }
}

/// a exp(b t) + c exp(b t): only a + c can be known. The pair is named, b has an interval.
#[test]
fn unidentifiable_directions_are_named() {
    // r and its Jacobian; the data have errors of a hundredth
    let evaluate = |x: &[f64]| {
        let e = |t: f64| (x[1] * t).exp();
        let r = T
            .iter()
            .map(|t| (x[0] + x[2]) * e(*t) - 2.0 * (-0.5 * t).exp() - 0.01 * (7.0 * t).sin())
            .collect();
        let j = T.iter().flat_map(|t| [e(*t), (x[0] + x[2]) * t * e(*t), e(*t)]).collect();
        Evaluation::least_squares(r, j, 3)
    };
    for method in METHODS {
        let problem = Problem::new(["a", "b", "c"].map(Variable::free).to_vec()).unwrap();
        let id = fit(method, &problem, &[0.5, -0.3, 1.0], evaluate).identification(0.95).unwrap();

        // one direction, (1, 0, -1)/√2, is named
        assert_eq!(id.unidentifiable.len(), 1);
        let Some([(p, a), (q, c)]) = id.unidentifiable[0].components.first_chunk() else { panic!("{id:#?}") };
        let mut names = [p.as_str(), q.as_str()];
        names.sort();
        assert_eq!(names, ["a", "c"]);
        near(*a, 0.5_f64.sqrt(), 1e-6);
        near(*c, -(0.5_f64.sqrt()), 1e-6);
        assert_eq!(id.unidentifiable[0].components.len(), 2);

        // its variables have no interval, b has one
        assert!(id.estimates[0].deviation.is_infinite() && id.estimates[2].deviation.is_infinite());
        assert!(id.estimates[1].deviation < 0.1 && id.freedoms == 4);
    }
}

/// Residuals of b - a/20 alone: b is a twentieth of the direction (1, 1/20), too little to be named, and is
/// as unknown as a.
#[test]
fn small_parts_of_unidentifiable_directions_have_no_interval() {
    let evaluate = |x: &[f64]| {
        let r = (0..6).map(|i| (x[1] - 0.05 * x[0]) * T[i] + x[2] - Y[i]).collect();
        Evaluation::least_squares(r, T.iter().flat_map(|t| [-0.05 * t, *t, 1.0]).collect(), 3)
    };
    let problem = Problem::new(["a", "b", "c"].map(Variable::free).to_vec()).unwrap();
    let id = fit(Method::LevenbergMarquardt, &problem, &[0.0; 3], evaluate).identification(0.95).unwrap();
    assert_eq!(id.unidentifiable.len(), 1);
    assert_eq!(id.unidentifiable[0].components.len(), 1);
    let known: Vec<bool> = id.estimates.iter().map(|e| e.deviation.is_finite()).collect();
    assert_eq!(known, [false, false, true]);
}

/// More variables than residuals: the rest is unidentifiable, and there are no intervals.
#[test]
fn fewer_residuals_than_variables() {
    let problem = Problem::new(free(3)).unwrap();
    let evaluate = |x: &[f64]| Evaluation::least_squares(vec![x[0] + x[1] - 1.0], vec![1.0, 1.0, 0.0], 3);
    for method in METHODS {
        let id = fit(method, &problem, &[0.0; 3], evaluate).identification(0.95).unwrap();
        assert_eq!((id.freedoms, id.unidentifiable.len()), (0, 2));
        assert!(id.estimates.iter().all(|e| e.deviation.is_infinite()));
    }
}

/// Published minimisers: Rosenbrock (1, 1), Beale (3, 1/2).
#[test]
fn published_residuals() {
    // r and r_x
    let rosenbrock = |x: &[f64]| {
        Evaluation::least_squares(
            vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]],
            vec![-20.0 * x[0], 10.0, -1.0, 0.0],
            2,
        )
    };
    let beale = |x: &[f64]| {
        let r = |i: i32| [1.5, 2.25, 2.625][i as usize - 1] - x[0] * (1.0 - x[1].powi(i));
        let j = |i: i32| [-(1.0 - x[1].powi(i)), x[0] * i as f64 * x[1].powi(i - 1)];
        Evaluation::least_squares((1..4).map(r).collect(), (1..4).flat_map(j).collect(), 2)
    };

    // both minimisers, from the published starts
    for method in METHODS {
        let at = |o: Box<dyn Optimizer>| o.report().x;
        let x = at(fit(method, &Problem::new(free(2)).unwrap(), &[-1.2, 1.0], rosenbrock));
        near(x[0], 1.0, 1e-6);
        near(x[1], 1.0, 1e-6);
        let x = at(fit(method, &Problem::new(free(2)).unwrap(), &[1.0, 1.0], beale));
        near(x[0], 3.0, 1e-6);
        near(x[1], 0.5, 1e-6);
    }
}

/// With a bound that is active, both agree with L-BFGS-B, and the variable on it counts as known.
#[test]
fn bounds() {
    let problem = Problem::new(between(&[(-5.0, 5.0), (-5.0, 1.7)])).unwrap();
    let mut reference = Method::Lbfgsb.start(&problem, Settings::default(), &[0.0, 0.0]).unwrap();
    let reference = drive(reference.as_mut(), |t| Ok(line(&t.x)));
    for method in METHODS {
        let optimizer = fit(method, &problem, &[0.0, 0.0], line);
        let r = optimizer.report();
        near(r.x[0], reference.x[0], 1e-7);
        assert_eq!(r.x[1], 1.7);
        near(r.active[0].multiplier, reference.active[0].multiplier, 1e-6);
        let id = optimizer.identification(0.95).unwrap();
        assert_eq!((id.freedoms, id.estimates[1].deviation, id.estimates[1].interval), (5, 0.0, [1.7, 1.7]));
        near(id.covariance[0], id.residual_deviation.powi(2) / 6.0, 1e-9);
    }
}

/// The interval of 95 % holds the slope of the line in 95 of 100 records with Gaussian errors: 1000 records,
/// 3σ = 2 %.
#[test]
fn intervals_hold_the_truth() {
    // numbers in (0, 1)
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let problem = Problem::new(free(2)).unwrap();
    let mut held = 0;
    for _ in 0..1000 {
        // Gaussian errors of the record 1 + 2 t
        let error: Vec<f64> = T
            .iter()
            .map(|_| 0.3 * (-2.0 * unit().ln()).sqrt() * (2.0 * std::f64::consts::PI * unit()).cos())
            .collect();
        let evaluate = |x: &[f64]| {
            let r = (0..6).map(|i| x[0] + x[1] * T[i] - (1.0 + 2.0 * T[i] + error[i])).collect();
            Ok(Evaluation::least_squares(r, T.iter().flat_map(|t| [1.0, *t]).collect(), 2))
        };

        // is the slope 2 in its interval?
        let mut optimizer = Method::GaussNewton.start(&problem, Settings::default(), &[0.0, 0.0]).unwrap();
        drive(optimizer.as_mut(), |t| evaluate(&t.x));
        let [lower, upper] = optimizer.identification(0.95).unwrap().estimates[1].interval;
        held += usize::from(lower <= 2.0 && 2.0 <= upper);
    }
    println!("{held} of 1000");
    assert!((930..=970).contains(&held), "{held}");
}

/// a + b t with a = b, or with an a ≤ b that holds: the fit is that of one variable with the column 1 + t,
/// and both variables have its variance s²/Σ(1 + t)². A constraint that does not hold changes nothing.
#[test]
fn constraints_that_hold_are_known() {
    let plain = fit(Method::LevenbergMarquardt, &Problem::new(free(2)).unwrap(), &[0.0, 0.0], line)
        .identification(0.95)
        .unwrap();
    for method in [Method::Sqp, Method::Slsqp] {
        let problem = || Problem::new(free(2)).unwrap();
        let constrained =
            |x: &[f64], sign: f64| line(x).constrained(vec![sign * (x[1] - x[0])], vec![-sign, sign]);
        for problem in [problem().equality("same", 1.0).unwrap(), problem().inequality("less", 1.0).unwrap()]
        {
            let id =
                fit(method, &problem, &[0.0, 0.0], |x| constrained(x, 1.0)).identification(0.95).unwrap();
            let sum: f64 = T.iter().map(|t| (1.0 + t).powi(2)).sum();
            // 1e-6: slsqp comes to the minimiser up to its few digits
            id.covariance.iter().for_each(|c| near(*c, id.residual_deviation.powi(2) / sum, 1e-6));
            assert_eq!((id.freedoms, id.unidentifiable.len()), (5, 0));
        }
        let id =
            fit(method, &problem().inequality("more", 1.0).unwrap(), &[0.0, 0.0], |x| constrained(x, -1.0));
        let id = id.identification(0.95).unwrap();
        (0..4).for_each(|i| near(id.covariance[i], plain.covariance[i], 1e-6));
    }
}

/// Intervals are those of a minimum: none before.
#[test]
fn no_intervals_before_the_end() {
    for method in METHODS {
        let settings = Settings { max_evaluations: 1, ..Settings::default() };
        let mut optimizer = method.start(&Problem::new(free(2)).unwrap(), settings, &[0.0, 0.0]).unwrap();
        let r = drive(optimizer.as_mut(), |t| Ok(line(&t.x)));
        assert_eq!((r.status, optimizer.identification(0.95)), (Status::EvaluationLimit, None));
    }
}

/// Two equalities for two variables: nothing is left to estimate.
#[test]
fn constraints_can_say_everything() {
    let problem = Problem::new(free(2)).unwrap().equality("a", 1.0).unwrap().equality("b", 1.0).unwrap();
    let fixed = |x: &[f64]| line(x).constrained(vec![x[0] - 1.0, x[1] - 2.0], vec![1.0, 0.0, 0.0, 1.0]);
    let id = fit(Method::Sqp, &problem, &[0.0, 0.0], fixed).identification(0.95).unwrap();
    assert_eq!((id.freedoms, id.covariance), (6, vec![0.0; 4]));
}
