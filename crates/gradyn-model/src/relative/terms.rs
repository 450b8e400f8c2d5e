//! The terms of [`System`] in relative coordinates: those of the elements on frames, contracted with Jacobians of the frames.
//!
//! ```text
//! r = c₀Φ + c₁Φ̇ + c₂Φ̈:   r_z = r_x J + r_ẋ J₁ + c₂ Φ_x J₂,   r_ż = r_ẋ J + 2 c₂ Φ_x J₁          J₁ = ẋ_z,  J₂ = ẍ_z      (1)  contraction.rs
//! f = M_x J w + Φ_xᵀλ:      (Jᵀ f)_z = Jᵀ ((Φ_xᵀλ)_x J + M_x (J w)_z) + (Jᵀ)_z f                                         (2)
//! g = -Q + M_x γ:           (Jᵀ g)_z = Jᵀ (K J + C J₁ + M_x γ_z) + (Jᵀ)_z g,   (Jᵀ g)_ż = Jᵀ (C J + 2 M_x J₁)              (3)
//! μᵀ (Jᵀ f)_p               = f·(J μ)_p + (J μ)·f_p:  both are rates of frames, with the chain backwards for their slots   (4)
//! ```

use super::sweep::State;
use super::{Data, Relative};
use crate::system::{At, Dims, Patterns, RowScaling, Set, Statics, System};
use gradyn_num::Scalar;

impl Relative {
    /// The rows that keep the length of Euler parameters: row, coordinate, positions on m × n and n × n.
    fn norms(&self) -> impl Iterator<Item = (usize, usize, [usize; 2])> {
        let at = |i: usize| self.balls[i / 4] as usize + i % 4;
        self.norms.iter().enumerate().map(move |(i, pos)| (i / 4, at(i), pos.map(|p| p as usize)))
    }
    /// g of (3) into `d.f`, with (x, ẋ, γ) in `d.x`.
    fn unbalanced<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>) {
        self.run(at.q, at.v, None, d);
        d.f.fill(S::zero());
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.forces(&here, &mut d.inner, &mut d.f);
        self.inner.add_momentum(1.0, &d.x[2], &d.inner, &mut d.f);
    }
    /// f of (2) into `d.f`, with J w in `d.y`.
    fn balanced<S: Scalar>(&self, w: &[S], lam: &[S], d: &mut Data<S>) {
        self.chain.velocities(w, &d.pose, &mut d.v);
        self.push(w, &d.v, &d.pose, &mut d.y);
        d.f.fill(S::zero());
        self.inner.balance(&d.y, &lam[self.balls.len()..], &d.inner, &mut d.f);
    }
    /// Do rows with these weights read positions only? Rows of velocity level never do.
    fn positions_only(&self, c: [f64; 3]) -> bool {
        c[1] == 0.0 && c[2] == 0.0 && self.dims.m_vel == 0
    }
    /// r_x and r_ẋ of (1) into `d.mn`, with (x, ẋ, ẍ) in `d.x`.
    fn row_partials<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>) {
        self.rate_partials(at, c, d);
        let here = self.inner_at(at.t, &d.x, &d.none);
        d.mn[0].fill(S::zero());
        self.inner.constraint_q(&here, c, &mut d.inner, &mut d.mn[0]);
    }
    /// r_ẋ alone.
    fn rate_partials<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>) {
        self.run(at.q, at.v, Some(at.a), d);
        self.gather(&[&d.x[0], &d.x[1], &d.x[2]], &mut d.blocks);
        let here = self.inner_at(at.t, &d.x, &d.none);
        d.mn[1].fill(S::zero());
        self.inner.constraint_v(&here, c, &mut d.inner, &mut d.mn[1]);
    }
    /// K and C of the elements into `d.nn`.
    fn element_tangents<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        let here = self.inner_at(t, &d.x, &d.none);
        let [k, c] = &mut d.nn;
        k.fill(S::zero());
        c.fill(S::zero());
        self.inner.force_tangents(&here, &mut d.inner, k, c);
    }
    /// (Φ_xᵀλ)_x into `d.nn[0]`; rows of velocity level read ẋ.
    fn row_stress<S: Scalar>(&self, at: &At<S>, lam: &[S], d: &mut Data<S>) {
        if self.dims.m_vel > 0 {
            self.run(at.q, at.v, Some(at.a), d);
        }
        let here = self.inner_at(at.t, &d.x, &d.none);
        d.nn[0].fill(S::zero());
        self.inner.balance_q(&here, &d.y, &lam[self.balls.len()..], &mut d.inner, &mut d.nn[0]);
    }
    /// J μ into `d.eta`.
    fn weigh<S: Scalar>(&self, mu: &[S], d: &mut Data<S>) {
        self.chain.velocities(mu, &d.pose, &mut d.v);
        self.push(mu, &d.v, &d.pose, &mut d.eta);
    }
    /// grad += s f·(J μ)_p of (4), with f in `d.f`.
    fn pull_force<S: Scalar>(&self, z: &[S], mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        let [x, v, _] = &mut d.bar;
        x.fill(S::zero());
        v.iter_mut().zip(&d.f).for_each(|(v, f)| *v = *f * s);
        self.pull_rate(z, mu, d, grad);
    }
    /// A gradient over (x, ẋ, ẍ) where functionals are measured, added to one over (z, ż, z̈) and the slots.
    fn pull_seen<S: Scalar>(&self, at: &At<S>, bars: [&[S]; 3], d: &mut Data<S>, out: [&mut [S]; 3], grad: &mut [S]) {
        let state = State { z: at.q, rate: at.v, second: at.a, g: &d.g, pose: &d.seen_pose, flow: &d.seen_flow };
        self.pull_back(&state, bars, (&mut d.bars, &mut d.g_bar), Some(out), grad);
    }
}

