//! The table of `gradyn suite`.

use gradyn::suite::{Benchmark, Comparison, Outcome};

/// Names of the columns.
const HEAD: [&str; 7] = ["benchmark", "quantity", "reference", "ours", "difference", "accuracy", "verdict"];

/// Names, numbers to compare and sentences of benchmarks.
pub(crate) fn list(benchmarks: &[Benchmark]) -> String {
    let width = benchmarks.iter().map(|b| b.name.len()).max().unwrap_or(0);
    let count = |b: &Benchmark| b.references.iter().map(|r| r.items.len()).sum::<usize>();
    let line = |b: &Benchmark| format!("{:<width$}  {:>3} numbers  {}\n", b.name, count(b), b.about);
    benchmarks.iter().map(line).collect()
}

/// Every number beside its reference, then what was run and how long it took.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    // rows = the numbers of all benchmarks
    let mut rows: Vec<[String; 7]> = vec![HEAD.map(str::to_owned)];
    for o in outcomes {
        match &o.result {
            Ok((_, all)) => rows.extend(all.iter().map(|c| row(&o.benchmark.name, c))),
            Err(e) => {
                let mut row: [String; 7] = Default::default();
                row[0].clone_from(&o.benchmark.name);
                row[6] = format!("did not run: {e}");
                rows.push(row);
            }
        }
    }

    // out = aligned columns, a line for each benchmark, the sum
    let width = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len() - 1).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(k, (c, w))| if k < 2 { format!("{c:<w$}") } else { format!("{c:>w$}") });
        format!("{}  {}\n", cells.collect::<Vec<_>>().join("  "), row[6])
    };
    let table: String = rows.iter().map(line).collect();
    let runs: String = outcomes.iter().map(run).collect();
    format!("{table}\n{runs}\n{}\n", sum(outcomes))
}

/// A number as the table shows it.
fn row(name: &str, c: &Comparison) -> [String; 7] {
    [
        name.to_owned(),
        c.quantity.to_string(),
        format!("{:.12e}", c.reference),
        format!("{:.12e}", c.ours),
        format!("{:.1e}", c.difference()),
        format!("{:.1e}", c.accuracy),
        if c.agrees() { "agrees" } else { "off" }.to_owned(),
    ]
}

/// How a benchmark was run, and where its numbers are from.
fn run(o: &Outcome) -> String {
    let b = &o.benchmark;
    let steps = o.result.as_ref().map_or(String::new(), |(steps, _)| format!(", {steps} steps"));
    let mut text = format!("{}: {}{steps}, {:.2} s\n", b.name, b.method_name(), o.seconds);
    b.references.iter().for_each(|r| text += &format!("  {} numbers: {}\n", r.items.len(), r.source));
    text
}

fn sum(outcomes: &[Outcome]) -> String {
    let numbers = || outcomes.iter().filter_map(|o| o.result.as_ref().ok()).flat_map(|r| &r.1);
    let failed = outcomes.iter().filter(|o| o.result.is_err()).count();
    let failed = if failed > 0 { format!(", {failed} did not run") } else { String::new() };
    format!(
        "{} of {} numbers agree, {} benchmarks{failed}; {:.1} s of computing",
        numbers().filter(|c| c.agrees()).count(),
        numbers().count(),
        outcomes.len(),
        outcomes.iter().map(|o| o.seconds).sum::<f64>()
    )
}
