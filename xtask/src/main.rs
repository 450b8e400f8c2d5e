//! Tasks of the workspace, by `cargo xtask TASK`.
//!
//! `quick` after an edit of a kernel, `test` before a commit lands, `test --all` before a large piece of work
//! is called done, `bits` around a change of structure, `reproduce` for the tables and figures of the papers,
//! `trust` for the page on certificates.

mod python;
mod stages;
mod tools;

use stages::Stage;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask quick               tests of num, model and dynamics, and the five-bar by every method
       cargo xtask test [STAGE …]      everything that must be green, or some of its stages
       cargo xtask test --all [STAGE …]  the same with full cross products, optional features, benches and dependencies
       cargo xtask bits [NAME …]       hashes of runs and gradients of the examples, to target/bits.txt
       cargo xtask trust               docs/trust.md: what certificates say about models that are known
       cargo xtask reproduce [NAME …]  docs/reproduction.md: tables and figures of the papers;
                                       with words, studies whose names begin so: a22, p14-5";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, words)) = words.split_first() else { return usage("") };
    match task.as_str() {
        "quick" => match words.first() {
            None => run(&stages::quick()),
            Some(word) => usage(&format!("quick takes no words, such as `{word}`\n")),
        },
        "test" => test(words),
        "trust" => match words.first() {
            None => run(&[stages::trust()]),
            Some(word) => usage(&format!("trust takes no words, such as `{word}`\n")),
        },
        "bits" => run(&[stages::bits(words)]),
        "reproduce" => run(&[stages::reproduce(words)]),
        _ => usage(&format!("there is no task `{task}`\n")),
    }
}

/// Prints how to call this program, after what was wrong.
fn usage(wrong: &str) -> ExitCode {
    let names: Vec<&str> = stages::test(true).iter().map(|stage| stage.name).collect();
    eprintln!("{wrong}{USAGE}\nstages of test, the last one of --all only: {}", names.join(", "));
    ExitCode::from(2)
}

/// `cargo xtask test`: all stages, or those that are named.
fn test(words: &[String]) -> ExitCode {
    let all = words.iter().any(|w| w == "--all");
    let names: Vec<&String> = words.iter().filter(|w| *w != "--all").collect();
    let stages = stages::test(all);
    if let Some(wrong) = names.iter().find(|n| stages.iter().all(|s| **n != s.name)) {
        return usage(&format!("there is no stage `{wrong}`\n"));
    }
    let wanted = |s: &Stage| names.is_empty() || names.iter().any(|n| *n == s.name);
    run(&stages.into_iter().filter(wanted).collect::<Vec<_>>())
}

/// One stage after the other, up to the first that fails; then the time of each.
fn run(stages: &[Stage]) -> ExitCode {
    let mut times = vec![];
    let mut passed = true;
    for (k, stage) in stages.iter().enumerate() {
        // the commands of the stage, up to the first that fails
        println!("== {} of {}, {}", k + 1, stages.len(), stage.name);
        let started = Instant::now();
        if let Some(what) = stage.also.as_ref().and_then(|also| (also.missing)()) {
            // nobody looks at what is skipped where nobody is
            let alone = std::env::var_os("CI").is_some();
            println!("   {} is skipped: there is no {what}", stage.name);
            if alone {
                times.push((stage.name, 0.0));
                passed = false;
                break;
            }
            continue;
        }
        let ready = stage.tool.as_ref().is_none_or(tools::Tool::ready);
        passed = ready && stage.commands.iter().all(|command| cargo(command));
        passed = passed && stage.also.as_ref().is_none_or(|also| (also.run)());
        times.push((stage.name, started.elapsed().as_secs_f64()));
        if !passed {
            break;
        }
    }
    for (name, seconds) in &times {
        println!("== {name:<16} {seconds:>6.0} s");
    }
    match (passed, times.last()) {
        (false, Some((name, _))) => println!("== {name} FAILED"),
        _ => println!("== passed in {:.0} s", times.iter().map(|t| t.1).sum::<f64>()),
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one command of cargo; says whether it succeeded.
fn cargo(args: &[String]) -> bool {
    println!("   cargo {}", args.join(" "));
    let mut command = Command::new(cargo_path());
    command.args(args).env("RUSTDOCFLAGS", "-D warnings").env("PATH", tools::path());
    command.status().is_ok_and(|s| s.success())
}

/// The cargo that runs this task.
fn cargo_path() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
