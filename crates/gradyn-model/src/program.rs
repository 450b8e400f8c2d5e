//! Flat programs: a graph of symbols, evaluated forward and swept in reverse.
//!
//! ```text
//! r_k = f_k(r_a, r_b),   k = 0 … n-1,   a, b < k                             (1)   eval
//! r̄_a += r̄_k ∂f_k/∂r_a,  k = n-1 … 0,   x̄_i += r̄_k where r_k = x_i           (2)   reverse
//! ```
//!
//! A [`Graph`] shares equal nodes, folds constants and applies the exact simplifications x+0, x-0, x-x, x·1,
//! x·0, 0/x, x/1, -(-x), x⁰, x¹; x·0 = 0 and x-x = 0 even where x would not be finite. Branches are decided
//! by real parts; the derivative is that of the branch taken (the first at a tie), and the other branch is
//! never swept, so it may be singular. Comparisons and `sign` have the derivative zero. Registers are not
//! reused, because (2) reads all of them; constants are registers too, loaded in (1).

mod affine;
mod cut;
mod function;
mod jacobian;
mod nodes;
mod rate;
mod root;
mod side;
mod smooth;
mod symbol;
mod table;

pub use cut::CutKind;
pub use jacobian::Jacobian;
pub use side::Edge;
pub(crate) use side::SideOf;
pub use symbol::Sym;
pub use table::Table;

use function::{Binary, Unary};
use gradyn_num::Scalar;
use nodes::Nodes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// One instruction; operands are registers. Constants are kept as bits, so that nodes can be compared and
/// hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Constant(u64),
    Input(u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Div(u32, u32),
    Scale(u32, u64),
    Neg(u32),
    Powi(u32, i32),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
    Select(u32, u32, u32),
    /// A table of the graph, the order of its derivative, and the operand.
    Table(u32, u8, u32),
}

impl Node {
    /// (1) with operands from `r`.
    #[inline(always)]
    fn value<S: Scalar>(self, x: &[S], tables: &[Arc<Table>], r: impl Fn(u32) -> S) -> S {
        match self {
            Node::Constant(c) => S::from(f64::from_bits(c)),
            Node::Input(i) => x[i as usize],
            Node::Add(a, b) => r(a) + r(b),
            Node::Sub(a, b) => r(a) - r(b),
            Node::Mul(a, b) => r(a) * r(b),
            Node::Div(a, b) => r(a) / r(b),
            Node::Scale(a, c) => r(a) * f64::from_bits(c),
            Node::Neg(a) => -r(a),
            Node::Powi(a, n) => r(a).powi(n),
            Node::Unary(f, a) => f.value(r(a)),
            Node::Binary(f, a, b) => f.value(r(a), r(b)),
            Node::Select(c, a, b) => r(if r(c).re() > 0.0 { a } else { b }),
            Node::Table(k, order, a) => tables[k as usize].value(order, r(a)),
        }
    }

    /// The node with its operands mapped by `f`.
    fn map(self, mut f: impl FnMut(u32) -> u32) -> Node {
        match self {
            Node::Constant(_) | Node::Input(_) => self,
            Node::Add(a, b) => Node::Add(f(a), f(b)),
            Node::Sub(a, b) => Node::Sub(f(a), f(b)),
            Node::Mul(a, b) => Node::Mul(f(a), f(b)),
            Node::Div(a, b) => Node::Div(f(a), f(b)),
            Node::Scale(a, c) => Node::Scale(f(a), c),
            Node::Neg(a) => Node::Neg(f(a)),
            Node::Powi(a, n) => Node::Powi(f(a), n),
            Node::Unary(g, a) => Node::Unary(g, f(a)),
            Node::Binary(g, a, b) => Node::Binary(g, f(a), f(b)),
            Node::Select(c, a, b) => Node::Select(f(c), f(a), f(b)),
            Node::Table(k, order, a) => Node::Table(k, order, f(a)),
        }
    }

    /// Operands that the value depends on smoothly: not conditions.
    fn differentiated(self) -> [Option<u32>; 2] {
        match self {
            Node::Constant(_) | Node::Input(_) | Node::Unary(Unary::Sign, _) => [None, None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Div(a, b) => [Some(a), Some(b)],
            Node::Scale(a, _)
            | Node::Neg(a)
            | Node::Powi(a, _)
            | Node::Unary(_, a)
            | Node::Table(_, _, a) => [Some(a), None],
            Node::Binary(Binary::Atan2 | Binary::Powf | Binary::OddPower | Binary::EvenPower, a, b)
            | Node::Binary(Binary::Min | Binary::Max, a, b) => [Some(a), Some(b)],
            Node::Binary(Binary::Unwrap, a, _) => [Some(a), None],
            Node::Binary(..) => [None, None],
            Node::Select(_, a, b) => [Some(a), Some(b)],
        }
    }

    /// Does it take one of two operands?
    fn branches(self) -> bool {
        matches!(self, Node::Select(..) | Node::Binary(Binary::Min | Binary::Max, ..))
    }

    fn each_operand(self, mut f: impl FnMut(u32)) {
        self.map(|a| {
            f(a);
            a
        });
    }
}

/// A graph of symbols over inputs x₀, x₁, …
#[derive(Debug, Default)]
pub struct Graph {
    nodes: RefCell<Nodes>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of a constant.
    pub fn constant(&self, value: f64) -> Sym<'_> {
        self.insert(Node::Constant(value.to_bits()))
    }

