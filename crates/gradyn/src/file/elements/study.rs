//! What is run: conditions at the start, times, objectives, method.

use super::super::StudySection;
use super::super::tree::{Node, Table, Value, Word};
use super::keys::{choice, conditions, entries, fixed, maybe, positive, section, text, texts, vectors};
use super::optimize;
use gradyn_model::ModelError;
use gradyn_model::mechanism::*;

/// Conditions at the start.
pub(super) fn initial(t: &Table) -> Result<Initial, ModelError> {
    // what contradicts itself
    let place = |key: &str| t.entries.iter().find(|(k, _)| k.text == key).map(|(k, _)| k.place.clone());
    if section(t, "equilibrium").is_some() && place("position").is_some() {
        let e = ModelError::new("[initial] has both `position` and `equilibrium`").at(&place("equilibrium"));
        return Err(e.help(
            "in an equilibrium the forces say where everything is: keep conditions for what they leave free",
        ));
    }
    if section(t, "equilibrium").is_none() && place("hold").is_some() {
        let e = ModelError::new("[initial]: `hold` belongs to `equilibrium`").at(&place("hold"));
        return Err(e.help("add equilibrium = {}, or write `position` instead of `hold`"));
    }
    // conditions of positions, of an equilibrium and of velocities
    let free = conditions(t, "equilibrium");
    let hold = conditions(t, "hold");
    let velocity = match section(t, "velocity") {
        Some(_) => InitialVelocity::Conditions(conditions(t, "velocity")),
        None => InitialVelocity::Rest,
    };
    let equilibrium = section(t, "equilibrium").map(|_| Equilibrium { free, hold });
    let position = conditions(t, "position");
    Ok(Initial { position, equilibrium, velocity, near: vectors(t, "near"), off: texts(t, "off") })
}

/// What happens where a condition passes zero.
pub(super) fn event(name: Text, t: &Table) -> Result<Event, ModelError> {
    let parent = format!("event `{name}`");
    let directions =
        [("rising", Direction::Rising), ("falling", Direction::Falling), ("both", Direction::Both)];
    Ok(Event {
        when: maybe(t, "when").unwrap_or(0.0.into()),
        direction: choice(t, "direction", &parent, &directions)?,
        end: flag(t, "end", &parent)?,
        impact: maybe(t, "impact"),
        reset: conditions(t, "reset"),
        place: conditions(t, "place"),
        keeps_rates: section(t, "reset").is_none(),
        on: texts(t, "on"),
        off: texts(t, "off"),
        name,
    })
}

/// A key that is true or false; false if absent.
fn flag(t: &Table, key: &str, parent: &str) -> Result<bool, ModelError> {
    match t.get(key) {
        None => Ok(false),
        Some(Node { value: Value::Flag(b), .. }) => Ok(*b),
        Some(node) => {
            let e = ModelError::new(format!("{parent}, {key}: true or false is expected here"));
            Err(e.at(&Some(node.place.clone())))
        }
    }
}

/// The final time, or the latest one and the condition for it.
pub(super) fn final_time(s: &Table) -> Result<(Number, Option<Number>), ModelError> {
    // t_end alone, or until with t_max
    let [end, until, most] = ["t_end", "until", "t_max"].map(|key| maybe(s, key));
    let wrong =
        |message: &str, at: &Number, help: &str| Err(ModelError::new(message).at(&at.place).help(help));
    match (end, until, most) {
        (Some(_), Some(until), _) => wrong(
            "[study] has both `t_end` and `until`",
            &until,
            "with `until` give the latest time as `t_max`",
        ),
        (_, Some(until), None) => {
            wrong("[study]: `until` needs a latest time", &until, "add `t_max`, such as t_max = 10")
        }
        (_, None, Some(most)) => wrong(
            "[study]: `t_max` belongs to `until`",
            &most,
            "give the final time as `t_end`, or a condition as `until`",
        ),
        (_, until @ Some(_), Some(most)) => Ok((most, until)),
        (end, None, None) => Ok((end.unwrap_or(1.0.into()), None)),
    }
}

