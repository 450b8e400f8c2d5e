//! Strings of a template in one copy: {texts} filled in, names prefixed, values as the template sees them.

use super::mirror::{Flips, Law};
use super::{Scope, Thing, wrong};
use crate::file::tree::{Node, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use gradyn_model::expression::{Ast, check_units, parse};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// The value of an argument.
#[derive(Debug, Default)]
pub(crate) struct Argument {
    /// As a text; `None` for a vector.
    pub text: Option<String>,
    /// As a number or a vector, with the eyes of the surrounding template.
    pub node: Option<Node>,
    /// Is it a vector?
    pub vector: bool,
    /// Has it been read as a text?
    pub as_text: Cell<bool>,
}

/// What the strings of a template mean in one copy.
pub(crate) struct Context<'c> {
    pub scope: Rc<Scope>,
    pub prefix: String,
    pub flips: Flips,
    pub dimension: usize,
    /// i and n of an array.
    pub number: Cell<Option<(usize, usize)>>,
    pub arguments: Vec<Argument>,
    /// Has the argument been read as a number?
    pub used: Vec<Cell<bool>>,
    /// "`left` (template `leg`)".
    pub label: String,
    /// How far the places of the copy are from those of its template [bytes].
    pub base: usize,
    pub parent: Option<&'c Context<'c>>,
    /// Bytes of text that may still be made.
    pub budget: &'c Cell<usize>,
}

/// A string with its {texts} filled in, and what came from them: names of the surrounding model.
pub(crate) struct Filled {
    pub text: String,
    foreign: Vec<Range<usize>>,
}

impl<'c> Context<'c> {
    /// The file itself: nothing is renamed.
    pub(crate) fn root(scope: Rc<Scope>, dimension: usize, budget: &'c Cell<usize>) -> Self {
        let prefix = String::new();
        let label = String::new();
        Self {
            scope,
            prefix,
            flips: [false; 3],
            dimension,
            number: Cell::new(None),
            arguments: vec![],
            used: vec![],
            label,
            base: 0,
            parent: None,
            budget,
        }
    }
    /// `f` inside an array, with another number.
    pub(crate) fn numbered<R>(&self, number: Option<(usize, usize)>, f: impl FnOnce() -> R) -> R {
        let before = self.number.replace(number.or(self.number.get()));
        let result = f();
        self.number.set(before);
        result
    }
    /// Is anything mirrored?
    pub(crate) fn mirrored(&self) -> bool {
        self.flips != [false; 3]
    }
    /// The error, with the copy that it is about.
    pub(crate) fn inside(&self, e: ModelError) -> ModelError {
        let message =
            if self.label.is_empty() { e.message } else { format!("{}, in {}", e.message, self.label) };
        ModelError { message, ..e }
    }
    pub(crate) fn spend(&self, bytes: usize, place: &Range<usize>) -> Result<(), ModelError> {
        let left = self.budget.get().checked_sub(bytes + 16);
        self.budget.set(left.unwrap_or(0));
        let limit = super::MAX_TEXT >> 20;
        left.map(drop).ok_or_else(|| {
            self.inside(wrong(format!("the templates expand to more than {limit} MB of text"), place))
        })
    }

    // {texts}

