//! Points of the unit cube: Latin hypercubes and Sobol sequences.
//!
//! In a Latin hypercube every variable has one sample in each of N equal intervals; the intervals are paired
//! at random. All numbers come from the seed, by splitmix64.

mod sobol;

use crate::error::Error;
use crate::named::named;

named! {
    /// How samples are spread.
    Sampling, "sampling":
    Sobol "sobol"
        "Sobol sequence, shifted by the seed: evenly spread also in pairs of variables, up to 32 variables",
    LatinHypercube "latin-hypercube"
        "Latin hypercube: one sample in each interval of each variable, paired at random",
}

impl Sampling {
    /// `count` points of the unit cube of n dimensions; the same for the same seed.
    pub fn points(self, n: usize, count: usize, seed: u64) -> Result<Vec<Vec<f64>>, Error> {
        match self {
            Sampling::LatinHypercube => Ok(latin_hypercube(n, count, seed)),
            Sampling::Sobol if n > sobol::MOST_VARIABLES => {
                Err(Error::Dimensions { n, most: sobol::MOST_VARIABLES })
            }
            Sampling::Sobol => Ok(sobol::points(n, count, seed)),
        }
    }
}

/// Pseudo-random numbers by splitmix64.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    /// A number in (0, 1).
    fn unit(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
    /// A number in 0..n; the bias of n/2⁶⁴ does not matter here.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// `count` points of the unit cube of n dimensions, a Latin hypercube.
pub fn latin_hypercube(n: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = SplitMix(seed);
    let mut points = vec![vec![0.0; n]; count];
    for j in 0..n {
        let mut places: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            places.swap(i, random.below(i + 1));
        }
        for i in 0..count {
            points[i][j] = (places[i] as f64 + random.unit()) / count as f64;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::latin_hypercube;

    /// One sample in each interval of each variable, other pairs for another seed.
    #[test]
    fn every_interval_has_one_sample() {
        let points = latin_hypercube(3, 20, 1);
        for j in 0..3 {
            let mut places: Vec<usize> = points.iter().map(|p| (p[j] * 20.0) as usize).collect();
            places.sort();
            assert_eq!(places, (0..20).collect::<Vec<_>>());
        }
        assert_eq!(points, latin_hypercube(3, 20, 1));
        assert_ne!(points, latin_hypercube(3, 20, 2));
    }
}
