//! Tables and figures of the papers from our own runs: `docs/reproduction.md` and its plots.
//!
//! Called by `cargo xtask reproduce`. Ends with an error if a row at h = 0.01 s is farther than 0.012 from the exact values.

mod b92;
mod five_bar;
mod printed;
mod runs;
mod svg;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use svg::Plot;

/// The document as it grows.
struct Document {
    folder: PathBuf,
    text: String,
}

impl Document {
    fn add(&mut self, text: &str) {
        self.text += text;
        self.text += "\n";
    }
    /// Writes the picture and links it.
    fn figure(&mut self, name: &str, plots: &[Plot]) {
        println!("   {name}.svg");
        std::fs::write(self.folder.join(format!("{name}.svg")), svg::picture(plots)).expect("docs/reproduction can be written");
        self.add(&format!("![{name}](reproduction/{name}.svg)\n"));
    }
    /// The picture, and its numbers.
    fn figure_with_tables(&mut self, name: &str, x: &str, plots: &[Plot]) {
        self.figure(name, plots);
        for plot in plots {
            self.add(&b92::table(x, plot));
        }
    }
}

fn main() -> ExitCode {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut doc = Document { folder: docs.join("reproduction"), text: String::new() };
    std::fs::create_dir_all(&doc.folder).expect("docs can be written");
    doc.add(include_str!("text/head.md"));
    let far = five_bar(&mut doc);
    manipulator(&mut doc);
    let text = doc.text.trim_end().to_owned() + "\n";
    std::fs::write(docs.join("reproduction.md"), text).expect("docs can be written");
    if far.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("farther than {} from the exact values:\n{}", printed::BOUND, far.join("\n"));
    ExitCode::FAILURE
}

/// M13, P14, A22; what is too far from the exact values.
fn five_bar(doc: &mut Document) -> Vec<String> {
    println!("   five-bar");
    let (text, mut far) = five_bar::table("M13 Table 1", &printed::m13());
    doc.add(&text);
    doc.add(include_str!("text/m13.md"));
    doc.add("## M13 Fig. 2\n");
    doc.figure("m13_fig2", &five_bar::response());
    let (text, more) = five_bar::table("P14 Table 1", &printed::p14());
    doc.add(&text);
    doc.add(include_str!("text/p14.md"));
    doc.add(&format!("## A22 Table 1\n\n{}", five_bar::a22()));
    doc.add(include_str!("text/a22.md"));
    far.extend(more);
    far
}

/// B92.
fn manipulator(doc: &mut Document) {
    println!("   oscillator and manipulator");
    doc.add(&format!("## B92 Eq. 77\n\n{}", b92::equation_77()));
    doc.add(include_str!("text/eq77.md"));
    doc.add(include_str!("text/fig3.md"));
    doc.figure_with_tables("b92_fig3", "Δp", &[b92::figure_3()]);
    doc.add(include_str!("text/fig4.md"));
    doc.figure_with_tables("b92_fig4", "ε", &b92::figure_4());
    doc.add(include_str!("text/fig6.md"));
    doc.figure_with_tables("b92_fig6", "ε", &b92::figure_6());
    doc.add(include_str!("text/fig7.md"));
    doc.figure_with_tables("b92_fig7", "parameters", &[b92::figure_7()]);
}
