//! Options, combinations, and what a gradient or a run warns of.

use super::{prepared, run};
use gradyn::registry::OPTIONS;
use gradyn::{Method, Prepared, Sensitivity};

/// A number out of its range is refused with the option, the value and the range; both ends are taken.
#[test]
fn options_have_ranges() {
    for o in OPTIONS {
        let mut method = Method::default();
        let Some(range) = o.range else {
            assert!(o.name == "freedoms" || method.set(o.name, "nonsense").is_err(), "{}", o.name);
            continue;
        };
        for value in [range.least, range.most] {
            method.set(o.name, &value.to_string()).unwrap_or_else(|e| panic!("{}: {e}", o.name));
        }
        let outside =
            [range.least - 0.001 - range.least.abs(), 1.001 * range.most + 0.001].map(|x| x.to_string());
        for value in outside.iter().map(String::as_str).chain(["NaN", "inf", "-inf", "", "one"]) {
            let e = method.set(o.name, value).expect_err(o.name).to_string();
            assert!(
                [o.name, &format!("`{value}`"), &range.to_string()].iter().all(|part| e.contains(part)),
                "{e}"
            );
        }
    }
}

/// Limits can be written as they are printed.
#[test]
fn options_take_fractions() {
    let mut method = Method::new("index3", "hht").expect("registered");
    method.set("hht_alpha", "1/3").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(method.hht_alpha, 1.0 / 3.0);
    assert!(method.set("hht_alpha", "2/3").is_err() && method.set("hht_alpha", "1/0").is_err());
}

/// Options of the stabilisation have no effect where nodes are projected instead.
#[test]
fn projected_nodes_do_not_use_the_stabilisation() {
    let mut method = Method::new("index1", "rk4").expect("registered");
    for (name, value) in [("omega", "3"), ("xi", "0.5")] {
        method.set(name, value).expect("an option");
    }
    assert_eq!(method.unused_options(), Vec::<gradyn::Warning>::new());
    method.set("stabilisation", "projection").expect("an option");
    let unused = method.unused_options();
    assert!(
        unused.len() == 2 && unused[0].text.contains("omega") && unused[1].text.contains("xi"),
        "{unused:?}"
    );
    assert!(unused[0].text.ends_with("index1 + rk4, stabilisation=projection"), "{unused:?}");
}

/// A combination that does not exist names what its formulation and its integrator work with, and nothing
/// else.
#[test]
fn combinations_that_do_not_exist_name_those_that_do() {
    let help = |formulation, integrator| {
        let e = Method::new(formulation, integrator).expect("registered").check().expect_err("refused");
        e.help.clone().unwrap_or_default()
    };
    assert_eq!(
        help("index3", "rk4"),
        "index3 works with newmark, hht, generalized-alpha, radau3, radau5; rk4 with penalty, index1, maggi"
    );
    assert!(help("maggi", "newmark").ends_with("; newmark with index3, ali3p, penalty, index1"));
}

