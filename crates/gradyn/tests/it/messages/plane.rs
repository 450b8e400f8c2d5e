//! A pendulum with a spring, wrong in one place.

use super::{Wrong, said};

const PENDULUM: &str = r#"name      = "pendulum"
dimension = 2
gravity   = [0, -9.81]

[parameters]
m = { value = 2, unit = "kg", min = 0 }
L = { value = 1, unit = "m" }

[ground]
points = { O = [0, 0], W = [2, 0] }

[body.bar]
rod = { points = ["A", "B"], length = "L", mass = "m" }

[joint]
pin = { type = "revolute", between = ["ground.O", "bar.A"] }

[force]
spring = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = 1 }

[initial]
position = { "bar.angle" = "-60 deg" }
velocity = "rest"

[objective]
sway = { integral = "bar.B.x^2" }

[study]
t_end  = 0.1
method = { formulation = "index3", integrator = "newmark", step = "1 ms" }
"#;

const FORCE: &str = "[force]";
const STUDY: &str = "[study]";

const EXPRESSIONS: &[Wrong] = &[
    ("component that a vector has not", &[("stiffness = 50", "stiffness = \"[1, 2].z\"")]),
    ("vector for a constant", &[("\"1 ms\"", "\"[1, 2]\"")]),
    ("corner without a width", &[("stiffness = 50", "stiffness = \"splus(1, 0)\"")]),
    ("number that a parameter moves", &[("value = 1, unit", "value = \"2*m\", unit")]),
    ("bounds that are empty", &[("min = 0", "min = 3, max = 2")]),
    ("scale that is zero", &[("min = 0", "scale = 0")]),
    ("control character in a name", &[("name      = \"pendulum\"", "name = \"pendu\\u0007lum\"")]),
];

const BODIES: &[Wrong] = &[
    (
        "no body",
        &[
            ("[body.bar]\nrod = { points = [\"A\", \"B\"], length = \"L\", mass = \"m\" }\n", ""),
            ("[joint]\npin = { type = \"revolute\", between = [\"ground.O\", \"bar.A\"] }\n", ""),
        ],
    ),
    ("point name that is taken", &[("rod = {", "points = { A = [0, 0], angle = [1, 0] }\nrod = {")]),
    ("rod without a length", &[("length = \"L\", ", "")]),
    (
        "shape without a mass",
        &[(
            "rod = { points = [\"A\", \"B\"], length = \"L\", mass = \"m\" }",
            "points = { A = [0, 0], B = [1, 0] }\nshape = { type = \"sphere\", radius = 1 }",
        )],
    ),
    (
        "mass without an inertia",
        &[(
            "rod = { points = [\"A\", \"B\"], length = \"L\", mass = \"m\" }",
            "points = { A = [0, 0], B = [1, 0] }\nmass = 1",
        )],
    ),
    ("joint of the plane with a normal", &[("\"bar.A\"] }", "\"bar.A\"], normal = [0, 1] }")]),
];

const FORCES: &[Wrong] = &[
    (
        "torque that reacts on itself",
        &[(FORCE, "[force]\nself = { type = \"torque\", on = \"bar\", torque = 1, reaction = \"bar\" }")],
    ),
    (
        "force on the ground",
        &[(FORCE, "[force]\nlost = { type = \"force\", at = \"ground.O\", force = [1, 0] }")],
    ),
    (
        "stop between one point",
        &[(
            FORCE,
            "[force]\nstop = { type = \"bump-stop\", between = [\"bar.A\", \"ground.O\"], length = 1, \
                stiffness = 1, width = 1 }",
        )],
    ),
    (
        "tyre in the plane",
        &[(
            FORCE,
            "[force]\nwheel = { type = \"tyre\", at = \"bar.B\", axis = [0, 1], radius = 1, stiffness = 1 }",
        )],
    ),
    (
        "actuator along a velocity",
        &[(FORCE, "[force]\na = { type = \"actuator\", sensor = \"vel(bar.B.x)\", effort = 1 }")],
    ),
    (
        "driver of no coordinate",
        &[(FORCE, "[driver]\nd = { coordinate = \"bar.angle\", value = 0 }\n[force]")],
    ),
    (
        "driver of the rate of a rate",
        &[(
            FORCE,
            "[constraint]\nc = { velocity = \"vel(bar.B.x) - vel(wave)*0 - acc(wave)\" }\n\
                 [spline.wave]\nkind = \"cyclic\"\nvalues = [0, 1, 0, -1]\nperiod = 1\n[force]",
        )],
    ),
    (
        "spline without a duration",
        &[(FORCE, "[spline.wave]\nkind = \"cyclic\"\nvalues = [0, 1, 0, -1]\nperiod = 0\n[force]")],
    ),
    (
        "spline that is too short",
        &[
            (FORCE, "[spline.wave]\nkind = \"cyclic\"\nvalues = [0, 1, 0, -1]\nperiod = 1e-9\n[force]"),
            ("stiffness = 50", "stiffness = \"50 + wave\""),
        ],
    ),
    ("value that no number holds", &[("stiffness = 50", "stiffness = \"50*sqrt(1 - m)\"")]),
];

