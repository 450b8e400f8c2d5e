//! What each command does.

use crate::args::{GradientArgs, ModelArgs, RunArgs, What};
use crate::diagnostic::Failure;
use crate::files::Targets;
use crate::loaded::{Loaded, seconds};
use crate::output;
use gradyn::optimize::Optimizer;
use gradyn::registry::{Formulation, Integrator, OPTIONS, OptionEntry, SENSORS, Sensitivity};
use gradyn::study::AUTO;
use gradyn::{
    Contributions, Coordinates, GradientReport, Method, PenaltyError, Prepared, Run, Verdict, Warning, file,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

type Done = Result<(), Failure>;

pub(crate) fn print(value: &Value) {
    output::say(&format!("{value}\n"));
}

/// `gradyn simulate`.
pub(crate) fn simulate(a: &RunArgs) -> Done {
    // what can be refused before the run: path, model, output step
    let targets = targets(&a.model, a.out.as_deref(), a.overwrite)?;
    let mut l = Loaded::new(&a.model)?;
    let every = match &a.output_step {
        Some(h) => Some(seconds("--output-step", h)?),
        None => l.file().study.output_step,
    };
    // run, and its table
    if a.method.memory.is_some() && every.is_none() {
        return Err(Failure::command(
            "--memory: a table with a row of every step is as long as the run",
            "give the time between rows by --output-step, such as --output-step 0.01",
        ));
    }
    let method = l.method(&a.method)?;
    let run = run(&l, &method, a.penalty_error, a.model.quiet)?;
    let penalty = penalty_error(&l, &run, None, a.penalty_error)?;
    let table = l.prepared.table(&run, every).map_err(|e| l.fail(e))?;
    let wrong = output::not_finite(&table.columns, &table.rows, a.model.quiet);
    let object = || output::simulate_json(&l.prepared, &run, &table, &wrong, penalty.as_ref());
    // file of the table
    if let Some(path) = &a.out {
        output::write(&targets, path, || output::csv(&table.columns, &table.rows), object)?;
    }
    // summary on standard output
    if a.model.json {
        print(&object());
    } else {
        output::say(&output::run_text(&l.prepared, &run));
        penalty.iter().for_each(|e| output::say(&output::penalty_text(&l.prepared, e)));
        output::say(&match &a.out {
            Some(path) => format!("  written         {} rows to {}\n", table.rows.len(), path.display()),
            None => format!(
                "  (--out FILE.csv writes {} rows of {} columns)\n",
                table.rows.len(),
                table.columns.len()
            ),
        });
    }
    Ok(())
}

/// Where a table may be written; refused before the run if it may not.
fn targets(model: &ModelArgs, out: Option<&Path>, overwrite: bool) -> Result<Targets, Failure> {
    let targets = Targets::new(overwrite, &[&model.model]);
    if let Some(path) = out {
        output::check_kind(path)?;
        targets.check(path)?;
    }
    Ok(targets)
}

/// `gradyn gradient`; is it trusted, where that is asked?
pub(crate) fn gradient(a: &GradientArgs) -> Result<bool, Failure> {
    // what can be refused before the run: path, model, sensitivity
    let targets = targets(&a.model, a.out.as_deref(), a.overwrite)?;
    let mut l = Loaded::new(&a.model)?;
    let sensitivity = l.sensitivity(a.sensitivity.as_deref(), a.model.quiet)?;
    if let Some(path) = a.out.as_deref().filter(|path| has_companion(path, sensitivity)) {
        targets.check(&companion(path))?;
    }
    // run, gradient, and what is asked of them
    let method = l.method(&a.method)?;
    let run = run(&l, &method, a.penalty_error, a.model.quiet)?;
    let g = l.prepared.gradient(&run, sensitivity).map_err(|e| l.fail(e))?;
    let certificate =
        (!a.no_certificate).then(|| l.prepared.certify(&run, &g)).transpose().map_err(|e| l.fail(e))?;
    let trusted = certificate.as_ref().is_some_and(|c| c.verdict == Verdict::Trusted);
    let penalty = penalty_error(&l, &run, Some(&g), a.penalty_error)?;
    // file of the contributions
    if let Some(path) = &a.out {
        history(&l, &run, &g, &Sink { targets: &targets, path, quiet: a.model.quiet })?;
    }
    // report on standard output
    if a.model.json {
        let certificate = certificate.as_ref().map(|c| c.object(&l.prepared, |r| l.study.places(r)));
        print(&output::gradient_json(&l.prepared, &run, &g, certificate, penalty.as_ref()));
        return Ok(trusted || !a.strict);
    }
    if !a.model.quiet {
        g.warnings.iter().for_each(|w| crate::output::complain(&format!("note: {w}")));
    }
    output::say(&output::gradient_text(&l.prepared, &run, &g, certificate.as_ref()));
    penalty.iter().for_each(|e| output::say(&output::penalty_text(&l.prepared, e)));
    certificate.iter().for_each(|c| output::say(&output::certificate_text(&l.study, c)));
    Ok(trusted || !a.strict)
}

/// A run, refused before it starts if its penalty error is wanted and there is none.
fn run(l: &Loaded, m: &Method, penalty_error: bool, quiet: bool) -> Result<Run, Failure> {
    if penalty_error {
        gradyn::penalty::check(m).map_err(|e| l.fail(e))?;
    }
    l.run(m, quiet)
}

/// The estimate, if it is wanted.
fn penalty_error(
    l: &Loaded,
    run: &Run,
    g: Option<&GradientReport>,
    wanted: bool,
) -> Result<Option<PenaltyError>, Failure> {
    wanted.then(|| l.prepared.penalty_error(run, g).map_err(|e| l.fail(e))).transpose()
}

/// Where the history of a gradient goes.
struct Sink<'a> {
    targets: &'a Targets,
    path: &'a Path,
    quiet: bool,
}

