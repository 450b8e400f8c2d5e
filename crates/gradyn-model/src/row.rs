//! What a constraint row belongs to.

use std::fmt;

/// What kind of element has a row, or is what an error or a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A body that is kept rigid.
    Body,
    /// Euler parameters, whose length is kept.
    Norm,
    /// A joint, gear or rack.
    Joint,
    /// A constraint of the user.
    Constraint,
    /// A driver of a quantity.
    Driver,
    /// A coordinate of the system.
    Coordinate,
    /// A force or torque.
    Force,
    /// An event of the motion.
    Event,
    /// A parameter of ρ.
    Parameter,
    /// An objective of the study.
    Objective,
    /// The derivative of an objective over a parameter.
    Derivative,
    /// The final time, where a condition gives it.
    FinalTime,
    /// An option of the method.
    Option,
}

impl Owner {
    /// Does its row come with the coordinates of a body, not with what connects bodies?
    pub fn of_body(self) -> bool {
        matches!(self, Self::Body | Self::Norm)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "body",
            Self::Norm => "length of Euler parameters",
            Self::Joint => "joint",
            Self::Constraint => "constraint",
            Self::Driver => "driver",
            Self::Coordinate => "coordinate",
            Self::Force => "force",
            Self::Event => "event",
            Self::Parameter => "parameter",
            Self::Objective => "objective",
            Self::Derivative => "derivative",
            Self::FinalTime => "final time",
            Self::Option => "option",
        })
    }
}

/// The name of a row: `element (what)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowName {
    /// Kind of the element.
    pub owner: Owner,
    /// Name of the element.
    pub element: String,
    /// Which of its rows.
    pub what: String,
}

impl RowName {
    /// A row of an element.
    pub(crate) fn new(owner: Owner, element: impl fmt::Display, what: impl Into<String>) -> Self {
        Self { owner, element: element.to_string(), what: what.into() }
    }
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} ({})", self.element, self.what)
    }
}
