//! Tangents of elements, and one backward sweep over all terms at a point.

use super::*;

impl Elements {
    /// `pull`, and f -= Q where it is wanted.
    pub(crate) fn pull_with_forces<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        [mu, rows]: [&[S]; 2],
        s: f64,
        d: &mut Data<S>,
        [q, v, grad]: [&mut [S]; 3],
        mut f: Option<&mut [S]>,
    ) {
        // rows: (q̄, v̄, p̄) of c₀Φ + c₁Φ̇ + c₂Φ̈
        self.by_level_t(c, d, rows, |c, d, rows| self.rows_t(at, c, rows, s, d, q, v));
        self.constraint_p_t(at, c, rows, s, d, grad);
        // balance: q̄ += s ((Φ_qᵀ λ)_q)ᵀ μ and its slots
        self.rows.balance_t(&d.args.values, at.lam, mu, s, q);
        for (row, lam) in self.formulas.iter().zip(&at.lam[self.rows.rows..]) {
            row.balance_t(at, *lam * s, mu, &d.args, &mut d.formula, q);
        }
        self.balance_p_t(at, at.a, at.lam, mu, s, d, grad);
        // weights
        for &(i, slot) in &self.weights {
            f.iter_mut().for_each(|f| f[i as usize] -= d.args.values[slot as usize]);
            grad[slot as usize] -= mu[i as usize] * s;
        }
        self.pull_elements(at, mu, s, d, [q, v, grad], f);
    }
    /// Forces and loads, each evaluated once for f and all cotangents.
    fn pull_elements<S: Scalar>(
        &self,
        at: &At<S>,
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        [q, v, grad]: [&mut [S]; 3],
        mut f: Option<&mut [S]>,
    ) {
        // (q̄, v̄) of all that acts, p̄ where slots are active
        self.with_bar(at.t, d, grad, |d, bar| {
            let fixed = &d.rows.active().fixed;
            let (forces, loads) = fixed.split_at(self.forces.len());
            d.visits += fixed.len();
            let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &d.args };
            for (i, force) in self.acting_forces(d.rest) {
                force.pull(
                    &here,
                    &mut d.law,
                    mu,
                    s,
                    [q, v],
                    f.as_deref_mut(),
                    Some(&mut *bar).filter(|_| !forces[i]),
                );
            }
            for (i, load) in self.acting_loads(d.rest) {
                load.pull(
                    &here,
                    &mut d.load,
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
    pub(crate) fn each_tangent<S: Scalar>(
        &self,
        at: &At<S>,
        d: &mut Data<S>,
        mut f: impl FnMut(Acting, &[S], &Tangents<S>),
    ) {
        d.visits += self.forces.len() + self.loads.len();
        let here = ForceAt { t: at.t, q: at.q, v: at.v, args: &d.args };
        for (i, force) in self.acting_forces(d.rest) {
            force.tangents(&here, &mut d.law, &mut d.tangents);
            f(Acting::Force(i, force), &d.args.values, &d.tangents);
        }
        for (i, load) in self.acting_loads(d.rest) {
            load.tangents(&here, &mut d.load, &mut d.tangents);
            f(Acting::Load(i, load), &d.args.values, &d.tangents);
        }
    }
}
