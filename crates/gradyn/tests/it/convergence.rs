//! Every formulation × integrator of the registry converges to the independent reference of the five-bar, at
//! its order.
//!
//! Rows of the gradient: an integral of positions, of velocities, of accelerations. Errors are Euclidean,
//! relative to the largest entry of the reference row.

use gradyn::registry::{combinations, orders, variants};
use gradyn::{Formulation, Method, Prepared, Sensitivity};
use gradyn_testkit::reference::GRADIENT;

fn five_bar() -> Prepared {
    let text = gradyn::examples::find("five_bar").expect("a bundled example");
    Prepared::new(&gradyn::file::read_toml(text).expect("the example parses").mechanism)
        .expect("the example builds")
}

/// Errors of the rows of ∇ψ.
fn errors(model: &Prepared, method: &Method, what: &str) -> [f64; 3] {
    let run = model.run(method).unwrap_or_else(|e| panic!("{what}: {e}"));
    let g = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{what}: {e}")).rows;
    std::array::from_fn(|k| {
        let largest = GRADIENT[k].iter().fold(0.0f64, |s, x| s.max(x.abs()));
        g[k].iter().zip(&GRADIENT[k]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / largest
    })
}

/// α of penalty: its own error, 2e-9 at 1e9, must not hide the one of the steps.
const ALPHA: f64 = 1e11;

#[test]
fn fixed_steps_converge_at_the_order_of_each_variable() {
    let model = five_bar();
    // without its projections a coordinate step is of lower order in a and λ
    for v in variants().into_iter().filter(|v| v.option.is_none_or(|o| !o.0.starts_with("projection"))) {
        let order = orders(v.formulation, v.integrator);
        // large enough for the order to show above rounding and the accuracy of the reference
        let h = match (order.into_iter().min(), order.into_iter().max()) {
            (_, Some(0..=2)) => 4e-3,
            (_, Some(3 | 4)) => 8e-3,
            // the errors of a and λ change sign at 20 ms
            (Some(2), _) => 6e-3,
            (_, Some(5 | 6)) => 16e-3,
            _ => 25e-3,
        };
        let what = v.to_string();
        let method = Method { alpha: ALPHA, ..Method::of(&v).expect("registered") };
        let [coarse, fine] = [h, 0.5 * h].map(|h| errors(&model, &method.clone().step(h), &what));
        for k in 0..3 {
            let ratio = coarse[k] / fine[k];
            let least = 0.7 * 2f64.powi(order[k] as i32);
            assert!(
                ratio >= least || fine[k] < 2e-9,
                "{what}, row {k}: {:.1e}, {:.1e}: ratio {ratio:.1} of {least:.1}",
                coarse[k],
                fine[k]
            );
        }
    }
}

#[test]
fn methods_of_order_four_and_more_reach_eight_digits() {
    let model = five_bar();
    for (formulation, integrator) in combinations() {
        if orders(formulation, integrator).into_iter().min() < Some(4) {
            continue;
        }
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let method = Method { formulation, integrator, alpha: ALPHA, ..Method::default() };
        let method = if integrator.adapts() { method.tolerance(1e-11, 1e-11) } else { method.step(1e-3) };
        for (k, e) in errors(&model, &method, &what).into_iter().enumerate() {
            assert!(e < 1e-8, "{what}, row {k}: {e:.1e}");
        }
    }
    assert!(combinations().iter().any(|(f, _)| *f == Formulation::Maggi));
}
