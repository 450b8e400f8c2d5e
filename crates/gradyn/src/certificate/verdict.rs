//! What the findings of a certificate mean, in one word and in sentences.
//!
//! ```text
//! coarse       ± above 5 % of the size, or above 0.5 % of ψ; something happens between nodes            (1)
//! chaotic      exponential growth beyond the horizon, and a range below 1e-4                            (2)
//! not-smooth   a moved difference that does not settle                                                  (3)
//! unresolved   checks differ, and nothing explains it                                                   (4)
//! unchecked    a check could not be made                                                                (5)
//! ```

use super::errors::Errors;
use super::moved::{Moved, Outcome};
use super::products::ProductCheck;
use super::program::ProgramCheck;
use crate::error::Error;
use crate::gradient::GradientReport;
use crate::prepared::{Prepared, Run};
use gradyn_model::{Owner, Subject, WarningCode};

/// Errors above this part of the size are coarse.
const COARSE: f64 = 0.05;
/// Errors of ψ above this part of its size leave no change of the design that is small and above them.
const COARSE_VALUE: f64 = 0.005;
/// A range below this, in a run beyond its horizon, is chaos.
const CHAOTIC_RANGE: f64 = 1e-4;
/// A change of the design above this is too large to tell a kink from a curve.
const LARGE_CHANGE: f64 = 1e-3;
/// A distance of one direction, or of products, above this is no rounding: on examples that is 2e-8 at most.
const ROUNDING: f64 = 2e-7;

/// A certificate in one word, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every check agrees.
    Trusted,
    /// The run is too coarse: shorter steps or smaller tolerances change the gradient.
    Coarse,
    /// A check could not be made.
    Unchecked,
    /// The gradient is right and says nothing: perturbations grow exponentially.
    Chaotic,
    /// The objective jumps or kinks as the design moves.
    NotSmooth,
    /// Checks differ, and nothing explains it.
    Unresolved,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 6] =
        [Self::Trusted, Self::Coarse, Self::Unchecked, Self::Chaotic, Self::NotSmooth, Self::Unresolved];

    /// The word that the command prints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Coarse => "coarse",
            Self::Unchecked => "unchecked",
            Self::Chaotic => "chaotic",
            Self::NotSmooth => "not-smooth",
            Self::Unresolved => "unresolved",
        }
    }
}

/// Why a gradient is not trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it means for the gradient.
    pub verdict: Verdict,
    /// What was found, where, and what to try.
    pub text: String,
    /// The objective or derivative that it is about.
    pub subject: Option<Subject>,
}

/// What the checks have found.
pub(super) struct Findings<'a> {
    pub model: &'a Prepared,
    pub run: &'a Run,
    pub report: &'a GradientReport,
    pub program: &'a Result<ProgramCheck, Error>,
    pub products: Option<&'a ProductCheck>,
    pub moved: &'a [Moved],
    pub errors: &'a Result<Errors, Error>,
    /// What happens between nodes.
    pub between: Option<String>,
}

/// Reasons not to trust a gradient, none where every check agrees.
pub(super) fn reasons(f: &Findings) -> Vec<Reason> {
    let mut all = vec![];
    all.extend(f.rounding());
    all.extend(f.products());
    all.extend(f.between.clone().map(|text| Reason { verdict: Verdict::Coarse, text, subject: None }));
    if let Ok(errors) = f.errors {
        all.extend((0..f.run.psi.len()).filter_map(|j| f.coarse(j, errors)));
    }
    all.extend((0..f.moved.len()).filter_map(|j| f.moved(j)));
    all.extend(f.unchecked());
    all
}

