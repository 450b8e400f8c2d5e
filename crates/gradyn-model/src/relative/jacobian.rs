//! Jacobians of the frames, of their rates and of their second rates over the coordinates.
//!
//! ```text
//! J_l = S_l x                                                                                     (1)
//! V_{z_l} = [S_l, V - V_l] + τ_l,   A_{z_l} = [Ṡ_l, V - V_l] + [S_l, A - A_l] + τ̇_l                 (2)
//! ẋ_{z_l} = V_{z_l} x + ω × J_l                                                                    (3)
//! ẍ_{z_l} = A_{z_l} x + ω̇ × J_l + ω_{z_l} × ẋ + ω × ẋ_{z_l}                                          (4)
//! (Jᵀf)_{z_l} = ω_l·m_k + τ_kl·W,   m_k = u_k × F + (Y - tr Y) ω_k,  Y = Σ x fᵀ                        (5)  l before k
//! ```
//! V_l and A_l are the motions after the link of l; τ_l is the part of Euler parameters in each other. F, Y and the wrench W of (5) are sums
//! over all that follows k.

use super::chain::{Flow, Frame, Link, Motion, Pose};
use super::spatial::{Twist, V3, add, combine, cross, dot, increase, scale};
use super::{Data, PARTS, Relative, euler};
use gradyn_num::Scalar;

/// F and Y of (5).
#[derive(Clone, Copy, Debug)]
pub struct Load<S> {
    force: V3<S>,
    /// By rows: x_i f_j.
    virial: [V3<S>; 3],
}
impl<S: Scalar> Load<S> {
    /// Nothing.
    pub fn zero() -> Self {
        Self { force: [S::zero(); 3], virial: [[S::zero(); 3]; 3] }
    }
    fn add(&mut self, o: &Self) {
        increase(&mut self.force, &o.force);
        (0..3).for_each(|i| increase(&mut self.virial[i], &o.virial[i]));
    }
    fn apply(&mut self, x: &V3<S>, f: &V3<S>) {
        (0..3).for_each(|i| increase(&mut self.virial[i], &scale(x[i], f)));
    }
    /// m_k of (5).
    fn moment(&self, s: &Twist<S>) -> V3<S> {
        let y = &self.virial;
        let trace = y[0][0] + y[1][1] + y[2][2];
        let turned: V3<S> = std::array::from_fn(|i| dot(&y[i], &s.w) - trace * s.w[i]);
        add(&cross(&s.u, &self.force), &turned)
    }
    /// W.
    fn wrench(&self) -> Twist<S> {
        let y = &self.virial;
        Twist { w: [y[1][2] - y[2][1], y[2][0] - y[0][2], y[0][1] - y[1][0]], u: self.force }
    }
}

/// Three numbers of a list.
pub fn vector<S: Scalar>(x: &[S], at: usize) -> V3<S> {
    [x[at], x[at + 1], x[at + 2]]
}

/// A motion on a frame: (T p, ω × e_k).
pub fn moved<S: Scalar>(t: &Twist<S>, frame: &Frame<S>) -> [S; PARTS] {
    let mut out = [S::zero(); PARTS];
    out[..3].copy_from_slice(&t.at(&frame.p));
    (0..3).for_each(|k| out[3 + 3 * k..6 + 3 * k].copy_from_slice(&cross(&t.w, &frame.e[k])));
    out
}
/// out += ω × each part of x.
fn turned<S: Scalar>(w: &V3<S>, x: &[S], out: &mut [S; PARTS]) {
    for part in (0..PARTS).step_by(3) {
        let y = cross(w, &vector(x, part));
        (0..3).for_each(|i| out[part + i] += y[i]);
    }
}

