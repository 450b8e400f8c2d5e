//! Certificates as objects, with the keys of the command.

use gradyn::certificate::{Errors, Moved, Outcome, Reason};
use gradyn::{Certificate, Prepared};
use serde_json::{Map, Value, json};

/// A certificate: verdict, reasons, and what each check has found.
pub(crate) fn object(p: &Prepared, c: &Certificate) -> Value {
    let reason = |r: &Reason| {
        let about = r.subjects.first().map(|s| s.name.clone());
        json!({"verdict": r.verdict.name(), "text": r.text, "about": about})
    };
    let [program, products, moved, errors] = c.seconds;
    let mut o = json!({
        "verdict": c.verdict.name(), "reasons": c.reasons.iter().map(reason).collect::<Vec<_>>(),
        "moved": p.objectives().iter().zip(&c.moved).map(moved_object).collect::<Vec<_>>(),
        "seconds": {"program": program, "products": products, "moved": moved, "errors": errors},
    });
    // checks that could be made
    if let Some(check) = &c.program {
        let horizon = Some(check.growth.horizon()).filter(|h| h.is_finite());
        o["direction_by_complex_step"] = check.distance().into();
        o["growth"] = json!({"rate": check.growth.rate, "horizon": horizon});
        o["zero_to_rounding"] = json!(check.zero);
    }
    if let Some(check) = &c.products {
        o["products"] = json!({"records": check.records, "distance": check.distance, "time": check.time});
    }
    if let Some(e) = &c.errors {
        o["errors"] = errors_object(p, e);
    }
    o
}

/// The moved difference of an objective.
pub(crate) fn moved_object((name, m): (&String, &Moved)) -> Value {
    let outcome = match m.outcome {
        Outcome::Agrees => "agrees",
        Outcome::Differs => "differs",
        Outcome::Unsettled => "unsettled",
        Outcome::NotRun => "not-run",
    };
    json!({
        "objective": name, "outcome": outcome, "gradient": m.along, "difference": m.difference,
        "bar": m.bar, "change": m.change,
    })
}

/// ± of every objective and of every entry of its gradient.
fn errors_object(p: &Prepared, e: &Errors) -> Value {
    let names: Vec<String> = p.parameters().iter().map(|p| p.name.clone()).collect();
    let mut objectives = Map::new();
    for (j, name) in p.objectives().iter().enumerate() {
        let gradient = named(&names, &e.gradient[j]);
        objectives.insert(name.clone(), json!({"value": e.values[j], "gradient": gradient}));
    }
    json!({"by": e.other, "objectives": objectives})
}

/// `{name: value}`.
pub(crate) fn named(names: &[String], values: &[f64]) -> Value {
    Value::Object(names.iter().zip(values).map(|(n, x)| (n.clone(), (*x).into())).collect())
}
