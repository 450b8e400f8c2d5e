//! What to try when a computation fails.

use super::Error;
use gradyn_dynamics::{EventError, StepError};
use gradyn_model::{Model, ModelError};
use std::ops::Range;

/// What to try, where there is something.
pub(super) fn advice(e: &StepError) -> Option<String> {
    let help = match e {
        StepError::Event(e) => of_events(e).or_else(|| of_given(e)),
        e => of_positions(e).or_else(|| of_steps(e)).or_else(|| of_times(e)),
    };
    help.map(Into::into)
}

/// What to try at a position where equations have no solution, or more than one.
fn of_positions(e: &StepError) -> Option<&'static str> {
    // what to try, by the cause
    Some(match e {
        StepError::Newton { .. } => {
            "try a smaller step; if it fails at the start, look at the initial conditions"
        }
        StepError::Singular { .. } => {
            "the mechanism may pass a singular position, or a force is not finite there (a spring whose \
             ends meet, a root of a negative number); try another step or formulation; with penalty on \
             redundant constraints, alpha_scaling=row or a smaller alpha"
        }
        StepError::SingularPosition { .. } => {
            "the motion can leave it in more ways than one: end the run before it, or try ali3p or penalty \
             with short steps, which pass most of them, without a gradient"
        }
        StepError::EnergyLost { .. } => {
            "end the run before it, or pass it by ali3p, whose constraints do not give way; penalty passes it \
             by newmark with short steps"
        }
        StepError::Freedoms { .. } => {
            "a named coordinate passes its extreme: name others, or leave the choice to the program"
        }
        StepError::Massless { .. } => {
            "give the body mass and inertia (`rod`, `shape` or `inertia`), or hold what is free by joints"
        }
        StepError::NotFinite { .. } => {
            "look for a spring whose ends meet, a root of a negative number, a division by zero, or the norm of \
             something that is at rest: add the square of a small number under its root"
        }
        StepError::Undefined { .. } => {
            "end the run before it, give the road more points, or start with some speed"
        }
        StepError::Undetermined { .. } => "choose initial conditions on other sensors",
        StepError::LongTree { .. } => "use natural coordinates, whose matrices are sparse",
        StepError::Correction { .. } => {
            "the derivative does not settle; the run may be at a singular position"
        }
        _ => return None,
    })
}

/// What to try with steps that are too short, too long or too many.
fn of_steps(e: &StepError) -> Option<&'static str> {
    // what to try, by the cause
    Some(match e {
        StepError::StepTooSmall { .. } => {
            "something may jump or become infinite there; put the time of a kink into `breaks` of [study], \
             smooth a jump by a ramp, or loosen the tolerances"
        }
        StepError::Turn { attitude: true, .. } => {
            "roll and yaw jump where the pitch passes ±90 deg (gimbal lock), whatever the step; read \
             `omega` or the angle of a joint instead; elsewhere smaller steps help"
        }
        StepError::Unstable { .. } => {
            "take shorter steps, a lower adams_order, or an implicit integrator such as newmark"
        }
        StepError::NotFollowed { .. } => {
            "take smaller steps, joint coordinates, or index1, which has no independent coordinates"
        }
        StepError::Turn { .. } => {
            "take smaller steps: at most a quarter turn in a step, where the angle is no coordinate"
        }
        StepError::Stalled { .. } => {
            "the equations are stiff there, or the tolerances cannot be met: look at the stiffness and \
             damping around it, loosen the tolerances, or use newmark with fixed steps"
        }
        StepError::TooManySteps { .. } => {
            "take larger steps or loosen the tolerances, or raise max_steps with --option"
        }
        StepError::Budget { .. } => "give a larger budget, take larger steps, or a shorter run",
        StepError::Memory { .. } => {
            "give a budget (--memory 256MiB, `Study::memory_limit`): some records are kept and the others made \
             again, bit by bit; or take larger steps"
        }
        StepError::Stiff { .. } => {
            "use an implicit integrator, such as newmark; or raise max_steps with --option"
        }
        _ => return None,
    })
}

