//! The `gradyn` command: model files in, trajectories and exact gradients out.

mod args;
mod check;
mod commands;
mod diagnostic;
mod equilibrium;
mod escape;
mod files;
mod loaded;
mod machine;
mod optimize;
mod output;
mod progress;
mod suite;
mod sweep;
mod verify;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // result of the command; 1 where it ran and disagrees
    let result = match &cli.command {
        Command::Check(a) => check::check(a),
        Command::Simulate(a) => commands::simulate(a),
        Command::Gradient(a) => match commands::gradient(a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(failure) => Err(failure),
        },
        Command::Equilibrium(a) => equilibrium::equilibrium(a),
        Command::Verify(a) => match verify::verify(a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(failure) => Err(failure),
        },
        Command::Optimize(a) => match optimize::optimize(a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(failure) => Err(failure),
        },
        Command::Sweep(a) => sweep::sweep(a),
        Command::Suite(a) => match suite::suite(a) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(failure) => Err(failure),
        },
        Command::List { what } => commands::list(*what),
        Command::Example { name, out, overwrite } => commands::example(name, out.as_deref(), *overwrite),
        Command::Schema => commands::schema(),
    };
    // code of the failure
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::tell(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
