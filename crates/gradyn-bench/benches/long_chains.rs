//! Question: is an acceleration of a chain linear in the number of its bodies, in natural and in relative
//! coordinates? (plane chains, 8 … 10,000 bodies)
//!
//! `cargo bench -p gradyn-bench --bench long_chains`; sizes as arguments replace those of the list, and
//! `space` takes chains in space.

use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_bench::{Bench, memory};
use gradyn_testkit::chain::{chain, space_chain};
use std::time::Instant;

#[global_allocator]
static PEAK: memory::Peak = memory::Peak;

/// Accelerations of a step of rk4.
const STAGES: f64 = 4.0;

/// One line of the table.
fn line(n: usize, space: bool, family: Coordinates) {
    // the model, built and assembled
    let mechanism = if space { space_chain(n) } else { chain(n) };
    memory::reset();
    let started = Instant::now();
    let model = Prepared::new_in(&mechanism, family).expect("assembles");
    let prepared = started.elapsed().as_secs_f64();
    let build = memory::peak();

    // its steps and its gradient
    memory::reset();
    let method = Method::new("index1", "rk4").expect("registered").step(1e-3);
    let bench = Bench::new(model, method);
    let t = bench.times(if n < 1000 { 20 } else { 5 });
    let peak = memory::peak();
    let adjoint = bench.model.gradient(&bench.run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    let direct = bench.model.gradient(&bench.run, Sensitivity::DiscreteDirect).expect("a gradient").rows;
    let scale = adjoint[0].iter().fold(0.0f64, |s, x| s.max(x.abs()));
    let off = adjoint[0].iter().zip(&direct[0]).fold(0.0f64, |s, (a, b)| s.max((a - b).abs()));
    let evaluation = (t.forward - t.start) / (t.steps as f64 * STAGES);
    println!(
        "| {n} | {} | {:.1} | {:.2} | {:.3} | {:.2} | {:.1} | {:.1} | {:.1e} | {:.9} |",
        family.name(),
        prepared * 1e3,
        evaluation * 1e6,
        evaluation * 1e6 / n as f64,
        (t.forward + t.backward) / t.forward,
        build as f64 / 1e6,
        peak as f64 / 1e6,
        off / scale,
        bench.run.psi[0],
    );
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![8, 32, 128, 256, 1024, 4096, 10_000] } else { sizes };
    let space = std::env::args().any(|a| a == "space");
    println!(
        "| bodies | coordinates | start ms | µs/acceleration | µs/body | (run + gradient)/run \
         | MB of the start | MB of run and gradient | direct - adjoint | ψ |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for n in sizes {
        [Coordinates::Natural, Coordinates::Relative0].into_iter().for_each(|family| line(n, space, family));
    }
}
