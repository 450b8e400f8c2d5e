//! Tests of the optimisers.

mod common;
mod failures;
mod lbfgsb;
mod least_squares;
mod multistart;
mod optima;
mod registry;
mod replay;
mod sqp;
mod status;
mod transforms;
