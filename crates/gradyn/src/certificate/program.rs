//! One direction of a gradient through the program, and how fast perturbations grow on the way.
//!
//! ```text
//! (∇ψ) d = dψ along d, by a complex step through the steps of the run                                   (1)
//! |s|² = Σ (s_q/|q|)² + Σ (s_v/|v|)²,   ln |s| ≈ c + g t        over the last three quarters of the run (2)
//! ```
//! Of a fit (1) is r_ρ d, by the outputs of the records. |q| and |v| are the largest of the run. The horizon
//! is the time in which e^{g t} grows to 10⁴.

use super::claim::{Claim, SQUARES};
use super::direction::Direction;
use super::products::Samples;
use super::squares::Slopes;
use crate::error::Error;
use crate::prepared::{Prepared, Run};
use crate::registry::Sensitivity;
use gradyn_num::largest;
use gradyn_sensitivity::{Case, Confirm, Gradient, program};

/// Growth of a perturbation at the horizon.
const HORIZON: f64 = 1e4;

/// One direction of a gradient, compared with a complex step through the program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramCheck {
    /// Relative distance of each objective.
    pub distances: Vec<f64>,
    /// Objectives whose gradient is zero to rounding: there is nothing to compare.
    pub zero: Vec<String>,
    /// How fast perturbations of the motion grow.
    pub growth: Growth,
}

/// How fast perturbations of the motion grow, (2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growth {
    /// Rate g [1/s]; 0 where nothing grows.
    pub rate: f64,
    /// Duration of the run [s].
    pub duration: f64,
}

impl ProgramCheck {
    /// Adds the distance of an objective; `None` if its gradient is zero to rounding.
    fn add(&mut self, objective: &str, distance: Option<f64>) {
        if distance.is_none() {
            self.zero.push(objective.to_owned());
        }
        self.distances.push(distance.unwrap_or(0.0));
    }
    /// The largest distance of all objectives.
    pub fn distance(&self) -> f64 {
        largest(self.distances.iter().copied())
    }
}

impl Growth {
    /// Time in which perturbations grow to 10⁴ [s]; infinite where they do not grow.
    pub fn horizon(&self) -> f64 {
        if self.rate > 0.0 { HORIZON.ln() / self.rate } else { f64::INFINITY }
    }
    /// What perturbations of a design have grown by at the end.
    pub(super) fn factor(&self) -> f64 {
        (self.rate * self.duration).exp()
    }
    /// Do perturbations grow exponentially beyond the horizon within the run?
    pub fn is_beyond(&self) -> bool {
        self.duration > self.horizon()
    }
}

impl Prepared {
    /// One direction of a gradient of a run against a complex step through the program, (1), and growth (2).
    pub fn check_program(&self, run: &Run, rows: &Gradient) -> Result<ProgramCheck, Error> {
        self.check_report(run, rows)?;
        let claim = Claim::new(self, run, (Sensitivity::DiscreteAdjoint, rows), None);
        Ok(claim.through_program(&Direction::new(self), Confirm::All)?.0)
    }
}

