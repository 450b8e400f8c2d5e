//! The part of the tree that a condition of the start reads: some bodies and all before them.
//!
//! There are as many conditions as bodies, or more. Each of them pulls its gradient through its own part, so
//! that all together cost O(n · depth), as the terms do.

use super::contraction::owners;
use super::data::inner_at;
use super::fold::up;
use super::pull::Levels;
use super::spatial::Twist;
use super::sweep::{Bar, State};
use super::{Carried, Relative, TreeTerms, path, sorted};
use crate::system::{At, Kinematics};
use gradyn_num::Scalar;

/// Bodies, nodes, links and coordinates, each in order.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub bodies: Vec<u32>,
    nodes: Vec<u32>,
    links: Vec<u32>,
    /// Coordinates that move the bodies; of a long tree, the motions of `border.rs`.
    pub coords: Vec<u32>,
    /// Slots: of the geometry of the links, and others that are read.
    pub support: Vec<u32>,
}

impl Relative {
    /// Finds the parts of all conditions.
    pub(super) fn find_parts(&mut self) {
        let owners: Vec<u32> = owners(&self.bodies, self.inner.dims.n).iter().map(|o| o.0 as u32).collect();
        let part =
            |x: &[u32], support: &[u32]| self.part(x.iter().map(|&i| owners[i as usize]).collect(), support);
        let condition = |kinematics, k| {
            part(self.inner.condition_pattern(kinematics, k), self.inner.condition_support(kinematics, k))
        };
        self.condition_parts = Kinematics::ALL.map(|kinematics| {
            let count = if kinematics.is_velocity() {
                self.inner.rest_conditions().end as usize
            } else {
                self.inner.position.len()
            };
            (0..count).map(|k| condition(kinematics, k)).collect()
        });
    }
    fn part(&self, bodies: Vec<u32>, support: &[u32]) -> Part {
        let bodies = sorted(bodies);
        if self.long {
            // the motions of its bodies; what is behind them is not listed
            let nodes = bodies.iter().filter_map(|&b| self.nodes.of_body[b as usize]);
            let coords = sorted(nodes.flat_map(|node| self.columns(node)).collect());
            return Part { bodies, nodes: vec![], links: vec![], coords, support: support.to_vec() };
        }
        let each = || bodies.iter().map(|&b| &self.bodies[b as usize]);
        let before = |b: &Carried| std::iter::successors(b.link, |&l| self.chain.links[l as usize].parent);
        let links = sorted(each().flat_map(before).collect());
        let coords = sorted(each().flat_map(|b| path(&self.before, b.last)).collect());
        let nodes = bodies.iter().filter_map(|&b| self.nodes.of_body[b as usize]);
        let nodes =
            sorted(nodes.flat_map(|node| up(&self.nodes.list, node)).map(|node| node as u32).collect());
        let numbers = links.iter().flat_map(|&l| &self.geometry[self.chain.links[l as usize].numbers()]);
        let support = sorted(support.iter().chain(numbers).copied().collect());
        Part { bodies, nodes, links, coords, support }
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// A gradient over (x, ẋ, ẍ) in `self.bar`, added to one over (z, ż, z̈) in `self.z` and over the slots.
    fn pull_part(&mut self, (kinematics, k): (Kinematics, usize), at: &At<S>, apart: bool, grad: &mut [S]) {
        let part = &self.tree.condition_parts[kinematics.index()][k];
        // z̄ by (1) and (2) of `pull.rs`, over the nodes of the part only
        let m = if apart { &mut self.seen } else { &mut self.here };
        self.tree.seconds(m);
        let [x, v, a] = &self.bar;
        let g = &mut self.pulled;
        let levels = Levels { x: m.lists(), bars: [x, v, a], screws: m.screws() };
        let mut out = self.z.each_mut().map(|z| Some(&mut z[..]));
        part.nodes.iter().for_each(|&node| g[node as usize] = [Twist::zero(); 3]);
        part.bodies.iter().for_each(|&body| self.tree.pull_body(body as usize, &levels, g, &mut out));
        part.nodes.iter().rev().for_each(|&node| self.tree.pull_node(node as usize, &levels, g, &mut out));
        // no slot changes the geometry
        if !self.inner.rows.active().shaped {
            return;
        }
        // cotangents of the frames, then the links backwards
        let state = State { z: at.q, rate: at.v, second: at.a, g: &self.g, pose: &m.pose, flow: &m.flow };
        part.links.iter().for_each(|&l| self.bars[l as usize] = Bar::zero());
        for &body in &part.bodies {
            self.tree.pull_frame(&self.tree.bodies[body as usize], &state, levels.bars, &mut self.bars);
        }
        // cotangents of the numbers → slots
        let numbers = || part.links.iter().flat_map(|&l| self.tree.chain.links[l as usize].numbers());
        numbers().for_each(|i| self.g_bar[i] = S::zero());
        part.links
            .iter()
            .rev()
            .for_each(|&l| self.tree.chain.back_link(l as usize, &state, &mut self.bars, &mut self.g_bar));
        numbers().for_each(|i| grad[self.tree.geometry[i] as usize] += self.g_bar[i]);
    }
    /// The partials of a condition, by its number in the system, over its coordinates, their rates and its
    /// slots.
    pub(super) fn part_row(
        &mut self,
        (kinematics, k): (Kinematics, usize),
        at: &At<S>,
        [q, v, p]: [&mut [S]; 3],
    ) {
        if self.tree.long {
            return self.border_row((kinematics, k), at, [q, v]);
        }
        let part = &self.tree.condition_parts[kinematics.index()][k];
        let apart = !self.here.is_at(at.q);
        let m = self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]);
        // the row over frames and slots
        let coords = self.tree.inner.condition_pattern(kinematics, k);
        let support = self.tree.inner.condition_support(kinematics, k);
        let mut own = std::mem::take(&mut self.row);
        let (x, rest) = own.split_at_mut(coords.len());
        let (rate, slots) = rest.split_at_mut(coords.len());
        let here = inner_at(at.t, &m.x, &self.none);
        self.inner.numbered_condition_row(kinematics, k, &here, [x, rate, &mut slots[..support.len()]]);
        // as cotangents: slots, x̄ and its rate
        let mut grad = std::mem::take(&mut self.slots);
        support.iter().zip(&*slots).for_each(|(&s, x)| grad[s as usize] = *x);
        for body in part.bodies.iter().map(|&b| &self.tree.bodies[b as usize]) {
            let entries = body.first as usize..body.first as usize + body.parts.len();
            self.bar.iter_mut().for_each(|b| b[entries.clone()].fill(S::zero()));
        }
        for ((&i, x), r) in coords.iter().zip(&*x).zip(&*rate) {
            self.bar[0][i as usize] = *x;
            self.bar[1][i as usize] = *r;
        }
        // over coordinates and slots
        self.pull_part((kinematics, k), at, apart, &mut grad);
        let part = &self.tree.condition_parts[kinematics.index()][k];
        // into the row, and cleared for the next time
        let take = |from: &mut [S], i: u32| std::mem::replace(&mut from[i as usize], S::zero());
        for ((q, v), &i) in q.iter_mut().zip(v).zip(&part.coords) {
            [*q, *v, _] = self.z.each_mut().map(|z| take(z, i));
        }
        p.iter_mut().zip(&part.support).for_each(|(p, &s)| *p = take(&mut grad, s));
        self.row = own;
        self.slots = grad;
    }
}
