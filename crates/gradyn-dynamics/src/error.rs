//! What can go wrong while a model runs: time, step, iteration and the equation by name.

mod event;
mod words;

pub use event::EventError;

use gradyn_model::ModelError;
use gradyn_num::FactorError;
use words::{count, given, held, list, memory, names, plural, sizes};

/// A failure of assembly or of a step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// Newton did not reach the tolerance.
    #[error(
        "t = {t:.6} s, h = {h:.3e} s: Newton stopped after {iterations} iterations, last correction \
         {correction:.1e}, worst equation `{worst}` (residual {residual:.1e})"
    )]
    Newton {
        /// Time at the end of the step [s].
        t: f64,
        /// Step size [s].
        h: f64,
        /// Iterations done.
        iterations: usize,
        /// Last correction, relative.
        correction: f64,
        /// Residual of the worst equation.
        residual: f64,
        /// Name of the worst equation.
        worst: String,
    },
    /// The dependent coordinates do not follow from the independent ones.
    #[error(
        "t = {t:.6} s: no position satisfies the constraints: Newton stopped after {iterations} iterations, \
         worst equation `{worst}` (residual {residual:.1e}); take smaller steps, unless the position is \
         singular"
    )]
    Positions {
        /// Time of the stage [s].
        t: f64,
        /// Iterations done.
        iterations: usize,
        /// Residual of the worst equation.
        residual: f64,
        /// Name of the worst equation.
        worst: String,
    },
    /// The matrix of a step is singular.
    #[error("t = {t:.6} s: the equations are singular at `{equation}`")]
    Singular {
        /// Time of the failure [s].
        t: f64,
        /// Constraint or coordinate where the factorisation stopped.
        equation: String,
    },
    /// A run stopped where constraint rows become dependent.
    #[error(
        "the mechanism is at a singular position at t = {t:.6} s: {}, there but not nearby; the run reached t = {reached:.6} s",
        list(.rows)
    )]
    SingularPosition {
        /// Time at which it happens [s].
        t: f64,
        /// Time of the last node [s].
        reached: f64,
        /// Dependent rows: name and the rows that it depends on.
        rows: Vec<(String, Vec<String>)>,
    },
    /// Constraints that give way took much of the motion after a singular position.
    #[error(
        "after the singular position at t = {t:.6} s the constraints took {taken:.3e} J of a motion of \
         {kinetic:.3e} J: loops went on along branches that do not fit together"
    )]
    EnergyLost {
        /// Time of the singular position [s].
        t: f64,
        /// Work that constraints which give way took after it [J].
        taken: f64,
        /// Largest kinetic energy of the run [J].
        kinetic: f64,
    },
    /// A run stopped where the freedoms that the user named do not determine the velocities.
    #[error("t = {t:.6} s: the freedoms {} do not determine the velocities there", names(.freedoms))]
    Freedoms {
        /// Time of the failure [s].
        t: f64,
        /// Names of the free coordinates.
        freedoms: Vec<String>,
    },
    /// The matrix of a step is singular at a body without mass or inertia.
    #[error("t = {t:.6} s: the equations are singular at `{equation}`: body `{body}` has no {lacks}")]
    Massless {
        /// Time of the failure [s].
        t: f64,
        /// Coordinate where the factorisation stopped.
        equation: String,
        /// Name of its body.
        body: String,
        /// Mass or inertia.
        lacks: &'static str,
    },
    /// The independent coordinates of a step do not follow its motion.
    #[error(
        "t = {t:.6} s: the independent coordinates do not follow the motion in one step of {h:.2e} s: they \
         change the velocity of `{coordinate}` by {:.0} % of the fastest", 100.0 * .change
    )]
    NotFollowed {
        /// Time at the end of the step [s].
        t: f64,
        /// Step size [s].
        h: f64,
        /// Coordinate whose velocity changes most.
        coordinate: String,
        /// Its change beside the fastest velocity.
        change: f64,
    },
    /// A value is not finite.
    #[error("t = {t:.6} s: `{equation}` is not a finite number")]
    NotFinite {
        /// Time of the failure [s].
        t: f64,
        /// Name of the equation.
        equation: String,
    },
    /// A force is not defined.
    #[error("t = {t:.6} s: {what}")]
    Undefined {
        /// Time of the failure [s].
        t: f64,
        /// Name of the force.
        force: String,
        /// What has happened, as a sentence.
        what: String,
    },
    /// The fixed steps of an explicit integrator are too long.
    #[error(
        "t = {t:.6} s: the accelerations grow from step to step: steps of {h:.2e} s are too long for \
         adams-bashforth"
    )]
    Unstable {
        /// Time of the failure [s].
        t: f64,
        /// Step size [s].
        h: f64,
    },
    /// The step size fell below the minimum.
    #[error(
        "t = {t:.6} s: the step size fell to {h:.1e} s after {rejected} rejected steps; the largest error \
         is in `{worst}`"
    )]
    StepTooSmall {
        /// Time of the failure [s].
        t: f64,
        /// Step size [s].
        h: f64,
        /// Rejected steps so far.
        rejected: usize,
        /// Coordinate with the largest error.
        worst: String,
    },
    /// The condition for the final time holds at the start.
    #[error(
        "t = {t:.6} s: the condition for the final time holds at the start already (its rate there is \
         {rate:.3e} 1/s)"
    )]
    AlreadyMet {
        /// Start time of the run [s].
        t: f64,
        /// Rate of the condition [1/s].
        rate: f64,
    },
    /// The condition for the final time is not met.
    #[error(
        "the condition for the final time is not met before t_max = {t_max} s; it came nearest to zero at t \
         = {t:.6} s, where it is {nearest:.3e}"
    )]
    NeverMet {
        /// Latest time [s].
        t_max: f64,
        /// The condition where its modulus is smallest, by the cubic polynomial through nodes.
        nearest: f64,
        /// Time at which it happens [s].
        t: f64,
    },
    /// The condition for the final time touches zero.
    #[error(
        "t = {t:.6} s: the condition for the final time only grazes zero there (its rate is {rate:.1e} \
         1/s): the final time does not follow the parameters"
    )]
    Grazes {
        /// Time at which it happens [s].
        t: f64,
        /// Rate of the condition [1/s].
        rate: f64,
    },
    /// The condition for the final time changes its sign without passing zero.
    #[error(
        "t = {t:.6} s: the condition for the final time jumps over zero there; what is left of it is \
         {rest:.3e}"
    )]
    JumpsOver {
        /// Time at which it happens [s].
        t: f64,
        /// Its value there.
        rest: f64,
    },
    /// A condition or an event that a run does not go on from.
    #[error(transparent)]
    Event(#[from] EventError),
    /// A run stops where an expression jumps or is not finite.
    #[error("t = {t:.6} s: {what} comes to {cut} there, and steps end before it: {reason}")]
    Cut {
        /// Where it is [s].
        t: f64,
        /// The element whose expression it is.
        what: String,
        /// What it comes to.
        cut: &'static str,
        /// Where the run stopped, and why.
        reason: String,
    },
    /// Adjoint equations need steps that are too small.
    #[error(
        "the adjoint equations, {s:.6} s before the end of a smooth piece: the step size fell to {h:.1e} s"
    )]
    BackwardStep {
        /// Time from the end of the piece [s].
        s: f64,
        /// Step size [s].
        h: f64,
    },
    /// Other parameters move a declared time by more than half a step.
    #[error(
        "t = {t:.6} s: the parameters move a declared time so far that a step of {from:.3e} s becomes \
         {to:.3e} s"
    )]
    Moved {
        /// Begin of the step [s].
        t: f64,
        /// Its size in the plan [s].
        from: f64,
        /// Its size now [s].
        to: f64,
    },
    /// An angle moved so far in one step that its branch is uncertain.
    #[error("t = {t:.6} s: {angle} turns too far in one step of {h:.2e} s: its number of turns is uncertain")]
    Turn {
        /// Time at the end of the step [s].
        t: f64,
        /// Step size [s].
        h: f64,
        /// The angle, for messages.
        angle: String,
        /// Is it a yaw or a roll, which jumps where the pitch is a right angle?
        attitude: bool,
    },
    /// Adaptive steps hardly advance.
    #[error(
        "t = {t:.6} s: the last {steps} steps advanced by only {advance:.1e} s, and {needed:.0e} more would \
         be needed; the largest error is in `{worst}`"
    )]
    Stalled {
        /// Time reached [s].
        t: f64,
        /// Steps looked at.
        steps: usize,
        /// What they advanced [s].
        advance: f64,
        /// Steps to the final time at this pace.
        needed: f64,
        /// Coordinate with the largest error.
        worst: String,
    },
    /// The budget for records is too small.
    #[error(
        "a budget of {} is too small for a run of {steps} steps: the least is {}",
        memory(*.budget), memory(*.needed)
    )]
    Budget {
        /// Memory that is needed at least [bytes].
        needed: usize,
        /// The budget [bytes].
        budget: usize,
        /// Number of steps, so far or of the run.
        steps: usize,
    },
    /// The records of a run do not fit into the memory of the machine.
    #[error(
        "t = {t:.6} s: the records of {steps} steps take {}, and {} are free",
        memory(*.needed), memory(*.free)
    )]
    Memory {
        /// Time reached [s].
        t: f64,
        /// Number of steps, so far or of the run.
        steps: usize,
        /// Memory that is needed [bytes].
        needed: usize,
        /// Memory that is free [bytes].
        free: usize,
    },
    /// A record that was made again is not what it was.
    #[error("t = {t:.6} s: the record that was made again there is not the one of the run")]
    NotTheSame {
        /// Time of the record [s].
        t: f64,
    },
    /// Too many steps.
    #[error("t = {t:.6} s: {steps} steps were not enough to reach t = {t_end} s")]
    TooManySteps {
        /// Time reached [s].
        t: f64,
        /// Number of steps done so far.
        steps: usize,
        /// Final time [s].
        t_end: f64,
    },
    /// Too many steps, most of them limited by stability.
    #[error(
        "t = {t:.6} s: stiff: stability, not accuracy, limits the step size ({limited} of {steps} steps did \
         not reach t = {t_end} s)"
    )]
    Stiff {
        /// Time reached [s].
        t: f64,
        /// Number of steps done so far.
        steps: usize,
        /// Those that stability limited.
        limited: usize,
        /// Final time [s].
        t_end: f64,
    },
    /// A tree has a path so long that there are no matrices n × n.
    #[error(
        "the tree has a path of more than {longest} coordinates, and so no tangent matrices, which {what} \
         needs"
    )]
    LongTree {
        /// Coordinates of the longest path with matrices.
        longest: usize,
        /// What needs them.
        what: &'static str,
    },
    /// The mechanism cannot be assembled.
    #[error(
        "the mechanism could not be assembled: the search stopped where the equation of `{worst}` is off by \
         {residual:.3e}"
    )]
    Assembly {
        /// Equation that stays violated.
        worst: String,
        /// What is left of the equation.
        residual: f64,
    },
    /// Redundant rows that contradict each other in the velocity that they ask for.
    #[error("inconsistent constraints: {}, but asks for another velocity", list(.rows))]
    Inconsistent {
        /// Dependent rows: name and the rows that it depends on.
        rows: Vec<(String, Vec<String>)>,
    },
    /// Constraint rows that are dependent at the start only.
    #[error("the position at the start is singular: {}, there but not nearby", list(.rows))]
    SingularStart {
        /// Dependent rows: name and the rows that it depends on.
        rows: Vec<(String, Vec<String>)>,
    },
    /// The wrong number of initial conditions.
    #[error("{given} {kind} condition{} for {freedom} degree{} of freedom{hint}", plural(*.given), plural(*.freedom))]
    Conditions {
        /// `position` or `velocity`.
        kind: &'static str,
        /// How many there are.
        given: usize,
        /// How many there must be.
        freedom: usize,
        /// What is free or surplus, by name.
        hint: String,
        /// Coordinates that are free to move.
        free: Vec<String>,
    },
    /// The conditions do not determine the start.
    #[error(
        "the initial {kind} conditions do not determine the {kind}: `{equation}` says nothing that the \
         joints and the other conditions leave open"
    )]
    Undetermined {
        /// `position` or `velocity`.
        kind: &'static str,
        /// The dependent condition or row.
        equation: String,
    },
    /// No equilibrium was found.
    #[error("no equilibrium was found in {iterations} iterations; what is left: {}{}", sizes(.worst), held(.open))]
    NoEquilibrium {
        /// Iterations of Newton and of the damped motion.
        iterations: usize,
        /// The worst equations and their residuals.
        worst: Vec<(String, f64)>,
        /// A coordinate for each direction that hardly any force holds there.
        open: Vec<String>,
    },
    /// Forces leave directions of the equilibrium open.
    #[error(
        "{} of the equilibrium {} free: no force holds {}{}",
        count(.free.len(), "direction"), if .free.len() == 1 { "is" } else { "are" }, names(.free), given(.conditions)
    )]
    EquilibriumFree {
        /// A coordinate that moves, for each of them.
        free: Vec<String>,
        /// Conditions that are given.
        conditions: Vec<String>,
    },
    /// A condition of an equilibrium carries a load.
    #[error(
        "the condition `{condition}` of the equilibrium carries a load: {effort:.6e} [N or N m] would be \
         needed to hold it"
    )]
    EquilibriumLoad {
        /// The condition.
        condition: String,
        /// Force or torque that would be needed to hold it [N or N m].
        effort: f64,
    },
    /// A condition of an equilibrium holds what forces hold.
    #[error(
        "the condition `{condition}` of the equilibrium is one too many: forces hold it already, and it \
         carries no load only by chance"
    )]
    EquilibriumSurplus {
        /// The condition.
        condition: String,
    },
    /// The observer of a run broke it off.
    #[error("t = {t:.6} s: the run was broken off after {steps} steps")]
    Cancelled {
        /// Time reached [s].
        t: f64,
        /// Steps done.
        steps: usize,
    },
    /// A choice of rows that the system does not have.
    #[error("{message}")]
    Rows {
        /// What is wrong with it.
        message: String,
    },
    /// The run ends before it starts.
    #[error("the run must end after it starts: t_start = {start} s, t_end = {end} s")]
    Backward {
        /// Start time [s].
        start: f64,
        /// Final time [s].
        end: f64,
    },
    /// The times of the run make no sense.
    #[error("{0}")]
    Times(String),
    /// The pattern cannot be factored.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// A correction of the derivative parts did not converge.
    #[error(
        "t = {t:.6} s: the derivative parts of `{block}` did not settle in {corrections} corrections (last \
         {last:.1e} times rounding, largest in `{worst}`)"
    )]
    Correction {
        /// Time at the end of the step [s].
        t: f64,
        /// Corrections done.
        corrections: usize,
        /// Size of the last one in units of rounding.
        last: f64,
        /// Block: q, v, a, λ or z.
        block: &'static str,
        /// Its coordinate, constraint or objective with the largest correction.
        worst: String,
    },
}

impl From<ModelError> for StepError {
    fn from(e: ModelError) -> Self {
        Self::Rows { message: e.message }
    }
}
