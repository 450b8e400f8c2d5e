//! The five-bar of M13, A22 and P14 against independent reference numbers, from its model file.

use gradyn::mechanism::Mechanism;
use gradyn::{Method, Prepared, Projections, Run, Sensitivity};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::reference::{CONTROL, GRADIENT, PSI, TRAJECTORY};

fn mechanism(name: &str) -> Mechanism {
    let text = gradyn::examples::find(name).expect("a bundled example");
    gradyn::file::read_toml(text).expect("the example parses").mechanism
}

fn example(name: &str) -> Prepared {
    Prepared::new(&mechanism(name)).expect("the example builds")
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).expect("the five-bar runs")
}

fn adjoint(model: &Prepared, run: &Run) -> Gradient {
    model.gradient(run, Sensitivity::DiscreteAdjoint).expect("the five-bar has a gradient").rows
}

fn method(formulation: &str, integrator: &str) -> Method {
    Method::new(formulation, integrator).expect("registered")
}

fn largest(row: &[f64]) -> f64 {
    row.iter().fold(0.0, |s, x| s.max(x.abs()))
}

/// Euclidean error of each row, relative to its largest entry.
fn row_errors(g: &Gradient) -> Vec<f64> {
    let norm = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    g.iter().zip(&GRADIENT).map(|(g, r)| norm(g, r) / largest(r)).collect()
}

#[test]
fn index1_with_dopri5_matches_the_reference_to_1e_8() {
    let model = example("five_bar");
    let run = run(&model, &method("index1", "dopri5").tolerance(1e-11, 1e-11));
    let g = adjoint(&model, &run);
    for k in 0..3 {
        assert!((run.psi[k] / PSI[k] - 1.0).abs() < 1e-8, "psi{} = {}", k + 1, run.psi[k]);
        for (entry, reference) in g[k].iter().zip(&GRADIENT[k]) {
            assert!(
                (entry - reference).abs() < 1e-8 * largest(&GRADIENT[k]),
                "row {k}: {entry} against {reference}"
            );
        }
    }
}

/// Eight digits of values and gradients, and an error that follows the tolerance.
#[test]
fn adams_matches_the_reference_to_1e_8() {
    let model = example("five_bar");
    for formulation in ["index1", "maggi", "penalty"] {
        let alpha = 1e12; // the penalty error is then below 1e-10
        let m = Method { alpha, ..method(formulation, "adams").tolerance(1e-11, 1e-11) };
        let run = run(&model, &m);
        for (k, e) in row_errors(&adjoint(&model, &run)).iter().enumerate() {
            assert!((run.psi[k] / PSI[k] - 1.0).abs() < 1e-8, "{formulation}: psi{} = {}", k + 1, run.psi[k]);
            assert!(*e < 1e-8, "{formulation}: row {k}: {e:.1e}");
        }
    }
}

/// Order 4 and more: eight digits of the gradient, with fixed steps that are short enough.
#[test]
fn high_orders_reach_eight_digits() {
    let model = example("five_bar");
    for (integrator, h) in [("dop853", 0.02), ("gauss4", 2e-3), ("radau5", 5e-3), ("sdirk4", 1e-3)] {
        for formulation in ["index1", "maggi"] {
            let run = run(&model, &method(formulation, integrator).step(h));
            let errors = row_errors(&adjoint(&model, &run));
            assert!(largest(&errors) < 1e-8, "{formulation} + {integrator}: {errors:?}");
        }
    }
}

/// The error of the gradient is the tolerance, times 0.05 to 50: steps are doubled and halved, not fitted.
#[test]
fn errors_of_adams_follow_the_tolerance() {
    let model = example("five_bar");
    let error = |tol: f64| {
        let run = run(&model, &method("index1", "adams").tolerance(tol, tol));
        largest(&row_errors(&adjoint(&model, &run)))
    };
    let ratios = [1e-5, 1e-7, 1e-9, 1e-11].map(|tol| error(tol) / tol);
    assert!(ratios.iter().all(|r| (0.05..50.0).contains(r)), "{ratios:?}");
}

