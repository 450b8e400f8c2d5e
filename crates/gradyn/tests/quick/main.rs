//! The five-bar by every formulation and integrator: what `cargo xtask quick` runs after an edit of a kernel.

#[path = "../it/kit/agree.rs"]
mod agree;

use gradyn::registry::combinations;
use gradyn::{Coordinates, Method, Prepared};
use gradyn_model::mechanism::Mechanism;
use gradyn_testkit::models::five_bar;

/// Step size [s] and steps of a run, the last one a short one.
const STEP: f64 = 4e-3;
const STEPS: f64 = 9.5;

/// Direct, adjoint, automatic and complex step agree, in natural and in joint coordinates.
#[test]
fn five_bar_agrees_by_every_method() {
    let short = Mechanism { t_end: (STEPS * STEP).into(), ..five_bar() };
    for family in [Coordinates::Natural, Coordinates::Relative0] {
        let model = Prepared::new_in(&short, family).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(agree::scales(&model).len(), model.model.parameters.len());
        for (formulation, integrator) in combinations() {
            let method = Method { formulation, integrator, ..Method::default() }.step(STEP);
            assert!(!agree::refused(&model, &method), "a holonomic model takes every method");
            let what = format!("{}, {} + {}", family.name(), formulation.name(), integrator.name());
            let run = agree::run(&model, &method);
            agree::agree(&what, &model, &run, agree::tolerance(formulation, integrator));
        }
    }
}
