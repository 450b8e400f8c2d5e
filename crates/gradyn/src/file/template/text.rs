//! Strings of a template in one copy: {texts} filled in, names prefixed, values as the template sees them.
//!
//! A mirrored copy is the mirror image of the copy without `mirror`. With M the reflection (signs of the axes), a position p of
//! the template is M p in the model, and what the model knows as p' is M p' in the eyes of the template. An expression therefore
//! keeps its value if everything that it reads is taken with the eyes of the template:
//!
//! ```text
//! vectors: points, hard points, reactions, forces            p  →  M p                                   (1)
//! angles, torques and their rates (in the plane)             θ  →  det M · θ                             (2)
//! lengths, distances, tensions, energies, plain numbers      stay                                        (3)
//! ```
//!
//! and a vector of the template is mirrored once more where it enters the model (`Context::polar`). Hard points of the
//! surrounding model are numbers and stay: a copy that starts from P and its mirror image, which starts from M P.

use super::scope::axis;
use super::{Scope, Thing, wrong};
use crate::file::tree::{Node, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use gradyn_model::expression::{Ast, Expr, parse};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Axes that change their sign: the diagonal of M.
pub type Flips = [bool; 3];

/// det M = -1?
pub fn odd(flips: &Flips) -> bool {
    flips.iter().filter(|f| **f).count() % 2 == 1
}

/// The value of an argument.
#[derive(Debug, Default)]
pub struct Argument {
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
pub struct Context<'c> {
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
    pub parent: Option<&'c Context<'c>>,
    /// Bytes of text that may still be made.
    pub budget: &'c Cell<usize>,
}

/// A string with its {texts} filled in, and what came from them: names of the surrounding model.
pub struct Filled {
    pub text: String,
    foreign: Vec<Range<usize>>,
}

/// Whose law an expression is: `length` or `angle` and `speed` are those of the spring, whatever else has these names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    None,
    Spring,
    Torsion,
}

impl Law {
    fn owns(self, name: &str) -> bool {
        match self {
            Law::None => false,
            Law::Spring => name == "length" || name == "speed",
            Law::Torsion => name == "angle" || name == "speed",
        }
    }
}

/// What mirroring does to a value that is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sense {
    Same,
    Minus,
    /// (1), with the axes that change.
    Vector(Flips),
}

/// A name or a sensor: `open name close`, with the name as the model knows it.
struct Atom {
    open: String,
    name: String,
    close: &'static str,
    sense: Sense,
}

impl<'c> Context<'c> {
    /// The file itself: nothing is renamed.
    pub fn root(scope: Rc<Scope>, dimension: usize, budget: &'c Cell<usize>) -> Self {
        let (prefix, label) = (String::new(), String::new());
        Self {
            scope,
            prefix,
            flips: [false; 3],
            dimension,
            number: Cell::new(None),
            arguments: vec![],
            used: vec![],
            label,
            parent: None,
            budget,
        }
    }
    /// `f` inside an array, with another number.
    pub fn numbered<R>(&self, number: Option<(usize, usize)>, f: impl FnOnce() -> R) -> R {
        let before = self.number.replace(number.or(self.number.get()));
        let result = f();
        self.number.set(before);
        result
    }
    /// Is anything mirrored?
    pub fn mirrored(&self) -> bool {
        self.flips != [false; 3]
    }
    /// The error, with the copy that it is about.
    pub fn inside(&self, e: ModelError) -> ModelError {
        let message = if self.label.is_empty() { e.message } else { format!("{}, in {}", e.message, self.label) };
        ModelError { message, ..e }
    }
    fn spend(&self, bytes: usize, place: &Range<usize>) -> Result<(), ModelError> {
        let left = self.budget.get().checked_sub(bytes + 16);
        self.budget.set(left.unwrap_or(0));
        let limit = super::MAX_TEXT >> 20;
        left.map(drop).ok_or_else(|| self.inside(wrong(format!("the templates expand to more than {limit} MB of text"), place)))
    }

    // {texts}

