//! What a study is compared with, and what it is asked for beside what the file says.

use super::Study;
use crate::error::Error;
use crate::file::{Fit, Measured, ModelFile, Optimize};
use gradyn_model::mechanism::Text;
use std::sync::Arc;

impl Study {
    /// The record that the file refers to, as its name and its text; nothing if there is none.
    pub fn record(&self) -> Result<Option<(String, String)>, Error> {
        let ModelFile { folder, anywhere, study, .. } = self.file();
        let fit = study.optimize.as_ref().and_then(|o| o.fit.as_ref());
        let text = |fit: &Fit| fit.text(folder, *anywhere).transpose();
        fit.and_then(text).transpose().map_err(|e| self.locate(e))
    }
    /// Gives the text of the record that the file refers to, so that nothing is read for it.
    pub fn attach(&mut self, text: &str) -> &mut Self {
        let study = &mut Arc::make_mut(&mut self.source).file.study;
        if let Some(fit) = study.optimize.as_mut().and_then(|o| o.fit.as_mut()) {
            fit.attach(text);
        }
        self
    }
    /// Adds a column to the table of runs: an expression of sensors, after those of the file.
    pub fn output(&mut self, name: &str, expression: &str) -> &mut Self {
        self.mechanism().outputs.push((name.into(), expression.into()));
        self
    }
    /// Fits a record in place of what the file optimises: sensors with the deviations that matter, rows of a
    /// time [s] and a value of each, and the parameters that vary, all of them if none is named.
    pub fn fit(
        &mut self,
        columns: &[(String, f64)],
        rows: Vec<Vec<f64>>,
        parameters: Option<&[String]>,
    ) -> &mut Self {
        let text = |name: &String| Text::from(name.as_str());
        let columns = columns.iter().map(|(name, scale)| (text(name), *scale)).collect();
        let fit = Fit { record: Measured::Rows(rows), place: None, columns };
        self.optimise((vec![], Some(fit)), parameters)
    }
    /// Minimises a weighted sum of objectives in place of what the file optimises, over the parameters that
    /// vary, all of them if none is named.
    pub fn minimise(&mut self, weights: &[(String, f64)], parameters: Option<&[String]>) -> &mut Self {
        let weights = weights.iter().map(|(name, weight)| (Text::from(name.as_str()), *weight)).collect();
        self.optimise((weights, None), parameters)
    }
    /// What is minimised or fitted, by the default method.
    fn optimise(
        &mut self,
        (minimise, fit): (Vec<(Text, f64)>, Option<Fit>),
        parameters: Option<&[String]>,
    ) -> &mut Self {
        let text = |name: &String| Text::from(name.as_str());
        let parameters = parameters.map(|names| names.iter().map(text).collect());
        let optimize = Optimize {
            minimise,
            fit,
            parameters,
            method: None,
            scale: 1.0,
            limits: vec![],
            scenarios: vec![],
            transforms: vec![],
            settings: Default::default(),
            starts: None,
            starts_place: None,
        };
        Arc::make_mut(&mut self.source).file.study.optimize = Some(optimize);
        self
    }
}
