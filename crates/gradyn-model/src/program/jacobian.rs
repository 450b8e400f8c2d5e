//! Partials of all outputs over some inputs, by elimination of what is between them.
//!
//! ```text
//! c_ki = ∂f_k/∂r_i                    local partials, at the registers         (1)
//! c_ji += c_jk c_ki, all i → k → j    vertex k goes; at the end ∂y/∂x is left  (2)  [Griewank, Reese 1991]
//! ```
//! (2) is planned once: the vertex with the fewest products goes first, and factors that are constants (sums,
//! differences, multiples) cost nothing. Evaluation runs a list of products. What only the branch not taken
//! reads has no partials: it may be singular.

use super::{Node, Program};
use gradyn_num::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// A partial while (2) is planned.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Constant(f64),
    Value(u32),
}

/// One value of the list; operands are values before it.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// c of the first or the second operand of a register.
    Local(u32, bool),
    Mul(u32, u32),
    Scale(u32, f64),
    Add(u32, u32),
    AddMul(u32, u32, u32),
    AddScaled(u32, u32, f64),
    AddConstant(u32, f64),
}

/// ∂y/∂x of a program.
#[derive(Clone, Debug, Default)]
pub struct Jacobian {
    steps: Vec<Step>,
    entries: Vec<(u32, u32, Edge)>,
    branches: bool,
}

/// The graph of (2): for each register, and then for each output, its partials over earlier ones, and who
/// reads it.
struct Plan {
    partials: Vec<BTreeMap<u32, Edge>>,
    readers: Vec<BTreeSet<u32>>,
    steps: Vec<Step>,
}

impl Plan {
    fn push(&mut self, step: Step) -> Edge {
        self.steps.push(step);
        Edge::Value(self.steps.len() as u32 - 1)
    }
    fn scale(&mut self, a: u32, c: f64) -> Edge {
        match c {
            0.0 => Edge::Constant(0.0),
            1.0 => Edge::Value(a),
            _ => self.push(Step::Scale(a, c)),
        }
    }
    /// The edge of the product a b.
    fn product(&mut self, a: Edge, b: Edge) -> Edge {
        match (a, b) {
            (Edge::Constant(a), Edge::Constant(b)) => Edge::Constant(a * b),
            (Edge::Constant(c), Edge::Value(a)) | (Edge::Value(a), Edge::Constant(c)) => self.scale(a, c),
            (Edge::Value(a), Edge::Value(b)) => self.push(Step::Mul(a, b)),
        }
    }
    /// The edge of the sum o + a b.
    fn sum(&mut self, o: Edge, a: Edge, b: Edge) -> Edge {
        match (o, a, b) {
            (Edge::Value(o), Edge::Value(a), Edge::Value(b)) => self.push(Step::AddMul(o, a, b)),
            (Edge::Value(o), Edge::Constant(c), Edge::Value(a))
            | (Edge::Value(o), Edge::Value(a), Edge::Constant(c)) => {
                self.push(if c == 1.0 { Step::Add(o, a) } else { Step::AddScaled(o, a, c) })
            }
            (Edge::Value(o), Edge::Constant(a), Edge::Constant(b)) => self.push(Step::AddConstant(o, a * b)),
            (Edge::Constant(o), ..) => match self.product(a, b) {
                Edge::Constant(c) => Edge::Constant(o + c),
                Edge::Value(a) if o == 0.0 => Edge::Value(a),
                Edge::Value(a) => self.push(Step::AddConstant(a, o)),
            },
        }
    }
    /// Adds a b to the partial of k over i.
    fn join(&mut self, k: u32, i: u32, a: Edge, b: Edge) {
        let new = match self.partials[k as usize].get(&i).copied() {
            Some(old) => self.sum(old, a, b),
            None => self.product(a, b),
        };
        self.partials[k as usize].insert(i, new);
        self.readers[i as usize].insert(k);
    }
    fn cost(&self, k: usize) -> usize {
        self.partials[k].len() * self.readers[k].len()
    }
    /// Vertex k goes.
    fn eliminate(&mut self, k: usize) {
        let before = std::mem::take(&mut self.partials[k]);
        let after = std::mem::take(&mut self.readers[k]);
        for &j in &after {
            let Some(edge) = self.partials[j as usize].remove(&(k as u32)) else { continue };
            for (&i, &c) in &before {
                self.join(j, i, edge, c);
            }
        }
        for i in before.keys() {
            self.readers[*i as usize].remove(&(k as u32));
        }
    }
    /// (1) of register k over operands that move.
    fn locals(&mut self, k: u32, node: Node, moving: &[bool]) {
        let constants = match node {
            Node::Add(..) => [1.0, 1.0].map(Some),
            Node::Sub(..) => [1.0, -1.0].map(Some),
            Node::Neg(_) => [Some(-1.0), None],
            Node::Scale(_, c) => [Some(f64::from_bits(c)), None],
            _ => [None, None],
        };
        for (second, a) in node.differentiated().into_iter().enumerate() {
            let Some(a) = a.filter(|&a| moving[a as usize]) else { continue };
            let c = constants[second].map_or_else(|| self.push(Step::Local(k, second == 1)), Edge::Constant);
            self.join(k, a, c, Edge::Constant(1.0));
        }
    }
}

