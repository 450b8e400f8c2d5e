//! What a model has: names, parameters, times, method.

use gradyn::mechanism::Parameter;
use gradyn::{Error, Method, ParameterInfo, Stepping, Study, coordinate_names};
use serde_json::{Map, Value, json};

/// Everything that needs no run.
pub(crate) fn describe(study: &Study) -> Result<Value, Error> {
    // the model, its times and its method
    let prepared = study.prepared()?;
    let (start, end) = study.times()?;
    let method = study.chosen_method()?;
    let (sensitivity, why) = study.chosen_sensitivity()?;
    let dims = gradyn::dims(prepared);

    // parameters, in the order of vectors
    let infos = prepared.parameters().iter();
    let parameters: Vec<Value> = infos.map(|p| parameter(study, p)).collect();
    let record = study.file().study.optimize.as_ref();
    Ok(json!({
        "name": prepared.model.name, "parameters": parameters, "objectives": prepared.objectives(),
        "constants": study.file().mechanism.constants.iter().map(|c| &c.0.text).collect::<Vec<_>>(),
        "sensors": prepared.model.columns, "coordinates": coordinate_names(prepared),
        "dims": {"coordinates": dims.n, "rows": dims.m},
        "t_start": start, "t_end": end, "family": prepared.model.family.name(),
        "method": chosen(&method), "sensitivity": sensitivity.name(), "sensitivity_why": why,
        "output_step": study.file().study.output_step, "optimize": record.is_some(),
        "fit": record.is_some_and(|o| o.fit.is_some()),
    }))
}

/// A parameter with what the file says about it.
fn parameter(study: &Study, p: &ParameterInfo) -> Value {
    json!({
        "name": p.name, "value": p.value, "lower": p.bounds.0, "upper": p.bounds.1, "scale": p.scale,
        "unit": p.unit, "used": p.used, "doc": remark(study, &p.name),
    })
}

/// The remark behind a parameter in the file: what stands after `#` on its line.
fn remark(study: &Study, name: &str) -> String {
    let own = |p: &&Parameter| p.name.text == name;
    let place = study.file().mechanism.parameters.iter().find(own).and_then(|p| p.name.place.clone());
    let text = place.and_then(|p| study.text().get(p.end..));
    let line = text.and_then(|t| t.lines().next()).unwrap_or("");
    // a mark within quotes is part of a value
    let mut quoted = false;
    let begin = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '#' && !quoted
    });
    begin.map_or(String::new(), |(k, _)| line[k + 1..].trim().into())
}

/// A method by its names; steps or tolerances where they are chosen.
pub(crate) fn chosen(m: &Method) -> Value {
    let mut o = Map::new();
    o.insert("formulation".into(), m.formulation.name().into());
    o.insert("integrator".into(), m.integrator.name().into());
    match m.stepping {
        Stepping::Fixed(h) => {
            o.insert("step".into(), h.into());
        }
        Stepping::Adaptive { rtol, atol } => {
            o.insert("rtol".into(), rtol.into());
            o.insert("atol".into(), atol.into());
        }
        Stepping::Default => {}
    }
    Value::Object(o)
}
