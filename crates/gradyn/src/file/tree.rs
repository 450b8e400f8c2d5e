//! A file as a tree whose keys and values know their bytes, in the order of the file; made from TOML here,
//! from JSON in `json`.

use gradyn_model::ModelError;
use gradyn_model::mechanism::{Number, Source, Text, Vector};
use std::ops::Range;
use toml::de::{DeInteger, DeTable, DeValue};

/// A string of the file: a key or a value.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// What it says, without quotes.
    pub text: String,
    /// Its bytes: without the quotes if `exact`.
    pub place: Range<usize>,
    /// `place` holds the text byte for byte (no escapes).
    pub exact: bool,
}

/// A value of the file.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    /// Its bytes, quotes and brackets included.
    pub place: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Word),
    Number(f64),
    Flag(bool),
    /// A date of TOML or a null of JSON, which no key takes.
    Other(&'static str),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<(Word, Node)>,
}

impl Word {
    /// The string `text` whose source, with its quotes if it has any, stands at `span`.
    pub(crate) fn new(source: &str, span: Range<usize>, text: &str) -> Self {
        let raw = source.get(span.clone()).unwrap_or("");
        let unquoted =
            |quote: &&str| raw.strip_prefix(*quote)?.strip_suffix(*quote).map(|inner| (quote.len(), inner));
        let (quote, mut inner) = ["\"\"\"", "'''", "\"", "'"].iter().find_map(unquoted).unwrap_or((0, raw));
        let mut start = span.start + quote;
        if quote == 3 {
            let rest = inner.strip_prefix("\r\n").or(inner.strip_prefix('\n')).unwrap_or(inner);
            start += inner.len() - rest.len();
            inner = rest;
        }
        let exact = inner == text;
        let place = if exact { start..start + inner.len() } else { span };
        Self { text: text.into(), place, exact }
    }
    /// The key as a name with its place.
    pub(crate) fn name(&self) -> Text {
        Text { text: self.text.clone(), place: Some(self.place.clone()) }
    }
    /// As an expression.
    pub(crate) fn expression(&self) -> Number {
        Number {
            source: Source::Expression(self.text.clone()),
            place: Some(self.place.clone()),
            exact: self.exact,
        }
    }
}

impl Node {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Other(kind) => kind,
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
    /// The string that it holds, if it is one.
    pub(crate) fn word(&self) -> Option<&Word> {
        if let Value::Text(word) = &self.value { Some(word) } else { None }
    }
    /// The items of a list; none if it is something else.
    pub(crate) fn items(&self) -> &[Node] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }
    /// Is it a list of values?
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }
    /// The table that it holds, if it is one.
    pub(crate) fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }
    /// The value of a number, the expression of a string or of a list of components.
    pub(crate) fn number(&self) -> Option<Number> {
        let place = Some(self.place.clone());
        match &self.value {
            Value::Number(x) => Some(Number { source: Source::Value(*x), place, exact: false }),
            Value::Text(word) => Some(word.expression()),
            Value::List(items) => {
                let parts: Option<Vec<String>> =
                    items.iter().map(|i| i.number().map(|n| written(&n))).collect();
                Some(Number {
                    source: Source::Expression(format!("[{}]", parts?.join(", "))),
                    place,
                    exact: false,
                })
            }
            _ => None,
        }
    }
    fn weight(&self) -> usize {
        16 + match &self.value {
            Value::Text(word) => word.text.len(),
            Value::List(items) => items.iter().map(Node::weight).sum(),
            Value::Table(t) => t.weight(),
            _ => 0,
        }
    }
    /// Numbers of a list.
    pub(crate) fn numbers(&self) -> Vec<Number> {
        self.items().iter().filter_map(Node::number).collect()
    }
    /// Components of a list, or a vector expression.
    pub(crate) fn vector(&self) -> Option<Vector> {
        match &self.value {
            Value::List(_) => Some(Vector::Components(self.numbers(), Some(self.place.clone()))),
            _ => self.number().map(Vector::Expression),
        }
    }
}

/// A number as an expression.
fn written(n: &Number) -> String {
    match &n.source {
        Source::Value(x) => format!("{x:e}"),
        Source::Expression(text) => text.clone(),
    }
}

impl Word {
    /// The word some bytes further on.
    pub(crate) fn moved(self, by: usize) -> Self {
        Self { place: moved(&self.place, by), ..self }
    }
}

impl Node {
    /// The value, and all that is in it, some bytes further on.
    pub(crate) fn moved(self, by: usize) -> Self {
        let value = match self.value {
            Value::Text(word) => Value::Text(word.moved(by)),
            Value::List(items) => Value::List(items.into_iter().map(|item| item.moved(by)).collect()),
            Value::Table(t) => {
                let entry = |(key, node): (Word, Node)| (key.moved(by), node.moved(by));
                Value::Table(Table { entries: t.entries.into_iter().map(entry).collect() })
            }
            other => other,
        };
        Self { value, place: moved(&self.place, by) }
    }
}

fn moved(place: &Range<usize>, by: usize) -> Range<usize> {
    place.start + by..place.end + by
}

impl Table {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }
    /// About how many bytes it takes to write.
    pub(crate) fn weight(&self) -> usize {
        self.entries.iter().map(|(key, node)| key.text.len() + node.weight()).sum()
    }
}

/// Parses TOML into a tree with places.
pub(crate) fn from_toml(source: &str) -> Result<Table, ModelError> {
    match DeTable::parse(source) {
        Ok(root) => Ok(table(source, root.get_ref())),
        Err(e) => {
            let end = source.len()..source.len();
            let place = e.span().filter(|p| source.get(p.clone()).is_some()).unwrap_or(end);
            Err(ModelError::new(format!("TOML: {}", e.message())).at(&Some(place)))
        }
    }
}

fn table(source: &str, t: &DeTable) -> Table {
    let word =
        |key: &toml::Spanned<_>| Word::new(source, key.span(), key.get_ref() as &std::borrow::Cow<str>);
    let entry = |(key, value): (&_, &toml::Spanned<DeValue>)| {
        (word(key), node(source, value.get_ref(), value.span()))
    };
    let mut entries: Vec<(Word, Node)> = t.iter().map(entry).collect();
    entries.sort_by_key(|(key, _)| key.place.start); // the crate sorts by name
    Table { entries }
}

fn node(source: &str, value: &DeValue, place: Range<usize>) -> Node {
    let value = match value {
        DeValue::String(text) => Value::Text(Word::new(source, place.clone(), text)),
        DeValue::Integer(i) => Value::Number(integer(i)),
        DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Flag(*b),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|i| node(source, i.get_ref(), i.span())).collect())
        }
        DeValue::Table(t) => Value::Table(table(source, t)),
    };
    Node { value, place }
}

fn integer(i: &DeInteger) -> f64 {
    match i128::from_str_radix(i.as_str(), i.radix()) {
        Ok(i) => i as f64,
        Err(_) => i.as_str().parse().unwrap_or(f64::INFINITY),
    }
}