    /// Fills in {argument}, {i}, {i-1}, {n}.
    pub(crate) fn fill(&self, word: &Word) -> Result<Filled, ModelError> {
        let mut text = String::new();
        let mut foreign = vec![];
        let mut rest = word.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, after)) = after.split_once('}') else { break };
            text += before;
            let start = text.len();
            text += &self.placeholder(inside.trim(), word)?;
            foreign.push(start..text.len());
            self.spend(text.len() - start, &word.place)?;
            rest = after;
        }
        text += rest;
        self.spend(rest.len(), &word.place)?;
        Ok(Filled { text, foreign })
    }
    fn placeholder(&self, name: &str, word: &Word) -> Result<String, ModelError> {
        // an argument
        if let Some(Thing::Argument(k, _)) = self.scope.names.get(name)
            && let Some(argument) = self.arguments.get(*k)
        {
            argument.as_text.set(true);
            return argument.text.clone().ok_or_else(|| {
                let e = wrong(
                    format!("the argument `{name}` is a vector and cannot be put into a text"),
                    &word.place,
                );
                self.inside(e.help(format!("write the name without braces: {name}, {name}.x")))
            });
        }
        // the number of the copy
        if let (Some((i, n)), Some(offset)) = (self.number.get(), offset(name)) {
            return Ok(offset.map_or(n as i64, |k| (i as i64).saturating_add(k)).to_string());
        }
        // neither: what is near
        let known = self
            .scope
            .names
            .iter()
            .filter(|(_, t)| matches!(t, Thing::Argument(..)))
            .map(|(n, _)| n.as_str());
        let help = match nearest(name, known) {
            _ if offset(name).is_some() => {
                "{i} is the number of a copy and {n} the number of copies, in an array: count = …".into()
            }
            Some(near) => format!("did you mean {{{near}}}?"),
            None => format!("name it in the template: required = [\"{name}\"]"),
        };
        Err(self.inside(wrong(format!("there is no argument `{name}`"), &word.place).help(help)))
    }

    // names

    /// A reference such as `thigh.hip`.
    pub(crate) fn reference(&self, word: &Word) -> Result<Word, ModelError> {
        let filled = self.fill(word)?;
        let head = filled.text.split('.').next().unwrap_or("").len();
        let name = if filled.is_foreign(&(0..head)) { filled.text } else { self.path(&filled.text) };
        Ok(replaced(word, name))
    }
    /// A path with its names prefixed where the template defines them.
    fn path(&self, path: &str) -> String {
        // head.second.rest
        let mut parts = path.splitn(3, '.');
        let head = parts.next().unwrap_or("");
        let second = parts.next();
        let rest = parts.next();
        let mut out = String::new();
        // the prefix stands before an own name, and before an own point of a body
        if let Some(thing) = self.scope.find(head) {
            out += &self.prefix;
            if let Thing::Argument(k, _) = thing {
                self.used.get(k).into_iter().for_each(|u| u.set(true));
            }
        }
        out += head;
        if let Some(second) = second {
            let own = self.scope.points.contains(&path[..head.len() + 1 + second.len()]);
            out += if own { "." } else { "" };
            out += if own { &self.prefix } else { "." };
            out += second;
        }
        rest.iter().for_each(|r| out = format!("{out}.{r}"));
        out
    }
    /// Is a point of a body a hard point of the template?
    pub(crate) fn owns(&self, body: &str, point: &str) -> bool {
        self.scope.points.contains(&format!("{body}.{point}"))
    }
    /// A point of a body by its own name, such as an end of a rod.
    pub(crate) fn point_of(&self, body: &str, point: &Word) -> Word {
        let own = self.owns(body, &point.text);
        replaced(point, if own { format!("{}{}", self.prefix, point.text) } else { point.text.clone() })
    }
    /// A key that defines a name.
    pub(crate) fn define(&self, name: &Word) -> Word {
        replaced(name, format!("{}{}", self.prefix, name.text))
    }

    // expressions

    /// An expression with its names prefixed.
    pub(crate) fn renamed(&self, word: &Word) -> Result<Word, ModelError> {
        self.renamed_law(word, Law::None)
    }
    pub(crate) fn renamed_law(&self, word: &Word, law: Law) -> Result<Word, ModelError> {
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(replaced(word, filled.text)) };
        self.check_units(&filled.text, word)?;
        let names = ast.names();
        self.spend(names.len().saturating_mul(self.prefix.len()), &word.place)?;
        let names = names.into_iter().filter(|(name, _)| !law.owns(name));
        let edits = names.map(|(name, span)| (self.name(&name, &span, &filled), span)).collect();
        Ok(replaced(word, spliced(&filled.text, 0..filled.text.len(), edits)))
    }
    /// `5 N/m` with a number m of the template, before m is prefixed and the doubt is gone.
    pub(crate) fn check_units(&self, text: &str, word: &Word) -> Result<(), ModelError> {
        let number = |name: &str| matches!(self.scope.find(name), Some(Thing::Number | Thing::Argument(..)));
        match check_units(text, false, number) {
            Ok(_) => Ok(()),
            Err(e) => Err(self.inside(wrong(e.message, &word.place).help(e.help.unwrap_or_default()))),
        }
    }
    /// A name of an expression as the model knows it; `i` and `n` of an array are numbers.
    pub(crate) fn name(&self, name: &str, span: &Range<usize>, filled: &Filled) -> String {
        let head = name.split('.').next().unwrap_or("").len();
        match (name, self.number.get()) {
            _ if filled.is_foreign(&(span.start..span.start + head)) => name.into(),
            ("i", Some((i, _))) if self.scope.find("i").is_none() => i.to_string(),
            ("n", Some((_, n))) if self.scope.find("n").is_none() => n.to_string(),
            _ => self.path(name),
        }
    }
    // arguments

    /// The value of an argument that is written here.
    pub(crate) fn argument(&self, node: &Node) -> Result<Argument, ModelError> {
        // text = what braces put in
        let text = match &node.value {
            Value::Text(word) => Some(self.renamed(word)?.text),
            Value::Number(x) => Some(x.to_string()),
            _ => None,
        };
        // node = what its name stands for
        let number = |n: &Node| {
            let value = match &n.value {
                Value::Text(word) => Value::Text(self.even(word, Law::None)?),
                other => other.clone(),
            };
            Ok::<Node, ModelError>(Node { value, place: n.place.clone() })
        };
        let value = match &node.value {
            Value::List(items) => Node {
                value: Value::List(items.iter().map(number).collect::<Result<_, _>>()?),
                place: node.place.clone(),
            },
            _ => number(node)?,
        };
        let node = Some(value.moved(self.base));
        Ok(Argument {
            text,
            vector: node.as_ref().is_some_and(Node::is_list),
            node,
            as_text: Cell::new(false),
        })
    }
}

