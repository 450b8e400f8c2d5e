//! Static equilibria, with the keys of the command.

use crate::core::Core;
use crate::json::{named, object};
use crate::work::work;
use gradyn::equilibrium::{Observed, Statics};
use gradyn::{Error, Prepared, Study, coordinate_names};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::ops::Range;

#[pymethods]
impl Core {
    /// Where forces balance, what holds it there, and derivatives if they are asked for.
    #[pyo3(signature = (x, gradient))]
    fn equilibrium<'py>(
        &self,
        py: Python<'py>,
        x: Option<Vec<f64>>,
        gradient: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let study = self.study.clone();
        object(py, &work(py, move |_| balanced(&study, x.as_deref(), gradient))?)
    }
}

/// Names of the groups of columns and where they are.
type Groups = [(&'static str, Range<usize>); 4];

/// The equilibrium of a study.
fn balanced(study: &Study, x: Option<&[f64]>, gradient: bool) -> Result<Value, Error> {
    // the model with columns for bodies, forces and reactions
    let file = &study.file().mechanism;
    let prepared = study.prepared()?;
    prepared.equilibrium(false).map_err(|e| study.locate(e))?;
    let observed = Observed::of(file);
    let wide = Prepared::new_in(&observed.added(file), prepared.model.family).map_err(|e| study.locate(e))?;
    let model = x.map_or(Ok(wide.clone()), |x| wide.at_on_branch(x)).map_err(|e| study.locate(e))?;
    let statics = model.equilibrium(gradient).map_err(|e| study.locate(e))?;

    // groups of its columns
    let own = file.outputs.len();
    let bodies = own + observed.bodies.len();
    let forces = bodies + observed.forces.len();
    let groups = [
        ("outputs", 0..own),
        ("bodies", own..bodies),
        ("forces", bodies..forces),
        ("reactions", forces..statics.outputs.len()),
    ];
    Ok(statics_object(&model, &statics, &groups))
}

/// An equilibrium as an object.
fn statics_object(p: &Prepared, s: &Statics, groups: &Groups) -> Value {
    let e = &s.equilibrium;
    let names: Vec<String> = p.parameters().iter().map(|p| p.name.clone()).collect();
    let one = |(condition, effort, held): &(String, f64, bool)| json!({"condition": condition, "effort": effort, "held": held});
    let mut o = json!({
        "model": p.model.name, "parameters": named(&names, p.rho()), "search": e.search.name(),
        "iterations": e.iterations, "residual": e.residual, "unstable": e.unstable,
        "coordinates": named(&coordinate_names(p), &e.q),
        "conditions": s.efforts.iter().map(one).collect::<Vec<_>>(),
    });

    // values of each group
    for (key, range) in groups {
        let pairs = s.outputs[range.clone()].iter().map(|(n, x)| (n.clone(), (*x).into()));
        o[*key] = Value::Object(pairs.collect::<Map<_, _>>());
    }

    // derivatives of all of them
    if let Some(gradient) = &s.gradient {
        let row = |(k, g): (usize, &Vec<f64>)| (s.outputs[k].0.clone(), named(&names, g));
        o["gradient"] = Value::Object(gradient.iter().enumerate().map(row).collect());
    }
    o
}
