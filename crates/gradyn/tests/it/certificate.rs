//! Certificates of fits, verdicts of runs whose perturbations grow, and lines that reasons are about.

use crate::kit::faults::{Slip, wrap};
use gradyn::certificate::{Outcome, Reason, SQUARES};
use gradyn::file::{Measured, ModelFile, read_toml};
use gradyn::optimize::Optimization;
use gradyn::{Certificate, Method, Prepared, Sensitivity, Study, Verdict};
use std::ops::ControlFlow;

const FIT: &str = include_str!("../../models/five_bar_identification.toml");

fn study(file: &ModelFile) -> Optimization {
    let model = Prepared::new(&file.mechanism).expect("builds");
    let method = Method::from_study(&file.study).expect("a method");
    Optimization::new(file, &model, method, Sensitivity::DiscreteAdjoint, None).expect("a study")
}

/// The certificate of a fit at its end.
fn fitted(text: &str) -> Certificate {
    let study = study(&read_toml(text).expect("reads"));
    let report = study.run(&[], &mut |_| ControlFlow::Continue(())).expect("runs");
    assert!(report.end.status.converged(), "{}", report.end.status);
    certified(&study, &report.end.x)
}

/// The certificate of a fit at a design.
fn certified(study: &Optimization, x: &[f64]) -> Certificate {
    let mut last = study.last(x, true).expect("runs again");
    let c = last.remove(0).certificate.expect("a certificate");
    println!(
        "{} {:?}\n{:?} {:?}\n{:?} {:?}",
        c.verdict.name(),
        c.reasons,
        c.program,
        c.products,
        c.moved,
        c.errors
    );
    c
}

/// The gradient of a fit vanishes at its end, and is trusted: its residuals move as their derivatives say.
#[test]
fn the_five_bar_fit_is_trusted() {
    let c = fitted(FIT);
    assert_eq!(
        (c.verdict, &c.objectives[..]),
        (Verdict::Trusted, &[SQUARES.to_owned()][..]),
        "{:?}",
        c.reasons
    );
    // one direction through the program, one sweep backward: roundings of 1000 steps
    assert!(c.program.as_ref().is_some_and(|p| p.distance() < 1e-9));
    assert!(c.products.as_ref().is_some_and(|p| p.records == 41 && p.distance < 1e-9));
    let [moved] = &c.moved[..] else { panic!("{:?}", c.moved) };
    assert!(moved.outcome == Outcome::Agrees && moved.change >= 1e-3, "{moved:?}");
    let errors = c.errors.as_ref().expect("errors");
    assert!(errors.values[0] > 0.0 && errors.gradient[0].iter().all(|e| *e > 0.0));
}

/// A record without errors leaves nothing of ψ and of its gradient: that is no alarm.
#[test]
fn a_perfect_fit_is_trusted() {
    let mut file = read_toml(FIT).expect("reads");
    let x = [1.0, 1.5, 1.5, 1.0, 2.236, 2.0616];
    let nominal =
        Prepared::new(&file.mechanism).expect("builds").at(&[&x[..], &[100.0]].concat()).expect("there");
    let run = nominal.run(&Method::from_study(&file.study).expect("a method")).expect("runs");
    let mut rows = nominal.table(&run, Some(0.05)).expect("a table").rows;
    // one time was measured twice
    rows.insert(7, rows[7].clone());
    file.study.optimize.as_mut().and_then(|o| o.fit.as_mut()).expect("a fit").record = Measured::Rows(rows);
    let study = study(&file);
    assert!(study.evaluate(&x).expect("runs").value < 1e-12);
    let c = certified(&study, &x);
    assert_eq!(c.verdict, Verdict::Trusted, "{:?}", c.reasons);
}

/// Steps that do not resolve the motion leave the estimates open: the fit is coarse, and the reason is about
/// the lines of the record.
#[test]
fn a_fit_with_long_steps_is_coarse() {
    let text = FIT.replace("step = \"2 ms\"", "step = \"50 ms\"");
    let c = fitted(&text);
    assert_eq!(c.verdict, Verdict::Coarse, "{:?}", c.reasons);
    let study = Study::from_text("fit.toml", &text).expect("reads");
    let line = 1 + text.lines().position(|l| l.starts_with("rows")).expect("a record");
    let places = study.places(&c.reasons[0]);
    assert_eq!(places.first().map(|p| (p.file.as_str(), p.line)), Some(("fit.toml", line)), "{places:?}");
}

