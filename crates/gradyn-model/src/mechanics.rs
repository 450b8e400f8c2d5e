//! A mechanism in the coordinates that the run asks for.

use crate::cut::Cut;
use crate::elements::Elements;
use crate::error::ModelError;
use crate::event::EventRule;
use crate::guard::Undefined;
use crate::relative::{Articulated, Relative};
use crate::row::RowName;
use crate::row_status::{RowChoice, RowStatus};
use crate::side::Side;
use crate::start::Start;
use crate::system::{AngleName, Dims, FunctionalSet, Kinematics, Patterns, RowScaling, Statics};
use crate::user::UserSystem;
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
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Natural coordinates.
    Elements(Arc<Elements>),
    /// Relative coordinates; also every body by itself.
    Tree(Arc<Relative>),
    /// Equations that a user wrote.
    User(Arc<UserSystem>),
}

/// A mechanism in coordinates of one family, with what was decided about its rows and its start: three
/// pointers. Equations are shared by all values that differ in these decisions only.
#[derive(Clone, Debug)]
pub struct Mechanics {
    pub(crate) kind: Kind,
    /// Rows that hold and rows that are left out; slots whose gradients are wanted.
    #[doc(hidden)]
    pub rows: Arc<RowStatus>,
    /// Where the assembly begins, and the conditions of the start.
    #[doc(hidden)]
    pub start: Arc<Start>,
}

/// The system of a run, with its decisions.
pub type Setup = Mechanics;

/// Asks the equations, of whatever kind they are.
macro_rules! each {
    ($sys:expr, $s:ident => $e:expr) => {
        match &$sys.kind {
            Kind::Elements($s) => $e,
            Kind::Tree($s) => $e,
            Kind::User($s) => $e,
        }
    };
}

