//! Numbers of the model as symbols of the parameters ρ, and the slot table p = e(ρ).

use super::vectors::{AXES, Symbols, difference, dot, scaled, unit};
use crate::error::{ModelError, nearest};
use crate::expression::{Ast, Env, ExpressionError, Value, check_units, compile, parse};
use crate::mechanism::{Mechanism, Number, Source, Vector};
use crate::ports::Affine;
use crate::program::{Graph, Sym};
use crate::quadratic::{Form, RowTerms};
use crate::warning::{Warning, WarningCode};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// An expression as a message shows it.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST {
        text.into()
    } else {
        line.chars().take(MOST).chain("…".chars()).collect()
    }
}

/// Names of parameters, constants and hard points, and what they mean in ρ.
pub(crate) struct Numbers<'g> {
    /// The graph whose inputs are ρ.
    pub graph: &'g Graph,
    /// Nominal values of ρ [SI].
    pub rho: Vec<f64>,
    /// Nominal values of the nodes of the graph, as far as they were asked for.
    values: RefCell<Vec<f64>>,
    names: HashMap<String, Value<'g>>,
    /// Names of the splines.
    splines: HashSet<String>,
    /// Non-smooth functions met so far.
    pub warnings: Vec<Warning>,
    /// Dimension of the model, 2 or 3.
    pub dimension: usize,
}

impl<'g> Env<'g> for Numbers<'g> {
    fn name(&mut self, path: &str, _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(self.lookup(path))
    }
    fn call(&mut self, _: &str, _: &[Ast], _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(None)
    }
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names.keys().cloned().collect();
        names.sort();
        names
    }
}

