//! `gradyn equilibrium`.

use crate::common::{Folder, assert_close};
use serde_json::Value;

fn close(x: &Value, y: f64) {
    assert_close(&[x.as_f64().unwrap()], &[y], 1e-12, "value");
}

#[test]
fn equilibrium_of_the_quarter_car() {
    let folder = Folder::example("quarter_car");
    let text = folder.done(&["equilibrium", "quarter_car.toml", "--gradient"]);
    for part in [
        "static equilibrium",
        "found by        Newton",
        "stable",
        "effort of `wheel.angle`",
        "bodies",
        "reactions",
        "d/dk_tyre",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let weight = 348.0 * 9.81;
    let json = folder.json(&["equilibrium", "quarter_car.toml", "--gradient"]);
    close(&json["forces"]["tyre.force.y"], weight);
    close(&json["outputs"]["load"], weight);
    close(&json["gradient"]["load"]["m_body"], 9.81);
    // the guide carries no vertical load: springs and tyre do
    assert!(json["reactions"]["guide.reaction.y"].as_f64().unwrap().abs() < 1e-9);
    assert_eq!(json["unstable"], Value::Null);
    let heavy = folder.json(&["equilibrium", "quarter_car.toml", "--set", "m_body=400"]);
    close(&heavy["outputs"]["load"], weight + 981.0);
    assert!(heavy.get("gradient").is_none());
}

/// One line for each body, force and joint; tyres without their slip, which has no value at rest.
#[test]
fn equilibrium_of_a_car_is_a_table() {
    let text = Folder::example("iltis").done(&["equilibrium", "iltis.toml"]);
    let row = |name: &str| {
        text.lines()
            .map(|l| l.split_whitespace().collect::<Vec<_>>())
            .find(|l| l.first() == Some(&name))
            .unwrap()
    };
    assert_eq!(row("normal"), ["normal", "radius"]);
    assert_eq!(row("fl_tyre"), ["fl_tyre", "3831.42198", "0.355996039"]);
    assert_eq!(row("rr_leaf"), ["rr_leaf", "-2885.89266"]);
    assert_eq!(row("com.x"), ["com.x", "com.y", "com.z", "roll", "pitch", "yaw"]);
    assert_eq!(row("chassis")[3], "0.562898660");
    assert!(!text.contains("NaN"), "{text}");
}

/// Without [output] the places of the bodies are differentiated; a support has an effort.
#[test]
fn supports_and_places_of_bodies() {
    let folder = Folder::with(
        "bar.toml",
        r#"name = "bar"
gravity = [0, -9.81]
[parameters]
m = 2
L = 1
[ground]
points = { O = [0, 0] }
[body.bar]
rod = { points = ["A", "B"], length = "L", mass = "m" }
[joint]
pin = { type = "revolute", between = ["ground.O", "bar.A"] }
[initial]
equilibrium = {}
hold = { "bar.angle" = 0.1 }
"#,
    );
    let json = folder.json(&["equilibrium", "bar.toml", "--gradient"]);
    // the torque that holds the weight
    close(&json["conditions"][0]["effort"], 9.81 * 0.1f64.cos());
    assert_eq!(json["conditions"][0]["held"], true);
    close(&json["gradient"]["bar.com.x"]["L"], 0.5 * 0.1f64.cos());
    close(&json["reactions"]["pin.reaction.y"], 2.0 * 9.81);
    assert!(folder.done(&["equilibrium", "bar.toml"]).contains("held by"));
}

#[test]
fn a_model_that_does_not_start_in_equilibrium_is_told_what_to_write() {
    let out = Folder::example("pendulum").run(&["equilibrium", "pendulum.toml"]);
    assert_eq!(out.code, 2);
    assert!(
        out.stderr.contains("does not start in equilibrium") && out.stderr.contains("equilibrium = {}"),
        "{}",
        out.stderr
    );
}
