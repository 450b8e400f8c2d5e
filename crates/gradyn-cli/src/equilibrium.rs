//! `gradyn equilibrium`.

use crate::args::EquilibriumArgs;
use crate::diagnostic::Failure;
use crate::loaded::Loaded;
use crate::output;
use gradyn::equilibrium::{Observed, Statics};
use gradyn::{Prepared, Warning, WarningCode};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Part of the largest number of a group that is shown as zero.
const ROUNDING: f64 = 1e-13;

/// An equilibrium and what was asked of it: names of the columns by what they are about.
struct Table<'a> {
    prepared: &'a Prepared,
    statics: &'a Statics,
    /// Title, key and range of the columns.
    groups: Vec<(&'static str, &'static str, Range<usize>)>,
    /// What is not finite in it.
    wrong: Vec<Warning>,
}

/// A warning for each value that is not finite, or has such a derivative.
fn not_finite(s: &Statics) -> Vec<Warning> {
    let slopes = |k: usize| s.gradient.iter().flat_map(move |g| &g[k]).copied();
    let values = s.outputs.iter().enumerate();
    let found = values.filter_map(|(k, (name, x))| match (x.is_finite(), slopes(k).all(f64::is_finite)) {
        (false, _) => Some(format!("`{name}` is {x} at the equilibrium")),
        (true, false) => Some(format!("the derivative of `{name}` is not finite at the equilibrium")),
        (true, true) => None,
    });
    found.map(|text| Warning::new(WarningCode::NotFinite, text)).collect()
}

/// `gradyn equilibrium`.
pub(crate) fn equilibrium(a: &EquilibriumArgs) -> Result<(), Failure> {
    let l = Loaded::new(&a.model)?;
    l.prepared.equilibrium(false).map_err(|e| l.fail(e))?;
    let own = l.file().mechanism.outputs.len();
    let observed = Observed::of(&l.file().mechanism);
    let l = l.observing(&observed)?;
    let statics = l.prepared.equilibrium(a.gradient).map_err(|e| l.fail(e))?;
    let bodies = own + observed.bodies.len();
    let forces = own + observed.bodies.len() + observed.forces.len();
    let groups = vec![
        ("outputs", "outputs", 0..own),
        ("bodies", "bodies", own..bodies),
        ("forces", "forces", bodies..forces),
        ("reactions", "reactions", forces..statics.outputs.len()),
    ];
    let wrong = not_finite(&statics);
    if !a.model.quiet {
        wrong.iter().for_each(|w| output::complain(&format!("warning: {w}")));
    }
    let table = Table { prepared: &l.prepared, statics: &statics, groups, wrong };
    output::say(&if a.model.json { format!("{}\n", table.object()) } else { table.text() });
    Ok(())
}

