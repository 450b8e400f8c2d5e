//! What runs and optimisers say when they fail: every variant of their errors with some values, and what is
//! tried then. That each is raised, and when, is asked by the tests of what raises it.

use gradyn::{Error, EventError, StepError};
use gradyn_optimize::Error as ProblemError;

fn name(text: &str) -> String {
    text.into()
}

/// A row, and what it follows from.
fn rows() -> Vec<(String, Vec<String>)> {
    vec![(name("J4.y"), vec![name("J1.x"), name("J2.x")])]
}

/// Errors of steps at a time.
fn steps() -> Vec<StepError> {
    use StepError::*;
    let t = 0.25;
    let h = 1e-3;
    let worst = || name("bar.B.x");
    vec![
        Newton { t, h, iterations: 10, correction: 1e-3, residual: 2e-5, worst: worst() },
        Positions { t, iterations: 10, residual: 2e-5, worst: worst() },
        Singular { t, equation: worst() },
        SingularPosition { t, reached: 0.2, rows: rows() },
        EnergyLost { t, taken: 0.5, kinetic: 2.0 },
        Freedoms { t, freedoms: vec![worst()] },
        Massless { t, equation: worst(), body: name("bar"), lacks: "mass" },
        NotFollowed { t, h, coordinate: worst(), change: 0.8 },
        NotFinite { t, equation: worst() },
        Undefined { t, force: name("tyre"), what: name("the tyre `tyre` leaves its road") },
        Unstable { t, h },
        StepTooSmall { t, h: 1e-14, rejected: 20, worst: worst() },
        Turn { t, h, angle: name("the angle of `bar`"), attitude: false },
        Turn { t, h, angle: name("the yaw of `bar`"), attitude: true },
        Stalled { t, steps: 1000, advance: 1e-9, needed: 1e12, worst: worst() },
        TooManySteps { t, steps: 1000, t_end: 1.0 },
        Stiff { t, steps: 1000, limited: 900, t_end: 1.0 },
        LongTree { longest: 128, what: "newmark" },
        Cut { t, what: name("force `spring`"), cut: "a pole", reason: name("Newton stopped") },
        BackwardStep { s: 0.5, h: 1e-14 },
        Moved { t, from: 1e-3, to: 4e-3 },
        Correction { t, corrections: 5, last: 1e3, block: "a", worst: worst() },
        Cancelled { t, steps: 250 },
        Rows { message: name("there is no row 7: the system has 4") },
        Times(name("1.0e12 steps would be needed, more than max_steps = 10000000")),
    ]
}

/// Errors of the start and of the final time.
fn ends() -> Vec<StepError> {
    use StepError::*;
    let t = 0.25;
    let free = vec![name("bar.angle")];
    vec![
        Assembly { worst: name("pin.x"), residual: 0.5 },
        Inconsistent { rows: rows() },
        SingularStart { rows: rows() },
        Conditions {
            kind: "position",
            given: 2,
            freedom: 1,
            hint: name("; free: `bar.angle`"),
            free: free.clone(),
        },
        Undetermined { kind: "velocity", equation: name("bar.angle") },
        NoEquilibrium { iterations: 100, worst: vec![(name("bar.B.x"), 0.5)], open: free.clone() },
        EquilibriumFree { free, conditions: vec![name("wheel.angle")] },
        EquilibriumLoad { condition: name("bar.angle"), effort: 4.5 },
        EquilibriumSurplus { condition: name("bar.angle") },
        AlreadyMet { t: 0.0, rate: 2.0 },
        NeverMet { t_max: 5.0, nearest: 0.1, t },
        Grazes { t, rate: 1e-9 },
        JumpsOver { t, rest: 0.5 },
        Backward { start: 1.0, end: 0.5 },
    ]
}

/// Errors of conditions and events.
fn events() -> Vec<StepError> {
    use EventError::*;
    let t = 0.25;
    let event = || name("stop");
    let what = || name("force `spring`");
    let all = [
        Sliding { t, what: what() },
        EdgeGrazed { t, what: what(), rate: 1e-9 },
        Together { t, first: what(), second: event() },
        Blocked { t, event: event() },
        PlacedInPart { t, event: event(), kind: "position", given: 1, free: 2 },
        PlacedInPart { t, event: event(), kind: "velocity", given: 1, free: 2 },
        NotPlaced { t, event: event(), part: 0.4 },
        PlacedBeyond { t, event: event(), gap: -0.1 },
        StaysInContact { t, event: event(), rate: 1e-12 },
        BeyondStop { t, event: event(), gap: -0.1 },
        Before { t, event: event(), at: 0.1 },
        DoesNotHold { t, event: event(), row: name("row `pin.x`"), residual: 0.01 },
        Opposed { t, event: event(), joint: name("pin") },
        TooMany { t, events: 1000, what: what(), interval: 1e-9 },
    ];
    all.into_iter().map(StepError::Event).collect()
}

fn rendered(errors: Vec<StepError>) -> String {
    errors.into_iter().map(|e| Error::from(e).render()).collect()
}

#[test]
fn of_steps() {
    insta::assert_snapshot!(rendered(steps()));
}

#[test]
fn of_starts_and_ends() {
    insta::assert_snapshot!(rendered(ends()));
}

#[test]
fn of_events() {
    insta::assert_snapshot!(rendered(events()));
}

#[test]
fn of_problems() {
    let all = [
        ProblemError::NoVariables,
        ProblemError::Variable { name: name("m"), what: name("scale 0 is not a positive number") },
        ProblemError::Constraint { name: name("c"), what: name("scale 0 is not a positive number") },
        ProblemError::ValueScale { scale: 0.0 },
        ProblemError::StartLength { given: 2, n: 3 },
        ProblemError::Method { method: "lbfgsb", what: "takes no constraints", others: name("use sqp") },
        ProblemError::Unknown { what: "optimizer", name: name("nelder"), valid: name("lbfgsb, sqp") },
        ProblemError::Setting { name: "max_evaluations", value: 0.0, what: "not a positive integer" },
        ProblemError::Dimensions { n: 30, most: 21 },
        ProblemError::Record { index: 4 },
    ];
    insta::assert_snapshot!(all.map(|e| e.to_string()).join("\n"));
}
