//! Gradyn: bench.
