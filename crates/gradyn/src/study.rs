//! A model file, or a mechanism, with what is changed of it and how it is run: what programs use.
//!
//! ```text
//! text ─ open, from_text ─▶ Study ─ at(ρ) ─▶ StudyModel ─ run, run_with ─▶ StudyRun ─ gradient ─▶ Jacobian
//!                             ▲ set, method, option, coordinates
//! ```
//! Outputs at samples, and products with their derivatives:
//!
//! ```
//! let text = gradyn::examples::find("five_bar").ok_or("no such example")?;
//! let mut study = gradyn::Study::from_text("five_bar.toml", text)?;
//! study.end_at("2 s").method("index1", "adams")?;
//! let model = study.nominal()?;
//! let run = model.sampled(&[0.5, 1.0, 1.5])?.run()?;
//! let y = run.outputs()?;
//! let weights = vec![1.0; y.values().len()];
//! let back = run.vjp(&weights)?;
//! let ahead = run.jvp(&[1.0, 0.0, 0.0, 0.0, 0.0])?;
//! assert!((back[0] - ahead.iter().sum::<f64>()).abs() < 1e-9 * back[0].abs());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Everything is checked when it is first needed: `set` may make a model impossible that the next `set` makes
//! possible again. Errors know their line of the file.

mod choice;
mod measured;
mod run;
mod source;

pub use choice::AUTO;
pub use run::{StudyModel, StudyRun};

use crate::certificate::Reason;
use crate::error::{Error, Place};
use crate::file::{ModelFile, Origins, StudySection};
use crate::method::Method;
use crate::prepared::Prepared;
use crate::registry::Sensitivity;
use choice::Choice;
use gradyn_model::mechanism::{Number, Source as NumberSource};
use gradyn_model::{Coordinates, Mechanism, ModelError, Warning};
use source::Source;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A model and how it is run.
#[derive(Clone, Debug)]
pub struct Study {
    source: Arc<Source>,
    choice: Choice,
    /// Time that a run may take [s].
    limit: Option<f64>,
    /// The model in its coordinates; built when it is first asked for.
    built: OnceLock<Prepared>,
}