impl Table<'_> {
    /// Columns whose derivatives are shown: the outputs, or the bodies where there are none.
    fn differentiated(&self, key: &str) -> bool {
        let own = !self.groups[0].2.is_empty();
        key == if own { "outputs" } else { "bodies" }
    }
    fn text(&self) -> String {
        let s = self.statics;
        let e = &self.statics.equilibrium;
        // how it was found, and whether it is stable
        let mut text = format!("{}: static equilibrium\n", self.prepared.model.name);
        text += &format!(
            "  found by        {}, {} iterations, residual {:.1e}\n",
            e.search.name(),
            e.iterations,
            e.residual
        );
        text += &format!(
            "  stability       {}\n",
            e.unstable.as_ref().map_or("stable".into(), |c| format!("unstable along `{c}`"))
        );
        // efforts of conditions
        for (condition, effort, held) in &s.efforts {
            let what = if *held { "held by       " } else { "free          " };
            text += &format!("  {what}  {effort:>14.6e}  effort of `{condition}`\n");
        }
        // values of each group, with their gradients where they have some
        for (title, key, range) in self.groups.iter().filter(|g| !g.2.is_empty()) {
            text += &format!("  {title}\n");
            let gradient = s.gradient.as_ref().filter(|_| self.differentiated(key));
            text += &if gradient.is_some() || *key == "outputs" {
                self.list(range, gradient)
            } else {
                self.rows(range)
            };
        }
        text
    }
    /// One line for each column, and for each of its derivatives.
    fn list(&self, range: &Range<usize>, gradient: Option<&Vec<Vec<f64>>>) -> String {
        let columns = &self.statics.outputs;
        let width = range.clone().map(|k| columns[k].0.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for k in range.clone() {
            let (name, value) = &columns[k];
            text += &format!("    {name:<width$}  {value:>16.9e}\n");
            for (p, x) in self.prepared.parameters().iter().zip(gradient.iter().flat_map(|g| &g[k])) {
                text += &format!("      d/d{:<14} {x:>16.9e}\n", p.name);
            }
        }
        text
    }
    /// One line for each element, with a header where its columns change; nine digits of the largest number
    /// of a column.
    fn rows(&self, range: &Range<usize>) -> String {
        let columns = &self.statics.outputs[range.clone()];
        let elements = by_element(columns);
        // elements with the same columns stand together
        let mut kinds: Vec<&Vec<&str>> = vec![];
        elements.iter().for_each(|e| {
            if !kinds.contains(&&e.1) {
                kinds.push(&e.1)
            }
        });
        let width = elements.iter().map(|e| e.0.chars().count()).max().unwrap_or(0);
        let largest = |list: &mut dyn Iterator<Item = f64>| {
            list.map(f64::abs).filter(|x| x.is_finite()).fold(0.0, f64::max)
        };
        let zero = ROUNDING * largest(&mut columns.iter().map(|c| c.1));
        // a header and a line for each element, digits by the largest number of a column
        let mut text = String::new();
        for names in kinds {
            let rows = || elements.iter().filter(|e| e.1 == *names);
            let digits = |k: usize| match largest(&mut rows().map(|e| e.2[k])) {
                size if size > zero => (8.0 - size.log10().floor()).clamp(0.0, 11.0) as usize,
                _ => 1,
            };
            let digits: Vec<usize> = (0..names.len()).map(digits).collect();
            text += &format!(
                "    {:width$}{}\n",
                "",
                names.iter().map(|n| format!("  {n:>14}")).collect::<String>()
            );
            for (element, _, values) in rows() {
                let values = values.iter().map(|&x| if x.abs() <= zero { 0.0 } else { x });
                let cells: String = values.zip(&digits).map(|(x, &d)| format!("  {x:>14.d$}")).collect();
                text += &format!("    {element:<width$}{cells}\n");
            }
        }
        text
    }
    fn object(&self) -> Value {
        let s = self.statics;
        let e = &self.statics.equilibrium;
        let p = self.prepared;
        // names of coordinates, efforts of conditions
        let pairs = |list: &[(String, f64)]| {
            Value::Object(list.iter().map(|(n, x)| (n.clone(), (*x).into())).collect::<Map<_, _>>())
        };
        let names = gradyn::coordinate_names(p);
        let efforts: Vec<Value> = (s.efforts.iter())
            .map(|(condition, effort, held)| json!({"condition": condition, "effort": effort, "held": held}))
            .collect();
        // the object
        let mut o = json!({
            "model": p.model.name, "parameters": output::named(output::parameter_names(p), p.rho()),
            "search": e.search.name(), "iterations": e.iterations, "residual": e.residual,
            "unstable": e.unstable,
            "coordinates": output::named(names, &e.q), "conditions": efforts,
            "warnings": output::texts(p.model.warnings.iter().chain(&self.wrong)),
        });
        // values of each group
        for (_, key, range) in &self.groups {
            o[*key] = pairs(&s.outputs[range.clone()]);
        }
        // gradients of the values that have one
        if let Some(g) = &s.gradient {
            let shown = self.groups.iter().filter(|g| self.differentiated(g.1)).flat_map(|g| g.2.clone());
            let row = |k: usize| (s.outputs[k].0.clone(), output::named(output::parameter_names(p), &g[k]));
            o["gradient"] = Value::Object(shown.map(row).collect());
        }
        o
    }
}

/// (element, its columns, their values) of columns named `element.column`, neighbours together.
fn by_element(columns: &[(String, f64)]) -> Vec<(&str, Vec<&str>, Vec<f64>)> {
    let mut elements: Vec<(&str, Vec<&str>, Vec<f64>)> = vec![];
    for (name, value) in columns {
        let (element, what) = name.split_once('.').unwrap_or((name, ""));
        match elements.last_mut().filter(|last| last.0 == element) {
            Some((_, names, values)) => {
                names.push(what);
                values.push(*value);
            }
            None => elements.push((element, vec![what], vec![*value])),
        }
    }
    elements
}
