//! Tests of mechanisms, expressions and terms.

mod evaluator;
mod expression;
mod geometry;
mod jacobian;
mod program;
mod quadratic;
mod smooth;
mod spline;
mod table;
mod terms;
mod tree;

use gradyn_model::mechanism::Mechanism;

/// What the tests of terms run over, by name.
fn mechanisms() -> Vec<(String, Mechanism)> {
    gradyn_testkit::models::all().into_iter().map(|(name, m)| (name.to_owned(), m)).collect()
}
