//! Limits of what is read, each with a clear error.

use super::{BALANCE, balance, message, refused};
use crate::common::Folder;
use std::time::{Duration, Instant};

fn model(expression: &str) -> Folder {
    let text = format!(
        "name = \"m\"\nconstants = {{ c = \"{expression}\" }}\nground.points = {{ O = [0, 0] }}\n\
         body.b = {{ mass = 1, inertia = 1, points = {{ P = [0, 0] }} }}\n\
         joint.j = {{ type = \"revolute\", between = [\"ground.O\", \"b.P\"] }}\n\
         initial = {{ position = {{ \"b.angle\" = 0 }}, velocity = \"rest\" }}\nstudy.t_end = 1\n"
    );
    Folder::with("m.toml", &text)
}

/// Deep and long expressions are errors of the model, and none ends the program.
#[test]
fn expressions() {
    let check = ["check", "m.toml"];
    let deep = |text: &str, why: &str| refused(&model(text), &check, why);
    deep(&format!("[1, 2]{}", ".x".repeat(20_000)), "a component is a number and has no components");
    deep(&format!("({}a{}.x)", "(".repeat(90), ").x.x".repeat(90)), "has no components");
    deep(&format!("{}[1, 2]{}", "(".repeat(99), ".x)".repeat(99)), "");
    deep(&format!("a{}", ".x".repeat(20_000)), "");
    deep(&format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)), "nested more than 100 deep");
    deep(&"-".repeat(20_000), "nested more than 100 deep");
    deep(&"2^".repeat(20_000), "nested more than 100 deep");
    deep(&format!("1{}", " + 1".repeat(300_000)), "the expression has more than 1048576 bytes");
    model(&format!("1{}", " + 1".repeat(20_000))).done(&check);
}

/// Deep files are refused by their parsers.
#[test]
fn files() {
    let deep = "[".repeat(100_000);
    let folder = Folder::with("m.toml", &format!("name = {deep}"));
    assert_eq!(folder.run(&["check", "m.toml"]).code, 2);
    folder.write("m.json", &format!("{{\"name\": {deep}"));
    refused(&folder, &["check", "m.json"], "nested more than 100 deep");
    folder.write("m.toml", &format!("{}x = 1", "a.".repeat(100_000)));
    assert_eq!(folder.run(&["check", "m.toml"]).code, 2);
}

/// Numbers of samples.
#[test]
fn samples() {
    let folder = balance();
    let random = ["sweep", BALANCE, "--vary", "L_s1=1:2", "--random"];
    refused(&folder, &[&random[..], &["4000000000"]].concat(), "is not in 1..=10000000");
    refused(&folder, &["sweep", BALANCE, "--vary", "L_s1=1:2:1e9"], "no grid");
}

/// A message has some lines of some length, whatever the model.
#[test]
fn messages() {
    let started = Instant::now();
    let names: Vec<String> = (0..20_000).map(|k| format!("parameter_{k} = 1")).collect();
    let folder = model("1");
    let text = folder.read("m.toml");
    folder.write("m.toml", &format!("{text}[parameters]\n{}\n", names.join("\n")));
    let out = folder.run(&["check", "m.toml", "--t-end", "1", "--set", "nothing=1"]);
    assert_eq!(out.code, 2);
    assert!(out.stderr.lines().count() <= 61, "{} lines", out.stderr.lines().count());
    assert!(message(&out).contains("more lines"), "{}", message(&out));
    // a line of a megabyte is not shown
    let long = format!("{{\"name\": \"m\", \"body\": {{}}, \"x\": \"{}\"}}", "y".repeat(1_000_000));
    folder.write("m.json", &long);
    let out = folder.run(&["check", "m.json"]);
    assert!(out.code == 2 && out.stderr.len() < 10_000, "{} bytes", out.stderr.len());
    assert!(message(&out).contains("m.json, line 1, column"), "{}", message(&out));
    assert!(started.elapsed() < Duration::from_secs(60));
}
