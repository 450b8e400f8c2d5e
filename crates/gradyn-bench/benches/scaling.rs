//! Question: how do a step, its gradient, the start and memory grow with the number of bodies, in natural and
//! in joint coordinates?
//!
//! Chains, whose last body is moved by all joints, and brushes of chains of 8, whose bodies are moved by at
//! most 8. The start is timed by itself and taken out of the steps; steps with their gradient are the
//! difference of two horizons. `-- WORDS SIZES` takes the tables with these words in their titles, and
//! replaces 8 … 2048.

use gradyn::{Coordinates, Method, Prepared};
use gradyn_bench::{Bench, Times, memory};
use gradyn_model::mechanism::Mechanism;
use gradyn_testkit::chain::{brush, chain};
use std::time::Instant;

#[global_allocator]
static PEAK: memory::Peak = memory::Peak;

/// Steps of 1 ms of the two horizons.
const STEPS: [usize; 2] = [16, 48];

/// Bodies of the longest single chain in joint coordinates.
const LONGEST: usize = 512;

/// Seconds to repeat a run in.
const PATIENCE: f64 = 0.5;

fn main() {
    // sizes and words
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let (sizes, words): (Vec<&String>, Vec<&String>) = args.iter().partition(|a| a.parse::<usize>().is_ok());
    let sizes: Vec<usize> = sizes.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![8, 32, 128, 512, 2048] } else { sizes };

    // one table for each model and family
    let models: [(&str, fn(usize) -> Mechanism); 2] = [("chain", chain), ("brush", brush)];
    for (name, model) in models {
        for family in [Coordinates::Natural, Coordinates::Relative0] {
            let title = format!("{name}, {}", family.name());
            if !words.iter().all(|w| title.contains(*w)) {
                continue;
            }
            println!("\n{title}, index1 × rk4, steps of 1 ms");
            println!(
                "bodies |   build ms |   start ms |    µs/step | µs/step/body | with gradient | peak memory \
                 kB/body"
            );
            for &n in &sizes {
                if title == "chain, relative-0" && n > LONGEST {
                    println!(
                        "{n:>6} | not run: every joint moves the last body, so M is full: O(N²) terms and \
                         an O(N³) factorisation"
                    );
                    continue;
                }
                line(&model, n, family);
            }
        }
    }
}

fn line(model: &impl Fn(usize) -> Mechanism, bodies: usize, family: Coordinates) {
    memory::reset();
    let (built, short) = times(model(bodies), STEPS[0], family);
    let peak = memory::peak() as f64;
    let (_, long) = times(model(bodies), STEPS[1], family);
    let forward = (long.forward - long.start) / STEPS[1] as f64;
    let both = |t: &Times| t.forward + t.backward;
    let with_gradient = (both(&long) - both(&short)) / (STEPS[1] - STEPS[0]) as f64;
    println!(
        "{bodies:>6} | {:>10.2} | {:>10.3} | {:>10.2} | {:>12.3} | {:>13.3} | {:>8.2}",
        built * 1e3,
        long.start * 1e3,
        forward * 1e6,
        forward * 1e6 / bodies as f64,
        with_gradient * 1e6 / bodies as f64,
        peak / 1e3 / bodies as f64,
    );
}

/// Seconds of the build with its assembly; times of so many steps.
fn times(mut m: Mechanism, steps: usize, family: Coordinates) -> (f64, Times) {
    m.t_end = (steps as f64 * 1e-3).into();
    let started = Instant::now();
    let model = Prepared::new_in(&m, family).expect("assembles");
    let built = started.elapsed().as_secs_f64();
    let method = Method::new("index1", "rk4").expect("registered").step(1e-3);
    let bench = Bench::new(model, method);
    let repeats = (PATIENCE / bench.run.seconds).clamp(2.0, 50.0) as usize;
    let times = bench.times(repeats);
    assert_eq!(times.steps, steps);
    (built, times)
}
