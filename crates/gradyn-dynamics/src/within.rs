//! Where functions of the motion change their signs within a step, though not at its end.
//!
//! ```text
//! e = |f - C| + w/4 |ḟ - Ċ|         in the middle of a piece of width w                                     (1)
//! resolved:   C - e > 0,   or   e ≤ 1e-3 max |f|                                                            (2)
//! ```
//! C is the cubic polynomial through (f, ḟ) at both ends of the piece.
//! The slope is asked for because a corner in one half leaves the value in the middle nearly as it was.
//! A long step of a smooth motion may pass through an obstacle and out of it again. Pieces that are not
//! resolved are halved, up to 256 in a step; the motion between its records is that of [`crate::motion`].

use crate::trial::Cubic;

/// Halvings of a step.
const DEPTH: usize = 8;
/// A piece is resolved where (1) is below this part of the largest |f|.
const RESOLVED: f64 = 1e-3;

/// (f, ḟ) of a function, positive on the side that the step has.
pub(crate) type Signed = [f64; 2];

/// What is seen of functions within a step.
pub(crate) struct Within {
    /// Number of functions.
    count: usize,
    /// (f, ḟ) of each at the nodes θ = j/2ᴰ that were looked at.
    grid: Vec<Signed>,
    /// Pieces that are not resolved: first and last node.
    open: Vec<[usize; 2]>,
    halves: Vec<[usize; 2]>,
    /// Where a function is or may be negative: its number, and θ; in the order of θ.
    pub places: Vec<(usize, f64)>,
}

impl Within {
    /// Room for some functions.
    pub(crate) fn new(count: usize) -> Self {
        let nodes = 1 << DEPTH;
        Self {
            count,
            grid: vec![[0.0; 2]; (nodes + 1) * count],
            open: Vec::with_capacity(nodes),
            halves: Vec::with_capacity(nodes),
            places: Vec::with_capacity(nodes),
        }
    }
    /// (f, ḟ) of the functions at node `j`.
    fn node(&mut self, j: usize) -> &mut [Signed] {
        &mut self.grid[j * self.count..(j + 1) * self.count]
    }
    /// Looks at a step of `size` whose ends are known; `at` measures at θ, `asked` says which functions
    /// count, `noise` what is rounding of each.
    pub(crate) fn look(
        &mut self,
        size: f64,
        ends: [&dyn Fn(usize) -> Signed; 2],
        (asked, noise): (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> f64),
        at: &mut dyn FnMut(f64, &mut [Signed]),
    ) {
        let last = 1 << DEPTH;
        for (j, end) in [0, last].into_iter().zip(ends) {
            self.node(j).iter_mut().enumerate().for_each(|(k, f)| *f = end(k));
        }
        self.places.clear();
        self.open.clear();
        self.open.push([0, last]);
        while !self.open.is_empty() && self.open[0][1] - self.open[0][0] > 1 {
            self.halves.clear();
            for piece in 0..self.open.len() {
                let [a, b] = self.open[piece];
                let m = (a + b) / 2;
                at(m as f64 / last as f64, &mut self.grid[m * self.count..(m + 1) * self.count]);
                let width = size * (b - a) as f64 / last as f64;
                let mut halve = false;
                for k in (0..self.count).filter(|k| asked(*k)) {
                    halve |= !self.is_resolved(k, [a, m, b], width, noise(k));
                }
                if halve {
                    self.halves.extend([[a, m], [m, b]]);
                }
            }
            std::mem::swap(&mut self.open, &mut self.halves);
        }
        // what is not resolved may be negative where the tangents of both ends meet
        for piece in 0..self.open.len() {
            let width = size / last as f64;
            (0..self.count).filter(|k| asked(*k)).for_each(|k| self.note_corner(k, self.open[piece], width));
        }
        self.places.sort_by(|a, b| a.1.total_cmp(&b.1));
    }
    /// Notes where the tangents at both ends of a piece meet below zero.
    fn note_corner(&mut self, k: usize, [a, b]: [usize; 2], width: f64) {
        let [[fa, da], [fb, db]] = [a, b].map(|j| self.grid[j * self.count + k]);
        let at = (fb - fa - db * width) / (da - db);
        if da < 0.0 && db > 0.0 && fa + da * at < 0.0 {
            let last = (1 << DEPTH) as f64;
            self.places.push((k, (a as f64 + at / width) / last));
        }
    }
    /// (2) of function `k` on a piece of some width with its middle; notes where it is or may be negative.
    fn is_resolved(&mut self, k: usize, [a, m, b]: [usize; 3], width: f64, noise: f64) -> bool {
        let f = |j: usize| self.grid[j * self.count + k];
        let [fa, fm, fb] = [f(a), f(m), f(b)];
        let θ = |j: usize| j as f64 / (1 << DEPTH) as f64;
        if fm[0] < -noise {
            self.places.push((k, θ(m)));
            return true;
        }
        // (1), and the least value of the cubics of both halves
        let [value, slope] = Cubic::new(fa, fb, width).middle();
        let error = (fm[0] - value).abs() + 0.25 * (fm[1] * width - slope).abs();
        let mut least = fa[0].min(fm[0]).min(fb[0]);
        let mut dip = None;
        for (from, to, ends) in [(a, m, [fa, fm]), (m, b, [fm, fb])] {
            let cubic = Cubic::new(ends[0], ends[1], 0.5 * width);
            for x in cubic.extremes() {
                least = least.min(cubic.at(x));
                if cubic.at(x) < 0.0 {
                    dip = dip.or(Some(θ(from) + x * (θ(to) - θ(from))));
                }
            }
        }
        let largest = fa[0].abs().max(fm[0].abs()).max(fb[0].abs());
        let is_fine = error <= (RESOLVED * largest).max(noise);
        if let (Some(dip), true) = (dip, is_fine) {
            self.places.push((k, dip));
        }
        least - error > 0.0 || is_fine
    }
}
