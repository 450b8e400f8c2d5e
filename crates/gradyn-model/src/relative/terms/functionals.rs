//! Functionals and conditions over frames, pulled back to coordinates and slots.

use super::*;

impl Relative {
    pub(crate) fn functionals(&self, set: FunctionalSet) -> usize {
        self.inner.functionals(set)
    }
    pub(crate) fn support(&self, set: FunctionalSet) -> &[u32] {
        &self.supports[set as usize]
    }
    pub(crate) fn condition_pattern(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        &self.condition_parts[kinematics.index()][k].coords
    }
    pub(crate) fn condition_support(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        &self.condition_parts[kinematics.index()][k].support
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// A gradient over (x, ẋ, ẍ) where functionals are measured, added to one over (z, ż, z̈) and the slots.
    pub(super) fn pull_seen(&mut self, at: &At<S>, bars: [&[S]; 3], out: [&mut [S]; 3], grad: &mut [S]) {
        // frames with their rates at (q, v, a)
        let m = self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]);
        self.tree.seconds(m);
        // coordinates
        self.tree.pull_coordinates(
            Levels { x: m.lists(), bars, screws: m.screws() },
            &mut self.pulled,
            out.map(Some),
        );
        // slots of the geometry
        let state = State { z: at.q, rate: at.v, second: at.a, g: &self.g, pose: &m.pose, flow: &m.flow };
        if self.inner.rows.active().shaped {
            self.tree.pull_back(&state, bars, (&mut self.bars, &mut self.g_bar), grad);
        }
    }
    pub(crate) fn measure(&mut self, set: FunctionalSet, at: &At<S>, out: &mut [S]) {
        let m = self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]);
        let here = inner_at(at.t, &m.x, &at.lam[self.tree.balls.len()..]);
        self.inner.measure(set, &here, out);
    }
    pub(crate) fn measure_row(&mut self, set: FunctionalSet, k: usize, at: &At<S>, row: &mut [S]) {
        // the row over frames
        let m = self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]);
        let frames = self.tree.inner.dims().n;
        let inner = self.tree.inner.dims().m;
        let norms = self.tree.balls.len();
        let mut own = std::mem::take(&mut self.row);
        let own_support = self.tree.inner.support(set);
        let len = 3 * frames + inner + own_support.len();
        let here = inner_at(at.t, &m.x, &at.lam[norms..]);
        self.inner.measure_row(set, k, &here, &mut own[..len]);
        // the row over coordinates: multipliers are those of the elements
        let (x, rest) = own.split_at(3 * frames);
        row.fill(S::zero());
        let n = self.tree.dims.n;
        let (q, tail) = row.split_at_mut(n);
        let (v, tail) = tail.split_at_mut(n);
        let (a, tail) = tail.split_at_mut(n);
        let (lam, slots) = tail.split_at_mut(self.tree.dims.m);
        lam[norms..].copy_from_slice(&rest[..inner]);
        // frames → coordinates and slots
        let mut grad = std::mem::take(&mut self.slots);
        own_support.iter().zip(&rest[inner..len - 3 * frames]).for_each(|(&s, x)| grad[s as usize] = *x);
        self.pull_seen(at, [&x[..frames], &x[frames..2 * frames], &x[2 * frames..]], [q, v, a], &mut grad);
        // slots on their support, and cleared for the next time
        for (to, &s) in slots.iter_mut().zip(&self.tree.supports[set as usize]) {
            *to = std::mem::replace(&mut grad[s as usize], S::zero());
        }
        self.row = own;
        self.slots = grad;
    }
    pub(crate) fn conditions(&mut self, at: &At<S>, position: &mut [S], velocity: &mut [S]) {
        let m = self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]);
        let here = inner_at(at.t, &m.x, &self.none);
        self.inner.conditions(&here, position, velocity);
    }
    pub(crate) fn condition_row(
        &mut self,
        kinematics: Kinematics,
        k: usize,
        at: &At<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        let number = self.inner.start.condition(kinematics, k);
        self.part_row((kinematics, number), at, [q, v, p]);
    }
}
