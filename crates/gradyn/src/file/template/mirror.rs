//! Expressions of a mirrored copy.
//!
//! A mirrored copy is the mirror image of the copy without `mirror`. With M the reflection (signs of the
//! axes), a position p of the template is M p in the model, and what the model knows as p' is M p' in the
//! eyes of the template. An expression therefore keeps its value if everything that it reads is taken with
//! the eyes of the template:
//!
//! ```text
//! vectors: points, hard points, reactions, forces            p  →  M p                                   (1)
//! angles, torques and their rates (in the plane)             θ  →  det M · θ                             (2)
//! lengths, distances, tensions, energies, plain numbers      stay                                        (3)
//! ```
//!
//! and a vector of the template is mirrored once more where it enters the model (`polar`). Hard points of the
//! surrounding model are numbers and stay: a copy that starts from P and its mirror image, which starts from
//! M P.

mod sense;

use super::text::{Context, Filled, parsed, replaced, spliced};
use super::wrong;
use crate::file::tree::Word;
use gradyn_model::ModelError;
use gradyn_model::expression::{Ast, Expr, parse};
use std::ops::Range;

/// Axes that change their sign: the diagonal of M.
pub(crate) type Flips = [bool; 3];

/// Does the image change the handedness: det M = -1?
pub(crate) fn odd(flips: &Flips) -> bool {
    flips.iter().filter(|f| **f).count() % 2 == 1
}

/// Functions whose values depend on the handedness of frames.
const FRAMES: [&str; 5] = ["local", "axis", "roll", "pitch", "yaw"];

/// Whose law an expression is: `length` or `angle` and `speed` are those of the spring, whatever else has
/// these names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    None,
    Spring,
    Torsion,
}

impl Law {
    pub(crate) fn owns(self, name: &str) -> bool {
        match self {
            Law::None => false,
            Law::Spring => name == "length" || name == "speed",
            Law::Torsion => name == "angle" || name == "speed",
        }
    }
}

/// What mirroring does to a value that is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sense {
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