/// Runs of other models and gradients of other runs are errors.
#[test]
fn certificates_refuse_what_is_not_theirs() {
    let [own, other] = ["pendulum", "five_bar"].map(|name| {
        let text = gradyn::examples::find(name).expect("bundled");
        let mut study = Study::from_text("model.toml", text).expect("reads");
        study.end_at("0.1");
        study.nominal().and_then(|m| m.run()).expect("runs")
    });
    let [gradient, foreign] = [&own, &other].map(|run| run.gradient_report().expect("a gradient"));
    let model = &own.model.prepared;
    assert!(model.certify(&other.run, &foreign).is_err());
    assert!(model.check_program(&other.run, &gradient.rows).is_err());
    let none = gradyn::GradientReport { rows: vec![], ..gradient };
    let e = model.certify(&own.run, &none).expect_err("no rows").to_string();
    assert!(e.contains("a gradient of 0 objectives, not of"), "{e}");
}

/// A mistake in the derivatives of a fit is seen, forward and backward.
#[test]
fn mistakes_in_fits_are_caught() {
    for slip in [Slip::GeometricStiffness, Slip::InitialAcceleration] {
        let mut study = study(&read_toml(FIT).expect("reads"));
        study.method = match slip {
            Slip::GeometricStiffness => study.method.with_wrong_tangent(),
            _ => study.method.with_records(wrap(slip)),
        };
        let x = study.start().to_vec();
        assert_eq!(certified(&study, &x).verdict, Verdict::Unresolved);
    }
}

/// A double pendulum whose perturbations grow to 10⁴, with an objective that jumps at the nominal length.
fn growing(end: &str) -> String {
    let text = gradyn::examples::find("double_pendulum").expect("bundled");
    let text = text.replace("\"-30 deg\"", "\"90 deg\"").replace("\"-10 deg\"", "\"85 deg\"");
    let jumps = "[objective]\njump = { terminal = \"sign(L1 - 1 + 1e-9) + lower.C.y\" }";
    text.replace("t_end  = 1\n", &format!("t_end  = {end}\n")).replace("[objective]", jumps).replace(
        "{ formulation = \"index3\", integrator = \"newmark\", step = \"1 ms\" }",
        "{ formulation = \"index1\", integrator = \"dop853\", rtol = 1e-11 }",
    )
}

/// Growth is no reason for a jump: where the least change of a design stays small to the end, what does not
/// settle is `not-smooth`, and what holds over a small range is `chaotic`.
#[test]
fn growth_hides_no_jump() {
    let study = Study::from_text("growing.toml", &growing("8")).expect("reads");
    let run = study.nominal().and_then(|m| m.run()).expect("runs");
    let gradient = run.gradient_report().expect("a gradient");
    let c = run.model.prepared.certify(&run.run, &gradient).expect("a certificate");
    println!("{:?} {:?} {:?}", c.program.as_ref().map(|p| p.growth), c.moved, c.reasons);
    assert!(c.program.as_ref().is_some_and(|p| p.growth.is_beyond()));
    let verdict_of = |name: &str| {
        let about = |r: &&Reason| r.subjects.first().is_some_and(|s| s.name == name);
        c.reasons.iter().find(about).map(|r| r.verdict)
    };
    assert_eq!(verdict_of("jump"), Some(Verdict::NotSmooth));
    assert_eq!(verdict_of("height"), Some(Verdict::Chaotic));
    // the line of the objective, and that of the law that jumps
    let jump = c.reasons.iter().find(|r| r.verdict == Verdict::NotSmooth).expect("found");
    let line = 1 + study.text().lines().position(|l| l.starts_with("jump")).expect("there");
    let lines: Vec<usize> = study.places(jump).iter().map(|p| p.line).collect();
    assert_eq!(lines, [line]);
}
