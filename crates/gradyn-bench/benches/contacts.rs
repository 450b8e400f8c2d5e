//! Question: what do 1000 contacts cost whose pieces are met by nodes?
//!
//! Balls on elastic floors, index1 × dopri5 with adaptive steps, which end at every joint of the law of
//! contact. A run is compared with its own plan replayed, which tries no step twice, and `radau3`, whose order
//! is too low for joints to matter, steps over them. Stepping over them with dopri5 rejects more steps than
//! joints need to be found: 95, 176 and 435 ms where nodes at joints take 83, 188 and 528 ms.

use gradyn::{Method, Prepared};
use gradyn_bench::{Bench, best};

/// Contacts of all balls together, about.
const CONTACTS: f64 = 1000.0;

fn main() {
    println!("{CONTACTS} contacts, best of 5: time of the run, and over that of its replayed plan");
    for balls in [1, 4, 16] {
        for integrator in ["dopri5", "radau3"] {
            bench(balls, integrator);
        }
    }
}

/// Balls that fall from heights of 5 cm and more, for so long that all contacts come about.
fn balls(count: usize) -> String {
    let height = |k: usize| 0.05 + 0.01 * k as f64;
    // flight up and down: 2 √(2y/g)
    let period = |k: usize| 2.0 * (2.0 * height(k) / 9.81f64).sqrt();
    let rate: f64 = (0..count).map(|k| 1.0 / period(k)).sum();
    let mut text = "name = \"balls\"\nparameters = { k = 1e4, w = 1e-3 }\ngravity = [0, -9.81]\n".to_owned();
    text += &format!("ground.points = {{ O = [0, 0] }}\nstudy = {{ t_end = {} }}\n", CONTACTS / rate);
    for k in 0..count {
        let y = height(k);
        text += &format!(
            "body.b{k} = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}\n\
             force.f{k} = {{ type = \"contact\", point = \"b{k}.A\", plane = \"ground.O\", \
             stiffness = \"k\", width = \"w\" }}\n\
             initial.position.\"b{k}.A.x\" = 0\ninitial.position.\"b{k}.A.y\" = {y}\n\
             initial.position.\"b{k}.angle\" = 0\n"
        );
    }
    text + "objective.psi = { terminal = \"b0.A.y\" }\n"
}

fn bench(count: usize, integrator: &str) {
    let mechanism = gradyn::file::read_toml(&balls(count)).expect("reads").mechanism;
    let model = Prepared::new(&mechanism).expect("assembles");
    let method = Method::new("index1", integrator).expect("registered").tolerance(1e-8, 1e-8);
    let bench = Bench::new(model, method);
    let run = best(5, || {
        bench.model.run(&bench.method).expect("the model ran before");
    });
    let replayed = bench.times(5).forward;
    let statistics = &bench.run.trajectory.statistics;
    println!(
        "{count:2} balls, {integrator}: {:7.2} ms, {:.2} × replayed | {} steps, {} rejected",
        run * 1e3,
        run / replayed,
        statistics.steps,
        statistics.rejected
    );
}