/// Asks a mechanism; `$none` is what a user's system answers.
macro_rules! mechanism {
    ($sys:expr, $s:ident => $e:expr, $none:expr) => {
        match &$sys.kind {
            Kind::Elements($s) => $e,
            Kind::Tree($s) => $e,
            Kind::User(_) => $none,
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
        Self { kind, rows: Arc::new(rows), start: Arc::new(start) }
    }
    /// Are these the same equations, whatever is decided about their rows and their start?
    pub fn same_equations(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Elements(a), Kind::Elements(b)) => Arc::ptr_eq(a, b),
            (Kind::Tree(a), Kind::Tree(b)) => Arc::ptr_eq(a, b),
            (Kind::User(a), Kind::User(b)) => Arc::ptr_eq(a, b),
            (Kind::Elements(_) | Kind::Tree(_) | Kind::User(_), _) => false,
        }
    }
    /// A user's equations, with where the search for their start begins.
    pub fn of_user(user: UserSystem) -> Self {
        let start = Start { guess: user.guess().to_vec(), statics: None, velocity_conditions: vec![] };
        Self::new(Kind::User(Arc::new(user)), start)
    }
    /// The elements: on natural coordinates, or on the frames of the bodies; a user's system has none.
    pub(crate) fn elements(&self) -> Option<&Arc<Elements>> {
        match &self.kind {
            Kind::Elements(s) => Some(s),
            Kind::Tree(s) => Some(s.inner()),
            Kind::User(_) => None,
        }
    }
    /// What the elements read at q: natural coordinates, or frames, for the slots p.
    fn shown(&self, p: &[f64], q: &[f64]) -> Vec<f64> {
        match &self.kind {
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
        match &self.kind {
            Kind::Elements(_) | Kind::User(_) => (*self.start).clone(),
            Kind::Tree(s) => Start { guess: s.guess_by(frames, p), ..(*self.start).clone() },
        }
    }
    /// The first force that has no value at rest, at the guess.
    #[doc(hidden)]
    pub fn undefined_at_rest(&self, p: &[f64], t: f64, angles: &[f64]) -> Option<Undefined> {
        self.elements()?.undefined_at_rest(p, t, angles, &self.shown(p, self.guess()))
    }
    /// Bodies that a coordinate moves, those next to it first.
    pub fn moved_by(&self, coordinate: &str) -> Vec<String> {
        match &self.kind {
            Kind::Elements(_) => coordinate.split('.').next().map(str::to_owned).into_iter().collect(),
            Kind::Tree(s) => s.moved_by(coordinate),
            Kind::User(_) => vec![],
        }
    }
    /// Are there forces that are not defined everywhere?
    pub fn guarded(&self) -> bool {
        self.elements().is_some_and(|e| e.guarded())
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
    /// Are angles between bodies sums of coordinates, so that steps over turns may be exact? Not in natural
    /// coordinates and with Euler parameters.
    pub fn has_angle_coordinates(&self) -> bool {
        matches!(&self.kind, Kind::Tree(s) if s.balls.is_empty())
    }
    /// Does any terminal value read accelerations or multipliers?
    pub fn reads_final_dynamics(&self) -> bool {
        self.elements().is_some_and(|e| e.reads_final_dynamics())
    }
    /// Does any objective read accelerations or multipliers?
    pub fn reads_dynamics(&self) -> bool {
        self.elements().is_some_and(|e| e.reads_dynamics())
    }
    /// Joints that have their directions half a turn off at q; those that are switched off too.
    pub fn flipped(&self, p: &[f64], q: &[f64]) -> Vec<String> {
        self.elements().map_or(vec![], |e| e.flipped(p, &self.shown(p, q)))
    }
    /// The first force along a distance whose ends coincide at q.
    pub fn collapsed_force(&self, p: &[f64], q: &[f64]) -> Option<String> {
        self.elements()?.collapsed_force(p, &self.shown(p, q))
    }
}

/// Sizes, patterns and decisions.
impl Mechanics {
    /// Sizes.
    pub fn dims(&self) -> Dims {
        each!(self, s => s.dims())
    }
    /// Conditions whose sides are data of a run.
    pub fn sides(&self) -> &[Side] {
        match &self.kind {
            Kind::Elements(elements) => &elements.sides,
            Kind::Tree(tree) => &tree.inner().sides,
            Kind::User(_) => &[],
        }
    }
    /// Where expressions may jump or kink without a condition.
    pub fn cuts(&self) -> &[Cut] {
        self.elements().map_or(&[], |e| &e.cuts)
    }
    /// What happens where conditions of the motion pass zero.
    pub fn events(&self) -> &[EventRule] {
        self.elements().map_or(&[], |e| &e.events)
    }
    /// Most velocities that an event gives.
    pub fn event_rows(&self) -> usize {
        self.events().iter().map(|e| e.rows.1 as usize).max().unwrap_or(0)
    }
    /// Do events switch joints, constraints or drivers?
    pub fn switches_rows(&self) -> bool {
        self.events().iter().any(|e| !e.constraints.is_empty())
    }
    /// Rows of an element.
    pub fn rows_of(&self, element: &str) -> Vec<u32> {
        let own = |(_, name): &(usize, &RowName)| name.element == element;
        self.row_names().iter().enumerate().filter(own).map(|(k, _)| k as u32).collect()
    }
    /// May a change of a condition of the motion move with the parameters, or do events happen?
    pub fn has_state_jumps(&self) -> bool {
        !self.events().is_empty() || self.sides().iter().any(Side::is_moving)
    }
    /// Patterns of the matrices.
    pub fn patterns(&self) -> &Patterns {
        each!(self, s => s.patterns())
    }
    /// Memory of the saddle-point matrix of a tree with a path so long that there are no matrices n × n.
    pub fn articulated(&self) -> Option<Articulated> {
        match &self.kind {
            Kind::Tree(s) if s.is_long() => Some(Articulated::new(s, self.dropped())),
            _ => None,
        }
    }
    /// Has a tree a path of more than [`LONGEST_PATH`](crate::LONGEST_PATH) coordinates? Then M and the
    /// tangents are products, and the pattern n × n is empty.
    pub fn is_long(&self) -> bool {
        matches!(&self.kind, Kind::Tree(s) if s.is_long())
    }
    /// Rows and unknowns that border the conditions of the start of a long tree: 0 for all others. The
    /// unknowns follow the coordinates in [`Self::condition_pattern`].
    pub fn border_size(&self) -> usize {
        if let Kind::Tree(s) = &self.kind { s.border_size() } else { 0 }
    }
    /// (row, column) of the entries of these rows.
    pub fn border_entries(&self) -> Vec<(usize, usize)> {
        if let Kind::Tree(s) = &self.kind { s.border_entries() } else { vec![] }
    }
    /// Does M depend on the slots only?
    pub fn constant_mass(&self) -> bool {
        each!(self, s => s.constant_mass())
    }
    /// A size that coordinates have: joint angles may all be near zero, and then corrections are not small
    /// beside them.
    pub fn least_size(&self) -> f64 {
        each!(self, s => s.least_size())
    }
    /// The largest coordinate, or `least_size`: what corrections of q are measured by.
    pub fn size_of(&self, q: &[f64]) -> f64 {
        gradyn_num::largest(q.iter().copied().chain([self.least_size()]))
    }
    /// Independent rows: of positions (holonomic rows), or of velocities (all rows).
    pub fn independent(&self, kinematics: Kinematics) -> &[u32] {
        self.rows.independent(kinematics)
    }
    /// Rows that are left out: they follow from others, or are switched off.
    pub fn dropped(&self) -> &[u32] {
        self.rows.dropped()
    }
    /// Which rows hold, and which are left out.
    pub fn row_choice(&self) -> &RowChoice {
        self.rows.choice()
    }
    /// May a row be left out? The lengths of Euler parameters may not.
    pub fn may_drop(&self, row: usize) -> bool {
        self.rows.may_drop(row)
    }
    /// These equations with another choice of rows.
    pub fn with_rows(&self, choice: &RowChoice) -> Result<Self, ModelError> {
        let rows = Arc::new(self.rows.chosen(choice.clone())?);
        Ok(Self { rows, ..self.clone() })
    }
    /// These equations with all rows that are switched on.
    pub fn with_all_rows(&self) -> Result<Self, ModelError> {
        self.with_off(self.row_choice().off.clone())
    }
    /// These equations with all rows but those that are switched off.
    pub fn with_off(&self, mut off: Vec<u32>) -> Result<Self, ModelError> {
        off.sort_unstable();
        off.dedup();
        let on = |rows: Vec<u32>| rows.into_iter().filter(|k| !off.contains(k)).collect();
        let independent = self.dims().all_rows().map(on);
        self.with_rows(&RowChoice { independent, dropped: off.clone(), off })
    }
    /// Compliance of each row relative to that of the formulation: constants, which are not differentiated.
    pub fn compliances(&self, scaling: RowScaling) -> &[f64] {
        self.rows.compliances(scaling)
    }
    /// Number of functionals in a set.
    pub fn functionals(&self, set: FunctionalSet) -> usize {
        each!(self, s => s.functionals(set))
    }
    /// Slots that a set can depend on.
    pub fn support(&self, set: FunctionalSet) -> &[u32] {
        each!(self, s => s.support(set))
    }
    /// Coordinates that condition `k` of positions or of velocities can depend on; in a long tree motions of
    /// nodes ([`Self::border_size`]).
    pub fn condition_pattern(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        let k = self.start.condition(kinematics, k);
        each!(self, s => s.condition_pattern(kinematics, k))
    }
    /// Slots that a condition can depend on.
    pub fn condition_support(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        let k = self.start.condition(kinematics, k);
        each!(self, s => s.condition_support(kinematics, k))
    }
    /// What balances, where the start is a static equilibrium.
    pub fn statics(&self) -> Option<&Statics> {
        self.start.statics.as_ref()
    }
    /// Positions from which the assembly begins.
    pub fn guess(&self) -> &[f64] {
        &self.start.guess
    }
}

/// Names for messages.
impl Mechanics {
    /// Name of angle `k` with a branch.
    pub fn angle_name(&self, k: usize) -> AngleName {
        each!(self, s => s.angle_name(k))
    }
    /// Name of constraint row `k`.
    pub fn row_name(&self, k: usize) -> String {
        each!(self, s => s.row_name(k))
    }
    /// Initial condition `k` of positions or velocities, as written.
    pub fn condition_name(&self, kinematics: Kinematics, k: usize) -> String {
        let k = self.start.condition(kinematics, k);
        each!(self, s => s.condition_name(kinematics, k))
    }
    /// Name of coordinate `i`.
    pub fn coordinate_name(&self, i: usize) -> String {
        each!(self, s => s.coordinate_name(i))
    }
}
