//! A study and what the command line says about it.

use crate::args::{MethodArgs, ModelArgs};
use crate::diagnostic::Failure;
use crate::files;
use crate::machine;
use crate::progress::Progress;
use gradyn::equilibrium::Observed;
use gradyn::file::ModelFile;
use gradyn::{Coordinates, Error, Method, Prepared, Run, Sensitivity, Stepping, Study};
use std::ops::{ControlFlow, Range};

/// A model file, read and prepared.
pub(crate) struct Loaded {
    pub study: Study,
    pub prepared: Prepared,
}

impl Loaded {
    /// Reads, sets what the command line sets, assembles.
    pub(crate) fn new(a: &ModelArgs) -> Result<Self, Failure> {
        let (name, text) = source(a)?;
        let mut study = Study::from_text(&name, &text).map_err(|e| Failure::in_file(e, &name, &text))?;
        // parameters, final time and coordinates of the command line
        for set in &a.set {
            set_parameter(&mut study, set)?;
        }
        if let Some(t) = &a.t_end {
            study.end_at(t);
        }
        if let Some(name) = &a.coordinates {
            study.coordinates(name).map_err(of_flag)?;
        }

        // the model, and what there is to know about it
        let prepared = study.prepared().map_err(|e| failure(&study, e))?.clone();
        if !a.quiet {
            prepared.model.warnings.iter().for_each(|w| crate::output::complain(&format!("warning: {w}")));
        }
        Ok(Self { study, prepared })
    }
    /// What the file says, with what the command line sets.
    pub(crate) fn file(&self) -> &ModelFile {
        self.study.file()
    }
    /// The text of the file.
    pub(crate) fn text(&self) -> &str {
        self.study.text()
    }
    /// The model with more output columns.
    pub(crate) fn observing(self, observed: &Observed) -> Result<Self, Failure> {
        let m = observed.added(&self.file().mechanism);
        let prepared = Prepared::new_in(&m, self.prepared.model.family).map_err(|e| self.fail(e))?;
        Ok(Self { prepared, ..self })
    }
    /// The model in all other coordinates that accept it.
    pub(crate) fn others(&self) -> Vec<Prepared> {
        let others = Coordinates::ALL.into_iter().filter(|c| *c != self.prepared.model.family);
        others
            .filter_map(|c| Prepared::new_in(&self.file().mechanism, c).ok())
            .filter(|p| p.model.family != self.prepared.model.family)
            .collect()
    }
    /// The error at its place.
    pub(crate) fn fail(&self, e: impl Into<Error>) -> Failure {
        failure(&self.study, self.study.locate(e))
    }
    /// Start and end of the run.
    pub(crate) fn times(&self) -> Result<(f64, f64), Failure> {
        self.study.times().map_err(|e| failure(&self.study, e))
    }
    /// The sensitivity method: of the command line, of the file, or the default. Says why, if the program
    /// chooses it.
    pub(crate) fn sensitivity(&mut self, flag: Option<&str>, quiet: bool) -> Result<Sensitivity, Failure> {
        if let Some(name) = flag {
            self.study.sensitivity(name).map_err(of_flag)?;
        }
        let (choice, why) = self.study.chosen_sensitivity().map_err(|e| failure(&self.study, e))?;
        if let (Some(why), false) = (why, quiet) {
            crate::output::complain(&format!("auto: {why}"));
        }
        Ok(choice)
    }
    /// The method: of the file, changed by the command line.
    pub(crate) fn method(&mut self, a: &MethodArgs) -> Result<Method, Failure> {
        self.choose(a).map_err(of_flag)?;

        // steps: fixed, or from tolerances, of which one stands for both
        if let Some(h) = &a.step {
            self.study.stepping(Stepping::Fixed(seconds("--step", h)?));
        } else if a.rtol.is_some() || a.atol.is_some() {
            let either = a.rtol.or(a.atol).unwrap_or(1e-8);
            let rtol = a.rtol.unwrap_or(either);
            let atol = a.atol.unwrap_or(either);
            self.study.stepping(Stepping::Adaptive { rtol, atol });
        }

        // options
        for option in &a.option {
            let (name, value) = pair("--option", option)?;
            self.study.option(name, value).map_err(of_flag)?;
        }
        self.limit_memory(a)?;
        self.study.chosen_method().map_err(|e| failure(&self.study, e))
    }
    /// The memory of a run: a budget, or what is free now.
    fn limit_memory(&mut self, a: &MethodArgs) -> Result<(), Failure> {
        if let Some(text) = &a.memory {
            self.study.memory_limit(machine::bytes("--memory", text)?);
        } else if let Some(bytes) = machine::free_memory() {
            self.study.memory_free(bytes);
        }
        Ok(())
    }
    /// Formulation and integrator of the command line.
    fn choose(&mut self, a: &MethodArgs) -> Result<(), Error> {
        if let Some(f) = &a.formulation {
            self.study.formulation(f)?;
        }
        if let Some(i) = &a.integrator {
            self.study.integrator(i)?;
        }
        Ok(())
    }
    /// A forward run, with a progress bar if it takes long.
    pub(crate) fn run(&self, m: &Method, quiet: bool) -> Result<Run, Failure> {
        let (start, end) = self.times()?;
        let mut progress = Progress::new(start, end, quiet);
        let run = self.prepared.simulate(m, &mut |p| {
            progress.at(p.t, p.steps);
            ControlFlow::Continue(())
        });
        progress.finish();
        let run = run.map_err(|e| self.fail(e))?;
        if !quiet {
            run.warnings.iter().for_each(|w| crate::output::complain(&format!("warning: {w}")));
        }
        Ok(run)
    }
}

