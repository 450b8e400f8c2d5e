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
mod jacobian;
mod rate;
mod smooth;
mod symbol;
mod table;

pub use jacobian::Jacobian;
pub use symbol::Sym;
pub use table::Table;

use gradyn_num::Scalar;
use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::TAU;
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

#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unary { Sqrt, Exp, Ln, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Abs, Sign }

#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Binary { Atan2, Powf, Min, Max, Lt, Le, Gt, Ge, Eq, Unwrap }

impl Unary {
    #[inline(always)]
    fn value<S: Scalar>(self, a: S) -> S {
        match self {
            Unary::Sqrt => a.sqrt(),
            Unary::Exp => a.exp(),
            Unary::Ln => a.ln(),
            Unary::Sin => a.sin(),
            Unary::Cos => a.cos(),
            Unary::Tan => a.tan(),
            Unary::Asin => a.asin(),
            Unary::Acos => a.acos(),
            Unary::Atan => a.atan(),
            Unary::Sinh => a.sinh(),
            Unary::Cosh => a.cosh(),
            Unary::Tanh => a.tanh(),
            Unary::Abs => a.abs(),
            Unary::Sign if a.re() == 0.0 => S::zero(),
            Unary::Sign => S::from(a.re().signum()),
        }
    }

    /// f'(a), with v = f(a).
    #[inline(always)]
    fn slope<S: Scalar>(self, a: S, v: S) -> S {
        match self {
            Unary::Sqrt => S::from(0.5) / v,
            Unary::Exp => v,
            Unary::Ln => S::one() / a,
            Unary::Sin => a.cos(),
            Unary::Cos => -a.sin(),
            Unary::Tan => S::one() + v * v,
            Unary::Asin => S::one() / (S::one() - a * a).sqrt(),
            Unary::Acos => -(S::one() / (S::one() - a * a).sqrt()),
            Unary::Atan => S::one() / (S::one() + a * a),
            Unary::Sinh => a.cosh(),
            Unary::Cosh => a.sinh(),
            Unary::Tanh => S::one() - v * v,
            Unary::Abs => S::from(if a.re() < 0.0 { -1.0 } else { 1.0 }),
            Unary::Sign => S::zero(),
        }
    }
}

impl Binary {
    #[inline(always)]
    fn value<S: Scalar>(self, a: S, b: S) -> S {
        let truth = |c: bool| S::from(f64::from(u8::from(c)));
        match self {
            Binary::Atan2 => a.atan2(b),
            Binary::Powf => a.powf(b),
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            Binary::Lt => truth(a.re() < b.re()),
            Binary::Le => truth(a.re() <= b.re()),
            Binary::Gt => truth(a.re() > b.re()),
            Binary::Ge => truth(a.re() >= b.re()),
            Binary::Eq => truth(a.re() == b.re()),
            Binary::Unwrap => a + S::from(TAU * ((b.re() - a.re()) / TAU).round()),
        }
    }

    /// (∂f/∂a, ∂f/∂b) with v = f(a, b); `None` where f does not depend on the operand.
    #[inline(always)]
    fn slopes<S: Scalar>(self, a: S, b: S, v: S) -> (Option<S>, Option<S>) {
        let first = |taken: bool| if taken { (Some(S::one()), None) } else { (None, Some(S::one())) };
        match self {
            Binary::Atan2 => {
                let d = a * a + b * b;
                (Some(b / d), Some(-(a / d)))
            }
            // ∂(aᵇ)/∂b → 0 as a → 0
            Binary::Powf => (Some(b * a.powf(b - S::one())), (a.re() != 0.0).then(|| v * a.ln())),
            Binary::Min => first(b.re() >= a.re() || b.re().is_nan()),
            Binary::Max => first(b.re() <= a.re() || b.re().is_nan()),
            Binary::Unwrap => first(true),
            _ => (None, None),
        }
    }
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
            Node::Binary(Binary::Atan2 | Binary::Powf | Binary::Min | Binary::Max, a, b) => {
                [Some(a), Some(b)]
            }
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

#[derive(Debug, Default)]
struct Nodes {
    list: Vec<Node>,
    index: HashMap<Node, u32>,
    tables: Vec<Arc<Table>>,
}

impl Nodes {
    fn constant(&self, a: u32) -> Option<f64> {
        if let Node::Constant(c) = self.list[a as usize] { Some(f64::from_bits(c)) } else { None }
    }

