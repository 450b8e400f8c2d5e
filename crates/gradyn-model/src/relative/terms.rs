//! The terms of [`Evaluator`](crate::evaluator::Evaluator) in relative coordinates: those of the elements on
//! frames, contracted with Jacobians of the frames.
//!
//! ```text
//! r = c₀Φ + c₁Φ̇ + c₂Φ̈:   r_z = r_x J + r_ẋ J₁ + c₂ Φ_x J₂,   r_ż = r_ẋ J + 2 c₂ Φ_x J₁  (1)
//! f = M_x J w + Φ_xᵀλ:   (Jᵀ f)_z = Jᵀ ((Φ_xᵀλ)_x J + M_x (J w)_z) + (Jᵀ)_z f             (2)
//! g = -Q + M_x γ:   (Jᵀ g)_z = Jᵀ (K J + C J₁ + M_x γ_z) + (Jᵀ)_z g,
//!                   (Jᵀ g)_ż = Jᵀ (C J + 2 M_x J₁)                                        (3)
//! μᵀ (Jᵀ f)_p = f·(J μ)_p + (J μ)·f_p                                                     (4)
//! μᵀ (Jᵀ f)_z = f·(J μ)_z + (J μ)·f_z   for f = M_x ẍ - Q + Φ_xᵀλ                         (5)
//! (Jᵀ f)_z δz = Jᵀ (f_x δx + f_ẋ δẋ + M_x δẍ) + f·(J δz)_z                                (6)
//! ```
//! with J₁ = ẋ_z and J₂ = ẍ_z; (1) is contracted in `contraction.rs`. Both terms of (4) are rates of frames,
//! with the chain backwards for their slots; (5) is (4) for the coordinates, and (6) is its transpose. Long
//! trees ([`LONGEST_PATH`](super::LONGEST_PATH)) have (5) and (6) only.

mod functionals;
mod pull;
mod push;
mod slots;

use super::data::inner_at;
use super::pull::Levels;
use super::sweep::State;
use super::{Relative, TreeTerms};
use crate::row_status::Active;
use crate::system::{AngleMotion, AngleName, At, Dims, FunctionalSet, Kinematics, Patterns};
use gradyn_num::Scalar;

