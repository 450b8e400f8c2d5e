//! Vectors and matrices of numbers, and rotations by angles.

use super::{EYE, M3, V3};

/// The vector Σ x_k a_k of components x in the axes a.
pub(super) fn turn(a: &M3, x: &[f64]) -> V3 {
    std::array::from_fn(|i| (0..3).map(|k| a[k][i] * x[k]).sum())
}

pub(super) fn times(a: &M3, b: &M3) -> M3 {
    b.map(|column| turn(a, &column))
}

pub(super) fn transposed(a: &M3) -> M3 {
    std::array::from_fn(|k| std::array::from_fn(|i| a[i][k]))
}

pub(super) fn cross(a: &V3, b: &V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: &V3, b: &V3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn add(a: V3, s: f64, b: V3) -> V3 {
    std::array::from_fn(|i| a[i] + s * b[i])
}

/// R_z(yaw) R_y(pitch) R_x(roll).
pub(super) fn attitude([roll, pitch, yaw]: V3) -> M3 {
    let (sr, cr) = roll.sin_cos();
    let (sp, cp) = pitch.sin_cos();
    let (sy, cy) = yaw.sin_cos();
    [
        [cy * cp, sy * cp, -sp],
        [cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr],
        [cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr],
    ]
}

/// Some rotation that takes unit vector x to unit vector d.
pub(super) fn along(d: V3) -> M3 {
    let k = (0..3).min_by(|&a, &b| d[a].abs().total_cmp(&d[b].abs())).unwrap_or(0);
    let across = add(EYE[k], -d[k], d);
    let length = across.iter().map(|x| x * x).sum::<f64>().sqrt();
    let y = across.map(|x| x / length);
    [d, y, cross(&d, &y)]
}

/// (2): n₂, b₂, a₂ in n₁, b₁, a₁.
pub(super) fn universal(first: f64, second: f64) -> M3 {
    let (s1, c1) = first.sin_cos();
    let (s2, c2) = second.sin_cos();
    [[s2 * s1, -s2 * c1, c2], [c2 * s1, -c2 * c1, -s2], [c1, s1, 0.0]]
}

pub(super) fn vec3(x: &[f64]) -> V3 {
    [x[0], x[1], x[2]]
}