    /// The number of a node equal to `node` in value: folded, simplified, shared.
    fn insert(&mut self, node: Node) -> u32 {
        let mut constant = !matches!(node, Node::Input(_) | Node::Constant(_));
        node.each_operand(|a| constant &= self.constant(a).is_some());
        let node = if constant {
            let value: f64 = node.value(&[], &self.tables, |a| self.constant(a).unwrap_or(f64::NAN));
            Node::Constant(value.to_bits())
        } else {
            match self.simplify(node) {
                Ok(same) => return same,
                Err(node) => node,
            }
        };
        let list = &mut self.list;
        *self.index.entry(node).or_insert_with(|| {
            list.push(node);
            (list.len() - 1) as u32
        })
    }

    /// The number of a table.
    fn table(&mut self, table: &Arc<Table>) -> u32 {
        let found = self.tables.iter().position(|t| t == table);
        found.unwrap_or_else(|| {
            self.tables.push(table.clone());
            self.tables.len() - 1
        }) as u32
    }

    /// Is a = -b to the letter?
    fn opposite(&self, a: u32, b: u32) -> bool {
        self.list[a as usize] == Node::Neg(b) || self.list[b as usize] == Node::Neg(a)
    }

    /// An existing node, or the node to add; not all operands are constant.
    fn simplify(&mut self, node: Node) -> Result<u32, Node> {
        let is = |nodes: &Self, a: u32, v: f64| nodes.constant(a) == Some(v);
        // a node that exists already (`Ok`), or the one to insert (`Err`)
        match node {
            Node::Add(a, b) if is(self, b, 0.0) => Ok(a),
            Node::Add(a, b) if is(self, a, 0.0) => Ok(b),
            Node::Add(a, b) if self.opposite(a, b) => Ok(self.insert(Node::Constant(0))),
            Node::Add(a, b) => Err(Node::Add(a.min(b), a.max(b))),
            Node::Sub(a, b) if is(self, b, 0.0) => Ok(a),
            Node::Sub(a, b) if is(self, a, 0.0) => Ok(self.insert(Node::Neg(b))),
            Node::Sub(a, b) if a == b => Ok(self.insert(Node::Constant(0))),
            Node::Mul(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(c), _) => self.simplify(Node::Scale(b, c.to_bits())),
                (_, Some(c)) => self.simplify(Node::Scale(a, c.to_bits())),
                _ => Err(Node::Mul(a.min(b), a.max(b))),
            },
            Node::Scale(a, c) => match f64::from_bits(c) {
                0.0 => Ok(self.insert(Node::Constant(0))),
                1.0 => Ok(a),
                -1.0 => Ok(self.insert(Node::Neg(a))),
                _ => Err(node),
            },
            Node::Div(a, _) if is(self, a, 0.0) => Ok(self.insert(Node::Constant(0))),
            Node::Div(a, b) if is(self, b, 1.0) => Ok(a),
            Node::Neg(a) => match self.list[a as usize] {
                Node::Neg(x) => Ok(x),
                _ => Err(node),
            },
            Node::Powi(_, 0) => Ok(self.insert(Node::Constant(1f64.to_bits()))),
            Node::Powi(a, 1) => Ok(a),
            Node::Powi(a, 2) => Err(Node::Mul(a, a)),
            Node::Binary(Binary::Powf, a, b) => match self.constant(b) {
                Some(n) if n.fract() == 0.0 && n.abs() <= 1e6 => Ok(self.insert(Node::Powi(a, n as i32))),
                Some(0.5) => Err(Node::Unary(Unary::Sqrt, a)),
                _ => Err(node),
            },
            Node::Select(_, a, b) if a == b => Ok(a),
            Node::Select(c, a, b) => self.constant(c).map(|c| if c > 0.0 { a } else { b }).ok_or(node),
            _ => Err(node),
        }
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
