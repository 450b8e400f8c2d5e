//! Every method against one reference.

use crate::core::Core;
use crate::describe::chosen;
use crate::json::{named, object};
use crate::work::telling;
use gradyn::optimize::history;
use gradyn::verify::{Answer, Combination, Plan, Reference, Report, Row, Scope, Stage};
use gradyn::{Coordinates, Error, Prepared, Study};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::panic::resume_unwind;
use std::time::Duration;

/// What is told before each row: rows done, of how many, and what runs now.
type Told = (usize, usize, String);

#[pymethods]
impl Core {
    /// Runs the combinations, and tells `told` which one begins.
    #[pyo3(signature = (full, budget, told))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        full: bool,
        budget: Option<f64>,
        told: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let budget = budget.map(Duration::try_from_secs_f64).transpose();
        let budget = budget.map_err(|e| {
            let message = format!("budget: {e}");
            crate::errors::argument(py, &message, "give a positive number of seconds")
        })?;
        let study = self.study.clone();
        let mut hear =
            |_: Python, event: Told| told.iter().try_for_each(|f| f.call1(event.clone()).map(drop));
        let report = telling(
            py,
            move |stop, tell| {
                verified(&study, (full, budget), &mut |s| {
                    // a table that nobody waits for has no other end: this is no panic, and nothing is
                    // printed
                    if stop.asked() {
                        resume_unwind(Box::new("stopped"));
                    }
                    tell((s.done, s.total, s.name.to_owned()));
                })
            },
            &mut hear,
        )?;
        object(py, &report)
    }
}

/// The report of a study.
fn verified(
    study: &Study,
    (full, budget): (bool, Option<Duration>),
    observe: &mut dyn FnMut(&Stage),
) -> Result<Value, Error> {
    // plan = method of the study, and the model in all other coordinates
    let prepared = study.prepared()?;
    let scope = if full { Scope::Full } else { Scope::Star };
    let plan = Plan { scope, budget, ..Plan::star(study.chosen_method()?) };
    let own = prepared.model.family;
    let others = Coordinates::ALL.into_iter().filter(|c| *c != own);
    let others: Vec<Prepared> = others
        .filter_map(|c| Prepared::new_in(&study.file().mechanism, c).ok())
        .filter(|p| p.model.family != own)
        .collect();
    let report = prepared.verify(&plan, &others, observe).map_err(|e| study.locate(e))?;
    Ok(report_object(prepared, &report))
}

/// A report as an object, with the keys of the command.
fn report_object(p: &Prepared, r: &Report) -> Value {
    let count = |name: &str| r.count(|v| v.name() == name);
    let verdicts = ["agrees", "loose", "explained", "differs", "refused", "stopped"];
    let counts = verdicts.iter().map(|name| ((*name).to_owned(), count(name).into()));
    json!({
        "model": p.model.name, "agrees": r.agrees(), "doubt": r.doubt,
        "reference": match &r.reference {
            Ok(x) => reference(p, x),
            Err(reason) => json!({"refused": reason}),
        },
        "rows": r.rows.iter().map(|x| row(p, x)).collect::<Vec<_>>(),
        "skipped": r.skipped.iter().map(combination).collect::<Vec<_>>(),
        "summary": Value::Object(counts.collect()), "warnings": history::counts(&r.warnings()),
        "seconds": r.seconds,
    })
}

/// The names of a combination.
fn combination(c: &Combination) -> Value {
    json!({
        "coordinates": c.coordinates.name(), "formulation": c.formulation.name(),
        "integrator": c.integrator.name(), "sensitivity": c.sensitivity.name(),
    })
}

/// Objectives with their gradients.
fn answer(p: &Prepared, x: &Answer) -> Vec<Value> {
    let names: Vec<String> = p.parameters().iter().map(|p| p.name.clone()).collect();
    let one = |k: usize| json!({"name": p.objectives()[k], "value": x.psi[k], "gradient": named(&names, &x.rows[k])});
    (0..x.psi.len()).map(one).collect()
}

/// What all others are compared with.
fn reference(p: &Prepared, r: &Reference) -> Value {
    json!({
        "method": chosen(&r.method), "steps": r.steps, "objectives": answer(p, &r.answer), "error": r.error,
        "certificate": r.certificate, "seconds": r.seconds,
        "moved": p.objectives().iter().zip(&r.moved).map(|(name, m)| m.object(name)).collect::<Vec<_>>(),
    })
}

/// One combination with its verdict.
fn row(p: &Prepared, r: &Row) -> Value {
    let mut o = combination(&r.combination);
    o["section"] = r.section.name().into();
    o["verdict"] = r.verdict.name().into();
    o["seconds"] = r.seconds.into();
    o["note"] = r.note().map_or(Value::Null, Value::from);
    if let Some(m) = &r.measured {
        o["objectives"] = answer(p, &m.answer).into();
        o["steps"] = m.steps.into();
        o["order"] = m.order.into();
        o["ratio"] = m.distance.ratio.into();
        o["off"] = m.distance.off.into();
        o["expected"] = m.distance.expected.into();
        o["entry"] = m.distance.entry.name(p).into();
    }
    o
}