const EVENTS: &[Wrong] = &[
    (
        "two ends of a run",
        &[
            (STUDY, "[event]\ne = { when = \"bar.B.x\", end = true }\n[study]"),
            ("t_end  = 0.1", "until = \"bar.B.x\"\nt_max = 1"),
        ],
    ),
    ("event that never changes", &[(STUDY, "[event]\ne = { when = \"m\", end = true }\n[study]")]),
    (
        "event that switches on and off",
        &[(STUDY, "[event]\ne = { when = \"bar.B.x\", on = [\"spring\"], off = [\"spring\"] }\n[study]")],
    ),
    (
        "impact along a velocity",
        &[(STUDY, "[event]\ne = { when = \"vel(bar.B.x)\", impact = 0.5 }\n[study]")],
    ),
    (
        "reset of a vector to a number",
        &[(STUDY, "[event]\ne = { when = \"bar.B.x\", reset = { \"vel(bar.B)\" = 1 } }\n[study]")],
    ),
    (
        "reset of no velocity",
        &[(STUDY, "[event]\ne = { when = \"bar.B.x\", reset = { \"vel(bar.B.x)^2\" = 1 } }\n[study]")],
    ),
    (
        "reset to a force that is switched",
        &[(
            STUDY,
            "[event]\ne = { when = \"bar.B.x\", reset = { \"vel(bar.angle)\" = \"spring.force\" } }\n\
                 f = { when = \"t - 0.05\", off = [\"spring\"] }\n[study]",
        )],
    ),
];

const START: &[Wrong] = &[
    ("rest at a condition that is no sensor", &[("\"bar.angle\" = \"-60 deg\"", "\"2*bar.angle\" = \"-2\"")]),
    ("condition of another length", &[("\"bar.angle\" = \"-60 deg\"", "\"bar.B\" = 1")]),
    (
        "maximum that overflows",
        &[(
            "{ integral = \"bar.B.x^2\" }",
            "{ maximum = \"1e6*bar.B.x\", sharpness = 1000, duration = \"1 ms\" }",
        )],
    ),
    ("position and equilibrium", &[("velocity = \"rest\"", "equilibrium = {}")]),
    ("hold without equilibrium", &[("velocity = \"rest\"", "hold = { \"bar.angle\" = 0 }")]),
    ("end and condition", &[("t_end  = 0.1", "t_end = 1\nuntil = \"bar.B.x\"")]),
    ("condition without a latest time", &[("t_end  = 0.1", "until = \"bar.B.x\"")]),
    ("latest time without a condition", &[("t_end  = 0.1", "t_max = 1")]),
    (
        "sharpness without a maximum",
        &[("{ integral = \"bar.B.x^2\" }", "{ integral = \"bar.B.x^2\", sharpness = 3 }")],
    ),
];

#[test]
fn expressions() {
    insta::assert_snapshot!(said(PENDULUM, EXPRESSIONS));
}

#[test]
fn bodies() {
    insta::assert_snapshot!(said(PENDULUM, BODIES));
}

#[test]
fn forces() {
    insta::assert_snapshot!(said(PENDULUM, FORCES));
}

#[test]
fn events() {
    insta::assert_snapshot!(said(PENDULUM, EVENTS));
}

#[test]
fn start() {
    insta::assert_snapshot!(said(PENDULUM, START));
}
