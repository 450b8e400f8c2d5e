//! Derivatives of the partials of a block along directions w_1 … w_s. The block is the past of a Rosenbrock
//! step, or where a projection has its matrix.
//!
//! ```text
//! D_i s = d/dε rows_x(t_0 + ε h γ_i, block 0 + ε w_i) s                                                  (1)
//! E_i δ = d/dε rows_p(t_0 + ε h γ_i, block 0 + ε w_i) δ                                                  (2)
//! ```
//! (1) of two stages is one evaluation on duals with a lane for each. The transpose of (2) has another μ for
//! each stage and uses one lane of an evaluation, so that more lanes would make it dearer.

use crate::block::Integrated;
use crate::formulation::{Lagrange, Linear};
use crate::plan::Frozen;
use crate::step::{IntegrandRows, Layout};
use gradyn_model::{Kinematics, Level, Setup};
use gradyn_num::Dual;

/// Stages in one evaluation: what one instruction of any machine works on.
const LANES: usize = 2;
type Lanes = Dual<f64, LANES>;

/// Matrices of (1) for one stage.
#[derive(Clone)]
struct Matrices {
    top_q: Vec<f64>,
    top_v: Vec<f64>,
    bottom_q: Vec<f64>,
    bottom_v: Vec<f64>,
    phi_q: Vec<f64>,
    dphi_q: Vec<f64>,
    /// Empty where M does not change.
    mass: Vec<f64>,
}

/// The partials along the directions of [`LANES`] stages.
struct Partials {
    linear: Linear<Lanes>,
    dphi_q: Vec<Lanes>,
    point: Vec<Lanes>,
    g: IntegrandRows<Lanes>,
}

/// (1), (2) and the same of the integrands.
pub(super) struct Second {
    f: Lagrange,
    state: Integrated,
    partials: Vec<Partials>,
    stages: Vec<Matrices>,
    /// (g_x)' along w_i.
    pub g: Vec<IntegrandRows>,
    rows: Vec<Lanes>,
    delta: Vec<Lanes>,
    grad: Vec<Lanes>,
    phi: Vec<Lanes>,
    all: Vec<f64>,
}

impl Partials {
    fn new(sys: &Setup, f: Lagrange, p: &[f64]) -> Self {
        let dims = sys.dims();
        let zero = Lanes::from(0.0);
        let linear = Linear::new(sys, f, &p.iter().map(|&p| Lanes::from(p)).collect::<Vec<_>>());
        let dphi_q = vec![zero; sys.patterns().mn.nnz()];
        let point = vec![zero; 3 * dims.n + dims.m];
        Self { linear, dphi_q, point, g: IntegrandRows::new(sys) }
    }
    /// At the node `x` along the directions that begin at `w`, and τ in time.
    fn set(
        &mut self,
        sys: &Setup,
        state: Integrated,
        lay: &Layout,
        t: Lanes,
        frozen: Frozen,
        x: &[f64],
        w: &[f64],
    ) {
        let z = lay.z();
        for (i, p) in self.point.iter_mut().enumerate() {
            *p = Lanes { re: x[i], eps: std::array::from_fn(|k| w.get(k * z + i).copied().unwrap_or(0.0)) };
        }
        self.linear.terms.set_branches(frozen.branches);
        let at = lay.node(t, &self.point);
        self.linear.set(sys, &at);
        if state != Integrated::Full {
            self.dphi_q.fill(Lanes::from(0.0));
            self.linear.terms.constraint_q(&at, Level::VELOCITY, &mut self.dphi_q);
        }
        if lay.o > 0 {
            self.g.set(&at, &mut self.linear.terms);
        }
    }
    /// The derivatives in lane `k`.
    fn read(&self, k: usize, m: &mut Matrices, g: &mut IntegrandRows) {
        let l = &self.linear;
        let pairs = [
            (&mut m.top_q, &l.top_q[..]),
            (&mut m.top_v, &l.top_v),
            (&mut m.bottom_q, &l.bottom_q),
            (&mut m.bottom_v, &l.bottom_v),
            (&mut m.phi_q, l.terms.phi_q()),
            (&mut m.dphi_q, &self.dphi_q),
        ];
        for (to, from) in pairs {
            to.iter_mut().zip(from).for_each(|(o, x)| *o = x.eps[k]);
        }
        m.mass.iter_mut().zip(l.terms.mass()).for_each(|(o, x)| *o = x.eps[k]);
        self.g.along(k, g);
    }
}

