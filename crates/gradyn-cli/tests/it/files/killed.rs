//! `kill -9` at many instants of everything that is written.

use super::{BALANCE, HISTORY, balance, left};
use crate::common::Folder;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How many instants a test of every change takes.
const FEW: usize = 8;

/// How many the specification asks for.
const MANY: usize = 100;

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gradyn"));
    command.current_dir(folder.path()).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Kills a command so many times, at instants between its start and its end, or between the moment when it
/// begins to write and its end; `check` looks at what is left.
fn kill(count: usize, folder: &Folder, args: &[&str], writing: bool, mut check: impl FnMut(usize)) {
    let started = Instant::now();
    start(folder, args).wait().unwrap();
    let whole = started.elapsed();
    check(0);
    for k in 1..=count {
        let mut child = start(folder, args);
        let before = Instant::now();
        while writing && left(folder) == 0 && child.try_wait().unwrap().is_none() {
            assert!(before.elapsed() < Duration::from_secs(60));
        }
        let span = if writing { whole / 20 } else { whole.mul_f64(1.1) };
        std::thread::sleep(span.mul_f64(k as f64 / count as f64));
        child.kill().unwrap();
        child.wait().unwrap();
        check(k);
        clean(folder);
    }
}

/// Removes temporary files that killed commands have left.
fn clean(folder: &Folder) {
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with(".gradyn-") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

/// A file is the old one or the new one, and never something between.
fn whole_file(count: usize, file: &str, args: &[&str]) {
    for writing in [false, true] {
        let folder = balance();
        folder.done(args);
        let new = folder.read(file);
        folder.write(file, "old");
        let mut seen = [0, 0];
        kill(count, &folder, args, writing, |k| {
            let text = folder.read(file);
            assert!(text == "old" || text == new, "killed at instant {k} of {count}: {} bytes", text.len());
            seen[usize::from(text == new)] += 1;
            folder.write(file, "old");
        });
        println!("{file}: {} times the old file, {} times the new one", seen[0], seen[1]);
    }
}

fn tables(count: usize) {
    // a table of some megabytes takes some time to write
    let out = ["--out", "t.csv", "--overwrite", "--quiet"];
    whole_file(count, "t.csv", &[&["simulate", BALANCE, "--step", "0.2 ms"][..], &out].concat());
    whole_file(count, "t.csv", &[&["gradient", BALANCE][..], &out].concat());
    whole_file(count, "m.toml", &["example", "iltis", "--out", "m.toml", "--overwrite"]);
}

/// The model that an optimisation writes into its own place.
fn models(count: usize) {
    let args = ["optimize", BALANCE, "--history", "h", "--write", "new.toml", "--overwrite"];
    whole_file(count, "new.toml", &[&args[..], &["--max-evaluations", "2"]].concat());
}

/// A growing file has whole lines of the finished one, perhaps half of another, and comes to the same bytes.
fn growing(count: usize, file: &str, args: &[&str]) {
    let folder = balance();
    folder.done(args);
    let whole = folder.read(file);
    std::fs::remove_file(folder.path().join(file)).unwrap();
    let resumed = [args, &["--resume"]].concat();
    kill(count, &folder, args, false, |k| {
        let text = if folder.exists(file) { folder.read(file) } else { String::new() };
        assert!(whole.starts_with(&text), "killed at instant {k} of {count}: {text}");
        folder.done(&resumed);
        assert_eq!(folder.read(file), whole, "killed at instant {k} of {count}");
        std::fs::remove_file(folder.path().join(file)).unwrap();
    });
}

fn histories(count: usize) {
    growing(count, HISTORY, &["optimize", BALANCE, "--step", "2 ms", "--quiet"]);
    let sweep = ["sweep", BALANCE, "--vary", "L_s1=2:3:40", "--t-end=0.1", "--out", "t.csv", "--quiet"];
    growing(count, "t.csv", &sweep);
}

#[test]
fn tables_are_whole() {
    tables(FEW);
}

#[test]
fn models_are_whole() {
    models(FEW);
}

#[test]
fn histories_go_on() {
    histories(FEW);
}

#[test]
#[ignore = "all"]
fn all_files_at_a_hundred_instants() {
    tables(MANY);
    models(MANY);
    histories(MANY);
}

/// A finished optimisation that is resumed may replace what it wrote.
#[test]
fn what_was_written_is_written_again() {
    let folder = balance();
    let args = ["optimize", BALANCE, "--write", "new.toml", "--out", "o.csv"];
    folder.done(&[&args[..], &["--max-evaluations", "2"]].concat());
    let first = folder.read("new.toml");
    folder.done(&[&args[..], &["--resume"]].concat());
    assert_ne!(folder.read("new.toml"), first);
}

/// Signals to a run whose first evaluation is done, so many of them; its exit code, output and messages.
#[cfg(unix)]
fn signalled(signal: &str, most: usize) -> (Option<i32>, Vec<u8>, String) {
    let folder = balance();
    let slow = ["optimize", BALANCE, "--step", "0.02 ms", "--json"];
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gradyn"));
    command.current_dir(folder.path()).args(slow).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    while !folder.exists(HISTORY) || folder.read(HISTORY).lines().count() < 2 {
        assert!(started.elapsed() < Duration::from_secs(120), "no evaluation");
        std::thread::sleep(Duration::from_millis(5));
    }
    // the second evaluation is under way; signals that come together are one
    let id = child.id().to_string();
    for _ in 0..most {
        std::thread::sleep(Duration::from_millis(100));
        if child.try_wait().unwrap().is_none() {
            Command::new("kill").args([signal, &id]).stderr(Stdio::null()).status().unwrap();
        }
    }
    let out = child.wait_with_output().unwrap();
    (out.status.code(), out.stdout, String::from_utf8_lossy(&out.stderr).into_owned())
}

/// SIGTERM ends as Ctrl-C does: with the best design, a report and exit code 0.
#[cfg(unix)]
#[test]
fn terminated() {
    for signal in ["-TERM", "-INT"] {
        let (code, stdout, stderr) = signalled(signal, 1);
        assert_eq!(code, Some(0), "{signal}: {stderr}");
        let o: serde_json::Value = serde_json::from_slice(&stdout).unwrap();
        assert_eq!(o["status"], "interrupted");
        assert!(o["objective"]["final"].as_f64() <= o["objective"]["initial"].as_f64());
        assert!(stderr.contains("--resume goes on"), "{stderr}");
    }
}

/// A second signal ends at once; where the evaluation is done before it comes, once more.
#[cfg(unix)]
#[test]
fn terminated_at_once() {
    assert!((0..10).any(|_| signalled("-TERM", 5).0 == Some(143)));
}
