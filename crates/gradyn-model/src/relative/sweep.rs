//! The chain backwards: cotangents of the geometry from those of the frames, of V and of A after each link.

use super::chain::{Chain, Flow, Frame, Link, Motion, Pose, three};
use super::euler;
use super::spatial::{Twist, V3, add, combine, cross, dot, increase, scale};
use gradyn_num::Scalar;

/// Cotangents after a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar<S> {
    /// Cotangent of the frame.
    pub frame: Frame<S>,
    /// Cotangent of the motion V.
    pub v: Twist<S>,
    /// Cotangent of the acceleration A.
    pub a: Twist<S>,
}

/// A motion: ẋ = V x, ẍ = A x + ω × ẋ of what is fixed in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving<'a, S> {
    /// The motion V of the frame.
    pub v: &'a Twist<S>,
    /// The acceleration A of the frame.
    pub a: &'a Twist<S>,
}

impl<S: Scalar> Bar<S> {
    /// Cotangents that are zero.
    pub(crate) fn zero() -> Self {
        let none = [S::zero(); 3];
        Self { frame: Frame { p: none, e: [none; 3] }, v: Twist::zero(), a: Twist::zero() }
    }
    /// Cotangents of V, A and x from those of (x, ẋ, ẍ); x is a point, or a direction. Returns x̄.
    pub(crate) fn moved(&mut self, x: &V3<S>, m: Moving<S>, bars: [V3<S>; 3], point: bool) -> V3<S> {
        let w = &m.v.w;
        let dx = if point { m.v.at(x) } else { cross(w, x) };
        // ẋ stands in ẍ too
        let rate = add(&bars[1], &cross(&bars[2], w));
        increase(&mut self.v.w, &add(&cross(x, &rate), &cross(&dx, &bars[2])));
        increase(&mut self.a.w, &cross(x, &bars[2]));
        if point {
            increase(&mut self.v.u, &rate);
            increase(&mut self.a.u, &bars[2]);
        }
        add(&add(&bars[0], &cross(&rate, w)), &cross(&bars[2], &m.a.w))
    }
    fn add(&mut self, o: &Self) {
        increase(&mut self.frame.p, &o.frame.p);
        (0..3).for_each(|k| increase(&mut self.frame.e[k], &o.frame.e[k]));
        self.v = self.v.plus(&o.v);
        self.a = self.a.plus(&o.a);
    }
    /// b = E y turns about p: adds the cotangents of E and p for that of the screw.
    fn screw(&mut self, before: &Frame<S>, y: &V3<S>, bar: &Twist<S>) {
        let b = combine(&before.e, y);
        let b_bar = add(&bar.w, &cross(&bar.u, &before.p));
        increase(&mut self.frame.p, &cross(&b, &bar.u));
        (0..3).for_each(|k| increase(&mut self.frame.e[k], &scale(y[k], &b_bar)));
    }
}

/// (z, ż, z̈) with what follows from them.
pub(crate) struct State<'a, S> {
    /// The coordinates z.
    pub z: &'a [S],
    /// Their rates ż.
    pub rate: &'a [S],
    /// Their second rates z̈.
    pub second: &'a [S],
    /// Numbers of the geometry.
    pub g: &'a [S],
    /// Frames and screws.
    pub pose: &'a Pose<S>,
    /// Motions of the links.
    pub flow: &'a Flow<S>,
}

impl Chain {
    /// Adds to the cotangents of the geometry; `bars` are those after each link, and are used up.
    pub(crate) fn backward<S: Scalar>(&self, state: &State<S>, bars: &mut [Bar<S>], g: &mut [S]) {
        (0..self.links.len()).rev().for_each(|l| self.back_link(l, state, bars, g));
    }
    /// Adds to the cotangents of the geometry of one link, after those that follow it.
    pub(crate) fn back_link<S: Scalar>(&self, l: usize, state: &State<S>, bars: &mut [Bar<S>], g: &mut [S]) {
        let link = &self.links[l];
        let bar = std::mem::replace(&mut bars[l], Bar::zero());
        let ground = self.ground();
        let before = self.before(link, state.pose, &ground);
        let v = link.parent.map_or(Twist::zero(), |k| state.flow.v[k as usize]);
        let mut out = match link.motion {
            Motion::Shift(at) => shift(before, &bar, state.g, at, g),
            Motion::Turn(at) => turn(before, &bar, state.g, at, g),
            _ => joint(link, before, &v, &bar, state),
        };
        if let Some(k) = link.parent {
            out.add(&bars[k as usize]);
            bars[k as usize] = out;
        }
    }
}

