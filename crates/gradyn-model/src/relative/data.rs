//! What evaluation in relative coordinates writes, and vectors over the frames.

mod back;

use super::chain::{Flow, Pose};
use super::contraction::Blocks;
use super::mass::Composite;
use super::placed::Placed;
use super::pull::{Levels, Pulled};
use super::spatial::{Twist, cross, increase};
use super::stress::{Load, moved, spread, vector};
use super::sweep::{Bar, Moving, State};
use super::{Carried, PARTS, Relative};
use crate::elements::ElementTerms;
use crate::row_status::RowStatus;
use crate::start::Start;
use crate::system::At;
use gradyn_num::{Dual, Scalar};
use std::sync::Arc;

/// Terms in relative coordinates at one point, with the memory that evaluation writes.
#[derive(Clone, Debug)]
pub(crate) struct TreeTerms<S> {
    pub(super) tree: Arc<Relative>,
    /// Of the elements.
    pub(crate) inner: ElementTerms<S>,
    pub(super) g: Vec<S>,
    /// Where the terms are, and where functionals are measured, if that is elsewhere.
    pub(super) here: Placed<S>,
    pub(super) seen: Placed<S>,
    /// Motions with other rates.
    pub(super) flow: Flow<S>,
    pub(super) blocks: Blocks<S>,
    pub(super) mass: Vec<S>,
    pub(super) phi_q: Vec<S>,
    /// Matrices over x: two on N × N, two on m × N.
    pub(super) nn: [Vec<S>; 2],
    pub(super) mn: [Vec<S>; 2],
    /// J w, J μ, a force on the frames, and a sum.
    pub(super) y: Vec<S>,
    pub(super) eta: Vec<S>,
    pub(super) f: Vec<S>,
    pub(super) sum: Vec<S>,
    /// Cotangents and tangents of (x, ẋ, ẍ).
    pub(super) bar: [Vec<S>; 3],
    pub(super) dx: [Vec<S>; 3],
    /// Zeros over the coordinates z.
    pub(super) rest: Vec<S>,
    /// Motions of some rates, and the rates of the screws with them.
    pub(super) v: Vec<Twist<S>>,
    pub(super) rates: Vec<Twist<S>>,
    pub(super) pulled: Vec<Pulled<S>>,
    pub(super) loads: Vec<Load<S>>,
    pub(super) composites: Vec<Composite<S>>,
    pub(super) bars: Vec<Bar<S>>,
    pub(super) g_bar: Vec<S>,
    pub(super) tangent: Tangent<S>,
    /// A gradient of a functional of the elements, over the slots, and over (z, ż, z̈).
    pub(super) row: Vec<S>,
    pub(super) slots: Vec<S>,
    pub(super) z: [Vec<S>; 3],
    /// Multipliers of the rows of the elements, all zero.
    pub(super) none: Vec<S>,
}

/// The chain along a direction of the geometry.
#[derive(Clone, Debug)]
pub(super) struct Tangent<S> {
    g: Vec<Dual<S, 1>>,
    z: [Vec<Dual<S, 1>>; 3],
    pose: Pose<Dual<S, 1>>,
    flow: Flow<Dual<S, 1>>,
    x: [Vec<Dual<S, 1>>; 3],
    f: Vec<Dual<S, 1>>,
    pulled: Vec<Pulled<Dual<S, 1>>>,
    out: Vec<Dual<S, 1>>,
}

