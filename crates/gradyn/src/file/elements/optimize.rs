//! What to optimise.

use super::super::tree::Word;
use super::keys::{entries, fixed, value};
use super::*;
use crate::file::{Fit, Limit, Limited, Measured, Optimize, Scenario};
use gradyn_optimize::{Error, Sampling, Settings, Starts};

const PARENT: &str = "study, optimize";

/// The table `optimize` of a study.
pub(crate) fn optimize(t: &Table) -> Result<Optimize, ModelError> {
    let transform = |(name, node): &(Word, Node)| Some((name.name(), node.word()?.name()));
    Ok(Optimize {
        minimise: t.get("minimise").map_or(Ok(vec![]), |_| minimise(t))?,
        fit: section(t, "fit").map(fit).transpose()?,
        parameters: t.get("parameters").map(|_| texts(t, "parameters")),
        method: text(t, "method"),
        scale: positive(t, "scale", PARENT)?.unwrap_or(1.0),
        limits: elements(t, "constraint").map(|(name, t)| limit(name, t)).collect::<Result<_, _>>()?,
        scenarios: elements(t, "scenario").map(|(name, t)| scenario(name, t)).collect::<Result<_, _>>()?,
        transforms: entries(t, "transform").filter_map(transform).collect(),
        settings: section(t, "options").map_or(Ok(Settings::default()), settings)?,
        starts: section(t, "starts").map(starts).transpose()?,
        starts_place: t.get("starts").map(|n| n.place.clone()),
    })
}

/// One objective with the weight 1, or a table of weights.
fn minimise(t: &Table) -> Result<Vec<(Text, f64)>, ModelError> {
    let Some(weights) = section(t, "minimise") else { return Ok(vec![(word(t, "minimise"), 1.0)]) };
    let weight = |(name, _): &(Word, Node)| {
        let weight = fixed(weights, &name.text, &format!("{PARENT}, minimise"))?.unwrap_or(1.0);
        Ok((name.name(), weight))
    };
    if weights.entries.is_empty() {
        let place = t.get("minimise").map(|n| n.place.clone());
        return Err(ModelError::new(format!("{PARENT}, minimise: there is no objective")).at(&place));
    }
    weights.entries.iter().map(weight).collect()
}

fn fit(t: &Table) -> Result<Fit, ModelError> {
    let parent = format!("{PARENT}, fit");
    // columns with their scales
    let column = |(name, t): (Text, &Table)| {
        let scale = positive(t, "scale", &format!("{parent}, column `{name}`"))?;
        Ok((name, scale.unwrap_or(1.0)))
    };
    let columns = elements(t, "columns").map(column).collect::<Result<Vec<_>, ModelError>>()?;
    let place = |key: &str| t.get(key).map(|n| n.place.clone());
    if columns.is_empty() {
        return Err(ModelError::new(format!("{parent}, columns: there is no column")).at(&place("columns")));
    }
    // row = time and one value for each column
    let row = |node: &Node| {
        let row = node
            .numbers()
            .iter()
            .map(|n| value(n, &format!("{parent}, rows")))
            .collect::<Result<Vec<f64>, _>>()?;
        if row.len() == 1 + columns.len() {
            return Ok(row);
        }
        let message = format!(
            "{parent}, rows: a time and {} values are expected here, not {} numbers",
            columns.len(),
            row.len()
        );
        Err(ModelError::new(message).at(&Some(node.place.clone())))
    };
    // record = name of a file, or rows
    let record = match text(t, "record") {
        Some(name) => Measured::File(name.text),
        None => Measured::Rows(
            t.get("rows").map_or(&[][..], Node::items).iter().map(row).collect::<Result<_, _>>()?,
        ),
    };
    Ok(Fit { record, place: place("record").or(place("rows")), columns })
}

