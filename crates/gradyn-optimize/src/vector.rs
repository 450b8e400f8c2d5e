//! Vectors and small matrices by rows.

/// Scalar product xᵀy.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Largest |x|; not a number if one of them is not.
pub(crate) fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter()
        .fold(0.0, |most: f64, x| if most.is_nan() || x.is_nan() { f64::NAN } else { x.abs().max(most) })
}

/// The point x + s y.
pub(crate) fn along(x: &[f64], s: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + s * y).collect()
}

/// The difference x - y.
pub(crate) fn minus(x: &[f64], y: &[f64]) -> Vec<f64> {
    along(x, -1.0, y)
}

/// The product A x.
pub(crate) fn mul(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// Unit matrix times s.
pub(crate) fn diagonal(n: usize, s: f64) -> Vec<f64> {
    (0..n * n).map(|k| if k % (n + 1) == 0 { s } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::largest;

    /// A NaN is found in any place.
    #[test]
    fn largest_is_not_a_number_if_one_is_not() {
        assert!([[f64::NAN, 1.0], [1.0, f64::NAN]].into_iter().all(|x| largest(x).is_nan()));
        assert_eq!(largest([1.0, -2.0]), 2.0);
    }
}
