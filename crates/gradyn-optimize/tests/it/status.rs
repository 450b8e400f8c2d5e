//! Every way of ending.

use crate::common::{between, free, rosenbrock};
use gradyn_optimize::{Evaluation, Failed, Method, Outcome, Problem, Report, Settings, Status, drive};

const START: [f64; 2] = [-1.2, 1.0];

fn run(
    method: Method,
    problem: &Problem,
    settings: Settings,
    evaluate: impl Fn(&[f64]) -> Outcome,
) -> Report {
    drive(method.start(problem, settings, &START).unwrap().as_mut(), |t| evaluate(&t.x))
}

/// Rosenbrock function with its residuals.
fn residuals(x: &[f64]) -> Evaluation {
    let r = vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
    Evaluation::least_squares(r, vec![-20.0 * x[0], 10.0, -1.0, 0.0], 2)
}

fn plain() -> Problem {
    Problem::new(free(2)).unwrap()
}

fn failed() -> Outcome {
    Err(Failed { reason: "no".into() })
}

/// All methods end alike where the reason is outside of them.
#[test]
fn ends_of_every_method() {
    let default = Settings::default();
    for &method in Method::ALL {
        let end =
            |settings, evaluate: &dyn Fn(&[f64]) -> Outcome| run(method, &plain(), settings, evaluate).status;
        let good = |x: &[f64]| Ok(residuals(x));

        // the optimum and the limits before it
        assert_eq!(end(default, &good), Status::Optimal, "{}", method.name());
        assert_eq!(
            end(Settings { max_iterations: 1, ..default }, &good),
            Status::IterationLimit,
            "{}",
            method.name()
        );
        assert_eq!(
            end(Settings { max_evaluations: 2, ..default }, &good),
            Status::EvaluationLimit,
            "{}",
            method.name()
        );

        // failures at the start and everywhere else
        assert_eq!(end(default, &|_| failed()), Status::StartFailed, "{}", method.name());
        let only_start = |x: &[f64]| if x == START { Ok(residuals(x)) } else { failed() };
        assert_eq!(end(default, &only_start), Status::TooManyFailures, "{}", method.name());
    }
}

/// Two changes in a row below the tolerance.
#[test]
fn value_converged() {
    for &method in Method::ALL {
        let settings = Settings { gradient_tol: 0.0, value_tol: 1e-3, ..Settings::default() };
        let r = run(method, &plain(), settings, |x| Ok(residuals(x)));
        // an exact zero of the gradient comes first
        let expected = if r.optimality == 0.0 { Status::Optimal } else { Status::ValueConverged };
        assert_eq!(r.status, expected, "{}", method.name());
    }
}

/// Evaluations with an error of 1e-6 and gradients with one of 1e-3: the tolerance of the gradient is never
/// reached.
#[test]
fn stagnation_at_the_accuracy_of_the_evaluations() {
    for &method in Method::ALL {
        let settings = Settings { noise: 1e-5, gradient_tol: 1e-9, ..Settings::default() };
        // f + 1e-6 sin, ∇f + 1e-3 sin
        let r = run(method, &plain(), settings, |x| {
            let wave = |k: f64| (k * (x[0] + 2.0 * x[1])).sin();
            let mut e = residuals(x);
            e.value += 1e-6 * wave(1e7);
            e.gradient.iter_mut().for_each(|g| *g += 1e-3 * wave(2e7));
            Ok(e)
        });
        println!(
            "{:20} {:4} evaluations, f = {:.1e}, {}",
            method.name(),
            r.evaluations,
            r.value,
            r.status.name()
        );
        assert_eq!(r.status, Status::Stagnated, "{}", method.name());
        assert!(r.value < 1e-3, "{}: {}", method.name(), r.value);
    }
}

/// A gradient of the wrong sign.
#[test]
fn line_search_failed() {
    for method in [Method::Lbfgsb, Method::Bfgs, Method::Sqp, Method::GaussNewton, Method::LevenbergMarquardt]
    {
        let wrong = |x: &[f64]| Ok(Evaluation::least_squares(x.to_vec(), vec![-1.0, 0.0, 0.0, -1.0], 2));
        assert_eq!(
            run(method, &plain(), Settings::default(), wrong).status,
            Status::LineSearchFailed,
            "{}",
            method.name()
        );
    }
}

/// d = (-10, 9) goes down, but cut off at x ≥ -1e-3 it goes up: a rise of f by 1e-6 is not taken for a
/// decrease.
#[test]
fn projected_step_that_goes_up() {
    let problem = Problem::new(between(&[(-1e-3, 10.0), (-10.0, 10.0)])).unwrap();
    let mut optimizer = Method::GaussNewton.start(&problem, Settings::default(), &[0.0, 0.0]).unwrap();
    let r = drive(optimizer.as_mut(), |t| {
        let up = if t.x == [0.0, 0.0] { 1.0 } else { 1.0 + 1e-6 };
        Ok(Evaluation::least_squares(vec![up, 2.8 * up], vec![1.0, 1.0, 1.0, 0.8], 2))
    });
    assert_eq!((r.status, r.x), (Status::LineSearchFailed, vec![0.0, 0.0]));
}

