//! Expressions of model files: text → [`Ast`] → symbols of a [`Graph`](crate::program::Graph).
//!
//! ```text
//! expression = sum [("<" | "<=" | ">" | ">=" | "==") sum]
//! sum        = product {("+" | "-") product}
//! product    = unary {("*" | "/") unary}
//! unary      = ("-" | "+") unary | power
//! power      = atom ["^" unary]                                       right associative; -2^2 = -4
//! atom       = number [unit] | name | name "(" list ")" | "[" list "]" | "(" expression ")"
//! name       = word {"." word}                                        B12.P2.x
//! ```
//!
//! Every node knows where it stands in the text, in bytes, so that errors can underline it. A unit only
//! follows a number: `3 s` is three seconds, `s` is a name. Units are converted to SI here and are not
//! checked.

mod compile;
mod lexer;
mod parser;
mod unit;
mod units;

pub(crate) use compile::FUNCTIONS;
pub use compile::{Env, Value, compile, constant};
pub(crate) use unit::{UNITS, label_factor};
pub use units::check_units;

use std::ops::Range;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What the user may try.
    pub help: Option<String>,
}

impl ExpressionError {
    /// An error at `span`.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span, help: None }
    }

    /// Adds a hint of what to try.
    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// A binary operator.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator { Add, Sub, Mul, Div, Pow, Lt, Le, Gt, Ge, Eq }

impl Operator {
    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Pow => "^",
            Operator::Lt => "<",
            Operator::Le => "<=",
            Operator::Gt => ">",
            Operator::Ge => ">=",
            Operator::Eq => "==",
        }
    }

    /// Whether it compares, with value 1 or 0.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge | Operator::Eq)
    }
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number, in SI units.
    Number(f64),
    /// A name, possibly dotted.
    Name(String),
    /// A function of arguments.
    Call {
        /// Its name; it stands at the start of the span.
        function: String,
        /// Its arguments.
        args: Vec<Ast>,
    },
    /// A vector of components.
    Vector(Vec<Ast>),
    /// A component of a vector: x, y or z.
    Component(Box<Ast>, usize),
    /// Minus in front of an operand.
    Neg(Box<Ast>),
    /// a ∘ b ∘ c …, from left to right, of + and -, or of * and /; of one ^ or one comparison. A long sum is
    /// one node, so the tree is never deeper than its parentheses.
    Binary(Box<Ast>, Vec<(Operator, Ast)>),
}

/// A node of a parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Ast {
    /// The expression that stands there.
    pub expr: Expr,
    /// Where it stands, in bytes of the text; parentheses around it excluded.
    pub span: Range<usize>,
}

/// Parses an expression.
pub fn parse(text: &str) -> Result<Ast, ExpressionError> {
    parser::parse(text)
}

impl Ast {
    /// Calls `f` with every node, parents first, otherwise in the order of the text.
    pub fn visit(&self, f: &mut dyn FnMut(&Ast)) {
        f(self);
        match &self.expr {
            Expr::Number(_) | Expr::Name(_) => {}
            Expr::Call { args, .. } => args.iter().for_each(|a| a.visit(f)),
            Expr::Vector(items) => items.iter().for_each(|a| a.visit(f)),
            Expr::Neg(a) | Expr::Component(a, _) => a.visit(f),
            Expr::Binary(first, rest) => {
                first.visit(f);
                rest.iter().for_each(|(_, a)| a.visit(f));
            }
        }
    }

    /// All names (`pi` included, functions excluded) and where they stand.
    pub fn names(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        self.visit(&mut |ast| {
            if let Expr::Name(name) = &ast.expr {
                names.push((name.clone(), ast.span.clone()));
            }
        });
        names
    }

    /// All functions and where their calls stand, arguments included.
    pub fn calls(&self) -> Vec<(String, Range<usize>)> {
        let mut calls = Vec::new();
        self.visit(&mut |ast| {
            if let Expr::Call { function, .. } = &ast.expr {
                calls.push((function.clone(), ast.span.clone()));
            }
        });
        calls
    }

    /// Every use of abs, sign, min, max, if and comparisons: where, and what is not smooth there.
    pub fn nonsmooth(&self) -> Vec<(Range<usize>, String)> {
        let mut uses = Vec::new();
        // what is said of each function and comparison that has a kink or jumps
        self.visit(&mut |ast| {
            let text = match &ast.expr {
                Expr::Call { function, .. } => match function.as_str() {
                    "abs" => "abs has a kink where its argument is zero".into(),
                    "sign" => "sign jumps where its argument is zero".into(),
                    "min" | "max" => format!("{function} has a kink where two arguments are equal"),
                    "if" => "if may jump where its condition changes".into(),
                    _ => return,
                },
                Expr::Binary(_, rest) => match rest.first() {
                    Some((op, _)) if op.compares() => {
                        format!("the comparison {} jumps between 0 and 1", op.text())
                    }
                    _ => return,
                },
                _ => return,
            };
            uses.push((ast.span.clone(), text));
        });
        // in the order of the text
        uses.sort_by_key(|(span, _)| span.start);
        uses
    }
}

/// "did you mean …? known …: …"
fn listing(what: &str, word: &str, known: &[&str]) -> String {
    const SHOWN: usize = 40;
    let near = known.iter().map(|k| (distance(word, k), k)).min().filter(|(d, _)| *d <= 1 + word.len() / 4);
    let guess = near.map_or(String::new(), |(_, k)| format!("did you mean '{k}'? "));
    let more = if known.len() > SHOWN { format!(" and {} more", known.len() - SHOWN) } else { String::new() };
    format!("{guess}known {what}: {}{more}", known[..known.len().min(SHOWN)].join(", "))
}

/// Edits (Levenshtein) between two words, ignoring case; the difference of lengths if that is large.
fn distance(a: &str, b: &str) -> usize {
    let lower = |s: &str| s.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let a = lower(a);
    let b = lower(b);
    if a.len().abs_diff(b.len()) > 1 + a.len() / 4 {
        return a.len().abs_diff(b.len());
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let keep = diagonal + usize::from(a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = keep.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
