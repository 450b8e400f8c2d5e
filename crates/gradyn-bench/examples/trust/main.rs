//! What certificates say about models whose truth is known: `docs/trust.md`.
//!
//! Called by `cargo xtask trust`. Ends with an error if a claim of the page does not hold: a run that is wrong
//! without a word, or stated errors that are too small or too large.

#[path = "../../../gradyn/tests/it/trust/cell.rs"]
mod cell;
#[path = "../../../gradyn/tests/it/trust/coverage.rs"]
mod coverage;
#[path = "../../../gradyn/tests/it/trust/sweep.rs"]
mod sweep;

use cell::silent_cell;
use coverage::{Counts, counts};
use gradyn::Coordinates;
use gradyn_testkit::silent::{SILENT, Silent, Steps};
use std::path::Path;
use std::process::ExitCode;

/// Most characters of a message in a table.
const LONGEST: usize = 130;

/// A section of the page, and what does not hold in it.
type Section = (String, Vec<String>);

/// The sections, in the order of the page; each begins with the text that explains it.
const SECTIONS: &[(&str, fn() -> Section)] = &[("silent", silent), ("sweep", swept), ("coverage", covered)];

fn main() -> ExitCode {
    let mut page = include_str!("text/head.md").to_owned();
    let mut wrong = vec![];
    for (name, section) in SECTIONS {
        println!("   {name}");
        let (text, does_not_hold) = section();
        page += "\n";
        page += &text;
        wrong.extend(does_not_hold);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trust.md");
    std::fs::write(path, page).expect("docs can be written");

    // claims that do not hold
    if wrong.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("does not hold:\n{}", wrong.join("\n"));
    ExitCode::FAILURE
}

/// Runs that would be wrong without a word.
fn silent() -> Section {
    let mut text = include_str!("text/silent.md").to_owned();
    text +=
        "\n| what is wrong | method | it ends in | warnings | because |\n| --- | --- | --- | --- | --- |\n";
    let mut wrong = vec![];
    for s in SILENT {
        let cell = silent_cell(s, Coordinates::Natural);
        let warnings = cell.warnings().join(", ");
        let row = [s.name, &method_of(s), &cell.outcome(), &warnings, &cell.why()].map(cell_text);
        text += &format!("| {} |\n", row.join(" | "));
        if cell.is_silent() {
            wrong.push(format!("{} is silent", s.name));
        }
    }
    text += &format!("\n{} of {} are not silent.\n", SILENT.len() - wrong.len(), SILENT.len());
    (text, wrong)
}

/// Formulation, integrator, steps and options in a few words.
fn method_of(s: &Silent) -> String {
    let steps = match s.steps {
        Steps::Fixed(h) => format!("{h} s"),
        Steps::Tolerance(tolerance) => format!("rtol {tolerance:.0e}"),
    };
    let options: String = s.options.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    format!("{} + {}, {steps}{options}", s.method[0], s.method[1])
}

/// A text that fits into a cell of a table: its first line, shortened.
fn cell_text(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().replace('|', "\\|");
    if line.chars().count() <= LONGEST {
        return line;
    }
    let short: String = line.chars().take(LONGEST).collect();
    format!("{} …", short.rsplit_once(' ').map_or(short.as_str(), |s| s.0))
}

/// The same models by many methods.
fn swept() -> Section {
    let mut text = include_str!("text/sweep.md").to_owned();
    text +=
        "\n| model | refused | named | trusted and right | silent |\n| --- | ---: | ---: | ---: | ---: |\n";
    let mut wrong = vec![];
    let mut sums = [0; 4];
    for name in sweep::models() {
        let all = sweep::swept(name, Coordinates::Natural);
        let row = [all.refused, all.named, all.right, all.silent.len()];
        text += &format!("| {name} | {} | {} | {} | {} |\n", row[0], row[1], row[2], row[3]);
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        wrong.extend(all.silent);
    }
    text += &format!("| all | {} | {} | {} | {} |\n", sums[0], sums[1], sums[2], sums[3]);
    (text, wrong)
}

/// Stated against true errors.
fn covered() -> Section {
    let mut text = include_str!("text/coverage.md").to_owned();
    text += "\n| model | runs | trusted | entries | within ± | median of ± over the true error |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let mut all = Counts::default();
    for case in coverage::cases() {
        let counts = counts(&case, &case.methods());
        text += &counted(case.name, &counts);
        all.join(counts);
    }
    text += &counted("all", &all);
    let mut wrong = all.wrong.clone();
    if all.coverage() < 0.95 || all.median() > 30.0 {
        wrong.push(format!("± covers {} of the entries, median {}", all.coverage(), all.median()));
    }
    (text, wrong)
}

/// A row of counts.
fn counted(name: &str, counts: &Counts) -> String {
    let [_, runs, trusted] = counts.runs;
    let [coverage, median] = [100.0 * counts.coverage(), counts.median()];
    let median = if median.is_nan() { "-".into() } else { format!("{median:.1}") };
    format!("| {name} | {runs} | {trusted} | {} | {coverage:.1} % | {median} |\n", counts.entries[0])
}
