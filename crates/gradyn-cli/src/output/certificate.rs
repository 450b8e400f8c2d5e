//! Certificates, for people and for programs.

use gradyn::certificate::{Errors, Growth, Moved, Outcome, ProductCheck, ProgramCheck, Reason, SQUARES};
use gradyn::{Certificate, Place, Prepared, Study, Verdict};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The verdict with its reasons, what each check has found, and what they cost.
pub(crate) fn certificate_text(study: &Study, c: &Certificate) -> String {
    let mut out = format!("\ncertificate: {}{}\n", c.verdict.name(), range_text(c));
    for reason in &c.reasons {
        let _ = writeln!(out, "  {}{}", reason.text, lines_text(&study.places(reason)));
    }
    out.extend(c.program.iter().map(program_text));
    out.extend(c.products.iter().map(products_text));
    for (name, m) in c.objectives.iter().zip(&c.moved) {
        let residuals = if name == SQUARES { "norm of the derivatives of the residuals, " } else { "" };
        let _ = writeln!(out, "  moved       {name}: {residuals}{}", moved_text(m));
    }
    if let Some(e) = &c.errors {
        let _ = writeln!(out, "  errors (±)  by {}", e.other);
    }
    let whole = c.forward_and_gradient;
    let [program, products, moved, errors] = c.seconds.map(|s| 100.0 * s / whole);
    let _ = writeln!(
        out,
        "  cost        {:.2} ms: program {program:.0} %, products {products:.0} %, moved {moved:.0} %, \
         errors {errors:.0} % of forward and gradient (--no-certificate skips it)",
        c.total_seconds() * 1e3
    );
    out
}

/// The lines of the model file that a reason is about.
fn lines_text(places: &[Place]) -> String {
    let lines: Vec<String> = places.iter().map(|p| p.line.to_string()).collect();
    match lines.len() {
        0 => String::new(),
        1 => format!(" (line {})", lines[0]),
        _ => format!(" (lines {})", lines.join(", ")),
    }
}

/// Up to which changes of the design it holds, where it is trusted.
fn range_text(c: &Certificate) -> String {
    let agree = !c.moved.is_empty() && c.moved.iter().all(|m| m.outcome == Outcome::Agrees);
    let range = c.moved.iter().fold(f64::INFINITY, |range, m| range.min(m.change));
    if agree && c.verdict == Verdict::Trusted {
        format!(", holds for changes up to {}", percent(range))
    } else {
        String::new()
    }
}

/// A change in percent.
fn percent(change: f64) -> String {
    format!("{} %", (1e8 * change).round() / 1e6)
}

/// The direction through the program, and what grows on the way.
fn program_text(check: &ProgramCheck) -> String {
    let mut out = String::new();
    if check.zero.len() < check.distances.len() {
        let distance = check.distance();
        let _ = writeln!(
            out,
            "  program     one direction differs from a complex step through the program by {distance:.1e}"
        );
    }
    for name in &check.zero {
        let _ =
            writeln!(out, "  program     the gradient of {name} is zero to rounding, by a complex step too");
    }
    let growth = check.growth;
    if growth.is_beyond() {
        let _ = writeln!(out, "  growth      of perturbations to 10⁴ in {:.3} s", growth.horizon());
    }
    out
}

/// Products of steps, forward and backward.
fn products_text(check: &ProductCheck) -> String {
    format!(
        "  products    of {} records differ from their transposes by {:.1e}\n",
        check.records, check.distance
    )
}

/// What a moved difference says.
pub(crate) fn moved_text(m: &Moved) -> String {
    let values = format!("{:.6e} ± {:.0e} by runs, {:.6e} by the gradient", m.difference, m.bar, m.along);
    match m.outcome {
        Outcome::Agrees => format!("{values}, for changes of {}", percent(m.change)),
        Outcome::Differs => format!("{values}, for changes of {}: they differ", percent(m.change)),
        Outcome::Unsettled => format!("{values}, for changes of {}: not settled", percent(m.change)),
        Outcome::NotRun => "designs beside this one do not run".into(),
    }
}

/// The object of a certificate.
pub(crate) fn certificate_json(study: &Study, p: &Prepared, c: &Certificate) -> Value {
    let reason = |r: &Reason| {
        let about = r.subjects.first().map(|s| s.name.clone());
        let place = |p: &Place| json!({"line": p.line, "column": p.column});
        let places: Vec<Value> = study.places(r).iter().map(place).collect();
        json!({"verdict": r.verdict.name(), "text": r.text, "about": about, "places": places})
    };
    let [program, products, moved, errors] = c.seconds;
    let mut o = json!({
        "verdict": c.verdict.name(),
        "reasons": c.reasons.iter().map(reason).collect::<Vec<_>>(),
        "moved": c.objectives.iter().zip(&c.moved).map(moved_json).collect::<Vec<_>>(),
        "seconds": {"program": program, "products": products, "moved": moved, "errors": errors},
    });
    if let Some(check) = &c.program {
        let Growth { rate, .. } = check.growth;
        let horizon = Some(check.growth.horizon()).filter(|h| h.is_finite());
        o["direction_by_complex_step"] = check.distance().into();
        o["growth"] = json!({"rate": rate, "horizon": horizon});
        if !check.zero.is_empty() {
            o["zero_to_rounding"] = json!(check.zero);
        }
    }
    if let Some(check) = &c.products {
        o["products"] = json!({"records": check.records, "distance": check.distance, "time": check.time});
    }
    if let Some(e) = &c.errors {
        o["errors"] = errors_json(p, &c.objectives, e);
    }
    o
}

/// The moved difference of an objective.
pub(crate) fn moved_json((name, m): (&String, &Moved)) -> Value {
    let outcome = match m.outcome {
        Outcome::Agrees => "agrees",
        Outcome::Differs => "differs",
        Outcome::Unsettled => "unsettled",
        Outcome::NotRun => "not-run",
    };
    json!({
        "objective": name, "outcome": outcome, "gradient": m.along, "difference": m.difference,
        "distance": m.distance, "bar": m.bar, "change": m.change,
    })
}

/// ± of every objective and of every entry of its gradient.
fn errors_json(p: &Prepared, objectives: &[String], e: &Errors) -> Value {
    let names = super::parameter_names(p);
    let mut errors = Map::new();
    for (j, name) in objectives.iter().enumerate() {
        let gradient = super::named(names.clone(), &e.gradient[j]);
        errors.insert(name.clone(), json!({"value": e.values[j], "gradient": gradient}));
    }
    json!({"by": e.other, "objectives": errors})
}
