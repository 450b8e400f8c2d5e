//! Powers that begin where a condition changes, with an exponent that is no integer.
//!
//! ```text
//! (c max(x, 0))ʸ,  (c |x|)ʸ      sign(e)|e|ʸ cʸ,   e what max(x, 0) or |x| is on its side               (1)
//! (-c min(x, 0))ʸ                sign(e)|e|ʸ cʸ,   e what -min(x, 0) is on its side                     (2)
//! if(x > 0, c xʸ, 0)             c sign(x)|x|ʸ on the side x > 0, else 0                                (3)
//! ```
//! Beyond the edge xʸ has no value. What is written goes on there, with its slope where y > 1, and the edge
//! is a root ([`super::Edge::Root`]). A power of (3) that stands elsewhere too is left as it is.

use super::{Binary, Graph, Node, Sym, Unary};
use std::collections::{HashMap, HashSet};

/// What of some nodes belongs to roots.
#[derive(Default)]
pub(super) struct Roots {
    /// Conditions that are edges of roots: comparisons, `abs`, `min`, `max`.
    pub edges: HashSet<u32>,
    /// Bases of the powers of (1) and (2).
    bases: HashMap<u32, Base>,
    /// Powers of (3).
    cases: HashSet<u32>,
}

/// The base of a power as a product: a number, what vanishes at the edge, and other factors.
struct Base {
    number: f64,
    vanishes: u32,
    others: Vec<u32>,
    divisors: Vec<u32>,
}

impl Roots {
    /// The roots among some nodes.
    pub(super) fn new(list: &[Node], nodes: &[u32]) -> Self {
        // how often each node is an operand
        let mut uses: HashMap<u32, usize> = HashMap::new();
        nodes.iter().for_each(|k| list[*k as usize].each_operand(|a| *uses.entry(a).or_default() += 1));

        // powers, and comparisons that are more than the condition of (3)
        let mut new = Self::default();
        let mut jumps = HashSet::new();
        for &k in nodes {
            let node = list[k as usize];
            let case = new.note(list, &uses, k);
            node.each_operand(|a| {
                jumps.extend((is_comparison(list[a as usize]) && case != Some(a)).then_some(a))
            });
        }
        new.edges.retain(|k| !jumps.contains(k));
        new
    }
    /// Notes what node `k` is; the condition of a case.
    fn note(&mut self, list: &[Node], uses: &HashMap<u32, usize>, k: u32) -> Option<u32> {
        match list[k as usize] {
            Node::Binary(Binary::Powf, base, _) => {
                let base = Base::new(list, base)?;
                self.edges.insert(base.vanishes);
                self.bases.insert(k, base);
                None
            }
            Node::Select(c, a, b) => {
                let distance = distance(list, c).filter(|_| is_zero(list, b))?;
                self.cases.insert(lone_power(list, uses, a, &distance)?);
                self.edges.insert(c);
                Some(c)
            }
            _ => None,
        }
    }
}

impl Graph {
    /// Power `k` as (1) to (3), if it is one, with its nodes mapped by `new`.
    pub(super) fn rooted<'g>(
        &'g self,
        roots: &Roots,
        k: u32,
        node: Node,
        new: &HashMap<u32, u32>,
    ) -> Option<Sym<'g>> {
        let Node::Binary(Binary::Powf, z, y) = node else { return None };
        let s = |node: u32| Sym { graph: self, node };
        if roots.cases.contains(&k) {
            return Some(s(z).odd_power(s(y)));
        }
        // e, and the other factors
        let base = roots.bases.get(&k)?;
        let e = s(new[&base.vanishes]);
        let is_min =
            matches!(self.nodes.borrow().list[base.vanishes as usize], Node::Binary(Binary::Min, ..));
        let power = if is_min { (-e).odd_power(s(y)) } else { e.odd_power(s(y)) };
        let product = base.others.iter().fold(self.constant(base.number), |c, f| c * s(new[f]));
        let rest = base.divisors.iter().fold(product, |c, f| c / s(new[f]));
        Some(if rest.as_constant() == Some(1.0) { power } else { power * rest.powf(s(y)) })
    }
}

impl Base {
    /// The factors of a base, if one of them vanishes at an edge of its own and their sign is not negative as
    /// far as it is written.
    fn new(list: &[Node], base: u32) -> Option<Self> {
        let (mut number, mut others, mut divisors, mut vanishing) = (1.0, vec![], vec![], vec![]);
        let mut stack = vec![base];
        while let Some(k) = stack.pop() {
            match list[k as usize] {
                Node::Mul(a, b) => stack.extend([a, b]),
                Node::Scale(a, c) => {
                    number *= f64::from_bits(c);
                    stack.push(a);
                }
                Node::Neg(a) => {
                    number = -number;
                    stack.push(a);
                }
                Node::Div(a, b) => {
                    divisors.push(b);
                    stack.push(a);
                }
                node if vanishes(list, node) => vanishing.push(k),
                _ => others.push(k),
            }
        }
        let [vanishes] = vanishing[..] else { return None };
        if matches!(list[vanishes as usize], Node::Binary(Binary::Min, ..)) {
            number = -number;
        }
        (number > 0.0).then_some(Self { number, vanishes, others, divisors })
    }
}

/// Is a node zero where its own condition changes?
fn vanishes(list: &[Node], node: Node) -> bool {
    match node {
        Node::Unary(Unary::Abs, _) => true,
        Node::Binary(Binary::Min | Binary::Max, a, b) => is_zero(list, a) || is_zero(list, b),
        _ => false,
    }
}

fn is_zero(list: &[Node], k: u32) -> bool {
    matches!(list[k as usize], Node::Constant(c) if f64::from_bits(c) == 0.0)
}

fn is_comparison(node: Node) -> bool {
    matches!(node, Node::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..))
}

/// u and v of a comparison u > v.
fn distance(list: &[Node], c: u32) -> Option<[u32; 2]> {
    match list[c as usize] {
        Node::Binary(Binary::Gt | Binary::Ge, u, v) => Some([u, v]),
        Node::Binary(Binary::Lt | Binary::Le, u, v) => Some([v, u]),
        _ => None,
    }
}

/// The power of u - v that is a factor of a node, if nothing else reads it.
fn lone_power(list: &[Node], uses: &HashMap<u32, usize>, k: u32, [u, v]: &[u32; 2]) -> Option<u32> {
    if uses.get(&k) != Some(&1) {
        return None;
    }
    let is_distance = |x: u32| {
        let is_difference = matches!(list[x as usize], Node::Sub(p, q) if (p, q) == (*u, *v));
        is_difference || (x == *u && is_zero(list, *v))
    };
    match list[k as usize] {
        Node::Binary(Binary::Powf, x, _) if is_distance(x) => Some(k),
        Node::Mul(a, b) => {
            lone_power(list, uses, a, &[*u, *v]).or_else(|| lone_power(list, uses, b, &[*u, *v]))
        }
        Node::Div(a, _) | Node::Scale(a, _) | Node::Neg(a) => lone_power(list, uses, a, &[*u, *v]),
        _ => None,
    }
}