impl Second {
    /// Memory for `stages` directions.
    pub(super) fn new(sys: &Setup, f: Lagrange, state: Integrated, p: &[f64], stages: usize) -> Self {
        let dims = sys.dims();
        let pat = sys.patterns();
        let zero = Lanes::from(0.0);
        let nn = vec![0.0; pat.nn.nnz()];
        let mn = vec![0.0; pat.mn.nnz()];
        let mass = if sys.constant_mass() { vec![] } else { nn.clone() };
        let one = Matrices {
            mass,
            top_q: nn.clone(),
            top_v: nn,
            bottom_q: mn.clone(),
            bottom_v: mn.clone(),
            phi_q: mn.clone(),
            dphi_q: mn,
        };
        Self {
            f,
            state,
            partials: (0..stages.div_ceil(LANES)).map(|_| Partials::new(sys, f, p)).collect(),
            stages: vec![one; stages],
            g: (0..stages).map(|_| IntegrandRows::new(sys)).collect(),
            rows: vec![zero; 3 * dims.n + dims.m],
            delta: vec![zero; dims.slots],
            grad: vec![zero; dims.args],
            phi: vec![zero; dims.m],
            all: vec![0.0; dims.m],
        }
    }
    /// Evaluates at the past `x` along the directions `w`, one after the other, and τ in time.
    pub(super) fn set(
        &mut self,
        sys: &Setup,
        lay: &Layout,
        t: f64,
        τ: impl Fn(usize) -> f64,
        frozen: Frozen,
        x: &[f64],
        w: &[f64],
    ) {
        let (z, s) = (lay.z(), self.stages.len());
        for (c, partials) in self.partials.iter_mut().enumerate() {
            let first = c * LANES;
            let end = s.min((c + 1) * LANES);
            let t = Lanes {
                re: t,
                eps: std::array::from_fn(|k| if first + k < end { τ(first + k) } else { 0.0 }),
            };
            partials.set(sys, self.state, lay, t, frozen, x, &w[first * z..end * z]);
            for i in first..end {
                partials.read(i - first, &mut self.stages[i], &mut self.g[i]);
            }
        }
    }
    /// Momentum rows of (1) over q and over v, on n × n.
    pub(crate) fn state_partials(&self, i: usize) -> [&[f64]; 2] {
        [&self.stages[i].top_q, &self.stages[i].top_v]
    }
    /// r += D_i s, (1).
    pub(super) fn mul(&mut self, sys: &Setup, i: usize, s: &[f64], r: &mut [f64]) {
        let n = sys.dims().n;
        let p = sys.patterns();
        let m = &self.stages[i];
        // (q, v, a, λ) of the direction, and its rows
        let q = &s[..n];
        let v = &s[n..2 * n];
        let a = &s[2 * n..3 * n];
        let lam = &s[3 * n..3 * n + sys.dims().m];
        let (rq, rest) = r.split_at_mut(n);
        let (rv, rest) = rest.split_at_mut(n);
        let (top, bottom) = rest.split_at_mut(n);
        // momentum
        p.nn.mul(&m.top_q, 1.0, q, top);
        p.nn.mul(&m.top_v, 1.0, v, top);
        if !m.mass.is_empty() {
            p.nn.mul(&m.mass, 1.0, a, top);
        }
        p.mn.mul_t(&m.phi_q, 1.0, lam, top);
        // constraints
        p.mn.mul(&m.bottom_q, 1.0, q, &mut bottom[..lam.len()]);
        p.mn.mul(&m.bottom_v, 1.0, v, &mut bottom[..lam.len()]);
        p.mn.mul(&m.phi_q, self.f.level[2], a, &mut bottom[..lam.len()]);
        // independent rows of positions and velocities
        for (level, rows) in [rq, rv].into_iter().enumerate() {
            if self.state.lists(sys)[level].is_none() {
                continue;
            }
            self.all.fill(0.0);
            if level == 0 {
                p.mn.mul(&m.phi_q, 1.0, q, &mut self.all);
            } else {
                p.mn.mul(&m.dphi_q, 1.0, q, &mut self.all);
                p.mn.mul(&m.phi_q, 1.0, v, &mut self.all);
            }
            rows.iter_mut()
                .zip(sys.independent(Kinematics::ALL[level]))
                .for_each(|(r, &k)| *r += self.all[k as usize]);
        }
    }
    /// out += D_iᵀ μ.
    pub(super) fn mul_t(&mut self, sys: &Setup, i: usize, mu: &[f64], out: &mut [f64]) {
        let n = sys.dims().n;
        let mm = sys.dims().m;
        let p = sys.patterns();
        let m = &self.stages[i];
        // μ of momentum and constraints, and (q, v, a, λ) of the covector
        let top = &mu[2 * n..3 * n];
        let bottom = &mu[3 * n..3 * n + mm];
        let (q, rest) = out.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let (a, lam) = rest.split_at_mut(n);
        // momentum
        p.nn.mul_t(&m.top_q, 1.0, top, q);
        p.nn.mul_t(&m.top_v, 1.0, top, v);
        if !m.mass.is_empty() {
            p.nn.mul_t(&m.mass, 1.0, top, a);
        }
        p.mn.mul(&m.phi_q, 1.0, top, &mut lam[..mm]);
        // constraints
        p.mn.mul_t(&m.bottom_q, 1.0, bottom, q);
        p.mn.mul_t(&m.bottom_v, 1.0, bottom, v);
        p.mn.mul_t(&m.phi_q, self.f.level[2], bottom, a);
        // independent rows of positions and velocities
        for level in 0..2 {
            if self.state.lists(sys)[level].is_none() {
                continue;
            }
            self.all.fill(0.0);
            let rows = &mu[level * n..(level + 1) * n];
            rows.iter()
                .zip(sys.independent(Kinematics::ALL[level]))
                .for_each(|(r, &k)| self.all[k as usize] = *r);
            if level == 0 {
                p.mn.mul_t(&m.phi_q, 1.0, &self.all, q);
            } else {
                p.mn.mul_t(&m.dphi_q, 1.0, &self.all, q);
                p.mn.mul_t(&m.phi_q, 1.0, &self.all, v);
            }
        }
    }
    /// r_i += E_i δ of all stages, (2); the rows of stage i begin at `at(i)`.
    pub(super) fn slot_mul(
        &mut self,
        sys: &Setup,
        delta: &[f64],
        at: impl Fn(usize) -> usize,
        r: &mut [f64],
    ) {
        let n = sys.dims().n;
        let zero = Lanes::from(0.0);
        self.delta.iter_mut().zip(delta).for_each(|(terms, x)| *terms = Lanes::from(*x));
        for (c, Partials { linear, .. }) in self.partials.iter_mut().enumerate() {
            self.rows.fill(zero);
            // momentum and constraints
            linear.slot_mul(&self.delta, &mut self.rows[2 * n..]);
            // independent rows of positions and velocities
            for level in 0..2 {
                if self.state.lists(sys)[level].is_none() {
                    continue;
                }
                self.phi.fill(zero);
                let (point, terms) = linear.at();
                terms.constraint_p(&point, Level::ALL[level], &self.delta, &mut self.phi);
                let rows = self.rows[level * n..].iter_mut().zip(sys.independent(Kinematics::ALL[level]));
                rows.for_each(|(r, &k)| *r = self.phi[k as usize]);
            }
            // the lane of each stage
            for i in (c * LANES..self.stages.len()).take(LANES) {
                r[at(i)..].iter_mut().zip(&self.rows).for_each(|(r, x)| *r += x.eps[i - c * LANES]);
            }
        }
    }
    /// grad += s E_iᵀ μ.
    pub(super) fn slot_mul_t(&mut self, sys: &Setup, i: usize, mu: &[f64], s: f64, grad: &mut [f64]) {
        let n = sys.dims().n;
        let zero = Lanes::from(0.0);
        let linear = &mut self.partials[i / LANES].linear;
        self.rows.iter_mut().zip(mu).for_each(|(r, m)| *r = Lanes::from(*m));
        self.grad.fill(zero);
        linear.slot_mul_t(&self.rows[2 * n..], s, &mut self.grad);
        for level in 0..2 {
            if self.state.lists(sys)[level].is_none() {
                continue;
            }
            self.phi.fill(zero);
            let rows = self.rows[level * n..].iter().zip(sys.independent(Kinematics::ALL[level]));
            rows.for_each(|(r, &k)| self.phi[k as usize] = *r);
            let (point, terms) = linear.at();
            terms.constraint_p_t(&point, Level::ALL[level], &self.phi, s, &mut self.grad);
        }
        grad.iter_mut().zip(&self.grad).for_each(|(g, x)| *g += x.eps[i % LANES]);
    }
}
