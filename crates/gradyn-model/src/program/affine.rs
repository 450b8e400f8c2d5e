//! Is an output affine in some inputs, as it is written?
//!
//! ```text
//! degree of x_i: 1,   of a + b: the larger,   of a b: the sum,   of a / b: that of a if b has none  (1)
//! ```
//! Everything else, and what branches, must have degree 0. Terms of higher degree that would cancel count.

use super::{Binary, Node, Program};

impl Program {
    /// Has every output at most degree 1 in the inputs that `moving` says?
    pub(crate) fn affine(&self, moving: impl Fn(usize) -> bool) -> bool {
        let mut degree: Vec<u32> = Vec::with_capacity(self.code.len());
        for node in &self.code {
            let of = |a: u32| degree[a as usize];
            degree.push(node.degree(&moving, of));
        }
        self.outputs.iter().all(|&k| degree[k as usize] <= 1)
    }
}

/// More than affine.
const HIGH: u32 = 2;

impl Node {
    /// (1) with the degrees of the operands.
    fn degree(self, moving: impl Fn(usize) -> bool, of: impl Fn(u32) -> u32) -> u32 {
        let none = |d: u32| if d == 0 { 0 } else { HIGH };
        match self {
            Node::Constant(_) => 0,
            Node::Input(i) => u32::from(moving(i as usize)),
            Node::Add(a, b) | Node::Sub(a, b) => of(a).max(of(b)),
            Node::Mul(a, b) => (of(a) + of(b)).min(HIGH),
            Node::Div(a, b) => of(a).max(none(of(b))),
            Node::Scale(a, _) | Node::Neg(a) | Node::Binary(Binary::Unwrap, a, _) => of(a),
            Node::Powi(a, _) | Node::Unary(_, a) | Node::Table(_, _, a) => none(of(a)),
            Node::Binary(_, a, b) => none(of(a)).max(none(of(b))),
            Node::Select(c, a, b) => none(of(c)).max(of(a)).max(of(b)),
        }
    }
}
