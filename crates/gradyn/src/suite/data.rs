//! The data of a benchmark.

use super::Benchmark;
use serde_json::{Map, Value};

/// How well a number is known: |error| ≤ absolute + relative · |number|.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accuracy {
    /// In the unit of the number.
    pub absolute: f64,
    /// Of the number.
    pub relative: f64,
}

impl Accuracy {
    /// Bound of the error of a number.
    pub fn of(&self, x: f64) -> f64 {
        self.absolute + self.relative * x.abs()
    }
}

/// Numbers of one source.
#[derive(Clone, Debug)]
pub struct Reference {
    /// A paper, a closed form, or how they were computed.
    pub source: String,
    /// To which they are known.
    pub accuracy: Accuracy,
    /// The numbers.
    pub items: Vec<Item>,
}

/// A number of a reference.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub quantity: Quantity,
    /// Its value.
    pub value: f64,
}

/// What a number is.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// The value of an objective.
    Objective(String),
    /// The derivative of an objective over a parameter.
    Derivative(String, String),
    /// An expression of sensors at a time [s].
    Sample(String, f64),
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Objective(name) => f.write_str(name),
            Self::Derivative(of, over) => write!(f, "d {of}/d {over}"),
            Self::Sample(what, t) => write!(f, "{what} at {t} s"),
        }
    }
}

/// How a benchmark is run.
#[derive(Clone, Debug)]
pub(super) struct Method {
    /// Coordinates, formulation, integrator.
    pub names: [String; 3],
    /// Relative and absolute tolerance of the steps.
    pub tolerance: f64,
    /// To which it resolves the model.
    pub resolves: Accuracy,
}

/// An object of the data, whose errors name the key.
struct Object<'a>(&'a Map<String, Value>);

impl<'a> Object<'a> {
    fn new(what: &str, value: &'a Value) -> Result<Self, String> {
        value.as_object().map(Self).ok_or_else(|| format!("{what} is no object"))
    }
    fn get(&self, key: &str) -> Result<&'a Value, String> {
        self.0.get(key).ok_or_else(|| format!("`{key}` is missing"))
    }
    fn text(&self, key: &str) -> Result<String, String> {
        let text = self.get(key)?.as_str();
        text.map(str::to_owned).ok_or_else(|| format!("`{key}` is no text"))
    }
    fn number(&self, key: &str) -> Result<f64, String> {
        number(key, self.get(key)?)
    }
    /// Names with their values; none if the key is absent.
    fn entries(&self, key: &str) -> Result<Vec<(&'a String, &'a Value)>, String> {
        match self.0.get(key) {
            None => Ok(vec![]),
            Some(x) => Ok(Object::new(key, x)?.0.iter().collect()),
        }
    }
    fn accuracy(&self, key: &str) -> Result<Accuracy, String> {
        let o = Object::new(key, self.get(key)?)?;
        let part = |name: &str| o.0.get(name).map_or(Ok(0.0), |x| number(name, x));
        Ok(Accuracy { absolute: part("absolute")?, relative: part("relative")? })
    }
}

fn number(key: &str, x: &Value) -> Result<f64, String> {
    x.as_f64().ok_or_else(|| format!("`{key}` is no number"))
}

fn list<'a>(key: &str, x: &'a Value) -> Result<&'a Vec<Value>, String> {
    x.as_array().ok_or_else(|| format!("`{key}` is no list"))
}

impl Benchmark {
    /// Reads the data of a benchmark.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let o = Object::new("the file", &value)?;

        // method = names, tolerance of the steps, what it resolves
        let m = Object::new("method", o.get("method")?)?;
        let names = [m.text("coordinates")?, m.text("formulation")?, m.text("integrator")?];
        let method = Method { names, tolerance: m.number("tolerance")?, resolves: m.accuracy("resolves")? };

        // numbers that are set, and references
        let set = o.entries("set")?.into_iter().map(|(n, x)| Ok((n.clone(), number(n, x)?)));
        let references = list("references", o.get("references")?)?.iter().map(Reference::read);
        Ok(Self {
            name: o.text("name")?,
            about: o.text("about")?,
            quick: o.get("quick")?.as_bool().ok_or("`quick` is no truth value")?,
            references: references.collect::<Result<_, String>>()?,
            model: o.text("model")?,
            set: set.collect::<Result<_, String>>()?,
            t_end: o.0.get("t_end").map(|x| number("t_end", x)).transpose()?,
            method,
        })
    }
}

impl Reference {
    fn read(value: &Value) -> Result<Self, String> {
        let o = Object::new("a reference", value)?;
        let mut items = vec![];
        let mut add = |quantity: Quantity, x: &Value| {
            items.push(Item { value: number(&quantity.to_string(), x)?, quantity });
            Ok::<(), String>(())
        };

        // objectives, and their derivatives over parameters
        for (name, x) in o.entries("objectives")? {
            add(Quantity::Objective(name.clone()), x)?;
        }
        for (of, row) in o.entries("gradient")? {
            for (over, x) in Object::new(of, row)?.0 {
                add(Quantity::Derivative(of.clone(), over.clone()), x)?;
            }
        }

        // columns of samples, one value for each time
        let times = o.0.get("times").map_or(Ok(&[][..]), |t| list("times", t).map(Vec::as_slice))?;
        for (what, values) in o.entries("samples")? {
            let values = list(what, values)?;
            if values.len() != times.len() {
                return Err(format!("`{what}` has {} values for {} times", values.len(), times.len()));
            }
            for (t, x) in times.iter().zip(values) {
                add(Quantity::Sample(what.clone(), number("times", t)?), x)?;
            }
        }
        Ok(Self { source: o.text("source")?, accuracy: o.accuracy("accuracy")?, items })
    }
}