/// τ_l of (2) for rates w: zero but for Euler parameters.
fn own_slope<S: Scalar>(link: &Link, l: usize, z: &[S], w: &[S], before: &Frame<S>) -> Twist<S> {
    match link.motion {
        Motion::Ball => {
            let slope = euler::slope(&link.four(z), &link.four(w), l - link.coord as usize);
            Twist::screw(combine(&before.e, &slope), &before.p)
        }
        _ => Twist::zero(),
    }
}

impl Relative {
    /// (1).
    pub(super) fn fill_j<S: Scalar>(&self, pose: &Pose<S>, j: &mut [S]) {
        for (b, body) in self.bodies.iter().enumerate() {
            let Some(link) = body.link else { continue };
            for (d, &l) in body.path.iter().enumerate() {
                let column = moved(&pose.screws[l as usize], &pose.frames[link as usize]);
                j[self.contraction.at(b, d)].copy_from_slice(&column);
            }
        }
    }
    /// V_{z_l} of (2) after link `b`.
    fn slope<S: Scalar>(&self, l: usize, b: usize, v: &[Twist<S>], pose: &Pose<S>, own: &[Twist<S>]) -> Twist<S> {
        let link = self.link_of(l);
        pose.screws[l].bracket(&v[b].minus(&v[link])).plus(&own[l])
    }
    fn link_of(&self, l: usize) -> usize {
        self.chain.link_of[l].expect("a coordinate of a path has a link") as usize
    }
    /// τ of every coordinate.
    fn own_slopes<S: Scalar>(&self, z: &[S], w: &[S], pose: &Pose<S>, own: &mut [Twist<S>]) {
        let global = Frame::global();
        for link in &self.chain.links {
            let before = self.chain.before(link, pose, &global);
            for l in link.coord as usize..link.coord as usize + link.count() {
                own[l] = own_slope(link, l, z, w, before);
            }
        }
    }
    /// (3) for rates w: into `d.j1`, with V(w) in `d.v`.
    pub(super) fn fill_j1<S: Scalar>(&self, z: &[S], w: &[S], d: &mut Data<S>) {
        self.chain.velocities(w, &d.pose, &mut d.v);
        self.own_slopes(z, w, &d.pose, &mut d.own);
        for (b, body) in self.bodies.iter().enumerate() {
            let Some(link) = body.link.map(|l| l as usize) else { continue };
            for (k, &l) in body.path.iter().enumerate() {
                let slope = self.slope(l as usize, link, &d.v, &d.pose, &d.own);
                let at = self.contraction.at(b, k);
                let mut column = moved(&slope, &d.pose.frames[link]);
                turned(&d.v[link].w, &d.j[at.clone()], &mut column);
                d.j1[at].copy_from_slice(&column);
            }
        }
    }
    /// (4) at (ż, z̈): into `d.j2`, after `fill_j1` for ż and with `d.flow`.
    pub(super) fn fill_j2<S: Scalar>(&self, z: &[S], rate: &[S], second: Option<&[S]>, d: &mut Data<S>) {
        self.own_slopes(z, rate, &d.pose, &mut d.own);
        self.own_slope_rates(z, rate, second, d);
        for (b, body) in self.bodies.iter().enumerate() {
            let Some(link) = body.link.map(|l| l as usize) else { continue };
            let frame = &d.pose.frames[link];
            let velocity = moved(&d.flow.v[link], frame);
            for (k, &l) in body.path.iter().enumerate() {
                let (l, at) = (l as usize, self.contraction.at(b, k));
                let slope = self.slope(l, link, &d.flow.v, &d.pose, &d.own);
                let column = self.second_column(l, link, [&slope, &d.own_rates[l]], (&velocity, at.clone()), d);
                d.j2[at].copy_from_slice(&column);
            }
        }
    }
    fn second_column<S: Scalar>(
        &self,
        l: usize,
        link: usize,
        [slope, own]: [&Twist<S>; 2],
        (velocity, at): (&[S], std::ops::Range<usize>),
        d: &Data<S>,
    ) -> [S; PARTS] {
        let (before, Flow { v, a, rates }) = (self.link_of(l), &d.flow);
        let relative = [v[link].minus(&v[before]), a[link].minus(&a[before])];
        let second = rates[l].bracket(&relative[0]).plus(&d.pose.screws[l].bracket(&relative[1])).plus(own);
        let mut column = moved(&second, &d.pose.frames[link]);
        turned(&a[link].w, &d.j[at.clone()], &mut column);
        turned(&slope.w, velocity, &mut column);
        turned(&v[link].w, &d.j1[at], &mut column);
        column
    }
    /// τ̇ of every coordinate.
    fn own_slope_rates<S: Scalar>(&self, z: &[S], rate: &[S], second: Option<&[S]>, d: &mut Data<S>) {
        let second = second.unwrap_or(&d.rest);
        let global = Frame::global();
        for link in self.chain.links.iter().filter(|l| l.motion == Motion::Ball) {
            let before = self.chain.before(link, &d.pose, &global);
            let v = link.parent.map_or(Twist::zero(), |k| d.flow.v[k as usize]);
            for i in 0..4 {
                let l = link.coord as usize + i;
                let own = euler::slope_rate(&link.four(z), &link.four(rate), &link.four(second), i);
                let own = Twist::screw(combine(&before.e, &own), &before.p);
                d.own_rates[l] = v.bracket(&d.own[l]).plus(&own);
            }
        }
    }
    /// (5): out += (Jᵀ f)_z for a fixed f, on n × n.
    pub(super) fn add_stress<S: Scalar>(&self, z: &[S], f: &[S], pose: &Pose<S>, loads: &mut [Load<S>], out: &mut [S]) {
        loads.fill(Load::zero());
        for body in &self.bodies {
            let Some(link) = body.link.map(|l| l as usize) else { continue };
            let (frame, load, f) = (&pose.frames[link], &mut loads[link], self.spread(body, f));
            increase(&mut load.force, &vector(&f, 0));
            load.apply(&frame.p, &vector(&f, 0));
            (0..3).for_each(|k| load.apply(&frame.e[k], &vector(&f, 3 + 3 * k)));
        }
        for l in (0..self.chain.links.len()).rev() {
            if let Some(k) = self.chain.links[l].parent {
                let load = loads[l];
                loads[k as usize].add(&load);
            }
        }
        for &(k, l, here, there) in &self.contraction.on_path {
            let (k, l) = (k as usize, l as usize);
            let load = &loads[self.link_of(k)];
            let mut value = dot(&pose.screws[l].w, &load.moment(&pose.screws[k]));
            value += self.mutual(k, l, z, pose, load);
            out[here as usize] += value;
            if k != l {
                out[there as usize] += value;
            }
        }
    }
    /// τ_lk·W of (5): Euler parameters of one ball.
    fn mutual<S: Scalar>(&self, k: usize, l: usize, z: &[S], pose: &Pose<S>, load: &Load<S>) -> S {
        let link = &self.chain.links[self.link_of(k)];
        if link.motion != Motion::Ball || self.link_of(l) != self.link_of(k) {
            return S::zero();
        }
        let (global, first) = (Frame::global(), link.coord as usize);
        let before = self.chain.before(link, pose, &global);
        let unit = std::array::from_fn(|i| S::from(f64::from(u8::from(i == l - first))));
        // (w_l)_{e_k}
        let slope = euler::slope(&link.four(z), &unit, k - first);
        Twist::screw(combine(&before.e, &slope), &before.p).dot(&load.wrench())
    }
    /// The part of a list over x that belongs to a body, as twelve components.
    pub(super) fn spread<S: Scalar>(&self, body: &super::Carried, f: &[S]) -> [S; PARTS] {
        let mut out = [S::zero(); PARTS];
        body.parts.iter().enumerate().for_each(|(i, &part)| out[part as usize] = f[body.first as usize + i]);
        out
    }
}
