//! Vectors of symbols, and vectors that are affine in q.

use super::numbers::Quad;
use crate::ports::Affine;
use crate::program::{Graph, Sym};

/// A vector of symbols.
pub(crate) type Symbols<'g> = Vec<Sym<'g>>;

/// A vector that is affine in q.
pub(crate) type Port<'g> = Vec<Affine<'g>>;

/// Names of the axes.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// The scalar product a·b.
pub(super) fn dot<'g>(a: &[Sym<'g>], b: &[Sym<'g>]) -> Sym<'g> {
    let products = a.iter().zip(b).map(|(&a, &b)| a * b);
    products.reduce(|x, y| x + y).expect("a vector has components")
}
/// a × b in space.
pub(super) fn cross<'g>(a: &[Sym<'g>], b: &[Sym<'g>]) -> Symbols<'g> {
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    vec![minor(1, 2), minor(2, 0), minor(0, 1)]
}
/// The sum a + b of two vectors.
pub(super) fn sum<'g>(a: &[Sym<'g>], b: &[Sym<'g>]) -> Symbols<'g> {
    a.iter().zip(b).map(|(&a, &b)| a + b).collect()
}
/// The difference a - b of two vectors.
pub(super) fn difference<'g>(a: &[Sym<'g>], b: &[Sym<'g>]) -> Symbols<'g> {
    a.iter().zip(b).map(|(&a, &b)| a - b).collect()
}
/// The multiple s a of a vector.
pub(super) fn scaled<'g>(s: Sym<'g>, a: &[Sym<'g>]) -> Symbols<'g> {
    a.iter().map(|&a| s * a).collect()
}
/// The opposite -a of a vector.
pub(crate) fn opposite<'g>(a: &[Sym<'g>]) -> Symbols<'g> {
    a.iter().map(|&a| -a).collect()
}
/// The combination Σ c_k a_k of vectors.
pub(super) fn combination<'g>(c: &[Sym<'g>], a: &[Symbols<'g>]) -> Symbols<'g> {
    let parts = c.iter().zip(a).map(|(&c, a)| scaled(c, a));
    parts.reduce(|x, y| sum(&x, &y)).expect("a combination has terms")
}
/// Unit vector k of D dimensions.
pub(super) fn unit(graph: &Graph, dimension: usize, k: usize) -> Symbols<'_> {
    (0..dimension).map(|i| graph.constant(f64::from(u8::from(i == k)))).collect()
}

/// v⊥ = (-v_y, v_x) in the plane.
pub(super) fn normal<'g>(v: &Port<'g>) -> Port<'g> {
    let minus = v[0].constant.graph().constant(-1.0);
    vec![v[1].times(minus), v[0].clone()]
}
/// The port a + s b.
pub(super) fn plus<'g>(a: &Port<'g>, s: Sym<'g>, b: &Port<'g>) -> Port<'g> {
    a.iter().zip(b).map(|(a, b)| a.plus(s, b)).collect()
}
/// The port a - b.
pub(super) fn minus<'g>(a: &Port<'g>, b: &Port<'g>) -> Port<'g> {
    a.iter().zip(b).map(|(a, b)| a.minus(b)).collect()
}
/// A constant vector.
pub(super) fn fixed<'g>(v: &[Sym<'g>]) -> Port<'g> {
    v.iter().map(|&v| Affine::constant(v)).collect()
}
/// Equal to the letter.
pub(super) fn same(a: &Port, b: &Port) -> bool {
    a.iter().zip(b).all(|(a, b)| a.same(b))
}
/// s a × b, component k of space.
pub(crate) fn cross_part<'g>(s: Sym<'g>, a: &Port<'g>, b: &Port<'g>, k: usize) -> Quad<'g> {
    let i = (k + 1) % 3;
    let j = (k + 2) % 3;
    Quad::zero(s.graph()).plus_product(s, &a[i], &b[j]).plus_product(-s, &a[j], &b[i])
}
