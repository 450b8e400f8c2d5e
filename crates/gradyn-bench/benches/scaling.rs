//! Question: how do a step, its gradient and memory grow with the number of bodies, in natural and in joint coordinates?
//!
//! Chains, whose last body is moved by all joints, and brushes of chains of 8, whose bodies are moved by at most 8. `-- SIZES` replaces 8 … 2048.

use gradyn::{Coordinates, Method, Prepared};
use gradyn_bench::{Bench, memory};
use gradyn_model::mechanism::Mechanism;
use gradyn_testkit::chain::{brush, chain};
use std::time::Instant;

#[global_allocator]
static PEAK: memory::Peak = memory::Peak;

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![8, 32, 128, 512, 2048] } else { sizes };
    let models: [(&str, fn(usize) -> Mechanism); 2] = [("chain", chain), ("brush", brush)];
    for (name, model) in models {
        for family in [Coordinates::Natural, Coordinates::Relative0] {
            println!("\n{name}, {}, index1 × rk4, 32 steps of 1 ms", family.name());
            println!("bodies |  build ms |    µs/step | µs/step/body | (run + gradient)/run | peak memory kB/body");
            sizes.iter().for_each(|&n| line(&model(n), n, family));
        }
    }
}

fn line(m: &Mechanism, bodies: usize, family: Coordinates) {
    memory::reset();
    let started = Instant::now();
    let model = Prepared::new_in(m, family).expect("assembles");
    let built = started.elapsed().as_secs_f64();
    let method = Method::new("index1", "rk4").expect("registered").step(1e-3);
    let t = Bench::new(model, method).times(if bodies < 1000 { 10 } else { 2 });
    let step = t.forward * 1e6 / t.steps as f64;
    println!(
        "{bodies:>6} | {:>9.2} | {step:>10.2} | {:>12.3} | {:>20.2} | {:>8.2}",
        built * 1e3,
        step / bodies as f64,
        (t.forward + t.backward) / t.forward,
        memory::peak() as f64 / 1e3 / bodies as f64,
    );
}