/// Does a history have a second file beside it: derivatives over the start, for which a table has no room?
fn has_companion(path: &Path, sensitivity: Sensitivity) -> bool {
    sensitivity == Sensitivity::DiscreteAdjoint && path.extension().is_some_and(|e| e == "csv")
}

/// The second file of a history.
fn companion(path: &Path) -> PathBuf {
    path.with_extension("initial.csv")
}

/// What `gradient --out` writes.
fn history(l: &Loaded, run: &Run, g: &GradientReport, sink: &Sink) -> Done {
    let object = |kind: &str, columns: &[String], rows: &[Vec<f64>], wrong: &[Warning]| {
        let mut o = output::gradient_json(&l.prepared, run, g, None, None);
        if let Some(list) = o["warnings"].as_array_mut() {
            list.extend(output::texts(wrong).into_iter().map(Value::from));
        }
        o["history"] = json!({"kind": kind, "columns": columns, "rows": rows});
        o
    };
    if g.sensitivity == Sensitivity::DiscreteAdjoint {
        contributions(l, run, sink, &object)
    } else {
        sensor_sensitivities(l, run, sink, &object)
    }
}

/// The object of a history: its kind, columns, rows, and what is not finite in them.
type HistoryObject<'a> = &'a dyn Fn(&str, &[String], &[Vec<f64>], &[Warning]) -> Value;

/// Names of derivatives: each of `names` over each parameter.
fn derivative_names(p: &Prepared, names: &[String]) -> Vec<String> {
    let over = |o: &String| p.parameters().iter().map(|p| format!("d{o}/d{}", p.name)).collect::<Vec<_>>();
    names.iter().flat_map(over).collect()
}

/// Derivatives of the output columns at every node.
fn sensor_sensitivities(l: &Loaded, run: &Run, sink: &Sink, object: HistoryObject) -> Done {
    let p = &l.prepared;
    let plan = &run.trajectory.plan;
    let all = p.output_sensitivities(run).map_err(|e| l.fail(e))?;
    let names = derivative_names(p, &p.model.columns);
    let columns: Vec<String> = std::iter::once("t".into()).chain(names).collect();
    let row = |(n, rows): (usize, &Vec<Vec<f64>>)| std::iter::once(plan.t[n]).chain(rows.concat()).collect();
    let rows: Vec<Vec<f64>> = all.iter().enumerate().map(row).collect();
    let wrong = output::not_finite(&columns, &rows, sink.quiet);
    let object = || object("sensor sensitivities", &columns, &rows, &wrong);
    output::write(sink.targets, sink.path, || output::csv(&columns, &rows), object)
}

/// Contribution of each record, and the gradient gathered from that record to the end.
fn contributions(l: &Loaded, run: &Run, sink: &Sink, object: HistoryObject) -> Done {
    let p = &l.prepared;
    let (_, c) = p.contributions(run).map_err(|e| l.fail(e))?;
    // columns: contributions, then their sums
    let contribution = derivative_names(p, p.objectives());
    let running: Vec<String> = contribution.iter().map(|c| format!("running {c}")).collect();
    let columns: Vec<String> = std::iter::once("t".into()).chain(contribution).chain(running).collect();
    let rows = contribution_rows(p, run, &c);
    // derivatives over the start
    let conditions: Vec<String> = (p.model.conditions.0.iter().map(|c| c.text.clone()))
        .chain(p.model.conditions.1.iter().map(|c| format!("rate of {c}")))
        .collect();
    let state = gradyn::coordinate_names(p);
    let initial = json!({
        "state": state, "d_state": c.initial_state,
        "conditions": conditions, "d_conditions": c.conditions,
    });
    let wrong = output::not_finite(&columns, &rows, sink.quiet);
    let object = || {
        let mut o = object("contributions and running gradient", &columns, &rows, &wrong);
        o["initial"] = initial;
        o
    };
    output::write(sink.targets, sink.path, || output::csv(&columns, &rows), object)?;
    // a table has no room for them: they are in a file beside it
    if has_companion(sink.path, Sensitivity::DiscreteAdjoint) {
        let columns: Vec<String> = state.iter().chain(&conditions).cloned().collect();
        let rows: Vec<Vec<f64>> =
            c.initial_state.iter().zip(&c.conditions).map(|(s, c)| [s.clone(), c.clone()].concat()).collect();
        let csv = || output::csv(&columns, &rows);
        output::write(sink.targets, &companion(sink.path), csv, || json!({}))?;
    }
    Ok(())
}

