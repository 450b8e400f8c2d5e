//! Singular positions, branches of angles, and what is not a number.

use super::{prepared, run};
use gradyn::{Method, Prepared};

/// An objective that is not a number ends the run, at its time.
#[test]
fn objectives_that_are_not_numbers_are_errors() {
    let mut m = gradyn::file::read_toml(gradyn::examples::find("pendulum").expect("bundled"))
        .expect("parses")
        .mechanism;
    m.objectives.clear();
    m.integral("bad", "sqrt(0.1 - t)");
    let e = run(&Prepared::new(&m).expect("builds"), "index1", "rk4", 0.01).err().expect("fails");
    assert!(e.to_string().contains("objective bad") && e.to_string().contains("0.1"), "{e}");
}

/// Joints and drivers hold the angle that they are given, not the one half a turn off.
#[test]
fn angles_are_held_on_the_right_branch() {
    for degrees in [-170, -100, -10, 0, 60, 100, 170, 179] {
        let driven = format!(
            r#"
            name = "crank"
            ground.points = {{ O = [0, 0] }}
            body.bar = {{ rod = {{ points = ["A", "B"], length = 1, mass = 1 }} }}
            body.arm = {{ rod = {{ points = ["B", "C"], length = 1, mass = 1 }} }}
            joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
            joint.weld = {{ type = "fixed", between = ["bar.B", "arm.B"], angle = "{degrees} deg" }}
            driver.motor = {{ angle = "bar", value = "{degrees} deg + t" }}
            output = {{ bar = "bar.angle", weld = "angle(bar, arm)" }}
            study.t_end = 0.01
            "#
        );
        let model = prepared(&driven).unwrap_or_else(|e| panic!("{degrees}: {e}"));
        let table = model.table(&run(&model, "index1", "rk4", 0.01).expect("runs"), None).expect("tabulated");
        let (bar, weld, expected) = (table.rows[0][1], table.rows[0][2], f64::from(degrees).to_radians());
        assert!((bar - expected).abs() < 1e-12, "driver {degrees}: {bar}");
        assert!((weld - expected).abs() < 1e-12, "weld {degrees}: {weld}");
    }
}

/// More than a quarter turn in a step: the number of turns would be a guess.
#[test]
fn too_fast_turns_are_refused() {
    let text = r#"
        name = "spin"
        ground.points = { O = [0, 0] }
        body.bar = { rod = { points = ["A", "B"], length = 1, mass = 1 } }
        joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
        initial = { position = { "bar.angle" = 0 }, velocity = { "bar.angle" = 200 } }
        objective.turns = { terminal = "bar.angle" }
        study.t_end = 1
    "#;
    let model = prepared(text).expect("builds");
    let e = run(&model, "index1", "rk4", 0.01).err().expect("refused");
    assert!(e.to_string().contains("the angle of `bar`"), "{e}");
    let r = run(&model, "index1", "rk4", 1e-3).expect("runs");
    assert!((r.psi[0] - 200.0).abs() < 1.0, "{}", r.psi[0]);
}

/// Springs through zero length, steps by the billion, lengths below zero at other parameters.
#[test]
fn impossible_things_are_named() {
    let mut m = gradyn::file::read_toml(gradyn::examples::find("five_bar").expect("bundled"))
        .expect("parses")
        .mechanism;
    m.t_end = 0.1.into();
    let model = Prepared::new(&m).expect("builds");
    let e = run(&model, "index1", "rk4", 1e-12).err().expect("refused").to_string();
    assert!(e.contains("max_steps"), "{e}");
    let mut rho = model.rho().to_vec();
    rho[2] = -1.0;
    let e = model.at(&rho).expect_err("refused").to_string();
    assert!(e.contains("body `A1`: mass is -1"), "{e}");
}

/// A parallelogram through its change point: the branch after it is a matter of rounding, and the run says
/// so.
#[test]
fn singular_positions_are_reported() {
    let text = r#"
        name = "change point"
        ground.points = { O = [0, 0], C = [2, 0] }
        body.a = { rod = { points = ["A", "B"], length = 1, mass = 1 } }
        body.c = { rod = { points = ["B", "D"], length = 2, mass = 1 } }
        body.r = { rod = { points = ["C", "D"], length = 1, mass = 1 } }
        joint.j1 = { type = "revolute", between = ["ground.O", "a.A"] }
        joint.j2 = { type = "revolute", between = ["a.B", "c.B"] }
        joint.j3 = { type = "revolute", between = ["c.D", "r.D"] }
        joint.j4 = { type = "revolute", between = ["ground.C", "r.C"] }
        initial.position = { "a.angle" = 1 }
        initial.velocity = { "a.angle" = -2 }
        initial.near = { "c.D" = [2.5, 0.8] }
        study.t_end = 1
    "#;
    let model = prepared(text).expect("builds");
    let warnings = run(&model, "index3", "newmark", 7e-4).expect("runs").warnings;
    assert!(
        warnings.iter().any(|w| w.to_string().starts_with("singular: the run passes a position at t = 0.")),
        "{warnings:?}"
    );
}

