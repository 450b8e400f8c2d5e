//! The terms of [`System`](crate::system::System) in relative coordinates: those of the elements
//! on frames, contracted with Jacobians of the frames.
//!
//! ```text
//! r = c₀Φ + c₁Φ̇ + c₂Φ̈:   r_z = r_x J + r_ẋ J₁ + c₂ Φ_x J₂,   r_ż = r_ẋ J + 2 c₂ Φ_x J₁  (1)
//! f = M_x J w + Φ_xᵀλ:   (Jᵀ f)_z = Jᵀ ((Φ_xᵀλ)_x J + M_x (J w)_z) + (Jᵀ)_z f             (2)
//! g = -Q + M_x γ:   (Jᵀ g)_z = Jᵀ (K J + C J₁ + M_x γ_z) + (Jᵀ)_z g,
//!                   (Jᵀ g)_ż = Jᵀ (C J + 2 M_x J₁)                                        (3)
//! μᵀ (Jᵀ f)_p = f·(J μ)_p + (J μ)·f_p                                                     (4)
//! μᵀ (Jᵀ f)_z = f·(J μ)_z + (J μ)·f_z   for f = M_x ẍ - Q + Φ_xᵀλ                         (5)
//! ```
//! with J₁ = ẋ_z and J₂ = ẍ_z; (1) is contracted in `contraction.rs`. Both terms of (4) are rates of frames,
//! with the chain backwards for their slots; (5) is (4) for the coordinates.

mod functionals;
mod pull;
mod slots;

use super::pull::Levels;
use super::sweep::State;
use super::{Data, Relative};
use crate::row_status::Active;
use crate::system::{AngleName, At, Dims, Patterns, Set};
use gradyn_num::Scalar;

impl Relative {
    /// The rows that keep the length of Euler parameters: row, coordinate, positions on m × n and n × n.
    fn norms(&self) -> impl Iterator<Item = (usize, usize, [usize; 2])> {
        let at = |i: usize| self.balls[i / 4] as usize + i % 4;
        self.norms.iter().enumerate().map(move |(i, pos)| (i / 4, at(i), pos.map(|p| p as usize)))
    }
    /// g of (3) into `d.f`, with (x, ẋ, γ) in `d.here.x`.
    fn unbalanced<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>) {
        self.run(at.v, None, d);
        d.f.fill(S::zero());
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.forces(&here, &mut d.inner, &mut d.f);
        self.inner.add_momentum(1.0, &d.here.x[2], &d.inner, &mut d.f);
    }
    /// f of (2) into `d.f`, with J w in `d.y`.
    fn balanced<S: Scalar>(&self, w: &[S], lam: &[S], d: &mut Data<S>) {
        self.chain.velocities(w, &d.here.pose, &mut d.v);
        self.push(w, &d.v, &d.here.pose, &mut d.y);
        d.f.fill(S::zero());
        self.inner.balance(&d.y, &lam[self.balls.len()..], &d.inner, &mut d.f);
    }
    /// Do rows with these weights read positions only? Rows of velocity level never do.
    fn positions_only(&self, c: [f64; 3]) -> bool {
        c[1] == 0.0 && c[2] == 0.0 && self.dims.m_vel == 0
    }
    /// r_x and r_ẋ of (1) into `d.mn`, with (x, ẋ, ẍ) in `d.here.x`.
    fn row_partials<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>) {
        self.rate_partials(at, c, d);
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        d.mn[0].fill(S::zero());
        self.inner.constraint_q(&here, c, &mut d.inner, &mut d.mn[0]);
    }
    /// The partials r_ẋ of rows alone.
    fn rate_partials<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>) {
        self.run(at.v, Some(at.a), d);
        self.gather(&[&d.here.x[0], &d.here.x[1], &d.here.x[2]], &mut d.blocks);
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        d.mn[1].fill(S::zero());
        self.inner.constraint_v(&here, c, &mut d.inner, &mut d.mn[1]);
    }
    /// K and C of the elements into `d.nn`.
    fn element_tangents<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        let here = self.inner_at(t, &d.here.x, &d.none);
        let [k, c] = &mut d.nn;
        k.fill(S::zero());
        c.fill(S::zero());
        self.inner.force_tangents(&here, &mut d.inner, k, c);
    }
    /// (Φ_xᵀλ)_x into `d.nn[0]`; rows of velocity level read ẋ.
    fn row_stress<S: Scalar>(&self, at: &At<S>, lam: &[S], d: &mut Data<S>) {
        if self.dims.m_vel > 0 {
            self.run(at.v, Some(at.a), d);
        }
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        d.nn[0].fill(S::zero());
        self.inner.balance_q(&here, &d.y, &lam[self.balls.len()..], &mut d.inner, &mut d.nn[0]);
    }
    /// J μ into `d.eta`.
    fn weigh<S: Scalar>(&self, mu: &[S], d: &mut Data<S>) {
        self.chain.velocities(mu, &d.here.pose, &mut d.v);
        self.push(mu, &d.v, &d.here.pose, &mut d.eta);
    }
    /// grad += s f·(J μ)_p of (4), with f in `d.f`.
    fn pull_turning<S: Scalar>(&self, z: &[S], mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        let [x, v, _] = &mut d.bar;
        x.fill(S::zero());
        v.iter_mut().zip(&d.f).for_each(|(v, f)| *v = *f * s);
        self.pull_rate(z, mu, d, grad);
    }
}

