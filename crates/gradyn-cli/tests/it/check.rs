//! `gradyn check`: joints that repeat each other, rows kept and dropped, counts in all coordinates.

use crate::common::Folder;
use serde_json::json;

/// Without the line of roundings.
fn exact(text: &str) -> String {
    text.lines().filter(|l| !l.starts_with("  assembly")).collect::<Vec<_>>().join("\n")
}

#[test]
fn redundant_four_bar() {
    insta::assert_snapshot!(exact(
        &Folder::example("redundant_four_bar").done(&["check", "redundant_four_bar.toml"])
    ));
}

/// A family that refuses the model says so in a word, and why below the table.
#[test]
fn refused_coordinates() {
    let folder = Folder::example("five_bar");
    let text = folder
        .read("five_bar.toml")
        .replace("{ type = \"revolute\",", "{ type = \"revolute\", tree = \"keep\",");
    insta::assert_snapshot!(exact(&Folder::with("kept.toml", &text).done(&["check", "kept.toml"])));
}

/// Redundancy is counted for joints: the same whatever the coordinates; rows are those of the coordinates.
#[test]
fn redundancy_does_not_depend_on_coordinates() {
    let folder = Folder::example("iltis");
    let check = |name: &str| folder.json(&["check", "iltis.toml", "--coordinates", name]);
    let [natural, cartesian] = ["natural", "cartesian"].map(check);
    for key in ["joint_constraints", "redundant", "redundant_joints", "families", "degrees_of_freedom"] {
        assert_eq!(natural[key], cartesian[key], "{key}");
    }
    assert_eq!((&natural["redundant"], &natural["degrees_of_freedom"]), (&json!(6), &json!(14)));
    let counts = json!({
        "coordinates": 140,
        "constraints": 132,
        "redundant": 6,
        "degrees_of_freedom": 14,
        "velocity_degrees_of_freedom": 14
    });
    assert_eq!(natural["families"]["cartesian"], counts);
    for (check, dropped) in [(natural, 2), (cartesian, 6)] {
        let size = |key: &str| check[key].as_array().expect("a list").len();
        assert_eq!((size("rows_dropped"), size("rows_kept") + dropped), (dropped, size("rows")));
    }
}
