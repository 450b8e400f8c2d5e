//! The basis of a body in natural coordinates, and where everything else is.
//!
//! With a point p (local x_p) and directions d_k (local e_k, the columns of E; each a unit vector or the
//! difference of two points),
//!
//! ```text
//! α = E⁻¹ (x - x_p),   r = p + Σ α_k d_k                                                               (1)
//! M = Σ_ab J_ab x_a ⊗ x_b,  x₀ = p, x_k = d_k;   J₀₀ = m, J₀ₖ = m α_k(G), J_kl = E⁻¹ (S + m w wᵀ) E⁻ᵀ  (2)
//! φ_kl = d_k·d_l - e_k·e_l   (½ of it for k = l)                                                       (3)
//! ```
//! S = ½ tr(I) 1 - I, w = x_G - x_p: the pseudo-inertia in the basis, constant in q. In the plane there is
//! one direction d, of length L, and d⊥; then J₁₁ + J₂₂ = (I_G + m |w|²)/L². A rod in space has one direction
//! only.

use super::bodies::{Inertia, Solid};
use super::numbers::Quad;
use super::vectors::{Port, Symbols, cross, difference, dot, fixed, minus, normal, plus, same, unit};
use crate::program::{Graph, Sym};

/// The basis (1) of a body, with what it is made of.
pub(crate) struct Frame<'g> {
    p: Port<'g>,
    /// Directions; in the plane d and d⊥.
    d: Vec<Port<'g>>,
    origin: Symbols<'g>,
    e: Vec<Symbols<'g>>,
    /// Rows of E⁻¹, by (1).
    inverse: Vec<Symbols<'g>>,
    /// Points of the basis, whose ports are coordinates themselves.
    points: Vec<(usize, Port<'g>)>,
    /// Unit vectors of the basis: local components and port.
    vectors: Vec<(Symbols<'g>, Port<'g>)>,
    /// Is it a rod in space, which has no direction but its own?
    thin: bool,
}

/// An element of a basis.
pub(crate) enum Basis<'g> {
    /// Point of the body.
    Point(usize, Port<'g>),
    /// Unit vector: local components.
    Vector(Symbols<'g>, Port<'g>),
}

