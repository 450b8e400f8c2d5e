//! What an optimisation writes at its end: the model with the new values, and tables.

use crate::args::OptimizeArgs;
use crate::diagnostic::Failure;
use crate::files::{Targets, is_begun, same};
use crate::loaded::{Loaded, pair};
use crate::output;
use gradyn::file::{self, Measured};
use gradyn::optimize::{Optimization, Report, Scenario};
use serde_json::json;
use std::path::{Component, Path, PathBuf};

type Done = Result<(), Failure>;

/// Where the model and the tables may be written.
pub(crate) struct Files {
    model: Targets,
    tables: Targets,
}

/// Files of one command must not overwrite each other; the model itself may be written.
pub(crate) fn apart(a: &OptimizeArgs, history: &Path) -> Done {
    let model = Some(a.model.model.as_path());
    let out = a.out.as_deref();
    let write = a.write.as_deref();
    let clash =
        [(Some(history), out), (Some(history), write), (out, write), (model, out), (model, Some(history))];
    match clash.into_iter().find(|(x, y)| x.zip(*y).is_some_and(|(x, y)| same(x, y))) {
        Some((Some(path), _)) => Err(twice(path)),
        _ => Ok(()),
    }
}

fn twice(path: &Path) -> Failure {
    let message = format!("{} would be written twice, or is the model", path.display());
    Failure::command(message, "give --history, --write, --out and scenarios different names")
}

/// motion.csv or motion.SCENARIO.csv; `when` is empty, or `before.` for the start.
fn table_path(out: &Path, scenario: &str, when: &str) -> Result<PathBuf, Failure> {
    let kind = out.extension().unwrap_or_default().to_string_lossy();
    let mut parts = Path::new(scenario).components();
    let plain =
        scenario.is_empty() || matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    if !plain || scenario.contains(['/', '\\']) {
        let message = format!("scenario `{scenario}`: its table would be in another folder");
        return Err(Failure::command(message, "give it a name without slashes, or leave --out away"));
    }
    let part = if scenario.is_empty() { String::new() } else { format!("{scenario}.") };
    Ok(out.with_extension(format!("{part}{when}{kind}")))
}

impl Files {
    /// Refuses, before the run, what must not be written after it.
    pub(crate) fn new(
        a: &OptimizeArgs,
        l: &Loaded,
        study: &Optimization,
        history: &Path,
    ) -> Result<Self, Failure> {
        // what the command reads; a model may take the place of the one that it is made from
        let fit = l.file().study.optimize.as_ref().and_then(|o| o.fit.as_ref());
        let record = fit.and_then(|fit| match &fit.record {
            Measured::File(name) => Some(l.file().folder.join(name)),
            Measured::Text(..) | Measured::Rows(_) => None,
        });
        let mut inputs: Vec<&Path> = record.iter().map(PathBuf::as_path).chain([history]).collect();
        let overwrites_model = a.write.as_deref().is_some_and(|path| same(path, &a.model.model));
        // with a history to go on from, files may be those that the same command wrote before
        let goes_on = a.resume && is_begun(history);
        let model = Targets::new(a.overwrite || (goes_on && !overwrites_model), &inputs);
        inputs.extend([&*a.model.model].into_iter().chain(a.write.as_deref()));
        let tables = Targets::new(a.overwrite || goes_on, &inputs);
        // all of them
        let files = Self { model, tables };
        a.write.as_deref().map_or(Ok(()), |path| files.model.check(path))?;
        let mut seen = vec![];
        for (s, out) in study.scenarios.iter().flat_map(|s| a.out.iter().map(move |out| (s, out))) {
            for when in ["before.", ""] {
                let path = table_path(out, &s.name, when)?;
                files.tables.check(&path)?;
                seen.push(path);
            }
        }
        match (1..seen.len()).find(|k| seen[..*k].contains(&seen[*k])) {
            Some(k) => Err(twice(&seen[k])),
            None => Ok(files),
        }
    }
    /// The model with the new values, and the tables before and after.
    pub(crate) fn write(&self, a: &OptimizeArgs, l: &Loaded, study: &Optimization, report: &Report) -> Done {
        if let Some(path) = &a.write {
            let new = file::with_values(&a.model.model, l.text(), &values(a, study, report)?);
            self.model.write(path, new.map_err(|e| l.fail(e))?.as_bytes())?;
        }
        let Some(path) = &a.out else { return Ok(()) };
        for s in &study.scenarios {
            self.table(a, l, study, s, study.start(), &table_path(path, &s.name, "before.")?)?;
            self.table(a, l, study, s, &report.end.x, &table_path(path, &s.name, "")?)?;
        }
        Ok(())
    }
    /// The output table of a design.
    fn table(
        &self,
        a: &OptimizeArgs,
        l: &Loaded,
        study: &Optimization,
        s: &Scenario,
        x: &[f64],
        path: &Path,
    ) -> Done {
        let model = s.prepared.at_on_branch(x).map_err(|e| l.fail(e))?;
        let run = model.run(&study.method).map_err(|e| l.fail(e))?;
        let table = model.table(&run, l.file().study.output_step).map_err(|e| l.fail(e))?;
        let wrong = output::not_finite(&table.columns, &table.rows, a.model.quiet);
        let object =
            || json!({"columns": table.columns, "rows": table.rows, "warnings": output::texts(&wrong)});
        output::write(&self.tables, path, || output::csv(&table.columns, &table.rows), object)
    }
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
