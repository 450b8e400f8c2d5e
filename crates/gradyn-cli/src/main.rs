//! The gradyn command.
fn main() {}