fn starts(t: &Table) -> Result<Starts, ModelError> {
    let parent = format!("{PARENT}, starts");
    let seed = fixed(t, "seed", &parent)?.unwrap_or(0.0);
    // integers up to 2⁵³ are exact
    if seed.fract() != 0.0 || !(0.0..9e15).contains(&seed) {
        let place = maybe(t, "seed").and_then(|n| n.place);
        return Err(ModelError::new(format!(
            "{parent}, seed: an integer from 0 is expected here, not {seed}"
        ))
        .at(&place));
    }
    let sampling = match text(t, "sampling") {
        None => Sampling::Sobol,
        Some(name) => Sampling::parse(&name.text).map_err(|_| no_type(&parent, "sampling", &name))?,
    };
    let count = fixed(t, "count", &parent)?.unwrap_or(1.0) as usize;
    Ok(Starts { count, seed: seed as u64, sampling })
}

fn scenario(name: Text, t: &Table) -> Result<Scenario, ModelError> {
    let parent = format!("{PARENT}, scenario `{name}`");
    let weight = fixed(t, "weight", &parent)?.unwrap_or(1.0);
    let values = section(t, "set");
    let value = |(key, _): &(Word, Node)| {
        let value = values.map_or(Ok(None), |t| fixed(t, &key.text, &parent))?;
        Ok((key.name(), value.unwrap_or_default()))
    };
    let set = entries(t, "set").map(value).collect::<Result<_, ModelError>>()?;
    Ok(Scenario { name, weight, set })
}

fn limit(name: Text, t: &Table) -> Result<Limit, ModelError> {
    let parent = format!("{PARENT}, constraint `{name}`");
    // limits, and whether they agree
    let [min, max, equal] = ["min", "max", "equal"].map(|key| fixed(t, key, &parent));
    let min = min?;
    let max = max?;
    let equal = equal?;
    let wrong = |message: &str, help: &str| {
        Err(ModelError::new(format!("{parent}: {message}")).at(&name.place).help(help))
    };
    match (min, max, equal) {
        (None, None, None) => return wrong("it has no limit", "give `min`, `max` or `equal`"),
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            return wrong("`equal` leaves nothing for `min` and `max`", "keep `equal`, or the two others");
        }
        (Some(min), Some(max), None) if min >= max => {
            return wrong(
                &format!("nothing lies between {min} and {max}"),
                "`min` must be below `max`; for one value write `equal`",
            );
        }
        _ => {}
    }
    // what is limited
    let of = match text(t, "objective") {
        Some(objective) => Limited::Objective(objective),
        None => Limited::Value(number(t, "value", 0.0)),
    };
    let scale = positive(t, "scale", &parent)?;
    Ok(Limit { name, of, min, max, equal, scale })
}

fn settings(t: &Table) -> Result<Settings, ModelError> {
    let parent = format!("{PARENT}, options");
    let or = |key: &str, default: f64| Ok::<f64, ModelError>(fixed(t, key, &parent)?.unwrap_or(default));
    let count = |key: &str, default: usize| Ok::<usize, ModelError>(or(key, default as f64)? as usize);
    let d = Settings::default();
    // settings with their defaults
    let settings = Settings {
        gradient_tol: or("gradient_tol", d.gradient_tol)?,
        value_tol: or("value_tol", d.value_tol)?,
        violation_tol: or("violation_tol", d.violation_tol)?,
        noise: or("noise", d.noise)?,
        least_value: or("least_value", d.least_value)?,
        max_iterations: count("max_iterations", d.max_iterations)?,
        max_evaluations: count("max_evaluations", d.max_evaluations)?,
        max_failures: count("max_failures", d.max_failures)?,
    };
    // mistakes at the number that makes them
    settings.check().map_err(|e| {
        let place =
            if let Error::Setting { name, .. } = e { maybe(t, name).and_then(|n| n.place) } else { None };
        ModelError::new(format!("{parent}: {e}")).at(&place)
    })?;
    Ok(settings)
}
