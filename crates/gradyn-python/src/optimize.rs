//! Runs of an optimiser: each evaluation is told, and answered, before the next one begins.

use crate::errors::argument;
use crate::json::object;
use crate::study::CoreStudy;
use crate::work::telling;
use gradyn::optimize::{
    Direction, Estimate, Failure, Identification, Last, Multiplier, Optimization, Report,
};
use gradyn::optimize::{Side, Status, Told, history};
use gradyn::{Error, Study, Warning};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};

/// Correlations above this are reported.
const HIGH: f64 = 0.95;

/// An evaluation: its line of the history, where the run is, and who waits for the answer whether to stop.
struct Event {
    line: String,
    now: Value,
    answer: Sender<bool>,
}

#[pymethods]
impl CoreStudy {
    /// Runs to the end; `told` is called with each line of the history and a summary, and stops the run by a
    /// true answer. `lines` are those of a run that goes on.
    #[pyo3(signature = (lines, certify, told))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        lines: Vec<String>,
        certify: bool,
        told: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // records of the history
        let record = |(k, line): (usize, &String)| {
            history::record(line).ok_or_else(|| {
                let message = format!("resume: line {} is no evaluation", k + 1);
                argument(py, &message, "give the history of a result, or its first lines")
            })
        };
        let records = lines.iter().enumerate().map(record).collect::<PyResult<Vec<_>>>()?;

        // the run
        let study = self.study.clone();
        let optimization = self.optimization.clone();
        let pool = self.pool.clone();
        let job = move |stop: &crate::work::Stop, tell: &mut (dyn FnMut(Event) + Send)| {
            pool.install(|| {
                let observe = &mut |told: &Told| {
                    let (answer, heard) = channel();
                    let line = history::line(told.now.evaluations, told.record);
                    tell(Event { line, now: now(told), answer });
                    // who has gone wants no more
                    let stopped = heard.recv().unwrap_or(true) || stop.asked();
                    if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                ended((&study, &optimization), &records, certify, observe).map_err(|e| study.locate(e))
            })
        };
        let mut hear = |_: Python, event: Event| {
            let stopped = told.call1((event.line, object(py, &event.now)?))?.is_truthy()?;
            let _ = event.answer.send(stopped);
            Ok(())
        };
        object(py, &telling(py, job, &mut hear)?)
    }
}

/// Where a run is after an evaluation.
fn now(told: &Told) -> Value {
    let trial = &told.record.trial;
    let mut o = json!({
        "evaluation": told.now.evaluations, "iteration": told.now.iterations, "start": trial.start, "x": trial.x,
        "new": told.new, "ended": told.ended, "best_x": told.now.x, "best": told.now.value,
    });
    match &told.record.outcome {
        Ok(e) => (o["value"], o["optimality"]) = (e.value.into(), told.now.optimality.into()),
        Err(e) => o["failed"] = e.reason.as_str().into(),
    }
    o
}

/// Is there a local optimum, or the best design up to a limit?
fn usable(status: Status) -> bool {
    let limits = [Status::IterationLimit, Status::EvaluationLimit, Status::Interrupted];
    status.converged() || limits.contains(&status)
}

/// A run to its end, with the last design once more.
fn ended(
    (study, o): (&Study, &Optimization),
    records: &[gradyn::optimize::Record],
    certify: bool,
    observe: &mut dyn FnMut(&Told) -> ControlFlow<()>,
) -> Result<Value, Error> {
    let report = o.run(records, observe)?;
    let end = &report.end;
    if end.status == Status::StartFailed {
        o.try_start()?;
    }
    let certify = certify && end.status != Status::Interrupted;
    let wanted = usable(end.status) && !end.x.is_empty();
    let last = if wanted { o.last(&end.x, certify)? } else { vec![] };
    Ok(report_object((study, o), &report, &last))
}

/// What is known at the end.
fn report_object((study, o): (&Study, &Optimization), report: &Report, last: &[Last]) -> Value {
    // bounds, constraints and failures as lists
    let end = &report.end;
    let side = |side: Side| if matches!(side, Side::Lower) { "lower" } else { "upper" };
    let active = end.active.iter();
    let active = active.map(|b| json!({"name": b.name, "side": side(b.side), "multiplier": b.multiplier}));
    let values = report.best().into_iter().flat_map(|e| e.constraints.iter().copied());
    let limit = |(m, c): (&Multiplier, f64)| json!({"name": m.name, "value": c, "multiplier": m.value});
    let failure = |f: &Failure| json!({"start": f.start, "evaluation": f.evaluation, "reason": f.reason});
    let starts = report.starts.iter().map(
        |s| json!({"status": s.status.name(), "x": s.x, "value": s.value, "evaluations": s.evaluations}),
    );

    // the object
    json!({
        "status": end.status.name(), "message": end.status.about(), "success": end.status.converged(),
        "usable": usable(end.status), "x": end.x, "value": end.value,
        "initial": report.initial().map(|e| e.value), "optimality": end.optimality,
        "violation": end.violation, "iterations": end.iterations, "evaluations": end.evaluations,
        "active": active.collect::<Vec<_>>(),
        "constraints": end.multipliers.iter().zip(values).map(limit).collect::<Vec<_>>(),
        "failures": end.failures.iter().map(failure).collect::<Vec<_>>(),
        "warnings": history::counts(&report.warnings()),
        "starts": if o.starts.is_some() { starts.collect() } else { Value::Null },
        "fit": report.identification.as_ref().map(identification),
        "last": last.iter().map(|l| last_object(study, l)).collect::<Vec<_>>(),
    })
}

/// A scenario at the last design.
fn last_object(study: &Study, l: &Last) -> Value {
    let warnings: Vec<String> = l.warnings().map(Warning::to_string).collect();
    let certificate = l.certificate.as_ref().map(|c| c.object(&l.model, |r| study.places(r)));
    json!({"scenario": l.scenario, "warnings": warnings, "certificate": certificate})
}

/// What a fit says about its parameters.
fn identification(fit: &Identification) -> Value {
    let estimate = |e: &Estimate| json!({"name": e.name, "value": e.value, "deviation": e.deviation, "interval": e.interval});
    let direction = |d: &Direction| json!({"strength": d.strength, "components": d.components});
    let correlation = |(a, b, r): (&str, &str, f64)| json!({"parameters": [a, b], "correlation": r});
    json!({
        "residual_deviation": fit.residual_deviation, "freedoms": fit.freedoms,
        "estimates": fit.estimates.iter().map(estimate).collect::<Vec<_>>(), "covariance": fit.covariance,
        "correlations": fit.correlations(HIGH).into_iter().map(correlation).collect::<Vec<_>>(),
        "unidentifiable": fit.unidentifiable.iter().map(direction).collect::<Vec<_>>(),
    })
}
