//! Does an error say what it is about?

use gradyn::Error;
use gradyn::error::ErrorKind;
use std::ops::Range;

/// Complains of bytes that are not those of a text.
pub(super) fn within(bytes: &Range<usize>, text: &str) -> Result<(), String> {
    let inside = bytes.start <= bytes.end && text.get(bytes.clone()).is_some();
    if inside { Ok(()) } else { Err(format!("bytes {bytes:?} of a text of {}", text.len())) }
}

/// Complains of an error without a place in the text, an element or a word of the file; one of a computation
/// may have a time in place of them.
pub(crate) fn error(e: &Error, text: &str) -> Result<(), String> {
    if let Some(place) = e.bytes() {
        return within(&place, text);
    }
    let has = |words: &[&str]| words.iter().any(|word| e.message.contains(word));
    let keyed = has(&["t_start = ", "max_steps = "]);
    let timed = has(&[" s:", "t = ", "the start"]);
    let computed = matches!(e.kind, ErrorKind::Step(_) | ErrorKind::Cancelled { .. });
    let method = matches!(e.kind, ErrorKind::Method);
    named(&e.message, e.subject.is_some() || keyed || method || (timed && computed))
}

fn named(message: &str, subject: bool) -> Result<(), String> {
    // an error of the whole model needs no name, and a product that overflows has none
    let whole = ["the model ", "a number of the model is "].iter().any(|text| message.starts_with(text));
    if subject || message.contains('`') || whole {
        return Ok(());
    }
    Err(format!("an error without a place or a name: {message}"))
}