    /// Fills in {argument}, {i}, {i-1}, {n}.
    pub fn fill(&self, word: &Word) -> Result<Filled, ModelError> {
        let (mut text, mut foreign, mut rest) = (String::new(), vec![], word.text.as_str());
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
        if let Some(Thing::Argument(k, _)) = self.scope.names.get(name)
            && let Some(argument) = self.arguments.get(*k)
        {
            argument.as_text.set(true);
            return argument.text.clone().ok_or_else(|| {
                let e = wrong(format!("the argument `{name}` is a vector and cannot be put into a text"), &word.place);
                self.inside(e.help(format!("write the name without braces: {name}, {name}.x")))
            });
        }
        if let (Some((i, n)), Some(offset)) = (self.number.get(), offset(name)) {
            return Ok(offset.map_or(n as i64, |k| (i as i64).saturating_add(k)).to_string());
        }
        let known = self.scope.names.iter().filter(|(_, t)| matches!(t, Thing::Argument(..))).map(|(n, _)| n.as_str());
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
    pub fn reference(&self, word: &Word) -> Result<Word, ModelError> {
        let filled = self.fill(word)?;
        let head = filled.text.split('.').next().unwrap_or("").len();
        let name = if filled.is_foreign(&(0..head)) { filled.text } else { self.path(&filled.text) };
        Ok(replaced(word, name))
    }
    /// A path with its names prefixed where the template defines them.
    fn path(&self, path: &str) -> String {
        let mut parts = path.splitn(3, '.');
        let (head, second, rest) = (parts.next().unwrap_or(""), parts.next(), parts.next());
        let mut out = String::new();
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
    pub fn owns(&self, body: &str, point: &str) -> bool {
        self.scope.points.contains(&format!("{body}.{point}"))
    }
    /// A point of a body by its own name, such as an end of a rod.
    pub fn point_of(&self, body: &str, point: &Word) -> Word {
        let own = self.owns(body, &point.text);
        replaced(point, if own { format!("{}{}", self.prefix, point.text) } else { point.text.clone() })
    }
    /// A key that defines a name.
    pub fn define(&self, name: &Word) -> Word {
        replaced(name, format!("{}{}", self.prefix, name.text))
    }

    // expressions

    /// An expression with its names prefixed.
    pub fn renamed(&self, word: &Word) -> Result<Word, ModelError> {
        self.renamed_law(word, Law::None)
    }
    fn renamed_law(&self, word: &Word, law: Law) -> Result<Word, ModelError> {
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(replaced(word, filled.text)) };
        let names = ast.names().into_iter().filter(|(name, _)| !law.owns(name));
        let edits = names.map(|(name, span)| (self.name(&name, &span, &filled), span)).collect();
        Ok(replaced(word, spliced(&filled.text, 0..filled.text.len(), edits)))
    }
    /// The value of an expression with the eyes of the template.
    pub fn even(&self, word: &Word, law: Law) -> Result<Word, ModelError> {
        if !self.mirrored() {
            return self.renamed_law(word, law);
        }
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(replaced(word, filled.text)) };
        let text = self.seen(&ast, &filled, 0..filled.text.len(), law, word)?;
        Ok(replaced(word, text))
    }
    /// A vector of the template as the model knows it: M times its value.
    pub fn polar(&self, word: &Word) -> Result<Word, ModelError> {
        if !self.mirrored() {
            return self.renamed(word);
        }
        let filled = self.fill(word)?;
        let Ok(ast) = parse(&filled.text) else { return Ok(replaced(word, filled.text)) };
        match (&ast.expr, self.atom(&ast, &filled, Law::None, word)?) {
            (_, Some(atom)) if atom.sense == Sense::Vector(self.flips) => return Ok(replaced(word, atom.plain())),
            (Expr::Vector(items), _) => {
                let part = |(k, item): (usize, &Ast)| {
                    let text = self.seen(item, &filled, item.span.clone(), Law::None, word)?;
                    Ok(if self.flips.get(k) == Some(&true) { format!("-({text})") } else { text })
                };
                let parts = items.iter().enumerate().map(part).collect::<Result<Vec<_>, ModelError>>()?;
                return Ok(replaced(word, format!("[{}]", parts.join(", "))));
            }
            _ => {}
        }
        let text = self.seen(&ast, &filled, 0..filled.text.len(), Law::None, word)?;
        Ok(replaced(word, self.reflected(&text)))
    }
    /// M v of a vector expression v.
    pub fn reflected(&self, v: &str) -> String {
        let part = |k: usize| {
            let unit: Vec<&str> = (0..self.dimension).map(|j| if j == k { "1" } else { "0" }).collect();
            format!("{}dot({v}, [{}])", if self.flips[k] { "-" } else { "" }, unit.join(", "))
        };
        format!("[{}]", (0..self.dimension).map(part).collect::<Vec<_>>().join(", "))
    }
    /// What mirroring does to the value of a plain sensor; `None` if the expression is none.
    pub fn sense(&self, word: &Word) -> Result<Option<Sense>, ModelError> {
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(None) };
        Ok(self.atom(&ast, &filled, Law::None, word)?.map(|a| a.sense))
    }
    /// The part `range` of an expression with the eyes of the template.
    fn seen(&self, ast: &Ast, filled: &Filled, range: Range<usize>, law: Law, word: &Word) -> Result<String, ModelError> {
        let mut edits = vec![];
        let mut nodes = vec![ast];
        while let Some(node) = nodes.pop() {
            if let Some(atom) = self.atom(node, filled, law, word)? {
                edits.push((atom.seen(self.dimension), node.span.clone()));
                continue;
            }
            match &node.expr {
                Expr::Number(_) | Expr::Name(_) => {}
                Expr::Call { args: items, .. } | Expr::Vector(items) => nodes.extend(items),
                Expr::Neg(a) => nodes.push(a),
                Expr::Binary(first, rest) => {
                    nodes.push(first);
                    nodes.extend(rest.iter().map(|r| &r.1));
                }
            }
        }
        edits.sort_by_key(|e| e.1.start);
        Ok(spliced(&filled.text, range, edits))
    }
    /// A name, or a call of vel, acc, distance or angle.
    fn atom(&self, ast: &Ast, filled: &Filled, law: Law, word: &Word) -> Result<Option<Atom>, ModelError> {
        let turned = if odd(&self.flips) { Sense::Minus } else { Sense::Same };
        match &ast.expr {
            Expr::Name(name) if law.owns(name) => {
                let sense = if law == Law::Torsion { turned } else { Sense::Same };
                Ok(Some(Atom { open: String::new(), name: name.clone(), close: "", sense }))
            }
            Expr::Name(name) => {
                let sense = self.sense_of(name, &ast.span, filled, word)?;
                Ok(Some(Atom { open: String::new(), name: self.name(name, &ast.span, filled), close: "", sense }))
            }
            Expr::Call { function, args } if function == "vel" || function == "acc" => {
                let inner = args.first().map(|a| self.atom(a, filled, law, word)).transpose()?.flatten();
                Ok(inner.map(|a| Atom {
                    open: format!("{function}({}", a.open),
                    close: if a.close.is_empty() { ")" } else { "))" },
                    ..a
                }))
            }
            Expr::Call { function, .. } if function == "distance" || function == "angle" => {
                let edits = ast.names().into_iter().map(|(name, span)| (self.name(&name, &span, filled), span)).collect();
                let sense = if function == "angle" { turned } else { Sense::Same };
                Ok(Some(Atom { open: String::new(), name: spliced(&filled.text, ast.span.clone(), edits), close: "", sense }))
            }
            _ => Ok(None),
        }
    }
    /// A name of an expression as the model knows it; `i` and `n` of an array are numbers.
    fn name(&self, name: &str, span: &Range<usize>, filled: &Filled) -> String {
        let head = name.split('.').next().unwrap_or("").len();
        match (name, self.number.get()) {
            _ if filled.is_foreign(&(span.start..span.start + head)) => name.into(),
            ("i", Some((i, _))) if self.scope.find("i").is_none() => i.to_string(),
            ("n", Some((_, n))) if self.scope.find("n").is_none() => n.to_string(),
            _ => self.path(name),
        }
    }
    /// (1)–(3) for a name.
    fn sense_of(&self, name: &str, span: &Range<usize>, filled: &Filled, word: &Word) -> Result<Sense, ModelError> {
        let parts: Vec<&str> = name.split('.').collect();
        let foreign = filled.is_foreign(&(span.start..span.start + parts[0].len()));
        let thing = if foreign { None } else { self.scope.find(parts[0]) };
        let turned = if odd(&self.flips) { Sense::Minus } else { Sense::Same };
        let along = |flips: Flips, k: usize| if flips.get(k) == Some(&true) { Sense::Minus } else { Sense::Same };
        let vector = |flips: Flips, at: usize| parts.get(at).map_or(Sense::Vector(flips), |a| along(flips, axis(a)));
        let second = parts.get(1).copied().unwrap_or("");
        Ok(match thing {
            Some(Thing::Point) => vector(self.flips, 1),
            Some(Thing::Argument(k, _)) if self.arguments.get(k).is_some_and(|a| a.vector) => vector(self.flips, 1),
            Some(Thing::Number | Thing::List | Thing::Spring | Thing::Distance | Thing::Argument(..)) => Sense::Same,
            Some(Thing::Torsion | Thing::Angle) => turned,
            Some(Thing::Body) if second == "angle" => turned,
            Some(Thing::Joint) if second == "torque" && self.dimension == 2 => turned,
            Some(Thing::Joint) if second == "torque" => return Err(self.cannot(name, word)),
            Some(Thing::Coordinate(3)) => return Err(self.cannot(name, word)),
            Some(Thing::Coordinate(k)) => along(self.flips, k),
            Some(Thing::Body | Thing::Joint | Thing::Force) => vector(self.flips, 2),
            None => match (parts.len(), second) {
                _ if parts[0] == "system" => Sense::Same,
                (1, _) | (2, "x" | "y" | "z") => vector_or_number(&parts, self.point_above(parts[0])),
                (2, "angle" | "torque") if self.dimension == 2 => turned,
                (2, "length") => Sense::Same,
                (2, "angle" | "torque" | "force" | "speed" | "effort") => return Err(self.cannot(name, word)),
                _ => vector(self.flips, 2),
            },
        })
    }
    /// The reflection of a hard point of a template above, as the model knows it.
    fn point_above(&self, name: &str) -> Option<Flips> {
        let mut above = self.parent;
        while let Some(c) = above {
            if let Some(own) = name.strip_prefix(c.prefix.as_str()) {
                match c.scope.find(own) {
                    Some(Thing::Point) => return Some(c.flips),
                    Some(Thing::Argument(k, _)) if c.arguments.get(k).is_some_and(|a| a.vector) => return Some(c.flips),
                    _ => {}
                }
            }
            above = c.parent;
        }
        None
    }
    fn cannot(&self, name: &str, word: &Word) -> ModelError {
        let e = wrong(format!("`{name}` cannot be mirrored: the template does not say what it is"), &word.place);
        self.inside(e.help("move this expression out of the template, into the model itself"))
    }

    // arguments

    /// The value of an argument that is written here.
    pub fn argument(&self, node: &Node) -> Result<Argument, ModelError> {
        let text = match &node.value {
            Value::Text(word) => Some(self.renamed(word)?.text),
            Value::Number(x) => Some(x.to_string()),
            _ => None,
        };
        let number = |n: &Node| {
            let value = match &n.value {
                Value::Text(word) => Value::Text(self.even(word, Law::None)?),
                other => other.clone(),
            };
            Ok::<Node, ModelError>(Node { value, place: n.place.clone() })
        };
        let value = match &node.value {
            Value::List(items) => {
                Node { value: Value::List(items.iter().map(number).collect::<Result<_, _>>()?), place: node.place.clone() }
            }
            _ => number(node)?,
        };
        Ok(Argument { text, vector: value.is_list(), node: Some(value), as_text: Cell::new(false) })
    }
}

