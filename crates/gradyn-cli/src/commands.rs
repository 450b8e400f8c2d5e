//! What each command does.

use crate::args::{CheckArgs, GradientArgs, MethodArgs, ModelArgs, RunArgs, What};
use crate::diagnostic::Failure;
use crate::output;
use crate::progress::Progress;
use gradyn::file::{self, ModelFile};
use gradyn::registry::{Formulation, Integrator, OPTIONS, SENSORS, Sensitivity};
use gradyn::{Error, GradientReport, Method, Prepared, Run, Stepping};
use serde_json::{Value, json};
use std::path::Path;

type Done = Result<(), Failure>;

/// A model file, read and prepared.
struct Loaded {
    file: ModelFile,
    prepared: Prepared,
    name: String,
    text: String,
}

impl Loaded {
    fn new(a: &ModelArgs) -> Result<Self, Failure> {
        let name = a.model.display().to_string();
        let text = std::fs::read_to_string(&a.model).map_err(|e| {
            Failure::command(format!("{name} cannot be read: {e}"), "`gradyn example five_bar` prints a model to start from")
        })?;
        let mut file = file::read(&a.model, &text).map_err(|e| Failure::in_file(e, &name, &text))?;
        for set in &a.set {
            set_parameter(&mut file, set)?;
        }
        if let Some(t) = &a.t_end {
            file.mechanism.t_end = t.as_str().into();
        }
        let prepared = Prepared::new(&file.mechanism).map_err(|e| Failure::in_file(e, &name, &text))?;
        if !a.quiet {
            prepared.model.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
        }
        Ok(Self { file, prepared, name, text })
    }
    fn fail(&self, e: impl Into<Error>) -> Failure {
        Failure::in_file(e, &self.name, &self.text)
    }
    fn method(&self, a: &MethodArgs) -> Result<Method, Failure> {
        if a.coordinates != "natural" {
            let message = format!("there are no coordinates `{}`", a.coordinates);
            return Err(Failure::command(message, "valid: natural"));
        }
        let mut study = self.file.study.clone();
        if let Some(f) = &a.formulation {
            study.formulation = Some(f.as_str().into());
        }
        if let Some(i) = &a.integrator {
            study.integrator = Some(i.as_str().into());
        }
        let mut m = Method::from_study(&study).map_err(|e| self.fail(e))?;
        if let Some(h) = &a.step {
            m.stepping = Stepping::Fixed(seconds("--step", h)?);
        } else if a.rtol.is_some() || a.atol.is_some() {
            let either = a.rtol.or(a.atol).unwrap_or(1e-8);
            m.stepping = Stepping::Adaptive { rtol: a.rtol.unwrap_or(either), atol: a.atol.unwrap_or(either) };
        }
        for option in &a.option {
            let (name, value) = pair("--option", option)?;
            m.set(name, value).map_err(|e| self.fail(e))?;
        }
        m.check().map_err(|e| self.fail(e))?;
        Ok(m)
    }
    fn run(&self, m: &Method, quiet: bool) -> Result<Run, Failure> {
        let mesh = self.prepared.mesh().map_err(|e| self.fail(e))?;
        let mut progress = Progress::new(mesh.start.0, mesh.end(), quiet);
        let run = self.prepared.simulate(m, &mut |t, n| progress.at(t, n));
        progress.finish();
        let run = run.map_err(|e| self.fail(e))?;
        if !quiet {
            run.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
        }
        Ok(run)
    }
}

/// NAME=VALUE.
fn pair<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    let parts = text.split_once('=').map(|(n, v)| (n.trim(), v.trim()));
    parts.ok_or_else(|| Failure::command(format!("{flag} {text}: no `=`"), format!("write {flag} NAME=VALUE")))
}

/// A constant time such as `0.001` or `1 ms`.
fn seconds(flag: &str, text: &str) -> Result<f64, Failure> {
    gradyn::constant(text).map_err(|e| Failure::command(format!("{flag} {text}: {e}"), "such as 0.001 or \"1 ms\""))
}

fn set_parameter(file: &mut ModelFile, set: &str) -> Done {
    let (name, value) = pair("--set", set)?;
    let parameters = &mut file.mechanism.parameters;
    let names: Vec<String> = parameters.iter().map(|p| p.name.text.clone()).collect();
    let Some(p) = parameters.iter_mut().find(|p| p.name.text == name) else {
        let list = if names.is_empty() { "the model has no parameters".into() } else { format!("valid: {}", names.join(", ")) };
        return Err(Failure::command(format!("--set: there is no parameter `{name}`"), list));
    };
    p.value = value.into();
    Ok(())
}

fn print(value: &Value) {
    println!("{value}");
}

