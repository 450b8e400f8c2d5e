//! Events: what happens where a condition of the motion passes zero.

use super::{Number, Text};

/// In which direction a condition passes zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive, or from positive to negative.
    #[default]
    Both,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

impl Direction {
    /// Does a change to the side where the condition is positive, or to the other one, belong to it?
    pub fn contains(self, rising: bool) -> bool {
        match self {
            Self::Both => true,
            Self::Rising => rising,
            Self::Falling => !rising,
        }
    }
}

/// What happens where a condition passes zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name of the event.
    pub name: Text,
    /// An expression of sensors, t and parameters: the event is where it passes zero.
    pub when: Number,
    /// In which direction it passes zero; `None`: an impact falls, others go both ways.
    pub direction: Option<Direction>,
    /// Does the run end there?
    pub end: bool,
    /// Restitution e, 0 < e ≤ 1: `when` is a gap of positions, whose rate becomes -e times what it was.
    pub impact: Option<Number>,
    /// Velocities after the event: (sensor whose rate is given, or an expression of velocities; value
    /// before).
    pub reset: Vec<(Number, Number)>,
    /// Positions after the event, as many as there are degrees of freedom: (expression of positions; value
    /// before).
    pub place: Vec<(Number, Number)>,
    /// Do the positions of `place` keep their rates? Else `reset` and the constraints give all velocities.
    pub keeps_rates: bool,
    /// Forces, joints, constraints and drivers that act from there on.
    pub on: Vec<Text>,
    /// Forces, joints, constraints and drivers that act no longer.
    pub off: Vec<Text>,
}

impl Event {
    /// An event where nothing happens yet.
    pub fn new(name: &str, when: impl Into<Number>) -> Self {
        Self {
            name: name.into(),
            when: when.into(),
            direction: None,
            end: false,
            impact: None,
            reset: vec![],
            place: vec![],
            keeps_rates: true,
            on: vec![],
            off: vec![],
        }
    }
    /// Ends the run.
    pub fn end(self) -> Self {
        Self { end: true, ..self }
    }
    /// An impact with a restitution.
    pub fn impact(self, restitution: impl Into<Number>) -> Self {
        Self { impact: Some(restitution.into()), ..self }
    }
    /// Passes zero in this direction only.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }
    /// Gives a velocity a value.
    pub fn reset(mut self, velocity: impl Into<Number>, value: impl Into<Number>) -> Self {
        self.reset.push((velocity.into(), value.into()));
        self.keeps_rates = false;
        self
    }
    /// Gives a position a value.
    pub fn place(mut self, position: impl Into<Number>, value: impl Into<Number>) -> Self {
        self.place.push((position.into(), value.into()));
        self
    }
    /// Switches an element on.
    pub fn on(mut self, element: &str) -> Self {
        self.on.push(element.into());
        self
    }
    /// Switches an element off.
    pub fn off(mut self, element: &str) -> Self {
        self.off.push(element.into());
        self
    }
    /// The direction that is given, or that of its kind.
    pub fn passes(&self) -> Direction {
        let own = if self.impact.is_some() { Direction::Falling } else { Direction::Both };
        self.direction.unwrap_or(own)
    }
}
