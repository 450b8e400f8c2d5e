//! Failed trials shorten steps.

use crate::common::{fragile, free};
use gradyn_optimize::{Evaluation, Failed, Method, Problem, Report, Settings, Status, drive};

/// Prints the end of a run.
fn print(method: Method, r: &Report) {
    let name = method.name();
    let failed = r.failures.len();
    println!("{name:20} {:3} evaluations, {failed} failed, x = {:?}, {}", r.evaluations, r.x, r.status);
}

/// Every method passes trials that fail, counts them and says why.
#[test]
fn failed_trials_do_not_end_a_run() {
    for &method in Method::ALL {
        let problem = fragile::problem(method);
        let mut optimizer = method.start(&problem, Settings::default(), &fragile::START).unwrap();
        let r = drive(optimizer.as_mut(), |t| fragile::evaluate(&problem, &t.x));
        print(method, &r);

        // the minimiser, beside named failures
        assert!(r.status.converged(), "{}: {}", method.name(), r.status);
        assert!(
            r.x.iter().zip(fragile::MINIMISER).all(|(x, c)| (x - c).abs() < 1e-6),
            "{}: {:?}",
            method.name(),
            r.x
        );
        assert!(!r.failures.is_empty() && r.failures.iter().all(|f| f.reason.ends_with("is not positive")));
    }
}

/// A value that is not a number is a failed trial.
#[test]
fn numbers_that_are_not_finite_are_failed_trials() {
    let problem = Problem::new(free(1)).unwrap();
    let mut optimizer = Method::Bfgs.start(&problem, Settings::default(), &[20.0]).unwrap();
    // x - ln x, which is not a number for x < 0
    let r =
        drive(optimizer.as_mut(), |t| Ok(Evaluation::new(t.x[0] - t.x[0].ln(), vec![1.0 - 1.0 / t.x[0]])));
    assert_eq!(r.status, Status::Optimal);
    assert!((r.x[0] - 1.0).abs() < 1e-7);
    assert_eq!(r.failures[0].reason, "the value is not finite");
}

/// A minimum behind a wall: the run ends beside the wall, by failures or because steps across it are the only
/// descent.
#[test]
fn minimum_behind_a_wall() {
    for method in [Method::Lbfgsb, Method::Sqp, Method::Slsqp, Method::Bfgs] {
        let problem = Problem::new(free(2)).unwrap();
        let mut optimizer = method.start(&problem, Settings::default(), &[3.0, 3.0]).unwrap();
        let r = drive(optimizer.as_mut(), |t| match t.x[0] {
            x if x < 1.0 => Err(Failed { reason: "wall".into() }),
            x => Ok(Evaluation::new(x * x + t.x[1] * t.x[1], vec![2.0 * x, 2.0 * t.x[1]])),
        });
        print(method, &r);
        assert_eq!(r.status, Status::TooManyFailures, "{}", method.name());
        assert!(r.x[0] >= 1.0);
    }
}

/// One trial in five fails, by its digits: every method still comes to the minimum.
#[test]
fn scattered_failures() {
    for &method in Method::ALL {
        let problem = Problem::new(free(2)).unwrap();
        let mut optimizer = method.start(&problem, Settings::default(), &[-1.2, 1.0]).unwrap();
        let r = drive(optimizer.as_mut(), |t| {
            let digits = t.x[0].to_bits().wrapping_mul(0x9e3779b97f4a7c15) >> 32;
            if digits % 5 == 0 && t.x[0] != -1.2 {
                return Err(Failed { reason: "bad luck".into() });
            }
            let r = vec![10.0 * (t.x[1] - t.x[0] * t.x[0]), 1.0 - t.x[0]];
            Ok(Evaluation::least_squares(r, vec![-20.0 * t.x[0], 10.0, -1.0, 0.0], 2))
        });
        print(method, &r);
        assert!(r.status.converged() && r.value < 1e-12, "{}: {} {}", method.name(), r.status, r.value);
        assert!(!r.failures.is_empty());
    }
}

/// Numbers of the user that are finite, but not in the units of the optimiser.
#[test]
fn scales_that_overflow_are_failed_trials() {
    let problem = Problem::new(free(1)).unwrap().value_scale(1e-200).unwrap();
    for &method in Method::ALL {
        let mut optimizer = method.start(&problem, Settings::default(), &[1e60]).unwrap();
        let r = drive(optimizer.as_mut(), |t| Ok(Evaluation::least_squares(vec![t.x[0]], vec![1.0], 1)));
        assert_eq!(r.status, Status::StartFailed, "{}", method.name());
        assert_eq!(r.failures[0].reason, "the scales make numbers that are not finite");
    }
}
