//! `gradyn optimize`.

mod fit;
mod history;
mod report;
mod starts;

use crate::args::OptimizeArgs;
use crate::diagnostic::Failure;
use crate::loaded::{Loaded, pair};
use crate::output;
use crate::progress::Progress;
use gradyn::file::{self, ModelFile};
use gradyn::optimize::{
    Optimization, Optimizer, Report, Sampling, Scenario, Starts, Status, Told, history as recorded,
};
use report::Ended;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

type Done = Result<(), Failure>;

/// How often Ctrl-C was pressed.
static PRESSED: AtomicUsize = AtomicUsize::new(0);

/// Runs, prints; is there a result to use?
pub(crate) fn optimize(a: &OptimizeArgs) -> Result<bool, Failure> {
    let path = destinations(a)?;
    let mut l = Loaded::new(&a.model)?;
    let study = study(a, &mut l)?;
    let (mut lines, records) = history::open(&path, &history::header(a, &l, &study), a.resume)?;
    watch_interrupts();

    // run, with a line for each evaluation
    let started = Instant::now();
    let mut progress = Progress::new(0.0, 1.0, a.model.quiet);
    let mut steps = vec![];
    let mut failed = None;
    let observe = &mut |told: &Told| {
        steps.push(report::step(&study, told));
        progress.evaluation(told, study.settings.max_evaluations, study.starts.map(|s| s.count));
        let line = told.new.then(|| recorded::line(told.now.evaluations, told.record));
        failed = line.and_then(|line| lines.append(&line).err());
        let stop = failed.is_some() || PRESSED.load(Ordering::Relaxed) > 0;
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = study.run(&records, observe);
    progress.finish();
    failed.map_or(Ok(()), Err)?;
    let report = report.map_err(|e| l.fail(e))?;
    if report.end.status == Status::StartFailed {
        // a history of nothing would be in the way of the next try
        if records.is_empty() {
            let _ = std::fs::remove_file(&path);
        }
        return Err(failed_start(&l, &study, &report));
    }

    // show and write
    let old = records.len().min(report.records.len());
    let ended =
        Ended { study: &study, report: &report, steps, seconds: started.elapsed().as_secs_f64(), old };
    show(a, &l, &ended, &path)?;
    Ok(ended.usable())
}

/// The path of the history, where all files of the command can be written.
fn destinations(a: &OptimizeArgs) -> Result<PathBuf, Failure> {
    a.out.as_deref().map_or(Ok(()), output::check_path)?;
    a.write.as_deref().map_or(Ok(()), output::check_folder)?;
    let history = a.history.clone().unwrap_or_else(|| a.model.model.with_extension("history.jsonl"));
    apart(a, &history)?;
    Ok(history)
}

/// The error of a start that failed, again and with its place.
fn failed_start(l: &Loaded, study: &Optimization, report: &Report) -> Failure {
    if let Err(e) = study.try_start() {
        return l.fail(e);
    }
    let reason = report.end.failures.first().map_or("the start failed", |f| f.reason.as_str());
    Failure::command(reason, "look at the start: gradyn gradient")
}

/// Prints the end of a run, and writes its design where that is asked for.
fn show(a: &OptimizeArgs, l: &Loaded, ended: &Ended, history: &Path) -> Done {
    let end = &ended.report.end;
    output::say(&if a.model.json { format!("{}\n", ended.object()) } else { ended.text() });
    // a failed run may be at a worse design than the start, or nowhere
    if ended.usable() && !end.x.is_empty() {
        write(a, l, ended.study, ended.report)?;
    } else if a.write.is_some() || a.out.is_some() {
        output::complain("nothing was written: there is no design to use");
    }
    if end.status == Status::Interrupted && !a.model.quiet {
        crate::output::complain(&format!(
            "interrupted: the same command with --resume goes on from {}",
            history.display()
        ));
    }
    Ok(())
}

/// Files of one command must not overwrite each other; the model itself may be written.
fn apart(a: &OptimizeArgs, history: &Path) -> Done {
    let model = Some(a.model.model.as_path());
    let out = a.out.as_deref();
    let write = a.write.as_deref();
    let clash =
        [(Some(history), out), (Some(history), write), (out, write), (model, out), (model, Some(history))];
    match clash.into_iter().find(|(x, y)| x.is_some() && x == y) {
        Some((Some(path), _)) => {
            let message = format!("{} would be written twice, or is the model", path.display());
            Err(Failure::command(message, "give --history, --write and --out different names"))
        }
        _ => Ok(()),
    }
}

/// The study of the file, changed by the command line.
fn study(a: &OptimizeArgs, l: &mut Loaded) -> Result<Optimization, Failure> {
    l.times()?;
    let sensitivity = l.sensitivity(a.sensitivity.as_deref(), a.model.quiet)?;
    let optimizer = a.optimizer.as_deref().map(Optimizer::parse).transpose();
    let optimizer = optimizer.map_err(|e| Failure::command(format!("--optimizer: {e}"), ""))?;
    let file = with_starts(a, l.file())?;
    let method = l.method(&a.method)?;
    let study = Optimization::new(&file, &l.prepared, method, sensitivity, optimizer);
    let mut study = study.map_err(|e| l.fail(e))?;
    if let Some(most) = a.max_evaluations {
        study.settings.max_evaluations = most as usize;
    }
    Ok(study)
}

/// The file with the starts of the command line.
fn with_starts(a: &OptimizeArgs, file: &ModelFile) -> Result<ModelFile, Failure> {
    // sampling by its name
    let mut file = file.clone();
    let sampling = a.sampling.as_deref().map(Sampling::parse).transpose();
    let sampling = sampling.map_err(|e| Failure::command(format!("--sampling: {e}"), ""))?;
    let Some(o) = &mut file.study.optimize else { return Ok(file) };
    // starts = those of the file, or one where --starts is given
    let one = a.starts.map(|_| Starts { count: 1, seed: 0, sampling: Sampling::Sobol });
    match o.starts.or(one) {
        Some(s) => {
            let count = a.starts.map_or(s.count, |n| n as usize);
            o.starts = Some(Starts {
                count,
                seed: a.seed.unwrap_or(s.seed),
                sampling: sampling.unwrap_or(s.sampling),
            });
            Ok(file)
        }
        None if a.seed.is_none() && sampling.is_none() => Ok(file),
        None => Err(Failure::command(
            "--seed and --sampling are of many starts, and there is one",
            "add --starts N",
        )),
    }
}

/// Its method, as JSON.
fn method(study: &Optimization) -> Value {
    let p = study.model();
    let step = p.mesh().ok().and_then(|mesh| study.method.controller(mesh.end() - mesh.start.0).step);
    output::method_object(p, &study.method, Some(study.sensitivity), step.unwrap_or(0.0))
}

/// Ctrl-C ends the run after the current evaluation, a second one at once.
fn watch_interrupts() {
    // without a handler Ctrl-C ends at once, and nothing that was told is lost
    let _ = ctrlc::set_handler(|| {
        if PRESSED.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(130);
        }
    });
}