impl Claim<'_> {
    /// One direction through the program, with s of some records for the check of products.
    pub(super) fn through_program(
        &self,
        direction: &Direction,
        confirm: Confirm,
    ) -> Result<(ProgramCheck, Samples), Error> {
        let Self { model, run, .. } = *self;
        let recipe = run.method.build(&model.model);
        let case = model.case(&recipe, run);
        let mut norms = Norms::new(&case);
        let mut samples = Samples::new(&case);
        let mut slopes = self.fit.map(|fit| Slopes::new(model, run, fit, &direction.d)).transpose()?;
        // dψ along the direction; a second sweep is that of the final time
        let mut sweeps = 0;
        let along = |d: &[f64]| -> Result<Vec<f64>, Error> {
            sweeps += 1;
            let first = sweeps == 1;
            let observe = |n: usize, s: &[f64]| {
                if first {
                    norms.set(n, s);
                    samples.take(n, s);
                    slopes.iter_mut().for_each(|slopes| slopes.take(&case, n, s));
                }
            };
            let mut all = program::directional(&case, d, confirm, observe)?;
            model.slopes(run).into_iter().for_each(|(k, slope)| all[k] *= slope);
            Ok(all)
        };
        let exact = model.total_along(direction.d.clone(), along)?;
        // (1) of each objective
        let growth = norms.growth(&run.trajectory.plan.t);
        let mut check = ProgramCheck { distances: vec![], zero: vec![], growth };
        for (j, (row, exact)) in self.numbers.rows.iter().zip(&exact).enumerate().take(run.psi.len()) {
            let parts: Vec<f64> = row.iter().zip(&direction.d).map(|(g, d)| g * d).collect();
            check.add(&self.names[j], compared(&parts, *exact, run.psi[j]));
        }
        if let Some((slopes, residuals)) = slopes.as_ref().zip(self.numbers.residuals.as_ref()) {
            check.add(SQUARES, slopes.distance(residuals));
        }
        Ok((check, samples))
    }
}

/// |s| of every record.
struct Norms {
    n: usize,
    /// Largest |q| and |v| of the run.
    sizes: [f64; 2],
    values: Vec<f64>,
}

impl Norms {
    fn new(case: &Case) -> Self {
        let lay = case.run.layout;
        let records = 0..=case.run.plan.steps();
        let size = |range: std::ops::Range<usize>| {
            let all = records.clone().map(|n| largest(case.run.record(n)[range.clone()].iter().copied()));
            let size = largest(all);
            if size > 0.0 { size } else { 1.0 }
        };
        Self {
            n: lay.n,
            sizes: [size(0..lay.n), size(lay.n..2 * lay.n)],
            values: vec![0.0; case.run.plan.steps() + 1],
        }
    }
    /// |s| of record `k`.
    fn set(&mut self, k: usize, s: &[f64]) {
        let square = |part: &[f64], size: f64| part.iter().map(|x| (x / size).powi(2)).sum::<f64>();
        let [q, v] = self.sizes;
        self.values[k] = (square(&s[..self.n], q) + square(&s[self.n..2 * self.n], v)).sqrt();
    }
    /// (2): the line through (t, ln |s|), each record with the time around it.
    fn growth(&self, t: &[f64]) -> Growth {
        let last = t.len() - 1;
        let duration = t[last] - t[0];
        let late = |k: &usize| t[*k] >= t[0] + 0.25 * duration && self.values[*k] > 0.0;
        let weight = |k: usize| t[(k + 1).min(last)] - t[k.saturating_sub(1)];
        // moments of time and ln |s|
        let mut sums = [0.0; 5];
        for k in (0..=last).filter(late) {
            let (w, x, y) = (weight(k), t[k] - t[0], self.values[k].ln());
            let moments = [1.0, x, y, x * x, x * y];
            sums.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += w * moment);
        }
        let [one, x, y, xx, xy] = sums;
        let spread = one * xx - x * x;
        let rate = if spread > 0.0 { (one * xy - x * y) / spread } else { 0.0 };
        Growth { rate: rate.max(0.0), duration }
    }
}

/// Relative distance of the sum of `parts` from `exact`; `None` if both are nothing but the rounding of ψ.
fn compared(parts: &[f64], exact: f64, psi: f64) -> Option<f64> {
    let size = parts.iter().fold(exact.abs(), |s, x| s.max(x.abs()));
    if size == 0.0 {
        return None;
    }
    let distance = (parts.iter().sum::<f64>() - exact).abs() / size;
    // of an objective that is zero itself the rounding is that of numbers of size 1; what agrees is not
    // rounding
    let scale = if psi.abs() > f64::EPSILON { psi.abs() } else { 1.0 };
    (distance < 1e-9 || size > 1e3 * f64::EPSILON * scale).then_some(distance)
}
