//! A search for messages that no test has: the first text of every call that makes an error, and of every
//! `#[error("…")]`, must have its longest part without placeholders in a test or a snapshot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What makes errors: functions of the errors, and closures and functions around them.
const MAKERS: &[&str] = &[
    "ModelError::new",
    "ExpressionError::new",
    "Error::method",
    "Error::argument",
    "Failure::command",
    "wrong",
    "fail",
    "refuse",
    "error",
];

/// Crates whose messages users see.
const CRATES: &[&str] =
    &["gradyn-model", "gradyn-dynamics", "gradyn-sensitivity", "gradyn-optimize", "gradyn", "gradyn-cli"];

/// Shorter parts say nothing that could be looked for [letters].
const LEAST: usize = 9;

/// A part of this length tells a message from others, though it is not its longest [letters].
const LONG: usize = 20;

/// Messages that cannot be provoked by a test, and why.
const UNPROVOKED: &[(&str, &str)] = &[
    (
        "joint `{joint}` repeats other joints: its reaction is not determined",
        "the build begins again with rows for every joint",
    ),
    ("`{name}` was assembled half a turn off its angle", "no model of the tests is assembled so"),
    (
        "velocity = \"rest\": `{row}` moves by itself, so that not everything can be at rest",
        "no model of the tests has such a row beside what drives it",
    ),
    ("sample t = {} s is the time of an event, which parameters move", "to the last bit by chance only"),
    (
        "the final time depends on parameters, and the derivative of output `{}` there has an error",
        "no test asks for such an output",
    ),
    ("driver `{name}`: what it drives is missing", "the table of keys asks for it before"),
    (
        "the condition for the final time, the last objective, has an integrand",
        "no system of the tests has a condition with an integrand that passes zero",
    ),
    ("{} was written by another run just now", "two runs would have to meet within a millisecond"),
    ("there are no threads: {e}", "the system would have to refuse them"),
    ("the start failed", "a start that fails has a reason"),
    ("there is no reference to compare with", "it is the text of rows of `verify`, below the reason"),
    ("the independent constraints become dependent at t = {t} s", "runs of the tests stop before"),
    (
        "the constraints drift: they are violated by {violation:.1e} at t = {t} s",
        "no run of the tests drifts so far",
    ),
    (
        "{} is on another side at t = {} s than the step has",
        "wrong decisions are put into plans, whose words differ",
    ),
    ("{name} has another turn at t = {} s than its rate leads to", "wrong decisions are put into plans"),
    (
        "t = {t:.6} s: a condition of {what} jumps over zero there: beside the jump it is {rest:.1e}",
        "its tests ask for the event",
    ),
    ("--memory: a table with a row of every step is as long as the run", "its test asks for the exit code"),
    (
        "{what} needs all records of a run at once, and this run has a memory budget",
        "its tests ask for a refusal",
    ),
    (
        "t = {t:.6} s: the record that was made again there is not the one of the run",
        "no record of the tests is made again wrongly",
    ),
    ("t = {t:.6} s: the records of {steps} steps take {}, and {} are free", "its test asks for the advice"),
    (
        "the design is assembled on another branch than the start",
        "designs of the tests that would be are refused before, or walked to",
    ),
    ("its model is missing", "the data of the benchmarks are tested as a whole"),
    (
        "the data of the benchmark `{name}` is broken: {why}",
        "the data of the benchmarks are tested as a whole",
    ),
    ("there is no benchmark `{name}`", "its test asks for the names that there are"),
];

/// Rust files and snapshots in a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => files(&path, out),
            Some("rs" | "snap") => out.push(path),
            _ => {}
        }
    }
}

/// The text of a file; of Rust without comments and without the tests at its end.
fn text(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.extension().is_some_and(|e| e == "snap") {
        return text;
    }
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
    let comment = |line: &&str| line.trim_start().starts_with("//");
    code.lines().filter(|l| !comment(l)).collect::<Vec<_>>().join("\n")
}

