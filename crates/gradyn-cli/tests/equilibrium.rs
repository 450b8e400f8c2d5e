//! `gradyn equilibrium`.

mod common;
use common::{Folder, assert_close};
use serde_json::Value;

fn close(x: &Value, y: f64) {
    assert_close(&[x.as_f64().unwrap()], &[y], 1e-12, "value");
}

#[test]
fn equilibrium_of_the_quarter_car() {
    let folder = Folder::example("quarter_car");
    let text = folder.done(&["equilibrium", "quarter_car.toml", "--gradient"]);
    for part in
        ["static equilibrium", "found by        Newton", "stable", "effort of `wheel.angle`", "bodies", "reactions", "d/dk_tyre"]
    {
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
    assert!(out.stderr.contains("does not start in equilibrium") && out.stderr.contains("equilibrium = {}"), "{}", out.stderr);
}
