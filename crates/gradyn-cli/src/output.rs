//! Results as JSON objects, CSV files and text.

mod certificate;
mod screen;
mod table;
mod text;

pub(crate) use certificate::{certificate_text, moved_text};
pub(crate) use screen::{complain, say, tell};
pub(crate) use table::{cell, check_kind, csv, not_finite, write};
pub(crate) use text::{gradient_text, penalty_text, run_text, tally_text};

use crate::machine::peak_memory;
use gradyn::penalty::{Estimate, PenaltyError};
use gradyn::report::Table;
use gradyn::{GradientReport, Happened, Largest, Method, Prepared, Run, Sensitivity, Stepping, Warning};
use serde_json::{Map, Value, json};

/// `{"coordinates": …, "formulation": …, …}`.
pub(crate) fn method(p: &Prepared, sensitivity: Option<Sensitivity>, run: &Run) -> Value {
    method_object(p, &run.method, sensitivity, run.trajectory.plan.h.first().copied().unwrap_or(0.0))
}

/// A method as an object; `first` is the step of a run that leaves it to the program.
pub(crate) fn method_object(p: &Prepared, m: &Method, sensitivity: Option<Sensitivity>, first: f64) -> Value {
    // names of the method
    let mut o = Map::new();
    o.insert("coordinates".into(), p.model.family.name().into());
    o.insert("formulation".into(), m.formulation.name().into());
    o.insert("integrator".into(), m.integrator.name().into());
    if let Some(s) = sensitivity {
        o.insert("sensitivity".into(), s.name().into());
    }
    // step, or tolerances; defaults are written too
    match m.stepping {
        Stepping::Adaptive { rtol, atol } => {
            o.insert("rtol".into(), rtol.into());
            o.insert("atol".into(), atol.into());
        }
        Stepping::Fixed(h) => {
            o.insert("step".into(), h.into());
        }
        Stepping::Default if m.integrator.adapts() => {
            o.insert("rtol".into(), 1e-8.into());
            o.insert("atol".into(), 1e-8.into());
        }
        Stepping::Default => {
            o.insert("step".into(), first.into());
        }
    }
    Value::Object(o)
}

/// Warnings as the command writes them.
pub(crate) fn texts<'a>(warnings: impl IntoIterator<Item = &'a Warning>) -> Vec<String> {
    warnings.into_iter().map(Warning::to_string).collect()
}

/// `{name: value}`.
pub(crate) fn named(names: impl IntoIterator<Item = String>, values: &[f64]) -> Value {
    Value::Object(names.into_iter().zip(values).map(|(n, v)| (n, (*v).into())).collect())
}

pub(crate) fn parameter_names(p: &Prepared) -> Vec<String> {
    p.parameters().iter().map(|p| p.name.clone()).collect()
}

/// Simulated time over the time that it took.
fn real_time(run: &Run, seconds: f64) -> f64 {
    let t = &run.trajectory.plan.t;
    (t.last().copied().unwrap_or(0.0) - t[0]) / seconds
}

/// Counts, times and memory of a run.
pub(crate) fn statistics(run: &Run, gradient: Option<&GradientReport>) -> Value {
    let s = &run.trajectory.statistics;
    let mut o = json!({
        "steps": s.steps, "rejected": s.rejected, "newton_iterations": s.iterations,
        "factorizations": s.factorizations,
        "quadrature": run.method.integrator.quadrature(), "forward_s": run.seconds,
        "real_time": real_time(run, run.seconds + gradient.map_or(0.0, |g| g.seconds)),
        "peak_memory_bytes": peak_memory().unwrap_or(0), "max_phi": run.drift[0], "max_dphi": run.drift[1],
        "energy_start": run.energy.0, "energy_deviation": run.energy.1,
    });
    if !run.trajectory.is_whole() {
        o["kept_every"] = run.trajectory.every().into();
    }
    if let (Some(g), Value::Object(map)) = (gradient, &mut o) {
        map.insert("gradient_s".into(), g.seconds.into());
        if let Some(c) = g.corrections {
            map.insert("corrections_per_record".into(), (c.total as f64 / c.records.max(1) as f64).into());
        }
    }
    o
}

