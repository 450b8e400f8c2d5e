//! Are numbers as far off as they say? Models that are known, by many methods and steps.

use super::cell::{Cell, Entry, Truth, method, prepared};
use gradyn::{Coordinates, Method, Prepared, Sensitivity, Verdict};
use gradyn_testkit::known::Known;
use gradyn_testkit::silent::Steps::{Fixed, Tolerance};

/// Models with closed forms, or an integration of their own.
const MODELS: &[&str] = &[
    "a spring of 20 rad/s for 5 s",
    "a spring with a damper",
    "a spring that is driven",
    "drag that grows with the square of the speed",
    "a fall with drag",
    "a run whose end is a parameter",
    "a smooth maximum",
    "a pendulum",
    "a force that begins at a time",
    "a force that changes at a place",
    "dry friction by the sign of the speed",
    "a spring with a corner",
    "the modulus of a place",
    "length of the path",
    "a place that moves",
    "an elastic floor by max",
    "a dead zone",
    "an actuator that is clipped",
    "a bouncing ball",
    "a throw that an event ends",
    "velocities that a line resets",
];

/// Examples, against runs whose tolerances are at least 10⁴ times finer.
const EXAMPLES: &[&str] = &[
    "double_pendulum",
    "event_pendulum",
    "catapult",
    "five_bar",
    "four_bar",
    "knife_edge",
    "quarter_car",
    "rssr",
    "spinning_top",
];

/// Tolerance of the runs that examples are compared with.
const FINEST: f64 = 1e-12;
/// What these are known to, relative to the size of an objective.
const KNOWN: f64 = 1e-8;

/// Fixed steps, as parts of a run.
const PARTS: [f64; 3] = [100.0, 400.0, 1600.0];
/// Tolerances.
const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
/// Methods with fixed steps.
const WITH_STEPS: &[[&str; 2]] = &[
    ["index3", "newmark"],
    ["ali3p", "hht"],
    ["index3", "generalized-alpha"],
    ["index1", "rk4"],
    ["index1", "adams-bashforth"],
    ["index1", "gauss4"],
    ["maggi", "radau5"],
];
/// Methods with tolerances.
const WITH_TOLERANCES: &[[&str; 2]] = &[
    ["index1", "dopri5"],
    ["maggi", "dop853"],
    ["maggi", "radau5"],
    ["index1", "rodas4"],
    ["index1", "adams"],
];

/// A model with its truth.
pub(crate) struct Case {
    pub name: &'static str,
    model: Prepared,
    truth: Truth,
    /// Duration of its run [s].
    duration: f64,
}

impl Case {
    /// A model that is known.
    pub(crate) fn known(name: &str) -> Self {
        let known = Known::find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
        let model = prepared(&known.text(), Coordinates::Natural);
        let finest =
            model.run(&method(["index1", "dopri5"], Tolerance(1e-6))).unwrap_or_else(|e| panic!("{e}"));
        let plan = &finest.trajectory.plan;
        Self { name: known.name, truth: Truth::of(known), duration: plan.t[plan.steps()] - plan.t[0], model }
    }
    /// An example, against a fine run of it.
    fn example(name: &'static str) -> Self {
        let text = gradyn::examples::find(name).unwrap_or_else(|| panic!("there is no example `{name}`"));
        let model = prepared(text, Coordinates::Natural);
        let finest = model
            .run(&method(["maggi", "dop853"], Tolerance(FINEST)))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let rows =
            model.gradient(&finest, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows;
        let plan = &finest.trajectory.plan;
        let duration = plan.t[plan.steps()] - plan.t[0];
        Self { name, truth: Truth { psi: finest.psi.clone(), rows, known: KNOWN }, duration, model }
    }
    /// All methods with all their steps.
    pub(crate) fn methods(&self) -> Vec<Method> {
        let fixed = |m: &[&'static str; 2]| PARTS.map(|n| method(*m, Fixed(self.duration / n)));
        let adaptive = |m: &[&'static str; 2]| TOLERANCES.map(|tolerance| method(*m, Tolerance(tolerance)));
        WITH_STEPS.iter().flat_map(fixed).chain(WITH_TOLERANCES.iter().flat_map(adaptive)).collect()
    }
}

/// What is counted over runs.
#[derive(Default)]
pub(crate) struct Counts {
    /// Runs that were asked, those with a certificate, and those that are trusted.
    pub runs: [usize; 3],
    /// Entries, and those whose true error is within what is stated.
    pub entries: [usize; 2],
    /// Stated over true errors.
    pub ratios: Vec<f64>,
    /// Trusted runs with an entry that is far off what is stated.
    pub wrong: Vec<String>,
}

impl Counts {
    /// Adds a run.
    pub(crate) fn add(&mut self, what: &str, cell: &Cell) {
        self.runs[0] += 1;
        let Cell::Certified(c) = cell else { return };
        self.runs[1] += 1;
        self.entries[0] += c.entries.len();
        self.entries[1] += c.entries.iter().filter(|e| e.is_covered()).count();
        self.ratios.extend(c.entries.iter().filter_map(|e| e.ratio()));
        if c.certificate.verdict == Verdict::Trusted {
            self.runs[2] += 1;
            if c.entries.iter().any(Entry::is_wrong) {
                self.wrong.push(what.into());
            }
        }
    }
    /// Adds what others have counted.
    pub(crate) fn join(&mut self, other: Self) {
        (0..3).for_each(|i| self.runs[i] += other.runs[i]);
        (0..2).for_each(|i| self.entries[i] += other.entries[i]);
        self.ratios.extend(other.ratios);
        self.wrong.extend(other.wrong);
    }
    /// The part of the entries that are within what is stated.
    pub(crate) fn coverage(&self) -> f64 {
        self.entries[1] as f64 / self.entries[0].max(1) as f64
    }
    /// The median of stated over true errors.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.ratios.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// All models of the lists.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    MODELS.iter().map(|name| Case::known(name)).chain(EXAMPLES.iter().map(|name| Case::example(name)))
}

/// Counts over all methods of a model.
pub(crate) fn counts(case: &Case, methods: &[Method]) -> Counts {
    let mut counts = Counts::default();
    for m in methods {
        let what =
            format!("{}, {} + {}, {:?}", case.name, m.formulation.name(), m.integrator.name(), m.stepping);
        counts.add(&what, &Cell::new(&case.model, m, &case.truth));
    }
    counts
}
