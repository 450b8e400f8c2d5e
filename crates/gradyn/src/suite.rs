//! Pinned benchmarks: values and gradients against references whose accuracy is known.
//!
//! A benchmark is a model, a method that resolves it, and numbers x* that were computed or published without
//! this library. Ours, x, agrees if
//!
//! ```text
//! |x - x*| ≤ (a* + r* |x*|) + (a + r |x*|)                                               (1)
//! ```
//! with the absolute and relative accuracy (a*, r*) of the reference, and (a, r) to which the method resolves
//! the model. The numbers are in `suite/data`, one file for each benchmark, which says where they are from.
//! Gradients are those of the discrete adjoint.

mod data;
mod plain;
mod run;

pub use data::{Accuracy, Item, Quantity, Reference};
pub use run::{Comparison, Outcome, all};

use crate::error::Error;
use data::Method;

/// A model that is pinned with numbers that it must give.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// Name of the benchmark.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Does it run in much less than a second?
    pub quick: bool,
    /// Where its numbers are from.
    pub references: Vec<Reference>,
    /// Name of the model, of the suite or of a bundled example.
    pub model: String,
    /// Parameters and constants that are not those of the model.
    set: Vec<(String, f64)>,
    /// Final time in place of that of the model [s].
    t_end: Option<f64>,
    /// How it is run.
    method: Method,
}

/// (name, data) of every benchmark.
const DATA: &[(&str, &str)] = &[
    ("oscillator", include_str!("suite/data/oscillator.json")),
    ("manipulator", include_str!("suite/data/manipulator.json")),
    ("five_bar", include_str!("suite/data/five_bar.json")),
    ("five_bar_balance", include_str!("suite/data/five_bar_balance.json")),
    ("five_bar_control", include_str!("suite/data/five_bar_control.json")),
    ("event_pendulum", include_str!("suite/data/event_pendulum.json")),
    ("squeezer", include_str!("suite/data/squeezer.json")),
    ("bricard", include_str!("suite/data/bricard.json")),
    ("heavy_top", include_str!("suite/data/heavy_top.json")),
    ("governor", include_str!("suite/data/governor.json")),
    ("slider_crank_space", include_str!("suite/data/slider_crank_space.json")),
    ("rolling_disc", include_str!("suite/data/rolling_disc.json")),
    ("knife_edge", include_str!("suite/data/knife_edge.json")),
    ("skate", include_str!("suite/data/skate.json")),
    ("iltis", include_str!("suite/data/iltis.json")),
    ("four_wheeler", include_str!("suite/data/four_wheeler.json")),
    ("coach", include_str!("suite/data/coach.json")),
];

/// (name, text) of the models that are no examples.
const MODELS: &[(&str, &str)] = &[
    ("squeezer", include_str!("suite/models/squeezer.toml")),
    ("heavy_top", include_str!("suite/models/heavy_top.toml")),
    ("governor", include_str!("suite/models/governor.toml")),
    ("slider_crank_space", include_str!("suite/models/slider_crank_space.toml")),
    ("skate", include_str!("suite/models/skate.toml")),
];

/// Names of all benchmarks, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    DATA.iter().map(|d| d.0)
}

/// A benchmark by name.
pub fn find(name: &str) -> Result<Benchmark, Error> {
    let data = DATA.iter().find(|d| d.0 == name).ok_or_else(|| {
        let valid: Vec<&str> = names().collect();
        Error::argument(format!("there is no benchmark `{name}`"), format!("valid: {}", valid.join(", ")))
    })?;
    Benchmark::read(data.1).map_err(|why| broken(name, &why))
}

/// The data of a benchmark as it is written.
fn data_of(name: &str) -> &'static str {
    DATA.iter().find(|d| d.0 == name).map_or("{}", |d| d.1)
}

/// Data of the suite that cannot be read.
fn broken(name: &str, why: &str) -> Error {
    Error::argument(format!("the data of the benchmark `{name}` is broken: {why}"), "build the program anew")
}

/// The text of a model, of the suite or of a bundled example.
fn text(model: &str) -> Option<&'static str> {
    MODELS.iter().find(|m| m.0 == model).map(|m| m.1).or_else(|| crate::examples::find(model))
}
