//! JSON with places, by recursive descent.

use super::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use std::ops::Range;

/// Deepest nesting of lists and tables.
const DEPTH: usize = 100;

type Parsed<T> = Result<T, ModelError>;

/// Parses JSON whose root is an object.
pub(crate) fn from_json(source: &str) -> Parsed<Table> {
    let at = source.len() - source.trim_start_matches('\u{feff}').len();
    let mut parser = Parser { source, at, depth: 0 };
    if parser.peek().is_none() {
        return Ok(Table::default());
    }
    let root = parser.value()?;
    if parser.peek().is_some() {
        return Err(parser.wrong("unexpected text after the end of the object"));
    }
    match root.value {
        Value::Table(table) => Ok(table),
        _ => Err(error("the file must be an object { … }", root.place)),
    }
}

fn error(message: &str, place: Range<usize>) -> ModelError {
    ModelError::new(format!("JSON: {message}")).at(&Some(place))
}

struct Parser<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }
    /// The next character that is not white space; it stands at `at`.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.rest().chars().next()
    }
    fn take(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        self.at += if here { c.len_utf8() } else { 0 };
        here
    }
    /// An error at the next character.
    fn wrong(&mut self, message: &str) -> ModelError {
        let length = self.peek().map_or(0, char::len_utf8);
        error(message, self.at..self.at + length)
    }
    fn value(&mut self) -> Parsed<Node> {
        let first = self.peek();
        let start = self.at;
        let value = match first {
            Some('{') => self.deeper(Self::object)?,
            Some('[') => self.deeper(Self::list)?,
            Some('"') => Value::Text(self.string()?),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number()?,
            _ => self.literal()?,
        };
        Ok(Node { value, place: start..self.at })
    }
    fn deeper(&mut self, parse: fn(&mut Self) -> Parsed<Value>) -> Parsed<Value> {
        if self.depth == DEPTH {
            return Err(self.wrong(&format!("nested more than {DEPTH} deep")));
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }
    fn object(&mut self) -> Parsed<Value> {
        let mut table = Table::default();
        // an empty table
        self.take('{');
        if self.take('}') {
            return Ok(Value::Table(table));
        }
        // key : value, until the table ends
        loop {
            if self.peek() != Some('"') {
                return Err(self.wrong("a key in double quotes is expected here"));
            }
            let key = self.string()?;
            if table.get(&key.text).is_some() {
                return Err(error(&format!("duplicate key `{}`", key.text), key.place));
            }
            if !self.take(':') {
                return Err(self.wrong("`:` is expected here"));
            }
            let value = self.value()?;
            table.entries.push((key, value));
            if self.take('}') {
                return Ok(Value::Table(table));
            }
            if !self.take(',') {
                return Err(self.wrong("`,` or `}` is expected here"));
            }
        }
    }
    fn list(&mut self) -> Parsed<Value> {
        let mut items = vec![];
        self.take('[');
        if self.take(']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.take(']') {
                return Ok(Value::List(items));
            }
            if !self.take(',') {
                return Err(self.wrong("`,` or `]` is expected here"));
            }
        }
    }
    fn string(&mut self) -> Parsed<Word> {
        // characters until the closing quote
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(Word::new(self.source, start..self.at, &text));
                }
                '\\' => {
                    let escape = |_| error("not an escape of JSON", start + i..start + i + 1);
                    let (c, used) = unescape(&self.rest()[i + 1..]).ok_or(()).map_err(escape)?;
                    text.push(c);
                    chars.nth(used - 1);
                }
                c if c < ' ' => return Err(error("a string ends on its own line", start + i..start + i + 1)),
                c => text.push(c),
            }
        }
        Err(error("the string is never closed", start..start + 1))
    }
    fn number(&mut self) -> Parsed<Value> {
        let rest = self.rest();
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let text = &rest[..length];
        let place = self.at..self.at + length;
        self.at = place.end;
        let digits = text.trim_start_matches('-');
        let zeros = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let odd = zeros || digits.starts_with('.') || digits.contains(['i', 'n', 'I', 'N']);
        match text.parse() {
            Ok(x) if !odd => Ok(Value::Number(x)),
            _ => Err(error(&format!("`{text}` is not a number of JSON"), place)),
        }
    }
    fn literal(&mut self) -> Parsed<Value> {
        let literals =
            [("true", Value::Flag(true)), ("false", Value::Flag(false)), ("null", Value::Other("null"))];
        let found = literals.into_iter().find(|(word, _)| self.rest().starts_with(word));
        match found {
            Some((word, value)) => {
                self.at += word.len();
                Ok(value)
            }
            None => Err(self.wrong("a value is expected here")),
        }
    }
}

/// The character of the escape after a backslash, and how many characters (all ASCII) it takes.
fn unescape(rest: &str) -> Option<(char, usize)> {
    let hex = |at: usize| {
        let digits = rest.get(at..at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let simple = [
        ('"', '"'),
        ('\\', '\\'),
        ('/', '/'),
        ('b', '\u{8}'),
        ('f', '\u{c}'),
        ('n', '\n'),
        ('r', '\r'),
        ('t', '\t'),
    ];
    let first = rest.chars().next()?;
    if first != 'u' {
        return simple.iter().find(|(c, _)| *c == first).map(|(_, c)| (*c, 1));
    }
    let high = hex(1)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some((char::from_u32(high)?, 5));
    }
    // a pair of surrogates: \uD83D\uDE00
    let low = rest.get(5..7).filter(|s| *s == "\\u").and(hex(7)).filter(|l| (0xdc00..0xe000).contains(l))?;
    Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 11))
}
