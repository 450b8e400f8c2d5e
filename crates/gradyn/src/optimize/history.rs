//! Evaluations as lines of JSON, every number exact: the shortest decimals that read back as the same bits.
//!
//! ```text
//! {"evaluation":1,"start":0,"x":[…],"value":…,"gradient":[…],"constraints":[…],"jacobian":[…]}
//! {"evaluation":2,"start":0,"x":[…],"failed":"why"}
//! {"evaluation":3,"start":0,"x":[…],"value":…, …,"warnings":{"drift":1}}
//! ```
//! A fit has its residuals, `residuals` and `slopes`, in place of the value and the gradient, which follow
//! from them.

use super::Record;
use crate::error::Error;
use crate::tally::Tally;
use gradyn_model::WarningCode;
use gradyn_optimize::{Evaluation, Failed, Residuals, Status, Trial};
use serde_json::{Map, Value, json};

/// A line of a history, without its end.
pub fn line(number: usize, record: &Record) -> String {
    // design
    let head = json!({"evaluation": number, "start": record.trial.start, "x": record.trial.x});
    // outcome: why it failed, residuals, or a value
    let rest = match &record.outcome {
        Err(Failed { reason }) => json!({"failed": reason}),
        Ok(Evaluation {
            residuals: Some(Residuals { values, jacobian }),
            constraints,
            jacobian: c_x,
            ..
        }) => {
            json!({"residuals": values, "slopes": jacobian, "constraints": constraints, "jacobian": c_x})
        }
        Ok(e) => {
            json!({
                "value": e.value, "gradient": e.gradient,
                "constraints": e.constraints, "jacobian": e.jacobian,
            })
        }
    };
    // warnings, if there are any
    let mut warnings = Map::new();
    if !record.warnings.is_empty() {
        warnings.insert("warnings".into(), counts(&record.warnings));
    }
    // all of them in one object
    let mut all = head;
    let parts = rest.as_object().cloned().into_iter().flatten().chain(warnings);
    if let Some(o) = all.as_object_mut() {
        o.extend(parts);
    }
    all.to_string()
}

/// Kinds of warnings with their counts as an object.
pub fn counts(warnings: &Tally) -> Value {
    Value::Object(warnings.iter().map(|(code, count)| (code.name().into(), count.into())).collect())
}

/// The counts of a line; kinds that this program does not know are left out.
fn tally(o: &Value) -> Tally {
    let mut warnings = Tally::default();
    for (name, count) in o["warnings"].as_object().into_iter().flatten() {
        let known = WarningCode::parse(name).zip(count.as_u64());
        known.into_iter().for_each(|(code, count)| warnings.add(code, count as usize));
    }
    warnings
}

/// The record of a line; nothing if it is none, such as half a line, or has lists of lengths that do not fit.
pub fn record(line: &str) -> Option<Record> {
    let o: Value = serde_json::from_str(line).ok()?;
    let list = |key: &str| o[key].as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let sized = |key: &str, count: usize| list(key).filter(|l| l.len() == count);
    // design
    let x = list("x").filter(|x| !x.is_empty())?;
    let n = x.len();

    // outcome: a value with its gradient, or residuals with theirs, and constraints
    let evaluation = || match list("residuals") {
        Some(values) => {
            let slopes = sized("slopes", values.len() * n)?;
            Some(Evaluation::least_squares(values, slopes, n))
        }
        None => Some(Evaluation::new(o["value"].as_f64()?, sized("gradient", n)?)),
    };
    let constrained = || {
        let constraints = list("constraints")?;
        let jacobian = sized("jacobian", constraints.len() * n)?;
        Some(evaluation()?.constrained(constraints, jacobian))
    };
    let outcome = match o["failed"].as_str() {
        Some(reason) => Err(Failed { reason: reason.into() }),
        None => Ok(constrained()?),
    };
    let trial = Trial { start: o["start"].as_u64()? as usize, x };
    Some(Record { trial, outcome, warnings: tally(&o) })
}

/// A history of another study.
pub(super) fn foreign(evaluation: usize) -> Error {
    let message = format!(
        "evaluation {} of the history is of another design than the one that is wanted",
        evaluation + 1
    );
    Error::method(message, "the history belongs to another study or was changed: start without it")
}

/// A history whose last evaluation comes out in other numbers.
pub(super) fn differs(evaluation: usize) -> Error {
    let message = format!("evaluation {evaluation} of the history has other numbers now");
    let help = "the history was changed, or written by another program or machine: start without it";
    Error::method(message, help)
}

/// A history that goes on after the end of its run.
pub(super) fn beyond(evaluations: usize, records: usize, status: Status) -> Error {
    let message = format!(
        "evaluation {} of the history, of {records}, is beyond the end of the run, which is {} after \
         evaluation {evaluations}",
        evaluations + 1,
        status.name()
    );
    Error::method(message, "raise --max-evaluations, or start without the history")
}