/// An error of a study with the text of its file.
fn failure(study: &Study, e: Error) -> Failure {
    Failure::in_file(e, study.name(), study.text())
}

/// An error of a name that the command line gives.
fn of_flag(e: Error) -> Failure {
    Failure::in_file(e, "", "")
}

/// Name and text of the model file.
fn source(a: &ModelArgs) -> Result<(String, String), Failure> {
    let name = a.model.display().to_string();
    Ok((name, files::model(&a.model)?))
}

/// The model with its instances written out.
pub(crate) fn expanded(a: &ModelArgs) -> Result<String, Failure> {
    let (name, text) = source(a)?;
    gradyn::file::expanded(&a.model, &text).map_err(|e| Failure::in_file(e, &name, &text))
}

/// The two sides of NAME=VALUE, which stands after a flag.
pub(crate) fn pair<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    let parts = text.split_once('=').map(|(n, v)| (n.trim(), v.trim()));
    parts
        .ok_or_else(|| Failure::command(format!("{flag} {text}: no `=`"), format!("write {flag} NAME=VALUE")))
}

/// A positive time such as `0.001` or `1 ms`.
pub(crate) fn seconds(flag: &str, text: &str) -> Result<f64, Failure> {
    match time(flag, text)? {
        h if h > 0.0 && h.is_finite() => Ok(h),
        h => Err(Failure::command(
            format!("{flag}: a step of {h} s makes no sense"),
            "give a positive one, such as 0.001 or \"1 ms\"",
        )),
    }
}

/// A time of any sign.
pub(crate) fn time(flag: &str, text: &str) -> Result<f64, Failure> {
    constant(flag, "a time", text, 0..text.len())
}

/// The constant at some bytes of the text after a flag.
pub(crate) fn constant(flag: &str, what: &str, text: &str, bytes: Range<usize>) -> Result<f64, Failure> {
    let value = &text[bytes.clone()];
    gradyn::constant(what, value).map_err(|e| in_flag(e, flag, text, bytes.start))
}

/// An error in a value that stands in the text after a flag, from byte `start` on.
fn in_flag(mut e: Error, flag: &str, text: &str, start: usize) -> Failure {
    if let Some(place) = &mut e.place {
        place.bytes = start + place.bytes.start..start + place.bytes.end;
    }
    Failure::in_file(e, flag, text)
}

/// Sets a parameter, or a constant.
fn set_parameter(study: &mut Study, set: &str) -> Result<(), Failure> {
    let (name, value) = pair("--set", set)?;
    match study.set(name, value) {
        Ok(_) => Ok(()),
        Err(e) if e.place.is_some() => Err(in_flag(e, "--set", set, set.rfind(value).unwrap_or(0))),
        Err(e) => Err(Failure::command(format!("--set {set}: {e}"), e.help.unwrap_or_default())),
    }
}
