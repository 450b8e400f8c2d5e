//! Conditions of expressions as sides: numbers that are given, in place of comparisons.
//!
//! ```text
//! u > v    side of g = u - v: 1 where it is positive, 0 where it is negative                            (1)
//! |x|      x on the side x > 0, else -x
//! min(u, v)   v on the side u > v, else u;      max(u, v)   v on the side v > u, else u                  (2)
//! sign(x)  1 on the side x > 0, else -1
//! if(c, a, b)   a on the side c > 0, else b; none of its own where c is made of comparisons only
//! ```
//! Powers that begin at an edge ([`super::root`]) go on beyond it.
//! A side that is not a number is not known: it is compared as the expression says. Programs that are given
//! their sides never compare, so that a law goes on smoothly beyond its edge.

use super::root::Roots;
use super::{Binary, Graph, Node, Program, Sym, Unary};
use std::collections::HashMap;

/// What happens to an expression where a condition changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// Pieces meet with two derivatives; the operands are over the width of the pieces.
    Joined,
    /// The value goes on, its slope does not.
    Corner,
    /// A power of the distance begins whose exponent is no integer, which has a slope if it is above 1.
    /// Derivatives of the motion over parameters begin like a root of the time, so that the edge must move
    /// with the parameters.
    Root,
    /// The value may jump.
    Jump,
}

impl Edge {
    /// What happens to the second rate of an expression, or at least to its first one.
    pub(crate) fn of_rates(self) -> Self {
        if self == Self::Joined { Self::Corner } else { Self::Jump }
    }
}

/// Gives the side of a condition u > v, or nothing where it cannot change along a run.
pub(crate) type SideOf<'a, 'g> = &'a mut dyn FnMut([Sym<'g>; 2], Edge) -> Option<Sym<'g>>;

impl Graph {
    /// Symbols with their conditions replaced by sides, (1) and (2).
    pub(crate) fn sided<'g>(&'g self, symbols: &[Sym<'g>], side: SideOf<'_, 'g>) -> Vec<Sym<'g>> {
        let mut new: HashMap<u32, u32> = HashMap::new();
        let nodes = self.ancestors(symbols);
        let roots = Roots::new(&self.nodes.borrow().list, &nodes);
        for k in nodes {
            let node = self.nodes.borrow().list[k as usize].map(|a| new[&a]);
            let mut rooted = |pair: [Sym<'g>; 2], edge: Edge| match edge {
                Edge::Corner | Edge::Jump if roots.edges.contains(&k) => side(pair, Edge::Root),
                edge => side(pair, edge),
            };
            let replaced = self.rooted(&roots, k, node, &new).or_else(|| self.replaced(node, &mut rooted));
            let replaced = replaced.unwrap_or_else(|| self.insert(node));
            new.insert(k, replaced.node);
        }
        symbols.iter().map(|s| Sym { graph: self, node: new[&s.node] }).collect()
    }
    /// One condition of (1), (2) by its side.
    fn replaced<'g>(&'g self, node: Node, side: SideOf<'_, 'g>) -> Option<Sym<'g>> {
        let s = |node: u32| Sym { graph: self, node };
        let zero = self.constant(0.0);
        match node {
            Node::Unary(Unary::Abs, x) => {
                let x = s(x);
                let positive = side([x, zero], Edge::Corner)?.or(x.ge(zero));
                Some(positive.select(x, -x))
            }
            Node::Unary(Unary::Sign, x) => {
                let positive = side([s(x), zero], Edge::Jump)?;
                Some((positive * 2.0 - 1.0).or(s(x).sign()))
            }
            Node::Binary(f, u, v) => self.replaced_pair(f, [s(u), s(v)], side),
            Node::Select(c, a, b) if self.varies_smoothly(s(c)) => {
                let positive = side([s(c), zero], Edge::Jump)?.or(s(c).gt(zero));
                Some(positive.select(s(a), s(b)))
            }
            _ => None,
        }
    }
    /// A comparison, or the smaller or larger of two, by its side.
    fn replaced_pair<'g>(&'g self, f: Binary, [u, v]: [Sym<'g>; 2], side: SideOf<'_, 'g>) -> Option<Sym<'g>> {
        let compared = self.insert(Node::Binary(f, u.node, v.node));
        match f {
            Binary::Lt | Binary::Le => Some(side([v, u], Edge::Jump)?.or(compared)),
            Binary::Gt | Binary::Ge => Some(side([u, v], Edge::Jump)?.or(compared)),
            Binary::Beyond => Some(side([u, v], Edge::Joined)?.or(compared)),
            Binary::Meets => Some(side([u, v], Edge::Corner)?.or(compared)),
            Binary::Min => Some(side([u, v], Edge::Corner)?.or(v.lt(u)).select(v, u)),
            Binary::Max => Some(side([v, u], Edge::Corner)?.or(v.gt(u)).select(v, u)),
            _ => None,
        }
    }
    /// Does a symbol depend on an input other than through conditions?
    pub(crate) fn varies_smoothly(&self, x: Sym) -> bool {
        let nodes = &self.nodes.borrow().list;
        let mut stack = vec![x.node];
        let mut seen = std::collections::HashSet::from([x.node]);
        while let Some(k) = stack.pop() {
            let node = nodes[k as usize];
            if let Node::Input(_) = node {
                return true;
            }
            stack.extend(node.differentiated().into_iter().flatten().filter(|a| seen.insert(*a)));
        }
        false
    }
    /// The operands of a difference, if a symbol is one.
    pub(crate) fn difference(&self, x: Sym) -> Option<[usize; 2]> {
        match self.nodes.borrow().list[x.id()] {
            Node::Sub(a, b) => Some([a as usize, b as usize]),
            _ => None,
        }
    }
    /// The symbol of a node by its number.
    pub(crate) fn symbol(&self, id: usize) -> Sym<'_> {
        Sym { graph: self, node: id as u32 }
    }
}

impl Program {
    /// The outputs as symbols of another graph, on symbols of the inputs.
    pub(crate) fn replay<'g>(
        &self,
        graph: &'g Graph,
        mut input: impl FnMut(usize) -> Sym<'g>,
    ) -> Vec<Sym<'g>> {
        let mut new: Vec<u32> = Vec::with_capacity(self.code.len());
        for node in &self.code {
            let symbol = match *node {
                Node::Input(i) => input(i as usize),
                Node::Table(k, order, a) => {
                    let table = graph.nodes.borrow_mut().table(&self.tables[k as usize]);
                    graph.insert(Node::Table(table, order, new[a as usize]))
                }
                node => graph.insert(node.map(|a| new[a as usize])),
            };
            new.push(symbol.node);
        }
        self.outputs.iter().map(|&k| Sym { graph, node: new[k as usize] }).collect()
    }
}
