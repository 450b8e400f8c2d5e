//! Warnings reach every output: each kind × `simulate`, `gradient`, `optimize`, fits, `sweep` and `verify`.

mod models;

use crate::common::Folder;
use gradyn::WarningCode;
use models::{BY_LUCK, Case, MODELS, Stage};

/// The model of a case as a file.
const MODEL: &str = "model.toml";

/// Does a text name the kind of a warning?
fn names(text: &str, code: WarningCode) -> bool {
    // the text of this one says it all
    match code {
        WarningCode::RepeatedJoint => {
            text.contains("repeats what other joints") || text.contains(code.name())
        }
        code => text.contains(code.name()),
    }
}

/// Every kind has a model.
#[test]
fn every_kind_has_a_model() {
    let missing: Vec<&str> = WarningCode::ALL
        .iter()
        .filter(|code| !BY_LUCK.contains(code) && !MODELS.iter().any(|m| m.code == **code))
        .map(|code| code.name())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What a command says of a case on both streams and in the files that it writes.
fn said(case: &Case, command: &[&str], files: &[&str]) -> String {
    let folder = Folder::with(MODEL, &case.text(command[0] == "fit"));
    let command: Vec<&str> =
        command.iter().map(|word| if *word == "fit" { "optimize" } else { word }).collect();
    let method = if command[0] == "verify" { case.method_of_verify() } else { case.method.to_vec() };
    let args = [command, method].concat();
    let out = folder.run(&args);
    let written: String = files.iter().filter(|f| folder.exists(f)).map(|f| folder.read(f)).collect();
    format!("{}\n{}\n{written}", out.stdout, out.stderr)
}

/// Commands that run a model of that stage, with the files that they write.
fn commands(stage: Stage) -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let all: [(&[&str], &[&str]); 11] = [
        (&["simulate", MODEL], &[]),
        (&["simulate", MODEL, "--json", "--quiet"], &[]),
        (&["gradient", MODEL, "--no-certificate"], &[]),
        (&["gradient", MODEL, "--no-certificate", "--json", "--quiet"], &[]),
        (&["optimize", MODEL, "--max-evaluations", "2", "--no-certificate"], &[]),
        (&["optimize", MODEL, "--max-evaluations", "2", "--no-certificate", "--json", "--quiet"], &[]),
        (&["optimize", MODEL, "--max-evaluations", "2", "--quiet", "--out", "t.json"], &["t.json"]),
        (&["fit", MODEL, "--max-evaluations", "2", "--quiet"], &[]),
        (&["fit", MODEL, "--max-evaluations", "2", "--json", "--quiet"], &[]),
        (&["sweep", MODEL, "--vary", "p=NOMINAL", "--quiet"], &[]),
        (&["verify", MODEL, "--json", "--quiet"], &[]),
    ];
    let asked = |(command, _): &(&[&str], &[&str])| match stage {
        Stage::Run => true,
        Stage::Gradient => !["simulate", "fit", "verify"].contains(&command[0]),
        Stage::Differences => command[0] == "verify" || command[0] == "gradient",
        Stage::Table => command.contains(&"--out"),
    };
    all.into_iter().filter(asked).map(|(command, files)| (command.to_vec(), files.to_vec())).collect()
}

/// Outputs of a case that do not name its warning.
fn silent(case: &Case) -> Vec<String> {
    let vary = format!("p={}", case.nominal());
    let mut silent = vec![];
    let fits = |command: &[&str]| command[0] != "fit" || !case.of_objective;
    for (command, files) in commands(case.stage).into_iter().filter(|(command, _)| fits(command)) {
        let command: Vec<&str> =
            command.iter().map(|word| if *word == "p=NOMINAL" { vary.as_str() } else { word }).collect();
        let said = said(case, &command, &files);
        let refused = case.refusal.is_some_and(|refusal| said.contains(refusal));
        if !names(&said, case.code) && !refused {
            let start: String = said.chars().take(1500).collect();
            silent.push(format!("{}: gradyn {}: {start}", case.code, command.join(" ")));
        }
    }
    silent
}

/// A few kinds, one of each stage.
#[test]
fn warnings_reach_every_output() {
    let quick = [WarningCode::Drift, WarningCode::Zero, WarningCode::NotFinite, WarningCode::NotSmooth];
    let silent: Vec<String> = MODELS.iter().filter(|m| quick.contains(&m.code)).flat_map(silent).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Every kind.
#[test]
#[ignore = "all"]
fn all_warnings_reach_every_output() {
    let silent: Vec<String> = MODELS.iter().flat_map(silent).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
