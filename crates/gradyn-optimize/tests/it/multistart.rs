//! Many starts.

use crate::common::{between, free};
use gradyn_optimize::{
    Ask, Error, Evaluation, Failed, Method, Multistart, Optimizer, Outcome, Problem, Report, Sampling,
    Settings, Starts, Status, Transform, Trial, Variable, drive, optima,
};
use std::f64::consts::PI;

fn latin(count: usize, seed: u64) -> Starts {
    Starts { count, seed, sampling: Sampling::LatinHypercube }
}

/// Rastrigin function: 10 n + Σ x² - 10 cos 2πx, about 11ⁿ minima, the least at 0.
fn rastrigin(x: &[f64]) -> Outcome {
    let value = x.iter().map(|x| 10.0 + x * x - 10.0 * (2.0 * PI * x).cos()).sum();
    Ok(Evaluation::new(value, x.iter().map(|x| 2.0 * x + 20.0 * PI * (2.0 * PI * x).sin()).collect()))
}

/// Six-hump camel function: least value -1.031628453 at ±(0.08984, -0.71266).
fn camel(x: &[f64]) -> Outcome {
    let a = x[0] * x[0];
    let b = x[1] * x[1];
    let value = (4.0 - 2.1 * a + a * a / 3.0) * a + x[0] * x[1] + (4.0 * b - 4.0) * b;
    let gradient =
        vec![8.0 * x[0] - 8.4 * a * x[0] + 2.0 * a * a * x[0] + x[1], x[0] - 8.0 * x[1] + 16.0 * b * x[1]];
    Ok(Evaluation::new(value, gradient))
}

/// The least of many minima, from a start beside another one.
#[test]
fn least_of_many_minima() {
    // Rastrigin: the least minimum is found, and most starts end in others
    let problem = Problem::new(between(&[(-5.12, 4.5); 2])).unwrap();
    let mut many =
        Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[4.0, 4.0], latin(100, 1)).unwrap();
    let r = drive(&mut many, |t| rastrigin(&t.x));
    assert!(r.value < 1e-10 && r.x.iter().all(|x| x.abs() < 1e-6), "{r:#?}");
    let reports = many.starts();
    assert!(reports.iter().all(|r| r.status.converged()));
    let minima = reports.iter().filter(|r| r.value > 0.9).count();
    assert!(minima > 50, "other minima: {minima}");
    assert_eq!(r.evaluations, reports.iter().map(|r| r.evaluations).sum::<usize>());

    // the camel, by every method with bounds
    let problem = Problem::new(between(&[(-3.0, 3.0), (-2.0, 2.0)])).unwrap();
    for method in [Method::Lbfgsb, Method::Sqp, Method::Slsqp] {
        let mut many =
            Multistart::new(method, &problem, Settings::default(), &[2.5, 1.5], latin(20, 7)).unwrap();
        let r = drive(&mut many, |t| camel(&t.x));
        assert!((r.value + 1.031628453489877).abs() < 1e-9, "{}: {}", method.name(), r.value);
    }
}

/// Evaluates what is asked for on some threads, and tells it in the order in which it is finished.
fn parallel(many: &mut Multistart, threads: usize) -> Report {
    while let Ask::Evaluate(trials) = many.ask() {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            for chunk in trials.chunks(trials.len().div_ceil(threads)) {
                let tell = tell.clone();
                scope.spawn(move || {
                    chunk.iter().for_each(|t: &Trial| tell.send((t.start, rastrigin(&t.x))).unwrap())
                });
            }
        });
        drop(tell);
        told.into_iter().for_each(|(start, outcome)| many.tell(start, outcome));
    }
    many.report()
}

/// Runs on 1, 2 and 7 threads and in backward order give equal bits.
#[test]
fn threads_do_not_matter() {
    let problem = Problem::new(between(&[(-5.12, 4.5); 3])).unwrap();
    let new =
        || Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[4.0; 3], latin(30, 5)).unwrap();
    let reports: Vec<Report> = [1, 2, 7].map(|threads| parallel(&mut new(), threads)).to_vec();
    assert!(reports.iter().all(|r| *r == reports[0]));
    let mut backward = new();
    while let Ask::Evaluate(trials) = backward.ask() {
        trials.iter().rev().for_each(|t| backward.tell(t.start, rastrigin(&t.x)));
    }
    assert_eq!(backward.report(), reports[0]);
}

/// Starts that cannot be evaluated are counted, and the others go on.
#[test]
fn starts_that_fail() {
    let problem = Problem::new(between(&[(-5.0, 5.0); 2])).unwrap();
    let mut many =
        Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[4.0, 4.0], latin(20, 2)).unwrap();
    let r = drive(&mut many, |t| {
        if t.x[0] > 0.5 { Err(Failed { reason: "too far".into() }) } else { rastrigin(&t.x) }
    });
    let failed = many.starts().iter().filter(|r| r.status == Status::StartFailed).count();
    assert!((5..15).contains(&failed) && r.status.converged() && r.failures.len() >= failed, "{failed}");
}

/// Starts are between the bounds, by factors for log; variables without bounds are refused by name.
#[test]
fn starts() {
    let log = Variable::between("k", 1e-3, 1e3).transform(Transform::Log);
    let problem = Problem::new(vec![log]).unwrap();
    let many = Multistart::new(Method::Bfgs, &problem, Settings::default(), &[1.0], latin(101, 1));
    assert!(matches!(many, Err(Error::Method { method: "bfgs", .. })));
    let many = Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[1.0], latin(101, 1)).unwrap();
    let Ask::Evaluate(trials) = many.ask() else { panic!("nothing asked") };
    let below = trials[1..].iter().filter(|t| t.x[0] < 1.0).count();
    assert_eq!((trials.len(), below), (101, 50));
    assert!(trials.iter().all(|t| (1e-3..=1e3).contains(&t.x[0])));

    let problem = Problem::new(free(1)).unwrap();
    let many = Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[1.0], latin(2, 1));
    assert!(matches!(many, Err(Error::Variable { name, .. }) if name == "x1"));
}

/// Sobol starts find the two least minima of the camel function; starts that end at the same design are one
/// optimum.
#[test]
fn distinct_optima() {
    let problem = Problem::new(between(&[(-3.0, 3.0), (-2.0, 2.0)])).unwrap();
    let starts = Starts { count: 40, seed: 4, sampling: Sampling::Sobol };
    let mut many =
        Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[2.5, 1.5], starts).unwrap();
    drive(&mut many, |t| camel(&t.x));
    let found = optima(&problem, &many.starts());
    assert_eq!(found.iter().map(|o| o.starts.len()).sum::<usize>(), 40);
    assert!(found.windows(2).all(|o| o[0].value <= o[1].value));
    // of its six minima, pairs of opposite sign, the basins of the highest two are small
    assert!((4..=6).contains(&found.len()), "{found:#?}");
    assert!((found[1].value - found[0].value).abs() < 1e-9 && found[2].value - found[0].value > 0.1);
    assert!(found[0].x.iter().zip(&found[1].x).all(|(a, b)| (a + b).abs() < 1e-6));

    let problem = Problem::new(between(&[(0.0, 1.0); 33])).unwrap();
    let many = Multistart::new(Method::Lbfgsb, &problem, Settings::default(), &[0.5; 33], starts);
    assert!(matches!(many, Err(Error::Dimensions { n: 33, most: 32 })));
}
