//! What a record of a run holds, from when to when it goes, and what it cost.

use gradyn_model::{At, FunctionalSet, Setup};
use gradyn_num::ProgramScalar;

/// Where things are in a record: (q, v, a, λ | z | extras | impulses | time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number n of coordinates.
    pub n: usize,
    /// Constraint rows.
    pub m: usize,
    /// Number of objectives.
    pub o: usize,
    /// Conditions whose sides are data of a run.
    pub sides: usize,
    /// Impulses of events, after the extras.
    pub impulses: usize,
    /// Is the time of the record its last number?
    pub clock: bool,
    /// Length of a record.
    pub len: usize,
}
impl Layout {
    /// Sizes of a system, with `extras` numbers after the head.
    pub(crate) fn of(sys: &Setup, extras: usize) -> Self {
        let d = sys.dims();
        let o = sys.functionals(FunctionalSet::Integrand);
        let len = 3 * d.n + d.m + o + extras;
        Self { n: d.n, m: d.m, o, sides: d.sides, impulses: 0, clock: false, len }
    }
    /// This record with impulses of events after its extras.
    pub(crate) fn with_impulses(self, impulses: usize) -> Self {
        Self { impulses, len: self.len + impulses, ..self }
    }
    /// This record with its time as the last number.
    pub(crate) fn with_clock(self) -> Self {
        Self { clock: true, len: self.len + 1, ..self }
    }
    /// Length of what a step writes: all but impulses and time.
    pub(crate) fn step_len(&self) -> usize {
        self.len - self.impulses - usize::from(self.clock)
    }
    /// Offset of the impulses of events.
    pub(crate) fn impulse(&self) -> usize {
        self.step_len()
    }
    /// Where the time of a record is, if it is a number of it.
    pub fn time(&self) -> Option<usize> {
        self.clock.then(|| self.len - 1)
    }
    /// Sides of the conditions, from what decides branches in a record.
    pub fn sides<'a>(&self, branches: &'a [f64]) -> &'a [f64] {
        &branches[branches.len().saturating_sub(self.sides)..]
    }
    /// Offset of the velocities v.
    pub fn v(&self) -> usize {
        self.n
    }
    /// Offset of the accelerations a.
    pub fn a(&self) -> usize {
        2 * self.n
    }
    /// Offset of the multipliers λ.
    pub fn lam(&self) -> usize {
        3 * self.n
    }
    /// Offset of z: the length of a node.
    pub fn z(&self) -> usize {
        3 * self.n + self.m
    }
    /// Offset of the extras.
    pub fn head(&self) -> usize {
        self.z() + self.o
    }
    /// The node of a record.
    #[doc(hidden)]
    pub fn node<'a, S: Copy>(&self, t: S, x: &'a [S]) -> At<'a, S> {
        At::of(t, x, self.n, self.m)
    }
    /// Names and ends of the blocks of a record.
    pub fn blocks(&self) -> [(&'static str, std::ops::Range<usize>); 6] {
        let (v, a, l, z, h) = (self.v(), self.a(), self.lam(), self.z(), self.head());
        [("q", 0..v), ("v", v..a), ("a", a..l), ("λ", l..z), ("z", z..h), ("extras", h..self.len)]
    }
}

/// From t to t + h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<S> {
    /// Start of the step [s].
    pub t: S,
    /// Step size [s]; 0 for record 0.
    pub h: S,
}
impl<S: ProgramScalar> Span<S> {
    /// End of the step.
    pub fn end(&self) -> S {
        self.t + self.h
    }
}

/// What one step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Newton iterations, or evaluations.
    pub iterations: usize,
    /// Factorisations.
    pub factorizations: usize,
}

/// Tolerances of an adaptive run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
}
