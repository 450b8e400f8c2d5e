//! What the findings of a certificate mean, in one word and in sentences.
//!
//! ```text
//! coarse       ± above 5 % of the size, or above 0.5 % of ψ; something happens between nodes            (1)
//! chaotic      exponential growth beyond the horizon, and a range below 1e-4, or growth to 1/δ          (2)
//! not-smooth   a moved difference that does not settle, and growth is no reason                         (3)
//! unresolved   checks differ, and nothing explains it                                                   (4)
//! unchecked    a check could not be made                                                                (5)
//! ```
//! Where nothing agrees, growth is the reason if it makes the least change δ that was tried as large as the
//! motion itself: then a smaller range is beyond what can be tried.

use super::between::Passed;
use super::claim::Claim;
use super::errors::Errors;
use super::moved::{Moved, Outcome};
use super::products::ProductCheck;
use super::program::ProgramCheck;
use crate::error::Error;
use gradyn_model::{Owner, Subject, Warning, WarningCode};
use std::ops::Range;

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
    /// What of the model it is about: an objective, a parameter, what the run warns of.
    pub subjects: Vec<Subject>,
    /// Bytes of the model file, where they are known without the name of an element.
    pub places: Vec<Range<usize>>,
}

impl Reason {
    /// A reason about no element in particular.
    fn new(verdict: Verdict, text: String) -> Self {
        Self { verdict, text, subjects: vec![], places: vec![] }
    }
}

/// What the checks have found.
pub(super) struct Findings<'a> {
    pub claim: &'a Claim<'a>,
    pub program: &'a Result<ProgramCheck, Error>,
    pub products: &'a Option<Result<ProductCheck, Error>>,
    pub moved: &'a [Moved],
    pub errors: &'a Result<Errors, Error>,
    /// What happens between nodes.
    pub between: Option<Passed>,
}

/// Reasons not to trust a gradient, none where every check agrees.
pub(super) fn reasons(f: &Findings) -> Vec<Reason> {
    let mut all = vec![];
    all.extend(f.rounding());
    all.extend(f.products());
    all.extend(f.between.as_ref().map(|passed| {
        let subjects = passed.subject.iter().cloned().collect();
        Reason { subjects, ..Reason::new(Verdict::Coarse, passed.text.clone()) }
    }));
    if let Ok(errors) = f.errors {
        all.extend((0..f.claim.names.len()).filter_map(|j| f.coarse(j, errors)));
    }
    all.extend((0..f.moved.len()).filter_map(|j| f.moved(j)));
    all.extend(f.unchecked());
    all
}

