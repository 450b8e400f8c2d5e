//! Numbers that follow from a seed.

use super::geometry::{V3, norm, scaled};

/// Pseudo-random numbers by SplitMix64.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    /// A number in (0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    /// A number in (a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }
    /// One of the numbers 0 … n - 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
    /// A vector with components in (-1, 1) · size; in the plane the third is 0.
    pub(super) fn vector(&mut self, dimension: usize, size: f64) -> V3 {
        std::array::from_fn(|k| if k < dimension { self.between(-size, size) } else { 0.0 })
    }
    /// A vector of length 1.
    pub(super) fn direction(&mut self, dimension: usize) -> V3 {
        loop {
            let v = self.vector(dimension, 1.0);
            if norm(&v) > 0.3 {
                return scaled(1.0 / norm(&v), &v);
            }
        }
    }
}
