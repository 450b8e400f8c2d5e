//! Runs the `gradyn` command in a folder of its own.
#![allow(dead_code)] // each test file uses its part

use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary folder, removed at the end.
pub(crate) struct Folder(PathBuf);

/// What a command did.
pub(crate) struct Outcome {
    pub command: String,
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("gradyn-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    /// With one file.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        let folder = Self::new();
        std::fs::write(folder.0.join(name), text).unwrap();
        folder
    }
    /// With the bundled example NAME as NAME.toml.
    pub(crate) fn example(name: &str) -> Self {
        let folder = Self::new();
        folder.done(&["example", name, "--out", &format!("{name}.toml")]);
        folder
    }
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.0
    }
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
    pub(crate) fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
    /// Runs `gradyn` here.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("gradyn");
        let out = command
            .current_dir(&self.0)
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0")
            .args(args)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = out.status.code().expect("no signal");
        let quoted = |a: &&str| if a.contains(' ') { format!("\"{a}\"") } else { (*a).to_owned() };
        let command = format!("gradyn {}", args.iter().map(quoted).collect::<Vec<_>>().join(" "));
        Outcome { command, code, stdout: text(out.stdout), stderr: text(out.stderr) }
    }
    /// Runs `gradyn` here; it must succeed. Its standard output.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert_eq!(out.code, 0, "{}\n{}", out.command, out.stderr);
        out.stdout
    }
    /// Runs `gradyn … --json` here.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[args, &["--json"]].concat())).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Outcome {
    /// Command, exit code and message, as a user sees them.
    pub(crate) fn shown(&self) -> String {
        let trimmed: Vec<&str> = self.stderr.lines().map(str::trim_end).collect();
        format!("$ {}\nexit code {}\n{}", self.command, self.code, trimmed.join("\n"))
    }
}

/// The first words of the rows of `gradyn list WHAT`.
pub(crate) fn listed(what: &str) -> Vec<String> {
    let text = Folder::new().done(&["list", what]);
    text.lines().filter_map(|l| l.split_whitespace().next()).map(str::to_owned).collect()
}

/// The numbers of a list.
pub(crate) fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The values of an object, in order.
pub(crate) fn values(v: &Value) -> Vec<f64> {
    v.as_object().unwrap().values().map(|x| x.as_f64().unwrap()).collect()
}

/// Header and rows of a CSV file whose names have no commas.
pub(crate) fn csv(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned).collect();
    (header, lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

/// |a - b| ≤ rel · max |b|, entry by entry.
#[track_caller]
pub(crate) fn assert_close(a: &[f64], b: &[f64], rel: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = b.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!(
            (x - y).abs() <= rel * size,
            "{what}, entry {i}: {x} and {y} differ by {:.1e} of {size:.1e}",
            (x - y).abs()
        );
    }
}