    /// The symbol of input xᵢ.
    pub fn input(&self, i: usize) -> Sym<'_> {
        assert!(i < u32::MAX as usize, "input index {i} is too large");
        self.insert(Node::Input(i as u32))
    }

    /// The program of some outputs: only what they need, registers in order of creation.
    pub fn program(&self, outputs: &[Sym<'_>]) -> Program {
        let nodes = &self.nodes.borrow().list;
        let mut register = vec![u32::MAX; nodes.len()];
        // needed: marked by 0, backwards
        for s in outputs {
            assert!(std::ptr::eq(s.graph, self), "symbol of another graph");
            register[s.node as usize] = 0;
        }
        for k in (0..nodes.len()).rev() {
            if register[k] == 0 {
                nodes[k].each_operand(|a| register[a as usize] = 0);
            }
        }
        // renumbered, forwards
        let mut code = Vec::new();
        let mut used_inputs = Vec::new();
        for k in 0..nodes.len() {
            if register[k] == 0 {
                register[k] = code.len() as u32;
                code.push(nodes[k].map(|a| register[a as usize]));
                used_inputs.extend(if let Node::Input(i) = nodes[k] { Some(i as usize) } else { None });
            }
        }
        used_inputs.sort_unstable();
        let outputs = outputs.iter().map(|s| register[s.node as usize]).collect();
        let any = code.iter().any(|n| matches!(n, Node::Table(..)));
        let tables = if any { self.nodes.borrow().tables.clone() } else { vec![] };
        Program { code, outputs, used_inputs, tables }
    }

    /// Values of all nodes at x; `values` holds those of the nodes that it was extended to before, at the
    /// same x.
    pub(crate) fn extend_values(&self, x: &[f64], values: &mut Vec<f64>) {
        let nodes = self.nodes.borrow();
        for node in &nodes.list[values.len()..] {
            let value = node.value(x, &nodes.tables, |a| values[a as usize]);
            values.push(value);
        }
    }

    fn insert(&self, node: Node) -> Sym<'_> {
        let node = self.nodes.borrow_mut().insert(node);
        Sym { graph: self, node }
    }
}

/// A flat program y = f(x); see (1), (2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    code: Vec<Node>,
    outputs: Vec<u32>,
    used_inputs: Vec<usize>,
    tables: Vec<Arc<Table>>,
}

/// Mark of a register that no seed reaches: a NaN that no arithmetic produces.
const UNREACHED: u64 = 0x7ff8_6772_6164_796e;

