//! Optimal control and co-design: the examples whose studies vary controls, final times and designs together.

use gradyn::file::read_toml;
use gradyn::optimize::{Optimization, Report, Status};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use std::ops::ControlFlow;

/// The study of an example, run to its end.
fn optimised(name: &str) -> (Optimization, Report) {
    let file = read_toml(gradyn::examples::find(name).unwrap()).unwrap();
    let method = Method::from_study(&file.study).unwrap();
    let family = file
        .study
        .coordinates
        .as_ref()
        .map_or(Coordinates::Natural, |c| Coordinates::from_name(&c.text).unwrap());
    let nominal = Prepared::new_in(&file.mechanism, family).unwrap();
    let study = Optimization::new(&file, &nominal, method, Sensitivity::DiscreteAdjoint, None).unwrap();
    let report = study.run(&[], &mut |_| ControlFlow::Continue(())).unwrap();
    let end = &report.end;
    println!(
        "{name}: {} evaluations, {} iterations, {:?}, violation {:e}",
        end.evaluations, end.iterations, end.value, end.violation
    );
    assert_eq!(end.status, Status::Optimal, "{name}");
    assert!(end.violation < 1e-7 && end.failures.is_empty(), "{name}: {:e}", end.violation);
    (study, report)
}

/// The columns of the example's table at a design.
fn table(study: &Optimization, x: &[f64]) -> Vec<Vec<f64>> {
    let model = study.scenarios[0].prepared.at_on_branch(x).unwrap();
    let run = model.run(&study.method).unwrap();
    model.table(&run, None).unwrap().rows
}

/// The tip is at the target, at rest, a third sooner than at the start; the turn, which takes longest, is at
/// the limits of its motor but where it changes sign; the arm is drawn in on the way.
#[test]
fn the_manipulator_is_fast() {
    let (study, report) = optimised("manipulator_minimum_time");
    let x = &report.end.x;
    assert!(
        report.end.evaluations <= 150 && (x[0] - 1.263030461).abs() < 1e-6,
        "{} {}",
        report.end.evaluations,
        x[0]
    );
    let turn: Vec<f64> = x[1..8].iter().map(|v| v / 400.0).collect();
    assert!(turn[..3].iter().all(|v| *v == 1.0) && turn[4..].iter().all(|v| *v == -1.0), "{turn:?}");
    let rows = table(&study, x);
    let (last, drawn) = (rows.last().unwrap(), rows.iter().map(|r| r[2]).fold(0.0, f64::min));
    let (angle, out, up) = (last[1], last[2] + 0.6, last[3]);
    // 1e-7: the tolerance of the constraints times their scale
    for (value, target) in [(-out * angle.sin(), -0.85), (out * angle.cos(), 0.5), (up, 0.2)] {
        assert!((value - target).abs() < 1e-7, "{value} {target}");
    }
    assert!(drawn < -0.03, "{drawn}");
}

/// One turn ends as it began; the frame is shaken less than a tenth of the start; motor and bearing are at
/// their limits.
#[test]
fn the_slider_crank_runs_evenly() {
    let (study, report) = optimised("slider_crank_codesign");
    assert!(report.end.evaluations <= 200, "{}", report.end.evaluations);
    assert!(report.end.value < 0.1 * report.initial().unwrap().value, "{}", report.end.value);
    let rows = table(&study, &report.end.x);
    let (first, last) = (&rows[0], rows.last().unwrap());
    assert!((last[1] - first[1] - 2.0 * std::f64::consts::PI).abs() < 1e-7, "{}", last[1]);
    assert!((last[2] - first[2]).abs() < 1e-7, "{} {}", first[2], last[2]);
    let names: Vec<&str> = report.end.active.iter().map(|b| b.name.as_str()).collect();
    assert!(names.iter().all(|n| n.starts_with("tau")) && !names.is_empty(), "{names:?}");
    // the smooth maximum is at its limit, the maximum below it
    let limit = report.end.multipliers.iter().find(|m| m.name == "bearing").unwrap();
    let largest = rows.iter().map(|r| r[5]).fold(0.0, f64::max);
    assert!(limit.value > 0.0 && (17.0..18.0).contains(&largest), "{} {largest}", limit.value);
}
