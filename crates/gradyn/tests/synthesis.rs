//! Path synthesis of a four-bar from many starts.

use gradyn::file::read_toml;
use gradyn::optimize::{Optimization, Report, Status, optima};
use gradyn::{Method, Prepared, Sensitivity};
use std::ops::ControlFlow;

const EXAMPLE: &str = include_str!("../../../examples/four_bar_synthesis.toml");

/// The study with so many starts.
fn study(count: usize) -> Optimization {
    let mut file = read_toml(EXAMPLE).unwrap();
    file.study.optimize.as_mut().unwrap().starts.as_mut().unwrap().count = count;
    let (nominal, method) = (Prepared::new(&file.mechanism).unwrap(), Method::from_study(&file.study).unwrap());
    Optimization::new(&file, &nominal, method, Sensitivity::DiscreteAdjoint, None).unwrap()
}

/// Runs all starts: how many ended at an optimum, and how many evaluated designs were on the other branch.
fn synthesise(count: usize) -> (Optimization, Report, usize) {
    let study = study(count);
    let report = study.run(&[], &mut |_| ControlFlow::Continue(())).unwrap();
    let file = read_toml(EXAMPLE).unwrap();
    let model = Prepared::new(&file.mechanism).unwrap();
    let mut flipped = 0;
    for record in report.records.iter().filter(|r| r.outcome.is_ok()) {
        let Ok(design) = model.at(&record.trial.x) else { continue };
        let run = design.simulate(&study.method, &mut |_, _| {}).unwrap();
        let branch: Vec<f64> = design.table(&run, None).unwrap().rows.iter().map(|row| row[3]).collect();
        flipped += usize::from(!branch.iter().all(|b| *b < 0.0));
    }
    (study, report, flipped)
}

fn print(study: &Optimization, report: &Report, flipped: usize) {
    for s in Status::ALL {
        let count = report.starts.iter().filter(|r| r.status == *s).count();
        if count > 0 {
            println!("{count} {}", s.name());
        }
    }
    for (k, end) in report.starts.iter().enumerate().filter(|(_, r)| !r.status.converged()) {
        println!("start {k}: {} {:?}", end.status.name(), end.failures.last().map(|f| &f.reason));
    }
    let found = optima(&study.problem, &report.starts);
    println!("{} evaluations, {} failed, {flipped} flipped", report.end.evaluations, report.end.failures.len());
    println!("{} optima: {:?}", found.len(), found.iter().map(|o| (o.value, o.starts.len())).take(20).collect::<Vec<_>>());
    println!("{:?}", report.end.x);
}

#[test]
fn eight_starts() {
    let (study, report, flipped) = synthesise(8);
    print(&study, &report, flipped);
}

#[test]
#[ignore = "the whole study"]
fn a_hundred_starts() {
    let (study, report, flipped) = synthesise(100);
    print(&study, &report, flipped);
}
