//! Rough coordinates from rough frames.

use super::chain::{Link, Motion};
use super::{Carried, Relative, euler};

/// Components of a frame in the plane.
const PLANE: usize = 4;

impl Relative {
    /// Coordinates that bring the bodies near the drawn frames, for the slots p.
    pub(crate) fn guess(&self, p: &[f64]) -> Vec<f64> {
        self.near(&self.sketch, p)
    }
    /// Coordinates that bring the bodies near other frames, given for one body after the other.
    pub(crate) fn guess_by(&self, frames: &[Vec<f64>], p: &[f64]) -> Vec<f64> {
        let mut x = self.sketch.clone();
        for (body, frame) in self.bodies.iter().zip(frames) {
            let first = body.first as usize;
            x[first..first + frame.len()].copy_from_slice(frame);
        }
        self.near(&x, p)
    }
    /// Coordinates that bring the bodies near the frames x, for the slots p.
    fn near(&self, x: &[f64], p: &[f64]) -> Vec<f64> {
        // links of each body, and bodies of the links
        let mut z = vec![0.0; self.dims.n];
        let g: Vec<f64> = self.geometry.iter().map(|&s| p[s as usize]).collect();
        let links = self.chain.links.len();
        let mut lists = vec![vec![]; links];
        let mut bodies = vec![None; links];
        self.chain.links.iter().zip(&self.ends).for_each(|(link, &end)| lists[end as usize].push(*link));
        self.bodies
            .iter()
            .enumerate()
            .for_each(|(b, body)| body.link.into_iter().for_each(|l| bodies[l as usize] = Some(b)));
        // z of each body from the frames before and after its links; without links they are x
        for b in 0..self.bodies.len() {
            let body = &self.bodies[b];
            let Some(own) = body.link else {
                body.own().enumerate().for_each(|(i, k)| z[k as usize] = x[body.first as usize + i]);
                continue;
            };
            let links = &lists[own as usize];
            let parent = links[0].parent.and_then(|k| bodies[k as usize]);
            let from = parent.map_or(Rough::default(), |b: usize| Rough::read(&self.bodies[b], x));
            rough_coordinates(links, from, Rough::read(body, x), &g, &mut z);
        }
        z
    }
}

/// A frame that need not be exact.
#[derive(Clone, Copy)]
struct Rough {
    p: [f64; 3],
    /// The axes, columns of E.
    e: [[f64; 3]; 3],
}
impl Default for Rough {
    fn default() -> Self {
        Self { p: [0.0; 3], e: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
    }
}
impl Rough {
    fn read(body: &Carried, x: &[f64]) -> Self {
        let mut out = Self::default();
        for (i, &part) in body.parts.iter().enumerate() {
            let element = part as usize / 3;
            let axis = part as usize % 3;
            let value = x[body.first as usize + i];
            if element == 0 { out.p[axis] = value } else { out.e[element - 1][axis] = value }
        }
        if body.parts.len() == PLANE {
            out.e[1] = [-out.e[0][1], out.e[0][0], 0.0];
        }
        out
    }
    /// The point p + E s in global components.
    fn point(&self, s: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| self.p[i] + (0..3).map(|k| self.e[k][i] * s[k]).sum::<f64>())
    }
    /// E G for the columns of G.
    fn turned(&self, g: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
        g.map(|c| std::array::from_fn(|i| (0..3).map(|k| self.e[k][i] * c[k]).sum()))
    }
    fn moved(self, motion: Motion, g: &[f64]) -> Self {
        let three = |at: u32| std::array::from_fn(|i| g[at as usize + i]);
        match motion {
            Motion::Shift(at) => Self { p: self.point(three(at)), ..self },
            Motion::Turn(at) => Self { e: self.turned([three(at), three(at + 3), three(at + 6)]), ..self },
            _ => self,
        }
    }
    /// Before a shift or turn that ends here.
    fn before(self, motion: Motion, g: &[f64]) -> Self {
        let three = |at: u32| -> [f64; 3] { std::array::from_fn(|i| g[at as usize + i]) };
        match motion {
            Motion::Shift(at) => Self { p: self.point(three(at).map(|x| -x)), ..self },
            Motion::Turn(at) => {
                let c = [three(at), three(at + 3), three(at + 6)];
                let back = std::array::from_fn(|i| std::array::from_fn(|j| c[j][i]));
                Self { e: self.turned(back), ..self }
            }
            _ => self,
        }
    }
}

/// Coordinates that bring the frame of the parent near that of the body.
fn rough_coordinates(links: &[Link], mut from: Rough, mut to: Rough, g: &[f64], z: &mut [f64]) {
    let moves = |l: &Link| l.count() > 0;
    let Some(last) = links.iter().rposition(moves) else { return };
    links[last + 1..].iter().rev().for_each(|l| to = to.before(l.motion, g));
    for (i, link) in links[..=last].iter().enumerate() {
        let k = link.coord as usize;
        // what is left, in the axes of `from`
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let r = |row: usize, column: usize| dot(&from.e[row], &to.e[column]);
        match link.motion {
            Motion::Shift(_) | Motion::Turn(_) => from = from.moved(link.motion, g),
            Motion::Slide(axis, sign) => {
                let d: [f64; 3] = std::array::from_fn(|i| to.p[i] - from.p[i]);
                let along = dot(&from.e[axis], &d);
                z[k] = sign * along;
                (0..3).for_each(|i| from.p[i] += along * from.e[axis][i]);
            }
            Motion::Revolve(axis, sign) => {
                let a = (axis + 1) % 3;
                let b = (axis + 2) % 3;
                // a direction that the motions after this one leave alone
                let next = links[i + 1..=last]
                    .iter()
                    .find_map(|l| if let Motion::Revolve(x, _) = l.motion { Some(x) } else { None });
                let angle = if next == Some(b) { (-r(a, b)).atan2(r(b, b)) } else { r(b, a).atan2(r(a, a)) };
                z[k] = sign * angle;
                let (s, c) = angle.sin_cos();
                let ea = from.e[a];
                let eb = from.e[b];
                from.e[a] = std::array::from_fn(|i| ea[i] * c + eb[i] * s);
                from.e[b] = std::array::from_fn(|i| eb[i] * c - ea[i] * s);
            }
            Motion::Ball => {
                let columns = std::array::from_fn(|c| std::array::from_fn(|row| r(row, c)));
                z[k..k + 4].copy_from_slice(&euler::parameters(&columns));
                from.e = to.e;
            }
        }
    }
}
