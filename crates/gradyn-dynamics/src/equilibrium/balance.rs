//! The equations of equilibrium, linearised.
//!
//! ```text
//! [ K_s Jᵀ ; J 0 ] (δq, -δu) = (Bᵀ b_r, b_J),   K_s = (Φ_qᵀλ + E_qᵀν)_q + K                (1)   b ← R_q⁻¹ b
//! [ K_sᵀ Jᵀ ; J 0 ] (y, w) = (b, 0),            b ← (w, B y)                              (2)   b ← R_q⁻ᵀ b
//! R_p = (Φ_p, E_p, [0 I] W⁻ᵀ g_p)                                                         (3)
//! ```
//! With K_s + σ I in place of K_s a step of (1) is one of a damped motion: implicit Euler of σ q' = -g.

use super::Reduced;
use super::curvature::Curvature;
use crate::error::StepError;
use crate::start::StartRows;
use gradyn_model::{At, Evaluator, Kinematics, Level, Setup};
use gradyn_num::{Factor, Pattern, Singular};

/// (1)–(3) at a point.
pub struct Balance {
    pub(crate) reduced: Reduced<f64>,
    pub(crate) rows: StartRows,
    curvature: Curvature,
    /// The matrix of (1), and where K_s, its diagonal, J and Jᵀ are in it.
    pattern: Pattern,
    values: Vec<f64>,
    places: [Vec<u32>; 4],
    factor: Factor,
    /// K_s on n × n without the curvature of E; C, which is not used.
    k: [Vec<f64>; 2],
    t: f64,
    q: Vec<f64>,
    /// λ of all rows, ν of all conditions.
    pub lam: Vec<f64>,
    /// Efforts of the conditions.
    pub nu: Vec<f64>,
    all: Vec<f64>,
    wide: Vec<f64>,
    b: Vec<f64>,
}

