//! Frames, screws and motions at one (z, ż, z̈), computed once for all terms there.

use super::chain::{Flow, Pose};
use super::spatial::Twist;
use super::{Carried, Relative};
use gradyn_num::Scalar;

/// What follows from (z, ż, z̈) as far as it was asked for.
#[derive(Clone, Debug)]
pub(super) struct Placed<S> {
    /// The coordinates with their rates: z, ż, z̈.
    pub z: [Vec<S>; 3],
    /// Frames and screws.
    pub pose: Pose<S>,
    /// Motions of the links.
    pub flow: Flow<S>,
    /// The frames with their rates: x, ẋ, ẍ.
    pub x: [Vec<S>; 3],
    known: Known,
}

/// How far it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Nothing,
    Pose,
    Flow,
    /// With the second rates S̈ too.
    Seconds,
}

impl<S: Scalar> Placed<S> {
    /// Forgets everything: the geometry has changed.
    pub(super) fn forget(&mut self) {
        self.known = Known::Nothing;
    }
    /// Are the frames those at z?
    pub(super) fn is_at(&self, z: &[S]) -> bool {
        self.known >= Known::Pose && self.z[0] == z
    }
    /// The screws with their rates: S, Ṡ, S̈.
    pub(crate) fn screws(&self) -> [&[Twist<S>]; 3] {
        [&self.pose.screws, &self.flow.rates, &self.flow.seconds]
    }
    /// The frames with their rates: x, ẋ, ẍ.
    pub(super) fn lists(&self) -> [&[S]; 3] {
        [&self.x[0], &self.x[1], &self.x[2]]
    }
}

impl Relative {
    /// Memory for a place of the chain.
    pub(super) fn new_placed<S: Scalar>(&self, frames: usize) -> Placed<S> {
        let lists = |n: usize| [(); 3].map(|()| vec![S::zero(); n]);
        let mut pose = self.chain.pose();
        let alone = |b: &&Carried| b.link.is_none();
        for body in self.bodies.iter().filter(alone) {
            body.own().enumerate().for_each(|(i, k)| pose.screws[k as usize] = Twist::unit(i));
        }
        Placed {
            z: lists(self.dims.n),
            pose,
            flow: self.chain.flow(),
            x: lists(frames),
            known: Known::Nothing,
        }
    }
    /// Sets the frames at z.
    pub(super) fn pose_at<S: Scalar>(&self, z: &[S], g: &[S], to: &mut Placed<S>) {
        if to.is_at(z) {
            return;
        }
        self.chain.place(z, g, &mut to.pose);
        self.frames(z, &to.pose, &mut to.x[0]);
        to.z[0].copy_from_slice(z);
        to.known = Known::Pose;
    }
    /// Motions at (ż, z̈), where the frames are.
    pub(super) fn flow_at<S: Scalar>(&self, rate: &[S], second: &[S], to: &mut Placed<S>) {
        if to.known >= Known::Flow && to.z[1] == rate && to.z[2] == second {
            return;
        }
        let moving = to.known >= Known::Flow && to.z[1] == rate;
        let Placed { z, pose, flow, x: [_, v, a], .. } = to;
        z[1].copy_from_slice(rate);
        z[2].copy_from_slice(second);
        if moving {
            // V, Ṡ and ẋ are known
            self.chain.accelerations(rate, second, pose, flow);
        } else {
            self.chain.run(&z[0], rate, second, pose, flow);
            self.push(rate, &flow.v, pose, v);
        }
        self.second(second, flow, pose, a);
        to.known = Known::Flow;
    }
    /// S̈ where the motions are.
    pub(super) fn seconds<S: Scalar>(&self, to: &mut Placed<S>) {
        if to.known < Known::Seconds {
            let [z, rate, second] = &to.z;
            self.chain.screw_seconds(z, rate, second, &to.pose, &mut to.flow);
            to.known = Known::Seconds;
        }
    }
}