/// The same, driven, with steps from an error estimate that jump over the change point.
#[test]
fn singular_positions_between_steps_are_reported() {
    let text = |length: f64| {
        format!(
            r#"
            name = "parallelogram"
            ground.points = {{ O = [0, 0], C = [2, 0] }}
            body.a = {{ rod = {{ points = ["A", "B"], length = 1, mass = 1 }} }}
            body.c = {{ rod = {{ points = ["B", "D"], length = {length}, mass = 1 }} }}
            body.r = {{ rod = {{ points = ["C", "D"], length = 1, mass = 1 }} }}
            joint.j1 = {{ type = "revolute", between = ["ground.O", "a.A"] }}
            joint.j2 = {{ type = "revolute", between = ["a.B", "c.B"] }}
            joint.j3 = {{ type = "revolute", between = ["c.D", "r.D"] }}
            joint.j4 = {{ type = "revolute", between = ["ground.C", "r.C"] }}
            driver.motor = {{ angle = "a", value = "0.9 - 2*t" }}
            initial.near = {{ "c.D" = [2.6, 0.8] }}
            study.t_end = 0.9
            "#
        )
    };
    for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
        let method = Method::new("index1", "dopri5").expect("registered").tolerance(tol, tol);
        let r = prepared(&text(2.0)).expect("builds").run(&method).expect("runs");
        let at = "singular: the run passes a position at t = 0.4";
        assert!(
            r.warnings.iter().any(|w| w.to_string().starts_with(at)),
            "{tol}: {} steps, {:?}",
            r.trajectory.plan.steps(),
            r.warnings
        );
    }
    // a crank–rocker has no such position, nor has a joint that is there twice
    let rocker = text(2.0).replace(
        "length = 1, mass = 1 } }\n            body.c",
        "length = 0.5, mass = 1 } }\n            body.c",
    );
    let rocker = rocker.replace("[2.6, 0.8]", "[2, 1]");
    let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-6, 1e-6);
    let more = "joint.j5 = { type = 'distance', between = ['ground.O', 'a.B'], length = 0.5 }\n";
    let twice = rocker.replace("driver.motor", &format!("{more}driver.motor"));
    for text in [&rocker, &twice] {
        let r = prepared(text).expect("builds").run(&method).expect("runs");
        assert!(!r.warnings.iter().any(|w| w.to_string().contains("singular")), "{:?}", r.warnings);
    }
}

/// Attitudes that only conditions read do not stop a run where they jump: the pitch passes a right angle.
/// Read by an objective, they do.
#[test]
fn attitudes_of_conditions_are_not_followed() {
    let mut m = gradyn_model::Mechanism::space("roll over");
    m.body(gradyn_model::mechanism::Body::new("box").mass(1.0).tensor([0.1, 0.2, 0.3]));
    let at = ["box.com", "box.roll", "box.pitch", "box.yaw"].map(|k| k.into());
    m.initial.position = at.into_iter().zip(["[0, 0, 0]", "0.01", "0", "0"].map(|v| v.into())).collect();
    let rates = [("box.com", "[0, 0, 0]"), ("box.omega", "[0, 3, 0]")].map(|(k, v)| (k.into(), v.into()));
    m.initial.velocity = gradyn_model::mechanism::InitialVelocity::Conditions(rates.to_vec());
    m.outputs = vec![("spin".into(), "box.omega.y".into())];
    let method = gradyn::Method::new("index1", "rk4").expect("registered").step(0.01);
    let run = |m: &gradyn_model::Mechanism| gradyn::Prepared::new(m).expect("builds").run(&method);
    assert!(run(&m).is_ok());
    m.terminal("attitude", "box.yaw");
    let e = run(&m).err().expect("the yaw jumps").to_string();
    assert!(e.contains("yaw of `box`"), "{e}");
}

/// Where roll and yaw jump, no step is small enough, and the advice says why.
#[test]
fn gimbal_lock_is_named() {
    let mut m = gradyn_model::Mechanism::space("roll over");
    m.body(gradyn_model::mechanism::Body::new("box").mass(1.0).tensor([0.1, 0.2, 0.3]));
    let at = ["box.com", "box.roll", "box.pitch", "box.yaw"].map(|k| k.into());
    m.initial.position = at.into_iter().zip(["[0, 0, 0]", "0.01", "0", "0"].map(|v| v.into())).collect();
    let rates = [("box.com", "[0, 0, 0]"), ("box.omega", "[0, 3, 0]")].map(|(k, v)| (k.into(), v.into()));
    m.initial.velocity = gradyn_model::mechanism::InitialVelocity::Conditions(rates.to_vec());
    m.terminal("attitude", "box.roll");
    let e = run(&Prepared::new(&m).expect("builds"), "index1", "rk4", 0.01).err().expect("the roll jumps");
    assert!(e.help.clone().unwrap_or_default().contains("gimbal lock"), "{e}");
}

/// A disc that lies flat has no lowest point: said as such, with the joint.
#[test]
fn assemblies_that_are_not_numbers_say_so() {
    let text = gradyn::examples::find("rolling_disc").expect("bundled");
    let lean = text.lines().find(|l| l.starts_with("lean = { value")).expect("a parameter");
    let e = prepared(&text.replace(lean, "lean = \"pi/2\"")).err().map(|e| e.to_string()).unwrap_or_default();
    assert_eq!(e, "t = 0.000000 s: `road (contact)` is not a finite number");
}
