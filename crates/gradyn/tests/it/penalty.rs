//! Penalty factors of single rows, their scales, and the estimate of the penalty error, on the five-bar and
//! others.

use gradyn::mechanism::{Mechanism, Penalty};
use gradyn::{AlphaScaling, Method, Prepared, Run, Sensitivity};
use gradyn_model::RowScaling;
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;
use gradyn_testkit::reference::{GRADIENT, PSI};

fn mechanism(name: &str) -> Mechanism {
    gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("parses").mechanism
}

/// Factors from 0.01 to 100, another ξ and ω for every second owner of rows.
fn unequal(m: &mut Mechanism) {
    let names = m
        .bodies
        .iter()
        .map(|b| &b.name)
        .chain(m.joints.iter().map(|j| &j.name))
        .chain(m.drivers.iter().map(|d| &d.name));
    let names = names.chain(m.constraints.iter().chain(&m.velocity_constraints).map(|c| &c.0));
    let factors = |k: usize| Penalty {
        alpha: [100.0, 0.01, 3.0][k % 3],
        xi: [1.0, 0.7][k % 2],
        omega: [1.0, 1.5][k % 2],
    };
    m.penalties = names.cloned().enumerate().map(|(k, name)| (name, factors(k))).collect();
}

fn build(m: &Mechanism) -> Prepared {
    Prepared::new(m).unwrap_or_else(|e| panic!("{}: {e}", m.name))
}

fn method(formulation: &str, integrator: &str, options: &[(&str, &str)]) -> Method {
    let mut m = Method::new(formulation, integrator).expect("registered");
    options.iter().for_each(|(name, value)| m.set(name, value).unwrap_or_else(|e| panic!("{e}")));
    m
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity) -> Gradient {
    model.gradient(run, s).unwrap_or_else(|e| panic!("{}: {e}", model.model.name)).rows
}

fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

/// Factors and scales are constants: the four exact methods agree, with quadratic rows, formulas, drivers and
/// rows of velocity level.
#[test]
fn gradients_are_exact_with_unequal_factors() {
    for name in ["five_bar", "slider_crank", "universal_shaft", "knife_edge", "redundant_four_bar"] {
        let mut m = mechanism(name);
        unequal(&mut m);
        m.t_end = 0.078.into();
        let model = build(&m);
        for (formulation, integrator) in [
            ("penalty", "newmark"),
            ("penalty", "dopri5"),
            ("penalty", "radau3"),
            ("penalty", "ros3"),
            ("ali3p", "newmark"),
            ("index1", "rk4"),
        ] {
            for scaling in ["uniform", "row"] {
                let run =
                    run(&model, &method(formulation, integrator, &[("alpha_scaling", scaling)]).step(4e-3));
                let adjoint = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
                for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                    let d = distance(&gradient(&model, &run, s), &adjoint, &scales(&model));
                    assert!(
                        d <= 1e-10,
                        "{name}, {formulation} + {integrator}, {scaling}: {} is {d:.1e} off",
                        s.name()
                    );
                }
            }
        }
    }
}

/// Positions of ali3p satisfy Φ = 0 whatever the factors are; the projections and the start give way by 1/α.
#[test]
fn ali3p_does_not_depend_on_the_factors() {
    let mut m = mechanism("five_bar");
    let equal = build(&m);
    unequal(&mut m);
    let unequal = build(&m);
    let plain = run(&equal, &method("ali3p", "newmark", &[]).step(5e-3));
    let truth = gradient(&equal, &plain, Sensitivity::DiscreteAdjoint);
    for scaling in ["uniform", "row"] {
        // α from 1e8 to 1e12: the smallest is that of the rows with the factor 0.01
        let run = run(
            &unequal,
            &method("ali3p", "newmark", &[("alpha", "1e10"), ("alpha_scaling", scaling)]).step(5e-3),
        );
        assert!(run.drift[0] <= 1e-13, "{scaling}: |Φ| = {:.1e}", run.drift[0]);
        let d = distance(&gradient(&unequal, &run, Sensitivity::DiscreteAdjoint), &truth, &scales(&equal));
        assert!(d <= 1e-9, "{scaling}: the gradient moved by {d:.1e}");
    }
}

/// Penalty converges with 1/α, for every choice of factors and scales.
#[test]
fn penalty_converges_with_each_factor() {
    let mut m = mechanism("five_bar");
    for factors in [false, true] {
        if factors {
            unequal(&mut m);
        }
        let model = build(&m);
        for scaling in ["uniform", "row"] {
            let error = |alpha: &str| {
                let method = method("penalty", "dopri5", &[("alpha", alpha), ("alpha_scaling", scaling)])
                    .tolerance(1e-12, 1e-12);
                run(&model, &method).psi.iter().zip(PSI).map(|(a, b)| (a / b - 1.0).abs()).collect::<Vec<_>>()
            };
            for (a, b) in error("1e6").iter().zip(error("1e8")) {
                assert!((a / b / 100.0 - 1.0).abs() < 0.1, "{scaling}: {a:.2e} against {b:.2e}");
            }
        }
    }
}

