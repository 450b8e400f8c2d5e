//! What is refused before the first evaluation.

/// A problem, a start or a combination that cannot be optimised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing to vary.
    #[error("the problem has no variables")]
    NoVariables,
    /// A variable that means nothing, or a start that it cannot take.
    #[error("variable `{name}`: {what}")]
    Variable {
        /// Name of the variable.
        name: String,
        /// Why it is refused.
        what: String,
    },
    /// A constraint that means nothing.
    #[error("constraint `{name}`: {what}")]
    Constraint {
        /// Name of the constraint.
        name: String,
        /// Why it is refused.
        what: String,
    },
    /// A scale of the value that is not positive.
    #[error("scale {scale} of the value is not a positive number")]
    ValueScale {
        /// The scale that was given.
        scale: f64,
    },
    /// A start of another length.
    #[error("the start has {given} numbers, the problem {n} variables")]
    StartLength {
        /// Numbers in the start.
        given: usize,
        /// Variables of the problem.
        n: usize,
    },
    /// A method that does not take the problem.
    #[error("{method} {what}; {others}")]
    Method {
        /// Name of the method.
        method: &'static str,
        /// What it does not take.
        what: &'static str,
        /// The methods that do.
        others: String,
    },
    /// A name that is not in the list.
    #[error("there is no {what} `{name}`; valid: {valid}")]
    Unknown {
        /// The list that was searched: optimizer, sampling, …
        what: &'static str,
        /// The name that was given.
        name: String,
        /// All names of the list.
        valid: String,
    },
    /// A setting that means nothing.
    #[error("setting {name}: {value} is {what}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// Why it is refused.
        what: &'static str,
    },
    /// Sobol sequences end at some number of variables.
    #[error("sobol samples at most {most} variables, not {n}; latin-hypercube has no limit")]
    Dimensions {
        /// Variables of the problem.
        n: usize,
        /// Variables that can be sampled.
        most: usize,
    },
    /// A recorded evaluation of another design than the one asked for.
    #[error(
        "record {index} is not of the design that is asked for: \
         the records belong to another problem or other settings"
    )]
    Record {
        /// Place in the records.
        index: usize,
    },
}
