//! Runs within a memory budget.

use crate::common::Folder;
use serde_json::Value;

/// What `gradient --json` says, without times and memory.
fn gradient(folder: &Folder, more: &[&str]) -> (Value, Value) {
    let common =
        ["gradient", "five_bar.toml", "--formulation", "maggi", "--integrator", "rk4", "--step", "0.001"];
    let rest = ["--no-certificate", "--json"];
    let object: Value = serde_json::from_str(&folder.done(&[&common[..], &rest, more].concat())).unwrap();
    (object["objectives"].clone(), object["statistics"]["kept_every"].clone())
}

#[test]
fn a_budget_changes_no_digit() {
    let folder = Folder::example("five_bar");
    let (whole, every) = gradient(&folder, &[]);
    assert!(every.is_null());
    let (within, every) = gradient(&folder, &["--memory", "1MiB"]);
    assert_eq!(whole, within);
    assert!(every.as_u64().is_some_and(|k| k >= 4), "{every}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::example("five_bar");
    let refused = |args: &[&str], code: i32, parts: &[&str]| {
        let out = folder.run(args);
        assert_eq!(out.code, code, "{}", out.stderr);
        parts.iter().for_each(|part| assert!(out.stderr.contains(part), "{part}: {}", out.stderr));
    };
    let simulate = ["simulate", "five_bar.toml", "--memory"];
    refused(&[&simulate[..], &["1MiB"]].concat(), 2, &["row of every step", "--output-step"]);
    refused(
        &[&simulate[..], &["many", "--output-step", "0.1"]].concat(),
        2,
        &["not a size of memory", "256MiB"],
    );
    refused(&[&simulate[..], &["-1MiB", "--output-step", "0.1"]].concat(), 2, &[]);
    refused(&[&simulate[..], &["1kB", "--output-step", "0.1"]].concat(), 1, &["the least is"]);
    let gradient = ["gradient", "five_bar.toml", "--memory", "1MiB"];
    refused(&[&gradient[..], &["--out", "x.csv"]].concat(), 2, &["--memory"]);
    let differences = ["--sensitivity", "finite-difference"];
    refused(&[&gradient[..], &differences].concat(), 2, &["finite-difference needs all records"]);
}
