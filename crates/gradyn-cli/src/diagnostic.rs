//! Errors on the screen: what happened, where in the file, what to try.

use crate::escape::escaped;
use gradyn::{Error, ErrorKind};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceSpan};
use std::fmt;
use std::ops::Range;

/// Longest line of a model file that is shown [bytes].
const LONGEST_LINE: usize = 300;

/// A failed command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the library, with the text that it is about: name and content of the model file, or a flag
    /// and its value.
    Library { error: Box<Error>, file: (String, String) },
    /// The command itself is wrong, or a file cannot be read or written.
    Command { message: String, help: String },
}

impl Failure {
    /// A wrong command.
    pub(crate) fn command(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Command { message: message.into(), help: help.into() }
    }
    /// An error in a model file.
    pub(crate) fn in_file(error: impl Into<Error>, name: &str, text: &str) -> Self {
        Self::Library { error: Box::new(error.into()), file: (name.into(), text.into()) }
    }
    /// 1 the computation failed, 2 the input is wrong.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Library { error, .. } if !error.is_input() => 1,
            _ => 2,
        }
    }
}

#[derive(Debug)]
struct Report {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    label: Option<SourceSpan>,
}
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Report {}
impl miette::Diagnostic for Report {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.source.as_ref().map(|s| s as &dyn miette::SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label
            .map(|l| Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".into()), l))) as Box<_>)
    }
}

impl Report {
    /// Shows some bytes of a text; where its lines there are too long to be shown, their number alone.
    fn mark(&mut self, name: &str, text: &str, place: Range<usize>) {
        // lines = those of the place, with one before and one behind
        let floor = |k: usize| (0..=k.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0);
        let end = floor(place.end);
        let start = floor(place.start.min(end));
        let line = text[..start].matches('\n').count();
        let last = line + text[start..end].matches('\n').count();
        let mut shown = text.lines().skip(line.saturating_sub(1)).take(last + 3 - line);
        if shown.any(|line| line.len() > LONGEST_LINE) {
            let column = text[..start].chars().rev().take_while(|c| *c != '\n').count();
            self.message = format!("{name}, line {}, column {}: {}", line + 1, column + 1, self.message);
        } else {
            self.source = Some(NamedSource::new(name, masked(text)));
            self.label = Some((start, end - start).into());
        }
    }
}

/// A text of the same length without characters that a terminal obeys.
fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(c),
            c if gradyn::file::is_control(c) => out.extend(std::iter::repeat_n('?', c.len_utf8())),
            c => out.push(c),
        }
    }
    out
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // report = message, help, and the place in the file where there is one
        let mut report = Report { message: String::new(), help: None, source: None, label: None };
        match self {
            Self::Command { message, help } => {
                report.message = escaped(message);
                report.help = (!help.is_empty()).then(|| escaped(help));
            }
            Self::Library { error, file } => {
                report.message = escaped(&error.message);
                report.help = error.help.as_deref().map(escaped);
                let name = escaped(&file.0);
                match (&error.kind, error.bytes()) {
                    (ErrorKind::Model, Some(place)) => report.mark(&name, &file.1, place),
                    (ErrorKind::Model, None) => report.message = format!("{name}: {}", report.message),
                    _ => {}
                }
            }
        }
        // colours on a terminal only
        let color =
            std::env::var_os("NO_COLOR").is_none() && std::io::IsTerminal::is_terminal(&std::io::stderr());
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        GraphicalReportHandler::new_themed(theme).with_width(100).render_report(f, &report)
    }
}
