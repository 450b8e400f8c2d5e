//! Everything that can go wrong, sorted by who can mend it.

mod place;

pub use place::Place;

use gradyn_dynamics::StepError;
use gradyn_model::{Model, ModelError, Owner, Subject};
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
    /// What to try.
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
        /// Steps done.
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
    pub fn in_text(mut self, file: &str, text: &str) -> Self {
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
        if let ErrorKind::Step(_) = self.kind {
            self.kind = ErrorKind::Method;
            self.help.get_or_insert_default();
        }
        self
    }
    /// Is it the model or the command that is wrong (true), or did the computation fail (false)?
    pub fn is_input(&self) -> bool {
        !matches!(self.kind, ErrorKind::Step(_) | ErrorKind::Cancelled { .. })
    }
}

fn advice(e: &StepError) -> Option<String> {
    let text = match e {
        StepError::Newton { .. } => {
            "try a smaller step; if it fails at the start, look at the initial conditions"
        }
        StepError::Singular { .. } => {
            "the mechanism may pass a singular position, or a force is not finite there (a spring whose ends meet, a root of a negative number); try another step or formulation; with penalty on redundant constraints, alpha_scaling=row or a smaller alpha"
        }
        StepError::SingularPosition { .. } => {
            "the motion can leave it in more ways than one: end the run before it, or try ali3p or penalty with short steps, which pass most of them, without a gradient"
        }
        StepError::Freedoms { .. } => {
            "a named coordinate passes its extreme: name others, or leave the choice to the program"
        }
        StepError::Massless { .. } => {
            "give the body mass and inertia (`rod`, `shape` or `inertia`), or hold what is free by joints"
        }
        StepError::NotFinite { .. } => {
            "look for a spring whose ends meet, a root of a negative number or a division by zero"
        }
        StepError::Undefined { .. } => {
            "end the run before it, give the road more points, or start with some speed"
        }
        StepError::StepTooSmall { .. } => {
            "something may jump or become infinite there; put the time of a kink into `breaks` of [study], smooth a jump by a ramp, or loosen the tolerances"
        }
        StepError::Moved { .. } => {
            "take a smaller fd_step or extrapolation_step, or larger steps around declared times"
        }
        StepError::AlreadyMet { .. } => {
            "start elsewhere, or subtract what `until` is at the start; a run that returns to its start needs another condition"
        }
        StepError::JumpsOver { .. } => {
            "make the condition continuous: no comparisons, no contact forces that jump"
        }
        StepError::NeverMet { .. } => "look at the motion and at the sign of `until`, or raise t_max",
        StepError::Grazes { .. } => {
            "end the run by t_end, or by a condition that passes zero with some speed"
        }
        StepError::Times(_) | StepError::Backward { .. } => {
            "take larger steps, or raise max_steps with --option"
        }
        StepError::Turn { attitude: true, .. } => {
            "roll and yaw jump where the pitch passes ±90 deg (gimbal lock), whatever the step; read `omega` or the angle of a joint instead; elsewhere smaller steps help"
        }
        StepError::Unstable { .. } => {
            "take shorter steps, a lower adams_order, or an implicit integrator such as newmark"
        }
        StepError::Turn { .. } => "take smaller steps: at most a quarter turn in a step",
        StepError::Stalled { .. } => {
            "the equations are stiff there, or the tolerances cannot be met: look at the stiffness and damping around it, loosen the tolerances, or use newmark with fixed steps"
        }
        StepError::TooManySteps { .. } => {
            "take larger steps or loosen the tolerances, or raise max_steps with --option"
        }
        StepError::Stiff { .. } => {
            "use an implicit integrator, such as newmark; or raise max_steps with --option"
        }
        StepError::Undetermined { .. } => "choose initial conditions on other sensors",
        StepError::Correction { .. } => {
            "the derivative does not settle; the run may be at a singular position"
        }
        _ => return None,
    };
    Some(text.into())
}

/// What to write where no velocity is free.
pub const ALL_PRESCRIBED: &str =
    "joints and drivers prescribe every velocity: write `velocity = {}` in [initial]";