impl Balance {
    /// Memory for these rows of Φ and this B; `p` are the slots.
    pub(crate) fn new(sys: &Setup, p: &[f64], held: &[u32], balanced: &[u32]) -> Result<Self, StepError> {
        let n = sys.dims().n;
        let m = sys.dims().m;
        let nn = &sys.patterns().nn;
        let conditions = sys.statics().map_or(0, |s| s.held.len());
        let rows = StartRows::of(sys, Kinematics::Position, held, conditions);
        let j = &rows.pattern;
        let size = n + j.rows();
        let bent = (0..conditions).flat_map(|k| {
            let coords = sys.condition_pattern(Kinematics::Position, k);
            coords.iter().flat_map(move |&a| coords.iter().map(move |&b| (a as usize, b as usize)))
        });
        let both = j.iter().flat_map(|(i, k, _)| [(n + i, k), (k, n + i)]);
        let stiff = nn.iter().map(|(i, j, _)| (i, j)).chain((0..n).map(|i| (i, i)));
        let pattern = Pattern::from_entries(size, size, stiff.chain(bent).chain(both));
        let places = [
            nn.iter().map(|(i, k, _)| pattern.at(i, k)).collect(),
            (0..n).map(|i| pattern.at(i, i)).collect(),
            j.iter().map(|(i, k, _)| pattern.at(n + i, k)).collect(),
            j.iter().map(|(i, k, _)| pattern.at(k, n + i)).collect(),
        ];
        Ok(Self {
            reduced: Reduced::new(sys, held, balanced)?,
            curvature: Curvature::new(sys, p),
            factor: Factor::new(&pattern)?,
            values: vec![0.0; pattern.nnz()],
            k: [vec![0.0; nn.nnz()], vec![0.0; nn.nnz()]],
            places,
            pattern,
            t: 0.0,
            q: vec![0.0; n],
            lam: vec![0.0; m],
            nu: vec![0.0; conditions],
            all: vec![0.0; m],
            wide: vec![0.0; n],
            b: vec![0.0; size],
            rows,
        })
    }
    /// The balance of a system whose start is an equilibrium; else none.
    pub fn of(sys: &Setup, p: &[f64]) -> Result<Option<Self>, StepError> {
        sys.statics()
            .map(|s| Self::new(sys, p, sys.independent(Kinematics::Position), &s.balanced))
            .transpose()
    }
    /// The branches of angles.
    pub(crate) fn set_branches(&mut self, angles: &[f64]) {
        self.curvature.set_branches(angles);
    }
    /// R at q, where `terms` are; λ and ν there.
    pub(crate) fn residual(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        terms: &mut Evaluator<f64>,
        out: &mut [f64],
    ) {
        self.reduced.residual(sys, t, q, terms, out);
        self.reduced.multipliers(&mut self.lam);
        self.nu.iter_mut().zip(&self.reduced.u[self.rows.rows..]).for_each(|(nu, u)| *nu = -u);
    }
    /// R and its factored partials at q, where `terms` are.
    pub fn linearise(
        &mut self,
        sys: &Setup,
        t: f64,
        q: &[f64],
        angles: &[f64],
        terms: &mut Evaluator<f64>,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        self.set_branches(angles);
        self.residual(sys, t, q, terms, out);
        self.set(sys, t, q, terms);
        let name = |i: usize| sys.coordinate_name(i.min(q.len() - 1));
        self.factor(0.0).map_err(|s| StepError::Singular { t, equation: name(s.index) })
    }
    /// Partials where `residual` was evaluated.
    pub(crate) fn set(&mut self, sys: &Setup, t: f64, q: &[f64], terms: &mut Evaluator<f64>) {
        let n = q.len();
        self.t = t;
        self.q.copy_from_slice(q);
        let zero = &self.reduced.zero;
        let at = At { t, q, v: &zero[..n], a: &zero[..n], lam: &self.lam };
        self.rows.set(&at, terms);
        let [k, c] = &mut self.k;
        k.fill(0.0);
        terms.balance_q(&at, &zero[..n], &self.lam, k);
        terms.set_rest(true);
        terms.force_tangents(&at, k, c);
        terms.set_rest(false);
        let [stiff, _, j, jt] = &self.places;
        self.values.fill(0.0);
        stiff.iter().zip(&*k).for_each(|(&p, k)| self.values[p as usize] += k);
        for (p, pt, x) in j.iter().zip(jt).zip(&self.rows.q).map(|((p, pt), x)| (*p, *pt, *x)) {
            self.values[p as usize] = x;
            self.values[pt as usize] = x;
        }
        for (k, nu) in self.nu.iter().enumerate().filter(|(_, nu)| **nu != 0.0) {
            let coords = sys.condition_pattern(Kinematics::Position, k);
            let pattern = &self.pattern;
            let values = &mut self.values;
            self.curvature.each(sys, t, q, k, |a, b, x| {
                values[pattern.at(coords[a] as usize, coords[b] as usize) as usize] += nu * x;
            });
        }
    }
    /// Factors (1) with K_s + σ I.
    pub(crate) fn factor(&mut self, sigma: f64) -> Result<(), Singular> {
        let diagonal = &self.places[1];
        diagonal.iter().for_each(|&p| self.values[p as usize] += sigma);
        let done = self.factor.refactor(&self.values);
        diagonal.iter().for_each(|&p| self.values[p as usize] -= sigma);
        done
    }
    /// Largest entry on the diagonal of K_s.
    pub(crate) fn stiffness(&self) -> f64 {
        gradyn_num::largest(self.places[1].iter().map(|&p| self.values[p as usize]))
    }
    /// Adds the product K_s x with the static stiffness to `out`.
    pub(crate) fn stiffness_mul(&self, x: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let row = self.pattern.row(i).map(|p| (self.pattern.col(p), self.values[p]));
            *out += row.filter(|(j, _)| *j < x.len()).map(|(j, k)| k * x[j]).sum::<f64>();
        }
    }
    /// The motion that J = 0 allows, with free coordinate `k` moving by 1.
    pub(crate) fn motion(&mut self, k: usize, out: &mut [f64]) {
        out.fill(0.0);
        out[self.rows.pattern.rows() + k] = 1.0;
        self.reduced.factor.solve(out);
    }
    /// The effort that condition `k` needs for each unit that its value is moved, where (1) was factored.
    pub(crate) fn resistance(&mut self, k: usize) -> f64 {
        let row = self.q.len() + self.rows.rows + k;
        self.b.fill(0.0);
        self.b[row] = 1.0;
        self.factor.solve(&mut self.b);
        self.b[row]
    }
    /// Solves (1) in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let (n, rows) = (self.q.len(), self.rows.pattern.rows());
        self.b.fill(0.0);
        self.b[n..].copy_from_slice(&b[..rows]);
        self.reduced.balanced.iter().zip(&b[rows..]).for_each(|(&i, b)| self.b[i as usize] = *b);
        self.factor.solve(&mut self.b);
        b.copy_from_slice(&self.b[..n]);
    }
    /// Solves (2), the transpose, in place.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        let (n, rows) = (self.q.len(), self.rows.pattern.rows());
        self.b.fill(0.0);
        self.b[..n].copy_from_slice(b);
        self.factor.solve_t(&mut self.b);
        b[..rows].copy_from_slice(&self.b[n..]);
        self.reduced.balanced.iter().zip(&mut b[rows..]).for_each(|(&i, b)| *b = self.b[i as usize]);
    }
    /// force += g_p δ, rows += (Φ_p, E_p) δ.
    fn slot_parts(
        &mut self,
        sys: &Setup,
        delta: &[f64],
        terms: &mut Evaluator<f64>,
        force: &mut [f64],
        rows: &mut [f64],
    ) {
        let n = self.q.len();
        let zero = &self.reduced.zero;
        let at = At { t: self.t, q: &self.q, v: &zero[..n], a: &zero[..n], lam: &self.lam };
        self.all.fill(0.0);
        terms.constraint_p(&at, Level::POSITION, delta, &mut self.all);
        rows.iter_mut().zip(self.rows.held()).for_each(|(x, &k)| *x += self.all[k as usize]);
        self.rows.slots.mul(&self.rows.p, 1.0, delta, &mut rows[self.rows.rows..]);
        terms.balance_p(&at, &zero[..n], &self.lam, delta, force);
        terms.set_rest(true);
        terms.forces_p(&at, delta, force);
        terms.set_rest(false);
        if !self.nu.is_empty() {
            self.curvature.slot_mul(sys, self.t, &self.q, &self.nu, delta, force);
        }
    }
    /// out += R_p δ, (3).
    pub fn slot_mul(&mut self, sys: &Setup, delta: &[f64], terms: &mut Evaluator<f64>, out: &mut [f64]) {
        let rows = self.rows.pattern.rows();
        let mut force = std::mem::take(&mut self.wide);
        force.fill(0.0);
        self.slot_parts(sys, delta, terms, &mut force, &mut out[..rows]);
        self.reduced.factor.solve_t(&mut force);
        out[rows..].iter_mut().zip(&force[rows..]).for_each(|(x, f)| *x += f);
        self.wide = force;
    }
    /// grad += s R_pᵀ μ.
    pub fn slot_mul_t(
        &mut self,
        sys: &Setup,
        mu: &[f64],
        s: f64,
        terms: &mut Evaluator<f64>,
        grad: &mut [f64],
    ) {
        let n = self.q.len();
        let rows = self.rows.pattern.rows();
        let zero = &self.reduced.zero;
        let at = At { t: self.t, q: &self.q, v: &zero[..n], a: &zero[..n], lam: &self.lam };
        self.all.fill(0.0);
        mu.iter().zip(self.rows.held()).for_each(|(mu, &k)| self.all[k as usize] = *mu);
        terms.constraint_p_t(&at, Level::POSITION, &self.all, s, grad);
        let slots = sys.dims().slots;
        self.rows.slots.mul_t(&self.rows.p, s, &mu[self.rows.rows..rows], &mut grad[..slots]);
        // y = W⁻¹ (0, μ_r)
        self.wide.fill(0.0);
        self.wide[rows..].copy_from_slice(&mu[rows..]);
        self.reduced.factor.solve(&mut self.wide);
        terms.balance_p_t(&at, &zero[..n], &self.lam, &self.wide, s, grad);
        terms.set_rest(true);
        terms.forces_p_t(&at, &self.wide, s, grad);
        terms.set_rest(false);
        if !self.nu.is_empty() {
            self.curvature.slot_mul_t(sys, self.t, &self.q, &self.nu, &self.wide, s, grad);
        }
    }
}
