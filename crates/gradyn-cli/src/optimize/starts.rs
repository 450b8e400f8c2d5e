//! What became of many starts.

use crate::output;
use gradyn::optimize::{End, Optimization, Optimum, Report, Status, optima};
use serde_json::{Value, json};

/// Optima and reasons that are listed.
const SHOWN: usize = 5;

/// How many starts ended in each status.
fn counts(ends: &[End]) -> Vec<(Status, usize)> {
    let count = |s: Status| (s, ends.iter().filter(|e| e.status == s).count());
    Status::ALL.iter().map(|s| count(*s)).filter(|(_, count)| *count > 0).collect()
}

/// Why starts ended without an optimum, and how many for the same reason: that of the last failed design, or
/// the status.
fn reasons(ends: &[End]) -> Vec<(String, usize)> {
    let mut list: Vec<(String, usize)> = vec![];
    for end in ends.iter().filter(|e| !e.status.converged()) {
        let failed = end
            .failures
            .last()
            .filter(|_| matches!(end.status, Status::StartFailed | Status::TooManyFailures));
        let reason = failed.map_or(end.status.about(), |f| f.reason.as_str());
        let reason = format!("{}: {reason}", end.status.name());
        match list.iter_mut().find(|r| r.0 == reason) {
            Some(known) => known.1 += 1,
            None => list.push((reason, 1)),
        }
    }
    list.sort_by_key(|r| std::cmp::Reverse(r.1));
    list
}

pub(crate) fn object(study: &Optimization, report: &Report) -> Value {
    let names = output::parameter_names(study.model());
    let optimum = |o: &Optimum| {
        let parameters = output::named(names.clone(), &o.x);
        json!({"parameters": parameters, "objective": o.value, "starts": o.starts})
    };
    let end =
        |e: &End| json!({"status": e.status.name(), "objective": e.value, "evaluations": e.evaluations});
    let statuses: serde_json::Map<String, Value> =
        counts(&report.starts).into_iter().map(|(s, count)| (s.name().into(), count.into())).collect();
    let reasons =
        reasons(&report.starts).into_iter().map(|(reason, count)| json!({"reason": reason, "starts": count}));
    json!({
        "count": report.starts.len(), "status": statuses, "reasons": reasons.collect::<Vec<_>>(),
        "optima": optima(&study.problem, &report.starts).iter().map(optimum).collect::<Vec<_>>(),
        "ends": report.starts.iter().map(end).collect::<Vec<_>>(),
    })
}

/// At most some lines, and how many more there are.
fn shortened(lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!("    and {more} more (--json lists all)\n") } else { String::new() };
    lines.into_iter().take(SHOWN).collect::<String>() + &rest
}

pub(crate) fn text(study: &Optimization, report: &Report) -> String {
    let ends = &report.starts;
    let converged = ends.iter().filter(|e| e.status.converged()).count();
    let statuses: Vec<String> =
        counts(ends).iter().map(|(s, count)| format!("{count} {}", s.name())).collect();
    let mut text = format!(
        "  starts          {converged} of {} at a local optimum: {}\n",
        ends.len(),
        statuses.join(", ")
    );
    let found = optima(&study.problem, ends);
    text += &format!("  optima          {} distinct\n", found.len());
    let optimum = |o: &Optimum| format!("    {:>18.9e}    {} of the starts\n", o.value, o.starts.len());
    text += &shortened(found.iter().map(optimum).collect());
    text + &shortened(
        reasons(ends).iter().map(|(reason, count)| format!("    {count} × {reason}\n")).collect(),
    )
}
