//! Cross products reduced to pairs: every model meets every formulation and every integrator, and every
//! combination of the two meets some model. The full products are tests of `cargo xtask test --all`.

use gradyn::registry::combinations;
use gradyn::{Formulation, Integrator};

/// The methods that a test runs on a model, by the number of the model.
pub(crate) type Choice = fn(usize) -> Vec<(Formulation, Integrator)>;

/// Every combination, whatever the model.
pub(crate) fn all(_model: usize) -> Vec<(Formulation, Integrator)> {
    combinations()
}

/// Combinations for model number `model`, such that each formulation and each integrator is among them.
pub(crate) fn paired(model: usize) -> Vec<(Formulation, Integrator)> {
    // another order for each model, which begins with another combination
    let combinations = combinations();
    let count = combinations.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|k| (7 * k + 5 * model) % count);

    // those that bring something new
    let mut chosen: Vec<(Formulation, Integrator)> = vec![];
    for (formulation, integrator) in order.into_iter().map(|k| combinations[k]) {
        let met = |new: &dyn Fn(&(Formulation, Integrator)) -> bool| chosen.iter().any(new);
        if !met(&|c| c.0 == formulation) || !met(&|c| c.1 == integrator) {
            chosen.push((formulation, integrator));
        }
    }
    chosen
}

/// Each model meets every formulation and integrator; the models of the cross tests meet every combination.
#[test]
fn pairs_are_complete() {
    let models = super::cases::small_examples().count();
    let mut met = vec![];
    for model in 0..models {
        let chosen = paired(model);
        assert!(Formulation::ALL.iter().all(|f| chosen.iter().any(|c| c.0 == *f)), "{chosen:?}");
        assert!(Integrator::ALL.iter().all(|i| chosen.iter().any(|c| c.1 == *i)), "{chosen:?}");
        met.extend(chosen);
    }
    for c in combinations() {
        assert!(met.contains(&c), "no model meets {c:?}");
    }
}