/// The object of `simulate --json`.
pub(crate) fn simulate_json(
    p: &Prepared,
    run: &Run,
    table: &Table,
    wrong: &[Warning],
    penalty: Option<&PenaltyError>,
) -> Value {
    // objectives with their maxima
    let objective = |((name, value), largest): ((&String, &f64), Option<Largest>)| {
        let mut o = json!({"name": name, "value": value});
        if let Some(l) = largest {
            o["maximum"] = json!({"at_steps": l.value, "t": l.t, "excess": l.excess});
        }
        o
    };
    let objectives: Vec<Value> =
        p.objectives().iter().zip(&run.psi).zip(p.largest(run)).map(objective).collect();
    // the object
    let mut o = json!({
        "model": p.model.name, "method": method(p, None, run),
        "parameters": named(parameter_names(p), p.rho()),
        "columns": table.columns, "rows": table.rows, "objectives": objectives,
        "statistics": statistics(run, None),
        "warnings": texts(p.model.warnings.iter().chain(&run.warnings).chain(wrong)),
    });
    insert_penalty(p, penalty, &mut o);
    insert_events(p, run, &mut o);
    o
}

/// Adds `"events"` to an object, if the model has any.
fn insert_events(p: &Prepared, run: &Run, o: &mut Value) {
    if p.model.system.events().is_empty() {
        return;
    }
    let one = |e: &Happened| json!({"name": e.event, "t": e.t});
    o["events"] = p.happened(run).iter().map(one).collect();
}

/// Adds `"penalty_error"` to an object, if it was asked for.
fn insert_penalty(p: &Prepared, penalty: Option<&PenaltyError>, o: &mut Value) {
    let Some(e) = penalty else { return };
    let one = |x: &Estimate| json!({"value": x.value, "at_10_alpha": x.stiffer, "error": x.error});
    let objectives = p.objectives().iter().zip(&e.values).enumerate().map(|(k, (name, x))| {
        let mut o = one(x);
        o["name"] = name.as_str().into();
        if let Some(rows) = &e.gradient {
            o["gradient"] =
                Value::Object(parameter_names(p).into_iter().zip(rows[k].iter().map(one)).collect());
        }
        o
    });
    o["penalty_error"] = json!({"alpha": e.alpha, "objectives": objectives.collect::<Vec<_>>()});
}

/// The object of `gradient --json`.
pub(crate) fn gradient_json(
    p: &Prepared,
    run: &Run,
    g: &GradientReport,
    certificate: Option<Value>,
    penalty: Option<&PenaltyError>,
) -> Value {
    let names = parameter_names(p);
    // objectives with their gradients
    let row = |k: usize| {
        let gradient = named(names.clone(), &g.rows[k]);
        json!({"name": p.objectives()[k], "value": run.psi[k], "gradient": gradient})
    };
    let warnings = texts(p.model.warnings.iter().chain(&run.warnings).chain(&g.warnings));
    // the object
    let mut o = json!({
        "model": p.model.name, "method": method(p, Some(g.sensitivity), run),
        "parameters": named(names.clone(), p.rho()),
        "objectives": (0..run.psi.len()).map(row).collect::<Vec<_>>(),
        "statistics": statistics(run, Some(g)), "certificate": certificate, "warnings": warnings,
    });
    // penalty errors and error bars where they are known
    insert_penalty(p, penalty, &mut o);
    insert_events(p, run, &mut o);
    for (bars, objective) in g.bars.iter().flatten().zip(o["objectives"].as_array_mut().into_iter().flatten())
    {
        objective["error_bars"] = named(names.clone(), bars);
    }
    o
}
