//! Tasks of the workspace: `cargo xtask test` runs everything that must be green, `cargo xtask reproduce`
//! writes docs/reproduction.md.

use std::process::{Command, ExitCode};

/// A stage with its command line.
type Stage = (&'static str, &'static [&'static str]);

/// What is not in the default build is tested too.
const PARQUET: &str = "--features=gradyn-cli/parquet";

/// Everything that must be green.
const TEST: &[Stage] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", PARQUET, "--", "-D", "warnings"]),
    ("build of the tests", &["test", "--workspace", PARQUET, "--no-run"]),
    ("tests", &["test", "--workspace", PARQUET, "--quiet"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
];

/// Tables and plots of the papers, by the libraries that the tests have built.
const REPRODUCE: &[Stage] = &[(
    "reproduction",
    &["run", "--quiet", "--profile", "test", "--package", "gradyn-bench", "--example", "reproduce", "--"],
)];

fn main() -> ExitCode {
    let stages = match std::env::args().nth(1).as_deref() {
        Some("test") => TEST,
        Some("reproduce") => REPRODUCE,
        _ => {
            eprintln!("usage: cargo xtask test         format, lints, all tests, documentation");
            eprintln!(
                "       cargo xtask reproduce    docs/reproduction.md: tables and figures of the papers;"
            );
            eprintln!("                                with words, studies whose names begin so: a22, p14-5");
            return ExitCode::from(2);
        }
    };
    run(stages, &std::env::args().skip(2).collect::<Vec<_>>())
}

/// One stage after the other, up to the first that fails; `words` go to the program that a stage runs.
fn run(stages: &[Stage], words: &[String]) -> ExitCode {
    for (k, (name, args)) in stages.iter().enumerate() {
        println!("== {} of {}, {name}: cargo {}", k + 1, stages.len(), args.join(" "));
        let started = std::time::Instant::now();
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let words = if args[0] == "run" { words } else { &[] };
        let passed = Command::new(cargo)
            .args(*args)
            .args(words)
            .env("RUSTDOCFLAGS", "-D warnings")
            .status()
            .is_ok_and(|s| s.success());
        println!(
            "== {name}: {} in {:.0} s",
            if passed { "passed" } else { "FAILED" },
            started.elapsed().as_secs_f64()
        );
        if !passed {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
