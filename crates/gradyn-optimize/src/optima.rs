//! The distinct optima of many starts.

use crate::problem::{Problem, Variable};
use crate::report::Report;

/// Ends of two starts are the same optimum if every variable differs by less than this part of its bounds, or
/// of its scale.
const SAME_OPTIMUM: f64 = 1e-3;

/// A local optimum, and the starts that ended there.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The best design of them.
    pub x: Vec<f64>,
    /// The value of that design.
    pub value: f64,
    /// Numbers of the starts that ended there.
    pub starts: Vec<usize>,
}

fn same(variables: &[Variable], a: &[f64], b: &[f64]) -> bool {
    let width = |v: &Variable| if (v.upper - v.lower).is_finite() { v.upper - v.lower } else { v.scale };
    variables.iter().zip(a.iter().zip(b)).all(|(v, (a, b))| (a - b).abs() <= SAME_OPTIMUM * width(v))
}

/// The optima that starts with these ends converged to, the least value first.
pub fn optima(problem: &Problem, ends: &[Report]) -> Vec<Optimum> {
    let mut order: Vec<usize> = (0..ends.len()).filter(|k| ends[*k].status.converged()).collect();
    order.sort_by(|i, j| ends[*i].value.total_cmp(&ends[*j].value));
    let mut list: Vec<Optimum> = vec![];
    for k in order {
        match list.iter_mut().find(|o| same(problem.variables(), &o.x, &ends[k].x)) {
            Some(known) => known.starts.push(k),
            None => list.push(Optimum { x: ends[k].x.clone(), value: ends[k].value, starts: vec![k] }),
        }
    }
    list
}
