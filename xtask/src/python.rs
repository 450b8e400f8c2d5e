//! The stage of Python: an environment below `target/tools`, a wheel from the libraries of the tests, pytest
//! and mypy.

use crate::tools::folder;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pinned packages that tests need.
const REQUIREMENTS: &str = "python/requirements-test.txt";
/// Where the wheel of the tests is packed.
const WHEELS: &str = "target/wheels";
/// What the interpreter must have: the pinned packages need that version.
const SUITABLE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";

/// An interpreter that makes environments; nothing where there is none.
pub(crate) fn interpreter() -> Option<String> {
    let suitable = |name: &&str| {
        let asked = Command::new(name).args(["-c", SUITABLE]).output();
        asked.is_ok_and(|found| found.status.success())
    };
    ["python3", "python"].into_iter().find(suitable).map(str::to_owned)
}

/// Builds, installs and tests; with `all`, long tests too.
pub(crate) fn test(all: bool) -> bool {
    let Some(python) = environment() else { return false };
    let run = |words: &str| command(&python, words);
    // the command and the module, of which the stage `rust` has everything but the last link
    super::cargo(&words("build --workspace --profile test"))
        && install(&python)
        && run(if all { "-m pytest -q --override-ini=addopts= -p no:cacheprovider" } else { "-m pytest -q" })
        && run("-m mypy")
        && run("-m mypy.stubtest gradyn._core --mypy-config-file pyproject.toml")
}

/// The interpreter of the environment, which is made where the pinned packages have changed.
fn environment() -> Option<PathBuf> {
    // a name by the pinned packages
    let mut hasher = DefaultHasher::new();
    std::fs::read_to_string(REQUIREMENTS).ok()?.hash(&mut hasher);
    let root = folder().join(format!("python-{:016x}", hasher.finish()));
    let bin = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = root.join(bin);
    let ready = root.join("ready");
    if ready.exists() {
        return Some(python);
    }

    // a new environment; one that was not finished is made again
    println!("   packages are installed into {}, which takes some minutes", root.display());
    let base = PathBuf::from(interpreter()?);
    let made = command(&base, &format!("-m venv --clear {}", root.display()))
        && command(&python, &format!("-m pip install --quiet --requirement {REQUIREMENTS}"));
    made.then(|| std::fs::write(ready, "")).and_then(Result::ok).map(|()| python)
}

/// Packs the wheel and installs it.
fn install(python: &Path) -> bool {
    let packed = command(python, &format!("python/pack.py target/debug {WHEELS}"));
    let install = "-m pip install --quiet --no-deps --force-reinstall --no-index --find-links";
    packed && command(python, &format!("{install} {WHEELS} gradyn"))
}

/// The words of a command line.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs Python with some words; says whether it succeeded.
fn command(python: &Path, line: &str) -> bool {
    println!("   {} {line}", python.display());
    let status = Command::new(python).args(line.split_whitespace()).status();
    status.is_ok_and(|s| s.success())
}
