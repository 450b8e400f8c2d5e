//! A mechanism in the coordinates that the run asks for.

use crate::guard::{Outside, Undefined};
use crate::natural::{self, Natural};
use crate::relative::{self, Relative};
use crate::row::RowName;
use crate::system::{AngleName, At, Dims, Patterns, RowScaling, Set, Statics, System};
use gradyn_num::Scalar;

/// The coordinate families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Points and vectors of the bodies.
    #[default]
    Natural,
    /// Coordinates of the joints of a tree; masses accumulated about the global origin (RTdyn0).
    Relative0,
    /// The same about the centres of mass (RTdyn1).
    Relative1,
    /// Position and Euler parameters of every body; in the plane position and angle.
    Cartesian,
}
impl Coordinates {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Natural, Self::Relative0, Self::Relative1, Self::Cartesian];
    /// Their names.
    pub const NAMES: &'static [&'static str] = &["natural", "relative-0", "relative-1", "cartesian"];
    /// Name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
    /// What they are, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Natural => {
                "points and unit vectors that bodies share; constant mass matrix, quadratic constraints, sparse"
            }
            Self::Relative0 => {
                "those of the joints of a tree, loops closed by constraints; masses about the global origin [A22, RTdyn0]"
            }
            Self::Relative1 => "the same, masses about the centres of mass [A22, RTdyn1]",
            Self::Cartesian => {
                "position and Euler parameters (plane: angle) of every body, every joint a constraint"
            }
        }
    }
    /// By name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// A mechanism in coordinates of one family.
#[derive(Clone, Debug)]
pub enum Mechanics {
    /// Natural coordinates.
    Natural(Box<Natural>),
    /// Relative coordinates; also every body by itself.
    Relative(Box<Relative>),
}

/// What evaluation writes.
#[derive(Clone, Debug)]
pub enum Data<S> {
    /// In natural coordinates.
    Natural(Box<natural::Data<S>>),
    /// In relative coordinates.
    Relative(Box<relative::Data<S>>),
}

macro_rules! either {
    ($sys:expr, $s:ident => $e:expr) => {
        match $sys {
            Mechanics::Natural($s) => $e,
            Mechanics::Relative($s) => $e,
        }
    };
    ($sys:expr, $data:expr, $s:ident, $d:ident => $e:expr) => {
        match ($sys, $data) {
            (Mechanics::Natural($s), Data::Natural($d)) => $e,
            (Mechanics::Relative($s), Data::Relative($d)) => $e,
            _ => unreachable!("data belong to the system that made them"),
        }
    };
}

