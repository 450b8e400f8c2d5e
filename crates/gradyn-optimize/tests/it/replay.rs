//! A run is saved by its evaluations: any prefix told to a new optimiser, and the run goes on with the same
//! bits.

use crate::common::{Case, between, fragile, hs};
use gradyn_optimize::{
    Ask, Error, Method, Multistart, Optimizer, Outcome, Problem, Record, Report, Sampling, Settings, Starts,
    Trial, replay,
};

/// Runs to the end and records.
fn record(optimizer: &mut dyn Optimizer, evaluate: &dyn Fn(&Trial) -> Outcome) -> (Vec<Record>, Report) {
    let mut records = vec![];
    while let Ask::Evaluate(trials) = optimizer.ask() {
        let trial = trials[0].clone();
        let outcome = evaluate(&trial);
        optimizer.tell(trial.start, outcome.clone());
        records.push(Record { trial, outcome });
    }
    (records, optimizer.report())
}

/// Every prefix, then on to the end.
fn check(new: &dyn Fn() -> Box<dyn Optimizer>, evaluate: &dyn Fn(&Trial) -> Outcome) {
    let (records, report) = record(new().as_mut(), evaluate);
    for cut in 0..=records.len() {
        let mut optimizer = new();
        replay(optimizer.as_mut(), &records[..cut]).unwrap();
        let (rest, again) = record(optimizer.as_mut(), evaluate);
        assert_eq!(rest, records[cut..]);
        assert_eq!(again, report);
    }
}

/// All methods on problems with bounds, constraints and failed trials.
#[test]
fn any_prefix() {
    for &method in Method::ALL {
        let problem = fragile::problem(method);
        check(&|| method.start(&problem, Settings::default(), &fragile::START).unwrap(), &|t| {
            fragile::evaluate(&problem, &t.x)
        });
    }
    for case in hs::all() {
        for method in [Method::Lbfgsb, Method::Sqp, Method::Slsqp] {
            let new = || method.start(&case.problem, Settings::default(), &case.start);
            if new().is_ok() {
                check(&|| new().unwrap(), &|t| Ok(case.evaluate(&t.x)));
            }
        }
    }
}

/// Any prefix of the records of many starts leads to the same end.
#[test]
fn any_prefix_of_many_starts() {
    let case: Case = hs::bounded().remove(4);
    let starts = Starts { count: 5, seed: 3, sampling: Sampling::LatinHypercube };
    let new =
        || Multistart::new(Method::Lbfgsb, &case.problem, Settings::default(), &case.start, starts).unwrap();
    check(&|| Box::new(new()), &|t| Ok(case.evaluate(&t.x)));
}

/// Records of another problem are refused, with their place.
#[test]
fn records_of_another_problem() {
    let case: Case = hs::bounded().remove(4);
    let settings = Settings::default();
    let (records, _) =
        record(Method::Lbfgsb.start(&case.problem, settings, &case.start).unwrap().as_mut(), &|t| {
            Ok(case.evaluate(&t.x))
        });
    let other = Problem::new(between(&[(-1.5, 4.0), (-3.0, 3.0)])).unwrap().value_scale(0.1).unwrap();
    let mut optimizer = Method::Lbfgsb.start(&other, settings, &case.start).unwrap();
    assert!(matches!(replay(optimizer.as_mut(), &records), Err(Error::Record { index: 1.. })));
    let mut optimizer = Method::Lbfgsb.start(&case.problem, settings, &[0.5, 0.5]).unwrap();
    assert_eq!(replay(optimizer.as_mut(), &records), Err(Error::Record { index: 0 }));
}
