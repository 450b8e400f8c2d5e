//! Positions after an event that gives them.
//!
//! ```text
//! P = [ Φ_I(t, q) ; u_j(t, q) - s_j(t, x⁻) ] = 0           the independent rows, and what is given       (1)
//! P_q = [ Φ_q ; u_q ]                                      square: as many as there are freedoms        (2)
//! ```
//! No position is left to a projection: the result would depend on the coordinates. How (1) is solved for is
//! in [`way`]; derivatives know its solution only.

mod way;

pub(crate) use way::Placed;

use crate::error::{EventError, StepError};
use crate::record::Layout;
use gradyn_model::{At, Evaluator, FunctionalSet, KernelScalar, Kinematics, Level, Setup};
use gradyn_num::{Factor, Pattern};

/// The numbers of the functionals u and s of row `j`.
pub(crate) fn pair(j: usize) -> [usize; 2] {
    [2 * j, 2 * j + 1]
}

/// Rows u of an event: numbers among those of all events.
fn rows(sys: &Setup, event: usize) -> std::ops::Range<usize> {
    let (first, count) = sys.events()[event].places;
    first as usize..(first + count) as usize
}

/// (1) in the places of q, on any scalar; `terms` are at the positions of x, `before` are the functionals of
/// events at the record before.
pub(super) fn residual<S: KernelScalar>(
    sys: &Setup,
    event: u32,
    at: &At<S>,
    before: &[S],
    terms: &mut Evaluator<S>,
    r: &mut [S],
) {
    let mut phi = vec![S::zero(); sys.dims().m];
    terms.constraint(at, Level::POSITION, &mut phi);
    let held = sys.independent(Kinematics::Position);
    r.iter_mut().zip(held).for_each(|(r, &k)| *r = phi[k as usize]);
    let mut after = vec![S::zero(); before.len()];
    terms.measure(FunctionalSet::Event, at, &mut after);
    for (r, j) in r[held.len()..].iter_mut().zip(rows(sys, event as usize)) {
        let [u, s] = pair(j);
        *r = after[u] - before[s];
    }
}

/// (1) linearised at a record.
pub(super) struct Place {
    layout: Layout,
    event: usize,
    /// Gradients of u at the record and of s at that before, over (q, v, a, λ | support).
    gradients: Vec<[Vec<f64>; 2]>,
    /// Rows Φ_I, then rows u_q of all columns, and their values.
    pattern: Pattern,
    matrix: Vec<f64>,
    factor: Option<Factor>,
    /// All constraint rows.
    all: Vec<f64>,
}

