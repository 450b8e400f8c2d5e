//! A mechanism in the coordinates that the run asks for.

use crate::elements::{self, Elements};
use crate::guard::{Outside, Undefined};
use crate::relative::{self, Relative};
use crate::row::RowName;
use crate::row_status::RowStatus;
use crate::scalar::KernelScalar;
use crate::start::Start;
use crate::system::{AngleName, At, Dims, Patterns, RowScaling, Set, Statics, System};
use crate::user::{UserData, UserSystem};
use gradyn_num::Scalar;
use std::sync::Arc;

/// The coordinate families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Points and vectors of the bodies.
    #[default]
    Natural,
    /// Coordinates of the joints of a tree; masses accumulated about the global origin (RTdyn0).
    Relative0,
    /// Coordinates of the joints of a tree; masses accumulated about the centres of mass (RTdyn1).
    Relative1,
    /// Position and Euler parameters of every body; in the plane position and angle.
    Cartesian,
}
impl Coordinates {
    /// All kinds of coordinates.
    pub const ALL: [Self; 4] = [Self::Natural, Self::Relative0, Self::Relative1, Self::Cartesian];
    /// Their names, in the order of `ALL`.
    pub const NAMES: &'static [&'static str] = &["natural", "relative-0", "relative-1", "cartesian"];
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
    /// What they are, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Natural => {
                "points and unit vectors that bodies share; \
                 constant mass matrix, quadratic constraints, sparse"
            }
            Self::Relative0 => {
                "those of the joints of a tree, loops closed by constraints; \
                 masses about the global origin [A22, RTdyn0]"
            }
            Self::Relative1 => "the same, masses about the centres of mass [A22, RTdyn1]",
            Self::Cartesian => {
                "position and Euler parameters (plane: angle) of every body, every joint a constraint"
            }
        }
    }
    /// The kind of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// The equations of a mechanism in coordinates of one family, or of a user. They do not change after `build`.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Natural coordinates.
    Elements(Box<Elements>),
    /// Relative coordinates; also every body by itself.
    Tree(Box<Relative>),
    /// Equations that a user wrote.
    User(Box<UserSystem>),
}

/// A mechanism in coordinates of one family, with what was decided about its rows and its start: three
/// pointers. Equations are shared by all values that differ in these decisions only.
#[derive(Clone, Debug)]
pub struct Mechanics {
    pub(crate) kind: Arc<Kind>,
    /// Rows that hold and rows that are left out; slots whose gradients are wanted.
    #[doc(hidden)]
    pub rows: Arc<RowStatus>,
    /// Where the assembly begins, and the conditions of the start.
    #[doc(hidden)]
    pub start: Arc<Start>,
}

/// The system of a run, with its decisions.
pub type Setup = Mechanics;

/// What evaluation writes.
#[derive(Clone, Debug)]
pub enum Data<S> {
    /// In natural coordinates.
    Elements(Box<elements::Data<S>>),
    /// In relative coordinates.
    Tree(Box<relative::Data<S>>),
    /// Of a user's equations.
    User(Box<UserData<S>>),
}

/// What mechanisms do and a user's system does not: `$none` stands for the latter.
macro_rules! mechanism {
    ($sys:expr, $s:ident => $e:expr, $none:expr) => {
        match &*$sys.kind {
            Kind::Elements($s) => $e,
            Kind::Tree($s) => $e,
            Kind::User(_) => $none,
        }
    };
    ($sys:expr, $data:expr, $s:ident, $d:ident => $e:expr, $none:expr) => {
        match (&*$sys.kind, $data) {
            (Kind::Elements($s), Data::Elements($d)) => $e,
            (Kind::Tree($s), Data::Tree($d)) => $e,
            _ => $none,
        }
    };
}

macro_rules! either {
    ($sys:expr, $s:ident => $e:expr) => {
        match &*$sys.kind {
            Kind::Elements($s) => $e,
            Kind::Tree($s) => $e,
            Kind::User($s) => $e,
        }
    };
    ($sys:expr, $data:expr, $s:ident, $d:ident => $e:expr) => {
        match (&*$sys.kind, $data) {
            (Kind::Elements($s), Data::Elements($d)) => $e,
            (Kind::Tree($s), Data::Tree($d)) => $e,
            (Kind::User($s), Data::User($d)) => $e,
            _ => unreachable!("data belong to the system that made them"),
        }
    };
}

