//! Where in a text an error is, and how that is drawn.

use std::fmt::Write;
use std::ops::Range;

/// A place in a model file, or in a value of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file; empty where only the bytes are known.
    pub file: String,
    /// Line, from 1; 0 where only the bytes are known.
    pub line: usize,
    /// Column in characters, from 1; 0 where only the bytes are known.
    pub column: usize,
    /// Bytes of the text.
    pub bytes: Range<usize>,
    /// The line as it is written.
    source: String,
    /// Number of characters of it that are marked.
    marked: usize,
}

impl Place {
    /// Bytes of a text that is not at hand.
    pub(super) fn unknown(bytes: Range<usize>) -> Self {
        Self { file: String::new(), line: 0, column: 0, bytes, source: String::new(), marked: 0 }
    }
    /// Bytes of a text with a name.
    pub(crate) fn new(file: &str, text: &str, bytes: Range<usize>) -> Self {
        let floor = |k: usize| (0..=k.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0);
        let start = floor(bytes.start);
        let begin = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        Self {
            file: file.into(),
            line: text[..start].matches('\n').count() + 1,
            column: text[begin..start].chars().count() + 1,
            marked: text[start..floor(bytes.end).clamp(start, end)].chars().count(),
            bytes,
            source: text[begin..end].trim_end().into(),
        }
    }
    /// What is marked, as it is written there.
    pub fn marked(&self) -> String {
        self.source.chars().skip(self.column.saturating_sub(1)).take(self.marked).collect()
    }
    /// `file:line:column`, the line, and a caret below each marked character of it, as plain text.
    pub fn drawn(&self) -> String {
        let mut out = String::new();
        self.draw(&mut out);
        out
    }
    /// `file:line:column`, the line, and a caret below each marked character of it.
    pub(super) fn draw(&self, out: &mut String) {
        if self.line == 0 {
            return;
        }
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let before = self.column - 1;
        let room = self.source.chars().count().saturating_sub(before).max(1);
        let carets = "^".repeat(self.marked.clamp(1, room));
        let indent = " ".repeat(before);
        // writing to a String does not fail
        let _ = writeln!(out, "{margin}--> {}:{}:{}", self.file, self.line, self.column);
        let _ = writeln!(out, "{number} | {}", self.source);
        let _ = writeln!(out, "{margin} | {indent}{carets}");
    }
}