/// Radau IIA on positions: ψ₁ reads q, ψ₂ v and ψ₃ a, whose errors fall at least as h³, h³ and h².
#[test]
fn index3_with_radau5_converges() {
    let model = example("five_bar");
    let errors =
        [4e-3, 2e-3].map(|h| row_errors(&adjoint(&model, &run(&model, &method("index3", "radau5").step(h)))));
    for (k, order) in [3.0, 3.0, 2.0].into_iter().enumerate() {
        let slope = (errors[0][k] / errors[1][k]).log2();
        assert!(
            slope >= order - 0.2,
            "row {k}: order {slope:.2}, errors {:.1e} and {:.1e}",
            errors[0][k],
            errors[1][k]
        );
    }
}

/// The error of each row falls by 4 ± 0.2 with each halving and is below 1e-5 at 1 ms.
#[test]
fn index3_with_newmark_converges_at_order_two() {
    let model = example("five_bar");
    let errors: Vec<Vec<f64>> = [4e-3, 2e-3, 1e-3]
        .iter()
        .map(|&h| row_errors(&adjoint(&model, &run(&model, &method("index3", "newmark").step(h)))))
        .collect();
    for k in 0..3 {
        for pair in errors.windows(2) {
            let ratio = pair[0][k] / pair[1][k];
            assert!((ratio - 4.0).abs() <= 0.2, "row {k}: ratio {ratio}");
        }
        assert!(errors[2][k] < 1e-5, "row {k}: {:.1e}", errors[2][k]);
    }
}

/// Penalty differs by O(1/α): a hundred times less at α = 1e8 than at 1e6.
#[test]
fn penalty_error_is_proportional_to_its_compliance() {
    let model = example("five_bar");
    let at = |alpha: f64| {
        let m = Method { alpha, ..method("penalty", "dopri5").tolerance(1e-11, 1e-11) };
        row_errors(&adjoint(&model, &run(&model, &m)))
    };
    for (a, b) in at(1e6).iter().zip(at(1e8)) {
        assert!((a / b / 100.0 - 1.0).abs() < 0.05, "{a:.2e} against {b:.2e}");
    }
}

#[test]
fn control_gradient_at_zero_torque_matches_the_reference_to_1e_8() {
    let model = example("five_bar_control");
    let run = run(&model, &method("index1", "dopri5").tolerance(1e-11, 1e-11));
    let g = adjoint(&model, &run);
    assert_eq!(g[0].len(), CONTROL.len());
    for (k, (entry, reference)) in g[0].iter().zip(CONTROL).enumerate() {
        assert!((entry - reference).abs() < 1e-8 * largest(&CONTROL), "tau {k}: {entry} against {reference}");
    }
}

/// Positions, velocities and accelerations of point 2 at the reference times, by dense output.
#[test]
fn trajectory_matches_the_reference() {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let mut file = gradyn::file::read_toml(text).expect("parses");
    for name in [
        "B12.P2.x",
        "B12.P2.y",
        "vel(B12.P2.x)",
        "vel(B12.P2.y)",
        "acc(B12.P2.x)",
        "acc(B12.P2.y)",
        "A1.angle",
    ] {
        file.mechanism.outputs.push((name.into(), name.into()));
    }
    let model = Prepared::new(&file.mechanism).expect("builds");
    let run = run(&model, &method("index1", "dopri5").tolerance(1e-11, 1e-11));
    let table = model.table(&run, Some(0.5)).expect("tabulated");
    assert_eq!(table.rows.len(), TRAJECTORY.len());
    for (row, reference) in table.rows.iter().zip(&TRAJECTORY) {
        for (x, r) in row.iter().zip(reference) {
            // 1e-6: the continuous extension is of order 4 on steps of about 4 ms, and accelerations follow
            assert!((x - r).abs() < 1e-6 * (1.0 + r.abs()), "t = {}: {x} against {r}", row[0]);
        }
    }
}

