//! `gradyn suite`.

use crate::common::Folder;

#[test]
fn benchmarks_are_listed() {
    insta::assert_snapshot!("list", Folder::new().done(&["suite", "--list"]));
}

/// One table with a verdict for each number, and where the numbers are from.
#[test]
fn a_benchmark_is_a_table() {
    let text = Folder::new().done(&["suite", "oscillator"]);
    let lines: Vec<&str> = text.lines().collect();
    let head: Vec<&str> = lines[0].split_whitespace().collect();
    let columns = ["benchmark", "quantity", "reference", "ours", "difference", "accuracy", "verdict"];
    assert_eq!(head, columns);
    assert!(lines[1].starts_with("oscillator  psi") && lines[1].ends_with("  agrees"), "{}", lines[1]);
    assert!(text.contains("closed form") && text.contains("4 of 4 numbers agree"), "{text}");
}

#[test]
fn objects_have_what_the_table_has() {
    let o = Folder::new().json(&["suite", "five_bar", "oscillator", "five_bar"]);
    assert_eq!(o["agrees"], true);
    let names: Vec<&str> =
        o["benchmarks"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["oscillator", "five_bar"]);
    let first = &o["benchmarks"][0]["numbers"][0];
    assert!(first["agrees"] == true && first["reference"] == 0.5, "{first}");
    assert!(first["difference"].as_f64().unwrap().abs() <= first["accuracy"].as_f64().unwrap());
}

#[test]
fn unknown_benchmarks_are_refused() {
    let out = Folder::new().run(&["suite", "sixbar"]);
    assert_eq!(out.code, 2);
    assert!(out.stderr.contains("`sixbar`") && out.stderr.contains("valid: oscillator"), "{}", out.stderr);
}

/// Files for other programs: whole ones, and never over others unasked.
#[test]
fn benchmarks_are_written() {
    let folder = Folder::new();
    folder.done(&["suite", "five_bar", "--export", "."]);
    let o: serde_json::Value = serde_json::from_str(&folder.read("five_bar.json")).unwrap();
    assert_eq!(o["start"]["B12"]["mass"], 1.5);
    assert_eq!(o["start"]["B12"]["point P2"][0], 0.5);
    assert_eq!(o["model"]["joint"]["A"]["type"], "revolute");
    assert!(o["references"][0]["source"].as_str().unwrap().len() > 20);
    assert_eq!(folder.run(&["suite", "five_bar", "--export", "."]).code, 2);
    folder.done(&["suite", "five_bar", "--export", ".", "--overwrite"]);
}
