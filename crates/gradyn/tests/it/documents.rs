//! The documents tell the truth: functions and tests that they name exist, links lead somewhere, every
//! registered name is described.

use gradyn::file::{force_types, joint_types, shape_types, tyre_law_types};
use gradyn::optimize::{Optimizer, Status};
use gradyn::registry::{Formulation, Integrator, OPTIONS, Sensitivity};
use std::path::{Path, PathBuf};

/// Rows of EQUATIONS.md when this test was written: the index only grows.
const EQUATION_ROWS: usize = 159;

/// Words of the glossary of NOTATION.md when its test was written.
const GLOSSARY_WORDS: usize = 69;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The Markdown files of the root and of docs/.
fn documents() -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root().join("docs")], vec![]);
    let entries = |folder: &Path| {
        let list = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        list.map(|e| e.unwrap().path()).collect::<Vec<_>>()
    };
    let markdown = |p: &PathBuf| p.extension().is_some_and(|e| e == "md");
    files.extend(entries(&root()).into_iter().filter(markdown));
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if markdown(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Text between backticks, on one line.
fn code(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Does a source file define the function?
fn defines(source: &str, name: &str) -> bool {
    source.match_indices(&format!("fn {name}")).any(|(at, found)| {
        let next = source[at + found.len()..].chars().next();
        matches!(next, Some('(' | '<'))
    })
}

/// `file.rs::name` below crates/: what is wrong with it, if anything.
fn missing(reference: &str) -> Option<String> {
    let (file, name) = reference.split_once("::")?;
    let path = root().join("crates").join(file);
    match std::fs::read_to_string(&path) {
        Err(_) => Some(format!("{reference}: there is no file {file}")),
        Ok(source) if !defines(&source, name) => Some(format!("{reference}: {file} has no `fn {name}`")),
        Ok(_) => None,
    }
}

#[test]
fn every_equation_has_its_function() {
    let text = read(&root().join("docs/EQUATIONS.md"));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|l| l.starts_with('|'))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells[0] != "paper" && !cells[0].starts_with("---"))
        .collect();
    assert!(rows.len() >= EQUATION_ROWS, "{} rows, fewer than {EQUATION_ROWS}", rows.len());
    let mut wrong = vec![];
    for cells in &rows {
        assert_eq!(cells.len(), 4, "{cells:?}");
        assert!(["M13", "A22", "C12", "P14", "B92"].contains(&cells[0]), "{cells:?}: unknown paper");
        assert!(cells[1].starts_with(|c: char| c.is_ascii_digit()), "{cells:?}: no equation");
        let function = cells[2].trim_matches('`');
        assert!(function.contains(".rs::"), "{cells:?}: write crate/src/file.rs::name");
        wrong.extend(missing(function));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions and tests that other documents name in the same form.
#[test]
fn named_functions_exist() {
    let is_reference =
        |c: &&str| c.contains(".rs::") && !c.contains(char::is_whitespace) && !c.contains(['{', '<', '*']);
    let mut wrong = vec![];
    for path in documents() {
        let text = read(&path);
        let found = code(&text).into_iter().filter(is_reference).filter_map(missing);
        wrong.extend(found.map(|w| format!("{}: {w}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Does the word stand alone somewhere in the text?
fn contains_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Words of the glossary are identifiers of the file that it names.
#[test]
fn words_of_the_glossary_are_in_the_sources() {
    let text = read(&root().join("docs/NOTATION.md"));
    let (_, glossary) = text.split_once("\n## Words").expect("NOTATION.md has a section `Words`");
    let mut words = 0;
    let mut wrong = vec![];
    for line in glossary.lines().filter(|l| l.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{line}");
        assert!(!cells[0].is_empty() && !cells[3].is_empty(), "{line}: a word and its meaning");
        let [word, file] = [cells[1], cells[2]].map(|cell| code(cell).first().copied());
        let (Some(word), Some(file)) = (word, file) else { continue };
        let source = std::fs::read_to_string(root().join("crates").join(file)).unwrap_or_default();
        if !contains_word(&source, word) {
            wrong.push(format!("`{word}` is not in {file}"));
        }
        words += 1;
    }
    assert!(words >= GLOSSARY_WORDS, "{words} words, fewer than {GLOSSARY_WORDS}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_lead_to_files() {
    let mut wrong = vec![];
    for path in documents() {
        let text = read(&path);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap_or("");
            let file = target.split('#').next().unwrap_or("");
            if file.is_empty() || target.contains("://") || target.contains(char::is_whitespace) {
                continue;
            }
            if !path.parent().unwrap().join(file).exists() {
                wrong.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "dead links:\n{}", wrong.join("\n"));
}

#[test]
fn every_registered_name_is_described() {
    let [methods, files, optimise] =
        ["docs/METHODS.md", "docs/MODEL_FILE.md", "docs/OPTIMISE.md"].map(|f| read(&root().join(f)));
    let mut names: Vec<&str> = Formulation::ALL.iter().map(|f| f.name()).collect();
    names.extend(Integrator::ALL.iter().map(|i| i.name()));
    names.extend(Sensitivity::ALL.iter().map(|s| s.name()));
    names.extend(OPTIONS.iter().map(|o| o.name));
    names.extend(Optimizer::NAMES.iter().chain(Status::NAMES));
    names.extend(joint_types().into_iter().chain(force_types()).map(|t| t.0));
    names.extend(tyre_law_types().into_iter().chain(shape_types()).map(|t| t.0));
    let described: Vec<&str> =
        [&methods, &files, &optimise].into_iter().flat_map(|text| code(text)).collect();
    let absent: Vec<&str> = names.into_iter().filter(|n| !described.contains(n)).collect();
    assert!(
        absent.is_empty(),
        "neither METHODS.md nor MODEL_FILE.md nor OPTIMISE.md has `{}`",
        absent.join("`, `")
    );
}

/// Defaults and ranges in METHODS.md are those of the registry.
#[test]
fn defaults_and_ranges_are_those_of_the_registry() {
    let text = read(&root().join("docs/METHODS.md"));
    for o in OPTIONS {
        let row = text.lines().find(|l| l.starts_with(&format!("| `{}` |", o.name)));
        let row = row.unwrap_or_else(|| panic!("METHODS.md has no row for the option {}", o.name));
        let range = o.range.map_or("words".into(), |r| r.to_string());
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells[1..3], [o.default, &range], "{row}");
    }
}

/// Types of public signatures can be named from this crate alone.
#[test]
fn types_of_signatures_have_names() {
    fn of<T>() -> &'static str {
        std::any::type_name::<T>()
    }
    let names = [
        of::<gradyn::Mechanics>(),
        of::<gradyn::Search>(),
        of::<gradyn::Dependent>(),
        of::<gradyn::FactorError>(),
        of::<gradyn::optimize::ProblemError>(),
        of::<gradyn::optimize::Outcome>(),
        of::<gradyn::optimize::Failed>(),
        of::<gradyn::optimize::Constraint>(),
        of::<gradyn::optimize::ConstraintKind>(),
        of::<gradyn::optimize::Transform>(),
        of::<gradyn::optimize::ActiveBound>(),
    ];
    assert!(names.iter().all(|name| name.contains("gradyn")), "{names:?}");
}
