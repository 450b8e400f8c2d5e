//! What jumps at a declared time of a run.

use gradyn_model::{ModelError, Subject, Warning, WarningCode};

/// Something that jumps at a declared time, or where a clamped spline begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// Time of the jump [s].
    pub t: f64,
    /// What, with its verb.
    pub what: String,
    /// The element whose constraint jumps, if it is one.
    pub subject: Option<Subject>,
    /// Is it the value or the rate of a driver or of a constraint: an impact?
    pub impact: bool,
    /// Is the time a declared one? If it is, gradients are refused.
    pub declared: bool,
}

impl Jump {
    /// For the warnings of a run.
    pub fn warning(&self) -> Warning {
        let Jump { t, what, impact, declared, subject } = self;
        let then = match (impact, declared) {
            (true, _) => "the impact that this means is not applied: the motion after it is wrong",
            (false, true) => "only kinks are handled there: the run is of first order and has no gradient",
            (false, false) => {
                "most integrators and continuous sensitivities are of first order there; gradients of the \
                 steps are exact"
            }
        };
        let time = if *declared { "at the declared time" } else { "where a clamped spline begins or ends," };
        let text = format!("{what} {time} t = {t} s; {then}");
        Warning { subject: subject.clone(), ..Warning::new(WarningCode::Jump, text) }
    }
    /// For gradients.
    pub fn refusal(&self) -> ModelError {
        let Jump { t, what, .. } = self;
        let message = format!("{what} at t = {t} s: the gradient across a jump is not available");
        let e = ModelError { subject: self.subject.clone(), ..ModelError::new(message) };
        e.help(match self.impact {
            true => "let the driven value begin and end smoothly, with its rate; a spline does",
            false => "make the law continuous, for example a ramp between two break times",
        })
    }
}