impl System for Relative {
    type Data<S: Scalar> = Data<S>;

    fn dims(&self) -> Dims {
        self.dims
    }
    fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    fn data<S: Scalar>(&self) -> Data<S> {
        self.new_data()
    }
    fn prepare<S: Scalar>(&self, p: &[S], d: &mut Data<S>) {
        self.inner.prepare(p, &mut d.inner);
        d.g.iter_mut().zip(&self.geometry).for_each(|(g, &s)| *g = p[s as usize]);
    }
    fn constant_mass(&self) -> bool {
        false
    }
    fn least_size(&self) -> f64 {
        1.0
    }
    fn set_angles<S: Scalar>(&self, references: &[f64], d: &mut Data<S>) {
        self.inner.set_angles(references, &mut d.inner);
    }
    fn set_rest<S: Scalar>(&self, rest: bool, d: &mut Data<S>) {
        self.inner.set_rest(rest, &mut d.inner);
    }
    fn statics(&self) -> Option<&Statics> {
        self.inner.statics()
    }
    fn set_time<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        self.inner.set_time(t, &mut d.inner);
    }
    fn place<S: Scalar>(&self, t: S, q: &[S], d: &mut Data<S>) {
        self.chain.place(q, &d.g, &mut d.pose);
        self.frames(q, &d.pose, &mut d.x[0]);
        self.gather(&[&d.x[0]], &mut d.blocks);
        self.inner.place(t, &d.x[0], &mut d.inner);
        self.fill_mass(d);
        d.phi_q.fill(S::zero());
        self.norms().for_each(|(_, k, [pos, _])| d.phi_q[pos] = q[k]);
        self.add_rows([&[(self.inner.phi_q(&d.inner), 1.0, 0)]], [&d.pose.screws], &d.blocks, &mut d.phi_q);
    }

    fn constraint<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        if !self.positions_only(c) {
            self.run(at.q, at.v, Some(at.a), d);
        }
        for (row, &first) in self.balls.iter().enumerate() {
            let mut sum = S::from(-0.5 * c[0]);
            for k in first as usize..first as usize + 4 {
                sum += at.q[k] * (at.q[k] * (0.5 * c[0]) + at.v[k] * c[1] + at.a[k] * c[2]) + at.v[k] * at.v[k] * c[2];
            }
            out[row] += sum;
        }
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.constraint(&here, c, &mut d.inner, &mut out[self.balls.len()..]);
    }
    fn balance<S: Scalar>(&self, w: &[S], lam: &[S], d: &Data<S>, out: &mut [S]) {
        self.patterns.nn.mul(&d.mass, 1.0, w, out);
        self.patterns.mn.mul_t(&d.phi_q, 1.0, lam, out);
    }
    fn forces<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        self.unbalanced(at, d);
        self.pull(&d.f, &d.pose, &mut d.wrenches, out);
    }

    fn mass<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.mass
    }
    fn phi_q<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        &d.phi_q
    }
    fn constraint_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.norms().for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[0] + at.v[k] * c[1] + at.a[k] * c[2]);
        if self.positions_only(c) {
            d.mn[0].fill(S::zero());
            self.inner.constraint_q(&self.inner_at(at.t, &d.x, &d.none), c, &mut d.inner, &mut d.mn[0]);
            return self.add_rows([&[(&d.mn[0], 1.0, 0)]], [&d.pose.screws], &d.blocks, out);
        }
        self.row_partials(at, c, d);
        let (x, v, phi_q) = (&d.mn[0][..], &d.mn[1][..], self.inner.phi_q(&d.inner));
        self.chain.screw_seconds(at.q, at.v, at.a, &d.pose, &mut d.flow);
        let terms: [&[_]; 3] =
            [&[(x, 1.0, 0), (v, 1.0, 1), (phi_q, c[2], 2)], &[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)], &[(phi_q, c[2], 0)]];
        self.add_rows(terms, [&d.pose.screws, &d.flow.rates, &d.flow.seconds], &d.blocks, out);
    }
    fn constraint_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        self.norms().for_each(|(_, k, [pos, _])| out[pos] += at.q[k] * c[1] + at.v[k] * (2.0 * c[2]));
        self.rate_partials(at, c, d);
        let (v, phi_q) = (&d.mn[1][..], self.inner.phi_q(&d.inner));
        let terms: [&[_]; 2] = [&[(v, 1.0, 0), (phi_q, 2.0 * c[2], 1)], &[(phi_q, 2.0 * c[2], 0)]];
        self.add_rows(terms, [&d.pose.screws, &d.flow.rates], &d.blocks, out);
    }
    fn balance_q<S: Scalar>(&self, at: &At<S>, w: &[S], lam: &[S], d: &mut Data<S>, out: &mut [S]) {
        self.norms().for_each(|(row, _, [_, pos])| out[pos] += lam[row]);
        self.balanced(w, lam, d);
        self.add_stress(at.q, &d.f, &d.pose, &mut d.loads, out);
        self.row_stress(at, lam, d);
        self.chain.screw_rates(at.q, w, &d.v, &d.pose, &mut d.rates);
        self.gather(&[&d.x[0], &d.y], &mut d.blocks);
        d.blocks.clear(2);
        self.add_stress_blocks(&d.nn[0], &mut d.blocks);
        let mass = self.inner.mass(&d.inner);
        self.add_mass_blocks(mass, 1, 1.0, &mut d.blocks, 0);
        self.add_mass_blocks(mass, 0, 1.0, &mut d.blocks, 1);
        self.add_folded([&d.pose.screws, &d.rates, &d.rates], &mut d.blocks, out, None);
    }
    fn force_tangents<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, k: &mut [S], c: &mut [S]) {
        self.unbalanced(at, d);
        self.add_stress(at.q, &d.f, &d.pose, &mut d.loads, k);
        self.chain.screw_seconds(at.q, at.v, &d.rest, &d.pose, &mut d.flow);
        self.gather(&[&d.x[0], &d.x[1], &d.x[2]], &mut d.blocks);
        d.blocks.clear(3);
        self.add_force_blocks(&self.inner_at(at.t, &d.x, &d.none), &mut d.inner, &mut d.blocks);
        let mass = self.inner.mass(&d.inner);
        self.add_mass_blocks(mass, 2, 1.0, &mut d.blocks, 0);
        self.add_mass_blocks(mass, 1, 2.0, &mut d.blocks, 1);
        self.add_mass_blocks(mass, 0, 1.0, &mut d.blocks, 2);
        self.add_folded([&d.pose.screws, &d.flow.rates, &d.flow.seconds], &mut d.blocks, k, Some(c));
    }

    fn constraint_p<S: Scalar>(&self, at: &At<S>, c: [f64; 3], delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        self.row_partials(at, c, d);
        let out = &mut out[self.balls.len()..];
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.constraint_p(&here, c, delta, &mut d.inner, out);
        if self.along(at.q, at.v, Some(at.a), delta, d) {
            let mn = &self.inner.patterns().mn;
            mn.mul(&d.mn[0], 1.0, &d.dx[0], out);
            mn.mul(&d.mn[1], 1.0, &d.dx[1], out);
            mn.mul(self.inner.phi_q(&d.inner), c[2], &d.dx[2], out);
        }
    }
    fn constraint_p_t<S: Scalar>(&self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        if self.shaped {
            self.row_partials(at, c, d);
        } else {
            self.run(at.q, at.v, Some(at.a), d);
        }
        let (mu, mn) = (&mu[self.balls.len()..], &self.inner.patterns().mn);
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.constraint_p_t(&here, c, mu, s, &mut d.inner, grad);
        if !self.shaped {
            return;
        }
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        mn.mul_t(&d.mn[0], s, mu, &mut d.bar[0]);
        mn.mul_t(&d.mn[1], s, mu, &mut d.bar[1]);
        mn.mul_t(self.inner.phi_q(&d.inner), s * c[2], mu, &mut d.bar[2]);
        self.pull_slots(at.q, [at.v, at.a], d, grad);
    }
    fn balance_p<S: Scalar>(&self, at: &At<S>, w: &[S], lam: &[S], delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        self.balanced(w, lam, d);
        self.row_stress(at, lam, d);
        d.sum.fill(S::zero());
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.balance_p(&here, &d.y, &lam[self.balls.len()..], delta, &mut d.inner, &mut d.sum);
        if self.along(at.q, w, None, delta, d) {
            let nn = &self.inner.patterns().nn;
            nn.mul(&d.nn[0], 1.0, &d.dx[0], &mut d.sum);
            self.inner.add_momentum(1.0, &d.dx[1], &d.inner, &mut d.sum);
            self.pull_along(&d.f, &mut d.tangent, out);
        }
        self.pull(&d.sum, &d.pose, &mut d.wrenches, out);
    }
    fn balance_p_t<S: Scalar>(&self, at: &At<S>, w: &[S], lam: &[S], mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        self.balanced(w, lam, d);
        self.row_stress(at, lam, d);
        self.weigh(mu, d);
        let (nn, here) = (&self.inner.patterns().nn, self.inner_at(at.t, &d.x, &d.none));
        self.inner.balance_p_t(&here, &d.y, &lam[self.balls.len()..], &d.eta, s, &mut d.inner, grad);
        if !self.shaped {
            return;
        }
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        nn.mul_t(&d.nn[0], s, &d.eta, &mut d.bar[0]);
        self.inner.add_momentum(s, &d.eta, &d.inner, &mut d.bar[1]);
        self.pull_rate(at.q, w, d, grad);
        self.pull_force(at.q, mu, s, d, grad);
    }
    fn forces_p<S: Scalar>(&self, at: &At<S>, delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        self.unbalanced(at, d);
        d.sum.fill(S::zero());
        let here = self.inner_at(at.t, &d.x, &d.none);
        self.inner.forces_p(&here, delta, &mut d.inner, &mut d.sum);
        self.inner.balance_p(&here, &d.x[2], &d.none, delta, &mut d.inner, &mut d.sum);
        if self.along(at.q, at.v, None, delta, d) {
            self.element_tangents(at.t, d);
            let nn = &self.inner.patterns().nn;
            nn.mul(&d.nn[0], 1.0, &d.dx[0], &mut d.sum);
            nn.mul(&d.nn[1], 1.0, &d.dx[1], &mut d.sum);
            self.inner.add_momentum(1.0, &d.dx[2], &d.inner, &mut d.sum);
            self.pull_along(&d.f, &mut d.tangent, out);
        }
        self.pull(&d.sum, &d.pose, &mut d.wrenches, out);
    }
    fn forces_p_t<S: Scalar>(&self, at: &At<S>, mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        self.unbalanced(at, d);
        self.weigh(mu, d);
        let (nn, here) = (&self.inner.patterns().nn, self.inner_at(at.t, &d.x, &d.none));
        self.inner.forces_p_t(&here, &d.eta, s, &mut d.inner, grad);
        self.inner.balance_p_t(&here, &d.x[2], &d.none, &d.eta, s, &mut d.inner, grad);
        if !self.shaped {
            return;
        }
        self.element_tangents(at.t, d);
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        nn.mul_t(&d.nn[0], s, &d.eta, &mut d.bar[0]);
        nn.mul_t(&d.nn[1], s, &d.eta, &mut d.bar[1]);
        self.inner.add_momentum(s, &d.eta, &d.inner, &mut d.bar[2]);
        let rest = std::mem::take(&mut d.rest);
        self.pull_slots(at.q, [at.v, &rest], d, grad);
        d.rest = rest;
        self.pull_force(at.q, mu, s, d, grad);
    }

    fn functionals(&self, set: Set) -> usize {
        self.inner.functionals(set)
    }
    fn support(&self, set: Set) -> &[u32] {
        &self.supports[set as usize]
    }
    fn measure<S: Scalar>(&self, set: Set, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        self.see(at.q, Some((at.v, at.a)), d);
        let here = self.inner_at(at.t, &d.seen, &at.lam[self.balls.len()..]);
        self.inner.measure(set, &here, &mut d.inner, out);
    }
    fn measure_row<S: Scalar>(&self, set: Set, k: usize, at: &At<S>, d: &mut Data<S>, row: &mut [S]) {
        self.see(at.q, Some((at.v, at.a)), d);
        let (frames, inner, norms) = (self.inner.dims().n, self.inner.dims().m, self.balls.len());
        let mut own = std::mem::take(&mut d.row);
        let own_support = self.inner.support(set);
        let len = 3 * frames + inner + own_support.len();
        let here = self.inner_at(at.t, &d.seen, &at.lam[norms..]);
        self.inner.measure_row(set, k, &here, &mut d.inner, &mut own[..len]);
        let (x, rest) = own.split_at(3 * frames);
        row.fill(S::zero());
        let n = self.dims.n;
        let (q, tail) = row.split_at_mut(n);
        let (v, tail) = tail.split_at_mut(n);
        let (a, tail) = tail.split_at_mut(n);
        let (lam, slots) = tail.split_at_mut(self.dims.m);
        lam[norms..].copy_from_slice(&rest[..inner]);
        let mut grad = std::mem::take(&mut d.slots);
        own_support.iter().zip(&rest[inner..len - 3 * frames]).for_each(|(&s, x)| grad[s as usize] = *x);
        self.pull_seen(at, [&x[..frames], &x[frames..2 * frames], &x[2 * frames..]], d, [q, v, a], &mut grad);
        for (to, &s) in slots.iter_mut().zip(&self.supports[set as usize]) {
            *to = std::mem::replace(&mut grad[s as usize], S::zero());
        }
        (d.row, d.slots) = (own, grad);
    }

    fn conditions<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, position: &mut [S], velocity: &mut [S]) {
        self.see(at.q, Some((at.v, at.a)), d);
        let here = self.inner_at(at.t, &d.seen, &d.none);
        self.inner.conditions(&here, &mut d.inner, position, velocity);
    }
    fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition_coords[usize::from(velocity)][k]
    }
    fn condition_support(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition_supports[usize::from(velocity)][k]
    }
    fn condition_row<S: Scalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        self.see(at.q, Some((at.v, at.a)), d);
        let coords = self.inner.condition_pattern(velocity, k);
        let support = self.inner.condition_support(velocity, k);
        let mut own = std::mem::take(&mut d.row);
        let (x, rest) = own.split_at_mut(coords.len());
        let (rate, slots) = rest.split_at_mut(coords.len());
        let here = self.inner_at(at.t, &d.seen, &d.none);
        self.inner.condition_row(velocity, k, &here, &mut d.inner, x, rate, &mut slots[..support.len()]);
        let mut grad = std::mem::take(&mut d.slots);
        support.iter().zip(&*slots).for_each(|(&s, x)| grad[s as usize] = *x);
        d.bar.iter_mut().for_each(|b| b.fill(S::zero()));
        for ((&i, x), r) in coords.iter().zip(&*x).zip(&*rate) {
            d.bar[0][i as usize] = *x;
            d.bar[1][i as usize] = *r;
        }
        let bar = std::mem::take(&mut d.bar);
        let mut z = std::mem::take(&mut d.z);
        self.pull_seen(at, [&bar[0], &bar[1], &bar[2]], d, z.each_mut().map(|z| &mut z[..]), &mut grad);
        for ((q, v), &i) in q.iter_mut().zip(v).zip(&self.condition_coords[usize::from(velocity)][k]) {
            (*q, *v) = (z[0][i as usize], z[1][i as usize]);
        }
        z.iter_mut().for_each(|z| z.fill(S::zero()));
        for (p, &s) in p.iter_mut().zip(&self.condition_supports[usize::from(velocity)][k]) {
            *p = std::mem::replace(&mut grad[s as usize], S::zero());
        }
        (d.row, d.slots, d.bar, d.z) = (own, grad, bar, z);
    }

    fn visits(&self, d: &Data<f64>) -> usize {
        self.inner.visits(&d.inner)
    }
    fn angle(&self, k: usize, q: &[f64], d: &mut Data<f64>) -> f64 {
        self.see(q, None, d);
        self.inner.angle(k, &d.seen[0], &mut d.inner)
    }
    fn angle_name(&self, k: usize) -> String {
        self.inner.angle_name(k)
    }
    fn independent(&self, velocity: bool) -> &[u32] {
        &self.independent[usize::from(velocity)]
    }
    fn dropped(&self) -> &[u32] {
        &self.dropped
    }
    fn compliances(&self, scaling: RowScaling) -> &[f64] {
        &self.compliances[usize::from(scaling == RowScaling::EffectiveMass)]
    }
    fn drawn(&self) -> &[f64] {
        &self.drawn
    }
    fn row_name(&self, k: usize) -> String {
        self.row_names[k].to_string()
    }
    fn condition_name(&self, velocity: bool, k: usize) -> String {
        self.inner.condition_name(velocity, k)
    }
    fn coordinate_name(&self, i: usize) -> String {
        self.coordinate_names[i].clone()
    }
}