impl<'g> Numbers<'g> {
    /// Parameters, then constants in order, then hard points.
    pub(crate) fn new(graph: &'g Graph, m: &Mechanism) -> Result<Self, ModelError> {
        let rho = vec![];
        let values = RefCell::new(vec![]);
        let names = HashMap::new();
        let splines = m.splines.iter().map(|s| s.name.text.clone()).collect();
        let mut n = Self { graph, rho, values, names, splines, warnings: vec![], dimension: m.dimension };
        for (i, p) in m.parameters.iter().enumerate() {
            n.define(&p.name, Value::Scalar(graph.input(i)))?;
        }
        for (name, c) in &m.constants {
            let value = n.number(c, &format!("constant `{name}`"))?;
            n.define(name, Value::Scalar(value))?;
        }
        for (name, at) in &m.hard_points {
            let value = n.vector(at, &format!("hard point `{name}`"))?;
            n.define(name, Value::Vector(value))?;
        }
        Ok(n)
    }
    fn define(&mut self, name: &crate::mechanism::Text, value: Value<'g>) -> Result<(), ModelError> {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.text.is_empty()
            || name.text.starts_with(|c: char| c.is_ascii_digit())
            || !name.text.chars().all(word)
        {
            let help = "letters, digits and _ ; a letter first";
            return Err(ModelError::new(format!("`{name}` cannot be a name")).at(&name.place).help(help));
        }
        if ["t", "pi", "ground", "system"].contains(&name.text.as_str()) {
            return Err(ModelError::new(format!("the name `{name}` is reserved")).at(&name.place));
        }
        if self.names.insert(name.text.clone(), value).is_some() {
            return Err(ModelError::new(format!("the name `{name}` is taken twice")).at(&name.place));
        }
        Ok(())
    }
    /// The value of a name, with `.x`, `.y`, `.z` of a hard point.
    pub(crate) fn lookup(&self, path: &str) -> Option<Value<'g>> {
        if let Some(v) = self.names.get(path) {
            return Some(v.clone());
        }
        let (head, tail) = path.rsplit_once('.')?;
        match self.names.get(head)? {
            Value::Vector(v) => Some(Value::Scalar(*v.get(AXES.iter().position(|a| *a == tail)?)?)),
            Value::Scalar(_) => None,
        }
    }
    /// Parses an expression that may read the time, and notes what is not smooth.
    pub(crate) fn parse(&mut self, x: &Number, what: &str) -> Result<Ast, ModelError> {
        self.parse_at(x, what, true, true)
    }
    /// Parses an expression whose conditions are sides of a run: there is nothing to note.
    pub(crate) fn parse_with_sides(&mut self, x: &Number, what: &str) -> Result<Ast, ModelError> {
        self.parse_at(x, what, true, false)
    }
    /// Parses an expression without notes, to see what it reads before it is compiled.
    pub(crate) fn glance(&mut self, x: &Number, what: &str) -> Result<Ast, ModelError> {
        let before = self.warnings.len();
        let ast = self.parse(x, what);
        self.warnings.truncate(before);
        ast
    }
    fn parse_at(&mut self, x: &Number, what: &str, timed: bool, compared: bool) -> Result<Ast, ModelError> {
        let text = match &x.source {
            Source::Expression(text) => text.clone(),
            Source::Value(v) => format!("{v:e}"),
        };
        let ast = parse(&text).map_err(|e| ModelError::expression(what, x, e))?;
        for (_, name) in ast.nonsmooth().into_iter().filter(|_| compared) {
            let shown = shortened(&text);
            let text = format!("{what}: {name}, in `{shown}`; gradients are those of the branch taken");
            self.warnings.push(Warning::new(WarningCode::NotSmooth, text).at(&x.place));
        }
        let known = |n: &str| self.names.contains_key(n) || self.splines.contains(n);
        for unit in check_units(&text, timed, known).map_err(|e| ModelError::expression(what, x, e))? {
            let hint = "write `*` between them if the name is meant";
            let text = format!("{what}: `{unit}` after a number in `{text}` is a unit, not the name; {hint}");
            self.warnings.push(Warning::new(WarningCode::UnitOrName, text));
        }
        Ok(ast)
    }
    fn value(&mut self, x: &Number, what: &str) -> Result<Value<'g>, ModelError> {
        if let Source::Value(v) = x.source {
            if !v.is_finite() {
                return Err(ModelError::new(format!("{what}: {v} is not a finite number")).at(&x.place));
            }
            return Ok(Value::Scalar(self.graph.constant(v)));
        }
        let ast = self.parse_at(x, what, false, true)?;
        let graph = self.graph;
        compile(&ast, graph, self).map_err(|e| ModelError::expression(what, x, e))
    }
    /// A scalar of ρ.
    pub(crate) fn number(&mut self, x: &Number, what: &str) -> Result<Sym<'g>, ModelError> {
        match self.value(x, what)? {
            Value::Scalar(s) => self.finite(s, what, &x.place),
            Value::Vector(_) => {
                Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place))
            }
        }
    }
    /// Refuses a number that is not finite at the nominal parameters; nothing is known before these are read.
    fn finite(&self, s: Sym<'g>, what: &str, place: &Option<Range<usize>>) -> Result<Sym<'g>, ModelError> {
        let x = match s.as_constant() {
            Some(x) => x,
            None if self.rho.is_empty() => return Ok(s),
            None => self.nominal(&[s])[0],
        };
        if x.is_finite() {
            return Ok(s);
        }
        let e = ModelError::new(format!("{what}: {x} is not a finite number")).at(place);
        Err(e.help("look for a root of a negative number or a division by zero"))
    }
    /// A vector of ρ.
    pub(crate) fn vector(&mut self, x: &Vector, what: &str) -> Result<Symbols<'g>, ModelError> {
        // the components, and where they stand in the file
        let (parts, place) = match x {
            Vector::Components(c, place) => {
                (c.iter().map(|c| self.number(c, what)).collect::<Result<Vec<_>, _>>()?, place.clone())
            }
            Vector::Expression(e) => match self.value(e, what)? {
                Value::Vector(v) => {
                    let finite = |s| self.finite(s, what, &e.place);
                    (v.into_iter().map(finite).collect::<Result<_, _>>()?, e.place.clone())
                }
                Value::Scalar(_) => {
                    let help =
                        format!("write {} components, such as {}", self.dimension, example(self.dimension));
                    return Err(ModelError::new(format!("{what}: a vector is expected here, not a number"))
                        .at(&e.place)
                        .help(help));
                }
            },
        };
        // as many as the model has dimensions
        let count = parts.len();
        let d = self.dimension;
        if count == d {
            return Ok(parts);
        }
        Err(ModelError::new(format!("{what}: {count} components in a {d}-D model"))
            .at(&place)
            .help(format!("write {d} components")))
    }
    /// A unit vector of ρ: that of `axis`, or local axis `k` if absent.
    pub(crate) fn direction(
        &mut self,
        axis: Option<&Vector>,
        k: usize,
        what: &str,
    ) -> Result<Symbols<'g>, ModelError> {
        let Some(axis) = axis else { return Ok(unit(self.graph, self.dimension, k)) };
        let v = self.vector(axis, what)?;
        self.normalised(v, what, &axis.place())
    }
    /// v/|v|; refused where v is zero at the nominal parameters.
    pub(crate) fn normalised(
        &mut self,
        v: Symbols<'g>,
        what: &str,
        place: &Option<Range<usize>>,
    ) -> Result<Symbols<'g>, ModelError> {
        let length = dot(&v, &v).sqrt();
        let value = self.nominal(&[length])[0];
        // its square must neither vanish nor overflow
        if !(1e-12..1e150).contains(&value) {
            let length = match value {
                v if v < 1e-12 => "zero".into(),
                v if v > 1e150 => "more than 1e150".into(),
                v => format!("{v}"),
            };
            let e = ModelError::new(format!("{what} has length {length}")).at(place);
            return Err(e.help(format!(
                "give a direction of any ordinary length, such as {}",
                example(self.dimension)
            )));
        }
        Ok(v.into_iter().map(|x| x / length).collect())
    }
    /// The unit vector of a given direction across a unit axis.
    pub(crate) fn across(
        &mut self,
        v: &Vector,
        axis: &Symbols<'g>,
        what: &str,
    ) -> Result<Symbols<'g>, ModelError> {
        let given = self.vector(v, what)?;
        let across = difference(&given, &scaled(dot(&given, axis), axis));
        self.normalised(across, &format!("{what}, across the axis,"), &v.place())
    }
    /// Values of symbols at the nominal parameters.
    pub(crate) fn nominal(&self, symbols: &[Sym<'g>]) -> Vec<f64> {
        let mut values = self.values.borrow_mut();
        self.graph.extend_values(&self.rho, &mut values);
        symbols.iter().map(|s| values[s.id()]).collect()
    }
    /// A number that no parameter may change.
    pub(crate) fn constant(&mut self, x: &Number, what: &str) -> Result<f64, ModelError> {
        self.number(x, what)?.as_constant().ok_or_else(|| {
            ModelError::new(format!("{what}: this number cannot depend on parameters"))
                .at(&x.place)
                .help("write a plain number")
        })
    }
}

