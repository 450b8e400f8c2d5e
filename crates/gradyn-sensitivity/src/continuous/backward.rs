//! Adams of variable order and step backwards, along the stored mesh of a forward run by Adams [B92, section
//! IV.B].
//!
//! ```text
//! (μ, ∇ψ)' = …                                                                   (1)  [B92, Eqs. 47, 48, 63]
//! (q, v, a, λ)(t) by Aitken–Neville interpolation of the order of the step            [B92, Eqs. 59, 60]
//! ```
//! The mesh is its own. Its pieces are those of the run: they end where the run began anew, and where the
//! independent coordinates change.

use super::adjoint::Sweep;
use gradyn_dynamics::StepError;
use gradyn_dynamics::interpolation::aitken_neville;
use gradyn_dynamics::step::Tolerance;
use gradyn_dynamics::step::adams::RESTARTS;
use gradyn_dynamics::step::adams::coefficients::MOST;
use gradyn_dynamics::step::adams::ode::Ode;

impl Sweep<'_> {
    /// (1) over the whole run.
    pub(super) fn backward(&mut self, tol: Tolerance) -> Result<(), StepError> {
        // a tenth: the error of the run is that of the gradient
        let tol = Tolerance { rtol: (0.1 * tol.rtol).max(1e-14), atol: 0.1 * tol.atol };
        let starts = self.starts();
        let mut n = self.case.run.plan.steps();
        while n > 0 {
            self.change_coordinates(n)?;
            let first = starts[n];
            let last = (n..starts.len()).take_while(|k| starts[*k] == first).last().unwrap_or(n);
            let mut m = n - 1;
            while m > first && !self.changes(m) {
                m -= 1;
            }
            self.piece(first..last + 1, m, n, tol)?;
            n = m;
        }
        Ok(())
    }
    /// For each record, the node at which its smooth piece begins: the first steps of a piece know nothing of
    /// those before.
    fn starts(&self) -> Vec<usize> {
        let plan = &self.case.run.plan;
        let mut starts = vec![0];
        let mut begin = 0;
        for n in 1..=plan.steps() {
            let known = self.case.recipe.variable_order(plan.frozen(n)).map_or(1, |o| o.1);
            if known == 1 && n > begin + RESTARTS {
                begin = n - 1;
            }
            starts.push(begin);
        }
        starts
    }
    /// From record `n` to record `m` of a piece with these nodes.
    fn piece(
        &mut self,
        nodes: std::ops::Range<usize>,
        m: usize,
        n: usize,
        tol: Tolerance,
    ) -> Result<(), StepError> {
        // the mesh of the piece
        let run = self.case.run;
        let plan = &run.plan;
        let size = self.y.len();
        let end = plan.t[n];
        let times = &plan.t[nodes.clone()];
        let first = nodes.start;
        // y = (state, slots), integrated from the end of the piece to its start
        let mut ode = Ode::new([&self.y[..], &self.slots].concat(), MOST, tol);
        let mut x = vec![0.0; run.layout.z()];
        // (q, v, a, λ)(t) from the records around (1)
        ode.integrate(end - plan.t[m], |s, y, out| {
            let t = (end - s).clamp(plan.t[m], end);
            let k = (m + plan.t[m..n].partition_point(|x| *x < t)).clamp(m + 1, n);
            let order = self.case.recipe.variable_order(plan.frozen(k)).map_or(1, |o| o.0 + 1);
            aitken_neville(times, |i| run.present(first + i), t, order, &mut x);
            self.instants[0].set(self.case.recipe.system(), &run.layout.node(t, &x), plan.frozen(k), true)?;
            // (μ, ∇ψ)' at that point
            self.yi[..size].copy_from_slice(&y[..size]);
            self.evaluate(0);
            let (state, rates) = out.split_at_mut(size);
            state.copy_from_slice(&self.k[..size]);
            self.slot_rates(rates);
            Ok(())
        })?;
        // state and slots at the start of the piece
        self.y.copy_from_slice(&ode.y[..size]);
        self.slots.copy_from_slice(&ode.y[size..]);
        Ok(())
    }
    /// out = (∇ψ)' at the instant that is set; the slots stay as they are.
    fn slot_rates(&mut self, out: &mut [f64]) {
        std::mem::swap(&mut self.slots, &mut self.rates);
        self.slots.fill(0.0);
        self.gather(0, 1.0);
        out.copy_from_slice(&self.slots);
        std::mem::swap(&mut self.slots, &mut self.rates);
    }
}