impl Place {
    /// Memory.
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            event: usize::MAX,
            gradients: vec![],
            pattern: Pattern::from_entries(0, 0, std::iter::empty()),
            matrix: vec![],
            factor: None,
            all: vec![0.0; layout.m],
        }
    }
    /// Takes an event: whether as many positions are given as there are freedoms, and velocities too.
    pub(super) fn set_event(&mut self, sys: &Setup, t: f64, event: u32) -> Result<(), StepError> {
        if self.event == event as usize {
            return Ok(());
        }
        let rule = &sys.events()[event as usize];
        let n = self.layout.n;
        for (kind, given) in [(Kinematics::Position, rule.places.1), (Kinematics::Velocity, rule.rows.1)] {
            let free = n - sys.independent(kind).len();
            let given = given as usize;
            if given != free {
                let (event, kind) = (rule.name.clone(), kind.name());
                return Err(EventError::PlacedInPart { t, event, kind, given, free }.into());
            }
        }
        // the pattern of (2)
        let mn = &sys.patterns().mn;
        let held = sys.independent(Kinematics::Position);
        let own = held.iter().enumerate().flat_map(|(i, &k)| mn.row(k as usize).map(move |p| (i, mn.col(p))));
        let given = (held.len()..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        self.pattern = Pattern::from_entries(n, n, own.chain(given));
        self.matrix = vec![0.0; self.pattern.nnz()];
        self.factor = Some(Factor::new(&self.pattern)?);
        let width = self.layout.z() + sys.support(FunctionalSet::Event).len();
        self.gradients = vec![[vec![0.0; width], vec![0.0; width]]; n - held.len()];
        self.event = event as usize;
        Ok(())
    }
    /// Forgets the pivots of the records before.
    pub(super) fn forget(&mut self) {
        self.factor.iter_mut().for_each(|factor| factor.restore(None));
    }
    /// Gradients of s at the record before, where `terms` are at its time with its branches.
    pub(super) fn look_back(&mut self, sys: &Setup, before: &At, terms: &mut Evaluator<f64>) {
        for (j, [_, s]) in rows(sys, self.event).zip(&mut self.gradients) {
            terms.measure_row(FunctionalSet::Event, pair(j)[1], before, s);
        }
    }
    /// (2) at a point where `terms` are.
    pub(super) fn linearise(
        &mut self,
        sys: &Setup,
        at: &At,
        terms: &mut Evaluator<f64>,
    ) -> Result<(), StepError> {
        let (n, mn) = (self.layout.n, &sys.patterns().mn);
        let held = sys.independent(Kinematics::Position);
        for (i, &k) in held.iter().enumerate() {
            let row = &mut self.matrix[self.pattern.row(i)];
            row.iter_mut().zip(mn.row(k as usize)).for_each(|(x, p)| *x = terms.phi_q()[p]);
        }
        for (i, (j, [u, _])) in rows(sys, self.event).zip(&mut self.gradients).enumerate() {
            terms.measure_row(FunctionalSet::Event, pair(j)[0], at, u);
            self.matrix[self.pattern.row(held.len() + i)].copy_from_slice(&u[..n]);
        }
        let factor = self.factor.as_mut().expect("an event was taken");
        let wrong =
            |_| EventError::NotPlaced { t: at.t, event: sys.events()[self.event].name.clone(), part: 0.0 };
        Ok(factor.refactor(&self.matrix).map_err(wrong)?)
    }
    /// b ← P_q⁻¹ b.
    pub(super) fn solve(&mut self, b: &mut [f64]) {
        self.factor.as_mut().expect("an event was taken").solve(b);
    }
    /// b ← P_q⁻ᵀ b.
    pub(super) fn solve_t(&mut self, b: &mut [f64]) {
        self.factor.as_mut().expect("an event was taken").solve_t(b);
    }
    /// Rows of Φ in (1).
    fn held<'s>(&self, sys: &'s Setup) -> &'s [u32] {
        sys.independent(Kinematics::Position)
    }
    /// r += P_past s.
    pub(super) fn past_mul(&self, sys: &Setup, s: &[f64], r: &mut [f64]) {
        let (first, z) = (self.held(sys).len(), self.layout.z());
        for (r, [_, given]) in r[first..].iter_mut().zip(&self.gradients) {
            *r -= given[..z].iter().zip(s).map(|(g, s)| g * s).sum::<f64>();
        }
    }
    /// out += P_pastᵀ μ.
    pub(super) fn past_mul_t(&self, sys: &Setup, mu: &[f64], out: &mut [f64]) {
        let (first, z) = (self.held(sys).len(), self.layout.z());
        for (mu, [_, given]) in mu[first..].iter().zip(&self.gradients) {
            out.iter_mut().zip(&given[..z]).for_each(|(out, g)| *out -= g * mu);
        }
    }
    /// r += P_p δ; `terms` are at the record.
    pub(super) fn slot_mul(
        &mut self,
        sys: &Setup,
        at: &At,
        terms: &mut Evaluator<f64>,
        delta: &[f64],
        r: &mut [f64],
    ) {
        let held = sys.independent(Kinematics::Position);
        self.all.fill(0.0);
        terms.constraint_p(at, Level::POSITION, delta, &mut self.all);
        r.iter_mut().zip(held).for_each(|(r, &k)| *r += self.all[k as usize]);
        let (z, support) = (self.layout.z(), sys.support(FunctionalSet::Event));
        for (r, [u, s]) in r[held.len()..].iter_mut().zip(&self.gradients) {
            let slots = support.iter().zip(u[z..].iter().zip(&s[z..]));
            *r += slots.map(|(&slot, (u, s))| (u - s) * delta[slot as usize]).sum::<f64>();
        }
    }
    /// grad += s P_pᵀ μ; `terms` are at the record.
    pub(super) fn slot_mul_t(
        &mut self,
        sys: &Setup,
        at: &At,
        terms: &mut Evaluator<f64>,
        mu: &[f64],
        s: f64,
        grad: &mut [f64],
    ) {
        let held = sys.independent(Kinematics::Position);
        self.all.fill(0.0);
        held.iter().zip(mu).for_each(|(&k, mu)| self.all[k as usize] = *mu);
        terms.constraint_p_t(at, Level::POSITION, &self.all, s, grad);
        let (z, support) = (self.layout.z(), sys.support(FunctionalSet::Event));
        for (mu, [u, given]) in mu[held.len()..].iter().zip(&self.gradients) {
            let slots = support.iter().zip(u[z..].iter().zip(&given[z..]));
            slots.for_each(|(&slot, (u, given))| grad[slot as usize] += s * mu * (u - given));
        }
    }
}
