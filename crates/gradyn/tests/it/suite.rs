//! The suite of pinned benchmarks.

use gradyn::suite::{self, Benchmark, Outcome};
use std::path::Path;

fn benchmarks(wanted: impl Fn(&Benchmark) -> bool) -> Vec<Benchmark> {
    suite::names().map(|n| suite::find(n).unwrap_or_else(|e| panic!("{e}"))).filter(wanted).collect()
}

/// Runs benchmarks; all of their numbers must agree.
fn agree(benchmarks: Vec<Benchmark>) {
    for o in suite::all(benchmarks, &|_| ()) {
        let name = &o.benchmark.name;
        let (steps, all) = o.result.as_ref().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(*steps > 10 && all.len() >= 3, "{name}: {steps} steps, {} numbers", all.len());
        for c in all {
            assert!(c.agrees(), "{name}, {}: {:e} for {:e}", c.quantity, c.ours, c.reference);
        }
    }
}

#[test]
fn quick_benchmarks_agree() {
    let quick = benchmarks(|b| b.quick);
    assert!(quick.len() >= 8, "{}", quick.len());
    agree(quick);
}

#[test]
#[ignore = "all"]
fn all_benchmarks_agree() {
    agree(benchmarks(|_| true));
}

/// Numbers and steps, bit by bit.
fn bits(outcomes: &[Outcome]) -> Vec<(String, usize, Vec<u64>)> {
    let of = |o: &Outcome| {
        let (steps, all) = o.result.as_ref().unwrap_or_else(|e| panic!("{e}"));
        (o.benchmark.name.clone(), *steps, all.iter().map(|c| c.ours.to_bits()).collect())
    };
    outcomes.iter().map(of).collect()
}

#[test]
fn threads_change_nothing() {
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let short = |b: &Benchmark| ["oscillator", "manipulator", "skate", "knife_edge"].contains(&&*b.name);
        bits(&pool.install(|| suite::all(benchmarks(short), &|_| ())))
    });
    assert_eq!(one.len(), 4);
    assert_eq!(one, three);
}

/// A number of a reference that is wrong by a thousandth is found.
#[test]
fn wrong_numbers_are_off() {
    let mut b = suite::find("oscillator").expect("there");
    b.references[0].items[1].value *= 1.001;
    let o = b.run();
    assert!(!o.agrees());
    let (_, all) = o.result.expect("runs");
    let off: Vec<String> = all.iter().filter(|c| !c.agrees()).map(|c| c.quantity.to_string()).collect();
    assert_eq!(off, ["d psi/d c"]);
}

/// What the suite has no model or number for is an error by name, and not a panic.
#[test]
fn unknown_benchmarks_are_refused() {
    let e = suite::find("sixbar").expect_err("refused");
    assert!(
        e.message.contains("`sixbar`") && e.help.is_some_and(|h| h.contains("five_bar")),
        "{}",
        e.message
    );
}

/// Every reference has a source, and a known accuracy.
#[test]
fn references_say_where_they_are_from() {
    for b in benchmarks(|_| true) {
        assert!(!b.about.is_empty() && !b.references.is_empty(), "{}", b.name);
        for r in &b.references {
            assert!(r.source.len() > 20, "{}: {}", b.name, r.source);
            let smallest = r.accuracy.of(1.0);
            assert!(smallest > 0.0 && smallest < 1e-2, "{}: {}", b.name, r.source);
        }
    }
}

/// `docs/suite` has what `gradyn suite --export` writes: the files for other programs are no second source.
#[test]
fn exported_files_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/suite");
    for b in benchmarks(|_| true) {
        let path = folder.join(format!("{}.json", b.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let written: serde_json::Value = serde_json::from_str(&text).expect("an object");
        let plain = b.plain().unwrap_or_else(|e| panic!("{}: {e}", b.name));
        assert!(
            written == plain,
            "docs/suite/{}.json is old: cargo run -- suite --export docs/suite --overwrite",
            b.name
        );
    }
}
