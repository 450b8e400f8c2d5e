//! Never wrong in silence: what cannot be computed is refused or reported, by name.

use gradyn::{Error, Method, Prepared, Run, Sensitivity};

fn prepared(text: &str) -> Result<Prepared, Error> {
    Prepared::new(&gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}")).mechanism)
}

fn run(model: &Prepared, formulation: &str, integrator: &str, h: f64) -> Result<Run, Error> {
    model.simulate(&Method::new(formulation, integrator).expect("registered").step(h), &mut |_, _| {})
}

/// A mass on a rail with a force along it.
fn rail(force: &str, breaks: &str) -> Prepared {
    let text = format!(
        r#"
        name = "rail"
        parameters = {{ tb = 0.4, f = 10 }}
        ground.points = {{ O = [0, 0] }}
        body.m = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}
        joint.guide = {{ type = "prismatic", between = ["ground.O", "m.A"] }}
        force.push = {{ type = "force", at = "m.A", force = ["{force}", 0] }}
        initial.position = {{ "m.A.x" = 0 }}
        objective.x = {{ terminal = "m.A.x" }}
        study = {{ t_end = 1, breaks = [{breaks}] }}
        "#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// A law with a kink at a declared time that is a parameter: x = f (1 - tb)³/6, dx/dtb = -f (1 - tb)²/2.
#[test]
fn kinks_at_parameter_break_times_are_exact() {
    let model = rail("f * max(t - tb, 0)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert!((r.psi[0] - 10.0 * 0.6f64.powi(3) / 6.0).abs() < 1e-14, "{}", r.psi[0]);
    let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
    assert!((g[0][0] + 10.0 * 0.36 / 2.0).abs() < 1e-13, "{}", g[0][0]);
}

/// A law that jumps at a declared time: the run warns, the gradient is refused.
#[test]
fn jumps_at_break_times_have_no_gradient() {
    let model = rail("if(t < tb, f, -f)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert!(r.warnings.iter().any(|w| w.starts_with("jump:") && w.contains("0.4")), "{:?}", r.warnings);
    for s in Sensitivity::ALL {
        let e = model.gradient(&r, *s).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("jump at t = 0.4"), "{}: {e}", s.name());
    }
}

/// An objective that is not a number ends the run, at its time.
#[test]
fn objectives_that_are_not_numbers_are_errors() {
    let mut m = gradyn::file::read_toml(gradyn::examples::find("pendulum").expect("bundled")).expect("parses").mechanism;
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

/// No sliver of a step before a break time, nor at the end of a long run.
#[test]
fn fixed_steps_leave_no_slivers() {
    for (breaks, t_end) in [("0.50000001", "1"), ("0.4999", "1"), ("0.1", "12"), ("0.3", "15")] {
        let mut m = gradyn::file::read_toml(gradyn::examples::find("pendulum").expect("bundled")).expect("parses").mechanism;
        m.breaks = vec![breaks.into()];
        m.t_end = t_end.into();
        let r = run(&Prepared::new(&m).expect("builds"), "index1", "rk4", 1e-3).expect("runs");
        let shortest = r.trajectory.plan.h.iter().fold(f64::INFINITY, |s, h| s.min(*h));
        assert!(shortest > 0.49e-3, "{breaks}, {t_end}: {shortest:e}");
        assert!(r.trajectory.plan.h.iter().all(|h| *h < 1.000_002e-3));
    }
}

/// Springs through zero length, steps by the billion, lengths below zero at other parameters.
#[test]
fn impossible_things_are_named() {
    let mut m = gradyn::file::read_toml(gradyn::examples::find("five_bar").expect("bundled")).expect("parses").mechanism;
    m.t_end = 0.1.into();
    let model = Prepared::new(&m).expect("builds");
    let e = run(&model, "index1", "rk4", 1e-12).err().expect("refused").to_string();
    assert!(e.contains("max_steps"), "{e}");
    let mut rho = model.rho.clone();
    rho[2] = -1.0;
    let e = model.at(&rho).expect_err("refused").to_string();
    assert!(e.contains("body `A1`: mass is -1"), "{e}");
}

/// A parallelogram through its change point: the branch after it is a matter of rounding, and the run says so.
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
        initial = { position = { "a.angle" = 1 }, velocity = { "a.angle" = -2 }, near = { "c.D" = [2.5, 0.8] } }
        study.t_end = 1
    "#;
    let model = prepared(text).expect("builds");
    let warnings = run(&model, "index3", "newmark", 7e-4).expect("runs").warnings;
    assert!(
        warnings.iter().any(|w| w.starts_with("near-singular: the constraints are nearly dependent at t = 0.")),
        "{warnings:?}"
    );
}

/// Attitudes that only conditions read do not stop a run where they jump: the pitch passes a right angle. Read by an objective,
/// they do.
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
    let run = |m: &gradyn_model::Mechanism| gradyn::Prepared::new(m).expect("builds").simulate(&method, &mut |_, _| {});
    assert!(run(&m).is_ok());
    m.terminal("attitude", "box.yaw");
    let e = run(&m).err().expect("the yaw jumps").to_string();
    assert!(e.contains("yaw of `box`"), "{e}");
}

/// A force law may read another force whose numbers have the names of its own variables, and the length of a spring may be a
/// condition although its speed exists.
#[test]
fn forces_and_conditions_read_lengths() {
    let text = r#"
        name = "two springs"
        parameters = { x = 50, l0 = 0.8 }
        ground.points = { O = [0, 0], W = [2, 0] }
        body.m = { points = { A = [0, 0], B = [0.1, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"], axis = [1, 0] }
        [force]
        s1 = { type = "spring-damper", between = ["ground.W", "m.B"], stiffness = "x", length = 1 }
        b  = { type = "bushing", between = ["ground.O", "m.A"], force = ["x + s1.force", 0, 0] }
        [initial]
        position = { "s1.length" = "l0" }
        velocity = { "s1.length" = 0.5 }
        [output]
        start = "s1.length"
        speed = "s1.speed"
        bush  = "b.force.x"
        slide = "guide.position"
        [objective]
        end = { terminal = "m.A.x" }
    "#;
    let model = prepared(text).unwrap_or_else(|e| panic!("{e}"));
    let r = run(&model, "index1", "rk4", 0.01).expect("runs");
    let table = model.table(&r, None).expect("rows");
    // W - B = 2 - (s + 0.1) = 0.8: s = 1.1; the force on body 2 is -(s + 50 (0.8 - 1))
    let row = &table.rows[0][1..];
    for (got, truth) in row.iter().zip([0.8, 0.5, -(1.1 + 50.0 * (0.8 - 1.0)), 1.1]) {
        assert!((got - truth).abs() < 1e-12, "{row:?}");
    }
}

/// A body in the plane with a row of velocity level.
fn sleigh(row: &str, velocity: &str) -> Result<Prepared, Error> {
    prepared(&format!(
        r#"
        name = "sleigh"
        parameters = {{ m = 2 }}
        ground.points = {{ O = [0, 0] }}
        body.s = {{ points = {{ A = [0, 0] }}, mass = "m", inertia = 1, com = [0.2, 0] }}
        {row}
        initial.position = {{ "s.A" = [0, 0], "s.angle" = 0.1 }}
        initial.velocity = {velocity}
        objective.x = {{ terminal = "s.A.x" }}
        study = {{ t_end = 0.1 }}
        "#
    ))
}

const ACROSS: &str = "dot(vel(s.A), axis(s, [0, 1]))";

/// What is no constraint of velocities, or not one of positions, says so by name.
#[test]
fn velocity_constraints_are_affine() {
    let text = |row: String| {
        let e = sleigh(&row, "\"rest\"").err().unwrap_or_else(|| panic!("{row} is refused"));
        format!("{e}; {}", e.help().unwrap_or_default())
    };
    let velocity = |x: &str| text(format!("constraint.edge = {{ velocity = \"{x}\" }}"));
    for (message, wanted) in [
        (
            text(format!("constraint.edge = \"{ACROSS}\"")),
            "constraint `edge` reads more than positions; write `edge = { velocity =",
        ),
        (velocity("s.A.x - s.A.y"), "constraint `edge` reads no velocity"),
        (velocity("norm(vel(s.A)) - 1"), "constraint `edge` is not affine in velocities"),
        (velocity("s.omega * vel(s.A.x)"), "constraint `edge` is not affine in velocities"),
        (velocity("vel(s.A.x)^2"), "constraint `edge` is not affine in velocities"),
        (velocity("abs(vel(s.A.x))"), "constraint `edge` is not affine in velocities"),
        (velocity("if(s.omega > 0, vel(s.A.x), vel(s.A.y))"), "constraint `edge` is not affine in velocities"),
        (velocity("sin(s.omega) + s.omega"), "constraint `edge` is not affine in velocities"),
        (velocity("acc(s.A.x)"), "constraint `edge` reads more than positions and velocities"),
        (velocity("system.kinetic"), "constraint `edge` reads more than positions and velocities"),
        (velocity("vel(s.A.x) - 0.3"), "`edge (velocity constraint)` moves by itself"),
    ] {
        assert!(message.contains(wanted), "{message}");
    }
    // products with positions, quotients and branches of positions are affine
    for x in [
        ACROSS,
        "vel(s.A.x) / (2 + s.A.y^2) * cos(s.angle)",
        "if(s.A.x > 1, vel(s.A.x), s.omega)",
        "vel(distance(s.A, s.com) + s.angle)",
    ] {
        sleigh(&format!("constraint.edge = {{ velocity = \"{x}\" }}"), "\"rest\"").unwrap_or_else(|e| panic!("{x}: {e}"));
    }
}

/// Conditions of positions and of velocities are counted apart; index3 refuses rows of velocity level by the name of their element.
#[test]
fn velocity_rows_count_in_velocities_only() {
    let edge = "joint.blade = { type = \"knife-edge\", between = [\"ground.O\", \"s.A\"], axis = [0, 1] }";
    let model =
        sleigh(edge, "{ \"s.omega\" = 1, \"dot(vel(s.A), axis(s, [1, 0]))\" = 2 }").expect("two of velocity, three of position");
    assert_eq!((model.assembled.freedom, model.assembled.velocity_freedom), (3, 2));
    let e = run(&model, "index3", "newmark", 0.01).err().expect("refused").to_string();
    assert!(e.contains("joint `blade` is a velocity constraint: index3"), "{e}");
    let e = sleigh(edge, "{ \"s.omega\" = 1, \"s.A\" = [2, 0] }").expect_err("one too many").to_string();
    assert!(e.contains("3 velocity conditions for 2 degrees of freedom"), "{e}");
    let e = sleigh(edge, "{ \"s.omega\" = 1, \"vel(s.A.y) * cos(s.angle) - vel(s.A.x) * sin(s.angle)\" = 0 }")
        .expect_err("said twice");
    assert!(e.to_string().contains("velocity"), "{e}");
    // all at rest, and it stays there
    let still = run(&sleigh(edge, "\"rest\"").expect("at rest"), "index1", "rk4", 0.01).expect("runs");
    assert_eq!(still.psi, [0.0]);
}

/// A disc that rolls in space needs the normal of the plane and its own axis; in the plane it has a side, which a mirror does not keep.
#[test]
fn rolling_discs_say_their_directions() {
    let text = "name = \"disc\"\ndimension = 3\nground.points = { O = [0, 0, 0] }\nbody.d = { points = { P = [0, 0, 0] }, mass = 1, inertia = 1 }\njoint.road = { type = \"rolling\", between = [\"ground.O\", \"d.P\"], radius = 1 }";
    let e = prepared(text).expect_err("refused").to_string();
    assert!(e.contains("joint `road`: a disc that rolls needs `axes`"), "{e}");
    let text = "name = \"discs\"\n[template.wheel.ground]\npoints = { O = [0, 0] }\n[template.wheel.body]\nd = { points = { P = [0, 0] }, mass = 1, inertia = 1 }\n[template.wheel.joint]\nroad = { type = \"rolling\", between = [\"ground.O\", \"d.P\"], axis = [1, 0], radius = 1 }\n[instance]\nleft = { use = \"wheel\", mirror = \"y\" }";
    let e = gradyn::file::read_toml(text).expect_err("refused").to_string();
    assert!(e.contains("`road` cannot be mirrored"), "{e}");
}
