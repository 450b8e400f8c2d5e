//! What can be wrong with a model, and where.

use crate::expression::ExpressionError;
use crate::row::Owner;
use crate::warning::Subject;
use std::fmt;
use std::ops::Range;

/// A mistake in a model: what, where in the file (if it came from one), what to try.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong, with the names of the elements.
    pub message: String,
    /// Bytes of the model file.
    pub place: Option<Range<usize>>,
    /// What the user may try.
    pub help: Option<String>,
    /// The element that it is about, where the place does not say it.
    pub subject: Option<Subject>,
}

impl ModelError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, help: None, subject: None }
    }
    /// Says where in the file the mistake is [bytes].
    #[must_use]
    pub fn at(mut self, place: &Option<Range<usize>>) -> Self {
        self.place.clone_from(place);
        self
    }
    /// Adds a hint of what to try.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Names the element that the error is about.
    #[must_use]
    pub fn about(mut self, kind: Owner, name: impl fmt::Display) -> Self {
        self.subject = Some(Subject::new(kind, name));
        self
    }
    /// An expression error inside the text `source` of `what`.
    #[doc(hidden)]
    pub fn expression(what: &str, source: &crate::mechanism::Number, e: ExpressionError) -> Self {
        let place = source
            .place
            .clone()
            .map(|p| if source.exact { p.start + e.span.start..p.start + e.span.end } else { p });
        let message = match (&place, &source.source) {
            (None, crate::mechanism::Source::Expression(text)) => {
                format!("{what}: {} (in `{text}`, characters {}–{})", e.message, e.span.start, e.span.end)
            }
            _ => format!("{what}: {}", e.message),
        };
        Self { message, place, help: e.help, subject: None }
    }
}

/// The name in `names` that is nearest to `word`, if it is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |a: &str, b: &str| {
        let a: Vec<char> = a.chars().collect();
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for i in 0..a.len() {
            let mut last = row[0];
            row[0] = i + 1;
            for j in 0..b.len() {
                let change = last + usize::from(a[i] != b[j]);
                last = row[j + 1];
                row[j + 1] = change.min(row[j] + 1).min(last + 1);
            }
        }
        row[b.len()]
    };
    let near = |d: usize, n: &str| d <= 1 + n.len() / 4 && d < n.len().min(word.len());
    // one name is no longer than the other by more than there may be edits, of at most four bytes each
    let alike = |n: &&str| n.len().abs_diff(word.len()) <= 4 * (1 + n.len() / 4);
    names
        .into_iter()
        .filter(alike)
        .map(|n| (distance(word, n), n))
        .filter(|(d, n)| near(*d, n))
        .min()
        .map(|(_, n)| n)
}
