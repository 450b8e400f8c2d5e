//! Mutations of texts: characters, lines, words, numbers and keys.

use crate::random::Random;

/// Characters that mean something somewhere.
#[rustfmt::skip]
const SPECIAL: [&str; 44] = [
    "\"", "'", "[", "]", "{", "}", "(", ")", "=", ".", ",", ":", ";", "#", "\n", "\r\n", "\0", "\u{feff}",
    "\u{202e}", "é", "∞", "-", "+", "e", "0", "1", "9", "_", "/", "*", "^", " ", "\\", "\t", "<", ">",
    "%", "x", ".x", "\u{1b}", "\"\"\"", "[[", "]]", "-1e9",
];

/// Numbers at the ends of what there is, and some that are merely wrong.
#[rustfmt::skip]
const EXTREMES: [&str; 22] = [
    "0", "-0.0", "-1", "1e-300", "1e300", "1.7e308", "-1e9", "nan", "inf", "-inf", "1e-9", "3", "0.5",
    "1e9", "9007199254740993", "18446744073709551616", "1e15", "0x10", "1_000", "2.5", "1e-320",
    "4294967296",
];

/// Words, keys and lines that mutations put elsewhere.
pub struct Corpus {
    words: Vec<String>,
    keys: Vec<String>,
    lines: Vec<String>,
}

impl Corpus {
    /// Of some texts.
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut corpus = Self { words: vec![], keys: vec![], lines: vec![] };
        for text in texts {
            corpus.lines.extend(text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned));
            corpus.words.extend(split(text).into_iter().filter(|w| !w.trim().is_empty()).map(str::to_owned));
            corpus.keys.extend(text.lines().filter_map(key).map(str::to_owned));
        }
        for list in [&mut corpus.words, &mut corpus.keys, &mut corpus.lines] {
            list.sort_unstable();
            list.dedup();
        }
        corpus
    }
    /// The text with one to four mutations of any kind.
    pub fn mutated(&self, text: &str, r: &mut Random) -> String {
        let count = 1 + r.below(4);
        (0..count).fold(text.to_owned(), |text, _| match r.below(12) {
            0 | 1 => characters(&text, r),
            2 => slice(&text, r),
            3 | 4 => self.line(&text, r),
            5 | 6 => self.word(&text, r),
            7 | 8 => self.keyed(&text, r),
            9 => number(&text, r, |_, r| EXTREMES[r.below(EXTREMES.len())].into()),
            _ => number(&text, r, scaled),
        })
    }
    /// The text with one to four mutations that leave most models possible: other numbers, seldom another
    /// word or line.
    pub fn varied(&self, text: &str, r: &mut Random) -> String {
        let count = 1 + r.below(4);
        (0..count).fold(text.to_owned(), |text, _| match r.below(16) {
            0 => self.line(&text, r),
            1 => self.word(&text, r),
            2 => number(&text, r, |_, r| EXTREMES[r.below(EXTREMES.len())].into()),
            _ => number(&text, r, scaled),
        })
    }
    /// A line that is lost, repeated, swapped with another, or comes from another text.
    fn line(&self, text: &str, r: &mut Random) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        let Some(last) = lines.len().checked_sub(1) else {
            return self.lines[r.below(self.lines.len())].clone();
        };
        let at = r.below(last + 1);
        match r.below(4) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(r.below(last + 1), lines[at]),
            2 => lines.swap(at, r.below(last + 1)),
            _ => lines.insert(at, &self.lines[r.below(self.lines.len())]),
        }
        lines.join("\n")
    }
    /// A word that is lost, repeated, swapped with another, or comes from another text.
    fn word(&self, text: &str, r: &mut Random) -> String {
        let mut words = split(text);
        let Some(last) = words.len().checked_sub(1) else {
            return self.words[r.below(self.words.len())].clone();
        };
        let at = r.below(last + 1);
        match r.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 => words.swap(at, r.below(last + 1)),
            _ => words[at] = &self.words[r.below(self.words.len())],
        }
        words.concat()
    }
    /// Another key in place of that of a line.
    fn keyed(&self, text: &str, r: &mut Random) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let with_keys: Vec<usize> = (0..lines.len()).filter(|k| key(&lines[*k]).is_some()).collect();
        if with_keys.is_empty() || self.keys.is_empty() {
            return self.word(text, r);
        }
        let at = with_keys[r.below(with_keys.len())];
        let other = &self.keys[r.below(self.keys.len())];
        let old = key(&lines[at]).unwrap_or_default().to_owned();
        lines[at] = lines[at].replacen(&old, other, 1);
        lines.join("\n")
    }
}

