//! What is printed.

use crate::escape::escaped;
use std::io::Write as _;

/// Most lines of a message.
const MOST_LINES: usize = 60;

/// Longest line of a message [characters].
const LONGEST_LINE: usize = 1000;

/// A message for the user; nobody may be there to read it.
pub(crate) fn complain(text: &str) {
    tell(&escaped(text));
}

/// A message that has colours, and is escaped where it needs it.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shortened(text));
}

/// Prints; a reader that has closed the pipe, such as `head`, is no error.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    match out.write_all(escaped(text).as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            complain(&format!("error: the result cannot be written: {e}"));
            std::process::exit(2);
        }
        // whoever reads has read enough
        _ => {}
    }
}

/// At most so many lines, none of them longer than others can read.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let short = |line: &&str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => (*line).to_owned(),
    };
    let mut shown: Vec<String> = lines.iter().take(MOST_LINES).map(short).collect();
    if lines.len() > MOST_LINES {
        shown.push(format!("… and {} more lines", lines.len() - MOST_LINES));
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::shortened;

    /// Sixty lines of a thousand characters.
    #[test]
    fn messages_are_short() {
        let text = shortened(&format!("{}\n", "ü".repeat(2000)).repeat(1000));
        assert_eq!(text.lines().count(), 61);
        assert!(text.lines().all(|line| line.chars().count() <= 1002));
        assert!(text.ends_with("… and 940 more lines"));
        assert_eq!(shortened("one\ntwo"), "one\ntwo");
    }
}
