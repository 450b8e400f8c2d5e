//! Every number of a model becomes a parameter: what "every number can be differentiated" means.

use gradyn_model::mechanism::{Mechanism, Number, Parameter, Source};

/// Names in an expression; none if it cannot be read.
fn names(text: &str) -> Vec<String> {
    gradyn_model::expression::parse(text).map_or(vec![], |ast| ast.names().into_iter().map(|n| n.0).collect())
}

/// Adds an offset parameter `x_k` = 0 to each number that is not part of an objective; returns the model and,
/// for each new parameter, whose number it is.
pub fn parametrise(m: &Mechanism) -> (Mechanism, Vec<String>) {
    parametrise_where(m, |_, _| true)
}

/// Like [`parametrise`], for the numbers that `pick(k, owner)` chooses; k counts the numbers that are not
/// part of an objective.
pub fn parametrise_where(
    m: &Mechanism,
    mut pick: impl FnMut(usize, &str) -> bool,
) -> (Mechanism, Vec<String>) {
    let mut all = m.clone();
    let mut owners = vec![];
    let mut number = 0;
    all.visit_numbers(&mut |owner, x| {
        // is it chosen?
        if owner.starts_with("objective") {
            return;
        }
        number += 1;
        if !pick(number - 1, owner) {
            return;
        }

        // number + x_k
        let (moved, count) = offset(m, x, owners.len());
        *x = moved;
        owners.extend((0..count).map(|_| owner.to_owned()));
    });

    // x_k = 0
    for k in 0..owners.len() {
        all.parameters.push(Parameter {
            name: format!("x_{k}").into(),
            value: 0.0.into(),
            unit: String::new(),
            min: None,
            max: None,
            scale: Some(1.0.into()),
        });
    }
    (all, owners)
}

/// A number plus the parameters from `x_k` on, and how many they are: an expression of whole hard points is a
/// vector.
fn offset(m: &Mechanism, x: &Number, k: usize) -> (Number, usize) {
    let text = match &x.source {
        Source::Value(v) => format!("{v:e}"),
        Source::Expression(text) => text.clone(),
    };
    let vector = text.trim_start().starts_with('[')
        || names(&text).iter().any(|n| m.hard_points.iter().any(|h| h.0.text == *n));
    let count = if vector { m.dimension } else { 1 };
    let offsets: Vec<String> = (k..k + count).map(|k| format!("x_{k}")).collect();
    let offset = if vector { format!("[{}]", offsets.join(", ")) } else { offsets[0].clone() };
    (Number::from(format!("({text}) + {offset}")), count)
}

/// Parameters that reach nothing, such as the points of a joint that holds nothing, become constants.
///
/// # Panics
/// With the library's message where it does not build.
pub fn only_used(m: &Mechanism) -> Mechanism {
    let model = gradyn_model::build(m).unwrap_or_else(|e| panic!("{}: {e}", m.name));
    let mut all = m.clone();
    for p in model.parameters.iter().filter(|p| !p.used) {
        all.parameters.retain(|x| x.name.text != p.name);
        all.constants.insert(0, (p.name.as_str().into(), 0.0.into()));
    }
    all
}
