//! Vectors of the drawn configuration.

use super::*;

pub(super) type V3 = [f64; 3];

pub(super) fn add(a: &V3, s: f64, b: &V3) -> V3 {
    std::array::from_fn(|i| a[i] + s * b[i])
}
pub(super) fn scaled(s: f64, a: &V3) -> V3 {
    a.map(|x| s * x)
}
pub(super) fn dot(a: &V3, b: &V3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
pub(super) fn norm(a: &V3) -> f64 {
    dot(a, a).sqrt()
}
pub(super) fn cross(a: &V3, b: &V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// w turned about the unit vector u, which is across it.
pub(super) fn turned(w: &V3, u: &V3, θ: f64) -> V3 {
    add(&scaled(θ.cos(), w), θ.sin(), &cross(u, w))
}

/// Some unit vector across a unit vector.
pub(super) fn across(u: &V3, r: &mut Random) -> V3 {
    loop {
        let v = r.direction(3);
        let w = add(&v, -dot(&v, u), u);
        if norm(&w) > 0.3 {
            return scaled(1.0 / norm(&w), &w);
        }
    }
}
