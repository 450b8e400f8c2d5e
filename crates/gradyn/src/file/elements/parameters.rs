//! Parameters, lists of them, and the splines whose values they are.

use super::super::tree::{Node, Table, Value, Word};
use super::keys::{choice, entries, maybe, number, text};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use gradyn_model::mechanism::*;
use gradyn_model::spec::MAX_COUNT;
use std::ops::Range;

/// List parameters and how many values they have.
pub(super) type Lists = Vec<(String, usize)>;

/// Parameters of the file, into the mechanism; what comes back are the list parameters.
pub(super) fn parameters(root: &Table, m: &mut Mechanism) -> Result<Lists, ModelError> {
    let mut lists = vec![];
    // a number alone is a parameter without bounds
    for (name, node) in entries(root, "parameters") {
        let Some(t) = node.table() else {
            let value = node.number().unwrap_or(0.0.into());
            m.parameters.push(Parameter {
                name: name.name(),
                value,
                unit: String::new(),
                min: None,
                max: None,
                scale: None,
            });
            continue;
        };
        // a table: one parameter, or one for each value of a list
        let one = |name: Text, value: Number| Parameter {
            name,
            value,
            unit: text(t, "unit").unwrap_or_default().text,
            min: maybe(t, "min"),
            max: maybe(t, "max"),
            scale: maybe(t, "scale"),
        };
        match list_values(name, t)? {
            None => m.parameters.push(one(name.name(), number(t, "value", 0.0))),
            Some(values) => {
                lists.push((name.text.clone(), values.len()));
                let named =
                    |i: usize| Text { text: format!("{}_{i}", name.text), place: Some(name.place.clone()) };
                m.parameters.extend(values.into_iter().enumerate().map(|(i, v)| one(named(i), v)));
            }
        }
    }
    Ok(lists)
}

/// The values of a list parameter; `None` if it is a single one.
fn list_values(name: &Word, t: &Table) -> Result<Option<Vec<Number>>, ModelError> {
    // count and values, as far as they are given
    let count = t
        .get("count")
        .and_then(|c| if let Value::Number(x) = c.value { Some((x as usize, &c.place)) } else { None });
    let values =
        t.get("value").filter(|v| matches!(v.value, Value::List(_))).map(|v| (v.numbers(), &v.place));
    let wrong = |message: String, place: &Range<usize>| {
        Err(ModelError::new(format!("parameter `{}`, {message}", name.text)).at(&Some(place.clone())))
    };
    // values, where both agree
    match (count, values) {
        (_, Some((v, place))) if v.is_empty() || v.len() > MAX_COUNT => {
            wrong(format!("value: from 1 to {MAX_COUNT} values are expected here, not {}", v.len()), place)
        }
        (Some((n, place)), Some((v, _))) if v.len() != n => {
            wrong(format!("count: {n}, but `value` has {} values", v.len()), place)
        }
        (_, Some((v, _))) => Ok(Some(v)),
        (Some((n, _)), None) => Ok(Some(vec![number(t, "value", 0.0); n])),
        (None, None) => Ok(None),
    }
}

/// A cubic spline of time.
pub(super) fn spline(name: Text, t: &Table, lists: &Lists) -> Result<Spline, ModelError> {
    // kind, and its keys
    let kinds = [("cyclic", true), ("clamped", false)];
    let cyclic = choice(t, "kind", &format!("spline `{name}`"), &kinds)?.unwrap_or(false);
    if let Some((key, _)) = t.entries.iter().find(|(k, _)| k.text == "period" && !cyclic) {
        let e = ModelError::new(format!("spline `{name}`: only a cyclic spline has a period"))
            .at(&Some(key.place.clone()));
        return Err(e.help("write `duration`: the time from the first to the last value"));
    }
    // values = numbers, or the members of a list parameter
    let values = match text(t, "values") {
        None => t.get("values").map_or(vec![], Node::numbers),
        Some(list) => {
            let Some((_, n)) = lists.iter().find(|l| l.0 == list.text) else {
                let e =
                    ModelError::new(format!("spline `{name}`, values: there is no list parameter `{list}`"))
                        .at(&list.place);
                return Err(e.help(match nearest(&list.text, lists.iter().map(|l| l.0.as_str())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a list parameter has a `count`, or a list as its `value`".into(),
                }));
            };
            let named = |i| Source::Expression(format!("{list}_{i}"));
            (0..*n).map(|i| Number { source: named(i), place: list.place.clone(), exact: false }).collect()
        }
    };
    // duration or period
    let duration = maybe(t, "duration").or(maybe(t, "period")).unwrap_or(1.0.into());
    Ok(Spline { name, cyclic, start: number(t, "start", 0.0), duration, values })
}
