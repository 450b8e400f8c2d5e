//! Distances of gradients.

use gradyn_num::largest;

/// Largest |a - b|·s over the parameters, relative to the largest |b|·s of the row; the worst row. Not a
/// number if any entry is.
pub fn distance(a: &[Vec<f64>], b: &[Vec<f64>], scales: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "the same objectives");
    largest(a.iter().zip(b).map(|(a, b)| {
        let size = largest(b.iter().zip(scales).map(|(x, s)| x * s));
        let off = largest(a.iter().zip(b).zip(scales).map(|((x, y), s)| (x - y) * s));
        if size == 0.0 { off } else { off / size }
    }))
}
