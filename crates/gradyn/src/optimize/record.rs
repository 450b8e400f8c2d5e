//! Measured values: rows of the model file, or a csv file beside it.
//!
//! ```text
//! t,x,y
//! 0,0.1,0.2
//! 0.1,0.12,0.19
//! ```
//! The first column is the time `t`, the others are found by name; those that nobody asks for are ignored.

use crate::file::{self, Fit, Measured};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use std::path::Path;

/// Times and values [time][column], in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Times of the samples [s].
    pub times: Vec<f64>,
    /// What was measured.
    pub values: Vec<Vec<f64>>,
}

impl Record {
    /// What a fit refers to; its file is relative to the folder of the model, and below it if it may not be
    /// anywhere.
    pub fn new(fit: &Fit, folder: &Path, anywhere: bool) -> Result<Self, ModelError> {
        // rows of the study or of its file
        let mut rows = match &fit.record {
            Measured::Rows(rows) => rows.clone(),
            Measured::Text(name, text) => table(name, text, fit)?,
            Measured::File(name) => table(name, &read(name, fit, folder, anywhere)?, fit)?,
        };
        // in order of time
        if let Some(k) = rows.iter().position(|row| row.iter().any(|x| !x.is_finite())) {
            let message = format!("study, optimize, fit: row {} has a value that is not finite", k + 1);
            return Err(ModelError::new(message).at(&fit.place));
        }
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Ok(Self {
            times: rows.iter().map(|row| row[0]).collect(),
            values: rows.iter().map(|row| row[1..].to_vec()).collect(),
        })
    }
}

/// The text of a record that is a file.
fn read(name: &str, fit: &Fit, folder: &Path, anywhere: bool) -> Result<String, ModelError> {
    file::plain(&folder.join(name), folder, anywhere).map_err(|e| {
        let message = format!("study, optimize, fit: {name} cannot be read: {}", e.message);
        let help = e.help.unwrap_or("the path is relative to the folder of the model file".into());
        ModelError::new(message).at(&fit.place).help(help)
    })
}

impl Fit {
    /// Name and text of the file that the fit refers to; nothing where its rows are in the model.
    pub(crate) fn text(&self, folder: &Path, anywhere: bool) -> Result<Option<(String, String)>, ModelError> {
        match &self.record {
            Measured::Rows(_) => Ok(None),
            Measured::Text(name, text) => Ok(Some((name.clone(), text.clone()))),
            Measured::File(name) => Ok(Some((name.clone(), read(name, self, folder, anywhere)?))),
        }
    }
    /// Gives the text of the file that the fit refers to.
    pub(crate) fn attach(&mut self, text: &str) {
        match &mut self.record {
            Measured::File(name) => self.record = Measured::Text(std::mem::take(name), text.into()),
            Measured::Text(_, own) => *own = text.into(),
            Measured::Rows(_) => {}
        }
    }
}

/// Rows of a time and the fitted columns.
fn table(name: &str, text: &str, fit: &Fit) -> Result<Vec<Vec<f64>>, ModelError> {
    let wrong = |message: String| ModelError::new(format!("study, optimize, fit: {name}{message}"));
    let cells =
        |line: &str| line.split(',').map(|c| c.trim().trim_matches('"').to_owned()).collect::<Vec<_>>();
    // some spreadsheets begin a file with a mark of its encoding
    let lines = text.trim_start_matches('\u{feff}').lines().map(cells).enumerate();
    let mut lines = lines.filter(|(_, cells)| cells.iter().any(|c| !c.is_empty()));
    let header = lines.next().map_or(vec![], |(_, cells)| cells);
    if header.first().is_none_or(|first| first != "t") {
        let e = wrong(": the first column is not `t`".into()).at(&fit.place);
        let help = "the first line names the columns, with commas: t,NAME,NAME…; t is the time in seconds";
        return Err(e.help(help));
    }
    // places = cells of the fitted columns
    let find = |column: &gradyn_model::mechanism::Text| {
        header[1..].iter().position(|h| *h == column.text).map(|k| k + 1).ok_or_else(|| {
            let e = wrong(format!(" has no column `{column}`")).at(&column.place);
            let near = nearest(&column.text, header[1..].iter().map(String::as_str));
            let near = near.map_or(String::new(), |name| format!("did you mean `{name}`? "));
            e.help(format!("{near}its first line names {} columns after `t`", header.len() - 1))
        })
    };
    let places = fit.columns.iter().map(|(column, _)| find(column)).collect::<Result<Vec<usize>, _>>()?;
    if let Some(k) = (1..header.len()).find(|&k| header[..k].contains(&header[k])) {
        return Err(wrong(format!(" has the name of its column {} twice", k + 1)).at(&fit.place));
    }
    // rows = times and their values
    let row = |(line, cells): (usize, Vec<String>)| {
        if cells.len() != header.len() {
            let counts = format!("{} cells for {} columns", cells.len(), header.len());
            return Err(wrong(format!(", line {}: {counts}", line + 1)).at(&fit.place));
        }
        let number = |k: usize| {
            let cell = cells.get(k).map_or("", String::as_str);
            let place = format!(", line {}, column `{}`", line + 1, header[k]);
            let wrong = |_| wrong(format!("{place}: this is not a number")).at(&fit.place);
            cell.parse::<f64>().map_err(wrong)
        };
        std::iter::once(0).chain(places.iter().copied()).map(number).collect::<Result<Vec<f64>, _>>()
    };
    lines.map(row).collect()
}
