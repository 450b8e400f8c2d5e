//! Conditions and events that a run does not go on from: time, and the condition or event by name.

/// A failure where a condition changes or an event happens.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Both sides of a condition lead back to it.
    #[error(
        "t = {t:.6} s: the motion slides along the edge of a condition of {what}: both sides \
         lead back to it"
    )]
    Sliding {
        /// Time at which it happens [s].
        t: f64,
        /// What the condition stands in.
        what: String,
    },
    /// A condition at which something jumps touches zero.
    #[error(
        "t = {t:.6} s: a condition of {what} only grazes its edge there (its rate is {rate:.1e} 1/s): \
         what jumps there does not follow the parameters"
    )]
    EdgeGrazed {
        /// Time at which it happens [s].
        t: f64,
        /// What the condition stands in.
        what: String,
        /// Rate of the condition [1/s].
        rate: f64,
    },
    /// A condition changes its sign without being zero.
    #[error("t = {t:.6} s: a condition of {what} jumps over zero there: beside the jump it is {rest:.1e}")]
    ConditionJumps {
        /// Time at which it happens [s].
        t: f64,
        /// What the condition stands in.
        what: String,
        /// Value of the condition beside the jump.
        rest: f64,
    },
    /// Two conditions change at one instant, and their order matters.
    #[error(
        "t = {t:.6} s: conditions of {first} and of {second} change at the same time, and which \
         comes first matters"
    )]
    Together {
        /// Time at which it happens [s].
        t: f64,
        /// What the first condition stands in.
        first: String,
        /// What the second condition stands in.
        second: String,
    },
    /// An event gives velocities that constraints do not allow, or the same one twice.
    #[error(
        "t = {t:.6} s: event `{event}` gives velocities along which nothing can move, or which follow from \
         each other"
    )]
    Blocked {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
    },
    /// An event gives positions, or velocities beside them, that are not as many as there are freedoms.
    #[error("t = {t:.6} s: event `{event}` gives {given} {kind} conditions where {free} are free")]
    PlacedInPart {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Position or velocity.
        kind: &'static str,
        /// Conditions that it gives.
        given: usize,
        /// Degrees of freedom of this kind.
        free: usize,
    },
    /// There is no way to the positions that an event gives.
    #[error(
        "t = {t:.6} s: the positions that event `{event}` gives are not reached: the way there is singular after \
         {:.0} % of it", 100.0 * .part
    )]
    NotPlaced {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Part of the way that was gone.
        part: f64,
    },
    /// An event gives positions beyond the stop of an impact.
    #[error("t = {t:.6} s: positions are given beyond the stop of event `{event}`, whose gap is {gap:.3e}")]
    PlacedBeyond {
        /// Time of the event [s].
        t: f64,
        /// Name of the event with the stop.
        event: String,
        /// The gap there.
        gap: f64,
    },
    /// Nothing opens after an impact.
    #[error(
        "t = {t:.6} s: the gap of event `{event}` does not open after the impact (its rate is {rate:.1e} 1/s)"
    )]
    StaysInContact {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Rate of the gap after the impact, per second.
        rate: f64,
    },
    /// A run begins beyond the stop of an impact.
    #[error("t = {t:.6} s: the run begins beyond the stop of event `{event}`, whose gap is {gap:.3e}")]
    BeyondStop {
        /// Start of the run [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// The gap there.
        gap: f64,
    },
    /// An event whose time is not after the start.
    #[error(
        "t = {t:.6} s: event `{event}` is at t = {at} s, when the run has begun already: it never happens"
    )]
    Before {
        /// Start of the run [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Time of the event [s].
        at: f64,
    },
    /// A constraint that is switched on does not hold.
    #[error(
        "t = {t:.6} s: {row} does not hold where event `{event}` switches it on: it is off by {residual:.3e}"
    )]
    DoesNotHold {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Row that is switched on.
        row: String,
        /// What is left of it.
        residual: f64,
    },
    /// A joint that an event switches on has its directions half a turn off.
    #[error(
        "t = {t:.6} s: directions of joint `{joint}` are half a turn off where event `{event}` switches it on"
    )]
    Opposed {
        /// Time of the event [s].
        t: f64,
        /// Name of the event.
        event: String,
        /// Name of the joint.
        joint: String,
    },
    /// Conditions change too often.
    #[error(
        "t = {t:.6} s: conditions changed {events} times, the last one of {what}, \
         {interval:.1e} s after the one before"
    )]
    TooMany {
        /// Time reached [s].
        t: f64,
        /// Changes so far.
        events: usize,
        /// What the last condition stands in.
        what: String,
        /// Time since the change before [s].
        interval: f64,
    },
}
