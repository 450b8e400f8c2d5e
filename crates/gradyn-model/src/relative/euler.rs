//! Euler parameters e = (e₀, ε) of a rotation, of any length.
//!
//! ```text
//! R(e) v = v + (2/n) (e₀ ε × v + ε × (ε × v)),   n = e·e                                          (1)
//! B(a, b) = a₀ β - b₀ α + α × β,   ω = (2/n) B(e, ė)            for a = (a₀, α), b = (b₀, β)      (2)
//! w_i = (2/n) B(e, î),   (w_i)_{e_l} = (2/n) B(l̂, î) - (4/n²) e_l B(e, î)                           (3)
//! ```
//! R is a rotation whatever n is; the row ½ (e·e - 1) = 0 keeps n. ω has components in the axes before the
//! rotation.

use super::spatial::{V3, add, cross, dot, increase, scale};
use gradyn_num::Scalar;

/// Euler parameters e.
pub(crate) type E4<S> = [S; 4];

fn vector<S: Scalar>(e: &E4<S>) -> V3<S> {
    [e[1], e[2], e[3]]
}
fn length<S: Scalar>(a: &E4<S>, b: &E4<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}
fn unit<S: Scalar>(k: usize) -> E4<S> {
    std::array::from_fn(|i| S::from(f64::from(u8::from(i == k))))
}
/// B(a, b) of (2).
fn product<S: Scalar>(a: &E4<S>, b: &E4<S>) -> V3<S> {
    let alpha = vector(a);
    let beta = vector(b);
    let mut out = cross(&alpha, &beta);
    (0..3).for_each(|i| out[i] += a[0] * beta[i] - b[0] * alpha[i]);
    out
}

/// (1): the columns of R.
pub(super) fn rotation<S: Scalar>(e: &E4<S>) -> [V3<S>; 3] {
    let s = S::from(2.0) / length(e, e);
    let v = vector(e);
    std::array::from_fn(|k| {
        let axis: V3<S> = std::array::from_fn(|i| S::from(f64::from(u8::from(i == k))));
        let turned = cross(&v, &axis);
        let mut column = axis;
        increase(&mut column, &scale(s * e[0], &turned));
        increase(&mut column, &scale(s, &cross(&v, &turned)));
        column
    })
}
/// The angular velocity ω of (2) [rad/s].
pub(super) fn velocity<S: Scalar>(e: &E4<S>, rate: &E4<S>) -> V3<S> {
    scale(S::from(2.0) / length(e, e), &product(e, rate))
}
/// The angular acceleration ω̇ [rad/s²].
pub(super) fn acceleration<S: Scalar>(e: &E4<S>, rate: &E4<S>, second: &E4<S>) -> V3<S> {
    let n = length(e, e);
    let slow = length(e, rate) * 4.0 / (n * n); // 2 ṅ/n²
    add(&scale(S::from(2.0) / n, &product(e, second)), &scale(-slow, &product(e, rate)))
}
/// The column w_i of (3).
pub(super) fn column<S: Scalar>(e: &E4<S>, i: usize) -> V3<S> {
    velocity(e, &unit(i))
}
/// The rate ẇ_i of a column.
pub(crate) fn column_rate<S: Scalar>(e: &E4<S>, rate: &E4<S>, i: usize) -> V3<S> {
    let n = length(e, e);
    let slow = length(e, rate) * 4.0 / (n * n);
    add(&scale(S::from(2.0) / n, &product(rate, &unit(i))), &scale(-slow, &product(e, &unit(i))))
}
/// The second rate ẅ_i of a column.
pub(crate) fn column_second<S: Scalar>(e: &E4<S>, rate: &E4<S>, second: &E4<S>, i: usize) -> V3<S> {
    // ṅ = 2 half
    let n = length(e, e);
    let half = length(e, rate);
    let slow = half * 4.0 / (n * n);
    let slower = (length(rate, rate) + length(e, second)) * 4.0 / (n * n) - half * half * 16.0 / (n * n * n);
    let mut out = scale(S::from(2.0) / n, &product(second, &unit(i)));
    increase(&mut out, &scale(-slow * 2.0, &product(rate, &unit(i))));
    increase(&mut out, &scale(-slower, &product(e, &unit(i))));
    out
}
/// (ω)_{e_l} at rates w: Σ_i (w_i)_{e_l} w_i.
pub(super) fn slope<S: Scalar>(e: &E4<S>, w: &E4<S>, l: usize) -> V3<S> {
    let n = length(e, e);
    add(&scale(S::from(2.0) / n, &product(&unit(l), w)), &scale(-(e[l] * 4.0 / (n * n)), &product(e, w)))
}
/// Euler parameters of length 1 of a rotation given by its columns: the largest of the four decides.
pub(super) fn parameters(columns: &[V3<f64>; 3]) -> E4<f64> {
    let r = |i: usize, j: usize| columns[j][i];
    let trace = r(0, 0) + r(1, 1) + r(2, 2);
    let squares: E4<f64> =
        [1.0 + trace, 1.0 + 2.0 * r(0, 0) - trace, 1.0 + 2.0 * r(1, 1) - trace, 1.0 + 2.0 * r(2, 2) - trace];
    let k = (0..4).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(0);
    let s = 0.5 / squares[k].max(f64::MIN_POSITIVE).sqrt();
    let mut e = match k {
        0 => [squares[0], r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)],
        1 => [r(2, 1) - r(1, 2), squares[1], r(0, 1) + r(1, 0), r(0, 2) + r(2, 0)],
        2 => [r(0, 2) - r(2, 0), r(0, 1) + r(1, 0), squares[2], r(1, 2) + r(2, 1)],
        _ => [r(1, 0) - r(0, 1), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), squares[3]],
    };
    let sign = if e[0] < 0.0 { -1.0 } else { 1.0 };
    e.iter_mut().for_each(|x| *x *= s * sign);
    let size = dot(&vector(&e), &vector(&e)) + e[0] * e[0];
    e.map(|x| x / size.sqrt())
}