/// A vector as an example for messages.
fn example(dimension: usize) -> &'static str {
    if dimension == 2 { "[1, 0]" } else { "[1, 0, 0]" }
}

/// An unknown name, with the nearest known one.
pub(super) fn unknown<'a>(
    kind: &str,
    name: &crate::mechanism::Text,
    known: impl IntoIterator<Item = &'a str>,
) -> ModelError {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match nearest(&name.text, known.iter().copied()) {
        Some(n) => format!("did you mean `{n}`?"),
        None if known.is_empty() => format!("the model has no {kind}"),
        None => format!("known: {}", known.join(", ")),
    };
    ModelError::new(format!("there is no {kind} `{name}`")).at(&name.place).help(help)
}

/// Slots p = e(ρ): each distinct symbol once; slot 0 is 1, slot 1 is 0.
pub(crate) struct SlotTable<'g> {
    /// The symbols, in order.
    pub symbols: Vec<Sym<'g>>,
    index: HashMap<usize, u32>,
}
impl<'g> SlotTable<'g> {
    /// The slots 1 and 0.
    pub(crate) fn new(graph: &'g Graph) -> Self {
        let mut table = Self { symbols: vec![], index: HashMap::new() };
        table.slot(graph.constant(1.0));
        table.slot(graph.constant(0.0));
        table
    }
    /// The slot of a symbol.
    pub(crate) fn slot(&mut self, s: Sym<'g>) -> u32 {
        *self.index.entry(s.id()).or_insert_with(|| {
            self.symbols.push(s);
            self.symbols.len() as u32 - 1
        })
    }
}

