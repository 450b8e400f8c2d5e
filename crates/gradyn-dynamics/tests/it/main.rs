//! Tests of formulations, steps and runs.

mod adams;
mod assembly;
mod build;
mod formulation;
mod interpolation;
mod order;
mod projection;
mod reactions;
mod tableau;
