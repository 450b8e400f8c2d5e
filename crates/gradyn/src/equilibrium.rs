//! A start in static equilibrium, and the equilibrium as an analysis of its own.
//!
//! ```text
//! R(q; p) = 0:   R_q δq = -R_p δp,   λ = λ(q; p)                                                    (1)
//! y(q, λ; p):    δy = y_q δq + y_λ δλ + y_p δp,   δp = e'(ρ) δρ                                     (2)
//! ```
//! by duals: the right-hand sides are derivative parts of R and y. Outputs are read at rest, v = a = 0, and
//! reactions are those of the statics.

mod observed;

pub use observed::Observed;

use crate::diagnose::{check_static_outputs, minimum_norm};
use crate::dims;
use crate::error::Error;
use crate::method::Method;
use crate::prepared::Prepared;
use gradyn_dynamics::equilibrium::{Balance, Equilibrium, Reduced};
use gradyn_model::{At, FunctionalSet, Kinematics, ModelError};
use gradyn_num::Wide;
use gradyn_sensitivity::Design;

/// An equilibrium and what is read there.
pub struct Statics {
    /// Positions, multipliers, efforts, and how they were found.
    pub equilibrium: Equilibrium,
    /// (condition, effort of its support, is it held?).
    pub efforts: Vec<(String, f64, bool)>,
    /// (column, value) of the outputs.
    pub outputs: Vec<(String, f64)>,
    /// One row per output, one column per parameter, if asked for.
    pub gradient: Option<Vec<Vec<f64>>>,
}

impl Prepared {
    /// The static equilibrium that the model starts in.
    pub fn equilibrium(&self, gradient: bool) -> Result<Statics, Error> {
        let Some(e) = &self.assembled.equilibrium else {
            let error = ModelError::new("the model does not start in equilibrium");
            return Err(error
                .help(
                    "write equilibrium = {} in [initial] instead of `position`, with conditions for what \
                    the forces leave free",
                )
                .into());
        };
        let sys = &self.model.system;
        let p = self.model.slots(&self.rho);
        let y = static_outputs(self, e, &p, gradient)?;
        let held = |k: usize| sys.statics().is_some_and(|s| s.held[k]);
        let efforts = e
            .efforts
            .iter()
            .enumerate()
            .map(|(k, x)| (sys.condition_name(Kinematics::Position, k), *x, held(k)));
        Ok(Statics {
            efforts: efforts.collect(),
            outputs: self.model.columns.iter().cloned().zip(y).collect(),
            gradient: match self.balance(&p)? {
                Some(mut balance) if gradient => Some(self.output_gradient(&mut balance)?),
                _ => None,
            },
            equilibrium: e.clone(),
        })
    }
    /// (2), 8 parameters at a time.
    fn output_gradient(&self, balance: &mut Balance) -> Result<Vec<Vec<f64>>, Error> {
        let count = self.parameters().len();
        let columns = self.model.columns.len();
        let mut gradient = vec![vec![0.0; count]; columns];
        // eight columns at a time
        for first in (0..count).step_by(8) {
            // ρ with unit directions of these columns
            let seed = |i: usize, x: f64| {
                if (first..count.min(first + 8)).contains(&i) {
                    Wide::var(x, i - first)
                } else {
                    Wide::from(x)
                }
            };
            let rho: Vec<Wide> = self.rho.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
            // rows = their derivative parts
            let y = self.outputs_along(&Design::Model(&self.model).slots(&rho), balance)?;
            for (row, y) in gradient.iter_mut().zip(&y) {
                row[first..].iter_mut().zip(y.eps).for_each(|(g, e)| *g = e);
            }
        }
        Ok(gradient)
    }
    /// Outputs with the derivative parts of the slots, (1).
    fn outputs_along(&self, p: &[Wide], balance: &mut Balance) -> Result<Vec<Wide>, Error> {
        let sys = &self.model.system;
        let n = self.assembled.q.len();
        let m = dims(self).m;
        let t = p[self.model.times.start as usize];
        let zero = vec![Wide::from(0.0); n.max(m)];
        let mut terms = sys.evaluator(p);
        let mut r = zero[..n].to_vec();
        let mut lam = zero[..m].to_vec();
        let mut b = vec![0.0; n];
        terms.set_branches(&self.model.angles);
        let mut q: Vec<Wide> = self.assembled.q.iter().map(|&q| Wide::from(q)).collect();
        let Some(mut reduced) = Reduced::of(sys)? else { return Ok(vec![]) };
        // R_q δq = -R_p δp, then λ there
        for pass in 0..2 {
            terms.at(t, &q);
            reduced.residual(sys, t, &q, &mut terms, &mut r);
            for k in (0..8).filter(|_| pass == 0) {
                b.iter_mut().zip(&r).for_each(|(b, r)| *b = r.eps[k]);
                balance.solve(&mut b);
                q.iter_mut().zip(&b).for_each(|(q, b)| q.eps[k] -= b);
            }
        }
        reduced.multipliers(&mut lam);
        let mut y = vec![Wide::from(0.0); sys.functionals(FunctionalSet::Output)];
        terms.measure(
            FunctionalSet::Output,
            &At { t, q: &q, v: &zero[..n], a: &zero[..n], lam: &lam },
            &mut y,
        );
        Ok(y)
    }
    /// The equations at the equilibrium, factored.
    fn balance(&self, p: &[f64]) -> Result<Option<Balance>, Error> {
        let sys = &self.model.system;
        let q = &self.assembled.q;
        let t = p[self.model.times.start as usize];
        let Some(mut balance) = Balance::of(sys, p)? else { return Ok(None) };
        let mut terms = sys.evaluator(p);
        let mut r = vec![0.0; q.len()];
        terms.set_branches(&self.model.angles);
        terms.at(t, q);
        balance.linearise(sys, t, q, &self.model.angles, &mut terms, &mut r)?;
        Ok(Some(balance))
    }
}

/// Outputs at an equilibrium for the slots p; those whose derivatives are asked for must be determined.
fn static_outputs(model: &Prepared, e: &Equilibrium, p: &[f64], gradient: bool) -> Result<Vec<f64>, Error> {
    // all rows: loads are shared with those that are left out, as in the table of a run
    let all = model.model.whole();
    let t = p[model.model.times.start as usize];
    let mut terms = all.evaluator(p);
    terms.set_branches(&model.model.angles);
    terms.at(t, &e.q);
    let mut lam = e.lam.clone();
    minimum_norm(model, &Method::default(), None, &terms, &mut lam);
    // at rest
    let zero = vec![0.0; e.q.len()];
    let at = At { t, q: &e.q, v: &zero, a: &zero, lam: &lam };
    if gradient {
        check_static_outputs(model, &at, &mut terms)?;
    }
    let mut y = vec![0.0; all.functionals(FunctionalSet::Output)];
    terms.measure(FunctionalSet::Output, &at, &mut y);
    Ok(y)
}