impl Jacobian {
    /// Plans (2) for the inputs that are `active`.
    pub fn new(program: &Program, active: impl Fn(usize) -> bool) -> Self {
        // an empty plan over registers and outputs
        let n = program.code.len();
        let outputs = program.outputs.len();
        let size = n + outputs;
        let mut plan = Plan {
            partials: vec![BTreeMap::new(); size],
            readers: vec![BTreeSet::new(); size],
            steps: vec![],
        };
        // (1) of the registers that depend on an active input
        let mut moving = vec![false; n];
        for (k, node) in program.code.iter().enumerate() {
            moving[k] = matches!(node, Node::Input(i) if active(*i as usize))
                || node.differentiated().into_iter().flatten().any(|a| moving[a as usize]);
            plan.locals(k as u32, *node, &moving);
        }
        // outputs read their registers
        for (o, &k) in program.outputs.iter().enumerate().filter(|(_, k)| moving[**k as usize]) {
            plan.join((n + o) as u32, k, Edge::Constant(1.0), Edge::Constant(1.0));
        }
        // (2), the cheapest vertex first
        let mut left: Vec<usize> =
            (0..n).filter(|&k| moving[k] && !matches!(program.code[k], Node::Input(_))).collect();
        while let Some(next) = (0..left.len()).rev().min_by_key(|&i| plan.cost(left[i])) {
            plan.eliminate(left.swap_remove(next));
        }
        // what is left: partials of outputs over inputs
        let mut entries = vec![];
        for (o, partials) in plan.partials[n..].iter().enumerate() {
            for (&k, &edge) in partials {
                entries.extend(if let Node::Input(i) = program.code[k as usize] {
                    Some((o as u32, i, edge))
                } else {
                    None
                });
            }
        }
        Self { steps: plan.steps, entries, branches: program.code.iter().any(|n| n.branches()) }
    }
    /// Numbers that an evaluation needs.
    pub fn size(&self) -> usize {
        self.steps.len()
    }
    /// f(output, input, ∂y/∂x) for every entry, at the registers of `eval`. `live.len() ≥ registers()`,
    /// `values.len() ≥ size()`.
    pub fn each<S: Scalar>(
        &self,
        program: &Program,
        regs: &[S],
        live: &mut [bool],
        values: &mut [S],
        mut f: impl FnMut(u32, u32, S),
    ) {
        // registers behind a branch that is not taken have no partials
        if self.branches {
            program.mark_live(regs, live);
        }
        // the plan, step by step
        let values = &mut values[..self.steps.len()];
        for (t, step) in self.steps.iter().enumerate() {
            let v = |a: u32| values[a as usize];
            values[t] = match *step {
                Step::Local(k, _) if self.branches && !live[k as usize] => S::zero(),
                Step::Local(k, second) => program.partial(k as usize, second, regs).unwrap_or(S::zero()),
                Step::Mul(a, b) => v(a) * v(b),
                Step::Scale(a, c) => v(a) * c,
                Step::Add(a, b) => v(a) + v(b),
                Step::AddMul(o, a, b) => v(o) + v(a) * v(b),
                Step::AddScaled(o, a, c) => v(o) + v(a) * c,
                Step::AddConstant(a, c) => v(a) + S::from(c),
            };
        }
        // ∂y/∂x, entry by entry
        for &(output, input, edge) in &self.entries {
            let value = match edge {
                Edge::Constant(c) => S::from(c),
                Edge::Value(a) => values[a as usize],
            };
            f(output, input, value);
        }
    }
}
