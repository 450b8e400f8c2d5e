//! Tables as files of comma-separated values or of JSON.

use crate::diagnostic::Failure;
use crate::files::Targets;
use gradyn::Warning;
use gradyn::report::not_finite as found;
use serde_json::Value;
use std::path::Path;

/// A text in comma-separated values; what a spreadsheet would take for a formula is marked as a text.
pub(crate) fn cell(text: &str) -> String {
    let text = if gradyn::file::is_formula(text) { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Rows as comma-separated values, every digit kept.
pub(crate) fn csv(columns: &[String], rows: &[Vec<f64>]) -> String {
    let mut text = columns.iter().map(|c| cell(c)).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in rows {
        let line: Vec<String> = row.iter().map(|x| format!("{x}")).collect();
        text.push_str(&line.join(","));
        text.push('\n');
    }
    text
}

/// What is not finite in a table that begins with the time; said, unless nothing is to be said.
pub(crate) fn not_finite(columns: &[String], rows: &[Vec<f64>], quiet: bool) -> Vec<Warning> {
    let warnings = found(columns, rows);
    if !quiet {
        warnings.iter().for_each(|w| super::complain(&format!("warning: {w}")));
    }
    warnings
}

/// Refuses a table that is neither .csv nor .json.
pub(crate) fn check_kind(path: &Path) -> Result<(), Failure> {
    match path.extension() {
        Some(e) if e == "csv" || e == "json" => Ok(()),
        _ => Err(Failure::command(
            format!("{}: unknown kind of file", path.display()),
            "use a name that ends in .csv or .json",
        )),
    }
}

/// Writes a file whose extension says what it is.
pub(crate) fn write(
    targets: &Targets,
    path: &Path,
    csv: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
) -> Result<(), Failure> {
    check_kind(path)?;
    let text = if path.extension().is_some_and(|e| e == "csv") { csv() } else { json().to_string() + "\n" };
    targets.write(path, text.as_bytes())
}
