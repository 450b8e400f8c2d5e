//! Sums of four neighbouring components at a time, which the compiler turns into vector instructions.

/// Components taken together.
pub(crate) const LANES: usize = 4;

/// Σ x_k y_k over whole chunks, one sum for each place in a chunk; what is left over is the caller's.
#[inline]
pub(crate) fn lane_products(x: &[f64], y: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (x, y) in x.as_chunks::<LANES>().0.iter().zip(y.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            sums[l] += x[l] * y[l];
        }
    }
    sums
}
