//! Symbols: what expressions are written with. Operators and functions add nodes to the graph.

use super::{Binary, Graph, Node, Table, Unary};
use std::collections::HashSet;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// A symbol: one node of a [`Graph`].
#[derive(Clone, Copy)]
pub struct Sym<'g> {
    pub(super) graph: &'g Graph,
    pub(super) node: u32,
}

impl std::fmt::Debug for Sym<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r{} = {:?}", self.node, self.graph.nodes.borrow().list[self.node as usize])
    }
}

macro_rules! unary {
    ($($f:ident $op:ident $doc:literal)*) => { $(
        #[doc = $doc]
        pub fn $f(self) -> Self {
            self.graph.insert(Node::Unary(Unary::$op, self.node))
        }
    )* };
}

macro_rules! binary {
    ($($f:ident $op:ident $doc:literal)*) => { $(
        #[doc = $doc]
        pub fn $f(self, o: Self) -> Self {
            self.with(o, |a, b| Node::Binary(Binary::$op, a, b))
        }
    )* };
}

impl<'g> Sym<'g> {
    unary! {
        sqrt Sqrt "√x." exp Exp "eˣ." ln Ln "Natural logarithm." sin Sin "Sine." cos Cos "Cosine."
        tan Tan "Tangent."
        asin Asin "Arc sine." acos Acos "Arc cosine." atan Atan "Arc tangent." sinh Sinh "Hyperbolic sine."
        cosh Cosh "Hyperbolic cosine." tanh Tanh "Hyperbolic tangent." abs Abs "|x|; slope 1 at 0."
        sign Sign "-1, 0 or 1, with zero derivative."
    }

    binary! {
        atan2 Atan2 "Angle of the vector (o, self), in (-π, π]."
        powf Powf "xʸ; a constant integer y gives a product or xⁿ."
        odd_power OddPower "sign(x)|x|ʸ." even_power EvenPower "|x|ʸ."
        min Min "The smaller; the first at a tie." max Max "The larger; the first at a tie."
        lt Lt "1 if self < o, else 0." le Le "1 if self ≤ o, else 0." gt Gt "1 if self > o, else 0."
        ge Ge "1 if self ≥ o, else 0." eq Eq "1 if self = o, else 0."
        beyond Beyond "1 if self > o, else 0, where pieces meet with two derivatives."
        meets Meets "1 if self > o, else 0, where two pieces meet."
        stays Stays "1 if self > o, else 0, where a run cannot change it."
        or Or "self if it is a number, else o; with zero derivative."
        unwrap_near Unwrap "self plus as many turns as bring it nearest to o; does not depend on o otherwise."
    }

    /// The integer power xⁿ.
    pub fn powi(self, n: i32) -> Self {
        self.graph.insert(Node::Powi(self.node, n))
    }

    /// `a` if self > 0, else `b`.
    pub fn select(self, a: Self, b: Self) -> Self {
        assert!(std::ptr::eq(self.graph, b.graph), "symbols of two graphs");
        self.with(a, |c, a| Node::Select(c, a, b.node))
    }

    /// The value of a table at self.
    pub fn table(self, table: &Arc<Table>) -> Self {
        let k = self.graph.nodes.borrow_mut().table(table);
        self.graph.insert(Node::Table(k, 0, self.node))
    }

    /// Its value, if it is a constant.
    pub fn as_constant(self) -> Option<f64> {
        self.graph.nodes.borrow().constant(self.node)
    }

    /// The inputs it depends on, sorted.
    pub fn inputs(self) -> Vec<usize> {
        let nodes = &self.graph.nodes.borrow().list;
        let mut seen = HashSet::from([self.node]);
        let mut stack = vec![self.node];
        let mut inputs = Vec::new();
        while let Some(k) = stack.pop() {
            match nodes[k as usize] {
                Node::Input(i) => inputs.push(i as usize),
                node => node.each_operand(|a| stack.extend(seen.insert(a).then_some(a))),
            }
        }
        inputs.sort_unstable();
        inputs
    }

    /// The graph that it belongs to.
    pub fn graph(self) -> &'g Graph {
        self.graph
    }

    /// The number of its node: the same for equal expressions.
    pub fn id(self) -> usize {
        self.node as usize
    }

    /// The node of an operation with another symbol of its graph.
    fn with(self, o: Self, node: impl FnOnce(u32, u32) -> Node) -> Self {
        assert!(std::ptr::eq(self.graph, o.graph), "symbols of two graphs");
        self.graph.insert(node(self.node, o.node))
    }
}

macro_rules! operators {
    ($($op:ident $f:ident)*) => { $(
        impl<'g> $op for Sym<'g> {
            type Output = Sym<'g>;
            fn $f(self, o: Sym<'g>) -> Sym<'g> {
                self.with(o, Node::$op)
            }
        }
        impl<'g> $op<f64> for Sym<'g> {
            type Output = Sym<'g>;
            fn $f(self, o: f64) -> Sym<'g> {
                self.with(self.graph.constant(o), Node::$op)
            }
        }
        impl<'g> $op<Sym<'g>> for f64 {
            type Output = Sym<'g>;
            fn $f(self, o: Sym<'g>) -> Sym<'g> {
                o.graph.constant(self).with(o, Node::$op)
            }
        }
    )* };
}

operators! { Add add Sub sub Mul mul Div div }

impl<'g> Neg for Sym<'g> {
    type Output = Sym<'g>;
    fn neg(self) -> Sym<'g> {
        self.graph.insert(Node::Neg(self.node))
    }
}