impl Study {
    /// Reads a model file: JSON if its name ends in `.json`, TOML otherwise.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| {
            let help = "`gradyn example five_bar` prints a model to start from";
            Error::argument(format!("{name} cannot be read: {e}"), help)
        })?;
        Self::from_text(&name, &text)
    }
    /// A model file that is at hand: `name` is what errors call it, and says by its end what it is.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Error> {
        let file = crate::file::read(Path::new(name), text);
        let file = file.map_err(|e| Error::from(e).in_text(name, text))?;
        Ok(Self::new(Source { name: name.into(), text: text.into(), file }))
    }
    /// A mechanism that a program has made.
    pub fn from_mechanism(mechanism: Mechanism) -> Self {
        let (name, study, origins) = (mechanism.name.clone(), StudySection::default(), Origins::default());
        let folder = PathBuf::new();
        let file = ModelFile { mechanism, study, origins, folder, anywhere: false };
        Self::new(Source { name, text: String::new(), file })
    }
    fn new(source: Source) -> Self {
        Self { source: Arc::new(source), choice: Choice::default(), limit: None, built: OnceLock::new() }
    }
    /// What the file says, with what was set.
    pub fn file(&self) -> &ModelFile {
        &self.source.file
    }
    /// The text of the file; empty for a mechanism.
    pub fn text(&self) -> &str {
        &self.source.text
    }
    /// What errors call the file.
    pub fn name(&self) -> &str {
        &self.source.name
    }
    /// An error of this model at its line of the file, with the copy of a template that it is about.
    pub fn locate(&self, e: impl Into<Error>) -> Error {
        self.source.locate(e.into())
    }
    /// Places in the file of what a reason of a certificate is about, in the order of their lines.
    pub fn places(&self, reason: &Reason) -> Vec<Place> {
        self.source.places(reason)
    }
    fn mechanism(&mut self) -> &mut Mechanism {
        self.built = OnceLock::new();
        &mut Arc::make_mut(&mut self.source).file.mechanism
    }
    /// Gives a parameter or a constant another value: a number, with a unit if you like.
    pub fn set(&mut self, name: &str, value: &str) -> Result<&mut Self, Error> {
        // names = those of parameters, then those of constants
        let m = &self.source.file.mechanism;
        let parameters = m.parameters.iter().map(|p| &p.name.text);
        let constants = m.constants.iter().map(|c| &c.0.text);
        let names: Vec<&str> = parameters.chain(constants).map(String::as_str).collect();
        if !names.contains(&name) {
            let list = if names.is_empty() {
                "the model has none".into()
            } else {
                format!("valid: {}", names.join(", "))
            };
            return Err(Error::argument(format!("there is no parameter or constant `{name}`"), list));
        }

        // number = value, if it is a constant
        let m = self.mechanism();
        let parameter = m.parameters.iter_mut().find(|p| p.name.text == name);
        let (what, number) = match parameter {
            Some(p) => ("parameter", Some(&mut p.value)),
            None => ("constant", m.constants.iter_mut().find(|c| c.0.text == name).map(|c| &mut c.1)),
        };
        constant(&format!("{what} `{name}`"), value).map_err(|e| e.in_text(name, value))?;
        number.into_iter().for_each(|number| *number = value.into());
        Ok(self)
    }
    /// Ends the run at a time, whatever the file says.
    pub fn end_at(&mut self, t_end: &str) -> &mut Self {
        let m = self.mechanism();
        m.t_end = t_end.into();
        m.until = None;
        self
    }
    /// Lets paths in the file lead to folders that are not below its own.
    pub fn allow_path(&mut self) -> &mut Self {
        Arc::make_mut(&mut self.source).file.anywhere = true;
        self
    }
    /// Coordinates by name, in place of those of the file.
    pub fn coordinates(&mut self, name: &str) -> Result<&mut Self, Error> {
        self.choice.coordinates = Some(choice::coordinates(name)?);
        self.built = OnceLock::new();
        Ok(self)
    }
    /// Breaks off runs that take longer than some seconds; gradients and products are not timed. A negative
    /// number is refused by the run.
    pub fn time_limit(&mut self, seconds: f64) -> &mut Self {
        self.limit = Some(seconds);
        self
    }
    /// The model at the values of the file, built and assembled.
    pub fn prepared(&self) -> Result<&Prepared, Error> {
        if let Some(built) = self.built.get() {
            return Ok(built);
        }
        let family = match (self.choice.coordinates, &self.file().study.coordinates) {
            (Some(family), _) => family,
            (None, Some(name)) => choice::coordinates(&name.text)?,
            (None, None) => Coordinates::Natural,
        };
        let built = Prepared::new_in(&self.file().mechanism, family).map_err(|e| self.locate(e))?;
        Ok(self.built.get_or_init(|| built))
    }
    /// Start and end of the run [s].
    pub fn times(&self) -> Result<(f64, f64), Error> {
        let m = &self.file().mechanism;
        let mesh = self.prepared()?.mesh().map_err(|e| {
            let place = m.t_end.place.clone().or(m.t_start.place.clone());
            self.locate(e.at(&place))
        })?;
        Ok((mesh.start.0, mesh.end()))
    }
    /// Names of the parameters, in the order of `at`.
    pub fn parameters(&self) -> Result<Vec<String>, Error> {
        Ok(self.prepared()?.parameters().iter().map(|p| p.name.clone()).collect())
    }
    /// Names of the objectives.
    pub fn objectives(&self) -> Result<Vec<String>, Error> {
        Ok(self.prepared()?.objectives().to_vec())
    }
    /// Values of the parameters as the file gives them, and as they were set.
    pub fn defaults(&self) -> Result<Vec<f64>, Error> {
        Ok(self.prepared()?.parameters().iter().map(|p| p.value).collect())
    }
    /// Things to know about the model.
    pub fn warnings(&self) -> Result<&[Warning], Error> {
        Ok(&self.prepared()?.model.warnings)
    }
    /// The model at some parameters, with the method and the sensitivity of this study.
    pub fn at(&self, rho: &[f64]) -> Result<StudyModel, Error> {
        let prepared = self.prepared()?.at(rho).map_err(|e| self.locate(e))?;
        self.model(prepared)
    }
    /// The model at some parameters as optimisers and sweeps take it: on the branch of the values of the
    /// file, by a walk from there where that is needed; another branch is an error.
    pub fn at_on_branch(&self, rho: &[f64]) -> Result<StudyModel, Error> {
        let prepared = self.prepared()?.at_on_branch(rho).map_err(|e| self.locate(e))?;
        self.model(prepared)
    }
    /// The model at the values of the file.
    pub fn nominal(&self) -> Result<StudyModel, Error> {
        self.model(self.prepared()?.clone())
    }
    fn model(&self, prepared: Prepared) -> Result<StudyModel, Error> {
        let method: Method = self.chosen_method()?;
        let sensitivity: Sensitivity = self.chosen_sensitivity()?.0;
        let prepared = Arc::new(prepared);
        Ok(StudyModel { source: self.source.clone(), prepared, method, sensitivity, limit: self.limit })
    }
}

/// The value of a constant expression; `what` names it in errors, whose bytes are those of the text.
pub fn constant(what: &str, text: &str) -> Result<f64, Error> {
    gradyn_model::expression::constant(text).map_err(|e| {
        let source = NumberSource::Expression(text.into());
        let number = Number { source, place: Some(0..text.len()), exact: true };
        let mut e = ModelError::expression(what, &number, e);
        e.help.get_or_insert("give a number, with a unit if you like: 0.001, \"1 ms\", \"sqrt(2)/2\"".into());
        e.into()
    })
}
