//! A model file and what the command line says about it: parameters, times, method.

use crate::args::{MethodArgs, ModelArgs};
use crate::diagnostic::Failure;
use crate::progress::Progress;
use gradyn::equilibrium::Observed;
use gradyn::file::{self, ModelFile, Study};
use gradyn::mechanism::{Number, Source, Text};
use gradyn::registry::{Formulation, Integrator, Sensitivity};
use gradyn::{Coordinates, Error, Method, ModelError, Prepared, Run, Stepping};
use std::ops::Range;

type Done = Result<(), Failure>;

/// A model file, read and prepared.
pub struct Loaded {
    pub file: ModelFile,
    pub prepared: Prepared,
    name: String,
    text: String,
}

/// The name that leaves the choice of the sensitivity to the program, and what it is.
pub const AUTO: (&str, &str) =
    ("auto", "direct or adjoint, whichever is estimated to be cheaper; says which and why");

/// The coordinates: of the command line, else of the file, else natural.
fn coordinates(file: &ModelFile, given: Option<&str>) -> Result<Coordinates, Failure> {
    let Some(name) = given.or(file.study.coordinates.as_ref().map(|t| t.text.as_str())) else {
        return Ok(Coordinates::Natural);
    };
    Coordinates::from_name(name).ok_or_else(|| {
        let valid = Coordinates::ALL.map(Coordinates::name).join(", ");
        Failure::command(format!("there are no coordinates `{name}`"), format!("valid: {valid}"))
    })
}

