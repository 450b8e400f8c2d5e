//! Cotangents of the coordinates from those of the frames.
//!
//! ```text
//! G_i = Σ_{j≥i} C(j,i) (P⁽ʲ⁻ⁱ⁾)ᵀ x̄⁽ʲ⁾        of each body, added up from the leaves to the root  (1)
//! z̄⁽ˡ⁾_k = Σ_i C(l+i,l) S_k⁽ⁱ⁾·G_{l+i}                                                           (2)
//! ```
//! x⁽ʲ⁾ are x, ẋ, ẍ, and z⁽ˡ⁾ likewise: x_{z_k} = P S_k, and partial derivatives commute with rates, so that
//! x⁽ʲ⁾_{z⁽ˡ⁾} is C(j,l) times the (j-l)-th rate of P S_k. The rates of P are P with those of x in its place.

use super::spatial::{Twist, cross, increase, scale};
use super::stress::{spread, vector};
use super::{PARTS, Relative};
use gradyn_num::Scalar;

/// The binomial coefficients C(j, i).
const CHOOSE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 1.0]];

/// G₀, G₁, G₂ of a node.
pub(super) type Pulled<S> = [Twist<S>; 3];

/// (x, ẋ, …), their cotangents, and (S, Ṡ, …): as many levels as are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Levels<'a, S, const N: usize> {
    /// The frames with their rates: x, ẋ, ….
    pub x: [&'a [S]; N],
    /// The cotangents x̄⁽ʲ⁾ of each level.
    pub bars: [&'a [S]; N],
    /// The screws with their rates: S, Ṡ, ….
    pub screws: [&'a [Twist<S>]; N],
}

impl Relative {
    /// Adds (2) where it is wanted; `g` is memory, one for each node.
    pub(super) fn pull_coordinates<S: Scalar, const N: usize>(
        &self,
        levels: Levels<S, N>,
        g: &mut [Pulled<S>],
        mut out: [Option<&mut [S]>; N],
    ) {
        g.fill([Twist::zero(); 3]);
        (0..self.bodies.len()).for_each(|body| self.pull_body(body, &levels, g, &mut out));
        (0..self.nodes.list.len()).rev().for_each(|node| self.pull_node(node, &levels, g, &mut out));
    }
    /// (1) of a body; the coordinates of one without a link are those of its frame.
    pub(super) fn pull_body<S: Scalar, const N: usize>(
        &self,
        body: usize,
        levels: &Levels<S, N>,
        g: &mut [Pulled<S>],
        out: &mut [Option<&mut [S]>; N],
    ) {
        let (Some(node), body) = (self.nodes.of_body[body], &self.bodies[body]) else { return };
        // a body without links: its coordinates are x
        if body.link.is_none() {
            for (out, bar) in out.iter_mut().zip(levels.bars).filter_map(|(o, b)| Some((o.as_mut()?, b))) {
                body.own().enumerate().for_each(|(i, k)| out[k as usize] += bar[body.first as usize + i]);
            }
            return;
        }
        // nothing to add
        let entries = body.first as usize..body.first as usize + body.parts.len();
        if levels.bars.iter().all(|b| b[entries.clone()].iter().all(|b| *b == S::zero())) {
            return;
        }
        // (1) of the body
        let mut x = levels.x.map(|x| spread(body, x));
        x[0] = self.seen(body, levels.x[0]);
        let bars = levels.bars.map(|b| spread(body, b));
        for j in 0..N {
            (0..=j).for_each(|i| add_covector(&x[j - i], &bars[j], CHOOSE[j][i], i == j, &mut g[node][i]));
        }
    }
    /// (2) of the coordinates of a node, after the nodes that follow it.
    pub(super) fn pull_node<S: Scalar, const N: usize>(
        &self,
        node: usize,
        levels: &Levels<S, N>,
        g: &mut [Pulled<S>],
        out: &mut [Option<&mut [S]>; N],
    ) {
        // (2) for the coordinates of the node
        let sum = g[node];
        let node = &self.nodes.list[node];
        for k in node.coords.start as usize..node.coords.end as usize {
            for (level, out) in out.iter_mut().enumerate() {
                let Some(out) = out else { continue };
                (0..N - level).for_each(|i| {
                    out[k] += levels.screws[i][k].dot(&sum[level + i]) * CHOOSE[level + i][level]
                });
            }
        }
        // (1): G goes to the node before
        if let Some(before) = node.before {
            g[before].iter_mut().zip(&sum).take(N).for_each(|(g, sum)| *g = g.plus(sum));
        }
    }
}

/// out += s Pᵀ x̄, or with a rate of P, which does not move the origin of a frame by itself.
#[inline]
pub(super) fn add_covector<S: Scalar>(
    x: &[S; PARTS],
    bar: &[S; PARTS],
    s: f64,
    moves: bool,
    out: &mut Twist<S>,
) {
    let mut moment = cross(&vector(x, 0), &vector(bar, 0));
    (3..PARTS).step_by(3).for_each(|k| increase(&mut moment, &cross(&vector(x, k), &vector(bar, k))));
    increase(&mut out.w, &scale(S::from(s), &moment));
    if moves {
        increase(&mut out.u, &scale(S::from(s), &vector(bar, 0)));
    }
}