impl Mechanics {
    /// The elements: on natural coordinates, or on the frames of the bodies.
    pub fn elements(&self) -> &Natural {
        match self {
            Self::Natural(s) => s,
            Self::Relative(s) => s.inner(),
        }
    }
    /// What the elements read at q: natural coordinates, or frames, for the slots p.
    fn shown(&self, p: &[f64], q: &[f64]) -> Vec<f64> {
        match self {
            Self::Natural(_) => q.to_vec(),
            Self::Relative(s) => s.frames_at(p, q),
        }
    }
    /// Gradients of slots that are not `active` are not wanted: elements that read no others are left out of
    /// them.
    pub fn focus(&mut self, active: &[bool]) {
        either!(self, s => s.focus(active))
    }
    /// All rows independent, none left out.
    pub fn reset_rows(&mut self) {
        either!(self, s => s.reset_rows())
    }
    /// Says which rows are independent and which ones are left out.
    pub fn set_rows(&mut self, independent: [Vec<u32>; 2], dropped: Vec<u32>) {
        either!(self, s => s.set_rows(independent, dropped))
    }
    /// Replaces the start of the assembly, for example by an assembled configuration.
    pub fn set_drawn(&mut self, q: &[f64]) {
        either!(self, s => s.set_drawn(q))
    }
    /// Draws relative coordinates by frames of the bodies; natural ones stay.
    pub fn draw_by(&mut self, frames: &[Vec<f64>], p: &[f64]) {
        if let Self::Relative(s) = self {
            s.draw_by(frames, p);
        }
    }
    /// Takes the effective masses of the rows at (t, q).
    pub fn scale_rows(&mut self, p: &[f64], t: f64, q: &[f64]) {
        either!(self, s => s.scale_rows(p, t, q))
    }
    /// Says along which coordinates forces balance in an equilibrium.
    pub fn set_balanced(&mut self, balanced: &[u32]) {
        either!(self, s => s.set_balanced(balanced))
    }
    /// The rates of all coordinates as conditions of velocity, where the start is an equilibrium at rest.
    pub(crate) fn take_rest(&mut self) -> bool {
        either!(self, s => s.take_rest())
    }
    /// The first force that has no value at rest, at the drawn configuration.
    pub fn undefined_at_rest(&self, p: &[f64], t: f64, angles: &[f64]) -> Option<Undefined> {
        self.elements().undefined_at_rest(p, t, angles, &self.shown(p, self.drawn()))
    }
    /// Bodies that a coordinate moves, those next to it first.
    pub fn moved_by(&self, coordinate: &str) -> Vec<String> {
        match self {
            Self::Natural(_) => coordinate.split('.').next().map(str::to_owned).into_iter().collect(),
            Self::Relative(s) => s.moved_by(coordinate),
        }
    }
    /// Are there forces that are not defined everywhere?
    pub fn guarded(&self) -> bool {
        self.elements().guarded()
    }
    /// Why a force is not defined at the second of two points, or between them; the time of the data is that
    /// of the second.
    pub fn undefined_force(&self, from: &At, to: &At, d: &mut Data<f64>) -> Option<Outside> {
        either!(self, d, s, d => s.undefined_force(from, to, d))
    }
    /// Keeps some conditions of velocity.
    pub(crate) fn keep_velocity_conditions(&mut self, open: &[usize]) {
        either!(self, s => s.keep_velocity_conditions(open))
    }
    /// Names of the constraint rows.
    pub fn row_names(&self) -> &[RowName] {
        either!(self, s => s.row_names())
    }
    /// Does any objective or output read the multiplier of a row?
    pub fn reads_multiplier(&self, row: usize) -> bool {
        either!(self, s => s.reads_multiplier(row))
    }
    /// Does any terminal value read accelerations or multipliers?
    pub fn reads_final_dynamics(&self) -> bool {
        self.elements().reads_final_dynamics()
    }
    /// Does any objective read accelerations or multipliers?
    pub fn reads_dynamics(&self) -> bool {
        self.elements().reads_dynamics()
    }
    /// The first joint that holds its directions half a turn off at q.
    pub fn flipped(&self, p: &[f64], q: &[f64]) -> Option<String> {
        self.elements().flipped(p, &self.shown(p, q))
    }
    /// The first force along a distance whose ends coincide at q.
    pub fn collapsed_force(&self, p: &[f64], q: &[f64]) -> Option<String> {
        self.elements().collapsed_force(p, &self.shown(p, q))
    }
    /// The first force along a distance whose ends pass through each other between two positions.
    pub fn reversed_force(&self, d: &mut Data<f64>, from: &[f64], to: &[f64]) -> Option<String> {
        either!(self, d, s, d => s.reversed_force(d, from, to))
    }
}

impl System for Mechanics {
    type Data<S: Scalar> = Data<S>;

