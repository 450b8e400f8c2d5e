//! Question: is the adjoint's cost independent of the number of parameters? (A22, Table 2: 20 … 1000 spline
//! parameters)

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gradyn::{Method, Prepared};
use gradyn_bench::Bench;
use gradyn_testkit::models::five_bar_control;
use std::hint::black_box;

fn bench(c: &mut Criterion) {
    let method = Method::new("index3", "newmark").expect("registered").step(1e-3);
    // knots at 0.5 s, 50 ms, 10 ms: the same steps of 1 ms for all
    let cases: Vec<(usize, Bench)> = [10, 50, 250, 500]
        .map(|n| (2 * n, Bench::new(Prepared::new(&five_bar_control(n)).expect("builds"), method.clone())))
        .into();
    let mut group = c.benchmark_group("five_bar_control/index3 × newmark/gradient");
    group.sample_size(20);
    for (p, case) in &cases {
        group.throughput(Throughput::Elements(case.run.trajectory.plan.steps() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(p), case, |b, case| {
            b.iter(|| black_box(case.gradient()))
        });
    }
    group.finish();
    println!("\nbest of 50, one run (five-bar with splines, 5 s, 1 ms, one objective):");
    for (p, case) in &cases {
        println!("{}", case.times(50).line(&format!("{p} parameters")));
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
