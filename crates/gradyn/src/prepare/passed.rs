//! What a run passed where no condition ends its steps.

use gradyn_model::{CutKind, ModelError, Warning, WarningCode};

/// What an expression does where a run passes a cut, a pole or a root of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Its value jumps.
    Jump,
    /// Its value grows beyond all bounds.
    Pole,
    /// Its slope jumps; that of constraints and drivers at the latest in the second rate.
    Corner,
}

/// An expression that jumps or kinks where a run passed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// When it was passed [s].
    pub t: f64,
    /// The element whose expression it is.
    pub what: String,
    /// What is passed there.
    pub kind: CutKind,
    /// What the expression does there.
    pub does: Break,
}

impl Passed {
    /// What happens, and when.
    fn text(&self) -> String {
        let verb = match self.does {
            Break::Jump => "jumps",
            Break::Pole => "grows beyond all bounds",
            Break::Corner => "has a corner",
        };
        format!("{} {verb} near t = {} s, where it passes {}", self.what, self.t, self.kind.text())
    }
    /// For the warnings of a run.
    pub fn warning(&self) -> Warning {
        let then = match self.does {
            Break::Pole => "the motion after it means nothing",
            _ => "steps go over it: the run is of first order and has no gradient",
        };
        Warning::new(WarningCode::Cut, format!("{}; {then}", self.text()))
    }
    /// For gradients.
    pub fn refusal(&self) -> ModelError {
        let e = ModelError::new(format!("{}: the gradient across it is not available", self.text()));
        e.help(match self.kind {
            CutKind::Atan2 => "read an angle of a body or of a joint: it counts its turns",
            CutKind::Root => "write `abs` along a line; else add the square of a small length under the root",
            _ => "write the law so that it is finite there, or with `if` on either side",
        })
    }
}