/// Σ c q_i q_j + Σ c q_i + c with symbolic coefficients: a row while the system is being built.
#[derive(Clone)]
pub(crate) struct Quad<'g> {
    bilinear: BTreeMap<(usize, usize), Sym<'g>>,
    linear: BTreeMap<usize, Sym<'g>>,
    constant: Sym<'g>,
}
impl<'g> Quad<'g> {
    /// The form that is 0.
    pub(crate) fn zero(graph: &'g Graph) -> Self {
        Self { bilinear: BTreeMap::new(), linear: BTreeMap::new(), constant: graph.constant(0.0) }
    }
    /// Adds a constant: self + c.
    pub(crate) fn plus_constant(mut self, c: Sym<'g>) -> Self {
        self.constant = self.constant + c;
        self
    }
    /// Adds a multiple: self + s a.
    pub(crate) fn plus(mut self, s: Sym<'g>, a: &Affine<'g>) -> Self {
        for &(i, c) in &a.terms {
            self.linear.entry(i).and_modify(|x| *x = *x + s * c).or_insert(s * c);
        }
        self.plus_constant(s * a.constant)
    }
    /// Adds a product: self + s a b.
    pub(crate) fn plus_product(mut self, s: Sym<'g>, a: &Affine<'g>, b: &Affine<'g>) -> Self {
        for &(i, ca) in &a.terms {
            for &(j, cb) in &b.terms {
                let c = s * ca * cb;
                self.bilinear.entry((i.min(j), i.max(j))).and_modify(|x| *x = *x + c).or_insert(c);
            }
        }
        let constants = (s * a.constant, s * b.constant);
        let fixed = s * a.constant * b.constant;
        let linear = |x: &Affine<'g>| Affine { terms: x.terms.clone(), constant: fixed * 0.0 };
        self.plus(constants.1, &linear(a)).plus(constants.0, &linear(b)).plus_constant(fixed)
    }
    /// self + s a·b of vectors.
    pub(crate) fn plus_dot(self, s: Sym<'g>, a: &[Affine<'g>], b: &[Affine<'g>]) -> Self {
        a.iter().zip(b).fold(self, |sum, (a, b)| sum.plus_product(s, a, b))
    }
    /// What makes two rows the same to the letter.
    pub(crate) fn key(&self) -> Vec<usize> {
        let bilinear = self.bilinear.iter().flat_map(|(&(i, j), s)| [i, j, s.id()]);
        let linear = self.linear.iter().flat_map(|(&i, s)| [i, usize::MAX, s.id()]);
        bilinear.chain(linear).chain([self.constant.id()]).collect()
    }
    /// A constraint row on slots: A_ij = A_ji is the coefficient of q_i q_j, and twice it on the diagonal.
    pub(crate) fn row(&self, slots: &mut SlotTable<'g>) -> RowTerms {
        let form = self.form(slots);
        let mut a = vec![];
        for (&(i, j), &s) in self.bilinear.iter().filter(|(_, s)| s.as_constant() != Some(0.0)) {
            if i == j {
                a.push((i, i, slots.slot(s * 2.0)));
            } else {
                let slot = slots.slot(s);
                a.extend([(i, j, slot), (j, i, slot)]);
            }
        }
        RowTerms { a, b: form.linear, c: form.constant }
    }
    /// The form on slots.
    pub(crate) fn form(&self, slots: &mut SlotTable<'g>) -> Form {
        let zero = |s: &Sym<'g>| s.as_constant() == Some(0.0);
        Form {
            bilinear: self
                .bilinear
                .iter()
                .filter(|(_, s)| !zero(s))
                .map(|(&(i, j), &s)| (i, j, slots.slot(s)))
                .collect(),
            linear: self.linear.iter().filter(|(_, s)| !zero(s)).map(|(&i, &s)| (i, slots.slot(s))).collect(),
            constant: if zero(&self.constant) { vec![] } else { vec![slots.slot(self.constant)] },
        }
    }
}
