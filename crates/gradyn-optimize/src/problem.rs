//! The problem: variables with bounds, scales and transforms, constraints with scales [B92, Eq. 10].
//!
//! ```text
//! minimise f(x)   subject to   h(x) = 0,   g(x) ≤ 0,   l ≤ x ≤ u                     (1)
//! L = f + λᵀh + μᵀg,   μ ≥ 0                                                          (2)
//! ```
//! B92 has c ≥ 0: g = -c. Bounds may be infinite. Values come from the caller
//! ([`Evaluation`](crate::Evaluation)); here is only what is known before.

use crate::error::Error;
use crate::named::named;

named! {
    /// How a variable x of the user depends on the variable z of the optimiser.
    Transform, "transform":
    Identity "identity" "x = s z",
    Log "log" "x = s exp(z): positive, steps by factors",
    Bounded "bounded"
        "x = l + (u - l) / (1 + exp(-z)): never leaves its bounds, reaches them by rounding only",
}

/// A variable of the problem, with its bounds, scale and transform.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in messages and reports.
    pub name: String,
    /// Lower bound l; -∞: none.
    pub lower: f64,
    /// Upper bound u; ∞: none.
    pub upper: f64,
    /// Scale s > 0: a change that matters; the interval of a bounded transform is its own scale.
    pub scale: f64,
    /// How it depends on the variable of the optimiser.
    pub transform: Transform,
}

impl Variable {
    /// A variable without bounds, of scale 1.
    pub fn free(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            name,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            scale: 1.0,
            transform: Transform::Identity,
        }
    }
    /// A variable between two bounds, of scale 1.
    pub fn between(name: impl Into<String>, lower: f64, upper: f64) -> Self {
        Self { lower, upper, ..Self::free(name) }
    }
    /// This variable with another scale.
    pub fn scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
    /// This variable with another transform.
    pub fn transform(self, transform: Transform) -> Self {
        Self { transform, ..self }
    }
    /// Refuses what (1) or the transform cannot mean.
    fn check(&self) -> Result<(), Error> {
        let Self { lower, upper, scale, .. } = *self;
        let refuse = |what: String| Err(Error::Variable { name: self.name.clone(), what });

        // l < u, s > 0
        if lower.is_nan()
            || upper.is_nan()
            || lower > upper
            || lower == f64::INFINITY
            || upper == f64::NEG_INFINITY
        {
            return refuse(format!("nothing lies between {lower} and {upper}"));
        }
        if lower == upper {
            return refuse(format!("both bounds are {lower}: leave it out, it does not vary"));
        }
        if !(scale.is_finite() && scale > 0.0) {
            return refuse(format!("scale {scale} is not a positive number"));
        }

        // what the transform needs of its bounds
        match self.transform {
            Transform::Log if upper <= 0.0 => {
                refuse(format!("log needs positive values, upper bound is {upper}"))
            }
            Transform::Bounded if !(lower.is_finite() && upper.is_finite()) => {
                refuse(format!("bounded needs two finite bounds, not {lower} and {upper}"))
            }
            _ => Ok(()),
        }
    }
    /// Refuses a start that has no z.
    fn check_start(&self, x: f64) -> Result<(), Error> {
        let refuse = |what: String| Err(Error::Variable { name: self.name.clone(), what });
        match self.transform {
            _ if !(x.is_finite() && self.lower <= x && x <= self.upper) => {
                refuse(format!("start {x} is outside of [{}, {}]", self.lower, self.upper))
            }
            Transform::Log if x <= 0.0 => refuse(format!("log needs a positive start, not {x}")),
            Transform::Bounded if x == self.lower || x == self.upper => {
                refuse(format!("start {x} is on a bound, where bounded is flat"))
            }
            _ => Ok(()),
        }
    }
}

/// Which of the two bounds of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The lower bound, x = l.
    Lower,
    /// The upper bound, x = u.
    Upper,
}

/// What a constraint asks for: h = 0 or g ≤ 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// An equality, h(x) = 0.
    Equality,
    /// An inequality, g(x) ≤ 0.
    Inequality,
}

/// A constraint of the problem.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name in messages and reports.
    pub name: String,
    /// Equality or inequality.
    pub kind: ConstraintKind,
    /// A violation that matters, > 0.
    pub scale: f64,
}

/// The problem (1), checked. Equalities come before inequalities.
#[derive(Clone, Debug)]
pub struct Problem {
    variables: Vec<Variable>,
    constraints: Vec<Constraint>,
    value_scale: f64,
}

impl Problem {
    /// A problem without constraints, with scale 1 of f.
    pub fn new(variables: Vec<Variable>) -> Result<Self, Error> {
        if variables.is_empty() {
            return Err(Error::NoVariables);
        }
        for (i, v) in variables.iter().enumerate() {
            v.check()?;
            if variables[..i].iter().any(|w| w.name == v.name) {
                return Err(Error::Variable {
                    name: v.name.clone(),
                    what: "there are two of this name".into(),
                });
            }
        }
        Ok(Self { variables, constraints: vec![], value_scale: 1.0 })
    }
    /// This problem with one more equality h(x) = 0; refused after an inequality.
    pub fn equality(self, name: impl Into<String>, scale: f64) -> Result<Self, Error> {
        self.constraint(name.into(), ConstraintKind::Equality, scale)
    }
    /// This problem with one more inequality g(x) ≤ 0.
    pub fn inequality(self, name: impl Into<String>, scale: f64) -> Result<Self, Error> {
        self.constraint(name.into(), ConstraintKind::Inequality, scale)
    }
    fn constraint(mut self, name: String, kind: ConstraintKind, scale: f64) -> Result<Self, Error> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(Error::Constraint { name, what: format!("scale {scale} is not a positive number") });
        }
        if kind == ConstraintKind::Equality && self.inequalities() > 0 {
            return Err(Error::Constraint { name, what: "equalities come before inequalities".into() });
        }
        self.constraints.push(Constraint { name, kind, scale });
        Ok(self)
    }
    /// This problem with a scale of f: a change that matters.
    pub fn value_scale(self, value_scale: f64) -> Result<Self, Error> {
        if !(value_scale.is_finite() && value_scale > 0.0) {
            return Err(Error::ValueScale { scale: value_scale });
        }
        Ok(Self { value_scale, ..self })
    }
    /// Refuses a start outside of the bounds or of a wrong length.
    pub fn check_start(&self, x: &[f64]) -> Result<(), Error> {
        if x.len() != self.n() {
            return Err(Error::StartLength { given: x.len(), n: self.n() });
        }
        self.variables.iter().zip(x).try_for_each(|(v, x)| v.check_start(*x))
    }

    /// Number of variables.
    pub fn n(&self) -> usize {
        self.variables.len()
    }
    /// Number of constraints, both kinds.
    pub fn m(&self) -> usize {
        self.constraints.len()
    }
    /// Number of equalities.
    pub fn equalities(&self) -> usize {
        self.constraints.iter().filter(|c| c.kind == ConstraintKind::Equality).count()
    }
    /// Number of inequalities.
    pub fn inequalities(&self) -> usize {
        self.m() - self.equalities()
    }
    /// The variables.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    /// Scale of f: a change that matters.
    pub(crate) fn scale_of_value(&self) -> f64 {
        self.value_scale
    }
}
