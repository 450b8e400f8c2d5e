//! Smooth maxima: values, bounds, gradients by every method, refusals.

use crate::kit::agree::{agree, run, scales, tolerance};
use gradyn::file::read_toml;
use gradyn::registry::combinations;
use gradyn::{Error, ErrorKind, Method, Prepared, Run, Sensitivity};
use gradyn_testkit::compare::distance;

const OSCILLATOR: &str = include_str!("../../models/oscillator.toml");

/// y = (z0/w) sin(w t), w = √(c/m), over a period.
fn oscillator(objective: &str) -> String {
    OSCILLATOR
        .replace("psi = { terminal = \"mass.P.x\" }", objective)
        .replace("t_end  = \"pi/2\"", "t_end = \"2*pi\"")
}

fn prepared(text: &str) -> Prepared {
    let file = read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

fn fine(model: &Prepared) -> Run {
    run(model, &Method::new("maggi", "dop853").unwrap().tolerance(1e-13, 1e-13))
}

const PEAK: &str = "peak = { maximum = \"mass.P.x\", sharpness = 10, duration = \"100 ms\" }";

/// ∫ e^{κ z0 sin t} dt = 2π I₀(κ z0): value and derivative at κ z0 = 5 by modified Bessel functions.
#[test]
fn the_maximum_of_a_sine_is_known() {
    let (i0, i1) = (27.239871823604442, 24.33564214245053);
    let model = prepared(&oscillator(PEAK));
    let run = fine(&model);
    let exact = (2.0 * std::f64::consts::PI * i0 / 0.1f64).ln() / 10.0;
    // 1e-11: the tolerance of the run over a period
    assert!((run.psi[0] - exact).abs() < 1e-11, "{} {exact}", run.psi[0]);
    let z0 = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap().rows[0][1];
    assert!((z0 - i1 / i0).abs() < 1e-10, "{z0} {}", i1 / i0);
}

/// y_τ ≤ ψ ≤ max y + ln(T/τ)/κ for any κ and τ, also over a trapezoidal rule; max y = 0.5, and y_τ = 0.5
/// cos(τ/2) of this peak.
#[test]
fn the_smooth_maximum_is_between_its_bounds() {
    let mut seen = vec![];
    for (sharpness, duration) in [
        (5.0, 0.5),
        (50.0, 0.1),
        (50.0, 0.01),
        (500.0, 0.1),
        (5000.0, 0.1),
        (50.0, 2.0 * std::f64::consts::PI),
    ] {
        let near = if sharpness > 1000.0 { 0.5 } else { 0.0 };
        let peak = format!(
            "peak = {{ maximum = \"mass.P.x\", sharpness = {sharpness}, duration = {duration}, near = \
             {near} }}"
        );
        let model = prepared(&oscillator(&peak));
        for method in ["index3", "index1"].map(|f| Method::new(f, "newmark").unwrap().step(1e-3)) {
            let run = run(&model, &method);
            let largest = model.largest(&run)[0].unwrap();
            let (low, high) = (0.5 * (0.5 * duration).cos(), largest.value + largest.excess);
            // 1e-6: newmark at 1 ms
            assert!(
                (largest.value - 0.5).abs() < 1e-6 && (largest.t - 0.5 * std::f64::consts::PI).abs() < 1e-2,
                "{largest:?}"
            );
            assert!(
                (low - 1e-6..=high).contains(&run.psi[0]),
                "κ = {sharpness}, τ = {duration}: {low} {} {high}",
                run.psi[0]
            );
            seen.push(run.psi[0] - largest.value);
        }
    }
    // from above, and from below where τ is the whole run
    assert!(seen[0] > 0.0 && *seen.last().unwrap() < 0.0, "{seen:?}");
}

/// Every exact method, for every formulation and integrator; the continuous ones to their accuracy;
/// differences of runs that know nothing.
#[test]
fn gradients_agree() {
    let model = prepared(&oscillator(PEAK));
    for (formulation, integrator) in combinations() {
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let run = run(&model, &Method { formulation, integrator, ..Method::default() }.step(2e-2));
        agree(&what, &model, &run, tolerance(formulation, integrator));
    }
    let run = fine(&model);
    let exact = model.gradient(&run, Sensitivity::DiscreteDirect).unwrap().rows;
    for &s in Sensitivity::ALL.iter().filter(|s| s.fits(run.method.formulation)) {
        let d = distance(&model.gradient(&run, s).unwrap().rows, &exact, &scales(&model));
        // differences of the frozen plan at 1e-6 have nine digits, everything else the tolerance of the run
        assert!(d < 1e-8, "{}: {d:.1e}", s.name());
    }
    let psi = |k: usize, δ: f64| {
        let mut rho = model.rho().to_vec();
        rho[k] += δ;
        fine(&model.at(&rho).unwrap()).psi[0]
    };
    for (k, exact) in exact[0].iter().enumerate() {
        let difference = (psi(k, 1e-4) - psi(k, -1e-4)) / 2e-4;
        // 1e-6: δ² of the difference, with room
        assert!((difference - exact).abs() < 1e-6, "parameter {k}: {difference} {exact}");
    }
    assert!(model.check_program(&run, &exact).unwrap().distance() < 1e-10);
    let (rows, parts) = model.contributions(&run).unwrap();
    for (k, x) in rows[0].iter().enumerate() {
        let sum: f64 = parts.records.iter().map(|r| r[0][k]).sum();
        assert!((sum - x).abs() < 1e-12 && (x - exact[0][k]).abs() < 1e-10, "parameter {k}: {sum} {x}");
    }
}

/// A final time that a condition gives: total derivatives, against differences of runs.
#[test]
fn gradients_with_a_free_final_time() {
    let text = oscillator(PEAK).replace("t_end = \"2*pi\"", "until = \"vel(mass.P.x) + 0.2\"\nt_max = 10");
    let model = prepared(&text);
    let run = fine(&model);
    let rows = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap().rows;
    assert!(model.check_program(&run, &rows).unwrap().distance() < 1e-9);
    for (k, exact) in rows[0].iter().enumerate() {
        let psi = |δ: f64| {
            let mut rho = model.rho()[..3].to_vec();
            rho[k] += δ;
            fine(&model.at(&rho).unwrap()).psi[0]
        };
        let difference = (psi(1e-4) - psi(-1e-4)) / 2e-4;
        assert!((difference - exact).abs() < 1e-6, "parameter {k}: {difference} {exact}");
    }
}

/// Large exponents need `near`, which changes nothing else.
#[test]
fn near_keeps_numbers_in_range() {
    let peak = |near: &str| {
        oscillator(&format!(
            "peak = {{ maximum = \"1000 + mass.P.x\", sharpness = 10, duration = 0.1{near} }}"
        ))
    };
    let model = prepared(&peak(""));
    let e = model.run(&Method::new("maggi", "rk4").unwrap().step(1e-2)).map(|_| ()).unwrap_err();
    assert!(
        matches!(e.kind, ErrorKind::Model)
            && e.message.contains("leaves the range of numbers")
            && e.help.iter().any(|h| h.contains("near")),
        "{e}"
    );
    let value = |text: &str| fine(&prepared(text)).psi[0];
    let (a, b) = (value(&peak(", near = 1000")), value(&peak(", near = 990")));
    // 1e-10: roundings of 1000, and the tolerance of the run
    assert!((a - b).abs() < 1e-10 && (a - 1000.0 - value(&oscillator(PEAK))).abs() < 1e-10, "{a} {b}");
}

#[test]
fn wrong_maxima_are_refused_with_their_place() {
    let cases = [
        ("peak = { maximum = \"mass.P.x\" }", "`maximum` needs `sharpness` and `duration`", "peak"),
        ("peak = { integral = \"mass.P.x\", near = 1 }", "belong to `maximum`", "peak"),
        (
            "peak = { maximum = \"mass.P.x\", sharpness = 1, duration = 1, terminal = 1 }",
            "`maximum` stands alone",
            "peak",
        ),
        (
            "peak = { maximum = \"mass.P.x\", sharpness = -1, duration = 1 }",
            "a positive number is expected here",
            "-1",
        ),
        ("peak = { maximum = \"mass.Q.x\", sharpness = 1, duration = 1 }", "`mass` has no `Q`", "mass.Q"),
    ];
    for (objective, message, marked) in cases {
        let text = oscillator(objective);
        let e = read_toml(&text)
            .map_err(Error::from)
            .and_then(|f| Prepared::new(&f.mechanism))
            .map(|_| ())
            .unwrap_err();
        assert!(matches!(e.kind, ErrorKind::Model), "{e}");
        assert!(e.message.contains(message), "{}", e.message);
        assert!(text[e.bytes().unwrap()].starts_with(marked), "{}: {}", e.message, &text[e.bytes().unwrap()]);
    }
}

/// A maximum over a longer time than the run would be below the largest value; it is refused by name.
#[test]
fn a_maximum_longer_than_the_run_is_refused() {
    let model = prepared(&oscillator(&PEAK.replace("100 ms", "7")));
    let method = Method::new("index1", "rk4").unwrap().step(1e-2);
    let e = model.run(&method).map(|_| ()).expect_err("2π s are shorter than 7 s").to_string();
    assert!(e.contains("objective `peak` is a maximum over 7 s, longer than the run of 6.28"), "{e}");
}
