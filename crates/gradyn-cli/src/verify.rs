//! `gradyn verify`.

mod object;
mod table;

use crate::args::VerifyArgs;
use crate::diagnostic::Failure;
use crate::loaded::{Loaded, time};
use crate::output;
use crate::progress::Progress;
use gradyn::verify::{Plan, Scope};
use std::time::Duration;

/// Runs, prints; is there no unexplained disagreement?
pub(crate) fn verify(a: &VerifyArgs) -> Result<bool, Failure> {
    // plan = method, scope and budget of the arguments
    let budget = a.budget.as_deref().map(budget).transpose()?;
    let mut l = Loaded::new(&a.model)?;
    l.times()?;
    let scope = if a.full { Scope::Full } else { Scope::Star };
    let plan = Plan::star(l.method(&a.method())?);
    let most_steps = plan.most_steps.filter(|_| a.step.is_none());
    let plan = Plan { scope, budget, most_steps, ..plan };
    // report, with progress
    let mut progress = Progress::new(0.0, 1.0, a.model.quiet);
    let others = l.others();
    let report = l.prepared.verify(&plan, &others, &mut |s| progress.part(s.done, s.total, s.name));
    progress.finish();
    let report = report.map_err(|e| l.fail(e))?;
    // table or object
    if a.model.json {
        output::say(&format!("{}\n", object::report(&l.prepared, &report)));
    } else {
        output::say(&table::report(&l.prepared, &report));
    }
    Ok(report.agrees())
}

/// A time such as `60s`, `2min` or `500ms`; a number alone is seconds.
fn budget(text: &str) -> Result<Duration, Failure> {
    let end = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let spaced = format!("{} {}", text[..end].trim(), &text[end..]);
    let wrong = |why: &str| {
        Failure::command(format!("--budget {text}: {why}"), "give a time such as 60s, 2min or 500ms")
    };
    match time("--budget", spaced.trim())? {
        s if s > 0.0 => Duration::try_from_secs_f64(s).map_err(|_| wrong("too long")),
        _ => Err(wrong("nothing fits into it")),
    }
}
