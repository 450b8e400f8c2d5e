//! The nodes of a graph: equal ones are shared, constants folded, exact simplifications applied.

use super::*;

#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) list: Vec<Node>,
    index: HashMap<Node, u32>,
    pub(super) tables: Vec<Arc<Table>>,
}

impl Nodes {
    pub(super) fn constant(&self, a: u32) -> Option<f64> {
        if let Node::Constant(c) = self.list[a as usize] { Some(f64::from_bits(c)) } else { None }
    }

    /// The number of a node equal to `node` in value: folded, simplified, shared.
    pub(super) fn insert(&mut self, node: Node) -> u32 {
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
    pub(super) fn table(&mut self, table: &Arc<Table>) -> u32 {
        let found = self.tables.iter().position(|t| t == table);
        found.unwrap_or_else(|| {
            self.tables.push(table.clone());
            self.tables.len() - 1
        }) as u32
    }

    /// Is a = -b to the letter?
    pub(super) fn opposite(&self, a: u32, b: u32) -> bool {
        self.list[a as usize] == Node::Neg(b) || self.list[b as usize] == Node::Neg(a)
    }

    /// An existing node, or the node to add; not all operands are constant.
    pub(super) fn simplify(&mut self, node: Node) -> Result<u32, Node> {
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
