//! Distances of gradients.

/// Largest |a - b|·s over the parameters, relative to the largest |b|·s of the row; the worst row.
pub fn distance(a: &[Vec<f64>], b: &[Vec<f64>], scales: &[f64]) -> f64 {
    let row = |a: &[f64], b: &[f64]| {
        let size = b.iter().zip(scales).fold(0.0f64, |s, (x, w)| s.max((x * w).abs()));
        let off = a.iter().zip(b).zip(scales).fold(0.0f64, |s, ((x, y), w)| s.max(((x - y) * w).abs()));
        if off.is_nan() {
            f64::NAN
        } else if size == 0.0 {
            off
        } else {
            off / size
        }
    };
    a.iter().zip(b).map(|(a, b)| row(a, b)).fold(0.0, |s, x| if x.is_nan() { x } else { s.max(x) })
}