impl Loaded {
    /// Reads, sets what the command line sets, assembles.
    pub fn new(a: &ModelArgs) -> Result<Self, Failure> {
        let (name, text) = source(a)?;
        let mut file = file::read(&a.model, &text).map_err(|e| Failure::in_file(e, &name, &text))?;
        for set in &a.set {
            set_parameter(&mut file, set)?;
        }
        if let Some(t) = &a.t_end {
            file.mechanism.t_end = t.as_str().into();
            file.mechanism.until = None;
        }
        let family = coordinates(&file, a.coordinates.as_deref())?;
        let prepared = Prepared::new_in(&file.mechanism, family)
            .map_err(|e| Failure::in_file(located(&file, e), &name, &text))?;
        if !a.quiet {
            prepared.model.warnings.iter().for_each(|w| crate::output::complain(&format!("warning: {w}")));
        }
        Ok(Self { file, prepared, name, text })
    }
    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The same with more output columns.
    pub fn observing(self, observed: &Observed) -> Result<Self, Failure> {
        let m = observed.added(&self.file.mechanism);
        let prepared = Prepared::new_in(&m, self.prepared.model.family).map_err(|e| self.fail(e))?;
        Ok(Self { prepared, ..self })
    }
    /// The same model in all other coordinates that accept it.
    pub fn others(&self) -> Vec<Prepared> {
        let others = Coordinates::ALL.into_iter().filter(|c| *c != self.prepared.model.family);
        others
            .filter_map(|c| Prepared::new_in(&self.file.mechanism, c).ok())
            .filter(|p| p.model.family != self.prepared.model.family)
            .collect()
    }
    /// The error at its place.
    pub fn fail(&self, e: impl Into<Error>) -> Failure {
        Failure::in_file(located(&self.file, e.into()), &self.name, &self.text)
    }
    /// The error at a place of the file; what came from the command line has none.
    fn fail_at(&self, e: impl Into<Error>, place: &Option<Range<usize>>) -> Failure {
        match (e.into(), place) {
            (Error::Method { message, help }, Some(_)) => {
                self.fail(ModelError::new(message).at(place).help(help))
            }
            (Error::Model(e), Some(_)) => self.fail(e.at(place)),
            (e, _) => self.fail(e),
        }
    }
    /// Start and end of the run.
    pub fn times(&self) -> Result<(f64, f64), Failure> {
        let m = &self.file.mechanism;
        let mesh = self
            .prepared
            .mesh()
            .map_err(|e| self.fail_at(e, &m.t_end.place.clone().or(m.t_start.place.clone())))?;
        Ok((mesh.start.0, mesh.end()))
    }
    /// The sensitivity method: of the command line, of the file, or the default. Says why, if the program
    /// chooses it.
    pub fn sensitivity(&self, flag: Option<&str>, quiet: bool) -> Result<Sensitivity, Failure> {
        let Some(asked) = flag.map(Text::from).or(self.file.study.sensitivity.clone()) else {
            return Ok(Sensitivity::DiscreteAdjoint);
        };
        if asked.text == AUTO.0 {
            let (choice, why) = self.prepared.auto();
            if !quiet {
                crate::output::complain(&format!("auto: {why}"));
            }
            return Ok(choice);
        }
        let unknown = |e: Error| match e {
            Error::Method { message, help } => {
                Error::method(message, help.replacen("valid: ", &format!("valid: {}, ", AUTO.0), 1))
            }
            e => e,
        };
        Sensitivity::parse(&asked.text).map_err(|e| self.fail_at(unknown(e), &asked.place))
    }
    /// Every name of a study exists, and steps are either fixed or adaptive.
    fn check_study(&self, s: &Study, stepping: bool) -> Done {
        if let Some(f) = &s.formulation {
            Formulation::parse(&f.text).map_err(|e| self.fail_at(e, &f.place))?;
        }
        if let Some(i) = &s.integrator {
            Integrator::parse(&i.text).map_err(|e| self.fail_at(e, &i.place))?;
        }
        for (name, value) in &s.options {
            Method::default().set(&name.text, value).map_err(|e| self.fail_at(e, &name.place))?;
        }
        if !stepping && s.step.is_some() && (s.rtol.is_some() || s.atol.is_some()) {
            let e = ModelError::new("study, method: both a step and tolerances are given");
            return Err(
                self.fail(e.help("keep `step` for fixed steps, or `rtol` and `atol` for adaptive ones"))
            );
        }
        Ok(())
    }
    /// A method that does not exist, where the file asks for it; `stepping`: the command line gives the
    /// steps.
    fn fail_method(&self, e: Error, m: &Method, study: &Study, stepping: bool) -> Failure {
        let place = |t: &Option<Text>| t.as_ref().and_then(|t| t.place.clone());
        let named = place(&study.integrator).or_else(|| place(&study.formulation));
        match e {
            e if !m.formulation.fits(m.integrator) => self.fail_at(e, &named),
            e if stepping => self.fail(e),
            Error::Method { message, help } if study.tolerance_place.is_some() => {
                let message = format!("{message}, but `method` in [study] gives tolerances");
                self.fail_at(Error::method(message, help), &study.tolerance_place)
            }
            e => self.fail_at(e, &named),
        }
    }
    /// The method: of the file, changed by the command line.
    pub fn method(&self, a: &MethodArgs) -> Result<Method, Failure> {
        let mut study = self.file.study.clone();
        if let Some(f) = &a.formulation {
            study.formulation = Some(f.as_str().into());
        }
        if let Some(i) = &a.integrator {
            study.integrator = Some(i.as_str().into());
        }
        let stepping = a.step.is_some() || a.rtol.is_some() || a.atol.is_some();
        self.check_study(&study, stepping)?;
        let mut m = Method::from_study(&study).map_err(|e| self.fail(e))?;
        if let Some(h) = &a.step {
            m.stepping = Stepping::Fixed(seconds("--step", h)?);
        } else if a.rtol.is_some() || a.atol.is_some() {
            let either = a.rtol.or(a.atol).unwrap_or(1e-8);
            m.stepping =
                Stepping::Adaptive { rtol: a.rtol.unwrap_or(either), atol: a.atol.unwrap_or(either) };
        }
        for option in &a.option {
            let (name, value) = pair("--option", option)?;
            m.set(name, value).map_err(|e| self.fail(e))?;
        }
        m.check().map_err(|e| self.fail_method(e, &m, &study, stepping))?;
        let listed = !a.option.iter().any(|o| o.starts_with("freedoms"));
        self.prepared.check_freedoms(&m).map_err(|e| {
            let named = |f: &&Text| e.to_string().contains(&format!("`{}`", f.text));
            let place =
                study.freedoms.iter().find(named).or(study.freedoms.first()).and_then(|f| f.place.clone());
            self.fail_at(e.clone(), &place.filter(|_| listed))
        })?;
        Ok(m)
    }
    /// A forward run, with a progress bar if it takes long.
    pub fn run(&self, m: &Method, quiet: bool) -> Result<Run, Failure> {
        let (start, end) = self.times()?;
        let mut progress = Progress::new(start, end, quiet);
        let run = self.prepared.simulate(m, &mut |t, n| progress.at(t, n));
        progress.finish();
        let run = run.map_err(|e| self.fail(e))?;
        if !quiet {
            run.warnings.iter().for_each(|w| crate::output::complain(&format!("warning: {w}")));
        }
        Ok(run)
    }
}

