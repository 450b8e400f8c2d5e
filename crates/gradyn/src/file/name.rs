//! Names that can be printed and that spreadsheets read as names.

use super::tree::Word;
use gradyn_model::ModelError;

/// Does a terminal obey a character in place of showing it: controls, and marks that turn the direction of
/// what follows?
pub fn is_control(c: char) -> bool {
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || direction || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Would a spreadsheet take a text for a formula?
pub fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@'])
}

/// Refuses a name that cannot be shown as it is; that of a condition is an expression.
pub(crate) fn check(noun: &str, name: &Word) -> Result<(), ModelError> {
    let place = Some(name.place.clone());
    if let Some(c) = name.text.chars().find(|c| is_control(*c)) {
        let message =
            format!("the name of a {noun} has the character U+{:04X}, which cannot be seen", u32::from(c));
        return Err(ModelError::new(message).at(&place).help("write it without control characters"));
    }
    if noun != "condition" && is_formula(&name.text) {
        let message = format!("the name of a {noun} begins with `{}`", &name.text[..1]);
        let help = "spreadsheets take it for a formula: let it begin with a letter";
        return Err(ModelError::new(message).at(&place).help(help));
    }
    Ok(())
}
