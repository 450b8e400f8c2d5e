//! Things to know about a model, a run or a gradient that are no errors.

use crate::row::Owner;
use std::fmt;
use std::ops::Range;

/// What an error or a warning is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// Kind of the element.
    pub kind: Owner,
    /// Name of the element.
    pub name: String,
}

impl Subject {
    /// An element by its kind and its name.
    pub fn new(kind: Owner, name: impl fmt::Display) -> Self {
        Self { kind, name: name.to_string() }
    }
}

/// A warning: what kind it is of, what it says, and the element that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Warning {
    /// Kind of the warning.
    pub code: WarningCode,
    /// What there is to know, without the name of its kind.
    pub text: String,
    /// The element that it is about, if it is about one.
    pub subject: Option<Subject>,
    /// Bytes of the model file, where they are known without the name of an element.
    pub place: Option<Range<usize>>,
}

impl Warning {
    /// A warning about no element in particular.
    pub fn new(code: WarningCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), subject: None, place: None }
    }
    /// Says where in the file it is about [bytes].
    #[must_use]
    pub fn at(mut self, place: &Option<Range<usize>>) -> Self {
        self.place.clone_from(place);
        self
    }
    /// Names the element that the warning is about.
    #[must_use]
    pub fn about(mut self, kind: Owner, name: impl fmt::Display) -> Self {
        self.subject = Some(Subject::new(kind, name));
        self
    }
}

/// `code: text`, as the command prints it.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.code {
            // the text says it all
            WarningCode::RepeatedJoint => f.write_str(&self.text),
            code => write!(f, "{code}: {}", self.text),
        }
    }
}

/// The kind of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WarningCode {
    /// An expression or a law has a kink or a jump.
    NotSmooth,
    /// A unit after a number has the name of something else.
    UnitOrName,
    /// Penalty factors of an element without rows of its own.
    PenaltyUnused,
    /// The axes of a universal joint are parallel in the frames of the bodies.
    ParallelAxes,
    /// A joint repeats what others hold.
    RepeatedJoint,
    /// No real body has such an inertia.
    ImpossibleInertia,
    /// A small push leaves the equilibrium at the start.
    UnstableEquilibrium,
    /// An option of the method has no effect.
    UnusedOption,
    /// The constraints do not hold well.
    Drift,
    /// The ends of a force pass through each other.
    EndsMeet,
    /// Stability limited most steps of an explicit integrator.
    Stiff,
    /// A step needed many iterations.
    SlowNewton,
    /// The velocity violation of index 3 without projections grows.
    UnstableIndex3,
    /// Rounding makes accelerations uncertain at short steps.
    SmallStep,
    /// Steps of an explicit integrator are too long for it.
    Unstable,
    /// The energy of a motion that nothing brakes or drives has changed.
    Energy,
    /// Redundant constraints share a load by errors of the integrator.
    SharedLoad,
    /// The run passes a position where constraints are dependent.
    Singular,
    /// The run passes a position where constraints are nearly dependent.
    NearSingular,
    /// Named independent coordinates hardly determine the velocities.
    Freedoms,
    /// Something jumps at a declared time, or where a clamped spline begins or ends.
    Jump,
    /// An expression jumps or kinks where no condition ends a step.
    Cut,
    /// A constraint that an event switches on takes energy from the motion.
    Impact,
    /// An event that would end the run did not happen.
    NotReached,
    /// A column of a table is not finite.
    NotFinite,
    /// The time of an event follows multipliers or accelerations that have an error of their own.
    InexactEvent,
    /// A parameter does not change an objective in this run.
    Zero,
    /// An entry of extrapolated differences did not converge.
    NotConverged,
    /// Derivatives over a moving final time have an error that does not vanish with the step.
    MovingEnd,
}

impl WarningCode {
    /// Every kind of warning.
    pub const ALL: [Self; 29] = [
        Self::NotSmooth,
        Self::UnitOrName,
        Self::PenaltyUnused,
        Self::ParallelAxes,
        Self::RepeatedJoint,
        Self::ImpossibleInertia,
        Self::UnstableEquilibrium,
        Self::UnusedOption,
        Self::Drift,
        Self::EndsMeet,
        Self::Stiff,
        Self::SlowNewton,
        Self::UnstableIndex3,
        Self::SmallStep,
        Self::Unstable,
        Self::Energy,
        Self::SharedLoad,
        Self::Singular,
        Self::NearSingular,
        Self::Freedoms,
        Self::Jump,
        Self::Cut,
        Self::Impact,
        Self::NotReached,
        Self::NotFinite,
        Self::InexactEvent,
        Self::Zero,
        Self::NotConverged,
        Self::MovingEnd,
    ];
    /// The kind with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }
    /// The name under which the command prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSmooth => "not-smooth",
            Self::UnitOrName => "unit-or-name",
            Self::PenaltyUnused => "penalty-unused",
            Self::ParallelAxes => "parallel-axes",
            Self::RepeatedJoint => "repeated-joint",
            Self::ImpossibleInertia => "impossible-inertia",
            Self::UnstableEquilibrium => "unstable-equilibrium",
            Self::UnusedOption => "unused-option",
            Self::Drift => "drift",
            Self::EndsMeet => "ends-meet",
            Self::Stiff => "stiff",
            Self::SlowNewton => "slow-newton",
            Self::UnstableIndex3 => "unstable-index3",
            Self::SmallStep => "small-step",
            Self::Unstable => "unstable",
            Self::Energy => "energy",
            Self::SharedLoad => "shared-load",
            Self::Singular => "singular",
            Self::NearSingular => "near-singular",
            Self::Freedoms => "freedoms",
            Self::Jump => "jump",
            Self::Cut => "cut",
            Self::Impact => "impact",
            Self::NotReached => "not-reached",
            Self::NotFinite => "not-finite",
            Self::InexactEvent => "inexact-event",
            Self::Zero => "zero",
            Self::NotConverged => "not-converged",
            Self::MovingEnd => "moving-end",
        }
    }
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