/// Name and text of the model file.
fn source(a: &ModelArgs) -> Result<(String, String), Failure> {
    let name = a.model.display().to_string();
    let text = std::fs::read_to_string(&a.model).map_err(|e| {
        Failure::command(
            format!("{name} cannot be read: {e}"),
            "`gradyn example five_bar` prints a model to start from",
        )
    })?;
    Ok((name, text))
}

/// The model with its instances written out.
pub fn expanded(a: &ModelArgs) -> Result<String, Failure> {
    let (name, text) = source(a)?;
    file::expanded(&a.model, &text).map_err(|e| Failure::in_file(e, &name, &text))
}

/// An error of the model at the first element that its message names, if it has no place of its own, and
/// whose copy of a template it is about.
fn located(file: &ModelFile, e: Error) -> Error {
    let Error::Model(mut e) = e else { return e };
    let m = &file.mechanism;
    if e.place.is_none() {
        let first = m.parameters.iter().map(|p| &p.name).chain(m.bodies.iter().map(|b| &b.name));
        let second = m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name));
        let third = m.forces.iter().map(|f| &f.name).chain(m.objectives.iter().map(|o| &o.name));
        let names: Vec<&Text> = first.chain(second).chain(third).collect();
        let quoted = e.message.split('`').skip(1).step_by(2);
        let mut elements = quoted.filter_map(|q| q.split(['.', ' ']).next());
        e.place = elements.find_map(|q| names.iter().find(|n| n.text == q)).and_then(|n| n.place.clone());
    }
    Error::Model(file.explain(e))
}

/// NAME=VALUE.
pub fn pair<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    let parts = text.split_once('=').map(|(n, v)| (n.trim(), v.trim()));
    parts
        .ok_or_else(|| Failure::command(format!("{flag} {text}: no `=`"), format!("write {flag} NAME=VALUE")))
}

/// A positive time such as `0.001` or `1 ms`.
pub fn seconds(flag: &str, text: &str) -> Result<f64, Failure> {
    match time(flag, text)? {
        h if h > 0.0 && h.is_finite() => Ok(h),
        h => Err(Failure::command(
            format!("{flag}: a step of {h} s makes no sense"),
            "give a positive one, such as 0.001 or \"1 ms\"",
        )),
    }
}

/// A time of any sign.
pub fn time(flag: &str, text: &str) -> Result<f64, Failure> {
    constant(flag, "a time", text, 0..text.len())
}

/// The constant at some bytes of the text after a flag.
pub fn constant(flag: &str, what: &str, text: &str, place: Range<usize>) -> Result<f64, Failure> {
    let value = &text[place.clone()];
    gradyn::constant(value).map_err(|e| {
        let number = Number { source: Source::Expression(value.into()), place: Some(place), exact: true };
        let mut e = ModelError::expression(what, &number, e);
        e.help.get_or_insert("give a number, with a unit if you like: 0.001, \"1 ms\", \"sqrt(2)/2\"".into());
        Failure::in_file(e, flag, text)
    })
}

/// Sets a parameter, or a constant.
fn set_parameter(file: &mut ModelFile, set: &str) -> Done {
    let (name, value) = pair("--set", set)?;
    let (parameters, constants) = (&mut file.mechanism.parameters, &mut file.mechanism.constants);
    let names: Vec<String> = parameters
        .iter()
        .map(|p| &p.name)
        .chain(constants.iter().map(|c| &c.0))
        .map(|t| t.text.clone())
        .collect();
    let parameter = parameters.iter_mut().find(|p| p.name.text == name).map(|p| ("parameter", &mut p.value));
    let found =
        parameter.or_else(|| constants.iter_mut().find(|c| c.0.text == name).map(|c| ("constant", &mut c.1)));
    let Some((what, number)) = found else {
        let list = if names.is_empty() {
            "the model has none".into()
        } else {
            format!("valid: {}", names.join(", "))
        };
        return Err(Failure::command(
            format!("--set {set}: there is no parameter or constant `{name}`"),
            list,
        ));
    };
    let start = set.rfind(value).unwrap_or(0);
    constant("--set", &format!("{what} `{name}`"), set, start..start + value.len())?;
    *number = value.into();
    Ok(())
}