impl Relative {
    /// The rows that keep the length of Euler parameters: row, coordinate, positions on m × n and n × n.
    fn norms(&self) -> impl Iterator<Item = (usize, usize, [usize; 2])> {
        let at = |i: usize| self.balls[i / 4] as usize + i % 4;
        self.norms.iter().enumerate().map(move |(i, pos)| (i / 4, at(i), pos.map(|p| p as usize)))
    }
    /// Do rows with these weights read positions only? Rows of velocity level never do.
    fn positions_only(&self, c: [f64; 3]) -> bool {
        c[1] == 0.0 && c[2] == 0.0 && self.dims.m_vel == 0
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// g of (3) into `self.f`, with (x, ẋ, γ) in `self.here.x`.
    fn unbalanced(&mut self, at: &At<S>) {
        self.run(at.v, None);
        self.f.fill(S::zero());
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.forces(&here, &mut self.f);
        self.inner.add_momentum(1.0, &self.here.x[2], &mut self.f);
    }
    /// f of (2) into `self.f`, with J w in `self.y`.
    fn balanced(&mut self, w: &[S], lam: &[S]) {
        self.tree.chain.velocities(w, &self.here.pose, &mut self.v);
        self.tree.push(w, &self.v, &self.here.pose, &mut self.y);
        self.f.fill(S::zero());
        self.inner.balance(&self.y, &lam[self.tree.balls.len()..], &mut self.f);
    }
    /// r_x and r_ẋ of (1) into `self.mn`, with (x, ẋ, ẍ) in `self.here.x`.
    fn row_partials(&mut self, at: &At<S>, c: [f64; 3]) {
        self.rate_partials(at, c);
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.mn[0].fill(S::zero());
        self.inner.constraint_q(&here, c, &mut self.mn[0]);
    }
    /// The partials r_ẋ of rows alone.
    fn rate_partials(&mut self, at: &At<S>, c: [f64; 3]) {
        self.run(at.v, Some(at.a));
        self.tree.gather(&[&self.here.x[0], &self.here.x[1], &self.here.x[2]], &mut self.blocks);
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.mn[1].fill(S::zero());
        self.inner.constraint_v(&here, c, &mut self.mn[1]);
    }
    /// K and C of the elements into `self.nn`.
    fn element_tangents(&mut self, t: S) {
        let here = inner_at(t, &self.here.x, &self.none);
        let [k, c] = &mut self.nn;
        k.fill(S::zero());
        c.fill(S::zero());
        self.inner.force_tangents(&here, k, c);
    }
    /// (Φ_xᵀλ)_x into `self.nn[0]`; rows of velocity level read ẋ.
    fn row_stress(&mut self, at: &At<S>, lam: &[S]) {
        if self.tree.dims.m_vel > 0 {
            self.run(at.v, Some(at.a));
        }
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.nn[0].fill(S::zero());
        self.inner.balance_q(&here, &self.y, &lam[self.tree.balls.len()..], &mut self.nn[0]);
    }
    /// J μ into `self.eta`.
    fn weigh(&mut self, mu: &[S]) {
        self.tree.chain.velocities(mu, &self.here.pose, &mut self.v);
        self.tree.push(mu, &self.v, &self.here.pose, &mut self.eta);
    }
    /// grad += s f·(J μ)_p of (4), with f in `self.f`.
    fn pull_turning(&mut self, z: &[S], mu: &[S], s: f64, grad: &mut [S]) {
        let [x, v, _] = &mut self.bar;
        x.fill(S::zero());
        v.iter_mut().zip(&self.f).for_each(|(v, f)| *v = *f * s);
        self.pull_rate(z, mu, grad);
    }
}

impl Relative {
    pub(crate) fn dims(&self) -> Dims {
        self.dims
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    pub(crate) fn constant_mass(&self) -> bool {
        false
    }
    pub(crate) fn least_size(&self) -> f64 {
        self.least_size
    }
    pub(crate) fn angle_name(&self, k: usize) -> AngleName {
        self.inner.angle_name(k)
    }
    pub(crate) fn row_name(&self, k: usize) -> String {
        self.row_names[k].to_string()
    }
    pub(crate) fn condition_name(&self, kinematics: Kinematics, k: usize) -> String {
        self.inner.condition_name(kinematics, k)
    }
    pub(crate) fn coordinate_name(&self, i: usize) -> String {
        self.coordinate_names[i].clone()
    }
}

impl<S: Scalar> TreeTerms<S> {
    pub(crate) fn set_slots(&mut self, p: &[S]) {
        self.inner.set_slots(p);
        self.g.iter_mut().zip(&self.tree.geometry).for_each(|(g, &s)| *g = p[s as usize]);
        [&mut self.here, &mut self.seen].into_iter().for_each(|m| m.forget());
    }
    pub(crate) fn set_branches(&mut self, references: &[f64]) {
        self.inner.set_branches(references);
    }
    pub(crate) fn set_rest(&mut self, rest: bool) {
        self.inner.set_rest(rest);
    }
    pub(crate) fn at_time(&mut self, t: S) {
        self.inner.at_time(t);
    }
    pub(crate) fn at(&mut self, t: S, q: &[S]) {
        self.tree.pose_at(q, &self.g, &mut self.here);
        if self.tree.has_rows() {
            self.tree.gather(&[&self.here.x[0]], &mut self.blocks);
        }
        self.inner.at(t, &self.here.x[0]);
        if !self.tree.long {
            self.fill_mass();
        }
        self.phi_q.fill(S::zero());
        self.tree.norms().for_each(|(_, k, [pos, _])| self.phi_q[pos] = q[k]);
        self.tree.add_rows(
            [&[(self.inner.phi_q(), 1.0, 0)]],
            [&self.here.pose.screws],
            &self.blocks,
            &mut self.phi_q,
        );
    }
    pub(crate) fn constraint(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        if self.tree.dims.m == 0 {
            return;
        }
        if !self.tree.positions_only(c) {
            self.run(at.v, Some(at.a));
        }
        for (row, &first) in self.tree.balls.iter().enumerate() {
            let mut sum = S::from(-0.5 * c[0]);
            for k in first as usize..first as usize + 4 {
                sum += at.q[k] * (at.q[k] * (0.5 * c[0]) + at.v[k] * c[1] + at.a[k] * c[2])
                    + at.v[k] * at.v[k] * c[2];
            }
            out[row] += sum;
        }
        let here = inner_at(at.t, &self.here.x, &self.none);
        self.inner.constraint(&here, c, &mut out[self.tree.balls.len()..]);
    }
    pub(crate) fn balance(&mut self, w: &[S], lam: &[S], out: &mut [S]) {
        if self.tree.long {
            // nothing for the rest of a solve from zero
            if w.iter().chain(lam).all(|x| *x == S::zero()) {
                return;
            }
            self.balanced(w, lam);
            self.tree.norms().for_each(|(row, k, [pos, _])| out[k] += self.phi_q[pos] * lam[row]);
            let screws = &self.here.pose.screws;
            return self.tree.pull_force(&self.f, &self.here.x[0], screws, &mut self.pulled, out);
        }
        self.tree.patterns.nn.mul(&self.mass, 1.0, w, out);
        self.tree.patterns.mn.mul_t(&self.phi_q, 1.0, lam, out);
    }
    pub(crate) fn forces(&mut self, at: &At<S>, out: &mut [S]) {
        self.unbalanced(at);
        self.tree.pull_force(&self.f, &self.here.x[0], &self.here.pose.screws, &mut self.pulled, out);
    }
    pub(crate) fn mass(&self) -> &[S] {
        assert!(!self.tree.long, "M of a long tree is no matrix");
        &self.mass
    }
    pub(crate) fn phi_q(&self) -> &[S] {
        &self.phi_q
    }
    pub(crate) fn constraint_q(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        // norms of Euler parameters
        self.tree
            .norms()
            .for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[0] + at.v[k] * c[1] + at.a[k] * c[2]);
        // Φ_z = Φ_x J alone
        if self.tree.positions_only(c) {
            self.mn[0].fill(S::zero());
            self.inner.constraint_q(&inner_at(at.t, &self.here.x, &self.none), c, &mut self.mn[0]);
            return self.tree.add_rows(
                [&[(&self.mn[0], 1.0, 0)]],
                [&self.here.pose.screws],
                &self.blocks,
                out,
            );
        }
        // (1)
        self.row_partials(at, c);
        let x = &self.mn[0][..];
        let v = &self.mn[1][..];
        let phi_q = self.inner.phi_q();
        self.tree.seconds(&mut self.here);
        let terms: [&[_]; 3] = [
            &[(x, 1.0, 0), (v, 1.0, 1), (phi_q, c[2], 2)],
            &[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)],
            &[(phi_q, c[2], 0)],
        ];
        self.tree.add_rows(
            terms,
            [&self.here.pose.screws, &self.here.flow.rates, &self.here.flow.seconds],
            &self.blocks,
            out,
        );
    }
    pub(crate) fn constraint_v(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.tree.norms().for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[1] + at.v[k] * (2.0 * c[2]));
        self.rate_partials(at, c);
        let v = &self.mn[1][..];
        let phi_q = self.inner.phi_q();
        let terms: [&[_]; 2] = [&[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)], &[(phi_q, 2.0 * c[2], 0)]];
        self.tree.add_rows(terms, [&self.here.pose.screws, &self.here.flow.rates], &self.blocks, out);
    }
    pub(crate) fn balance_q(&mut self, at: &At<S>, w: &[S], lam: &[S], out: &mut [S]) {
        assert!(!self.tree.long, "tangents of a long tree are products");
        // norms of Euler parameters
        self.tree.norms().for_each(|(row, _, [_, pos])| out[pos] += lam[row]);
        // (Jᵀ)_z f of (2)
        self.balanced(w, lam);
        self.tree.add_stress(at.q, &self.f, &self.here.pose, &mut self.loads, out);
        // blocks of (Φ_xᵀλ)_x J and of M_x (J w)_z
        self.row_stress(at, lam);
        self.tree.chain.screw_rates(at.q, w, &self.v, &self.here.pose, &mut self.rates);
        self.tree.gather(&[&self.here.x[0], &self.y], &mut self.blocks);
        self.blocks.clear(2);
        self.tree.add_stress_blocks(&self.nn[0], &mut self.blocks);
        let mass = self.inner.mass();
        self.tree.add_mass_blocks(mass, 1, 1.0, &mut self.blocks, 0);
        self.tree.add_mass_blocks(mass, 0, 1.0, &mut self.blocks, 1);
        // contracted: Jᵀ (…)
        self.tree.contraction.fold.run(
            [&self.here.pose.screws, &self.rates, &self.rates],
            &mut self.blocks,
            out,
            None,
        );
    }
    pub(crate) fn force_tangents(&mut self, at: &At<S>, k: &mut [S], c: &mut [S]) {
        assert!(!self.tree.long, "tangents of a long tree are products");
        self.unbalanced(at);
        self.tree.add_stress(at.q, &self.f, &self.here.pose, &mut self.loads, k);
        self.tree.seconds(&mut self.here);
        self.tree.gather(&[&self.here.x[0], &self.here.x[1], &self.here.x[2]], &mut self.blocks);
        self.blocks.clear(3);
        self.tree.add_force_blocks(
            &inner_at(at.t, &self.here.x, &self.none),
            &mut self.inner,
            &mut self.blocks,
        );
        let mass = self.inner.mass();
        self.tree.add_mass_blocks(mass, 2, 1.0, &mut self.blocks, 0);
        self.tree.add_mass_blocks(mass, 1, 2.0, &mut self.blocks, 1);
        self.tree.add_mass_blocks(mass, 0, 1.0, &mut self.blocks, 2);
        self.tree.contraction.fold.run(
            [&self.here.pose.screws, &self.here.flow.rates, &self.here.flow.seconds],
            &mut self.blocks,
            k,
            Some(c),
        );
    }
    pub(crate) fn visits(&self) -> usize {
        self.inner.visits()
    }
}

impl TreeTerms<f64> {
    pub(crate) fn angle_motion(&mut self, [q, v, a]: [&[f64]; 3], out: &mut [Option<AngleMotion>]) {
        if !out.is_empty() {
            let m = self.tree.see(q, Some((v, a)), &self.g, [&mut self.here, &mut self.seen]);
            let [x, rate, second] = m.x.each_ref();
            self.inner.angle_motion([x, rate, second], out);
        }
    }
    pub(crate) fn angles(&mut self, q: &[f64], out: &mut [f64]) {
        if !out.is_empty() {
            let m = self.tree.see(q, None, &self.g, [&mut self.here, &mut self.seen]);
            self.inner.angles(&m.x[0], out);
        }
    }
}
