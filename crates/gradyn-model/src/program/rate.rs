//! Rates of symbols: one more symbol for each node.
//!
//! ```text
//! ṙ_k = Σ_a ∂f_k/∂r_a ṙ_a                                                                        (1)
//! ```
//! With the rates of the inputs given as symbols, the rate of any expression is again an expression, so that
//! `vel(…)` and `acc(…)` apply to whatever can be written.

use super::{Binary, Graph, Node, Sym, Unary};
use std::collections::HashMap;

impl Graph {
    /// (1): the rate of each of `symbols`; `input(i)` is the rate of input i.
    pub fn rates<'g>(&'g self, symbols: &[Sym<'g>], mut input: impl FnMut(usize) -> Sym<'g>) -> Vec<Sym<'g>> {
        let mut known: HashMap<u32, Sym<'g>> = HashMap::new();
        for k in self.ancestors(symbols) {
            let node = self.nodes.borrow().list[k as usize];
            let rate = match node {
                Node::Input(i) => input(i as usize),
                node => self.rate(k, node, |a| known[&a]),
            };
            known.insert(k, rate);
        }
        symbols.iter().map(|s| known[&s.node]).collect()
    }
    /// Everything that some symbols need, operands first.
    pub(super) fn ancestors(&self, symbols: &[Sym]) -> Vec<u32> {
        let nodes = &self.nodes.borrow().list;
        let mut stack: Vec<u32> = symbols.iter().map(|s| s.node).collect();
        let mut seen: std::collections::BTreeSet<u32> = stack.iter().copied().collect();
        while let Some(k) = stack.pop() {
            nodes[k as usize].each_operand(|a| stack.extend(seen.insert(a).then_some(a)));
        }
        seen.into_iter().collect()
    }
    /// (1) for one node with rates of its operands.
    fn rate<'g>(&'g self, k: u32, node: Node, rate: impl Fn(u32) -> Sym<'g>) -> Sym<'g> {
        let s = |node: u32| Sym { graph: self, node };
        match node {
            Node::Constant(_) | Node::Input(_) => self.constant(0.0),
            Node::Add(a, b) => rate(a) + rate(b),
            Node::Sub(a, b) => rate(a) - rate(b),
            Node::Mul(a, b) => rate(a) * s(b) + s(a) * rate(b),
            Node::Div(a, b) => (rate(a) - s(k) * rate(b)) / s(b),
            Node::Scale(a, c) => rate(a) * f64::from_bits(c),
            Node::Neg(a) => -rate(a),
            Node::Powi(a, n) => s(a).powi(n.saturating_sub(1)) * f64::from(n) * rate(a),
            Node::Unary(f, a) => self.unary_slope(f, s(a), s(k)) * rate(a),
            Node::Binary(f, a, b) => self.binary_rate(f, [s(a), s(b), s(k)], [rate(a), rate(b)]),
            Node::Select(c, a, b) => s(c).select(rate(a), rate(b)),
            Node::Table(k, order, a) => self.insert(Node::Table(k, order + 1, a)) * rate(a),
        }
    }
    /// f'(a), with v = f(a).
    fn unary_slope<'g>(&'g self, f: Unary, a: Sym<'g>, v: Sym<'g>) -> Sym<'g> {
        match f {
            Unary::Sqrt => 0.5 / v,
            Unary::Exp => v,
            Unary::Ln => 1.0 / a,
            Unary::Sin => a.cos(),
            Unary::Cos => -a.sin(),
            Unary::Tan => v * v + 1.0,
            Unary::Asin => 1.0 / (1.0 - a * a).sqrt(),
            Unary::Acos => -1.0 / (1.0 - a * a).sqrt(),
            Unary::Atan => 1.0 / (a * a + 1.0),
            Unary::Sinh => a.cosh(),
            Unary::Cosh => a.sinh(),
            Unary::Tanh => 1.0 - v * v,
            Unary::Abs => a.lt(self.constant(0.0)).select(self.constant(-1.0), self.constant(1.0)),
            Unary::Sign => self.constant(0.0),
        }
    }
    fn binary_rate<'g>(&'g self, f: Binary, [a, b, v]: [Sym<'g>; 3], [ra, rb]: [Sym<'g>; 2]) -> Sym<'g> {
        match f {
            Binary::Atan2 => (b * ra - a * rb) / (a * a + b * b),
            Binary::Powf => b * a.powf(b - 1.0) * ra + v * a.ln() * rb,
            Binary::OddPower => b * a.even_power(b - 1.0) * ra + self.exponent_rate(a, v) * rb,
            Binary::EvenPower => b * a.odd_power(b - 1.0) * ra + self.exponent_rate(a, v) * rb,
            Binary::Min => a.le(b).select(ra, rb),
            Binary::Max => a.ge(b).select(ra, rb),
            Binary::Unwrap => ra,
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => self.constant(0.0),
            Binary::Eq | Binary::Beyond | Binary::Meets | Binary::Stays | Binary::Or => self.constant(0.0),
        }
    }
    /// v ln |a|, the slope of a power v of |a| over its exponent, which vanishes with a.
    fn exponent_rate<'g>(&'g self, a: Sym<'g>, v: Sym<'g>) -> Sym<'g> {
        let zero = self.constant(0.0);
        a.eq(zero).select(zero, v * a.abs().ln())
    }
}
