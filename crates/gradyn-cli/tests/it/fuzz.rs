//! Seeded fuzzing of the command: command lines, and damaged histories, tables and samples. It ends by itself
//! with 0, 1 or 2, within its time and its memory, and says why where it fails.
//!
//! `at_length` has as many cases as `GRADYN_FUZZ_CASES` says, from `GRADYN_FUZZ_FROM` on. Counts are printed.

use crate::common::Folder;
use gradyn_testkit::fuzz::{self, Case, Corpus, Fate, bytes_mutated};
use gradyn_testkit::random::Random;
use std::fs::File;
use std::ops::Range;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A swing whose run has twenty steps, with a study.
const SWING: &str = r#"name = "swing"
parameters.m = { value = 2, min = 1, max = 3 }
parameters.L = { value = 1, min = 0.5, max = 2 }
ground.points = { O = [0, 0], W = [2, 0] }
body.bar = { rod = { points = ["A", "B"], length = "L", mass = "m" } }
joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
force.s = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = 1 }
initial = { position = { "bar.angle" = "-60 deg" }, velocity = "rest" }
objective.sway = { integral = "bar.B.x^2" }
output.x = "bar.B.x"
study.t_end = 0.1
study.method = { formulation = "index1", integrator = "newmark", step = "5 ms" }
study.optimize = { minimise = "sway", options = { max_evaluations = 4 } }
"#;

/// A command takes at most so long, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Address space of a command [KiB].
const MEMORY: &str = "8388608";

/// Runs the command on the files of a folder: how it ended, or a complaint.
fn ended(folder: &Folder, args: &[String]) -> Fate {
    // the shell limits its memory
    let errors = folder.path().join("errors.txt");
    let program = assert_cmd::cargo::cargo_bin!("gradyn");
    let script = format!("ulimit -v {MEMORY} 2>/dev/null; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .args(args)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&errors).map_err(|e| e.to_string())?)
        .spawn()
        .map_err(|e| e.to_string())?;

    // its end, or that of our patience
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
                return Err("it hangs".into());
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let said = std::fs::read(&errors).map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&said);
    match status.code() {
        Some(0) => Ok("done"),
        Some(1 | 2) if said.trim().is_empty() => Err("it fails without a word".into()),
        Some(1) => Ok("failed"),
        Some(2) => Ok("refused"),
        code => Err(format!("it ends with {code:?}: {said}")),
    }
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|a| (*a).into()).collect()
}

/// A folder with the swing, its finished history and its finished table.
fn finished() -> Folder {
    let folder = Folder::with("m.toml", SWING);
    folder.done(&["optimize", "m.toml", "--history", "h.jsonl", "--quiet"]);
    folder.done(&["sweep", "m.toml", "--vary", "m=1:2:3", "--out", "t.csv", "--quiet", "--threads", "1"]);
    folder.write("s.csv", "m,L\n1.5,1\n2,0.75\n2.5,1.25\n");
    folder
}

/// The bytes of a file, mutated as a text or as bytes.
fn damaged(text: &str, r: &mut Random) -> Vec<u8> {
    if r.below(2) == 0 {
        bytes_mutated(text.as_bytes(), r)
    } else {
        Corpus::new([text].into_iter()).mutated(text, r).into()
    }
}

/// A command that reads a file which was damaged.
fn on_damaged(case: &mut Case, folder: &Folder, (name, whole): (&str, &str), args: &[&str]) -> Fate {
    let bytes = damaged(whole, &mut case.random);
    case.set(String::from_utf8_lossy(&bytes).into_owned());
    std::fs::write(folder.path().join(name), &bytes).map_err(|e| e.to_string())?;
    ended(folder, &owned(args))
}

