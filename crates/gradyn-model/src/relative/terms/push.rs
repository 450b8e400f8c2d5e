//! One forward sweep over all terms at a point, (6) of the parent.
//!
//! ```text
//! δx = P A₀,   δẋ = Ṗ A₀ + P A₁,   δẍ = P̈ A₀ + 2 Ṗ A₁ + P A₂                                  (1)
//! A₀ = Σ S δz,   A₁ = Σ Ṡ δz + S δż,   A₂ = Σ S̈ δz + 2 Ṡ δż      over the coordinates before  (2)
//! ```
//! These are the rates of P S of `contraction.rs`, with z̈ fixed.

use super::super::spatial::{Twist, cross};
use super::super::stress::{moved, spread, vector};
use super::super::{PARTS, Relative};
use super::*;

/// Motions A₀, A₁, A₂ of one link, (2).
type Motions<'a, S> = [&'a [Twist<S>]; 3];

impl Relative {
    /// (2) for all links.
    fn push_motions<S: Scalar>(
        &self,
        [s, s1, s2]: Motions<S>,
        [dz, rate]: [&[S]; 2],
        [a0, a1, a2]: [&mut [Twist<S>]; 3],
    ) {
        for (l, link) in self.chain.links.iter().enumerate() {
            let before = |a: &[Twist<S>]| link.parent.map_or(Twist::zero(), |k| a[k as usize]);
            let mut sums = [before(a0), before(a1), before(a2)];
            for k in link.coord as usize..link.coord as usize + link.count() {
                sums[0].increase(dz[k], &s[k]);
                sums[1].increase(dz[k], &s1[k]);
                sums[1].increase(rate[k], &s[k]);
                sums[2].increase(dz[k], &s2[k]);
                sums[2].increase(rate[k] * 2.0, &s1[k]);
            }
            [a0[l], a1[l], a2[l]] = sums;
        }
    }
    /// (1) for all bodies; bodies without links move as their coordinates do.
    fn push_frames<S: Scalar>(
        &self,
        pose: &super::super::chain::Pose<S>,
        x: [&[S]; 3],
        [a0, a1, a2]: Motions<S>,
        [dz, rate]: [&[S]; 2],
        out: &mut [Vec<S>; 3],
    ) {
        for body in &self.bodies {
            let first = body.first as usize;
            let Some(link) = body.link.map(|l| l as usize) else {
                for (i, k) in body.own().enumerate() {
                    out[0][first + i] = dz[k as usize];
                    out[1][first + i] = rate[k as usize];
                    out[2][first + i] = S::zero();
                }
                continue;
            };
            // P of each motion, then its rates with ẋ and ẍ
            let frame = &pose.frames[link];
            let mut columns = [&a0[link], &a1[link], &a2[link]].map(|a| moved(a, frame));
            let [_, v, a] = x.map(|x| spread(body, x));
            for part in (0..PARTS).step_by(3) {
                let slow = cross(&a0[link].w, &vector(&v, part));
                let twice = cross(&a1[link].w, &vector(&v, part));
                let fast = cross(&a0[link].w, &vector(&a, part));
                for i in 0..3 {
                    columns[1][part + i] += slow[i];
                    columns[2][part + i] += twice[i] * 2.0 + fast[i];
                }
            }
            for (out, column) in out.iter_mut().zip(&columns) {
                body.parts.iter().enumerate().for_each(|(i, &part)| out[first + i] = column[part as usize]);
            }
        }
    }
    /// Products with the rows that keep the length of Euler parameters.
    fn norms_mul<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        [dz, rate]: [&[S]; 2],
        s: f64,
        [top, bottom]: [&mut [S]; 2],
    ) {
        for (row, k, _) in self.norms() {
            top[k] += at.lam[row] * dz[k] * s;
            bottom[row] += (dz[k] * (at.q[k] * c[0] + at.v[k] * c[1] + at.a[k] * c[2])
                + rate[k] * (at.q[k] * c[1] + at.v[k] * (2.0 * c[2])))
                * s;
        }
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// (δx, δẋ, δẍ) into `self.dx`, where the motions and S̈ are.
    pub(in crate::relative) fn push_state(&mut self, directions: [&[S]; 2]) {
        let here = &self.here;
        let out = [&mut self.v[..], &mut self.flow.v, &mut self.flow.a];
        self.tree.push_motions(here.screws(), directions, out);
        let motions = [&self.v[..], &self.flow.v, &self.flow.a];
        self.tree.push_frames(&here.pose, here.lists(), motions, directions, &mut self.dx);
    }
    pub(crate) fn push(
        &mut self,
        at: &At<S>,
        c: [f64; 3],
        directions: [&[S]; 2],
        s: f64,
        [top, bottom]: [&mut [S]; 2],
    ) {
        // norms; frames at (q, v, a), and (1)
        self.tree.norms_mul(at, c, directions, s, [&mut *top, &mut *bottom]);
        self.row_partials(at, c);
        self.tree.seconds(&mut self.here);
        self.push_state(directions);
        // rows: r_x δx + r_ẋ δẋ + c₂ Φ_x δẍ
        let mn = &self.tree.inner.patterns().mn;
        let rows = &mut bottom[self.tree.balls.len()..];
        mn.mul(&self.mn[0], s, &self.dx[0], rows);
        mn.mul(&self.mn[1], s, &self.dx[1], rows);
        mn.mul(self.inner.phi_q(), s * c[2], &self.dx[2], rows);
        // Jᵀ (f_x δx + f_ẋ δẋ + M_x δẍ)
        let lam = &at.lam[self.tree.balls.len()..];
        self.element_tangents(at.t);
        let here = inner_at(at.t, &self.here.x, lam);
        self.inner.balance_q(&here, here.a, lam, &mut self.nn[0]);
        self.sum.fill(S::zero());
        let nn = &self.tree.inner.patterns().nn;
        nn.mul(&self.nn[0], s, &self.dx[0], &mut self.sum);
        nn.mul(&self.nn[1], s, &self.dx[1], &mut self.sum);
        self.inner.add_momentum(s, &self.dx[2], &mut self.sum);
        self.tree.pull_force(&self.sum, &self.here.x[0], &self.here.pose.screws, &mut self.pulled, top);
        // f·(J δz)_z
        self.f.fill(S::zero());
        let here = inner_at(at.t, &self.here.x, lam);
        self.inner.balance(here.a, lam, &mut self.f);
        self.inner.forces(&here, &mut self.f);
        self.weigh(directions[0]);
        self.pull_turned(at.q, directions[0], s, top);
    }
}
