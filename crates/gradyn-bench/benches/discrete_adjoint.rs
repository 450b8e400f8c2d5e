//! Question: what does the gradient of one objective cost, in units of the run? (five-bar, 5 s, 5 parameters)
//!
//! A word after `--` selects cases by their names: `-- ros3`.

use criterion::{Criterion, criterion_group, criterion_main};
use gradyn::registry::combinations;
use gradyn::{Method, Prepared};
use gradyn_bench::Bench;
use gradyn_testkit::models::five_bar;
use std::hint::black_box;

fn cases() -> Vec<(&'static str, Bench)> {
    let mut m = five_bar();
    m.objectives.truncate(1);
    let model = Prepared::new(&m).expect("the five-bar builds");
    let method = |f: &str, i: &str| Method::new(f, i).expect("registered");
    let list = [
        ("index3 × newmark 1 ms", method("index3", "newmark").step(1e-3)),
        ("index3 × newmark 4 ms", method("index3", "newmark").step(4e-3)),
        ("index1 × rk4 20 ms", method("index1", "rk4").step(2e-2)),
        ("index1 × dopri5 6e-6", method("index1", "dopri5").tolerance(6e-6, 6e-6)),
        ("penalty × dopri5 6e-6", method("penalty", "dopri5").tolerance(6e-6, 6e-6)),
    ];
    list.into_iter().map(|(name, m)| (name, Bench::new(model.clone(), m))).collect()
}

fn bench(c: &mut Criterion) {
    let cases = cases();
    let mut group = c.benchmark_group("five_bar");
    group.sample_size(20);
    for (name, case) in &cases {
        group.bench_function(format!("{name}/forward"), |b| b.iter(|| black_box(case.forward())));
        group.bench_function(format!("{name}/gradient"), |b| b.iter(|| black_box(case.gradient())));
    }
    group.finish();

    // ratios of some methods
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!("\nbest of 100, one run (five-bar, 5 s, one objective):");
    for (name, case) in cases.iter().filter(|c| c.0.contains(&word)) {
        println!("{}", case.times(100).line(name));
    }

    // and of all
    println!("\nevery combination, fixed steps of 10 ms, best of 20:");
    let mut m = five_bar();
    m.objectives.truncate(1);
    let model = Prepared::new(&m).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() }.step(1e-2);
        let name = format!("{} × {}", formulation.name(), integrator.name());
        if !name.contains(&word) {
            continue;
        }
        println!("{}", Bench::new(model.clone(), method).times(20).line(&name));
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