impl Program {
    /// Number of registers.
    pub fn registers(&self) -> usize {
        self.code.len()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// 1 + the largest input index, 0 without inputs: the least length of x.
    pub fn inputs(&self) -> usize {
        self.used_inputs.last().map_or(0, |i| i + 1)
    }

    /// The inputs the outputs depend on, sorted.
    pub fn used_inputs(&self) -> &[usize] {
        &self.used_inputs
    }

    /// Which outputs depend on any input.
    pub fn varying(&self) -> Vec<bool> {
        let mut varies = vec![false; self.code.len()];
        for (k, node) in self.code.iter().enumerate() {
            varies[k] = matches!(node, Node::Input(_));
            node.each_operand(|a| varies[k] |= varies[a as usize]);
        }
        self.outputs.iter().map(|&k| varies[k as usize]).collect()
    }

    /// (1). `x.len() ≥ inputs()`, `regs.len() ≥ registers()`.
    pub fn eval<S: Scalar>(&self, x: &[S], regs: &mut [S]) {
        let regs = &mut regs[..self.code.len()];
        for (k, node) in self.code.iter().enumerate() {
            regs[k] = node.value(x, &self.tables, |a| regs[a as usize]);
        }
    }

    /// Output `k` after [`eval`](Self::eval).
    #[inline]
    pub fn output<S: Scalar>(&self, k: usize, regs: &[S]) -> S {
        regs[self.outputs[k] as usize]
    }

    /// (2): x̄ᵢ += Σ s ∂y_k/∂xᵢ over the seeds (k, s), at the registers of [`eval`](Self::eval).
    /// `bars.len() ≥ registers()` is scratch; `xbar.len() ≥ inputs()`.
    pub fn reverse<S: Scalar>(&self, regs: &[S], seeds: &[(usize, S)], bars: &mut [S], xbar: &mut [S]) {
        let n = self.code.len();
        let regs = &regs[..n];
        let bars = &mut bars[..n];
        bars.fill(S::from(f64::from_bits(UNREACHED)));
        for &(k, s) in seeds {
            add(bars, self.outputs[k], s);
        }
        for k in (0..n).rev() {
            if bars[k].re().to_bits() != UNREACHED {
                self.sweep(k, regs, bars, xbar);
            }
        }
    }

    /// One instruction of (2).
    #[inline(always)]
    fn sweep<S: Scalar>(&self, k: usize, regs: &[S], bars: &mut [S], xbar: &mut [S]) {
        // r̄_a += s ∂v/∂a for each operand a
        let r = |a: u32| regs[a as usize];
        let v = regs[k];
        let s = bars[k];
        match self.code[k] {
            Node::Constant(_) => {}
            Node::Input(i) => xbar[i as usize] += s,
            Node::Add(a, b) => {
                add(bars, a, s);
                add(bars, b, s);
            }
            Node::Sub(a, b) => {
                add(bars, a, s);
                add(bars, b, -s);
            }
            Node::Mul(a, b) => {
                add(bars, a, s * r(b));
                add(bars, b, s * r(a));
            }
            Node::Div(a, b) => {
                let d = s / r(b);
                add(bars, a, d);
                add(bars, b, -(d * v));
            }
            Node::Scale(a, c) => add(bars, a, s * f64::from_bits(c)),
            Node::Neg(a) => add(bars, a, -s),
            Node::Select(c, a, b) => add(bars, if r(c).re() > 0.0 { a } else { b }, s),
            Node::Powi(a, _) | Node::Unary(_, a) | Node::Table(_, _, a) => {
                self.partial(k, false, regs).into_iter().for_each(|d| add(bars, a, s * d));
            }
            Node::Binary(_, a, b) => {
                self.partial(k, false, regs).into_iter().for_each(|d| add(bars, a, s * d));
                self.partial(k, true, regs).into_iter().for_each(|d| add(bars, b, s * d));
            }
        }
    }

    /// ∂f_k over its first or second operand; `None` where it does not depend on it.
    #[inline(always)]
    fn partial<S: Scalar>(&self, k: usize, second: bool, regs: &[S]) -> Option<S> {
        // ∂v/∂a of the first operand or of the second; none where it is zero
        let r = |a: u32| regs[a as usize];
        let v = regs[k];
        Some(match self.code[k] {
            Node::Constant(_) | Node::Input(_) | Node::Unary(Unary::Sign, _) => return None,
            Node::Add(..) => S::one(),
            Node::Sub(..) => S::from(if second { -1.0 } else { 1.0 }),
            Node::Neg(_) => S::from(-1.0),
            Node::Scale(_, c) => S::from(f64::from_bits(c)),
            Node::Mul(a, b) => r(if second { a } else { b }),
            Node::Div(_, b) if second => -(v / r(b)),
            Node::Div(_, b) => S::one() / r(b),
            Node::Powi(a, n) => r(a).powi(n.saturating_sub(1)) * f64::from(n),
            Node::Unary(f, a) => f.slope(r(a), v),
            Node::Binary(f, a, b) => {
                let (first, other) = f.slopes(r(a), r(b), v);
                return if second { other } else { first };
            }
            Node::Select(c, ..) => return ((r(c).re() > 0.0) != second).then(S::one),
            Node::Table(t, order, a) => self.tables[t as usize].value(order + 1, r(a)),
        })
    }

    /// Registers that the outputs depend on through the branches that are taken.
    fn mark_live<S: Scalar>(&self, regs: &[S], live: &mut [bool]) {
        live[..self.code.len()].fill(false);
        self.outputs.iter().for_each(|&k| live[k as usize] = true);
        for k in (0..self.code.len()).rev() {
            if !live[k] {
                continue;
            }
            for (second, a) in self.code[k].differentiated().into_iter().enumerate() {
                let taken = !self.code[k].branches() || self.partial(k, second == 1, regs).is_some();
                a.filter(|_| taken).into_iter().for_each(|a| live[a as usize] = true);
            }
        }
    }
}

/// Adds to the cotangent of a register, r̄_a += s.
#[inline(always)]
fn add<S: Scalar>(bars: &mut [S], a: u32, s: S) {
    let bar = &mut bars[a as usize];
    *bar = if bar.re().to_bits() == UNREACHED { s } else { *bar + s };
}
