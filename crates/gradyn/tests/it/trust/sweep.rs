//! The models that may be silent, by many methods and steps.

use super::cell::{Cell, Truth, method, prepared};
use gradyn::{Coordinates, Verdict};
use gradyn_testkit::known::Known;
use gradyn_testkit::silent::SILENT;
use gradyn_testkit::silent::Steps::{Fixed, Tolerance};

/// Methods with fixed steps.
const WITH_STEPS: &[[&str; 2]] = &[
    ["index3", "newmark"],
    ["ali3p", "hht"],
    ["index3", "generalized-alpha"],
    ["index1", "rk4"],
    ["index1", "adams-bashforth"],
    ["index1", "gauss4"],
    ["maggi", "radau5"],
    ["index1", "sdirk4"],
];
/// Methods with tolerances.
const WITH_TOLERANCES: &[[&str; 2]] =
    &[["index1", "dopri5"], ["maggi", "radau5"], ["index1", "rodas4"], ["index1", "adams"]];

/// What the runs of a model end in.
#[derive(Default)]
pub(crate) struct Swept {
    /// Runs that are refused, or have no gradient.
    pub refused: usize,
    /// Runs that are not trusted, or have a warning.
    pub named: usize,
    /// Runs that are trusted and right.
    pub right: usize,
    /// Those that are wrong without a word.
    pub silent: Vec<String>,
}

/// Names of the models of the list, each once.
pub(crate) fn models() -> Vec<&'static str> {
    let mut names: Vec<&str> = vec![];
    for s in SILENT {
        if !names.contains(&s.model) && s.known().has_truth() {
            names.push(s.model);
        }
    }
    names
}

/// All methods with all their steps on a model.
pub(crate) fn swept(name: &str, family: Coordinates) -> Swept {
    let known = Known::find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let model = prepared(&known.text(), family);
    let truth = Truth::of(known);
    let fixed = WITH_STEPS.iter().flat_map(|m| [0.1, 0.03, 0.01, 0.002].map(|h| (*m, Fixed(h))));
    let adaptive = WITH_TOLERANCES.iter().flat_map(|m| [1e-2, 1e-4, 1e-6].map(|tol| (*m, Tolerance(tol))));
    let mut all = Swept::default();
    for (names, steps) in fixed.chain(adaptive) {
        let cell = Cell::new(&model, &method(names, steps), &truth);
        match cell.verdict() {
            None => all.refused += 1,
            Some(_) if cell.is_silent() => {
                let Cell::Certified(c) = &cell else { continue };
                all.silent.push(format!("{name}, {} + {}, {steps:?}: {:?}", names[0], names[1], c.entries));
            }
            Some(Verdict::Trusted) if cell.warnings().is_empty() => all.right += 1,
            Some(_) => all.named += 1,
        }
    }
    all
}
