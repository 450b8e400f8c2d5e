//! The vocabulary in which keys of a model file are described: what a value must be, and how it is mirrored.
//!
//! Elements say their own keys ([`crate::build::joint::JointSpec`] and others); the reader, the schema,
//! templates and documents ask these tables and know no others.

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string of any words.
    Text,
    /// One of some strings.
    Word(&'static [&'static str]),
    /// A number or an expression of parameters.
    Number,
    /// A number or an expression without names.
    Constant,
    /// A positive integer.
    Count,
    /// The number 2 or 3.
    Dimension,
    /// Components or a vector expression.
    Vector,
    /// A number, an expression or components.
    NumberOrVector,
    /// A list of numbers.
    Numbers,
    /// A number, or a list of them.
    NumberOrNumbers,
    /// The name of a list parameter, or a list of numbers.
    Values,
    /// Two vectors, each components or an expression.
    VectorPair,
    /// Rows of numbers, or numbers.
    Matrix,
    /// Two names: of points or bodies.
    Pair(&'static str),
    /// One name, or two.
    OneOrPair(&'static str),
    /// A list of names.
    Texts(&'static str),
    /// A string, a number or true/false.
    Setting,
    /// A table with these keys.
    Record(&'static Record),
    /// A table of named things: what one is called, and its kind.
    Map(&'static str, &'static Kind),
    /// A table whose `type` decides which keys it has: what it is called, and the list of types.
    Variants(&'static str, fn() -> Vec<&'static Variant>),
    /// The section of this name, inside a template.
    Section(&'static str),
    /// Something short, or a table.
    Either(&'static Kind, &'static Kind),
}

/// Keys of a table.
#[derive(Debug)]
pub struct Record {
    /// All keys of the table.
    pub fields: &'static [Field],
    /// Exactly one of these keys is present; no rule if empty.
    pub one_of: &'static [&'static str],
}

/// How the value of a key is read in a template, and what a mirror image makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// A text that names nothing.
    Plain,
    /// The name of an element or a point.
    Reference,
    /// A number that stays.
    Even,
    /// An angle or a torque, which changes its sign.
    Odd,
    /// A position or a direction.
    Polar,
    /// Moments and products of inertia.
    Inertia,
    /// A number that cannot be mirrored, or a key that no template has.
    Unknown,
}

/// What a number must be for every parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Any finite number.
    None,
    /// Zero or positive.
    NotNegative,
    /// Positive, not zero.
    Positive,
}

/// A key of a table.
#[derive(Debug)]
pub struct Field {
    /// The key itself.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// Must it be given?
    pub required: bool,
    /// What a mirror image makes of it.
    pub role: Role,
    /// What the number must be for every parameter.
    pub bound: Bound,
    /// The unit of its numbers; empty if they have none, or each its own.
    pub unit: &'static str,
    /// The value that it has if absent; empty if that is not one value.
    pub default: &'static str,
    /// What it is, without unit and default.
    pub doc: &'static str,
}

/// A table with a `type`: one type of joint, force, shape or tyre law.
#[derive(Debug)]
pub struct Variant {
    /// The value of `type`.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// The keys besides `type`.
    pub fields: &'static [Field],
}

/// The most values of one list parameter.
pub const MAX_COUNT: usize = 10_000;

/// A key that must be given.
pub const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, kind, required: true, role: kind.role(), bound: Bound::None, unit: "", default: "", doc }
}
/// A key that may be absent.
pub const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, kind, required: false, role: kind.role(), bound: Bound::None, unit: "", default: "", doc }
}
/// A table with these keys and no rule between them.
pub const fn plain(fields: &'static [Field]) -> Record {
    Record { fields, one_of: &[] }
}

