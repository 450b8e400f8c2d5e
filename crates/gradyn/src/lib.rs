//! Gradyn.
