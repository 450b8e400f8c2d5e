//! How files are written and read: whole or not at all, never over what is there, damage found by name.

mod checksums;
mod full;
mod killed;
mod limits;
mod paths;
mod replaced;
mod screen;

use crate::common::{Folder, Outcome};

const BALANCE: &str = "five_bar_balance.toml";
const HISTORY: &str = "five_bar_balance.history.jsonl";

/// A model, and commands that write every kind of file.
fn balance() -> Folder {
    Folder::example("five_bar_balance")
}

/// The message without line breaks and frames.
fn message(out: &Outcome) -> String {
    out.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// A command that is refused as wrong, and why.
#[track_caller]
fn refused(folder: &Folder, args: &[&str], why: &str) {
    let out = folder.run(args);
    assert_eq!(out.code, 2, "{}\n{}{}", out.command, out.stdout, out.stderr);
    assert!(message(&out).contains(why), "{}\n{}", out.command, message(&out));
}

/// Temporary files that are left.
fn left(folder: &Folder) -> usize {
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".gradyn-")).count()
}
