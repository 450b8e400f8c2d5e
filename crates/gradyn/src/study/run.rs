//! A study at some parameters, and its runs.

use super::source::Source;
use crate::certificate::Reason;
use crate::error::{Error, Place};
use crate::gradient::{GradientReport, Outputs};
use crate::jacobian::Jacobian;
use crate::method::Method;
use crate::prepared::{Prepared, Run};
use crate::progress::Progress;
use crate::registry::Sensitivity;
use gradyn_model::Warning;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A model at some parameters, and how it is run.
#[derive(Clone, Debug)]
pub struct StudyModel {
    pub(super) source: Arc<Source>,
    /// The model, assembled; its runs share it.
    pub prepared: Arc<Prepared>,
    /// How it is run.
    pub method: Method,
    /// How gradients are computed.
    pub sensitivity: Sensitivity,
    /// Time that a run may take [s].
    pub(super) limit: Option<f64>,
}

impl StudyModel {
    /// The model with times [s] at which steps end and outputs are asked for, in any order. They are no
    /// breaks: nothing restarts there. Products at a start or break time that parameters move are refused.
    pub fn sampled(&self, times: &[f64]) -> Result<Self, Error> {
        let prepared = self.prepared.sampled(times).map_err(|e| self.source.locate(e))?;
        Ok(Self { prepared: Arc::new(prepared), ..self.clone() })
    }
    /// Places in the file of what a reason of a certificate is about, in the order of their lines.
    pub fn places(&self, reason: &Reason) -> Vec<Place> {
        self.source.places(reason)
    }
    /// Runs from the start to the final time.
    pub fn run(&self) -> Result<StudyRun, Error> {
        self.run_with(|_| ControlFlow::Continue(()))
    }
    /// Runs from the start to the final time, or until the observer, which is called after each step, breaks
    /// the run off.
    pub fn run_with(&self, mut observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<StudyRun, Error> {
        let limit = self.limit.unwrap_or(f64::INFINITY);
        if limit.is_nan() || limit < 0.0 {
            return Err(Error::argument(format!("a time limit of {limit} s"), "give a number of seconds"));
        }
        let mut in_time = |p: &Progress| if p.seconds > limit { ControlFlow::Break(()) } else { observe(p) };
        let run = self.prepared.simulate(&self.method, &mut in_time);
        let run = run.map_err(|e| self.source.locate(e))?;
        Ok(StudyRun { model: self.clone(), run })
    }
}

/// A run of a study.
pub struct StudyRun {
    /// What was run.
    pub model: StudyModel,
    /// The run with its records.
    pub run: Run,
}

impl StudyRun {
    /// Values of the objectives.
    pub fn objectives(&self) -> &[f64] {
        &self.run.psi
    }
    /// Things to know about the run.
    pub fn warnings(&self) -> &[Warning] {
        &self.run.warnings
    }
    /// Derivatives of the objectives over the parameters.
    pub fn gradient(&self) -> Result<Jacobian, Error> {
        let report = self.gradient_report()?;
        Ok(Jacobian::from_rows(&report.rows, self.model.prepared.parameters().len()))
    }
    /// The gradient with what is known about it: warnings, time, error bars.
    pub fn gradient_report(&self) -> Result<GradientReport, Error> {
        let StudyModel { source, prepared, sensitivity, .. } = &self.model;
        prepared.gradient(&self.run, *sensitivity).map_err(|e| source.locate(e))
    }
    /// Outputs at the samples of the model.
    pub fn outputs(&self) -> Result<Outputs, Error> {
        self.model.prepared.outputs(&self.run).map_err(|e| self.model.source.locate(e))
    }
    /// wᵀ ∂y/∂ρ by one backward sweep, over the parameters: `weights` w has an entry for each of the
    /// outputs y.
    pub fn vjp(&self, weights: &[f64]) -> Result<Vec<f64>, Error> {
        self.model.prepared.vjp(&self.run, weights).map_err(|e| self.model.source.locate(e))
    }
    /// ∂y/∂ρ · d by one forward sweep, over the outputs y: `direction` d has an entry for each parameter.
    pub fn jvp(&self, direction: &[f64]) -> Result<Vec<f64>, Error> {
        self.model.prepared.jvp(&self.run, direction).map_err(|e| self.model.source.locate(e))
    }
}
