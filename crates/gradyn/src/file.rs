//! Model files: TOML, or JSON with the same schema → [`Mechanism`] and [`StudySection`].
//!
//! ```text
//! text ─ tree, json ─▶ tree with places ─ template ─▶ tree without templates
//!      ─ reader ─▶ checked tree ─ elements ─▶ Mechanism, StudySection
//!           ▲
//!        format: one table of keys for each section and element ─ schema ─▶ JSON Schema
//! ```
//!
//! The tables of `format` are the only list of keys: the reader checks against them and the schema is made
//! from them. Every mistake is a [`ModelError`] that knows its bytes of the file. Expressions are parsed
//! later, by `gradyn_model::build`, except the few numbers that must be constant already here: those of
//! [`StudySection`].
//!
//! ```
//! let file = gradyn::file::read_toml(r#"
//!     name = "pendulum"
//!     parameters = { L = 1 }
//!     ground.points = { O = [0, 0] }
//!     body.bar = { rod = { points = ["A", "B"], length = "L", mass = 2 } }
//!     joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
//!     initial.position = { "bar.angle" = "-60 deg" }
//! "#)?;
//! assert_eq!(file.mechanism.bodies[0].name.text, "bar");
//! # Ok::<(), gradyn_model::ModelError>(())
//! ```

mod elements;
mod format;
mod json;
mod name;
mod plain;
mod reader;
mod schema;
mod template;
mod tree;
mod values;
mod write;

pub use name::{is_control, is_formula};
pub use plain::{LARGEST, plain};
pub use schema::schema;
pub use template::Origins;
pub use values::with_values;

use gradyn_model::ModelError;
use gradyn_model::mechanism::{Mechanism, Number, Text};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a model file says: the mechanism, and how to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// The mechanism; what copies of templates made has places behind the text, which `explain` brings home.
    pub mechanism: Mechanism,
    /// The method that the file asks for.
    pub study: StudySection,
    /// Copies of templates.
    pub origins: Origins,
    /// Folder of the file: paths in it are relative to this one, and lead to files below it.
    pub folder: PathBuf,
    /// May paths in the file lead to other folders?
    pub anywhere: bool,
}

impl ModelFile {
    /// An error of the model at its bytes of the text, with the instance that it is about if it stands in a
    /// template.
    pub fn explain(&self, e: ModelError) -> ModelError {
        self.origins.explain(e)
    }
}

/// How to run a model; what is absent is chosen by the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudySection {
    /// Coordinates, by name.
    pub coordinates: Option<Text>,
    /// Equations of motion, by name.
    pub formulation: Option<Text>,
    /// Integrator, by name.
    pub integrator: Option<Text>,
    /// Sensitivity method, by name.
    pub sensitivity: Option<Text>,
    /// Time step [s], > 0.
    pub step: Option<f64>,
    /// Relative tolerance of adaptive steps, > 0.
    pub rtol: Option<f64>,
    /// Absolute tolerance of adaptive steps, > 0.
    pub atol: Option<f64>,
    /// Where the file gives the first of the two.
    pub tolerance_place: Option<Range<usize>>,
    /// Independent coordinates, by name; chosen by the program if empty.
    pub freedoms: Vec<Text>,
    /// Options of the method, in order, as written.
    pub options: Vec<(Text, String)>,
    /// Time between output rows [s], > 0; every step if absent.
    pub output_step: Option<f64>,
    /// What to optimise.
    pub optimize: Option<Optimize>,
}

/// What to optimise, as the file says it; names are not looked up yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimize {
    /// Objectives and their weights; none with a fit.
    pub minimise: Vec<(Text, f64)>,
    /// Measured values that outputs should have.
    pub fit: Option<Fit>,
    /// Parameters that vary; all if absent.
    pub parameters: Option<Vec<Text>>,
    /// Optimiser, by name.
    pub method: Option<Text>,
    /// A change of what is minimised that matters, > 0.
    pub scale: f64,
    /// Constraints of the optimisation.
    pub limits: Vec<Limit>,
    /// Manoeuvres; the model as it is if there are none.
    pub scenarios: Vec<Scenario>,
    /// Parameters and their transforms, by name.
    pub transforms: Vec<(Text, Text)>,
    /// Tolerances and limits of the optimiser.
    pub settings: gradyn_optimize::Settings,
    /// How many starts there are, and how they are chosen.
    pub starts: Option<gradyn_optimize::Starts>,
    /// Where the file gives them.
    pub starts_place: Option<Range<usize>>,
}

