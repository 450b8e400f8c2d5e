//! Never wrong in silence: what cannot be computed is refused or reported, by name.

use gradyn::registry::OPTIONS;
use gradyn::{Error, Formulation, Method, Prepared, Run, Sensitivity};

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

/// A force that ends with the rounding of a zero does not jump.
#[test]
fn laws_that_end_smoothly_have_gradients() {
    let model = rail("f*if(t < tb, 1 - 3*(t/tb)^2 + 2*(t/tb)^3, 0)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert_eq!(r.jump, None);
    assert!(model.gradient(&r, Sensitivity::DiscreteAdjoint).is_ok());
}

/// A law that jumps at a declared time: the run warns, the gradient is refused.
#[test]
fn jumps_at_break_times_have_no_gradient() {
    let model = rail("if(t < tb, f, -f)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert!(r.warnings.iter().any(|w| w.starts_with("jump:") && w.contains("0.4")), "{:?}", r.warnings);
    for s in Sensitivity::ALL.iter().filter(|s| s.fits(Formulation::Index1)) {
        let e = model.gradient(&r, *s).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("jump at t = 0.4"), "{}: {e}", s.name());
    }
}

/// A trolley that follows a driver, with a break time.
fn trolley(value: &str, breaks: &str) -> Prepared {
    let text = format!(
        r#"
        name = "trolley"
        parameters = {{ v = 0.5, t1 = 0.4 }}
        ground.points = {{ O = [0, 0] }}
        body.trolley = {{ points = {{ A = [0, 0] }}, mass = 2, inertia = 1 }}
        body.load = {{ rod = {{ points = ["B", "C"], length = 1, mass = 1 }} }}
        gravity = [0, -9.81]
        joint.guide = {{ type = "prismatic", between = ["ground.O", "trolley.A"] }}
        joint.pin = {{ type = "revolute", between = ["trolley.A", "load.B"] }}
        driver.winch = {{ coordinate = "trolley.A.x", value = "{value}" }}
        initial.position = {{ "load.angle" = "-90 deg" }}
        objective.swing = {{ terminal = "load.C.x - v*t1" }}
        study = {{ t_end = 1, breaks = [{breaks}] }}
        "#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// A driver whose value or speed jumps at a declared time is an impact that no step applies; a kink of its acceleration is exact.
#[test]
fn impacts_of_drivers_are_reported() {
    for (value, breaks, what) in [
        ("v*max(0, t - t1)", r#""t1""#, "the speed of `winch (driver)` jumps at"),
        ("v*if(t - t1, 1, 0)", r#""t1""#, "the value of `winch (driver)` jumps at"),
        ("v*max(0, t - t1)^2", r#""t1""#, "the acceleration of `winch (driver)` jumps at"),
    ] {
        let model = trolley(value, breaks);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        let warning = format!("jump: {what} the declared time t = 0.4 s");
        assert!(r.warnings.iter().any(|w| w.starts_with(&warning)), "{value}: {:?}", r.warnings);
        let e = model.gradient(&r, Sensitivity::DiscreteAdjoint).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.starts_with(&format!("{what} t = 0.4 s")), "{value}: {e}");
    }
    // they arrive with the rounding of a speed and an acceleration of zero
    let arrives = "v*if(t < t1, 10*(t/t1)^3 - 15*(t/t1)^4 + 6*(t/t1)^5, 1)";
    let softly = "v*if(t < t1, 35*(t/t1)^4 - 84*(t/t1)^5 + 70*(t/t1)^6 - 20*(t/t1)^7, 1)";
    for (value, breaks) in [
        (arrives, r#""t1""#),
        (softly, r#""t1""#),
        ("v*max(0, t - t1)^3", r#""t1""#),
        ("v*t + sin(30*t)/90 + 1000", "0.1, 0.3, 0.7"),
        ("v*t1", "0.5"),
    ] {
        let model = trolley(value, breaks);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        assert_eq!(r.jump, None, "{value}");
        assert!(model.gradient(&r, Sensitivity::DiscreteAdjoint).is_ok());
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
    assert!(warnings.iter().any(|w| w.starts_with("singular: the run passes a position at t = 0.")), "{warnings:?}");
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
        let r = prepared(&text(2.0)).expect("builds").simulate(&method, &mut |_, _| {}).expect("runs");
        let at = "singular: the run passes a position at t = 0.4";
        assert!(r.warnings.iter().any(|w| w.starts_with(at)), "{tol}: {} steps, {:?}", r.trajectory.plan.steps(), r.warnings);
    }
    // a crank–rocker has no such position, nor has a joint that is there twice
    let rocker =
        text(2.0).replace("length = 1, mass = 1 } }\n            body.c", "length = 0.5, mass = 1 } }\n            body.c");
    let rocker = rocker.replace("[2.6, 0.8]", "[2, 1]");
    let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-6, 1e-6);
    let more = "joint.j5 = { type = 'distance', between = ['ground.O', 'a.B'], length = 0.5 }\n";
    let twice = rocker.replace("driver.motor", &format!("{more}driver.motor"));
    for text in [&rocker, &twice] {
        let r = prepared(text).expect("builds").simulate(&method, &mut |_, _| {}).expect("runs");
        assert!(!r.warnings.iter().any(|w| w.contains("singular")), "{:?}", r.warnings);
    }
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

/// What is wrong with a model, and what to try.
fn refusal(text: &str) -> String {
    match gradyn::file::read_toml(text).map_err(Error::Model).and_then(|f| Prepared::new(&f.mechanism)) {
        Err(Error::Model(e)) => {
            let place = e.place.map_or("nowhere".into(), |p| text[p].to_owned());
            format!("{} [{place}] {}", e.message, e.help.unwrap_or_default())
        }
        Err(e) => e.to_string(),
        Ok(_) => "it builds".into(),
    }
}

/// A mass on a rail between springs, with one number or line of it as asked.
fn wagon(parameters: &str, stiffness: &str, force: &str) -> String {
    format!(
        r#"
        name = "wagon"
        parameters = {{ {parameters} }}
        ground.points = {{ O = [0, 0], W = [2, 0] }}
        body.cart = {{ points = {{ A = [0, 0], W = [0.1, 0] }}, mass = 1, inertia = 1 }}
        joint.guide = {{ type = "prismatic", between = ["ground.O", "cart.A"], axis = [1, 0] }}
        [force]
        spring = {{ type = "spring-damper", between = ["ground.W", "cart.A"], stiffness = "{stiffness}", length = 1 }}
        push = {{ type = "force", at = "cart.A", force = ["{force}", 0] }}
        [initial]
        position = {{ "cart.A.x" = 0 }}
        [output]
        w = "cart.W.x"
        "#
    )
}

/// `100 N/m` with a parameter m would divide by its value.
#[test]
fn units_that_could_be_names_are_refused() {
    for (parameters, stiffness, force, message) in [
        (
            "m = 2",
            "100 N/m",
            "m",
            "`100 N/m` divides by the number `m` of the model, not by the unit [100 N/m] write (100 N)/m if",
        ),
        ("s = 2", "1", "s + 5 m / s^2", "`5 m / s` divides by the number `s`"),
        ("m = 2", "1", "3 N*m", "multiplies by the number `m`"),
        ("k = 2", "k", "2 t", "`2 t` is a mass in tonnes, and t is the time here [2 t] write 2*t for the time"),
        ("k = 2", "k*2t", "0", "t is the time here"),
        ("k = 2", "k", "5 m/s", "unknown name 's'"),
    ] {
        let e = refusal(&wagon(parameters, stiffness, force));
        assert!(e.contains(message), "{stiffness}, {force}: {e}");
    }
    // what says which is meant is fine
    for (stiffness, force) in [("(100 N)/m", "m*t"), ("100 N/(1 m)", "m * 2 s"), ("m", "10 N*t"), ("100 kN/2 mm", "m")] {
        assert_eq!(refusal(&wagon("m = 2", stiffness, force)), "it builds", "{stiffness}, {force}");
    }
    // points, and digits in names, are no numbers with units
    let model = prepared(&wagon("g = 2, W = 3", "g + W", "3 g")).expect("builds");
    assert_eq!(model.model.warnings.len(), 1, "{:?}", model.model.warnings);
    assert!(model.model.warnings[0].starts_with("unit-or-name: force `push`, force: `g` after a number in `3 g`"));
}

/// The same in a template, where names get a prefix.
#[test]
fn units_that_could_be_names_are_refused_in_templates() {
    let wagon = wagon("k = 1", "k", "0");
    for mirror in ["", ", mirror = 'y'"] {
        let template = "[template.more]\narguments = { m = 2 }\n[template.more.force]\npull = { type = 'spring-damper', \
                        between = ['ground.W', 'cart.A'], stiffness = '5 N/m', damping = 'm' }";
        let e = refusal(&format!("{wagon}\n{template}\n[instance]\none = {{ use = 'more'{mirror} }}"));
        assert!(e.contains("`5 N/m` divides by the number `m`") && e.contains("`one` (template `more`)"), "{e}");
    }
}

/// `30` with the label deg would be printed as 30 deg and taken as 30 rad.
#[test]
fn labels_are_si_units() {
    for label in ["deg", "mm", "kN", "km/h", "kN/mm", "N/mm^2", "g", "%", "t m²", "1/min", "N m/deg"] {
        let e = refusal(&wagon(&format!("k = {{ value = 30, unit = '{label}' }}"), "k", "0"));
        assert!(e.contains(&format!("parameter `k`: its label says `{label}`, but values are in SI units")), "{label}: {e}");
    }
    for label in ["", "-", "rad", "N m s/rad", "kg m2", "kg·m²", "m/s^2", "mm/mm", "1/s", "teeth", "m^-1", "USD/kg"] {
        let e = refusal(&wagon(&format!("k = {{ value = 30, unit = '{label}' }}"), "k", "0"));
        assert_eq!(e, "it builds", "{label}");
    }
    let e = refusal(&wagon("k = { value = 30, unit = 'deg' }", "k", "0"));
    assert!(e.contains("write value = \"30 deg\" without `unit`"), "{e}");
}

/// A box in space with a joint, and more.
fn space(body: &str, joint: &str, more: &str) -> String {
    format!(
        "name = 'space'\ndimension = 3\nparameters.L = 2\nground.points = {{ O = [0, 0, 0], W = [1, 0, 0] }}\n\
         [body.box]\npoints = {{ P = [0, 0, 0], Q = [0.1, 0.2, 0.3] }}\n{body}\n\
         [body.bar]\nrod = {{ points = ['A', 'B'], length = 'L', mass = 1 }}\n[joint]\n{joint}\n{more}"
    )
}

/// What no mechanism has, or does nothing, is refused by name.
#[test]
fn impossible_elements_are_refused() {
    const BODY: &str = "mass = 1\ninertia = 1";
    const HINGE: &str = "j = { type = 'revolute', between = ['ground.O', 'box.P'] }";
    const PLANE: &str = "j = { type = 'planar', between = ['ground.O', 'box.P'] }";
    let force = |keys: &str| format!("[force]\nf = {{ {keys} }}");
    let contact = "type = 'contact', point = 'box.Q', plane = 'ground.O', width = 0.01";
    for (body, joint, more, message) in [
        (
            "shape = { type = 'tube', outer = 0.2, inner = 'L - 2.1', length = 1 }\nmass = 1",
            HINGE,
            String::new(),
            "body `box`: inner radius is -0.1",
        ),
        (
            "mass = 'sqrt(-L)'\ninertia = 1",
            HINGE,
            String::new(),
            "body `box`: mass NaN is not a finite number [sqrt(-L)] look for a root",
        ),
        ("mass = 1\ninertia = '1/(L - 2)'", HINGE, String::new(), "body `box`: inertia inf is not a finite number"),
        (
            BODY,
            "j = { type = 'revolute', between = ['ground.O', 'box.P'], axis = [0, 1e200, 0] }",
            String::new(),
            "joint `j`: the axis has length more than 1e150",
        ),
        (
            BODY,
            "j = { type = 'revolute', between = ['ground.O', 'box.P'], axis = [0, 0, 0] }",
            String::new(),
            "joint `j`: the axis has length zero",
        ),
        (BODY, HINGE, force("type = 'friction', joint = 'j', limit = '1 - L'"), "force `f`: limit is -1"),
        (BODY, HINGE, force(&format!("{contact}, stiffness = '-L'")), "force `f`: stiffness is -2"),
        (BODY, HINGE, force(&format!("{contact}, stiffness = 1, friction = '-L'")), "force `f`: friction is -2"),
        (
            BODY,
            HINGE,
            force("type = 'spring-damper', between = ['box.P', 'box.Q'], stiffness = 1"),
            "force `f` connects `box` with itself",
        ),
        (
            BODY,
            HINGE,
            force("type = 'contact', point = 'box.Q', plane = 'bar.B', width = 0.01, stiffness = 1"),
            "`bar` is a rod, which has no directions but its own",
        ),
        (
            BODY,
            PLANE,
            force("type = 'actuator', joint = 'j', effort = 1"),
            "force `f`: the planar joint `j` has three coordinates, x, y and angle [j]",
        ),
        (
            BODY,
            PLANE,
            force("type = 'friction', joint = 'j', limit = 1"),
            "force `f`: the planar joint `j` has three coordinates",
        ),
    ] {
        let e = refusal(&space(body, joint, &more));
        assert!(e.contains(message), "{message}: {e}");
    }
}

/// The axes of a universal joint are perpendicular: parallel ones contradict a drawing, and mean a quarter turn otherwise.
#[test]
fn universal_joints_with_parallel_axes() {
    let model = |hard: &str, axes: &str| {
        format!(
            "name = 'u'\ndimension = 3\npoints.P = [0, 0, 0]\nground.points = {{ O = [0, 0, 0] }}\n\
             body.b = {{ {hard}, mass = 1, inertia = 1 }}\n\
             joint.u = {{ type = 'universal', between = ['ground.O', 'b.P'], axes = {axes} }}\n\
             initial.position = {{ 'u.angle_1' = 0.3, 'u.angle_2' = 0.2 }}"
        )
    };
    let e = refusal(&model("hard = ['P']", "[[0, 1, 0], [0, -2, 0]]"));
    assert!(e.contains("joint `u`: its two axes are parallel [[0, -2, 0]]"), "{e}");
    let m = prepared(&model("points.P = [0, 0, 0]", "[[0, 1, 0], [0, 1, 0]]")).expect("builds");
    assert!(m.model.warnings.iter().any(|w| w.starts_with("parallel-axes: joint `u`")), "{:?}", m.model.warnings);
    let m = prepared(&model("hard = ['P']", "[[0, 1, 0], [1, 0, 0]]")).expect("builds");
    assert!(m.model.warnings.is_empty(), "{:?}", m.model.warnings);
}

/// A body without mass, and one without inertia, that nothing moves.
#[test]
fn bodies_without_inertia_are_named() {
    let text = |body: &str| {
        format!(
            "name = 'light'\ngravity = [0, -9.81]\nground.points = {{ O = [0, 0] }}\n\
             body.bar = {{ points = {{ A = [0, 0], B = [1, 0] }}, {body} }}\n\
             joint.pin = {{ type = 'revolute', between = ['ground.O', 'bar.A'] }}\ninitial.position = {{ 'bar.angle' = 0 }}"
        )
    };
    for (body, lacks) in [("mass = 0", "mass"), ("mass = 1, inertia = 0, com = [0, 0]", "inertia")] {
        let e = run(&prepared(&text(body)).expect("builds"), "index1", "rk4", 0.01).err().expect("singular");
        assert!(e.to_string().contains(&format!("body `bar` has no {lacks}")), "{body}: {e}");
        assert!(e.help().unwrap_or_default().contains("mass and inertia"), "{body}: {e}");
    }
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
    assert!(e.help().unwrap_or_default().contains("gimbal lock"), "{e}");
}

/// A warning about a torque is given once, with its name.
#[test]
fn warnings_are_given_once() {
    let text = "name = 'w'\nground.points = { O = [0, 0] }\n\
                body.bar = { rod = { points = ['A', 'B'], length = 1, mass = 1 } }\n\
                joint.pin = { type = 'revolute', between = ['ground.O', 'bar.A'] }\n\
                force.motor = { type = 'torque', on = 'bar', torque = 'max(t, 0.5)' }\n\
                force.push = { type = 'force', at = 'bar.B', force = ['abs(t - 0.5)', 0] }\n\
                initial.position = { 'bar.angle' = 0 }";
    let warnings = prepared(text).expect("builds").model.warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("not-smooth: force `motor`, torque: max"), "{warnings:?}");
    assert!(warnings[1].starts_with("not-smooth: force `push`, force: abs"), "{warnings:?}");
}

/// A pulse that is shorter than the steps of a mass at rest: x = f w √π (1 - t₀), if the steps see it.
#[test]
fn short_pulses_need_a_largest_step() {
    let model = rail("f*exp(-((t - 0.5)/0.001)^2)", "");
    let x = 10.0 * 0.001 * std::f64::consts::PI.sqrt() * 0.5;
    let mut method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-8, 1e-8);
    let r = model.simulate(&method, &mut |_, _| {}).expect("runs");
    assert!(r.psi[0].abs() < 0.1 * x, "the pulse is not missed any more: {} of {x}", r.psi[0]);
    method.set("max_step", "1e-3").expect("an option");
    let r = model.simulate(&method, &mut |_, _| {}).expect("runs");
    assert!((r.psi[0] - x).abs() < 1e-6 * x, "{} of {x}", r.psi[0]);
    assert!(r.trajectory.plan.h.iter().all(|h| *h <= 1.0001e-3) && r.warnings.is_empty(), "{:?}", r.warnings);
    let r = model.simulate(&method.step(0.01), &mut |_, _| {}).expect("runs");
    assert!(r.warnings.iter().any(|w| w.starts_with("unused-option: max_step")), "{:?}", r.warnings);
}

/// Steps of 3e-13 s would need years: the run stops after 10,000 of them and names the coordinate.
#[test]
fn runs_that_hardly_advance_are_stopped() {
    let model = rail("f - 1e13*vel(m.A.x)", "");
    let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-8, 1e-8);
    let e = model.simulate(&method, &mut |_, _| {}).err().expect("stopped");
    assert!(e.to_string().contains("the last 10000 steps advanced by only") && e.to_string().contains("`m."), "{e}");
    assert!(e.help().unwrap_or_default().contains("stiff"));
}

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
        let outside = [range.least - 0.001 - range.least.abs(), 1.001 * range.most + 0.001].map(|x| x.to_string());
        for value in outside.iter().map(String::as_str).chain(["NaN", "inf", "-inf", "", "one"]) {
            let e = method.set(o.name, value).expect_err(o.name).to_string();
            assert!([o.name, &format!("`{value}`"), &range.to_string()].iter().all(|part| e.contains(part)), "{e}");
        }
    }
}

/// Options of the stabilisation have no effect where nodes are projected instead.
#[test]
fn projected_nodes_do_not_use_the_stabilisation() {
    let mut method = Method::new("index1", "rk4").expect("registered");
    for (name, value) in [("omega", "3"), ("xi", "0.5")] {
        method.set(name, value).expect("an option");
    }
    assert_eq!(method.unused_options(), Vec::<String>::new());
    method.set("stabilisation", "projection").expect("an option");
    let unused = method.unused_options();
    assert!(unused.len() == 2 && unused[0].contains("omega") && unused[1].contains("xi"), "{unused:?}");
    assert!(unused[0].ends_with("index1 + rk4, stabilisation=projection"), "{unused:?}");
}

/// A combination that does not exist names what its formulation and its integrator work with, and nothing else.
#[test]
fn combinations_that_do_not_exist_name_those_that_do() {
    let help = |formulation, integrator| {
        let e = Method::new(formulation, integrator).expect("registered").check().expect_err("refused");
        e.help().unwrap_or_default()
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

/// The length of a rod does not depend on its mass, up to rounding: there is nothing to compare relative to it.
#[test]
fn certificates_of_zero_gradients_say_so() {
    for (objective, zero) in [("distance(bar.A, bar.B)", true), ("m*bar.B.x", false)] {
        let model = hanging(-30.0, -9.81, objective);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        let certificate = model.certify(&r, &g).expect("certified");
        assert_eq!(certificate.zero == ["o"], zero, "{objective}: {g:?}");
        assert!(certificate.distance < 1e-9, "{objective}: {}", certificate.distance); // rounding of 10 steps
    }
}

/// Accelerations are small at rest, but not small against gravity; without gravity there is nothing that could be uncertain.
#[test]
fn mechanisms_at_rest_do_not_need_longer_steps() {
    let warned = |model: &Prepared, h: f64| {
        let r = run(model, "index3", "newmark", h).expect("runs");
        r.warnings.iter().any(|w| w.starts_with("small-step"))
    };
    assert!(!warned(&hanging(-90.0, -9.81, "pin.reaction.y"), 1e-2));
    assert!(!warned(&hanging(-90.0, 0.0, "pin.reaction.y"), 1e-2));
    // ε q/(βh²) = 6e-5 of 15 m/s²
    assert!(warned(&hanging(-90.0, -9.81, "pin.reaction.y"), 4e-6));
}

/// Velocity rows that prescribe all velocities: the help says what to write.
#[test]
fn velocities_that_are_all_prescribed_need_no_conditions() {
    let text = |velocity: &str| {
        format!(
            r#"
            name = "driven"
            ground.points = {{ O = [0, 0] }}
            body.bar = {{ rod = {{ points = ["A", "B"], length = 1, mass = 1 }} }}
            joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
            constraint.turn = {{ velocity = "vel(bar.angle) - 0.3" }}
            initial.position = {{ "bar.angle" = 0 }}
            {velocity}
            "#
        )
    };
    for velocity in ["", r#"initial.velocity = { "bar.angle" = 0.3 }"#] {
        let e = prepared(&text(velocity)).expect_err("refused");
        assert!(e.help().unwrap_or_default().contains("`velocity = {}`"), "{e}: {:?}", e.help());
    }
    prepared(&text("initial.velocity = {}")).unwrap_or_else(|e| panic!("{e}"));
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

/// |v| has no slope at rest: the objective that reads it is named, not the first one, which the backward sweep spoils.
#[test]
fn objectives_without_slopes_are_named() {
    let model = let_go("", "integral = \"norm(vel(bar.B))\"", "0.1");
    let run = run(&model, "index1", "dopri5", 0.01).unwrap_or_else(|e| panic!("{e}"));
    let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
    assert_eq!(e, "objective `load` has no derivative at t = 0 s");
}

/// Terminal reactions that follow from positions, at a final time that a parameter moves: said by name, and only there.
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
        let warnings = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).warnings;
        let found = warnings.iter().any(|w| w.starts_with("moving-end: "));
        assert_eq!(found, said, "{formulation} + {integrator}, {objective}, {t_end}: {warnings:?}");
    }
}

/// A disc that lies flat has no lowest point: said as such, with the joint.
#[test]
fn assemblies_that_are_not_numbers_say_so() {
    let text = gradyn::examples::find("rolling_disc").expect("bundled");
    let lean = text.lines().find(|l| l.starts_with("lean = { value")).expect("a parameter");
    let e = prepared(&text.replace(lean, "lean = \"pi/2\"")).expect_err("refused").to_string();
    assert_eq!(e, "t = 0.000000 s: `road (contact)` is not a finite number");
}

/// Limits can be written as they are printed.
#[test]
fn options_take_fractions() {
    let mut method = Method::new("index3", "hht").expect("registered");
    method.set("hht_alpha", "1/3").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(method.hht_alpha, 1.0 / 3.0);
    assert!(method.set("hht_alpha", "2/3").is_err() && method.set("hht_alpha", "1/0").is_err());
}

/// Constraints that give way too much: more penalty, not shorter steps.
#[test]
fn drift_of_penalty_advises_more_penalty() {
    let model = let_go("", "integral = \"pin.reaction.x\"", "0.1");
    let mut method = Method::new("penalty", "rk4").expect("registered").step(0.01);
    method.set("alpha", "0.1").expect("a number");
    let warnings = model.simulate(&method, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}")).warnings;
    assert!(warnings.iter().any(|w| w.starts_with("drift: ") && w.contains("raise alpha")), "{warnings:?}");
}
