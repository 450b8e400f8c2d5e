//! The stages of each task: what cargo is asked to do.

use crate::python;
use crate::tools::{DENY, Tool, has_advisories};

/// Commands of cargo under one name.
pub(crate) struct Stage {
    /// Name on the command line.
    pub name: &'static str,
    /// A tool that the commands need.
    pub tool: Option<Tool>,
    /// Arguments of cargo, one list a command.
    pub commands: Vec<Vec<String>>,
    /// What is not done by cargo alone.
    pub also: Option<Also>,
}

/// The part of a stage that another program does, where it is there.
pub(crate) struct Also {
    /// What is missing, if something is: the stage is skipped.
    pub missing: fn() -> Option<&'static str>,
    /// Does it; says whether it succeeded.
    pub run: fn() -> bool,
}

impl Stage {
    /// A stage of cargo.
    fn new(name: &'static str, commands: Vec<Vec<String>>) -> Self {
        Self { name, tool: None, commands, also: None }
    }
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
        Stage::new("format", vec![words("fmt --all --check")]),
        Stage::new("lints", vec![words(&clippy)]),
        Stage::new("rust", rust),
        python(all),
        Stage::new("documentation", vec![words("doc --workspace --no-deps")]),
    ];
    if all {
        stages.push(dependencies());
    }
    stages
}

/// The package of Python, from the libraries that the tests of Rust have built.
fn python(all: bool) -> Stage {
    let missing = || python::interpreter().is_none().then_some("Python 3.11 or newer with venv and pip");
    let run = if all { || python::test(true) } else { || python::test(false) };
    Stage { also: Some(Also { missing, run }), ..Stage::new("python", vec![]) }
}

/// Licences, versions and sources of dependencies by `deny.toml`; advisories from a copy of their database.
fn dependencies() -> Stage {
    let advisories = if has_advisories() { "advisories" } else { "" };
    let check = format!("deny --offline check {advisories} licenses bans sources");
    Stage { tool: Some(DENY), ..Stage::new("dependencies", vec![words(&check)]) }
}

/// The tests that an edit of a kernel breaks first, lightly optimised.
pub(crate) fn quick() -> Vec<Stage> {
    let kernels = "test --profile quick -p gradyn-num -p gradyn-model -p gradyn-dynamics --quiet";
    let methods = "test --profile quick -p gradyn --test quick --quiet";
    vec![Stage::new("kernels", vec![words(kernels)]), Stage::new("methods", vec![words(methods)])]
}

/// Hashes of what is computed, written by an example of gradyn-bench.
pub(crate) fn bits(names: &[String]) -> Stage {
    let mut command =
        words("run --quiet --profile bench --package gradyn-bench --example bits -- target/bits.txt");
    command.extend_from_slice(names);
    Stage::new("bits", vec![command])
}

/// The page on certificates, by the libraries that the tests have built.
pub(crate) fn trust() -> Stage {
    let command = "run --quiet --profile test --package gradyn-bench --example trust";
    Stage::new("trust", vec![words(command)])
}

/// Tables and plots of the papers, by the libraries that the tests have built.
pub(crate) fn reproduce(names: &[String]) -> Stage {
    let mut command = words("run --quiet --profile test --package gradyn-bench --example reproduce --");
    command.extend_from_slice(names);
    Stage::new("reproduction", vec![command])
}