/// The wrong sign with f of size 1e-6: the promise of the last, very short trial of Levenberg–Marquardt is
/// below rounding.
#[test]
fn line_search_failed_at_a_small_value() {
    for method in [Method::GaussNewton, Method::LevenbergMarquardt] {
        let wrong = |x: &[f64]| {
            let r = x.iter().map(|x| 1e-3 * x).collect();
            Ok(Evaluation::least_squares(r, vec![-1e-3, 0.0, 0.0, -1e-3], 2))
        };
        assert_eq!(
            run(method, &plain(), Settings::default(), wrong).status,
            Status::LineSearchFailed,
            "{}",
            method.name()
        );
    }
}

/// Where every trial failed nothing is known of progress, however small the promised decrease is (f of size
/// 1e-14).
#[test]
fn failures_are_no_stagnation() {
    for method in [Method::GaussNewton, Method::LevenbergMarquardt] {
        let settings = Settings { gradient_tol: 0.0, max_failures: 100, ..Settings::default() };
        let only_start = |x: &[f64]| match x == START {
            true => Ok(Evaluation::least_squares(
                x.iter().map(|x| 1e-7 * x).collect(),
                vec![1e-7, 0.0, 0.0, 1e-7],
                2,
            )),
            false => failed(),
        };
        assert_eq!(
            run(method, &plain(), settings, only_start).status,
            Status::TooManyFailures,
            "{}",
            method.name()
        );
    }
}

/// x² + 1 = 0, and two half planes without a common point.
#[test]
fn infeasible() {
    let objective = |x: &[f64]| rosenbrock(x);
    for method in [Method::Sqp, Method::Slsqp] {
        let circle = plain().equality("circle", 1.0).unwrap();
        let r = run(method, &circle, Settings::default(), |x| {
            Ok(objective(x).constrained(vec![x[0] * x[0] + 1.0], vec![2.0 * x[0], 0.0]))
        });
        println!("{}: {} violation {}", method.name(), r.status.name(), r.violation);
        // the gradient of the equality vanishes there, which slsqp cannot take
        let expected = if method == Method::Sqp { Status::Infeasible } else { Status::NumericalFailure };
        assert!(r.status == expected && r.violation >= 1.0 - 1e-6, "{}: {}", method.name(), r.status);
        let planes = plain().inequality("left", 1.0).unwrap().inequality("right", 1.0).unwrap();
        let r = run(method, &planes, Settings::default(), |x| {
            Ok(objective(x).constrained(vec![x[0], 1.0 - x[0]], vec![1.0, 0.0, -1.0, 0.0]))
        });
        println!("{}: {} violation {}", method.name(), r.status.name(), r.violation);
        assert!(r.status == Status::Infeasible && r.violation >= 0.5 - 1e-6);
    }
}

/// y² - x has no minimum without a bound.
#[test]
fn unbounded() {
    for method in [Method::Lbfgsb, Method::Bfgs, Method::Sqp, Method::Slsqp] {
        let r = run(method, &plain(), Settings::default(), |x| {
            Ok(Evaluation::new(x[1] * x[1] - x[0], vec![-1.0, 2.0 * x[1]]))
        });
        println!("{}: {} {}", method.name(), r.status.name(), r.value);
        assert_eq!(r.status, Status::Unbounded, "{}", method.name());
    }
}

/// Numbers that no subproblem can hold.
#[test]
fn numerical_failure() {
    let problem = Problem::new(between(&[(-2.0, 2.0); 2])).unwrap().inequality("g", 1.0).unwrap();
    let r = run(Method::Sqp, &problem, Settings::default(), |_| {
        Ok(Evaluation::new(1e300, vec![1e300, -1e300]).constrained(vec![1e300], vec![1e300, 1e-300]))
    });
    assert_eq!(r.status, Status::NumericalFailure);
}

/// A run that is asked before its end.
#[test]
fn interrupted() {
    let mut optimizer = Method::Lbfgsb.start(&plain(), Settings::default(), &START).unwrap();
    assert_eq!(optimizer.report().status, Status::Interrupted);
    optimizer.tell(0, Ok(rosenbrock(&START)));
    let r = optimizer.report();
    assert_eq!((r.status, r.x.as_slice(), r.evaluations), (Status::Interrupted, &START[..], 1));
}

/// Each has a name and a sentence of its own.
#[test]
fn every_status_says_what_it_is() {
    for (i, a) in Status::ALL.iter().enumerate() {
        assert!(
            a.about().len() > 20
                && Status::ALL[..i].iter().all(|b| a.name() != b.name() && a.about() != b.about())
        );
        assert_eq!(Status::parse(a.name()), Ok(*a));
    }
}
