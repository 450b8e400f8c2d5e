//! Aitken–Neville interpolation of a stored mesh.
//!
//! ```text
//! P_{i,0} = f(t_i),   P_{i,k} = P_{i,k-1} + (t_i - t)/(t_{i-k} - t_i) (P_{i,k-1} - P_{i-1,k-1})  (1)  [B92, Eq. 60]
//! ```
//! P_{n,n} is the polynomial of degree n through n + 1 nodes; here those nearest to t, where B92 takes the
//! last ones before t_i. A mesh with a kink is interpolated piece by piece: the caller passes the nodes of
//! one smooth piece.

/// Highest degree.
pub const MOST: usize = 15;

/// The nodes that a polynomial of degree `order` at t uses: as many on either side as there are.
pub fn nearest(times: &[f64], t: f64, order: usize) -> std::ops::Range<usize> {
    let count = (order.min(MOST) + 1).min(times.len());
    let after = times.partition_point(|s| *s < t);
    let start = after.saturating_sub(count.div_ceil(2)).min(times.len() - count);
    start..start + count
}

/// The first numbers of the rows at the nodes `times` (increasing), interpolated at t: (1) for each.
pub fn aitken_neville<'a>(
    times: &[f64],
    rows: impl Fn(usize) -> &'a [f64],
    t: f64,
    order: usize,
    out: &mut [f64],
) {
    let nodes = nearest(times, t, order);
    let s = &times[nodes.clone()];
    let mut p = [0.0; MOST + 1];
    // (1) for each number
    for (d, out) in out.iter_mut().enumerate() {
        nodes.clone().enumerate().for_each(|(i, n)| p[i] = rows(n)[d]);
        for k in 1..s.len() {
            for i in (k..s.len()).rev() {
                p[i] += (s[i] - t) / (s[i - k] - s[i]) * (p[i] - p[i - 1]);
            }
        }
        *out = p[s.len() - 1];
    }
}
