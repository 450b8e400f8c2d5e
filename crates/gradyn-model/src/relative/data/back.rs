//! Cotangents of frames, back to the links and the numbers of the geometry.

use super::*;

impl Relative {
    /// Cotangents after the link of a body from those of its (x, ẋ, ẍ).
    pub(in crate::relative) fn pull_frame<S: Scalar>(
        &self,
        body: &Carried,
        state: &State<S>,
        x_bar: [&[S]; 3],
        bars: &mut [Bar<S>],
    ) {
        // cotangents of p and e_k with their rates, of the body's frame
        let Some(link) = body.link.map(|l| l as usize) else { return };
        let frame = state.pose.frames[link];
        let parts = x_bar.map(|f| spread(body, f));
        let motion = Moving { v: &state.flow.v[link], a: &state.flow.a[link] };
        let bar = &mut bars[link];
        let part = |i: usize| parts.map(|f| vector(&f, 3 * i));
        // added to those of the link that carries it
        let p = bar.moved(&frame.p, motion, part(0), true);
        increase(&mut bar.frame.p, &p);
        for k in 0..3 {
            let e = bar.moved(&frame.e[k], motion, part(k + 1), false);
            increase(&mut bar.frame.e[k], &e);
        }
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// Cotangents of geometry from those in `self.bar`, where the terms are and at their motion.
    pub(in crate::relative) fn pull_slots(&mut self, z: &[S], [rate, second]: [&[S]; 2], grad: &mut [S]) {
        let state = State { z, rate, second, g: &self.g, pose: &self.here.pose, flow: &self.here.flow };
        let [x, v, a] = &self.bar;
        if self.inner.rows.active().shaped {
            self.tree.pull_back(&state, [x, v, a], (&mut self.bars, &mut self.g_bar), grad);
        }
    }
    /// Cotangents of geometry from one of the rate J w of the frames.
    pub(in crate::relative) fn pull_rate(&mut self, z: &[S], w: &[S], grad: &mut [S]) {
        self.tree.chain.run(z, w, &self.rest, &self.here.pose, &mut self.flow);
        self.bar[2].fill(S::zero());
        let state =
            State { z, rate: w, second: &self.rest, g: &self.g, pose: &self.here.pose, flow: &self.flow };
        let [x, v, a] = &self.bar;
        if self.inner.rows.active().shaped {
            self.tree.pull_back(&state, [x, v, a], (&mut self.bars, &mut self.g_bar), grad);
        }
    }
}