/// A rod on a pin at the origin, hanging, with a mass that is a parameter.
fn hanging(degrees: f64, gravity: f64, objective: &str) -> Prepared {
    let text = format!(
        r#"
        name = "hanging"
        gravity = [0, {gravity}]
        parameters = {{ m = 2 }}
        ground.points = {{ O = [0, 0] }}
        body.bar = {{ rod = {{ points = ["A", "B"], length = 1, mass = "m" }} }}
        joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
        initial.position = {{ "bar.angle" = "{degrees} deg" }}
        objective.o = {{ terminal = "{objective}" }}
        study.t_end = 0.1
        "#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// The length of a rod does not depend on its mass, up to rounding: there is nothing to compare relative to
/// it.
#[test]
fn certificates_of_zero_gradients_say_so() {
    for (objective, zero) in [("distance(bar.A, bar.B)", true), ("m*bar.B.x", false)] {
        let model = hanging(-30.0, -9.81, objective);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        let check = model.check_program(&r, &g).expect("runs");
        assert_eq!(check.zero == ["o"], zero, "{objective}: {g:?}");
        assert!(check.distance() < 1e-9, "{objective}: {}", check.distance()); // rounding of 10 steps
    }
}

/// Accelerations are small at rest, but not small against gravity; without gravity there is nothing that
/// could be uncertain.
#[test]
fn mechanisms_at_rest_do_not_need_longer_steps() {
    let warned = |model: &Prepared, h: f64| {
        let r = run(model, "index3", "newmark", h).expect("runs");
        r.warnings.iter().any(|w| w.code == gradyn::WarningCode::SmallStep)
    };
    assert!(!warned(&hanging(-90.0, -9.81, "pin.reaction.y"), 1e-2));
    assert!(!warned(&hanging(-90.0, 0.0, "pin.reaction.y"), 1e-2));
    // ε q/(βh²) = 6e-5 of 15 m/s²
    assert!(warned(&hanging(-90.0, -9.81, "pin.reaction.y"), 4e-6));
}

/// A bar that is let go at rest.
fn let_go(parameters: &str, objective: &str, t_end: &str) -> Prepared {
    let text = format!(
        r#"
name = "bar"
gravity = [0, -9.81]
parameters = {{ L = 1{parameters} }}
ground.points = {{ O = [0, 0] }}
body.bar.rod = {{ points = ["A", "B"], length = "L", mass = 2 }}
joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
initial.position = {{ "bar.angle" = "-60 deg" }}
objective = {{ tip = {{ terminal = "bar.B.x" }}, load = {{ {objective} }} }}
study = {{ t_end = {t_end} }}
"#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// |v| has no slope at rest: the objective that reads it is named, not the first one, which the backward
/// sweep spoils.
#[test]
fn objectives_without_slopes_are_named() {
    let model = let_go("", "integral = \"norm(vel(bar.B))\"", "0.1");
    let run = run(&model, "index1", "dopri5", 0.01).unwrap_or_else(|e| panic!("{e}"));
    let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
    assert_eq!(e, "objective `load` has no derivative at t = 0 s");
}

/// Terminal reactions that follow from positions, at a final time that a parameter moves: said by name, and
/// only there.
#[test]
fn moving_ends_of_index_3_are_reported() {
    let (terminal, integral) = ("terminal = \"pin.reaction.x\"", "integral = \"pin.reaction.x\"");
    for (formulation, integrator, objective, t_end, said) in [
        ("index3", "radau3", terminal, "\"T\"", true),
        ("index3", "radau5", terminal, "\"T\"", true),
        ("index3", "radau3", terminal, "0.1", false),
        ("index3", "radau3", integral, "\"T\"", false),
        ("index3", "newmark", terminal, "\"T\"", false),
        ("index1", "radau3", terminal, "\"T\"", false),
        ("maggi", "radau3", terminal, "\"T\"", false),
    ] {
        let model = let_go(if t_end == "0.1" { "" } else { ", T = 0.1" }, objective, t_end);
        let run = run(&model, formulation, integrator, 0.01).unwrap_or_else(|e| panic!("{e}"));
        let warnings =
            model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).warnings;
        let found = warnings.iter().any(|w| w.code == gradyn::WarningCode::MovingEnd);
        assert_eq!(found, said, "{formulation} + {integrator}, {objective}, {t_end}: {warnings:?}");
    }
}

/// Constraints that give way too much: more penalty, not shorter steps.
#[test]
fn drift_of_penalty_advises_more_penalty() {
    let model = let_go("", "integral = \"pin.reaction.x\"", "0.1");
    let mut method = Method::new("penalty", "rk4").expect("registered").step(0.01);
    method.set("alpha", "0.1").expect("a number");
    let warnings = model.run(&method).unwrap_or_else(|e| panic!("{e}")).warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.code == gradyn::WarningCode::Drift && w.to_string().contains("raise alpha")),
        "{warnings:?}"
    );
}
