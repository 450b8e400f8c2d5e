//! Where functions jump or kink by themselves: cuts, poles, and roots of zero.
//!
//! ```text
//! atan2(y, x)     y = 0 where x < 0;  x² + y² = 0         tan(x)        cos(x) = 0                       (1)
//! a / b           b = 0                                   xⁿ, n < 0;  xʸ;  ln(x)        x = 0            (2)
//! √u              u = 0                                   asin(x), acos(x)              1 - x² = 0       (3)
//! ```
//! What is positive as it is written is never zero. An atan2 whose turns are counted has no cut, and |x| is
//! a condition of its own: √(x x) is rewritten as |x| where the conditions of an expression are sides.

use super::{Binary, Graph, Node, Sym, Unary};
use std::collections::{HashMap, HashSet};

/// What a function may do where an operand is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutKind {
    /// The cut of `atan2`, or its origin.
    Atan2,
    /// A pole of `tan`.
    Tan,
    /// A division by zero.
    Quotient,
    /// A power or a logarithm of zero.
    Power,
    /// A root of zero: a norm or a distance.
    Root,
    /// An end of the range of `asin` and `acos`.
    Arc,
}

impl CutKind {
    /// What is passed, for messages.
    pub fn text(self) -> &'static str {
        match self {
            Self::Atan2 => "the cut of `atan2`",
            Self::Tan => "a pole of `tan`",
            Self::Quotient => "a division by zero",
            Self::Power => "a power or a logarithm of zero",
            Self::Root => "the zero of a root, a norm or a distance",
            Self::Arc => "an end of the range of `asin` or `acos`",
        }
    }
}

impl Graph {
    /// Functions that are zero where what a symbol needs may jump or kink, (1) to (3).
    pub(crate) fn cuts<'g>(&'g self, symbol: Sym<'g>) -> Vec<(CutKind, Sym<'g>)> {
        let mut found = vec![];
        let mut seen = HashSet::new();
        let mut signs = HashMap::new();
        for k in self.cut_nodes(symbol) {
            let node = self.nodes.borrow().list[k as usize];
            let new =
                |cut: &(CutKind, Sym<'g>)| self.may_vanish(cut.1, &mut signs) && seen.insert(cut.1.id());
            found.extend(self.cuts_of(node).into_iter().filter(new));
        }
        found
    }
    /// Symbols with √(x x) as |x|.
    pub(crate) fn with_absolutes<'g>(&'g self, symbols: &[Sym<'g>]) -> Vec<Sym<'g>> {
        let mut new: HashMap<u32, u32> = HashMap::new();
        for k in self.ancestors(symbols) {
            let node = self.nodes.borrow().list[k as usize].map(|a| new[&a]);
            let node = match node {
                Node::Unary(Unary::Sqrt, u) => match self.nodes.borrow().list[u as usize] {
                    Node::Mul(x, y) if x == y => Node::Unary(Unary::Abs, x),
                    _ => node,
                },
                node => node,
            };
            new.insert(k, self.insert(node).node);
        }
        symbols.iter().map(|s| Sym { graph: self, node: new[&s.node] }).collect()
    }
    /// Nodes that a symbol needs, without those whose turns are counted.
    fn cut_nodes(&self, symbol: Sym) -> Vec<u32> {
        let nodes = &self.nodes.borrow().list;
        let mut found = vec![];
        let mut stack = vec![symbol.node];
        let mut seen = HashSet::from([symbol.node]);
        while let Some(k) = stack.pop() {
            let node = nodes[k as usize];
            found.push(k);
            let counted = |a: u32| matches!(nodes[a as usize], Node::Binary(Binary::Atan2, ..));
            match node {
                Node::Binary(Binary::Unwrap, a, _) if counted(a) => {
                    nodes[a as usize].each_operand(|x| stack.extend(seen.insert(x).then_some(x)));
                }
                node => node.each_operand(|x| stack.extend(seen.insert(x).then_some(x))),
            }
        }
        found.sort_unstable();
        found
    }
    /// (1) to (3) of one node.
    fn cuts_of<'g>(&'g self, node: Node) -> Vec<(CutKind, Sym<'g>)> {
        let s = |node: u32| Sym { graph: self, node };
        match node {
            Node::Binary(Binary::Atan2, y, x) => {
                let [y, x] = [s(y), s(x)];
                vec![(CutKind::Atan2, y), (CutKind::Atan2, x * x + y * y)]
            }
            Node::Unary(Unary::Tan, x) => vec![(CutKind::Tan, s(x).cos())],
            // a root has a zero of its own
            Node::Div(_, b) if self.is_root(b) => vec![],
            Node::Div(_, b) => vec![(CutKind::Quotient, s(b))],
            Node::Powi(x, n) if n < 0 && !self.is_root(x) => vec![(CutKind::Power, s(x))],
            Node::Binary(Binary::Powf | Binary::OddPower | Binary::EvenPower, x, _)
            | Node::Unary(Unary::Ln, x) => vec![(CutKind::Power, s(x))],
            Node::Unary(Unary::Sqrt, u) => vec![(CutKind::Root, s(u))],
            Node::Unary(Unary::Asin | Unary::Acos, x) => vec![(CutKind::Arc, 1.0 - s(x) * s(x))],
            _ => vec![],
        }
    }
    fn is_root(&self, k: u32) -> bool {
        matches!(self.nodes.borrow().list[k as usize], Node::Unary(Unary::Sqrt, _))
    }
    /// May a symbol be zero along a run? Not if it is positive as it is written, and not if it is constant.
    fn may_vanish(&self, x: Sym, signs: &mut HashMap<u32, Sign>) -> bool {
        let nodes = &self.nodes.borrow().list;
        !x.inputs().is_empty() && sign(nodes, x.node, signs) != Sign::Positive
    }
}

/// What is known of the sign of an expression as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Positive,
    NotNegative,
    Unknown,
}

/// The sign of a node; those that are known are not asked again, so that sums that share terms take no time.
fn sign(nodes: &[Node], k: u32, known: &mut HashMap<u32, Sign>) -> Sign {
    if let Some(&sign) = known.get(&k) {
        return sign;
    }
    let found = sign_of(nodes[k as usize], &mut |a| sign(nodes, a, known));
    known.insert(k, found);
    found
}

/// The sign of a node by those of its operands.
fn sign_of(node: Node, of: &mut dyn FnMut(u32) -> Sign) -> Sign {
    use Sign::{NotNegative, Positive, Unknown};
    match node {
        Node::Constant(c) if f64::from_bits(c) > 0.0 => Positive,
        Node::Constant(c) if f64::from_bits(c) == 0.0 => NotNegative,
        Node::Unary(Unary::Exp | Unary::Cosh, _) => Positive,
        Node::Unary(Unary::Sqrt, a) => of(a),
        Node::Unary(Unary::Abs, _) | Node::Binary(Binary::EvenPower, ..) => NotNegative,
        Node::Scale(a, c) if f64::from_bits(c) > 0.0 => of(a),
        Node::Mul(a, b) if a == b => NotNegative,
        Node::Powi(_, n) if n % 2 == 0 => NotNegative,
        Node::Add(a, b) => match (of(a), of(b)) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (NotNegative, NotNegative) => NotNegative,
            _ => Positive,
        },
        Node::Mul(a, b) | Node::Div(a, b) => match (of(a), of(b)) {
            (Positive, Positive) => Positive,
            (Unknown, _) | (_, Unknown) => Unknown,
            _ => NotNegative,
        },
        _ => Unknown,
    }
}
