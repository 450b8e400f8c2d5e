//! `gradyn suite`.

mod table;

use crate::args::SuiteArgs;
use crate::commands::print;
use crate::diagnostic::Failure;
use crate::files::Targets;
use crate::output;
use crate::progress::Progress;
use gradyn::suite::{self, Benchmark, Comparison, Outcome};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;

/// Runs, prints; does everything agree?
pub(crate) fn suite(a: &SuiteArgs) -> Result<bool, Failure> {
    // nothing is run where benchmarks are listed or written
    let benchmarks = chosen(&a.names)?;
    if a.list {
        output::say(&table::list(&benchmarks));
        return Ok(true);
    }
    if let Some(folder) = &a.export {
        export(&benchmarks, folder, a.overwrite)?;
        return Ok(true);
    }

    // table or object
    let outcomes = outcomes(benchmarks, a.quiet);
    let agrees = outcomes.iter().all(Outcome::agrees);
    if a.json {
        let all: Vec<Value> = outcomes.iter().map(object).collect();
        print(&json!({"agrees": agrees, "benchmarks": all}));
    } else {
        output::say(&table::table(&outcomes));
    }
    Ok(agrees)
}

/// Benchmarks that are named, each once, in the order of the suite; all of them where none is named.
fn chosen(names: &[String]) -> Result<Vec<Benchmark>, Failure> {
    let wrong = |e: gradyn::Error| Failure::command(e.message, e.help.unwrap_or_default());
    for name in names {
        suite::find(name).map_err(wrong)?;
    }
    let wanted = |name: &&str| names.is_empty() || names.iter().any(|n| n == name);
    suite::names().filter(wanted).map(|name| suite::find(name).map_err(wrong)).collect()
}

/// Runs benchmarks, with progress.
fn outcomes(benchmarks: Vec<Benchmark>, quiet: bool) -> Vec<Outcome> {
    let total = benchmarks.len();
    let progress = Mutex::new((Progress::new(0.0, 1.0, quiet), 0));
    let outcomes = suite::all(benchmarks, &|outcome| {
        if let Ok(mut state) = progress.lock() {
            state.1 += 1;
            let done = state.1;
            state.0.part(done, total, &format!("{} done", outcome.benchmark.name));
        }
    });
    if let Ok(state) = progress.lock() {
        state.0.finish();
    }
    outcomes
}

/// Writes a file for each benchmark.
fn export(benchmarks: &[Benchmark], folder: &Path, overwrite: bool) -> Result<(), Failure> {
    let targets = Targets::new(overwrite, &[]);
    for b in benchmarks {
        let path = folder.join(format!("{}.json", b.name));
        targets.check(&path)?;
        let plain = b.plain().map_err(|e| Failure::command(e.message, e.help.unwrap_or_default()))?;
        let text = serde_json::to_string_pretty(&plain);
        let text = text.map_err(|e| Failure::command(e.to_string(), ""))?;
        targets.write(&path, (text + "\n").as_bytes())?;
    }
    Ok(())
}

/// An outcome as an object.
fn object(o: &Outcome) -> Value {
    let b = &o.benchmark;
    let comparison = |c: &Comparison| {
        json!({
            "quantity": c.quantity.to_string(), "reference": c.reference, "ours": c.ours,
            "difference": c.difference(), "accuracy": c.accuracy, "agrees": c.agrees(),
            "source": b.references[c.source].source,
        })
    };
    let mut object = json!({
        "name": b.name, "about": b.about, "model": b.model, "method": b.method_name(),
        "agrees": o.agrees(), "seconds": o.seconds,
    });
    match &o.result {
        Ok((steps, all)) => {
            object["steps"] = (*steps).into();
            object["numbers"] = all.iter().map(comparison).collect();
        }
        Err(e) => object["failed"] = e.to_string().into(),
    }
    object
}