impl Relative {
    /// Memory for one point of evaluation, with what was decided about the rows and the start.
    pub(crate) fn terms<S: Scalar>(
        self: &Arc<Self>,
        rows: &Arc<RowStatus>,
        start: &Arc<Start>,
    ) -> TreeTerms<S> {
        let frames = self.inner.dims().n;
        let n = self.dims.n;
        let links = self.chain.links.len();
        let list = |len: usize| vec![S::zero(); len];
        let [nn, mn] = [self.inner.patterns().nn.nnz(), self.inner.patterns().mn.nnz()];
        let row = 3 * frames + self.inner.dims().m + self.inner.dims().slots;
        // all memory at once, so that no term allocates
        TreeTerms {
            tree: Arc::clone(self),
            inner: self.inner.terms(rows, start),
            g: list(self.geometry.len()),
            here: self.new_placed(frames),
            seen: self.new_placed(frames),
            flow: self.chain.flow(),
            blocks: self.contraction.blocks(self.bodies.len()),
            mass: list(self.patterns.nn.nnz()),
            phi_q: list(self.patterns.mn.nnz()),
            nn: [list(nn), list(nn)],
            mn: [list(mn), list(mn)],
            y: list(frames),
            eta: list(frames),
            f: list(frames),
            sum: list(frames),
            bar: [list(frames), list(frames), list(frames)],
            dx: [list(frames), list(frames), list(frames)],
            rest: list(n),
            v: vec![Twist::zero(); links],
            rates: vec![Twist::zero(); n],
            pulled: vec![[Twist::zero(); 3]; self.nodes.list.len()],
            loads: vec![Load::zero(); links],
            composites: vec![Composite::zero(); links],
            bars: vec![Bar::zero(); links],
            g_bar: list(self.geometry.len()),
            tangent: self.new_tangent(),
            row: list(row),
            slots: list(self.inner.dims().slots),
            z: [list(n), list(n), list(n)],
            none: list(self.inner.dims().m),
        }
    }
    fn new_tangent<S: Scalar>(&self) -> Tangent<S> {
        let frames = self.inner.dims().n;
        let n = self.dims.n;
        let zero = Dual::constant(S::zero());
        let list = |len: usize| vec![zero; len];
        Tangent {
            g: list(self.geometry.len()),
            z: [list(n), list(n), list(n)],
            pose: self.chain.pose(),
            flow: self.chain.flow(),
            x: [list(frames), list(frames), list(frames)],
            f: list(frames),
            pulled: vec![[Twist::zero(); 3]; self.nodes.list.len()],
            out: list(n),
        }
    }
    /// x of the frames.
    pub(super) fn frames<T: Scalar>(&self, z: &[T], pose: &Pose<T>, x: &mut [T]) {
        for body in &self.bodies {
            let first = body.first as usize;
            let Some(link) = body.link else {
                body.own().enumerate().for_each(|(i, k)| x[first + i] = z[k as usize]);
                continue;
            };
            let frame = &pose.frames[link as usize];
            for (i, &part) in body.parts.iter().enumerate() {
                let element = part as usize / 3;
                let axis = part as usize % 3;
                x[first + i] = match element {
                    0 => frame.p[axis] + T::from(self.chain.origin[axis]),
                    _ => frame.e[element - 1][axis],
                };
            }
        }
    }
    /// out = J w for V(w).
    pub(super) fn push<T: Scalar>(&self, w: &[T], v: &[Twist<T>], pose: &Pose<T>, out: &mut [T]) {
        for body in &self.bodies {
            let first = body.first as usize;
            let Some(link) = body.link.map(|l| l as usize) else {
                body.own().enumerate().for_each(|(i, k)| out[first + i] = w[k as usize]);
                continue;
            };
            let rate = moved(&v[link], &pose.frames[link]);
            body.parts.iter().enumerate().for_each(|(i, &part)| out[first + i] = rate[part as usize]);
        }
    }
    /// The accelerations ẍ of the frames.
    pub(super) fn second<T: Scalar>(&self, second: &[T], flow: &Flow<T>, pose: &Pose<T>, out: &mut [T]) {
        for body in &self.bodies {
            let first = body.first as usize;
            let Some(link) = body.link.map(|l| l as usize) else {
                body.own().enumerate().for_each(|(i, k)| out[first + i] = second[k as usize]);
                continue;
            };
            let mut column = moved(&flow.a[link], &pose.frames[link]);
            let rate = moved(&flow.v[link], &pose.frames[link]);
            for part in (0..PARTS).step_by(3) {
                let y = cross(&flow.v[link].w, &vector(&rate, part));
                (0..3).for_each(|i| column[part + i] += y[i]);
            }
            body.parts.iter().enumerate().for_each(|(i, &part)| out[first + i] = column[part as usize]);
        }
    }
    /// out += Jᵀ f, where the frames x have these screws.
    pub(super) fn pull_force<T: Scalar>(
        &self,
        f: &[T],
        x: &[T],
        screws: &[Twist<T>],
        g: &mut [Pulled<T>],
        out: &mut [T],
    ) {
        self.pull_coordinates(Levels { x: [x], bars: [f], screws: [screws] }, g, [Some(out)]);
    }
    /// x, and ẋ and ẍ with their rates, where functionals are measured: where the terms are, or elsewhere.
    pub(super) fn see<'d, S: Scalar>(
        &self,
        z: &[S],
        rates: Option<(&[S], &[S])>,
        g: &[S],
        [here, seen]: [&'d mut Placed<S>; 2],
    ) -> &'d mut Placed<S> {
        let to = if here.is_at(z) {
            here
        } else {
            self.pose_at(z, g, seen);
            seen
        };
        if let Some((rate, second)) = rates {
            self.flow_at(rate, second, to);
        }
        to
    }
    /// out += (δJ)ᵀ f after `along`.
    pub(super) fn pull_along<S: Scalar>(&self, f: &[S], d: &mut Tangent<S>, out: &mut [S]) {
        d.f.iter_mut().zip(f).for_each(|(d, f)| *d = Dual::constant(*f));
        d.out.fill(Dual::constant(S::zero()));
        let Tangent { pose, f, x: [x, ..], pulled, out: sums, .. } = d;
        self.pull_force(f, x, &pose.screws, pulled, sums);
        out.iter_mut().zip(sums).for_each(|(o, s)| *o += s.eps[0]);
    }
    /// Adds cotangents of the slots behind the geometry to `grad`, from those of (x, ẋ, ẍ) at the motion of
    /// `state`.
    pub(super) fn pull_back<S: Scalar>(
        &self,
        state: &State<S>,
        x_bar: [&[S]; 3],
        (bars, g_bar): (&mut [Bar<S>], &mut [S]),
        grad: &mut [S],
    ) {
        bars.fill(Bar::zero());
        self.bodies.iter().for_each(|body| self.pull_frame(body, state, x_bar, bars));
        g_bar.fill(S::zero());
        self.chain.backward(state, bars, g_bar);
        self.geometry.iter().zip(g_bar).for_each(|(&s, g)| grad[s as usize] += *g);
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// ẋ and ẍ at (ż, z̈), where the terms are; z̈ = 0 if it is absent.
    pub(super) fn run(&mut self, rate: &[S], second: Option<&[S]>) {
        self.tree.flow_at(rate, second.unwrap_or(&self.rest), &mut self.here);
    }
    /// (δx, δẋ, δẍ) along a direction of the slots: into `self.dx`. False if the geometry does not move.
    pub(super) fn along(&mut self, z: &[S], rate: &[S], second: Option<&[S]>, delta: &[S]) -> bool {
        // geometry along δ; nothing moves if none of it changes
        let t = &mut self.tangent;
        for ((g, x), &s) in t.g.iter_mut().zip(&self.g).zip(&self.tree.geometry) {
            *g = Dual::along(*x, delta[s as usize]);
        }
        if t.g.iter().all(|g| g.eps[0] == S::zero()) {
            return false;
        }
        // (z, ż, z̈) are constant
        for (to, from) in t.z.iter_mut().zip([z, rate, second.unwrap_or(&self.rest)]) {
            to.iter_mut().zip(from).for_each(|(t, x)| *t = Dual::constant(*x));
        }
        // frames with their rates along δ
        self.tree.chain.place(&t.z[0], &t.g, &mut t.pose);
        self.tree.chain.run(&t.z[0], &t.z[1], &t.z[2], &t.pose, &mut t.flow);
        self.tree.frames(&t.z[0], &t.pose, &mut t.x[0]);
        self.tree.push(&t.z[1], &t.flow.v, &t.pose, &mut t.x[1]);
        self.tree.second(&t.z[2], &t.flow, &t.pose, &mut t.x[2]);
        for (to, from) in self.dx.iter_mut().zip(&t.x) {
            to.iter_mut().zip(from).for_each(|(y, x)| *y = x.eps[0]);
        }
        true
    }
}

/// The point (x, ẋ, ẍ) of the elements; λ of their rows.
pub(super) fn inner_at<'a, S: Scalar>(t: S, x: &'a [Vec<S>; 3], lam: &'a [S]) -> At<'a, S> {
    At { t, q: &x[0], v: &x[1], a: &x[2], lam }
}