/// `gradyn check`.
pub fn check(a: &CheckArgs) -> Done {
    let l = Loaded::new(&a.model)?;
    let (p, reach) = (&l.prepared, gradyn::reach::reach(&l.file.mechanism));
    let dims = gradyn::dims(p);
    let [bodies, joints, forces, drivers] = p.model.counts;
    l.method(&MethodArgs::none())?;
    if a.model.json {
        let parameters: Vec<Value> = p
            .model
            .parameters
            .iter()
            .map(|x| json!({"name": x.name, "value": x.value, "unit": x.unit, "scale": x.scale, "used": x.used, "reaches": reach[&x.name]}))
            .collect();
        print(&json!({
            "model": p.model.name, "bodies": bodies, "joints": joints, "drivers": drivers, "forces": forces,
            "coordinates": dims.n, "constraints": dims.m, "redundant": 0, "degrees_of_freedom": p.assembled.freedom,
            "assembly_residual": p.assembled.residual, "assembly_moved": p.assembled.moved, "condition": p.assembled.condition,
            "rows": p.model.system.row_names(), "parameters": parameters, "objectives": p.model.objectives,
            "columns": p.model.columns, "warnings": p.model.warnings,
        }));
        return Ok(());
    }
    println!("{}: {bodies} bodies, {joints} joints, {drivers} drivers, {forces} forces", p.model.name);
    println!("  natural coordinates   {} coordinates, {} constraints, none redundant", dims.n, dims.m);
    println!("  degrees of freedom    {}", p.assembled.freedom);
    println!(
        "  assembly              residual {:.1e}, {:.3e} from the drawn configuration, σ_min/σ_max of Φ_q {:.1e}",
        p.assembled.residual, p.assembled.moved, p.assembled.condition
    );
    println!("  objectives            {}", p.model.objectives.join(", "));
    println!("  parameters");
    for x in &p.model.parameters {
        let to = if x.used { reach[&x.name].join(", ") } else { "nothing: not used".into() };
        println!("    {:<12} = {:<20} {:<4} reaches {to}", x.name, x.value, x.unit);
    }
    Ok(())
}

/// `gradyn simulate`.
pub fn simulate(a: &RunArgs) -> Done {
    let l = Loaded::new(&a.model)?;
    let run = l.run(&l.method(&a.method)?, a.model.quiet)?;
    let every = match &a.output_step {
        Some(h) => Some(seconds("--output-step", h)?),
        None => l.file.study.output_step,
    };
    let table = l.prepared.table(&run, every).map_err(|e| l.fail(e))?;
    if let Some(path) = &a.out {
        let object = || output::simulate_json(&l.prepared, &run, &table);
        output::write(path, || output::csv(&table.columns, &table.rows), object)?;
    }
    if a.model.json {
        print(&output::simulate_json(&l.prepared, &run, &table));
    } else {
        print!("{}", output::run_text(&l.prepared, &run));
        match &a.out {
            Some(path) => println!("  written         {} rows to {}", table.rows.len(), path.display()),
            None => println!("  (--out FILE.csv writes {} rows of {} columns)", table.rows.len(), table.columns.len()),
        }
    }
    Ok(())
}

/// `gradyn gradient`.
pub fn gradient(a: &GradientArgs) -> Done {
    let l = Loaded::new(&a.model)?;
    let name = a.sensitivity.clone().or(l.file.study.sensitivity.as_ref().map(|s| s.text.clone()));
    let sensitivity = match name {
        Some(name) => Sensitivity::parse(&name).map_err(|e| l.fail(e))?,
        None => Sensitivity::DiscreteAdjoint,
    };
    let run = l.run(&l.method(&a.method)?, a.model.quiet)?;
    let g = l.prepared.gradient(&run, sensitivity).map_err(|e| l.fail(e))?;
    let certificate = if a.certify { Some(l.prepared.certify(&run, &g.rows).map_err(|e| l.fail(e))?) } else { None };
    if let Some(path) = &a.out {
        history(&l, &run, &g, path)?;
    }
    if a.model.json {
        print(&output::gradient_json(&l.prepared, &run, &g, certificate));
        return Ok(());
    }
    if !a.model.quiet {
        g.warnings.iter().for_each(|w| eprintln!("note: {w}"));
    }
    print!("{}", output::gradient_text(&l.prepared, &run, &g));
    if let Some(d) = certificate {
        println!("certificate: one direction differs from a complex step through the program by {d:.1e}");
    }
    Ok(())
}