impl Filled {
    pub(crate) fn is_foreign(&self, span: &Range<usize>) -> bool {
        self.foreign.iter().any(|f| f.start <= span.start && span.end <= f.end)
    }
}

/// `Some(None)` for n, `Some(Some(k))` for i + k.
fn offset(text: &str) -> Option<Option<i64>> {
    match text.strip_prefix('i') {
        None => (text == "n").then_some(None),
        Some("") => Some(Some(0)),
        Some(rest) if rest.trim_start().starts_with(['+', '-']) => {
            rest.replace(' ', "").parse().ok().map(Some)
        }
        Some(_) => None,
    }
}

/// The word with another text.
pub(crate) fn replaced(word: &Word, text: String) -> Word {
    let exact = word.exact && text == word.text;
    Word { text, place: word.place.clone(), exact }
}

/// The expression, if it has names at all and is one; what is none is refused later, by the build.
pub(crate) fn parsed(text: &str) -> Option<Ast> {
    if text.contains(|c: char| c.is_alphabetic() || c == '_') { parse(text).ok() } else { None }
}

/// The part `range` of a text with pieces of it replaced; the edits are in order.
pub(crate) fn spliced(text: &str, range: Range<usize>, edits: Vec<(String, Range<usize>)>) -> String {
    let mut out = String::new();
    let mut at = range.start;
    for (piece, span) in edits.into_iter().filter(|e| range.start <= e.1.start && e.1.end <= range.end) {
        out += &text[at..span.start];
        out += &piece;
        at = span.end;
    }
    out + &text[at..range.end]
}
