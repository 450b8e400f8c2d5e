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
        let parts = x_bar.map(|f| self.spread(body, f));
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
    /// Cotangents of geometry from those in `d.bar`, where the terms are placed and at their motion.
    pub(in crate::relative) fn pull_slots<S: Scalar>(
        &self,
        z: &[S],
        [rate, second]: [&[S]; 2],
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        let state = State { z, rate, second, g: &d.g, pose: &d.here.pose, flow: &d.here.flow };
        let [x, v, a] = &d.bar;
        if d.inner.rows.active().shaped {
            self.pull_back(&state, [x, v, a], (&mut d.bars, &mut d.g_bar), grad);
        }
    }
    /// Cotangents of geometry from one of the rate J w of the frames.
    pub(in crate::relative) fn pull_rate<S: Scalar>(
        &self,
        z: &[S],
        w: &[S],
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        self.chain.run(z, w, &d.rest, &d.here.pose, &mut d.flow);
        d.bar[2].fill(S::zero());
        let state = State { z, rate: w, second: &d.rest, g: &d.g, pose: &d.here.pose, flow: &d.flow };
        let [x, v, a] = &d.bar;
        if d.inner.rows.active().shaped {
            self.pull_back(&state, [x, v, a], (&mut d.bars, &mut d.g_bar), grad);
        }
    }
}
