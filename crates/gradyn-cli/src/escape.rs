//! Text that a terminal does not obey.

/// A text without characters that a terminal obeys, but for ends of lines and tabs: as escapes, which JSON
/// reads as the same.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if gradyn::file::is_control(c) => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    /// No escape sequence and no change of direction reaches a terminal, and JSON stays the same.
    #[test]
    fn controls_are_escaped() {
        assert_eq!(escaped("a\tb\n\u{1b}[31m\u{9b}\u{202e}ü"), "a\tb\n\\u001b[31m\\u009b\\u202eü");
        let object = serde_json::json!({"name": "\u{9b}\u{7f}\u{2067}", "at": 1});
        let read: serde_json::Value = serde_json::from_str(&escaped(&object.to_string())).unwrap();
        assert_eq!(read, object);
    }
}
