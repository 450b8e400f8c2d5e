//! The stages of each task: what cargo is asked to do.

use crate::tools::{DENY, Tool, has_advisories};

/// Commands of cargo under one name.
pub(crate) struct Stage {
    /// Name on the command line.
    pub name: &'static str,
    /// A tool that the commands need.
    pub tool: Option<Tool>,
    /// Arguments of cargo, one list a command.
    pub commands: Vec<Vec<String>>,
}

/// What `--all` adds: optional features of the command.
const PARQUET: &str = "--features=gradyn-cli/parquet";

/// The words of a command line.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Everything that must be green; with `all`, full cross products (tests that say `#[ignore = "all"]`),
/// optional features and benches.
pub(crate) fn test(all: bool) -> Vec<Stage> {
    let features = if all { PARQUET } else { "" };
    let clippy = format!("clippy --workspace --all-targets {features} -- -D warnings");
    let build = format!("test --workspace {features} --no-run");
    let tests =
        format!("test --workspace {features} --quiet -- {}", if all { "--include-ignored" } else { "" });
    let mut rust = vec![words(&build), words(&tests)];
    if all {
        rust.push(words("bench --workspace --no-run"));
    }
    let mut stages = vec![
        Stage { name: "format", tool: None, commands: vec![words("fmt --all --check")] },
        Stage { name: "lints", tool: None, commands: vec![words(&clippy)] },
        Stage { name: "rust", tool: None, commands: rust },
        Stage { name: "documentation", tool: None, commands: vec![words("doc --workspace --no-deps")] },
    ];
    if all {
        stages.push(dependencies());
    }
    stages
}

/// Licences, versions and sources of dependencies by `deny.toml`; advisories from a copy of their database.
fn dependencies() -> Stage {
    let advisories = if has_advisories() { "advisories" } else { "" };
    let check = format!("deny --offline check {advisories} licenses bans sources");
    Stage { name: "dependencies", tool: Some(DENY), commands: vec![words(&check)] }
}

/// The tests that an edit of a kernel breaks first, lightly optimised.
pub(crate) fn quick() -> Vec<Stage> {
    let kernels = "test --profile quick -p gradyn-num -p gradyn-model -p gradyn-dynamics --quiet";
    let methods = "test --profile quick -p gradyn --test quick --quiet";
    vec![
        Stage { name: "kernels", tool: None, commands: vec![words(kernels)] },
        Stage { name: "methods", tool: None, commands: vec![words(methods)] },
    ]
}

/// Hashes of what is computed, written by an example of gradyn-bench.
pub(crate) fn bits(names: &[String]) -> Stage {
    let mut command =
        words("run --quiet --profile bench --package gradyn-bench --example bits -- target/bits.txt");
    command.extend_from_slice(names);
    Stage { name: "bits", tool: None, commands: vec![command] }
}

/// The page on certificates, by the libraries that the tests have built.
pub(crate) fn trust() -> Stage {
    let command = "run --quiet --profile test --package gradyn-bench --example trust";
    Stage { name: "trust", tool: None, commands: vec![words(command)] }
}

/// Tables and plots of the papers, by the libraries that the tests have built.
pub(crate) fn reproduce(names: &[String]) -> Stage {
    let mut command = words("run --quiet --profile test --package gradyn-bench --example reproduce --");
    command.extend_from_slice(names);
    Stage { name: "reproduction", tool: None, commands: vec![command] }
}
