//! The force Jᵀ f, when the coordinates change and f does not.
//!
//! ```text
//! (Jᵀf)_{z_l} = ω_l·m_k + τ_kl·W,   m_k = u_k × F + (Y - tr Y) ω_k,  Y = Σ x fᵀ  (1)  l before k
//! ```
//! F, Y and the wrench W are sums over all that follows k; τ_kl is the part of Euler parameters in each
//! other.

use super::chain::{Frame, Motion, Pose};
use super::spatial::{Twist, V3, add, combine, cross, dot, increase, scale};
use super::{PARTS, Relative, euler};
use gradyn_num::Scalar;

/// F and Y of (1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<S> {
    force: V3<S>,
    /// By rows: x_i f_j.
    virial: [V3<S>; 3],
}
impl<S: Scalar> Load<S> {
    /// The load of nothing.
    pub(super) fn zero() -> Self {
        Self { force: [S::zero(); 3], virial: [[S::zero(); 3]; 3] }
    }
    fn add(&mut self, o: &Self) {
        increase(&mut self.force, &o.force);
        (0..3).for_each(|i| increase(&mut self.virial[i], &o.virial[i]));
    }
    fn apply(&mut self, x: &V3<S>, f: &V3<S>) {
        (0..3).for_each(|i| increase(&mut self.virial[i], &scale(x[i], f)));
    }
    /// The vector m_k of (1) for a screw.
    fn moment(&self, s: &Twist<S>) -> V3<S> {
        let y = &self.virial;
        let trace = y[0][0] + y[1][1] + y[2][2];
        let turned: V3<S> = std::array::from_fn(|i| dot(&y[i], &s.w) - trace * s.w[i]);
        add(&cross(&s.u, &self.force), &turned)
    }
    /// The wrench W of (1).
    fn wrench(&self) -> Twist<S> {
        let y = &self.virial;
        Twist { w: [y[1][2] - y[2][1], y[2][0] - y[0][2], y[0][1] - y[1][0]], u: self.force }
    }
}

/// Three numbers of a list.
pub(super) fn vector<S: Scalar>(x: &[S], at: usize) -> V3<S> {
    [x[at], x[at + 1], x[at + 2]]
}

/// A motion on a frame: (T p, ω × e_k).
pub(super) fn moved<S: Scalar>(t: &Twist<S>, frame: &Frame<S>) -> [S; PARTS] {
    let mut out = [S::zero(); PARTS];
    out[..3].copy_from_slice(&t.at(&frame.p));
    (0..3).for_each(|k| out[3 + 3 * k..6 + 3 * k].copy_from_slice(&cross(&t.w, &frame.e[k])));
    out
}
impl Relative {
    fn link_of(&self, l: usize) -> usize {
        self.chain.link_of[l].expect("a coordinate of a path has a link") as usize
    }
    /// (1): out += (Jᵀ f)_z for a fixed f, on n × n.
    pub(super) fn add_stress<S: Scalar>(
        &self,
        z: &[S],
        f: &[S],
        pose: &Pose<S>,
        loads: &mut [Load<S>],
        out: &mut [S],
    ) {
        // F and Y of each link
        loads.fill(Load::zero());
        for body in &self.bodies {
            let Some(link) = body.link.map(|l| l as usize) else { continue };
            let frame = &pose.frames[link];
            let load = &mut loads[link];
            let f = spread(body, f);
            increase(&mut load.force, &vector(&f, 0));
            load.apply(&frame.p, &vector(&f, 0));
            (0..3).for_each(|k| load.apply(&frame.e[k], &vector(&f, 3 + 3 * k)));
        }
        // sums over all that follows
        for l in (0..self.chain.links.len()).rev() {
            if let Some(k) = self.chain.links[l].parent {
                let load = loads[l];
                loads[k as usize].add(&load);
            }
        }
        // (1) along the paths, symmetric
        for &(k, l, here, there) in &self.contraction.on_path {
            let k = k as usize;
            let l = l as usize;
            let load = &loads[self.link_of(k)];
            let mut value = dot(&pose.screws[l].w, &load.moment(&pose.screws[k]));
            value += self.mutual(k, l, z, pose, load);
            out[here as usize] += value;
            if k != l {
                out[there as usize] += value;
            }
        }
    }
    /// τ_kl·W of (1): Euler parameters of one ball.
    fn mutual<S: Scalar>(&self, k: usize, l: usize, z: &[S], pose: &Pose<S>, load: &Load<S>) -> S {
        let link = &self.chain.links[self.link_of(k)];
        if link.motion != Motion::Ball || self.link_of(l) != self.link_of(k) {
            return S::zero();
        }
        let ground = self.chain.ground();
        let first = link.coord as usize;
        let before = self.chain.before(link, pose, &ground);
        let unit = std::array::from_fn(|i| S::from(f64::from(u8::from(i == l - first))));
        // (w_l)_{e_k}
        let slope = euler::slope(&link.four(z), &unit, k - first);
        Twist::screw(combine(&before.e, &slope), &before.p).dot(&load.wrench())
    }
}

impl super::Relative {
    /// The frame of a body in a list x, as P reads it: seen from the reference point, if the chain moves it.
    pub(super) fn seen<S: Scalar>(&self, body: &super::Carried, x: &[S]) -> [S; PARTS] {
        let mut frame = spread(body, x);
        if body.link.is_some() {
            (0..3).for_each(|i| frame[i] -= S::from(self.chain.origin[i]));
        }
        frame
    }
}

/// The part of a list over x that belongs to a body, as twelve components.
pub(super) fn spread<S: Scalar>(body: &super::Carried, f: &[S]) -> [S; PARTS] {
    if let Ok(all) = f[body.first as usize..body.first as usize + body.parts.len()].try_into() {
        return all;
    }
    let mut out = [S::zero(); PARTS];
    body.parts.iter().enumerate().for_each(|(i, &part)| out[part as usize] = f[body.first as usize + i]);
    out
}
