//! Tests of the numerics, one module a file of `src`.

mod dense;
mod factor;
mod kkt;
mod pattern;
mod rank;
mod scalar;
