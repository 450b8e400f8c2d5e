//! The stage of Python: an environment below `target/tools`, a wheel from the libraries of the tests, pytest
//! and mypy.

use crate::tools::folder;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pinned packages that tests need.
const REQUIREMENTS: &str = "python/requirements-test.txt";
/// What the interpreter must have: the pinned packages need that version.
const SUITABLE: &str = "import sys, venv; sys.exit(sys.version_info < (3, 11))";
/// What gives an environment a pip of its own; Debian has it in the package `python3-venv`.
const ENSUREPIP: &str = "import ensurepip";
/// A pip that installs into environments of others.
const PIP: &str = "import sys, pip; sys.exit(tuple(map(int, pip.__version__.split('.')[:2])) < (22, 3))";

/// An interpreter that makes environments and fills them; nothing where there is none.
pub(crate) fn interpreter() -> Option<String> {
    let suitable = |name: &&str| {
        let python = Path::new(name);
        succeeds(python, SUITABLE) && (succeeds(python, ENSUREPIP) || succeeds(python, PIP))
    };
    ["python3", "python"].into_iter().find(suitable).map(str::to_owned)
}

/// Does a line of Python succeed? What it prints is not shown.
fn succeeds(python: &Path, code: &str) -> bool {
    let asked = Command::new(python).args(["-c", code]).output();
    asked.is_ok_and(|found| found.status.success())
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
    let without = if succeeds(&base, ENSUREPIP) { "" } else { "--without-pip " };
    let made = command(&base, &format!("-m venv --clear {without}{}", root.display()))
        && pip(&python, &format!("--only-binary=:all: --requirement {REQUIREMENTS}"));
    made.then(|| std::fs::write(ready, "")).and_then(Result::ok).map(|()| python)
}

/// Installs into an environment, by its own pip or by that of the interpreter that made it.
fn pip(python: &Path, what: &str) -> bool {
    if succeeds(python, "import pip") {
        return command(python, &format!("-m pip install --quiet {what}"));
    }
    let Some(base) = interpreter() else { return false };
    command(Path::new(&base), &format!("-m pip --python {} install --quiet {what}", python.display()))
}

/// Packs the wheel into an empty folder and installs that file: no other wheel can take its place.
fn install(python: &Path) -> bool {
    let wheels = folder().join("wheels");
    if wheels.exists() && std::fs::remove_dir_all(&wheels).is_err() {
        return false;
    }
    let mut pack = Command::new(python);
    pack.args(["python/pack.py", "target/debug"]).arg(&wheels).stderr(Stdio::inherit());
    let Some(packed) = pack.output().ok().filter(|p| p.status.success()) else { return false };
    let path = String::from_utf8_lossy(&packed.stdout);
    pip(python, &format!("--no-deps --force-reinstall --no-index {}", path.trim()))
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
