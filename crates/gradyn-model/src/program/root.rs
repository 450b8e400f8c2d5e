//! Powers that begin where a condition changes, with an exponent that is no integer.
//!
//! ```text
//! max(x, 0)ʸ,  min(x, 0)ʸ,  |x|ʸ,  if(x > 0, c xʸ, 0)        sign(z)|z|ʸ of what the base z is on its side  (1)
//! ```
//! Beyond the edge zʸ has no value. What is written goes on there, with its slope, and the edge is a root
//! ([`super::Edge::Root`]).

use super::{Binary, Node, Unary};
use std::collections::HashSet;

/// The powers of (1) among some nodes, and the conditions at which they begin.
pub(super) fn roots(list: &[Node], nodes: &[u32]) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut jumps = HashSet::new();
    for &k in nodes {
        match list[k as usize] {
            Node::Binary(Binary::Powf, base, _) => {
                let edges: Vec<u32> =
                    factors(list, base).into_iter().filter(|&f| vanishes(list, f)).collect();
                found.extend(edges.iter().copied());
                found.extend((!edges.is_empty()).then_some(k));
            }
            Node::Select(c, a, b) => match power_of_case(list, [c, a, b]) {
                Some(power) => found.extend([c, power]),
                None => jumps.extend([c]),
            },
            // a comparison that is more than a case
            node => node.each_operand(|a| jumps.extend(is_comparison(list[a as usize]).then_some(a))),
        }
    }
    found.retain(|k| !jumps.contains(k));
    found
}

/// Factors of a node, as it is written.
fn factors(list: &[Node], k: u32) -> Vec<u32> {
    let mut found = vec![];
    let mut stack = vec![k];
    while let Some(k) = stack.pop() {
        match list[k as usize] {
            Node::Mul(a, b) => stack.extend([a, b]),
            Node::Div(a, _) | Node::Scale(a, _) | Node::Neg(a) => stack.push(a),
            _ => found.push(k),
        }
    }
    found
}

/// Is a node zero where its own condition changes?
fn vanishes(list: &[Node], k: u32) -> bool {
    match list[k as usize] {
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

/// The power xʸ of if(x > 0, c xʸ, 0), by its condition and its cases.
fn power_of_case(list: &[Node], [c, a, b]: [u32; 3]) -> Option<u32> {
    // u > v
    let (u, v) = match list[c as usize] {
        Node::Binary(Binary::Gt | Binary::Ge, u, v) => (u, v),
        Node::Binary(Binary::Lt | Binary::Le, u, v) => (v, u),
        _ => return None,
    };
    let is_distance = |x: u32| match list[x as usize] {
        Node::Sub(p, q) => (p, q) == (u, v),
        _ => x == u && is_zero(list, v),
    };
    let begins = |k: &u32| matches!(list[*k as usize], Node::Binary(Binary::Powf, x, _) if is_distance(x));
    if is_zero(list, b) { factors(list, a).into_iter().find(begins) } else { None }
}