/// A functional ψ = ∫ integral dt + terminal, or a smooth maximum.
pub(super) fn objective(name: Text, t: &Table) -> Result<Objective, ModelError> {
    let parent = format!("objective `{name}`");
    // constants of a smooth maximum
    let [sharpness, duration] = ["sharpness", "duration"].map(|key| positive(t, key, &parent));
    let sharpness = sharpness?;
    let duration = duration?;
    let near = fixed(t, "near", &parent)?;
    let wrong = |message: &str, help: &str| {
        Err(ModelError::new(format!("{parent}: {message}")).at(&name.place).help(help))
    };
    // a maximum alone, or integral and terminal
    let [integral, terminal, y] = ["integral", "terminal", "maximum"].map(|key| maybe(t, key));
    match (y, sharpness, duration) {
        (Some(_), ..) if integral.is_some() || terminal.is_some() => wrong(
            "`maximum` stands alone",
            "make another objective of `integral` and `terminal`, and minimise both with weights",
        ),
        (Some(y), Some(sharpness), Some(duration)) => {
            let maximum = Some(Maximum { sharpness, duration, near: near.unwrap_or(0.0) });
            Ok(Objective { name, integral: Some(y), terminal: None, maximum })
        }
        (Some(_), ..) => wrong("`maximum` needs `sharpness` and `duration`", SMOOTH),
        (None, None, None) if near.is_none() => Ok(Objective { name, integral, terminal, maximum: None }),
        _ => wrong("`sharpness`, `duration` and `near` belong to `maximum`", SMOOTH),
    }
}

const SMOOTH: &str = "peak = { maximum = \"y\", sharpness = 100, duration = \"1 ms\" } is between the level \
    that y exceeds for 1 ms and the maximum + ln(T / 1 ms)/100";

/// The study of a file.
pub(in crate::file) fn study(root: &Table) -> Result<StudySection, ModelError> {
    let Some(s) = section(root, "study") else { return Ok(StudySection::default()) };
    // what is not of the method
    let output_step = positive(s, "output_step", "study")?;
    let optimize = section(s, "optimize").map(optimize::optimize).transpose()?;
    let Some(m) = section(s, "method") else {
        return Ok(StudySection { output_step, optimize, ..StudySection::default() });
    };
    // options as text, as on the command line
    let option = |(name, node): &(Word, Node)| {
        let value = match &node.value {
            Value::Text(word) => word.text.clone(),
            Value::Number(x) => x.to_string(),
            Value::Flag(b) => b.to_string(),
            _ => return None,
        };
        Some((name.name(), value))
    };
    // what is of the method
    let positive = |key: &str| positive(m, key, "study, method");
    Ok(StudySection {
        coordinates: text(m, "coordinates"),
        formulation: text(m, "formulation"),
        integrator: text(m, "integrator"),
        sensitivity: text(m, "sensitivity"),
        step: positive("step")?,
        rtol: positive("rtol")?,
        atol: positive("atol")?,
        tolerance_place: ["rtol", "atol"].iter().find_map(|key| maybe(m, key)?.place),
        freedoms: freedoms(m)?,
        options: entries(m, "options").filter_map(option).collect(),
        output_step,
        optimize,
    })
}

/// The independent coordinates that a method names: at least one, or no list.
fn freedoms(method: &Table) -> Result<Vec<Text>, ModelError> {
    let list = texts(method, "freedoms");
    match method.get("freedoms") {
        Some(node) if list.is_empty() => {
            let e =
                ModelError::new("study, method, freedoms: the list is empty").at(&Some(node.place.clone()));
            Err(e.help(
                "name the independent coordinates, which `gradyn check` lists, or leave `freedoms` out: they \
                are chosen then",
            ))
        }
        _ => Ok(list),
    }
}
