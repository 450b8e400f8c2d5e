//! Everything that can go wrong, sorted by who can mend it.

mod advice;
mod place;

pub(crate) use advice::{ALL_PRESCRIBED, assembly};
pub use place::Place;

use advice::advice;
use gradyn_dynamics::StepError;
use gradyn_model::{ModelError, Owner, Subject};
use std::fmt;
use std::ops::Range;

/// An error of the library: what happened, where, and what to try.
#[derive(Clone, Debug)]
pub struct Error {
    /// Who can mend it.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// Where in the model file, if it is about a place there.
    pub place: Option<Box<Place>>,
    /// What to try, in one sentence.
    pub help: Option<String>,
    /// The element that it is about, where the place does not say it.
    pub subject: Option<Box<Subject>>,
}

/// Who can mend an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The model is wrong.
    Model,
    /// The method does not exist or does not fit.
    Method,
    /// What was asked of the library does not fit: a number of values, a run of other parameters.
    Argument,
    /// The computation failed.
    Step(Box<StepError>),
    /// The observer of a run broke it off.
    Cancelled {
        /// Time reached [s].
        t: f64,
        /// Number of steps done before the stop.
        steps: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<ModelError> for Error {
    fn from(e: ModelError) -> Self {
        let ModelError { message, place, help, subject } = e;
        let place = place.map(|bytes| Box::new(Place::unknown(bytes)));
        Self { kind: ErrorKind::Model, message, place, help, subject: subject.map(Box::new) }
    }
}

impl From<StepError> for Error {
    fn from(e: StepError) -> Self {
        if let StepError::Cancelled { t, steps } = e {
            return Self::new(ErrorKind::Cancelled { t, steps }, e.to_string());
        }
        let help = advice(&e);
        Self { help, ..Self::new(ErrorKind::Step(Box::new(e.clone())), e.to_string()) }
    }
}

impl Error {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, help: None, subject: None }
    }
    /// A method that does not exist or does not fit.
    pub fn method(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(ErrorKind::Method, message) }
    }
    /// Something that does not fit what it is asked of.
    pub fn argument(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(ErrorKind::Argument, message) }
    }
    /// Names the element that the error is about.
    #[must_use]
    pub(crate) fn about(mut self, kind: Owner, name: impl fmt::Display) -> Self {
        self.subject = Some(Box::new(Subject::new(kind, name)));
        self
    }
    /// The error of the computation, if it failed.
    pub fn step(&self) -> Option<&StepError> {
        match &self.kind {
            ErrorKind::Step(e) => Some(e),
            _ => None,
        }
    }
    /// Bytes of the text that the error is about, if it is about a place there.
    pub fn bytes(&self) -> Option<Range<usize>> {
        self.place.as_ref().map(|p| p.bytes.clone())
    }
    /// Moves the error to some bytes of the model file, whose error it then is.
    #[must_use]
    pub(crate) fn at(mut self, bytes: &Option<Range<usize>>) -> Self {
        if let (Some(bytes), true) = (bytes, self.is_input()) {
            self.place = Some(Box::new(Place::unknown(bytes.clone())));
            self.kind = ErrorKind::Model;
        }
        self
    }
    /// Tells the name and the text of the file, so that the place has a line and a column.
    #[must_use]
    pub(crate) fn in_text(mut self, file: &str, text: &str) -> Self {
        self.place = self.place.map(|p| Box::new(Place::new(file, text, p.bytes)));
        self
    }
    /// The message, the marked line of the file, and what to try: plain text, without colours.
    pub fn render(&self) -> String {
        let mut out = format!("{}\n", self.message);
        if let Some(place) = &self.place {
            place.draw(&mut out);
        }
        if let Some(help) = self.help.as_ref().filter(|h| !h.is_empty()) {
            out += &format!("help: {help}\n");
        }
        out
    }
    /// Names the scenario that the error is about; an empty name is none.
    pub(crate) fn within(mut self, scenario: &str) -> Self {
        if !scenario.is_empty() {
            self.message = format!("scenario `{scenario}`: {}", self.message);
        }
        self
    }
    /// Is it the model or the command that is wrong (true), or did the computation fail (false)?
    pub fn is_input(&self) -> bool {
        !matches!(self.kind, ErrorKind::Step(_) | ErrorKind::Cancelled { .. })
    }
}