/// An assembly error as an error of the model, at the element that it names.
pub fn assembly(model: &Model, e: StepError) -> Error {
    // a row, an element, or a coordinate `element.point.axis`
    let place = |name: &str| {
        let element = name.split(['.', ' ']).next().unwrap_or(name);
        model.place(model.element(name)).or_else(|| model.place(element))
    };
    let condition = |name: &str| {
        let all = model.conditions.0.iter().chain(&model.conditions.1);
        all.into_iter().find(|c| c.text == name).and_then(|c| c.place.clone())
    };
    let (place, help) = match &e {
        StepError::Assembly { worst, .. } => (
            place(worst).or_else(|| condition(worst)),
            "check the lengths and the initial conditions; `initial.near` gives the assembly a better start".to_owned(),
        ),
        StepError::NotFinite { equation, .. } => (
            place(equation).or_else(|| condition(equation)),
            "there is no value where the assembly starts or leads: parallel axes of a rolling joint, coincident points, a root of a negative number; `initial.near` gives it another start".to_owned(),
        ),
        StepError::Undefined { force, .. } => (
            place(force),
            "give the road more points, or start elsewhere".to_owned(),
        ),
        StepError::Inconsistent { rows } => (
            rows.first().and_then(|r| place(&r.0)),
            "remove one of them, or let them agree: the same driver twice, or a driver of what a joint holds".to_owned(),
        ),
        StepError::SingularStart { rows } => (
            rows.first().and_then(|r| place(&r.0)),
            "start from another position: the motion can leave this one in more ways than one".to_owned(),
        ),
        StepError::Conditions { kind, given, freedom, free, .. } => {
            let list = if *kind == "velocity" { &model.conditions.1 } else { &model.conditions.0 };
            // the first that is too many, or the last before those that are missing
            let condition = list.get(*freedom).or(list.last());
            let (word, rest) = if given < freedom { ("add", freedom - given) } else { ("remove", given - freedom) };
            let noun = if rest == 1 { "condition" } else { "conditions" };
            let help = match (*kind, *freedom) {
                ("velocity", 0) => ALL_PRESCRIBED.to_owned(),
                _ => format!("{word} {rest} {kind} {noun} in [initial]"),
            };
            let free = || free.iter().find_map(|name| place(name));
            (condition.and_then(|c| c.place.clone()).or_else(free), help)
        }
        StepError::Undetermined { equation, .. } => {
            (condition(equation).or_else(|| place(equation)), "choose conditions on other sensors".to_owned())
        }
        StepError::NoEquilibrium { open, .. } if !open.is_empty() => (
            model.conditions.0.first().and_then(|c| c.place.clone()).or_else(|| open.iter().find_map(|o| place(o))),
            "a condition in `equilibrium` of [initial] may be missing: a sensor that moves with what no force holds".to_owned(),
        ),
        StepError::NoEquilibrium { worst, .. } => (
            worst.iter().find_map(|w| place(w.0.trim_matches('`'))),
            "there may be none: look at the forces; `initial.near` gives the search a better start, `hold` a support".to_owned(),
        ),
        StepError::EquilibriumFree { free, .. } => (
            model.conditions.0.first().and_then(|c| c.place.clone()).or_else(|| free.iter().find_map(|f| place(f))),
            format!(
                "add {} in `equilibrium` of [initial]: sensors that move with what is free",
                if free.len() == 1 { "a condition".to_owned() } else { format!("{} conditions", free.len()) }
            ),
        ),
        StepError::EquilibriumSurplus { condition: name } => (
            condition(name),
            "remove it, or move it to `hold`, where a support carries what load there is".to_owned(),
        ),
        StepError::EquilibriumLoad { condition: name, .. } => (
            condition(name),
            "the forces determine it: remove the condition, or move it to `hold`, where a support carries the load".to_owned(),
        ),
        _ => return e.into(),
    };
    ModelError { message: e.to_string(), place, help: Some(help), subject: None }.into()
}