/// Damaged histories, tables and samples.
fn files(cases: Range<u64>) {
    let folder = finished();
    let [history, table, samples] = ["h.jsonl", "t.csv", "s.csv"].map(|name| folder.read(name));
    let counts = fuzz::check("files of the command", cases, move |case| match case.number % 3 {
        0 => on_damaged(
            case,
            &folder,
            ("h.jsonl", &history),
            &["optimize", "m.toml", "--history", "h.jsonl", "--resume", "--quiet"],
        ),
        1 => on_damaged(
            case,
            &folder,
            ("t.csv", &table),
            &[
                "sweep",
                "m.toml",
                "--vary",
                "m=1:2:3",
                "--out",
                "t.csv",
                "--resume",
                "--quiet",
                "--threads",
                "1",
            ],
        ),
        _ => on_damaged(
            case,
            &folder,
            ("s.csv", &samples),
            &["sweep", "m.toml", "--samples", "s.csv", "--quiet", "--threads", "1"],
        ),
    });
    assert!(counts.of("refused") > 0);
}

#[rustfmt::skip]
const COMMANDS: [&str; 10] = [
    "check", "simulate", "gradient", "equilibrium", "verify", "optimize", "sweep", "list", "example",
    "schema",
];

#[rustfmt::skip]
const FLAGS: [&str; 46] = [
    "--set", "--coordinates", "--t-end", "--json", "--quiet", "--expand", "--formulation", "--integrator",
    "--step", "--rtol", "--atol", "--option", "--out", "--overwrite", "--output-step", "--penalty-error",
    "--sensitivity", "--no-certificate", "--strict", "--gradient", "--optimizer", "--starts", "--seed",
    "--sampling", "--max-evaluations", "--history", "--resume", "--write", "--allow-path", "--vary",
    "--random", "--samples", "--threads", "--full", "--budget", "--help", "--version", "-h", "-V", "--",
    "-", "--t-end=", "--memory", "--set=", "--quiet=1", "--vary=",
];

#[rustfmt::skip]
const VALUES: [&str; 64] = [
    "m.toml", "t.csv", "h.jsonl", "new.csv", "new.json", "new.parquet", "nowhere/x.csv", "/dev/null", "",
    " ", "-1", "0", "1", "2", "3", "0.05", "1e-300", "1e300", "nan", "inf", "-inf", "1 ms", "5 ms", "2 t",
    "m", "m=2", "m=1e300", "m=nan", "L=m", "m=", "=2", "m=1:2:3", "m=1:2", "m=1,2", "m=2:1:2",
    "m=1:2:1e6", "m=1:nan:2", "1e9", "index1", "index3", "maggi", "penalty", "ali3p", "newmark", "rk4",
    "dopri5", "radau5", "adams", "natural", "relative-0", "cartesian", "discrete-adjoint", "direct",
    "automatic", "alpha=1e9", "alpha=-1", "max_steps=10", "xi=nan", "lbfgsb", "gauss-newton", "sobol",
    "1s", "examples", "é\u{202e}",
];

/// A command, its model, and flags with values; any of them may be missing or wrong.
fn line(r: &mut Random) -> Vec<String> {
    let mut args = vec![COMMANDS[r.below(COMMANDS.len())].to_owned()];
    if r.below(8) > 0 {
        args.push("m.toml".into());
    }
    for _ in 0..r.below(5) {
        args.push(FLAGS[r.below(FLAGS.len())].into());
        if r.below(3) > 0 {
            args.push(VALUES[r.below(VALUES.len())].into());
        }
    }
    args
}

fn lines(cases: Range<u64>) {
    let kept = finished();
    let [history, table] = ["h.jsonl", "t.csv"].map(|name| kept.read(name));
    let counts = fuzz::check("command lines", cases, move |case| {
        // the files are as they were
        let folder = Folder::with("m.toml", SWING);
        folder.write("h.jsonl", &history);
        folder.write("t.csv", &table);
        let args = line(&mut case.random);
        case.set(args.join(" | "));
        ended(&folder, &args)
    });
    assert!(counts.of("refused") > 0 && counts.of("done") > 0);
}

#[test]
fn damaged_files() {
    files(0..150);
}

#[test]
fn command_lines() {
    lines(0..150);
}

mod at_length {
    #[test]
    #[ignore = "all"]
    fn damaged_files() {
        super::files(gradyn_testkit::fuzz::cases(6_000));
    }

    #[test]
    #[ignore = "all"]
    fn command_lines() {
        super::lines(gradyn_testkit::fuzz::cases(6_000));
    }
}
