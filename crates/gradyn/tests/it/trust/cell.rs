//! One run with its gradient and its certificate, beside what is true.

use gradyn::certificate::Verdict;
use gradyn::{Certificate, Coordinates, Method, Prepared, Run, Sensitivity};
use gradyn_testkit::known::Known;
use gradyn_testkit::silent::{Silent, Steps};

/// What closed forms and integrations of their own are known to, relative to the size of an objective.
const KNOWN: f64 = 1e-9;
/// A number is wrong if it is off by more than this many times what is stated, and by more than this part of
/// the size of the objective.
const WRONG: [f64; 2] = [3.0, 1e-3];
/// Most steps of a run: more are refused.
const MOST_STEPS: usize = 200_000;

/// ψ and ∇ψ as they are.
pub(crate) struct Truth {
    pub psi: Vec<f64>,
    pub rows: Vec<Vec<f64>>,
    /// What they are known to, relative to the size of an objective.
    pub known: f64,
}

impl Truth {
    /// That of a model with a closed form.
    pub(crate) fn of(known: &Known) -> Self {
        let (psi, rows) = known.truth();
        Self { psi, rows, known: KNOWN }
    }
}

/// A value, or a derivative times the scale of its parameter, relative to the size of the objective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// What the certificate states as its error.
    pub stated: f64,
    /// Its true error.
    pub off: f64,
    /// What that is known to.
    pub known: f64,
}

impl Entry {
    /// Is the true error within what is stated?
    pub(crate) fn is_covered(&self) -> bool {
        self.off <= self.stated + self.known
    }
    /// Is it far off what is stated?
    pub(crate) fn is_wrong(&self) -> bool {
        let [times, part] = WRONG;
        self.off.is_nan() || (self.off > times * (self.stated + self.known) && self.off > part)
    }
    /// Stated over true error, where that is above what it is known to.
    pub(crate) fn ratio(&self) -> Option<f64> {
        (self.off > 10.0 * self.known).then_some(self.stated / self.off)
    }
}

/// A run that has a certificate.
pub(crate) struct Certified {
    pub certificate: Certificate,
    /// Kinds of the warnings of the run and of its gradient.
    warnings: Vec<&'static str>,
    /// ψ and every derivative; none where errors are not known, or no number is right.
    pub entries: Vec<Entry>,
}

/// What a run ends in.
pub(crate) enum Cell {
    /// The run is refused, or fails.
    Refused(String),
    /// The gradient is refused.
    NoGradient(String),
    /// There is a gradient, with its certificate.
    Certified(Box<Certified>),
}

impl Cell {
    /// Runs a model by a method, with its gradient and its certificate.
    pub(crate) fn new(model: &Prepared, method: &Method, truth: &Truth) -> Self {
        let run = match model.run(method) {
            Ok(run) => run,
            Err(e) => return Self::Refused(e.to_string()),
        };
        let certified = model
            .gradient(&run, Sensitivity::DiscreteAdjoint)
            .and_then(|g| model.certify(&run, &g).map(|c| (g, c)));
        match certified {
            Err(e) => Self::NoGradient(e.to_string()),
            Ok((gradient, certificate)) => {
                let entries = entries(model, &run, &gradient.rows, &certificate, truth);
                let warnings = run.warnings.iter().chain(&gradient.warnings).map(|w| w.code.name()).collect();
                Self::Certified(Box::new(Certified { certificate, warnings, entries }))
            }
        }
    }
    /// The verdict, where there is one.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Certified(c) => Some(c.certificate.verdict),
            _ => None,
        }
    }
    /// Kinds of the warnings of the run and of its gradient.
    pub(crate) fn warnings(&self) -> &[&'static str] {
        match self {
            Self::Certified(c) => &c.warnings,
            _ => &[],
        }
    }
    /// Is no number far off what is stated?
    pub(crate) fn is_right(&self) -> bool {
        matches!(self, Self::Certified(c) if !c.entries.is_empty() && !c.entries.iter().any(Entry::is_wrong))
    }
    /// Is it wrong without a word: no refusal, no warning, a verdict that trusts, and a number that is far
    /// off what it says?
    pub(crate) fn is_silent(&self) -> bool {
        self.verdict() == Some(Verdict::Trusted) && self.warnings().is_empty() && !self.is_right()
    }
    /// What it ends in, in a few words.
    pub(crate) fn outcome(&self) -> String {
        let verdict = match self {
            Self::Refused(_) => "the run is refused",
            Self::NoGradient(_) => "the gradient is refused",
            Self::Certified(c) => c.certificate.verdict.name(),
        };
        let right =
            if self.verdict() == Some(Verdict::Trusted) && self.is_right() { ", and right" } else { "" };
        format!("{verdict}{right}")
    }
    /// The reason for what it ends in.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Refused(e) | Self::NoGradient(e) => e.clone(),
            Self::Certified(c) => {
                c.certificate.reasons.iter().map(|r| r.text.as_str()).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// All entries of the objectives.
fn entries(
    model: &Prepared,
    run: &Run,
    rows: &[Vec<f64>],
    certificate: &Certificate,
    truth: &Truth,
) -> Vec<Entry> {
    let Some(errors) = &certificate.errors else { return vec![] };
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    let mut all = vec![];
    for (j, psi) in truth.psi.iter().enumerate() {
        // the size of the true objective
        let slopes = truth.rows[j].iter().zip(&scales).map(|(x, s)| (x * s).abs());
        let size = slopes.fold(psi.abs(), f64::max).max(f64::MIN_POSITIVE);
        let entry = |x: f64, true_x: f64, stated: f64, scale: f64| Entry {
            stated: stated * scale / size,
            off: (x - true_x).abs() * scale / size,
            known: truth.known,
        };
        all.push(entry(run.psi[j], *psi, errors.values[j], 1.0));
        for (k, scale) in scales.iter().enumerate() {
            all.push(entry(rows[j][k], truth.rows[j][k], errors.gradient[j][k], *scale));
        }
    }
    all
}

/// The model of a text.
pub(crate) fn prepared(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}\n{text}", family.name()))
}

/// A method with its steps.
pub(crate) fn method(names: [&str; 2], steps: Steps) -> Method {
    let method = Method::new(names[0], names[1]).expect("registered");
    let method = Method { max_steps: MOST_STEPS, ..method };
    match steps {
        Steps::Fixed(h) => method.step(h),
        Steps::Tolerance(tolerance) => method.tolerance(tolerance, tolerance),
    }
}

/// A run that may be silent.
pub(crate) fn silent_cell(s: &Silent, family: Coordinates) -> Cell {
    let mut method = method(s.method, s.steps);
    for (name, value) in s.options {
        method.set(name, value).expect("an option");
    }
    Cell::new(&prepared(&s.known().text(), family), &method, &Truth::of(s.known()))
}
