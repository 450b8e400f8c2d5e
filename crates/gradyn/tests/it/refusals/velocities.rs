//! Constraints and conditions of velocities.

use super::{prepared, run};
use gradyn::{Error, Prepared};

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
        format!("{e}; {}", e.help.clone().unwrap_or_default())
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
        (
            velocity("if(s.omega > 0, vel(s.A.x), vel(s.A.y))"),
            "constraint `edge` is not affine in velocities",
        ),
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
        sleigh(&format!("constraint.edge = {{ velocity = \"{x}\" }}"), "\"rest\"")
            .unwrap_or_else(|e| panic!("{x}: {e}"));
    }
}

/// Conditions of positions and of velocities are counted apart; index3 refuses rows of velocity level by the
/// name of their element.
#[test]
fn velocity_rows_count_in_velocities_only() {
    let edge = "joint.blade = { type = \"knife-edge\", between = [\"ground.O\", \"s.A\"], axis = [0, 1] }";
    let model = sleigh(edge, "{ \"s.omega\" = 1, \"dot(vel(s.A), axis(s, [1, 0]))\" = 2 }")
        .expect("two of velocity, three of position");
    assert_eq!((model.assembled.freedom, model.assembled.velocity_freedom), (3, 2));
    let e = run(&model, "index3", "newmark", 0.01).err().expect("refused").to_string();
    assert!(e.contains("joint `blade` is a velocity constraint: index3"), "{e}");
    let e = sleigh(edge, "{ \"s.omega\" = 1, \"s.A\" = [2, 0] }").expect_err("one too many").to_string();
    assert!(e.contains("3 velocity conditions for 2 degrees of freedom"), "{e}");
    let e =
        sleigh(edge, "{ \"s.omega\" = 1, \"vel(s.A.y) * cos(s.angle) - vel(s.A.x) * sin(s.angle)\" = 0 }")
            .expect_err("said twice");
    assert!(e.to_string().contains("velocity"), "{e}");
    // all at rest, and it stays there
    let still = run(&sleigh(edge, "\"rest\"").expect("at rest"), "index1", "rk4", 0.01).expect("runs");
    assert_eq!(still.psi, [0.0]);
}

/// A disc that rolls in space needs the normal of the plane and its own axis; in the plane it has a side,
/// which a mirror does not keep.
#[test]
fn rolling_discs_say_their_directions() {
    let text = "name = \"disc\"\ndimension = 3\nground.points = { O = [0, 0, 0] }\nbody.d = { points = { P \
        = [0, 0, 0] }, mass = 1, inertia = 1 }\njoint.road = { type = \"rolling\", between = \
        [\"ground.O\", \"d.P\"], radius = 1 }";
    let e = prepared(text).expect_err("refused").to_string();
    assert!(e.contains("joint `road`: a disc that rolls needs `axes`"), "{e}");
    let text = "name = \"discs\"\n[template.wheel.ground]\npoints = { O = [0, 0] \
        }\n[template.wheel.body]\nd = { points = { P = [0, 0] }, mass = 1, inertia = 1 \
        }\n[template.wheel.joint]\nroad = { type = \"rolling\", between = [\"ground.O\", \"d.P\"], axis = \
        [1, 0], radius = 1 }\n[instance]\nleft = { use = \"wheel\", mirror = \"y\" }";
    let e = gradyn::file::read_toml(text).expect_err("refused").to_string();
    assert!(e.contains("`road` cannot be mirrored"), "{e}");
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
        assert!(e.help.clone().unwrap_or_default().contains("`velocity = {}`"), "{e}: {:?}", e.help.clone());
    }
    prepared(&text("initial.velocity = {}")).unwrap_or_else(|e| panic!("{e}"));
}