fn shift<S: Scalar>(before: &Frame<S>, bar: &Bar<S>, g: &[S], at: u32, grad: &mut [S]) -> Bar<S> {
    let mut out = *bar;
    let s = three(g, at);
    for k in 0..3 {
        increase(&mut out.frame.e[k], &scale(s[k], &bar.frame.p));
        grad[at as usize + k] += dot(&before.e[k], &bar.frame.p);
    }
    out
}

fn turn<S: Scalar>(before: &Frame<S>, bar: &Bar<S>, g: &[S], at: u32, grad: &mut [S]) -> Bar<S> {
    let mut out = *bar;
    out.frame.e = [[S::zero(); 3]; 3];
    for c in 0..3 {
        let column = three(g, at + 3 * c as u32);
        for i in 0..3 {
            increase(&mut out.frame.e[i], &scale(column[i], &bar.frame.e[c]));
            grad[at as usize + 3 * c + i] += dot(&before.e[i], &bar.frame.e[c]);
        }
    }
    out
}

fn joint<S: Scalar>(link: &Link, before: &Frame<S>, v: &Twist<S>, bar: &Bar<S>, state: &State<S>) -> Bar<S> {
    if link.motion == Motion::Ball {
        return ball(link, before, v, bar, state);
    }
    let mut out = *bar;
    let k = link.coord as usize;
    // V' = V + S ż,  A' = A + S z̈ + [V, S] ż
    let rate = state.rate[k];
    let s = state.pose.screws[k];
    let mut carried = Twist::zero();
    carried.increase(rate, &bar.a);
    let mut screw = v.bracket_right(&carried);
    screw.increase(rate, &bar.v);
    screw.increase(state.second[k], &bar.a);
    out.v = bar.v.plus(&s.bracket_left(&carried));
    // the screw and the frame by the kind of motion
    match link.motion {
        Motion::Revolve(axis, sign) => {
            let i = (axis + 1) % 3;
            let j = (axis + 2) % 3;
            let c = (state.z[k] * sign).cos();
            let sn = (state.z[k] * sign).sin();
            for x in 0..3 {
                out.frame.e[i][x] = bar.frame.e[i][x] * c - bar.frame.e[j][x] * sn;
                out.frame.e[j][x] = bar.frame.e[i][x] * sn + bar.frame.e[j][x] * c;
            }
            let mut y = [S::zero(); 3];
            y[axis] = S::from(sign);
            out.screw(before, &y, &screw);
        }
        Motion::Slide(axis, sign) => {
            let all = add(&screw.u, &scale(state.z[k], &bar.frame.p));
            increase(&mut out.frame.e[axis], &all.map(|x| x * sign));
        }
        _ => unreachable!("shifts, turns and balls are elsewhere"),
    }
    out
}

/// Cotangents before a ball, which turns E by R(e), with ω and ω̇ of its own.
fn ball<S: Scalar>(link: &Link, before: &Frame<S>, v: &Twist<S>, bar: &Bar<S>, state: &State<S>) -> Bar<S> {
    // Ē = Ē' Rᵀ
    let mut out = *bar;
    let e = link.four(state.z);
    let rate = link.four(state.rate);
    let second = link.four(state.second);
    let columns = euler::rotation(&e);
    out.frame.e = [[S::zero(); 3]; 3];
    for c in 0..3 {
        (0..3).for_each(|i| increase(&mut out.frame.e[i], &scale(columns[c][i], &bar.frame.e[c])));
    }
    // V' = V + own,  A' = A + own rate + [V, own]
    let y = euler::velocity(&e, &rate);
    let dy = euler::acceleration(&e, &rate, &second);
    let own = Twist::screw(combine(&before.e, &y), &before.p);
    out.v = bar.v.plus(&own.bracket_left(&bar.a));
    out.screw(before, &y, &bar.v.plus(&v.bracket_right(&bar.a)));
    out.screw(before, &dy, &bar.a);
    out
}
