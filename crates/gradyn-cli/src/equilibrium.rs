//! `gradyn equilibrium`.

use crate::args::EquilibriumArgs;
use crate::diagnostic::Failure;
use crate::loaded::Loaded;
use crate::output;
use gradyn::Prepared;
use gradyn::equilibrium::{Observed, Statics};
use serde_json::{Map, Value, json};

/// An equilibrium and what was asked of it: names of the columns by what they are about.
struct Table<'a> {
    prepared: &'a Prepared,
    statics: &'a Statics,
    /// Title, key and range of the columns.
    groups: Vec<(&'static str, &'static str, std::ops::Range<usize>)>,
}

/// `gradyn equilibrium`.
pub fn equilibrium(a: &EquilibriumArgs) -> Result<(), Failure> {
    let l = Loaded::new(&a.model)?;
    l.prepared.equilibrium(false).map_err(|e| l.fail(e))?;
    let (own, observed) = (l.file.mechanism.outputs.len(), Observed::of(&l.file.mechanism));
    let l = l.observing(&observed)?;
    let statics = l.prepared.equilibrium(a.gradient).map_err(|e| l.fail(e))?;
    let (bodies, forces) = (own + observed.bodies.len(), own + observed.bodies.len() + observed.forces.len());
    let groups = vec![
        ("outputs", "outputs", 0..own),
        ("bodies", "bodies", own..bodies),
        ("forces", "forces", bodies..forces),
        ("reactions", "reactions", forces..statics.outputs.len()),
    ];
    let table = Table { prepared: &l.prepared, statics: &statics, groups };
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
        let (s, e) = (self.statics, &self.statics.equilibrium);
        let mut text = format!("{}: static equilibrium\n", self.prepared.model.name);
        text += &format!("  found by        {}, {} iterations, residual {:.1e}\n", e.search.name(), e.iterations, e.residual);
        text +=
            &format!("  stability       {}\n", e.unstable.as_ref().map_or("stable".into(), |c| format!("unstable along `{c}`")));
        for (condition, effort, held) in &s.efforts {
            let what = if *held { "held by       " } else { "free          " };
            text += &format!("  {what}  {effort:>14.6e}  effort of `{condition}`\n");
        }
        for (title, key, range) in self.groups.iter().filter(|g| !g.2.is_empty()) {
            text += &format!("  {title}\n");
            let width = range.clone().map(|k| s.outputs[k].0.chars().count()).max().unwrap_or(0);
            for k in range.clone() {
                let (name, value) = &s.outputs[k];
                text += &format!("    {name:<width$}  {value:>16.9e}\n");
                let row = s.gradient.as_ref().filter(|_| self.differentiated(key)).map(|g| &g[k]);
                for (p, x) in self.prepared.parameters().iter().zip(row.into_iter().flatten()) {
                    text += &format!("      d/d{:<14} {x:>16.9e}\n", p.name);
                }
            }
        }
        text
    }
    fn object(&self) -> Value {
        let (s, e, p) = (self.statics, &self.statics.equilibrium, self.prepared);
        let pairs =
            |list: &[(String, f64)]| Value::Object(list.iter().map(|(n, x)| (n.clone(), (*x).into())).collect::<Map<_, _>>());
        let names = gradyn::coordinate_names(p);
        let efforts: Vec<Value> = (s.efforts.iter())
            .map(|(condition, effort, held)| json!({"condition": condition, "effort": effort, "held": held}))
            .collect();
        let mut o = json!({
            "model": p.model.name, "parameters": output::named(output::parameter_names(p), &p.rho),
            "search": e.search.name(), "iterations": e.iterations, "residual": e.residual, "unstable": e.unstable,
            "coordinates": output::named(names, &e.q), "conditions": efforts, "warnings": p.model.warnings,
        });
        for (_, key, range) in &self.groups {
            o[*key] = pairs(&s.outputs[range.clone()]);
        }
        if let Some(g) = &s.gradient {
            let shown = self.groups.iter().filter(|g| self.differentiated(g.1)).flat_map(|g| g.2.clone());
            let row = |k: usize| (s.outputs[k].0.clone(), output::named(output::parameter_names(p), &g[k]));
            o["gradient"] = Value::Object(shown.map(row).collect());
        }
        o
    }
}
