//! Tests of the command.

mod check;
mod cli;
mod common;
mod equilibrium;
mod errors;
mod files;
mod fuzz;
mod messages;
mod memory;
mod optimize;
mod output;
mod suite;
mod sweep;
mod verify;
mod warnings;