/// Newmark ½, ¼ with projections keeps the energy for 50 s.
#[test]
fn energy_stays_within_1e_5_of_the_largest_kinetic_energy() {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let mut file = gradyn::file::read_toml(text).expect("parses");
    for name in ["system.kinetic", "system.energy"] {
        file.mechanism.outputs.push((name.into(), name.into()));
    }
    file.mechanism.objectives.clear();
    file.mechanism.t_end = 50.0.into();
    let model = Prepared::new(&file.mechanism).expect("builds");
    let table = model.table(&run(&model, &method("index3", "newmark").step(1e-3)), None).expect("tabulated");
    let (kinetic, e0) = (table.rows.iter().fold(0.0f64, |s, r| s.max(r[1])), table.rows[0][2]);
    let deviation = |from: f64, to: f64| {
        let window = table.rows.iter().filter(|r| r[0] >= from && r[0] <= to);
        window.fold(0.0f64, |s, r| s.max((r[2] - e0).abs())) / kinetic
    };
    let (early, late) = (deviation(0.0, 5.0), deviation(45.0, 50.0));
    assert!((e0 + 53.955).abs() < 1e-12, "the reference energy is -53.955 J, not {e0}");
    assert!(early < 1e-5, "0–5 s: {early:.1e}");
    assert!(late <= 2e-5, "45–50 s: {late:.1e}");
}

/// Bare index 3 is weakly unstable and says so by name, in runs that are long enough to show it.
#[test]
fn bare_index3_warns_of_the_growing_velocity_violation() {
    for (name, h, t_end, grows) in
        [("five_bar", 4e-3, 5.0, false), ("pendulum", 1e-2, 4.0, false), ("pendulum", 1e-2, 8.0, true)]
    {
        let mut m = mechanism(name);
        m.t_end = t_end.into();
        let model = Prepared::new(&m).expect("builds");
        let off = Method { projection: Some(Projections::Off), ..method("index3", "newmark").step(h) };
        let warnings = run(&model, &off).warnings;
        let warned = warnings
            .iter()
            .any(|w| w.code == gradyn::WarningCode::UnstableIndex3 && w.to_string().contains("|Φ̇|"));
        assert_eq!(warned, grows, "{name}, {t_end} s: {warnings:?}");
        let on = run(&model, &method("index3", "newmark").step(h)).warnings;
        assert!(on.is_empty(), "{on:?}");
    }
}

/// Schemes that damp high frequencies keep index 3 stable without projections, where the trapezoidal rule
/// ends after 46 s.
#[test]
fn dissipative_schemes_need_no_projections() {
    let mut file =
        gradyn::file::read_toml(gradyn::examples::find("five_bar").expect("bundled")).expect("parses");
    file.mechanism.objectives.clear();
    file.mechanism.t_end = 60.0.into();
    let model = Prepared::new(&file.mechanism).expect("builds");
    let off =
        |integrator| Method { projection: Some(Projections::Off), ..method("index3", integrator).step(4e-3) };
    assert!(model.run(&off("newmark")).is_err());
    for integrator in ["hht", "generalized-alpha"] {
        let run = run(&model, &off(integrator));
        assert!(
            run.warnings.is_empty() && run.drift[1] < 1e-4,
            "{integrator}: {:.1e}, {:?}",
            run.drift[1],
            run.warnings
        );
    }
}

/// The mechanism built in Rust and the model file are the same model.
#[test]
fn file_and_builder_agree() {
    let (a, b) = (example("five_bar"), Prepared::new(&gradyn_testkit::models::five_bar()).expect("builds"));
    let m = method("index1", "rk4").step(0.05);
    let (ra, rb) = (run(&a, &m), run(&b, &m));
    assert_eq!(ra.psi, rb.psi);
    assert_eq!(adjoint(&a, &ra), adjoint(&b, &rb));
}
