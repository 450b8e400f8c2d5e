//! Conditions of the start of a long tree, over the motions of its nodes.
//!
//! ```text
//! V_i - T V_before - Σ S_k δz_k = 0      T (ω, u) = (ω, u + ω × d),  d = r_i - r_before    (1)
//! E_z δz = Σ G_i·V_i                     G = Pᵀ E_x of the bodies of node i, about r_i       (2)
//! ```
//! E_z of a condition on a body far from the root is as long as its path, but (1) and (2) are short rows: the
//! matrix of the conditions is bordered by (1). The points r are those of `articulated.rs`. Products with
//! E_z, and with the partials of conditions over slots, go through frames.

use super::data::inner_at;
use super::fold::Node;
use super::pull::add_covector;
use super::spatial::{Twist, V3, sub};
use super::{Relative, TreeTerms};
use crate::system::{At, Kinematics};
use gradyn_num::Scalar;

/// Components of V in space.
const SPACE: [u8; 6] = [0, 1, 2, 3, 4, 5];

/// Components of V in the plane: ω about z, u along x and y.
const PLANE: [u8; 3] = [2, 3, 4];

/// Components of V that are not zero in so many dimensions.
pub(super) fn components(dimension: usize) -> &'static [u8] {
    if dimension == 2 { &PLANE } else { &SPACE }
}