impl Relative {
    pub(crate) fn dims(&self) -> Dims {
        self.dims
    }
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    pub(crate) fn prepare<S: Scalar>(&self, p: &[S], d: &mut Data<S>) {
        self.inner.prepare(p, &mut d.inner);
        d.g.iter_mut().zip(&self.geometry).for_each(|(g, &s)| *g = p[s as usize]);
        [&mut d.here, &mut d.seen].into_iter().for_each(|m| m.forget());
    }
    pub(crate) fn constant_mass(&self) -> bool {
        false
    }
    pub(crate) fn least_size(&self) -> f64 {
        1.0
    }
    pub(crate) fn set_angles<S: Scalar>(&self, references: &[f64], d: &mut Data<S>) {
        self.inner.set_angles(references, &mut d.inner);
    }
    pub(crate) fn set_rest<S: Scalar>(&self, rest: bool, d: &mut Data<S>) {
        self.inner.set_rest(rest, &mut d.inner);
    }
    pub(crate) fn set_time<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        self.inner.set_time(t, &mut d.inner);
    }
    pub(crate) fn place<S: Scalar>(&self, t: S, q: &[S], d: &mut Data<S>) {
        self.pose_at(q, &d.g, &mut d.here);
        self.gather(&[&d.here.x[0]], &mut d.blocks);
        self.inner.place(t, &d.here.x[0], &mut d.inner);
        self.fill_mass(d);
        d.phi_q.fill(S::zero());
        self.norms().for_each(|(_, k, [pos, _])| d.phi_q[pos] = q[k]);
        self.add_rows(
            [&[(self.inner.phi_q(&d.inner), 1.0, 0)]],
            [&d.here.pose.screws],
            &d.blocks,
            &mut d.phi_q,
        );
    }

    pub(crate) fn constraint<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        if !self.positions_only(c) {
            self.run(at.v, Some(at.a), d);
        }
        for (row, &first) in self.balls.iter().enumerate() {
            let mut sum = S::from(-0.5 * c[0]);
            for k in first as usize..first as usize + 4 {
                sum += at.q[k] * (at.q[k] * (0.5 * c[0]) + at.v[k] * c[1] + at.a[k] * c[2])
                    + at.v[k] * at.v[k] * c[2];
            }
            out[row] += sum;
        }
        let here = self.inner_at(at.t, &d.here.x, &d.none);
        self.inner.constraint(&here, c, &mut d.inner, &mut out[self.balls.len()..]);
    }
    pub(crate) fn balance<S: Scalar>(&self, w: &[S], lam: &[S], d: &Data<S>, out: &mut [S]) {
        self.patterns.nn.mul(&d.mass, 1.0, w, out);
        self.patterns.mn.mul_t(&d.phi_q, 1.0, lam, out);
    }
    pub(crate) fn forces<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        self.unbalanced(at, d);
        self.pull_force(&d.f, &d.here.x[0], &d.here.pose.screws, &mut d.pulled, out);
    }

    pub(crate) fn mass<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.mass
    }
    pub(crate) fn phi_q<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.phi_q
    }
    pub(crate) fn constraint_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        // norms of Euler parameters
        self.norms()
            .for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[0] + at.v[k] * c[1] + at.a[k] * c[2]);
        // Φ_z = Φ_x J alone
        if self.positions_only(c) {
            d.mn[0].fill(S::zero());
            self.inner.constraint_q(&self.inner_at(at.t, &d.here.x, &d.none), c, &mut d.inner, &mut d.mn[0]);
            return self.add_rows([&[(&d.mn[0], 1.0, 0)]], [&d.here.pose.screws], &d.blocks, out);
        }
        // (1)
        self.row_partials(at, c, d);
        let x = &d.mn[0][..];
        let v = &d.mn[1][..];
        let phi_q = self.inner.phi_q(&d.inner);
        self.seconds(&mut d.here);
        let terms: [&[_]; 3] = [
            &[(x, 1.0, 0), (v, 1.0, 1), (phi_q, c[2], 2)],
            &[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)],
            &[(phi_q, c[2], 0)],
        ];
        self.add_rows(terms, [&d.here.pose.screws, &d.here.flow.rates, &d.here.flow.seconds], &d.blocks, out);
    }
    pub(crate) fn constraint_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.norms().for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[1] + at.v[k] * (2.0 * c[2]));
        self.rate_partials(at, c, d);
        let v = &d.mn[1][..];
        let phi_q = self.inner.phi_q(&d.inner);
        let terms: [&[_]; 2] = [&[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)], &[(phi_q, 2.0 * c[2], 0)]];
        self.add_rows(terms, [&d.here.pose.screws, &d.here.flow.rates], &d.blocks, out);
    }
    pub(crate) fn balance_q<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        // norms of Euler parameters
        self.norms().for_each(|(row, _, [_, pos])| out[pos] += lam[row]);
        // (Jᵀ)_z f of (2)
        self.balanced(w, lam, d);
        self.add_stress(at.q, &d.f, &d.here.pose, &mut d.loads, out);
        // blocks of (Φ_xᵀλ)_x J and of M_x (J w)_z
        self.row_stress(at, lam, d);
        self.chain.screw_rates(at.q, w, &d.v, &d.here.pose, &mut d.rates);
        self.gather(&[&d.here.x[0], &d.y], &mut d.blocks);
        d.blocks.clear(2);
        self.add_stress_blocks(&d.nn[0], &mut d.blocks);
        let mass = self.inner.mass(&d.inner);
        self.add_mass_blocks(mass, 1, 1.0, &mut d.blocks, 0);
        self.add_mass_blocks(mass, 0, 1.0, &mut d.blocks, 1);
        // contracted: Jᵀ (…)
        self.add_folded([&d.here.pose.screws, &d.rates, &d.rates], &mut d.blocks, out, None);
    }
    pub(crate) fn force_tangents<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, k: &mut [S], c: &mut [S]) {
        self.unbalanced(at, d);
        self.add_stress(at.q, &d.f, &d.here.pose, &mut d.loads, k);
        self.seconds(&mut d.here);
        self.gather(&[&d.here.x[0], &d.here.x[1], &d.here.x[2]], &mut d.blocks);
        d.blocks.clear(3);
        self.add_force_blocks(&self.inner_at(at.t, &d.here.x, &d.none), &mut d.inner, &mut d.blocks);
        let mass = self.inner.mass(&d.inner);
        self.add_mass_blocks(mass, 2, 1.0, &mut d.blocks, 0);
        self.add_mass_blocks(mass, 1, 2.0, &mut d.blocks, 1);
        self.add_mass_blocks(mass, 0, 1.0, &mut d.blocks, 2);
        self.add_folded(
            [&d.here.pose.screws, &d.here.flow.rates, &d.here.flow.seconds],
            &mut d.blocks,
            k,
            Some(c),
        );
    }

    pub(crate) fn visits(&self, d: &Data<f64>) -> usize {
        self.inner.visits(&d.inner)
    }
    pub(crate) fn angles(&self, q: &[f64], d: &mut Data<f64>, out: &mut [f64]) {
        if !out.is_empty() {
            let m = self.see(q, None, &d.g, [&mut d.here, &mut d.seen]);
            self.inner.angles(&m.x[0], &mut d.inner, out);
        }
    }
    pub(crate) fn angle_name(&self, k: usize) -> AngleName {
        self.inner.angle_name(k)
    }
    pub(crate) fn row_name(&self, k: usize) -> String {
        self.row_names[k].to_string()
    }
    pub(crate) fn condition_name(&self, velocity: bool, k: usize) -> String {
        self.inner.condition_name(velocity, k)
    }
    pub(crate) fn coordinate_name(&self, i: usize) -> String {
        self.coordinate_names[i].clone()
    }
}