    fn dims(&self) -> Dims {
        either!(self, sys => sys.dims())
    }
    fn patterns(&self) -> &Patterns {
        either!(self, sys => sys.patterns())
    }
    fn data<S: Scalar>(&self) -> Data<S> {
        match self {
            Self::Natural(s) => Data::Natural(Box::new(s.data())),
            Self::Relative(s) => Data::Relative(Box::new(s.data())),
        }
    }
    fn prepare<S: Scalar>(&self, p: &[S], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.prepare(p, d))
    }
    fn constant_mass(&self) -> bool {
        either!(self, sys => sys.constant_mass())
    }
    fn set_angles<S: Scalar>(&self, references: &[f64], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.set_angles(references, d))
    }
    #[inline]
    fn set_time<S: Scalar>(&self, t: S, d: &mut Data<S>) {
        either!(self, d, sys, d => sys.set_time(t, d))
    }
    fn independent(&self, velocity: bool) -> &[u32] {
        either!(self, sys => sys.independent(velocity))
    }
    fn dropped(&self) -> &[u32] {
        either!(self, sys => sys.dropped())
    }
    fn compliances(&self, scaling: RowScaling) -> &[f64] {
        either!(self, sys => sys.compliances(scaling))
    }
    #[inline]
    fn place<S: Scalar>(&self, t: S, q: &[S], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.place(t, q, d))
    }
    #[inline]
    fn balance<S: Scalar>(&self, w: &[S], lam: &[S], d: &Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.balance(w, lam, d, out))
    }
    #[inline]
    fn forces<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.forces(at, d, out))
    }
    fn mass<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        either!(self, d, sys, d => sys.mass(d))
    }
    fn phi_q<'d, S: Scalar>(&self, d: &'d Data<S>) -> &'d [S] {
        either!(self, d, sys, d => sys.phi_q(d))
    }
    fn balance_q<S: Scalar>(&self, at: &At<S>, w: &[S], lam: &[S], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.balance_q(at, w, lam, d, out))
    }
    fn force_tangents<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, k: &mut [S], c: &mut [S]) {
        either!(self, d, sys, d => sys.force_tangents(at, d, k, c))
    }
    fn pull<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: [&[S]; 2],
        s: f64,
        d: &mut Data<S>,
        out: [&mut [S]; 3],
    ) -> bool {
        either!(self, d, sys, d => sys.pull(at, c, mu, s, d, out))
    }
    fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        either!(self, d, sys, d => sys.balance_p(at, w, lam, delta, d, out))
    }
    fn balance_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        w: &[S],
        lam: &[S],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        either!(self, d, sys, d => sys.balance_p_t(at, w, lam, mu, s, d, grad))
    }
    fn forces_p<S: Scalar>(&self, at: &At<S>, delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.forces_p(at, delta, d, out))
    }
    fn forces_p_t<S: Scalar>(&self, at: &At<S>, mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        either!(self, d, sys, d => sys.forces_p_t(at, mu, s, d, grad))
    }
    fn functionals(&self, set: Set) -> usize {
        either!(self, sys => sys.functionals(set))
    }
    fn support(&self, set: Set) -> &[u32] {
        either!(self, sys => sys.support(set))
    }
    #[inline]
    fn measure<S: Scalar>(&self, set: Set, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.measure(set, at, d, out))
    }
    fn measure_row<S: Scalar>(&self, set: Set, k: usize, at: &At<S>, d: &mut Data<S>, row: &mut [S]) {
        either!(self, d, sys, d => sys.measure_row(set, k, at, d, row))
    }
    fn conditions<S: Scalar>(&self, at: &At<S>, d: &mut Data<S>, position: &mut [S], velocity: &mut [S]) {
        either!(self, d, sys, d => sys.conditions(at, d, position, velocity))
    }
    fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32] {
        either!(self, sys => sys.condition_pattern(velocity, k))
    }
    fn condition_support(&self, velocity: bool, k: usize) -> &[u32] {
        either!(self, sys => sys.condition_support(velocity, k))
    }
    fn condition_row<S: Scalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        either!(self, d, sys, d => sys.condition_row(velocity, k, at, d, q, v, p))
    }
    fn least_size(&self) -> f64 {
        either!(self, sys => sys.least_size())
    }
    fn statics(&self) -> Option<&Statics> {
        either!(self, sys => sys.statics())
    }
    fn set_rest<S: Scalar>(&self, rest: bool, d: &mut Data<S>) {
        either!(self, d, sys, d => sys.set_rest(rest, d))
    }
    fn visits(&self, d: &Data<f64>) -> usize {
        either!(self, d, sys, d => sys.visits(d))
    }
    fn angles(&self, q: &[f64], d: &mut Data<f64>, out: &mut [f64]) {
        either!(self, d, sys, d => sys.angles(q, d, out))
    }
    fn angle_name(&self, k: usize) -> AngleName {
        either!(self, sys => sys.angle_name(k))
    }
    fn drawn(&self) -> &[f64] {
        either!(self, sys => sys.drawn())
    }
    fn row_name(&self, k: usize) -> String {
        either!(self, sys => sys.row_name(k))
    }
    fn condition_name(&self, velocity: bool, k: usize) -> String {
        either!(self, sys => sys.condition_name(velocity, k))
    }
    fn coordinate_name(&self, i: usize) -> String {
        either!(self, sys => sys.coordinate_name(i))
    }
    #[inline]
    fn constraint<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint(at, c, d, out))
    }
    fn constraint_q<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint_q(at, c, d, out))
    }
    fn constraint_v<S: Scalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint_v(at, c, d, out))
    }
    fn constraint_p<S: Scalar>(&self, at: &At<S>, c: [f64; 3], delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint_p(at, c, delta, d, out))
    }
    fn constraint_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        mu: &[S],
        s: f64,
        d: &mut Data<S>,
        grad: &mut [S],
    ) {
        either!(self, d, sys, d => sys.constraint_p_t(at, c, mu, s, d, grad))
    }
}