impl Context<'_> {
    /// The value of an expression with the eyes of the template.
    pub(crate) fn even(&self, word: &Word, law: Law) -> Result<Word, ModelError> {
        if !self.mirrored() {
            return self.renamed_law(word, law);
        }
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(replaced(word, filled.text)) };
        self.check_units(&filled.text, word)?;
        let text = self.seen(&ast, &filled, 0..filled.text.len(), law, word)?;
        Ok(replaced(word, text))
    }
    /// A vector of the template as the model knows it: M times its value.
    pub(crate) fn polar(&self, word: &Word) -> Result<Word, ModelError> {
        // without a mirror only names change
        if !self.mirrored() {
            return self.renamed(word);
        }
        // the expression, if it is one
        let filled = self.fill(word)?;
        let Ok(ast) = parse(&filled.text) else { return Ok(replaced(word, filled.text)) };
        self.check_units(&filled.text, word)?;
        // a vector by itself, or by its components
        match (&ast.expr, self.atom(&ast, &filled, Law::None, word)?) {
            (_, Some(atom)) if atom.sense == Sense::Vector(self.flips) => {
                return Ok(replaced(word, atom.plain()));
            }
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
        // any other expression: M (…)
        let text = self.seen(&ast, &filled, 0..filled.text.len(), Law::None, word)?;
        Ok(replaced(word, self.reflected(&text)))
    }
    /// M v of a vector expression v.
    pub(crate) fn reflected(&self, v: &str) -> String {
        let part = |k: usize| {
            let unit: Vec<&str> = (0..self.dimension).map(|j| if j == k { "1" } else { "0" }).collect();
            format!("{}dot({v}, [{}])", if self.flips[k] { "-" } else { "" }, unit.join(", "))
        };
        format!("[{}]", (0..self.dimension).map(part).collect::<Vec<_>>().join(", "))
    }
    /// What mirroring does to the value of a plain sensor; `None` if the expression is none.
    pub(crate) fn sense(&self, word: &Word) -> Result<Option<Sense>, ModelError> {
        let filled = self.fill(word)?;
        let Some(ast) = parsed(&filled.text) else { return Ok(None) };
        Ok(self.atom(&ast, &filled, Law::None, word)?.map(|a| a.sense))
    }
    /// The part `range` of an expression with the eyes of the template.
    fn seen(
        &self,
        ast: &Ast,
        filled: &Filled,
        range: Range<usize>,
        law: Law,
        word: &Word,
    ) -> Result<String, ModelError> {
        // edits = names as the mirror sees them
        let mut edits = vec![];
        let mut nodes = vec![ast];
        while let Some(node) = nodes.pop() {
            if let Some(atom) = self.atom(node, filled, law, word)? {
                self.spend(self.dimension * atom.name.len(), &word.place)?;
                edits.push((atom.seen(self.dimension), node.span.clone()));
                continue;
            }
            match &node.expr {
                Expr::Number(_) | Expr::Name(_) => {}
                Expr::Call { args: items, .. } | Expr::Vector(items) => nodes.extend(items),
                Expr::Neg(a) | Expr::Component(a, _) => nodes.push(a),
                Expr::Binary(first, rest) => {
                    nodes.push(first);
                    nodes.extend(rest.iter().map(|r| &r.1));
                }
            }
        }
        // text with these edits
        edits.sort_by_key(|e| e.1.start);
        Ok(spliced(&filled.text, range, edits))
    }
    /// A name, or a call of vel, acc, distance or angle.
    fn atom(&self, ast: &Ast, filled: &Filled, law: Law, word: &Word) -> Result<Option<Atom>, ModelError> {
        // a name, its rate, or a function of names: a sense of its own
        match &ast.expr {
            Expr::Name(name) if law.owns(name) => {
                let sense = if law == Law::Torsion { self.turned() } else { Sense::Same };
                Ok(Some(Atom::new(name.clone(), sense)))
            }
            Expr::Name(name) => {
                let sense = self.sense_of(name, &ast.span, filled, word)?;
                Ok(Some(Atom::new(self.name(name, &ast.span, filled), sense)))
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
                let edits = ast
                    .names()
                    .into_iter()
                    .map(|(name, span)| (self.name(&name, &span, filled), span))
                    .collect();
                let sense = if function == "angle" { self.turned() } else { Sense::Same };
                Ok(Some(Atom::new(spliced(&filled.text, ast.span.clone(), edits), sense)))
            }
            Expr::Call { function, .. } if FRAMES.contains(&function.as_str()) => {
                Err(self.cannot(function, word))
            }
            _ => Ok(None),
        }
    }
    /// The error of a name whose mirror image is not known.
    fn cannot(&self, name: &str, word: &Word) -> ModelError {
        let e = wrong(format!("`{name}` cannot be read in a mirrored template"), &word.place);
        self.inside(e.help("move this expression out of the template, into the model itself"))
    }
}

impl Atom {
    /// A name alone.
    fn new(name: String, sense: Sense) -> Self {
        Self { open: String::new(), name, close: "", sense }
    }
    fn plain(&self) -> String {
        format!("{}{}{}", self.open, self.name, self.close)
    }
    /// With the eyes of the template.
    fn seen(&self, dimension: usize) -> String {
        let Sense::Vector(flips) = self.sense else {
            return if self.sense == Sense::Minus { format!("(-{})", self.plain()) } else { self.plain() };
        };
        let part = |k: usize| {
            format!(
                "{}{}{}.{}{}",
                if flips[k] { "-" } else { "" },
                self.open,
                self.name,
                ["x", "y", "z"][k],
                self.close
            )
        };
        format!("[{}]", (0..dimension).map(part).collect::<Vec<_>>().join(", "))
    }
}