impl Relative {
    /// The link whose frame has the point r of a node; none for a body without links.
    pub(super) fn end_of(&self, node: &Node) -> Option<u32> {
        self.chain.link_of[node.coords.end as usize - 1].map(|l| self.ends[l as usize])
    }
    /// Rows of (1), as many as unknowns V.
    pub(crate) fn border_size(&self) -> usize {
        if self.long { self.components.len() * self.nodes.list.len() } else { 0 }
    }
    /// The columns of V of a node, after those of the coordinates.
    pub(super) fn columns(&self, node: usize) -> std::ops::Range<u32> {
        let count = self.components.len();
        let first = self.dims.n + node * count;
        first as u32..(first + count) as u32
    }
    /// Calls a function with (row, column, value) of each entry of (1), always in the same order.
    pub(crate) fn each_border<S: Scalar>(
        &self,
        points: impl Fn(u32) -> V3<S>,
        screws: &[Twist<S>],
        mut put: impl FnMut(usize, usize, S),
    ) {
        let n = self.dims.n;
        let components = self.components;
        let point = |node: usize| self.end_of(&self.nodes.list[node]).map_or([S::zero(); 3], &points);
        for (i, node) in self.nodes.list.iter().enumerate() {
            let r = point(i);
            let first = i * components.len();
            for (a, &part) in components.iter().enumerate() {
                let row = first + a;
                put(row, n + row, S::one());
                // -S of its coordinates
                for k in node.coords.start as usize..node.coords.end as usize {
                    let moved = Twist { w: screws[k].w, u: screws[k].at(&r) };
                    put(row, k, -moved.get(part as usize));
                }
                // -T of the node before
                let Some(j) = node.before else { continue };
                put(row, n + j * components.len() + a, -S::one());
                let d = sub(&r, &point(j));
                for (b, &turn) in components.iter().enumerate().filter(|(_, turn)| **turn < 3) {
                    let lever = Twist { u: [S::zero(); 3], ..Twist::unit(turn as usize) }.at(&d);
                    if part >= 3 && part - 3 != turn {
                        put(row, n + j * components.len() + b, -lever[part as usize - 3]);
                    }
                }
            }
        }
    }
    /// Positions (row, column) of the entries of (1).
    pub(crate) fn border_entries(&self) -> Vec<(usize, usize)> {
        let mut list = vec![];
        if self.long {
            let screws = vec![Twist::<f64>::zero(); self.dims.n];
            self.each_border(|_| [0.0; 3], &screws, |row, column, _| list.push((row, column)));
        }
        list
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// Values of (1), in the order of its entries; rows of conditions after it are those at this point.
    pub(crate) fn border(&mut self, at: &At<S>, out: &mut [S]) {
        self.run(at.v, Some(at.a));
        let pose = &self.here.pose;
        let mut next = out.iter_mut();
        self.tree.each_border(
            |l| pose.frames[l as usize].p,
            &pose.screws,
            |_, _, x| next.by_ref().take(1).for_each(|out| *out = x),
        );
    }
    /// Partials of a condition over frames, their rates and slots, into `self.row`; how many of each.
    fn frame_row(&mut self, (kinematics, k): (Kinematics, usize), at: &At<S>) -> [usize; 2] {
        let coords = self.tree.inner.condition_pattern(kinematics, k).len();
        let support = self.tree.inner.condition_support(kinematics, k).len();
        let (x, rest) = self.row.split_at_mut(coords);
        let (rate, slots) = rest.split_at_mut(coords);
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.numbered_condition_row(kinematics, k, &here, [x, rate, &mut slots[..support]]);
        [coords, support]
    }
    /// (2) of a condition, by its number in the system: over positions and, of a velocity, over rates.
    /// `border` comes before, once for all conditions.
    pub(super) fn border_row(&mut self, which: (Kinematics, usize), at: &At<S>, [q, v]: [&mut [S]; 2]) {
        let [count, _] = self.frame_row(which, at);
        let (kinematics, k) = which;
        let part = &self.tree.condition_parts[kinematics.index()][k];
        let coords = self.tree.inner.condition_pattern(kinematics, k);
        q.fill(S::zero());
        v.fill(S::zero());
        for &b in &part.bodies {
            let Some(node) = self.tree.nodes.of_body[b as usize] else { continue };
            let body = &self.tree.bodies[b as usize];
            let entries = body.first..body.first + body.parts.len() as u32;
            let r = self.tree.end_of(&self.tree.nodes.list[node]);
            let r = r.map_or([S::zero(); 3], |l| self.here.pose.frames[l as usize].p);
            for (out, from) in [(&mut *q, &self.row[..count]), (&mut *v, &self.row[count..2 * count])] {
                // the gradient over the frame of the body
                let mine = coords.iter().zip(from).filter(|(i, _)| entries.contains(i));
                let mut bar = [S::zero(); super::PARTS];
                mine.for_each(|(&i, x)| bar[body.parts[(i - body.first) as usize] as usize] = *x);
                // its wrench about r; without links it is that of the coordinates
                let mut wrench = Twist::zero();
                if body.link.is_some() {
                    let mut x = self.tree.seen(body, &self.here.x[0]);
                    let p = sub(&[x[0], x[1], x[2]], &r);
                    x[..3].copy_from_slice(&p);
                    add_covector(&x, &bar, 1.0, true, &mut wrench);
                } else {
                    (0..body.parts.len()).for_each(|i| *wrench.get_mut(i) = bar[i]);
                }
                let columns = self.tree.columns(node);
                let at = part.coords.partition_point(|&c| c < columns.start);
                for (out, &part) in out[at..].iter_mut().zip(self.tree.components) {
                    *out += wrench.get(part as usize);
                }
            }
        }
    }
    /// out_k += (E_q δq + E_v δv)_k of the first conditions of a kind.
    pub(crate) fn conditions_mul(
        &mut self,
        kinematics: Kinematics,
        at: &At<S>,
        directions: [&[S]; 2],
        out: &mut [S],
    ) {
        self.run(at.v, Some(at.a));
        self.tree.seconds(&mut self.here);
        self.push_state(directions);
        self.add_conditions(kinematics, at, None, out);
    }
    /// out_k += (E_p δ)_k of the first conditions of a kind.
    pub(crate) fn conditions_p(&mut self, kinematics: Kinematics, at: &At<S>, delta: &[S], out: &mut [S]) {
        self.run(at.v, Some(at.a));
        if !self.along(at.q, at.v, Some(at.a), delta) {
            self.dx.iter_mut().for_each(|x| x.fill(S::zero()));
        }
        self.add_conditions(kinematics, at, Some(delta), out);
    }
    /// out_k += E_x δx + E_ẋ δẋ + E_p δ with (δx, δẋ) in `self.dx`.
    fn add_conditions(&mut self, kinematics: Kinematics, at: &At<S>, delta: Option<&[S]>, out: &mut [S]) {
        for (k, out) in out.iter_mut().enumerate() {
            let k = self.inner.start.condition(kinematics, k);
            let [count, support] = self.frame_row((kinematics, k), at);
            for (i, &x) in self.tree.inner.condition_pattern(kinematics, k).iter().enumerate() {
                *out += self.row[i] * self.dx[0][x as usize] + self.row[count + i] * self.dx[1][x as usize];
            }
            let Some(delta) = delta else { continue };
            let slots = self.tree.inner.condition_support(kinematics, k);
            let row = &self.row[2 * count..2 * count + support];
            slots.iter().zip(row).for_each(|(&s, x)| *out += *x * delta[s as usize]);
        }
    }
    /// (q, v, grad) += s (E_q, E_v, E_p)ᵀ μ of the first conditions of a kind.
    pub(crate) fn conditions_t(
        &mut self,
        kinematics: Kinematics,
        at: &At<S>,
        mu: &[S],
        s: f64,
        [q, v, grad]: [&mut [S]; 3],
    ) {
        // cotangents of the frames and of the own slots
        self.run(at.v, Some(at.a));
        self.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        for (k, mu) in mu.iter().enumerate() {
            let k = self.inner.start.condition(kinematics, k);
            let [count, support] = self.frame_row((kinematics, k), at);
            for (i, &x) in self.tree.inner.condition_pattern(kinematics, k).iter().enumerate() {
                self.bar[0][x as usize] += self.row[i] * *mu * s;
                self.bar[1][x as usize] += self.row[count + i] * *mu * s;
            }
            let slots = self.tree.inner.condition_support(kinematics, k);
            let row = &self.row[2 * count..2 * count + support];
            slots.iter().zip(row).for_each(|(&slot, x)| grad[slot as usize] += *x * *mu * s);
        }
        // back to the coordinates and to the geometry
        self.pull_state([q, v]);
        self.pull_slots(at.q, [at.v, at.a], grad);
    }
}
