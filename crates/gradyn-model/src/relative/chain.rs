//! The tree as a chain of elementary motions, each from one frame (p, E) to the next.
//!
//! ```text
//! shift     p' = p + E s       turn      E' = E G        numbers s, G of the model    (1)
//! slide     p' = p + E_k z     revolve   E' = E R_k(z)   ball   E' = E R(e)           (2)
//! S_k       motion of all that follows coordinate k, about the reference point o      (3)  [A22, RTdyn0]
//! V = Σ S_k ż_k,   A = V̇ = Σ S_k z̈_k + Ṡ_k ż_k,   Ṡ_k = [V before, S_k] + own rate  (4)
//! ```
//! Positions p are relative to o, a constant: the global origin, or a point near a mechanism that is far from
//! it, where moments about the global origin would be differences of large numbers.
//! A joint is a few of these: a universal joint revolves twice, a free one slides three times and has a ball.

use super::euler::{self, E4};
use super::spatial::{Twist, V3, combine, increase, scale};
use gradyn_num::Scalar;

/// An elementary motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// By numbers of the model, from this index of the geometry on: 3 components.
    Shift(u32),
    /// By 9 of them, the columns of G.
    Turn(u32),
    /// About axis k, by the coordinate times a sign.
    Revolve(usize, f64),
    /// Translation along axis k.
    Slide(usize, f64),
    /// By four Euler parameters.
    Ball,
}

/// A step of the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The frame before; `None` is the ground.
    pub parent: Option<u32>,
    /// What the link does.
    pub motion: Motion,
    /// Its first coordinate.
    pub coord: u32,
}

/// The tree: links in order, and the link of each coordinate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Links; parents come first.
    pub links: Vec<Link>,
    /// Link of each coordinate; `None` for coordinates of bodies that stand alone.
    pub link_of: Vec<Option<u32>>,
    /// The reference point o of frames and screws, in global components [m].
    pub origin: [f64; 3],
}

/// A frame: an origin and three axes, seen from the reference point of the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<S> {
    /// The origin p [m].
    pub p: V3<S>,
    /// The axes, columns of E.
    pub e: [V3<S>; 3],
}
/// Frames after each link, and screws of the coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Pose<S> {
    /// After each link.
    pub frames: Vec<Frame<S>>,
    /// The screws S of (3), one for each coordinate.
    pub screws: Vec<Twist<S>>,
}

/// Motions after each link, (4), and the rates of the screws.
#[derive(Clone, Debug)]
pub(crate) struct Flow<S> {
    /// The motion V of each link.
    pub v: Vec<Twist<S>>,
    /// The acceleration A of each link.
    pub a: Vec<Twist<S>>,
    /// The rate Ṡ of each screw.
    pub rates: Vec<Twist<S>>,
    /// S̈, where it is asked for.
    pub seconds: Vec<Twist<S>>,
}

impl Link {
    /// Number of its coordinates.
    pub(crate) fn count(&self) -> usize {
        match self.motion {
            Motion::Shift(_) | Motion::Turn(_) => 0,
            Motion::Revolve(..) | Motion::Slide(..) => 1,
            Motion::Ball => 4,
        }
    }
    /// Its numbers in the geometry.
    pub(crate) fn numbers(&self) -> std::ops::Range<usize> {
        match self.motion {
            Motion::Shift(at) => at as usize..at as usize + 3,
            Motion::Turn(at) => at as usize..at as usize + 9,
            _ => 0..0,
        }
    }
    /// Its Euler parameters among some numbers for each coordinate.
    pub(crate) fn four<S: Scalar>(&self, z: &[S]) -> E4<S> {
        std::array::from_fn(|i| z[self.coord as usize + i])
    }
}

/// Three numbers of the geometry.
pub(super) fn three<S: Scalar>(g: &[S], at: u32) -> V3<S> {
    std::array::from_fn(|i| g[at as usize + i])
}

/// E R_k(z): the axes i = k + 1 and j = k + 2 turn.
fn revolved<S: Scalar>(e: &[V3<S>; 3], k: usize, z: S) -> [V3<S>; 3] {
    let i = (k + 1) % 3;
    let j = (k + 2) % 3;
    let c = z.cos();
    let s = z.sin();
    let mut out = *e;
    for x in 0..3 {
        out[i][x] = e[i][x] * c + e[j][x] * s;
        out[j][x] = e[j][x] * c - e[i][x] * s;
    }
    out
}

