//! Question: are build, assembly, a step, the gradient and memory linear in the number of bodies? (chains and
//! nets, 4 … 4096 bodies)
//!
//! `cargo bench -p gradyn-bench --bench chains`; sizes as arguments replace those of the list.

use gradyn::registry::combinations;
use gradyn::{Method, Prepared};
use gradyn_bench::{Bench, Times, memory};
use gradyn_dynamics::assembly::assemble;
use gradyn_model::build;
use gradyn_model::mechanism::Mechanism;
use gradyn_testkit::chain::{chain, net, space_chain};
use std::time::Instant;

#[global_allocator]
static PEAK: memory::Peak = memory::Peak;

fn times(m: &Mechanism, bodies: usize, method: &Method) -> Times {
    let bench = Bench::new(Prepared::new(m).expect("assembles"), method.clone());
    bench.times(if bodies < 1000 { 20 } else { 5 })
}

/// One line of the table.
fn line(m: &Mechanism, bodies: usize, method: &Method) {
    // build
    memory::reset();
    let started = Instant::now();
    let model = build(m).expect("builds");
    let built = started.elapsed().as_secs_f64();

    // assembly
    let p = model.slots(&model.rho());
    let c = &model.conditions;
    let names = [&c.0, &c.1].map(|c| c.iter().map(|t| t.text.clone()).collect::<Vec<_>>());
    let started = Instant::now();
    assemble(&model.system, 0.0, &p, &model.angles, (&names[0], Some(&names[1]))).expect("assembles");
    let assembled = started.elapsed().as_secs_f64();
    drop(model);

    // steps
    let t = times(m, bodies, method);
    let step = t.forward / t.steps as f64;
    println!(
        "{bodies:>6} | {:>9.2} | {:>9.2} | {:>10.2} | {:>8.3} | {:>6.2} | {:>8.2} | {:>8.2}",
        built * 1e3,
        assembled * 1e3,
        step * 1e6,
        step * 1e6 / bodies as f64,
        (t.forward + t.backward) / t.forward,
        memory::peak() as f64 / 1e6,
        memory::peak() as f64 / 1e3 / bodies as f64,
    );
}

/// Every formulation × integrator on two chains: µs/body forward and with the gradient.
fn all_methods() {
    println!("\nchains of 64 and 1024, all methods, 32 steps of 1 ms: µs/body forward, with the gradient");
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() }.step(1e-3);
        let [a, b] = [64, 1024].map(|n| {
            let t = times(&chain(n), n, &method);
            [t.forward, t.forward + t.backward].map(|s| s * 1e6 / (t.steps * n) as f64)
        });
        let name = format!("{} × {}", formulation.name(), integrator.name());
        println!("{name:<18} | {:>6.3} {:>6.3} | {:>6.3} {:>6.3}", a[0], a[1], b[0], b[1]);
    }
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![4, 16, 64, 256, 1024, 4096] } else { sizes };
    let methods = [("index3", "newmark"), ("index1", "rk4")];
    let models: [(&str, fn(usize) -> Mechanism); 3] =
        [("chain", chain), ("chain in space", space_chain), ("net, 3 meshes wide", |n| net(3, n / 7))];
    for (name, model) in models {
        let whole = name.starts_with("chain");
        for (f, i) in methods {
            println!("\n{name}, {f} × {i}, 32 steps of 1 ms, one objective");
            println!("bodies |  build ms | assem. ms |    µs/step |  µs/body |  ratio |  peak MB |  kB/body");
            let method = Method::new(f, i).expect("registered").step(1e-3);
            for &n in sizes.iter().filter(|&&n| whole || n >= 7) {
                line(&model(n), if whole { n } else { n / 7 * 7 }, &method);
            }
        }
    }
    all_methods();
}