impl<'g> Frame<'g> {
    /// The frame of a point p (with its local coordinates) and 1 (plane, rod) or 3 further elements.
    pub(crate) fn new(
        solid: &Solid<'g>,
        origin: Symbols<'g>,
        point: Option<usize>,
        p: Port<'g>,
        rest: Vec<Basis<'g>>,
        dimension: usize,
    ) -> Self {
        // d_k, e_k: differences of points, or unit vectors
        let mut d = vec![];
        let mut e = vec![];
        let mut vectors = vec![];
        let mut points: Vec<(usize, Port<'g>)> = point.map(|i| (i, p.clone())).into_iter().collect();
        for b in rest {
            match b {
                Basis::Point(i, port) => {
                    d.push(minus(&port, &p));
                    e.push(difference(&solid.points[i].at, &origin));
                    points.push((i, port));
                }
                Basis::Vector(local, port) => {
                    d.push(port.clone());
                    e.push(local.clone());
                    vectors.push((local, port));
                }
            }
        }
        // in the plane d⊥ comes second
        if dimension == 2 {
            let second = vec![-e[0][1], e[0][0]];
            d.push(normal(&d[0]));
            e.push(second);
        }
        // E⁻¹
        let inverse = inverse(&e);
        let thin = dimension == 3 && d.len() == 1;
        Self { p, d, origin, e, inverse, points, vectors, thin }
    }
    /// The ground, which has no coordinates.
    pub(crate) fn ground(graph: &'g Graph, dimension: usize) -> Self {
        let origin = vec![graph.constant(0.0); dimension];
        let e: Vec<Symbols> = (0..dimension).map(|k| unit(graph, dimension, k)).collect();
        let d = e.iter().map(|e| fixed(e)).collect();
        Self {
            p: fixed(&origin),
            d,
            origin,
            inverse: e.clone(),
            e,
            points: vec![],
            vectors: vec![],
            thin: false,
        }
    }
    /// Is it a rod in space?
    pub(crate) fn thin(&self) -> bool {
        self.thin
    }
    /// (1): a point given in the body's frame.
    pub(crate) fn at(&self, x: &[Sym<'g>]) -> Port<'g> {
        let one = self.origin[0].graph().constant(1.0);
        plus(&self.p, one, &self.combined(&difference(x, &self.origin)))
    }
    /// Point `i` of the body.
    pub(crate) fn point(&self, solid: &Solid<'g>, i: usize) -> Port<'g> {
        match self.points.iter().find(|(b, _)| *b == i) {
            Some((_, port)) => port.clone(),
            None => self.at(&solid.points[i].at),
        }
    }
    /// A unit vector given in the body's frame.
    pub(crate) fn direction(&self, w: &[Sym<'g>]) -> Port<'g> {
        let equal = |v: &Symbols| v.iter().zip(w).all(|(a, b)| a.id() == b.id());
        match self.vectors.iter().find(|(v, _)| equal(v)) {
            Some((_, port)) => port.clone(),
            None => self.combined(w),
        }
    }
    /// Σ (E⁻¹ w)_k d_k.
    fn combined(&self, w: &[Sym<'g>]) -> Port<'g> {
        let zero = self.origin[0].graph().constant(0.0);
        let start = fixed(&vec![zero; self.origin.len()]);
        self.inverse.iter().zip(&self.d).fold(start, |sum, (row, d)| plus(&sum, dot(row, w), d))
    }
    /// Directions of the local axes.
    pub(crate) fn axes(&self) -> Vec<Port<'g>> {
        let graph = self.origin[0].graph();
        let dimension = self.origin.len();
        (0..dimension).map(|k| self.direction(&unit(graph, dimension, k))).collect()
    }
    /// (3): the rows that keep the body rigid, and whether they tie unit vectors only, which other bodies may
    /// share.
    pub(crate) fn rigid(&self, graph: &'g Graph) -> Vec<(Quad<'g>, bool)> {
        let count = if self.d.len() == 2 { 1 } else { self.d.len() };
        let pairs = (0..count).flat_map(|k| (k..count).map(move |l| (k, l)));
        let row = |(k, l): (usize, usize)| {
            let half = if k == l { 0.5 } else { 1.0 };
            let row = Quad::zero(graph).plus_dot(graph.constant(half), &self.d[k], &self.d[l]);
            let vector = |k: usize| self.vectors.iter().any(|(_, port)| same(port, &self.d[k]));
            // a unit vector has the same row in every body that shares it
            let gram = if k == l && vector(k) { graph.constant(1.0) } else { dot(&self.e[k], &self.e[l]) };
            (row.plus_constant(gram * -half), vector(k) && vector(l))
        };
        // the length of a direction of the ground is no row; the angle between two of them is one, which
        // cannot be met or is redundant
        let given = |&(k, l): &(usize, usize)| k == l && self.d[k].iter().all(|x| x.terms.is_empty());
        pairs.filter(|p| !given(p)).map(row).collect()
    }
    /// (2): f(a, b, J_ab) for each product of velocities in M.
    pub(crate) fn inertia(&self, solid: &Solid<'g>, mut f: impl FnMut(&Port<'g>, &Port<'g>, Sym<'g>)) {
        let w = difference(&solid.com, &self.origin);
        let m = solid.mass;
        f(&self.p, &self.p, m);
        let s = self.combined(&w);
        f(&self.p, &s, m);
        f(&s, &self.p, m);
        match &solid.inertia {
            Inertia::Polar(i) => {
                f(&self.d[0], &self.d[0], (*i + m * dot(&w, &w)) / dot(&self.e[0], &self.e[0]))
            }
            tensor => {
                let moments = tensor.second_moments(m.graph());
                let column = |l: usize| -> Symbols<'g> {
                    // (S + m w wᵀ) times row l of E⁻¹
                    let row = &self.inverse[l];
                    let along = m * dot(&w, row);
                    (0..3).map(|i| dot(&moments[i], row) + along * w[i]).collect()
                };
                for l in 0..3 {
                    let c = column(l);
                    for k in 0..3 {
                        f(&self.d[k], &self.d[l], dot(&self.inverse[k], &c));
                    }
                }
            }
        }
    }
}

/// Rows of E⁻¹: e/L² in the plane and for a rod, cofactors in space.
fn inverse<'g>(e: &[Symbols<'g>]) -> Vec<Symbols<'g>> {
    if e.len() < 3 {
        let square = dot(&e[0], &e[0]);
        return e.iter().map(|e| e.iter().map(|&x| x / square).collect()).collect();
    }
    let rows = [cross(&e[1], &e[2]), cross(&e[2], &e[0]), cross(&e[0], &e[1])];
    let det = dot(&e[0], &rows[0]);
    rows.into_iter().map(|row| row.into_iter().map(|x| x / det).collect()).collect()
}