/// Outputs that should have measured values.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was measured.
    pub record: Measured,
    /// Where the file says that.
    pub place: Option<Range<usize>>,
    /// Outputs, or sensors, and the deviation of each that matters, > 0.
    pub columns: Vec<(Text, f64)>,
}

/// Times and measured values.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// A csv file with the columns `t`, then those that are fitted, and others.
    File(String),
    /// A csv file by its name and its text, which is not read again.
    Text(String, String),
    /// Rows of a time and the values of the columns.
    Rows(Vec<Vec<f64>>),
}

/// A manoeuvre of an optimisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name in the file.
    pub name: Text,
    /// Its weight in what is minimised.
    pub weight: f64,
    /// Constants, and parameters that do not vary, with their values.
    pub set: Vec<(Text, f64)>,
}

/// A constraint of an optimisation: at least one of `min`, `max` and `equal` is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Its name in the file.
    pub name: Text,
    /// What is limited.
    pub of: Limited,
    /// Lower limit, if there is one.
    pub min: Option<f64>,
    /// Upper limit, if there is one.
    pub max: Option<f64>,
    /// The value that it must have.
    pub equal: Option<f64>,
    /// A violation that matters, > 0.
    pub scale: Option<f64>,
}

/// What a constraint limits.
#[derive(Clone, Debug, PartialEq)]
pub enum Limited {
    /// An objective, by name.
    Objective(Text),
    /// An expression of parameters, or of sensors at the final time.
    Value(Number),
}

/// (type, what it is) of every joint.
pub fn joint_types() -> Vec<(&'static str, &'static str)> {
    format::joints().iter().map(|v| (v.name, v.doc)).collect()
}

/// (type, what it is) of every force.
pub fn force_types() -> Vec<(&'static str, &'static str)> {
    format::forces().iter().map(|v| (v.name, v.doc)).collect()
}

/// (type, what it is) of every shape of a body.
pub fn shape_types() -> Vec<(&'static str, &'static str)> {
    format::shapes().iter().map(|v| (v.name, v.doc)).collect()
}

/// (type, what it is) of every law of a tyre along the ground.
pub fn tyre_law_types() -> Vec<(&'static str, &'static str)> {
    format::tyre_laws().iter().map(|v| (v.name, v.doc)).collect()
}

/// What a driver can drive.
pub fn driver_quantities() -> &'static [&'static str] {
    format::DRIVER.one_of
}

/// Reads a TOML model file.
pub fn read_toml(text: &str) -> Result<ModelFile, ModelError> {
    read_tree(&tree::from_toml(text)?)
}

/// Reads a JSON model file.
pub fn read_json(text: &str) -> Result<ModelFile, ModelError> {
    read_tree(&json::from_json(text)?)
}

/// Reads a model file: JSON if the path ends in `.json`, TOML otherwise.
pub fn read(path: &Path, text: &str) -> Result<ModelFile, ModelError> {
    let file = if is_json(path) { read_json(text) } else { read_toml(text) }?;
    Ok(ModelFile { folder: path.parent().unwrap_or(Path::new("")).to_owned(), ..file })
}

/// A model file as TOML in which every instance is written out; comments are lost.
pub fn expanded(path: &Path, text: &str) -> Result<String, ModelError> {
    let root = if is_json(path) { json::from_json(text)? } else { tree::from_toml(text)? };
    Ok(write::toml(&template::expand(&root)?.map_or(root, |e| e.root)))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

fn read_tree(root: &tree::Table) -> Result<ModelFile, ModelError> {
    if root.entries.is_empty() {
        let e = ModelError::new("the model file is empty").at(&Some(0..0));
        return Err(e.help("a model needs at least a name, a [body] and a [joint]"));
    }
    match template::expand(root)? {
        None => read_plain(root, Origins::default()),
        Some(e) => {
            let origins = e.origins.clone();
            read_plain(&e.root, e.origins).map_err(|e| origins.explain(e))
        }
    }
}

fn read_plain(root: &tree::Table, origins: Origins) -> Result<ModelFile, ModelError> {
    reader::check_file(root)?;
    let mechanism = elements::mechanism(root)?;
    let study = elements::study(root)?;
    let folder = PathBuf::new();
    Ok(ModelFile { mechanism, study, origins, folder, anywhere: false })
}