/// The model with the new values, and the tables before and after.
fn write(a: &OptimizeArgs, l: &Loaded, study: &Optimization, report: &Report) -> Done {
    if let Some(path) = &a.write {
        let new =
            file::with_values(&a.model.model, l.text(), &values(a, study, report)?).map_err(|e| l.fail(e))?;
        output::write_text(path, &new)?;
    }
    let Some(path) = &a.out else { return Ok(()) };
    let kind = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    for s in &study.scenarios {
        // motion.csv, or motion.SCENARIO.csv
        let part = if s.name.is_empty() { String::new() } else { format!("{}.", s.name) };
        let file = |when: &str| path.with_extension(format!("{part}{when}{kind}"));
        table(l, study, s, study.start(), &file("before."))?;
        table(l, study, s, &report.end.x, &file(""))?;
    }
    Ok(())
}

/// What is written into the model: the new values, and what the command line set.
fn values(a: &OptimizeArgs, study: &Optimization, report: &Report) -> Result<Vec<(String, f64)>, Failure> {
    let new: Vec<(String, f64)> =
        study.problem.variables().iter().map(|v| v.name.clone()).zip(report.end.x.clone()).collect();
    let mut all: Vec<(String, f64)> = vec![];
    for set in &a.model.set {
        let (name, value) = pair("--set", set)?;
        let value = gradyn::constant("the value", value)
            .map_err(|e| Failure::command(format!("--set {set}: {}", e.message), ""))?;
        all.retain(|v| v.0 != name);
        all.push((name.to_owned(), value));
    }
    all.retain(|v| new.iter().all(|n| n.0 != v.0));
    Ok([new, all].concat())
}

/// The output table of a design.
fn table(l: &Loaded, study: &Optimization, s: &Scenario, x: &[f64], path: &Path) -> Done {
    let model = s.prepared.at_on_branch(x).map_err(|e| l.fail(e))?;
    let run = model.run(&study.method).map_err(|e| l.fail(e))?;
    let table = model.table(&run, l.file().study.output_step).map_err(|e| l.fail(e))?;
    let object = || json!({"columns": table.columns, "rows": table.rows});
    output::write(path, || output::csv(&table.columns, &table.rows), object)
}
