//! What the last design warns of, and its certificate.

use crate::output;
use gradyn::optimize::{Last, Report, history};
use gradyn::{Study, Verdict};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Is the gradient of every scenario trusted?
pub(crate) fn trusted(last: &[Last]) -> bool {
    !last.is_empty()
        && last.iter().all(|l| l.certificate.as_ref().is_some_and(|c| c.verdict == Verdict::Trusted))
}

/// How many designs warned, by kind.
pub(crate) fn counts(report: &Report) -> Value {
    history::counts(&report.warnings())
}

/// An object for each scenario at the last design.
pub(crate) fn object(study: &Study, last: &[Last]) -> Value {
    let one = |l: &Last| {
        let certificate = l.certificate.as_ref().map(|c| c.object(&l.model, |r| study.places(r)));
        json!({
            "scenario": l.scenario, "warnings": output::texts(l.warnings()), "certificate": certificate,
        })
    };
    last.iter().map(one).collect()
}

/// Warnings of all designs by kind, those of the last one in full, and its certificates.
pub(crate) fn text(study: &Study, report: &Report, last: &[Last]) -> String {
    let mut out = String::new();
    let all = report.warnings();
    if !all.is_empty() {
        let _ =
            writeln!(out, "  warnings        {}", output::tally_text(&all, report.records.len(), "designs"));
    }
    for l in last {
        let name = if l.scenario.is_empty() { String::new() } else { format!(", scenario {}", l.scenario) };
        let warnings = output::texts(l.warnings());
        if !warnings.is_empty() {
            let _ = writeln!(out, "  the last design warns{name}");
            warnings.iter().for_each(|w| out += &format!("    {w}\n"));
        }
        if let Some(c) = &l.certificate {
            let certificate = output::certificate_text(study, c);
            let _ = write!(out, "\nthe last design{name}, {}", certificate.trim_start());
        }
    }
    out
}
