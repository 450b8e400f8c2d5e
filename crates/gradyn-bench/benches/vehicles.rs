//! Question: how much faster than real time are the vehicles with their full gradient, in natural and in
//! joint coordinates?
//!
//! One core, 1 ms, an explicit method (index1 × adams-bashforth) and an implicit one (ali3p × newmark), over
//! the whole manoeuvre. `-- SECONDS` sets another final time; words pick the cases whose names contain all of
//! them.

use gradyn::{Coordinates, Method, Prepared};
use gradyn_bench::Bench;

#[path = "../../gradyn/tests/it/kit/hard_points.rs"]
mod hard_points;

const METHODS: [(&str, &str); 2] = [("index1", "adams-bashforth"), ("ali3p", "newmark")];

fn main() {
    println!(
        "1 ms, all parameters of the file, best of 3: µs/step, and simulated time / time of run and gradient"
    );
    for name in gradyn::examples::VEHICLES {
        bench(name, gradyn::examples::find(name).expect("bundled"));
        if *name == "iltis" {
            bench("iltis, 36", &hard_points::iltis(true));
        }
    }
}

/// Is a case asked for?
fn wanted(case: &str) -> bool {
    std::env::args()
        .skip(1)
        .filter(|a| a != "--bench" && a.parse::<f64>().is_err())
        .all(|word| case.contains(&word))
}

fn bench(name: &str, text: &str) {
    let mut m = gradyn::file::read_toml(text).expect("reads").mechanism;
    if let Some(seconds) = std::env::args().find_map(|a| a.parse::<f64>().ok()) {
        m.t_end = seconds.into();
    }
    for family in [Coordinates::Natural, Coordinates::Relative0, Coordinates::Relative1] {
        for (formulation, integrator) in METHODS {
            let case = format!("{name}, {}, {integrator}", family.name());
            if !wanted(&case) {
                continue;
            }
            let model = Prepared::new_in(&m, family).unwrap_or_else(|e| panic!("{case}: {e}"));
            // a stiff iteration of ali3p is Newton's; index1 has no alpha
            let method = Method {
                alpha: 1e11,
                ..Method::new(formulation, integrator).expect("registered").step(1e-3)
            };
            let bench = Bench::new(model, method);
            let times = bench.times(3);
            let seconds = bench.seconds();
            println!(
                "{} | {:5.2} × real time",
                times.line(&case),
                seconds / (times.forward + times.backward)
            );
        }
    }
}