impl Findings<'_> {
    fn about(&self, j: usize, verdict: Verdict, text: String) -> Reason {
        let subject = Some(Subject::new(Owner::Objective, &self.model.objectives()[j]));
        Reason { verdict, text, subject }
    }
    /// (4): the derivative of the run is not what was computed.
    fn rounding(&self) -> Vec<Reason> {
        let mut all = vec![];
        if let (Ok(p), true) = (self.program, self.report.sensitivity.is_exact()) {
            for j in (0..p.distances.len()).filter(|&j| p.distances[j].is_nan() || p.distances[j] > ROUNDING)
            {
                let text = format!(
                    "the gradient of `{}` is {:.1e} from a complex step through the program: it is not the \
                     derivative of this run",
                    self.model.objectives()[j],
                    p.distances[j]
                );
                all.push(self.about(j, Verdict::Unresolved, text));
            }
        }
        all
    }
    /// (4): products of steps are not what they stand for.
    fn products(&self) -> Option<Reason> {
        let p = self.products.filter(|p| p.distance.is_nan() || p.distance > ROUNDING)?;
        let text = format!(
            "{} differ by {:.1e} of the derivative of `{}`, in the step to t = {} s",
            p.between.words(),
            p.distance,
            self.model.model.objectives[p.objective],
            p.time
        );
        Some(Reason { verdict: Verdict::Unresolved, text, subject: None })
    }
    /// (1) of objective `j`: its entry with the largest error.
    fn coarse(&self, j: usize, errors: &Errors) -> Option<Reason> {
        let scales: Vec<f64> = self.model.parameters().iter().map(|p| p.scale).collect();
        let size = super::size(self.run.psi[j], &self.report.rows[j], &scales);
        let name = &self.model.objectives()[j];
        let help = format!("compared with {}; take shorter steps or smaller tolerances", errors.other);
        let value = errors.values[j] / size;
        if value.is_nan() || value > COARSE_VALUE {
            let text = format!("`{name}` is known to ± {:.1e} only, {help}", errors.values[j]);
            return Some(self.about(j, Verdict::Coarse, text));
        }
        let share = |k: usize| errors.gradient[j][k] * scales[k] / size;
        let worst = (0..scales.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)))?;
        if share(worst) <= COARSE {
            return None;
        }
        let parameter = &self.model.parameters()[worst].name;
        let error = errors.gradient[j][worst];
        let text = format!("d{name}/d{parameter} is known to ± {error:.1e} only, {help}");
        Some(self.about(j, Verdict::Coarse, text))
    }
    /// (2)–(5) of the moved difference of objective `j`.
    fn moved(&self, j: usize) -> Option<Reason> {
        let m = &self.moved[j];
        let growth = self.program.as_ref().map_or_else(|_| Default::default(), |p| p.growth);
        let range = if m.outcome == Outcome::Agrees { m.change } else { 0.0 };
        let name = &self.model.objectives()[j];
        if growth.is_beyond() && range < CHAOTIC_RANGE {
            let text = format!(
                "perturbations grow by e every {:.2} s, to 10⁴ in {:.1} s of this run of {} s: the gradient of \
                 `{name}` holds for changes of the design that are too small to matter; end the run earlier",
                1.0 / growth.rate,
                growth.horizon(),
                growth.duration
            );
            return Some(self.about(j, Verdict::Chaotic, text));
        }
        let (verdict, text) = match m.outcome {
            Outcome::Agrees => return None,
            Outcome::NotRun => (
                Verdict::Unchecked,
                format!(
                    "designs beside this one do not run, or bounds leave no room: the gradient of `{name}` could \
                     not be compared"
                ),
            ),
            // with the error of ψ so large no change is small enough to tell a kink from a curve
            Outcome::Unsettled if m.change > LARGE_CHANGE && !m.doubles() => (
                Verdict::Coarse,
                format!(
                    "`{name}` is not known well enough to move the design by less than {:.0e}, and there \
                     differences do not settle; take shorter steps or smaller tolerances",
                    m.change
                ),
            ),
            Outcome::Unsettled => (
                Verdict::NotSmooth,
                format!(
                    "`{name}` jumps or kinks as the design moves: differences do not settle down to changes of \
                     {:.0e} (± {:.1e} where the gradient says {:.3e}){}",
                    m.change,
                    m.bar,
                    m.along,
                    self.suspects()
                ),
            ),
            Outcome::Differs => (
                Verdict::Unresolved,
                format!(
                    "runs of moved designs say {:.6e} ± {:.0e} along one direction, where the gradient of \
                     `{name}` says {:.6e} (changes of {:.0e}){}",
                    m.difference,
                    m.bar,
                    m.along,
                    m.change,
                    self.suspects()
                ),
            ),
        };
        Some(self.about(j, verdict, text))
    }
    /// Warnings of the run that may explain it, by name.
    fn suspects(&self) -> String {
        let codes = [WarningCode::NotSmooth, WarningCode::Jump, WarningCode::Stiff];
        let of = |w: &&gradyn_model::Warning| codes.contains(&w.code);
        let all = self.model.model.warnings.iter().chain(&self.run.warnings).filter(of);
        let texts: Vec<String> = all.map(|w| w.text.clone()).collect();
        if texts.is_empty() { String::new() } else { format!("; the run warns: {}", texts.join("; ")) }
    }
    /// (5): checks that could not be made.
    fn unchecked(&self) -> Vec<Reason> {
        let reason = |what: &str, e: String| Reason {
            verdict: Verdict::Unchecked,
            text: format!("{what}: {e}"),
            subject: None,
        };
        let mut all = vec![];
        if let Err(e) = self.program {
            all.push(reason("no complex step through the program", e.to_string()));
        }
        if let Err(e) = self.errors {
            all.push(reason("errors are not known, since no other run succeeds", e.to_string()));
        }
        all
    }
}
