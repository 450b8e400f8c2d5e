//! What a certificate is of: numbers of a run, and their derivatives.
//!
//! ```text
//! an objective    y = ψ                            y_ρ = ψ_ρ                                             (1)
//! a fit           y = r,   ψ = ½ rᵀr               y_ρ = r_ρ,   ψ_ρ = r_ρᵀ r                             (2)
//! ```
//! Where a model fits, ψ_ρ vanishes and differences of ψ say nothing about r_ρ. So designs that are moved are
//! compared by y. Its sizes, with c_k = s_k r_ρk for the scales s_k of the parameters, are
//!
//! ```text
//! |y| = max(|r|, |c_k|),    |ψ| = max(ψ, |ψ_ρk| s_k, |c_k| max(|r|, |c_k|/100))                          (3)
//! ```
//! |c_k| |r| is what |ψ_ρk| s_k would be if nothing cancelled. An error of ψ_ρ that is 5 % of it moves the
//! optimum by half of a standard deviation where a hundred residuals are noise, and by 5e-4 of the scale
//! where they vanish.

use crate::error::Error;
use crate::optimize::Fit;
use crate::prepared::{Prepared, Run};
use crate::registry::Sensitivity;
use gradyn_optimize::Residuals;
use gradyn_sensitivity::Gradient;

/// What the squares of a fit are called.
pub const SQUARES: &str = "½rᵀr";
/// The least |r| of (3), relative to |c_k|.
const LEAST_RESIDUALS: f64 = 0.01;

/// A run with the numbers that are claimed of it.
pub(super) struct Claim<'a> {
    pub model: &'a Prepared,
    pub run: &'a Run,
    pub sensitivity: Sensitivity,
    /// Names of the objectives, with that of a fit at the end.
    pub names: Vec<String>,
    pub numbers: Numbers,
    /// Size of each ψ, and of each y.
    pub sizes: Vec<[f64; 2]>,
    pub fit: Option<&'a Fit>,
}

/// Values and derivatives of a run.
#[derive(Clone)]
pub(super) struct Numbers {
    pub psi: Vec<f64>,
    pub rows: Gradient,
    /// What (2) is made of.
    pub residuals: Option<Residuals>,
}

impl Numbers {
    /// Of objectives, and of what is fitted.
    fn new(psi: &[f64], rows: &Gradient, residuals: Option<Residuals>) -> Self {
        let mut new = Self { psi: psi.to_vec(), rows: rows.clone(), residuals };
        if let Some(r) = &new.residuals {
            let columns = r.jacobian.len() / r.values.len().max(1);
            let mut slopes = vec![0.0; columns];
            for (r, row) in r.values.iter().zip(r.jacobian.chunks(columns.max(1))) {
                slopes.iter_mut().zip(row).for_each(|(g, y)| *g += r * y);
            }
            new.psi.push(0.5 * r.values.iter().map(|r| r * r).sum::<f64>());
            new.rows.push(slopes);
        }
        new
    }
}

impl<'a> Claim<'a> {
    /// The gradient of a run, and residuals of a fit.
    pub(super) fn new(
        model: &'a Prepared,
        run: &'a Run,
        (sensitivity, rows): (Sensitivity, &Gradient),
        fitted: Option<(&'a Fit, Residuals)>,
    ) -> Self {
        let (fit, residuals) = fitted.unzip();
        let names = model.objectives().iter().cloned().chain(fit.map(|_| SQUARES.to_owned())).collect();
        let numbers = Numbers::new(&run.psi, rows, residuals);
        let mut new = Self { model, run, sensitivity, names, numbers, sizes: vec![], fit };
        new.sizes = (0..new.names.len()).map(|j| new.size(j)).collect();
        new
    }
    /// Is objective `j` a fit?
    pub(super) fn is_fit(&self, j: usize) -> bool {
        self.fit.is_some() && j + 1 == self.names.len()
    }
    /// ψ and ∇ψ of another run of the model.
    pub(super) fn again(&self, run: &Run, sensitivity: Sensitivity) -> Result<Numbers, Error> {
        let asked = !self.model.objectives().is_empty();
        let report = asked.then(|| self.model.gradient(run, sensitivity)).transpose()?;
        let rows = report.map_or(vec![], |report| report.rows);
        let residuals = self.fit.map(|fit| fit.residuals(self.model, run)).transpose()?;
        Ok(Numbers::new(&run.psi, &rows, residuals))
    }
    /// y of a run, of this design or another one.
    pub(super) fn y(&self, model: &Prepared, run: &Run) -> Result<Vec<Vec<f64>>, Error> {
        let residuals = self.fit.map(|fit| fit.values(model, run)).transpose()?;
        Ok(run.psi.iter().map(|psi| vec![*psi]).chain(residuals).collect())
    }
    /// y_ρ d.
    pub(super) fn along(&self, d: &[f64]) -> Vec<Vec<f64>> {
        let dot = |row: &[f64]| row.iter().zip(d).map(|(x, d)| x * d).sum::<f64>();
        let objectives = self.numbers.rows[..self.run.psi.len()].iter().map(|row| vec![dot(row)]);
        let residuals = self.numbers.residuals.iter();
        objectives.chain(residuals.map(|r| r.jacobian.chunks(d.len().max(1)).map(dot).collect())).collect()
    }
    /// Sizes of ψ and of y of objective `j`, (3).
    fn size(&self, j: usize) -> [f64; 2] {
        let scales: Vec<f64> = self.model.parameters().iter().map(|p| p.scale).collect();
        let Numbers { psi, rows, residuals } = &self.numbers;
        let plain = super::size(psi[j], &rows[j], &scales);
        let (Some(r), true) = (residuals, self.is_fit(j)) else { return [plain, plain] };
        let norm = norm(&r.values);
        // the largest |c_k|
        let column = |k: usize| r.jacobian.iter().skip(k).step_by(scales.len()).map(|y| y * y).sum::<f64>();
        let most = (0..scales.len()).map(|k| scales[k] * column(k).sqrt()).fold(0.0, f64::max);
        [plain.max(most * norm.max(LEAST_RESIDUALS * most)), norm.max(most)]
    }
}

/// √(Σ x²).
pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
