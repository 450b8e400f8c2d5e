//! Cuts, poles and kinks that no condition tells: exact, or named with their time and element.

use super::edges::{self, prepared};
use gradyn::{Coordinates, Method, Prepared, Run, Sensitivity, Study, WarningCode};

const X: &str = r#"terminal = "m.A.x""#;

/// A mass of 1 kg on a rail, thrown from x = -0.3 with v0 = 1 under a force along it; the final time is 1 s.
fn rail(force: &str, objective: &str, family: Coordinates) -> Prepared {
    edges::rail("x0 = -0.3, v0 = 1, p = 0.5", force, objective, family)
}

/// A trolley whose place follows a driver, with a rod on it.
fn trolley(value: &str, family: Coordinates) -> Prepared {
    let text = format!(
        r#"
        name = "trolley"
        parameters = {{ c = 0.2 }}
        ground.points = {{ O = [0, 0] }}
        body.trolley = {{ points = {{ A = [0, 0] }}, mass = 2, inertia = 1 }}
        body.load = {{ rod = {{ points = ["B", "C"], length = 1, mass = 1 }} }}
        gravity = [0, -9.81]
        joint.guide = {{ type = "prismatic", between = ["ground.O", "trolley.A"] }}
        joint.pin = {{ type = "revolute", between = ["trolley.A", "load.B"] }}
        driver.winch = {{ coordinate = "trolley.A.x", value = "{value}" }}
        initial.position = {{ "load.angle" = "-90 deg" }}
        objective.swing = {{ terminal = "load.C.x" }}
        study = {{ t_end = 1 }}
        "#
    );
    prepared(&text, family)
}