impl Findings<'_> {
    /// A reason about objective `j`, or about the record of a fit.
    fn about(&self, j: usize, verdict: Verdict, text: String) -> Reason {
        let mut reason = Reason::new(verdict, text);
        match self.claim.fit.filter(|_| self.claim.is_fit(j)) {
            Some(fit) => reason.places.extend(fit.place().clone()),
            None => reason.subjects.push(Subject::new(Owner::Objective, &self.claim.names[j])),
        }
        reason
    }
    /// (4): the derivative of the run is not what was computed.
    fn rounding(&self) -> Vec<Reason> {
        let (Ok(p), true) = (self.program, self.claim.sensitivity.is_exact()) else { return vec![] };
        let wrong = |j: &usize| p.distances[*j].is_nan() || p.distances[*j] > ROUNDING;
        let reason = |j: usize| {
            let text = format!(
                "the gradient of `{}` is {:.1e} from a complex step through the program: it is not the \
                 derivative of this run",
                self.claim.names[j], p.distances[j]
            );
            self.about(j, Verdict::Unresolved, text)
        };
        (0..p.distances.len()).filter(wrong).map(reason).collect()
    }
    /// (4): products of steps are not what they stand for.
    fn products(&self) -> Option<Reason> {
        let p = self.products.as_ref()?.as_ref().ok();
        let p = p.filter(|p| p.distance.is_nan() || p.distance > ROUNDING)?;
        let text = format!(
            "{} differ by {:.1e} of the derivative of `{}`, in the step to t = {} s",
            p.between.words(),
            p.distance,
            p.objective,
            p.time
        );
        let j = self.claim.names.iter().position(|name| *name == p.objective);
        Some(match j {
            Some(j) => self.about(j, Verdict::Unresolved, text),
            None => Reason::new(Verdict::Unresolved, text),
        })
    }
    /// (1) of objective `j`: its entry with the largest error.
    fn coarse(&self, j: usize, errors: &Errors) -> Option<Reason> {
        let parameters = self.claim.model.parameters();
        let [size, _] = self.claim.sizes[j];
        let name = &self.claim.names[j];
        let help = format!("compared with {}; take shorter steps or smaller tolerances", errors.other);
        let value = errors.values[j] / size;
        if value.is_nan() || value > COARSE_VALUE {
            let text = format!("`{name}` is known to ± {:.1e} only, {help}", errors.values[j]);
            return Some(self.about(j, Verdict::Coarse, text));
        }
        let share = |k: usize| errors.gradient[j][k] * parameters[k].scale / size;
        let worst = (0..parameters.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)))?;
        if share(worst) <= COARSE {
            return None;
        }
        let parameter = &parameters[worst].name;
        let error = errors.gradient[j][worst];
        let text = format!("d{name}/d{parameter} is known to ± {error:.1e} only, {help}");
        let mut reason = self.about(j, Verdict::Coarse, text);
        reason.subjects.push(Subject::new(Owner::Parameter, parameter));
        Some(reason)
    }
    /// (2)–(5) of the moved difference of objective `j`.
    fn moved(&self, j: usize) -> Option<Reason> {
        let m = &self.moved[j];
        if let Some(text) = self.chaos(j) {
            return Some(self.about(j, Verdict::Chaotic, text));
        }
        let name = &self.claim.names[j];
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
            Outcome::Unsettled => (Verdict::NotSmooth, format!("{}{}", unsettled(name, m), self.suspects())),
            Outcome::Differs => (Verdict::Unresolved, format!("{}{}", self.differs(j), self.suspects())),
        };
        let mut reason = self.about(j, verdict, text);
        if matches!(verdict, Verdict::NotSmooth | Verdict::Unresolved) {
            reason.subjects.extend(self.warnings().filter_map(|w| w.subject.clone()));
            reason.places.extend(self.warnings().filter_map(|w| w.place.clone()));
        }
        Some(reason)
    }
    /// (2): growth, where it is the reason for a small range of objective `j`, or for none.
    fn chaos(&self, j: usize) -> Option<String> {
        let m = &self.moved[j];
        let growth = self.program.as_ref().map_or_else(|_| Default::default(), |p| p.growth);
        let explains = match m.outcome {
            Outcome::Agrees => m.change < CHAOTIC_RANGE,
            Outcome::Differs | Outcome::Unsettled => m.change * growth.factor() > 1.0,
            Outcome::NotRun => false,
        };
        (growth.is_beyond() && explains).then(|| {
            format!(
                "perturbations grow by e every {:.2} s, to 10⁴ in {:.1} s of this run of {} s: the gradient of \
                 `{}` holds for changes of the design that are too small to matter; end the run earlier",
                1.0 / growth.rate,
                growth.horizon(),
                growth.duration,
                self.claim.names[j]
            )
        })
    }
    /// The sentence of a difference that settles at another value.
    fn differs(&self, j: usize) -> String {
        let m = &self.moved[j];
        let name = &self.claim.names[j];
        if self.claim.is_fit(j) {
            return format!(
                "runs of moved designs are {:.1e} ± {:.0e} from what the derivatives of the residuals of `{name}` \
                 say, {:.3e} along one direction (changes of {:.0e})",
                m.distance, m.bar, m.along, m.change
            );
        }
        format!(
            "runs of moved designs say {:.6e} ± {:.0e} along one direction, where the gradient of `{name}` says \
             {:.6e} (changes of {:.0e})",
            m.difference, m.bar, m.along, m.change
        )
    }
    /// Warnings of the model and of the run that may explain it.
    fn warnings(&self) -> impl Iterator<Item = &Warning> {
        let codes = [WarningCode::NotSmooth, WarningCode::Jump, WarningCode::Stiff];
        let all = self.claim.model.model.warnings.iter().chain(&self.claim.run.warnings);
        all.filter(move |w| codes.contains(&w.code))
    }
    /// What those warnings say, at the end of a sentence.
    fn suspects(&self) -> String {
        let texts: Vec<String> = self.warnings().map(|w| w.text.clone()).collect();
        if texts.is_empty() { String::new() } else { format!("; the run warns: {}", texts.join("; ")) }
    }
    /// (5): checks that could not be made.
    fn unchecked(&self) -> Vec<Reason> {
        let reason = |what: &str, e: &Error| Reason {
            subjects: e.subject.iter().map(|s| (**s).clone()).collect(),
            places: e.bytes().into_iter().collect(),
            ..Reason::new(Verdict::Unchecked, format!("{what}: {e}"))
        };
        let mut all = vec![];
        if let Err(e) = self.program {
            all.push(reason("no complex step through the program", e));
        }
        if let Some(Err(e)) = self.products {
            all.push(reason("products of steps were not compared", e));
        }
        if let Err(e) = self.errors {
            all.push(reason("errors are not known, since no other run succeeds", e));
        }
        all
    }
}

/// The sentence of a difference that does not settle.
fn unsettled(name: &str, m: &Moved) -> String {
    format!(
        "`{name}` jumps or kinks as the design moves: differences do not settle down to changes of {:.0e} \
         (± {:.1e} where the gradient says {:.3e})",
        m.change, m.bar, m.along
    )
}
