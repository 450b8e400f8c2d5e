//! Certificates, for people.

use gradyn::certificate::{Moved, Outcome, ProductCheck, ProgramCheck, SQUARES};
use gradyn::{Certificate, Place, Study, Verdict};
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