fn vector_or_number(parts: &[&str], point: Option<Flips>) -> Sense {
    match (point, parts.get(1)) {
        (None, _) => Sense::Same,
        (Some(flips), None) => Sense::Vector(flips),
        (Some(flips), Some(a)) => {
            if flips.get(axis(a)) == Some(&true) {
                Sense::Minus
            } else {
                Sense::Same
            }
        }
    }
}

impl Filled {
    fn is_foreign(&self, span: &Range<usize>) -> bool {
        self.foreign.iter().any(|f| f.start <= span.start && span.end <= f.end)
    }
}

impl Atom {
    fn plain(&self) -> String {
        format!("{}{}{}", self.open, self.name, self.close)
    }
    /// With the eyes of the template.
    fn seen(&self, dimension: usize) -> String {
        let Sense::Vector(flips) = self.sense else {
            return if self.sense == Sense::Minus { format!("(-{})", self.plain()) } else { self.plain() };
        };
        let part = |k: usize| {
            format!("{}{}{}.{}{}", if flips[k] { "-" } else { "" }, self.open, self.name, ["x", "y", "z"][k], self.close)
        };
        format!("[{}]", (0..dimension).map(part).collect::<Vec<_>>().join(", "))
    }
}

/// `Some(None)` for n, `Some(Some(k))` for i + k.
fn offset(text: &str) -> Option<Option<i64>> {
    match text.strip_prefix('i') {
        None => (text == "n").then_some(None),
        Some("") => Some(Some(0)),
        Some(rest) if rest.trim_start().starts_with(['+', '-']) => rest.replace(' ', "").parse().ok().map(Some),
        Some(_) => None,
    }
}

/// The word with another text.
pub fn replaced(word: &Word, text: String) -> Word {
    let exact = word.exact && text == word.text;
    Word { text, place: word.place.clone(), exact }
}

/// The expression, if it has names at all and is one; what is none is refused later, by the build.
fn parsed(text: &str) -> Option<Ast> {
    if text.contains(|c: char| c.is_alphabetic() || c == '_') { parse(text).ok() } else { None }
}

/// The part `range` of a text with pieces of it replaced; the edits are in order.
fn spliced(text: &str, range: Range<usize>, edits: Vec<(String, Range<usize>)>) -> String {
    let (mut out, mut at) = (String::new(), range.start);
    for (piece, span) in edits.into_iter().filter(|e| range.start <= e.1.start && e.1.end <= range.end) {
        out += &text[at..span.start];
        out += &piece;
        at = span.end;
    }
    out + &text[at..range.end]
}