/// Adaptive and fixed steps.
fn methods() -> [(&'static str, Method); 3] {
    let method = |integrator| Method::new("index1", integrator).expect("registered");
    [
        ("dopri5", method("dopri5").tolerance(1e-10, 1e-10)),
        ("radau5", method("radau5").tolerance(1e-10, 1e-10)),
        ("rk4", method("rk4").step(0.01)),
    ]
}

/// Values, and gradients by the adjoint.
fn solved(model: &Prepared, method: &Method, what: &str) -> (Run, Vec<f64>) {
    let r = model.run(method).unwrap_or_else(|e| panic!("{what}: {e}"));
    let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{what}: {e}"));
    (r, g.rows[0].clone())
}

/// A run warns by the name of an element near a time, and has no gradient; or it ends there by both.
fn assert_named(model: &Prepared, method: &Method, [element, passes]: [&str; 2], near: f64, what: &str) {
    let time = |text: &str| {
        let (_, after) = text.split_once("t = ").unwrap_or_else(|| panic!("{what}: {text}"));
        let number = after.split_once(" s").map_or(after, |x| x.0);
        number.parse::<f64>().unwrap_or_else(|e| panic!("{what}: {text}: {e}"))
    };
    match model.run(method) {
        Err(e) => {
            let text = e.to_string();
            assert!(text.contains(element) && text.contains(passes), "{what}: {text}");
            assert!((time(&text) - near).abs() < 2e-3, "{what}: {text}");
        }
        Ok(r) => {
            let warning = r.warnings.iter().find(|w| w.code == WarningCode::Cut);
            let text = warning.unwrap_or_else(|| panic!("{what}: {:?}", r.warnings)).to_string();
            assert!(text.contains(element) && text.contains(passes), "{what}: {text}");
            assert!((time(&text) - near).abs() < 2e-3, "{what}: {text}");
            let e = model.gradient(&r, Sensitivity::DiscreteAdjoint).err().map(|e| e.to_string());
            let refused =
                |e: &str| e.contains(element) && e.contains("the gradient across it is not available");
            assert!(e.is_some_and(|e| refused(&e)), "{what} has a gradient");
        }
    }
}

/// Each law passes something near a time: the run says so by the name of the element.
#[test]
fn cuts_poles_and_kinks_are_named() {
    let [cut, pole, zero] = ["the cut of `atan2`", "a pole of `tan`", "a division by zero"];
    let root = "the zero of a root";
    for (force, objective, names, near) in [
        ("p*atan2(m.A.x, -1)", X, ["force `push`", cut], 0.45105),
        ("p*tan(6*t)", X, ["force `push`", pole], std::f64::consts::PI / 12.0),
        ("p*tan(4*m.A.x)", X, ["force `push`", pole], 0.74898),
        ("p*0.002/m.A.x", X, ["force `push`", zero], 0.30026),
        ("p*0.002/(t - 0.503)", X, ["force `push`", zero], 0.503),
        ("-p*m.A.x/norm(m.A)", X, ["force `push`", root], 0.28035),
        ("-2 - p*vel(m.A.x)/norm(vel(m.A))", X, ["force `push`", root], 0.4),
        ("-p*norm(m.A)", X, ["force `push`", root], 0.30463),
        ("-p*distance(ground.O, m.A)", X, ["force `push`", root], 0.30463),
        ("p", r#"integral = "p*norm(m.A)""#, ["objective `psi`", root], 0.28035),
        ("p*acos(cos(m.A.x))", X, ["force `push`", "an end of the range"], 0.29562),
    ] {
        for family in Coordinates::ALL {
            for (integrator, method) in methods() {
                let what = format!("{force}, {objective}, {}, {integrator}", family.name());
                assert_named(&rail(force, objective, family), &method, names, near, &what);
            }
        }
    }
    for (value, passes) in [
        ("c*atan2(t - 0.503, -1)", cut),
        ("c*sqrt((t - 0.503)^2)", root),
        ("c*(t - 0.503)*sqrt((t - 0.503)^2)", root),
    ] {
        for family in Coordinates::ALL {
            let (_, method) = &methods()[2];
            assert_named(&trolley(value, family), method, ["driver `winch`", passes], 0.503, value);
        }
    }
}

/// Two elements that pass something within one step are both named.
#[test]
fn two_elements_that_pass_in_one_step_are_named() {
    let text = r#"
        name = "rail"
        parameters = { p = 0.05 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.push = { type = "force", at = "m.A", force = ["p*atan2(m.A.x, -1)", 0] }
        force.pull = { type = "force", at = "m.A", force = ["2*p*atan2(m.A.x - 1e-4, -1)", 0] }
        initial.position = { "m.A.x" = -0.3 }
        initial.velocity = { "m.A.x" = 1 }
        objective.psi = { terminal = "m.A.x" }
        study = { t_end = 1 }
    "#;
    let method = Method::new("index1", "rk4").expect("registered").step(0.01);
    let r = prepared(text, Coordinates::Natural).run(&method).unwrap_or_else(|e| panic!("{e}"));
    let cuts = r.warnings.iter().filter(|w| w.code == WarningCode::Cut);
    let text: Vec<String> = cuts.map(ToString::to_string).collect();
    for name in ["force `push`", "force `pull`"] {
        assert!(text.iter().any(|t| t.contains(name)), "{name}: {text:?}");
    }
}

/// What is smooth across a cut or a pole of a function in it is no news, and is what it is without them.
#[test]
fn smooth_laws_are_not_named() {
    for (force, plain) in [
        ("p*sin(atan2(m.A.x, -1))", "p*m.A.x/sqrt(1 + m.A.x^2)"),
        ("p*atan2(m.A.x, 1)", "p*atan(m.A.x)"),
        ("p/tan(2*m.A.x + 1.2)", "p*cos(2*m.A.x + 1.2)/sin(2*m.A.x + 1.2)"),
        ("p*sin(m.A.x)/m.A.x", "p*cos(m.A.x/2)*sin(m.A.x/2)/(m.A.x/2)"),
        ("p*(1 - cos(m.A.x))/m.A.x^2", "p*(sin(m.A.x/2)/m.A.x)^2*2"),
        ("p*norm(m.A)^2", "p*m.A.x^2"),
    ] {
        for family in Coordinates::ALL {
            for (integrator, method) in methods() {
                let what = format!("{force}, {}, {integrator}", family.name());
                let (r, g) = solved(&rail(force, X, family), &method, &what);
                let (same, slopes) = solved(&rail(plain, X, family), &method, &what);
                assert!(r.warnings.is_empty(), "{what}: {:?}", r.warnings);
                assert!((r.psi[0] - same.psi[0]).abs() < 1e-8, "{what}: {:?}", r.psi);
                let off = g.iter().zip(&slopes).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-8, "{what}: {g:?}, not {slopes:?}");
            }
        }
    }
    for family in Coordinates::ALL {
        let (_, method) = &methods()[2];
        let (r, _) = solved(&trolley("c*sin(atan2(t - 0.5, -1))", family), method, family.name());
        assert!(r.warnings.is_empty(), "{:?}", r.warnings);
    }
}

/// √(x²) is |x|: ψ = ((x0 + v0)² + x0²)/(2 v0) of ∫ |x0 + v0 t|, and its slopes.
#[test]
fn roots_of_squares_are_exact() {
    for family in Coordinates::ALL {
        for (integrator, method) in methods() {
            let what = format!("{}, {integrator}", family.name());
            let model = rail("0", r#"integral = "2*p*sqrt(m.A.x^2)""#, family);
            let (r, g) = solved(&model, &method, &what);
            assert!(r.warnings.is_empty(), "{what}: {:?}", r.warnings);
            assert!((r.psi[0] - 0.29).abs() < 1e-8, "{what}: {:?}", r.psi);
            let off = g.iter().zip([0.4, 0.41, 0.58]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "{what}: {g:?}");
            let (_, g) = solved(&rail("-p*sqrt(m.A.x^2)", X, family), &method, &what);
            let (_, same) = solved(&rail("-p*abs(m.A.x)", X, family), &method, &what);
            assert_eq!(g, same, "{what}");
        }
    }
}

/// No example passes anything, in any coordinates.
#[test]
fn examples_pass_nothing() {
    let mut runs = 0;
    for (name, text) in gradyn::examples::ALL {
        for family in Coordinates::ALL {
            let mut study = Study::from_text(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
            study.coordinates(family.name()).unwrap_or_else(|e| panic!("{name}: {e}"));
            if gradyn::examples::VEHICLES.contains(name) {
                study.end_at("0.3");
            }
            // a family that a method or an example does not go with is refused elsewhere
            let Ok(run) = study.nominal().and_then(|model| model.run()) else { continue };
            let cut = run.warnings().iter().find(|w| w.code == WarningCode::Cut);
            assert_eq!(cut, None, "{name}, {}", family.name());
            runs += 1;
        }
    }
    assert!(runs > 3 * gradyn::examples::ALL.len(), "{runs} runs");
}