impl Chain {
    /// Memory for the poses.
    pub(crate) fn pose<S: Scalar>(&self) -> Pose<S> {
        Pose {
            frames: vec![self.ground(); self.links.len()],
            screws: vec![Twist::zero(); self.link_of.len()],
        }
    }
    /// The global frame, seen from the reference point.
    pub(crate) fn ground<S: Scalar>(&self) -> Frame<S> {
        let o = S::zero();
        let i = S::one();
        Frame { p: self.origin.map(|x| S::from(-x)), e: [[i, o, o], [o, i, o], [o, o, i]] }
    }
    /// Memory for the motions.
    pub(crate) fn flow<S: Scalar>(&self) -> Flow<S> {
        let links = self.links.len();
        let n = self.link_of.len();
        let zero = Twist::zero();
        Flow { v: vec![zero; links], a: vec![zero; links], rates: vec![zero; n], seconds: vec![zero; n] }
    }
    /// (1)–(3) at z, with geometry g.
    pub(crate) fn place<S: Scalar>(&self, z: &[S], g: &[S], pose: &mut Pose<S>) {
        let ground = self.ground();
        for (l, link) in self.links.iter().enumerate() {
            // frame after the link by (1) or (2), with its screws (3)
            let before = link.parent.map_or(ground, |k| pose.frames[k as usize]);
            let mut after = before;
            let k = link.coord as usize;
            match link.motion {
                Motion::Shift(at) => increase(&mut after.p, &combine(&before.e, &three(g, at))),
                Motion::Turn(at) => {
                    (0..3).for_each(|c| after.e[c] = combine(&before.e, &three(g, at + 3 * c as u32)));
                }
                Motion::Revolve(axis, sign) => {
                    after.e = revolved(&before.e, axis, z[k] * sign);
                    pose.screws[k] = Twist::screw(before.e[axis].map(|x| x * sign), &before.p);
                }
                Motion::Slide(axis, sign) => {
                    increase(&mut after.p, &scale(z[k] * sign, &before.e[axis]));
                    pose.screws[k] = Twist { w: [S::zero(); 3], u: before.e[axis].map(|x| x * sign) };
                }
                Motion::Ball => {
                    let e = link.four(z);
                    let r = euler::rotation(&e);
                    after.e = r.map(|column| combine(&before.e, &column));
                    for i in 0..4 {
                        pose.screws[k + i] =
                            Twist::screw(combine(&before.e, &euler::column(&e, i)), &before.p);
                    }
                }
            }
            // it is the frame before those that follow
            pose.frames[l] = after;
        }
    }
    /// The frame before a link.
    pub(crate) fn before<'a, S: Scalar>(
        &self,
        link: &Link,
        pose: &'a Pose<S>,
        ground: &'a Frame<S>,
    ) -> &'a Frame<S> {
        link.parent.map_or(ground, |k| &pose.frames[k as usize])
    }
    /// V of (4) alone, with rates w.
    pub(crate) fn velocities<S: Scalar>(&self, w: &[S], pose: &Pose<S>, v: &mut [Twist<S>]) {
        for (l, link) in self.links.iter().enumerate() {
            let mut sum = link.parent.map_or(Twist::zero(), |k| v[k as usize]);
            for k in link.coord as usize..link.coord as usize + link.count() {
                sum.increase(w[k], &pose.screws[k]);
            }
            v[l] = sum;
        }
    }
    /// Ṡ of (4) for the motions v of some rates w.
    pub(crate) fn screw_rates<S: Scalar>(
        &self,
        z: &[S],
        w: &[S],
        v: &[Twist<S>],
        pose: &Pose<S>,
        out: &mut [Twist<S>],
    ) {
        // Ṡ = [V before, S]
        let ground = self.ground();
        for link in &self.links {
            let before = link.parent.map_or(Twist::zero(), |k| v[k as usize]);
            let first = link.coord as usize;
            for k in first..first + link.count() {
                out[k] = before.bracket(&pose.screws[k]);
                // plus the own rate, which only balls have
                if link.motion == Motion::Ball {
                    let frame = self.before(link, pose, &ground);
                    let own = euler::column_rate(&link.four(z), &link.four(w), k - first);
                    out[k] = out[k].plus(&Twist::screw(combine(&frame.e, &own), &frame.p));
                }
            }
        }
    }
    /// S̈ = [A before, S] + [V before, Ṡ] + the rate of the own rate, after `run`.
    pub(crate) fn screw_seconds<S: Scalar>(
        &self,
        z: &[S],
        rate: &[S],
        second: &[S],
        pose: &Pose<S>,
        flow: &mut Flow<S>,
    ) {
        // S̈ = [A before, S] + [V before, Ṡ]
        let ground = self.ground();
        for link in &self.links {
            let (v, a) = link
                .parent
                .map_or((Twist::zero(), Twist::zero()), |k| (flow.v[k as usize], flow.a[k as usize]));
            let first = link.coord as usize;
            for k in first..first + link.count() {
                let mut sum = a.bracket(&pose.screws[k]).plus(&v.bracket(&flow.rates[k]));
                // plus the own rates of a ball: [V before, own] + second rate
                if link.motion == Motion::Ball {
                    let e = link.four(z);
                    let de = link.four(rate);
                    let dde = link.four(second);
                    let frame = self.before(link, pose, &ground);
                    let screw = |w: V3<S>| Twist::screw(combine(&frame.e, &w), &frame.p);
                    let own = screw(euler::column_rate(&e, &de, k - first));
                    sum = sum.plus(&v.bracket(&own)).plus(&screw(euler::column_second(
                        &e,
                        &de,
                        &dde,
                        k - first,
                    )));
                }
                flow.seconds[k] = sum;
            }
        }
    }
    /// Motions V, accelerations A and rates Ṡ of (4).
    pub(crate) fn run<S: Scalar>(
        &self,
        z: &[S],
        rate: &[S],
        second: &[S],
        pose: &Pose<S>,
        flow: &mut Flow<S>,
    ) {
        self.velocities(rate, pose, &mut flow.v);
        self.screw_rates(z, rate, &flow.v, pose, &mut flow.rates);
        self.accelerations(rate, second, pose, flow);
    }
    /// A of (4), where V and Ṡ are those of the rates.
    pub(crate) fn accelerations<S: Scalar>(
        &self,
        rate: &[S],
        second: &[S],
        pose: &Pose<S>,
        flow: &mut Flow<S>,
    ) {
        for (l, link) in self.links.iter().enumerate() {
            let mut a = link.parent.map_or(Twist::zero(), |k| flow.a[k as usize]);
            for k in link.coord as usize..link.coord as usize + link.count() {
                a.increase(second[k], &pose.screws[k]);
                a.increase(rate[k], &flow.rates[k]);
            }
            flow.a[l] = a;
        }
    }
}
