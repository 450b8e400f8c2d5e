//! Things to know about a model, a run or a gradient that are no errors.

use crate::row::Owner;
use std::fmt;

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
}

impl Warning {
    /// A warning about no element in particular.
    pub fn new(code: WarningCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), subject: None }
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

/// Kinds of warnings with their names, and what each one says.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $name:literal,)*) => {
        /// The kind of a warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum WarningCode { $($(#[$doc])* $code,)* }

        impl WarningCode {
            /// Every kind of warning.
            pub const ALL: &'static [Self] = &[$(Self::$code,)*];
            /// The name under which the command prints it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }
        }
    };
}

codes! {
    /// An expression or a law has a kink or a jump.
    NotSmooth = "not-smooth",
    /// A unit after a number has the name of something else.
    UnitOrName = "unit-or-name",
    /// Penalty factors of an element without rows of its own.
    PenaltyUnused = "penalty-unused",
    /// The axes of a universal joint are parallel in the frames of the bodies.
    ParallelAxes = "parallel-axes",
    /// A joint repeats what others hold.
    RepeatedJoint = "repeated-joint",
    /// No real body has such an inertia.
    ImpossibleInertia = "impossible-inertia",
    /// A small push leaves the equilibrium at the start.
    UnstableEquilibrium = "unstable-equilibrium",
    /// An option of the method has no effect.
    UnusedOption = "unused-option",
    /// The constraints do not hold well.
    Drift = "drift",
    /// The ends of a force pass through each other.
    EndsMeet = "ends-meet",
    /// Stability limited most steps of an explicit integrator.
    Stiff = "stiff",
    /// A step needed many iterations.
    SlowNewton = "slow-newton",
    /// The velocity violation of index 3 without projections grows.
    UnstableIndex3 = "unstable-index3",
    /// Rounding makes accelerations uncertain at short steps.
    SmallStep = "small-step",
    /// Steps of adams-bashforth are too long.
    Unstable = "unstable",
    /// Redundant constraints share a load by errors of the integrator.
    SharedLoad = "shared-load",
    /// The run passes a position where constraints are dependent.
    Singular = "singular",
    /// The run passes a position where constraints are nearly dependent.
    NearSingular = "near-singular",
    /// Named independent coordinates hardly determine the velocities.
    Freedoms = "freedoms",
    /// Something jumps at a declared time, or where a clamped spline begins or ends.
    Jump = "jump",
    /// A parameter does not change an objective in this run.
    Zero = "zero",
    /// An entry of extrapolated differences did not converge.
    NotConverged = "not-converged",
    /// Derivatives over a moving final time have an error that does not vanish with the step.
    MovingEnd = "moving-end",
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
