//! The history of a run: a first line that says what it is of, then one line for each evaluation.

use crate::args::OptimizeArgs;
use crate::diagnostic::Failure;
use crate::files::{Checksum, Form, Lines};
use crate::loaded::Loaded;
use crate::output;
use gradyn::optimize::{Optimization, Record, history};
use serde_json::{Value, json};
use std::path::Path;

/// What a history is of: everything that decides its numbers. Limits do not, so that a run may go on with
/// higher ones.
pub(crate) fn header(a: &OptimizeArgs, l: &Loaded, study: &Optimization) -> Value {
    let p = study.model();
    let starts =
        study.starts.map(|s| json!({"count": s.count, "seed": s.seed, "sampling": s.sampling.name()}));
    let record = study.fit.as_ref().map(|fit| Checksum::of(&format!("{:?}", fit.record)).text());
    json!({
        "gradyn": env!("CARGO_PKG_VERSION"), "model": p.model.name,
        "source": Checksum::of(l.text()).text(),
        "set": a.model.set, "t_end": a.model.t_end, "option": a.method.option,
        "optimizer": study.optimizer.name(),
        "method": super::method(study), "parameters": output::parameter_names(p),
        "starts": starts, "record": record,
    })
}

/// Opens a history, and what it tells already.
pub(crate) fn open(path: &Path, header: &Value, a: &OptimizeArgs) -> Result<(Lines, Vec<Record>), Failure> {
    let mut lines = Lines::read(path, Form::Json, "--history", a.resume, a.overwrite)?;
    let name = path.display().to_string();
    if let Some(first) = lines.old.first() {
        check(&name, serde_json::from_str(first).unwrap_or(Value::Null), header)?;
    }
    let record = |(k, line): (usize, &String)| {
        history::record(line).ok_or_else(|| {
            let message = format!("{name}, line {}: this is no evaluation", k + 1);
            Failure::command(message, "remove this line and those below it, and resume")
        })
    };
    let records = lines.old.iter().enumerate().skip(1).map(record).collect::<Result<_, _>>()?;
    lines.start(&header.to_string())?;
    Ok((lines, records))
}

/// Refuses the history of something else.
fn check(name: &str, old: Value, new: &Value) -> Result<(), Failure> {
    let help = "give another file by --history, or run without --resume";
    // the first line of another file
    if old["gradyn"].is_null() {
        return Err(Failure::command(format!("{name} is not the history of an optimisation"), help));
    }
    // first key that differs, or that one of them lacks
    let keys = new.as_object().into_iter().chain(old.as_object()).flat_map(|o| o.keys());
    match keys.map(|key| (key, &old[key], &new[key])).find(|(_, old, new)| old != new) {
        None => Ok(()),
        Some((key, ..)) if key == "source" => Err(Failure::command(
            format!("{name} is the history of another model: the model file has changed since"),
            help,
        )),
        Some((key, ..)) if key == "record" => Err(Failure::command(
            format!("{name} is the history of another fit: the record has changed since"),
            help,
        )),
        Some((key, old, new)) => Err(Failure::command(
            format!("{name} is the history of another run: `{key}` was {old}, now it is {new}"),
            help,
        )),
    }
}
