//! Tables and figures of the papers from our own runs: `docs/reproduction.md` and its plots.
//!
//! Called by `cargo xtask reproduce`. Words select studies by the beginning of their names (`a22`, `p14-5`),
//! and the other sections stay as they are. Ends with an error if a claim of the page does not hold: a row at
//! h = 0.01 s is farther than 0.012 from the exact values, for one.

mod b92;
mod balance;
mod coach;
mod control;
mod five_bar;
mod four_wheeler;
mod iltis;
mod iltis_optimum;
mod page;
mod printed;
mod runs;
mod svg;

use page::Page;
use std::path::Path;
use std::process::ExitCode;

/// A part of the page.
struct Study {
    name: &'static str,
    /// Titles of its sections.
    titles: &'static [&'static str],
    /// Adds them; returns what does not hold.
    write: fn(&mut Page) -> Vec<String>,
}

const STUDIES: &[Study] = &[
    Study { name: "m13-1", titles: &["M13 Table 1", "M13 Fig. 2"], write: m13 },
    Study { name: "m13-3", titles: &["M13 Fig. 3"], write: balance::study },
    Study { name: "p14-1", titles: &["P14 Table 1"], write: p14 },
    Study { name: "p14-5", titles: &["P14 Tables 5 and 6"], write: iltis::study },
    Study {
        name: "p14-7",
        titles: &["P14 Table 7", "P14 Fig. 6", "P14 Fig. 7"],
        write: iltis_optimum::study,
    },
    Study { name: "a22-1", titles: &["A22 Table 1"], write: five_bar::a22 },
    Study { name: "a22-2", titles: &["A22 Table 2"], write: control::study },
    Study { name: "a22-3", titles: &["A22 Table 3", "A22 Fig. 3"], write: four_wheeler::study },
    Study {
        name: "b92",
        titles: &["B92 Eq. 77", "B92 Fig. 3", "B92 Fig. 4", "B92 Fig. 6", "B92 Fig. 7"],
        write: manipulator,
    },
    Study { name: "c12", titles: &["C12"], write: coach::study },
];

fn main() -> ExitCode {
    // studies that are asked for
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(word) = words.iter().find(|w| !STUDIES.iter().any(|s| s.name.starts_with(w.as_str()))) {
        let names: Vec<&str> = STUDIES.iter().map(|s| s.name).collect();
        eprintln!("no study begins with `{word}`: {}", names.join(", "));
        return ExitCode::from(2);
    }

    // the page; the other sections stay
    let mut page = Page::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs"));
    page.add(include_str!("text/head.md"));
    let mut wrong = vec![];
    for study in STUDIES {
        if words.is_empty() || words.iter().any(|w| study.name.starts_with(w.as_str())) {
            println!("   {}", study.name);
            wrong.extend((study.write)(&mut page));
        } else {
            page.keep(study.titles);
        }
    }
    page.write();

    // claims that do not hold
    if wrong.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("does not hold:\n{}", wrong.join("\n"));
    ExitCode::FAILURE
}

fn m13(page: &mut Page) -> Vec<String> {
    let (text, far) = five_bar::table("M13 Table 1", &printed::m13());
    page.add(&text);
    page.add(include_str!("text/m13.md"));
    page.add("## M13 Fig. 2\n");
    page.figure("m13_fig2", &five_bar::response());
    far
}

fn p14(page: &mut Page) -> Vec<String> {
    let (text, far) = five_bar::table("P14 Table 1", &printed::p14());
    page.add(&text);
    page.add(include_str!("text/p14.md"));
    far
}

/// The sections of B92.
fn manipulator(page: &mut Page) -> Vec<String> {
    page.add(&format!("## B92 Eq. 77\n\n{}", b92::equation_77()));
    page.add(include_str!("text/eq77.md"));
    page.add(include_str!("text/fig3.md"));
    page.figure_with_tables("b92_fig3", "Δp", &[b92::figure_3()]);
    page.add(include_str!("text/fig4.md"));
    page.figure_with_tables("b92_fig4", "ε", &b92::figure_4());
    page.add(include_str!("text/fig6.md"));
    page.figure_with_tables("b92_fig6", "ε", &b92::figure_6());
    page.add(include_str!("text/fig7.md"));
    page.figure_with_tables("b92_fig7", "parameters", &[b92::figure_7()]);
    vec![]
}