/// Letters and digits, words apart by one blank.
fn words(text: &str) -> String {
    let unfolded = text.replace("\\n", " ").replace("\\\"", " ");
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    unfolded.split(|c| !letter(c)).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The parts of a format string between its placeholders, as words.
fn parts(format: &str) -> Vec<String> {
    let unfolded = format.replace("\\\n", " ");
    let parts = unfolded.split('{').map(|p| p.split_once('}').map_or(p, |(_, rest)| rest));
    parts.map(words).collect()
}

/// The longest of them.
fn longest(format: &str) -> String {
    parts(format).into_iter().max_by_key(String::len).unwrap_or_default()
}

/// The text of the first literal of some code, if it stands before anything else that ends a statement.
fn literal(code: &str) -> Option<&str> {
    let start = code.find('"')? + 1;
    if code[..start].contains(';') {
        return None;
    }
    let mut escaped = false;
    let end = code[start..].find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(&code[start..start + end])
}

/// The code between the parenthesis that opens before `code` and its partner.
fn arguments(code: &str) -> &str {
    let mut depth = 1;
    let mut quoted = false;
    let mut escaped = false;
    let end = code.find(|c: char| {
        match c {
            '"' if !escaped => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        depth == 0
    });
    &code[..end.unwrap_or(code.len())]
}

/// The messages of a call with these arguments: its first text, or those of the statement that gives the
/// variable which is its first argument; `before` is the code before the call.
fn messages<'a>(before: &'a str, arguments: &'a str) -> Vec<&'a str> {
    let first = arguments.split(',').next().unwrap_or("").trim();
    let variable = !first.is_empty() && first.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !variable {
        let own = literal(arguments).filter(|_| !first.starts_with('&') || first.contains('"'));
        return own.into_iter().collect();
    }
    let Some(at) = before.rfind(&format!("let {first} =")) else { return vec![] };
    let mut code = before[at..].split(";\n").next().unwrap_or("");
    let mut found = vec![];
    while let Some(text) = literal(code) {
        found.push(text);
        let end = text.as_ptr() as usize - code.as_ptr() as usize + text.len() + 1;
        code = &code[end..];
    }
    found
}

/// The messages of a source file.
fn made(code: &str) -> Vec<&str> {
    let mut found: Vec<&str> = vec![];
    // calls
    for maker in MAKERS {
        for (at, _) in code.match_indices(&format!("{maker}(")) {
            let inside = code[..at].ends_with(|c: char| c.is_alphanumeric() || "_.#[".contains(c));
            if inside || code[..at].ends_with("fn ") {
                continue;
            }
            let rest = &code[at + maker.len() + 1..];
            found.extend(messages(&code[..at], arguments(rest)));
        }
    }
    // variants of errors
    let variants = code.match_indices("#[error(");
    found.extend(variants.filter_map(|(at, _)| literal(arguments(&code[at + 8..]))));
    found
}

/// Every message is in a test or a snapshot, but for a short list.
#[test]
fn every_message_is_tested() {
    // what tests and snapshots have
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates").to_owned();
    let mut tests = vec![];
    std::fs::read_dir(&crates)
        .expect("crates")
        .for_each(|c| files(&c.expect("a crate").path().join("tests"), &mut tests));
    let own = Path::new(file!()).file_name().expect("a name");
    let seen: String = tests
        .iter()
        .filter(|p| p.file_name() != Some(own))
        .map(|p| words(&text(p).replace("\\\n", " ")) + "\n")
        .collect();

    // messages of the sources that are not among it
    let mut missing: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for name in CRATES {
        let mut sources = vec![];
        files(&crates.join(name).join("src"), &mut sources);
        for path in sources {
            let code = text(&path);
            for message in made(&code) {
                let part = longest(message);
                count += 1;
                let told = parts(message).iter().any(|p| (p.len() >= LONG || *p == part) && seen.contains(p));
                if part.len() >= LEAST && !told {
                    missing.insert(
                        part,
                        format!("{}: {message}", path.strip_prefix(&crates).expect("inside").display()),
                    );
                }
            }
        }
    }

    // those that cannot be provoked are no others than these
    let excepted = |part: &str| UNPROVOKED.iter().any(|(text, _)| longest(text) == part);
    let unseen: Vec<&String> = missing.iter().filter(|(part, _)| !excepted(part)).map(|(_, m)| m).collect();
    let known: Vec<&str> =
        UNPROVOKED.iter().map(|u| u.0).filter(|text| !missing.contains_key(&longest(text))).collect();
    assert!(count > 400, "only {count} messages were found");
    assert!(unseen.is_empty(), "{} of {count} messages are in no test:\n{unseen:#?}", unseen.len());
    assert!(known.is_empty(), "tested, or gone: {known:#?}");
}
