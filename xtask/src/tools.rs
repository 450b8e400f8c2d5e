//! Tools that stages need beside cargo: they are built once, below `target/tools`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What checks licences, versions and sources of dependencies.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

/// A published program in a fixed version.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// Builds it if it is missing, which takes minutes and the network; says whether it is there. It is used
    /// for seconds, so that it is not optimised.
    pub(crate) fn ready(&self) -> bool {
        let Self { name, version } = self;
        if folder().join("bin").join(name).exists() {
            return true;
        }
        println!("   {name} is missing: it is built into {}, which takes some minutes", folder().display());
        let root = folder();
        let built = Command::new(super::cargo_path())
            .args(["install", name, "--version", version, "--locked", "--debug", "--quiet", "--root"])
            .arg(&root)
            .status();
        built.is_ok_and(|s| s.success())
    }
}

/// Where the tools are.
pub(crate) fn folder() -> PathBuf {
    Path::new("target").join("tools")
}

/// The path of commands, the tools first: so cargo finds `cargo deny`.
pub(crate) fn path() -> std::ffi::OsString {
    let own = std::env::current_dir().unwrap_or_default().join(folder()).join("bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(own).chain(std::env::split_paths(&others));
    std::env::join_paths(all).unwrap_or(others)
}

/// Is a copy of the database of advisories at hand? It is not fetched.
pub(crate) fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.is_some_and(|home| home.join("advisory-dbs").is_dir())
}