/// Runs of letters and digits, runs of blanks, and single characters.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '.' => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut words = vec![];
    let mut start = 0;
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let this = class(c);
        if at > start && (this == 0 || this != last) {
            words.push(&text[start..at]);
            start = at;
        }
        last = this;
    }
    words.push(&text[start..]);
    words
}

/// The key of a line `key = value` or `"key": value`.
fn key(line: &str) -> Option<&str> {
    let key = line.split_once(['=', ':'])?.0.trim();
    (!key.is_empty() && key.len() < 40 && !key.starts_with('#')).then_some(key)
}

/// Another number in place of one of the text.
fn number(text: &str, r: &mut Random, other: impl Fn(&str, &mut Random) -> String) -> String {
    let words = split(text);
    let numbers: Vec<usize> =
        (0..words.len()).filter(|k| words[*k].starts_with(|c: char| c.is_ascii_digit())).collect();
    if numbers.is_empty() {
        return characters(text, r);
    }
    let at = numbers[r.below(numbers.len())];
    let new = other(words[at], r);
    words.iter().enumerate().map(|(k, word)| if k == at { new.as_str() } else { word }).collect()
}

/// A number of about the same size, or of another sign or size.
fn scaled(word: &str, r: &mut Random) -> String {
    let x: f64 = word.parse().unwrap_or(1.0);
    let factor = match r.below(8) {
        0 => -1.0,
        1 => 10f64.powi(r.below(13) as i32 - 6),
        _ => r.between(0.5, 2.0),
    };
    format!("{}", x * factor)
}

/// A character that is lost, replaced, or put in.
fn characters(text: &str, r: &mut Random) -> String {
    let at = boundary(text, r.below(text.len() + 1));
    let next = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let new = SPECIAL[r.below(SPECIAL.len())];
    match r.below(3) {
        0 => format!("{}{}", &text[..at], &text[next..]),
        1 => format!("{}{new}{}", &text[..at], &text[next..]),
        _ => format!("{}{new}{}", &text[..at], &text[at..]),
    }
}

/// A part that is lost or repeated, or the end that is lost.
fn slice(text: &str, r: &mut Random) -> String {
    let from = boundary(text, r.below(text.len() + 1));
    let to = boundary(text, (from + r.below(40)).min(text.len())).max(from);
    match r.below(4) {
        0 => format!("{}{}", &text[..from], &text[to..]),
        1 => text[..from].into(),
        2 => format!("{}{}{}", &text[..from], text[from..to].repeat(2 + r.below(200)), &text[to..]),
        _ => format!(
            "{}{}{}",
            &text[..from],
            SPECIAL[r.below(SPECIAL.len())].repeat(2 + r.below(300)),
            &text[from..]
        ),
    }
}

/// The last place for a cut at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0)
}

/// The bytes with one to four of them changed, put in, lost or swapped, whether or not they are a text.
pub fn bytes_mutated(bytes: &[u8], r: &mut Random) -> Vec<u8> {
    let mut new = bytes.to_vec();
    for _ in 0..1 + r.below(4) {
        let at = r.below(new.len().max(1));
        match r.below(5) {
            0 if at < new.len() => new[at] ^= 1 << r.below(8),
            1 if at < new.len() => new[at] = r.below(256) as u8,
            2 if at < new.len() => drop(new.remove(at)),
            3 if at < new.len() => new.truncate(at),
            _ => new.insert(at, r.below(256) as u8),
        }
    }
    new
}
