//! Files on a full disk: what was there is whole, and the command ends at once.
#![cfg(unix)]

use super::{BALANCE, HISTORY, balance, left};
use crate::common::Folder;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Runs `gradyn` with files of at most so many blocks of 512 bytes: writing more fails like a full disk.
fn limited(folder: &Folder, blocks: usize, args: &[&str]) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("gradyn");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(program).args(args).current_dir(folder.path());
    command.output().unwrap()
}

#[track_caller]
fn failed(out: &Output) {
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot be written"), "{stderr}");
}

/// A history that cannot be written ends the run, with whole lines; more room completes it to the same bytes.
#[test]
fn a_history_on_a_full_disk() {
    let whole = balance();
    whole.done(&["optimize", BALANCE]);
    let history = whole.read(HISTORY);
    let mut seen = 0;
    for blocks in 0..history.len() / 512 {
        let folder = balance();
        failed(&limited(&folder, blocks, &["optimize", BALANCE]));
        let text = if folder.exists(HISTORY) { folder.read(HISTORY) } else { String::new() };
        assert!(history.starts_with(&text) && (text.is_empty() || text.ends_with('\n')), "{text}");
        assert_eq!(left(&folder), 0);
        seen = seen.max(text.lines().count());
        folder.done(&["optimize", BALANCE, "--resume"]);
        assert_eq!(folder.read(HISTORY), history);
    }
    assert!(seen > 2, "some evaluations were written before the disk was full");
}

/// The same with the table of a sweep.
#[test]
fn a_table_on_a_full_disk() {
    let sweep = ["sweep", BALANCE, "--vary", "L_s1=2:3:20", "--t-end=0.05", "--threads=1", "--out", "t.csv"];
    let whole = balance();
    whole.done(&sweep);
    let table = whole.read("t.csv");
    for blocks in 0..table.len() / 512 {
        let folder = balance();
        failed(&limited(&folder, blocks, &sweep));
        let text = if folder.exists("t.csv") { folder.read("t.csv") } else { String::new() };
        assert!(table.starts_with(&text) && (text.is_empty() || text.ends_with('\n')), "{text}");
        folder.done(&[&sweep[..], &["--resume"]].concat());
        assert_eq!(folder.read("t.csv"), table);
    }
}

/// A whole file that cannot be written leaves the old one, and nothing beside it.
#[test]
fn whole_files_on_a_full_disk() {
    let folder = balance();
    let model = folder.read(BALANCE);
    for (file, args) in [
        ("t.csv", &["simulate", BALANCE, "--out", "t.csv", "--overwrite"][..]),
        ("t.json", &["simulate", BALANCE, "--out", "t.json", "--overwrite"]),
        ("g.csv", &["gradient", BALANCE, "--out", "g.csv", "--overwrite"]),
        ("m.toml", &["example", "iltis", "--out", "m.toml", "--overwrite"]),
    ] {
        folder.write(file, "what was there before");
        for blocks in [0, 1, 2] {
            failed(&limited(&folder, blocks, args));
            assert_eq!(folder.read(file), "what was there before");
            assert_eq!(left(&folder), 0);
        }
    }
    // the model in its own place, and the tables of an optimisation
    let args = ["optimize", BALANCE, "--history", "h", "--write", BALANCE, "--out", "o.csv", "--overwrite"];
    let long = format!("{model}{}\n", "# a remark\n".repeat(2000));
    folder.write(BALANCE, &long);
    folder.write("o.csv", "a table");
    failed(&limited(&folder, 10, &args));
    assert_eq!((folder.read(BALANCE), folder.read("o.csv")), (long, "a table".into()));
    assert_eq!(left(&folder), 0);
}

/// A device that takes nothing ends the command, in place of writing for ever.
#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full() {
    let folder = balance();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full.csv")).unwrap();
    let started = Instant::now();
    for args in [
        &["optimize", BALANCE, "--history", "/dev/full"][..],
        &["optimize", BALANCE, "--write", "/dev/full"],
        &["sweep", BALANCE, "--vary", "L_s1=2:3:3", "--out", "full.csv"],
        &["simulate", BALANCE, "--out", "full.csv"],
        &["example", "iltis", "--out", "/dev/full"],
    ] {
        let out = folder.run(args);
        assert_eq!(out.code, 2, "{}\n{}", out.command, out.stderr);
        assert!(out.stderr.contains("cannot be written"), "{}", out.stderr);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(std::path::Path::new("/dev/full").exists());
}

/// Pipes and devices are written directly, and not replaced or removed.
#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices() {
    let folder = balance();
    folder.done(&["optimize", BALANCE, "--history", "/dev/null", "--write", "/dev/null"]);
    assert_ne!(folder.run(&["optimize", BALANCE, "--history", "/dev/null", "--set", "L_s1=1e6"]).code, 0);
    let null = std::fs::metadata("/dev/null").unwrap();
    assert!(!null.is_file());
    super::refused(
        &folder,
        &["optimize", BALANCE, "--history", "/dev/null", "--resume"],
        "is a pipe or a device: it cannot be continued",
    );
    let program = assert_cmd::cargo::cargo_bin!("gradyn");
    let script = format!("mkfifo p.csv; cat p.csv > copy & \"$0\" simulate {BALANCE} --out p.csv; wait");
    let status = Command::new("sh").args(["-c", &script]).arg(program).current_dir(folder.path()).output();
    assert!(status.unwrap().status.success());
    folder.done(&["simulate", BALANCE, "--out", "file.csv"]);
    assert_eq!(folder.read("copy"), folder.read("file.csv"));
}