impl Mechanics {
    /// Equations with all their rows, every slot active, and a start.
    pub(crate) fn new(kind: Kind, start: Start) -> Self {
        let rows = match &kind {
            Kind::Elements(s) => s.all_rows(),
            Kind::Tree(s) => s.all_rows(),
            Kind::User(s) => s.all_rows(),
        };
        Self { kind: Arc::new(kind), rows: Arc::new(rows), start: Arc::new(start) }
    }
    /// Are these the same equations, whatever is decided about their rows and their start?
    pub fn same_equations(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.kind, &other.kind)
    }
    /// A user's equations, with where the search for their start begins.
    pub fn of_user(user: UserSystem) -> Self {
        let start = Start { guess: user.guess().to_vec(), statics: None, velocity_conditions: vec![] };
        Self::new(Kind::User(Box::new(user)), start)
    }
    /// The elements: on natural coordinates, or on the frames of the bodies; a user's system has none.
    pub(crate) fn elements(&self) -> Option<&Elements> {
        match &*self.kind {
            Kind::Elements(s) => Some(s),
            Kind::Tree(s) => Some(s.inner()),
            Kind::User(_) => None,
        }
    }
    /// What the elements read at q: natural coordinates, or frames, for the slots p.
    fn shown(&self, p: &[f64], q: &[f64]) -> Vec<f64> {
        match &*self.kind {
            Kind::Elements(_) | Kind::User(_) => q.to_vec(),
            Kind::Tree(s) => s.frames_at(p, q),
        }
    }
    /// What gradients visit if only some slots are active: elements that read no others are left out of them.
    #[doc(hidden)]
    pub fn active_rows(&self, slots: &[bool]) -> RowStatus {
        mechanism!(self, s => self.rows.with_active(s.active(slots)), (*self.rows).clone())
    }
    /// Compliances by the effective masses of the rows at (t, q).
    #[doc(hidden)]
    pub fn scaled_rows(&self, p: &[f64], t: f64, q: &[f64]) -> RowStatus {
        mechanism!(self, s => self.rows.scaled(s.scaled_compliances(p, t, q)), (*self.rows).clone())
    }
    /// A start near some frames of the bodies, for relative coordinates; natural ones keep theirs.
    #[doc(hidden)]
    pub fn start_near(&self, frames: &[Vec<f64>], p: &[f64]) -> Start {
        match &*self.kind {
            Kind::Elements(_) | Kind::User(_) => (*self.start).clone(),
            Kind::Tree(s) => Start { guess: s.guess_by(frames, p), ..(*self.start).clone() },
        }
    }
    /// The first force that has no value at rest, at the drawn configuration.
    #[doc(hidden)]
    pub fn undefined_at_rest(&self, p: &[f64], t: f64, angles: &[f64]) -> Option<Undefined> {
        self.elements()?.undefined_at_rest(p, t, angles, &self.shown(p, self.drawn()))
    }
    /// Bodies that a coordinate moves, those next to it first.
    pub fn moved_by(&self, coordinate: &str) -> Vec<String> {
        match &*self.kind {
            Kind::Elements(_) => coordinate.split('.').next().map(str::to_owned).into_iter().collect(),
            Kind::Tree(s) => s.moved_by(coordinate),
            Kind::User(_) => vec![],
        }
    }
    /// Are there forces that are not defined everywhere?
    pub fn guarded(&self) -> bool {
        self.elements().is_some_and(Elements::guarded)
    }
    /// Why a force is not defined at the second of two points, or between them; the time of the data is that
    /// of the second.
    #[doc(hidden)]
    pub fn undefined_force(&self, from: &At, to: &At, d: &mut Data<f64>) -> Option<Outside> {
        mechanism!(self, d, s, d => s.undefined_force(from, to, d), None)
    }
    /// Names of the constraint rows.
    #[doc(hidden)]
    pub fn row_names(&self) -> &[RowName] {
        mechanism!(self, s => s.row_names(), &[])
    }
    /// Does any objective or output read the multiplier of a row?
    pub fn reads_multiplier(&self, row: usize) -> bool {
        mechanism!(self, s => s.reads_multiplier(row), false)
    }
    /// Does any terminal value read accelerations or multipliers?
    pub fn reads_final_dynamics(&self) -> bool {
        self.elements().is_some_and(Elements::reads_final_dynamics)
    }
    /// Does any objective read accelerations or multipliers?
    pub fn reads_dynamics(&self) -> bool {
        self.elements().is_some_and(Elements::reads_dynamics)
    }
    /// The first joint that holds its directions half a turn off at q.
    pub fn flipped(&self, p: &[f64], q: &[f64]) -> Option<String> {
        self.elements()?.flipped(p, &self.shown(p, q))
    }
    /// The first force along a distance whose ends coincide at q.
    pub fn collapsed_force(&self, p: &[f64], q: &[f64]) -> Option<String> {
        self.elements()?.collapsed_force(p, &self.shown(p, q))
    }
    /// The first force along a distance whose ends pass through each other between two positions.
    #[doc(hidden)]
    pub fn reversed_force(&self, d: &mut Data<f64>, from: &[f64], to: &[f64]) -> Option<String> {
        mechanism!(self, d, s, d => s.reversed_force(d, from, to), None)
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
    fn data<S: KernelScalar>(&self) -> Data<S> {
        match &*self.kind {
            Kind::Elements(s) => Data::Elements(Box::new(s.data(&self.rows))),
            Kind::Tree(s) => Data::Tree(Box::new(s.data(&self.rows))),
            Kind::User(s) => Data::User(Box::new(s.data())),
        }
    }
    fn prepare<S: KernelScalar>(&self, p: &[S], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.prepare(p, d))
    }
    fn constant_mass(&self) -> bool {
        either!(self, sys => sys.constant_mass())
    }
    fn set_angles<S: KernelScalar>(&self, references: &[f64], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.set_angles(references, d))
    }
    #[inline]
    fn set_time<S: KernelScalar>(&self, t: S, d: &mut Data<S>) {
        either!(self, d, sys, d => sys.set_time(t, d))
    }
    fn independent(&self, velocity: bool) -> &[u32] {
        self.rows.independent(velocity)
    }
    fn dropped(&self) -> &[u32] {
        self.rows.dropped()
    }
    fn compliances(&self, scaling: RowScaling) -> &[f64] {
        self.rows.compliances(scaling)
    }
    #[inline]
    fn place<S: KernelScalar>(&self, t: S, q: &[S], d: &mut Data<S>) {
        either!(self, d, sys, d => sys.place(t, q, d))
    }
    #[inline]
    fn balance<S: KernelScalar>(&self, w: &[S], lam: &[S], d: &Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.balance(w, lam, d, out))
    }
    #[inline]
    fn forces<S: KernelScalar>(&self, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.forces(at, d, out))
    }
    fn mass<'d, S: KernelScalar>(&self, d: &'d Data<S>) -> &'d [S] {
        either!(self, d, sys, d => sys.mass(d))
    }
    fn phi_q<'d, S: KernelScalar>(&self, d: &'d Data<S>) -> &'d [S] {
        either!(self, d, sys, d => sys.phi_q(d))
    }
    fn balance_q<S: KernelScalar>(&self, at: &At<S>, w: &[S], lam: &[S], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.balance_q(at, w, lam, d, out))
    }
    fn force_tangents<S: KernelScalar>(&self, at: &At<S>, d: &mut Data<S>, k: &mut [S], c: &mut [S]) {
        either!(self, d, sys, d => sys.force_tangents(at, d, k, c))
    }
    fn pull<S: KernelScalar>(
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
    fn balance_p<S: KernelScalar>(
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
    fn balance_p_t<S: KernelScalar>(
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
    fn forces_p<S: KernelScalar>(&self, at: &At<S>, delta: &[S], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.forces_p(at, delta, d, out))
    }
    fn forces_p_t<S: KernelScalar>(&self, at: &At<S>, mu: &[S], s: f64, d: &mut Data<S>, grad: &mut [S]) {
        either!(self, d, sys, d => sys.forces_p_t(at, mu, s, d, grad))
    }
    fn functionals(&self, set: Set) -> usize {
        either!(self, sys => sys.functionals(set))
    }
    fn support(&self, set: Set) -> &[u32] {
        either!(self, sys => sys.support(set))
    }
    #[inline]
    fn measure<S: KernelScalar>(&self, set: Set, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.measure(set, at, d, out))
    }
    fn measure_row<S: KernelScalar>(&self, set: Set, k: usize, at: &At<S>, d: &mut Data<S>, row: &mut [S]) {
        either!(self, d, sys, d => sys.measure_row(set, k, at, d, row))
    }
    fn conditions<S: KernelScalar>(
        &self,
        at: &At<S>,
        d: &mut Data<S>,
        position: &mut [S],
        velocity: &mut [S],
    ) {
        let chosen = &self.start.velocity_conditions;
        either!(self, d, sys, d => sys.conditions(at, chosen, d, position, velocity))
    }
    fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32] {
        let k = self.start.condition(velocity, k);
        either!(self, sys => sys.condition_pattern(velocity, k))
    }
    fn condition_support(&self, velocity: bool, k: usize) -> &[u32] {
        let k = self.start.condition(velocity, k);
        either!(self, sys => sys.condition_support(velocity, k))
    }
    fn condition_row<S: KernelScalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        let k = self.start.condition(velocity, k);
        either!(self, d, sys, d => sys.condition_row(velocity, k, at, d, q, v, p))
    }
    fn least_size(&self) -> f64 {
        either!(self, sys => sys.least_size())
    }
    fn statics(&self) -> Option<&Statics> {
        self.start.statics.as_ref()
    }
    fn set_rest<S: KernelScalar>(&self, rest: bool, d: &mut Data<S>) {
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
        &self.start.guess
    }
    fn row_name(&self, k: usize) -> String {
        either!(self, sys => sys.row_name(k))
    }
    fn condition_name(&self, velocity: bool, k: usize) -> String {
        let k = self.start.condition(velocity, k);
        either!(self, sys => sys.condition_name(velocity, k))
    }
    fn coordinate_name(&self, i: usize) -> String {
        either!(self, sys => sys.coordinate_name(i))
    }
    #[inline]
    fn constraint<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint(at, c, d, out))
    }
    fn constraint_q<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint_q(at, c, d, out))
    }
    fn constraint_v<S: KernelScalar>(&self, at: &At<S>, c: [f64; 3], d: &mut Data<S>, out: &mut [S]) {
        either!(self, d, sys, d => sys.constraint_v(at, c, d, out))
    }
    fn constraint_p<S: KernelScalar>(
        &self,
        at: &At<S>,
        c: [f64; 3],
        delta: &[S],
        d: &mut Data<S>,
        out: &mut [S],
    ) {
        either!(self, d, sys, d => sys.constraint_p(at, c, delta, d, out))
    }
    fn constraint_p_t<S: KernelScalar>(
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