/// Rows (t, contributions, sums from there to the end), in order of time.
fn contribution_rows(p: &Prepared, run: &Run, c: &Contributions) -> Vec<Vec<f64>> {
    let plan = &run.trajectory.plan;
    let mut sum = vec![0.0; run.psi.len() * p.parameters().len()];
    let row = |n: usize| {
        let part = c.records[n].concat();
        sum.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
        std::iter::once(plan.t[n]).chain(part).chain(sum.iter().copied()).collect()
    };
    let mut rows: Vec<Vec<f64>> = (0..=plan.steps()).rev().map(row).collect();
    rows.reverse();
    rows
}

/// `gradyn list`.
pub(crate) fn list(what: What) -> Done {
    // rows = (name, about) of the list
    let rows: Vec<(String, String)> = match what {
        What::Coordinates => Coordinates::ALL.iter().map(|c| (c.name().into(), c.about().into())).collect(),
        What::Formulations => Formulation::ALL
            .iter()
            .map(|f| {
                let fits: Vec<&str> =
                    Integrator::ALL.iter().filter(|i| f.fits(**i)).map(|i| i.name()).collect();
                (f.name().into(), format!("{}; with {}", f.about(), fits.join(", ")))
            })
            .collect(),
        What::Integrators => Integrator::ALL.iter().map(|i| (i.name().into(), i.about().into())).collect(),
        What::Sensitivities => {
            let all = Sensitivity::ALL.iter().map(|s| (s.name(), s.about())).chain([AUTO]);
            all.map(|(name, about)| (name.into(), about.into())).collect()
        }
        What::Options => OPTIONS.iter().map(|o| (o.name.into(), option(o))).collect(),
        What::Joints => file::joint_types().into_iter().map(|(n, d)| (n.into(), d.into())).collect(),
        What::Forces => file::force_types().into_iter().map(|(n, d)| (n.into(), d.into())).collect(),
        What::Sensors => SENSORS.iter().map(|(n, d)| ((*n).into(), (*d).into())).collect(),
        What::Optimizers => Optimizer::ALL.iter().map(|o| (o.name().into(), o.about().into())).collect(),
        What::Examples => {
            gradyn::examples::ALL.iter().map(|(n, text)| ((*n).into(), first_sentence(text))).collect()
        }
    };
    // two aligned columns
    let width = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    output::say(&rows.iter().map(|(n, d)| format!("{n:<width$}  {d}\n")).collect::<String>());
    Ok(())
}

/// An option in a line.
fn option(o: &OptionEntry) -> String {
    let range = o.range.map_or(String::new(), |r| format!("{r}; "));
    format!("{} ({range}default {})", o.about, o.default)
}

/// The first sentence of the comment at the top.
fn first_sentence(text: &str) -> String {
    let comment: Vec<&str> = text
        .lines()
        .map_while(|l| l.strip_prefix('#'))
        .map(str::trim)
        .take_while(|l| !l.is_empty())
        .collect();
    comment.join(" ").split_inclusive(". ").next().unwrap_or("").trim().into()
}

/// `gradyn example`.
pub(crate) fn example(name: &str, out: Option<&Path>, overwrite: bool) -> Done {
    let text = gradyn::examples::find(name).ok_or_else(|| {
        let names: Vec<&str> = gradyn::examples::ALL.iter().map(|e| e.0).collect();
        Failure::command(format!("there is no example `{name}`"), format!("valid: {}", names.join(", ")))
    })?;
    match out {
        None => output::say(text),
        Some(path) => Targets::new(overwrite, &[]).write(path, text.as_bytes())?,
    }
    Ok(())
}

/// `gradyn schema`.
pub(crate) fn schema() -> Done {
    let text =
        serde_json::to_string_pretty(&file::schema()).map_err(|e| Failure::command(e.to_string(), ""))?;
    output::say(&(text + "\n"));
    Ok(())
}
