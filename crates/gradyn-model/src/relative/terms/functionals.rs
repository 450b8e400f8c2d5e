//! Functionals and conditions over frames, pulled back to coordinates and slots.

use super::*;

impl Relative {
    /// A gradient over (x, ẋ, ẍ) where functionals are measured, added to one over (z, ż, z̈) and the slots.
    pub(super) fn pull_seen<S: Scalar>(
        &self,
        at: &At<S>,
        bars: [&[S]; 3],
        d: &mut Data<S>,
        out: [&mut [S]; 3],
        grad: &mut [S],
    ) {
        // frames with their rates at (q, v, a)
        let m = self.see(at.q, Some((at.v, at.a)), &d.g, [&mut d.here, &mut d.seen]);
        self.seconds(m);
        // coordinates
        self.pull_coordinates(
            Levels { x: m.lists(), bars, screws: m.screws() },
            &mut d.pulled,
            out.map(Some),
        );
        // slots of the geometry
        let state = State { z: at.q, rate: at.v, second: at.a, g: &d.g, pose: &m.pose, flow: &m.flow };
        if d.inner.rows.active().shaped {
            self.pull_back(&state, bars, (&mut d.bars, &mut d.g_bar), grad);
        }
    }
    pub(crate) fn functionals(&self, set: Set) -> usize {
        self.inner.functionals(set)
    }
    pub(crate) fn support(&self, set: Set) -> &[u32] {
        &self.supports[set as usize]
    }
    pub(crate) fn measure<S: Scalar>(&self, set: Set, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        let m = self.see(at.q, Some((at.v, at.a)), &d.g, [&mut d.here, &mut d.seen]);
        let here = self.inner_at(at.t, &m.x, &at.lam[self.balls.len()..]);
        self.inner.measure(set, &here, &mut d.inner, out);
    }
    pub(crate) fn measure_row<S: Scalar>(
        &self,
        set: Set,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        row: &mut [S],
    ) {
        // the row over frames
        let m = self.see(at.q, Some((at.v, at.a)), &d.g, [&mut d.here, &mut d.seen]);
        let frames = self.inner.dims().n;
        let inner = self.inner.dims().m;
        let norms = self.balls.len();
        let mut own = std::mem::take(&mut d.row);
        let own_support = self.inner.support(set);
        let len = 3 * frames + inner + own_support.len();
        let here = self.inner_at(at.t, &m.x, &at.lam[norms..]);
        self.inner.measure_row(set, k, &here, &mut d.inner, &mut own[..len]);
        // the row over coordinates: multipliers are those of the elements
        let (x, rest) = own.split_at(3 * frames);
        row.fill(S::zero());
        let n = self.dims.n;
        let (q, tail) = row.split_at_mut(n);
        let (v, tail) = tail.split_at_mut(n);
        let (a, tail) = tail.split_at_mut(n);
        let (lam, slots) = tail.split_at_mut(self.dims.m);
        lam[norms..].copy_from_slice(&rest[..inner]);
        // frames → coordinates and slots
        let mut grad = std::mem::take(&mut d.slots);
        own_support.iter().zip(&rest[inner..len - 3 * frames]).for_each(|(&s, x)| grad[s as usize] = *x);
        self.pull_seen(at, [&x[..frames], &x[frames..2 * frames], &x[2 * frames..]], d, [q, v, a], &mut grad);
        // slots on their support, and cleared for the next time
        for (to, &s) in slots.iter_mut().zip(&self.supports[set as usize]) {
            *to = std::mem::replace(&mut grad[s as usize], S::zero());
        }
        d.row = own;
        d.slots = grad;
    }
    pub(crate) fn conditions<S: Scalar>(
        &self,
        at: &At<S>,
        chosen: &[u32],
        d: &mut Data<S>,
        position: &mut [S],
        velocity: &mut [S],
    ) {
        let m = self.see(at.q, Some((at.v, at.a)), &d.g, [&mut d.here, &mut d.seen]);
        let here = self.inner_at(at.t, &m.x, &d.none);
        self.inner.conditions(&here, chosen, &mut d.inner, position, velocity);
    }
    pub(crate) fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition_parts[usize::from(velocity)][k].coords
    }
    pub(crate) fn condition_support(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition_parts[usize::from(velocity)][k].support
    }
    pub(crate) fn condition_row<S: Scalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        self.part_row((velocity, k), at, d, [q, v, p]);
    }
}
