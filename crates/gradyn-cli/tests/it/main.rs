//! Tests of the command.

mod check;
mod cli;
mod common;
mod equilibrium;
mod errors;
mod files;
mod memory;
mod optimize;
mod output;
mod sweep;
mod verify;