/// What to try with declared times, and with a condition for the final time.
fn of_times(e: &StepError) -> Option<&'static str> {
    // what to try, by the cause
    Some(match e {
        StepError::Moved { .. } => {
            "take a smaller fd_step or extrapolation_step, or larger steps around declared times"
        }
        StepError::AlreadyMet { .. } => {
            "start elsewhere, or subtract what `until` is at the start; a run that returns to its start \
             needs another condition"
        }
        StepError::JumpsOver { .. } => {
            "make the condition continuous: no comparisons, no contact forces that jump"
        }
        StepError::NeverMet { .. } => "look at the motion and at the sign of `until`, or raise t_max",
        StepError::Grazes { .. } => {
            "end the run by t_end, or by a condition that passes zero with some speed"
        }
        StepError::Cut { .. } => "write the law so that it is continuous there, or with `if` on either side",
        StepError::Times(_) => "take larger steps, or raise max_steps with --option",
        StepError::Backward { .. } => "give finite times, the final one after the start",
        _ => return None,
    })
}

/// What to try where a condition changes or an event happens.
fn of_events(e: &EventError) -> Option<&'static str> {
    // what to try, by the cause
    Some(match e {
        EventError::Sliding { .. } => {
            "a jump of a force at zero speed holds the motion there: use `friction`, whose force is smooth, or \
             a ramp in place of the jump"
        }
        EventError::EdgeGrazed { .. } => {
            "change the design so that the motion passes the edge with some speed, or not at all; or smooth \
             the jump by a ramp"
        }
        EventError::ConditionJumps { .. } => {
            "write the condition so that it is continuous where it changes its sign: `b.angle` counts its turns, \
             `atan2` jumps at its cut, and a quotient at its pole"
        }
        EventError::Together { .. } => "let one of them happen earlier, or smooth one of the jumps by a ramp",
        EventError::StaysInContact { .. } => {
            "bodies that stay in contact need a constraint: switch it on by an event with `on`, and off where \
             its multiplier changes its sign"
        }
        EventError::Before { .. } => {
            "let it be later than the start; what is on or off from the start is said by `off` of [initial]"
        }
        EventError::BeyondStop { .. } => "start on the side where `when` is positive, or change its sign",
        EventError::TooMany { .. } => {
            "the motion chatters or comes to rest there: end the run before, or smooth the jump by a ramp"
        }
        _ => return None,
    })
}

/// What to try with what an event gives to the motion, or switches on.
fn of_given(e: &EventError) -> Option<&'static str> {
    // what to try, by the cause
    Some(match e {
        EventError::Blocked { .. } => {
            "leave one of its velocities out: joints and drivers prescribe the others"
        }
        EventError::PlacedInPart { kind: "velocity", .. } => {
            "`reset` beside `place` gives all velocities, as many as are free; without it the positions keep \
             their rates"
        }
        EventError::PlacedInPart { .. } => {
            "`place` gives all positions, as many as there are degrees of freedom: what keeps its place is \
             written as \"rod.angle\" = \"rod.angle\""
        }
        EventError::NotPlaced { .. } => {
            "expressions of `place` go to their values along a straight line: give others, or a place nearby"
        }
        EventError::PlacedBeyond { .. } => "give a place where `when` of that event is positive",
        EventError::DoesNotHold { .. } => {
            "let `when` of the event be the expression of the constraint; to hold a position wherever the \
             event is, switch on a constraint of its velocity"
        }
        EventError::Opposed { .. } => {
            "the rows of a joint hold of opposite directions too: turn the axis of one body, or let the event \
             be half a turn later"
        }
        _ => return None,
    })
}

/// What to write where no velocity is free.
pub(crate) const ALL_PRESCRIBED: &str =
    "joints and drivers prescribe every velocity: write `velocity = {}` in [initial]";

/// An assembly error as an error of the model, at the element that it names.
pub(crate) fn assembly(model: &Model, e: StepError) -> Error {
    let names = Names { model };
    let found = of_constraints(&names, &e)
        .or_else(|| of_conditions(&names, &e))
        .or_else(|| of_equilibrium(&names, &e));
    match found {
        Some((place, help)) => {
            ModelError { message: e.to_string(), place, help: Some(help), subject: None }.into()
        }
        None => e.into(),
    }
}

/// A place in the file, and what to try there.
type Remedy = (Option<Range<usize>>, String);

/// Where the names of a model stand in its file.
struct Names<'a> {
    model: &'a Model,
}

