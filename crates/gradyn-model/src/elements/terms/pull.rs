//! Tangents of elements, and one backward sweep over all terms at a point.

use super::*;

impl<S: Scalar> ElementTerms<S> {
    /// `pull`, and f -= Q where it is wanted.
    pub(crate) fn pull_with_forces(
        &mut self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        [q, v, grad]: [&mut [S]; 3],
        mut f: Option<&mut [S]>,
    ) {
        // rows: (q̄, v̄, p̄) of c₀Φ + c₁Φ̇ + c₂Φ̈
        self.by_level_t(c, rows, |terms, c, rows| terms.rows_t(at, c, rows, s, q, v));
        self.constraint_p_t(at, c, rows, s, grad);
        // balance: q̄ += s ((Φ_qᵀ λ)_q)ᵀ μ and its slots
        self.elements.rows.balance_t(&self.args.values, at.lam, mu, s, q);
        for (row, lam) in self.elements.formulas.iter().zip(&at.lam[self.elements.rows.rows..]) {
            row.balance_t(at, *lam * s, mu, &self.args, &mut self.formula, q);
        }
        self.balance_p_t(at, at.a, at.lam, mu, s, grad);
        // weights
        for &(i, slot) in &self.elements.weights {
            f.iter_mut().for_each(|f| f[i as usize] -= self.args.values[slot as usize]);
            grad[slot as usize] -= mu[i as usize] * s;
        }
        self.pull_elements(at, mu, s, [q, v, grad], f);
    }
    /// Forces and loads, each evaluated once for f and all cotangents.
    fn pull_elements(
        &mut self,
        at: &At<S>,
        mu: &[S],
        s: f64,
        [q, v, grad]: [&mut [S]; 3],
        mut f: Option<&mut [S]>,
    ) {
        // (q̄, v̄) of all that acts, p̄ where slots are active
        self.with_bar(at.t, grad, |terms, bar| {
            let fixed = &terms.rows.active().fixed;
            let (forces, loads) = fixed.split_at(terms.elements.forces.len());
            terms.visits += fixed.len();
            let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &terms.args };
            for (i, force) in terms.elements.acting_forces(terms.rest) {
                force.pull(
                    &here,
                    &mut terms.law,
                    mu,
                    s,
                    [q, v],
                    f.as_deref_mut(),
                    Some(&mut *bar).filter(|_| !forces[i]),
                );
            }
            for (i, load) in terms.elements.acting_loads(terms.rest) {
                load.pull(
                    &here,
                    &mut terms.load,
                    mu,
                    s,
                    [q, v],
                    f.as_deref_mut(),
                    Some(&mut *bar).filter(|_| !loads[i]),
                );
            }
        });
    }
    /// f(element, p, (K | C)) for the tangents of every element that acts.
    pub(crate) fn each_tangent(&mut self, at: &At<S>, mut f: impl FnMut(Acting, &[S], &Tangents<S>)) {
        self.visits += self.elements.forces.len() + self.elements.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &self.args };
        for (i, force) in self.elements.acting_forces(self.rest) {
            force.tangents(&here, &mut self.law, &mut self.tangents);
            f(Acting::Force(i, force), &self.args.values, &self.tangents);
        }
        for (i, load) in self.elements.acting_loads(self.rest) {
            load.tangents(&here, &mut self.load, &mut self.tangents);
            f(Acting::Load(i, load), &self.args.values, &self.tangents);
        }
    }
}
