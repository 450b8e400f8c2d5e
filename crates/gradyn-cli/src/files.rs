//! How the command writes and reads files.
//!
//! | file | how it is written |
//! | --- | --- |
//! | a whole one: models, tables, examples | to a temporary file beside it, synced, renamed (`whole`) |
//! | one that grows: histories, tables of sweeps | whole lines with checksums, synced (`lines`) |
//! | a pipe or a device | directly |
//!
//! Nothing that exists is replaced unless that is asked for, and what a command reads never is, but for a
//! model by the model that an optimisation writes.

mod checksum;
mod lines;
mod read;
mod whole;

pub(crate) use checksum::Checksum;
pub(crate) use lines::{Form, Lines};
pub(crate) use read::{beside, model};

use crate::diagnostic::Failure;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Which files a command may write.
pub(crate) struct Targets {
    /// What the command reads.
    inputs: Vec<PathBuf>,
    /// May files that exist be replaced?
    replace: bool,
}

impl Targets {
    /// For a command that reads some files.
    pub(crate) fn new(replace: bool, inputs: &[&Path]) -> Self {
        Self { inputs: inputs.iter().map(|path| resolved(path)).collect(), replace }
    }
    /// Refuses what the command reads.
    pub(crate) fn check_input(&self, path: &Path) -> Result<(), Failure> {
        if self.inputs.contains(&resolved(path)) && !is_special(path) {
            let message = format!("{} is another file of this command: it is not replaced", path.display());
            return Err(Failure::command(message, "choose another name"));
        }
        Ok(())
    }
    /// Refuses, before the work is done, a file that must not or could not be written after it.
    pub(crate) fn check(&self, path: &Path) -> Result<(), Failure> {
        check_folder(path)?;
        self.check_input(path)?;
        if path.is_dir() {
            return Err(cannot_write(path, &ErrorKind::IsADirectory.into(), "give the name of a file"));
        }
        let there = std::fs::symlink_metadata(path).is_ok() && !is_special(path);
        if there && !self.replace { Err(exists(path)) } else { Ok(()) }
    }
    /// Writes a whole file.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.check(path)?;
        whole::write(path, bytes, self.replace).map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => exists(path),
            _ => cannot_write(path, &e, ""),
        })
    }
}

fn exists(path: &Path) -> Failure {
    Failure::command(
        format!("{} exists", path.display()),
        "choose another name, or replace it by --overwrite",
    )
}

fn cannot_write(path: &Path, e: &std::io::Error, help: &str) -> Failure {
    Failure::command(format!("{} cannot be written: {e}", path.display()), help)
}

/// Refuses a file in a directory that does not exist.
pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    match path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir()) {
        Some(folder) => {
            let message = format!("{name} cannot be written: there is no directory {}", folder.display());
            Err(Failure::command(message, "create it first"))
        }
        None => Ok(()),
    }
}

/// Are two paths those of one file, which one of them would replace?
pub(crate) fn same(a: &Path, b: &Path) -> bool {
    resolved(a) == resolved(b) && !is_special(a)
}

/// A path without links, also of a file that is not there yet.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let there = path.canonicalize();
    there
        .or_else(|_| Ok(folder.canonicalize()?.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_: std::io::Error| path.to_owned())
}

/// Is there something in a file that `--resume` may go on with?
pub(crate) fn is_begun(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.len() > 0)
}

/// Is it a pipe or a device?
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}