impl Names<'_> {
    /// The place of a row, an element, or a coordinate `element.point.axis`.
    fn place(&self, name: &str) -> Option<Range<usize>> {
        let element = name.split(['.', ' ']).next().unwrap_or(name);
        self.model.place(self.model.element(name)).or_else(|| self.model.place(element))
    }
    /// The place of an initial condition, as it is written.
    fn condition(&self, name: &str) -> Option<Range<usize>> {
        let mut all = self.model.conditions.0.iter().chain(&self.model.conditions.1);
        all.find(|c| c.text == name).and_then(|c| c.place.clone())
    }
    /// The place of the first condition of positions, or of the first coordinate that is named.
    fn first(&self, names: &[String]) -> Option<Range<usize>> {
        let condition = self.model.conditions.0.first().and_then(|c| c.place.clone());
        condition.or_else(|| names.iter().find_map(|name| self.place(name)))
    }
}

/// Constraints that cannot be met.
fn of_constraints(names: &Names, e: &StepError) -> Option<Remedy> {
    // the condition or row that is meant, and what to try
    let (place, help) = match e {
        StepError::Assembly { worst, .. } => (
            names.place(worst).or_else(|| names.condition(worst)),
            "check the lengths and the initial conditions; `initial.near` gives the assembly a better start",
        ),
        StepError::NotFinite { equation, .. } => (
            names.place(equation).or_else(|| names.condition(equation)),
            "there is no value where the assembly starts or leads: parallel axes of a rolling joint, \
             coincident points, a root of a negative number; `initial.near` gives it another start",
        ),
        StepError::Undefined { force, .. } => {
            (names.place(force), "give the road more points, or start elsewhere")
        }
        StepError::Inconsistent { rows } => (
            rows.first().and_then(|r| names.place(&r.0)),
            "remove one of them, or let them agree: the same driver twice, or a driver of what a joint holds",
        ),
        StepError::SingularStart { rows } => (
            rows.first().and_then(|r| names.place(&r.0)),
            "start from another position: the motion can leave this one in more ways than one",
        ),
        _ => return None,
    };
    Some((place, help.to_owned()))
}

/// Initial conditions that are too many, too few, or about the wrong things.
fn of_conditions(names: &Names, e: &StepError) -> Option<Remedy> {
    match e {
        StepError::Conditions { kind, given, freedom, free, .. } => {
            let conditions = &names.model.conditions;
            let list = if *kind == "velocity" { &conditions.1 } else { &conditions.0 };
            // the first that is too many, or the last before those that are missing
            let condition = list.get(*freedom).or(list.last()).and_then(|c| c.place.clone());
            let (word, rest) =
                if given < freedom { ("add", freedom - given) } else { ("remove", given - freedom) };
            let noun = if rest == 1 { "condition" } else { "conditions" };
            let help = match (*kind, *freedom) {
                ("velocity", 0) => ALL_PRESCRIBED.to_owned(),
                _ => format!("{word} {rest} {kind} {noun} in [initial]"),
            };
            Some((condition.or_else(|| free.iter().find_map(|name| names.place(name))), help))
        }
        StepError::Undetermined { equation, .. } => Some((
            names.condition(equation).or_else(|| names.place(equation)),
            "choose conditions on other sensors".to_owned(),
        )),
        _ => None,
    }
}

/// An equilibrium that there is not, or that conditions contradict.
fn of_equilibrium(names: &Names, e: &StepError) -> Option<Remedy> {
    // the condition or element that is meant, and what to try
    let (place, help) = match e {
        StepError::NoEquilibrium { open, .. } if !open.is_empty() => (
            names.first(open),
            "a condition in `equilibrium` of [initial] may be missing: a sensor that moves with what no \
             force holds"
                .to_owned(),
        ),
        StepError::NoEquilibrium { worst, .. } => (
            worst.iter().find_map(|w| names.place(w.0.trim_matches('`'))),
            "there may be none: look at the forces; `initial.near` gives the search a better start, `hold` \
             a support"
                .to_owned(),
        ),
        StepError::EquilibriumFree { free, .. } => {
            let count =
                if free.len() == 1 { "a condition".to_owned() } else { format!("{} conditions", free.len()) };
            let help =
                format!("add {count} in `equilibrium` of [initial]: sensors that move with what is free");
            (names.first(free), help)
        }
        StepError::EquilibriumSurplus { condition } => (
            names.condition(condition),
            "remove it, or move it to `hold`, where a support carries what load there is".to_owned(),
        ),
        StepError::EquilibriumLoad { condition, .. } => (
            names.condition(condition),
            "the forces determine it: remove the condition, or move it to `hold`, where a support carries \
             the load"
                .to_owned(),
        ),
        _ => return None,
    };
    Some((place, help))
}
