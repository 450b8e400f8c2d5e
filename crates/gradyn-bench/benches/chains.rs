//! Question: are build, assembly, a step, the gradient and memory linear in the number of bodies? (chains and nets, 4 … 4096 bodies)
//!
//! `cargo bench -p gradyn-bench --bench chains`; sizes as arguments replace those of the list.

use gradyn::{Method, Prepared};
use gradyn_bench::{Bench, memory};
use gradyn_model::build;
use gradyn_model::mechanism::Mechanism;
use gradyn_testkit::chain::{chain, net};
use std::time::Instant;

#[global_allocator]
static PEAK: memory::Peak = memory::Peak;

/// One line of the table.
fn line(m: &Mechanism, bodies: usize, method: &Method) {
    memory::reset();
    let started = Instant::now();
    build(m).expect("builds");
    let built = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let model = Prepared::new(m).expect("assembles");
    let assembled = started.elapsed().as_secs_f64() - built;
    let bench = Bench::new(model, method.clone());
    let t = bench.times(if bodies < 1000 { 20 } else { 3 });
    let step = t.forward / t.steps as f64;
    println!(
        "{bodies:>6} | {:>9.2} | {:>9.2} | {:>10.2} | {:>8.3} | {:>6.2} | {:>8.2} | {:>8.2}",
        built * 1e3,
        assembled.max(0.0) * 1e3,
        step * 1e6,
        step * 1e6 / bodies as f64,
        (t.forward + t.backward) / t.forward,
        memory::peak() as f64 / 1e6,
        memory::peak() as f64 / 1e3 / bodies as f64,
    );
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![4, 16, 64, 256, 1024, 4096] } else { sizes };
    let methods = [("index3", "newmark"), ("index1", "rk4")];
    for (name, model) in [("chain", chain as fn(usize) -> Mechanism), ("net, 3 meshes wide", |n| net(3, n / 7))] {
        for (f, i) in methods {
            println!("\n{name}, {f} × {i}, 32 steps of 1 ms, one objective");
            println!("bodies |  build ms | assem. ms |    µs/step |  µs/body |  ratio |  peak MB |  kB/body");
            let method = Method::new(f, i).expect("registered").step(1e-3);
            for &n in sizes.iter().filter(|&&n| name == "chain" || n >= 7) {
                line(&model(n), if name == "chain" { n } else { n / 7 * 7 }, &method);
            }
        }
    }
}
