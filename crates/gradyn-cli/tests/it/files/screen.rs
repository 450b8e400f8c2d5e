//! What is printed: names that can be seen, escapes, numbers that are none, messages of some lines.

use super::{message, refused};
use crate::common::Folder;

/// A mass that slides, with an output, an objective and a parameter of given names.
fn slider(output: &str, objective: &str, parameter: &str) -> Folder {
    let text = format!(
        "name = \"slider\"\nparameters = {{ \"{parameter}\" = 1 }}\nground.points = {{ O = [0, 0] }}\n\
         body.mass = {{ mass = 1, inertia = 1, points = {{ P = [0, 0] }} }}\n\
         joint.guide = {{ type = \"prismatic\", between = [\"ground.O\", \"mass.P\"] }}\n\
         initial = {{ position = {{ \"mass.P.x\" = 0 }}, velocity = {{ \"mass.P.x\" = 1 }} }}\n\
         objective.\"{objective}\" = {{ terminal = \"mass.P.x\" }}\n\
         output.\"{output}\" = \"mass.P.x\"\nstudy = {{ t_end = 1, method = {{ step = 0.25 }} }}\n"
    );
    Folder::with("m.toml", &text)
}

/// Names with control characters, marks of direction, or the beginning of a formula are refused.
#[test]
fn names_can_be_seen() {
    slider("x", "end", "k").done(&["simulate", "m.toml"]);
    for name in ["a\\u001B[31m", "a\\u0007", "a\\u202E", "a\\n", "\\u0085"] {
        for folder in [slider(name, "end", "k"), slider("x", name, "k"), slider("x", "end", name)] {
            refused(&folder, &["check", "m.toml"], "which cannot be seen");
        }
    }
    for name in ["=1+1", "+x", "-x", "@SUM(1)"] {
        for folder in [slider(name, "end", "k"), slider("x", name, "k"), slider("x", "end", name)] {
            refused(&folder, &["check", "m.toml"], "spreadsheets take it for a formula");
        }
    }
    // conditions are expressions, and a table marks them as texts
    let folder = slider("x", "end", "k");
    let text = folder.read("m.toml").replace("{ \"mass.P.x\" = 0 }", "{ \"-mass.P.x\" = 0 }");
    folder.write("m.toml", &text.replace("{ \"mass.P.x\" = 1 }", "{ \"mass.P.x\" = \"k\" }"));
    folder.done(&["gradient", "m.toml", "--out", "g.csv"]);
    assert!(folder.read("g.initial.csv").lines().next().unwrap().contains(",'-mass.P.x"));
}

/// What comes from the command line or a file is printed without what a terminal obeys.
#[test]
fn terminals_obey_nothing() {
    let folder = slider("x", "end", "k");
    folder.write("m.toml", &folder.read("m.toml").replace("name = \"slider\"", "name = \"a\\u001B[31mb\""));
    refused(&folder, &["check", "m.toml"], "the name of a model has the character U+001B");
    folder.write("m.toml", "# \u{202e}\nname = 3\n");
    for args in [
        &["check", "m.toml"][..],
        &["check", "\u{1b}[31m.toml"],
        &["simulate", "m.toml", "--set", "\u{1b}]0;title\u{7}=1"],
        &["example", "\u{9b}31m"],
    ] {
        let out = folder.run(args);
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!out.stderr.contains(obeyed) && out.code == 2, "{:?}", out.stderr);
    }
    let unit = slider("x", "end", "k");
    let text = unit.read("m.toml").replace("\"k\" = 1", "k = { value = 1, unit = \"\\u001B[31m\" }");
    unit.write("m.toml", &text);
    let shown = unit.run(&["check", "m.toml"]).stdout;
    assert!(shown.contains("\\u001b[31m") && !shown.contains('\u{1b}'), "{shown}");
    assert_eq!(unit.json(&["check", "m.toml"])["parameters"][0]["unit"], "\u{1b}[31m");
}

/// An output that is no number is said, by name and time, on the screen and in the object.
#[test]
fn outputs_that_are_no_numbers() {
    let folder = slider("bad", "end", "k");
    folder.write(
        "m.toml",
        &folder.read("m.toml").replace("output.\"bad\" = \"mass.P.x\"", "output.bad = \"sqrt(0.4 - t)\""),
    );
    let out = folder.run(&["simulate", "m.toml", "--out", "t.csv"]);
    let warning = "not-finite: column `bad` is NaN at t = 0.5 s, and not finite in 2 more rows";
    assert!(out.code == 0 && message(&out).contains(warning), "{}", out.stderr);
    let o = folder.json(&["simulate", "m.toml"]);
    assert_eq!(o["warnings"], serde_json::json!([warning]));
    assert!(o["rows"][2][1].is_null());
    // so are those of an equilibrium
    let car = Folder::example("quarter_car");
    let text = car.read("quarter_car.toml");
    car.write("quarter_car.toml", &text.replacen("[output]", "[output]\nbad = \"sqrt(-1 - car.P.y^2)\"", 1));
    let o = car.json(&["equilibrium", "quarter_car.toml"]);
    let warning = "not-finite: `bad` is NaN at the equilibrium";
    assert!(o["warnings"].as_array().unwrap().contains(&warning.into()), "{o}");
    // an objective that is none is an error, as before
    folder.write("m.toml", &folder.read("m.toml").replace("\"mass.P.x\" }\n", "\"sqrt(0.4 - t)\" }\n"));
    assert_eq!(folder.run(&["simulate", "m.toml"]).code, 1);
}
