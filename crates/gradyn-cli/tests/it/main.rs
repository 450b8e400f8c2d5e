//! Tests of the command.

mod check;
mod cli;
mod common;
mod equilibrium;
mod errors;
mod files;
mod fuzz;
mod memory;
mod messages;
mod optimize;
mod output;
mod suite;
mod sweep;
mod verify;
mod warnings;
