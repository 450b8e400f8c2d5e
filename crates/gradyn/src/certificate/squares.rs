//! Derivatives of the residuals of a fit along one direction, without the products that its Jacobian comes
//! from.
//!
//! ```text
//! r' = y_x s + y_ρ d       over the scales of the columns, s = dx/dρ d by the program                    (1)
//! w·(r_ρ d) = (r_ρᵀ w)·d   by one sweep backward, w = r_ρ d/|r_ρ d|                                      (2)
//! ```
//! (2) is |r_ρ d| on both sides: nothing cancels, however well the model fits.

use super::claim::{SQUARES, norm};
use super::products::{Between, ProductCheck};
use crate::error::Error;
use crate::optimize::Fit;
use crate::prepared::{Prepared, Run};
use crate::report::OutputDerivatives;
use gradyn_num::largest;
use gradyn_optimize::Residuals;
use gradyn_sensitivity::Case;

/// r' of a run along a direction, (1).
pub(super) struct Slopes {
    /// Records of the residuals, increasing.
    records: Vec<usize>,
    /// Scales of the columns.
    scales: Vec<f64>,
    d: Vec<f64>,
    outputs: OutputDerivatives,
    values: Vec<f64>,
    /// The last record, where a condition gives the final time, which moves it.
    moving: Option<usize>,
}

impl Slopes {
    /// Nothing is known yet.
    pub(super) fn new(model: &Prepared, run: &Run, fit: &Fit, d: &[f64]) -> Result<Self, Error> {
        let (records, scales) = fit.samples(run)?;
        let recipe = run.method.build(&model.model);
        let mut rho = d.to_vec();
        rho.resize(run.rho.len(), 0.0);
        let outputs = OutputDerivatives::along(model.case(&recipe, run).slots_along(&rho));
        let moving = model.model.until.then(|| run.trajectory.plan.steps());
        Ok(Self { records, scales, d: d.to_vec(), outputs, values: vec![], moving })
    }
    /// s of record `n`; all records come in their order, from record 0 on once more.
    pub(super) fn take(&mut self, case: &Case, n: usize, s: &[f64]) {
        if n == 0 {
            self.values.clear();
        }
        // how often it was measured
        let first = self.records.partition_point(|record| *record < n);
        let count = self.records[first..].iter().take_while(|record| **record == n).count();
        if count > 0 {
            let rows = self.outputs.rows(case, n, s);
            let values: Vec<f64> = rows.iter().zip(&self.scales).map(|(row, scale)| row[0] / scale).collect();
            (0..count).for_each(|_| self.values.extend_from_slice(&values));
        }
    }
    /// Largest difference from r_ρ d, relative to the largest |r_ρk d_k|; `None` where all are zero.
    pub(super) fn distance(&self, residuals: &Residuals) -> Option<f64> {
        let columns = self.scales.len();
        let [mut size, mut most] = [0.0f64; 2];
        let rows = residuals.jacobian.chunks(self.d.len().max(1)).zip(&self.values);
        for (k, (row, exact)) in rows.enumerate() {
            if self.moving == Some(self.records[k / columns]) {
                continue;
            }
            let parts = || row.iter().zip(&self.d).map(|(y, d)| y * d);
            size = size.max(largest(parts().chain([*exact])));
            most = largest([most, parts().sum::<f64>() - exact]);
        }
        (size > 0.0).then(|| most / size)
    }
}

/// (2), by the Jacobian of a fit.
pub(super) fn check_transposes(
    model: &Prepared,
    run: &Run,
    (fit, residuals): (&Fit, &Residuals),
    d: &[f64],
) -> Result<ProductCheck, Error> {
    let (records, scales) = fit.samples(run)?;
    // r_ρ d, and weights of the outputs that stand for w
    let dot = |row: &[f64]| row.iter().zip(d).map(|(x, d)| x * d).sum::<f64>();
    let ahead: Vec<f64> = residuals.jacobian.chunks(d.len().max(1)).map(dot).collect();
    let size = norm(&ahead);
    let over = |(k, y): (usize, &f64)| if size > 0.0 { y / size / scales[k % scales.len()] } else { 0.0 };
    let weights: Vec<f64> = ahead.iter().enumerate().map(over).collect();
    // |r_ρ d| by both
    let back = dot(&model.output_products(run, &records, &weights)?);
    Ok(ProductCheck {
        records: records.len(),
        distance: if size > 0.0 { (back - size).abs() / size } else { 0.0 },
        time: run.trajectory.plan.t[records.last().copied().unwrap_or(0)],
        objective: SQUARES.to_owned(),
        between: Between::Transposes,
    })
}
