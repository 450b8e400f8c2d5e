//! Sobol sequence with the direction numbers of Joe and Kuo [SIAM J. Sci. Comput. 30 (2008) 2635].
//!
//! ```text
//! x_i = ⊕ v_k over the binary digits k of i that are 1                                             (1)
//! v_k = v_{k-s} ⊕ 2^{-s} v_{k-s} ⊕ a_1 v_{k-1} ⊕ … ⊕ a_{s-1} v_{k-s+1}                             (2)
//! ```
//! with the primitive polynomial x^s + a_1 x^{s-1} + … + 1 of each variable. Every variable is shifted by one
//! random number, x ⊕ c, which keeps the number of points in every binary box.

use super::SplitMix;

/// Number of variables that have a polynomial.
pub(super) const MOST_VARIABLES: usize = 32;

/// Binary digits of a coordinate.
const BITS: usize = 32;

/// s, a_1 … a_{s-1} as binary digits, m_k = 2^k v_k of k = 1 … s; the first variable has none.
#[rustfmt::skip]
const POLYNOMIALS: [(usize, u32, &[u32]); MOST_VARIABLES - 1] = [
    (1, 0, &[1]), (2, 1, &[1, 3]), (3, 1, &[1, 3, 1]), (3, 2, &[1, 1, 1]), (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]), (5, 2, &[1, 1, 5, 5, 17]), (5, 4, &[1, 1, 5, 5, 5]), (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]), (5, 13, &[1, 1, 1, 3, 11]), (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]), (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]), (6, 19, &[1, 1, 1, 15, 7, 5]), (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]), (7, 1, &[1, 3, 7, 11, 23, 15, 103]), (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
    (7, 7, &[1, 1, 3, 13, 7, 35, 63]), (7, 8, &[1, 3, 5, 9, 1, 25, 53]), (7, 14, &[1, 3, 1, 13, 9, 35, 107]),
    (7, 19, &[1, 3, 1, 5, 27, 61, 31]), (7, 21, &[1, 1, 5, 11, 19, 41, 61]),
    (7, 28, &[1, 3, 5, 3, 3, 13, 69]),
    (7, 31, &[1, 1, 7, 13, 1, 19, 1]), (7, 32, &[1, 3, 7, 5, 13, 19, 59]), (7, 37, &[1, 1, 3, 9, 25, 29, 41]),
    (7, 41, &[1, 3, 5, 13, 23, 1, 55]), (7, 42, &[1, 3, 7, 3, 13, 59, 17]),
];

/// Direction numbers 2^32 v_k of a variable (2).
fn directions(variable: usize) -> [u32; BITS] {
    let Some(at) = variable.checked_sub(1) else { return std::array::from_fn(|k| 1 << (BITS - 1 - k)) };
    let (s, a, m) = POLYNOMIALS[at];
    let mut v = [0; BITS];
    for k in 0..BITS {
        v[k] = if k < s { m[k] << (BITS - 1 - k) } else { v[k - s] ^ (v[k - s] >> s) };
        for i in (1..s).filter(|i| k >= s && a >> (s - 1 - i) & 1 == 1) {
            v[k] ^= v[k - i];
        }
    }
    v
}

/// The first `count` points (1) of n ≤ `MOST_VARIABLES` variables, shifted.
pub(super) fn points(n: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = SplitMix(seed);
    let mut points = vec![vec![0.0; n]; count];
    for j in 0..n {
        let v = directions(j);
        let shift = (random.next() >> 32) as u32;
        for (i, point) in points.iter_mut().enumerate() {
            let digits = (0..BITS).filter(|k| i >> k & 1 == 1).fold(shift, |x, k| x ^ v[k]);
            point[j] = (f64::from(digits) + 0.5) / (1u64 << BITS) as f64;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::{MOST_VARIABLES, points};

    /// How many points of each box; a variable is cut into 2^cuts parts.
    fn counts(points: &[Vec<f64>], cuts: &[u32]) -> Vec<usize> {
        let mut counts = vec![0; 1 << cuts.iter().sum::<u32>()];
        for p in points {
            let index =
                p.iter().zip(cuts).fold(0, |at, (x, c)| (at << c) + (x * f64::from(1u32 << c)) as usize);
            counts[index] += 1;
        }
        counts
    }

    /// 2^m points have one in each of 2^m intervals of every variable, and in each binary box of the first
    /// two.
    #[test]
    fn boxes_have_one_point_each() {
        let all = points(MOST_VARIABLES, 256, 3);
        for j in 0..MOST_VARIABLES {
            let column: Vec<Vec<f64>> = all.iter().map(|p| vec![p[j]]).collect();
            assert!(counts(&column, &[8]).iter().all(|c| *c == 1), "variable {j}");
        }
        for first in 0..=8 {
            assert!(counts(&all, &[first, 8 - first]).iter().all(|c| *c == 1), "{first} cuts of the first");
        }
    }

    /// Sobol's property A, which Joe and Kuo's numbers have: 2^n points have one in each corner of n
    /// variables.
    #[test]
    fn corners_have_one_point_each() {
        for n in 1..=16 {
            assert!(counts(&points(n, 1 << n, 9), &vec![1; n]).iter().all(|c| *c == 1), "{n} variables");
        }
    }

    /// One seed gives one sequence, another seed another.
    #[test]
    fn seeds_shift() {
        assert_eq!(points(3, 5, 1), points(3, 5, 1));
        assert_ne!(points(3, 5, 1), points(3, 5, 2));
    }
}
