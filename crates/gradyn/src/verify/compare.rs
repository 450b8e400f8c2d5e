//! Distances of answers in units of their expected errors.

use crate::certificate;
use crate::penalty::PenaltyError;
use crate::prepared::Prepared;
use gradyn_num::largest;
use gradyn_sensitivity::Gradient;

/// What a method says: objectives and their gradients; or a difference of two such.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Values of the objectives.
    pub psi: Vec<f64>,
    /// One row per objective, one column per parameter.
    pub rows: Gradient,
}

/// An entry of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number of the objective.
    pub objective: usize,
    /// Number of the parameter; `None`: the value of the objective.
    pub parameter: Option<usize>,
}

impl Entry {
    /// `ψ` or `dψ/dρ`.
    pub fn name(&self, model: &Prepared) -> String {
        let objective = &model.objectives()[self.objective];
        self.parameter.map_or(objective.clone(), |k| format!("d{objective}/d{}", model.parameters()[k].name))
    }
}

/// The entry that is farthest off. All numbers are relative to the size of its objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The entry that is the farthest off.
    pub entry: Entry,
    /// Distance of that entry.
    pub off: f64,
    /// The error that is expected.
    pub expected: f64,
    /// One by the other.
    pub ratio: f64,
}

/// The entry with the fewest digits of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weakest {
    /// The entry.
    pub entry: Entry,
    /// Its distance relative to itself; 1 says that no digit is right.
    pub share: f64,
}

/// Errors of the value and of the gradient of each objective, relative to its size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Errors(pub Vec<[f64; 2]>);

impl Answer {
    fn with(&self, other: &Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let each = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect();
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| each(a, b)).collect();
        Self { psi: each(&self.psi, &other.psi), rows }
    }
    /// Entry by entry.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.with(other, |a, b| a - b)
    }
    /// Value of an entry.
    pub fn at(&self, e: Entry) -> f64 {
        e.parameter.map_or(self.psi[e.objective], |k| self.rows[e.objective][k])
    }
    /// The estimated errors of a run by penalty.
    pub(super) fn of_penalty(e: &PenaltyError) -> Self {
        let errors = |list: &[crate::penalty::Estimate]| list.iter().map(|x| x.error).collect();
        Self { psi: errors(&e.values), rows: e.gradient.iter().flatten().map(|row| errors(row)).collect() }
    }
}

/// Scales of the parameters, sizes of the objectives.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    scales: Vec<f64>,
    sizes: Vec<f64>,
}

impl Ruler {
    /// S = max(|ψ|, max_k s_k |∂ψ/∂ρ_k|).
    pub(crate) fn new(scales: Vec<f64>, x: &Answer) -> Self {
        let size = |(psi, row): (&f64, &Vec<f64>)| certificate::size(*psi, row, &scales);
        let sizes = x.psi.iter().zip(&x.rows).map(size).collect();
        Self { scales, sizes }
    }
    /// |x|, for each objective and its gradient.
    pub(crate) fn norms(&self, x: &Answer) -> Errors {
        let norm = |(j, size): (usize, &f64)| {
            let row = largest(x.rows[j].iter().zip(&self.scales).map(|(g, s)| g * s));
            [x.psi[j].abs() / size, row / size]
        };
        Errors(self.sizes.iter().enumerate().map(norm).collect())
    }
    /// One error for every objective and for every gradient.
    pub(crate) fn uniform(&self, error: f64) -> Errors {
        Errors(vec![[error; 2]; self.sizes.len()])
    }
    /// (4) of a difference: its worst entry.
    pub(crate) fn worst(&self, x: &Answer, expected: &Errors) -> Distance {
        // worst = largest ratio of the distance to what is expected; NaN is the worst of all
        let mut worst =
            Distance { entry: Entry { objective: 0, parameter: None }, off: 0.0, expected: 0.0, ratio: -1.0 };
        for (objective, [value, gradient]) in expected.0.iter().enumerate() {
            // value and derivatives of the objective, in their scales
            let entries = std::iter::once((None, 1.0, *value));
            let columns = self.scales.iter().enumerate().map(|(k, s)| (Some(k), *s, *gradient));
            for (parameter, scale, expected) in entries.chain(columns) {
                let entry = Entry { objective, parameter };
                let off = (x.at(entry) * scale).abs() / self.sizes[objective];
                let ratio = off / expected;
                if ratio > worst.ratio || ratio.is_nan() {
                    worst = Distance {
                        entry,
                        off,
                        expected,
                        ratio: if ratio.is_nan() { f64::INFINITY } else { ratio },
                    };
                }
            }
        }
        worst
    }
    /// (5) of a difference from the truth: the entry with the largest distance relative to itself. Entries
    /// that are not above ten times what is known of the truth, or a rounding, are zero and do not count.
    pub(crate) fn weakest(&self, off: &Answer, truth: &Answer, known: &Errors) -> Option<Weakest> {
        let mut weakest: Option<Weakest> = None;
        for (objective, [value, gradient]) in known.0.iter().enumerate() {
            let size = self.sizes[objective];
            let entries = std::iter::once((None, 1.0, *value));
            let columns = self.scales.iter().enumerate().map(|(k, s)| (Some(k), *s, *gradient));
            for (parameter, scale, known) in entries.chain(columns) {
                // share = |x - x*| / |x*| of this entry
                let entry = Entry { objective, parameter };
                let own = truth.at(entry).abs();
                let share = off.at(entry).abs() / own;
                let counts = own * scale > 10.0 * known.max(f64::EPSILON) * size;
                if counts && weakest.is_none_or(|w| share > w.share) {
                    weakest = Some(Weakest { entry, share });
                }
            }
        }
        weakest
    }
}

impl Errors {
    /// Sum with other errors, entry by entry.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]).collect())
    }
    /// Multiple of the errors, entry by entry.
    pub(crate) fn times(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|e| e.map(|e| e * factor)).collect())
    }
    /// Errors that last: that of a value is at least what it becomes where the parameters move by `change` of
    /// their scales, since the error of a single number may be zero by accident.
    pub(crate) fn lasting(&self, change: f64) -> Self {
        Self(self.0.iter().map(|&[value, gradient]| [value.max(change * gradient), gradient]).collect())
    }
    /// The largest of all errors.
    pub(crate) fn largest(&self) -> f64 {
        largest(self.0.iter().flatten().copied())
    }
}
