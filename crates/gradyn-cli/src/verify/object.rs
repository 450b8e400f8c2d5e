//! The object of `gradyn verify --json`.

use crate::output::{method_object, named, parameter_names, texts};
use gradyn::optimize::history;
use gradyn::verify::{Against, Answer, Combination, Distance, Measured, Reference, Report, Row};
use gradyn::{Prepared, Sensitivity};
use serde_json::{Value, json};

/// A report as one JSON object.
pub(crate) fn report(p: &Prepared, r: &Report) -> Value {
    // counts of verdicts, and the row that is farthest off
    let count = |name: &str| r.count(|v| v.name() == name);
    let largest = r.farthest().and_then(|row| Some((row, row.measured.as_ref()?)));
    let largest = largest
        .map(|(row, m)| json!({"combination": combination(&row.combination), "ratio": m.distance.ratio}));
    // the object
    json!({
        "model": p.model.name,
        "parameters": named(parameter_names(p), p.rho()),
        "reference": match &r.reference {
            Ok(x) => reference(p, x),
            Err(reason) => json!({"refused": reason}),
        },
        "rows": r.rows.iter().map(|row| self::row(p, row)).collect::<Vec<_>>(),
        "skipped": r.skipped.iter().map(combination).collect::<Vec<_>>(), "doubt": r.doubt,
        "model_warnings": texts(&p.model.warnings), "warnings": history::counts(&r.warnings()),
        "summary": {
            "rows": r.rows.len(), "skipped": r.skipped.len(), "agrees": count("agrees"),
            "loose": count("loose"),
            "explained": count("explained"), "differs": count("differs"), "refused": count("refused"),
            "stopped": count("stopped"),
            "largest": largest,
        },
        "seconds": r.seconds,
    })
}

fn combination(c: &Combination) -> Value {
    json!({
        "coordinates": c.coordinates.name(), "formulation": c.formulation.name(),
        "integrator": c.integrator.name(), "sensitivity": c.sensitivity.name(),
    })
}

fn answer(p: &Prepared, x: &Answer) -> Vec<Value> {
    let one = |k: usize| {
        let gradient = named(parameter_names(p), &x.rows[k]);
        json!({"name": p.objectives()[k], "value": x.psi[k], "gradient": gradient})
    };
    (0..x.psi.len()).map(one).collect()
}

fn reference(p: &Prepared, r: &Reference) -> Value {
    json!({
        "method": method_object(p, &r.method, Some(Sensitivity::DiscreteAdjoint), 0.0), "steps": r.steps,
        "objectives": answer(p, &r.answer), "error": r.error, "certificate": r.certificate,
        "moved": p.objectives().iter().zip(&r.moved).map(|(name, m)| m.object(name)).collect::<Vec<_>>(),
        "warnings": texts(&r.warnings), "seconds": r.seconds,
    })
}

fn row(p: &Prepared, r: &Row) -> Value {
    let mut o = json!({
        "section": r.section.name(),
        "method": method_object(p, &r.method, Some(r.combination.sensitivity), 0.0),
        "verdict": r.verdict.name(), "seconds": r.seconds,
    });
    o["method"]["coordinates"] = r.combination.coordinates.name().into();
    if let Some(note) = r.note() {
        o["note"] = note.into();
    }
    if let (Some(m), Value::Object(o)) = (&r.measured, &mut o) {
        o.extend(measured(p, m).as_object().cloned().unwrap_or_default());
    }
    o
}

fn measured(p: &Prepared, m: &Measured) -> Value {
    let Distance { off, expected, ratio, .. } = m.distance;
    let against = match m.against {
        Against::Reference => "reference",
        Against::SameRun => "discrete-adjoint of the same run",
    };
    json!({
        "objectives": answer(p, &m.answer), "steps": m.steps, "against": against, "order": m.order,
        "moved": m.moved,
        "penalty_error": m.penalty, "warnings": texts(&m.warnings),
        "distance": {"entry": m.distance.entry.name(p), "off": off, "expected": expected, "ratio": ratio},
    })
}
