//! Fits to records: the example of the five-bar, exact Jacobians, refusals.

use gradyn::file::{Measured, ModelFile, read_toml};
use gradyn::optimize::{Optimization, Optimizer, Report, Status, history};
use gradyn::{Error, Method, Prepared, Sensitivity};
use std::ops::ControlFlow;

const EXAMPLE: &str = include_str!("../../../examples/five_bar_identification.toml");
const TRUE: [f64; 6] = [1.0, 1.5, 1.5, 1.0, 2.236_067_977_499_79, 2.061_552_812_808_83];

fn study(file: &ModelFile, optimizer: Option<Optimizer>) -> Result<Optimization, Error> {
    let method = Method::from_study(&file.study)?;
    Optimization::new(file, &Prepared::new(&file.mechanism)?, method, Sensitivity::DiscreteAdjoint, optimizer)
}

fn run(study: &Optimization) -> Report {
    study.run(&[], &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Normally distributed numbers from a seed: splitmix64 and the method of Box and Muller.
fn normal(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    let mut unit = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((x ^ (x >> 31)) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    };
    move || (-2.0 * unit().ln()).sqrt() * (2.0 * std::f64::consts::PI * unit()).cos()
}

/// The record of the example: the motion with the true values every 50 ms, and errors of 2 mm and 2 mrad.
fn simulated(file: &ModelFile) -> Vec<Vec<f64>> {
    let model = Prepared::new(&file.mechanism).unwrap().at(&[&TRUE[..], &[100.0]].concat()).unwrap();
    let run = model.simulate(&Method::from_study(&file.study).unwrap(), &mut |_, _| {}).unwrap();
    let mut error = normal(1);
    let noisy = |row: &Vec<f64>| std::iter::once(row[0]).chain(row[1..].iter().map(|y| y + 2e-3 * error())).collect();
    model.table(&run, Some(0.05)).unwrap().rows.iter().map(noisy).collect()
}

/// The rows in the file are what `simulated` makes; printed, they are the lines of the file.
#[test]
fn the_record_of_the_example_is_reproduced() {
    let file = read_toml(EXAMPLE).unwrap();
    let new = simulated(&file);
    for r in &new {
        println!("    [{:.2}, {:.4}, {:.4}, {:.4}],", r[0], r[1], r[2], r[3]);
    }
    let Measured::Rows(rows) = &file.study.optimize.unwrap().fit.unwrap().record else { panic!("no rows") };
    assert_eq!(rows.len(), new.len());
    for (a, b) in rows.iter().flatten().zip(new.iter().flatten()) {
        assert!((a - b).abs() < 6e-5, "{a} {b}"); // four decimals
    }
}
