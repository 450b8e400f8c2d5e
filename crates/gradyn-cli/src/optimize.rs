//! `gradyn optimize`.

mod ending;
mod files;
mod fit;
mod history;
mod report;
mod signals;
mod starts;

use crate::args::OptimizeArgs;
use crate::diagnostic::Failure;
use crate::files::check_folder;
use crate::loaded::Loaded;
use crate::output;
use crate::progress::Progress;
use gradyn::file::ModelFile;
use gradyn::optimize::{
    Last, Optimization, Optimizer, Report, Sampling, Starts, Status, Told, history as recorded,
};
use report::{Ended, usable};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Done = Result<(), Failure>;

/// Runs, prints; is there a result to use?
pub(crate) fn optimize(a: &OptimizeArgs) -> Result<bool, Failure> {
    signals::watch();
    let path = destinations(a)?;
    let mut l = Loaded::new(&a.model)?;
    let study = study(a, &mut l)?;
    let files = files::Files::new(a, &l, &study, &path)?;
    let (mut lines, records) = history::open(&path, &history::header(a, &l, &study), a)?;
    signals::wait();

    // run, with a line for each evaluation
    let started = Instant::now();
    let mut progress = Progress::new(0.0, 1.0, a.model.quiet);
    let mut steps = vec![];
    let mut failed = None;
    let observe = &mut |told: &Told| {
        steps.push(report::step(&study, told));
        progress.evaluation(told, study.settings.max_evaluations, study.starts.map(|s| s.count));
        let line = told.new.then(|| recorded::line(told.now.evaluations, told.record));
        failed = line.and_then(|line| lines.append(&[line]).err());
        let stop = failed.is_some() || signals::came();
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = study.run(&records, observe);
    progress.finish();
    failed.map_or(Ok(()), Err)?;
    let report = report.map_err(|e| l.fail(e))?;
    if report.end.status == Status::StartFailed {
        // a history of nothing would be in the way of the next try
        lines.forget();
        return Err(failed_start(&l, &study, &report));
    }

    // show and write
    let old = records.len().min(report.records.len());
    let seconds = started.elapsed().as_secs_f64();
    let last = last(a, &l, &study, &report)?;
    let ended = Ended { file: &l.study, study: &study, report: &report, steps, seconds, old, last };
    show(a, &l, &ended, &files, &path)?;
    Ok(usable(&report) && (!a.strict || ending::trusted(&ended.last)))
}

/// The scenarios at the last design. Who breaks a run off does not wait for certificates.
fn last(a: &OptimizeArgs, l: &Loaded, study: &Optimization, report: &Report) -> Result<Vec<Last>, Failure> {
    let end = &report.end;
    if !usable(report) || end.x.is_empty() {
        return Ok(vec![]);
    }
    let certify = !a.no_certificate && end.status != Status::Interrupted;
    study.last(&end.x, certify).map_err(|e| l.fail(e))
}

/// The path of the history, where all files of the command can be written.
fn destinations(a: &OptimizeArgs) -> Result<PathBuf, Failure> {
    a.out.as_deref().map_or(Ok(()), output::check_kind)?;
    let history = a.history.clone().unwrap_or_else(|| a.model.model.with_extension("history.jsonl"));
    [&a.out, &a.write].into_iter().flatten().try_for_each(|path| check_folder(path))?;
    files::apart(a, &history)?;
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
fn show(a: &OptimizeArgs, l: &Loaded, ended: &Ended, files: &files::Files, history: &Path) -> Done {
    let end = &ended.report.end;
    output::say(&if a.model.json { format!("{}\n", ended.object()) } else { ended.text() });
    // a failed run may be at a worse design than the start, or nowhere
    if usable(ended.report) && !end.x.is_empty() {
        files.write(a, l, ended.study, ended.report)?;
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

/// The study of the file, changed by the command line.
fn study(a: &OptimizeArgs, l: &mut Loaded) -> Result<Optimization, Failure> {
    l.times()?;
    if a.allow_path {
        l.study.allow_path();
    }
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