/// What `gradient --out` writes.
fn history(l: &Loaded, run: &Run, g: &GradientReport, path: &Path) -> Done {
    let (p, plan) = (&l.prepared, &run.trajectory.plan);
    let parameters: Vec<&String> = p.model.parameters.iter().map(|p| &p.name).collect();
    let over = |names: &[String]| -> Vec<String> {
        names.iter().flat_map(|o| parameters.iter().map(move |p| format!("d{o}/d{p}"))).collect()
    };
    let object = |kind: &str, columns: &[String], rows: &[Vec<f64>]| {
        let mut o = output::gradient_json(p, run, g, None);
        o["history"] = json!({"kind": kind, "columns": columns, "rows": rows});
        o
    };
    if g.sensitivity != Sensitivity::DiscreteAdjoint {
        let all = p.output_sensitivities(run).map_err(|e| l.fail(e))?;
        let columns: Vec<String> = std::iter::once("t".into()).chain(over(&p.model.columns)).collect();
        let rows: Vec<Vec<f64>> =
            all.iter().enumerate().map(|(n, rows)| std::iter::once(plan.t[n]).chain(rows.concat()).collect()).collect();
        return output::write(path, || output::csv(&columns, &rows), || object("sensor sensitivities", &columns, &rows));
    }
    let (_, c) = p.contributions(run).map_err(|e| l.fail(e))?;
    // contribution of each record, and the gradient gathered from that record to the end
    let contribution = over(&p.model.objectives);
    let running: Vec<String> = contribution.iter().map(|c| format!("running {c}")).collect();
    let columns: Vec<String> = std::iter::once("t".into()).chain(contribution).chain(running).collect();
    let mut sum = vec![0.0; run.psi.len() * parameters.len()];
    let mut rows: Vec<Vec<f64>> = (0..=plan.steps())
        .rev()
        .map(|n| {
            let part = c.records[n].concat();
            sum.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
            std::iter::once(plan.t[n]).chain(part).chain(sum.iter().copied()).collect()
        })
        .collect();
    rows.reverse();
    let conditions: Vec<String> = (p.model.conditions.0.iter().map(|c| c.text.clone()))
        .chain(p.model.conditions.1.iter().map(|c| format!("rate of {c}")))
        .collect();
    let state = gradyn::coordinate_names(p);
    let initial = json!({"state": state, "d_state": c.initial_state, "conditions": conditions, "d_conditions": c.conditions});
    output::write(
        path,
        || output::csv(&columns, &rows),
        || {
            let mut o = object("contributions and running gradient", &columns, &rows);
            o["initial"] = initial.clone();
            o
        },
    )?;
    if path.extension().is_some_and(|e| e == "csv") {
        let columns: Vec<String> = state.iter().chain(&conditions).cloned().collect();
        let rows: Vec<Vec<f64>> =
            c.initial_state.iter().zip(&c.conditions).map(|(s, c)| [s.clone(), c.clone()].concat()).collect();
        let beside = path.with_extension("initial.csv");
        output::write(&beside, || output::csv(&columns, &rows), || json!({}))?;
    }
    Ok(())
}

/// `gradyn list`.
pub fn list(what: What) -> Done {
    let rows: Vec<(String, String)> = match what {
        What::Formulations => Formulation::ALL
            .iter()
            .map(|f| {
                let fits: Vec<&str> = Integrator::ALL.iter().filter(|i| f.fits(**i)).map(|i| i.name()).collect();
                (f.name().into(), format!("{}; with {}", f.about(), fits.join(", ")))
            })
            .collect(),
        What::Integrators => Integrator::ALL.iter().map(|i| (i.name().into(), i.about().into())).collect(),
        What::Sensitivities => Sensitivity::ALL.iter().map(|s| (s.name().into(), s.about().into())).collect(),
        What::Options => OPTIONS.iter().map(|o| (o.name.into(), format!("{} (default {})", o.about, o.default))).collect(),
        What::Joints => file::joint_types().into_iter().map(|(n, d)| (n.into(), d.into())).collect(),
        What::Forces => file::force_types().into_iter().map(|(n, d)| (n.into(), d.into())).collect(),
        What::Sensors => SENSORS.iter().map(|(n, d)| ((*n).into(), (*d).into())).collect(),
        What::Optimizers => vec![("(none)".into(), "this version has no optimiser".into())],
        What::Examples => gradyn::examples::ALL.iter().map(|(n, text)| ((*n).into(), first_comment(text))).collect(),
    };
    let width = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    rows.iter().for_each(|(n, d)| println!("{n:<width$}  {d}"));
    Ok(())
}

fn first_comment(text: &str) -> String {
    text.lines().next().unwrap_or("").trim_start_matches('#').trim().into()
}

/// `gradyn example`.
pub fn example(name: &str, out: Option<&Path>) -> Done {
    let text = gradyn::examples::find(name).ok_or_else(|| {
        let names: Vec<&str> = gradyn::examples::ALL.iter().map(|e| e.0).collect();
        Failure::command(format!("there is no example `{name}`"), format!("valid: {}", names.join(", ")))
    })?;
    match out {
        None => print!("{text}"),
        Some(path) if path.exists() => {
            return Err(Failure::command(format!("{} exists", path.display()), "choose another name: nothing is overwritten"));
        }
        Some(path) => {
            std::fs::write(path, text).map_err(|e| Failure::command(format!("{} cannot be written: {e}", path.display()), ""))?;
        }
    }
    Ok(())
}

/// `gradyn schema`.
pub fn schema() -> Done {
    let text = serde_json::to_string_pretty(&file::schema()).map_err(|e| Failure::command(e.to_string(), ""))?;
    println!("{text}");
    Ok(())
}
