//! The page as it grows, and the sections of the page before that stay.

use crate::b92;
use crate::svg::{self, Plot};
use std::path::{Path, PathBuf};

/// The document that is written.
pub(crate) struct Page {
    folder: PathBuf,
    before: String,
    text: String,
}

impl Page {
    /// An empty page in this folder, with the pictures in a folder of their own.
    pub(crate) fn new(docs: &Path) -> Self {
        let folder = docs.join("reproduction");
        std::fs::create_dir_all(&folder).expect("docs can be written");
        let before = std::fs::read_to_string(docs.join("reproduction.md")).unwrap_or_default();
        Self { folder, before, text: String::new() }
    }
    pub(crate) fn add(&mut self, text: &str) {
        self.text += text;
        self.text += "\n";
    }
    /// The sections of these titles as they were.
    pub(crate) fn keep(&mut self, titles: &[&str]) {
        let sections: Vec<String> =
            self.before.split("\n## ").skip(1).map(|s| format!("## {}\n", s.trim_end())).collect();
        for title in titles {
            let old = sections.iter().find(|s| s.lines().next().is_some_and(|line| line[3..] == **title));
            old.into_iter().for_each(|s| self.add(s));
        }
    }
    /// Writes the picture and links it.
    pub(crate) fn figure(&mut self, name: &str, plots: &[Plot]) {
        println!("   {name}.svg");
        std::fs::write(self.folder.join(format!("{name}.svg")), svg::picture(plots))
            .expect("docs/reproduction can be written");
        self.add(&format!("![{name}](reproduction/{name}.svg)\n"));
    }
    /// The picture, and its numbers.
    pub(crate) fn figure_with_tables(&mut self, name: &str, x: &str, plots: &[Plot]) {
        self.figure(name, plots);
        for plot in plots {
            self.add(&b92::table(x, plot));
        }
    }
    pub(crate) fn write(&self) {
        let text = self.text.trim_end().to_owned() + "\n";
        std::fs::write(self.folder.with_extension("md"), text).expect("docs can be written");
    }
}