/// The scales are those of the nominal start, whatever parameters follow: a gradient is that of its runs.
#[test]
fn scales_do_not_move_with_the_parameters() {
    let model = build(&mechanism("five_bar"));
    let rho: Vec<f64> = model.rho().iter().map(|r| 1.01 * r).collect();
    let (a, b) = (&model.model.system, &model.at(&rho).expect("assembles").model.system);
    assert_eq!(a.compliances(RowScaling::EffectiveMass), b.compliances(RowScaling::EffectiveMass));
    // a bar of 1 kg between two points that it shares with others: (d, -d) over masses of some kg, |d| ≈ 1
    let masses: Vec<f64> = a.compliances(RowScaling::EffectiveMass).iter().map(|c| 1.0 / c).collect();
    assert!(masses.iter().all(|m| (0.01..10.0).contains(m)), "{masses:?}");
}

/// What a file says: a factor, or a table of factors, on bodies, joints, constraints and drivers.
#[test]
fn factors_are_read_from_the_file() {
    let text = r#"
        name = "factors"
        ground.points = { O = [0, 0], W = [3, 0] }
        body.a = { rod = { points = ["A", "B"], length = 1, mass = 1 }, penalty = 4 }
        body.b = { rod = { points = ["B", "C"], length = 1, mass = 1 } }
        joint.pin = { type = "revolute", between = ["ground.O", "a.A"], penalty = 3 }
        joint.tie.type = "distance"
        joint.tie.between = ["a.B", "ground.W"]
        joint.tie.length = 2.5
        joint.tie.penalty = { alpha = 10, xi = 0.7 }
        constraint.hold = { position = "b.C.x - 1", penalty = "0.5" }
        joint.link = { type = "revolute", between = ["a.B", "b.B"] }
        driver.turn = { coordinate = "b.C.y", value = "0.1*t", penalty = { omega = 2 } }
    "#;
    let model =
        gradyn_model::build(&gradyn::file::read_toml(text).expect("parses").mechanism).expect("builds");
    let rows: Vec<(String, f64)> = model
        .system
        .row_names()
        .iter()
        .map(ToString::to_string)
        .zip(model.system.compliances(RowScaling::Uniform).iter().copied())
        .collect();
    let of = |name: &str| rows.iter().find(|r| r.0.starts_with(&format!("{name} ("))).map(|r| r.1);
    assert_eq!(
        ["a", "b", "tie", "hold", "turn", "pin"].map(of),
        [Some(0.25), Some(1.0), Some(0.1), Some(2.0), Some(1.0), None]
    );
    assert!(
        model.warnings.iter().any(|w| w.to_string().starts_with("penalty-unused: `pin`")),
        "{:?}",
        model.warnings
    );
}

/// The estimate is within 10 % of the distance from the reference, for values and gradients.
#[test]
fn penalty_error_is_estimated() {
    let model = build(&mechanism("five_bar"));
    for alpha in ["1e6", "1e8"] {
        let run = run(&model, &method("penalty", "dopri5", &[("alpha", alpha)]).tolerance(1e-12, 1e-12));
        let g = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient");
        let e = model.penalty_error(&run, Some(&g)).expect("penalty has an error");
        let rows = e.gradient.as_ref().expect("asked for");
        for k in 0..3 {
            let entries = rows[k].iter().zip(&GRADIENT[k]).chain([(&e.values[k], &PSI[k])]);
            for (x, reference) in entries {
                let (truth, size) = (x.value - reference, reference.abs().max(1.0));
                // 1e-9: what the integrator leaves
                assert!(
                    (x.error - truth).abs() <= 0.1 * truth.abs() + 1e-9 * size,
                    "{alpha}: {:e} against {truth:e}",
                    x.error
                );
            }
        }
    }
}

/// Other formulations have no such error.
#[test]
fn penalty_error_of_others_is_refused() {
    let mut m = mechanism("five_bar");
    m.t_end = 0.1.into();
    let model = build(&m);
    for formulation in ["index3", "ali3p", "index1"] {
        let run = run(&model, &method(formulation, "newmark", &[]).step(5e-3));
        let e = model.penalty_error(&run, None).expect_err("refused").to_string();
        assert!(e.contains(&format!("{formulation} has no penalty error")), "{e}");
    }
}

/// Grams and centimetres: α = 1e9 by rows is hard enough for every entry, where one relative to the largest
/// entry of M is not.
#[test]
fn the_default_is_right_on_a_mechanism_of_grams() {
    let file = gradyn::file::read_toml(include_str!("../../src/suite/models/squeezer.toml")).expect("parses");
    let model = build(&file.mechanism);
    let answer = |m: Method| {
        let run = run(&model, &m.tolerance(1e-9, 1e-9));
        (run.psi.clone(), gradient(&model, &run, Sensitivity::DiscreteAdjoint))
    };
    let (psi, truth) = answer(method("index1", "dopri5", &[]));
    assert!((psi[0] - 15.8107).abs() < 1e-4, "turn of the crank: {}", psi[0]);
    let worst = |scaling: AlphaScaling| {
        let m = Method { alpha_scaling: scaling, ..method("penalty", "dopri5", &[]) };
        let pairs = answer(m).1.into_iter().flatten().zip(truth.iter().flatten());
        pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
    };
    assert_eq!(Method::default().alpha_scaling, AlphaScaling::Row);
    // 7e-7 and 1.1e-2 are measured
    assert!(worst(AlphaScaling::Row) < 1e-5, "{:.1e}", worst(AlphaScaling::Row));
    assert!(worst(AlphaScaling::Uniform) > 1e-3, "{:.1e}", worst(AlphaScaling::Uniform));
}
