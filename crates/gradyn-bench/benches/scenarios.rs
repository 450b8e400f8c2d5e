//! Question: how much faster are eight scenarios on two threads than on one?
//!
//! One design of the Iltis with its gradient, at eight speeds over the step, index1 × adams-bashforth at 1
//! ms. Both numbers of threads take turns in one run, the best of each counts, and their results must be the
//! same bits.

use gradyn::file::read_toml;
use gradyn::optimize::{Evaluation, Optimization};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_bench::best;

/// Turns of both.
const TURNS: usize = 5;

fn main() {
    let study = study();
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads"));
    let mut wall = [f64::INFINITY; 2];
    let mut busy = [f64::INFINITY; 2];
    let mut results = vec![];
    for _ in 0..TURNS {
        for (k, pool) in pools.iter().enumerate() {
            // time, and CPU of the busiest thread
            let before = pool.broadcast(|_| cpu());
            let mut result = None;
            wall[k] = wall[k].min(best(1, || result = pool.install(|| study.evaluate(study.start())).ok()));
            let used = pool
                .broadcast(|_| cpu())
                .iter()
                .zip(before)
                .map(|(after, before)| after - before)
                .fold(0.0, f64::max);
            busy[k] = busy[k].min(used);
            results.push(result.expect("the start can be evaluated"));
        }
    }

    // equal bits, and the table
    assert!(results.iter().all(|r: &Evaluation| *r == results[0]), "the number of threads changed a bit");
    println!(
        "{} scenarios of the Iltis, run and gradient, best of {TURNS} turns, identical bits",
        study.scenarios.len()
    );
    for (what, [one, two]) in [("time", wall), ("CPU of the busiest thread", busy)] {
        println!(
            "{what}: 1 thread {:.1} ms | 2 threads {:.1} ms | ratio {:.2}",
            one * 1e3,
            two * 1e3,
            one / two
        );
    }
}

/// CPU time of this thread [s], where the system tells: how the work is divided, also on a machine that has
/// other work.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns * 1e-9)
}

/// Half a second around the step, at eight speeds.
fn study() -> Optimization {
    let scenarios: Vec<String> =
        (0..8).map(|k| format!("s{k} = {{ set = {{ start = {} }} }}", 12 + k)).collect();
    let text = gradyn::examples::find("iltis").expect("bundled");
    let edited = text.replace("t_end  = 3\n", "t_end  = 0.5\n");
    let edited = edited.replace(
        "minimise = \"psi\"\n",
        &format!("minimise = \"psi\"\nscenario = {{ {} }}\n", scenarios.join(", ")),
    );
    let file = read_toml(&edited).expect("reads");
    let model = Prepared::new_in(&file.mechanism, Coordinates::Relative0).expect("assembles");
    let method = Method::new("index1", "adams-bashforth").expect("registered").step(1e-3);
    let study =
        Optimization::new(&file, &model, method, Sensitivity::DiscreteAdjoint, None).expect("a study");
    assert_eq!(study.scenarios.len(), 8);
    study
}