impl Field {
    /// A number that a mirror image keeps.
    pub const fn even(self) -> Self {
        Self { role: Role::Even, ..self }
    }
    /// A number whose sign changes in a mirror image.
    pub const fn odd(self) -> Self {
        Self { role: Role::Odd, ..self }
    }
    /// A value that is mirrored in a role of its own.
    pub const fn mirrored(self, role: Role) -> Self {
        Self { role, ..self }
    }
    /// With the unit of its numbers.
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }
    /// With the value that it has if absent.
    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }
    /// What it is, with unit and default: `Free length [m]; 0 if absent.`
    pub fn description(&self) -> String {
        let doc = self.doc.trim_end_matches('.');
        // the unit stands behind the first clause
        let end = [", ", ": ", "; "].iter().filter_map(|mark| doc.find(mark)).min().unwrap_or(doc.len());
        let (quantity, rest) = doc.split_at(end);
        let unit = if self.unit.is_empty() { String::new() } else { format!(" [{}]", self.unit) };
        let default =
            if self.default.is_empty() { String::new() } else { format!("; {} if absent", self.default) };
        format!("{quantity}{unit}{rest}{default}.")
    }
    /// A number that must be positive for every parameter.
    pub(crate) const fn positive(self) -> Self {
        Self { bound: Bound::Positive, ..self }
    }
    /// A number that must not be negative for any parameter.
    pub(crate) const fn not_negative(self) -> Self {
        Self { bound: Bound::NotNegative, ..self }
    }
}

impl Kind {
    /// The role that follows from the kind alone; numbers say theirs.
    const fn role(&self) -> Role {
        match self {
            Kind::Word(_) | Kind::Setting | Kind::Count | Kind::Dimension => Role::Plain,
            Kind::Text | Kind::Pair(_) | Kind::OneOrPair(_) | Kind::Texts(_) => Role::Reference,
            Kind::Vector | Kind::VectorPair => Role::Polar,
            Kind::Map(_, inner) => inner.role(),
            Kind::Either(short, _) => short.role(),
            Kind::Number
            | Kind::Constant
            | Kind::NumberOrVector
            | Kind::Numbers
            | Kind::NumberOrNumbers
            | Kind::Values
            | Kind::Matrix
            | Kind::Record(_)
            | Kind::Variants(..)
            | Kind::Section(_) => Role::Unknown,
        }
    }
    /// In words, for messages.
    pub fn expected(&self) -> String {
        match self {
            Kind::Text => "a string".into(),
            Kind::Word(words) => words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" or "),
            Kind::Number => "a number or an expression in quotes".into(),
            Kind::Constant => "a number such as 0.001 or \"1 ms\"".into(),
            Kind::Count => format!("an integer from 1 to {MAX_COUNT}"),
            Kind::Dimension => "2 or 3".into(),
            Kind::Vector => "a vector such as [1, 0] or \"(P + Q)/2\"".into(),
            Kind::NumberOrVector => "a number, an expression in quotes or a vector such as [1, 0]".into(),
            Kind::Numbers => "a list of numbers".into(),
            Kind::NumberOrNumbers => "a number, an expression in quotes or a list of them".into(),
            Kind::Values => "the name of a list parameter or a list of numbers".into(),
            Kind::VectorPair => "a list of two vectors".into(),
            Kind::Matrix => "a list of numbers or of rows of numbers".into(),
            Kind::Pair(noun) => format!("a list of two {noun}"),
            Kind::OneOrPair(noun) => format!("one of the {noun} or a list of two"),
            Kind::Texts(noun) => format!("a list of {noun}"),
            Kind::Setting => "a string, a number, true or false".into(),
            Kind::Record(_) | Kind::Variants(..) => "a table { … }".into(),
            Kind::Section(name) => format!("a section [{name}] as in a model"),
            Kind::Map(noun, _) => format!("a table with a {noun} for each name"),
            Kind::Either(short, table) => format!("{} or {}", short.expected(), table.expected()),
        }
    }
}

/// The two points of a joint or of a force between points.
pub const BETWEEN: Field = must("between", Kind::Pair("points"), "Two points: body.point or ground.point.");
/// Factors of the penalty of the rows of one element.
pub const PENALTY: Field = may(
    "penalty",
    Kind::Either(&Kind::Constant, &Kind::Record(&FACTORS)),
    "Factor of alpha for its constraint rows, or factors of alpha, xi and omega.",
)
.default("1")
.even();
const FACTORS: Record = plain(&[
    may("alpha", Kind::Constant, "Factor of the penalty factor.").default("1").even(),
    may("xi", Kind::Constant, "Factor of the damping ratio.").default("1").even(),
    may("omega", Kind::Constant, "Factor of the frequency.").default("1").even(),
]);
