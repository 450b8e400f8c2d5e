//! Text → tokens. A number and its unit are one token.

use super::{ExpressionError, unit};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A number in SI units; `unit` tells where its unit begins, if one was written.
    Number {
        value: f64,
        unit: Option<usize>,
    },
    Name(String),
    Symbol(&'static str),
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// Longer symbols first.
const SYMBOLS: &[&str] =
    &["<=", ">=", "==", "<", ">", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ".x", ".y", ".z"];

/// Symbols of other languages, and ours.
const FOREIGN: &[(&str, &str)] = &[
    ("**", "write ^ for a power"),
    ("=", "write == to compare"),
    ("!=", "write if(a == b, 0, 1)"),
    ("&&", "write a product of comparisons"),
    ("||", "write max(a, b) of comparisons"),
    ("%", "% is a unit and follows a number, as in 5 %"),
    ("{", "write ( ) to group and [ ] for a vector"),
    (";", "separate arguments and components by a comma"),
];

/// All tokens of `text`, the last of them [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        // blanks are skipped; the text ends with a token of its own
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else {
            tokens.push(Token { kind: Kind::End, span: at..at });
            return Ok(tokens);
        };
        // a number with its unit, a name, or a symbol
        let (kind, len) =
            if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) {
                number(text, at)?
            } else if is_first(c) {
                let len = name(text, at)?;
                (Kind::Name(rest[..len].into()), len)
            } else {
                let symbol = symbol(text, at)?;
                (Kind::Symbol(symbol), symbol.len())
            };
        tokens.push(Token { kind, span: at..at + len });
        at += len;
    }
}

fn is_first(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the longest start of `text` that consists of characters `is`.
fn run(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is(c)).unwrap_or(text.len())
}

fn symbol(text: &str, at: usize) -> Result<&'static str, ExpressionError> {
    let rest = &text[at..];
    let foreign = FOREIGN.iter().find(|(f, _)| rest.starts_with(f) && !rest.starts_with("=="));
    if let Some((symbol, help)) = foreign {
        return Err(
            ExpressionError::new(format!("'{symbol}' is not an operator"), at..at + symbol.len()).help(*help)
        );
    }
    SYMBOLS.iter().copied().find(|s| rest.starts_with(s)).ok_or_else(|| {
        let c = rest.chars().next().unwrap_or(' ');
        ExpressionError::new(format!("unexpected character {c:?}"), at..at + c.len_utf8())
    })
}

/// Length of the dotted name at `at`.
fn name(text: &str, at: usize) -> Result<usize, ExpressionError> {
    let mut len = run(&text[at..], is_word);
    while text[at + len..].starts_with('.') {
        let part = run(&text[at + len + 1..], is_word);
        if part == 0 {
            let end = at + len + 1;
            return Err(ExpressionError::new(
                format!("a name is missing after '{}'", &text[at..end]),
                at..end,
            ));
        }
        len += 1 + part;
    }
    Ok(len)
}

/// The number at `at`, with its unit, and its length.
fn number(text: &str, at: usize) -> Result<(Kind, usize), ExpressionError> {
    let rest = &text[at..];
    let digits = |from: usize| run(&rest[from..], |c| c.is_ascii_digit());
    // digits . digits e± digits
    let mut len = digits(0);
    if rest[len..].starts_with('.') {
        len += 1 + digits(len + 1);
    }
    if rest[len..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[len + 1..].starts_with(['+', '-']));
        let exponent = digits(len + 1 + sign);
        len += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    let value: f64 = rest[..len].parse().unwrap_or(f64::NAN);
    if !value.is_finite() {
        return Err(ExpressionError::new("this number is too large", at..at + len));
    }
    // unit
    let start = len + rest[len..].len() - rest[len..].trim_start().len();
    let word = match rest[start..].chars().next() {
        Some('%') => &rest[start..start + 1],
        Some(c) if is_first(c) => &rest[start..start + name(text, at + start)?],
        _ => return Ok((Kind::Number { value, unit: None }, len)),
    };
    let span = at + start..at + start + word.len();
    let value =
        unit::to_si(value, word).ok_or_else(|| {
            ExpressionError::new(format!("'{word}' after a number is not a unit"), span.clone())
                .help(format!("write {} * {word} for a product; units are {}", &rest[..len], unit::list()))
        })?;
    if !value.is_finite() {
        return Err(ExpressionError::new("this number is too large", at..span.end));
    }
    Ok((Kind::Number { value, unit: Some(at + start) }, start + word.len()))
}
