//! A final time that a condition gives.
//!
//! H(x_F, t_F; ρ) = 0 makes t_F a function of ρ. Every method returns the gradients of ψ and H over (ρ, t_F);
//! then
//!
//! ```text
//! dt_F/dρ = -H_ρ/H_t,   dψ/dρ = ψ_ρ - τ H_ρ,   τ = ψ_t/H_t                   (1)  [B92, Eqs. 22, 30, 34, 43]
//! ```
//! H is the last objective of the model and t_F its last parameter; nobody else sees them.

use crate::error::Error;
use crate::prepare::{Prepared, Run};
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::build::UNTIL;
use gradyn_sensitivity::Gradient;

impl Prepared {
    /// Refuses a run of another model, or of other parameters.
    pub(crate) fn check_own(&self, run: &Run) -> Result<(), Error> {
        let count = self.parameters().len();
        let same = run.system.same_equations(&self.model.system)
            && run.rho.get(..count) == Some(self.rho())
            && run.method.build(&self.model).layout() == run.trajectory.layout;
        if same { Ok(()) } else { Err(of_another_model()) }
    }
    /// Names of the objectives of the user.
    pub fn objectives(&self) -> &[String] {
        &self.model.objectives[..self.model.objectives.len() - usize::from(self.model.until)]
    }
    /// What errors call the objectives, the condition included.
    pub(crate) fn functionals(&self) -> Vec<String> {
        let names = self.objectives().iter().map(|o| format!("objective `{o}`"));
        names.chain(self.model.until.then(|| UNTIL.to_owned())).collect()
    }
    /// The derivative of objectives along a direction of ρ, at the final time that follows it; `along` is
    /// that at a fixed plan, over all of (ρ, t_F).
    pub(crate) fn total_along(
        &self,
        mut direction: Vec<f64>,
        mut along: impl FnMut(&[f64]) -> Result<Vec<f64>, Error>,
    ) -> Result<Vec<f64>, Error> {
        direction.resize(self.rho.len(), 0.0);
        let mut exact = along(&direction)?;
        if self.model.until {
            let last = direction.len() - 1;
            let rate = along(&(0..=last).map(|k| f64::from(k == last)).collect::<Vec<_>>())?;
            let shift = exact[rate.len() - 1] / rate[rate.len() - 1];
            exact.iter_mut().zip(&rate).for_each(|(x, rate)| *x -= rate * shift);
        }
        Ok(exact)
    }
    /// ρ of a run: with the final time that it found.
    pub(crate) fn rho_of(&self, run: &Trajectory) -> Vec<f64> {
        let mut rho = self.rho.clone();
        if let (true, Some(rho)) = (self.model.until, rho.last_mut()) {
            *rho = run.plan.t[run.plan.steps()];
        }
        rho
    }
    /// (1) for the gradients of ψ and H.
    pub(crate) fn final_time(&self, run: &Run, rows: &Gradient) -> Result<FinalTime, Error> {
        if !self.model.until {
            return Ok(FinalTime::none());
        }
        let scales: Vec<f64> = self.parameters().iter().map(|p| p.scale).collect();
        FinalTime::new(&run.trajectory, rows, &scales)
    }
}

/// The error of a run that is asked of a model that did not make it.
pub(crate) fn of_another_model() -> Error {
    let help = "ask the model that made the run, at the parameters of the run";
    Error::argument("the run is that of another model, or of other parameters", help)
}

/// The derivative of the final time, and what it adds to a gradient (1).
pub(crate) struct FinalTime {
    /// dt_F/dρ, and τ of each objective; nothing where the final time is not a condition.
    slopes: Option<(Vec<f64>, Vec<f64>)>,
}

impl FinalTime {
    /// The final time is no condition.
    pub(crate) fn none() -> Self {
        Self { slopes: None }
    }
    /// From gradients whose last row is that of H and whose last column is that of t_F.
    pub(crate) fn new(run: &Trajectory, rows: &Gradient, scales: &[f64]) -> Result<Self, Error> {
        let h = rows.len() - 1;
        let k = scales.len();
        let rate = rows[h][k];
        let t = run.plan.t[run.plan.steps()];
        let size = scales.iter().zip(&rows[h]).fold(0.0f64, |s, (scale, x)| s.max((x * scale).abs()));
        if rate.abs() * (t - run.plan.t[0]) <= 1e-6 * size {
            return Err(StepError::Grazes { t, rate }.into());
        }
        let slopes = rows[h][..k].iter().map(|x| -x / rate).collect();
        Ok(Self { slopes: Some((slopes, rows.iter().map(|row| row[k] / rate).collect())) })
    }
    /// Total derivatives of objectives.
    pub(crate) fn reduce(&self, rows: &Gradient) -> Gradient {
        let rows = self.reduce_rows(rows);
        let Some((slopes, _)) = &self.slopes else { return rows };
        rows.into_iter().map(|row| row[..slopes.len()].to_vec()).collect()
    }
    /// Derivatives of objectives over anything else than ρ, at the final time that follows it.
    pub(crate) fn reduce_rows(&self, rows: &Gradient) -> Gradient {
        let Some((_, tau)) = &self.slopes else { return rows.clone() };
        let Some((condition, rows)) = rows.split_last() else { return vec![] };
        let total =
            |(row, tau): (&Vec<f64>, &f64)| row.iter().zip(condition).map(|(x, h)| x - tau * h).collect();
        rows.iter().zip(tau).map(total).collect()
    }
    /// Total derivatives of anything that depends on (ρ, t_F).
    pub(crate) fn along(&self, rows: &Gradient) -> Gradient {
        let Some((slopes, _)) = &self.slopes else { return rows.clone() };
        let total = |row: &Vec<f64>| slopes.iter().zip(row).map(|(s, x)| x + row[slopes.len()] * s).collect();
        rows.iter().map(total).collect()
    }
    /// Error bars of (1).
    pub(crate) fn bars(&self, rows: &Gradient, bars: &Gradient) -> Gradient {
        let (Some((slopes, tau)), Some(last)) = (&self.slopes, bars.last()) else { return bars.clone() };
        let k = slopes.len();
        let bar = |(j, row): (usize, &Vec<f64>)| {
            let one = |i: usize| {
                row[i] + tau[j].abs() * last[i] + slopes[i].abs() * (row[k] + tau[j].abs() * last[k])
            };
            (0..k).map(one).collect()
        };
        bars[..rows.len() - 1].iter().enumerate().map(bar).collect()
    }
}
