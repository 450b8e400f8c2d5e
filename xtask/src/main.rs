//! Tasks of the workspace: `cargo xtask test` runs everything that must be green.

use std::process::{Command, ExitCode};

/// Each check with its command line.
const CHECKS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("build of the tests", &["test", "--workspace", "--no-run"]),
    ("tests", &["test", "--workspace", "--quiet"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
];

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    if task.as_deref() != Some("test") {
        eprintln!("usage: cargo xtask test    format, lints, all tests, documentation");
        return ExitCode::from(2);
    }
    for (k, (name, args)) in CHECKS.iter().enumerate() {
        println!("== {} of {}, {name}: cargo {}", k + 1, CHECKS.len(), args.join(" "));
        let started = std::time::Instant::now();
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let passed = Command::new(cargo).args(*args).env("RUSTDOCFLAGS", "-D warnings").status().is_ok_and(|s| s.success());
        println!("== {name}: {} in {:.0} s", if passed { "passed" } else { "FAILED" }, started.elapsed().as_secs_f64());
        if !passed {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
