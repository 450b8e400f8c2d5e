//! Terminal and initial values of the adjoint equations: (1) and (3) of [`super`].

use super::super::consistent::make_consistent;
use super::Sweep;
use crate::discrete::TimeColumns;
use crate::objective::TerminalRows;
use gradyn_dynamics::{Products, StepError};
use gradyn_model::FunctionalSet;
use gradyn_num::Wide;

impl Sweep<'_> {
    /// Terminal values (1).
    pub(super) fn end(&mut self) -> Result<(), StepError> {
        let case = self.case;
        let plan = &self.case.run.plan;
        let z = self.case.run.layout.z();
        let last = plan.steps();
        let args = case.recipe.system().dims().args;
        let w = TerminalRows::new(case, &self.p).without_clock();
        self.place_node(last, plan.frozen(last))?;
        self.b.fill(0.0);
        let rows_t = self.rows_t(last);
        // (1) for each objective
        for j in 0..case.objectives() {
            w.add_state(j, &mut self.b[j * z..(j + 1) * z]);
            self.pass(j);
            w.add_slots(case, j, &mut self.slots[j * args..(j + 1) * args]);
            if let Some(slot) = plan.declared[last] {
                let along: f64 = rows_t.iter().zip(&self.b[j * z..]).map(|(r, b)| r * b).sum();
                self.slots[j * args + slot as usize] += self.power(j, last) - along;
            }
            if self.eq.law.level != self.node.law.level {
                self.make_consistent(j, last, &rows_t);
            }
        }
        Ok(())
    }
    /// Terminal values of the index-3 adjoint.
    fn make_consistent(&mut self, j: usize, n: usize, rows_t: &[f64]) {
        let sys = self.case.recipe.system();
        let run = self.case.run;
        let lay = run.layout;
        let args = sys.dims().args;
        let x = run.present(n);
        // ẋ: rows_x ẋ = P (v, a) - rows_t
        let mut rate: Vec<f64> = rows_t.iter().map(|r| -r).collect();
        let i = &mut self.instants[0];
        for level in 0..2 {
            let o = level * lay.n;
            i.block.defect(level, 1.0, &x[o + lay.n..o + 2 * lay.n], &mut rate[o..o + lay.n]);
        }
        i.block.solve(sys, &mut rate);
        let at = (&lay.node(run.plan.t[n], x), &rate[..], run.plan.frozen(n).branches);
        make_consistent(sys, &self.p, at, j, i, &mut self.work.mu, &mut self.slots[j * args..(j + 1) * args]);
        self.y[j * 2 * lay.n..(j + 1) * 2 * lay.n].copy_from_slice(&self.work.mu);
    }
    /// g + μᵀ ŷ' at node `n`, with μ at hand.
    fn power(&mut self, j: usize, n: usize) -> f64 {
        let run = self.case.run;
        let lay = run.layout;
        let x = run.present(n);
        let mut g = vec![0.0; lay.o];
        self.instants[0].block.linear.terms.measure(
            FunctionalSet::Integrand,
            &lay.node(run.plan.t[n], x),
            &mut g,
        );
        g[j] + self.work.mu.iter().zip(&x[lay.n..]).map(|(mu, dy)| mu * dy).sum::<f64>()
    }
    /// ∂rows/∂t at node `n`.
    fn rows_t(&self, n: usize) -> Vec<f64> {
        let sys = self.case.recipe.system();
        let run = self.case.run;
        let lay = run.layout;
        let frozen = run.plan.frozen(n);
        let lift = |x: &[f64]| x.iter().map(|&x| Wide::from(x)).collect::<Vec<_>>();
        let t = Wide::along(run.plan.t[n], 1.0);
        let x = lift(&run.present(n)[..lay.z()]);
        let mut terms = sys.evaluator_with(&self.p);
        // the node, with a dual in t
        terms.set_branches(frozen.branches);
        terms.at(t, &x[..lay.n]);
        let mut r = lift(&vec![0.0; lay.z()]);
        let mut scratch = lift(&vec![0.0; lay.n + lay.m]);
        // its rows
        self.node.state.residual(
            sys,
            &self.node.law,
            &lay.node(t, &x),
            frozen.choice,
            &mut terms,
            &mut r,
            &mut scratch,
        );
        r.iter().map(|r| r.eps[0]).collect()
    }
    /// Initial values (3).
    pub(super) fn start(&mut self) -> Result<(), StepError> {
        let case = self.case;
        let plan = &self.case.run.plan;
        let sys = case.recipe.system();
        let size = self.size();
        let n2 = 2 * case.run.layout.n;
        let args = sys.dims().args;
        self.place_node(0, plan.frozen(1.min(plan.steps())))?;
        // record 0, and what its time changes
        let link = case.run.link(0);
        let record = link.args(&self.p);
        self.states.chain.linearise(&record)?;
        let mut times = TimeColumns::new(case.recipe, &self.p);
        times.set(&record);
        let mut b = vec![0.0; case.run.layout.len];
        // b, and what R_p and R_t take of it
        for j in 0..case.objectives() {
            self.form.lower(sys, &mut self.instants[0], &self.y[j * size..(j + 1) * size], &mut self.work.mu);
            b.fill(0.0);
            b[..n2].copy_from_slice(&self.work.mu);
            self.states.chain.solve_t(&mut b);
            let power = self.power(j, 0);
            let slots = &mut self.slots[j * args..(j + 1) * args];
            self.states.chain.slot_mul_t(&b, -1.0, slots);
            if let Some(slot) = plan.declared[0] {
                slots[slot as usize] -= power + b.iter().zip(&times.t).map(|(b, r)| b * r).sum::<f64>();
            }
        }
        Ok(())
    }
}
